//! What the rules say about a tool as a whole, for calls by the person with any arguments.

use serde::Serialize;
use ts_rs::TS;

use crate::decide::decide;
use crate::pattern;
use crate::rules::Rule;
use crate::verdict::{CallRequest, Decision};

/// The outcome of the rules for a tool, with what a switch for this tool needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolRules {
    /// What happens to a call by the person.
    pub effect: Decision,
    /// The rule that decides. `None` if no rule does.
    pub rule: Option<i64>,
    /// The rules for only this tool of this server, and for all of its calls.
    pub own: Vec<i64>,
    /// What would happen without the rules in `own`.
    pub otherwise: Decision,
    /// The rule that would decide without the rules in `own`. `None` if no rule would.
    pub wider: Option<i64>,
    /// How many more rules match only some calls of the tool, such as calls by one caller or with certain
    /// arguments.
    pub partial: usize,
}

impl ToolRules {
    /// Evaluates `rules` for the tool of `request`, without its arguments. The caller must be the person, and
    /// the definition must not have changed.
    pub fn of(request: &CallRequest<'_>, rules: &[Rule]) -> Self {
        let server = request.server;
        let about = rules.iter().filter(|rule| {
            let named = &rule.rule;
            named.server.is_none_or(|wanted| server == Some(wanted))
                && named.tool.as_ref().is_none_or(|wanted| pattern::matches_pattern(wanted, request.tool))
                && rule.is_in_force(request.now_ms)
        });
        let (whole, partial): (Vec<&Rule>, Vec<_>) =
            about.partition(|rule| rule.rule.caller.is_none() && rule.rule.arguments.is_empty());
        let is_own = |rule: &&Rule| {
            let named = &rule.rule;
            let is_one = named.tool.as_deref().is_some_and(|tool| pattern::literal_len(tool).is_none());
            named.server.is_some() && is_one && !named.destructive_only
        };
        let (own, wider): (Vec<&Rule>, Vec<_>) = whole.iter().partition(|rule| is_own(rule));
        let verdict = |rules: Vec<&Rule>| {
            let verdict = decide(request, &rules.into_iter().cloned().collect::<Vec<_>>());
            (verdict.decision, verdict.reason.rule())
        };
        let (otherwise, wider) = verdict(wider);
        let own = own.into_iter().map(|rule| rule.id).collect();
        let (effect, rule) = verdict(whole);
        Self { effect, rule, own, otherwise, wider, partial: partial.len() }
    }
}
