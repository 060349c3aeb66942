-- When something of each server was last approved, without reading the definitions.

CREATE INDEX pin_approved ON pin (server_id, approved_at_us) WHERE approved_at_us IS NOT NULL;
