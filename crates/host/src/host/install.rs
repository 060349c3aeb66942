//! Installs the program that a server's command needs, with the person's consent.

use std::collections::BTreeMap;
use std::time::Duration;

use mooring_base::codes;
use mooring_base::server_id::ServerId;
use mooring_errors::FailureCode;
use mooring_errors::HostError;
use mooring_process::{
    InstallOffer, RunEnd, SearchPath, SpawnOptions, install_offer, package_of, resolve, run_program,
    usual_search_path,
};
use mooring_server_state::ServerView;
use mooring_words::{Sentence, say};
use serde::Serialize;
use tokio::sync::watch;
use ts_rs::TS;

use super::Host;

codes! {
    /// The result of an installation.
    pub enum InstallStatus {
        /// The program was installed, and the servers that needed it were started.
        Installed = "installed",
        /// The program was installed to a folder that is not on the search path.
        OffPath = "off_path",
        /// The installer succeeded, but the program was not found.
        NotFound = "not_found",
        /// The installer failed or could not be started.
        Failed = "failed",
        /// The person cancelled it.
        Cancelled = "cancelled",
    }
}

/// The outcome of an installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct InstallOutcome {
    /// The result.
    pub status: InstallStatus,
    /// Details, if the status is not enough.
    pub message: Option<Sentence>,
    /// Where the missing program is now.
    pub path: Option<String>,
}

impl InstallOutcome {
    fn new(status: InstallStatus) -> Self {
        Self { status, message: None, path: None }
    }

    fn failed(message: Sentence) -> Self {
        Self { message: Some(message), ..Self::new(InstallStatus::Failed) }
    }
}

impl Host {
    /// How to install the program that a server is missing. `None` if it failed for another reason, or no
    /// package is known for the program.
    pub async fn install_offer(&self, id: ServerId) -> Result<Option<InstallOffer>, HostError> {
        let server = self.server(id)?;
        let Some(program) = missing_program(&server) else { return Ok(None) };
        Ok(install_offer(program, &self.inner.login.path().await.path))
    }

    /// Installs the program with the command `line`, which must be the currently offered one that the person
    /// saw and agreed to. `output` receives the installer's output. Then starts the servers
    /// that were missing it.
    pub async fn install(
        &self,
        id: ServerId,
        line: &[String],
        output: &watch::Sender<String>,
        cancelled: impl Future<Output = ()>,
    ) -> Result<InstallOutcome, HostError> {
        let Ok(_turn) = self.inner.installing.try_lock() else {
            return Ok(InstallOutcome::failed(say!("another installation is running")));
        };
        let server = self.server(id)?;
        let search = self.inner.login.path().await.path.clone();
        let program = missing_program(&server).unwrap_or_default();
        let offered = install_offer(program, &search).and_then(|offer| offer.command);
        let Some(command) = offered.filter(|command| command.line == line) else {
            return Ok(InstallOutcome::failed(say!("the command has changed since it was shown")));
        };
        let options = SpawnOptions {
            args: command.args().to_vec(),
            program: command.program,
            env: BTreeMap::new(),
            cwd: std::env::home_dir().unwrap_or_else(|| self.home().to_owned()),
            search,
        };
        Ok(match run_program(&options, output, cancelled).await {
            Err(error) => InstallOutcome::failed(error.sentence()),
            Ok(RunEnd::Cancelled) => InstallOutcome::new(InstallStatus::Cancelled),
            Ok(RunEnd::TimedOut) => InstallOutcome::failed(say!("it took longer than half an hour")),
            Ok(RunEnd::Exited(exit)) if !exit.success() => InstallOutcome::failed(exit.sentence()),
            Ok(RunEnd::Exited(_)) => self.find_installed(program).await,
        })
    }

    /// Searches for a program that was just installed, and starts the servers that needed its package.
    async fn find_installed(&self, program: &str) -> InstallOutcome {
        // The installer may have changed the shell's start-up files.
        let login = self.inner.login.refresh_path(Duration::ZERO).await;
        let find = |search: &SearchPath| resolve(program, search, self.home()).ok();
        let (status, found) = match (find(&login.path), find(&usual_search_path())) {
            (Some(path), _) => (InstallStatus::Installed, Some(path)),
            (None, Some(path)) => (InstallStatus::OffPath, Some(path)),
            (None, None) => (InstallStatus::NotFound, None),
        };
        if status == InstallStatus::Installed {
            for server in self.servers() {
                if missing_program(&server).and_then(package_of) == package_of(program) {
                    self.inner.registry.restart_if_enabled(server.id);
                }
            }
        }
        let path = found.map(|path| path.to_string_lossy().into_owned());
        InstallOutcome { path, ..InstallOutcome::new(status) }
    }
}

/// The command that a server failed to find, if a package provides it.
fn missing_program(server: &ServerView) -> Option<&str> {
    let failure = server.connection.failure.as_ref()?;
    let command = server.config.command.as_deref()?;
    (failure.code == FailureCode::CommandNotFound && package_of(command).is_some()).then_some(command)
}
