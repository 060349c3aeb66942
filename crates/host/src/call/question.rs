//! Asking the person whether a call may run, and what their answer makes of the rules.

use mooring_approvals::{AnswerDuration, RememberedAnswer, RuleStore, ToolAnswer};
use mooring_base::server_id::ServerId;
use mooring_inbox::{
    InteractionDecision, InteractionOccasion, InteractionQuestion, InteractionRequest, Remember,
};
use mooring_policy::{Approval, Caller, Decision, Reason, Verdict};
use mooring_store::UNVERIFIED_RULES;
use mooring_words::{Sentence, say};

use crate::connection::Handle;
use crate::error::HostError;
use crate::tools::ToolCall;

/// A question about a call: what the person is shown of it.
pub(crate) struct CallQuestion<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) arguments: &'a str,
    pub(crate) definition: Option<&'a str>,
    pub(crate) standing: Approval,
    /// The verdict that asks.
    pub(crate) verdict: &'a Verdict,
}

/// Asks the person. Their answer is on the disk when this returns, and the rule that it made as well. Where nobody is
/// there to be asked, the call does not run. With the verdict comes why it was not asked, where a limit is why.
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
    let question = InteractionQuestion::Tool {
        tool: asked.call.tool.clone(),
        title,
        description,
        cut,
        arguments: asked.arguments.to_owned(),
        hints: handle.tool_claims(&asked.call.tool),
        reason: asked.verdict.reason.sentence(),
        reviewed: asked.standing == Approval::Approved,
        definition: asked.definition.map(str::to_owned),
        keyless: caller.is_keyless(),
    };
    let occasion = InteractionOccasion {
        method: Some("tools/call".to_owned()),
        subject: Some(asked.call.tool.clone()),
        caller: Some(caller.as_str().to_owned()),
        requests: asked.call.request.as_deref().map(str::to_owned).into_iter().collect(),
        is_guess: false,
        said: caller_sentence(caller),
    };
    let server = prompter.asker().server;
    let request = InteractionRequest::new(prompter.asker(), occasion, question);
    // What the person started is not the server's asking.
    let request = if caller.is_person() { request.without_limits() } else { request };
    let mut interaction = prompter.interactions().begin(request).await;
    let (decision, remember) = match interaction.decision().await {
        InteractionDecision::Accepted { remember, .. } => (Decision::Allow, remember),
        InteractionDecision::Declined { remember } => (Decision::Deny, remember),
        InteractionDecision::Cancelled => return Ok((refused(Reason::Cancelled), None)),
        InteractionDecision::Suppressed(limit) => return Ok((refused(Reason::Dismissed), Some(limit))),
    };
    let rule_id = remember_answer(&handle.rules, server, asked, decision, remember).await?;
    if let Some(rule) = rule_id {
        interaction.set_remembered_by(rule).await;
    }
    Ok((Verdict { decision, caller: caller.clone(), reason: Reason::Answer }, None))
}

/// Why a call was refused, in words for whoever wanted it. `asked`: why the person had to be asked, if so.
pub(crate) fn refusal(verdict: &Verdict, asked: Option<Reason>) -> Sentence {
    match verdict.reason {
        Reason::NobodyToAsk if asked == Some(Reason::NoKey) => {
            say!(
                "this app’s entry has no key, so Mooring asks about each call, and no one can answer here: open Mooring, or renew the entry with mooring connect or mooring apps add"
            )
        }
        Reason::NobodyToAsk if asked == Some(Reason::KeySealed) => {
            say!(
                "the vault is locked, so Mooring can’t check this app’s key and asks about each call, and no one can answer here: open Mooring and unlock it, or run mooring serve in a terminal where the passphrase can be entered"
            )
        }
        Reason::NobodyToAsk if asked == Some(Reason::NoRule) => {
            say!(
                "each call of this app asks in Mooring, and no one can answer here: open Mooring, or choose another level for the app with mooring apps set"
            )
        }
        Reason::Answer => say!("you declined"),
        Reason::Rule(UNVERIFIED_RULES) => {
            say!("the rules were changed outside Mooring and can’t be verified: review them under Settings")
        }
        rule @ Reason::Rule(_) => Sentence::quoted(rule.name()),
        other => other.sentence(),
    }
}

fn caller_sentence(caller: &Caller) -> Sentence {
    match caller {
        Caller::Workbench => say!("You ran it in the Workbench, and one of your rules asks first."),
        Caller::CommandLine => say!("The tool was called on the command line."),
        Caller::Sampling => say!("A model used by the server wants to run this tool."),
        Caller::App(app) => say!("{app} wants to run this tool.", app = app.name()),
    }
}

async fn remember_answer(
    rules: &RuleStore,
    server: ServerId,
    asked: &CallQuestion<'_>,
    decision: Decision,
    remember: Remember,
) -> Result<Option<i64>, HostError> {
    let scope = match remember {
        Remember::Once => return Ok(None),
        Remember::Session => AnswerDuration::Session,
        Remember::Hour => AnswerDuration::Hour,
        Remember::Always => AnswerDuration::Always,
    };
    let answer = match (decision, asked.definition) {
        (Decision::Allow, Some(definition)) if !asked.call.caller.is_keyless() => {
            RememberedAnswer::Allow { definition, caller: asked.call.caller.clone() }
        }
        // Without a definition there is nothing that a yes could be bound to, without a key nobody.
        (Decision::Allow, _) => return Ok(None),
        _ => RememberedAnswer::Deny,
    };
    let subject = ToolAnswer { server, tool: &asked.call.tool, answer };
    Ok(Some(rules.remember(subject, scope).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_nobody_could_be_asked_is_the_true_reason() {
        let verdict =
            Verdict { decision: Decision::Deny, caller: Caller::app("cursor"), reason: Reason::NobodyToAsk };
        for (asked, words) in [
            (Reason::NoKey, "this app’s entry has no key"),
            (Reason::KeySealed, "the vault is locked"),
            (Reason::NoRule, "choose another level"),
            (Reason::Rule(1), "a rule asks first"),
        ] {
            assert!(refusal(&verdict, Some(asked)).to_string().contains(words), "{asked:?}");
        }
    }
}
