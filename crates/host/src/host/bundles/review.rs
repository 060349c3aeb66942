//! What a person sees before a bundle is added.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mooring_base::server_id::ServerId;
use mooring_bundle_setup::{
    BundleChoice, BundleIdentity, BundleRecord, BundleReview, BundleSetup, BundleUpdate, InstalledServer,
    ServerBundleRecord, links, server_name,
};
use mooring_bundles::Bundle;
use mooring_definitions::NewServer;
use mooring_definitions::import::{ImportInput, ImportValue};
use mooring_errors::HostError;
use mooring_policy::{danger_warnings, secret_argument_warning};
use mooring_words::{Sentence, say};

use super::versions::{compare_servers, secret_names};
use super::{bundle_record, has_signer, kept_variables, open_bundle, user_folders};
use crate::host::Host;

/// The server that a bundle becomes a new version of.
struct Target<'a> {
    server: &'a InstalledServer,
    before: NewServer,
    /// The version that it has now.
    record: &'a BundleRecord,
}

impl Host {
    /// Reads a bundle's file without unpacking or saving anything. `values` are those that the person has entered so
    /// far. Without a choice, it becomes a new version of the first server that came from it.
    pub async fn read_bundle(
        &self,
        path: &Path,
        choice: &BundleChoice,
        values: &[ImportValue],
    ) -> Result<BundleReview, HostError> {
        let bundle = open_bundle(path).await?;
        let (dir, folders) = (self.bundles_folder(), user_folders()?);
        let folder = bundle.folder_in(&dir);
        let setup = BundleSetup::new(bundle.manifest(), &folder, &folders);
        let records = self.bundle_records().await?;
        let installed = self.servers_of(&bundle, &records);
        let target = self.find_target(choice, &installed, &records)?;
        let earlier = target.as_ref().map(|it| it.record.facts.values.clone()).unwrap_or_default();
        let mut inputs = setup.inputs(&earlier)?;
        let problem = self.check_bundle(&bundle).err().map(|error| error.sentence().clone());
        let given = setup.valid_values(&inputs, values);
        let current = bundle_record(&bundle, &dir, setup.shown_values(&given));
        let (mut kept, mut consent) = (BTreeSet::new(), None);
        if let Some(target) = &target {
            let is_same = |name: &str| target.record.has_same_variable(&current, name);
            kept = setup.kept_secrets(&given, &kept_variables(&target.before), is_same);
            if !target.server.same && !has_signer(&bundle) && !kept.is_empty() {
                consent = Some(say!(
                    "No signature shows that this bundle is by the author of “{name}”. Give it the secrets that you entered only if you know where it is from.",
                    name = target.server.name.clone()
                ));
            }
        }
        let stays = consent.is_none() || choice.gives_secrets;
        let keeps = if stays { kept.clone() } else { BTreeSet::new() };
        for input in &mut inputs {
            input.required &= !keeps.contains(&input.key);
        }
        let server =
            if problem.is_some() { None } else { Some(setup.preview(&mut inputs, values, &keeps)?) };
        let update = match (&target, &server) {
            (Some(target), Some(server)) => {
                let names = setup.secret_variables();
                let before = (&target.record.facts.redact(&target.before), dir.join(&target.record.folder));
                let (changes, unshown) = compare_servers(before, (server, folder.clone()), &names);
                let is_gone = |name: &String| !server.env.contains_key(name);
                Some(BundleUpdate {
                    id: target.server.id,
                    changes,
                    unshown,
                    kept: kept.into_iter().collect(),
                    consent,
                    removed: secret_names(&target.before).into_iter().filter(is_gone).collect(),
                })
            }
            _ => None,
        };
        let mut notes = self.bundle_notes(&bundle, server.as_ref(), &inputs).await;
        if let Some(other) = self.find_namesake(&bundle, &records) {
            notes.push(say!(
                "“{name}” came from a bundle of the same name by another author or signer, so this one can’t replace it.",
                name = other
            ));
        }
        let has_secrets = inputs.iter().any(|input| input.secret);
        let manifest = bundle.manifest();
        Ok(BundleReview {
            title: manifest.title().to_owned(),
            version: manifest.version.clone(),
            author: manifest.author.name.clone(),
            description: manifest.description.clone(),
            links: links(&bundle),
            program: manifest.server.kind.into(),
            signature: bundle.signature().into(),
            signature_text: bundle.signature().sentence(),
            sha256: bundle.sha256().to_owned(),
            file_bytes: bundle.file_bytes(),
            name: server_name(manifest),
            server,
            problem,
            notes,
            inputs,
            installed,
            update,
            no_vault: if has_secrets { self.encryption_problem().await } else { None },
        })
    }

    /// The server that the choice means, or else the first one that came from the bundle.
    fn find_target<'a>(
        &self,
        choice: &BundleChoice,
        installed: &'a [InstalledServer],
        records: &'a BTreeMap<i64, ServerBundleRecord>,
    ) -> Result<Option<Target<'a>>, HostError> {
        let server = match choice.update {
            Some(id) => {
                let named = installed.iter().find(|server| server.id == id);
                let Some(named) = named else {
                    return Err(HostError::NoEarlierBundle(self.server(id)?.config.name));
                };
                Some(named)
            }
            None => installed.first().filter(|_| choice.name.is_none()),
        };
        let record = |server: &InstalledServer| records.get(&server.id.0)?.current.as_ref();
        let Some((server, record)) = server.and_then(|server| Some((server, record(server)?))) else {
            return Ok(None);
        };
        Ok(Some(Target { server, before: self.server(server.id)?.config, record }))
    }

    /// The servers that came from a version of a bundle, those from this very file first.
    pub(super) fn servers_of(
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
