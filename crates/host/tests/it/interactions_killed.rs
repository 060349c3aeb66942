//! A window that is killed while questions wait and are answered: what it said yes to was answered by a person, and
//! nothing that waited is taken for a yes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mooring_host::{InteractionAnswer, InteractionOutcome, StateName};
use serde_json::json;

use crate::asker::{answer_first, armed, asker, attended, first, form, no, until_inbox, yes};
use crate::support::{LIMIT, until_state};

const HOME: &str = "MOORING_TEST_KILLED_HOME";
/// How often one is killed; the figures of a release are made with 1,000.
const KILLS: &str = "MOORING_KILLS";
/// How many run at once, each in a home of its own: most of what they do is to wait.
const HOMES: u32 = 8;

/// The window that is killed: it says on its output what the person is about to answer, and then answers it.
#[tokio::test]
async fn killed_window() {
    let Ok(home) = std::env::var(HOME) else { return };
    let host = attended(Path::new(&home)).await;
    let id = match host.servers().first() {
        Some(server) => server.id,
        None => host.add_server(asker("s")).await.unwrap().id,
    };
    host.lift_silence(id).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    let say = |line: String| {
        let mut out = std::io::stdout();
        writeln!(out, "{line}").unwrap();
        out.flush().unwrap();
    };
    let nothing = json!({});
    let asking = async {
        loop {
            form(&host, id, &nothing).await;
        }
    };
    let answering = async {
        loop {
            let waiting = first(&host).await;
            say(format!("\nwaiting {}", waiting.id));
            let nonce = armed(&host, waiting.id).await;
            say(format!("\naccepting {}", waiting.id));
            host.answer_interaction(waiting.id, &nonce, yes(None)).await.unwrap();
            say(format!("\naccepted {}", waiting.id));
            for answer in [no(), InteractionAnswer::Cancel] {
                until_inbox(&host, "asked", |inbox| !inbox.waiting.is_empty()).await;
                answer_first(&host, answer).await;
            }
            host.lift_silence(id).await.unwrap();
        }
    };
    tokio::join!(asking, answering);
}

#[expect(clippy::disallowed_methods, reason = "it is this program once more")]
fn window(home: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "interactions_killed::killed_window", "--nocapture", "--test-threads=1"])
        .env(HOME, home)
        // What the login shell of whoever runs this does first is not waited for.
        .env("HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What the window said until it was killed.
#[derive(Default)]
struct Said {
    waiting: BTreeSet<i64>,
    accepting: BTreeSet<i64>,
    accepted: BTreeSet<i64>,
}

/// Runs a window and kills it so long after it began to show a question, or to answer it.
fn run_and_kill(home: &Path, word: &str, after: Duration) -> Said {
    let mut child = window(home);
    let output = BufReader::new(child.stdout.take().unwrap());
    let (lines, heard) = std::sync::mpsc::sync_channel(1_024);
    let reader = std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                return;
            }
        }
    });
    let mut said = Said::default();
    let mut note = |line: &str| {
        let Some((what, id)) = line.split_once(' ') else { return false };
        let Ok(id) = id.parse::<i64>() else { return false };
        match what {
            "waiting" => said.waiting.insert(id),
            "accepting" => said.accepting.insert(id),
            "accepted" => said.accepted.insert(id),
            _ => true,
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

/// Kills windows of one home one after the other: those of all the kills that are left over by the number of homes.
fn kill_in(home: &Path, kills: impl Iterator<Item = u32>) -> Said {
    let mut said = Said::default();
    for number in kills {
        // While it waits, while the yes is being written, and around that.
        let (word, after) = match number % 3 {
            0 => ("waiting", Duration::from_millis(u64::from(number * 7 % 900))),
            1 => ("accepting", Duration::from_micros(u64::from(number * 131 % 6_000))),
            _ => ("accepted", Duration::from_micros(u64::from(number * 977 % 20_000))),
        };
        let run = run_and_kill(home, word, after);
        said.waiting.extend(run.waiting);
        said.accepting.extend(run.accepting);
        said.accepted.extend(run.accepted);
    }
    said
}

/// How many questions ended how.
#[derive(Default)]
struct Figures {
    shown: usize,
    waiting: usize,
    said: usize,
    told: usize,
    ended: BTreeMap<&'static str, usize>,
    /// Yeses that nobody said.
    made_up: Vec<i64>,
    /// Yeses that were told and are not on the disk.
    lost: Vec<i64>,
}

impl Figures {
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

/// What is on the disk of a home after the last kill, and after the next start.
async fn figures(home: &Path, said: &Said) -> Figures {
    let store = mooring_store::Store::open(home).await.unwrap();
    let waiting = store.interactions().count(InteractionOutcome::Waiting).await.unwrap();
    let before = store.interactions().decisions(u32::MAX).await.unwrap();
    let host = attended(home).await;
    assert!(host.inbox().waiting.iter().all(|shown| !said.waiting.contains(&shown.id)));
    host.shutdown().await;
    let rows = store.interactions().decisions(u32::MAX).await.unwrap();
    store.close().await;
    // What the server asked in this last run, which nobody looked at, is not of the kills.
    let last = said.waiting.iter().chain(before.iter().map(|row| &row.id)).max().copied().unwrap_or_default();
    let rows: Vec<_> = rows.into_iter().filter(|row| row.id <= last).collect();
    let accepted: BTreeSet<i64> =
        rows.iter().filter(|row| row.outcome == InteractionOutcome::Accepted).map(|row| row.id).collect();
    let mut ended = BTreeMap::new();
    for row in &rows {
        *ended.entry(row.outcome.as_str()).or_default() += 1;
    }
    Figures {
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
    let kills: u32 = std::env::var(KILLS).map_or(6, |kills| kills.parse().unwrap());
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
    let mut sum = Figures::default();
    for (home, said) in &all {
        sum.add(&runtime.block_on(figures(home.path(), said)));
    }
    println!(
        "{kills} kills in {homes} homes, {} s: {} questions, of which {} waited after the last kill; {} yeses said, {} of them told; \
         {} accepted, {} declined, {} cancelled, {} withdrawn, {} expired; made up: {}, lost: {}",
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
    );
    assert!(sum.made_up.is_empty(), "nobody said yes to {:?}", sum.made_up);
    assert!(sum.lost.is_empty(), "a yes that was told is not on the disk: {:?}", sum.lost);
    assert!(sum.of(InteractionOutcome::Expired) > 0, "some were killed while they waited");
}
