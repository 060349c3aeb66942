//! Sentences about why a call doesn't run.

use mooring_policy::{Reason, Verdict};
use mooring_store::UNVERIFIED_RULES;
use mooring_words::{Sentence, say};

/// Tells the caller why a call was refused. `asked` is why the person had to be asked, if so.
pub fn refusal(verdict: &Verdict, asked: Option<Reason>) -> Sentence {
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

#[cfg(test)]
mod tests {
    use mooring_policy::{Caller, Decision};

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
