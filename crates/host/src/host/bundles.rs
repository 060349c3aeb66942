//! Servers from MCPB bundles: read, added, brought to another version, and back.
//!
//! The files are below `bundles` in the data folder, a folder for each version. A folder stays as long as a server
//! uses it, can go back to it, or was removed and can be restored.

mod folders;
mod review;
mod versions;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use directories::UserDirs;
use mooring_bundle_setup::{
    BundleChoice, BundleFacts, BundleOutcome, BundleRecord, BundleSetup, BundleValues, KeptVariables,
    ServerBundleRecord, server_name, value_keys,
};
use mooring_bundles::{
    Bundle, BundleError, BundleSignature, HostFacts, InstallLock, TargetSystem, UnpackProgress, UserFolders,
};
use mooring_definitions::NewServer;
use mooring_definitions::import::ImportValue;
use mooring_errors::HostError;
use mooring_policy::is_shell;
use mooring_words::{Sentence, say};
use tokio::sync::OwnedRwLockReadGuard;

use self::folders::clean_folders;
use super::Host;

pub(super) use self::folders::clean_in_background;

impl Host {
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
        // What is opened twice at once is saved once.
        let _turn = self.inner.adding_bundle.lock().await;
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
        let name = choice.name.clone().unwrap_or_else(|| server_name(bundle.manifest()));
        if choice.update.is_none() && self.inner.registry.has_name(name.trim()) {
            return Err(HostError::NameTaken(name));
        }
        let record = choice.update.and_then(|id| records.get(&id.0)).cloned().unwrap_or_default();
        let is_same = installed.iter().any(|server| server.same && choice.update == Some(server.id));
        let added = self.unpack_and_save(bundle, &choice, (record, is_same), values, on_progress).await;
        if added.is_err() {
            clean_folders(&self.inner.store, &self.bundles_folder()).await?;
        }
        added
    }

    async fn unpack_and_save(
        &self,
        bundle: Bundle,
        choice: &BundleChoice,
        (mut record, is_same): (ServerBundleRecord, bool),
        values: &[ImportValue],
        on_progress: impl Fn(UnpackProgress) + Send + 'static,
    ) -> Result<BundleOutcome, HostError> {
        let (dir, folders) = (self.bundles_folder(), user_folders()?);
        let folder = bundle.folder_in(&dir);
        let manifest = bundle.manifest().clone();
        let setup = BundleSetup::new(&manifest, &folder, &folders);
        let before = choice.update.map(|id| self.server(id)).transpose()?.map(|view| view.config);
        let earlier = record.current.as_ref().map(|it| it.facts.values.clone()).unwrap_or_default();
        let values = setup.read_values(&setup.inputs(&earlier)?, values)?;
        let mut current = bundle_record(&bundle, &dir, setup.shown_values(&values));
        let kept = before.as_ref().map(kept_variables).unwrap_or_default();
        let mut keeps = BTreeSet::new();
        if is_same || choice.gives_secrets || has_signer(&bundle) {
            let earlier = record.current.as_ref();
            let is_same = |name: &str| earlier.is_some_and(|it| it.has_same_variable(&current, name));
            keeps = setup.kept_secrets(&values, &kept, is_same);
        }
        current.facts = current.facts.with_plain_args(setup.plain_args(&values, &keeps)?);
        // Finds what is missing before anything is unpacked.
        if setup.server(&values, &keeps, &kept)?.secrets.iter().any(|secret| secret.value.is_some()) {
            self.inner.sign_ins.vault().open().await?;
        }
        let unpacking = Arc::clone(&self.inner.unpacking).read_owned().await;
        let _lock = unpack(bundle, dir, unpacking, on_progress).await?;
        let server = setup.server(&values, &keeps, &kept)?;
        let (Some(id), Some(before)) = (choice.update, before) else {
            let name = choice.name.clone().unwrap_or_else(|| server_name(&manifest));
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

    fn bundles_folder(&self) -> PathBuf {
        bundles_folder(self.home())
    }

    async fn bundle_records(&self) -> Result<BTreeMap<i64, ServerBundleRecord>, HostError> {
        Ok(ServerBundleRecord::from_rows(self.inner.store.server_bundles().list().await?))
    }

    fn check_bundle(&self, bundle: &Bundle) -> Result<(), BundleError> {
        if let Some(launch) = bundle.manifest().server.launch_config(TargetSystem::THIS)
            && is_shell(&launch.command)
            && launch.args.iter().any(|arg| !value_keys(arg).is_empty())
        {
            return Err(BundleError::unusable(say!(
                "this bundle puts values that you enter into the script of a shell, which would run them"
            )));
        }
        bundle.manifest().check_host(&HostFacts {
            system: TargetSystem::THIS,
            client_version: self.inner.options.client_version,
            // Asking them would run programs before the person has agreed to anything.
            node_version: None,
            python_version: None,
        })
    }
}

/// The folder of all unpacked bundles in a data folder.
pub(super) fn bundles_folder(home: &Path) -> PathBuf {
    home.join("bundles")
}

/// The path of a bundle's folder in the table.
fn relative_folder(dir: &Path, folder: &Path) -> String {
    let inside = folder.strip_prefix(dir).unwrap_or(folder);
    inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn bundle_record(bundle: &Bundle, dir: &Path, values: BundleValues) -> BundleRecord {
    BundleRecord {
        folder: relative_folder(dir, &bundle.folder_in(dir)),
        sha256: bundle.sha256().to_owned(),
        facts: BundleFacts::of(bundle, values),
    }
}

/// Whether a verified signature says whose bundle it is. Its author is only a text in it.
fn has_signer(bundle: &Bundle) -> bool {
    matches!(bundle.signature(), BundleSignature::SelfSigned(_) | BundleSignature::Signed(_))
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
