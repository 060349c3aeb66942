-- How a server is started or reached, and how it is spoken to, is one document, so that a field of it needs no column.
-- The members have the names that they have in the window's form.

ALTER TABLE server ADD COLUMN definition TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(definition));

-- What is no JSON was not written by Mooring. It stays as it is, and is refused when it is read.
UPDATE server SET definition = json_object(
    'transport', transport, 'command', command,
    'args', CASE WHEN json_valid(args) THEN json(args) ELSE args END, 'env', CASE WHEN json_valid(env) THEN json(env) ELSE env END,
    'cwd', cwd, 'url', url,
    'headers', CASE WHEN json_valid(headers) THEN json(headers) ELSE headers END,
    -- A time below zero never counted.
    'timeoutMs', CASE WHEN timeout_ms >= 0 THEN timeout_ms END, 'era', era);

ALTER TABLE server DROP COLUMN transport;
ALTER TABLE server DROP COLUMN command;
ALTER TABLE server DROP COLUMN args;
ALTER TABLE server DROP COLUMN env;
ALTER TABLE server DROP COLUMN cwd;
ALTER TABLE server DROP COLUMN url;
ALTER TABLE server DROP COLUMN headers;
ALTER TABLE server DROP COLUMN timeout_ms;
ALTER TABLE server DROP COLUMN era;
