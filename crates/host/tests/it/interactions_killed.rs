//! Kills a window while questions wait and are answered. Every recorded yes must come from a person, and no
//! waiting question may be taken for a yes. Covers every kind of question, and rules that remember an answer.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mooring_base::clock::Clock;
use mooring_base::server_id::ServerId;
use mooring_host::Host;
use mooring_inbox::{
    InboxView, InteractionAnswer, InteractionKind, InteractionQuestion, InteractionView, Remember,
};
use mooring_models::{Budget, SamplingPolicy};
use mooring_policy::{Decision, NewRule};
use mooring_roots::RootBreadth;
use mooring_server_state::StateName;
use mooring_store::{DecisionQuery, InteractionOutcome};
use serde_json::{Value, json};

use crate::asker::{asker, attended, attended_by, no, until_inbox};
use crate::support::{LIMIT, call, ignore_events, until, until_state};

const HOME: &str = "MOORING_TEST_KILLED_HOME";
/// Selects the first kind of question.
const FIRST: &str = "MOORING_TEST_KILLED_FIRST";
/// The number of kills. A release is tested with 1,000.
const KILLS: &str = "MOORING_KILLS";
/// How many windows run in parallel, each with its own data folder. They mostly wait.
const HOMES: u32 = 8;
/// The tool that a rule asks about.
const ASKED_ABOUT: &str = "held";
/// The number of kinds of questions. Each tool call asks one; the last kind is about the call itself.
const KINDS: u32 = 5;

fn calls() -> [(&'static str, Value); KINDS as usize] {
    let form = json!({ "message": "?", "requestedSchema": { "type": "object", "properties": {} } });
    let url = json!({ "mode": "url", "url": "https://example.com/k", "elicitationId": "k", "message": "" });
    let message = json!({ "role": "user", "content": { "type": "text", "text": "?" } });
    [
        ("ask", json!({ "method": "elicitation/create", "params": form })),
        ("ask", json!({ "method": "elicitation/create", "params": url })),
        (
            "ask",
            json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": 9 } }),
        ),
        ("ask", json!({ "method": "roots/list", "params": {} })),
        (ASKED_ABOUT, json!({})),
    ]
}

fn kind(question: &InteractionQuestion) -> &'static str {
    match question {
        InteractionQuestion::Form { .. } => "form",
        InteractionQuestion::Url { .. } => "url",
        InteractionQuestion::Sampling(_) => "sampling",
        InteractionQuestion::SamplingAnswer(_) => "sampling-answer",
        InteractionQuestion::Roots { .. } => "roots",
        InteractionQuestion::Tool { .. } => "tool",
        InteractionQuestion::App { .. } => "app",
    }
}

/// Adds a server that may ask everything, with a rule that asks about one of its tools.
async fn set_up(host: &Host, home: &Path) -> ServerId {
    let id = host.add_server(asker("s")).await.unwrap().id;
    until_state(host, id, StateName::Ready).await;
    let before = host.server(id).unwrap().connection.pid;
    let rule = NewRule {
        effect: Decision::Ask,
        server: None,
        tool: Some(ASKED_ABOUT.to_owned()),
        destructive_only: false,
        caller: None,
        arguments: Vec::new(),
        expires_ms: None,
    };
    host.save_rule(None, rule).await.unwrap();
    let folder = home.join("shared");
    std::fs::create_dir(&folder).unwrap();
    host.folders().grant(None, &folder.display().to_string(), None, RootBreadth::Narrow).await.unwrap();
    // The second call removes the default limits.
    for _ in 0..2 {
        host.set_sampling(id, SamplingPolicy { enabled: true, budget: Budget::default() }).await.unwrap();
    }
    until(host, id, "started anew", |view| {
        let pid = view.connection.pid;
        view.connection.state == StateName::Ready && pid.is_some() && pid != before
    })
    .await;
    id
}

fn say(line: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "\n{line}").unwrap();
    out.flush().unwrap();
}

/// Checks the rules that answers created, and removes them.
async fn look_at_rules(host: &Host, id: ServerId) {
    for view in host.rules().into_iter().filter(|view| view.rule.from_answer) {
        let rule = &view.rule.rule;
        let is_whole = view.rule.id > 0
            && rule.effect == Decision::Allow
            && rule.server == Some(id)
            && rule.tool.as_deref() == Some(ASKED_ABOUT)
            && view.rule.pin.is_some();
        say(&format!("{} {}", if is_whole { "whole" } else { "broken" }, view.rule.id));
        host.remove_rule(view.rule.id).await.unwrap();
    }
}

/// The next waiting question, except URLs that were already opened.
fn next(inbox: &InboxView) -> Option<&InteractionView> {
    inbox.waiting.iter().find(|one| {
        let is_opened = matches!(one.question, InteractionQuestion::Url { opened: true, .. });
        let streams =
            matches!(&one.question, InteractionQuestion::SamplingAnswer(answer) if answer.streaming);
        one.position == 0 && !is_opened && !streams
    })
}

/// The window to kill. It prints which question the person is about to answer, and then answers it.
#[tokio::test]
async fn killed_window() {
    let Ok(home) = std::env::var(HOME) else { return };
    let home = Path::new(&home);
    let start: usize = std::env::var(FIRST).unwrap().parse().unwrap();
    // With the system's clock, it can also be killed during the minimum time before a yes.
    let host = attended_by(home, Clock::system()).await;
    let id = match host.servers().first() {
        Some(server) => server.id,
        None => set_up(&host, home).await,
    };
    look_at_rules(&host, id).await;
    host.lift_silence(id).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    let done = json!({ "elicitationId": "k" });
    let asking = async {
        loop {
            for (tool, arguments) in calls().into_iter().cycle().skip(start).take(calls().len()) {
                // The call may be refused, and the server may not be connected yet.
                let _ = host.call_tool(id, call(tool, &arguments), ignore_events()).await;
                let _ = host.call_tool(id, call("complete", &done), ignore_events()).await;
            }
        }
    };
    let answering = async {
        for number in 0.. {
            let inbox = until_inbox(&host, "asked", |inbox| next(inbox).is_some()).await;
            let Some(waiting) = next(&inbox) else { continue };
            let is_tool = matches!(waiting.question, InteractionQuestion::Tool { .. });
            // The answers rotate over the kinds. The first answer is a yes.
            let remember = match number % 3 {
                0 => Remember::Always,
                1 => Remember::Hour,
                _ => Remember::Session,
            };
            let remember = if is_tool { remember } else { Remember::Once };
            let answer = match (number + number / 5) % 5 {
                2 => no(),
                4 => InteractionAnswer::Cancel,
                _ => InteractionAnswer::Accept { content: None, remember },
            };
            say(&format!("waiting {}", waiting.id));
            let is_yes = matches!(answer, InteractionAnswer::Accept { .. });
            let nonce = if is_yes {
                let opening = host.open_interaction(waiting.id).unwrap();
                tokio::time::sleep(opening.armed_in).await;
                say(&format!("yes-to-{} {}", kind(&waiting.question), waiting.id));
                if is_tool {
                    say(&format!("remembering {}", waiting.id));
                }
                say(&format!("accepting {}", waiting.id));
                opening.nonce
            } else {
                host.open_interaction(waiting.id).unwrap().nonce
            };
            host.answer_interaction(waiting.id, &nonce, answer).await.unwrap();
            if is_yes {
                say(&format!("accepted {}", waiting.id));
            }
            host.lift_silence(id).await.unwrap();
            if is_tool && is_yes {
                // Remove the rule, so that the tool is asked about again.
                let saved = async {
                    while !host.rules().iter().any(|view| view.rule.from_answer) {
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                };
                tokio::time::timeout(LIMIT, saved).await.unwrap();
                for view in host.rules().into_iter().filter(|view| view.rule.from_answer) {
                    host.remove_rule(view.rule.id).await.unwrap();
                }
            }
        }
    };
    tokio::join!(asking, answering);
}

#[expect(clippy::disallowed_methods, reason = "it is this program once more")]
fn window(home: &Path, first: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "interactions_killed::killed_window", "--nocapture", "--test-threads=1"])
        .env(HOME, home)
        .env(FIRST, first.to_string())
        // Skips the login shell's startup files of the person who runs this.
        .env("HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The output of a window until it was killed.
#[derive(Default)]
struct WindowOutput {
    waiting: BTreeSet<i64>,
    accepting: BTreeSet<i64>,
    accepted: BTreeSet<i64>,
    /// Each yes that a rule remembers.
    remembering: BTreeSet<i64>,
    /// Rules found after a kill, and those among them that don't match the answer.
    whole: BTreeSet<i64>,
    broken: BTreeSet<i64>,
    /// How many questions of each kind were answered with yes.
    kinds: BTreeMap<String, usize>,
}

impl WindowOutput {
    fn add(&mut self, other: Self) {
        self.waiting.extend(other.waiting);
        self.accepting.extend(other.accepting);
        self.accepted.extend(other.accepted);
        self.remembering.extend(other.remembering);
        self.whole.extend(other.whole);
        self.broken.extend(other.broken);
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
    }
}

/// Runs a window, and kills it this long after it shows a question or starts to answer it.
fn run_and_kill(home: &Path, first: u32, word: &str, after: Duration) -> WindowOutput {
    let mut child = window(home, first);
    let output = BufReader::new(child.stdout.take().unwrap());
    let (lines, heard) = std::sync::mpsc::sync_channel(1_024);
    let reader = std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                return;
            }
        }
    });
    let mut said = WindowOutput::default();
    let mut note = |line: &str| {
        let Some((what, id)) = line.split_once(' ') else { return false };
        let Ok(id) = id.parse::<i64>() else { return false };
        match what {
            "waiting" => said.waiting.insert(id),
            "accepting" => said.accepting.insert(id),
            "accepted" => said.accepted.insert(id),
            "remembering" => said.remembering.insert(id),
            "whole" => said.whole.insert(id),
            "broken" => said.broken.insert(id),
            _ => {
                if let Some(kind) = what.strip_prefix("yes-to-") {
                    *said.kinds.entry(kind.to_owned()).or_default() += 1;
                }
                true
            }
        };
        what == word
    };
    while !note(&heard.recv_timeout(LIMIT).unwrap()) {}
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    for line in heard {
        note(&line);
    }
    reader.join().unwrap();
    said
}

/// Runs the kills of one data folder in turn.
fn kill_in(home: &Path, kills: impl Iterator<Item = u32>) -> WindowOutput {
    let mut said = WindowOutput::default();
    for number in kills {
        // Kill it while the question waits, while the yes is written, around that time, or while its rule is
        // written.
        let (word, after) = match number % 4 {
            0 => ("waiting", Duration::from_millis(u64::from(number * 7 % 900))),
            1 => ("accepting", Duration::from_micros(u64::from(number * 131 % 6_000))),
            2 => ("accepted", Duration::from_micros(u64::from(number * 977 % 20_000))),
            _ => ("remembering", Duration::from_micros(u64::from(number * 389 % 12_000))),
        };
        let first = if word == "remembering" { KINDS - 1 } else { number % KINDS };
        said.add(run_and_kill(home, first, word, after));
    }
    said
}

/// How many questions have which outcome.
#[derive(Default)]
struct OutcomeCounts {
    shown: usize,
    waiting: usize,
    said: usize,
    told: usize,
    ended: BTreeMap<&'static str, usize>,
    /// Questions with a yes on the disk that no person gave.
    made_up: Vec<i64>,
    /// Questions with a yes that was reported but is not on the disk.
    lost: Vec<i64>,
}

impl OutcomeCounts {
    fn add(&mut self, other: &Self) {
        self.shown += other.shown;
        self.waiting += other.waiting;
        self.said += other.said;
        self.told += other.told;
        self.made_up.extend(&other.made_up);
        self.lost.extend(&other.lost);
        for (outcome, count) in &other.ended {
            *self.ended.entry(outcome).or_default() += count;
        }
    }

    fn of(&self, outcome: InteractionOutcome) -> usize {
        self.ended.get(outcome.as_str()).copied().unwrap_or_default()
    }
}

/// The state on the disk of a data folder after the last kill and after the next start.
async fn figures(home: &Path, said: &mut WindowOutput) -> OutcomeCounts {
    let store = mooring_store::Store::open(home).await.unwrap();
    let all = DecisionQuery { limit: u32::MAX, ..DecisionQuery::default() };
    let kinds: Vec<&str> = InteractionKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let waiting = store.interactions().count(InteractionOutcome::Waiting).await.unwrap();
    let before = store.interactions().decisions(&all, &kinds).await.unwrap();
    let host = attended(home).await;
    assert!(host.inbox().waiting.iter().all(|shown| !said.waiting.contains(&shown.id)));
    for view in host.rules().into_iter().filter(|view| view.rule.from_answer) {
        let is_whole =
            view.rule.id > 0 && view.rule.rule.effect == Decision::Allow && view.rule.pin.is_some();
        if is_whole { &mut said.whole } else { &mut said.broken }.insert(view.rule.id);
    }
    host.shutdown().await;
    let rows = store.interactions().decisions(&all, &kinds).await.unwrap();
    store.close().await;
    // Ignore the questions of this last run, because no kill affected them.
    let last = said.waiting.iter().chain(before.iter().map(|row| &row.id)).max().copied().unwrap_or_default();
    let rows: Vec<_> = rows.into_iter().filter(|row| row.id <= last).collect();
    let accepted: BTreeSet<i64> =
        rows.iter().filter(|row| row.outcome == InteractionOutcome::Accepted).map(|row| row.id).collect();
    let mut ended = BTreeMap::new();
    for row in &rows {
        *ended.entry(row.outcome.as_str()).or_default() += 1;
    }
    OutcomeCounts {
        shown: rows.len(),
        waiting: usize::try_from(waiting).unwrap(),
        said: said.accepting.len(),
        told: said.accepted.len(),
        ended,
        made_up: accepted.difference(&said.accepting).copied().collect(),
        lost: said.accepted.difference(&accepted).copied().collect(),
    }
}

// Requirements: SEC-01, SEC-26.
#[test]
fn no_kill_makes_a_yes_of_a_question() {
    let kills: u32 = std::env::var(KILLS).map_or(10, |kills| kills.parse().unwrap());
    let homes = kills.min(HOMES);
    let started = Instant::now();
    let all: Vec<_> = std::thread::scope(|scope| {
        let workers = (0..homes).map(|which| {
            scope.spawn(move || {
                let home = tempfile::tempdir().unwrap();
                let said = kill_in(home.path(), (0..kills).filter(|number| number % homes == which));
                (home, said)
            })
        });
        let workers: Vec<_> = workers.collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let took = started.elapsed();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut sum = OutcomeCounts::default();
    let mut every = WindowOutput::default();
    let mut rules = [0, 0, 0];
    for (home, mut said) in all {
        sum.add(&runtime.block_on(figures(home.path(), &mut said)));
        assert!(said.whole.len() <= said.remembering.len(), "a rule that nobody wanted: {:?}", said.whole);
        let counts = [said.remembering.len(), said.whole.len(), said.broken.len()];
        rules.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        every.add(said);
    }
    println!(
        "{kills} kills in {homes} homes, {} s: {} questions, of which {} waited after the last kill; {} yeses said, {} of them told; \
         {} accepted, {} declined, {} cancelled, {} withdrawn, {} expired; made up: {}, lost: {}; yeses by kind: {:?}; of {} that a rule remembers, {} rules were found after a kill, {} of them not whole",
        took.as_secs(),
        sum.shown,
        sum.waiting,
        sum.said,
        sum.told,
        sum.of(InteractionOutcome::Accepted),
        sum.of(InteractionOutcome::Declined),
        sum.of(InteractionOutcome::Cancelled),
        sum.of(InteractionOutcome::Withdrawn),
        sum.of(InteractionOutcome::Expired),
        sum.made_up.len(),
        sum.lost.len(),
        every.kinds,
        rules[0],
        rules[1] + rules[2],
        rules[2],
    );
    assert_eq!(rules[2], 0, "a rule is there whole or not at all: {:?}", every.broken);
    assert!(sum.made_up.is_empty(), "nobody said yes to {:?}", sum.made_up);
    assert!(sum.lost.is_empty(), "a yes that was told is not on the disk: {:?}", sum.lost);
    assert!(sum.of(InteractionOutcome::Expired) > 0, "some were killed while they waited");
}
