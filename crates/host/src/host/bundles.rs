//! Servers from MCPB bundles: read, added, brought to another version, and back.
//!
//! The files are below `bundles` in the data folder, a folder for each version. A folder stays as long as a server
//! uses it, can go back to it, or was removed and can be restored.

mod record;
mod values;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use directories::UserDirs;
use mooring_base::server_id::ServerId;
use mooring_bundles::{
    Bundle, BundleError, BundleSignature, CleaningLock, HostFacts, InstallLock, InstalledBundle,
    TargetSystem, UnpackProgress, UserFolders,
};
use mooring_connections::ServerView;
use mooring_definitions::import::{ImportInput, ImportValue};
use mooring_definitions::{NewServer, SavedServer};
use mooring_errors::HostError;
use mooring_policy::{danger_warnings, secret_argument_warning};
use mooring_store::Store;
use mooring_words::{Sentence, say};
use tokio::sync::OwnedRwLockReadGuard;

use self::record::{BundleFacts, BundleIdentity, BundleRecord, ServerBundleRecord};
use self::values::{BundleSetup, KeptVariables};
use super::Host;

pub use self::view::{
    BundleChoice, BundleOutcome, BundleProgram, BundleReview, InstalledServer, ServerBundleView,
    SignatureState,
};

impl Host {
    /// Reads a bundle's file without unpacking or saving anything. `values` are those that the person has entered so far.
    pub async fn read_bundle(&self, path: &Path, values: &[ImportValue]) -> Result<BundleReview, HostError> {
        let bundle = open_bundle(path).await?;
        let (dir, folders) = (self.bundles_folder(), user_folders()?);
        let folder = bundle.folder_in(&dir);
        let setup = BundleSetup::new(bundle.manifest(), &folder, &folders);
        let records = self.bundle_records().await?;
        let installed = self.servers_of(&bundle, &records);
        let earlier = installed.first().and_then(|server| records.get(&server.id.0)?.current.as_ref());
        let mut inputs = setup.inputs(&earlier.map(|it| it.facts.values.clone()).unwrap_or_default())?;
        let problem = self.check_bundle(&bundle).err().map(|error| error.sentence().clone());
        let server = if problem.is_some() { None } else { Some(setup.preview(&mut inputs, values)?) };
        let mut notes = self.bundle_notes(&bundle, server.as_ref(), &inputs).await;
        if let Some(other) = self.find_namesake(&bundle, &records) {
            notes.push(say!(
                "“{name}” came from a bundle of the same name by another author or signer, so this one can’t replace it.",
                name = other
            ));
        }
        let has_secrets = inputs.iter().any(|input| input.secret);
        // An author is only a text in the bundle.
        if let Some(other) = installed.iter().find(|server| !server.same)
            && matches!(bundle.signature(), BundleSignature::Unsigned | BundleSignature::Unverified(_))
            && has_secrets
        {
            notes.push(say!(
                "No signature shows that this bundle is by the author of “{name}”. As its update, it gets the secrets that you entered for it.",
                name = other.name.clone()
            ));
        }
        let manifest = bundle.manifest();
        Ok(BundleReview {
            title: manifest.title().to_owned(),
            version: manifest.version.clone(),
            author: manifest.author.name.clone(),
            description: manifest.description.clone(),
            links: view::links(&bundle),
            program: manifest.server.kind.into(),
            signature: bundle.signature().into(),
            signature_text: bundle.signature().sentence(),
            sha256: bundle.sha256().to_owned(),
            file_bytes: bundle.file_bytes(),
            name: view::server_name(&bundle),
            server,
            problem,
            notes,
            inputs,
            installed,
            no_vault: if has_secrets { self.encryption_problem().await } else { None },
        })
    }

    /// Unpacks a bundle whose [`read_bundle`](Self::read_bundle) the person has reviewed, and saves its server. `sha256`
    /// is the hash in that review: another content fails. Dropping the future ends the unpacking, and leaves nothing.
    pub async fn add_bundle(
        &self,
        path: &Path,
        sha256: &str,
        choice: BundleChoice,
        values: &[ImportValue],
        on_progress: impl Fn(UnpackProgress) + Send + 'static,
    ) -> Result<BundleOutcome, HostError> {
        let bundle = open_bundle(path).await?;
        if bundle.sha256() != sha256 {
            return Err(BundleError::changed().into());
        }
        self.check_bundle(&bundle)?;
        let records = self.bundle_records().await?;
        let installed = self.servers_of(&bundle, &records);
        if let (None, None, Some(same)) =
            (choice.update, &choice.name, installed.iter().find(|server| server.same))
        {
            return Ok(BundleOutcome::AlreadyInstalled(Box::new(self.server(same.id)?)));
        }
        if let Some(id) = choice.update.filter(|id| installed.iter().all(|server| server.id != *id)) {
            return Err(HostError::NoEarlierBundle(self.server(id)?.config.name));
        }
        let name = choice.name.clone().unwrap_or_else(|| view::server_name(&bundle));
        if choice.update.is_none() && self.inner.registry.has_name(name.trim()) {
            return Err(HostError::NameTaken(name));
        }
        let record = choice.update.and_then(|id| records.get(&id.0)).cloned().unwrap_or_default();
        let added = self.unpack_and_save(bundle, name, (choice.update, record), values, on_progress).await;
        if added.is_err() {
            clean_folders(&self.inner.store, &self.bundles_folder()).await?;
        }
        added
    }

    async fn unpack_and_save(
        &self,
        bundle: Bundle,
        name: String,
        (update, mut record): (Option<ServerId>, ServerBundleRecord),
        values: &[ImportValue],
        on_progress: impl Fn(UnpackProgress) + Send + 'static,
    ) -> Result<BundleOutcome, HostError> {
        let (dir, folders) = (self.bundles_folder(), user_folders()?);
        let folder = bundle.folder_in(&dir);
        let manifest = bundle.manifest().clone();
        let setup = BundleSetup::new(&manifest, &folder, &folders);
        let before = update.map(|id| self.server(id)).transpose()?.map(|view| view.config);
        let earlier = record.current.as_ref().map(|it| it.facts.values.clone()).unwrap_or_default();
        let inputs = setup.inputs(&earlier)?;
        let values = setup.read_values(&inputs, values)?;
        let kept = before.as_ref().map(kept_variables).unwrap_or_default();
        // Finds what is missing before anything is unpacked.
        if setup.server(&values, &kept)?.secrets.iter().any(|secret| secret.value.is_some()) {
            self.inner.sign_ins.vault().open().await?;
        }
        let facts = BundleFacts::of(&bundle, setup.shown_values(&values));
        let current = BundleRecord {
            folder: relative_folder(&dir, &folder),
            sha256: bundle.sha256().to_owned(),
            facts,
        };
        let unpacking = Arc::clone(&self.inner.unpacking).read_owned().await;
        let _lock = unpack(bundle, dir, unpacking, on_progress).await?;
        let server = setup.server(&values, &kept)?;
        let (Some(id), Some(before)) = (update, before) else {
            let view = self.add_server(NewServer { name, ..server }).await?;
            let record = ServerBundleRecord { current: Some(current), previous: None };
            self.inner.store.server_bundles().replace(view.id.0, &record.to_rows(view.id.0)?).await?;
            return Ok(BundleOutcome::Added(Box::new(view)));
        };
        let server =
            NewServer { name: before.name.clone(), timeout: before.timeout, start: before.start, ..server };
        if let Some(mut last) = record.current.take().filter(|last| last.sha256 != current.sha256) {
            last.facts.keep_definition(&before)?;
            record.previous = Some(last);
        }
        let rows = ServerBundleRecord { current: Some(current), ..record }.to_rows(id.0)?;
        let view = self.update_server(id, server).await?;
        self.inner.store.server_bundles().replace(id.0, &rows).await?;
        Ok(BundleOutcome::Updated(Box::new(view)))
    }

    /// The bundle that a server came from.
    pub async fn server_bundle(&self, id: ServerId) -> Result<Option<ServerBundleView>, HostError> {
        let now = self.server(id)?.config;
        let record = self.bundle_records().await?.remove(&id.0).unwrap_or_default();
        let Some(current) = record.current else { return Ok(None) };
        let previous = record.previous.as_ref().map(|it| it.facts.version.clone());
        let server = record.previous.map(|mut it| it.facts.take_definition(&now)).transpose()?;
        Ok(Some(ServerBundleView {
            title: current.facts.title,
            version: current.facts.version,
            sha256: current.sha256,
            previous,
            previous_server: server.flatten(),
        }))
    }

    /// Makes a server what it was before its bundle's last update. Once more undoes that. `shown` is the server
    /// that the person agreed to, from [`Self::server_bundle`]: another program could change what is remembered.
    pub async fn roll_back_bundle(&self, id: ServerId, shown: &NewServer) -> Result<ServerView, HostError> {
        let now = self.server(id)?.config;
        let record = self.bundle_records().await?.remove(&id.0).unwrap_or_default();
        let none = || HostError::NoEarlierBundle(now.name.clone());
        let (Some(mut current), Some(mut previous)) = (record.current, record.previous) else {
            return Err(none());
        };
        let server = previous.facts.take_definition(&now)?.ok_or_else(none)?;
        if server != *shown {
            return Err(HostError::DefinitionChanged { what: String::new() });
        }
        let dir = self.bundles_folder();
        let lock = run_blocking(move || InstallLock::acquire(&dir)).await??;
        if !self.bundles_folder().join(&previous.folder).is_dir() {
            return Err(none());
        }
        current.facts.keep_definition(&now)?;
        let record = ServerBundleRecord { current: Some(previous), previous: Some(current) };
        let view = self.update_server(id, server).await?;
        self.inner.store.server_bundles().replace(id.0, &record.to_rows(id.0)?).await?;
        drop(lock);
        Ok(view)
    }

    fn bundles_folder(&self) -> PathBuf {
        bundles_folder(self.home())
    }

    async fn bundle_records(&self) -> Result<BTreeMap<i64, ServerBundleRecord>, HostError> {
        Ok(ServerBundleRecord::from_rows(self.inner.store.server_bundles().list().await?))
    }

    fn check_bundle(&self, bundle: &Bundle) -> Result<(), BundleError> {
        bundle.manifest().check_host(&HostFacts {
            system: TargetSystem::THIS,
            client_version: self.inner.options.client_version,
            // Asking them would run programs before the person has agreed to anything.
            node_version: None,
            python_version: None,
        })
    }

    /// The servers that came from a version of a bundle, those from this very file first.
    fn servers_of(
        &self,
        bundle: &Bundle,
        records: &BTreeMap<i64, ServerBundleRecord>,
    ) -> Vec<InstalledServer> {
        let identity = BundleIdentity::of(bundle);
        let of_server = |id: ServerId, name: String| {
            let current = records.get(&id.0)?.current.as_ref()?;
            (current.facts.identity == identity).then(|| InstalledServer {
                id,
                name,
                version: current.facts.version.clone(),
                same: current.sha256 == bundle.sha256(),
            })
        };
        let servers = self.servers().into_iter();
        let mut found: Vec<_> =
            servers.filter_map(|server| of_server(server.id, server.config.name)).collect();
        found.sort_by_key(|server| !server.same);
        found
    }

    /// The name of a server whose bundle has the same name, but is another one.
    fn find_namesake(&self, bundle: &Bundle, records: &BTreeMap<i64, ServerBundleRecord>) -> Option<String> {
        let identity = BundleIdentity::of(bundle);
        let is_other = |id: ServerId| {
            let current = records.get(&id.0).and_then(|record| record.current.as_ref());
            current.is_some_and(|it| it.facts.identity.name == identity.name && it.facts.identity != identity)
        };
        self.servers().into_iter().find(|server| is_other(server.id)).map(|server| server.config.name)
    }

    /// What is worth to know before a bundle is added.
    async fn bundle_notes(
        &self,
        bundle: &Bundle,
        server: Option<&NewServer>,
        inputs: &[ImportInput],
    ) -> Vec<Sentence> {
        let Some(server) = server else { return Vec::new() };
        let command = server.command.clone().unwrap_or_default();
        let names: Vec<String> = server.env.keys().cloned().collect();
        let mut notes = danger_warnings(&command, &server.args, &names);
        let exposed = inputs.iter().filter(|input| input.exposed);
        let places: BTreeSet<usize> = exposed
            .filter_map(|input| server.args.iter().position(|argument| argument.contains(&input.key)))
            .collect();
        notes.extend(places.into_iter().map(secret_argument_warning));
        // The programs of the bundle itself aren't there yet.
        if !command.starts_with(&bundle.folder_in(&self.bundles_folder()).display().to_string()) {
            notes.extend(self.check_command(&command, None).await.problem.map(|problem| problem.message));
        }
        notes
    }
}

/// The folder of all unpacked bundles in a data folder.
pub(super) fn bundles_folder(home: &Path) -> PathBuf {
    home.join("bundles")
}

/// Removes the folders of bundles that no server has in its record or its definition, and what processes have left
/// that were ended.
pub(super) async fn clean_folders(store: &Store, dir: &Path) -> Result<(), HostError> {
    let owned = dir.to_owned();
    let Some(lock) = run_blocking(move || CleaningLock::try_acquire(&owned)).await?? else { return Ok(()) };
    let rows = store.server_bundles().list().await?;
    let used: BTreeSet<PathBuf> = rows.iter().map(|row| dir.join(&row.folder)).collect();
    let saved: Vec<SavedServer> = store.servers().list().await?.into_iter().map(SavedServer::from).collect();
    let is_used = move |installed: &InstalledBundle| {
        let folder = installed.folder();
        used.contains(folder) || saved.iter().any(|server| names_folder(&server.config, folder))
    };
    Ok(run_blocking(move || lock.remove_unused(is_used)).await??)
}

/// Removes what [`clean_folders`] does. What can't be removed now is tried again later.
pub(super) async fn clean_in_background(store: Store, dir: PathBuf) {
    if let Err(error) = clean_folders(&store, &dir).await {
        tracing::warn!(%error, "bundles that are no longer used could not be removed");
    }
}

/// Whether a server's definition has the path of a folder.
fn names_folder(server: &NewServer, folder: &Path) -> bool {
    let folder = folder.display().to_string();
    let texts = server.command.iter().chain(&server.args).chain(&server.cwd).chain(server.env.values());
    texts.into_iter().any(|text| text.contains(&folder))
}

/// The path of a bundle's folder in the table.
fn relative_folder(dir: &Path, folder: &Path) -> String {
    let inside = folder.strip_prefix(dir).unwrap_or(folder);
    inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The variables of a server that have values.
fn kept_variables(server: &NewServer) -> KeptVariables {
    let plain = server.env.iter().map(|(name, value)| (name.clone(), Some(value.clone())));
    let secrets = server.secrets.iter().filter(|secret| secret.entered);
    plain.chain(secrets.map(|secret| (secret.name.clone(), None))).collect()
}

async fn open_bundle(path: &Path) -> Result<Bundle, HostError> {
    let path = path.to_owned();
    Ok(run_blocking(move || Bundle::open(&path)).await??)
}

/// Ends the unpacking when it is dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Unpacks a bundle, and keeps `unpacking` until that has ended, even if nothing waits for it. Nothing is removed from
/// the folder of bundles as long as the lock is kept.
async fn unpack(
    bundle: Bundle,
    dir: PathBuf,
    unpacking: OwnedRwLockReadGuard<()>,
    on_progress: impl Fn(UnpackProgress) + Send + 'static,
) -> Result<InstallLock, HostError> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let _stop = StopOnDrop(Arc::clone(&is_stopped));
    let unpacked = run_blocking(move || {
        let lock = InstallLock::acquire(&dir)?;
        bundle.unpack(&dir, &mut |progress| {
            on_progress(progress);
            if is_stopped.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        drop(unpacking);
        Ok::<_, BundleError>(lock)
    });
    Ok(unpacked.await??)
}

async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, HostError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| HostError::Internal(Sentence::quoted(error.to_string())))
}

/// The person's folders. Without settings of the desktop, they have their usual English names.
fn user_folders() -> Result<UserFolders, HostError> {
    let dirs = UserDirs::new().ok_or(HostError::NoHome)?;
    let home = dirs.home_dir().to_owned();
    let named = |found: Option<&Path>, name: &str| found.map_or_else(|| home.join(name), Path::to_owned);
    Ok(UserFolders {
        desktop: named(dirs.desktop_dir(), "Desktop"),
        documents: named(dirs.document_dir(), "Documents"),
        downloads: named(dirs.download_dir(), "Downloads"),
        home,
    })
}
