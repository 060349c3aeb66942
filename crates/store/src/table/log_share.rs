//! How much of the log each source takes. When the log is full, the source with the most bytes loses its
//! oldest rows: a server that floods the log only displaces its own rows. Verdicts, states, gaps and sign-ins
//! are evidence, and have a separate share of the log.

use crate::table::log::LogReader;
use crate::table::log_body;
use crate::table::log_facet::Facets;
use mooring_disk::StoreError;
use mooring_log::{LogKind, LogRecord};
use sqlx::QueryBuilder;
use sqlx::sqlite::SqliteConnection;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Bytes of a row besides its body.
const ROW_BYTES: i64 = 150;
/// Evidence may take one in this many bytes of the log.
const EVIDENCE_FRACTION: u64 = 8;

/// The size of a row's columns in `log`, in SQL.
const ROW_SIZE_SQL: &str = "150 + length(head) + coalesce(length(tail), 0) \
     + coalesce((SELECT bytes FROM log_body WHERE row = log.id), 0)";

fn is_evidence(kind: LogKind) -> bool {
    match kind {
        LogKind::Frame | LogKind::Stderr | LogKind::Diagnostic => false,
        LogKind::Verdict | LogKind::State | LogKind::Gap | LogKind::Auth => true,
    }
}

/// The source whose oldest rows are deleted.
#[derive(Debug)]
struct EvictedRows {
    source: String,
    evidence: bool,
}

/// A row to be deleted.
#[derive(Debug, Clone, sqlx::FromRow)]
struct OldRow {
    id: i64,
    at_us: i64,
    method: Option<String>,
    app: Option<String>,
    /// The row's size in bytes.
    held: i64,
    evidence: bool,
    source: String,
}

/// Rows of a source that were deleted and not yet reported in a gap row.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct DeletedRows {
    pub(crate) source: String,
    pub(crate) server_id: Option<i64>,
    pub(crate) rows: i64,
    pub(crate) to_us: i64,
}

/// The writer's sizes by source.
#[derive(Debug, Default)]
pub(crate) struct SourceShares {
    /// For each source, the row up to which the log has only evidence left.
    passed: HashMap<String, i64>,
}

impl SourceShares {
    /// Adds the sizes of the records, within the transaction that writes them.
    pub(crate) async fn add_records(
        &self,
        db: &mut SqliteConnection,
        records: &[LogRecord],
    ) -> Result<(), sqlx::Error> {
        let mut totals = HashMap::<&Arc<str>, (i64, i64)>::new();
        for record in records {
            let (bytes, evidence) = totals.entry(&record.source).or_default();
            let counter = if is_evidence(record.kind) { evidence } else { bytes };
            *counter += ROW_BYTES + i64::try_from(record.body.len()).unwrap_or(i64::MAX);
        }
        if totals.is_empty() {
            return Ok(());
        }
        let mut statement = QueryBuilder::new("INSERT INTO log_share (source, bytes, evidence) ");
        statement.push_values(totals, |mut row, (source, (bytes, evidence))| {
            row.push_bind(Arc::clone(source)).push_bind(bytes).push_bind(evidence);
        });
        statement.push(
            " ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes, evidence = evidence + excluded.evidence",
        );
        statement.build().execute(db).await?;
        Ok(())
    }

    /// Deletes the oldest rows of the source with the most bytes, within a transaction: up to `rows` rows or
    /// `bytes` bytes, but at least one row. Returns the numbers of the files that no longer contain a body.
    /// `keep` is the limit of the log in bytes.
    pub(crate) async fn delete_oldest_rows(
        &mut self,
        db: &mut SqliteConnection,
        facets: &mut Facets,
        keep: u64,
        rows: usize,
        bytes: usize,
    ) -> Result<Vec<i64>, sqlx::Error> {
        let Some(victim) = choose_evicted_source(db, keep).await? else { return Ok(Vec::new()) };
        let passed = self.passed.get(&victim.source).copied().unwrap_or_default();
        let oldest = read_oldest_rows(db, &victim, passed, rows).await?;
        let going = take_rows_of_size(&oldest, bytes);
        let Some(newest) = going.last().map(|row| row.id) else {
            // The counter is wrong. It is reset, so that the next check finds another source.
            let column = if victim.evidence { "evidence" } else { "bytes" };
            let mut nothing = QueryBuilder::<sqlx::Sqlite>::new("UPDATE log_share SET ");
            nothing.push(column).push(" = 0 WHERE source = ").push_bind(victim.source);
            nothing.build().execute(db).await?;
            return Ok(Vec::new());
        };
        let files = delete_rows(db, facets, &victim.source, going).await?;
        if !victim.evidence {
            self.passed.insert(victim.source, newest);
        }
        Ok(files)
    }
}

impl LogReader {
    /// The number of rows before a time, in microseconds since the Unix epoch. Scans the whole table.
    pub async fn count_before(&self, at_us: i64) -> Result<i64, StoreError> {
        self.0.move_staged_rows().await;
        let count = sqlx::query_scalar("SELECT count(*) FROM log WHERE at_us < ?").bind(at_us);
        count.fetch_one(&self.0.readers).await.map_err(|error| self.0.store_error(error))
    }
}

/// Deletes the oldest rows of the log that are older than `before_us`, within a transaction: up to `rows`
/// rows or `bytes` bytes, but at least one row. Returns the number of deleted rows, and the files that no
/// longer contain a body. Evidence is deleted like everything else. Only the `rows` oldest rows are
/// considered: if a wrong clock dated all of them later, none is deleted.
pub(crate) async fn delete_rows_before(
    db: &mut SqliteConnection,
    facets: &mut Facets,
    before_us: i64,
    rows: usize,
    bytes: usize,
) -> Result<(usize, Vec<i64>), sqlx::Error> {
    let mut statement = QueryBuilder::<sqlx::Sqlite>::new("SELECT id, at_us, method, app, ");
    statement.push(ROW_SIZE_SQL);
    statement.push(
        " AS held, kind IN (2, 3, 4, 6) AS evidence, source FROM (SELECT * FROM log ORDER BY id LIMIT ",
    );
    statement.push_bind(i64::try_from(rows).unwrap_or(i64::MAX));
    statement.push(") AS log WHERE at_us < ").push_bind(before_us).push(" ORDER BY id");
    let oldest: Vec<OldRow> = statement.build_query_as().fetch_all(&mut *db).await?;
    let going = take_rows_of_size(&oldest, bytes);
    let mut by_source = BTreeMap::<&str, Vec<OldRow>>::new();
    for row in going {
        by_source.entry(&row.source).or_default().push(row.clone());
    }
    let mut files = Vec::new();
    for (source, rows) in by_source {
        files.extend(delete_rows(db, facets, source, &rows).await?);
    }
    Ok((going.len(), files))
}

/// The first rows until they hold `bytes` bytes together, but at least one.
fn take_rows_of_size(rows: &[OldRow], bytes: usize) -> &[OldRow] {
    let mut room = i64::try_from(bytes).unwrap_or(i64::MAX);
    let fits = rows.iter().take_while(|row| {
        let fits = room > 0;
        room = room.saturating_sub(row.held);
        fits
    });
    rows.get(..fits.count()).unwrap_or_default()
}

/// Deletes rows of one source. Returns the files that no longer contain a body.
async fn delete_rows(
    db: &mut SqliteConnection,
    facets: &mut Facets,
    source: &str,
    rows: &[OldRow],
) -> Result<Vec<i64>, sqlx::Error> {
    facets
        .subtract_rows(db, source, rows.iter().map(|row| (row.method.as_deref(), row.app.as_deref())))
        .await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let ids = serde_json::to_string(&ids).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query("DELETE FROM log WHERE id IN (SELECT value FROM json_each(?))")
        .bind(&ids)
        .execute(&mut *db)
        .await?;
    let files = log_body::delete_locations(db, &ids).await?;
    let held =
        |evidence: bool| rows.iter().filter(|row| row.evidence == evidence).map(|row| row.held).sum::<i64>();
    sqlx::query(
        "UPDATE log_share SET bytes = bytes - ?, evidence = evidence - ?, deleted = deleted + ?, \
         deleted_to_us = max(coalesce(deleted_to_us, 0), ?) WHERE source = ?",
    )
    .bind(held(false))
    .bind(held(true))
    .bind(i64::try_from(rows.len()).unwrap_or(i64::MAX))
    .bind(rows.iter().map(|row| row.at_us).max())
    .bind(source)
    .execute(db)
    .await?;
    Ok(files)
}

/// Takes the unreported counts of deleted rows, and resets them, within the transaction that writes the
/// report.
pub(crate) async fn take_deletion_counts(db: &mut SqliteConnection) -> Result<Vec<DeletedRows>, sqlx::Error> {
    let deleted = sqlx::query_as(
        "SELECT source, deleted AS rows, coalesce(deleted_to_us, 0) AS to_us, \
         (SELECT server_id FROM log WHERE log.source = log_share.source ORDER BY id DESC LIMIT 1) AS server_id \
         FROM log_share WHERE deleted > 0",
    )
    .fetch_all(&mut *db)
    .await?;
    sqlx::query("UPDATE log_share SET deleted = 0, deleted_to_us = NULL WHERE deleted > 0")
        .execute(&mut *db)
        .await?;
    sqlx::query("DELETE FROM log_share WHERE bytes <= 0 AND evidence <= 0").execute(db).await?;
    Ok(deleted)
}

/// Chooses the source to delete rows of: the source with the most evidence if evidence exceeds its share, or
/// else the source with the most other bytes.
async fn choose_evicted_source(
    db: &mut SqliteConnection,
    keep: u64,
) -> Result<Option<EvictedRows>, sqlx::Error> {
    let sums: (i64, i64) =
        sqlx::query_as("SELECT coalesce(sum(bytes), 0), coalesce(sum(evidence), 0) FROM log_share")
            .fetch_one(&mut *db)
            .await?;
    let part = i64::try_from(keep / EVIDENCE_FRACTION).unwrap_or(i64::MAX);
    let evidence = sums.1 > part || sums.0 <= 0;
    let most = if evidence {
        "SELECT source FROM log_share WHERE evidence > 0 ORDER BY evidence DESC LIMIT 1"
    } else {
        "SELECT source FROM log_share WHERE bytes > 0 ORDER BY bytes DESC LIMIT 1"
    };
    let source: Option<String> = sqlx::query_scalar(most).fetch_optional(db).await?;
    Ok(source.map(|source| EvictedRows { source, evidence }))
}

async fn read_oldest_rows(
    db: &mut SqliteConnection,
    victim: &EvictedRows,
    passed: i64,
    rows: usize,
) -> Result<Vec<OldRow>, sqlx::Error> {
    let mut statement = QueryBuilder::<sqlx::Sqlite>::new("SELECT id, at_us, method, app, ");
    statement.push(ROW_SIZE_SQL).push(" AS held, ").push_bind(victim.evidence);
    statement.push(" AS evidence, source FROM log ");
    if victim.evidence {
        statement.push("INDEXED BY log_notable WHERE kind <> 0 AND kind IN (2, 3, 4, 6) AND source = ");
        statement.push_bind(&victim.source);
    } else {
        statement
            .push("INDEXED BY log_source WHERE kind IN (0, 1, 5) AND source = ")
            .push_bind(&victim.source);
        statement.push(" AND id > ").push_bind(passed);
    }
    statement.push(" ORDER BY id LIMIT ").push_bind(i64::try_from(rows).unwrap_or(i64::MAX));
    statement.build_query_as().fetch_all(db).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_counted_where_it_is_deleted() {
        // The kinds that the statements above list.
        let kinds = [LogKind::Frame, LogKind::Stderr, LogKind::Diagnostic];
        assert_eq!(kinds.map(|kind| kind as i64), [0, 1, 5]);
        assert!(kinds.iter().all(|kind| !is_evidence(*kind)));
        let evidence = [LogKind::Verdict, LogKind::State, LogKind::Gap, LogKind::Auth];
        assert_eq!(evidence.map(|kind| kind as i64), [2, 3, 4, 6]);
        assert!(evidence.iter().all(|kind| is_evidence(*kind)));
        assert!(ROW_SIZE_SQL.starts_with(&ROW_BYTES.to_string()));
    }
}
