//! Nothing of a server outlives its host, however the host ends; and a guardian that dies is replaced.

#![expect(clippy::print_stdout, reason = "a host that a test has started tells it what it needs")]

use crate::test_dir::{TestDir, all_end, is_alive, pids};
use mooring_process::{ProcessExit, ServerProcess, ShutdownGrace, raise_file_limit, spawn};
use rustix::process::{Pid, Signal, kill_process};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};

/// Four that are hard to find and harder to end: a child, one in a session of its own, one without its environment,
/// and one whose parents have ended besides. All but the first ignore SIGTERM. Their numbers are printed in this order,
/// then the program's own; then it answers each line with `again` and the line.
const FAMILY: &str = "sleep 300 & echo $!; trap '' TERM HUP; \
     setsid sleep 300 & echo $!; \
     env -i setsid sleep 300 & echo $!; \
     echo $(env -i setsid sh -c 'sleep 300 >/dev/null 2>&1 & echo $!'); \
     echo $$; while read line; do echo again $line; done; exec sleep 300";
const MEMBERS: usize = 5;

/// Which host the test below plays, when another test has started it as one.
const ROLE: &str = "MOORING_TEST_HOST";

/// Long enough for a wait to begin; nothing depends on its length.
const A_MOMENT: Duration = Duration::from_millis(20);

/// Runs this test's program again, as a host with servers. It prints `ready` last, then waits for an order.
struct TestHost {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl TestHost {
    #[expect(clippy::disallowed_methods, reason = "a host that is to be killed is a process of its own")]
    fn start(role: &str) -> Self {
        let program = env::current_exe().unwrap();
        let mut process = Command::new("/bin/sh")
            .args([
                "-c",
                "ulimit -S -n 256; exec \"$0\" --exact --nocapture guardian::a_host_that_is_started",
            ])
            .arg(program)
            .env(ROLE, role)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, output }
    }

    /// What the host tells until it is ready; the numbers of its servers' processes are among it.
    fn ready(&mut self) -> Vec<u32> {
        let mut told = Vec::new();
        for line in (&mut self.output).lines() {
            let line = line.unwrap();
            if line == "ready" {
                return told;
            }
            if let Some(pid) = line.strip_prefix("pid ") {
                told.push(pid.parse().unwrap());
            }
        }
        panic!("the host failed: {:?}", self.process.wait().unwrap());
    }

    fn say(&mut self, word: &str) {
        writeln!(self.process.stdin.as_mut().unwrap(), "{word}").unwrap();
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for TestHost {
    fn drop(&mut self) {
        let _ended = self.process.kill();
        let _reaped = self.process.wait();
    }
}

/// Does nothing but where another test has started it.
#[tokio::test]
async fn a_host_that_is_started() {
    let Ok(role) = env::var(ROLE) else {
        return;
    };
    let place = TestDir::new();
    match role.as_str() {
        "family" => with_family(&place).await,
        "orphaned" => with_a_guardian_that_dies(&place).await,
        "many" => with_more_servers_than_files(&place).await,
        other => panic!("{other}"),
    }
}

async fn with_family(place: &TestDir) {
    let mut servers = Vec::new();
    for _ in 0..4 {
        let mut server = spawn(&place.shell(FAMILY)).unwrap();
        tell(&pids(&mut server, MEMBERS).await);
        servers.push(server);
    }
    match order().as_str() {
        "abort" => std::process::abort(),
        // Without a word to any server.
        "exit" => std::process::exit(0),
        _ => panic!("told nothing"),
    }
}

async fn with_a_guardian_that_dies(place: &TestDir) {
    let mut family = spawn(&place.shell(FAMILY)).unwrap();
    let mut other = spawn(&place.shell("read line; exit 7")).unwrap();
    let members = pids(&mut family, MEMBERS).await;
    let guardian = parent(family.control.pid());
    assert_eq!(parent(other.control.pid()), guardian, "one guardian for all");
    for held in [Signal::TERM, Signal::INT, Signal::HUP, Signal::PIPE, Signal::USR1] {
        signal(guardian, held);
    }
    assert_eq!(answer(&mut family, "before").await, "again before");
    signal(guardian, Signal::KILL);
    // It is seen where the end of a server is waited for.
    all_end(&[guardian]).await;
    other.stdin.write_all(b"\n").await.unwrap();
    let exit = other.control.wait().await;
    assert_eq!(exit, ProcessExit { code: None, signal: None }, "how it ended is known to nobody");
    tokio::time::timeout(A_MOMENT, family.control.wait()).await.unwrap_err();
    assert_eq!(answer(&mut family, "after").await, "again after");

    let mut next = spawn(&place.shell("echo $$; exec sleep 300")).unwrap();
    let next_pid = pids(&mut next, 1).await;
    let second = parent(next.control.pid());
    assert!(second != guardian && is_alive(second), "another guardian");
    let mut ended = spawn(&place.shell(FAMILY)).unwrap();
    let ending = pids(&mut ended, MEMBERS).await;
    signal(second, Signal::KILL);
    let third = spawn(&place.shell("exit 3")).unwrap().control.wait().await;
    assert_eq!(third.code, Some(3), "a guardian that died unnoticed is replaced when it is needed");
    // Shutting down works without the guardian that had started a server.
    drop(ended.stdin);
    ended.control.shutdown(ShutdownGrace { stdin: Duration::ZERO, term: Duration::ZERO }).await;
    all_end(&without_lost(&ending)).await;

    for server in [&mut next, &mut family] {
        tokio::time::timeout(A_MOMENT, server.control.wait()).await.unwrap_err();
    }
    tell(&next_pid);
    tell(&without_lost(&members));
    // Nothing leads to them any more.
    for lost in [members[LOST], ending[LOST]] {
        signal(lost, Signal::KILL);
    }
    order();
}

/// The one of a family to which nothing leads once its guardian has died.
const LOST: usize = 3;

fn without_lost(family: &[u32]) -> Vec<u32> {
    family.iter().enumerate().filter(|(index, _)| *index != LOST).map(|(_, pid)| *pid).collect()
}

async fn with_more_servers_than_files(place: &TestDir) {
    let limit = || rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let hard = limit().maximum;
    raise_file_limit();
    assert!(limit().current > Some(256) || hard == Some(256));
    let mut servers = Vec::new();
    for _ in 0..90 {
        let mut server = spawn(&place.shell("ulimit -S -n; ulimit -H -n; read line")).unwrap();
        let told = pids(&mut server, 2).await;
        assert_eq!((told[0], Some(u64::from(told[1]))), (256, hard), "a server gets the limits that we had");
        servers.push(server);
    }
    assert!(fs::read_dir("/proc/self/fd").unwrap().count() > 256);
    println!("ready");
}

fn tell(pids: &[u32]) {
    for pid in pids {
        println!("pid {pid}");
    }
}

/// Says that everything is printed, and waits for an order.
fn order() -> String {
    println!("ready");
    let mut word = String::new();
    std::io::stdin().read_line(&mut word).unwrap();
    word.trim().to_owned()
}

async fn answer(server: &mut ServerProcess, line: &str) -> String {
    server.stdin.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    let mut lines = tokio::io::BufReader::new(&mut server.stdout).lines();
    lines.next_line().await.unwrap().unwrap()
}

fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
}

fn parent(pid: u32) -> u32 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    fields.split(' ').nth(1).unwrap().parse().unwrap()
}

async fn nothing_outlives(mut host: TestHost, end: impl FnOnce(&mut TestHost)) {
    let servers = host.ready();
    assert_eq!(servers.len(), 4 * MEMBERS);
    let guardian = parent(servers[MEMBERS - 1]);
    assert!(servers.iter().all(|pid| is_alive(*pid)));
    end(&mut host);
    all_end(&servers).await;
    all_end(&[guardian]).await;
}

// Requirements: STD-09.
#[tokio::test]
async fn nothing_outlives_a_host_that_is_killed() {
    nothing_outlives(TestHost::start("family"), TestHost::kill).await;
}

#[tokio::test]
async fn nothing_outlives_a_host_that_crashes() {
    nothing_outlives(TestHost::start("family"), |host| host.say("abort")).await;
}

#[tokio::test]
async fn nothing_outlives_a_host_that_ends_without_a_word() {
    nothing_outlives(TestHost::start("family"), |host| host.say("exit")).await;
}

#[tokio::test]
async fn killed_guardian_is_replaced_and_servers_keep_running() {
    let mut host = TestHost::start("orphaned");
    let servers = host.ready();
    assert_eq!(servers.len(), MEMBERS);
    host.kill();
    all_end(&servers).await;
}

#[test]
fn low_open_file_limit_is_raised_for_us_and_kept_for_servers() {
    let mut host = TestHost::start("many");
    host.ready();
    let mut rest = String::new();
    host.output.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("1 passed"), "{rest}");
    assert!(host.process.wait().unwrap().success());
}
