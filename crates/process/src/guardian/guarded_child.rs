//! A server whose parent is the guardian.

use super::client::{self, Guardian};
use super::request::{OrphanedTree, Report};
use crate::exit::ProcessExit;
use crate::tree::ProcessIdentity;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use tokio::net::unix::pipe;

/// A program that the guardian has started for this process.
#[derive(Debug)]
pub(crate) struct GuardedChild {
    identity: ProcessIdentity,
    marker: String,
    /// The reports of the guardian. They end when the guardian does.
    reports: Option<pipe::Receiver>,
    /// The guardian lives as long as it has servers, even after another one has replaced it.
    guardian: Arc<Guardian>,
    /// Whether the guardian that started the program has died. Its exit status is then lost.
    orphaned: bool,
}

impl GuardedChild {
    pub(super) fn new(
        identity: ProcessIdentity,
        marker: &str,
        reports: pipe::Receiver,
        guardian: Arc<Guardian>,
    ) -> Self {
        Self { identity, marker: marker.to_owned(), reports: Some(reports), guardian, orphaned: false }
    }

    pub(crate) fn identity(&self) -> ProcessIdentity {
        self.identity
    }

    /// Waits until the program ends. If its guardian dies, another guardian adopts the tree and the program
    /// continues. Only the exit status is lost.
    pub(crate) async fn wait(&mut self) -> ProcessExit {
        while !self.orphaned {
            match read_report(&mut self.reports).await {
                Some(Report::Exited(code)) => return ProcessExit { code: Some(code), signal: None },
                Some(Report::Signalled(signal)) => return ProcessExit { code: None, signal: Some(signal) },
                Some(_) => return ProcessExit::UNKNOWN,
                None => self.adopt_by_new_guardian(),
            }
        }
        let Some(Ok(handle)) = self.open_handle().map(crate::sys::watch_readable) else {
            return ProcessExit::UNKNOWN;
        };
        loop {
            tokio::select! {
                // The handle becomes readable when the process has ended.
                _ended = handle.readable() => return ProcessExit::UNKNOWN,
                _ = read_report(&mut self.reports), if self.reports.is_some() => self.adopt_by_new_guardian(),
            }
        }
    }

    fn adopt_by_new_guardian(&mut self) {
        self.orphaned = true;
        self.reports = None;
        let ProcessIdentity { pid, started_at: since } = self.identity;
        let orphans = OrphanedTree { leader: pid, since, marker: self.marker.clone() };
        match client::hand_over_tree(orphans, &self.guardian) {
            Ok((guardian, reports)) => {
                tracing::warn!(pid, "the guardian of servers was ended; another one has taken over");
                self.guardian = guardian;
                self.reports = Some(reports);
            }
            Err(error) => {
                tracing::warn!(pid, %error, "the guardian of servers was ended; this server would outlive a crash");
            }
        }
    }

    pub(crate) fn kill(&mut self) {
        if let Some(handle) = self.open_handle() {
            let _ended = pidfd_send_signal(handle, Signal::KILL);
        }
    }

    /// Opens a handle of the process. `None` if the process has ended.
    fn open_handle(&self) -> Option<OwnedFd> {
        let pid = Pid::from_raw(self.identity.pid.cast_signed())?;
        let handle = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        self.identity.is_alive().then_some(handle)
    }
}

/// Reads the next report. `None` if the guardian has died. Dropping the future loses nothing.
async fn read_report(reports: &mut Option<pipe::Receiver>) -> Option<Report> {
    let reports = reports.as_mut()?;
    loop {
        reports.readable().await.ok()?;
        let mut report = [0; Report::SIZE];
        match reports.try_read(&mut report) {
            Ok(Report::SIZE) => return Report::decode(report),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok(_) | Err(_) => return None,
        }
    }
}
