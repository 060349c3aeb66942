//! May this call run? A pure decision: who asks, what for, and by which rule.
//!
//! Rules that a person writes come with the Inbox; until then a call runs when a gesture of the
//! person asks for exactly it.

use std::borrow::Cow;

/// Who wants a tool called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Caller {
    /// The person pressed Run.
    Workbench,
    /// The person named the tool on the command line.
    CommandLine,
}

impl Caller {
    /// The word in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Workbench => "workbench",
            Self::CommandLine => "command_line",
        }
    }
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The call runs.
    Allow,
    /// The person is asked first.
    Ask,
    /// The call does not run.
    Deny,
}

impl Decision {
    /// The word in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A decision with the rule it follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What was decided.
    pub decision: Decision,
    /// Who asked.
    pub caller: Caller,
    /// The rule's name in the log.
    pub rule: Cow<'static, str>,
}

/// The rule that a gesture of the person is consent for that call with those arguments.
pub(crate) const RULE_GESTURE: &str = "gesture";

/// Decides on a call.
pub(crate) fn decide(caller: Caller) -> Verdict {
    match caller {
        Caller::Workbench | Caller::CommandLine => {
            Verdict { decision: Decision::Allow, caller, rule: Cow::Borrowed(RULE_GESTURE) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gesture_of_the_person_is_consent_for_that_call() {
        for caller in [Caller::Workbench, Caller::CommandLine] {
            let verdict = decide(caller);
            assert_eq!(
                (verdict.decision, verdict.caller, &*verdict.rule),
                (Decision::Allow, caller, "gesture")
            );
        }
    }
}
