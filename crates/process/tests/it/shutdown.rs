//! Nothing of a server's tree is left, however it was built and however it ends.

use crate::test_dir::{AMPLE, TestDir, alive, all_end, pids};
use mooring_process::{ProcessExit, ShutdownGrace, spawn};
use std::time::{Duration, Instant};

/// Kills at once.
const IMPATIENT: ShutdownGrace = ShutdownGrace { stdin: Duration::ZERO, term: Duration::ZERO };
/// Would fail the test by its length.
const PATIENT: ShutdownGrace = ShutdownGrace { stdin: AMPLE, term: AMPLE };

/// A child in the group, a grandchild in a session of its own, and one that also lost its
/// environment; then the program itself. Each prints its number.
const FAMILY: &str = "sleep 300 & echo $!; setsid sh -c 'echo $$; exec sleep 300' & \
     env -i setsid /bin/sh -c 'echo $$; exec sleep 300' & echo $$; wait";

// Requirements: STD-09.
#[tokio::test]
async fn a_server_that_ends_when_its_stdin_closes_is_given_the_time() {
    let place = TestDir::new();
    let mut server = spawn(&place.shell("cat; exit 7")).unwrap();
    drop(server.stdin);
    let exit = server.control.shutdown(PATIENT).await;
    assert_eq!(exit, ProcessExit { code: Some(7), signal: None });
}

// Requirements: STD-09.
#[tokio::test]
async fn a_server_that_ignores_its_stdin_is_asked_to_terminate() {
    let place = TestDir::new();
    let mut server = spawn(&place.shell("trap 'kill $!; exit 9' TERM; sleep 300 & echo $!; wait")).unwrap();
    let children = pids(&mut server, 1).await;
    drop(server.stdin);
    let exit = server.control.shutdown(ShutdownGrace { stdin: Duration::ZERO, ..PATIENT }).await;
    assert_eq!(exit, ProcessExit { code: Some(9), signal: None });
    assert_eq!(alive(&children), []);
}

// Requirements: STD-09.
#[tokio::test]
async fn terminating_reaches_the_whole_tree() {
    let place = TestDir::new();
    let mut server = spawn(&place.shell(FAMILY)).unwrap();
    let family = pids(&mut server, 4).await;
    assert_eq!(alive(&family), family);
    let start = Instant::now();
    let exit = server.control.shutdown(ShutdownGrace { stdin: Duration::ZERO, ..PATIENT }).await;
    assert_eq!(exit, ProcessExit { code: None, signal: Some(15) });
    assert_eq!(alive(&family), []);
    assert!(start.elapsed() < AMPLE);
}

// Many programs take a second request as an order to leave everything as it is.
// Requirements: STD-09.
#[tokio::test]
async fn nobody_is_asked_twice_to_terminate() {
    const CHILDREN: usize = 20;
    let place = TestDir::new();
    // Lives half a second longer if it is asked a second time.
    let child = "n=0; trap 'echo asked >> asked; n=$((n+95))' TERM; echo $$
        while [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done";
    place.executable("child.sh", child).await;
    let each = format!("for n in $(seq {CHILDREN}); do sh child.sh & done; . ./child.sh; wait");
    let mut server = spawn(&place.shell(&each)).unwrap();
    pids(&mut server, CHILDREN + 1).await;
    server.control.shutdown(ShutdownGrace { stdin: Duration::ZERO, ..PATIENT }).await;
    let asked = std::fs::read_to_string(place.path().join("asked")).unwrap();
    assert_eq!(asked.lines().count(), CHILDREN + 1);
}

// Requirements: STD-09.
#[tokio::test]
async fn a_tree_that_ignores_everything_is_killed() {
    let place = TestDir::new();
    let mut server = spawn(&place.shell(&format!("trap '' TERM HUP INT; {FAMILY}"))).unwrap();
    let family = pids(&mut server, 4).await;
    let grace = ShutdownGrace { stdin: Duration::from_millis(10), term: Duration::from_millis(50) };
    let exit = server.control.shutdown(grace).await;
    assert_eq!(exit, ProcessExit { code: None, signal: Some(9) });
    assert_eq!(alive(&family), []);
}

#[tokio::test]
async fn dropping_the_control_kills_the_tree() {
    let place = TestDir::new();
    let mut server = spawn(&place.shell(&format!("trap '' TERM; {FAMILY}"))).unwrap();
    let family = pids(&mut server, 4).await;
    drop(server);
    all_end(&family).await;
}

// Requirements: STD-09.
#[tokio::test]
async fn a_grandchild_whose_parents_have_ended_is_found() {
    let place = TestDir::new();
    let script = "(setsid sh -c 'echo $$; exec sleep 300' &); exit 0";
    let mut server = spawn(&place.shell(script)).unwrap();
    let orphan = pids(&mut server, 1).await;
    assert!(server.control.wait().await.success());
    assert_eq!(alive(&orphan), orphan);
    let start = Instant::now();
    server.control.shutdown(PATIENT).await;
    assert_eq!(alive(&orphan), []);
    assert!(start.elapsed() < AMPLE);
}

#[tokio::test]
async fn what_a_server_leaves_behind_goes_with_the_drop_too() {
    let place = TestDir::new();
    let script = "(setsid sh -c 'trap \"\" TERM; echo $$; sleep 300 & echo $!; wait' &); exit 0";
    let mut server = spawn(&place.shell(script)).unwrap();
    let orphans = pids(&mut server, 2).await;
    assert!(server.control.wait().await.success());
    drop(server);
    all_end(&orphans).await;
}

#[tokio::test]
async fn one_server_ends_and_its_neighbour_lives() {
    let place = TestDir::new();
    let mut first = spawn(&place.shell(FAMILY)).unwrap();
    let mut second = spawn(&place.shell(FAMILY)).unwrap();
    let ended = pids(&mut first, 4).await;
    let living = pids(&mut second, 4).await;
    first.control.shutdown(IMPATIENT).await;
    assert_eq!(alive(&ended), []);
    assert_eq!(alive(&living), living);
    second.control.shutdown(IMPATIENT).await;
    assert_eq!(alive(&living), []);
}

#[tokio::test]
async fn waiting_can_be_given_up_and_taken_up_again() {
    let place = TestDir::new();
    let mut server = spawn(&place.shell("cat; exit 5")).unwrap();
    let early = tokio::time::timeout(Duration::from_millis(20), server.control.wait()).await;
    assert!(early.is_err());
    drop(server.stdin);
    assert_eq!(server.control.wait().await.code, Some(5));
}

#[tokio::test]
async fn a_hundred_starts_and_ends_leave_nothing() {
    let place = TestDir::new();
    let mut ended = Vec::new();
    for _ in 0..100 {
        let mut server = spawn(&place.shell("sleep 300 & echo $!; wait")).unwrap();
        ended.extend(pids(&mut server, 1).await);
        ended.push(server.control.pid());
        server.control.shutdown(IMPATIENT).await;
    }
    assert_eq!(alive(&ended), []);
    let zombies = ended.iter().filter(|pid| std::path::Path::new(&format!("/proc/{pid}")).exists());
    assert!(zombies.count() <= 100, "our own children are reaped");
}
