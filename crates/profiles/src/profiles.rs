//! The saved profiles: one document in the database, so that each change of them takes effect as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use mooring_base::server_id::ServerId;
use mooring_disk::StoreError;
use mooring_store::{Settings, TableChanges};
use mooring_words::say;
use serde::{Deserialize, Serialize};

use crate::in_force::InForce;
use crate::profile::{MAX_PROFILES, NewProfile, Profile, ProfileError, name_key};

/// The database key of the profiles.
const PROFILES: &str = "profiles";
/// The database key for profiles that could not be read.
const REJECTED: &str = "profiles-set-aside";

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfilesChange {
    /// The profiles, or which one is in use. With the shared folders that servers may see now, or `None` for all.
    Profiles(Option<BTreeSet<PathBuf>>),
    /// The servers that have to run, or `None` for all.
    Needed(Option<BTreeSet<ServerId>>),
}

/// Called with each change. It must not wait.
pub type OnProfilesChange = Arc<dyn Fn(ProfilesChange) + Send + Sync>;

/// The saved profiles, and the one in use. Clones share everything.
#[derive(Clone)]
pub struct Profiles(Arc<Shared>);

struct Shared {
    table: Settings,
    /// Serializes changes of this process.
    turn: tokio::sync::Mutex<()>,
    /// Read for every call. Never locked while waiting for the disk.
    state: RwLock<State>,
    /// How many connections of apps work in the project folder of a profile, by its id.
    leases: Mutex<BTreeMap<i64, usize>>,
    on_change: OnProfilesChange,
}

impl fmt::Debug for Profiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profiles").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct State {
    document: Document,
    in_force: Arc<InForce>,
}

/// The profiles as they are saved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Document {
    /// The id of the last profile that was created.
    #[serde(default)]
    last_id: i64,
    /// The profile in use.
    #[serde(default)]
    active: Option<i64>,
    #[serde(default)]
    profiles: Vec<Profile>,
}

impl Document {
    fn find(&mut self, id: i64) -> Result<&mut Profile, ProfileError> {
        let found = self.profiles.iter_mut().find(|profile| profile.id == id);
        found.ok_or_else(|| ProfileError::NotFound(id.to_string()))
    }

    fn check_name(&self, id: Option<i64>, profile: &NewProfile) -> Result<(), ProfileError> {
        let key = name_key(&profile.name);
        let mut others = self.profiles.iter().filter(|other| Some(other.id) != id);
        if others.any(|other| name_key(&other.content.name) == key) {
            return Err(ProfileError::NameTaken(profile.name.clone()));
        }
        let mut others = self.profiles.iter().filter(|other| Some(other.id) != id);
        let of_project = profile
            .project
            .as_ref()
            .and_then(|project| others.find(|other| other.content.project.as_ref() == Some(project)));
        match of_project {
            Some(other) => {
                let name = other.content.name.as_str();
                Err(ProfileError::Invalid(say!("this is already the project folder of “{name}”", name)))
            }
            None => Ok(()),
        }
    }
}

/// An app works in the project folder of a profile until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct ProfileLease {
    profiles: Profiles,
    /// The profile.
    pub id: i64,
}

impl Profiles {
    /// Reads the profiles. If they can't be read, none is in use, and the saved text moves to another key.
    pub async fn open(table: Settings, on_change: OnProfilesChange) -> Result<Self, StoreError> {
        let document = match table.get(PROFILES).await? {
            None => Document::default(),
            Some(text) => match serde_json::from_str(&text) {
                Ok(document) => document,
                Err(error) => {
                    tracing::warn!(%error, "the profiles can’t be read: no profile is in use");
                    table.set(REJECTED, &text).await?;
                    table.set(PROFILES, "{}").await?;
                    Document::default()
                }
            },
        };
        let state = RwLock::new(State::new(document));
        let (turn, leases) = (tokio::sync::Mutex::default(), Mutex::default());
        let profiles = Self(Arc::new(Shared { table, turn, state, leases, on_change }));
        profiles.announce();
        Ok(profiles)
    }

    /// What decides about lists and calls from now on, until the next change.
    pub fn in_force(&self) -> Arc<InForce> {
        Arc::clone(&self.0.state.read().unwrap_or_else(PoisonError::into_inner).in_force)
    }

    /// Whether no profile was saved.
    pub fn has_none(&self) -> bool {
        self.0.state.read().unwrap_or_else(PoisonError::into_inner).document.profiles.is_empty()
    }

    /// All profiles by name, and the id of the one in use.
    pub fn all(&self) -> (Vec<Profile>, Option<i64>) {
        let state = self.0.state.read().unwrap_or_else(PoisonError::into_inner);
        let Document { mut profiles, active, .. } = state.document.clone();
        profiles.sort_by_cached_key(|profile| name_key(&profile.content.name));
        (profiles, active)
    }

    /// Saves a new profile. It is not in use yet.
    pub async fn create(&self, profile: NewProfile) -> Result<Profile, ProfileError> {
        let content = profile.validated()?;
        let edit = |document: &mut Document| {
            document.check_name(None, &content)?;
            if document.profiles.len() >= MAX_PROFILES {
                let limit = MAX_PROFILES;
                return Err(ProfileError::Invalid(say!("there can be no more than {limit} profiles", limit)));
            }
            document.last_id += 1;
            let saved = Profile { id: document.last_id, content: content.clone() };
            document.profiles.push(saved.clone());
            Ok(saved)
        };
        self.change(edit).await
    }

    /// Changes a profile. If it is in use, what apps see changes at once.
    pub async fn update(&self, id: i64, profile: NewProfile) -> Result<Profile, ProfileError> {
        let content = profile.validated()?;
        let edit = |document: &mut Document| {
            document.check_name(Some(id), &content)?;
            let saved = document.find(id)?;
            saved.content = content.clone();
            Ok(saved.clone())
        };
        self.change(edit).await
    }

    /// Removes a profile, and returns it with whether it was in use. Then none is.
    pub async fn remove(&self, id: i64) -> Result<(Profile, bool), ProfileError> {
        let edit = |document: &mut Document| {
            let removed = document.find(id)?.clone();
            document.profiles.retain(|profile| profile.id != id);
            let was_active = document.active == Some(id);
            document.active = document.active.filter(|active| *active != id);
            Ok((removed, was_active))
        };
        self.change(edit).await
    }

    /// Saves a removed profile again, under its id. `is_active`: it is in use again.
    pub async fn restore(&self, profile: Profile, is_active: bool) -> Result<Profile, ProfileError> {
        let content = profile.content.validated()?;
        let edit = |document: &mut Document| {
            document.check_name(Some(profile.id), &content)?;
            let is_new = profile.id > 0
                && profile.id <= document.last_id
                && document.profiles.iter().all(|other| other.id != profile.id);
            if !is_new {
                return Err(ProfileError::NotFound(profile.id.to_string()));
            }
            let saved = Profile { id: profile.id, content: content.clone() };
            document.profiles.push(saved.clone());
            document.active = if is_active { Some(profile.id) } else { document.active };
            Ok(saved)
        };
        self.change(edit).await
    }

    /// Uses a profile, or none. Returns the one that was in use.
    pub async fn switch(&self, id: Option<i64>) -> Result<Option<i64>, ProfileError> {
        let edit = |document: &mut Document| {
            id.map(|id| document.find(id).map(drop)).transpose()?;
            Ok(std::mem::replace(&mut document.active, id))
        };
        self.change(edit).await
    }

    /// Reads the profiles again soon after other processes, such as the command line, have changed them. Never
    /// returns.
    pub async fn watch(self, mut changes: TableChanges) {
        loop {
            changes.changed_after(self.reload().await, "the profiles could not be read again").await;
        }
    }

    async fn reload(&self) -> Result<(), StoreError> {
        let _turn = self.0.turn.lock().await;
        let Some(text) = self.0.table.get(PROFILES).await? else { return Ok(()) };
        match serde_json::from_str(&text) {
            Ok(document) => self.apply(document),
            Err(error) => tracing::warn!(%error, "the profiles can’t be read: they stay as they were"),
        }
        Ok(())
    }

    /// Changes the saved profiles. If another process changes them meanwhile, the change is made to its result.
    async fn change<T>(
        &self,
        edit: impl Fn(&mut Document) -> Result<T, ProfileError>,
    ) -> Result<T, ProfileError> {
        let unreadable = |error: serde_json::Error| {
            ProfileError::Invalid(say!("the profiles can’t be read: {error}", error = error.to_string()))
        };
        let _turn = self.0.turn.lock().await;
        loop {
            let before = self.0.table.get(PROFILES).await?;
            let mut document = match &before {
                Some(text) => serde_json::from_str(text).map_err(unreadable)?,
                None => Document::default(),
            };
            let done = edit(&mut document)?;
            let text = serde_json::to_string(&document).map_err(unreadable)?;
            if self.0.table.replace(PROFILES, before.as_deref(), &text).await? {
                self.apply(document);
                return Ok(done);
            }
        }
    }

    /// Puts a document in force as a whole.
    fn apply(&self, document: Document) {
        {
            let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
            if state.document == document {
                return;
            }
            *state = State::new(document);
        }
        self.announce();
    }

    fn announce(&self) {
        let folders = self.in_force().active().and_then(|active| active.folders.clone());
        (self.0.on_change)(ProfilesChange::Profiles(folders));
        self.announce_needed(self.leases());
    }

    fn leases(&self) -> MutexGuard<'_, BTreeMap<i64, usize>> {
        self.0.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Announces the servers that have to run. The lock keeps announcements in order.
    fn announce_needed(&self, leases: MutexGuard<'_, BTreeMap<i64, usize>>) {
        let needed = self.in_force().needed(leases.keys().copied());
        (self.0.on_change)(ProfilesChange::Needed(needed));
        drop(leases);
    }

    /// Keeps the servers of a project folder's profile running until the result is dropped.
    pub fn lease(&self, id: i64) -> ProfileLease {
        let mut leases = self.leases();
        *leases.entry(id).or_default() += 1;
        if leases.get(&id) == Some(&1) {
            self.announce_needed(leases);
        }
        ProfileLease { profiles: self.clone(), id }
    }
}

impl Drop for ProfileLease {
    fn drop(&mut self) {
        let mut leases = self.profiles.leases();
        if let Some(count) = leases.get_mut(&self.id) {
            *count -= 1;
            if *count == 0 {
                leases.remove(&self.id);
                self.profiles.announce_needed(leases);
            }
        }
    }
}

impl State {
    fn new(document: Document) -> Self {
        let in_force = Arc::new(InForce::new(document.active, &document.profiles));
        Self { document, in_force }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> NewProfile {
        let name = name.to_owned();
        NewProfile { name, servers: Vec::new(), hidden: Vec::new(), folders: None, project: None }
    }

    async fn open(home: &std::path::Path) -> Profiles {
        let store = mooring_store::Store::open(home).await.unwrap();
        Profiles::open(store.settings(), Arc::new(|_| ())).await.unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn changes_of_two_processes_at_once_are_all_saved() {
        let home = tempfile::tempdir().unwrap();
        let (one, two) = (open(home.path()).await, open(home.path()).await);
        let create = async |profiles: &Profiles, of: &str| {
            for number in 0..8 {
                profiles.create(named(&format!("{of} {number}"))).await.unwrap();
            }
        };
        tokio::join!(create(&one, "a"), create(&two, "b"));
        one.reload().await.unwrap();
        let (all, active) = one.all();
        let ids: BTreeSet<i64> = all.iter().map(|profile| profile.id).collect();
        assert_eq!((all.len(), ids.len(), active), (16, 16, None));
        // Two switches at once: one of them is last, in the database and in both processes.
        let (first, last) = (all[0].id, all[15].id);
        let (a, b) = tokio::join!(one.switch(Some(first)), two.switch(Some(last)));
        let before = [a.unwrap(), b.unwrap()];
        one.reload().await.unwrap();
        two.reload().await.unwrap();
        assert_eq!(one.all().1, two.all().1);
        assert!(before.contains(&None) && (before.contains(&Some(first)) || before.contains(&Some(last))));
    }

    #[tokio::test]
    async fn names_clash_and_a_removed_profile_comes_back() {
        let home = tempfile::tempdir().unwrap();
        let profiles = open(home.path()).await;
        let work = profiles.create(named("Work")).await.unwrap();
        let home_profile = profiles.create(named("Home")).await.unwrap();
        for name in ["WORK", " work ", "Ｗork"] {
            assert!(matches!(profiles.create(named(name)).await, Err(ProfileError::NameTaken(_))), "{name}");
        }
        let clash = profiles.update(home_profile.id, named("work")).await;
        assert!(matches!(clash, Err(ProfileError::NameTaken(_))));
        assert_eq!(profiles.update(work.id, named("WORK")).await.unwrap().content.name, "WORK");
        assert_eq!(profiles.switch(Some(work.id)).await.unwrap(), None);
        assert!(matches!(profiles.switch(Some(99)).await, Err(ProfileError::NotFound(_))));
        let (removed, was_active) = profiles.remove(work.id).await.unwrap();
        assert!(was_active && profiles.in_force().active().is_none());
        profiles.restore(removed.clone(), true).await.unwrap();
        assert_eq!(profiles.all().1, Some(work.id));
        assert!(profiles.restore(removed, true).await.is_err());
        assert_eq!(profiles.create(named("New")).await.unwrap().id, 3);
    }

    #[tokio::test]
    async fn profiles_that_cannot_be_read_are_set_aside() {
        let home = tempfile::tempdir().unwrap();
        let store = mooring_store::Store::open(home.path()).await.unwrap();
        store.settings().set(PROFILES, "[7").await.unwrap();
        let profiles = Profiles::open(store.settings(), Arc::new(|_| ())).await.unwrap();
        assert_eq!(profiles.all(), (Vec::new(), None));
        assert_eq!(store.settings().get(REJECTED).await.unwrap().as_deref(), Some("[7"));
        profiles.create(named("Work")).await.unwrap();
    }
}
