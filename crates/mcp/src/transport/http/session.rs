//! The HTTP session of the session era: its id, and how often it was replaced.

use mooring_words::{Sentence, say};
use reqwest::header::HeaderValue;
use tokio::sync::watch;

/// The current session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Session {
    /// The id, if the server assigned one. The id is a secret.
    pub(crate) id: Option<HeaderValue>,
    /// Increases whenever a session begins or is lost.
    pub(crate) generation: u64,
}

/// The session of one connection, for sharing and waiting.
#[derive(Debug)]
pub(crate) struct SessionCell(watch::Sender<Session>);

impl SessionCell {
    /// Starts without a session.
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Session::default()))
    }

    pub(crate) fn current(&self) -> Session {
        self.0.borrow().clone()
    }

    /// Stores a response's session id, unless there is one already. Fails if it isn't visible ASCII (SHS-16).
    pub(crate) fn set_id(&self, id: &HeaderValue) -> Result<(), Sentence> {
        if self.0.borrow().id.is_some() {
            return Ok(());
        }
        if id.is_empty() || !id.as_bytes().iter().all(|byte| (0x21..=0x7e).contains(byte)) {
            return Err(say!("the session ID contains characters that aren’t visible ASCII"));
        }
        let mut id = id.clone();
        id.set_sensitive(true);
        self.0.send_if_modified(|session| {
            let first = session.id.is_none();
            if first {
                session.id = Some(id);
                session.generation += 1;
            }
            first
        });
        Ok(())
    }

    /// Forgets the session of `generation`. Returns false if the session was already replaced.
    pub(crate) fn forget_session(&self, generation: u64) -> bool {
        self.0.send_if_modified(|session| {
            let same = session.generation == generation;
            if same {
                session.id = None;
                session.generation += 1;
            }
            same
        })
    }

    /// Resolves when a session with an id has replaced the session of `generation`.
    pub(crate) async fn wait_until_renewed(&self, generation: u64) {
        let mut watched = self.0.subscribe();
        drop(watched.wait_for(|session| session.generation > generation && session.id.is_some()).await);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SHS-16.
    #[test]
    fn only_visible_ascii_is_a_session_id() {
        let keep = |bytes: &[u8]| SessionCell::new().set_id(&HeaderValue::from_bytes(bytes).unwrap());
        assert_eq!(keep(b"a~!9"), Ok(()));
        for bad in [&b""[..], b"a b", b"\xc3\xa9", b"a\tb"] {
            assert!(keep(bad).is_err(), "{bad:?}");
        }
    }

    // Requirements: SHS-18.
    #[test]
    fn a_session_is_lost_once_however_many_notice() {
        let sessions = SessionCell::new();
        sessions.set_id(&HeaderValue::from_static("one")).unwrap();
        let lost = sessions.current().generation;
        assert!(sessions.forget_session(lost));
        assert!(!sessions.forget_session(lost));
        assert_eq!(sessions.current().id, None);
    }
}
