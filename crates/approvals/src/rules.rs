//! The rules in force: those of the database, and those that count until the application ends.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use mooring_base::clock::{forward_ms, now_ms};
use mooring_base::server_id::ServerId;
use mooring_policy::{Caller, Decision, InvalidRule, NewRule, RULES, Rule, RuleBook, pattern};
use mooring_store::{NewRule as StoredRule, RuleRow, Rules, StoreError};
use mooring_words::{Sentence, say};
use serde::Serialize;
use tokio::sync::Notify;
use ts_rs::TS;

use crate::error::RuleError;

/// How long uses are gathered before they are written down: so much is lost at most when the process is killed.
const PACE: Duration = Duration::from_secs(3);
/// How many session rules that were taken back can be restored.
const UNDO: usize = 100;

/// A rule with what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RuleView {
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule,
    /// The server's name.
    pub server_name: Option<String>,
    /// It counts until the application ends.
    pub session: bool,
    /// How often it has decided.
    pub uses: u32,
    /// When it last decided, in milliseconds since the Unix epoch.
    #[serde(rename = "usedAt")]
    pub used_ms: Option<i64>,
    /// Another program changed it, removed it or added it: it counts as Mooring wrote it, and one that was added only
    /// where it refuses. Saving or removing it settles that.
    pub changed: bool,
}

/// For how long an answer counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Until the application ends.
    Session,
    /// For an hour.
    Hour,
    /// Always.
    Always,
}

/// What an answer was about, and what it was.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The tool's server.
    pub server: ServerId,
    /// Its name.
    pub tool: &'a str,
    /// What was answered.
    pub answer: Remembered<'a>,
}

/// An answer that is remembered.
#[derive(Debug, Clone, Copy)]
pub enum Remembered<'a> {
    /// Yes, for the definition that the person saw, to whoever called.
    Yes {
        /// The definition's hash.
        definition: &'a str,
        /// Who called.
        caller: Caller,
    },
    /// No, whatever the tool becomes and whoever calls it.
    No,
}

/// How often a rule has decided.
#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    times: u32,
    last_ms: i64,
    /// Of them, those that are not in the database yet.
    unsaved: u32,
}

#[derive(Debug, Default)]
struct Held {
    rules: BTreeMap<i64, Rule>,
    /// Session rules that were taken back.
    taken_back: VecDeque<Rule>,
    uses: BTreeMap<i64, Uses>,
    /// Those that another program changed, removed or added.
    changed: BTreeSet<i64>,
    /// Of them, those that do not count.
    uncounted: BTreeSet<i64>,
    last_session: i64,
}

/// Is told that the rules have changed.
pub type OnRulesChange = Arc<dyn Fn() + Send + Sync>;

/// The rules in force, with how often each has decided. Shared by everything that calls tools.
pub struct RuleMemory {
    table: Rules,
    /// Changes are made one at a time.
    turn: tokio::sync::Mutex<()>,
    held: Mutex<Held>,
    /// There are uses to be written down.
    uses: Notify,
    /// What decides. Read for every call, and never while the disk is waited for.
    book: RwLock<RuleBook>,
    told: OnRulesChange,
}

impl fmt::Debug for RuleMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleMemory").finish_non_exhaustive()
    }
}

impl RuleMemory {
    /// The rules as they are saved. What was taken back in an earlier run of the window is forgotten.
    pub async fn open(table: Rules, told: OnRulesChange, purge: bool) -> Result<Self, StoreError> {
        if purge {
            table.purge().await?;
        }
        let mut held = Held::default();
        let rows = match table.list().await {
            // They are read again once the key in force is there.
            Err(StoreError::OtherKey) => Vec::new(),
            rows => rows?,
        };
        for row in rows {
            held.keep(row);
        }
        let book = RwLock::new(held.book());
        let (turn, uses) = (tokio::sync::Mutex::default(), Notify::new());
        Ok(Self { table, turn, held: Mutex::new(held), uses, book, told })
    }

    /// Reads the rules again, once the vault's key can say which of them Mooring wrote.
    pub async fn reload(&self) -> Result<(), StoreError> {
        let _turn = self.turn.lock().await;
        let rows = self.table.list().await?;
        {
            let mut held = self.held();
            held.rules.retain(|id, _| *id < 0);
            for row in rows {
                held.keep(row);
            }
        }
        self.changed();
        Ok(())
    }

    /// The rules in force.
    pub fn book(&self) -> RuleBook {
        self.book.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        let book = self.held().book();
        *self.book.write().unwrap_or_else(PoisonError::into_inner) = book;
        (self.told)();
    }

    /// Whether there is such a rule, and its time is not over.
    pub fn is_in_force(&self, id: i64) -> bool {
        let now = forward_ms();
        self.book().rules().iter().any(|rule| rule.id == id && rule.is_in_force(now))
    }

    /// Every rule whose time is not over, the most specific first.
    pub fn views(&self) -> Vec<RuleView> {
        let (book, now) = (self.book(), forward_ms());
        let held = self.held();
        let uncounted = held.uncounted.iter().filter_map(|id| held.rules.get(id));
        let shown = book.rules().iter().chain(uncounted).filter(|rule| rule.is_in_force(now));
        shown.map(|rule| held.view(rule)).collect()
    }

    /// Makes a rule, or changes one. One that counts until the application ends stays so.
    pub async fn save(&self, id: Option<i64>, rule: NewRule) -> Result<RuleView, RuleError> {
        let rule = rule.checked()?;
        let _turn = self.turn.lock().await;
        let before = id.map(|id| self.find(id)).transpose()?;
        if before.is_none() && self.held().rules.len() >= RULES {
            let message = say!("there are {limit} rules already", limit = RULES);
            return Err(InvalidRule { field: "rules", message }.into());
        }
        let new = Rule::drafted(id.unwrap_or_default(), before.as_ref(), rule);
        match id {
            Some(id) if id < 0 => Ok(self.keep_session(&new)),
            id => self.write(id, new).await,
        }
    }

    /// Makes the rule of an answer. The answer itself is on the disk already.
    pub async fn remember(&self, subject: Subject<'_>, scope: Scope) -> Result<i64, RuleError> {
        const HOUR: i64 = 60 * 60 * 1_000;
        let now = forward_ms();
        let (effect, pin, caller) = match subject.answer {
            Remembered::Yes { definition, caller } => {
                (Decision::Allow, Some(definition.to_owned()), Some(caller))
            }
            Remembered::No => (Decision::Deny, None, None),
        };
        let rule = Rule {
            id: 0,
            rule: NewRule {
                effect,
                server: Some(subject.server),
                tool: Some(pattern::literal(subject.tool)),
                caller,
                destructive_only: false,
                arguments: Vec::new(),
                expires_ms: (scope == Scope::Hour).then_some(now + HOUR),
            },
            pin,
            from_answer: true,
            created_ms: now,
        };
        let _turn = self.turn.lock().await;
        if scope == Scope::Session {
            let id = {
                let mut held = self.held();
                held.last_session -= 1;
                held.last_session
            };
            return Ok(self.keep_session(&Rule { id, ..rule }).rule.id);
        }
        Ok(self.write(None, rule).await?.rule.id)
    }

    fn find(&self, id: i64) -> Result<Rule, RuleError> {
        self.held().rules.get(&id).cloned().ok_or(RuleError::NoSuch(id))
    }

    fn keep_session(&self, rule: &Rule) -> RuleView {
        let view = {
            let mut held = self.held();
            held.rules.insert(rule.id, rule.clone());
            held.view(rule)
        };
        self.changed();
        view
    }

    async fn write(&self, id: Option<i64>, rule: Rule) -> Result<RuleView, RuleError> {
        let row = self.table.save(id, &stored(&rule)).await?;
        self.take(row.ok_or_else(|| RuleError::NoSuch(id.unwrap_or_default()))?)
    }

    /// Takes in a row that was written.
    fn take(&self, row: RuleRow) -> Result<RuleView, RuleError> {
        let id = row.id;
        self.held().keep(row);
        self.changed();
        let rule = self.find(id)?;
        Ok(self.held().view(&rule))
    }

    /// Takes a rule back.
    pub async fn remove(&self, id: i64) -> Result<(), RuleError> {
        let _turn = self.turn.lock().await;
        let rule = self.find(id)?;
        if id >= 0 && !self.table.remove(id).await? {
            return Err(RuleError::NoSuch(id));
        }
        {
            let mut held = self.held();
            held.rules.remove(&id);
            held.changed.remove(&id);
            held.uncounted.remove(&id);
            if id < 0 {
                held.taken_back.push_back(rule);
                if held.taken_back.len() > UNDO {
                    held.taken_back.pop_front();
                }
            }
        }
        self.changed();
        Ok(())
    }

    /// Brings a rule back.
    pub async fn restore(&self, id: i64) -> Result<RuleView, RuleError> {
        let _turn = self.turn.lock().await;
        if let Ok(rule) = self.find(id) {
            return Ok(self.held().view(&rule));
        }
        if id >= 0 {
            let row = self.table.restore(id).await?;
            return self.take(row.ok_or(RuleError::NoSuch(id))?);
        }
        let found = {
            let mut held = self.held();
            let at = held.taken_back.iter().position(|rule| rule.id == id);
            at.and_then(|at| held.taken_back.remove(at))
        };
        Ok(self.keep_session(&found.ok_or(RuleError::NoSuch(id))?))
    }

    /// A rule has decided. It is counted on the disk later.
    pub fn used(&self, id: i64) {
        let mut held = self.held();
        if held.rules.contains_key(&id) {
            let uses = held.uses.entry(id).or_default();
            uses.times = uses.times.saturating_add(1);
            uses.unsaved = uses.unsaved.saturating_add(1);
            uses.last_ms = now_ms();
            drop(held);
            self.uses.notify_one();
        }
    }

    /// Writes down how often rules have decided, soon after they have, for as long as it is polled.
    pub async fn keep_counted(&self) {
        loop {
            self.uses.notified().await;
            tokio::time::sleep(PACE).await;
            self.flush().await;
        }
    }

    /// Writes down how often rules have decided.
    pub async fn flush(&self) {
        let counts: Vec<(i64, u32, i64)> = {
            let mut held = self.held();
            let unsaved = held.uses.iter_mut().filter(|(id, uses)| **id >= 0 && uses.unsaved > 0);
            unsaved.map(|(id, uses)| (*id, std::mem::take(&mut uses.unsaved), uses.last_ms * 1_000)).collect()
        };
        if !counts.is_empty()
            && let Err(error) = self.table.count(&counts).await
        {
            tracing::warn!(%error, "how often rules have decided could not be written down");
            let mut held = self.held();
            for (id, times, _) in counts {
                let uses = held.uses.entry(id).or_default();
                uses.unsaved = uses.unsaved.saturating_add(times);
            }
        }
    }
}

impl Held {
    fn keep(&mut self, row: RuleRow) {
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
            tracing::warn!(id, "a rule cannot be read: it does not count");
        }
    }

    fn book(&self) -> RuleBook {
        let counted = self.rules.values().filter(|rule| !self.uncounted.contains(&rule.id));
        RuleBook::new(counted.cloned().collect())
    }

    fn view(&self, rule: &Rule) -> RuleView {
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

fn stored(rule: &Rule) -> StoredRule {
    let NewRule { effect, server, tool, caller, destructive_only, arguments, expires_ms } = &rule.rule;
    StoredRule {
        effect: effect.as_str().to_owned(),
        server_id: server.map(|server| server.0),
        tool: tool.clone(),
        caller: caller.map(|caller| caller.as_str().to_owned()),
        destructive_only: *destructive_only,
        arguments: serde_json::to_string(arguments).unwrap_or_else(|_| "[]".to_owned()),
        pin: rule.pin.clone(),
        from_answer: rule.from_answer,
        expires_at_us: expires_ms.map(|at| at.saturating_mul(1_000)),
    }
}

/// The rule of a row. One with conditions that cannot be read is left out if it allows, and counts without them
/// otherwise: what cannot be understood refuses nothing less.
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
    // What is bound to a definition is for one tool. An earlier version kept a star in its name as it is.
    let is_one = |tool: &String| rule.pin.is_none() || pattern::given(tool).is_none();
    let tool = rule.tool.map(|tool| if is_one(&tool) { tool } else { pattern::literal(&tool) });
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
    /// What an error names it by.
    pub fn said(&self) -> Sentence {
        Sentence::quoted(self.rule.name())
    }
}
