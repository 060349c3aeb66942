-- Questions to the person and how they were decided. Neither what was asked in detail nor what was answered is kept.
CREATE TABLE interaction (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    server_id     INTEGER REFERENCES server (id) ON DELETE SET NULL,
    server_name   TEXT    NOT NULL, -- at that time
    kind          TEXT    NOT NULL CHECK (kind IN ('form', 'url', 'tool', 'sampling', 'sampling_answer', 'roots')),
    subject       TEXT    CHECK (length(subject) <= 512), -- a tool's name, an address's host, a model
    outcome       TEXT    NOT NULL CHECK (outcome IN
        ('waiting', 'accepted', 'declined', 'cancelled', 'withdrawn', 'expired', 'put_aside')),
    reason        TEXT,             -- why, where nobody decided: a sentence as JSON
    rule_id       INTEGER,          -- what remembers it
    asked_at_us   INTEGER NOT NULL,
    decided_at_us INTEGER,
    CHECK ((outcome = 'waiting') = (decided_at_us IS NULL))
) STRICT;

CREATE INDEX interaction_waiting ON interaction (id) WHERE outcome = 'waiting';
CREATE INDEX interaction_server ON interaction (server_id) WHERE server_id IS NOT NULL;

-- Servers that were dismissed too often.
CREATE TABLE silence (
    server_id INTEGER PRIMARY KEY REFERENCES server (id) ON DELETE CASCADE,
    spell     INTEGER NOT NULL CHECK (spell BETWEEN 1 AND 2), -- the second lasts until the person lifts it
    until_us  INTEGER,
    CHECK ((spell = 2) = (until_us IS NULL))
) STRICT;
