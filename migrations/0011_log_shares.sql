-- What each source holds of the log, so that the one that holds most loses its oldest rows first, and what was
-- deleted of it since it was last told.

CREATE TABLE log_share (
    source        TEXT    PRIMARY KEY,
    bytes         INTEGER NOT NULL,           -- frames, stderr and diagnostics
    evidence      INTEGER NOT NULL,           -- verdicts, states, gaps and sign-ins, in bytes
    deleted       INTEGER NOT NULL DEFAULT 0, -- rows since a gap row last told
    deleted_to_us INTEGER                     -- when the newest of them happened
) STRICT, WITHOUT ROWID;

INSERT INTO log_share (source, bytes, evidence)
SELECT source,
       sum(CASE WHEN kind IN (0, 1, 5) THEN held ELSE 0 END),
       sum(CASE WHEN kind IN (0, 1, 5) THEN 0 ELSE held END)
FROM (SELECT log.source, log.kind,
             150 + length(log.head) + coalesce(length(log.tail), 0) + coalesce(log_body.bytes, 0) AS held
      FROM log LEFT JOIN log_body ON log_body.row = log.id)
GROUP BY source;
