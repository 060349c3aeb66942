//! Servers from the configuration of another application.

use std::collections::HashSet;

use mooring_definitions::NewServer;
use mooring_definitions::import::{self, ImportReport};
use mooring_words::Sentence;

use super::Host;
use crate::error::HostError;
use crate::server::ServerView;

impl Host {
    /// Reads a configuration of another application without saving anything. Where it holds secrets the vault is
    /// opened, to know whether they can be sealed.
    pub async fn check_import(&self, text: &str) -> ImportReport {
        self.check_imports(&[text]).await
    }

    /// The same of several texts: of two entries with one name, that of the later text counts.
    pub(super) async fn check_imports(&self, texts: &[impl AsRef<str> + Sync]) -> ImportReport {
        let mut report = ImportReport::default();
        for text in texts {
            let read = import::read_config(text.as_ref(), |name| self.inner.registry.has_name(name));
            report.entries.retain(|entry| read.entries.iter().all(|later| later.name != entry.name));
            report.entries.extend(read.entries);
            report.error = report.error.or(read.error);
        }
        if report.entries.iter().any(|entry| !entry.secrets.is_empty()) {
            report.stays_plain = self.encryption_problem().await;
        }
        report
    }

    async fn encryption_problem(&self) -> Option<Sentence> {
        let opened = self.inner.sign_ins.vault().open().await;
        opened.err().map(|error| error.sentence())
    }

    /// Saves the named good entries of a configuration and, when supervising, starts them. What looks secret is sealed,
    /// unless the report of [`Self::check_import`] says that it cannot be. A name that is taken, or has no good entry,
    /// fails the whole import before anything is saved.
    pub async fn import(&self, text: &str, names: &[String]) -> Result<Vec<ServerView>, HostError> {
        self.import_as(&[text], names, None).await
    }

    /// The same of one entry that gets another name here.
    pub async fn import_as(
        &self,
        texts: &[impl AsRef<str> + Sync],
        names: &[String],
        new_name: Option<&str>,
    ) -> Result<Vec<ServerView>, HostError> {
        let report = self.check_imports(texts).await;
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
            match entry.server.map(|server| NewServer { name: name.to_owned(), ..server }) {
                Ok(server) => servers.push(if seals { import::move_secrets(server) } else { server }),
                // The one of this name that is good is meant.
                Err(_) if good.contains(&entry.name) => {}
                Err(problem) => {
                    let (message, line, column) = (problem.message, problem.line, problem.column);
                    return Err(HostError::ImportSyntax { message, line, column });
                }
            }
        }
        let mut views = Vec::with_capacity(servers.len());
        for server in servers {
            views.push(self.add_server(server).await?);
        }
        Ok(views)
    }
}
