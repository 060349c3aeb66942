-- Saved servers, settings and the log.

-- Tells a Mooring database from any other SQLite file ("MOOR").
PRAGMA application_id = 1297043282;

CREATE TABLE server (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT    NOT NULL,
    transport     TEXT    NOT NULL CHECK (transport IN ('stdio', 'http')),
    command       TEXT,
    args          TEXT    NOT NULL, -- JSON array of strings
    env           TEXT    NOT NULL, -- JSON object of strings
    cwd           TEXT,
    url           TEXT,
    headers       TEXT    NOT NULL, -- JSON object of strings
    enabled       INTEGER NOT NULL DEFAULT 1,
    timeout_ms    INTEGER,
    created_at_us INTEGER NOT NULL,
    updated_at_us INTEGER NOT NULL,
    removed_at_us INTEGER           -- set: removed, can still be restored
) STRICT;

CREATE UNIQUE INDEX server_name ON server (name) WHERE removed_at_us IS NULL;

CREATE TABLE setting (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

-- The narrow columns come first and the body last, so that filters read little of a long row.
-- AUTOINCREMENT: an id is never given twice, also when the newest rows are gone.
CREATE TABLE log (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    at_us       INTEGER NOT NULL,
    kind        INTEGER NOT NULL,
    direction   INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    server_id   INTEGER,
    connection  INTEGER NOT NULL,
    duration_us INTEGER,
    size        INTEGER NOT NULL,
    source      TEXT    NOT NULL,
    method      TEXT,
    rpc_id      TEXT,
    subject     TEXT,
    head        BLOB    NOT NULL, -- the body's first 240 characters: the preview
    tail        BLOB              -- the rest of the body, when there is more
) STRICT;

-- Each index ends in the id by itself, so that a filtered page is a walk along it.
CREATE INDEX log_source ON log (source);
CREATE INDEX log_method ON log (method) WHERE method IS NOT NULL;
-- Everything but frames (kind 0), which would cost the most and are the least rare.
CREATE INDEX log_notable ON log (id, kind) WHERE kind <> 0;

-- What can be filtered by, with the number of rows; kept by the log's writer.
CREATE TABLE log_facet (
    field INTEGER NOT NULL, -- 0 source, 1 method
    value TEXT    NOT NULL,
    rows  INTEGER NOT NULL,
    PRIMARY KEY (field, value)
) STRICT, WITHOUT ROWID;

CREATE TABLE log_total (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    rows INTEGER NOT NULL
) STRICT;

INSERT INTO log_total (one, rows) VALUES (1, 0);
