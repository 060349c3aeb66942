//! Writing records with few, long statements: a statement costs more than a row.

use crate::table::log::{LogRecord, LogRow, PREVIEW_CHARS};
use crate::table::log_body::APART;
use mooring_words::Sentence;
use serde_json::json;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, SqlSafeStr, SqlStr};
use std::sync::Arc;

/// Rows in one statement at most.
pub(super) const ROWS: usize = 100;
/// Bytes of bodies in one statement at most. Long bodies stand elsewhere.
const BYTES: usize = 4 << 20;
/// What is kept of a name.
const NAME_CHARS: usize = 256;

/// The statements for 1 to [`ROWS`] rows.
#[derive(Debug)]
pub(super) struct Inserts(Vec<SqlStr>);

impl Inserts {
    pub(super) fn new() -> Self {
        Self((1..=ROWS).map(statement).collect())
    }

    /// Writes the records in order; the id of the first. Their ids follow each other, because
    /// nobody else writes during the transaction that this is part of.
    pub(super) async fn write(
        &self,
        db: &mut SqliteConnection,
        mut records: &[LogRecord],
    ) -> Result<i64, sqlx::Error> {
        let mut first = None;
        while !records.is_empty() {
            let (chunk, rest) = records.split_at(chunk_length(records));
            let last = self.write_chunk(db, chunk).await?;
            first.get_or_insert(last - i64::try_from(chunk.len()).unwrap_or(i64::MAX) + 1);
            records = rest;
        }
        Ok(first.unwrap_or_default())
    }

    async fn write_chunk(&self, db: &mut SqliteConnection, chunk: &[LogRecord]) -> Result<i64, sqlx::Error> {
        let Some(statement) = self.0.get(chunk.len().wrapping_sub(1)) else {
            return Err(sqlx::Error::Protocol(format!("no statement for {} rows", chunk.len())));
        };
        let mut query = sqlx::query(statement.clone());
        for record in chunk {
            let (head, tail) = record.body.split_at(preview_end(&record.body));
            let here = !tail.is_empty() && record.body.len() < APART;
            query = query
                .bind(record.at_us)
                .bind(record.kind as i64)
                .bind(record.direction as i64)
                .bind(record.status as i64)
                .bind(record.server_id)
                .bind(record.connection)
                .bind(record.duration_us)
                .bind(record.size)
                .bind(Arc::clone(&record.source))
                .bind(record.method.clone())
                .bind(record.rpc_id.as_deref())
                .bind(record.subject.as_deref())
                .bind(head)
                .bind(here.then_some(tail));
        }
        Ok(query.execute(db).await?.last_insert_rowid())
    }
}

fn statement(rows: usize) -> SqlStr {
    let mut sql = String::from(
        "INSERT INTO log (at_us, kind, direction, status, server_id, connection, duration_us, size, \
         source, method, rpc_id, subject, head, tail) VALUES ",
    );
    for row in 0..rows {
        if row > 0 {
            sql.push(',');
        }
        sql.push_str("(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    }
    AssertSqlSafe(sql).into_sql_str()
}

/// How many of the records go into the next statement: at least one.
fn chunk_length(records: &[LogRecord]) -> usize {
    let mut bytes = 0;
    let fitting = records.iter().take(ROWS).take_while(|record| {
        bytes += if record.body.len() < APART { record.body.len() } else { 0 };
        bytes <= BYTES
    });
    fitting.count().max(1).min(records.len())
}

/// Where the preview ends: after 240 characters, or the bytes that so many may have.
pub(super) fn preview_end(body: &[u8]) -> usize {
    let most = PREVIEW_CHARS * 4;
    let mut chars = 0;
    for (index, byte) in body.iter().enumerate().take(most + 1) {
        if byte & 0b1100_0000 != 0b1000_0000 {
            if chars == PREVIEW_CHARS {
                return index;
            }
            chars += 1;
        }
    }
    body.len().min(most)
}

/// Bounds the names of a record, which a server may have chosen.
pub(super) fn clip(record: &mut LogRecord) {
    if let Some(clipped) = clipped(&record.source) {
        record.source = clipped.into();
    }
    if let Some(clipped) = record.method.as_deref().and_then(clipped) {
        record.method = Some(clipped.into());
    }
    for name in [&mut record.rpc_id, &mut record.subject] {
        if let Some(clipped) = name.as_deref().and_then(clipped) {
            *name = Some(clipped);
        }
    }
}

fn clipped(name: &str) -> Option<String> {
    let (end, _) = name.char_indices().nth(NAME_CHARS)?;
    let mut clipped = name.get(..end)?.to_owned();
    clipped.push('…');
    Some(clipped)
}

/// The record as it stands in the log.
pub(super) fn row(id: i64, record: &LogRecord) -> LogRow {
    let head = record.body.get(..preview_end(&record.body)).unwrap_or_default();
    LogRow {
        id,
        at_us: record.at_us,
        server_id: record.server_id,
        source: Arc::clone(&record.source),
        connection: record.connection,
        kind: record.kind,
        direction: record.direction,
        method: record.method.clone(),
        rpc_id: record.rpc_id.clone(),
        subject: record.subject.clone(),
        status: record.status,
        duration_us: record.duration_us,
        size: record.size,
        preview: String::from_utf8_lossy(head).into_owned(),
    }
}

/// What a gap row says: `{"count":12,"reason":"the disk is full","said":{"code":"the disk is full","params":{}}}`.
pub(super) fn gap_body(count: u64, reason: &Sentence) -> String {
    json!({ "count": count, "reason": reason.as_str(), "said": reason }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_ends_at_a_character_and_never_far_out() {
        let check = |body: &[u8], expect: usize| assert_eq!(preview_end(body), expect);
        check(b"", 0);
        check(b"short", 5);
        check(&[b'a'; 240], 240);
        check(&[b'a'; 241], 240);
        check("é".repeat(300).as_bytes(), 480);
        check("😀".repeat(240).as_bytes(), 960);
        check("😀".repeat(241).as_bytes(), 960);
        check(&[0x80; 5_000], 960);
    }

    #[test]
    fn a_long_name_is_clipped_at_a_character() {
        assert_eq!(clipped(&"日".repeat(256)), None);
        assert_eq!(clipped(&"日".repeat(257)), Some(format!("{}…", "日".repeat(256))));
    }

    #[test]
    fn the_reason_of_a_gap_is_json() {
        let reason = Sentence::quoted("a \"b\"");
        let body: serde_json::Value = serde_json::from_str(&gap_body(3, &reason)).unwrap();
        assert_eq!(body, json!({ "count": 3, "reason": "a \"b\"", "said": reason }));
    }
}
