//! Sentences that say who makes a call, and why the person is asked about it.

use mooring_policy::{Caller, Reason, Verdict};
use mooring_words::{Sentence, say};

/// Why the person is asked about a call. If no rule matches an app's call, the app's level is the reason.
/// `name` returns an app's name for people.
pub fn why_asked(Verdict { caller, reason, .. }: &Verdict, name: impl Fn(&str) -> &str) -> Sentence {
    match (reason, caller) {
        (Reason::NoRule, Caller::App(app)) => say!("{app} is set to Ask here", app = name(app.name())),
        _ => reason.sentence(),
    }
}

/// Who wants to run a tool. `name` returns an app's name for people.
pub fn who_asks(caller: &Caller, name: impl Fn(&str) -> &str) -> Sentence {
    match caller {
        Caller::Workbench => say!("You ran it in the Workbench, and one of your rules asks first."),
        Caller::CommandLine => say!("The tool was called on the command line."),
        Caller::Sampling => say!("A model used by the server wants to run this tool."),
        Caller::App(app) => say!("{app} wants to run this tool.", app = name(app.name())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mooring_policy::Decision;

    #[test]
    fn an_app_is_asked_about_for_its_level_or_for_a_rule() {
        let why = |caller: &Caller, reason| {
            let verdict = Verdict { decision: Decision::Ask, caller: caller.clone(), reason };
            why_asked(&verdict, str::trim).to_string()
        };
        let app = Caller::app(" Harbour ");
        assert_eq!(why(&app, Reason::NoRule), "Harbour is set to Ask here");
        assert_eq!(why(&app, Reason::Rule(7)), Reason::Rule(7).sentence().to_string());
        assert_eq!(why(&Caller::Workbench, Reason::NoRule), Reason::NoRule.sentence().to_string());
        assert_eq!(who_asks(&app, str::trim).to_string(), "Harbour wants to run this tool.");
    }
}
