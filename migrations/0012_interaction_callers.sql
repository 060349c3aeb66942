-- Who made the call that a question is about or that waits for its answer.
ALTER TABLE interaction ADD COLUMN caller TEXT;
