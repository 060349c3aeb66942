-- Whether an app sees prompts and resources, and the tools that it gets beside a search.

ALTER TABLE app ADD COLUMN prompts_off INTEGER NOT NULL DEFAULT 0 CHECK (prompts_off IN (0, 1));
ALTER TABLE app ADD COLUMN resources_off INTEGER NOT NULL DEFAULT 0 CHECK (resources_off IN (0, 1));

CREATE TABLE app_pinned (
    app       TEXT    NOT NULL REFERENCES app (name) ON DELETE CASCADE,
    server_id INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    tool      TEXT    NOT NULL,
    PRIMARY KEY (app, server_id, tool)
) STRICT, WITHOUT ROWID;

CREATE INDEX app_pinned_server ON app_pinned (server_id);
