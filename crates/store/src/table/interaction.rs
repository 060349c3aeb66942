//! Questions to the person, how they were decided, and which servers are silenced.

use std::sync::Arc;

use mooring_disk::StoreError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;
use ts_rs::TS;

use crate::database::Database;
use mooring_base::clock::now_us;

/// Maximum number of questions that are kept.
const MAX_ROWS: i64 = 10_000;
/// Maximum number of characters of a subject.
const MAX_SUBJECT_CHARS: usize = 256;

/// The state of a question, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "DecisionOutcome")]
pub enum InteractionOutcome {
    /// It waits in the current run. It is not a decision, so no front end gets it as one.
    #[serde(skip)]
    Waiting,
    /// The person accepted.
    Accepted,
    /// The person declined.
    Declined,
    /// The person put it aside.
    Cancelled,
    /// The server no longer needs an answer.
    Withdrawn,
    /// The run ended before it was answered.
    Expired,
    /// It was never shown.
    PutAside,
}

impl InteractionOutcome {
    /// All outcomes.
    pub const ALL: [Self; 7] = [
        Self::Waiting,
        Self::Accepted,
        Self::Declined,
        Self::Cancelled,
        Self::Withdrawn,
        Self::Expired,
        Self::PutAside,
    ];

    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Accepted => "accepted",
            Self::Declined => "declined",
            Self::Cancelled => "cancelled",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
            Self::PutAside => "put_aside",
        }
    }
}

/// A question to save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInteraction {
    /// The saved server that asks.
    pub server_id: i64,
    /// The server's name.
    pub server_name: String,
    /// The name of the kind of question, which the Inbox gives.
    pub kind: &'static str,
    /// The subject.
    pub subject: Option<String>,
    /// Who made the call that it belongs to.
    pub caller: Option<String>,
}

/// A saved question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InteractionRow {
    /// Never given twice.
    pub id: i64,
    /// The saved server, if it is still there.
    pub server_id: Option<i64>,
    /// The server's name at that time.
    pub server_name: String,
    /// The name of the kind of question.
    pub kind: String,
    /// The subject.
    pub subject: Option<String>,
    /// Who made the call that it belongs to.
    pub caller: Option<String>,
    /// Whether it waits, and how it ended.
    pub outcome: InteractionOutcome,
    /// Why, if the person did not decide: a sentence as JSON.
    pub reason: Option<String>,
    /// Id of what remembers the decision: a rule (tools), an approval (models) or a share (folders). Negative ids end
    /// with the session.
    pub remembered: Option<i64>,
    /// When it was asked, in microseconds since the Unix epoch.
    pub asked_at_us: i64,
    /// When it was decided.
    pub decided_at_us: Option<i64>,
}

/// Which decisions, and which page of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "DecisionFilter")]
pub struct DecisionQuery {
    /// Only those before the one with this row.
    #[serde(skip)]
    pub before: Option<i64>,
    /// Maximum number of rows to return.
    #[serde(skip)]
    pub limit: u32,
    /// Only this kind of question, by its name.
    pub kind: Option<String>,
    /// Only those with this outcome.
    pub outcome: Option<InteractionOutcome>,
    /// Only those of this saved server.
    pub server_id: Option<i64>,
    /// Only those with this text in their subject or their server's name. ASCII letters match in either case.
    pub text: Option<String>,
}

/// A server whose questions are not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SilenceRow {
    /// The saved server.
    pub server_id: i64,
    /// When it ends, in microseconds since the Unix epoch. `None` if it lasts until the person ends it.
    pub until_us: Option<i64>,
}

/// The table of questions. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct Interactions(pub(crate) Arc<Database>);

impl Interactions {
    /// Saves a question that waits from now on.
    pub async fn ask(&self, question: &NewInteraction) -> Result<InteractionRow, StoreError> {
        self.insert(question, InteractionOutcome::Waiting, None).await
    }

    /// Saves a question that is not shown, with the reason.
    pub async fn insert_suppressed(
        &self,
        question: &NewInteraction,
        reason: &str,
    ) -> Result<InteractionRow, StoreError> {
        self.insert(question, InteractionOutcome::PutAside, Some(reason)).await
    }

    async fn insert(
        &self,
        question: &NewInteraction,
        outcome: InteractionOutcome,
        reason: Option<&str>,
    ) -> Result<InteractionRow, StoreError> {
        const INSERT: &str = "INSERT INTO interaction
            (server_id, server_name, kind, subject, caller, outcome, reason, asked_at_us, decided_at_us)
            VALUES ((SELECT id FROM server WHERE id = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) RETURNING *";
        const PRUNE: &str = "DELETE FROM interaction WHERE id <= ? AND outcome <> 'waiting'";
        let fault = |error| self.0.store_error(error);
        let subject = question.subject.as_ref();
        let subject = subject.map(|subject| subject.chars().take(MAX_SUBJECT_CHARS).collect::<String>());
        let now = now_us();
        let _turn = self.0.lock_writes().await?;
        let row = sqlx::query(INSERT)
            .bind(question.server_id)
            .bind(&question.server_name)
            .bind(question.kind)
            .bind(subject)
            .bind(&question.caller)
            .bind(outcome.as_str())
            .bind(reason)
            .bind(now)
            .bind((outcome != InteractionOutcome::Waiting).then_some(now))
            .fetch_one(&self.0.durable_writer)
            .await
            .and_then(|row| from_row(&row))
            .map_err(fault)?;
        if row.id % 100 == 0 && row.id > MAX_ROWS {
            let pruned = sqlx::query(PRUNE).bind(row.id - MAX_ROWS).execute(&self.0.durable_writer).await;
            pruned.map_err(fault)?;
        }
        Ok(row)
    }

    /// Saves the decision about a waiting question and returns its row. `None` if it does not wait; nothing
    /// changes then.
    pub async fn decide(
        &self,
        id: i64,
        outcome: InteractionOutcome,
        reason: Option<&str>,
    ) -> Result<Option<InteractionRow>, StoreError> {
        const DECIDE: &str = "UPDATE interaction SET outcome = ?, reason = ?, decided_at_us = ?
            WHERE id = ? AND outcome = 'waiting' RETURNING *";
        let _turn = self.0.lock_writes().await?;
        let decided = sqlx::query(DECIDE).bind(outcome.as_str()).bind(reason).bind(now_us()).bind(id);
        let row = decided.fetch_optional(&self.0.durable_writer).await;
        row.and_then(|row| row.as_ref().map(from_row).transpose()).map_err(|error| self.0.store_error(error))
    }

    /// Saves as JSON why an accepted question could not be carried out; `None` clears that.
    pub async fn set_problem(&self, id: i64, problem: Option<&str>) -> Result<(), StoreError> {
        const SET: &str = "UPDATE interaction SET reason = ? WHERE id = ? AND outcome = 'accepted'";
        self.0.execute(sqlx::query(SET).bind(problem).bind(id)).await.map(drop)
    }

    /// One question.
    pub async fn get(&self, id: i64) -> Result<Option<InteractionRow>, StoreError> {
        let row = sqlx::query("SELECT * FROM interaction WHERE id = ?").bind(id);
        let row = row.fetch_optional(&self.0.lookups).await;
        row.and_then(|row| row.as_ref().map(from_row).transpose()).map_err(|error| self.0.store_error(error))
    }

    /// Names what remembers a decision; a number below zero counts until the run ends.
    pub async fn set_remembered_by(&self, id: i64, by: i64) -> Result<(), StoreError> {
        let named = sqlx::query("UPDATE interaction SET rule_id = ? WHERE id = ?").bind(by).bind(id);
        self.0.execute(named).await.map(drop)
    }

    /// Clears references to rules and approvals of an earlier session, whose negative ids this session uses again.
    pub async fn clear_session_references(&self) -> Result<(), StoreError> {
        let forgotten = sqlx::query("UPDATE interaction SET rule_id = NULL WHERE rule_id < 0");
        self.0.execute(forgotten).await.map(drop)
    }

    /// Ends every question that still waits, because the run that asked it is over; how many there were.
    pub async fn expire(&self) -> Result<u64, StoreError> {
        const EXPIRE: &str = "UPDATE interaction SET outcome = 'expired', decided_at_us = ?
            WHERE outcome = 'waiting'";
        self.0.execute(sqlx::query(EXPIRE).bind(now_us())).await
    }

    /// The questions of these kinds that were decided, newest first.
    pub async fn decisions(
        &self,
        query: &DecisionQuery,
        kinds: &[&str],
    ) -> Result<Vec<InteractionRow>, StoreError> {
        const FIND: &str = "SELECT * FROM interaction WHERE outcome <> 'waiting'
            AND (?1 IS NULL OR (decided_at_us, id) < (SELECT decided_at_us, id FROM interaction WHERE id = ?1))
            AND (?2 IS NULL OR kind = ?2) AND (?3 IS NULL OR outcome = ?3) AND (?4 IS NULL OR server_id = ?4)
            AND (?5 IS NULL OR instr(lower(coalesce(subject, '') || char(10) || server_name), lower(?5)) > 0)
            AND kind IN (SELECT value FROM json_each(?7)) ORDER BY decided_at_us DESC, id DESC LIMIT ?6";
        let DecisionQuery { before, limit, kind, outcome, server_id, text } = query;
        let found = sqlx::query(FIND)
            .bind(before)
            .bind(kind)
            .bind(outcome.map(InteractionOutcome::as_str))
            .bind(server_id)
            .bind(text)
            .bind(limit)
            .bind(Value::from(kinds).to_string());
        let rows = found.fetch_all(&self.0.lookups).await;
        let rows = rows.and_then(|rows| rows.iter().map(from_row).collect());
        rows.map_err(|error| self.0.store_error(error))
    }

    /// The number of questions with this outcome.
    pub async fn count(&self, outcome: InteractionOutcome) -> Result<i64, StoreError> {
        let count = sqlx::query_scalar("SELECT count(*) FROM interaction WHERE outcome = ?");
        let count = count.bind(outcome.as_str()).fetch_one(&self.0.lookups).await;
        count.map_err(|error| self.0.store_error(error))
    }

    /// Every server whose questions are not shown, or were not until lately.
    pub async fn silences(&self) -> Result<Vec<SilenceRow>, StoreError> {
        let rows = sqlx::query_as("SELECT server_id, until_us FROM silence ORDER BY server_id");
        let rows: Vec<(i64, Option<i64>)> =
            rows.fetch_all(&self.0.lookups).await.map_err(|error| self.0.store_error(error))?;
        Ok(rows.into_iter().map(|(server_id, until_us)| SilenceRow { server_id, until_us }).collect())
    }

    /// Saves a server's silence.
    pub async fn silence(&self, silence: SilenceRow) -> Result<(), StoreError> {
        const KEEP: &str = "INSERT INTO silence (server_id, spell, until_us)
            SELECT id, ?, ? FROM server WHERE id = ?
            ON CONFLICT (server_id) DO UPDATE SET spell = excluded.spell, until_us = excluded.until_us";
        let spell = if silence.until_us.is_some() { 1 } else { 2 };
        let query = sqlx::query(KEEP).bind(spell).bind(silence.until_us).bind(silence.server_id);
        self.0.execute(query).await.map(drop)
    }

    /// Lets a server ask again.
    pub async fn lift_silence(&self, server_id: i64) -> Result<(), StoreError> {
        let lifted = sqlx::query("DELETE FROM silence WHERE server_id = ?").bind(server_id);
        self.0.execute(lifted).await.map(drop)
    }
}

fn from_row(row: &SqliteRow) -> Result<InteractionRow, sqlx::Error> {
    let unknown = |column: &str| sqlx::Error::ColumnNotFound(column.to_owned());
    let outcome: &str = row.try_get("outcome")?;
    let outcome = InteractionOutcome::ALL.into_iter().find(|known| known.as_str() == outcome);
    Ok(InteractionRow {
        id: row.try_get("id")?,
        server_id: row.try_get("server_id")?,
        server_name: row.try_get("server_name")?,
        kind: row.try_get("kind")?,
        subject: row.try_get("subject")?,
        caller: row.try_get("caller")?,
        outcome: outcome.ok_or_else(|| unknown("outcome"))?,
        reason: row.try_get("reason")?,
        remembered: row.try_get("rule_id")?,
        asked_at_us: row.try_get("asked_at_us")?,
        decided_at_us: row.try_get("decided_at_us")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SEC-02.
    #[tokio::test]
    async fn a_question_is_decided_once_and_what_still_waits_expires() {
        let home = tempfile::tempdir().unwrap();
        let store = crate::Store::open(home.path()).await.unwrap();
        let table = store.interactions();
        let question = NewInteraction {
            server_id: 7,
            server_name: "s".into(),
            kind: "form",
            subject: Some("é".repeat(400)),
            caller: Some("workbench".into()),
        };
        let first = table.ask(&question).await.unwrap();
        assert_eq!(first.caller.as_deref(), Some("workbench"));
        assert_eq!(first.server_id, None, "there is no such server");
        assert_eq!(first.subject.unwrap().chars().count(), MAX_SUBJECT_CHARS);
        let second = table.ask(&question).await.unwrap();
        let accepted = table.decide(first.id, InteractionOutcome::Accepted, None).await.unwrap().unwrap();
        assert_eq!(accepted.outcome, InteractionOutcome::Accepted);
        assert_eq!(table.decide(first.id, InteractionOutcome::Declined, None).await.unwrap(), None);
        assert_eq!(table.expire().await.unwrap(), 1);
        assert_eq!(table.decide(second.id, InteractionOutcome::Accepted, None).await.unwrap(), None);
        table.insert_suppressed(&question, "{}").await.unwrap();
        let all = DecisionQuery { limit: 9, ..DecisionQuery::default() };
        let outcomes: Vec<_> = table
            .decisions(&all, &["form"])
            .await
            .unwrap()
            .into_iter()
            .map(|row| row.outcome.as_str())
            .collect();
        assert_eq!(outcomes, ["put_aside", "expired", "accepted"]);
        assert_eq!(table.count(InteractionOutcome::Waiting).await.unwrap(), 0);
        let rule = async |id| table.get(id).await.unwrap().unwrap().remembered;
        for (id, number) in [(first.id, -1), (second.id, 1)] {
            table.set_remembered_by(id, number).await.unwrap();
            assert_eq!(rule(id).await, Some(number));
        }
        table.clear_session_references().await.unwrap();
        assert_eq!((rule(first.id).await, rule(second.id).await), (None, Some(1)));
    }

    #[tokio::test]
    async fn decisions_are_found_by_page_and_by_each_filter() {
        let home = tempfile::tempdir().unwrap();
        let store = crate::Store::open(home.path()).await.unwrap();
        let table = store.interactions();
        let kinds = ["tool", "roots", "tool"];
        let outcomes =
            [InteractionOutcome::Accepted, InteractionOutcome::Declined, InteractionOutcome::Declined];
        let mut ids = Vec::new();
        for (at, (kind, outcome)) in kinds.into_iter().zip(outcomes).enumerate() {
            let question = NewInteraction {
                server_id: 7,
                server_name: format!("Server {at}"),
                kind,
                subject: (kind == "tool").then(|| format!("tool_{at}")),
                caller: None,
            };
            let row = table.ask(&question).await.unwrap();
            table.decide(row.id, outcome, None).await.unwrap();
            ids.push(row.id);
        }
        table
            .ask(&NewInteraction {
                server_id: 7,
                server_name: "waits".into(),
                kind: "form",
                subject: None,
                caller: None,
            })
            .await
            .unwrap();
        let find = async |query: DecisionQuery| -> Vec<i64> {
            table
                .decisions(&query, &["tool", "roots", "form"])
                .await
                .unwrap()
                .into_iter()
                .map(|row| row.id)
                .collect()
        };
        let any = DecisionQuery { limit: 9, ..DecisionQuery::default() };
        assert_eq!(find(any.clone()).await, [ids[2], ids[1], ids[0]]);
        let page = |before| DecisionQuery { before, limit: 2, ..any.clone() };
        assert_eq!(find(page(None)).await, [ids[2], ids[1]]);
        assert_eq!(find(page(Some(ids[1]))).await, [ids[0]]);
        assert_eq!(find(DecisionQuery { kind: Some(kinds[1].to_owned()), ..any.clone() }).await, [ids[1]]);
        assert_eq!(find(DecisionQuery { outcome: Some(outcomes[1]), ..any.clone() }).await, [ids[2], ids[1]]);
        assert_eq!(find(DecisionQuery { server_id: Some(7), ..any.clone() }).await, [] as [i64; 0]);
        for (text, found) in [("TOOL_0", 0), ("server 1", 1), ("tool_2", 2)] {
            let query = DecisionQuery { text: Some(text.to_owned()), ..any.clone() };
            assert_eq!(find(query).await, [ids[found]], "{text}");
        }
    }
}
