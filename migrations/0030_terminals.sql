-- Terminals whose command line may use the servers of a running Mooring. SQLite changes no constraint of a table that
-- exists.

CREATE TABLE app_key_of_any_kind (
    app           TEXT    NOT NULL, -- the app's name; 'terminal': the program, by its path
    kind          TEXT    NOT NULL CHECK (kind IN ('entry', 'token', 'allowed', 'terminal')),
    proof         TEXT    NOT NULL, -- SHA-256 in hexadecimal digits; 'allowed', 'terminal': the program, by its path
    created_at_us INTEGER NOT NULL,
    used_at_us    INTEGER,          -- within a minute
    PRIMARY KEY (app, kind)
) STRICT, WITHOUT ROWID;

INSERT INTO app_key_of_any_kind SELECT app, kind, proof, created_at_us, used_at_us FROM app_key;
DROP TABLE app_key;
ALTER TABLE app_key_of_any_kind RENAME TO app_key;
