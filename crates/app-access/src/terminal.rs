//! Whether the command line in a terminal may use the servers of a running Mooring: once the person was asked, until the
//! terminal closes or for its program always.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use mooring_approvals::AppStore;
use mooring_inbox::{Remember, ServerPrompter};
use mooring_process::PeerSession;
use mooring_store::AppKeyKind;
use mooring_words::say;

use crate::admission::AdmissionError;
use crate::question::ask_about_terminal;

/// The most terminals that are known at once.
const MAX_TERMINALS: usize = 64;

/// The terminals that were decided on since the start.
#[derive(Debug, Default)]
pub struct TerminalAdmission {
    decided: Mutex<Vec<DecidedTerminal>>,
    /// One question at a time: commands of one terminal wait for one answer.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct DecidedTerminal {
    session: PeerSession,
    is_allowed: bool,
}

impl TerminalAdmission {
    /// Whether the terminal's command line may use the servers, as far as that was decided.
    fn recall_decision(&self, apps: &AppStore, session: &PeerSession) -> Option<bool> {
        let always = |path: &Path| {
            let key = apps.key(&path.to_string_lossy(), AppKeyKind::Terminal);
            key.is_some_and(|row| row.is_vouched)
        };
        if session.opener.path.as_deref().is_some_and(always) {
            return Some(true);
        }
        let decided = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        decided.iter().find(|known| known.session.is(session)).map(|known| known.is_allowed)
    }

    /// Has the command line in a terminal use the servers until it closes, or refuses it as long.
    pub fn decide(&self, session: &PeerSession, is_allowed: bool) {
        let mut decided = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        decided.retain(|known| known.session.is_open() && !known.session.is(session));
        if decided.len() < MAX_TERMINALS {
            decided.push(DecidedTerminal { session: session.clone(), is_allowed });
        }
    }

    /// Forgets what was decided since the start.
    pub fn forget(&self) {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whether the terminal's command line may use the servers. The person is asked, unless it was decided; false: there
    /// is no one to ask. `request`: the command that waits for the answer.
    pub async fn admit(
        &self,
        apps: &AppStore,
        session: &PeerSession,
        prompter: Option<&ServerPrompter>,
        request: &str,
    ) -> Result<bool, AdmissionError> {
        let _turn = self.asking.lock().await;
        let is_allowed = match (self.recall_decision(apps, session), prompter) {
            (Some(is_allowed), _) => is_allowed,
            (None, None) => return Ok(false),
            (None, Some(prompter)) => match ask_about_terminal(prompter, session, request).await {
                Some(Some(remember)) => {
                    if let (Remember::Always, Some(path)) = (remember, &session.opener.path) {
                        let path = path.to_string_lossy();
                        let saved = apps.set_key(&path, AppKeyKind::Terminal, &path).await;
                        saved.map_err(AdmissionError::Store)?;
                    }
                    self.decide(session, true);
                    true
                }
                Some(None) => {
                    self.decide(session, false);
                    false
                }
                None => return Err(AdmissionError::Refused(say!("the question was ignored"))),
            },
        };
        if is_allowed {
            return Ok(true);
        }
        Err(AdmissionError::Refused(say!(
            "the command line in this terminal isn’t allowed to use the servers of the running Mooring"
        )))
    }
}
