//! Profiles: what they have here, and what apps may see under them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mooring_approvals::AppAccess;
use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_profiles::{
    HiddenItem, Narrowing, NewProfile, Profile, ProfileError, ProfileServer, Profiles, find_by_name,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Host;

/// A profile as front ends show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProfileView {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Whether it is in use.
    pub is_active: bool,
    /// Its servers that are saved here, by name.
    pub servers: Vec<ServerId>,
    /// The names of its servers that are missing: removed, or never found here.
    pub missing: Vec<ProfileServer>,
    /// What apps don't see of its servers.
    pub hidden: Vec<HiddenItem>,
    /// The shared folders that servers may see, by their paths. `None` for all.
    pub folders: Option<Vec<String>>,
    /// The project folder.
    pub project: Option<String>,
}

/// A removed profile, to restore it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RemovedProfile {
    /// The profile.
    pub profile: Profile,
    /// Whether it was in use.
    pub was_active: bool,
}

impl Host {
    /// The profiles. Their ids and contents are those that were saved; [`Self::profile_views`] compares them with what
    /// is here.
    pub fn profiles(&self) -> &Profiles {
        &self.inner.profiles
    }

    /// All profiles by name, compared with the servers that are saved here.
    pub fn profile_views(&self) -> Vec<ProfileView> {
        let (profiles, active) = self.inner.profiles.all();
        let names = self.server_names();
        profiles.into_iter().map(|profile| view_profile(profile, active, &names)).collect()
    }

    /// The profile of this name.
    pub fn profile_named(&self, name: &str) -> Result<Profile, HostError> {
        let (profiles, _) = self.inner.profiles.all();
        let found = find_by_name(&profiles, name).cloned();
        Ok(found.ok_or_else(|| ProfileError::NotFound(name.to_owned()))?)
    }

    /// Saves a profile: a new one, or another content of the one with this id. Its servers get the names that they
    /// have now, and its project folder its real path.
    pub async fn save_profile(&self, id: Option<i64>, profile: NewProfile) -> Result<ProfileView, HostError> {
        let names = self.server_names();
        let mut profile = profile;
        for server in &mut profile.servers {
            if let Some(name) = server.server.and_then(|id| names.get(&id)) {
                server.name.clone_from(name);
            }
        }
        if let Some(project) = profile.project.take() {
            profile.project = Some(real_folder(project).await?);
        }
        let saved = match id {
            Some(id) => self.inner.profiles.update(id, profile).await?,
            None => self.inner.profiles.create(profile).await?,
        };
        Ok(view_profile(saved, self.inner.profiles.all().1, &names))
    }

    /// Removes a profile. If it was in use, none is from then on.
    pub async fn remove_profile(&self, id: i64) -> Result<RemovedProfile, HostError> {
        let (profile, was_active) = self.inner.profiles.remove(id).await?;
        Ok(RemovedProfile { profile, was_active })
    }

    /// Saves a removed profile again, and uses it if it was in use.
    pub async fn restore_profile(&self, removed: RemovedProfile) -> Result<(), HostError> {
        let RemovedProfile { profile, was_active } = removed;
        self.inner.profiles.restore(profile, was_active).await?;
        Ok(())
    }

    /// What an app of this name may see under a profile, or without one.
    pub fn app_access_in(&self, name: &str, profile: Option<&Narrowing>) -> AppAccess {
        let access = self.app_access(name);
        match profile {
            Some(profile) => profile.narrow(name, access),
            None => access,
        }
    }

    fn server_names(&self) -> BTreeMap<ServerId, String> {
        self.servers().into_iter().map(|server| (server.id, server.config.name)).collect()
    }
}

fn view_profile(profile: Profile, active: Option<i64>, names: &BTreeMap<ServerId, String>) -> ProfileView {
    let Profile { id, content: NewProfile { name, servers, hidden, folders, project } } = profile;
    let is_here = |server: &ProfileServer| server.server.filter(|id| names.contains_key(id));
    let mut here: Vec<ServerId> = servers.iter().filter_map(is_here).collect();
    here.sort_by_cached_key(|id| names.get(id).map(|name| name.to_lowercase()));
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    ProfileView {
        id,
        name,
        is_active: active == Some(id),
        missing: servers.into_iter().filter(|server| is_here(server).is_none()).collect(),
        servers: here,
        hidden,
        folders: folders.map(|folders| folders.into_iter().map(text).collect()),
        project: project.map(text),
    }
}

/// The real path of a folder, without symbolic links. Saving fails if there is no such folder.
async fn real_folder(path: PathBuf) -> Result<PathBuf, HostError> {
    use mooring_roots::{Root, RootBreadth};
    let checked = move || Root::grant(&path, None, RootBreadth::Wide).map(|root| root.path().to_owned());
    Ok(super::apps::blocking(checked).await??)
}
