-- Models that answer servers' sampling requests: who provides them, which one is asked, who may ask, and what it took.
-- No column of any of these holds a key in the clear, or anything that was asked or answered.

CREATE TABLE provider (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 128),
    kind        TEXT    NOT NULL CHECK (kind IN ('anthropic', 'openai', 'ollama', 'gemini')),
    base_url    TEXT    NOT NULL,
    models      TEXT    NOT NULL,                 -- JSON array, in the person's order
    secret_id   TEXT    REFERENCES secret (id),   -- NULL: it has no key
    answered_us INTEGER,                          -- when it last answered
    problem     TEXT                              -- why it did not when it was last asked: a sentence as JSON
) STRICT;

CREATE UNIQUE INDEX provider_name ON provider (name);
CREATE UNIQUE INDEX provider_secret ON provider (secret_id) WHERE secret_id IS NOT NULL;

-- Which model is asked, before hints and priorities: the first that fits.
CREATE TABLE sampling_route (
    position    INTEGER PRIMARY KEY,
    server_id   INTEGER REFERENCES server (id) ON DELETE CASCADE,   -- NULL: for all
    hint        TEXT,                                               -- NULL: whatever is hinted
    provider_id INTEGER REFERENCES provider (id) ON DELETE CASCADE, -- NULL: the practice model
    model       TEXT    NOT NULL
) STRICT;

CREATE INDEX sampling_route_server ON sampling_route (server_id) WHERE server_id IS NOT NULL;
CREATE INDEX sampling_route_provider ON sampling_route (provider_id) WHERE provider_id IS NOT NULL;

-- What a server may ask. Without a row it may not.
CREATE TABLE sampling_policy (
    server_id           INTEGER PRIMARY KEY REFERENCES server (id) ON DELETE CASCADE,
    enabled             INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    requests_per_minute INTEGER CHECK (requests_per_minute >= 0),
    tokens_per_day      INTEGER CHECK (tokens_per_day >= 0),
    cost_per_day        INTEGER CHECK (cost_per_day >= 0) -- millionths of a dollar
) STRICT;

-- What servers used, by the day (UTC).
CREATE TABLE sampling_usage (
    server_id INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    day       INTEGER NOT NULL, -- days since the Unix epoch
    requests  INTEGER NOT NULL,
    tokens    INTEGER NOT NULL, -- read and written
    cost      INTEGER NOT NULL, -- millionths of a dollar
    PRIMARY KEY (server_id, day)
) STRICT, WITHOUT ROWID;

-- Looks that the person no longer wants to take, or answers that are always no.
CREATE TABLE sampling_standing (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    server_id   INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    look        TEXT    NOT NULL CHECK (look IN ('request', 'answer')),
    provider_id INTEGER REFERENCES provider (id) ON DELETE CASCADE, -- NULL: the practice model
    model       TEXT    NOT NULL,
    allow       INTEGER NOT NULL CHECK (allow IN (0, 1)),
    until_us    INTEGER -- NULL: until it is taken back
) STRICT;

CREATE INDEX sampling_standing_server ON sampling_standing (server_id);
CREATE INDEX sampling_standing_provider ON sampling_standing (provider_id) WHERE provider_id IS NOT NULL;

-- A key goes with its provider.
CREATE TRIGGER provider_deleted AFTER DELETE ON provider WHEN OLD.secret_id IS NOT NULL BEGIN
    DELETE FROM secret WHERE id = OLD.secret_id;
END;
CREATE TRIGGER provider_changed AFTER UPDATE OF secret_id ON provider
    WHEN OLD.secret_id IS NOT NULL AND OLD.secret_id IS NOT NEW.secret_id BEGIN
    DELETE FROM secret WHERE id = OLD.secret_id;
END;
