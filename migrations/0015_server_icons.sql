-- Whether icons that a server names by URL are loaded from it: the person's consent for this server.
ALTER TABLE server ADD COLUMN loads_icons INTEGER NOT NULL DEFAULT 0;
