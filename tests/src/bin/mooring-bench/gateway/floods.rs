//! How long a healthy app's calls take while another app floods, and how long an app takes to connect while
//! others keep as many connections open as they can.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use mooring_bridge::{Connected, socket_path};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::JoinSet;

use super::GatewayArguments;
use super::front::OpenFront;
use super::report::{Comparison, Measured};
use super::served::{ServedFolder, connect_with};
use super::subjects::SERVER;
use crate::reliability::process_memory;

/// The limits for a healthy app's p99: in milliseconds, or as a multiple of the p99 without the flood.
const BUSY_P99_MS: f64 = 10.0;
const BUSY_TIMES_IDLE: f64 = 3.0;
/// The limits for another app's connect time, in milliseconds, and for the memory of all open connections, in
/// MiB.
const CONNECT_MS: f64 = 100.0;
const HELD_MIB: f64 = 64.0;
/// How long a flood lasts before it is measured, so that bursts are over.
const WARM_UP: Duration = Duration::from_secs(2);
/// The app that floods.
const FLOODING_APP: &str = "Flooding app";
/// The app that connects while others keep connections open.
const OTHER_APP: &str = "Other app";
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"flood","version":"1"}}}"#;

/// What an app sends endlessly, at the socket or over HTTP.
enum Flood {
    Lines(String),
    Requests(String),
    /// Messages whose answers are never read.
    Unread(String),
}

fn floods(served: &ServedFolder) -> Vec<(&'static str, Flood)> {
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{SERVER}__echo","arguments":{{"text":"ahoy"}}}}}}"#
    );
    let large = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"x":"{}"}}}}"#,
        "x".repeat((4 << 20) - 200)
    );
    let calls: String =
        (0..500).map(|id| call.replace("\"id\":1,", &format!("\"id\":{id},")) + "\n").collect();
    vec![
        ("sends garbage lines", Flood::Lines("nonsense\n".repeat(1_000))),
        ("sends blank lines", Flood::Lines("\n".repeat(1_000))),
        ("sends batches of 20,000", Flood::Lines(format!("[{}]\n", [notification; 20_000].join(",")))),
        ("calls without end", Flood::Lines(calls.clone())),
        ("sends notifications of 4 MiB", Flood::Lines(large + "\n")),
        ("never reads", Flood::Unread(calls)),
        ("initializes over HTTP", Flood::Requests(served.request(true, INITIALIZE))),
        ("has wrong tokens", Flood::Requests(served.request(false, INITIALIZE))),
    ]
}

async fn read_all(mut from: impl AsyncRead + Unpin) {
    let mut bytes = vec![0; 64 << 10];
    while from.read(&mut bytes).await.is_ok_and(|read| read > 0) {}
}

async fn write_on(mut to: impl AsyncWrite + Unpin, text: &str) {
    while to.write_all(text.as_bytes()).await.is_ok() {}
}

/// Floods until dropped, over several connections that reconnect.
async fn flood(served: &ServedFolder, flood: &Flood) -> anyhow::Result<JoinSet<()>> {
    let key = served.key(FLOODING_APP).await?;
    let mut tasks = JoinSet::new();
    for _ in 0..4 {
        let (home, key, address) = (served.home().to_owned(), key.clone(), served.address());
        match flood {
            Flood::Lines(text) | Flood::Unread(text) => {
                let is_read = matches!(flood, Flood::Lines(_));
                let text = text.clone();
                tasks.spawn(async move {
                    loop {
                        let connected = connect_with(&home, FLOODING_APP, &key).await;
                        // The place of a closed connection isn't free at once.
                        let Ok(Connected { mut from, mut to }) = connected else {
                            tokio::time::sleep(Duration::from_millis(10)).await;
                            continue;
                        };
                        if to.write_all(format!("{INITIALIZE}\n").as_bytes()).await.is_err() {
                            continue;
                        }
                        let read = async { while matches!(from.next().await, Ok(Some(_))) {} };
                        if is_read {
                            tokio::join!(read, write_on(to, &text));
                        } else {
                            write_on(to, &text).await;
                        }
                    }
                });
            }
            Flood::Requests(text) => {
                let text = text.clone();
                tasks.spawn(async move {
                    loop {
                        let Ok(stream) = TcpStream::connect(address).await else { return };
                        let (from, to) = stream.into_split();
                        tokio::join!(read_all(from), write_on(to, &text));
                    }
                });
            }
        }
    }
    Ok(tasks)
}

pub(crate) async fn measure(
    served: &ServedFolder,
    wanted: &GatewayArguments,
    measured: &mut Measured,
) -> anyhow::Result<()> {
    let mut good = OpenFront::stdio(served.bridge("Good app", SERVER).await?).await?;
    let idle = p99s(&mut good, wanted).await?;
    let mut sorted = idle.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    let goal = BUSY_P99_MS.max(BUSY_TIMES_IDLE * median);
    measured.comparisons.push(Comparison::ours("p99 of calls of an app alone, ms", goal, idle));
    for (what, flooding) in floods(served) {
        let tasks = flood(served, &flooding).await?;
        tokio::time::sleep(WARM_UP).await;
        let busy = p99s(&mut good, wanted).await?;
        let what = format!("p99 of calls while another app {what}, ms");
        measured.comparisons.push(Comparison::ours(what, goal, busy));
        drop(tasks);
    }
    drop(good);
    held(served, wanted, measured).await
}

async fn p99s(good: &mut OpenFront, wanted: &GatewayArguments) -> anyhow::Result<Vec<f64>> {
    let mut figures = Vec::new();
    for _ in 0..wanted.rounds.max(1) {
        let row = good.measure(wanted.calls, 1).await?;
        anyhow::ensure!(row.errors == 0, "{} calls of a good app failed", row.errors);
        figures.push(row.p99_us / 1_000.0);
    }
    Ok(figures)
}

/// Measures connecting while other connections stay open.
async fn held(
    served: &ServedFolder,
    wanted: &GatewayArguments,
    measured: &mut Measured,
) -> anyhow::Result<()> {
    let half = served.post(true, 3_900_000, &"x".repeat(200 << 10));
    for (what, count, is_http, text) in [
        ("1,000 silent connections at the socket", 1_000, false, String::new()),
        ("256 idle connections of an app over HTTP", 256, true, served.request(true, "{}")),
        ("250 half bodies of an app over HTTP", 250, true, half),
    ] {
        let before = process_memory(served.pid()?);
        let mut holding = JoinSet::new();
        for _ in 0..count {
            let (text, socket, address) = (text.clone(), socket_path(served.home()), served.address());
            holding.spawn(async move {
                if is_http {
                    hold(TcpStream::connect(address).await, &text).await;
                } else {
                    hold(UnixStream::connect(socket).await, &text).await;
                }
            });
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mut times = Vec::new();
        for _ in 0..wanted.rounds.max(1) {
            times.push(connect(served, is_http).await?.as_secs_f64() * 1_000.0);
        }
        let grown = process_memory(served.pid()?) - before;
        let time = format!("another app connects beside {what}, ms");
        measured.comparisons.push(Comparison::ours(time, CONNECT_MS, times));
        let memory = format!("memory that {what} take, MiB");
        measured.comparisons.push(Comparison::ours(memory, HELD_MIB, vec![grown]));
        drop(holding);
    }
    Ok(())
}

/// Sends `text` and keeps the connection open until the other side closes it.
async fn hold<S: AsyncRead + AsyncWrite + Unpin>(stream: std::io::Result<S>, text: &str) {
    let Ok(mut stream) = stream else { return };
    if stream.write_all(text.as_bytes()).await.is_ok() {
        read_all(stream).await;
    }
}

/// How long an app takes to connect and get an answer.
async fn connect(served: &ServedFolder, is_http: bool) -> anyhow::Result<Duration> {
    // Creates the key before the measurement.
    served.key(OTHER_APP).await?;
    let began = Instant::now();
    let answered = async {
        if is_http {
            let mut stream = TcpStream::connect(served.address()).await?;
            stream.write_all(served.other_request(INITIALIZE).as_bytes()).await?;
            let mut line = String::new();
            BufReader::new(stream).read_line(&mut line).await?;
            anyhow::ensure!(line.starts_with("HTTP/1.1 2"), "refused: {line}");
        } else {
            let Connected { mut from, mut to } = served.connect(OTHER_APP).await?;
            to.write_all(format!("{INITIALIZE}\n").as_bytes()).await?;
            from.next().await?.context("the connection was closed")?;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(Duration::from_secs(30), answered).await.context("no answer")??;
    Ok(began.elapsed())
}
