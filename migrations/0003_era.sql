-- Which era to negotiate with a server: found out by asking, or the person's choice.

ALTER TABLE server ADD COLUMN era TEXT NOT NULL DEFAULT 'auto'
    CHECK (era IN ('auto', 'modern', 'session', 'sse'));

-- What was found out by asking, so that the next connection need not ask again.
CREATE TABLE known_era (
    identity TEXT    PRIMARY KEY, -- SHA-256 of what is started or reached
    era      TEXT    NOT NULL CHECK (era IN ('modern', 'session', 'sse')),
    at_us    INTEGER NOT NULL     -- when it was found out
) STRICT, WITHOUT ROWID;
