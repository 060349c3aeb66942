//! What the profiles in use take away. One value of this decides about a whole call.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mooring_approvals::{AppAccess, AppOff};
use mooring_base::server_id::ServerId;

use crate::profile::{NewProfile, Profile};

/// What one profile leaves of what apps may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Narrowing {
    /// The profile.
    pub id: i64,
    /// Its name.
    pub name: Arc<str>,
    servers: Arc<BTreeSet<ServerId>>,
    /// What all apps don't see.
    hidden: BTreeSet<AppOff>,
    /// What single apps don't see.
    hidden_from: BTreeMap<String, BTreeSet<AppOff>>,
    /// The shared folders that servers may see. `None` for all.
    pub folders: Option<BTreeSet<PathBuf>>,
}

impl Narrowing {
    fn new(id: i64, profile: &NewProfile) -> Self {
        let (mut hidden, mut hidden_from) = (BTreeSet::new(), BTreeMap::new());
        for item in &profile.hidden {
            let off = AppOff { server: item.server, tool: item.tool.clone() };
            match &item.app {
                Some(app) => drop(hidden_from.entry(app.clone()).or_insert_with(BTreeSet::new).insert(off)),
                None => drop(hidden.insert(off)),
            }
        }
        Self {
            id,
            name: profile.name.as_str().into(),
            servers: Arc::new(profile.known_servers()),
            hidden,
            hidden_from,
            folders: profile.folders.as_ref().map(|folders| folders.iter().cloned().collect()),
        }
    }

    /// What is left of an app's access.
    #[must_use]
    pub fn narrow(&self, app: &str, mut access: AppAccess) -> AppAccess {
        access.only_servers = Some(Arc::clone(&self.servers));
        access.off.extend(self.hidden.iter().cloned());
        access.off.extend(self.hidden_from.get(app).into_iter().flatten().cloned());
        access
    }

    /// Whether the profile has a server.
    pub fn has_server(&self, server: ServerId) -> bool {
        self.servers.contains(&server)
    }
}

/// The profiles that count at one moment: the one in use, and those of project folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InForce {
    active: Option<Arc<Narrowing>>,
    /// Project folders with their profiles, the innermost first.
    projects: Vec<(PathBuf, Arc<Narrowing>)>,
}

impl InForce {
    pub(crate) fn new(active: Option<i64>, profiles: &[Profile]) -> Self {
        let narrowings = profiles.iter().map(|profile| {
            let project = profile.content.project.clone();
            (project, Arc::new(Narrowing::new(profile.id, &profile.content)))
        });
        let narrowings: Vec<_> = narrowings.collect();
        let active = narrowings.iter().find(|(_, it)| Some(it.id) == active).map(|(_, it)| Arc::clone(it));
        let mut projects: Vec<_> =
            narrowings.into_iter().filter_map(|(project, it)| Some((project?, it))).collect();
        projects.sort_by_cached_key(|(project, _)| std::cmp::Reverse(project.components().count()));
        Self { active, projects }
    }

    /// The profile in use. `None` if apps see everything.
    pub fn active(&self) -> Option<&Arc<Narrowing>> {
        self.active.as_ref()
    }

    /// Whether a profile has a project folder, so that it matters where apps work.
    pub fn has_projects(&self) -> bool {
        !self.projects.is_empty()
    }

    /// The profile for an app that works in these folders: the one of the innermost project folder that has all of
    /// them, else the one in use.
    pub fn choose(&self, roots: &[PathBuf]) -> Option<&Arc<Narrowing>> {
        let has_all =
            |project: &Path| !roots.is_empty() && roots.iter().all(|root| root.starts_with(project));
        let of_project = self.projects.iter().find(|(project, _)| has_all(project));
        of_project.map(|(_, narrowing)| narrowing).or(self.active.as_ref())
    }

    /// The servers that have to run while apps use the profiles `leased` beside the active one. `None` for all.
    pub(crate) fn needed(&self, leased: impl Iterator<Item = i64>) -> Option<BTreeSet<ServerId>> {
        let active = self.active.as_ref()?;
        let mut needed = BTreeSet::clone(&active.servers);
        for id in leased {
            let of_project = self.projects.iter().find(|(_, narrowing)| narrowing.id == id);
            needed.extend(of_project.into_iter().flat_map(|(_, narrowing)| narrowing.servers.iter()));
        }
        Some(needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::ProfileServer;

    fn profile(id: i64, project: &str) -> Profile {
        let server = ProfileServer { server: Some(ServerId(id)), name: String::new() };
        let project = Some(PathBuf::from(project)).filter(|project| project.is_absolute());
        let name = format!("p{id}");
        let content = NewProfile { name, servers: vec![server], hidden: Vec::new(), folders: None, project };
        Profile { id, content }
    }

    #[test]
    fn the_innermost_project_folder_decides() {
        let all = [profile(1, ""), profile(2, "/home/a"), profile(3, "/home/a/b"), profile(4, "/x")];
        let choose = |active, roots: &[&str]| {
            let roots: Vec<_> = roots.iter().map(PathBuf::from).collect();
            InForce::new(active, &all).choose(&roots).map(|narrowing| narrowing.id)
        };
        assert_eq!(choose(None, &[]), None);
        assert_eq!(choose(Some(1), &[]), Some(1));
        assert_eq!(choose(Some(1), &["/home/a/b/c"]), Some(3));
        assert_eq!(choose(Some(1), &["/home/a/b", "/home/a/c"]), Some(2));
        // A folder whose name only begins alike, and one outside of all projects.
        assert_eq!(choose(None, &["/home/ab"]), None);
        assert_eq!(choose(Some(1), &["/home/a", "/x"]), Some(1));
        assert_eq!(InForce::new(Some(9), &all).active(), None);
    }

    #[test]
    fn servers_of_used_projects_are_needed_too() {
        let all = [profile(1, ""), profile(2, "/a"), profile(3, "/b")];
        let needed = |active, leased: &[i64]| {
            let needed = InForce::new(active, &all).needed(leased.iter().copied());
            needed.map(|needed| needed.into_iter().map(|server| server.0).collect::<Vec<_>>())
        };
        assert_eq!(needed(None, &[2]), None);
        assert_eq!(needed(Some(1), &[]), Some(vec![1]));
        assert_eq!(needed(Some(1), &[3, 9]), Some(vec![1, 3]));
    }
}
