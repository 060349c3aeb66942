-- How long the name of a tool may be for an app, where the person chose it.

ALTER TABLE app ADD COLUMN longest_name INTEGER CHECK (longest_name BETWEEN 32 AND 64); -- NULL: as the app is known to take
