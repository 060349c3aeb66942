-- By what apps are known: the key in an app's own entry, the token of one that connects over HTTP, and those without
-- either that the person allowed. Of keys and tokens only the hashes are here.

CREATE TABLE app_key (
    app           TEXT    NOT NULL, -- the app's name
    kind          TEXT    NOT NULL CHECK (kind IN ('entry', 'token', 'allowed')),
    proof         TEXT    NOT NULL, -- SHA-256 in hexadecimal digits; 'allowed': the program that it was, by its path
    created_at_us INTEGER NOT NULL,
    used_at_us    INTEGER,          -- within a minute
    PRIMARY KEY (app, kind)
) STRICT, WITHOUT ROWID;

INSERT INTO app_key SELECT app, 'token', hash, created_at_us, used_at_us FROM app_token;
DROP TABLE app_token;

-- Apps of before this table go on as they did, without a key, until they get one or it is taken away.
ALTER TABLE app ADD COLUMN predates_keys INTEGER NOT NULL DEFAULT 0;
UPDATE app SET predates_keys = 1;

-- Questions of apps that want to use the servers. SQLite changes no constraint of a table that exists.
CREATE TABLE interaction_of_any_kind (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    server_id     INTEGER REFERENCES server (id) ON DELETE SET NULL,
    server_name   TEXT    NOT NULL, -- at that time
    kind          TEXT    NOT NULL CHECK (kind IN
        ('form', 'url', 'tool', 'sampling', 'sampling_answer', 'roots', 'app')),
    subject       TEXT    CHECK (length(subject) <= 512), -- a tool's name, an address's host, a model, an app's name
    outcome       TEXT    NOT NULL CHECK (outcome IN
        ('waiting', 'accepted', 'declined', 'cancelled', 'withdrawn', 'expired', 'put_aside')),
    reason        TEXT,             -- why, where nobody decided: a sentence as JSON
    rule_id       INTEGER,          -- what remembers it
    asked_at_us   INTEGER NOT NULL,
    decided_at_us INTEGER,
    caller        TEXT,             -- who made the call that it is about
    CHECK ((outcome = 'waiting') = (decided_at_us IS NULL))
) STRICT;

INSERT INTO interaction_of_any_kind
    SELECT id, server_id, server_name, kind, subject, outcome, reason, rule_id, asked_at_us, decided_at_us, caller
    FROM interaction;
-- Questions are known by their numbers: none is given twice.
DELETE FROM sqlite_sequence WHERE name = 'interaction_of_any_kind';
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'interaction_of_any_kind', seq FROM sqlite_sequence WHERE name = 'interaction';
DROP TABLE interaction;
ALTER TABLE interaction_of_any_kind RENAME TO interaction;

CREATE INDEX interaction_waiting ON interaction (id) WHERE outcome = 'waiting';
CREATE INDEX interaction_server ON interaction (server_id) WHERE server_id IS NOT NULL;
