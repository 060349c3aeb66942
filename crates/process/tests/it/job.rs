//! Servers on Windows: whatever they start is in their job, and ends with it or with us.

#![expect(clippy::print_stdout, reason = "a process that a test has started tells it what it needs")]

use mooring_process::{Grace, SearchPath, ServerProcess, Spawn, spawn};
use std::env;
use std::io::{BufRead, BufReader as StdReader, Write, stdout};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, BufReader};

/// What this program plays when another test has started it.
const ROLE: &str = "MOORING_TEST_ROLE";
/// Longer than anything here takes on a busy machine.
const AMPLE: Duration = Duration::from_secs(60);

fn server() -> Spawn {
    Spawn {
        program: env::current_exe().unwrap(),
        args: ["--exact", "--nocapture", "job::what_is_started"].map(String::from).to_vec(),
        env: [(ROLE.to_owned(), "server".to_owned())].into(),
        cwd: env::temp_dir(),
        search: SearchPath::from_environment(),
    }
}

/// This program once more, in a role, with its output to be read.
#[expect(clippy::disallowed_methods, reason = "a host that is to be killed is a process of its own")]
fn again(role: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", "job::what_is_started"]).env(ROLE, role).stdin(Stdio::null());
    command
}

/// The number after `port ` in a line of output; the harness may have begun the line.
fn port(line: &str) -> Option<u16> {
    line.split_once("port ")?.1.trim().parse().ok()
}

async fn port_of(server: &mut ServerProcess) -> u16 {
    let mut lines = BufReader::new(&mut server.stdout).lines();
    loop {
        if let Some(port) = port(&lines.next_line().await.unwrap().unwrap()) {
            return port;
        }
    }
}

fn listens(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

fn ends(port: u16) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < AMPLE {
        if !listens(port) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

/// Does nothing but where another test has started it.
#[tokio::test]
async fn what_is_started() {
    match env::var(ROLE).as_deref() {
        // Starts a listener, which lives on when this one ends.
        Ok("server") => {
            again("listener").spawn().unwrap();
            std::thread::sleep(AMPLE);
        }
        Ok("brief server") => {
            again("listener").spawn().unwrap();
        }
        Ok("listener") => {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            println!("port {}", listener.local_addr().unwrap().port());
            stdout().flush().unwrap();
            for connection in listener.incoming() {
                drop(connection);
            }
        }
        Ok("host") => {
            let mut server = spawn(&server()).unwrap();
            println!("port {}", port_of(&mut server).await);
            stdout().flush().unwrap();
            std::thread::sleep(AMPLE);
        }
        _ => {}
    }
}

#[tokio::test]
async fn what_a_server_has_started_ends_with_it() {
    let mut server = spawn(&server()).unwrap();
    let port = port_of(&mut server).await;
    assert!(listens(port));
    server.control.shutdown(Grace { stdin: Duration::ZERO, term: Duration::ZERO }).await;
    assert!(ends(port));
}

#[tokio::test]
async fn what_a_server_leaves_behind_ends_when_its_owner_lets_go() {
    let mut brief = server();
    brief.env.insert(ROLE.to_owned(), "brief server".to_owned());
    let mut server = spawn(&brief).unwrap();
    let port = port_of(&mut server).await;
    server.control.wait().await;
    assert!(listens(port));
    drop(server);
    assert!(ends(port));
}

#[test]
fn nothing_of_a_server_outlives_a_host_that_is_killed() {
    let mut host = again("host").stdout(Stdio::piped()).spawn().unwrap();
    let output = StdReader::new(host.stdout.take().unwrap());
    let port = output.lines().find_map(|line| port(&line.unwrap())).unwrap();
    assert!(listens(port));
    host.kill().unwrap();
    host.wait().unwrap();
    assert!(ends(port));
}
