//! May this call run? A pure decision: who asks, what for, and by which rule.
//!
//! In this order:
//! 1. A definition that is not what it was is refused, whoever asks and whatever the rules say.
//! 2. Of the rules that match, one that denies decides; of several the most specific is named.
//! 3. Otherwise the most specific decides, and of two that are equally so the one that asks.
//! 4. Without a rule, a gesture of the person is consent for exactly that call; any other caller is refused for a
//!    definition that nobody approved.
//! 5. What is left is asked about, unless the caller is an app with another level: one that asks its own person
//!    may, and one that only reads may if the approved definition says that the tool is read-only, else it is refused.
//! 6. What an app without a key may do by all this is asked about.
//!
//! A rule is more specific than another if it is for one server; then by its tools (one definition, one name, a
//! pattern with more letters, a pattern with fewer, all); then if it is for one caller; then by the number of its
//! conditions on arguments; then if it is only for tools that may destroy something. What a server says of its
//! tools (annotations) can only make a `destructive_only` rule match, and such a rule never allows. That a tool does
//! not destroy is believed once the person approved the definition that says so.

use crate::caller::Caller;
use crate::rules::Rule;
use crate::verdict::{AppLevel, Approval, CallRequest, Decision, Reason, Verdict};

/// Decides on a call. `rules` may be in any order.
pub fn decide(request: &CallRequest<'_>, rules: &[Rule]) -> Verdict {
    let verdict = decide_for_name(request, rules);
    if verdict.decision == Decision::Allow && request.caller.is_keyless() {
        let reason = if request.caller.is_key_sealed() { Reason::KeySealed } else { Reason::NoKey };
        return Verdict { decision: Decision::Ask, reason, ..verdict };
    }
    verdict
}

/// The same where an app is believed to be who it says.
fn decide_for_name(request: &CallRequest<'_>, rules: &[Rule]) -> Verdict {
    let verdict = |decision, reason| Verdict { decision, caller: request.caller.clone(), reason };
    if request.approval == Approval::Changed {
        return verdict(Decision::Deny, Reason::Changed);
    }
    // Of the equally specific the one that asks, then the older one: its number stays its name.
    let weight = |rule: &&Rule| {
        (
            rule.specificity(),
            rule.rule.effect == Decision::Ask,
            std::cmp::Reverse((rule.id < 0, rule.id.abs())),
        )
    };
    let of = |effects: &[Decision]| {
        let found = rules.iter().filter(|rule| effects.contains(&rule.rule.effect) && rule.matches(request));
        found.max_by_key(weight)
    };
    let rule = of(&[Decision::Deny]).or_else(|| of(&[Decision::Ask, Decision::Allow]));
    let is_reviewed = request.caller.is_person() || request.approval == Approval::Approved;
    match rule {
        Some(rule) if rule.rule.effect != Decision::Deny && !is_reviewed => {
            verdict(Decision::Deny, Reason::NotApproved)
        }
        Some(rule) => verdict(rule.rule.effect, Reason::Rule(rule.id)),
        None if request.caller.is_person() => verdict(Decision::Allow, Reason::PersonStarted),
        None if !is_reviewed => verdict(Decision::Deny, Reason::NotApproved),
        None => match (request.caller, request.level) {
            (Caller::App(_), AppLevel::AppAsks) => verdict(Decision::Allow, Reason::AppAsks),
            (Caller::App(_), AppLevel::ReadOnly) if request.hints.read_only => {
                verdict(Decision::Allow, Reason::ReadOnly)
            }
            (Caller::App(_), AppLevel::ReadOnly) => verdict(Decision::Deny, Reason::NotReadOnly),
            _ => verdict(Decision::Ask, Reason::NoRule),
        },
    }
}
