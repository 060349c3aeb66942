//! Rules of consent that a person made.

use crate::database::{Database, now_us};
use crate::error::StoreError;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;
use std::sync::Arc;

/// A rule to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRule {
    /// `allow`, `ask` or `deny`.
    pub effect: String,
    /// The saved server; none: every server.
    pub server_id: Option<i64>,
    /// The tools: a name, with `*` for any characters; none: every tool.
    pub tool: Option<String>,
    /// `workbench`, `command_line` or `sampling`; none: every caller.
    pub caller: Option<String>,
    /// Only for tools that may destroy something.
    pub destructive_only: bool,
    /// The conditions on arguments: a JSON array.
    pub arguments: String,
    /// The hash of the one definition that it is for.
    pub pin: Option<String>,
    /// It came of an answer.
    pub from_answer: bool,
    /// Until when it counts, in microseconds since the Unix epoch.
    pub expires_at_us: Option<i64>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleRow {
    /// Never given twice.
    pub id: i64,
    /// What was kept.
    pub rule: NewRule,
    /// How often it has decided.
    pub uses: i64,
    /// When it last decided, in microseconds since the Unix epoch.
    pub used_at_us: Option<i64>,
    /// When it was made.
    pub created_at_us: i64,
}

/// The table of rules. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct Rules(pub(crate) Arc<Database>);

impl Rules {
    /// Every rule that was not taken back, also those whose time is over.
    pub async fn list(&self) -> Result<Vec<RuleRow>, StoreError> {
        const LIST: &str = "SELECT * FROM rule WHERE removed_at_us IS NULL ORDER BY id";
        let rows = sqlx::query(LIST).fetch_all(&self.0.lookups).await;
        rows.and_then(|rows| rows.iter().map(from_row).collect()).map_err(|error| self.0.fault(error))
    }

    /// Makes a rule, or replaces the one of this number. None: there is no such rule.
    pub async fn save(&self, id: Option<i64>, rule: &NewRule) -> Result<Option<RuleRow>, StoreError> {
        const INSERT: &str =
            "INSERT INTO rule (effect, server_id, tool, caller, destructive_only, arguments, pin,
            from_answer, expires_at_us, created_at_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *";
        const UPDATE: &str =
            "UPDATE rule SET effect = ?, server_id = ?, tool = ?, caller = ?, destructive_only = ?,
            arguments = ?, pin = ?, from_answer = ?, expires_at_us = ?
            WHERE id = ? AND removed_at_us IS NULL RETURNING *";
        let _turn = self.0.turn.lock().await;
        let statement = sqlx::query(if id.is_some() { UPDATE } else { INSERT })
            .bind(&rule.effect)
            .bind(rule.server_id)
            .bind(&rule.tool)
            .bind(&rule.caller)
            .bind(rule.destructive_only)
            .bind(&rule.arguments)
            .bind(&rule.pin)
            .bind(rule.from_answer)
            .bind(rule.expires_at_us)
            .bind(id.unwrap_or_else(now_us));
        let rows = statement.fetch_all(&self.0.configuration).await.map_err(|error| self.0.fault(error))?;
        rows.first().map(from_row).transpose().map_err(|error| self.0.fault(error))
    }

    /// Takes a rule back; false: there is none of this number.
    pub async fn remove(&self, id: i64) -> Result<bool, StoreError> {
        const REMOVE: &str = "UPDATE rule SET removed_at_us = ? WHERE id = ? AND removed_at_us IS NULL";
        let _turn = self.0.turn.lock().await;
        let removed = sqlx::query(REMOVE).bind(now_us()).bind(id).execute(&self.0.configuration).await;
        removed.map(|done| done.rows_affected() > 0).map_err(|error| self.0.fault(error))
    }

    /// Brings a rule back that was taken back.
    pub async fn restore(&self, id: i64) -> Result<Option<RuleRow>, StoreError> {
        let _turn = self.0.turn.lock().await;
        let restored = sqlx::query("UPDATE rule SET removed_at_us = NULL WHERE id = ? RETURNING *").bind(id);
        let rows = restored.fetch_all(&self.0.configuration).await.map_err(|error| self.0.fault(error))?;
        rows.first().map(from_row).transpose().map_err(|error| self.0.fault(error))
    }

    /// Adds to how often rules have decided: number, times, and when last.
    pub async fn count(&self, uses: &[(i64, u32, i64)]) -> Result<(), StoreError> {
        const COUNT: &str =
            "UPDATE rule SET uses = uses + ?, used_at_us = max(coalesce(used_at_us, 0), ?) WHERE id = ?";
        let fault = |error| self.0.fault(error);
        let _turn = self.0.turn.lock().await;
        let mut tx = self.0.configuration.begin().await.map_err(fault)?;
        for (id, times, at_us) in uses {
            let count = sqlx::query(COUNT).bind(times).bind(at_us).bind(id);
            count.execute(&mut *tx).await.map_err(fault)?;
        }
        tx.commit().await.map_err(fault)
    }

    /// Forgets the rules that were taken back.
    pub async fn purge(&self) -> Result<(), StoreError> {
        let _turn = self.0.turn.lock().await;
        let purged = sqlx::query("DELETE FROM rule WHERE removed_at_us IS NOT NULL");
        purged.execute(&self.0.configuration).await.map(|_| ()).map_err(|error| self.0.fault(error))
    }
}

fn from_row(row: &SqliteRow) -> Result<RuleRow, sqlx::Error> {
    Ok(RuleRow {
        id: row.try_get("id")?,
        rule: NewRule {
            effect: row.try_get("effect")?,
            server_id: row.try_get("server_id")?,
            tool: row.try_get("tool")?,
            caller: row.try_get("caller")?,
            destructive_only: row.try_get("destructive_only")?,
            arguments: row.try_get("arguments")?,
            pin: row.try_get("pin")?,
            from_answer: row.try_get("from_answer")?,
            expires_at_us: row.try_get("expires_at_us")?,
        },
        uses: row.try_get("uses")?,
        used_at_us: row.try_get("used_at_us")?,
        created_at_us: row.try_get("created_at_us")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_rule_is_kept_changed_counted_taken_back_and_restored() {
        let home = tempfile::tempdir().unwrap();
        let store = crate::Store::open(home.path()).await.unwrap();
        let rules = store.rules();
        let deny = NewRule {
            effect: "deny".to_owned(),
            server_id: None,
            tool: Some("delete_*".to_owned()),
            caller: Some("sampling".to_owned()),
            destructive_only: true,
            arguments: "[]".to_owned(),
            pin: Some("ab".to_owned()),
            from_answer: true,
            expires_at_us: Some(7),
        };
        let made = rules.save(None, &deny).await.unwrap().unwrap();
        assert_eq!((&made.rule, made.uses), (&deny, 0));
        let ask = NewRule { effect: "ask".to_owned(), ..deny };
        let changed = rules.save(Some(made.id), &ask).await.unwrap().unwrap();
        assert_eq!((&changed.rule, changed.created_at_us), (&ask, made.created_at_us));
        rules.count(&[(made.id, 2, 40), (made.id, 1, 30)]).await.unwrap();
        let listed = rules.list().await.unwrap();
        assert_eq!((listed[0].uses, listed[0].used_at_us), (3, Some(40)));
        assert!(rules.remove(made.id).await.unwrap() && !rules.remove(made.id).await.unwrap());
        assert_eq!(rules.save(Some(made.id), &ask).await.unwrap(), None);
        assert_eq!(rules.list().await.unwrap(), []);
        assert_eq!(rules.restore(made.id).await.unwrap().unwrap().uses, 3);
        rules.remove(made.id).await.unwrap();
        rules.purge().await.unwrap();
        assert_eq!(rules.restore(made.id).await.unwrap(), None);
        let wrong = NewRule { effect: "maybe".to_owned(), ..ask };
        assert!(rules.save(None, &wrong).await.is_err());
    }
}
