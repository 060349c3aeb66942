//! Profiles as files: written without secrets, and compared with what is here before one is saved.

use std::path::{Path, PathBuf};

use mooring_base::server_id::ServerId;
use mooring_definitions::Transport;
use mooring_errors::HostError;
use mooring_profiles::{
    FileItem, FileServer, HiddenItem, NewProfile, ProfileError, ProfileFile, ProfileServer, find_by_name,
    path_from_text, path_to_text,
};
use mooring_server_state::ServerView;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use url::Url;

use super::Host;
use super::profiles::ProfileView;

/// What a profile's file says, compared with what is here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProfileReview {
    /// The profile's name.
    pub name: String,
    /// Whether a profile of this name is saved.
    pub is_taken: bool,
    /// Its servers.
    pub servers: Vec<ReviewedServer>,
    /// How many tools and servers it hides from apps.
    pub hidden: usize,
    /// The shared folders that it leaves to servers. `None` for all.
    pub folders: Option<Vec<ReviewedFolder>>,
    /// Its project folder.
    pub project: Option<ReviewedFolder>,
}

/// A server of a profile's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReviewedServer {
    /// Its name.
    pub name: String,
    /// The program or URL that the file names.
    pub runs: String,
    /// The server of this name that is saved here.
    pub server: Option<ServerId>,
    /// What that server runs, if it is something else.
    pub runs_here: Option<String>,
}

/// A folder of a profile's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReviewedFolder {
    /// Its path on this machine.
    pub path: String,
    /// Whether it is here: shared with servers, or for a project folder, there at all.
    pub is_here: bool,
}

/// What the person decided about a profile's file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, TS)]
pub struct ProfileImportChoice {
    /// Another name for it.
    #[serde(default)]
    pub name: Option<String>,
    /// Whether servers count that run something else than the file names.
    #[serde(default)]
    pub others: bool,
    /// Whether the profile is bound to its project folder.
    #[serde(default)]
    pub project: bool,
}

impl Host {
    /// A profile as the text of a file, without secrets.
    pub fn export_profile(&self, id: i64) -> Result<String, HostError> {
        let (profiles, _) = self.profiles().all();
        let found = profiles.into_iter().find(|profile| profile.id == id);
        let NewProfile { name, servers, hidden, folders, project } =
            found.ok_or_else(|| ProfileError::NotFound(id.to_string()))?.content;
        let (saved, home) = (self.servers(), std::env::home_dir());
        let view = |id: Option<ServerId>| saved.iter().find(|server| Some(server.id) == id);
        let servers = servers.into_iter().map(|ProfileServer { server, name }| match view(server) {
            Some(server) => FileServer { name: server.config.name.clone(), runs: what_runs(server) },
            None => FileServer { name, runs: String::new() },
        });
        let text = |path: PathBuf| path_to_text(&path, home.as_deref());
        let mut file = ProfileFile::new(name, servers.collect());
        file.hidden = hidden
            .into_iter()
            .filter_map(|HiddenItem { app, server, tool }| {
                Some(FileItem { app, server: view(Some(server))?.config.name.clone(), tool })
            })
            .collect();
        file.folders = folders.map(|folders| folders.into_iter().map(text).collect());
        file.project = project.map(text);
        let text = serde_json::to_string_pretty(&file).map_err(|error| super::apps::internal(&error))?;
        Ok(text + "\n")
    }

    /// Compares a profile's file with what is here. Saves nothing.
    pub async fn review_profile(&self, text: &str) -> Result<ProfileReview, HostError> {
        let file = ProfileFile::read(text)?;
        let (saved, home) = (self.servers(), std::env::home_dir());
        let shared: Vec<PathBuf> = self.folders().list().await?.into_iter().map(|root| root.path).collect();
        let servers = file.servers.iter().map(|server| review_server(server, &saved));
        let folder = |text: &String| {
            let path = path_from_text(text, home.as_deref());
            ReviewedFolder { is_here: shared.contains(&path), path: path.to_string_lossy().into_owned() }
        };
        let project = file.project.as_ref().map(|text| path_from_text(text, home.as_deref()));
        Ok(ProfileReview {
            is_taken: find_by_name(&self.profiles().all().0, &file.name).is_some(),
            servers: servers.collect(),
            hidden: file.hidden.len(),
            folders: file.folders.as_ref().map(|folders| folders.iter().map(folder).collect()),
            project: match project {
                Some(path) => Some(review_project(path).await?),
                None => None,
            },
            name: file.name,
        })
    }

    /// Saves the profile of a file as the person decided on its review. It is not in use then, and names only servers
    /// that are saved here; the others are shown as missing.
    pub async fn import_profile(
        &self,
        text: &str,
        choice: ProfileImportChoice,
    ) -> Result<ProfileView, HostError> {
        let file = ProfileFile::read(text)?;
        let (saved, home) = (self.servers(), std::env::home_dir());
        let found: Vec<ProfileServer> = file
            .servers
            .iter()
            .map(|server| {
                let ReviewedServer { name, server, runs_here, .. } = review_server(server, &saved);
                ProfileServer { server: server.filter(|_| choice.others || runs_here.is_none()), name }
            })
            .collect();
        let id_of = |name: &str| found.iter().find(|server| server.name == name)?.server;
        let hidden = file.hidden.into_iter().filter_map(|FileItem { app, server, tool }| {
            Some(HiddenItem { app, server: id_of(&server)?, tool })
        });
        let hidden = hidden.collect();
        let path = |text: &String| path_from_text(text, home.as_deref());
        let absolute = |folders: Vec<String>| {
            folders.iter().map(path).filter(|path| path.is_absolute()).collect::<Vec<_>>()
        };
        let profile = NewProfile {
            name: choice.name.unwrap_or(file.name),
            servers: found,
            hidden,
            folders: file.folders.map(absolute),
            project: file.project.as_ref().filter(|_| choice.project).map(path),
        };
        self.save_profile(None, profile).await
    }
}

fn review_server(wanted: &FileServer, saved: &[ServerView]) -> ReviewedServer {
    let found = saved.iter().find(|server| server.config.name == wanted.name);
    let runs_here = found.map(what_runs).filter(|runs| *runs != wanted.runs);
    ReviewedServer {
        name: wanted.name.clone(),
        runs: wanted.runs.clone(),
        server: found.map(|server| server.id),
        runs_here,
    }
}

async fn review_project(path: PathBuf) -> Result<ReviewedFolder, HostError> {
    let shown = path.to_string_lossy().into_owned();
    let is_here = super::apps::blocking(move || path.is_absolute() && path.is_dir()).await?;
    Ok(ReviewedFolder { path: shown, is_here })
}

/// What a server runs, without anything that could be a secret: the file name of its program, or the origin of its
/// URL.
fn what_runs(server: &ServerView) -> String {
    let config = &server.config;
    let origin = || Some(Url::parse(config.url.as_deref()?).ok()?.origin().ascii_serialization());
    let program = || Some(Path::new(config.command.as_deref()?).file_name()?.to_string_lossy().into_owned());
    let runs = match config.transport {
        Transport::Stdio => program(),
        Transport::Http => origin(),
    };
    runs.unwrap_or_default()
}
