//! The host's verbs for what a server offers: tools, resources, prompts, completion, subscriptions.

use std::sync::Arc;

use mooring_approvals::RememberedServer;
use mooring_base::server_id::ServerId;
use mooring_calls::{
    CallOutcome, Completion, CompletionRequest, Follower, OnCallEvent, PromptCall, PromptList,
    ResourceChanges, ResourceList, ResourceRead, SubscriptionView, TaskView, ToolCall, ToolList,
};
use mooring_instances::InstanceId;
use mooring_mcp::{ClientHandler as _, Diagnostic};

use crate::call::Permit;
use crate::connection::shared::PeerHandler;
use crate::error::HostError;
use crate::host::Host;

impl Host {
    /// What a server said last, without asking it.
    pub async fn remembered(&self, id: ServerId) -> Result<Arc<RememberedServer>, HostError> {
        Ok(self.inner.trust.remembered(id).await?)
    }

    /// The tools of a running server: those remembered, or with `refresh` asked for anew.
    pub async fn tools(&self, id: ServerId, refresh: bool) -> Result<Arc<ToolList>, HostError> {
        self.handle(id)?.tools(refresh).await
    }

    /// Calls a tool of a running server. The verdict is accepted by the log before the call leaves;
    /// dropping the future cancels the call.
    pub async fn call_tool(
        &self,
        at: impl Into<InstanceId>,
        call: ToolCall,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        let (handle, _using) = self.instance(at)?;
        Permit::obtain(&handle, call, 1).await?.call(on_event).await
    }

    /// The resources and resource templates of a running server: those remembered, or with `refresh` asked for anew.
    pub async fn resources(&self, id: ServerId, refresh: bool) -> Result<Arc<ResourceList>, HostError> {
        self.handle(id)?.resources(refresh).await
    }

    /// The prompts of a running server: those remembered, or with `refresh` asked for anew.
    pub async fn prompts(&self, id: ServerId, refresh: bool) -> Result<Arc<PromptList>, HostError> {
        self.handle(id)?.prompts(refresh).await
    }

    /// Reads a resource of a running server. Dropping the future cancels the reading.
    pub async fn read_resource(
        &self,
        at: impl Into<InstanceId>,
        read: ResourceRead,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        let (handle, _using) = self.instance(at)?;
        handle.read_resource(read, on_event).await
    }

    /// Has a prompt of a running server filled in. Dropping the future cancels it.
    pub async fn get_prompt(
        &self,
        at: impl Into<InstanceId>,
        call: PromptCall,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        let (handle, _using) = self.instance(at)?;
        handle.get_prompt(call, on_event).await
    }

    /// The values that a running server proposes for an argument; none where it has no completion.
    pub async fn complete_argument(
        &self,
        at: impl Into<InstanceId>,
        wanted: &CompletionRequest,
    ) -> Result<Completion, HostError> {
        let (handle, _using) = self.instance(at)?;
        handle.complete(wanted).await
    }

    /// Has changes of a resource told by [`HostEvent::ResourceUpdated`](crate::HostEvent::ResourceUpdated), also by
    /// later connections to the server, until [`Self::unsubscribe`].
    pub async fn subscribe(
        &self,
        at: impl Into<InstanceId>,
        uri: &str,
        follower: Follower,
    ) -> Result<(), HostError> {
        self.instance(at)?.0.subscribe(uri, follower).await
    }

    /// As [`Self::subscribe`], and gives the changes of all watched resources.
    pub async fn follow(
        &self,
        at: impl Into<InstanceId>,
        uri: &str,
        follower: Follower,
    ) -> Result<ResourceChanges, HostError> {
        self.instance(at)?.0.follow(uri, follower).await
    }

    /// Takes [`Self::subscribe`] back. The server hears of it when nobody else follows the resource.
    pub async fn unsubscribe(
        &self,
        at: impl Into<InstanceId>,
        uri: &str,
        follower: Follower,
    ) -> Result<(), HostError> {
        self.instance(at)?.0.unsubscribe(uri, follower).await
    }

    /// Shows something odd about a connected server to the person, and logs it.
    pub fn show_diagnostic(&self, id: ServerId, diagnostic: Diagnostic) -> Result<(), HostError> {
        let handle = self.handle(id)?;
        let recorder = Arc::clone(&handle.link()?.recorder);
        PeerHandler { shared: Arc::clone(&handle.shared), recorder }.diagnose(diagnostic);
        Ok(())
    }

    /// What was saved of the addresses that a server handed out, as JSON.
    pub async fn address_claims(&self, id: ServerId) -> Result<Option<String>, HostError> {
        Ok(self.inner.store.settings().get(&format!("addresses:{}", id.0)).await?)
    }

    /// Saves that.
    pub async fn save_address_claims(&self, id: ServerId, claims: &str) -> Result<(), HostError> {
        Ok(self.inner.store.settings().set(&format!("addresses:{}", id.0), claims).await?)
    }

    /// The calls that a server works on in the background.
    pub fn tasks(&self, id: ServerId) -> Result<Vec<TaskView>, HostError> {
        Ok(self.handle(id)?.tasks())
    }

    /// Asks a server to give a task up.
    pub async fn cancel_task(&self, id: ServerId, task: &str) -> Result<(), HostError> {
        self.handle(id)?.cancel_task(task).await
    }

    /// The resources of a server whose changes the person has told.
    pub fn subscriptions(&self, id: ServerId) -> Result<Vec<SubscriptionView>, HostError> {
        Ok(self.handle(id)?.subscriptions())
    }
}
