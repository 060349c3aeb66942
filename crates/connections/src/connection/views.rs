//! What front ends show and report of a connection.

use mooring_errors::HostError;
use mooring_inbox::ServerPrompter;
use mooring_mcp::{ClientHandler as _, Diagnostic};
use url::Url;

use super::Handle;
use super::shared::PeerHandler;

impl Handle {
    /// Whether the server's tools were listed in this run.
    pub(crate) fn lists_tools(&self) -> bool {
        self.shared.lists.tools.borrow().known().is_some()
    }

    /// Whether the server is connected.
    pub fn is_connected(&self) -> bool {
        self.link().is_ok()
    }

    /// Gives the connection priority over others that start, because a caller waits for it. One that
    /// sleeps goes on sleeping.
    pub fn set_needed(&self) {
        if !self.is_asleep() {
            self.shared.set_needed(true);
        }
    }

    /// Asks the person about this server. `None` if there is no person to ask.
    pub fn prompter(&self) -> Option<ServerPrompter> {
        self.shared.responder.prompter(&self.shared.call_defaults().name)
    }

    /// Returns a function that shows diagnostics about the server to the person, and logs them with those of
    /// the current connection. Fails if the server is not connected.
    pub fn reporter(&self) -> Result<impl Fn(Diagnostic) + Send + Sync + use<>, HostError> {
        let recorder = self.link()?.recorder.clone();
        let handler = PeerHandler { shared: self.shared.clone(), recorder };
        Ok(move |diagnostic| handler.diagnose(diagnostic))
    }

    /// The inline icons that the server sent, as `{"icons":[…]}`. `None` if their hash is no longer `hash`.
    pub fn inline_icons(&self, hash: &str) -> Option<String> {
        self.shared.icons().definition(hash)
    }

    /// The number of the connection on which the server named its icons.
    pub fn icons_connection(&self) -> u64 {
        self.shared.icons().connection()
    }

    /// Whether the server names the icon at this URL.
    pub fn names_icon(&self, url: &Url) -> bool {
        self.shared.icons().names(url)
    }
}
