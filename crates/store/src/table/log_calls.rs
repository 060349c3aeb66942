//! The requests for one item of a server, and the log's rows of each request.

use mooring_disk::StoreError;
use mooring_log::Item;
use sqlx::FromRow;

use crate::table::log::LogReader;
use mooring_log::clip_name;

/// The rows of one request to a server. The fields contain row ids, by which bodies can be read.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct CallRows {
    /// The row of the request.
    pub request: i64,
    /// When the request was sent, in microseconds since the Unix epoch.
    pub at_us: i64,
    /// The request's size in bytes.
    pub request_size: i64,
    /// The connection that the request was sent on.
    pub connection: i64,
    /// The row of the verdict before the request. Only tools have verdicts.
    pub verdict: Option<i64>,
    /// The row of the response, or of the diagnostic that says how the request ended without one.
    pub answer: Option<i64>,
    /// The size in bytes of the response or the diagnostic.
    pub answer_size: Option<i64>,
}

impl LogReader {
    /// The requests for an item before the row `before`, newest first.
    pub async fn calls(
        &self,
        item: &Item,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<CallRows>, StoreError> {
        self.0.move_staged_rows().await;
        let name = clip_name(&item.name).unwrap_or_else(|| item.name.clone());
        let rows = sqlx::query_as(CALLS)
            .bind(item.server_id)
            .bind(item.kind.method())
            .bind(name)
            .bind(before.unwrap_or(i64::MAX))
            .bind(limit)
            .fetch_all(&self.0.readers)
            .await;
        rows.map_err(|error| self.0.store_error(error))
    }
}

impl LogReader {
    /// The newest completed tool calls of a server, newest first: the tool, and the duration in microseconds
    /// without the time spent waiting for a person.
    pub async fn call_durations(&self, server: i64, limit: u32) -> Result<Vec<(String, i64)>, StoreError> {
        self.0.move_staged_rows().await;
        let rows = sqlx::query_as(DURATIONS).bind(server).bind(limit).fetch_all(&self.0.readers).await;
        rows.map_err(|error| self.0.store_error(error))
    }
}

const DURATIONS: &str = "
    SELECT coalesce(subject, ''), duration_us FROM log INDEXED BY log_call
    WHERE server_id = ? AND method = 'tools/call' AND duration_us IS NOT NULL ORDER BY id DESC LIMIT ?";

/// Kinds and directions are the numbers of their enums. If a request had no response, a diagnostic with the
/// same id says how it ended. Older versions logged the diagnostic without the id. Then the start times of
/// both must be within half a second, which is enough on a busy machine.
const CALLS: &str = "
    WITH call AS (
        SELECT id, at_us, size, connection, server_id, method, subject,
            (SELECT verdict.id FROM log AS verdict INDEXED BY log_item
                WHERE verdict.server_id = request.server_id AND verdict.method = request.method
                    AND verdict.subject = request.subject AND verdict.connection = request.connection
                    AND verdict.kind = 2 AND verdict.id < request.id
                ORDER BY verdict.id DESC LIMIT 1) AS verdict,
            (SELECT answer.id FROM log AS answer INDEXED BY log_item
                WHERE answer.server_id = request.server_id AND answer.method = request.method
                    AND answer.subject = request.subject AND answer.connection = request.connection
                    AND answer.id > request.id
                    AND (answer.kind = 0 AND answer.direction = 2 AND answer.rpc_id = request.rpc_id
                        OR answer.kind = 5 AND CASE WHEN answer.rpc_id IS NULL
                            THEN abs(answer.at_us - answer.duration_us - request.at_us) < 500000
                            ELSE answer.rpc_id = request.rpc_id END)
                ORDER BY answer.id LIMIT 1) AS answer
        FROM log AS request INDEXED BY log_item
        WHERE server_id = ? AND method = ? AND subject = ? AND id < ? AND kind = 0 AND direction = 1
        ORDER BY id DESC LIMIT ?
    )
    SELECT call.id AS request, call.at_us, call.size AS request_size, call.connection, call.verdict,
        call.answer, ended.size AS answer_size
    FROM call LEFT JOIN log AS ended ON ended.id = call.answer ORDER BY call.id DESC";
