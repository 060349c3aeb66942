-- Rows of the log are staged in files beside the database, and written into it many at a time: a commit costs every
-- page that it changes. A row of this table is a file, and how much of that is in the log.

CREATE TABLE log_staging (
    id    INTEGER PRIMARY KEY AUTOINCREMENT, -- log/<id>.staged beside the database; never given twice
    moved INTEGER NOT NULL                   -- bytes whose rows are in the log; changed with them, in one transaction
) STRICT;
