-- Apps share an instance of a server, unless they would disturb each other in it.

-- 'automatic', 'shared', 'per_app' or 'per_roots'.
ALTER TABLE server ADD COLUMN instances TEXT NOT NULL DEFAULT 'automatic';
-- Whether the server has ever asked for folders.
ALTER TABLE server ADD COLUMN asks_for_roots INTEGER NOT NULL DEFAULT 0;
