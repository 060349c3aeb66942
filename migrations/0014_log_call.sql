-- How long the newest calls of a server's tools took: the rows that end a call, along the server. Ends in the id by
-- itself, so that the newest are the end of a walk.
CREATE INDEX log_call ON log (server_id) WHERE method = 'tools/call' AND duration_us IS NOT NULL;
