-- Rules for calls of other apps: the caller is `app:` and the app's name. SQLite changes no constraint of a table that
-- exists.

CREATE TABLE rule_of_any_caller (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    effect           TEXT    NOT NULL CHECK (effect IN ('allow', 'ask', 'deny')),
    server_id        INTEGER REFERENCES server (id) ON DELETE CASCADE, -- NULL: every server
    tool             TEXT,             -- a name, with * for any characters; NULL: every tool
    caller           TEXT    CHECK (caller IN ('workbench', 'command_line', 'sampling') OR caller GLOB 'app:?*'),
    destructive_only INTEGER NOT NULL CHECK (destructive_only IN (0, 1)),
    arguments        TEXT    NOT NULL, -- JSON array of conditions
    pin              TEXT,             -- the hash of the one definition that it is for
    from_answer      INTEGER NOT NULL CHECK (from_answer IN (0, 1)),
    uses             INTEGER NOT NULL DEFAULT 0,
    used_at_us       INTEGER,
    expires_at_us    INTEGER,
    created_at_us    INTEGER NOT NULL,
    removed_at_us    INTEGER           -- set: taken back, can still be restored
) STRICT;

INSERT INTO rule_of_any_caller SELECT * FROM rule;
-- The log names rules by their numbers: none is given twice.
DELETE FROM sqlite_sequence WHERE name = 'rule_of_any_caller';
INSERT INTO sqlite_sequence (name, seq) SELECT 'rule_of_any_caller', seq FROM sqlite_sequence WHERE name = 'rule';
DROP TABLE rule;
ALTER TABLE rule_of_any_caller RENAME TO rule;

CREATE INDEX rule_server ON rule (server_id) WHERE server_id IS NOT NULL;
