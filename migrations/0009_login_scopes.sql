-- Scopes that a server asked for in addition, with a request that a login did not allow. The next sign-in asks for them
-- as well: on the command line it is another process than the one that heard of them.
ALTER TABLE login ADD COLUMN scopes_wanted TEXT;
