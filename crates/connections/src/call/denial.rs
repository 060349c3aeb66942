//! Denies a call without starting the server that it would wake.

use mooring_base::digest::digest;
use mooring_calls::ToolCall;
use mooring_errors::HostError;
use mooring_policy::{Approval, Decision, ToolHints, Verdict};
use mooring_recorder::KnownSecrets;
use mooring_revisions::OfferKind;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{PermittedCall, arguments_text, denial_error, evaluate_rules, log_verdict};
use crate::connection::Handle;
use crate::connection::lists::ListKind;

/// The part of a tool's definition that says what its calls do.
#[derive(Deserialize)]
struct Annotated {
    annotations: Option<Box<RawValue>>,
}

impl Handle {
    /// Whether the connection may sleep.
    pub fn may_sleep(&self) -> bool {
        self.shared.call_defaults().sleeps
    }

    /// Refuses a call that the rules deny according to what the server listed last, before the call starts
    /// anything. If the server lists something else by then, the call is denied as well, because that is not
    /// approved. Returns without an error if the call may be allowed, or if a person may have to be asked.
    pub async fn refuse_denied(&self, call: &ToolCall) -> Result<(), HostError> {
        let Some(server) = self.shared.server else { return Ok(()) };
        self.trust.load(server).await?;
        let (standing, definition) = self.check_own_approval(server, ListKind::Tools, &call.tool).await?;
        // A server that runs may have announced that it lists the approved definition again.
        if standing == Approval::Unknown || standing == Approval::Changed && !self.is_asleep() {
            return Ok(());
        }
        let hints = self.last_hints(&call.tool).await?;
        let verdict = evaluate_rules(self, call, standing, definition.as_deref(), || hints)?;
        if verdict.decision != Decision::Deny {
            return Ok(());
        }
        if let Some(app) = call.caller.app_name() {
            self.apps.record_use(app).await;
        }
        if let Some(rule) = verdict.reason.rule() {
            self.rules.record_use(rule);
        }
        self.log_denial(call, &verdict, definition).await?;
        Err(denial_error(call, &verdict, None, None))
    }

    /// The hints about a tool's effects in the list that the server sent last, perhaps in an earlier run.
    async fn last_hints(&self, tool: &str) -> Result<ToolHints, HostError> {
        let Some(server) = self.shared.server.filter(|_| !self.lists_tools()) else {
            return Ok(self.tool_hints(tool));
        };
        let known = self.trust.remembered(server).await?;
        let tools = known.of(self.shared.role.listed_in).of_kind(OfferKind::Tools);
        let raw = tools.iter().find(|known| known.name == tool).map(|known| known.raw.get());
        // A definition that can't be read has the protocol's defaults, as when it is listed.
        let read = raw.and_then(|raw| serde_json::from_str::<Annotated>(raw).ok());
        Ok(ToolHints::read(read.and_then(|tool| tool.annotations).as_deref()))
    }

    async fn log_denial(
        &self,
        call: &ToolCall,
        verdict: &Verdict,
        definition: Option<String>,
    ) -> Result<(), HostError> {
        let name = self.shared.call_defaults().name;
        let recorder = self.journal.recorder(self.shared.server, name, KnownSecrets::default());
        let arguments_sha256 = digest(arguments_text(call));
        let call_of_app = call.app_call();
        let refused = PermittedCall { tool: call.tool.clone(), arguments_sha256, definition };
        log_verdict(&recorder, verdict, &refused, 1, call_of_app.as_ref()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_read_from_a_remembered_definition() {
        let raw = r#"{"name":"x","inputSchema":{},"annotations":{"readOnlyHint":true}}"#;
        let read: Annotated = serde_json::from_str(raw).unwrap();
        assert!(ToolHints::read(read.annotations.as_deref()).read_only);
    }
}
