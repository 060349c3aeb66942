//! Tests of decisions, as tables and as properties of random requests.

use mooring_base::server_id::ServerId;
use serde_json::json;
use serde_json::value::RawValue;

use crate::*;

fn rule(id: i64, effect: Decision) -> Rule {
    Rule {
        id,
        rule: NewRule {
            effect,
            server: None,
            tool: None,
            caller: None,
            destructive_only: false,
            arguments: Vec::new(),
            expires_ms: None,
        },
        pin: None,
        from_answer: false,
        created_ms: 0,
    }
}

impl Rule {
    fn with(mut self, change: impl FnOnce(&mut NewRule)) -> Self {
        change(&mut self.rule);
        self
    }
}

fn request() -> CallRequest<'static> {
    CallRequest {
        server: Some(ServerId(1)),
        tool: "delete_file",
        definition: Some("h1"),
        approval: Approval::Approved,
        hints: ToolHints::default(),
        arguments: None,
        caller: &Caller::Workbench,
        level: AppLevel::AskHere,
        now_ms: 1_000,
    }
}

fn decided(request: &CallRequest<'_>, rules: &[Rule]) -> (Decision, String) {
    let verdict = decide(request, rules);
    assert_eq!(&verdict.caller, request.caller);
    (verdict.decision, verdict.reason.name().into_owned())
}

// Requirements: SEC-26, TOOL-02, TOOL-05.
#[test]
fn a_gesture_of_the_person_is_consent_for_that_call() {
    for caller in [&Caller::Workbench, &Caller::CommandLine] {
        for standing in [Approval::Unknown, Approval::New, Approval::Approved] {
            let request = CallRequest { approval: standing, caller, ..request() };
            assert_eq!(decided(&request, &[]), (Decision::Allow, "gesture".to_owned()));
            assert_eq!(decided(&request, &[rule(7, Decision::Ask)]), (Decision::Ask, "rule 7".to_owned()));
            assert_eq!(decided(&request, &[rule(-7, Decision::Deny)]).1, "session rule 7");
        }
        let changed = CallRequest { caller, approval: Approval::Changed, ..request() };
        let expected = (Decision::Deny, "definition_changed".to_owned());
        assert_eq!(decided(&changed, &[rule(1, Decision::Allow)]), expected);
        assert_eq!(decided(&changed, &[]), expected);
    }
}

#[test]
fn other_callers_ask_unless_a_rule_allows_an_approved_tool() {
    let sampling = CallRequest { caller: &Caller::Sampling, ..request() };
    assert_eq!(decided(&sampling, &[]), (Decision::Ask, "no_rule".to_owned()));
    assert_eq!(decided(&sampling, &[rule(1, Decision::Allow)]), (Decision::Allow, "rule 1".to_owned()));
    for standing in [Approval::Unknown, Approval::New] {
        let request = CallRequest { approval: standing, ..sampling };
        for rules in [vec![], vec![rule(1, Decision::Allow)], vec![rule(1, Decision::Ask)]] {
            assert_eq!(decided(&request, &rules), (Decision::Deny, "not_approved".to_owned()));
        }
        assert_eq!(decided(&request, &[rule(1, Decision::Deny)]).1, "rule 1");
    }
}

#[test]
fn level_of_an_app_decides_where_no_rule_does() {
    use AppLevel::{AppAsks, AskHere, ReadOnly};
    use Decision::{Allow, Ask, Deny};
    let app = Caller::app("cursor");
    let reads = ToolHints { read_only: true, ..ToolHints::default() };
    for (level, hints, expected) in [
        (AskHere, ToolHints::default(), (Ask, "no_rule")),
        (AskHere, reads, (Ask, "no_rule")),
        (AppAsks, ToolHints::default(), (Allow, "app_asks")),
        (ReadOnly, reads, (Allow, "read_only")),
        (ReadOnly, ToolHints::default(), (Deny, "not_read_only")),
    ] {
        let request = CallRequest { caller: &app, level, hints, ..request() };
        assert_eq!(decided(&request, &[]), (expected.0, expected.1.to_owned()));
        for effect in [Allow, Ask, Deny] {
            assert_eq!(decided(&request, &[rule(1, effect)]), (effect, "rule 1".to_owned()));
        }
        for approval in [Approval::Unknown, Approval::New] {
            let unseen = CallRequest { approval, ..request };
            assert_eq!(decided(&unseen, &[]), (Deny, "not_approved".to_owned()));
        }
        let changed = CallRequest { approval: Approval::Changed, ..request };
        assert_eq!(decided(&changed, &[rule(1, Allow)]).1, "definition_changed");
        // The level only counts for apps.
        let sampling = CallRequest { caller: &Caller::Sampling, ..request };
        assert_eq!(decided(&sampling, &[]), (Ask, "no_rule".to_owned()));
    }
    for (one, other, expected) in [
        (AppAsks, AskHere, AskHere),
        (AskHere, AppAsks, AskHere),
        (AppAsks, ReadOnly, ReadOnly),
        (ReadOnly, AppAsks, ReadOnly),
        (ReadOnly, AskHere, ReadOnly),
    ] {
        assert_eq!(one.stricter(other), expected);
    }
}

#[test]
fn an_app_without_a_key_runs_nothing_unasked() {
    use AppLevel::{AppAsks, AskHere, ReadOnly};
    use Decision::{Allow, Ask, Deny};
    // While the vault is locked, the key can't be checked. The reason differs, but the outcome doesn't.
    let sealed = Caller::app_with_sealed_key("cursor");
    assert!(sealed.is_keyless() && sealed.is_key_sealed());
    let request_of = CallRequest { caller: &sealed, level: AppAsks, ..request() };
    assert_eq!(decided(&request_of, &[rule(1, Allow)]), (Ask, "key_sealed".to_owned()));
    let (app, keyless) = (Caller::app("cursor"), Caller::app_without_key("cursor"));
    assert!(keyless == app && keyless.is_keyless() && !app.is_keyless());
    let reads = ToolHints { read_only: true, ..ToolHints::default() };
    let of_app = rule(2, Allow).with(|rule| rule.caller = Some(app.clone()));
    let rules = [vec![], vec![rule(1, Allow)], vec![of_app]];
    for level in [AskHere, AppAsks, ReadOnly] {
        for hints in [reads, ToolHints::default()] {
            for rules in &rules {
                let request = CallRequest { caller: &keyless, level, hints, ..request() };
                let refused = level == ReadOnly && !hints.read_only && rules.is_empty();
                let decision = if refused { Deny } else { Ask };
                assert_eq!(decided(&request, rules).0, decision, "{level:?} {hints:?} {rules:?}");
                // A call that is denied stays denied.
                assert_eq!(decided(&request, &[rule(1, Deny)]).0, Deny);
                let changed = CallRequest { approval: Approval::Changed, ..request };
                assert_eq!(decided(&changed, rules).0, Deny);
            }
        }
    }
}

#[test]
fn the_most_specific_rule_decides_and_one_that_denies_wins() {
    use Decision::{Allow, Ask, Deny};
    let server = |rule: &mut NewRule| rule.server = Some(ServerId(1));
    let tool = |name: &'static str| move |rule: &mut NewRule| rule.tool = Some(name.to_owned());
    let caller = |rule: &mut NewRule| rule.caller = Some(Caller::Workbench);
    let present =
        ArgumentCondition { pointer: String::new(), test: ArgumentTest::Present, value: String::new() };
    // Each rule is more specific than all before it.
    let ladder: Vec<Box<dyn Fn(Decision) -> Rule>> = vec![
        Box::new(|effect| rule(1, effect)),
        Box::new(|effect| rule(2, effect).with(|rule| rule.destructive_only = true)),
        Box::new(move |effect| rule(3, effect).with(|rule| rule.arguments.push(present.clone()))),
        Box::new(move |effect| rule(4, effect).with(caller)),
        Box::new(move |effect| rule(5, effect).with(tool("d*"))),
        Box::new(move |effect| rule(6, effect).with(tool("delete*"))),
        Box::new(move |effect| rule(7, effect).with(tool("delete_file"))),
        Box::new(|effect| Rule { pin: Some("h1".to_owned()), ..rule(8, effect) }),
        Box::new(move |effect| rule(9, effect).with(server)),
        Box::new(move |effect| rule(10, effect).with(server).with(tool("*file"))),
        Box::new(move |effect| rule(11, effect).with(server).with(tool("delete_file")).with(caller)),
    ];
    let arguments = json!({"path": "/x"});
    let request = CallRequest { arguments: Some(&arguments), ..request() };
    for (at, less) in ladder.iter().enumerate() {
        for more in &ladder[at + 1..] {
            for (effect, other) in [(Allow, Ask), (Ask, Allow)] {
                // A rule that is only for tools that may destroy something never allows.
                let never = |rule: Rule| rule.rule.destructive_only && rule.rule.effect == Allow;
                if never(more(effect)) || never(less(other)) {
                    continue;
                }
                let expected = (effect, more(effect).name());
                assert_eq!(decided(&request, &[less(other), more(effect)]), expected);
                assert_eq!(decided(&request, &[more(effect), less(other)]), expected);
            }
            assert_eq!(decided(&request, &[more(Allow), less(Deny)]), (Deny, less(Deny).name()));
            assert_eq!(decided(&request, &[more(Deny), less(Deny)]), (Deny, more(Deny).name()));
        }
        assert_eq!(
            decided(&request, &[less(Allow), Rule { id: 99, ..less(Ask) }]),
            (Ask, "rule 99".to_owned())
        );
    }
}

#[test]
fn a_rule_is_only_about_what_it_names() {
    let arguments = json!({"path": "/etc/passwd", "n": 3, "list": [{"a": 1.0}], "a/b": null});
    let request = CallRequest { arguments: Some(&arguments), ..request() };
    let holds = |change: &dyn Fn(&mut NewRule)| {
        let mut denied = rule(1, Decision::Deny);
        change(&mut denied.rule);
        decide(&request, &[denied]).decision == Decision::Deny
    };
    let condition = |pointer: &str, test, value: &str| {
        let condition = ArgumentCondition { pointer: pointer.to_owned(), test, value: value.to_owned() };
        holds(&move |rule| rule.arguments = vec![condition.clone()])
    };
    use ArgumentTest::{Contains, Equals, Present, StartsWith};
    assert!(holds(&|rule| rule.server = Some(ServerId(1))));
    assert!(!holds(&|rule| rule.server = Some(ServerId(2))));
    assert!(!holds(&|rule| rule.tool = Some("delete".to_owned())));
    assert!(!holds(&|rule| rule.caller = Some(Caller::Sampling)));
    assert!(holds(&|rule| rule.expires_ms = Some(1_001)));
    assert!(!holds(&|rule| rule.expires_ms = Some(1_000)));
    assert!(condition("/path", StartsWith, "/etc/") && !condition("/path", StartsWith, "etc"));
    assert!(condition("/path", Contains, "pass") && !condition("/n", Contains, "3"));
    assert!(
        condition("/n", Equals, "3") && condition("/n", Equals, "3.0") && !condition("/n", Equals, "\"3\"")
    );
    assert!(condition("/list", Equals, "[{\"a\":1}]") && condition("/list/0/a", Present, ""));
    assert!(condition("/a~1b", Equals, "null") && !condition("/missing", Present, ""));
    assert!(condition("", Present, "") && !condition("/list/1", Present, ""));
    let both = [("/path", true), ("/missing", false)].map(|(pointer, _)| ArgumentCondition {
        pointer: pointer.to_owned(),
        test: Present,
        value: String::new(),
    });
    assert!(!holds(&|rule| rule.arguments = both.to_vec()));
    // If the arguments are unknown, a rule that allows doesn't match, but one that denies does.
    let unknown = CallRequest { arguments: None, ..request };
    let about = |effect| rule(1, effect).with(|rule| rule.arguments = both.to_vec());
    assert_eq!(decided(&unknown, &[about(Decision::Allow)]).1, "gesture");
    assert_eq!(decided(&unknown, &[about(Decision::Deny)]).0, Decision::Deny);
    // A rule that is bound to a definition matches only that definition.
    let pinned = |pin: &str| Rule { pin: Some(pin.to_owned()), ..rule(1, Decision::Ask) };
    assert_eq!(decided(&request, &[pinned("h1")]).0, Decision::Ask);
    assert_eq!(decided(&request, &[pinned("h2")]).1, "gesture");
    assert_eq!(decided(&CallRequest { definition: None, ..request }, &[pinned("h1")]).1, "gesture");
}

// Requirements: SEC-02, TOOL-05.
#[test]
fn draft_keeps_its_binding_only_for_the_same_tool_and_server() {
    let saved = Rule {
        pin: Some("h1".to_owned()),
        from_answer: true,
        ..rule(7, Decision::Allow).with(|rule| {
            rule.server = Some(ServerId(1));
            rule.tool = Some(" x".to_owned());
        })
    };
    let draft = |change: &dyn Fn(&mut NewRule)| {
        let mut draft = saved.rule.clone();
        change(&mut draft);
        Rule::from_draft(7, Some(&saved), draft.checked().unwrap())
    };
    let stays = |change: &dyn Fn(&mut NewRule)| draft(change).pin.is_some();
    assert_eq!(draft(&|_| ()), saved);
    assert!(stays(&|rule| rule.caller = Some(Caller::Sampling)));
    assert!(stays(&|rule| rule.expires_ms = Some(1)));
    assert!(!stays(&|rule| rule.tool = None) && !stays(&|rule| rule.tool = Some("x".to_owned())));
    assert!(!stays(&|rule| rule.server = None) && !stays(&|rule| rule.server = Some(ServerId(2))));
    assert!(!stays(&|rule| rule.effect = Decision::Ask) && !stays(&|rule| rule.effect = Decision::Deny));
    assert_eq!(Rule::from_draft(8, None, saved.rule.clone()).pin, None);
}

// Requirements: SEC-02.
#[test]
fn tool_pattern_matches_exactly_and_a_lone_star_matches_all() {
    let checked =
        |tool: &str| rule(1, Decision::Deny).with(|rule| rule.tool = Some(tool.to_owned())).rule.checked();
    for tool in [r"\*", " x", "x ", "", " ", "**"] {
        assert_eq!(checked(tool).unwrap().tool.as_deref(), Some(tool));
    }
    assert_eq!(checked("*").unwrap().tool, None);
    let denies = |tool: &str, name| {
        let rules = [Rule { rule: checked(tool).unwrap(), ..rule(1, Decision::Deny) }];
        decide(&CallRequest { tool: name, ..request() }, &rules).decision == Decision::Deny
    };
    assert!(denies("*", "x") && denies(r"\*", "*") && !denies(r"\*", "x") && !denies("", "x"));
}

// Requirements: TOOL-06, TOOL-07.
#[test]
fn tool_annotations_are_read_with_the_protocol_defaults() {
    let read = |text: &str| {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        let hints = ToolHints::read(Some(&raw));
        (hints.read_only, hints.destructive, hints.idempotent, hints.open_world)
    };
    let defaults = (false, true, false, true);
    let none = ToolHints::read(None);
    assert_eq!((none.read_only, none.destructive, none.idempotent, none.open_world), defaults);
    for odd in ["{}", "null", "[]", r#"{"readOnlyHint":"true","destructiveHint":0,"openWorldHint":null}"#] {
        assert_eq!(read(odd), defaults, "{odd}");
    }
    let all = r#"{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#;
    assert_eq!(read(all), (true, false, true, false));
}

// Requirements: SEC-03, TOOL-06.
#[test]
fn non_destructive_hint_counts_only_once_approved() {
    use Decision::{Allow, Ask, Deny};
    let of = |effect| [rule(1, effect).with(|rule| rule.destructive_only = true)];
    for (text, claims_harmless) in [
        ("{}", false),
        (r#"{"destructiveHint":true}"#, false),
        (r#"{"destructiveHint":false}"#, true),
        (r#"{"readOnlyHint":true}"#, true),
        (r#"{"readOnlyHint":true,"destructiveHint":true}"#, true),
    ] {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        let hints = ToolHints::read(Some(&raw));
        for standing in [Approval::Unknown, Approval::New, Approval::Approved] {
            let request = CallRequest { approval: standing, hints, ..request() };
            for effect in [Ask, Deny] {
                let believed = claims_harmless && standing == Approval::Approved;
                let expected = if believed { Allow } else { effect };
                assert_eq!(decide(&request, &of(effect)).decision, expected, "{text} {standing:?}");
            }
            // A rule that is only for destructive tools and allows is never saved. If there is one anyway, it
            // allows nothing.
            let by_a_model = CallRequest { caller: &Caller::Sampling, ..request };
            assert_ne!(decide(&by_a_model, &of(Allow)).decision, Allow, "{text} {standing:?}");
        }
    }
    let allows = rule(1, Allow).with(|rule| rule.destructive_only = true).rule;
    let refused = allows.checked().unwrap_err();
    assert!(matches!(refused, InvalidRule { field: "destructiveOnly", .. }), "{refused:?}");
}

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.roll(from.len() as u64)).unwrap()].clone()
    }

    fn rule(&mut self, id: i64) -> Rule {
        let rule = rule(id, self.pick(Decision::ALL)).with(|rule| {
            rule.server = self.pick(&[None, Some(ServerId(1)), Some(ServerId(2))]);
            rule.tool = self.pick(&[None, Some("a"), Some("a*"), Some("*b"), Some("ab")]).map(str::to_owned);
            rule.caller = self.pick(&[None, Some(Caller::Workbench), Some(Caller::Sampling)]);
            rule.destructive_only = self.roll(3) == 0;
            rule.expires_ms = self.pick(&[None, None, Some(500), Some(5_000)]);
            if self.roll(3) == 0 {
                rule.arguments.push(ArgumentCondition {
                    pointer: "/x".to_owned(),
                    test: ArgumentTest::Equals,
                    value: self.roll(2).to_string(),
                });
            }
        });
        Rule { pin: self.pick(&[None, None, Some("h1".to_owned())]), ..rule }
    }
}

// Requirements: SEC-03, TOOL-06.
#[test]
fn no_deny_rule_or_server_claim_ever_allows() {
    let mut dice = Random(11);
    let app = Caller::app("Editor");
    let callers = [&Caller::Workbench, &Caller::CommandLine, &Caller::Sampling, &app];
    let arguments = [json!({"x": 0}), json!({"x": 1}), json!({})];
    let (mut denied, mut safer, mut levels) = (0, 0, 0);
    for _ in 0..20_000 {
        let rules: Vec<Rule> = (1..=dice.roll(6).cast_signed()).map(|id| dice.rule(id)).collect();
        let flag = |dice: &mut Random| dice.roll(2) == 0;
        let hints = ToolHints {
            read_only: flag(&mut dice),
            destructive: flag(&mut dice),
            idempotent: flag(&mut dice),
            open_world: flag(&mut dice),
        };
        let request = CallRequest {
            server: dice.pick(&[None, Some(ServerId(1)), Some(ServerId(2))]),
            tool: dice.pick(&["a", "ab", "c"]),
            definition: dice.pick(&[None, Some("h1"), Some("h2")]),
            approval: dice.pick(&[Approval::Unknown, Approval::New, Approval::Approved, Approval::Changed]),
            hints,
            arguments: dice.pick(&[None, Some(&arguments[0]), Some(&arguments[1]), Some(&arguments[2])]),
            caller: dice.pick(&callers),
            level: dice.pick(AppLevel::ALL),
            now_ms: 1_000,
        };
        let verdict = decide(&request, &rules);
        // The order of the rules doesn't matter.
        let reversed: Vec<Rule> = rules.iter().rev().cloned().collect();
        assert_eq!(decide(&request, &reversed), verdict);
        // The rule that the verdict names exists, matches, and has that effect.
        if let Some(id) = verdict.reason.rule() {
            let named = rules.iter().find(|rule| rule.id == id).unwrap();
            assert!(named.matches(&request) && named.rule.effect == verdict.decision);
        }
        // Adding a rule that denies never makes a call run.
        let mut more = rules.clone();
        let deny = dice.rule(99).with(|rule| rule.effect = Decision::Deny);
        more.push(deny.clone());
        let with = decide(&request, &more);
        if verdict.decision != Decision::Allow || deny.matches(&request) {
            assert_ne!(with.decision, Decision::Allow);
            denied += 1;
        }
        // A server's claims in a definition that is not approved don't change the decision, and claims never
        // make a rule allow.
        let claims = ToolHints { read_only: true, destructive: false, idempotent: true, open_world: false };
        let claimed = decide(&CallRequest { hints: claims, ..request }, &rules);
        if request.approval != Approval::Approved {
            assert_eq!(claimed, decide(&request, &rules));
            safer += 1;
        }
        for verdict in [&verdict, &claimed] {
            let named = rules.iter().find(|rule| Some(rule.id) == verdict.reason.rule());
            let allows = |rule: &NewRule| rule.effect == Decision::Allow && rule.destructive_only;
            assert!(!named.is_some_and(|named| allows(&named.rule)));
        }
        // A changed definition runs for no caller.
        if request.approval == Approval::Changed {
            assert_eq!(verdict.decision, Decision::Deny);
        }
        // An app's level counts only without a matching rule, for that app, and for approved definitions.
        let asked = decide(&CallRequest { level: AppLevel::AskHere, ..request }, &rules);
        if verdict != asked {
            assert!(asked.reason == Reason::NoRule && matches!(request.caller, Caller::App(_)));
            assert_eq!(request.approval, Approval::Approved);
            let reads = request.hints.read_only;
            assert!(request.level != AppLevel::ReadOnly || reads == (verdict.decision == Decision::Allow));
            levels += 1;
        }
    }
    assert!(denied > 5_000 && safer > 10_000 && levels > 100, "{denied} {safer} {levels}");
}

#[test]
fn rules_of_one_tool_are_told_from_wider_ones() {
    let of = |rules: &[Rule]| ToolRules::of(&request(), rules);
    let alone = |id, effect| {
        rule(id, effect).with(|rule| {
            rule.server = Some(ServerId(1));
            rule.tool = Some("delete_file".to_owned());
        })
    };
    let none = ToolRules {
        effect: Decision::Allow,
        rule: None,
        own: Vec::new(),
        otherwise: Decision::Allow,
        wider: None,
        partial: 0,
    };
    assert_eq!(of(&[]), none);

    let own = of(&[alone(1, Decision::Deny)]);
    assert_eq!(own, ToolRules { effect: Decision::Deny, rule: Some(1), own: vec![1], ..none.clone() });

    // A rule that denies every tool overrides this tool's own rule. A rule that asks doesn't.
    let wide = |effect| [alone(1, Decision::Allow), rule(2, effect)];
    let denied = of(&wide(Decision::Deny));
    assert_eq!((denied.effect, denied.rule, denied.wider), (Decision::Deny, Some(2), Some(2)));
    let asked = of(&wide(Decision::Ask));
    assert_eq!((asked.effect, asked.rule, asked.own), (Decision::Allow, Some(1), vec![1]));
    assert_eq!((asked.otherwise, asked.wider), (Decision::Ask, Some(2)));

    // A pattern, a rule for another server and a rule for some of the calls are not this tool's own rules.
    let pattern = rule(3, Decision::Ask).with(|rule| rule.tool = Some("delete_*".to_owned()));
    let elsewhere = alone(4, Decision::Deny).with(|rule| rule.server = Some(ServerId(2)));
    let model = alone(5, Decision::Deny).with(|rule| rule.caller = Some(Caller::Sampling));
    let over = alone(6, Decision::Deny).with(|rule| rule.expires_ms = Some(999));
    let others = of(&[pattern, elsewhere, model, over]);
    let expected = ToolRules {
        effect: Decision::Ask,
        rule: Some(3),
        otherwise: Decision::Ask,
        wider: Some(3),
        partial: 1,
        ..none
    };
    assert_eq!(others, expected);

    // A rule that allows the definition that was shown is this tool's own rule, and wins over a rule that
    // asks about the tool's name.
    let pinned = Rule { pin: Some("h1".to_owned()), from_answer: true, ..alone(7, Decision::Allow) };
    let both = of(&[pinned, alone(8, Decision::Ask)]);
    assert_eq!((both.effect, both.rule, both.own), (Decision::Allow, Some(7), vec![7, 8]));
}
