//! The versions of a server's bundle, and the way back to the one before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use mooring_approvals::settings_hash;
use mooring_base::server_id::ServerId;
use mooring_bundle_setup::{BundleRecord, EarlierBundle, ServerBundleRecord, ServerBundleView, to_internal};
use mooring_bundles::InstallLock;
use mooring_definitions::NewServer;
use mooring_errors::HostError;
use mooring_policy::{PinChange, diff_forms};
use mooring_server_state::ServerView;
use mooring_store::SecretPlace;
use serde_json::json;

use super::run_blocking;
use crate::host::Host;

/// What is shown for an encrypted value.
const SEALED: &str = "…";

impl Host {
    /// The bundle that a server came from.
    pub async fn server_bundle(&self, id: ServerId) -> Result<Option<ServerBundleView>, HostError> {
        let now = self.server(id)?.config;
        let record = self.bundle_records().await?.remove(&id.0).unwrap_or_default();
        let Some(current) = record.current else { return Ok(None) };
        let previous = record.previous.map(|it| self.describe_earlier(&it, &current, &now)).transpose()?;
        let signature = current.facts.signature();
        let facts = current.facts;
        Ok(Some(ServerBundleView {
            title: facts.title,
            version: facts.version,
            author: facts.identity.author,
            signature,
            signer: facts.signer,
            sha256: current.sha256,
            previous: previous.flatten(),
        }))
    }

    fn describe_earlier(
        &self,
        earlier: &BundleRecord,
        current: &BundleRecord,
        now: &NewServer,
    ) -> Result<Option<EarlierBundle>, HostError> {
        let folder = |record: &BundleRecord| self.bundles_folder().join(&record.folder);
        let Some(server) = earlier.remembered(now, current)?.filter(|_| folder(earlier).is_dir()) else {
            return Ok(None);
        };
        let shown = earlier.facts.redact(&server);
        let (changes, unshown) = compare_servers(
            (&current.facts.redact(now), folder(current)),
            (&shown, folder(earlier)),
            &BTreeSet::new(),
        );
        let missing = server.secrets.iter().filter(|secret| !secret.entered);
        let missing: Vec<String> = missing.map(|secret| secret.name.clone()).collect();
        let is_used = |name: &String| server.secrets.iter().any(|secret| secret.name == *name);
        Ok(Some(EarlierBundle {
            version: earlier.facts.version.clone(),
            server: shown,
            hash: settings_hash(&server).map_err(|error| to_internal(&error))?,
            changes,
            unshown,
            removed: secret_names(now).into_iter().filter(|name| !is_used(name)).collect(),
            missing,
        }))
    }

    /// Makes a server what it was before its bundle's last update. Once more undoes that. `hash` identifies the server
    /// that the person agreed to, from [`Self::server_bundle`]: another program could change what is remembered.
    pub async fn roll_back_bundle(&self, id: ServerId, hash: &str) -> Result<ServerView, HostError> {
        let now = self.server(id)?.config;
        let record = self.bundle_records().await?.remove(&id.0).unwrap_or_default();
        let none = || HostError::NoEarlierBundle(now.name.clone());
        let (Some(mut current), Some(mut previous)) = (record.current, record.previous) else {
            return Err(none());
        };
        let server = previous.remembered(&now, &current)?.ok_or_else(none)?;
        if settings_hash(&server).map_err(|error| to_internal(&error))? != hash {
            return Err(HostError::DefinitionChanged { what: String::new() });
        }
        let dir = self.bundles_folder();
        let lock = run_blocking(move || InstallLock::acquire(&dir)).await??;
        if !self.bundles_folder().join(&previous.folder).is_dir() {
            return Err(none());
        }
        current.facts.keep_definition(&now)?;
        previous.facts.forget_definition();
        // A value that means something else now would go to the older version under the same name.
        for secret in server.secrets.iter().filter(|secret| !secret.entered) {
            self.inner.store.server_secrets().remove(id.0, secret.place, &secret.name).await?;
        }
        let record = ServerBundleRecord { current: Some(previous), previous: Some(current) };
        let view = self.update_server(id, server).await?;
        self.inner.store.server_bundles().replace(id.0, &record.to_rows(id.0)?).await?;
        drop(lock);
        Ok(view)
    }
}

/// The names of the variables with encrypted values.
pub(super) fn secret_names(server: &NewServer) -> Vec<String> {
    let secrets = server.secrets.iter().filter(|it| it.place == SecretPlace::Env && it.entered);
    secrets.map(|secret| secret.name.clone()).collect()
}

/// How the definition of a server changes, and how many changes there are besides. Each is with the folder of its
/// version. The values of the variables `sealed` aren't compared.
pub(super) fn compare_servers(
    (before, old): (&NewServer, PathBuf),
    (now, new): (&NewServer, PathBuf),
    sealed: &BTreeSet<String>,
) -> (Vec<PinChange>, usize) {
    let form = |server: &NewServer, folder: PathBuf| {
        let folder = folder.display().to_string();
        let text = |text: &String| text.replace(&folder, ".");
        let secrets = server.secrets.iter().map(|secret| (secret.name.clone(), SEALED.to_owned()));
        let env = server.env.iter().map(|(name, value)| {
            (name.clone(), if sealed.contains(name) { SEALED.to_owned() } else { text(value) })
        });
        json!({
            "command": server.command.as_ref().map(text),
            "args": server.args.iter().map(text).collect::<Vec<_>>(),
            "cwd": server.cwd.as_ref().map(text),
            "env": env.chain(secrets).collect::<BTreeMap<_, _>>(),
        })
    };
    diff_forms(&form(before, old).to_string(), &form(now, new).to_string())
}
