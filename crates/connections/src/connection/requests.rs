//! Requests other than tool calls. The person and connected apps may read resources and get prompts without a
//! verdict, sampling may not. Checks for changed definitions are in [`super::approval`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mooring_base::clock::{micros, monotonic_ms, now_ms};
use mooring_base::excerpt::quote_start;
use mooring_base::server_id::ServerId;
use mooring_calls::{
    CallOutcome, CallStatus, Completion, CompletionReference, CompletionRequest, Follower, OnCallEvent,
    PromptCall, PromptList, ResourceChanges, ResourceList, ResourceRead, SubscribeOutcome, SubscriptionView,
    TaskView, ToolList, UseGuard, app_call,
};
use mooring_errors::failure::call_error;
use mooring_errors::{Failure, HostError};
use mooring_mcp::{
    CallOptions, CompletionRef, DiagnosticCode, Limits, RawResult, RequestCaller, RequestError, Task,
};
use mooring_policy::{Approval, Caller, Decision, PinKind, ToolClaims, ToolHints};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;
use tokio::sync::watch;

use super::lists::{CachedList, ListKind};
use super::running::{RunningRequest, forward_logs, forward_progress};
use super::{Handle, LiveConnection};

/// The maximum number of tools that one answer of the person can allow.
const MOST_READING_TOOLS: usize = 256;

impl Handle {
    /// The server's tools. `refresh` reads them again.
    pub async fn tools(&self, refresh: bool) -> Result<Arc<ToolList>, HostError> {
        self.cached_list(&self.shared.lists.tools, ListKind::Tools, refresh).await
    }

    /// The server's resources. `refresh` reads them again.
    pub async fn resources(&self, refresh: bool) -> Result<Arc<ResourceList>, HostError> {
        self.cached_list(&self.shared.lists.resources, ListKind::Resources, refresh).await
    }

    /// The server's prompts. `refresh` reads them again.
    pub async fn prompts(&self, refresh: bool) -> Result<Arc<PromptList>, HostError> {
        self.cached_list(&self.shared.lists.prompts, ListKind::Prompts, refresh).await
    }

    /// The cached list, or a fresh one that the connection's task reads.
    async fn cached_list<T>(
        &self,
        cache: &watch::Sender<CachedList<T>>,
        kind: ListKind,
        refresh: bool,
    ) -> Result<Arc<T>, HostError> {
        let mut receiver = cache.subscribe();
        let mut snapshot = self.snapshot.clone();
        // A server that sleeps keeps its lists.
        if !(self.is_asleep() || self.is_waking()) {
            self.link()?;
        }
        if let Some(list) = receiver.borrow().known().filter(|_| !refresh) {
            return Ok(Arc::clone(list));
        }
        let _use = self.use_link().await?;
        let seen = receiver.borrow().generation;
        self.commands.read_list(kind);
        tokio::select! {
            read = receiver.wait_for(|cached| cached.generation > seen && cached.outcome.is_some()) => {
                match read.as_ref().map(|cached| &cached.outcome) {
                    Ok(Some(Ok(list))) => Ok(Arc::clone(list)),
                    Ok(Some(Err(error))) => Err(HostError::Request(Box::new(error.clone()))),
                    Ok(None) | Err(_) => Err(HostError::Connect(Box::new(Failure::defect()))),
                }
            }
            lost = snapshot.wait_for(|snapshot| snapshot.link.is_none()) => match lost {
                Ok(snapshot) => Err(self.not_connected_error(&snapshot.state)),
                Err(_) => Err(HostError::Connect(Box::new(Failure::defect()))),
            },
        }
    }

    /// Reads a resource. Dropping the future cancels the request.
    pub async fn read_resource(
        &self,
        read: ResourceRead,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        let (link, _use) = self.link_for_reading(&read.caller).await?;
        let again = match &read.template {
            Some(template) => {
                let definition = self.refuse_changed(ListKind::Resources, template).await?;
                self.build_definition_check(ListKind::Resources, template, definition)
            }
            None => None,
        };
        let _listening = self.shared.add_listener(&read.caller, Arc::clone(&on_event));
        let running = RunningRequest::start(
            &link.recorder,
            &self.shared,
            "resources/read",
            &read.uri,
            app_call(&read.caller, read.request.as_deref()),
        );
        let options = CallOptions {
            check_resend: again,
            trace: Some(running.trace()),
            ..self.call_options(&read.caller, read.request, read.idle, read.total, on_event)
        };
        let answer = link.client.read_resource(&read.uri, options).await;
        Ok(running.end(answer.map(to_call_outcome)).await)
    }

    /// Gets a prompt with its arguments filled in. Dropping the future cancels the request.
    pub async fn get_prompt(
        &self,
        call: PromptCall,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        if let Some(arguments) = &call.arguments {
            check_prompt_arguments(arguments)?;
        }
        let (link, _use) = self.link_for_reading(&call.caller).await?;
        let definition = self.refuse_changed(ListKind::Prompts, &call.prompt).await?;
        let _listening = self.shared.add_listener(&call.caller, Arc::clone(&on_event));
        let again = self.build_definition_check(ListKind::Prompts, &call.prompt, definition);
        let running = RunningRequest::start(
            &link.recorder,
            &self.shared,
            "prompts/get",
            &call.prompt,
            app_call(&call.caller, call.request.as_deref()),
        );
        let options = CallOptions {
            check_resend: again,
            trace: Some(running.trace()),
            ..self.call_options(&call.caller, call.request, call.idle, call.total, on_event)
        };
        let answer = link.client.get_prompt(&call.prompt, call.arguments.as_deref(), options).await;
        Ok(running.end(answer.map(to_call_outcome)).await)
    }

    /// The live connection, for callers that may read resources and get prompts: the person and connected
    /// apps. Refuses sampling.
    async fn link_for_reading(&self, caller: &Caller) -> Result<(Arc<LiveConnection>, UseGuard), HostError> {
        if *caller == Caller::Sampling {
            return Err(HostError::Denied {
                rule: say!("a sampling request can’t read resources or fetch prompts"),
            });
        }
        if caller.is_person() {
            self.shared.responder.person_started();
        }
        self.note_waker(caller);
        self.use_link().await
    }

    /// The server's hints about a tool's effects if its list is known, or else the protocol's defaults.
    pub fn tool_hints(&self, tool: &str) -> ToolHints {
        self.read_annotations(tool, ToolHints::read)
    }

    /// The hints about a tool's effects that the server explicitly states.
    pub(crate) fn tool_claims(&self, tool: &str) -> ToolClaims {
        self.read_annotations(tool, ToolClaims::read)
    }

    /// The approved tools that declare themselves read-only, each with the hash of its definition.
    pub(crate) fn reading_tools(&self) -> Vec<(String, String)> {
        let Some(server) = self.shared.server else { return Vec::new() };
        let tools = self.shared.lists.tools.borrow();
        let listed = tools.known().into_iter().flat_map(|list| list.tools.iter());
        let reading = listed.filter(|tool| ToolHints::read(tool.annotations.as_deref()).read_only);
        let approved = reading.filter_map(|tool| {
            let (approval, hash) = self.trust.approval(server, PinKind::Tool, &tool.name);
            let hash = hash.filter(|_| approval == Approval::Approved)?;
            // An instance may list another definition under this name.
            let own = self.shared.own_hash(PinKind::Tool, &tool.name);
            let is_same = own.is_none_or(|own| own == hash) && !self.has_own_rule(server, &tool.name);
            is_same.then(|| (tool.name.clone(), hash))
        });
        approved.take(MOST_READING_TOOLS).collect()
    }

    /// Whether a rule that asks or denies names this tool, or has a pattern that matches it. An answer about
    /// all read-only tools does not override such a rule.
    fn has_own_rule(&self, server: ServerId, tool: &str) -> bool {
        let (rules, now) = (self.rules.book(), monotonic_ms());
        rules.rules().iter().any(|rule| {
            rule.rule.tool.is_some()
                && rule.rule.effect != Decision::Allow
                && rule.is_in_force(now)
                && rule.is_about(Some(server), tool)
        })
    }

    fn read_annotations<T>(&self, tool: &str, read: impl FnOnce(Option<&RawValue>) -> T) -> T {
        let tools = self.shared.lists.tools.borrow();
        let found = tools.known().and_then(|list| list.tools.iter().find(|known| known.name == tool));
        read(found.and_then(|tool| tool.annotations.as_deref()))
    }

    /// The server's title and description of a tool, and whether one of them was truncated.
    pub(crate) fn tool_texts(&self, tool: &str) -> (Option<String>, Option<String>, bool) {
        let tools = self.shared.lists.tools.borrow();
        let found = tools.known().and_then(|list| list.tools.iter().find(|known| known.name == tool));
        let Some(tool) = found else { return (None, None, false) };
        let cut = tool.diagnostics.iter().any(|odd| {
            odd.code == DiagnosticCode::Limit
                && (odd.path.ends_with("title") || odd.path.ends_with("description"))
        });
        (tool.title.clone(), tool.description.clone(), cut)
    }

    fn call_options(
        &self,
        caller: &Caller,
        request: Option<Arc<str>>,
        idle: Option<Duration>,
        total: Option<Duration>,
        on_event: OnCallEvent,
    ) -> CallOptions {
        let own = idle.or(self.shared.call_defaults().idle);
        let (idle, total) = self.settings().deadlines(caller, own, total);
        CallOptions {
            idle: Some(idle),
            total: Some(total),
            on_progress: Some(forward_progress(Arc::clone(&on_event))),
            on_log: Some(forward_logs(on_event)),
            caller: Some(RequestCaller { name: caller.as_str().into(), request }),
            check_resend: None,
            trace: None,
        }
    }

    /// The server's suggestions for an argument. Empty if the server does not support completion.
    pub async fn complete(&self, wanted: &CompletionRequest) -> Result<Completion, HostError> {
        let CompletionRequest { of, argument, begun, chosen } = wanted;
        let (link, _use) = self.use_link().await?;
        let about = match of {
            CompletionReference::Prompt { name } => CompletionRef::Prompt(name),
            CompletionReference::Template { uri_template } => CompletionRef::Template(uri_template),
        };
        let chosen = serde_json::value::to_raw_value(chosen)
            .map_err(|error| HostError::InvalidArguments(Sentence::quoted(error.to_string())))?;
        match link.client.complete(&about, argument, begun, Some(&chosen)).await {
            Ok(answer) => Ok(Completion::read(&answer.raw)),
            // If the server doesn't know the reference or has no suggestions for it, there are none.
            Err(RequestError::Rpc(_)) => Ok(Completion::default()),
            Err(error) => Err(HostError::Request(Box::new(call_error(error)))),
        }
    }

    /// Subscribes to changes of a resource.
    pub async fn subscribe(&self, uri: &str, follower: Follower) -> Result<(), HostError> {
        // Subscribing and unsubscribing take turns, so that a new follower sees the current state.
        let _turn = self.shared.subscribing.lock().await;
        let (link, _use) = self.use_link().await?;
        if !link.client.can_subscribe() {
            return Err(HostError::NotOffered { what: say!("subscriptions") });
        }
        let most = Limits::default().subscriptions;
        // A resource that was subscribed to before stays so after an error, because a later connection may be
        // able to subscribe to it.
        let keep = match self.shared.subscriptions.add(uri, follower, most, now_ms()) {
            SubscribeOutcome::New | SubscribeOutcome::Shared => false,
            SubscribeOutcome::Known => true,
            SubscribeOutcome::Full => return Err(HostError::TooMany { limit: most }),
        };
        let mut entered = SubscriptionGuard { handle: self, uri, follower, keep };
        match link.client.subscribe_resource(uri).await {
            Ok(()) => {
                entered.keep = true;
                self.shared.announce_change();
                Ok(())
            }
            Err(error) => Err(HostError::Request(Box::new(call_error(error)))),
        }
    }

    /// Subscribes to a resource, and returns the changes of all subscribed resources.
    pub async fn follow(&self, uri: &str, follower: Follower) -> Result<ResourceChanges, HostError> {
        let changes = self.shared.subscriptions.changes();
        self.subscribe(uri, follower).await?;
        Ok(changes)
    }

    /// Ends a follower's subscription.
    pub async fn unsubscribe(&self, uri: &str, follower: Follower) -> Result<(), HostError> {
        let _turn = self.shared.subscribing.lock().await;
        let was_last = self.shared.subscriptions.leave(uri, follower);
        self.shared.announce_change();
        if !was_last {
            return Ok(());
        }
        // Without a connection, there is no server to notify.
        let Ok(link) = self.link() else { return Ok(()) };
        link.client
            .unsubscribe_resource(uri)
            .await
            .map_err(|error| HostError::Request(Box::new(call_error(error))))
    }

    /// The calls that the server runs in the background, newest first.
    pub fn tasks(&self) -> Vec<TaskView> {
        let link = self.link();
        link.map(|link| link.client.tasks().into_iter().map(to_task_view).collect()).unwrap_or_default()
    }

    /// Asks the server to cancel a task.
    pub async fn cancel_task(&self, task: &str) -> Result<(), HostError> {
        let link = self.link()?;
        if link.client.tasks().iter().all(|known| *known.id != *task) {
            return Err(HostError::NoSuchTask(task.to_owned()));
        }
        link.client.cancel_task(task).await.map_err(|error| HostError::Request(Box::new(call_error(error))))
    }

    /// The resources that are subscribed to, with their followers.
    pub fn subscriptions(&self) -> Vec<SubscriptionView> {
        self.shared.subscriptions.views()
    }
}

/// Removes a subscription on drop, unless the server has accepted it.
struct SubscriptionGuard<'a> {
    handle: &'a Handle,
    uri: &'a str,
    follower: Follower,
    keep: bool,
}

impl Drop for SubscriptionGuard<'_> {
    fn drop(&mut self) {
        if !self.keep {
            self.handle.shared.subscriptions.leave(self.uri, self.follower);
        }
    }
}

/// The outcome of a request that the server answered. The engine has already reported the diagnostics.
fn to_call_outcome(answer: RawResult) -> CallOutcome {
    let RawResult { raw, diagnostics, elapsed } = answer;
    let bytes = raw.get().len();
    CallOutcome { status: CallStatus::Ok, result: Some(raw), error: None, diagnostics, elapsed, bytes }
}

/// Refuses prompt arguments that are not an object of strings (PROM-01).
fn check_prompt_arguments(arguments: &RawValue) -> Result<(), HostError> {
    let invalid = |what: &str| HostError::InvalidArguments(Sentence::quoted(quote_start(what)));
    let members: BTreeMap<String, &RawValue> =
        serde_json::from_str(arguments.get()).map_err(|_| invalid(arguments.get()))?;
    match members.iter().find(|(_, value)| !value.get().starts_with('"')) {
        Some((name, value)) => {
            Err(HostError::InvalidText { name: name.clone(), value: quote_start(value.get()) })
        }
        None => Ok(()),
    }
}

fn to_task_view(task: Task) -> TaskView {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    TaskView {
        task_id: task.id.to_string(),
        tool: task.tool,
        status: task.status.as_str(),
        status_message: task.status_message,
        created_ms: micros(task.created_at) / 1_000,
        updated_ms: micros(task.updated_at) / 1_000,
        poll_interval_ms: task.poll_interval.map(millis),
        ttl_ms: task.ttl.map(millis),
    }
}
