-- The tokens by which apps are known that connect over HTTP. Only their hashes are here.

CREATE TABLE app_token (
    app           TEXT    PRIMARY KEY,     -- the app's name
    hash          TEXT    NOT NULL UNIQUE, -- SHA-256 of the token, in hexadecimal digits
    created_at_us INTEGER NOT NULL,
    used_at_us    INTEGER                  -- within a minute
) STRICT;
