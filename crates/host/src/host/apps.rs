//! Apps (MCP clients of other makers) that use the servers that are connected here: found, connected, set up.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use mooring_app_access::{AppActivityView, AppConnection, AppKeyState, AppView, RunningAppCall};
use mooring_app_key::proof_of;
use mooring_approvals::{AppAccess, AppOff, AppToolList, PinnedTool};
use mooring_apps::{
    App, AppEnvironment, AppPlan, AppSnippetFormat, AppUndo, AppUndone, Error, FoundApp, Places, UndoRecord,
};
use mooring_base::app_call::AppCall;
use mooring_base::digest::sha256;
use mooring_base::server_id::ServerId;
use mooring_definitions::import::ImportReport;
use mooring_policy::AppLevel;
use mooring_process::is_in_image;
use mooring_store::AppKeyKind;
use mooring_words::{Sentence, say};

use super::Host;
use super::app_keys::new_app_key;
use crate::error::HostError;
use crate::options::chosen_home;
use crate::server::ServerView;

/// The longest name of an app, in characters.
const MAX_NAME: usize = 64;

/// How long the name of a tool may be at least and at most, in characters.
const LONGEST_NAMES: RangeInclusive<u8> = 32..=64;

/// The servers in an app's own files, to be taken over.
#[derive(Debug)]
pub struct AppImport {
    /// What was read.
    pub report: ImportReport,
    /// What names the texts that were read.
    pub hash: String,
}

impl Host {
    /// Where the apps of this person keep their files. `program` is `mooring`, by its absolute path.
    pub fn app_environment(program: std::io::Result<PathBuf>) -> Result<AppEnvironment, HostError> {
        let program = program.map_err(|error| internal(&error))?;
        Ok(AppEnvironment { places: Places::here().ok_or(HostError::NoHome)?, program, home: chosen_home()? })
    }

    /// Every app that is known: those whose files Mooring can find, and others that have called or have a token.
    pub async fn apps(&self, at: &AppEnvironment) -> Result<Vec<AppView>, HostError> {
        let places = at.places.clone();
        let found = blocking(move || mooring_apps::find_apps(&places)).await?;
        let mut known = self.inner.apps.all();
        for key in self.inner.apps.keys() {
            let access = self.inner.apps.access(&key.app);
            known.entry(key.app).or_insert(access);
        }
        let mut views: Vec<_> = found
            .into_iter()
            .map(|app| {
                let access = known.remove(app.app.id).unwrap_or_else(|| self.inner.apps.access(app.app.id));
                self.app_view(app, access)
            })
            .collect();
        views.extend(known.into_iter().map(|(name, access)| self.unlisted_app(name, access)));
        Ok(views)
    }

    /// What apps do now: those that are connected, or have a call running.
    pub fn app_activity(&self) -> Vec<AppActivityView> {
        self.inner.app_activity.view()
    }

    /// An app is connected, until what this gives is dropped.
    pub fn app_connected(&self, app: &Arc<str>) -> AppConnection {
        self.inner.app_activity.connect(app)
    }

    /// An app got the list of tools.
    pub fn app_listed(&self, app: &Arc<str>) {
        self.inner.app_activity.note_listed(app);
    }

    /// A server works on a call of an app, until what this gives is dropped. `subject` is as the server names it.
    pub fn app_call_started(
        &self,
        call: &AppCall,
        server: ServerId,
        method: &'static str,
        subject: &str,
    ) -> RunningAppCall {
        self.inner.app_activity.start(call, server, method, subject)
    }

    /// Cancels a call of an app, by its number; false where it runs no more.
    pub fn cancel_app_call(&self, call: i64) -> bool {
        self.inner.app_activity.cancel(call)
    }

    /// One app. One that is not listed may call itself anything.
    pub async fn app(&self, at: &AppEnvironment, id: &str) -> Result<AppView, HostError> {
        if let Some(app) = mooring_apps::app(id) {
            let places = at.places.clone();
            let found = blocking(move || app.find(&places)).await?;
            return Ok(self.app_view(found, self.inner.apps.access(id)));
        }
        let is_known =
            self.inner.apps.all().contains_key(id) || self.inner.apps.keys().iter().any(|key| key.app == id);
        if !is_known {
            return Err(HostError::NoSuchApp(id.to_owned()));
        }
        Ok(self.unlisted_app(id.to_owned(), self.inner.apps.access(id)))
    }

    /// An app whose files are not known here.
    fn unlisted_app(&self, name: String, access: AppAccess) -> AppView {
        let (key, allowed) = (self.key_state(&name), self.is_allowed(&name));
        let longest_name = mooring_apps::longest_name(&name);
        AppView { key, allowed, ..AppView::new(name, access, longest_name) }
    }

    fn app_view(&self, found: FoundApp, access: AppAccess) -> AppView {
        let id = found.app.id;
        let is_here = |name: &str| self.inner.registry.has_name(name);
        let key_of_entry = |public_key: Option<&str>| self.key_state_of_entry(id, public_key);
        let view = AppView::of_found(found, access, is_here, self.key_state(id), key_of_entry);
        AppView { allowed: self.is_allowed(id), ..view }
    }

    /// What connecting an app would change; none: it is connected, with the key that counts, or without one where its file
    /// is in a Git repository. `renew`: it gets another key all the same. `replaces`: its own servers that go from its file.
    pub async fn plan_connect(
        &self,
        at: &AppEnvironment,
        id: &str,
        renew: bool,
        replaces: Vec<String>,
    ) -> Result<Option<AppPlan>, HostError> {
        if is_in_image(&at.program) {
            return Err(HostError::AppFile(Error::NotWritten(say!(
                "Mooring runs from an AppImage, whose programs are gone when it ends, so an app couldn’t start it: install Mooring first"
            ))));
        }
        let (app, at) = (listed(id)?, at.clone());
        let row = self.inner.apps.key(id, AppKeyKind::Entry);
        let is_current = move |public: Option<&str>| match (public, &row) {
            // An app that has a key is not let in without one.
            (None, row) => row.is_none(),
            (Some(public), Some(row)) => row.is_vouched && !renew && row.proof == proof_of(public),
            (Some(_), None) => false,
        };
        Ok(blocking(move || at.plan_connect(app, &replaces, is_current)).await??)
    }

    /// Connects an app by the change that [`Self::plan_connect`] named `hash`, unless it would be another one by now,
    /// with a new key, unless its file is in a Git repository. The one that it had counts no longer.
    pub async fn connect_app(
        &self,
        at: &AppEnvironment,
        id: &str,
        hash: &str,
        replaces: Vec<String>,
    ) -> Result<AppView, HostError> {
        let (app, earlier) = (listed(id)?, self.undo_record(id)?);
        if self.inner.apps.key(id, AppKeyKind::Entry).is_some() {
            self.open_vault_to_forget().await?;
        }
        let (there, shown, key) = (at.clone(), hash.to_owned(), new_app_key()?);
        let written = key.to_text();
        let made =
            blocking(move || there.connect(app, &shown, &replaces, &written, earlier.as_ref())).await??;
        let record = serde_json::to_string(made.record()).map_err(|error| internal(&error))?;
        if made.has_key() {
            self.keep_app_key(id, &key).await?;
        } else {
            self.remove_app_key(id).await?;
        }
        self.inner.apps.set_connection(id, app.name, Some(&record)).await?;
        made.keep();
        self.app(at, id).await
    }

    /// Whether an app can prove that it is the one, as far as can be told without its entry.
    fn key_state(&self, id: &str) -> AppKeyState {
        match self.inner.apps.key(id, AppKeyKind::Entry) {
            Some(row) if row.is_vouched => AppKeyState::Current,
            Some(_) if self.inner.apps.is_sealed() => AppKeyState::Sealed,
            Some(_) => AppKeyState::Renew,
            // One that connects over HTTP only has a token.
            None if self.has_vouched_token(id) => AppKeyState::Current,
            None => AppKeyState::None,
        }
    }

    /// The same of one whose entry has the key of this public one, or none.
    fn key_state_of_entry(&self, id: &str, public_key: Option<&str>) -> AppKeyState {
        let row = self.inner.apps.key(id, AppKeyKind::Entry);
        match (public_key.map(proof_of), row) {
            (Some(proof), Some(row)) if proof == row.proof => self.key_state(id),
            (None, Some(row)) if row.is_vouched || self.inner.apps.is_sealed() => AppKeyState::Refused,
            (Some(_), _) => AppKeyState::Refused,
            (None, _) => AppKeyState::Renew,
        }
    }

    fn has_vouched_token(&self, id: &str) -> bool {
        self.inner.apps.key(id, AppKeyKind::Token).is_some_and(|row| row.is_vouched)
    }

    fn is_allowed(&self, name: &str) -> bool {
        self.inner.apps.key(name, AppKeyKind::Allowed).is_some_and(|row| row.is_vouched)
    }

    /// What disconnecting an app would change.
    pub async fn plan_disconnect(&self, id: &str) -> Result<AppUndo, HostError> {
        let record = self.undo_record(id)?.ok_or_else(|| HostError::AppNotConnected(id.to_owned()))?;
        Ok(blocking(move || record.plan_disconnect()).await??)
    }

    /// Disconnects an app by the change that [`Self::plan_disconnect`] named `hash`, unless it would be another one by
    /// now.
    pub async fn disconnect_app(&self, id: &str, hash: &str) -> Result<AppUndone, HostError> {
        let record = self.undo_record(id)?.ok_or_else(|| HostError::AppNotConnected(id.to_owned()))?;
        let shown = hash.to_owned();
        // Before the file changes: its key is forgotten only with the vault open.
        self.open_vault_to_forget().await?;
        let outcome = blocking(move || record.disconnect(&shown)).await??;
        let title = mooring_apps::app(id).map_or(id, |app| app.name);
        self.remove_app_key(id).await?;
        self.inner.apps.set_connection(id, title, None).await?;
        Ok(outcome)
    }

    fn undo_record(&self, id: &str) -> Result<Option<UndoRecord>, HostError> {
        let record = self.inner.apps.access(id).connection.map(|text| serde_json::from_str(&text));
        record.transpose().map_err(|error| internal(&error))
    }

    /// Saves how the calls of an app are allowed; `None` is the app's default.
    pub async fn set_app_level(&self, id: &str, level: Option<AppLevel>) -> Result<(), HostError> {
        check_name(id)?;
        self.open_vault_to_decide().await?;
        Ok(self.inner.apps.set_level(id, level).await?)
    }

    /// Saves which servers and tools an app does not see.
    pub async fn set_app_off(&self, id: &str, off: BTreeSet<AppOff>) -> Result<(), HostError> {
        check_name(id)?;
        self.open_vault_to_decide().await?;
        Ok(self.inner.apps.set_off(id, off).await?)
    }

    /// Saves whether an app sees prompts and resources.
    pub async fn set_app_offers(&self, id: &str, prompts: bool, resources: bool) -> Result<(), HostError> {
        check_name(id)?;
        self.open_vault_to_decide().await?;
        Ok(self.inner.apps.set_offers(id, prompts, resources).await?)
    }

    /// Saves which tools an app gets beside a search.
    pub async fn set_app_pinned(&self, id: &str, pinned: BTreeSet<PinnedTool>) -> Result<(), HostError> {
        check_name(id)?;
        Ok(self.inner.apps.set_pinned(id, pinned).await?)
    }

    /// Saves how an app gets the tools.
    pub async fn set_app_tool_list(&self, id: &str, tool_list: AppToolList) -> Result<(), HostError> {
        check_name(id)?;
        Ok(self.inner.apps.set_tool_list(id, tool_list).await?)
    }

    /// Saves how long the name of a tool may be for an app, in characters; none: as the app is known to take.
    pub async fn set_app_longest_name(&self, id: &str, longest: Option<u8>) -> Result<(), HostError> {
        check_name(id)?;
        if let Some(longest) = longest.filter(|longest| !LONGEST_NAMES.contains(longest)) {
            let message = say!(
                "{longest} isn’t a number from {least} to {most}",
                longest = u32::from(longest),
                least = u32::from(*LONGEST_NAMES.start()),
                most = u32::from(*LONGEST_NAMES.end())
            );
            return Err(HostError::InvalidSetting { field: "longest_name", message });
        }
        Ok(self.inner.apps.set_longest_name(id, longest).await?)
    }

    /// How long the name of a tool may be for an app, in characters.
    pub fn app_longest_name(&self, name: &str, access: &AppAccess) -> u8 {
        access.longest_name.unwrap_or_else(|| mooring_apps::longest_name(name))
    }

    /// Whether an app of this name has a search for tools of its own.
    pub fn app_searches_tools(&self, name: &str) -> bool {
        mooring_apps::app(name).is_some_and(|app| app.searches_tools)
    }

    /// What an app of this name may do and sees.
    pub fn app_access(&self, name: &str) -> AppAccess {
        self.inner.apps.access(name)
    }

    /// Mooring's entry as text to copy into the file of an app, listed or not: as this app has it, or as most do.
    pub fn app_snippet(
        &self,
        at: &AppEnvironment,
        id: &str,
        format: AppSnippetFormat,
    ) -> Result<String, HostError> {
        check_name(id)?;
        Ok(at.snippet(id, format, None)?)
    }

    /// The same with a new key, by which the app is known from now on. It can't be shown again.
    pub async fn create_app_entry(
        &self,
        at: &AppEnvironment,
        id: &str,
        format: AppSnippetFormat,
    ) -> Result<String, HostError> {
        let key = self.create_app_key(id).await?;
        Ok(at.snippet(id, format, Some(&key.to_text()))?)
    }

    /// Reads the servers in an app's own files, those that start Mooring left out. Nothing is saved.
    pub async fn check_app_import(&self, at: &AppEnvironment, id: &str) -> Result<AppImport, HostError> {
        let (texts, hash) = app_texts(at, id).await?;
        let mut report = self.check_imports(&texts).await;
        let ours = names_of_mooring(at, id).await?;
        report.entries.retain(|entry| !ours.contains(&entry.name));
        Ok(AppImport { report, hash })
    }

    /// Saves the named servers of an app's own files, as [`Self::check_app_import`] read it, one of them under a new name
    /// where there is one, and starts them when supervising. The app's files are not changed.
    pub async fn import_app(
        &self,
        at: &AppEnvironment,
        id: &str,
        hash: &str,
        names: &[String],
        new_name: Option<&str>,
    ) -> Result<Vec<ServerView>, HostError> {
        let (texts, now) = app_texts(at, id).await?;
        if now != hash {
            return Err(Error::changed().into());
        }
        // A server that starts Mooring would call itself.
        let ours = names_of_mooring(at, id).await?;
        let names: Vec<_> = names.iter().filter(|name| !ours.contains(name)).cloned().collect();
        self.import_as(&texts, &names, new_name).await
    }
}

/// Does what waits for the disk.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, HostError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| internal(&error))
}

fn internal(error: &dyn std::fmt::Display) -> HostError {
    HostError::Internal(Sentence::quoted(error.to_string()))
}

/// The texts that an app reads, and what names them: the same bytes in other files are something else.
async fn app_texts(at: &AppEnvironment, id: &str) -> Result<(Vec<String>, String), HostError> {
    let (app, places) = (listed(id)?, at.places.clone());
    let texts = blocking(move || app.texts(&places)).await??;
    if texts.is_empty() {
        return Err(Error::Unreadable(say!("the app has no such file yet")).into());
    }
    let hash = sha256(&texts.iter().map(|text| sha256(text)).collect::<Vec<_>>().join(" "));
    Ok((texts, hash))
}

async fn names_of_mooring(at: &AppEnvironment, id: &str) -> Result<Vec<String>, HostError> {
    let (app, places) = (listed(id)?, at.places.clone());
    blocking(move || app.names_of_mooring(&places)).await
}

fn listed(id: &str) -> Result<&'static App, HostError> {
    mooring_apps::app(id).ok_or_else(|| HostError::NoSuchApp(id.to_owned()))
}

pub(super) fn check_name(name: &str) -> Result<(), HostError> {
    let is_name = !name.trim().is_empty() && name.chars().count() <= MAX_NAME;
    if is_name && !name.chars().any(char::is_control) {
        return Ok(());
    }
    let message = say!("an app’s name has 1 to {limit} characters", limit = MAX_NAME);
    Err(HostError::InvalidSetting { field: "app", message })
}
