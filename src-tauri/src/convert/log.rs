//! The journal.

use mooring_host as host;

use super::whole;
use crate::dto::{Direction, LogEntry, LogFacets, LogFilter, LogKind, LogRow, LogStatus};

/// The host's query for a filter, between the row ids `after` and `before`, newest first.
pub(crate) fn log_query(
    filter: LogFilter,
    before: Option<i64>,
    after: Option<i64>,
    limit: u32,
) -> host::LogQuery {
    host::LogQuery {
        before,
        after,
        limit,
        source: filter.source,
        server_id: filter.server_id,
        kinds: filter.kinds.into_iter().map(Into::into).collect(),
        direction: filter.direction.map(Into::into),
        method: filter.method,
        text: filter.text,
    }
}

impl From<host::LogRow> for LogRow {
    fn from(row: host::LogRow) -> Self {
        Self {
            id: row.id,
            at: row.at_us,
            server_id: row.server_id,
            source: row.source.to_string(),
            connection: row.connection,
            kind: row.kind.into(),
            direction: row.direction.into(),
            method: row.method.map(|method| method.to_string()),
            rpc_id: row.rpc_id,
            subject: row.subject,
            status: row.status.into(),
            duration_us: row.duration_us,
            size: row.size,
            preview: row.preview,
        }
    }
}

impl From<host::LogEntry> for LogEntry {
    fn from(entry: host::LogEntry) -> Self {
        Self { body: entry.text().into_owned(), row: entry.row.into() }
    }
}

impl From<host::LogFacets> for LogFacets {
    fn from(facets: host::LogFacets) -> Self {
        Self { sources: facets.sources, methods: facets.methods, total: whole(facets.total) }
    }
}

/// Two enumerations that name the same things.
macro_rules! same {
    ($name:ident { $($variant:ident),* }) => {
        impl From<host::$name> for $name {
            fn from(value: host::$name) -> Self {
                match value {
                    $(host::$name::$variant => Self::$variant),*
                }
            }
        }

        impl From<$name> for host::$name {
            fn from(value: $name) -> Self {
                match value {
                    $($name::$variant => Self::$variant),*
                }
            }
        }
    };
}

same!(LogKind { Frame, Stderr, Verdict, State, Gap, Diagnostic, Auth });
same!(Direction { Out, In, None });
same!(LogStatus { None, Ok, Error, Cancelled, TimedOut });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_found_by_its_number_whatever_it_is_called() {
        let filter: LogFilter =
            serde_json::from_str(r#"{"source": null, "serverId": 7, "direction": null, "kinds": []}"#)
                .unwrap();
        let query = log_query(filter, Some(9), None, 5);
        assert_eq!((query.server_id, query.source, query.before, query.limit), (Some(7), None, Some(9), 5));
    }
}
