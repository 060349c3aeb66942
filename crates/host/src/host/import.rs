//! Imports servers from another application's configuration.

use std::collections::HashSet;

use mooring_definitions::import::{self, ImportEntry, ImportReport, ImportValue};
use mooring_definitions::{NewServer, StartRule};
use mooring_errors::HostError;
use mooring_server_state::ServerView;
use mooring_words::Sentence;

use super::Host;

/// Which entries of a configuration are saved, and how.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportChoice<'a> {
    /// The names of the entries.
    pub names: &'a [String],
    /// The values that they ask for.
    pub values: &'a [ImportValue],
    /// The new name of the only entry.
    pub new_name: Option<&'a str>,
    /// When the servers start.
    pub start: StartRule,
}

impl Host {
    /// Parses another application's configuration without saving anything. If it contains secrets, the vault
    /// is opened to check whether they can be encrypted.
    pub async fn check_import(&self, text: &str) -> ImportReport {
        self.check_imports(&[text]).await
    }

    /// Parses several configurations. If two entries have the same name, the later one wins.
    pub(super) async fn check_imports(&self, texts: &[impl AsRef<str> + Sync]) -> ImportReport {
        let mut report = ImportReport::default();
        for text in texts {
            let read = import::read_config(text.as_ref(), |name| self.inner.registry.has_name(name));
            report.entries.retain(|entry| read.entries.iter().all(|later| later.name != entry.name));
            report.entries.extend(read.entries);
            report.error = report.error.or(read.error);
            report.read_as = report.read_as.or(read.read_as);
        }
        self.check_encryption(report).await
    }

    pub(super) async fn check_encryption(&self, mut report: ImportReport) -> ImportReport {
        if report.entries.iter().any(ImportEntry::encrypts) {
            report.stays_plain = self.encryption_problem().await;
        }
        report
    }

    pub(super) async fn encryption_problem(&self) -> Option<Sentence> {
        let opened = self.inner.sign_ins.vault().open().await;
        opened.err().map(|error| error.sentence())
    }

    /// Saves the named valid entries of a configuration, and starts them when supervising. Values that look
    /// secret are encrypted, unless the report of [`Self::check_import`] says that this is impossible. If a
    /// name is taken or has no valid entry, or a value is wrong or missing, the whole import fails and nothing is
    /// saved.
    pub async fn import(
        &self,
        text: &str,
        names: &[String],
        values: &[ImportValue],
    ) -> Result<Vec<ServerView>, HostError> {
        self.import_as(&[text], ImportChoice { names, values, ..ImportChoice::default() }).await
    }

    /// Like [`Self::import`], for several configurations.
    pub async fn import_as(
        &self,
        texts: &[impl AsRef<str> + Sync],
        choice: ImportChoice<'_>,
    ) -> Result<Vec<ServerView>, HostError> {
        let report = self.check_imports(texts).await;
        self.save_entries(report, choice).await
    }

    pub(super) async fn save_entries(
        &self,
        report: ImportReport,
        choice: ImportChoice<'_>,
    ) -> Result<Vec<ServerView>, HostError> {
        let ImportChoice { names, values, new_name, start } = choice;
        let seals = report.stays_plain.is_none();
        let good: HashSet<String> = report
            .entries
            .iter()
            .filter(|entry| entry.server.is_ok())
            .map(|entry| entry.name.clone())
            .collect();
        let mut servers = Vec::new();
        for entry in report.entries {
            if !names.contains(&entry.name) {
                continue;
            }
            let name = new_name.unwrap_or(&entry.name).trim();
            if self.inner.registry.has_name(name) {
                return Err(HostError::NameTaken(name.to_owned()));
            }
            let filled = entry.fill(values, seals).transpose()?;
            match entry.server {
                Ok(server) => {
                    let server = NewServer { name: name.to_owned(), start, ..filled.unwrap_or(server) };
                    let server = server.validated()?;
                    servers.push(if seals { import::move_secrets(server) } else { server });
                }
                // Another entry of this name is valid, so that one is imported.
                Err(_) if good.contains(&entry.name) => {}
                Err(problem) => {
                    let (message, line, column) = (problem.message, problem.line, problem.column);
                    return Err(HostError::ImportSyntax { message, line, column });
                }
            }
        }
        if servers.iter().any(|server| server.secrets.iter().any(|secret| secret.value.is_some())) {
            // Fails before a part of the servers is saved.
            self.inner.sign_ins.vault().open().await?;
        }
        let mut views = Vec::with_capacity(servers.len());
        for server in servers {
            views.push(self.add_server(server).await?);
        }
        Ok(views)
    }
}
