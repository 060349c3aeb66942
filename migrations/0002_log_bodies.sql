-- Long bodies of log rows stand beside the database, in files that are only appended to: SQLite writes
-- every byte twice, a file once. What the files hold is committed with the rows.

CREATE TABLE log_file (
    id      INTEGER PRIMARY KEY AUTOINCREMENT, -- log/<id>.bodies beside the database
    bytes   INTEGER NOT NULL,
    newest  INTEGER NOT NULL                   -- the newest row with something in it
) STRICT;

CREATE TABLE log_body (
    row   INTEGER PRIMARY KEY,                 -- log.id; that row's tail is NULL
    file  INTEGER NOT NULL,
    at    INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    crc32 INTEGER NOT NULL
) STRICT;
