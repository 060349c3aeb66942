//! The folders that a person has granted, and what each server is told of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mooring_base::clock::now_ms;
use mooring_base::server_id::ServerId;
use mooring_base::shown;
use mooring_inbox::InteractionFolder;
use mooring_mcp::Refusal;
use mooring_store::{RootRow, Roots};
use mooring_words::Sentence;
use serde::Serialize;
use serde_json::value::RawValue;
use ts_rs::TS;

use crate::error::HostError;
use crate::folder::{Breadth, Root, RootError, listed};

/// Folders that are granted to one server, or to all of them, at most.
const MOST: usize = 100;
/// A decision that counts for a while.
const HOUR: Duration = Duration::from_hours(1);
/// Characters of a folder's name, at most.
const LONGEST_NAME: usize = 128;

/// A granted folder as a front end shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct RootView {
    /// Its number.
    pub id: i64,
    /// The server that it is granted to; none: every server that may know.
    pub server: Option<ServerId>,
    /// Where it really is.
    #[serde(serialize_with = "shown::path")]
    pub path: PathBuf,
    /// The name that goes with it; none: the folder's own.
    pub name: Option<String>,
    /// It holds far more than one project, and the person said yes a second time.
    pub wide: bool,
    /// Why servers are not told of it now; none: they are.
    #[ts(as = "Option<Sentence>")]
    pub problem: Option<RootError>,
}

/// The folders of one server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerRoots {
    /// Those of its own, then those for every server.
    pub roots: Vec<RootView>,
    /// Whether it is told of those for every server, or of some of them for a while; none: nobody has decided.
    pub shared: Option<bool>,
    /// When it last asked, in milliseconds since the Unix epoch.
    #[serde(rename = "askedAt")]
    pub asked_ms: Option<i64>,
}

/// What a server may be told, before anybody is asked.
pub(crate) struct Known {
    /// The folders of its own, and those for all when it may know of them.
    pub(crate) told: Vec<RootRow>,
    /// Those for all, as long as nobody has decided whether it may know.
    pub(crate) undecided: Vec<RootRow>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Folders {
    table: Roots,
    asked: Mutex<BTreeMap<ServerId, i64>>,
    /// What was decided without being kept.
    passing: Mutex<BTreeMap<ServerId, Passing>>,
    /// The number of the last such answer.
    answers: AtomicI64,
    /// What was granted when it was last looked at; none: it never was.
    seen: tokio::sync::Mutex<Option<Granted>>,
}

/// What was decided of one server for a while.
#[derive(Debug, Default)]
struct Passing {
    /// The folders for every server that it is told of, by number: those that the person was shown, and no later ones.
    told: BTreeMap<i64, Counts>,
    /// It is told of no other.
    refused: Option<Counts>,
}

impl Passing {
    /// Whether an answer still counts for something.
    fn has(&self, answer: i64) -> bool {
        self.told.values().chain(&self.refused).any(|counts| counts.answer == answer && counts.until.lasts())
    }
}

/// An answer, by its number, and for how long it counts.
#[derive(Debug, Clone, Copy)]
struct Counts {
    answer: i64,
    until: Until,
}

/// Until when a decision counts.
#[derive(Debug, Clone, Copy)]
enum Until {
    /// The run ends.
    End,
    /// This moment.
    Moment(Instant),
}

impl Until {
    fn lasts(self) -> bool {
        match self {
            Self::End => true,
            Self::Moment(moment) => Instant::now() < moment,
        }
    }
}

/// What is granted, and whom of those for every server.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Granted {
    roots: Vec<RootRow>,
    shared: BTreeMap<i64, bool>,
}

/// Whom it concerns that folders changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Changed {
    /// Nobody can say: they were never looked at before.
    Unknown,
    /// Every server.
    Every,
    /// These.
    Of(Vec<ServerId>),
}

/// For how long a decision counts that is not kept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SharedFor {
    /// Until the run ends.
    Run,
    /// An hour.
    Hour,
}

impl Folders {
    pub(crate) fn new(table: Roots) -> Self {
        Self {
            table,
            asked: Mutex::default(),
            passing: Mutex::default(),
            answers: AtomicI64::default(),
            seen: tokio::sync::Mutex::default(),
        }
    }

    /// Every folder, looked at now.
    pub(crate) async fn list(&self) -> Result<Vec<RootView>, HostError> {
        looked_at(self.table.list().await?).await
    }

    /// Those of one server, looked at now.
    pub(crate) async fn of_server(&self, server: ServerId) -> Result<ServerRoots, HostError> {
        let roots = looked_at(self.table.of_server(server.0).await?).await?;
        let kept = self.table.shared(server.0).await?;
        let for_all = roots.iter().filter(|root| root.server.is_none());
        let decided: Vec<_> = for_all.map(|root| self.in_passing(server, root.id).or(kept)).collect();
        let shared = if decided.contains(&Some(true)) {
            Some(true)
        } else if decided.contains(&None) {
            None
        } else {
            decided.first().copied().unwrap_or(kept)
        };
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(ServerRoots { roots, shared, asked_ms: asked.get(&server).copied() })
    }

    /// Grants a folder.
    pub(crate) async fn grant(
        &self,
        server: Option<ServerId>,
        path: PathBuf,
        name: Option<String>,
        breadth: Breadth,
    ) -> Result<RootView, HostError> {
        let name = checked_name(name)?;
        if !path.is_absolute() {
            return Err(RootError::Relative(path).into());
        }
        let root = blocking(move || Root::grant(&path, None, breadth)).await??;
        // A narrow one needs no second yes, whatever was said.
        let narrow = root.path().to_owned();
        let wide = breadth == Breadth::Wide
            && blocking(move || Root::grant(&narrow, None, Breadth::Narrow)).await?.is_err();
        let Some(path) = root.path().to_str() else {
            return Err(RootError::NoText(root.path().to_owned()).into());
        };
        let server = server.map(|server| server.0);
        let there = self.table.list().await?;
        let beside = there.iter().filter(|row| row.server_id == server && row.path != path).count();
        if beside >= MOST {
            return Err(RootError::TooMany(MOST).into());
        }
        let row = self.table.grant(server, path, name.as_deref(), wide).await?;
        one(row).await
    }

    /// Gives a folder another name.
    pub(crate) async fn rename(&self, id: i64, name: Option<String>) -> Result<RootView, HostError> {
        let name = checked_name(name)?;
        let row = self.table.rename(id, name.as_deref()).await?;
        one(row.ok_or(HostError::NoSuchRoot(id))?).await
    }

    /// Takes a folder back; tells whose it was.
    pub(crate) async fn remove(&self, id: i64) -> Result<Option<ServerId>, HostError> {
        let row = self.table.remove(id).await?.ok_or(HostError::NoSuchRoot(id))?;
        Ok(row.server_id.map(ServerId))
    }

    /// Grants a folder again that was taken back.
    pub(crate) async fn restore(&self, id: i64) -> Result<RootView, HostError> {
        one(self.table.restore(id).await?.ok_or(HostError::NoSuchRoot(id))?).await
    }

    /// Decides whether a server is told of the folders for every server. Says whether that ended what had been decided for a
    /// while.
    pub(crate) async fn share(&self, server: ServerId, shared: bool) -> Result<bool, HostError> {
        self.table.share(server.0, shared).await?;
        Ok(self.passing().remove(&server).is_some())
    }

    /// Whether an answer of the person still counts, by its number.
    pub(crate) async fn remembers(&self, server: ServerId, answer: i64) -> Result<bool, HostError> {
        if answer > 0 {
            return Ok(self.table.decided(server.0).await? == Some(answer));
        }
        Ok(self.passing().get(&server).is_some_and(|passing| passing.has(answer)))
    }

    /// Forgets an answer of the person, by its number: what they decided otherwise stays. Says whether it was one for a while.
    pub(crate) async fn forget(&self, server: ServerId, answer: i64) -> Result<bool, HostError> {
        if answer > 0 {
            self.table.unshare(server.0, answer).await?;
            return Ok(false);
        }
        let mut passing = self.passing();
        let Some(passing) = passing.get_mut(&server) else { return Ok(false) };
        let had = passing.has(answer);
        passing.told.retain(|_, counts| counts.answer != answer);
        passing.refused = passing.refused.filter(|counts| counts.answer != answer);
        Ok(had)
    }

    fn passing(&self) -> MutexGuard<'_, BTreeMap<ServerId, Passing>> {
        self.passing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides it when the server asks, and hears of them with the answer. Returns the answer's number.
    pub(crate) async fn share_with_answer(&self, server: ServerId, shared: bool) -> Result<i64, HostError> {
        let mut seen = self.seen.lock().await;
        let answer = self.table.share(server.0, shared).await?;
        self.passing().remove(&server);
        if let Some(seen) = &mut *seen {
            seen.shared.insert(server.0, shared);
        }
        Ok(answer)
    }

    /// Whom it concerns what this and other processes changed since this was last asked.
    pub(crate) async fn changed(&self) -> Result<Changed, HostError> {
        let mut seen = self.seen.lock().await;
        let roots = self.table.list().await?;
        let now = Granted { roots, shared: self.table.shares().await?.into_iter().collect() };
        let Some(before) = seen.replace(now.clone()) else { return Ok(Changed::Unknown) };
        let of = |granted: &Granted, server: Option<i64>| {
            let roots = granted.roots.iter().filter(|row| row.server_id == server);
            roots.cloned().collect::<Vec<_>>()
        };
        if of(&before, None) != of(&now, None) {
            return Ok(Changed::Every);
        }
        let of_roots = before.roots.iter().chain(&now.roots).filter_map(|row| row.server_id);
        let servers: BTreeSet<i64> =
            of_roots.chain(before.shared.keys().chain(now.shared.keys()).copied()).collect();
        let is_other = |server: &i64| {
            of(&before, Some(*server)) != of(&now, Some(*server))
                || before.shared.get(server) != now.shared.get(server)
        };
        // What another process decided for good ends what was decided here for a while.
        for (server, shared) in &now.shared {
            if before.shared.get(server) != Some(shared) {
                self.passing().remove(&ServerId(*server));
            }
        }
        Ok(Changed::Of(servers.into_iter().filter(is_other).map(ServerId).collect()))
    }

    /// Decides it for a while: a yes is for the folders that the person was shown. Returns the answer's number, below zero
    /// and never given twice.
    pub(crate) fn share_for(&self, server: ServerId, shown: &[i64], shared: bool, time: SharedFor) -> i64 {
        let until = match time {
            SharedFor::Run => Until::End,
            SharedFor::Hour => Until::Moment(Instant::now() + HOUR),
        };
        let answer = self.answers.fetch_sub(1, Ordering::Relaxed) - 1;
        let counts = Counts { answer, until };
        let mut passing = self.passing();
        let Passing { told, refused } = passing.entry(server).or_default();
        for folder in shown {
            told.remove(folder);
            if shared {
                told.insert(*folder, counts);
            }
        }
        *refused = (!shared).then_some(counts);
        answer
    }

    /// What was decided for a while of a folder for every server, as long as that lasts.
    fn in_passing(&self, server: ServerId, folder: i64) -> Option<bool> {
        let passing = self.passing();
        let Passing { told, refused } = passing.get(&server)?;
        if told.get(&folder).is_some_and(|counts| counts.until.lasts()) {
            return Some(true);
        }
        refused.is_some_and(|counts| counts.until.lasts()).then_some(false)
    }

    /// What a server that asks may be told.
    pub(crate) async fn known(&self, server: ServerId) -> Result<Known, HostError> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(server, now_ms());
        let kept = self.table.shared(server.0).await?;
        let mut known = Known { told: Vec::new(), undecided: Vec::new() };
        for row in self.table.of_server(server.0).await? {
            let is_own = row.server_id.is_some();
            let decided = if is_own { Some(true) } else { self.in_passing(server, row.id).or(kept) };
            match decided {
                Some(true) => known.told.push(row),
                Some(false) => {}
                None => known.undecided.push(row),
            }
        }
        Ok(known)
    }

    /// The folders that a program of the person's own tells a server of: those of its own, and those for all if the
    /// person lets it know.
    pub(crate) async fn granted(&self, server: ServerId) -> Result<Vec<Root>, HostError> {
        Ok(self.known(server).await?.told.into_iter().map(Root::from).collect())
    }
}

/// Folders as a person is asked about them: which of them a server would be told of.
pub(crate) async fn shown(rows: &[RootRow]) -> Result<Vec<InteractionFolder>, HostError> {
    let looked_at = looked_at(rows.to_vec()).await?.into_iter();
    let shown = |root: RootView| InteractionFolder {
        path: root.path.to_string_lossy().into_owned(),
        name: root.name,
        problem: root.problem.map(|problem| problem.sentence()),
    };
    Ok(looked_at.map(shown).collect())
}

/// The answer to `roots/list`, and what was left out of it and why.
pub(crate) async fn tell(rows: Vec<RootRow>) -> Result<(Box<RawValue>, Vec<RootError>), Refusal> {
    let roots: Vec<Root> = rows.into_iter().map(Root::from).collect();
    let told = blocking(move || listed(&roots)).await;
    told.map_err(|_| Refusal { code: -32603, message: "the folders could not be read".to_owned() })
}

impl From<RootRow> for Root {
    /// As it was granted; whether it still is that folder is looked at when it is told.
    fn from(row: RootRow) -> Self {
        Self::granted(PathBuf::from(row.path), row.name)
    }
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

async fn one(row: RootRow) -> Result<RootView, HostError> {
    let id = row.id;
    looked_at(vec![row]).await?.pop().ok_or(HostError::NoSuchRoot(id))
}

async fn looked_at(rows: Vec<RootRow>) -> Result<Vec<RootView>, HostError> {
    blocking(move || rows.into_iter().map(look).collect()).await
}

fn look(row: RootRow) -> RootView {
    let RootRow { id, server_id, path, name, wide, granted_at_us: _ } = row;
    let path = PathBuf::from(path);
    let root = Root::granted(path.clone(), name.clone());
    let problem = root.uri().err();
    RootView { id, server: server_id.map(ServerId), path, name, wide, problem }
}

/// Runs what reads a disk where it disturbs nobody.
async fn blocking<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> Result<T, HostError> {
    let read = tokio::task::spawn_blocking(read).await;
    read.map_err(|error| HostError::Internal(Sentence::quoted(error.to_string())))
}

/// A folder as a person types it: `~` is their home. A blank at its end is part of it: whoever reads what is typed into a
/// field leaves those out that are not, and what is picked has none.
pub(crate) fn typed(path: &str) -> PathBuf {
    let home = || std::env::home_dir();
    match path.strip_prefix('~') {
        Some("") => home().unwrap_or_else(|| PathBuf::from(path)),
        Some(rest) if rest.starts_with(['/', std::path::MAIN_SEPARATOR]) => {
            home().map_or_else(|| PathBuf::from(path), |home| home.join(rest.trim_start_matches(['/', '\\'])))
        }
        _ => Path::new(path).to_owned(),
    }
}
