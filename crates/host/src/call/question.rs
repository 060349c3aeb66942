//! Asking the person whether a call may run, and what their answer makes of the rules.

use std::borrow::Cow;

use mooring_store::UNVERIFIED_RULES;
use mooring_words::{Sentence, say};

use crate::connection::Handle;
use crate::error::HostError;
use crate::tools::ToolCall;
use mooring_approvals::{Remembered, RuleMemory, Scope, Subject};
use mooring_base::server_id::ServerId;
use mooring_inbox::{Asking, Decided};
use mooring_inbox::{InteractionOccasion, InteractionQuestion, Remember};
use mooring_policy::Caller;
use mooring_policy::{Decision, RULE_ANSWER, RULE_NONE, Standing, Verdict};

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
    let refused = |rule: &'static str| Verdict {
        decision: Decision::Deny,
        caller,
        rule: Cow::Borrowed(rule),
        rule_id: asked.verdict.rule_id,
    };
    let desk = handle.shared.responder.desk(&handle.shared.manner().name);
    let Some(desk) = desk.filter(|_| caller != Caller::CommandLine) else { return Ok(refused(RULE_NOBODY)) };
    let (title, description, cut) = handle.tool_words(&asked.call.tool);
    let question = InteractionQuestion::Tool {
        tool: asked.call.tool.clone(),
        title,
        description,
        cut,
        arguments: asked.arguments.to_owned(),
        hints: handle.tool_claims(&asked.call.tool),
        reason: asked.verdict.reason(),
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
        Decided::Cancelled => return Ok(refused(RULE_CANCELLED)),
        Decided::PutAside => return Ok(refused(RULE_PUT_ASIDE)),
    };
    let rule_id = remembered(&handle.rules, server, asked, decision, remember).await?;
    if let Some(rule) = rule_id {
        interaction.remembered(rule).await;
    }
    Ok(Verdict { decision, caller, rule: Cow::Borrowed(RULE_ANSWER), rule_id: None })
}

/// The rule in the log of a call that nobody was there to be asked about.
pub(crate) const RULE_NOBODY: &str = "nobody_to_ask";
/// Of one that the person put aside.
pub(crate) const RULE_CANCELLED: &str = "cancelled";
/// Of one that was not shown, because the server asks too much.
pub(crate) const RULE_PUT_ASIDE: &str = "put_aside";

/// Why a call was refused, in words for whoever wanted it.
pub(crate) fn refusal(verdict: &Verdict) -> Sentence {
    match &*verdict.rule {
        RULE_NOBODY => say!("a rule asks first, and nobody is there to be asked"),
        RULE_CANCELLED => say!("the question was put aside"),
        RULE_PUT_ASIDE => say!("the server asks too much"),
        RULE_ANSWER => say!("you declined"),
        RULE_NONE => say!("no rule allows it"),
        _ if verdict.rule_id == Some(UNVERIFIED_RULES) => {
            say!("the rules were changed outside Mooring and can't be verified: review them under Settings")
        }
        _ if verdict.rule_id.is_some() => Sentence::quoted(verdict.rule.clone()),
        _ => verdict.reason(),
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
