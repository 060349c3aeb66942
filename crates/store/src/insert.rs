//! Inserts records with few, long statements, because a statement costs more than a row.

use crate::table::log_body::EXTERNAL_BYTES;
use mooring_log::{LogRecord, preview_end};
use mooring_words::Sentence;
use serde_json::json;
use sqlx::error::BoxDynError;
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteConnection};
use sqlx::{Arguments as _, AssertSqlSafe, SqlSafeStr, SqlStr};
use std::sync::Arc;

/// Numbers of rows in prepared statements, largest first. Each execution costs two thread switches; a full
/// batch needs two executions. A prepared statement takes about a kilobyte per row, so there isn't one for
/// every number of rows.
pub(crate) const STATEMENT_ROWS: [usize; 8] = [500, 100, 50, 20, 10, 5, 2, 1];
/// Bytes of bodies in one statement at most. Long bodies are stored in files and do not count.
const MAX_STATEMENT_BYTES: usize = 4 << 20;
/// Columns of a row.
const COLUMNS: usize = 16;

/// The statements for [`STATEMENT_ROWS`].
#[derive(Debug)]
pub(crate) struct InsertStatements([SqlStr; STATEMENT_ROWS.len()]);

/// A statement, how many records it inserts, and the records after them.
type NextInsert<'r> = (Query<'static, Sqlite, SqliteArguments>, usize, &'r [LogRecord]);

impl InsertStatements {
    pub(crate) fn new() -> Self {
        Self(STATEMENT_ROWS.map(insert_sql))
    }

    /// Inserts the records in order and returns the id of the first. The ids are consecutive, because the
    /// caller's transaction is the only writer.
    pub(crate) async fn insert_records(
        &self,
        db: &mut SqliteConnection,
        records: &[LogRecord],
    ) -> Result<i64, sqlx::Error> {
        let mut first = None;
        let mut next = self.prepare_next(records)?;
        while let Some((insert, rows, rest)) = next {
            // SQLite's thread runs one statement while this thread prepares the next one.
            let (done, following) = tokio::join!(insert.execute(&mut *db), async { self.prepare_next(rest) });
            let last = done?.last_insert_rowid();
            first.get_or_insert(last - i64::try_from(rows).unwrap_or(i64::MAX) + 1);
            next = following?;
        }
        Ok(first.unwrap_or_default())
    }

    /// The statement for the first records, how many these are, and the remaining records. `None` if there
    /// are no records.
    fn prepare_next<'r>(&self, records: &'r [LogRecord]) -> Result<Option<NextInsert<'r>>, sqlx::Error> {
        let fitting = fitting_count(records);
        let Some((rows, statement)) =
            STATEMENT_ROWS.into_iter().zip(&self.0).find(|(rows, _)| *rows <= fitting)
        else {
            return Ok(None);
        };
        let (chunk, rest) = records.split_at(rows);
        let mut arguments = SqliteArguments::default();
        arguments.reserve(rows * COLUMNS, 0);
        for record in chunk {
            bind_row(&mut arguments, record).map_err(sqlx::Error::Encode)?;
        }
        Ok(Some((sqlx::query_with(statement.clone(), arguments), rows, rest)))
    }
}

/// Binds the values of one row. Binding them one by one to a query would move the query each time.
fn bind_row(arguments: &mut SqliteArguments, record: &LogRecord) -> Result<(), BoxDynError> {
    let (head, tail) = record.body.split_at(preview_end(&record.body));
    let here = !tail.is_empty() && record.body.len() < EXTERNAL_BYTES;
    arguments.add(record.at_us)?;
    arguments.add(record.kind as i64)?;
    arguments.add(record.direction as i64)?;
    arguments.add(record.status as i64)?;
    arguments.add(record.server_id)?;
    arguments.add(record.connection)?;
    arguments.add(record.duration_us)?;
    arguments.add(record.size)?;
    arguments.add(Arc::clone(&record.source))?;
    arguments.add(record.method.clone())?;
    arguments.add(record.rpc_id.clone())?;
    arguments.add(record.subject.clone())?;
    arguments.add(record.app.clone())?;
    arguments.add(record.call)?;
    arguments.add(head)?;
    arguments.add(here.then_some(tail))
}

fn insert_sql(rows: usize) -> SqlStr {
    let mut sql = String::from(
        "INSERT INTO log (at_us, kind, direction, status, server_id, connection, duration_us, size, \
         source, method, rpc_id, subject, app, call, head, tail) VALUES ",
    );
    for row in 0..rows {
        if row > 0 {
            sql.push(',');
        }
        sql.push_str("(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    }
    AssertSqlSafe(sql).into_sql_str()
}

/// How many of the first records one statement can insert, by their bytes. At least one.
fn fitting_count(records: &[LogRecord]) -> usize {
    let mut bytes = 0;
    let fitting = records.iter().take(STATEMENT_ROWS[0]).take_while(|record| {
        bytes += if record.body.len() < EXTERNAL_BYTES { record.body.len() } else { 0 };
        bytes <= MAX_STATEMENT_BYTES
    });
    fitting.count().max(1).min(records.len())
}

/// The body of a gap row: `{"count":12,"reason":"the disk is full","said":{"code":"the disk is
/// full","params":{}}}`.
pub(crate) fn gap_body(count: u64, reason: &Sentence) -> String {
    json!({ "count": count, "reason": reason.as_str(), "said": reason.stored() }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_goes_into_a_statement_that_has_room_for_it() {
        let record = |body: usize| LogRecord::sample_frame(vec![b'a'; body]);
        let lengths = |records: &[LogRecord]| {
            let (inserts, mut rest, mut lengths) = (InsertStatements::new(), records, Vec::new());
            while let Some((_, rows, following)) = inserts.prepare_next(rest).unwrap() {
                lengths.push(rows);
                rest = following;
            }
            lengths
        };
        for (count, expect) in [
            (0, vec![]),
            (1, vec![1]),
            (99, vec![50, 20, 20, 5, 2, 2]),
            (100, vec![100]),
            (101, vec![100, 1]),
            (499, vec![100, 100, 100, 100, 50, 20, 20, 5, 2, 2]),
            (500, vec![500]),
            (1_007, vec![500, 500, 5, 2]),
        ] {
            assert_eq!(lengths(&vec![record(3); count]), expect, "{count}");
        }
        // Long bodies allow fewer rows in a statement; those stored in files do not count.
        assert_eq!(MAX_STATEMENT_BYTES.div_ceil(EXTERNAL_BYTES - 1), 65);
        assert_eq!(lengths(&vec![record(EXTERNAL_BYTES - 1); 100]), [50, 50]);
        assert_eq!(lengths(&vec![record(EXTERNAL_BYTES); 500]), [500]);
    }

    #[test]
    fn the_reason_of_a_gap_is_json() {
        let reason = Sentence::quoted("a \"b\"");
        let body: serde_json::Value = serde_json::from_str(&gap_body(3, &reason)).unwrap();
        assert_eq!(body, json!({ "count": 3, "reason": "a \"b\"", "said": reason.stored() }));
    }
}
