-- What a server of both eras lists in a session, beside what it lists to requests that stand alone: each app sees what it
-- would see directly.

CREATE TABLE remembered_list_new (
    server_id INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    -- Whether it was listed in a session beside the shared connection, which is of 2026-07-28.
    in_session INTEGER NOT NULL DEFAULT 0 CHECK (in_session IN (0, 1)),
    -- The member of a list's result, 'tools', 'prompts', 'resources' or 'resourceTemplates', or 'capabilities'.
    kind TEXT NOT NULL,
    -- A JSON array with the name and the definition of each, or the capabilities.
    value TEXT NOT NULL,
    -- Whether it was made of what was approved, which is not how the server writes it: what it lists next replaces it.
    is_from_approvals INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (server_id, in_session, kind)
) STRICT;

INSERT INTO remembered_list_new (server_id, kind, value, is_from_approvals)
SELECT server_id, kind, value, is_from_approvals FROM remembered_list;

DROP TABLE remembered_list;
ALTER TABLE remembered_list_new RENAME TO remembered_list;

-- Whether a server of 2026-07-28 speaks a session as well, as it was tried.
CREATE TABLE session_trial (
    server_id INTEGER PRIMARY KEY REFERENCES server (id) ON DELETE CASCADE,
    speaks INTEGER NOT NULL CHECK (speaks IN (0, 1)),
    beside TEXT NOT NULL, -- SHA-256 of what its shared connection listed then, in hexadecimal digits
    tried_at_us INTEGER NOT NULL
) STRICT;

-- Whether a server that is a program has asked something during a call of an app, which only one app's calls tell whose it is.
ALTER TABLE server ADD COLUMN asks_apps INTEGER NOT NULL DEFAULT 0;
