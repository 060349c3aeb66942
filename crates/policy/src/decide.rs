//! Decides whether a call may run. The decision depends only on the caller, the call and the rules.
//!
//! In this order:
//! 1. A changed definition is refused for every caller, even if a rule allows the call.
//! 2. If a matching rule denies, the call is denied. The verdict names the most specific of these rules.
//! 3. Otherwise, the most specific matching rule decides. If two rules are equally specific, the one that
//!    asks decides.
//! 4. If the definition is not approved, every caller except the person is refused, even if a rule allows the
//!    call. Without a rule, the person's action is consent to exactly that call.
//! 5. The person is asked about all other calls, unless the caller is an app with another level. An app that
//!    asks its own person may call. An app that only reads may call if the approved definition says that the
//!    tool is read-only. Otherwise, the app is refused.
//! 6. If an app without a key would be allowed to call, the person is asked instead.
//!
//! Rules are compared by these criteria, in this order. A rule for one server is more specific. The tools are
//! compared next: one definition, one name, a pattern with more letters, a pattern with fewer letters,
//! several definitions, all tools. Then a rule for one caller is more specific, then a rule with more
//! conditions on arguments, then a rule that is only for tools that may destroy something. A server's
//! annotations can only make a `destructive_only` rule match, and such a rule never allows. A tool's claim
//! that it doesn't destroy anything counts only once the person has approved the definition with the claim.

use crate::caller::Caller;
use crate::rules::Rule;
use crate::verdict::{AppLevel, Approval, CallRequest, Decision, Reason, Verdict};

/// Decides on a call. `rules` can have any order.
pub fn decide(request: &CallRequest<'_>, rules: &[Rule]) -> Verdict {
    let verdict = decide_for_name(request, rules);
    if verdict.decision == Decision::Allow && request.caller.is_keyless() {
        let reason = if request.caller.is_key_sealed() { Reason::KeySealed } else { Reason::NoKey };
        return Verdict { decision: Decision::Ask, reason, ..verdict };
    }
    verdict
}

/// Decides as if an app's name were proven.
fn decide_for_name(request: &CallRequest<'_>, rules: &[Rule]) -> Verdict {
    let verdict = |decision, reason| Verdict { decision, caller: request.caller.clone(), reason };
    if request.approval == Approval::Changed {
        return verdict(Decision::Deny, Reason::Changed);
    }
    // If rules are equally specific, the one that asks wins, then the older one. The verdict then always
    // names the same rule.
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
