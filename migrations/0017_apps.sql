-- Apps (MCP clients of other makers) that use the servers that are connected here: what each may do and sees, and what
-- it takes to disconnect it.

CREATE TABLE app (
    name            TEXT    PRIMARY KEY, -- as it is given to the bridge
    title           TEXT,                -- what people call it; NULL: its name
    level           TEXT    CHECK (level IN ('ask_here', 'app_asks', 'read_only')), -- NULL: the app's default
    connection      TEXT,                -- JSON: what was added to its file, and how that is undone
    connected_at_us INTEGER,
    used_at_us      INTEGER              -- the last call, within a minute
) STRICT;

-- What an app does not see.
CREATE TABLE app_off (
    app       TEXT    NOT NULL REFERENCES app (name) ON DELETE CASCADE,
    server_id INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    tool      TEXT,                      -- its name; NULL: the whole server
    UNIQUE (app, server_id, tool)
) STRICT;

CREATE INDEX app_off_server ON app_off (server_id);
