-- A copy of the newest entries of an MCP registry, for searching without the network. Backups leave the tables
-- `catalog_…` out, because they can be fetched again.

CREATE TABLE catalog_copy (
    one           INTEGER PRIMARY KEY CHECK (one = 1),
    base          TEXT    NOT NULL, -- the registry's URL
    generation    INTEGER NOT NULL, -- grows with each fetch of all entries
    cursor        TEXT,             -- where an unfinished fetch of all entries goes on
    started_at_us INTEGER NOT NULL, -- when the fetch of all entries began
    synced_at_us  INTEGER,          -- when the newest finished fetch began; null before the first
    left_out      INTEGER NOT NULL  -- entries that could not be understood
) STRICT;

CREATE TABLE catalog_entry (
    id              INTEGER PRIMARY KEY,
    name            TEXT    NOT NULL UNIQUE,
    slug            TEXT    NOT NULL, -- the last part of the name, in lower case
    words           BLOB    NOT NULL, -- name, title and description in lower case, as bytes: they are searched faster
    title           TEXT    NOT NULL,
    description     TEXT    NOT NULL,
    version         TEXT    NOT NULL,
    kinds           TEXT    NOT NULL, -- of its packages and remotes, with spaces between them
    status          TEXT    NOT NULL CHECK (status IN ('active', 'deprecated', 'deleted')),
    published_at_us INTEGER,
    updated_at_us   INTEGER,
    generation      INTEGER NOT NULL
) STRICT;

-- For the list without a search, newest first.
CREATE INDEX catalog_entry_published ON catalog_entry (coalesce(published_at_us, 0) DESC, name)
    WHERE status <> 'deleted';

-- Apart, so that a search reads less.
CREATE TABLE catalog_body (
    entry_id INTEGER PRIMARY KEY REFERENCES catalog_entry (id) ON DELETE CASCADE,
    body     BLOB NOT NULL -- what the registry sent, deflated
) STRICT;

-- The registry's entries that saved servers came from.
CREATE TABLE server_catalog (
    server_id INTEGER PRIMARY KEY REFERENCES server (id) ON DELETE CASCADE,
    base      TEXT NOT NULL,
    name      TEXT NOT NULL,
    version   TEXT NOT NULL,
    facts     TEXT NOT NULL CHECK (json_valid(facts)) -- written and read by the host
) STRICT;
