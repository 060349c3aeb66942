-- Secrets sealed under one key, the logins and client registrations that they belong to, and which login a
-- server uses. No column of any of these holds a secret in the clear.

-- One row: who this profile is, and which key is in force. The key is in the system's keychain, in the memory
-- of one run, or here, wrapped by a passphrase.
CREATE TABLE vault (
    one            INTEGER PRIMARY KEY CHECK (one = 1),
    profile        BLOB    NOT NULL CHECK (length(profile) = 16),
    key            BLOB    UNIQUE CHECK (length(key) = 16), -- its fingerprint; NULL: there is none yet
    mode           TEXT    CHECK (mode IN ('keychain', 'passphrase', 'memory')),
    kdf_memory_kib INTEGER, -- these six: Argon2id, and what it unwraps
    kdf_passes     INTEGER,
    kdf_lanes      INTEGER,
    kdf_salt       BLOB,
    wrap_nonce     BLOB,
    wrapped_key    BLOB,
    created_at_us  INTEGER, -- when the key was made
    CHECK ((key IS NULL) = (mode IS NULL)),
    CHECK ((key IS NULL) = (created_at_us IS NULL)),
    CHECK (coalesce(mode = 'passphrase', 0) = (wrapped_key IS NOT NULL)),
    CHECK ((wrapped_key IS NULL) = (kdf_salt IS NULL)),
    CHECK ((wrapped_key IS NULL) = (wrap_nonce IS NULL)),
    CHECK ((wrapped_key IS NULL) = (kdf_memory_kib IS NULL)),
    CHECK ((wrapped_key IS NULL) = (kdf_passes IS NULL)),
    CHECK ((wrapped_key IS NULL) = (kdf_lanes IS NULL))
) STRICT;

-- A row can only be committed under the key in force, and the key cannot change while a row is left under
-- the old one: the reference says both.
CREATE TABLE secret (
    id         TEXT    PRIMARY KEY NOT NULL, -- random, known before the row is sealed
    kind       TEXT    NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
    version    INTEGER NOT NULL, -- of the sealing
    key        BLOB    NOT NULL REFERENCES vault (key) DEFERRABLE INITIALLY DEFERRED,
    nonce      BLOB    NOT NULL CHECK (length(nonce) = 24),
    ciphertext BLOB    NOT NULL CHECK (length(ciphertext) <= 2097152),
    label      TEXT,             -- the person's name for it; NULL: it goes with what refers to it
    at_us      INTEGER NOT NULL  -- when it was sealed
) STRICT;

CREATE UNIQUE INDEX secret_label ON secret (label) WHERE label IS NOT NULL;

-- Who we are to an authorization server. One that is replaced stays for the logins that it was used for.
CREATE TABLE registration (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    issuer         TEXT    NOT NULL,
    origin         TEXT    NOT NULL CHECK (origin IN ('preregistered', 'cimd', 'dynamic', 'entered')),
    client_id      TEXT    NOT NULL,
    method         TEXT    NOT NULL, -- of authentication at the token endpoint
    redirect       TEXT,
    secret_id      TEXT    REFERENCES secret (id),
    expires_at_us  INTEGER,
    created_at_us  INTEGER NOT NULL,
    replaced_at_us INTEGER
) STRICT;

CREATE UNIQUE INDEX registration_current ON registration (issuer, origin) WHERE replaced_at_us IS NULL;
CREATE INDEX registration_secret ON registration (secret_id) WHERE secret_id IS NOT NULL;

CREATE TABLE login (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    issuer          TEXT    NOT NULL,
    resource        TEXT    NOT NULL,
    account         TEXT,             -- the subject, where the server tells it
    label           TEXT,             -- a name for the account, where the server tells one
    registration_id INTEGER REFERENCES registration (id) ON DELETE SET NULL,
    scopes_asked    TEXT    NOT NULL, -- JSON array of strings
    scopes_granted  TEXT    NOT NULL, -- JSON array of strings
    token_type      TEXT    NOT NULL,
    expires_at_us   INTEGER,          -- NULL: the server did not say
    refreshable     INTEGER NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN ('active', 'ended')),
    reason          TEXT,             -- why it ended: a sentence as JSON
    secret_id       TEXT    REFERENCES secret (id),
    version         INTEGER NOT NULL, -- one more with each change of what is above
    created_at_us   INTEGER NOT NULL,
    updated_at_us   INTEGER NOT NULL,
    used_at_us      INTEGER,
    CHECK (state = 'ended' OR secret_id IS NOT NULL),
    CHECK ((state = 'ended') = (reason IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX login_account ON login (issuer, resource, account)
    WHERE state = 'active' AND account IS NOT NULL;
CREATE UNIQUE INDEX login_secret ON login (secret_id) WHERE secret_id IS NOT NULL;
CREATE INDEX login_registration ON login (registration_id) WHERE registration_id IS NOT NULL;

-- Which logins a server may use, and which of them it does.
CREATE TABLE server_login (
    server_id INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    login_id  INTEGER NOT NULL REFERENCES login (id) ON DELETE CASCADE,
    chosen    INTEGER NOT NULL CHECK (chosen IN (0, 1)),
    PRIMARY KEY (server_id, login_id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX server_login_chosen ON server_login (server_id) WHERE chosen = 1;
CREATE INDEX server_login_login ON server_login (login_id);

-- Variables and headers of a server whose values are sealed.
CREATE TABLE server_secret (
    server_id INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    place     TEXT    NOT NULL CHECK (place IN ('env', 'header')),
    name      TEXT    NOT NULL,
    secret_id TEXT    REFERENCES secret (id), -- NULL: to be entered again
    PRIMARY KEY (server_id, place, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX server_secret_secret ON server_secret (secret_id) WHERE secret_id IS NOT NULL;

-- A secret without a name goes with the last that refers to it.
CREATE TRIGGER registration_deleted AFTER DELETE ON registration WHEN OLD.secret_id IS NOT NULL BEGIN
    DELETE FROM secret WHERE id = OLD.secret_id;
END;
CREATE TRIGGER login_deleted AFTER DELETE ON login WHEN OLD.secret_id IS NOT NULL BEGIN
    DELETE FROM secret WHERE id = OLD.secret_id;
END;
CREATE TRIGGER login_changed AFTER UPDATE OF secret_id ON login
    WHEN OLD.secret_id IS NOT NULL AND OLD.secret_id IS NOT NEW.secret_id BEGIN
    DELETE FROM secret WHERE id = OLD.secret_id;
END;
CREATE TRIGGER server_secret_deleted AFTER DELETE ON server_secret WHEN OLD.secret_id IS NOT NULL BEGIN
    DELETE FROM secret WHERE id = OLD.secret_id AND label IS NULL
        AND NOT EXISTS (SELECT 1 FROM server_secret WHERE secret_id = OLD.secret_id);
END;
CREATE TRIGGER server_secret_changed AFTER UPDATE OF secret_id ON server_secret
    WHEN OLD.secret_id IS NOT NULL AND OLD.secret_id IS NOT NEW.secret_id BEGIN
    DELETE FROM secret WHERE id = OLD.secret_id AND label IS NULL
        AND NOT EXISTS (SELECT 1 FROM server_secret WHERE secret_id = OLD.secret_id);
END;
