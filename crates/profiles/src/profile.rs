//! A profile, and what its name and its parts have to be like.

use std::collections::BTreeSet;
use std::path::PathBuf;

use mooring_base::server_id::ServerId;
use mooring_disk::StoreError;
use mooring_policy::deceptive_characters;
use mooring_words::{Sentence, say};
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use unicode_normalization::UnicodeNormalization as _;

/// Maximum number of characters of a name.
pub(crate) const LONGEST_NAME: usize = 64;
/// Maximum number of profiles.
pub(crate) const MAX_PROFILES: usize = 64;
/// Maximum number of servers, of hidden items, and of folders of a profile.
const MAX_ITEMS: usize = 2_000;
/// Names that would be mistaken for the use of no profile.
const RESERVED: [&str; 3] = ["none", "everything", "全部"];

/// A server of a profile.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
pub struct ProfileServer {
    /// The saved server. `None` if an imported profile names a server that was not found here.
    pub server: Option<ServerId>,
    /// Its name when the profile was saved, to show it when it is missing.
    pub name: String,
}

/// Something of a profile's servers that apps don't see.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
pub struct HiddenItem {
    /// The app. `None` for all apps.
    pub app: Option<String>,
    /// The server.
    pub server: ServerId,
    /// The server's name for the tool. `None` for the whole server.
    pub tool: Option<String>,
}

/// A profile to save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NewProfile {
    /// The person's name for it.
    pub name: String,
    /// The servers that are on. All others are off.
    pub servers: Vec<ProfileServer>,
    /// What apps don't see of these servers.
    #[serde(default)]
    pub hidden: Vec<HiddenItem>,
    /// The shared folders that servers may see, by their paths. `None` for all.
    #[serde(default)]
    #[ts(as = "Option<Vec<String>>")]
    pub folders: Option<Vec<PathBuf>>,
    /// The project folder: apps that work in it see this profile. `None` if the profile is only used by choice.
    #[serde(default)]
    #[ts(as = "Option<String>")]
    pub project: Option<PathBuf>,
}

/// A saved profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Profile {
    /// Unique. A removed profile's id is not used again.
    pub id: i64,
    /// What the person chose.
    #[serde(flatten)]
    pub content: NewProfile,
}

/// Why a profile could not be found, saved or used.
#[derive(Debug)]
pub enum ProfileError {
    /// No profile has this name or number.
    NotFound(String),
    /// Another profile has this name.
    NameTaken(String),
    /// The name can't be used.
    BadName(Sentence),
    /// Another part of the profile can't be used.
    Invalid(Sentence),
    /// The database failed.
    Store(StoreError),
}

impl From<StoreError> for ProfileError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl ProfileError {
    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NotFound(name) => say!("no profile is called: {name}", name),
            Self::NameTaken(name) => say!("another profile is already called: {name}", name),
            Self::BadName(why) | Self::Invalid(why) => why.clone(),
            Self::Store(error) => error.sentence(),
        }
    }
}

/// What names are compared by: letters that look alike or differ in case count as equal.
pub fn name_key(name: &str) -> String {
    name.trim().nfkc().flat_map(char::to_lowercase).collect()
}

/// The profile of this name.
pub fn find_by_name<'a>(profiles: &'a [Profile], name: &str) -> Option<&'a Profile> {
    let key = name_key(name);
    profiles.iter().find(|profile| name_key(&profile.content.name) == key)
}

impl NewProfile {
    /// The profile with a trimmed name and without anything twice, if it can be saved.
    pub(crate) fn validated(mut self) -> Result<Self, ProfileError> {
        self.name = checked_name(&self.name)?;
        let servers: BTreeSet<ProfileServer> = std::mem::take(&mut self.servers).into_iter().collect();
        let hidden: BTreeSet<HiddenItem> = std::mem::take(&mut self.hidden).into_iter().collect();
        let folders = self.folders.as_ref().map_or(0, Vec::len);
        if servers.len().max(hidden.len()).max(folders) > MAX_ITEMS {
            let limit = MAX_ITEMS;
            return Err(ProfileError::Invalid(say!("a profile can’t have more than {limit} entries", limit)));
        }
        self.servers = servers.into_iter().collect();
        self.hidden = hidden.into_iter().collect();
        let mut paths = self.folders.iter().flatten().chain(&self.project);
        if let Some(path) = paths.find(|path| !path.is_absolute() || path.to_str().is_none()) {
            let path = path.to_string_lossy();
            return Err(ProfileError::Invalid(say!("enter the full path: {path}", path)));
        }
        Ok(self)
    }

    /// The servers that are known here.
    pub(crate) fn known_servers(&self) -> BTreeSet<ServerId> {
        self.servers.iter().filter_map(|server| server.server).collect()
    }
}

fn checked_name(name: &str) -> Result<String, ProfileError> {
    let name = name.trim();
    if name.is_empty() {
        return Err(ProfileError::BadName(say!("a profile needs a name")));
    }
    let is_hidden = deceptive_characters(name).next().is_some() || name.chars().any(char::is_control);
    if name.chars().count() > LONGEST_NAME || is_hidden {
        let limit = LONGEST_NAME;
        return Err(ProfileError::BadName(say!(
            "a profile’s name can have at most {limit} characters, all of them visible",
            limit
        )));
    }
    if RESERVED.contains(&name_key(name).as_str()) {
        return Err(ProfileError::BadName(say!(
            "{name} means that no profile is used: choose another name",
            name
        )));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mislead_are_refused() {
        let long = "x".repeat(LONGEST_NAME + 1);
        let bad =
            ["", " ", "a\u{200b}b", "a\u{202e}b", "a\nb", "a\tb", "None", "ｎｏｎｅ", "everything", "全部"];
        for name in bad.into_iter().chain([long.as_str()]) {
            assert!(matches!(checked_name(name), Err(ProfileError::BadName(_))), "{name:?}");
        }
        for name in ["Work", "Arbeit – Kunde 1", "工作", "👩‍💻 home"] {
            assert_eq!(checked_name(&format!(" {name} ")).unwrap(), name);
        }
        assert_eq!(name_key(" Ｗork "), name_key("WORK"));
        assert_eq!(name_key("Cafe\u{301}"), name_key("Café"));
    }
}
