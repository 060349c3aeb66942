-- Folders that servers may be told of.

CREATE TABLE root (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    server_id     INTEGER REFERENCES server (id) ON DELETE CASCADE, -- NULL: for every server that may know
    path          TEXT    NOT NULL, -- as it really was when it was granted, without links
    name          TEXT,             -- NULL: the folder's own
    wide          INTEGER NOT NULL CHECK (wide IN (0, 1)), -- the person said yes a second time
    granted_at_us INTEGER NOT NULL,
    removed_at_us INTEGER           -- set: taken back, can still be granted again
) STRICT;

CREATE UNIQUE INDEX root_place ON root (coalesce(server_id, 0), path) WHERE removed_at_us IS NULL;

-- Whether a server is told of the folders for every server. Without a row nobody has decided.
CREATE TABLE root_share (
    server_id     INTEGER PRIMARY KEY REFERENCES server (id) ON DELETE CASCADE,
    shared        INTEGER NOT NULL CHECK (shared IN (0, 1)),
    decided_at_us INTEGER NOT NULL
) STRICT;
