//! Checks whether a server still lists what was approved or seen. A list that may have changed is read again
//! before its items are used: after a change notification, earlier approvals don't count until the new list
//! arrives.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_mcp::{ResendCheck, ResendReason};
use mooring_policy::Approval;
use mooring_words::say;

use super::Handle;
use super::lists::ListKind;

/// How long to wait for a fresh list, and how often to retry if it changes again in the meantime.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(30);
const REFRESH_ATTEMPTS: usize = 3;

impl Handle {
    /// The approval state of a listed item, and its hash. If an item may have changed and that can't be
    /// checked, its state is `Unknown`; a known change remains `Changed`. If a tool was never listed, the
    /// tools are listed first, because a client that only calls tools would otherwise miss changes. For an
    /// unsaved server, the tools are listed first if a call needs their headers.
    pub(crate) async fn check_approval(
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
        let known = self.check_own_approval(server, kind, name).await?;
        let lists = &self.shared.lists;
        if lists.is_current(kind)
            || known.0 == Approval::Unknown && (kind != ListKind::Tools || lists.is_complete(kind))
        {
            return Ok(known);
        }
        let is_of_now = self.refresh_list(kind).await;
        let known = self.check_own_approval(server, kind, name).await?;
        Ok(if is_of_now || known.0 == Approval::Changed { known } else { (Approval::Unknown, None) })
    }

    /// The approval state of an item, according to this connection's own lists.
    pub(crate) async fn check_own_approval(
        &self,
        server: ServerId,
        kind: ListKind,
        name: &str,
    ) -> Result<(Approval, Option<String>), HostError> {
        let (approval, hash) = self.trust.approval(server, kind.pin_kind(), name);
        let is_same = self.has_approved_definition(server, kind, name, hash.as_deref()).await?;
        Ok((if is_same { approval } else { Approval::Changed }, hash))
    }

    /// Whether this connection's definition of an item matches the approved one, by hash.
    async fn has_approved_definition(
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

    /// Refuses an item that has changed since it was seen. Returns its hash, if known.
    pub(super) async fn refuse_changed(
        &self,
        kind: ListKind,
        name: &str,
    ) -> Result<Option<String>, HostError> {
        match self.check_approval(kind, name).await? {
            (Approval::Changed, _) => Err(HostError::DefinitionChanged { what: name.to_owned() }),
            (_, definition) => Ok(definition),
        }
    }

    /// Refuses an item whose hash is no longer `definition`. With `must_refresh`, reads the list again in any
    /// case.
    pub(crate) async fn ensure_unchanged(
        &self,
        kind: ListKind,
        name: &str,
        definition: Option<&str>,
        must_refresh: bool,
    ) -> Result<(), HostError> {
        let Some(server) = self.shared.server else { return Ok(()) };
        let was_known = definition.is_some();
        // Without a known definition, nothing can have changed.
        let is_of_now = if must_refresh || was_known && !self.shared.lists.is_current(kind) {
            self.refresh_list(kind).await
        } else {
            true
        };
        if !self.trust.is_unchanged(server, kind.pin_kind(), name, definition)
            || was_known && !self.has_approved_definition(server, kind, name, definition).await?
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

    /// Creates the check that the engine runs before it sends a request again. `None` for an unsaved server.
    pub(crate) fn build_definition_check(
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
                let must_refresh = matches!(resend, ResendReason::HeaderMismatch | ResendReason::NewSession);
                let still = handle.ensure_unchanged(kind, name, definition.as_deref(), must_refresh).await;
                still.map_err(|error| error.sentence())
            }
            .boxed()
        }))
    }

    /// Reads a list again until no change is announced during the read. Returns whether that succeeded.
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
