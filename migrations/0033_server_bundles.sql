-- The bundles that servers came from: for each server the one in use, and the one before it, to which it can go back.

CREATE TABLE server_bundle (
    server_id INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    in_use    INTEGER NOT NULL CHECK (in_use IN (0, 1)),
    folder    TEXT    NOT NULL, -- below the folder of bundles, with / between its parts
    sha256    TEXT    NOT NULL CHECK (length(sha256) = 64),
    facts     TEXT    NOT NULL CHECK (json_valid(facts)), -- written and read by the host
    PRIMARY KEY (server_id, in_use)
) STRICT, WITHOUT ROWID;
