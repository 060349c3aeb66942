//! A window that is killed while questions wait and are answered: what it said yes to was answered by a person, and
//! nothing that waited is taken for a yes.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mooring_host::{InteractionAnswer, InteractionOutcome, StateName};
use serde_json::json;

use crate::asker::{answer_first, armed, asker, attended, first, form, no, until_inbox, yes};
use crate::support::{LIMIT, until_state};

const HOME: &str = "MOORING_TEST_KILLED_HOME";
/// How often it is killed; the figures of a release are made with 1,000.
const KILLS: &str = "MOORING_TEST_KILLS";

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
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What the window said until it was killed.
#[derive(Default)]
struct Said {
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

// Requirements: SEC-01, SEC-26.
#[test]
fn no_kill_makes_a_yes_of_a_question() {
    let kills: u32 = std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(6);
    let home = tempfile::tempdir().unwrap();
    let mut said = Said::default();
    for number in 0..kills {
        // While it waits, while the yes is being written, and around that.
        let (word, after) = match number % 3 {
            0 => ("waiting", Duration::from_millis(u64::from(number * 7 % 900))),
            1 => ("accepting", Duration::from_micros(u64::from(number * 131 % 6_000))),
            _ => ("accepted", Duration::from_micros(u64::from(number * 977 % 20_000))),
        };
        let run = run_and_kill(home.path(), word, after);
        said.accepting.extend(run.accepting);
        said.accepted.extend(run.accepted);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let rows = runtime.block_on(async {
        let store = mooring_store::Store::open(home.path()).await.unwrap();
        let waiting = store.interactions().count(InteractionOutcome::Waiting).await.unwrap();
        let host = attended(home.path()).await;
        assert!(host.inbox().waiting.iter().all(|shown| !said.accepting.contains(&shown.id)));
        let left = store.interactions().expire().await.unwrap();
        host.shutdown().await;
        let rows = store.interactions().decisions(u32::MAX).await.unwrap();
        store.close().await;
        println!("after the last kill {waiting} waited; {left} asked by servers since");
        rows
    });
    let of =
        |outcome| rows.iter().filter(|row| row.outcome == outcome).map(|row| row.id).collect::<BTreeSet<_>>();
    let accepted = of(InteractionOutcome::Accepted);
    let expired = of(InteractionOutcome::Expired);
    println!(
        "{kills} kills: {} rows, {} accepted, {} expired, {} yeses said, {} of them told",
        rows.len(),
        accepted.len(),
        expired.len(),
        said.accepting.len(),
        said.accepted.len(),
    );
    let made_up: Vec<_> = accepted.difference(&said.accepting).collect();
    assert!(made_up.is_empty(), "nobody said yes to {made_up:?}");
    let lost: Vec<_> = said.accepted.difference(&accepted).collect();
    assert!(lost.is_empty(), "a yes that was told is not on the disk: {lost:?}");
    assert!(!expired.is_empty(), "some were killed while they waited");
}
