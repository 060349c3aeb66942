//! The person's decisions, and the related messages in the log.

use std::collections::BTreeSet;

use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_inbox::{DecisionView, InteractionKind, RememberedBy, remembered_by};
use mooring_log::{Direction, LogEntry, LogKind, LogQuery, LogRow};
use mooring_store::{DecisionQuery, InteractionOutcome};
use serde::Serialize;
use ts_rs::TS;

use super::{Host, HostState};

/// How far from a decision's times to search for its messages, in microseconds. A message is logged when it
/// passes, but a decision only after it is on the disk.
const NEAR_US: i64 = 2_000_000;
/// The maximum number of rows to search around a time.
const ROWS: u32 = 1_000;

/// The log entries of a decision. They are missing if the log was off or has been cleared.
#[derive(Debug, Clone, Default, Serialize, TS)]
pub struct DecisionEvents {
    /// The request: the server's message, or the verdict that a tool call needs consent.
    pub asked: Option<LogEntry>,
    /// What was sent as a result: the answer, or the allowed call. Secrets are redacted.
    pub sent: Option<LogEntry>,
}

impl Host {
    /// The most recent decisions, newest first.
    pub async fn decisions(&self, limit: u32) -> Result<Vec<DecisionView>, HostError> {
        self.find_decisions(&DecisionQuery { limit, ..DecisionQuery::default() }).await
    }

    /// A page of the decisions that match a query, newest first.
    pub async fn find_decisions(&self, query: &DecisionQuery) -> Result<Vec<DecisionView>, HostError> {
        let decisions = self.inner.responders.interactions.decisions(query).await?;
        let standing = self.inner.responders.models.approval_ids().await?;
        let mut views = Vec::with_capacity(decisions.len());
        for (decision, number) in decisions {
            let remembered =
                match number.and_then(|number| remembered_by(decision.kind, decision.server, number)) {
                    Some(by) if self.still_remembers(by, &standing).await? => Some(by),
                    _ => None,
                };
            views.push(DecisionView { remembered, ..decision });
        }
        Ok(views)
    }

    /// Whether the saved record of a decision, such as a rule, still exists.
    async fn still_remembers(&self, by: RememberedBy, standing: &BTreeSet<i64>) -> Result<bool, HostError> {
        let HostState { rules, folders, .. } = &*self.inner;
        Ok(match by {
            RememberedBy::Rule { id } => rules.is_in_force(id),
            RememberedBy::Model { id } => standing.contains(&id),
            RememberedBy::Folders { server, answer } => folders.remembers(server, answer).await?,
        })
    }

    /// The log entries of a decision.
    pub async fn decision_events(&self, id: i64) -> Result<DecisionEvents, HostError> {
        let decision = self.inner.responders.interactions.load_decision(id).await?;
        // The time is only known to the millisecond.
        let (asked_us, decided_us) = (decision.asked_ms * 1_000 + 999, decision.decided_ms * 1_000);
        let asked = self.rows_between(&decision, asked_us - NEAR_US, asked_us + NEAR_US).await?;
        let asked = asked
            .into_iter()
            .filter(|row| may_have_asked(&decision, row) && row.at_us <= asked_us)
            .max_by_key(|row| row.id);
        let sent = match (decision.outcome, &asked) {
            (InteractionOutcome::PutAside | InteractionOutcome::Expired, _) => None,
            (outcome, Some(asked)) => {
                let rows = self.rows_between(&decision, decided_us - NEAR_US, decided_us + NEAR_US).await?;
                let rows = rows
                    .into_iter()
                    .filter(|row| row.id > asked.id && may_answer(&decision, outcome, asked, row));
                rows.min_by_key(|row| row.id)
            }
            (_, None) => None,
        };
        let entry = async |row: Option<LogRow>| match row {
            Some(row) => self.inner.store.log().entry(row.id).await,
            None => Ok(None),
        };
        Ok(DecisionEvents { asked: entry(asked).await?, sent: entry(sent).await? })
    }

    /// The rows of a decision's server between two times, in microseconds.
    async fn rows_between(
        &self,
        decision: &DecisionView,
        from_us: i64,
        to_us: i64,
    ) -> Result<Vec<LogRow>, HostError> {
        let Some(ServerId(server)) = decision.server else { return Ok(Vec::new()) };
        let first = self.first_log_row(from_us).await?;
        let query = LogQuery {
            after: Some(first - 1),
            limit: ROWS,
            server_id: Some(server),
            kinds: vec![LogKind::Frame, LogKind::Verdict],
            ..LogQuery::default()
        };
        let rows = self.inner.store.log().page(&query).await?;
        Ok(rows.into_iter().filter(|row| (from_us..=to_us).contains(&row.at_us)).collect())
    }

    /// The id of the first row at or after a time, in microseconds. Rows are almost sorted by time.
    async fn first_log_row(&self, at_us: i64) -> Result<i64, HostError> {
        let log = self.inner.store.log();
        let (mut low, mut high) = (0, *log.follow().await?.borrow() + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            let query = LogQuery { after: Some(middle - 1), limit: 1, ..LogQuery::default() };
            match log.page(&query).await?.first() {
                Some(row) if row.at_us < at_us => low = row.id + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }
}

/// Whether a row can be the request that led to the question.
fn may_have_asked(decision: &DecisionView, row: &LogRow) -> bool {
    if decision.kind == InteractionKind::Tool {
        return row.kind == LogKind::Verdict && row.subject == decision.subject;
    }
    let method = decision.kind.method();
    row.kind == LogKind::Frame
        && row.direction == Direction::In
        // A server of the stateless era asks in the result of our request.
        && (row.method.as_deref() == Some(method) || row.preview.contains(method))
}

/// Whether a row can be what was sent as a result of the decision.
fn may_answer(decision: &DecisionView, outcome: InteractionOutcome, asked: &LogRow, row: &LogRow) -> bool {
    if row.kind != LogKind::Frame || row.direction != Direction::Out {
        return false;
    }
    if decision.kind == InteractionKind::Tool {
        return outcome == InteractionOutcome::Accepted
            && row.method.as_deref() == Some(decision.kind.method())
            && row.subject == decision.subject;
    }
    let is_reply = asked.method.as_deref() == Some(decision.kind.method());
    // The answer to a server of the stateless era is sent as a retry of our request.
    row.method == asked.method && (!is_reply || row.rpc_id == asked.rpc_id)
}
