//! Asking the person whether a call may run, and what their answer makes of the rules.

use mooring_approvals::{Remembered, RuleMemory, Scope, Subject};
use mooring_base::server_id::ServerId;
use mooring_inbox::{Asking, Decided, InteractionOccasion, InteractionQuestion, Remember};
use mooring_policy::{Caller, Decision, Reason, Standing, Verdict};
use mooring_store::UNVERIFIED_RULES;
use mooring_words::{Sentence, say};

use crate::connection::Handle;
use crate::error::HostError;
use crate::tools::ToolCall;

/// A question about a call: what the person is shown of it.
pub(crate) struct Asked<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) arguments: &'a str,
    pub(crate) definition: Option<&'a str>,
    pub(crate) standing: Standing,
    /// The verdict that asks.
    pub(crate) verdict: &'a Verdict,
}

/// Asks the person. Their answer is on the disk when this returns, and the rule that it made as well. Where nobody is
/// there to be asked, the call does not run.
pub(crate) async fn ask(handle: &Handle, asked: &Asked<'_>) -> Result<Verdict, HostError> {
    let caller = asked.call.caller;
    let refused = |reason| Verdict { decision: Decision::Deny, caller, reason };
    let desk = handle.shared.responder.desk(&handle.shared.manner().name);
    let Some(desk) = desk.filter(|_| caller != Caller::CommandLine) else {
        return Ok(refused(Reason::NobodyToAsk));
    };
    let (title, description, cut) = handle.tool_words(&asked.call.tool);
    let question = InteractionQuestion::Tool {
        tool: asked.call.tool.clone(),
        title,
        description,
        cut,
        arguments: asked.arguments.to_owned(),
        hints: handle.tool_claims(&asked.call.tool),
        reason: asked.verdict.reason.sentence(),
        reviewed: asked.standing == Standing::Approved,
    };
    let occasion = InteractionOccasion {
        method: Some("tools/call".to_owned()),
        subject: Some(asked.call.tool.clone()),
        caller: Some(caller.as_str().to_owned()),
        is_guess: false,
        said: said(caller),
    };
    let server = desk.asker().server;
    let asking = Asking::new(desk.asker(), occasion, question);
    // What the person started is not the server's asking.
    let asking = if caller.is_gesture() { asking.uncounted() } else { asking };
    let mut interaction = desk.interactions().begin(asking).await;
    let (decision, remember) = match interaction.decided().await {
        Decided::Accepted { remember, .. } => (Decision::Allow, remember),
        Decided::Declined { remember } => (Decision::Deny, remember),
        Decided::Cancelled => return Ok(refused(Reason::Cancelled)),
        Decided::PutAside => return Ok(refused(Reason::PutAside)),
    };
    let rule_id = remembered(&handle.rules, server, asked, decision, remember).await?;
    if let Some(rule) = rule_id {
        interaction.remembered(rule).await;
    }
    Ok(Verdict { decision, caller, reason: Reason::Answer })
}

/// Why a call was refused, in words for whoever wanted it.
pub(crate) fn refusal(verdict: &Verdict) -> Sentence {
    match verdict.reason {
        Reason::Answer => say!("you declined"),
        Reason::Rule(UNVERIFIED_RULES) => {
            say!("the rules were changed outside Mooring and can't be verified: review them under Settings")
        }
        rule @ Reason::Rule(_) => Sentence::quoted(rule.name()),
        other => other.sentence(),
    }
}

fn said(caller: Caller) -> Sentence {
    match caller {
        Caller::Workbench => say!("You pressed Run in the Workbench, and a rule of yours asks first."),
        Caller::CommandLine => say!("The tool was called on the command line."),
        Caller::Sampling => say!("A model that the server asked wants to call this tool."),
    }
}

async fn remembered(
    rules: &RuleMemory,
    server: ServerId,
    asked: &Asked<'_>,
    decision: Decision,
    remember: Remember,
) -> Result<Option<i64>, HostError> {
    let scope = match remember {
        Remember::Once => return Ok(None),
        Remember::Session => Scope::Session,
        Remember::Hour => Scope::Hour,
        Remember::Always => Scope::Always,
    };
    let answer = match (decision, asked.definition) {
        (Decision::Allow, Some(definition)) => Remembered::Yes { definition, caller: asked.call.caller },
        // Without a definition there is nothing that a yes could be bound to.
        (Decision::Allow, None) => return Ok(None),
        _ => Remembered::No,
    };
    let subject = Subject { server, tool: &asked.call.tool, answer };
    Ok(Some(rules.remember(subject, scope).await?))
}
