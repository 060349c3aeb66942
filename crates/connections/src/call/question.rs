//! Asks the person whether a call may run, and saves their answer as a rule if they want that.

use std::time::Duration;

use mooring_approvals::{AnswerDuration, RememberedAnswer, RuleStore, ToolAnswer, who_asks, why_asked};
use mooring_apps::display_name;
use mooring_base::server_id::ServerId;
use mooring_calls::ToolCall;
use mooring_definitions::Transport;
use mooring_errors::HostError;
use mooring_inbox::{
    InteractionDecision, InteractionOccasion, InteractionQuestion, InteractionRequest, Remember,
};
use mooring_policy::{Approval, Caller, Decision, Reason, ToolScope, ToolScopes, Verdict};
use mooring_words::Sentence;
use tokio::sync::Semaphore;

use crate::connection::Handle;

/// How long to wait for the disk when checking which paths are folders.
const FOLDERS_TIMEOUT: Duration = Duration::from_millis(500);
/// Held during that check.
static FOLDER_LOOKUP: Semaphore = Semaphore::const_new(1);

/// A question about a call, as the person sees it.
pub(crate) struct CallQuestion<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) arguments: &'a str,
    pub(crate) definition: Option<&'a str>,
    pub(crate) standing: Approval,
    /// The verdict that requires consent.
    pub(crate) verdict: &'a Verdict,
}

/// Asks the person. When this returns, their answer and the resulting rule are on the disk. If there is no
/// person to ask, the call is refused. If a limit suppressed the question, the result includes the limit's
/// message.
pub(crate) async fn ask_person(
    handle: &Handle,
    asked: &CallQuestion<'_>,
) -> Result<(Verdict, Option<Sentence>), HostError> {
    let caller = &asked.call.caller;
    let refused = |reason| Verdict { decision: Decision::Deny, caller: caller.clone(), reason };
    let prompter = handle.shared.responder.prompter(&handle.shared.call_defaults().name);
    let Some(prompter) = prompter.filter(|_| *caller != Caller::CommandLine) else {
        return Ok((refused(Reason::NobodyToAsk), None));
    };
    let (title, description, cut) = handle.tool_texts(&asked.call.tool);
    let scopes = find_answer_scopes(handle, prompter.asker().transport, asked).await;
    let question = InteractionQuestion::Tool {
        tool: asked.call.tool.clone(),
        title,
        description,
        cut,
        arguments: asked.arguments.to_owned(),
        hints: handle.tool_claims(&asked.call.tool),
        reason: why_asked(asked.verdict, display_name),
        rule: asked.verdict.reason.rule(),
        reviewed: asked.standing == Approval::Approved,
        definition: asked.definition.map(str::to_owned),
        keyless: caller.is_keyless(),
        scopes: scopes.clone(),
    };
    let occasion = InteractionOccasion {
        method: Some("tools/call".to_owned()),
        subject: Some(asked.call.tool.clone()),
        caller: Some(caller.as_str().to_owned()),
        requests: asked.call.request.as_deref().map(str::to_owned).into_iter().collect(),
        is_guess: false,
        said: who_asks(caller, display_name),
    };
    let server = prompter.asker().server;
    let request = InteractionRequest::new(prompter.asker(), occasion, question);
    // Limits are for servers that ask too often. They don't apply to calls that the person started.
    let request = if caller.is_person() { request.without_limits() } else { request };
    let mut interaction = prompter.interactions().begin(request).await;
    let (decision, remember, scope) = match interaction.decision().await {
        InteractionDecision::Accepted { content, remember } => {
            let scope = content.map(|content| serde_json::from_str(content.get())).transpose();
            (
                Decision::Allow,
                remember,
                scope.map_err(|error| HostError::Internal(Sentence::quoted(error.to_string())))?,
            )
        }
        InteractionDecision::Declined { remember } => (Decision::Deny, remember, None),
        InteractionDecision::Cancelled => return Ok((refused(Reason::Cancelled), None)),
        InteractionDecision::Suppressed(limit) => return Ok((refused(Reason::Dismissed), Some(limit))),
    };
    let reach = (scope.unwrap_or_default(), &scopes);
    let rule_id = remember_answer(&handle.rules, server, asked, decision, remember, reach).await?;
    if let Some(rule) = rule_id {
        interaction.set_remembered_by(rule).await;
    }
    Ok((Verdict { decision, caller: caller.clone(), reason: Reason::Answer }, None))
}

/// The scopes that an allowing answer can cover: all approved read-only tools of the server, if the called
/// tool is one of them, and the folders in the arguments. Paths can only be checked for servers on this
/// computer.
async fn find_answer_scopes(handle: &Handle, transport: Transport, asked: &CallQuestion<'_>) -> ToolScopes {
    let reading = handle.reading_tools();
    let is_one =
        asked.standing == Approval::Approved && reading.iter().any(|(name, _)| *name == asked.call.tool);
    let (names, definitions) =
        if is_one && reading.len() > 1 { reading.into_iter().unzip() } else { (Vec::new(), Vec::new()) };
    let arguments = asked.arguments.to_owned();
    // Only one check runs at a time: an unresponsive disk then blocks only one thread, and delays no other
    // question. Without the check, no folders are offered.
    let folders = match FOLDER_LOOKUP.try_acquire() {
        Ok(turn) => {
            let look = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                ToolScopes::folders_in(&arguments, |path| transport == Transport::Stdio && path.is_dir())
            });
            tokio::time::timeout(FOLDERS_TIMEOUT, look).await.ok().and_then(Result::ok).unwrap_or_default()
        }
        Err(_) => Vec::new(),
    };
    ToolScopes { reading: names, definitions, folders }
}

async fn remember_answer(
    rules: &RuleStore,
    server: ServerId,
    asked: &CallQuestion<'_>,
    decision: Decision,
    remember: Remember,
    (scope, scopes): (ToolScope, &ToolScopes),
) -> Result<Option<i64>, HostError> {
    let duration = match remember {
        Remember::Once => return Ok(None),
        Remember::Session => AnswerDuration::Session,
        Remember::Hour => AnswerDuration::Hour,
        Remember::Always => AnswerDuration::Always,
    };
    let answer = match (decision, asked.definition) {
        (Decision::Allow, Some(definition)) if !asked.call.caller.is_keyless() => {
            RememberedAnswer::Allow { definition, caller: asked.call.caller.clone(), scope, scopes }
        }
        // Without a definition or a key, there is nothing to bind the permission to.
        (Decision::Allow, _) => return Ok(None),
        _ => RememberedAnswer::Deny,
    };
    let subject = ToolAnswer { server, tool: &asked.call.tool, answer };
    Ok(Some(rules.remember(subject, duration).await?))
}
