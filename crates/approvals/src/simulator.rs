//! Simulates a rule: evaluates the calls in the log without the rule and with it.

use std::collections::HashMap;

use mooring_base::clock::now_ms;
use mooring_base::digest::sha256;
use mooring_base::server_id::ServerId;
use mooring_disk::StoreError;
use mooring_jsonrpc::read_value;
use mooring_log::{Direction, LogKind, LogQuery, LogRow};
use mooring_policy::{AppLevel, Approval, CallRequest, Caller, Decision, Rule, RuleBook, ToolHints, decide};
use mooring_store::LogReader;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use ts_rs::TS;

/// How many calls are read, and how many changed ones are returned.
const MAX_CALLS: usize = 10_000;
const MAX_CHANGES: usize = 200;
/// How many rows are read at once, and how many pages of them.
const PAGE: u32 = 1_000;
const PAGES: usize = 100;

/// What a rule would have changed for past calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    /// The number of calls in the log that were read.
    pub calls: u32,
    /// The number of those calls that match the rule.
    pub matched: u32,
    /// The calls with another decision, newest first.
    pub changed: Vec<SimulatedCall>,
    /// The number of calls that a condition on arguments can't be evaluated for, because the log no longer
    /// has their arguments.
    pub unknown: u32,
    /// Whether the saved rule would be bound to one definition of its tool.
    pub pinned: bool,
}

/// A call with another decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedCall {
    /// The id of the verdict's row in the log.
    pub row: i64,
    /// When the verdict was made, in milliseconds since the Unix epoch.
    #[serde(rename = "at")]
    pub at_ms: i64,
    /// The server's name.
    pub server_name: String,
    /// The tool.
    pub tool: String,
    /// The caller.
    pub caller: Caller,
    /// The decision without the rule.
    pub before: Decision,
    /// The decision with the rule.
    pub after: Decision,
}

/// A verdict in the log.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LoggedVerdict {
    caller: String,
    #[serde(default)]
    arguments_sha256: String,
    #[serde(default)]
    definition: Option<String>,
}

/// A `tools/call` in the log.
#[derive(Deserialize)]
struct ToolCallFrame<'a> {
    #[serde(borrow)]
    params: ToolCallParams<'a>,
}

#[derive(Deserialize)]
struct ToolCallParams<'a> {
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// Facts about calls that are not in the log.
pub struct CallFacts<H, L> {
    /// The server's hints about a tool's effects.
    pub hints: H,
    /// The level of an app.
    pub level: L,
}

/// Simulates the rule `with` in addition to `book`, or instead of the rule with the same id.
pub async fn simulate(
    log: &LogReader,
    book: &RuleBook,
    with: &Rule,
    facts: CallFacts<impl Fn(ServerId, &str) -> ToolHints, impl Fn(&str) -> AppLevel>,
) -> Result<Simulation, StoreError> {
    // A changed rule replaces the rule with the same id.
    let before = book.rules().to_vec();
    let mut after: Vec<Rule> = before.iter().filter(|rule| rule.id != with.id).cloned().collect();
    after.push(with.clone());
    let mut calls = CallReplay { log, frames: HashMap::new() };
    let mut found = Simulation { pinned: with.pin.is_some(), ..Simulation::default() };
    let query = LogQuery { method: Some("tools/call".to_owned()), limit: PAGE, ..LogQuery::default() };
    let mut oldest = None;
    for _ in 0..PAGES {
        let rows = log.page(&LogQuery { before: oldest, ..query.clone() }).await?;
        let Some(last) = rows.last() else { break };
        oldest = Some(last.id);
        for row in &rows {
            if row.kind == LogKind::Frame && row.direction == Direction::Out {
                calls.remember_frame(row);
            }
            if row.kind != LogKind::Verdict {
                continue;
            }
            if found.calls as usize == MAX_CALLS {
                return Ok(found);
            }
            found.calls += 1;
            calls.replay_call(row, &before, &after, with, &facts, &mut found).await?;
        }
    }
    Ok(found)
}

/// The frames that were read so far, by connection and tool, newest first. The log is read backwards.
struct CallReplay<'a> {
    log: &'a LogReader,
    frames: HashMap<(i64, String), Vec<i64>>,
}

impl CallReplay<'_> {
    fn remember_frame(&mut self, row: &LogRow) {
        /// Calls of one tool on one connection that may be under way at once.
        const NEAR: usize = 64;
        let Some(tool) = &row.subject else { return };
        let frames = self.frames.entry((row.connection, tool.clone())).or_default();
        if frames.len() == NEAR {
            frames.remove(0);
        }
        frames.push(row.id);
    }

    async fn replay_call(
        &self,
        row: &LogRow,
        before: &[Rule],
        after: &[Rule],
        with: &Rule,
        facts: &CallFacts<impl Fn(ServerId, &str) -> ToolHints, impl Fn(&str) -> AppLevel>,
        found: &mut Simulation,
    ) -> Result<(), StoreError> {
        let Some(tool) = row.subject.clone() else { return Ok(()) };
        let server = row.server_id.map(ServerId);
        let about = |rule: &&Rule| rule.is_about(server, &tool);
        if !about(&with) && !before.iter().any(|rule| rule.id == with.id && about(&rule)) {
            return Ok(());
        }
        let Some(entry) = self.log.entry(row.id).await? else { return Ok(()) };
        let Ok(logged) = serde_json::from_slice::<LoggedVerdict>(&entry.body) else { return Ok(()) };
        let Some(caller) = Caller::from_name(&logged.caller) else { return Ok(()) };
        let conditions = |rules: &[Rule]| {
            rules
                .iter()
                .any(|rule| !rule.rule.arguments.is_empty() && rule.applies_to(server, &tool, &caller))
        };
        let arguments = if conditions(before) || conditions(after) {
            let arguments = self.find_arguments(row, &tool, &logged.arguments_sha256).await?;
            if arguments.is_none() {
                found.unknown += 1;
                return Ok(());
            }
            arguments
        } else {
            None
        };
        let request = CallRequest {
            server,
            tool: &tool,
            definition: logged.definition.as_deref(),
            // The simulation is about the rule. The tool may have been approved at that time.
            approval: Approval::Approved,
            hints: server.map(|server| (facts.hints)(server, &tool)).unwrap_or_default(),
            arguments: arguments.as_ref(),
            caller: &caller,
            level: caller.app_name().map_or(AppLevel::AskHere, &facts.level),
            now_ms: now_ms(),
        };
        found.matched += u32::from(with.matches(&request));
        let (before, after) = (decide(&request, before).decision, decide(&request, after).decision);
        if before != after && found.changed.len() < MAX_CHANGES {
            found.changed.push(SimulatedCall {
                row: row.id,
                at_ms: row.at_us / 1_000,
                server_name: row.source.to_string(),
                tool,
                caller,
                before,
                after,
            });
        }
        Ok(())
    }

    /// The arguments of a call. `None` if the log no longer has all of them.
    async fn find_arguments(
        &self,
        row: &LogRow,
        tool: &str,
        sha256_of: &str,
    ) -> Result<Option<Value>, StoreError> {
        let frames = self.frames.get(&(row.connection, tool.to_owned()));
        // The last frame in the list is the first one after the verdict.
        for id in frames.into_iter().flatten().rev() {
            let Some(entry) = self.log.entry(*id).await? else { continue };
            let Ok(frame) = serde_json::from_slice::<ToolCallFrame<'_>>(&entry.body) else { continue };
            let text = frame.params.arguments.map_or("{}", RawValue::get);
            if sha256(text) == sha256_of {
                return Ok(read_value(text).ok());
            }
        }
        Ok(None)
    }
}
