-- Rules of consent that a person made, and what of servers was seen and approved.

CREATE TABLE rule (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    effect           TEXT    NOT NULL CHECK (effect IN ('allow', 'ask', 'deny')),
    server_id        INTEGER REFERENCES server (id) ON DELETE CASCADE, -- NULL: every server
    tool             TEXT,             -- a name, with * for any characters; NULL: every tool
    caller           TEXT    CHECK (caller IN ('workbench', 'command_line', 'sampling')),
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

CREATE INDEX rule_server ON rule (server_id) WHERE server_id IS NOT NULL;

-- What a server is and offers, by a hash of its canonical form. It is as it was approved, or seen first, when both
-- hashes are one. The forms are kept to show what changed; values of variables and headers are hashes in them.
CREATE TABLE pin (
    server_id      INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    kind           TEXT    NOT NULL CHECK (kind IN ('server', 'instructions', 'tool', 'prompt', 'template')),
    name           TEXT    NOT NULL,
    hash           TEXT    NOT NULL, -- of what is there now, or was there last
    form           TEXT    NOT NULL, -- canonical JSON
    known_hash     TEXT    NOT NULL, -- of what was approved, or seen first
    known_form     TEXT    NOT NULL,
    gone           INTEGER NOT NULL CHECK (gone IN (0, 1)),
    approved_at_us INTEGER,          -- NULL: nobody has looked at it
    seen_at_us     INTEGER NOT NULL, -- when it was seen to be so
    PRIMARY KEY (server_id, kind, name)
) STRICT, WITHOUT ROWID;

-- What the person last saved of a server: a definition that is this one was changed by nobody else.
CREATE TABLE server_edit (
    server_id INTEGER PRIMARY KEY REFERENCES server (id) ON DELETE CASCADE,
    hash      TEXT    NOT NULL
) STRICT;
