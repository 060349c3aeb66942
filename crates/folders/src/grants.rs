//! The folders that a person granted, and which of them each server may see.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mooring_base::clock::now_ms;
use mooring_base::server_id::ServerId;
use mooring_base::view_serde;
use mooring_errors::HostError;
use mooring_inbox::InteractionFolder;
use mooring_mcp::Refusal;
use mooring_roots::{Root, RootBreadth, RootError, build_roots_list};
use mooring_store::{RootRow, Roots};
use mooring_words::Sentence;
use serde::Serialize;
use serde_json::value::RawValue;
use ts_rs::TS;

/// The maximum number of folders granted to one server, or to all servers.
const MAX_ROOTS: usize = 100;
/// How long a temporary decision lasts.
const HOUR: Duration = Duration::from_hours(1);
/// The maximum number of characters in a folder's name.
const LONGEST_NAME: usize = 128;

/// A granted folder, for front ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct RootView {
    /// Its id.
    pub id: i64,
    /// The server that it is granted to, or `None` for every server that may see the shared folders.
    pub server: Option<ServerId>,
    /// Its canonical path.
    #[serde(serialize_with = "view_serde::path")]
    pub path: PathBuf,
    /// Its display name, or `None` for the folder's own name.
    pub name: Option<String>,
    /// It contains far more than one project, and the person confirmed that a second time.
    pub wide: bool,
    /// Why it is currently not sent to servers, if so.
    #[ts(as = "Option<Sentence>")]
    pub problem: Option<RootError>,
}

/// The folders of one server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerRoots {
    /// The server's own folders, followed by the shared ones.
    pub roots: Vec<RootView>,
    /// Whether it may see the shared folders, or some of them temporarily. `None` if that was not decided.
    pub shared: Option<bool>,
    /// When it last requested the folders, in milliseconds since the Unix epoch.
    #[serde(rename = "askedAt")]
    pub asked_ms: Option<i64>,
    /// How many folders it then received, or `None` if the request was not answered.
    pub sent: Option<usize>,
}

/// The last request of a server for its folders.
#[derive(Debug, Clone, Copy)]
struct LastRequest {
    asked_ms: i64,
    sent: Option<usize>,
}

/// The folders that a server may see before the person is asked.
pub(crate) struct VisibleRoots {
    /// The server's own folders, and the shared ones that it may see.
    pub(crate) shared: Vec<RootRow>,
    /// The shared folders, while it is undecided whether the server may see them.
    pub(crate) undecided: Vec<RootRow>,
}

/// The granted folders, and which servers may see the shared ones.
#[derive(Debug)]
pub struct RootGrants {
    table: Roots,
    asked: Mutex<BTreeMap<ServerId, LastRequest>>,
    /// Temporary decisions, which are not saved.
    temporary: Mutex<BTreeMap<ServerId, TemporaryShares>>,
    /// The folders that the profile in use leaves to servers. `None` for all.
    visible: Mutex<Option<BTreeSet<PathBuf>>>,
    /// The number of the last temporary decision.
    answers: AtomicI64,
    /// The grants at the last check, or `None` before the first one.
    last_seen: tokio::sync::Mutex<Option<GrantSnapshot>>,
}

/// The temporary decisions about one server.
#[derive(Debug, Default)]
struct TemporaryShares {
    /// The shared folders that the server may see, by id. A yes only covers the folders that the person saw.
    allowed: BTreeMap<i64, TemporaryAnswer>,
    /// All other shared folders are refused.
    refused: Option<TemporaryAnswer>,
}

impl TemporaryShares {
    /// Whether an answer is still in force for at least one folder.
    fn has_answer(&self, answer: i64) -> bool {
        self.allowed
            .values()
            .chain(&self.refused)
            .any(|counts| counts.answer == answer && counts.until.is_active())
    }
}

/// The number of an answer, and when it expires.
#[derive(Debug, Clone, Copy)]
struct TemporaryAnswer {
    answer: i64,
    until: Expiry,
}

/// When a decision expires.
#[derive(Debug, Clone, Copy)]
enum Expiry {
    /// At the end of the run.
    RunEnd,
    /// At this moment.
    At(Instant),
}

impl Expiry {
    fn is_active(self) -> bool {
        match self {
            Self::RunEnd => true,
            Self::At(moment) => Instant::now() < moment,
        }
    }
}

/// All grants and shares at the last check.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GrantSnapshot {
    roots: Vec<RootRow>,
    shared: BTreeMap<i64, bool>,
}

/// Which servers a change of the folders affects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RootsChange {
    /// Unknown, because there was no earlier check to compare with.
    Unknown,
    /// All servers.
    AllServers,
    /// These servers.
    Servers(Vec<ServerId>),
}

/// How long an unsaved decision lasts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ShareDuration {
    /// Until the end of the run.
    Run,
    /// For an hour.
    Hour,
}

impl RootGrants {
    /// The grants in this table, before anything temporary was decided.
    pub fn new(table: Roots) -> Self {
        Self {
            table,
            asked: Mutex::default(),
            temporary: Mutex::default(),
            visible: Mutex::default(),
            answers: AtomicI64::default(),
            last_seen: tokio::sync::Mutex::default(),
        }
    }

    /// All granted folders, checked on the disk now.
    pub(crate) async fn list(&self) -> Result<Vec<RootView>, HostError> {
        view_roots(self.table.list().await?).await
    }

    /// The folders of one server, checked on the disk now.
    pub(crate) async fn of_server(&self, server: ServerId) -> Result<ServerRoots, HostError> {
        let roots = view_roots(self.table.list_for_server(server.0).await?).await?;
        let saved = self.table.is_sharing_common(server.0).await?;
        let for_all = roots.iter().filter(|root| root.server.is_none());
        let decided: Vec<_> =
            for_all.map(|root| self.temporary_decision(server, root.id).or(saved)).collect();
        let shared = if decided.contains(&Some(true)) {
            Some(true)
        } else if decided.contains(&None) {
            None
        } else {
            decided.first().copied().unwrap_or(saved)
        };
        let last = self.last_requests().get(&server).copied();
        Ok(ServerRoots {
            roots,
            shared,
            asked_ms: last.map(|last| last.asked_ms),
            sent: last.and_then(|last| last.sent),
        })
    }

    /// Grants a folder to one server, or to every server.
    pub(crate) async fn grant(
        &self,
        server: Option<ServerId>,
        path: PathBuf,
        name: Option<String>,
        breadth: RootBreadth,
    ) -> Result<RootView, HostError> {
        let name = checked_name(name)?;
        if !path.is_absolute() {
            return Err(RootError::Relative(path).into());
        }
        let root = blocking(move || Root::grant(&path, None, breadth)).await??;
        // A narrow folder needs no confirmation, even if the person gave one.
        let narrow = root.path().to_owned();
        let wide = breadth == RootBreadth::Wide
            && blocking(move || Root::grant(&narrow, None, RootBreadth::Narrow)).await?.is_err();
        let Some(path) = root.path().to_str() else {
            return Err(RootError::NotUnicode(root.path().to_owned()).into());
        };
        let server = server.map(|server| server.0);
        let there = self.table.list().await?;
        let beside = there.iter().filter(|row| row.server_id == server && row.path != path).count();
        if beside >= MAX_ROOTS {
            return Err(RootError::TooMany(MAX_ROOTS).into());
        }
        let row = self.table.grant(server, path, name.as_deref(), wide).await?;
        view_root(row).await
    }

    /// Changes the display name of a folder.
    pub(crate) async fn rename(&self, id: i64, name: Option<String>) -> Result<RootView, HostError> {
        let name = checked_name(name)?;
        let row = self.table.rename(id, name.as_deref()).await?;
        view_root(row.ok_or(HostError::NoSuchRoot(id))?).await
    }

    /// Revokes a folder. Returns the server that it was granted to.
    pub(crate) async fn remove(&self, id: i64) -> Result<Option<ServerId>, HostError> {
        let row = self.table.remove(id).await?.ok_or(HostError::NoSuchRoot(id))?;
        Ok(row.server_id.map(ServerId))
    }

    /// Grants a revoked folder again.
    pub(crate) async fn restore(&self, id: i64) -> Result<RootView, HostError> {
        view_root(self.table.restore(id).await?.ok_or(HostError::NoSuchRoot(id))?).await
    }

    /// Decides whether a server may see the shared folders. Returns whether that replaced a temporary
    /// decision.
    pub(crate) async fn share(&self, server: ServerId, shared: bool) -> Result<bool, HostError> {
        self.table.set_sharing(server.0, shared).await?;
        Ok(self.temporary().remove(&server).is_some())
    }

    /// Whether the person's answer with this number is still in force.
    pub(crate) async fn remembers(&self, server: ServerId, answer: i64) -> Result<bool, HostError> {
        if answer > 0 {
            return Ok(self.table.sharing_decided_at(server.0).await? == Some(answer));
        }
        Ok(self.temporary().get(&server).is_some_and(|passing| passing.has_answer(answer)))
    }

    /// Forgets the person's answer with this number. Other decisions remain. Returns whether it was a
    /// temporary one.
    pub(crate) async fn forget(&self, server: ServerId, answer: i64) -> Result<bool, HostError> {
        if answer > 0 {
            self.table.clear_sharing(server.0, answer).await?;
            return Ok(false);
        }
        let mut passing = self.temporary();
        let Some(passing) = passing.get_mut(&server) else { return Ok(false) };
        let had = passing.has_answer(answer);
        passing.allowed.retain(|_, counts| counts.answer != answer);
        passing.refused = passing.refused.filter(|counts| counts.answer != answer);
        Ok(had)
    }

    fn temporary(&self) -> MutexGuard<'_, BTreeMap<ServerId, TemporaryShares>> {
        self.temporary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Saves the decision that the person made on a server's request. The server receives the folders with
    /// the response, so no change is announced. Returns the answer's number.
    pub(crate) async fn share_on_request(&self, server: ServerId, shared: bool) -> Result<i64, HostError> {
        let mut seen = self.last_seen.lock().await;
        let answer = self.table.set_sharing(server.0, shared).await?;
        self.temporary().remove(&server);
        if let Some(seen) = &mut *seen {
            seen.shared.insert(server.0, shared);
        }
        Ok(answer)
    }

    /// Which servers are affected by the changes of this and other processes since the last call.
    pub(crate) async fn take_changes(&self) -> Result<RootsChange, HostError> {
        let mut seen = self.last_seen.lock().await;
        let roots = self.table.list().await?;
        let now = GrantSnapshot { roots, shared: self.table.list_sharing().await?.into_iter().collect() };
        let Some(before) = seen.replace(now.clone()) else { return Ok(RootsChange::Unknown) };
        let of = |granted: &GrantSnapshot, server: Option<i64>| {
            let roots = granted.roots.iter().filter(|row| row.server_id == server);
            roots.cloned().collect::<Vec<_>>()
        };
        if of(&before, None) != of(&now, None) {
            return Ok(RootsChange::AllServers);
        }
        let of_roots = before.roots.iter().chain(&now.roots).filter_map(|row| row.server_id);
        let servers: BTreeSet<i64> =
            of_roots.chain(before.shared.keys().chain(now.shared.keys()).copied()).collect();
        let is_other = |server: &i64| {
            of(&before, Some(*server)) != of(&now, Some(*server))
                || before.shared.get(server) != now.shared.get(server)
        };
        // A permanent decision of another process replaces a temporary one of this process.
        for (server, shared) in &now.shared {
            if before.shared.get(server) != Some(shared) {
                self.temporary().remove(&ServerId(*server));
            }
        }
        Ok(RootsChange::Servers(servers.into_iter().filter(is_other).map(ServerId).collect()))
    }

    /// Decides temporarily. A yes only covers the folders that the person saw. Returns the answer's number,
    /// which is negative and unique within the run.
    pub(crate) fn share_temporarily(
        &self,
        server: ServerId,
        shown: &[i64],
        shared: bool,
        time: ShareDuration,
    ) -> i64 {
        let until = match time {
            ShareDuration::Run => Expiry::RunEnd,
            ShareDuration::Hour => Expiry::At(Instant::now() + HOUR),
        };
        let answer = self.answers.fetch_sub(1, Ordering::Relaxed) - 1;
        let counts = TemporaryAnswer { answer, until };
        let mut passing = self.temporary();
        let TemporaryShares { allowed, refused } = passing.entry(server).or_default();
        for folder in shown {
            allowed.remove(folder);
            if shared {
                allowed.insert(*folder, counts);
            }
        }
        *refused = (!shared).then_some(counts);
        answer
    }

    /// The temporary decision about a shared folder, while it is in force.
    fn temporary_decision(&self, server: ServerId, folder: i64) -> Option<bool> {
        let passing = self.temporary();
        let TemporaryShares { allowed, refused } = passing.get(&server)?;
        if allowed.get(&folder).is_some_and(|counts| counts.until.is_active()) {
            return Some(true);
        }
        refused.is_some_and(|counts| counts.until.is_active()).then_some(false)
    }

    /// The folders that a server may see now, and those that the person has to decide on.
    pub(crate) async fn visible_roots(&self, server: ServerId) -> Result<VisibleRoots, HostError> {
        self.last_requests().insert(server, LastRequest { asked_ms: now_ms(), sent: None });
        let saved = self.table.is_sharing_common(server.0).await?;
        let mut known = VisibleRoots { shared: Vec::new(), undecided: Vec::new() };
        for row in self.table.list_for_server(server.0).await? {
            if !self.is_visible(&row) {
                continue;
            }
            let is_own = row.server_id.is_some();
            let decided = if is_own { Some(true) } else { self.temporary_decision(server, row.id).or(saved) };
            match decided {
                Some(true) => known.shared.push(row),
                Some(false) => {}
                None => known.undecided.push(row),
            }
        }
        Ok(known)
    }

    /// Sets the folders that the profile in use leaves to servers. Returns whether that is a change.
    pub(crate) fn set_visible(&self, visible: Option<BTreeSet<PathBuf>>) -> bool {
        let mut known = self.visible.lock().unwrap_or_else(PoisonError::into_inner);
        let is_other = *known != visible;
        *known = visible;
        is_other
    }

    fn is_visible(&self, row: &RootRow) -> bool {
        let visible = self.visible.lock().unwrap_or_else(PoisonError::into_inner);
        visible.as_ref().is_none_or(|visible| visible.contains(Path::new(&row.path)))
    }

    /// Records that a server requested the folders.
    pub(crate) async fn record_asked(&self, server: ServerId) {
        if let Err(error) = self.table.set_asked(server.0).await {
            tracing::warn!(%error, "that a server asks for folders could not be saved");
        }
    }

    /// Records how many folders a server received.
    pub(crate) fn record_sent(&self, server: ServerId, sent: usize) {
        if let Some(last) = self.last_requests().get_mut(&server) {
            last.sent = Some(sent);
        }
    }

    fn last_requests(&self) -> MutexGuard<'_, BTreeMap<ServerId, LastRequest>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folders that the person's own programs send to a server: its own, and the shared ones if the
    /// person allowed that.
    pub(crate) async fn shared_roots(&self, server: ServerId) -> Result<Vec<Root>, HostError> {
        Ok(self.visible_roots(server).await?.shared.into_iter().map(to_root).collect())
    }
}

/// Folders as the person sees them in a question about what to share with a server.
pub(crate) async fn interaction_folders(rows: &[RootRow]) -> Result<Vec<InteractionFolder>, HostError> {
    let looked_at = view_roots(rows.to_vec()).await?.into_iter();
    let shown = |root: RootView| InteractionFolder {
        path: root.path.to_string_lossy().into_owned(),
        name: root.name,
        problem: root.problem.map(|problem| problem.sentence()),
    };
    Ok(looked_at.map(shown).collect())
}

/// The result of `roots/list`, and why folders were left out.
pub(crate) async fn read_roots_list(rows: Vec<RootRow>) -> Result<(Box<RawValue>, Vec<RootError>), Refusal> {
    let roots: Vec<Root> = rows.into_iter().map(to_root).collect();
    let list = blocking(move || build_roots_list(&roots)).await;
    list.map_err(|_| Refusal { code: -32603, message: "the folders could not be read".to_owned() })
}

/// A folder as it was granted. Whether it is still the same folder is checked when it is sent.
fn to_root(row: RootRow) -> Root {
    Root::from_grant(PathBuf::from(row.path), row.name)
}

fn checked_name(name: Option<String>) -> Result<Option<String>, HostError> {
    let Some(name) = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    if name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(RootError::BadName(LONGEST_NAME).into());
    }
    Ok(Some(name))
}

async fn view_root(row: RootRow) -> Result<RootView, HostError> {
    let id = row.id;
    view_roots(vec![row]).await?.pop().ok_or(HostError::NoSuchRoot(id))
}

async fn view_roots(rows: Vec<RootRow>) -> Result<Vec<RootView>, HostError> {
    blocking(move || rows.into_iter().map(inspect_root).collect()).await
}

fn inspect_root(row: RootRow) -> RootView {
    let RootRow { id, server_id, path, name, wide, granted_at_us: _ } = row;
    let path = PathBuf::from(path);
    let root = Root::from_grant(path.clone(), name.clone());
    let problem = root.uri().err();
    RootView { id, server: server_id.map(ServerId), path, name, wide, problem }
}

/// Runs blocking disk access on a thread where it may block.
async fn blocking<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> Result<T, HostError> {
    let read = tokio::task::spawn_blocking(read).await;
    read.map_err(|error| HostError::Internal(Sentence::quoted(error.to_string())))
}

/// Expands `~` in a typed path to the person's home. Callers have to trim blanks that are not part of the
/// path.
pub(crate) fn expand_home(path: &str) -> PathBuf {
    let home = || std::env::home_dir();
    match path.strip_prefix('~') {
        Some("") => home().unwrap_or_else(|| PathBuf::from(path)),
        Some(rest) if rest.starts_with(['/', std::path::MAIN_SEPARATOR]) => {
            home().map_or_else(|| PathBuf::from(path), |home| home.join(rest.trim_start_matches(['/', '\\'])))
        }
        _ => Path::new(path).to_owned(),
    }
}
