-- From this format on the vault's key vouches for the settings that say where secrets go. Backups of formats before it
-- hold a key that takes them over: they are made anew once it did.

-- Of a server that was removed, what is in the clear goes with the time in which that can be taken back.
CREATE INDEX server_removed ON server (removed_at_us) WHERE removed_at_us IS NOT NULL;
