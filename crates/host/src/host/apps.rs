//! Apps (other vendors' MCP clients) that use the connected servers: discovery, connection and settings.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mooring_app_access::{AppActivityView, AppConnection, AppKeyState, AppView, RunningAppCall};
use mooring_app_key::proof_of;
use mooring_approvals::{AppAccess, AppOff, AppToolList, PinnedTool};
use mooring_apps::{
    App, AppEnvironment, AppPlan, AppSnippetFormat, AppUndo, AppUndone, Error, FoundApp, Places, ProjectFile,
    UndoRecord, project_file_names, read_project,
};
use mooring_base::app_call::AppCall;
use mooring_base::digest::sha256;
use mooring_base::server_id::ServerId;
use mooring_definitions::import::{self, ImportReport, Problem};
use mooring_errors::HostError;
use mooring_policy::AppLevel;
use mooring_process::{image_file_of, is_in_image};
use mooring_server_state::ServerView;
use mooring_store::AppKeyKind;
use mooring_words::{Sentence, say};

use super::Host;
use super::app_keys::new_app_key;
use super::import::ImportChoice;
use crate::options::chosen_home;

/// The maximum length of an app's name, in characters.
const MAX_NAME: usize = 64;

/// The allowed range for the maximum length of tool names, in characters.
const LONGEST_NAMES: RangeInclusive<u8> = 32..=64;

/// The servers in an app's own files, ready to be imported.
#[derive(Debug)]
pub struct AppImport {
    /// The import report.
    pub report: ImportReport,
    /// The hash of the files that were read.
    pub hash: String,
}

impl Host {
    /// Where this person's apps keep their files. `program` is the absolute path of `mooring`.
    pub fn app_environment(program: std::io::Result<PathBuf>) -> Result<AppEnvironment, HostError> {
        let program = program.map_err(|error| internal(&error))?;
        let image = image_file_of(&program);
        Ok(AppEnvironment {
            places: Places::here().ok_or(HostError::NoHome)?,
            is_image: image.is_some(),
            program: image.unwrap_or(program),
            home: chosen_home()?,
        })
    }

    /// All known apps: those whose files Mooring can find, and others that have called or have a token.
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

    /// The current activity of apps that are connected or have a running call.
    pub fn app_activity(&self) -> Vec<AppActivityView> {
        self.inner.app_activity.view()
    }

    /// Marks an app as connected until the result is dropped.
    pub fn app_connected(&self, app: &Arc<str>) -> AppConnection {
        self.inner.app_activity.connect(app)
    }

    /// Records that an app received the list of tools.
    pub fn app_listed(&self, app: &Arc<str>) {
        self.inner.app_activity.note_listed(app);
    }

    /// Marks an app's call as running until the result is dropped. `subject` is the server's name for the
    /// tool or item.
    pub fn app_call_started(
        &self,
        call: &AppCall,
        server: ServerId,
        method: &'static str,
        subject: &str,
    ) -> RunningAppCall {
        self.inner.app_activity.start(call, server, method, subject)
    }

    /// Cancels an app's call by its number. Returns `false` if it is not running.
    pub fn cancel_app_call(&self, call: i64) -> bool {
        self.inner.app_activity.cancel(call)
    }

    /// The view of one app. An unlisted app may use any name.
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

    /// The view of an app whose files Mooring does not know.
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

    /// What connecting an app would change. `None` if it is already connected with a valid key, or without
    /// one because its file is in a Git repository. `renew` requests a new key anyway. `replaces` names the
    /// app's own servers to remove from its file.
    pub async fn plan_connect(
        &self,
        at: &AppEnvironment,
        id: &str,
        renew: bool,
        replaces: Vec<String>,
    ) -> Result<Option<AppPlan>, HostError> {
        if is_in_image(&at.program) {
            return Err(HostError::AppFile(Error::NotWritten(say!(
                "Mooring’s programs are in a folder that may be gone later, so an app couldn’t start them: start the AppImage itself, or install Mooring"
            ))));
        }
        let (app, at) = (listed_app(id)?, at.clone());
        let row = self.inner.apps.key(id, AppKeyKind::Entry);
        let is_current = move |public: Option<&str>| match (public, &row) {
            // If an app has a key, it must present it.
            (None, row) => row.is_none(),
            (Some(public), Some(row)) => row.is_vouched && !renew && row.proof == proof_of(public),
            (Some(_), None) => false,
        };
        Ok(blocking(move || at.plan_connect(app, &replaces, is_current)).await??)
    }

    /// Connects an app by applying the change whose hash [`Self::plan_connect`] returned. Fails if the change
    /// is no longer the same. The app gets a new key, which replaces its earlier one, unless its file is in a
    /// Git repository.
    pub async fn connect_app(
        &self,
        at: &AppEnvironment,
        id: &str,
        hash: &str,
        replaces: Vec<String>,
    ) -> Result<AppView, HostError> {
        let (app, earlier) = (listed_app(id)?, self.undo_record(id)?);
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

    /// The state of an app's key, without its entry.
    fn key_state(&self, id: &str) -> AppKeyState {
        match self.inner.apps.key(id, AppKeyKind::Entry) {
            Some(row) if row.is_vouched => AppKeyState::Current,
            Some(_) if self.inner.apps.is_sealed() => AppKeyState::Sealed,
            Some(_) => AppKeyState::Renew,
            // An app that connects over HTTP only has a token.
            None if self.has_vouched_token(id) => AppKeyState::Current,
            None => AppKeyState::None,
        }
    }

    /// The state of an app's key, given the public key in its entry, if any.
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

    /// Disconnects an app by applying the change whose hash [`Self::plan_disconnect`] returned. Fails if the
    /// change is no longer the same.
    pub async fn disconnect_app(&self, id: &str, hash: &str) -> Result<AppUndone, HostError> {
        let record = self.undo_record(id)?.ok_or_else(|| HostError::AppNotConnected(id.to_owned()))?;
        let shown = hash.to_owned();
        // Open the vault before changing the file, because the key can only be removed with the vault open.
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

    /// Sets how an app's calls are allowed. `None` means the app's default.
    pub async fn set_app_level(&self, id: &str, level: Option<AppLevel>) -> Result<(), HostError> {
        check_name(id)?;
        self.open_vault_to_decide().await?;
        Ok(self.inner.apps.set_level(id, level).await?)
    }

    /// Sets which servers and tools are hidden from an app.
    pub async fn set_app_off(&self, id: &str, off: BTreeSet<AppOff>) -> Result<(), HostError> {
        check_name(id)?;
        self.open_vault_to_decide().await?;
        Ok(self.inner.apps.set_off(id, off).await?)
    }

    /// Sets whether an app sees prompts and resources.
    pub async fn set_app_offers(&self, id: &str, prompts: bool, resources: bool) -> Result<(), HostError> {
        check_name(id)?;
        self.open_vault_to_decide().await?;
        Ok(self.inner.apps.set_offers(id, prompts, resources).await?)
    }

    /// Sets which tools an app receives in addition to the search.
    pub async fn set_app_pinned(&self, id: &str, pinned: BTreeSet<PinnedTool>) -> Result<(), HostError> {
        check_name(id)?;
        Ok(self.inner.apps.set_pinned(id, pinned).await?)
    }

    /// Sets how an app receives the tools.
    pub async fn set_app_tool_list(&self, id: &str, tool_list: AppToolList) -> Result<(), HostError> {
        check_name(id)?;
        Ok(self.inner.apps.set_tool_list(id, tool_list).await?)
    }

    /// Sets the maximum length of tool names for an app, in characters. `None` means the app's known limit.
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

    /// The maximum length of tool names for an app, in characters.
    pub fn app_longest_name(&self, name: &str, access: &AppAccess) -> u8 {
        access.longest_name.unwrap_or_else(|| mooring_apps::longest_name(name))
    }

    /// Whether an app of this name has its own tool search.
    pub fn app_searches_tools(&self, name: &str) -> bool {
        mooring_apps::app(name).is_some_and(|app| app.searches_tools)
    }

    /// The permissions and settings of an app of this name.
    pub fn app_access(&self, name: &str) -> AppAccess {
        self.inner.apps.access(name)
    }

    /// Mooring's entry as text to copy into an app's file, in the app's format or the most common one.
    pub fn app_snippet(
        &self,
        at: &AppEnvironment,
        id: &str,
        format: AppSnippetFormat,
    ) -> Result<String, HostError> {
        check_name(id)?;
        Ok(at.snippet(id, format, None)?)
    }

    /// Creates a new key for an app and returns the entry that contains it. The key replaces the earlier one
    /// and can't be shown again.
    pub async fn create_app_entry(
        &self,
        at: &AppEnvironment,
        id: &str,
        format: AppSnippetFormat,
    ) -> Result<String, HostError> {
        let key = self.create_app_key(id).await?;
        Ok(at.snippet(id, format, Some(&key.to_text()))?)
    }

    /// Reads the servers in an app's own files, except entries that start Mooring. Saves nothing.
    pub async fn check_app_import(&self, at: &AppEnvironment, id: &str) -> Result<AppImport, HostError> {
        let (texts, hash) = app_texts(at, id).await?;
        let mut report = self.check_imports(&texts).await;
        let ours = names_of_mooring(at, id).await?;
        report.entries.retain(|entry| !ours.contains(&entry.name));
        Ok(AppImport { report, hash })
    }

    /// Imports the named servers from an app's own files, as [`Self::check_app_import`] read them, and starts
    /// them when supervising. One of them may get a new name. `start` says when they start from then on. Does
    /// not change the app's files.
    pub async fn import_app(
        &self,
        at: &AppEnvironment,
        id: &str,
        hash: &str,
        choice: ImportChoice<'_>,
    ) -> Result<Vec<ServerView>, HostError> {
        let (texts, now) = app_texts(at, id).await?;
        if now != hash {
            return Err(Error::changed().into());
        }
        // Mooring must not import an entry that starts Mooring itself.
        let ours = names_of_mooring(at, id).await?;
        let names: Vec<_> = choice.names.iter().filter(|name| !ours.contains(name)).cloned().collect();
        self.import_as(&texts, ImportChoice { names: &names, ..choice }).await
    }

    /// Reads the servers in the files of a project's folder, such as `.mcp.json`, except entries that start
    /// Mooring. Saves nothing. Of two servers with the same name, the later one gets its file's name too, unless they
    /// are the same.
    pub async fn check_project_import(&self, folder: &Path) -> Result<AppImport, HostError> {
        let of = folder.to_owned();
        let files = blocking(move || read_project(&of)).await?;
        if files.is_empty() {
            let names = project_file_names().collect::<Vec<_>>().join(", ");
            return Err(Error::Unreadable(say!(
                "the folder has no servers in any of these files: {names}",
                names
            ))
            .into());
        }
        let hashes = files.iter().map(|file| sha256(file.text.as_deref().unwrap_or_default()));
        let hash = sha256(&hashes.collect::<Vec<_>>().join(" "));
        let mut report = ImportReport::default();
        for file in files {
            self.add_project_file(&mut report, folder, file);
        }
        Ok(AppImport { report: self.check_encryption(report).await, hash })
    }

    fn add_project_file(&self, report: &mut ImportReport, folder: &Path, file: ProjectFile) {
        let name = file.name;
        let has_name = |name: &str| self.inner.registry.has_name(name);
        let read = match file.text {
            Ok(text) => import::read_project_config(&text, folder, has_name),
            Err(error) => {
                let problem = Problem { message: error.sentence().clone(), line: 1, column: 1 };
                ImportReport { error: Some(problem), ..ImportReport::default() }
            }
        };
        let problem = read.error.map(|problem| Problem {
            message: say!("{file}: {problem}", file = name, problem = problem.message),
            ..problem
        });
        report.error = report.error.take().or(problem);
        for mut entry in read.entries.into_iter().filter(|entry| !file.ours.contains(&entry.name)) {
            if let Some(earlier) = report.entries.iter().find(|earlier| earlier.name == entry.name) {
                if earlier
                    .server
                    .as_ref()
                    .ok()
                    .is_some_and(|server| entry.server.as_ref().ok() == Some(server))
                {
                    continue;
                }
                entry.name = format!("{} ({name})", entry.name);
                entry.exists = has_name(&entry.name);
            }
            entry.notes.insert(0, say!("from {file}", file = name));
            report.entries.push(entry);
        }
    }

    /// Imports the named servers from a project's folder, as [`Self::check_project_import`] read them. Does not
    /// change the project's files.
    pub async fn import_project(
        &self,
        folder: &Path,
        hash: &str,
        choice: ImportChoice<'_>,
    ) -> Result<Vec<ServerView>, HostError> {
        let import = self.check_project_import(folder).await?;
        if import.hash != hash {
            return Err(Error::changed().into());
        }
        self.save_entries(import.report, choice).await
    }
}

/// Runs blocking disk access.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, HostError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| internal(&error))
}

pub(super) fn internal(error: &dyn std::fmt::Display) -> HostError {
    HostError::Internal(Sentence::quoted(error.to_string()))
}

/// Reads an app's files, with a hash that also changes if the same bytes move between files.
async fn app_texts(at: &AppEnvironment, id: &str) -> Result<(Vec<String>, String), HostError> {
    let (app, places) = (listed_app(id)?, at.places.clone());
    let texts = blocking(move || app.texts(&places)).await??;
    if texts.is_empty() {
        return Err(Error::Unreadable(say!("the app has no such file yet")).into());
    }
    let hash = sha256(&texts.iter().map(|text| sha256(text)).collect::<Vec<_>>().join(" "));
    Ok((texts, hash))
}

async fn names_of_mooring(at: &AppEnvironment, id: &str) -> Result<Vec<String>, HostError> {
    let (app, places) = (listed_app(id)?, at.places.clone());
    blocking(move || app.names_of_mooring(&places)).await
}

fn listed_app(id: &str) -> Result<&'static App, HostError> {
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
