//! Whether what a server lists is still what was approved or seen. What may have changed is listed anew before anything
//! is done with it: between the word of a change and its list, the approval of what was there before counts for
//! nothing.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use mooring_base::server_id::ServerId;
use mooring_mcp::{ResendCheck, ResendReason};
use mooring_policy::Approval;
use mooring_words::say;

use super::Handle;
use super::lists::ListKind;
use crate::error::HostError;

/// How long somebody waits for a list that is read anew, and how often it may have changed again by then.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(30);
const REFRESH_ATTEMPTS: usize = 3;

impl Handle {
    /// Where the approval of something that is listed stands, and its hash. What was approved or seen, and may be
    /// another thing by now without that being found out, is not known; what changed stays so. A tool that nobody has
    /// listed yet is listed first: otherwise whoever only calls would never notice a change. A server that is not saved
    /// is asked for its tools first where a call needs what they say of its headers.
    pub(crate) async fn approval(
        &self,
        kind: ListKind,
        name: &str,
    ) -> Result<(Approval, Option<String>), HostError> {
        let Some(server) = self.shared.server else {
            if kind == ListKind::Tools
                && self.link()?.client.mirrors_arguments()
                && !self.shared.lists.is_complete(kind)
            {
                self.refresh_list(kind).await;
            }
            return Ok((Approval::Unknown, None));
        };
        self.trust.load(server).await?;
        let known = self.approval_here(server, kind, name).await?;
        let lists = &self.shared.lists;
        if lists.is_current(kind)
            || known.0 == Approval::Unknown && (kind != ListKind::Tools || lists.is_complete(kind))
        {
            return Ok(known);
        }
        let is_of_now = self.refresh_list(kind).await;
        let known = self.approval_here(server, kind, name).await?;
        Ok(if is_of_now || known.0 == Approval::Changed { known } else { (Approval::Unknown, None) })
    }

    /// Where it stands with what this connection lists.
    async fn approval_here(
        &self,
        server: ServerId,
        kind: ListKind,
        name: &str,
    ) -> Result<(Approval, Option<String>), HostError> {
        let (approval, hash) = self.trust.approval(server, kind.pin_kind(), name);
        let is_same = self.has_approved(server, kind, name, hash.as_deref()).await?;
        Ok((if is_same { approval } else { Approval::Changed }, hash))
    }

    /// Whether an instance has something as it is approved, by its hash.
    async fn has_approved(
        &self,
        server: ServerId,
        kind: ListKind,
        name: &str,
        hash: Option<&str>,
    ) -> Result<bool, HostError> {
        let Some(own) = self.shared.own_hash(kind.pin_kind(), name) else { return Ok(true) };
        let Some(hash) = hash else { return Ok(false) };
        if own == hash {
            return Ok(true);
        }
        let remembered = self.trust.remembered(server).await?;
        let part = remembered.part_of(self.shared.role.listed_in, kind.pin_kind(), name, hash);
        Ok(part == Some(own.as_str()))
    }

    /// Refuses what is not what it was when it was seen. Returns its hash, where that is known.
    pub(super) async fn admit_definition(
        &self,
        kind: ListKind,
        name: &str,
    ) -> Result<Option<String>, HostError> {
        match self.approval(kind, name).await? {
            (Approval::Changed, _) => Err(HostError::DefinitionChanged { what: name.to_owned() }),
            (_, definition) => Ok(definition),
        }
    }

    /// Refuses what is no longer what it was when `definition` was its hash; `anew`: whatever was read before.
    pub(crate) async fn ensure_unchanged(
        &self,
        kind: ListKind,
        name: &str,
        definition: Option<&str>,
        anew: bool,
    ) -> Result<(), HostError> {
        let Some(server) = self.shared.server else { return Ok(()) };
        let was_known = definition.is_some();
        // Where nothing was known, nothing can be another thing by now.
        let is_of_now = if anew || was_known && !self.shared.lists.is_current(kind) {
            self.refresh_list(kind).await
        } else {
            true
        };
        if !self.trust.is_unchanged(server, kind.pin_kind(), name, definition)
            || was_known && !self.has_approved(server, kind, name, definition).await?
        {
            return Err(HostError::DefinitionChanged { what: name.to_owned() });
        }
        if !is_of_now {
            return Err(HostError::Denied {
                rule: say!("it is unknown whether its definition is still the same"),
            });
        }
        Ok(())
    }

    /// What the engine asks before it sends something once more.
    pub(crate) fn resend_check(
        &self,
        kind: ListKind,
        name: &str,
        definition: Option<String>,
    ) -> Option<ResendCheck> {
        self.shared.server?;
        let decided: Arc<(Self, String, Option<String>)> =
            Arc::new((self.clone(), name.to_owned(), definition));
        Some(Arc::new(move |resend| {
            let decided = Arc::clone(&decided);
            async move {
                let (handle, name, definition) = &*decided;
                let anew = matches!(resend, ResendReason::HeaderMismatch | ResendReason::NewSession);
                let still = handle.ensure_unchanged(kind, name, definition.as_deref(), anew).await;
                still.map_err(|error| error.sentence())
            }
            .boxed()
        }))
    }

    /// Has a list read until no change was announced since. Says whether that was possible.
    async fn refresh_list(&self, kind: ListKind) -> bool {
        let read = async {
            for _ in 0..REFRESH_ATTEMPTS {
                let read = match kind {
                    ListKind::Tools => self.tools(true).await.map(drop),
                    ListKind::Resources => self.resources(true).await.map(drop),
                    ListKind::Prompts => self.prompts(true).await.map(drop),
                };
                if let Err(error) = read {
                    tracing::debug!(%error, "a definition could not be read anew");
                    return false;
                }
                if self.shared.lists.is_current(kind) {
                    return true;
                }
            }
            false
        };
        tokio::time::timeout(REFRESH_TIMEOUT, read).await.unwrap_or(false)
    }
}
