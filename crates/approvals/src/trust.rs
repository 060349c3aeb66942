//! Approvals of a server: of its own definition, which says how it is started or reached, and of each item
//! that it offers. Each approval is for the hash of the whole definition.
//!
//! Everything is recorded when it is first seen, and is *new* until the person approves it. A definition that
//! differs from the approved one, or from the one first seen, has *changed*, and is blocked until the person
//! has reviewed it. Because approvals are for a hash, only what was shown can be approved.

mod approve;
mod definition;
mod program;
mod remembered;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mooring_base::clock::now_us;
use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_policy::definition::unstarted_pin;
use mooring_policy::{Approval, PinItem, PinKind, PinState, PinView, TrustView, diff_forms, display_form};
use mooring_store::{PinRow, PinSummary, Pins, RememberedLists, ServerLogins, Servers, Store, TableChanges};
use serde::Serialize;
use ts_rs::TS;

use self::approve::KnownBefore;
use self::program::ProgramHashes;
use crate::error::TrustError;

pub use self::definition::settings_hash;
pub use self::remembered::{ListedIn, ListedItem, ListedOffers, RememberedServer};

/// A pin without its canonical JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KnownPin {
    hash: String,
    known: String,
    gone: bool,
    approved: bool,
}

impl KnownPin {
    fn approval(&self) -> Approval {
        if self.hash != self.known {
            Approval::Changed
        } else if self.approved {
            Approval::Approved
        } else {
            Approval::New
        }
    }
}

/// The pins of one server, by kind and name.
type KnownPins = HashMap<PinKind, HashMap<String, KnownPin>>;

/// Called when the approvals of a server have changed.
pub type OnTrustChange = Arc<dyn Fn(ServerId) + Send + Sync>;

/// Whether another process keeps the servers running.
pub type IsSupervisedElsewhere = Arc<dyn Fn() -> bool + Send + Sync>;

/// How many of a server's items are approved. Apps don't see the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReviewCounts {
    /// Number of approved items.
    pub approved: usize,
    /// Number of approved tools.
    pub approved_tools: usize,
    /// Number of items that were never approved.
    pub new: usize,
    /// Number of items that have changed since they were approved.
    pub changed: usize,
    /// Whether the server's own definition has changed since it was approved. The server does not run then.
    pub blocked: bool,
}

/// What the person has to review at a server, and how much of it apps see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerReview {
    /// The server's name.
    pub server: String,
    /// Whether the server's lists were read at least once.
    pub listed: bool,
    /// How many of its items are approved.
    #[serde(flatten)]
    pub counts: ReviewCounts,
}

/// The known and approved definitions of every server.
pub struct Trust {
    pins: Pins,
    logins: ServerLogins,
    programs: ProgramHashes,
    /// Serializes changes.
    change_lock: tokio::sync::Mutex<()>,
    known_pins: Mutex<HashMap<ServerId, KnownPins>>,
    /// The states of items before they were approved in this process. Used to undo approvals.
    before_approval: Mutex<HashMap<(ServerId, PinKind, String), KnownBefore>>,
    remembered_table: RememberedLists,
    remembered: Mutex<HashMap<ServerId, Arc<RememberedServer>>>,
    on_change: OnTrustChange,
    is_supervised_elsewhere: IsSupervisedElsewhere,
    servers: Servers,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trust").finish_non_exhaustive()
    }
}

impl Trust {
    /// Creates the approvals for the servers in a store.
    pub fn new(
        store: &Store,
        on_change: OnTrustChange,
        is_supervised_elsewhere: IsSupervisedElsewhere,
    ) -> Self {
        Self {
            pins: store.pins(),
            logins: store.server_logins(),
            programs: ProgramHashes::default(),
            change_lock: tokio::sync::Mutex::default(),
            known_pins: Mutex::default(),
            before_approval: Mutex::default(),
            remembered_table: store.remembered_lists(),
            remembered: Mutex::default(),
            on_change,
            is_supervised_elsewhere,
            servers: store.servers(),
        }
    }

    fn known_pins(&self) -> MutexGuard<'_, HashMap<ServerId, KnownPins>> {
        lock(&self.known_pins)
    }

    fn lock_remembered(&self) -> MutexGuard<'_, HashMap<ServerId, Arc<RememberedServer>>> {
        lock(&self.remembered)
    }

    fn notify_change(&self, server: ServerId) {
        (self.on_change)(server);
    }

    /// Loads the pins of a server, unless they are in memory.
    pub async fn load(&self, server: ServerId) -> Result<(), TrustError> {
        if self.known_pins().contains_key(&server) {
            return Ok(());
        }
        let _turn = self.change_lock.lock().await;
        self.read_pins(server).await
    }

    /// Reads the pins of a server, unless they are in memory. The caller holds `change_lock`.
    async fn read_pins(&self, server: ServerId) -> Result<(), TrustError> {
        if self.known_pins().contains_key(&server) {
            return Ok(());
        }
        let mut read = KnownPins::new();
        for row in self.pins.summaries(server.0).await? {
            let PinSummary { kind, name, hash, known_hash, gone, approved } = row;
            let Some(kind) = PinKind::from_name(&kind) else { continue };
            let mark = KnownPin { hash, known: known_hash, gone, approved };
            read.entry(kind).or_default().insert(name, mark);
        }
        self.known_pins().entry(server).or_insert(read);
        Ok(())
    }

    /// Reads the pins of the servers in memory again, when the vault's key can verify what Mooring wrote.
    pub async fn reload(&self) -> Result<(), TrustError> {
        let _turn = self.change_lock.lock().await;
        let read: Vec<ServerId> = self.known_pins().keys().copied().collect();
        for server in read {
            let before = self.known_pins().remove(&server);
            self.read_pins(server).await?;
            if self.known_pins().get(&server) != before.as_ref() {
                self.notify_change(server);
            }
        }
        Ok(())
    }

    /// Adopts approvals of other processes soon after they are made. Never returns. Calls `on_definition`
    /// with each server whose own definition was approved.
    pub async fn watch(&self, mut changes: TableChanges, on_definition: impl Fn(ServerId)) {
        let mut before = HashMap::new();
        loop {
            let adopted = self.adopt_approvals(&mut before, &on_definition).await;
            changes.changed_after(adopted, "what was approved could not be read again").await;
        }
    }

    /// Takes over what other processes approved or withdrew since `before`. Updates `before`.
    async fn adopt_approvals(
        &self,
        before: &mut HashMap<i64, (i64, i64)>,
        on_definition: &impl Fn(ServerId),
    ) -> Result<(), TrustError> {
        let now = self.pins.approvals().await?;
        let all: HashSet<i64> = before.keys().chain(now.keys()).copied().collect();
        for server in all.into_iter().filter(|server| before.get(server) != now.get(server)).map(ServerId) {
            let _turn = self.change_lock.lock().await;
            let mut adopted = Vec::new();
            for row in self.pins.summaries(server.0).await? {
                let mut all = self.known_pins();
                let Some((kind, marks)) = PinKind::from_name(&row.kind).zip(all.get_mut(&server)) else {
                    continue;
                };
                let PinSummary { name, hash, known_hash: known, approved, .. } = row;
                let of_kind = marks.entry(kind).or_default();
                if !approved && !of_kind.get(&name).is_some_and(|mark| mark.approved) {
                    continue;
                }
                // If the item is not listed in this process yet, it will be compared with the pin when it is.
                let unseen = || KnownPin { hash, known: String::new(), gone: true, approved: false };
                let mark = of_kind.entry(name).or_insert_with(unseen);
                if mark.approved != approved || mark.known != known {
                    (mark.known, mark.approved) = (known, approved);
                    adopted.push(kind);
                }
            }
            if !adopted.is_empty() {
                self.notify_change(server);
            }
            if adopted.contains(&PinKind::Server) {
                on_definition(server);
            }
        }
        *before = now;
        Ok(())
    }

    /// Reads the pins of a server that is not connected again, because another process may have reviewed it.
    pub async fn reread(&self, server: ServerId) -> Result<(), TrustError> {
        let _turn = self.change_lock.lock().await;
        self.known_pins().remove(&server);
        self.lock_remembered().remove(&server);
        self.read_pins(server).await
    }

    /// The approval of an item, and the hash of its current definition. The hash is `None` if the item is
    /// gone or unknown.
    pub fn approval(&self, server: ServerId, kind: PinKind, name: &str) -> (Approval, Option<String>) {
        let marks = self.known_pins();
        let mark = marks.get(&server).and_then(|marks| marks.get(&kind)?.get(name));
        mark.map_or((Approval::Unknown, None), |mark| {
            // Calls of an item that is gone have no definition.
            (mark.approval(), (!mark.gone).then(|| mark.hash.clone()))
        })
    }

    /// How many of a server's items are approved, and how many have to be reviewed. `name` is the server's
    /// name.
    pub async fn review(&self, server: ServerId, name: String) -> Result<ServerReview, TrustError> {
        self.load(server).await?;
        let listed = self.remembered(server).await?.is_listed();
        Ok(ServerReview { server: name, listed, counts: self.review_counts(server) })
    }

    /// How many of a server's items are approved. Only counts pins in memory.
    pub fn review_counts(&self, server: ServerId) -> ReviewCounts {
        let mut counts = ReviewCounts::default();
        let marks = self.known_pins();
        for (kind, marks) in marks.get(&server).into_iter().flatten() {
            for mark in marks.values().filter(|mark| !mark.gone) {
                match (kind, mark.approval()) {
                    (PinKind::Server, Approval::Changed) => counts.blocked = true,
                    (PinKind::Server, _) | (_, Approval::Unknown) => {}
                    (_, Approval::Approved) => {
                        counts.approved += 1;
                        counts.approved_tools += usize::from(*kind == PinKind::Tool);
                    }
                    (_, Approval::New) => counts.new += 1,
                    (_, Approval::Changed) => counts.changed += 1,
                }
            }
        }
        counts
    }

    /// Whether an item of a server is blocked because it has changed. Only considers pins in memory.
    pub fn has_changes(&self, server: ServerId) -> bool {
        let marks = self.known_pins();
        let all = marks.get(&server).into_iter().flat_map(HashMap::values).flat_map(HashMap::values);
        all.filter(|mark| !mark.gone).any(|mark| mark.approval() == Approval::Changed)
    }

    /// Whether an item still has this hash, and is not blocked.
    pub fn is_unchanged(&self, server: ServerId, kind: PinKind, name: &str, hash: Option<&str>) -> bool {
        let marks = self.known_pins();
        let mark = marks.get(&server).and_then(|marks| marks.get(&kind)?.get(name));
        match (mark, hash) {
            (Some(mark), Some(hash)) => mark.hash == hash && mark.approval() != Approval::Changed,
            (Some(mark), None) => mark.approval() != Approval::Changed,
            (None, None) => true,
            (None, Some(_)) => false,
        }
    }

    /// Records everything of these kinds that a server has now, before anyone can use it. If the database
    /// can't be written, the change is only in memory.
    pub async fn record(&self, server: ServerId, kinds: &[PinKind], items: Vec<PinItem>) {
        let _turn = self.change_lock.lock().await;
        let recorded = self.record_items(server, kinds, items, false).await;
        if let Err(error) = recorded {
            tracing::warn!(%error, "what a server offers could not be recorded");
        }
    }

    /// Records items. The caller holds `change_lock`. With `is_first_look`, an unapproved item may differ,
    /// because another part of it is seen for the first time.
    async fn record_items(
        &self,
        server: ServerId,
        kinds: &[PinKind],
        items: Vec<PinItem>,
        is_first_look: bool,
    ) -> Result<(), TrustError> {
        self.read_pins(server).await?;
        let (changed, gone) = self.apply_items(server, kinds, &items, is_first_look);
        let is_changed = !changed.is_empty() || !gone.is_empty();
        let saved = if self.is_recorder(server).await? {
            self.save_items(server, kinds, &items, changed, is_first_look).await
        } else {
            Ok(())
        };
        if is_changed {
            self.notify_change(server);
        }
        saved
    }

    /// Whether this process saves what it sees of a server. If another process keeps the server running, that
    /// process does, because its view is the one that the person and apps see.
    async fn is_recorder(&self, server: ServerId) -> Result<bool, TrustError> {
        if !(self.is_supervised_elsewhere)() {
            return Ok(true);
        }
        let servers = self.servers.list().await?;
        Ok(!servers.iter().any(|row| row.id == server.0 && row.enabled))
    }

    /// Saves what differs from the known pins or from the table. Another process may have saved what it
    /// received.
    async fn save_items(
        &self,
        server: ServerId,
        kinds: &[PinKind],
        items: &[PinItem],
        changed: Vec<usize>,
        is_first_look: bool,
    ) -> Result<(), TrustError> {
        let table = self.pins.summaries(server.0).await?;
        let rows = table.iter().filter(|row| !row.gone);
        let saved: HashSet<_> = rows.map(|row| (row.kind.as_str(), &*row.name, &*row.hash)).collect();
        let is_saved = |item: &PinItem| saved.contains(&(item.kind.as_str(), &*item.name, &*item.hash));
        let changed: HashSet<usize> = changed.into_iter().collect();
        let (now, mut rows) = (now_us(), Vec::new());
        for (_, item) in items.iter().enumerate().filter(|(at, item)| changed.contains(at) || !is_saved(item))
        {
            let known = self.pins.get(server.0, item.kind.as_str(), &item.name).await?;
            let is_seen_first = |known: &PinRow| {
                is_first_look && known.approved_at_us.is_none() && known.hash == known.known_hash
            };
            rows.push(build_pin_row(item, known.filter(|known| !is_seen_first(known)), now));
        }
        let here: HashSet<_> = items.iter().map(|item| (item.kind.as_str(), &*item.name)).collect();
        let is_gone = |row: &&PinSummary| {
            let kind = row.kind.as_str();
            !row.gone && kinds.iter().any(|it| it.as_str() == kind) && !here.contains(&(kind, &*row.name))
        };
        for row in table.iter().filter(is_gone) {
            if let Some(row) = self.pins.get(server.0, &row.kind, &row.name).await? {
                rows.push(PinRow { gone: true, seen_at_us: now, ..row });
            }
        }
        if rows.is_empty() { Ok(()) } else { Ok(self.pins.save(server.0, &rows, None, false).await?) }
    }

    /// Puts a server's current items into memory. Returns which items differ from those in memory, and which
    /// are gone.
    fn apply_items(
        &self,
        server: ServerId,
        kinds: &[PinKind],
        items: &[PinItem],
        is_first_look: bool,
    ) -> (Vec<usize>, Vec<(PinKind, String)>) {
        let mut all = self.known_pins();
        let marks = all.entry(server).or_default();
        let mut changed = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let of_kind = marks.entry(item.kind).or_default();
            match of_kind.get_mut(&item.name) {
                Some(mark) if mark.hash == item.hash && !mark.gone => {}
                Some(mark) => {
                    if is_first_look && !mark.approved && mark.known == mark.hash {
                        mark.known.clone_from(&item.hash);
                    }
                    mark.hash.clone_from(&item.hash);
                    mark.gone = false;
                    changed.push(at);
                }
                None => {
                    let hash = item.hash.clone();
                    let mark = KnownPin { known: hash.clone(), hash, gone: false, approved: false };
                    of_kind.insert(item.name.clone(), mark);
                    changed.push(at);
                }
            }
        }
        let mut gone = Vec::new();
        for kind in kinds {
            let here: HashSet<&str> =
                items.iter().filter(|item| item.kind == *kind).map(|item| item.name.as_str()).collect();
            for (name, mark) in marks.entry(*kind).or_default() {
                if !mark.gone && !here.contains(name.as_str()) {
                    mark.gone = true;
                    gone.push((*kind, name.clone()));
                }
            }
        }
        (changed, gone)
    }

    /// The pins of a server: what is approved, and what has changed since.
    pub async fn view(&self, server: ServerId, config: &NewServer) -> Result<TrustView, TrustError> {
        let rows = self.pins.list_for_server(server.0).await?;
        // Before its first start, the server's definition consists of the saved settings. What they resolve
        // to is unknown.
        let form = self::definition::settings_form(config).map_err(TrustError::internal)?;
        let definition = unstarted_pin(form);
        let worked = tokio::task::spawn_blocking(move || {
            let mut view = TrustView { server, definition, items: Vec::new() };
            for row in rows {
                let Some(pin) = to_pin_view(row) else { continue };
                if pin.kind == PinKind::Server { view.definition = pin } else { view.items.push(pin) }
            }
            view.items.sort_by_cached_key(|pin| (sort_rank(pin.state), pin.kind, pin.name.clone()));
            view
        });
        let mut view: TrustView = worked.await.map_err(TrustError::internal)?;
        let marks = self.known_pins();
        for item in &mut view.items {
            let mark = marks.get(&server).and_then(|marks| marks.get(&item.kind)?.get(&item.name));
            // Another process received a different definition from the server. The view shows that one.
            if mark.is_some_and(|mark| !mark.gone && mark.hash != item.hash) {
                item.state = PinState::Changed;
            }
        }
        Ok(view)
    }

    /// Puts a pin into memory, if the server's other pins are in memory. Otherwise this pin would look like
    /// the only one of the server, and the others would be ignored.
    fn remember_pin(&self, server: ServerId, row: &PinRow) {
        let Some(kind) = PinKind::from_name(&row.kind) else { return };
        let mark = KnownPin {
            hash: row.hash.clone(),
            known: row.known_hash.clone(),
            gone: row.gone,
            approved: row.approved_at_us.is_some(),
        };
        if let Some(marks) = self.known_pins().get_mut(&server) {
            marks.entry(kind).or_default().insert(row.name.clone(), mark);
        }
    }
}

/// The order of pins: those that need the person's attention come first.
fn sort_rank(state: PinState) -> u8 {
    match state {
        PinState::Changed => 0,
        PinState::New => 1,
        PinState::Approved => 2,
        PinState::Gone => 3,
    }
}

fn to_pin_view(row: PinRow) -> Option<PinView> {
    let kind = PinKind::from_name(&row.kind)?;
    let differs = row.hash != row.known_hash;
    let state = match (row.gone, differs, row.approved_at_us) {
        (true, ..) => PinState::Gone,
        (false, true, _) => PinState::Changed,
        (false, false, Some(_)) => PinState::Approved,
        (false, false, None) => PinState::New,
    };
    let now = display_form(&row.form, &row.hash);
    let (changes, unshown) = if differs {
        diff_forms(&display_form(&row.known_form, &row.known_hash).form, &now.form)
    } else {
        (Vec::new(), 0)
    };
    // A truncated form is not a complete definition.
    let is_whole_tool = kind == PinKind::Tool && now.whole.is_none();
    let for_apps = if is_whole_tool { mooring_tool_list::for_apps(&now.form) } else { None };
    Some(PinView {
        for_apps,
        kind,
        name: row.name,
        state,
        hash: row.hash,
        approved_ms: row.approved_at_us.map(|at| at / 1_000),
        changes,
        unshown,
        hidden: now.hidden,
        now: now.form,
        whole: now.whole,
    })
}

/// The row of an item, with what was known of it before.
fn build_pin_row(item: &PinItem, known: Option<PinRow>, now_us: i64) -> PinRow {
    let row = PinRow {
        kind: item.kind.as_str().to_owned(),
        name: item.name.clone(),
        hash: item.hash.clone(),
        form: item.form().to_owned(),
        known_hash: item.hash.clone(),
        known_form: item.form().to_owned(),
        gone: false,
        approved_at_us: None,
        seen_at_us: now_us,
    };
    match known {
        Some(known) => PinRow {
            known_hash: known.known_hash,
            known_form: known.known_form,
            approved_at_us: known.approved_at_us,
            ..row
        },
        None => row,
    }
}
