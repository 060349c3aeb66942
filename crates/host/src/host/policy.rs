//! Consent rules, and approvals of what servers offer.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mooring_approvals::{CallFacts, RuleView, ServerReview, Simulation, simulate};
use mooring_base::clock::monotonic_ms;
use mooring_base::server_id::ServerId;
use mooring_calls::ToolAccess;
use mooring_errors::HostError;
use mooring_log::{CallTimes, Direction, LogKind, LogQuery, duration_of};
use mooring_policy::{
    AppLevel, Approval, CallRequest, Caller, NewRule, PinApproval, PinKind, Rule, ToolHints, ToolRules,
    TrustView,
};
use mooring_process::FolderLock;

use super::Host;

/// How many recent calls of a server to search for each tool's last call.
const CALLS_LOOKED_AT: u32 = 1_000;
/// How many recent calls of a server the percentiles of its tools include.
const CALLS_MEASURED: u32 = 5_000;

impl Host {
    /// All rules in force, the most specific first.
    pub fn rules(&self) -> Vec<RuleView> {
        let views = self.inner.rules.views();
        views.into_iter().map(|view| self.with_server_name(view)).collect()
    }

    /// Adds a rule, or changes one. It is on the disk when this returns.
    pub async fn save_rule(&self, id: Option<i64>, rule: NewRule) -> Result<RuleView, HostError> {
        if let Some(server) = rule.server {
            self.server(server)?;
        }
        self.inner.sign_ins.open_existing_vault().await;
        Ok(self.with_server_name(self.inner.rules.save(id, rule).await?))
    }

    /// The rules' decision for each tool of a running server, and when it was last called.
    pub async fn tool_access(&self, id: ServerId) -> Result<Vec<ToolAccess>, HostError> {
        let handle = self.handle(id)?;
        let list = handle.tools(false).await?;
        let book = self.inner.rules.book();
        let mut used = self.last_calls(id).await?;
        let mut times = self.tool_times(id).await?;
        let access = list.tools.iter().map(|tool| {
            let (approval, definition) = self.inner.trust.approval(id, PinKind::Tool, &tool.name);
            let request = CallRequest {
                server: Some(id),
                tool: &tool.name,
                definition: definition.as_deref(),
                // A changed tool is blocked regardless of the rules. This view only shows what the rules say.
                approval: if approval == Approval::Approved { approval } else { Approval::New },
                hints: ToolHints::read(tool.annotations.as_deref()),
                arguments: None,
                caller: &Caller::Workbench,
                level: AppLevel::AskHere,
                now_ms: monotonic_ms(),
            };
            let rules = ToolRules::of(&request, book.rules());
            ToolAccess {
                tool: tool.name.clone(),
                rules,
                used_ms: used.remove(&tool.name),
                times: times.remove(&tool.name).and_then(CallTimes::of),
            }
        });
        Ok(access.collect())
    }

    /// When each tool of a server was last called, in milliseconds since the Unix epoch, from the newest page
    /// of its calls in the log.
    async fn last_calls(&self, server: ServerId) -> Result<HashMap<String, i64>, HostError> {
        let query = LogQuery {
            limit: CALLS_LOOKED_AT,
            server_id: Some(server.0),
            kinds: vec![LogKind::Frame],
            direction: Some(Direction::Out),
            method: Some("tools/call".to_owned()),
            ..LogQuery::default()
        };
        // The newest rows come first, so only the first row of each tool counts.
        let mut last = HashMap::new();
        for row in self.log_page(&query).await? {
            if let Some(tool) = row.subject {
                last.entry(tool).or_insert(row.at_us / 1_000);
            }
        }
        Ok(last)
    }

    /// How long the recent calls of each tool of a server took, according to the log.
    async fn tool_times(&self, server: ServerId) -> Result<HashMap<String, Vec<Duration>>, HostError> {
        self.flush_log().await;
        let mut times: HashMap<String, Vec<Duration>> = HashMap::new();
        for (tool, took) in self.inner.store.log().call_durations(server.0, CALLS_MEASURED).await? {
            times.entry(tool).or_default().push(duration_of(took));
        }
        Ok(times)
    }

    /// Removes a rule. [`Self::restore_rule`] undoes it.
    pub async fn remove_rule(&self, id: i64) -> Result<(), HostError> {
        self.inner.sign_ins.open_existing_vault().await;
        Ok(self.inner.rules.remove(id).await?)
    }

    /// Restores a removed rule.
    pub async fn restore_rule(&self, id: i64) -> Result<RuleView, HostError> {
        self.inner.sign_ins.open_existing_vault().await;
        Ok(self.with_server_name(self.inner.rules.restore(id).await?))
    }

    /// What a new or changed rule would have decided for past calls.
    pub async fn simulate_rule(&self, id: Option<i64>, rule: NewRule) -> Result<Simulation, HostError> {
        let book = self.inner.rules.book();
        let before = id.and_then(|id| book.rules().iter().find(|rule| rule.id == id).cloned());
        // A new rule is younger than all others.
        let draft = NewRule { expires_ms: None, ..rule.checked()? };
        let with = Rule::from_draft(id.unwrap_or(i64::MAX), before.as_ref(), draft);
        self.flush_log().await;
        let known: Mutex<HashMap<(ServerId, String), ToolHints>> = Mutex::default();
        let hints = |server: ServerId, tool: &str| {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            *known.entry((server, tool.to_owned())).or_insert_with(|| {
                // As in real calls, hints of unapproved tools are ignored.
                let standing = self.inner.trust.approval(server, PinKind::Tool, tool).0;
                let handle = self.handle(server).ok().filter(|_| standing == Approval::Approved);
                handle.map(|handle| handle.tool_hints(tool)).unwrap_or_default()
            })
        };
        let level = |app: &str| self.inner.apps.access(app).level;
        Ok(simulate(&self.inner.store.log(), &book, &with, CallFacts { hints, level }).await?)
    }

    /// Whether another process runs the servers of this data folder. That process then records what they
    /// offer.
    pub fn is_supervised_elsewhere(&self) -> bool {
        !self.inner.options.supervise && FolderLock::is_held(self.home())
    }

    /// What was approved of a server, and what has changed since.
    pub async fn trust(&self, server: ServerId) -> Result<TrustView, HostError> {
        let config = self.server(server)?.config;
        self.reread_trust(server).await?;
        Ok(self.inner.trust.view(server, &config).await?)
    }

    /// How many items of each enabled server are approved. Apps don't see the others.
    pub async fn server_reviews(&self) -> Result<Vec<ServerReview>, HostError> {
        let mut reviews = Vec::new();
        for server in self.servers().into_iter().filter(|server| server.enabled) {
            self.reread_trust(server.id).await?;
            reviews.push(self.inner.trust.review(server.id, server.config.name).await?);
        }
        Ok(reviews)
    }

    /// Reads the approvals again unless the server is connected. While it is, what this process saw of it
    /// counts.
    async fn reread_trust(&self, server: ServerId) -> Result<(), HostError> {
        if self.inner.options.supervise && !self.handle(server)?.is_connected() {
            self.inner.trust.reread(server).await?;
        }
        Ok(())
    }

    /// Approves items exactly as they were shown, all or none. Starts the server if it was waiting for that.
    pub async fn approve_trust(
        &self,
        server: ServerId,
        approvals: &[PinApproval],
    ) -> Result<TrustView, HostError> {
        self.server(server)?;
        self.open_vault_to_decide().await?;
        self.reread_trust(server).await?;
        if self.inner.trust.approve(server, approvals).await? {
            self.inner.registry.restart_if_changed(server);
        }
        self.trust(server).await
    }

    /// Undoes the last approvals of a server's items. Later changes are unaffected.
    pub async fn withdraw_trust(
        &self,
        server: ServerId,
        approvals: &[PinApproval],
    ) -> Result<TrustView, HostError> {
        self.server(server)?;
        self.open_vault_to_decide().await?;
        self.inner.trust.withdraw(server, approvals).await?;
        self.trust(server).await
    }

    fn with_server_name(&self, view: RuleView) -> RuleView {
        let server = view.rule.rule.server.and_then(|server| self.server(server).ok());
        RuleView { server_name: server.map(|server| server.config.name), ..view }
    }
}
