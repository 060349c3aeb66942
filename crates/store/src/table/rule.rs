//! The person's rules of consent.

use super::integrity;
use crate::database::Database;
use crate::table::secret::begin;
use mooring_base::clock::now_us;
use mooring_base::integrity::{
    DocumentState, EntryChange, IntegrityDocument, RULES_REVIEWED_ENTRY, RULES_SCOPE,
};
use mooring_disk::StoreError;
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A rule to save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRule {
    /// `allow`, `ask` or `deny`.
    pub effect: String,
    /// The saved server. `None` if the rule is for every server.
    pub server_id: Option<i64>,
    /// The tool's name, in which `*` matches any characters. `None` if the rule is for every tool.
    pub tool: Option<String>,
    /// `workbench`, `command_line`, `sampling`, or `app:` and an app's name. `None` if the rule is for every
    /// caller.
    pub caller: Option<String>,
    /// Whether the rule only matches tools that may destroy something.
    pub destructive_only: bool,
    /// The conditions on arguments, as a JSON array.
    pub arguments: String,
    /// The hashes of the definitions that the rule is bound to, separated by spaces.
    pub pin: Option<String>,
    /// Whether the rule was made from an answer to a question.
    pub from_answer: bool,
    /// When the rule expires, in microseconds since the Unix epoch.
    pub expires_at_us: Option<i64>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleRow {
    /// Unique. A removed rule's id is not used again.
    pub id: i64,
    /// The rule.
    pub rule: NewRule,
    /// How often the rule has decided.
    pub uses: i64,
    /// When the rule last decided, in microseconds since the Unix epoch.
    pub used_at_us: Option<i64>,
    /// When the rule was made, in microseconds since the Unix epoch.
    pub created_at_us: i64,
    /// Whether the table differs from what Mooring last wrote: another program changed, removed or added the
    /// rule.
    pub changed: bool,
    /// Whether the rule is applied. A rule that another program added is only applied if it denies.
    pub counts: bool,
}

/// The rule that denies every call while the set of rules is unknown, because the document of the rules was
/// removed or changed. A program that can do that can also remove rules. When this rule is removed, the
/// person has reviewed the others.
pub const UNVERIFIED_RULES: i64 = 0;

/// A rule as it is in the integrity document.
type RuleEntry = (
    String,
    Option<i64>,
    Option<String>,
    Option<String>,
    bool,
    String,
    Option<String>,
    bool,
    Option<i64>,
    i64,
);

impl RuleRow {
    pub(crate) fn to_document_entry(&self) -> String {
        let rule = self.rule.clone();
        let entry: RuleEntry = (
            rule.effect,
            rule.server_id,
            rule.tool,
            rule.caller,
            rule.destructive_only,
            rule.arguments,
            rule.pin,
            rule.from_answer,
            rule.expires_at_us,
            self.created_at_us,
        );
        serde_json::json!(entry).to_string()
    }

    fn deny_all_unverified() -> Self {
        let rule = NewRule {
            effect: "deny".to_owned(),
            server_id: None,
            tool: None,
            caller: None,
            destructive_only: false,
            arguments: "[]".to_owned(),
            pin: None,
            from_answer: false,
            expires_at_us: None,
        };
        let (changed, counts) = (true, true);
        Self { id: UNVERIFIED_RULES, rule, uses: 0, used_at_us: None, created_at_us: 0, changed, counts }
    }

    fn from_document_entry(id: i64, text: &str) -> Option<Self> {
        let entry: RuleEntry = serde_json::from_str(text).ok()?;
        let (effect, server_id, tool, caller, destructive_only, arguments, pin, from_answer, expires, made) =
            entry;
        let rule = NewRule {
            effect,
            server_id,
            tool,
            caller,
            destructive_only,
            arguments,
            pin,
            from_answer,
            expires_at_us: expires,
        };
        let (created_at_us, changed, counts) = (made, true, true);
        Some(Self { id, rule, uses: 0, used_at_us: None, created_at_us, changed, counts })
    }
}

/// The table of rules. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct Rules(pub(crate) Arc<Database>);

impl Rules {
    /// Every rule that was not removed, including expired ones, according to the integrity document. Contains
    /// [`UNVERIFIED_RULES`] if that document is missing.
    pub async fn list(&self) -> Result<Vec<RuleRow>, StoreError> {
        let fault = |error| self.0.store_error(error);
        let mut tx = self.0.lookups.begin().await.map_err(fault)?;
        let found = list_rows(&mut tx).await.map_err(fault)?;
        let document = match integrity::read_document(&self.0, &mut tx, RULES_SCOPE).await? {
            DocumentState::Unchecked => return Ok(found),
            DocumentState::Missing => None,
            DocumentState::Verified(document) => Some(document),
        };
        let servers: Vec<i64> =
            sqlx::query_scalar("SELECT id FROM server").fetch_all(&mut *tx).await.map_err(fault)?;
        let servers = servers.into_iter().collect();
        let mut rules =
            apply_document(found, document.as_ref().unwrap_or(&IntegrityDocument::default()), &servers);
        if document.is_none() {
            rules.insert(0, RuleRow::deny_all_unverified());
        }
        Ok(rules)
    }

    /// Saves a new rule, or replaces the rule `id`. `None` if there is no rule `id`.
    pub async fn save(&self, id: Option<i64>, rule: &NewRule) -> Result<Option<RuleRow>, StoreError> {
        const INSERT: &str =
            "INSERT INTO rule (effect, server_id, tool, caller, destructive_only, arguments, pin,
            from_answer, expires_at_us, created_at_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *";
        const UPDATE: &str =
            "UPDATE rule SET effect = ?, server_id = ?, tool = ?, caller = ?, destructive_only = ?,
            arguments = ?, pin = ?, from_answer = ?, expires_at_us = ?
            WHERE id = ? AND removed_at_us IS NULL RETURNING *";
        const AGAIN: &str = "INSERT OR REPLACE INTO rule (effect, server_id, tool, caller, destructive_only,
            arguments, pin, from_answer, expires_at_us, id, created_at_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            RETURNING *";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let mut saved = match id {
            Some(id) => self.write_rule(&mut tx, UPDATE, rule, &[id]).await?,
            None => self.write_rule(&mut tx, INSERT, rule, &[now_us()]).await?,
        };
        if let Some(id) = id.filter(|_| saved.is_none())
            && self.is_in_document(&mut tx, id).await?
        {
            saved = self.write_rule(&mut tx, AGAIN, rule, &[id, now_us()]).await?;
        }
        if let Some(row) = &saved {
            let change = (row.id.to_string(), EntryChange::Set(row.to_document_entry()));
            integrity::record_changes(&self.0, &mut tx, RULES_SCOPE, vec![change]).await?;
        }
        tx.commit().await.map_err(fault)?;
        Ok(saved)
    }

    /// Whether the integrity document has the rule, which the table has lost.
    async fn is_in_document(&self, tx: &mut SqliteConnection, id: i64) -> Result<bool, StoreError> {
        let known = integrity::read_document(&self.0, tx, RULES_SCOPE).await?;
        Ok(
            matches!(known, DocumentState::Verified(document) if document.entries.contains_key(&id.to_string())),
        )
    }

    async fn write_rule(
        &self,
        tx: &mut SqliteConnection,
        statement: &'static str,
        rule: &NewRule,
        numbers: &[i64],
    ) -> Result<Option<RuleRow>, StoreError> {
        let mut statement = sqlx::query(statement)
            .bind(&rule.effect)
            .bind(rule.server_id)
            .bind(&rule.tool)
            .bind(&rule.caller)
            .bind(rule.destructive_only)
            .bind(&rule.arguments)
            .bind(&rule.pin)
            .bind(rule.from_answer)
            .bind(rule.expires_at_us);
        for number in numbers {
            statement = statement.bind(number);
        }
        let rows = statement.fetch_all(tx).await.map_err(|error| self.0.store_error(error))?;
        rows.first().map(from_row).transpose().map_err(|error| self.0.store_error(error))
    }

    /// Removes a rule. False if it does not exist.
    pub async fn remove(&self, id: i64) -> Result<bool, StoreError> {
        const REMOVE: &str = "UPDATE rule SET removed_at_us = ? WHERE id = ? AND removed_at_us IS NULL";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let removed = sqlx::query(REMOVE).bind(now_us()).bind(id).execute(&mut *tx).await.map_err(fault)?;
        let was_there = removed.rows_affected() > 0 || self.is_in_document(&mut tx, id).await?;
        let (mut change, mut were_unverified) = ((id.to_string(), EntryChange::Remove), false);
        if id == UNVERIFIED_RULES {
            were_unverified =
                integrity::read_document(&self.0, &mut tx, RULES_SCOPE).await? == DocumentState::Missing;
            change = (RULES_REVIEWED_ENTRY.to_owned(), EntryChange::Set(String::new()));
        }
        integrity::record_changes(&self.0, &mut tx, RULES_SCOPE, vec![change]).await?;
        tx.commit().await.map_err(fault)?;
        Ok(was_there || were_unverified)
    }

    /// Restores a removed rule.
    pub async fn restore(&self, id: i64) -> Result<Option<RuleRow>, StoreError> {
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let restored = sqlx::query("UPDATE rule SET removed_at_us = NULL WHERE id = ? RETURNING *").bind(id);
        let rows = restored.fetch_all(&mut *tx).await.map_err(fault)?;
        let row = rows.first().map(from_row).transpose().map_err(fault)?;
        if let Some(row) = &row {
            let change = (row.id.to_string(), EntryChange::Set(row.to_document_entry()));
            integrity::record_changes(&self.0, &mut tx, RULES_SCOPE, vec![change]).await?;
        }
        tx.commit().await.map_err(fault)?;
        Ok(row)
    }

    /// Adds to the counters of rules: the rule's id, how often it decided, and when it last did, in
    /// microseconds since the Unix epoch.
    pub async fn add_uses(&self, uses: &[(i64, u32, i64)]) -> Result<(), StoreError> {
        const COUNT: &str =
            "UPDATE rule SET uses = uses + ?, used_at_us = max(coalesce(used_at_us, 0), ?) WHERE id = ?";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = self.0.durable_writer.begin().await.map_err(fault)?;
        for (id, times, at_us) in uses {
            let count = sqlx::query(COUNT).bind(times).bind(at_us).bind(id);
            count.execute(&mut *tx).await.map_err(fault)?;
        }
        tx.commit().await.map_err(fault)
    }

    /// Deletes the removed rules permanently.
    pub async fn purge(&self) -> Result<(), StoreError> {
        let purged = sqlx::query("DELETE FROM rule WHERE removed_at_us IS NOT NULL");
        self.0.execute(purged).await.map(drop)
    }
}

/// The rules in the table that were not removed, before the document is applied.
pub(crate) async fn list_rows(tx: &mut SqliteConnection) -> Result<Vec<RuleRow>, sqlx::Error> {
    const LIST: &str = "SELECT * FROM rule WHERE removed_at_us IS NULL ORDER BY id";
    sqlx::query(LIST).fetch_all(tx).await?.iter().map(from_row).collect()
}

/// Applies the document: returns the rules as they were last written, or stricter ones. If the process ended
/// while the key was not in memory, the person's changes are only in the table. Therefore a rule that allows
/// must also be in the table, a rule that is only in the table counts if it denies, and a rule in the table
/// replaces a less strict one in the document. Rules of removed servers are left out.
fn apply_document(
    found: Vec<RuleRow>,
    document: &IntegrityDocument,
    servers: &BTreeSet<i64>,
) -> Vec<RuleRow> {
    let is_here = |row: &RuleRow| row.rule.server_id.is_none_or(|server| servers.contains(&server));
    let mut rows: Vec<RuleRow> = document
        .entries
        .iter()
        .filter_map(|(id, entry)| RuleRow::from_document_entry(id.parse().ok()?, entry))
        .filter(is_here)
        .map(|row| RuleRow { counts: row.rule.effect != "allow", ..row })
        .collect();
    for found in found {
        match rows.iter_mut().find(|row| row.id == found.id) {
            Some(row) if row.rule == found.rule && row.created_at_us == found.created_at_us => *row = found,
            Some(row) if strictness(&found.rule) > strictness(&row.rule) => {
                *row = RuleRow { changed: true, ..found };
            }
            Some(row) => (row.uses, row.used_at_us) = (found.uses, found.used_at_us),
            None => {
                let counts = found.rule.effect == "deny";
                rows.push(RuleRow { changed: true, counts, ..found });
            }
        }
    }
    rows.sort_by_key(|row| row.id);
    rows
}

fn strictness(rule: &NewRule) -> u8 {
    match rule.effect.as_str() {
        "allow" => 0,
        "ask" => 1,
        _ => 2,
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
        changed: false,
        counts: true,
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
        rules.add_uses(&[(made.id, 2, 40), (made.id, 1, 30)]).await.unwrap();
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
