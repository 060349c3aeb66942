-- The Inbox knows the kinds of questions, so a new kind needs no migration. SQLite changes no constraint of a table that
-- exists.

CREATE TABLE interaction_of_any_kind (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    server_id     INTEGER REFERENCES server (id) ON DELETE SET NULL,
    server_name   TEXT    NOT NULL, -- at that time
    kind          TEXT    NOT NULL CHECK (length(kind) <= 32),
    subject       TEXT    CHECK (length(subject) <= 512), -- a tool's name, an address's host, a model, an app's name
    outcome       TEXT    NOT NULL CHECK (outcome IN
        ('waiting', 'accepted', 'declined', 'cancelled', 'withdrawn', 'expired', 'put_aside')),
    reason        TEXT,             -- why, if the person did not decide: a sentence as JSON
    rule_id       INTEGER,          -- what remembers it
    asked_at_us   INTEGER NOT NULL,
    decided_at_us INTEGER,
    caller        TEXT,             -- who made the call that it is about
    CHECK ((outcome = 'waiting') = (decided_at_us IS NULL))
) STRICT;

INSERT INTO interaction_of_any_kind
    SELECT id, server_id, server_name, kind, subject, outcome, reason, rule_id, asked_at_us, decided_at_us, caller
    FROM interaction;
-- A question's number is never given twice.
DELETE FROM sqlite_sequence WHERE name = 'interaction_of_any_kind';
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'interaction_of_any_kind', seq FROM sqlite_sequence WHERE name = 'interaction';
DROP TABLE interaction;
ALTER TABLE interaction_of_any_kind RENAME TO interaction;

CREATE INDEX interaction_waiting ON interaction (id) WHERE outcome = 'waiting';
CREATE INDEX interaction_server ON interaction (server_id) WHERE server_id IS NOT NULL;
