//! `mooring logs`: the messages in the log, oldest first.

use mooring_connect::open_host;
use mooring_host::Host;
use mooring_log::{Direction, LogEntry, LogKind, LogQuery, LogRow, LogStatus};
use mooring_policy::Caller;
use mooring_terminal::time;
use serde::Serialize;

use crate::CommandContext;
use crate::args::{self, MessageDirection};
use crate::fault::{Exit, Fault};
use crate::output::{Output, TextStyle, escape_line, escape_to_line, width};
use crate::table::{columns, cut};

/// The largest number of rows in one page.
const PAGE: u32 = 1_000;
/// Bytes of bodies that are read together. A longer body is read alone.
const MAX_BODY_BYTES: i64 = 16 << 20;

/// A row in JSON.
#[derive(Serialize)]
struct RowJson<'a> {
    id: i64,
    at_us: i64,
    server: Option<&'a str>,
    server_id: Option<i64>,
    app: Option<&'a str>,
    call: Option<i64>,
    connection: i64,
    kind: &'a str,
    direction: Option<&'a str>,
    method: Option<&'a str>,
    rpc_id: Option<&'a str>,
    subject: Option<&'a str>,
    status: Option<&'a str>,
    duration_us: Option<i64>,
    size: i64,
    body: &'a str,
}

pub(crate) async fn run(session: &CommandContext, args: args::Logs) -> Result<Exit, Fault> {
    if args.delete && !args.yes {
        return Err(Fault::usage("this permanently deletes the whole log")
            .next("To confirm: mooring logs --delete --yes"));
    }
    let host = open_host(session, args.follow || args.delete).await?;
    let work = async {
        if args.delete {
            delete(session.output, &host).await
        } else {
            show(session.output, &host, &args).await
        }
    };
    let outcome = session.interrupt.guard(work).await;
    session.interrupt.clean_up(host.shutdown()).await;
    outcome??;
    Ok(Exit::Ok)
}

async fn delete(output: Output, host: &Host) -> Result<(), Fault> {
    let deleted = host.clear_log().await?;
    if output.json {
        return Ok(output.result(&serde_json::json!({ "deleted": deleted }))?);
    }
    Ok(output.line(&format!("Deleted {deleted} {}.", if deleted == 1 { "row" } else { "rows" }))?)
}

async fn show(output: Output, host: &Host, args: &args::Logs) -> Result<(), Fault> {
    let newest = if args.follow { Some(host.log_follow().await?) } else { None };
    let mut last = newest.as_ref().map_or(0, |newest| *newest.borrow());
    let filter = LogQuery {
        source: args.server.clone().or_else(|| args.of.clone()),
        app: args.app.clone(),
        method: args.method.clone(),
        direction: args.direction.map(|direction| match direction {
            MessageDirection::Out => Direction::Out,
            MessageDirection::In => Direction::In,
            MessageDirection::FromApp => Direction::FromApp,
            MessageDirection::ToApp => Direction::ToApp,
        }),
        text: args.text.clone(),
        ..LogQuery::default()
    };
    let rows = latest(host, &filter, args.limit).await?;
    if output.json && !args.follow {
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let entries = host.log_entries(&ids).await?;
        let texts: Vec<_> = entries.iter().map(LogEntry::text).collect();
        let rows: Vec<_> =
            entries.iter().zip(&texts).map(|(entry, body)| RowJson::new(&entry.row, body)).collect();
        return Ok(output.result(&rows)?);
    }
    if rows.is_empty() && !args.follow {
        output.note("No events yet, or none match.");
    }
    print(output, host, &rows).await?;
    let Some(mut newest) = newest else { return Ok(()) };
    last = rows.last().map_or(last, |row| row.id.max(last));
    loop {
        let until = *newest.borrow_and_update();
        while last < until {
            let (rows, passed) = rows_after(host, &filter, last, until).await?;
            print(output, host, &rows).await?;
            last = passed;
        }
        if newest.changed().await.is_err() {
            return Ok(());
        }
    }
}

/// The next matching rows, oldest first, and the row up to which the log was searched, so that the next
/// search starts there.
async fn rows_after(
    host: &Host,
    filter: &LogQuery,
    last: i64,
    newest: i64,
) -> Result<(Vec<LogRow>, i64), Fault> {
    let query = LogQuery { after: Some(last), limit: PAGE, ..filter.clone() };
    let mut rows = host.log_page(&query).await?;
    rows.reverse();
    // After a full page, more rows may follow before the newest.
    let passed = if rows.len() < PAGE as usize { newest } else { last };
    let passed = rows.last().map_or(passed, |row| row.id.max(passed));
    Ok((rows, passed))
}

/// The latest `limit` rows, oldest first.
async fn latest(host: &Host, filter: &LogQuery, limit: u32) -> Result<Vec<LogRow>, Fault> {
    let mut rows: Vec<LogRow> = Vec::new();
    loop {
        let left = limit.saturating_sub(u32::try_from(rows.len()).unwrap_or(u32::MAX));
        let query =
            LogQuery { before: rows.last().map(|row| row.id), limit: left.min(PAGE), ..filter.clone() };
        let page = if left == 0 { Vec::new() } else { host.log_page(&query).await? };
        if page.is_empty() {
            rows.reverse();
            return Ok(rows);
        }
        rows.extend(page);
    }
}

async fn print(output: Output, host: &Host, rows: &[LogRow]) -> Result<(), Fault> {
    if !output.json {
        return Ok(rows.iter().try_for_each(|row| output.line(&line(output, row)))?);
    }
    let mut remaining = rows;
    while !remaining.is_empty() {
        let (batch, rest) = remaining.split_at(batch_size(remaining));
        let ids: Vec<i64> = batch.iter().map(|row| row.id).collect();
        // A row may have been deleted in the meantime, to keep the log within its size.
        for entry in host.log_entries(&ids).await? {
            output.json_line(&RowJson::new(&entry.row, &entry.text()))?;
        }
        remaining = rest;
    }
    Ok(())
}

/// How many rows have bodies that fit into one read together, at least one.
fn batch_size(rows: &[LogRow]) -> usize {
    let mut bytes = 0_i64;
    let fitting = rows.iter().take_while(|row| {
        bytes = bytes.saturating_add(row.size);
        bytes <= MAX_BODY_BYTES
    });
    fitting.count().max(1)
}

impl<'a> RowJson<'a> {
    fn new(row: &'a LogRow, body: &'a str) -> Self {
        Self {
            id: row.id,
            at_us: row.at_us,
            server: (app_name(row).is_none()).then_some(&*row.source),
            server_id: row.server_id,
            app: row.app.as_deref(),
            call: row.call,
            connection: row.connection,
            kind: kind(row.kind),
            direction: direction(row.direction),
            method: row.method.as_deref(),
            rpc_id: row.rpc_id.as_deref(),
            subject: row.subject.as_deref(),
            status: status(row.status),
            duration_us: row.duration_us,
            size: row.size,
            body,
        }
    }
}

fn kind(kind: LogKind) -> &'static str {
    match kind {
        LogKind::Frame => "frame",
        LogKind::Stderr => "stderr",
        LogKind::Verdict => "verdict",
        LogKind::State => "state",
        LogKind::Gap => "gap",
        LogKind::Diagnostic => "diagnostic",
        LogKind::Auth => "auth",
    }
}

fn direction(direction: Direction) -> Option<&'static str> {
    match direction {
        Direction::Out => Some("out"),
        Direction::In => Some("in"),
        Direction::FromApp => Some("from_app"),
        Direction::ToApp => Some("to_app"),
        Direction::None => None,
    }
}

fn status(status: LogStatus) -> Option<&'static str> {
    match status {
        LogStatus::None => None,
        LogStatus::Ok => Some("ok"),
        LogStatus::Error => Some("error"),
        LogStatus::Cancelled => Some("cancelled"),
        LogStatus::TimedOut => Some("timed_out"),
    }
}

/// The app, if the row belongs to the app itself and not to a server.
fn app_name(row: &LogRow) -> Option<&str> {
    let app = row.app.as_deref()?;
    (Caller::app(app).as_str() == &*row.source).then_some(app)
}

/// `2026-01-31 12:00:00.000Z  everything    →  tools/call echo  #3  ok 12 ms  {"jsonrpc"…`
fn line(output: Output, row: &LogRow) -> String {
    let arrow = match (row.kind, row.direction) {
        (LogKind::Frame, Direction::Out) => "→",
        (LogKind::Frame, Direction::In) => "←",
        (LogKind::Frame, Direction::FromApp) => "»",
        (LogKind::Frame, Direction::ToApp) => "«",
        (LogKind::Stderr, _) => "!",
        (LogKind::Verdict, _) => "✓",
        _ => "·",
    };
    let mut what = vec![match &row.method {
        Some(method) => method.to_string(),
        None => kind(row.kind).to_owned(),
    }];
    what.extend(row.subject.clone());
    what.extend(row.rpc_id.as_ref().map(|id| format!("#{id}")));
    let mut how: Vec<String> =
        status(row.status).map(|status| status.replace('_', " ")).into_iter().collect();
    how.extend(row.duration_us.map(duration));
    let time = time(row.at_us);
    let source = pad(cut(&escape_line(app_name(row).unwrap_or(&row.source)), 16), 16);
    let what = pad(escape_line(&what.join(" ")).into_owned(), 32);
    let how = format!("{:<16}", how.join(" "));
    let used = columns(&time) + columns(&source) + columns(&what) + columns(&how) + 8;
    let preview = escape_to_line(&row.preview);
    let preview = cut(&preview, width().map_or(usize::MAX, |width| width.saturating_sub(used)));
    let tone = match row.status {
        LogStatus::Error | LogStatus::TimedOut => TextStyle::Bad,
        LogStatus::Ok => TextStyle::Good,
        _ => TextStyle::Quiet,
    };
    let (time, how) = (output.tone(TextStyle::Quiet, &time), output.tone(tone, &how));
    let what = output.tone(TextStyle::Strong, &what);
    let line = format!("{time}  {source} {arrow} {what} {how} {}", output.tone(TextStyle::Quiet, &preview));
    line.trim_end().to_owned()
}

/// Adds spaces until the text is `width` columns wide.
fn pad(mut text: String, width: usize) -> String {
    text.extend(std::iter::repeat_n(' ', width.saturating_sub(columns(&text))));
    text
}

fn duration(micros: i64) -> String {
    match micros {
        ..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{} ms", micros / 1_000),
        _ => format!("{}.{} s", micros / 1_000_000, micros % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use mooring_connections::{ConnectOptions, Target};
    use mooring_host::HostOptions;

    use super::*;

    #[tokio::test]
    async fn rows_that_do_not_match_are_looked_through_once() {
        let home = tempfile::tempdir().unwrap();
        let host = Host::open(HostOptions {
            home: home.path().to_owned(),
            supervise: false,
            has_person: false,
            journal: true,
            demo_server: None,
            client_name: "test",
            client_version: "0",
            vault: mooring_vault::VaultOptions::default,
            browser: mooring_accounts::system_browser,
            clock: mooring_base::clock::Clock::system(),
        });
        let host = host.await.unwrap();
        let program = mooring_testkit::scripted_server_path().display().to_string();
        let target = Target::Command {
            program,
            args: vec!["ok".to_owned()],
            env: [].into(),
            cwd: home.path().to_owned(),
        };
        host.connect(target, ConnectOptions::default()).await.unwrap().close().await;
        host.flush_log().await;
        let all = latest(&host, &LogQuery::default(), 1_000).await.unwrap();
        let newest = all.last().unwrap().id;
        let rare = LogQuery { method: Some("initialize".to_owned()), ..LogQuery::default() };
        let (rows, passed) = rows_after(&host, &rare, 0, newest).await.unwrap();
        assert!(
            !rows.is_empty() && rows.last().unwrap().id < newest && passed == newest,
            "{passed} {newest}"
        );
        let never = LogQuery { method: Some("no/such".to_owned()), ..LogQuery::default() };
        let (rows, passed) = rows_after(&host, &never, 0, newest).await.unwrap();
        assert_eq!((rows.len(), passed), (0, newest));
        host.shutdown().await;
    }

    #[test]
    fn durations_are_short() {
        assert_eq!(duration(999), "999 µs");
        assert_eq!(duration(12_345), "12 ms");
        assert_eq!(duration(61_250_000), "61.2 s");
    }
}
