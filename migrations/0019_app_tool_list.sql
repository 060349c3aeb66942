-- How an app gets the tools: all of them, or a search for them.

ALTER TABLE app ADD COLUMN tool_list TEXT CHECK (tool_list IN ('whole', 'search', 'auto')); -- NULL: whole
