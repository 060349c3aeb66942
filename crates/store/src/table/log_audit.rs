//! Audits the log: whether every tool call had a verdict before it.

use crate::table::log::LogReader;
use crate::table::log_body;
use mooring_disk::StoreError;
use mooring_log::LogEntry;
use serde_json::Value;
use std::io;
use std::ops::Range;

/// The result of the audit: calls without a verdict before them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerdictAudit {
    /// The ids of the calls' rows, oldest first.
    pub without_verdict: Vec<i64>,
    /// Calls without a verdict on connections that have lost rows, because the log was full or could not be
    /// written. The verdict may have been among the lost rows.
    pub unknown: Vec<i64>,
}

impl LogReader {
    /// The rows of tool calls that were sent without a verdict before them, in ascending order. Counts the
    /// calls and the allowed calls of each tool on each connection. Lost rows of the connection are not
    /// considered.
    ///
    /// The verdict on the first round of a call also covers its repetitions if the server asked for them:
    /// with a result that requires input (2026-07-28), with an error that names a URL to open first
    /// (2025-11-25), or with an error about mismatched headers. Each such response allows one more call.
    pub async fn calls_without_verdict(&self, connections: Range<i64>) -> Result<Vec<i64>, StoreError> {
        self.0.move_staged_rows().await;
        let short: Vec<(i64, Option<String>)> = sqlx::query_as(SHORT_OF_VERDICTS)
            .bind(connections.start)
            .bind(connections.end)
            .fetch_all(&self.0.readers)
            .await
            .map_err(|error| self.0.store_error(error))?;
        let mut calls = Vec::new();
        for (connection, subject) in short {
            self.add_calls_without_verdict(connection, subject, &mut calls).await?;
        }
        calls.sort_unstable();
        Ok(calls)
    }

    /// Like [`Self::calls_without_verdict`], split by whether all rows of their connections are still there.
    pub async fn audit_verdicts(&self, connections: Range<i64>) -> Result<VerdictAudit, StoreError> {
        let mut audit = VerdictAudit::default();
        for call in self.calls_without_verdict(connections).await? {
            let is_whole = sqlx::query_scalar(IS_WHOLE).bind(call).fetch_one(&self.0.readers).await;
            let calls = if is_whole.map_err(|error| self.0.store_error(error))? {
                &mut audit.without_verdict
            } else {
                &mut audit.unknown
            };
            calls.push(call);
        }
        Ok(audit)
    }

    /// Adds the calls of one tool on one connection. Reads all responses.
    async fn add_calls_without_verdict(
        &self,
        connection: i64,
        subject: Option<String>,
        calls: &mut Vec<i64>,
    ) -> Result<(), StoreError> {
        let rows: Vec<(i64, bool)> = sqlx::query_as(ROWS_OF_TOOL)
            .bind(connection)
            .bind(subject)
            .fetch_all(&self.0.readers)
            .await
            .map_err(|error| self.0.store_error(error))?;
        let mut left: u64 = 0;
        for (id, is_call) in rows {
            if !is_call {
                left = left.saturating_add(count_granted_calls(&self.read_full_entry(id).await?));
            } else if let Some(less) = left.checked_sub(1) {
                left = less;
            } else {
                calls.push(id);
            }
        }
        Ok(())
    }

    async fn read_full_entry(&self, id: i64) -> Result<LogEntry, StoreError> {
        let missing = match self.entry(id).await? {
            Some(entry) if entry.lost == 0 => return Ok(entry),
            Some(_) => "a body in the log is not what was written",
            None => "a row of the log went away while it was read",
        };
        let path = log_body::folder(&self.0.path);
        Err(StoreError::Io { path, source: io::Error::new(io::ErrorKind::InvalidData, missing) })
    }
}

/// How many calls a verdict or a server's response allows. A verdict contains the number. A body that is not
/// JSON allows none.
fn count_granted_calls(entry: &LogEntry) -> u64 {
    let Ok(body) = serde_json::from_slice::<Value>(&entry.body) else { return 0 };
    if entry.row.kind == mooring_log::LogKind::Verdict {
        return body.get("calls").and_then(Value::as_u64).unwrap_or_default();
    }
    let wants_input = body.pointer("/result/resultType").is_some_and(|kind| kind == "input_required");
    let code = body.pointer("/error/code").and_then(Value::as_i64);
    u64::from(wants_input || matches!(code, Some(-32042 | -32020)))
}

/// Tools with more calls than their verdicts and the responses in the database allow. Kinds, directions and
/// states are the numbers of their enums. A body that is partly in a file is not parsed and allows none.
const SHORT_OF_VERDICTS: &str = r"
    WITH event AS (
        SELECT id, connection, subject, kind = 0 AS call,
            CASE WHEN kind = 2 AND json_valid(CAST(head || coalesce(tail, '') AS TEXT))
                THEN coalesce(json_extract(CAST(head || coalesce(tail, '') AS TEXT), '$.calls'), 0)
                ELSE 0
            END AS granted
        FROM log
        WHERE method = 'tools/call' AND connection >= ? AND connection < ? AND (kind = 2 AND status = 1 OR kind = 0 AND direction = 1)
    ), tally AS (
        SELECT connection, subject, sum(call) OVER so_far AS made, sum(granted) OVER so_far AS granted FROM event
        WINDOW so_far AS (PARTITION BY connection, subject ORDER BY id)
    )
    SELECT DISTINCT connection, subject FROM tally WHERE made > granted";

/// One tool's calls and verdicts, and the server's messages, which may allow further calls.
const ROWS_OF_TOOL: &str = r"
    SELECT id, kind = 0 AND direction = 1 FROM log
    WHERE method = 'tools/call' AND connection = ? AND subject IS ? AND (kind = 2 AND status = 1 OR kind = 0 AND direction IN (1, 2))
    ORDER BY id";

/// Whether the log is complete before a call. It must reach back to the opening of the connection or to the
/// first row of the log, and must not have a gap since then in which the writer lost records. Gaps with a
/// connection's number only concern remarks.
const IS_WHOLE: &str = r"
    SELECT EXISTS (
        SELECT 1 FROM log AS first
        WHERE first.id <= call.id
            AND (first.id = 1 OR first.connection = call.connection AND first.kind = 3 AND first.subject = 'starting')
            AND NOT EXISTS (SELECT 1 FROM log AS gap WHERE gap.kind = 4 AND gap.connection = 0 AND gap.id BETWEEN first.id AND call.id)
    )
    FROM log AS call WHERE call.id = ?";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::table::log_body::EXTERNAL_BYTES;
    use mooring_log::{Direction, LogKind, LogRecord, LogStatus};

    /// A row about the tool `tool`, with kind, direction, status and connection.
    async fn add(
        store: &Store,
        (kind, direction, status, connection): (i64, i64, i64, i64),
        tool: &str,
        body: &str,
    ) {
        const INSERT: &str = "INSERT INTO log (at_us, kind, direction, status, connection, size, source, method, subject, head)
            VALUES (0, ?, ?, ?, ?, 0, 's', 'tools/call', ?, ?)";
        let row = sqlx::query(INSERT).bind(kind).bind(direction).bind(status).bind(connection);
        row.bind(tool).bind(body.as_bytes()).execute(&store.rules().0.durable_writer).await.unwrap();
    }

    const CALL: (i64, i64, i64, i64) = (0, 1, 0, 7);
    const ANSWER: (i64, i64, i64, i64) = (0, 2, 1, 7);
    const OPENING: (i64, i64, i64, i64) = (3, 0, 0, 7);
    const LOST: (i64, i64, i64, i64) = (4, 0, 2, 0);
    const LEFT_OUT: (i64, i64, i64, i64) = (4, 0, 0, 7);

    #[tokio::test]
    async fn a_call_without_a_verdict_before_it_is_found() {
        let home = tempfile::tempdir().unwrap();
        let store = crate::Store::open(home.path()).await.unwrap();
        // kind, direction, status, connection, subject, body
        let rows = [
            (2, 0, 1, 1, "a", r#"{"decision":"allow","calls":2}"#),
            (0, 1, 0, 1, "a", "{}"),
            (0, 2, 1, 1, "a", r#"{"result":{"resultType":"input_required"}}"#),
            (0, 1, 0, 1, "a", r#"{"params":{"inputResponses":{}}}"#),
            (0, 1, 0, 1, "a", "{}"),
            (0, 2, 1, 1, "a", r#"{"result":{"content":[{"text":"input_required"}]}}"#),
            (0, 1, 0, 1, "a", r#"{"params":{"inputResponses":{}}}"#), // 7: the server has not asked for that round
            (2, 0, 2, 1, "b", r#"{"decision":"deny","calls":1}"#),
            (0, 1, 0, 1, "b", "{}"), // 9: it was refused
            (2, 0, 1, 2, "b", r#"{"decision":"allow","calls":1}"#),
            (0, 1, 0, 1, "b", "{}"), // 11: the verdict was for another connection
            (0, 1, 0, 2, "b", "{}"),
            (0, 1, 0, 3, "c", "{}"), // 13: before its verdict
            (2, 0, 1, 3, "c", r#"{"decision":"allow","calls":1}"#),
            (2, 0, 1, 4, "d", r#"{"decision":"allow","calls":1}"#),
            (0, 1, 0, 4, "d", "{}"),
            (0, 2, 2, 4, "d", r#"{"error":{"code":-32042}}"#),
            (0, 1, 0, 4, "d", "{}"),
            (0, 2, 2, 4, "d", "no JSON"),
            (0, 1, 0, 4, "d", "{}"), // 20: an answer that is not JSON asks for nothing
        ];
        for (kind, direction, status, connection, tool, body) in rows {
            add(&store, (kind, direction, status, connection), tool, body).await;
        }
        assert_eq!(store.log().calls_without_verdict(0..i64::MAX).await.unwrap(), [7, 9, 11, 13, 20]);
    }

    #[tokio::test]
    async fn missing_rows_excuse_only_what_they_could_have_allowed() {
        // The rows before the call, whether the first row was removed, and whether it is certain that the
        // call had no verdict.
        for (before, is_trimmed, is_known) in [
            (&[][..], false, true),
            (&[OPENING], false, true),
            (&[OPENING, LEFT_OUT], false, true),
            (&[LOST, OPENING], false, true),
            (&[OPENING, LOST], false, false),
            (&[LOST], false, false),
            (&[ANSWER, OPENING], true, true),
            (&[OPENING, ANSWER], true, false),
            (&[(3, 0, 0, 8), (3, 0, 0, 8)], true, false),
        ] {
            let home = tempfile::tempdir().unwrap();
            let store = Store::open(home.path()).await.unwrap();
            for row in before {
                add(&store, *row, "starting", "{}").await;
            }
            add(&store, CALL, "tool", "{}").await;
            add(&store, LOST, "", "{}").await;
            if is_trimmed {
                sqlx::query("DELETE FROM log WHERE id = 1")
                    .execute(&store.rules().0.durable_writer)
                    .await
                    .unwrap();
            }
            let id = i64::try_from(before.len()).unwrap() + 1;
            let audit = store.log().audit_verdicts(0..i64::MAX).await.unwrap();
            let (known, unknown) = if is_known { (vec![id], Vec::new()) } else { (Vec::new(), vec![id]) };
            assert_eq!(audit, VerdictAudit { without_verdict: known, unknown }, "{before:?} {is_trimmed}");
        }
    }

    #[tokio::test]
    async fn verdict_and_answer_with_bodies_in_files_count_too() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).await.unwrap();
        let writer = store.start_writer(crate::WriterOptions::default());
        let long = "x".repeat(2 * EXTERNAL_BYTES);
        let record = |(kind, direction, status, connection): (LogKind, Direction, LogStatus, i64),
                      body: String| LogRecord {
            at_us: 0,
            server_id: None,
            source: "s".into(),
            connection,
            kind,
            direction,
            method: Some("tools/call".into()),
            rpc_id: None,
            subject: Some("tool".into()),
            status,
            duration_us: None,
            size: 0,
            app: None,
            call: None,
            body: body.into(),
        };
        let verdict = (LogKind::Verdict, Direction::None, LogStatus::Ok, 7);
        let call = (LogKind::Frame, Direction::Out, LogStatus::None, 7);
        let answer = (LogKind::Frame, Direction::In, LogStatus::Ok, 7);
        for (row, body) in [
            (verdict, format!(r#"{{"tool":"{long}","calls":1}}"#)),
            (call, "{}".to_owned()),
            (answer, format!(r#"{{"result":{{"requestState":"{long}","resultType":"input_required"}}}}"#)),
            (call, format!(r#"{{"params":{{"requestState":"{long}"}}}}"#)),
            (answer, format!(r#"{{"result":{{"content":[{{"text":"{long}"}}]}}}}"#)),
            (call, "{}".to_owned()),
        ] {
            writer.append(record(row, body)).await.unwrap();
        }
        writer.close().await;
        assert_eq!(store.log().calls_without_verdict(0..i64::MAX).await.unwrap(), [6]);
        // Lost bodies neither prove nor disprove a verdict.
        std::fs::remove_dir_all(home.path().join("log")).unwrap();
        let error = store.log().calls_without_verdict(0..i64::MAX).await.unwrap_err();
        assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
    }
}
