//! The [`Host`]'s methods for what a server offers: tools, resources, prompts, completion, subscriptions.

use std::sync::Arc;

use mooring_approvals::RememberedServer;
use mooring_base::server_id::ServerId;
use mooring_calls::{
    CallOutcome, Completion, CompletionRequest, Follower, OnCallEvent, PromptCall, PromptList,
    ResourceChanges, ResourceList, ResourceRead, SubscriptionView, TaskView, ToolCall, ToolList,
};
use mooring_connections::Permit;
use mooring_errors::HostError;
use mooring_instances::InstanceId;
use mooring_mcp::Diagnostic;

use crate::host::Host;

impl Host {
    /// What a server offered last, without a request to it.
    pub async fn remembered(&self, id: ServerId) -> Result<Arc<RememberedServer>, HostError> {
        Ok(self.inner.trust.remembered(id).await?)
    }

    /// The tools of a running server: the remembered ones, or a fresh list with `refresh`.
    pub async fn tools(&self, id: ServerId, refresh: bool) -> Result<Arc<ToolList>, HostError> {
        self.handle(id)?.tools(refresh).await
    }

    /// Calls a tool of a running server. The log accepts the verdict before the call is sent. Dropping the
    /// future cancels the call.
    pub async fn call_tool(
        &self,
        at: impl Into<InstanceId>,
        call: ToolCall,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        let (handle, _using) = self.instance(at)?;
        Permit::obtain(&handle, call, 1).await?.call(on_event).await
    }

    /// Refuses a call of a tool that the rules deny, before it starts a server that sleeps or one of its
    /// instances. Other calls get their verdict when they are made.
    pub async fn refuse_denied(
        &self,
        server: ServerId,
        call: impl FnOnce() -> ToolCall,
    ) -> Result<(), HostError> {
        match self.handle(server) {
            Ok(handle) if handle.may_sleep() => handle.refuse_denied(&call()).await,
            _ => Ok(()),
        }
    }

    /// The resources and resource templates of a running server: the remembered ones, or a fresh list with
    /// `refresh`.
    pub async fn resources(&self, id: ServerId, refresh: bool) -> Result<Arc<ResourceList>, HostError> {
        self.handle(id)?.resources(refresh).await
    }

    /// The prompts of a running server: the remembered ones, or a fresh list with `refresh`.
    pub async fn prompts(&self, id: ServerId, refresh: bool) -> Result<Arc<PromptList>, HostError> {
        self.handle(id)?.prompts(refresh).await
    }

    /// Reads a resource of a running server. Dropping the future cancels the request.
    pub async fn read_resource(
        &self,
        at: impl Into<InstanceId>,
        read: ResourceRead,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        let (handle, _using) = self.instance(at)?;
        handle.read_resource(read, on_event).await
    }

    /// Gets a prompt of a running server with its arguments filled in. Dropping the future cancels the
    /// request.
    pub async fn get_prompt(
        &self,
        at: impl Into<InstanceId>,
        call: PromptCall,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        let (handle, _using) = self.instance(at)?;
        handle.get_prompt(call, on_event).await
    }

    /// A running server's suggestions for an argument. Empty if it does not support completion.
    pub async fn complete_argument(
        &self,
        at: impl Into<InstanceId>,
        wanted: &CompletionRequest,
    ) -> Result<Completion, HostError> {
        let (handle, _using) = self.instance(at)?;
        handle.complete(wanted).await
    }

    /// Subscribes to a resource until [`Self::unsubscribe`], also on later connections. Changes are sent as
    /// [`HostEvent::ResourceUpdated`](mooring_server_state::HostEvent::ResourceUpdated).
    pub async fn subscribe(
        &self,
        at: impl Into<InstanceId>,
        uri: &str,
        follower: Follower,
    ) -> Result<(), HostError> {
        self.instance(at)?.0.subscribe(uri, follower).await
    }

    /// Like [`Self::subscribe`], and returns the changes of all subscribed resources.
    pub async fn follow(
        &self,
        at: impl Into<InstanceId>,
        uri: &str,
        follower: Follower,
    ) -> Result<ResourceChanges, HostError> {
        self.instance(at)?.0.follow(uri, follower).await
    }

    /// Ends a subscription. The server is notified when the last follower leaves.
    pub async fn unsubscribe(
        &self,
        at: impl Into<InstanceId>,
        uri: &str,
        follower: Follower,
    ) -> Result<(), HostError> {
        self.instance(at)?.0.unsubscribe(uri, follower).await
    }

    /// Shows a diagnostic about a connected server to the person, and logs it.
    pub fn show_diagnostic(&self, id: ServerId, diagnostic: Diagnostic) -> Result<(), HostError> {
        self.handle(id)?.reporter()?(diagnostic);
        Ok(())
    }

    /// The saved URLs that a server has issued, as JSON.
    pub async fn address_claims(&self, id: ServerId) -> Result<Option<String>, HostError> {
        Ok(self.inner.store.settings().get(&format!("addresses:{}", id.0)).await?)
    }

    /// Saves the URLs that a server has issued, as JSON.
    pub async fn save_address_claims(&self, id: ServerId, claims: &str) -> Result<(), HostError> {
        Ok(self.inner.store.settings().set(&format!("addresses:{}", id.0), claims).await?)
    }

    /// The calls that a server runs in the background.
    pub fn tasks(&self, id: ServerId) -> Result<Vec<TaskView>, HostError> {
        Ok(self.handle(id)?.tasks())
    }

    /// Asks a server to cancel a task.
    pub async fn cancel_task(&self, id: ServerId, task: &str) -> Result<(), HostError> {
        self.handle(id)?.cancel_task(task).await
    }

    /// The resources of a server that have subscriptions.
    pub fn subscriptions(&self, id: ServerId) -> Result<Vec<SubscriptionView>, HostError> {
        Ok(self.handle(id)?.subscriptions())
    }
}
