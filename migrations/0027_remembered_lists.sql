-- What a server listed last, as it wrote it and in its order: apps see that while it is away, and the same once it is there.

CREATE TABLE remembered_list (
    server_id INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    -- The member of a list's result, 'tools', 'prompts', 'resources' or 'resourceTemplates', or 'capabilities'.
    kind TEXT NOT NULL,
    -- A JSON array with the name and the definition of each, or the capabilities.
    value TEXT NOT NULL,
    -- Whether it was made of what was approved, which is not how the server writes it: what it lists next replaces it.
    is_from_approvals INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (server_id, kind)
) STRICT;

-- What was seen of servers that are away until now.
INSERT INTO remembered_list (server_id, kind, value, is_from_approvals)
SELECT
    server_id,
    CASE kind WHEN 'template' THEN 'resourceTemplates' ELSE kind || 's' END,
    json_group_array(json_array(name, json(form))),
    1
FROM (SELECT * FROM pin ORDER BY server_id, kind, name)
WHERE kind IN ('tool', 'prompt', 'template') AND gone = 0 AND json_valid(form) AND json_type(form) = 'object'
GROUP BY server_id, kind;
