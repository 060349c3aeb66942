-- Messages between apps and Mooring (directions 3 and 4), and what they cause at servers.

ALTER TABLE log ADD COLUMN app TEXT;     -- the app's name, on its messages and on the rows of its calls
ALTER TABLE log ADD COLUMN call INTEGER; -- the app's call that a row is part of; no other call has the number

-- Rows of apps only: all others cost nothing.
CREATE INDEX log_app ON log (app) WHERE app IS NOT NULL;
CREATE INDEX log_app_call ON log (call) WHERE call IS NOT NULL;
