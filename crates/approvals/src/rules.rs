//! The rules in force: the saved rules, and the session rules that last until the application ends.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use mooring_base::clock::{monotonic_ms, now_ms};
use mooring_base::server_id::ServerId;
use mooring_disk::StoreError;
use mooring_policy::{
    Caller, Decision, InvalidRule, MAX_RULES, NewRule, Rule, RuleBook, ToolReach, ToolScope, ToolScopes,
    pattern,
};
use mooring_store::{NewRule as StoredRule, RuleRow, Rules};
use mooring_words::{Sentence, say};
use serde::Serialize;
use tokio::sync::Notify;
use ts_rs::TS;

use crate::error::RuleError;

/// How long uses of rules are collected before they are saved. If the process is killed, only these are lost.
const FLUSH_DELAY: Duration = Duration::from_secs(3);
/// How many removed session rules can be restored.
const MAX_REMOVED: usize = 100;

/// A rule with its uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RuleView {
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule,
    /// The server's name.
    pub server_name: Option<String>,
    /// Whether it only lasts until the application ends.
    pub session: bool,
    /// How often it has decided.
    pub uses: u32,
    /// When it last decided, in milliseconds since the Unix epoch.
    #[serde(rename = "usedAt")]
    pub used_ms: Option<i64>,
    /// Whether another program changed, removed or added the rule. A changed or removed rule applies as
    /// Mooring wrote it; an added rule only applies if it denies. The person resolves this by saving or
    /// removing the rule.
    pub changed: bool,
}

/// How long an answer is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerDuration {
    /// Until the application ends.
    Session,
    /// For an hour.
    Hour,
    /// Always.
    Always,
}

/// An answer about a tool, to remember as a rule.
#[derive(Debug, Clone)]
pub struct ToolAnswer<'a> {
    /// The tool's server.
    pub server: ServerId,
    /// The tool's name.
    pub tool: &'a str,
    /// The person's answer.
    pub answer: RememberedAnswer<'a>,
}

/// An answer to remember.
#[derive(Debug, Clone)]
pub enum RememberedAnswer<'a> {
    /// The call is allowed, for the definition that the person saw.
    Allow {
        /// The definition's hash.
        definition: &'a str,
        /// The caller.
        caller: Caller,
        /// How far the person's answer reaches.
        scope: ToolScope,
        /// The scopes that were offered to the person.
        scopes: &'a ToolScopes,
    },
    /// The call is denied, for every caller, and even if the tool changes.
    Deny,
}

/// The uses of a rule.
#[derive(Debug, Clone, Copy, Default)]
struct RuleUsage {
    times: u32,
    last_ms: i64,
    /// Uses that are not in the database yet.
    unsaved: u32,
}

#[derive(Debug, Default)]
struct RuleState {
    rules: BTreeMap<i64, Rule>,
    /// Removed session rules.
    removed: VecDeque<Rule>,
    uses: BTreeMap<i64, RuleUsage>,
    /// Rules that another program changed, removed or added.
    changed: BTreeSet<i64>,
    /// The changed rules that do not apply.
    uncounted: BTreeSet<i64>,
    last_session: i64,
}

/// Called when the rules have changed.
pub type OnRulesChange = Arc<dyn Fn() + Send + Sync>;

/// The rules in force, with the number of their uses. Everything that calls tools shares them.
pub struct RuleStore {
    table: Rules,
    /// Serializes changes.
    change_lock: tokio::sync::Mutex<()>,
    state: Mutex<RuleState>,
    /// Notified when there are uses to save.
    uses: Notify,
    /// The rules in force. Read for every call. Never locked while waiting for the disk.
    book: RwLock<RuleBook>,
    on_change: OnRulesChange,
}

impl fmt::Debug for RuleStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleStore").finish_non_exhaustive()
    }
}

impl RuleStore {
    /// Loads the saved rules. `purge` deletes removed rules permanently.
    pub async fn open(table: Rules, on_change: OnRulesChange, purge: bool) -> Result<Self, StoreError> {
        if purge {
            table.purge().await?;
        }
        let mut state = RuleState::default();
        let rows = match table.list().await {
            // The rules are read again once the current key is available.
            Err(StoreError::WrongKey) => Vec::new(),
            rows => rows?,
        };
        for row in rows {
            state.insert_row(row);
        }
        let book = RwLock::new(state.build_book());
        let (turn, uses) = (tokio::sync::Mutex::default(), Notify::new());
        Ok(Self { table, change_lock: turn, state: Mutex::new(state), uses, book, on_change })
    }

    /// Reads the rules again, when the vault's key can verify which of them Mooring wrote.
    pub async fn reload(&self) -> Result<(), StoreError> {
        let _turn = self.change_lock.lock().await;
        let rows = self.table.list().await?;
        {
            let mut state = self.lock_state();
            state.rules.retain(|id, _| *id < 0);
            for row in rows {
                state.insert_row(row);
            }
        }
        self.rebuild_book();
        Ok(())
    }

    /// The rules in force.
    pub fn book(&self) -> RuleBook {
        self.book.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn lock_state(&self) -> MutexGuard<'_, RuleState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rebuild_book(&self) {
        let book = self.lock_state().build_book();
        *self.book.write().unwrap_or_else(PoisonError::into_inner) = book;
        (self.on_change)();
    }

    /// Whether there is a rule `id` that has not expired.
    pub fn is_in_force(&self, id: i64) -> bool {
        let now = monotonic_ms();
        self.book().rules().iter().any(|rule| rule.id == id && rule.is_in_force(now))
    }

    /// Every rule that has not expired, the most specific first.
    pub fn views(&self) -> Vec<RuleView> {
        let (book, now) = (self.book(), monotonic_ms());
        let state = self.lock_state();
        let uncounted = state.uncounted.iter().filter_map(|id| state.rules.get(id));
        let shown = book.rules().iter().chain(uncounted).filter(|rule| rule.is_in_force(now));
        shown.map(|rule| state.build_view(rule)).collect()
    }

    /// Saves a new or changed rule. A session rule remains one.
    pub async fn save(&self, id: Option<i64>, rule: NewRule) -> Result<RuleView, RuleError> {
        let rule = rule.checked()?;
        let _turn = self.change_lock.lock().await;
        let before = id.map(|id| self.find_rule(id)).transpose()?;
        if before.is_none() && self.lock_state().rules.len() >= MAX_RULES {
            let message = say!("there are {limit} rules already", limit = MAX_RULES);
            return Err(InvalidRule { field: "rules", message }.into());
        }
        let new = Rule::from_draft(id.unwrap_or_default(), before.as_ref(), rule);
        match id {
            Some(id) if id < 0 => Ok(self.save_session_rule(&new)),
            id => self.write_rule(id, new).await,
        }
    }

    /// Creates a rule from an answer. The answer itself is on the disk already.
    pub async fn remember(&self, subject: ToolAnswer<'_>, scope: AnswerDuration) -> Result<i64, RuleError> {
        const HOUR: i64 = 60 * 60 * 1_000;
        let now = monotonic_ms();
        let this = Some(pattern::escape(subject.tool));
        let (effect, tool, pin, caller, arguments) = match subject.answer {
            RememberedAnswer::Allow { definition, caller, scope, scopes } => {
                let (tool, pin, arguments) = match scope.reach {
                    ToolReach::Tool => (this, definition.to_owned(), Vec::new()),
                    ToolReach::Folder => (this, definition.to_owned(), scopes.conditions()),
                    ToolReach::Reading => (None, scopes.definitions.join(" "), Vec::new()),
                };
                (Decision::Allow, tool, Some(pin), (!scope.every_caller).then_some(caller), arguments)
            }
            RememberedAnswer::Deny => (Decision::Deny, this, None, None, Vec::new()),
        };
        let rule = Rule {
            id: 0,
            rule: NewRule {
                effect,
                server: Some(subject.server),
                tool,
                caller,
                destructive_only: false,
                arguments,
                expires_ms: (scope == AnswerDuration::Hour).then_some(now + HOUR),
            },
            pin,
            from_answer: true,
            created_ms: now,
        };
        let _turn = self.change_lock.lock().await;
        if scope == AnswerDuration::Session {
            let id = {
                let mut state = self.lock_state();
                state.last_session -= 1;
                state.last_session
            };
            return Ok(self.save_session_rule(&Rule { id, ..rule }).rule.id);
        }
        Ok(self.write_rule(None, rule).await?.rule.id)
    }

    fn find_rule(&self, id: i64) -> Result<Rule, RuleError> {
        self.lock_state().rules.get(&id).cloned().ok_or(RuleError::NoSuch(id))
    }

    fn save_session_rule(&self, rule: &Rule) -> RuleView {
        let view = {
            let mut state = self.lock_state();
            state.rules.insert(rule.id, rule.clone());
            state.build_view(rule)
        };
        self.rebuild_book();
        view
    }

    async fn write_rule(&self, id: Option<i64>, rule: Rule) -> Result<RuleView, RuleError> {
        let row = self.table.save(id, &to_row(&rule)).await?;
        self.apply_row(row.ok_or_else(|| RuleError::NoSuch(id.unwrap_or_default()))?)
    }

    /// Applies a row that was saved.
    fn apply_row(&self, row: RuleRow) -> Result<RuleView, RuleError> {
        let id = row.id;
        self.lock_state().insert_row(row);
        self.rebuild_book();
        let rule = self.find_rule(id)?;
        Ok(self.lock_state().build_view(&rule))
    }

    /// Removes a rule. [`Self::restore`] undoes that.
    pub async fn remove(&self, id: i64) -> Result<(), RuleError> {
        let _turn = self.change_lock.lock().await;
        let rule = self.find_rule(id)?;
        if id >= 0 && !self.table.remove(id).await? {
            return Err(RuleError::NoSuch(id));
        }
        {
            let mut state = self.lock_state();
            state.rules.remove(&id);
            state.changed.remove(&id);
            state.uncounted.remove(&id);
            if id < 0 {
                state.removed.push_back(rule);
                if state.removed.len() > MAX_REMOVED {
                    state.removed.pop_front();
                }
            }
        }
        self.rebuild_book();
        Ok(())
    }

    /// Restores a removed rule.
    pub async fn restore(&self, id: i64) -> Result<RuleView, RuleError> {
        let _turn = self.change_lock.lock().await;
        if let Ok(rule) = self.find_rule(id) {
            return Ok(self.lock_state().build_view(&rule));
        }
        if id >= 0 {
            let row = self.table.restore(id).await?;
            return self.apply_row(row.ok_or(RuleError::NoSuch(id))?);
        }
        let found = {
            let mut state = self.lock_state();
            let at = state.removed.iter().position(|rule| rule.id == id);
            at.and_then(|at| state.removed.remove(at))
        };
        Ok(self.save_session_rule(&found.ok_or(RuleError::NoSuch(id))?))
    }

    /// Records that a rule has decided. The count is saved later.
    pub fn record_use(&self, id: i64) {
        let mut state = self.lock_state();
        if state.rules.contains_key(&id) {
            let uses = state.uses.entry(id).or_default();
            uses.times = uses.times.saturating_add(1);
            uses.unsaved = uses.unsaved.saturating_add(1);
            uses.last_ms = now_ms();
            drop(state);
            self.uses.notify_one();
        }
    }

    /// Saves the uses of rules soon after they happen. Never returns.
    pub async fn flush_periodically(&self) {
        loop {
            self.uses.notified().await;
            tokio::time::sleep(FLUSH_DELAY).await;
            self.flush().await;
        }
    }

    /// Saves how often rules have decided.
    pub async fn flush(&self) {
        let counts: Vec<(i64, u32, i64)> = {
            let mut state = self.lock_state();
            let unsaved = state.uses.iter_mut().filter(|(id, uses)| **id >= 0 && uses.unsaved > 0);
            unsaved.map(|(id, uses)| (*id, std::mem::take(&mut uses.unsaved), uses.last_ms * 1_000)).collect()
        };
        if !counts.is_empty()
            && let Err(error) = self.table.add_uses(&counts).await
        {
            tracing::warn!(%error, "how often rules have decided could not be written down");
            let mut state = self.lock_state();
            for (id, times, _) in counts {
                let uses = state.uses.entry(id).or_default();
                uses.unsaved = uses.unsaved.saturating_add(times);
            }
        }
    }
}

impl RuleState {
    fn insert_row(&mut self, row: RuleRow) {
        let uses = self.uses.entry(row.id).or_default();
        if uses.times == 0 {
            uses.times = u32::try_from(row.uses).unwrap_or(u32::MAX);
            uses.last_ms = row.used_at_us.unwrap_or_default() / 1_000;
        }
        let id = row.id;
        for (is_so, ids) in [(row.changed, &mut self.changed), (!row.counts, &mut self.uncounted)] {
            if is_so {
                ids.insert(id);
            } else {
                ids.remove(&id);
            }
        }
        if let Some(rule) = from_row(row) {
            self.rules.insert(id, rule);
        } else {
            tracing::warn!(id, "a rule can’t be read: it does not count");
        }
    }

    fn build_book(&self) -> RuleBook {
        let counted = self.rules.values().filter(|rule| !self.uncounted.contains(&rule.id));
        RuleBook::new(counted.cloned().collect())
    }

    fn build_view(&self, rule: &Rule) -> RuleView {
        let uses = self.uses.get(&rule.id).copied().unwrap_or_default();
        let used_ms = (uses.times > 0).then_some(uses.last_ms);
        let changed = self.changed.contains(&rule.id);
        RuleView {
            rule: rule.clone(),
            server_name: None,
            session: rule.id < 0,
            uses: uses.times,
            used_ms,
            changed,
        }
    }
}

fn to_row(rule: &Rule) -> StoredRule {
    let NewRule { effect, server, tool, caller, destructive_only, arguments, expires_ms } = &rule.rule;
    StoredRule {
        effect: effect.as_str().to_owned(),
        server_id: server.map(|server| server.0),
        tool: tool.clone(),
        caller: caller.as_ref().map(|caller| caller.as_str().to_owned()),
        destructive_only: *destructive_only,
        arguments: serde_json::to_string(arguments).unwrap_or_else(|_| "[]".to_owned()),
        pin: rule.pin.clone(),
        from_answer: rule.from_answer,
        expires_at_us: expires_ms.map(|at| at.saturating_mul(1_000)),
    }
}

/// The rule of a row. If its conditions can't be parsed, a rule that allows is left out, and another rule
/// applies without its conditions. Therefore at least as much is denied.
fn from_row(row: RuleRow) -> Option<Rule> {
    let RuleRow { id, rule, created_at_us, .. } = row;
    let effect = Decision::from_name(&rule.effect)?;
    let arguments = match serde_json::from_str(&rule.arguments) {
        Ok(arguments) => arguments,
        Err(_) if effect == Decision::Allow => return None,
        Err(_) => Vec::new(),
    };
    let caller = match rule.caller {
        None => None,
        Some(caller) => Some(Caller::from_name(&caller)?),
    };
    // A rule that is bound to a definition and names a tool is for one tool. An earlier version did not
    // escape a star in the tool's name.
    let is_one = |tool: &String| rule.pin.is_none() || pattern::literal_len(tool).is_none();
    let tool = rule.tool.map(|tool| if is_one(&tool) { tool } else { pattern::escape(&tool) });
    Some(Rule {
        id,
        rule: NewRule {
            effect,
            server: rule.server_id.map(ServerId),
            tool,
            caller,
            destructive_only: rule.destructive_only,
            arguments,
            expires_ms: rule.expires_at_us.map(|at| at / 1_000),
        },
        pin: rule.pin,
        from_answer: rule.from_answer,
        created_ms: created_at_us / 1_000,
    })
}

impl RuleView {
    /// The rule's name in an error.
    pub fn label(&self) -> Sentence {
        Sentence::quoted(self.rule.name())
    }
}
