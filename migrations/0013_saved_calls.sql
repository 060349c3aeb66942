-- What the person saved of servers: calls with their arguments, and favourites.

CREATE TABLE saved_call (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    server_id     INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    kind          TEXT    NOT NULL CHECK (kind IN ('tool', 'resource', 'template', 'prompt')),
    item          TEXT    NOT NULL, -- name, URI or URI template
    name          TEXT,             -- NULL: a favourite, not a call
    arguments     TEXT    NOT NULL, -- JSON object without secrets
    withheld      TEXT    NOT NULL, -- JSON array: paths of the arguments that weren't saved
    saved_at_us   INTEGER NOT NULL,
    removed_at_us INTEGER           -- set: removed, can still be restored
) STRICT;

CREATE UNIQUE INDEX saved_call_name ON saved_call (server_id, kind, item, coalesce(name, ''))
    WHERE removed_at_us IS NULL;

-- The calls of one item, however long the log is: requests, verdicts and ends.
CREATE INDEX log_item ON log (server_id, method, subject) WHERE subject IS NOT NULL;
