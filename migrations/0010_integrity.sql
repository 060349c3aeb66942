-- What a secret is sealed for, and what the person decided as the vault's key seals it. Neither is believed by itself: a
-- secret opens for the purpose that is meant, and a document opens with the key alone.

ALTER TABLE secret ADD COLUMN purpose TEXT; -- NULL: an earlier version sealed it

-- Rules, approvals and servers' definitions as Mooring last wrote them. One document names the generation of all others.
CREATE TABLE integrity (
    scope      TEXT    PRIMARY KEY NOT NULL,
    version    INTEGER NOT NULL, -- of the sealing
    key        BLOB    NOT NULL REFERENCES vault (key) DEFERRABLE INITIALLY DEFERRED,
    nonce      BLOB    NOT NULL CHECK (length(nonce) = 24),
    ciphertext BLOB    NOT NULL
) STRICT, WITHOUT ROWID;
