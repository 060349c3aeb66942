//! Whether what a server lists is still what was approved or seen. What may have changed is listed anew before anything
//! is done with it: between the word of a change and its list, the approval of what was there before counts for nothing.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use mooring_mcp::{ResendCheck, ResendReason};
use mooring_policy::Standing;
use mooring_words::say;

use super::Handle;
use super::lists::Kind;
use crate::error::HostError;

/// How long somebody waits for a list that is read anew, and how often it may have changed again by then.
const PATIENCE: Duration = Duration::from_secs(30);
const TIMES: usize = 3;

impl Handle {
    /// Where the approval of something that is listed stands, and its hash. What was approved or seen, and may be
    /// another thing by now without that being found out, is not known; what changed stays so. A tool that nobody has
    /// listed yet is listed first: otherwise whoever only calls would never notice a change. A server that is not saved
    /// is asked for its tools first where a call needs what they say of its headers.
    pub(crate) async fn standing(
        &self,
        kind: Kind,
        name: &str,
    ) -> Result<(Standing, Option<String>), HostError> {
        let Some(server) = self.shared.server else {
            if kind == Kind::Tools
                && self.link()?.client.mirrors_arguments()
                && !self.shared.lists.was_read(kind)
            {
                self.read_anew(kind).await;
            }
            return Ok((Standing::Unknown, None));
        };
        let trust = &self.trust;
        trust.load(server).await?;
        let known = trust.standing(server, kind.pinned(), name);
        let lists = &self.shared.lists;
        if lists.is_of_now(kind)
            || known.0 == Standing::Unknown && (kind != Kind::Tools || lists.was_read(kind))
        {
            return Ok(known);
        }
        let is_of_now = self.read_anew(kind).await;
        let known = trust.standing(server, kind.pinned(), name);
        Ok(if is_of_now || known.0 == Standing::Changed { known } else { (Standing::Unknown, None) })
    }

    /// Refuses what is not what it was when it was seen. Returns its hash, where that is known.
    pub(super) async fn admit_listed(&self, kind: Kind, name: &str) -> Result<Option<String>, HostError> {
        match self.standing(kind, name).await? {
            (Standing::Changed, _) => Err(HostError::DefinitionChanged { what: name.to_owned() }),
            (_, definition) => Ok(definition),
        }
    }

    /// Refuses what is no longer what it was when `definition` was its hash; `anew`: whatever was read before.
    pub(crate) async fn still(
        &self,
        kind: Kind,
        name: &str,
        definition: Option<&str>,
        anew: bool,
    ) -> Result<(), HostError> {
        let Some(server) = self.shared.server else { return Ok(()) };
        let was_known = definition.is_some();
        // Where nothing was known, nothing can be another thing by now.
        let is_of_now = if anew || was_known && !self.shared.lists.is_of_now(kind) {
            self.read_anew(kind).await
        } else {
            true
        };
        if !self.trust.is_still(server, kind.pinned(), name, definition) {
            return Err(HostError::DefinitionChanged { what: name.to_owned() });
        }
        if !is_of_now {
            return Err(HostError::Denied {
                rule: say!("whether its definition is still the same cannot be found out"),
            });
        }
        Ok(())
    }

    /// What the engine asks before it sends something once more.
    pub(crate) fn again(&self, kind: Kind, name: &str, definition: Option<String>) -> Option<ResendCheck> {
        self.shared.server?;
        let decided: Arc<(Self, String, Option<String>)> =
            Arc::new((self.clone(), name.to_owned(), definition));
        Some(Arc::new(move |resend| {
            let decided = Arc::clone(&decided);
            async move {
                let (handle, name, definition) = &*decided;
                let anew = matches!(resend, ResendReason::HeaderMismatch | ResendReason::NewSession);
                let still = handle.still(kind, name, definition.as_deref(), anew).await;
                still.map_err(|error| error.sentence())
            }
            .boxed()
        }))
    }

    /// Has a list read until no change was announced since. Says whether that was possible.
    async fn read_anew(&self, kind: Kind) -> bool {
        let read = async {
            for _ in 0..TIMES {
                let read = match kind {
                    Kind::Tools => self.tools(true).await.map(drop),
                    Kind::Resources => self.resources(true).await.map(drop),
                    Kind::Prompts => self.prompts(true).await.map(drop),
                };
                if let Err(error) = read {
                    tracing::debug!(%error, "a definition could not be read anew");
                    return false;
                }
                if self.shared.lists.is_of_now(kind) {
                    return true;
                }
            }
            false
        };
        tokio::time::timeout(PATIENCE, read).await.unwrap_or(false)
    }
}
