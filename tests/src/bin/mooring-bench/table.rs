//! Measures every client with every load in several rounds, and prints medians and ratios to the floor.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::commands;
use crate::figures::Row;
use crate::idle::IdleRow;
use crate::journal::JournalRow;
use crate::load::{BIG, Load};

/// The measured clients.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BenchClient {
    Floor,
    Official,
    TypeScript,
    Python,
    Silent,
    Journaled,
}

impl BenchClient {
    const ALL: [Self; 6] =
        [Self::Floor, Self::Official, Self::TypeScript, Self::Python, Self::Silent, Self::Journaled];

    /// The number of calls. Slower clients make fewer, so that each run takes about as long.
    fn calls(self, load: &Load) -> usize {
        /// Enough for a median.
        const LEAST: usize = 100;
        match self {
            Self::TypeScript => (load.calls / 15).max(LEAST),
            Self::Python => (load.calls / 30).max(LEAST),
            Self::Floor | Self::Official | Self::Silent | Self::Journaled => load.calls,
        }
    }

    /// Whether the client is a program in another language.
    fn is_foreign(self) -> bool {
        matches!(self, Self::TypeScript | Self::Python)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Official => "rmcp",
            Self::TypeScript => "TypeScript SDK",
            Self::Python => "Python SDK",
            Self::Silent => "mooring, journal off",
            Self::Journaled => "mooring, journal on",
        }
    }
}

/// The figure that is compared with the official SDK.
#[derive(Clone, Copy)]
enum Goal {
    /// No goal: sequential calls mostly measure the scheduler.
    Printed,
    /// More calls per second, less CPU time per call.
    Throughput,
    /// A shorter median.
    Latency,
}

impl Goal {
    fn words(self) -> &'static str {
        match self {
            Self::Printed => "",
            Self::Throughput => "more calls per second than rmcp, with less CPU time, journal off and on",
            Self::Latency => "a shorter median than rmcp, journal off and on",
        }
    }

    fn reached(self, ours: &Row, official: &Row) -> bool {
        match self {
            Self::Printed => true,
            Self::Throughput => ours.rps > official.rps && ours.cpu_us_per_call < official.cpu_us_per_call,
            Self::Latency => ours.p50_us < official.p50_us,
        }
    }
}

struct Scenario {
    name: &'static str,
    http: bool,
    load: Load,
    goal: Goal,
}

fn scenarios() -> Vec<Scenario> {
    let mut scenes = Vec::new();
    for (http, [sequential, many, big]) in [
        (false, ["stdio-sequential", "stdio-64", "stdio-1mb"]),
        (true, ["http-sequential", "http-64", "http-1mb"]),
    ] {
        let load = |calls, concurrency, bytes| Load { calls, concurrency, bytes };
        let flood = if http { 60_000 } else { 150_000 };
        scenes.push(Scenario { name: sequential, http, load: load(10_000, 1, None), goal: Goal::Printed });
        scenes.push(Scenario { name: many, http, load: load(flood, 64, None), goal: Goal::Throughput });
        scenes.push(Scenario { name: big, http, load: load(300, 1, Some(BIG)), goal: Goal::Latency });
    }
    scenes
}

/// Rows with idle connections, and whether they use HTTP.
const IDLE: [(&str, bool); 2] = [("stdio-idle", false), ("http-idle", true)];
/// The limit for the memory of our connections, as a multiple of the floor's.
const IDLE_GOAL: f64 = 1.5;
const JOURNAL: &str = "journal";
/// The row that measures whole commands.
const COMMANDS: &str = "cli";
/// The goal for rows per second into the log, with a reader.
const JOURNAL_GOAL: f64 = 100_000.0;

/// Measures the named rows, or all of them, and prints the results.
pub(crate) fn print(rows: &[String], rounds: usize, json: bool) -> anyhow::Result<ExitCode> {
    let scenes = scenarios();
    for row in rows {
        let idle = IDLE.iter().any(|(name, _)| name == row);
        let known = idle
            || [JOURNAL, COMMANDS].contains(&row.as_str())
            || scenes.iter().any(|scene| scene.name == row);
        ensure!(known, "no such row: {row}");
    }
    let wanted = |name: &str| rows.is_empty() || rows.iter().any(|row| row == name);
    let tools = Programs::find()?;
    let clients =
        BenchClient::ALL.into_iter().filter(|client| tools.servers.is_some() || !client.is_foreign());
    if tools.servers.is_none() {
        eprintln!("The clients in TypeScript and Python are left out: `cargo xtask bench` brings them.");
    }
    let mut passed = true;
    if !json {
        println!("Medians of {rounds} rounds; × is the ratio to the floor in the same run.");
    }
    for scene in scenes.iter().filter(|scene| wanted(scene.name)) {
        let echo = if scene.http { Some(tools.echo_http()?) } else { None };
        let mut runs: Vec<_> = clients.clone().map(|client| (client, Vec::new())).collect();
        for round in 1..=rounds {
            for (client, runs) in &mut runs {
                eprint!("\r\x1b[2K{}: {}, round {round} of {rounds}", scene.name, client.name());
                runs.push(tools.run(*client, scene, echo.as_ref().map(|echo| echo.url.as_str()))?);
            }
        }
        eprint!("\r\x1b[2K");
        let medians: Vec<_> = runs.into_iter().map(|(client, runs)| (client, median(&runs))).collect();
        passed &= report(scene, &medians, json)?;
    }
    for (name, http) in IDLE.into_iter().filter(|(name, _)| wanted(name)) {
        passed &= tools.idle(name, http, json)?;
    }
    if wanted(JOURNAL) {
        let row: JournalRow = read(tools.own(&["journal"]))?;
        let good = row.rows_per_second >= JOURNAL_GOAL;
        passed &= good;
        if json {
            println!("{}", json!({"row": JOURNAL, "passed": good, "figures": row}));
        } else {
            println!(
                "\n{JOURNAL}\n  {:.0} rows/s into the log, {} pages read meanwhile, the slowest in {:.1} ms{}",
                row.rows_per_second,
                row.pages,
                row.slowest_page_ms,
                verdict(good, "at least 100,000 rows/s"),
            );
        }
    }
    if wanted(COMMANDS) {
        passed &= commands(&tools, json)?;
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints how long commands take. Returns whether a call through a service met its goal.
fn commands(tools: &Programs, json: bool) -> anyhow::Result<bool> {
    let rows = commands::measure(tools)?;
    let good = rows.first().is_some_and(|row| row.p50_ms <= commands::GOAL_MS);
    if json {
        println!("{}", json!({"row": COMMANDS, "passed": good, "figures": rows}));
        return Ok(good);
    }
    println!("\n{COMMANDS}{}", verdict(good, "a call through a service within 60 ms, p50"));
    println!("  {:28} {:>9} {:>9} {:>9}", "", "p10 ms", "p50 ms", "p90 ms");
    for commands::CommandRow { what, p10_ms, p50_ms, p90_ms } in rows {
        println!("  {what:28} {p10_ms:>9.1} {p50_ms:>9.1} {p90_ms:>9.1}");
    }
    Ok(good)
}

/// Prints the results of a scenario. Returns whether it met its goal.
fn report(scene: &Scenario, medians: &[(BenchClient, Row)], json: bool) -> anyhow::Result<bool> {
    let of = |client| medians.iter().find(|(known, _)| *known == client).map(|(_, row)| row);
    let floor = of(BenchClient::Floor).context("the floor was measured")?;
    let official = of(BenchClient::Official).context("the SDK was measured")?;
    let silent = of(BenchClient::Silent).context("our client was measured")?;
    let journaled = of(BenchClient::Journaled).context("our client was measured with its journal")?;
    let failed = medians.iter().map(|(_, row)| row.errors).sum::<u64>();
    let goal = scene.goal.words();
    let ahead = [silent, journaled].map(|ours| scene.goal.reached(ours, official));
    let passed = ahead == [true, true] && failed == 0;
    if json {
        for (client, row) in medians {
            let line = json!({"row": scene.name, "client": client.name(), "passed": passed, "figures": row});
            println!("{line}");
        }
        return Ok(passed);
    }
    println!("\n{}{}", scene.name, verdict(passed, goal));
    for (ahead, client) in ahead.into_iter().zip([BenchClient::Silent, BenchClient::Journaled]) {
        if !ahead {
            println!("  {} is behind", client.name());
        }
    }
    println!(
        "  {:22} {:>16} {:>12} {:>18} {:>10} {:>9} {:>7}",
        "", "calls/s", "p50 µs", "CPU µs/call", "p99 µs", "peak MiB", "errors"
    );
    for (client, row) in medians {
        println!(
            "  {:22} {:>9.0} ×{:<5.2} {:>12.1} {:>10.2} ×{:<6.2} {:>10.1} {:>9.1} {:>7}",
            client.name(),
            row.rps,
            row.rps / floor.rps,
            row.p50_us,
            row.cpu_us_per_call,
            row.cpu_us_per_call / floor.cpu_us_per_call,
            row.p99_us,
            mebibytes(row.rss_kb),
            row.errors,
        );
    }
    if let Goal::Latency = scene.goal {
        for (client, row) in medians {
            println!("  {:22} p50 ×{:.2}", client.name(), row.p50_us / floor.p50_us);
        }
    }
    Ok(passed)
}

fn verdict(passed: bool, goal: &str) -> String {
    match (goal, passed) {
        ("", _) => String::new(),
        (goal, true) => format!("   reached: {goal}"),
        (goal, false) => format!("   NOT REACHED: {goal}"),
    }
}

/// The median of each field, separately.
fn median(runs: &[Row]) -> Row {
    let middle = |figure: fn(&Row) -> f64| {
        let mut values = runs.iter().map(figure).collect::<Vec<_>>();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    Row {
        calls: runs.iter().map(|row| row.calls).sum(),
        errors: runs.iter().map(|row| row.errors).sum(),
        p50_us: middle(|row| row.p50_us),
        p99_us: middle(|row| row.p99_us),
        rps: middle(|row| row.rps),
        cpu_us_per_call: middle(|row| row.cpu_us_per_call),
        rss_kb: runs.iter().map(|row| row.rss_kb).max().unwrap_or_default(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "an amount of memory for people to read")]
fn mebibytes(kibibytes: u64) -> f64 {
    kibibytes as f64 / 1024.0
}

/// The programs to measure.
pub(crate) struct Programs {
    pub(crate) own: PathBuf,
    pub(crate) mooring: PathBuf,
    /// The folder with the TypeScript and Python SDKs.
    pub(crate) servers: Option<PathBuf>,
}

/// An echo server over HTTP. Dropping this ends it.
pub(crate) struct EchoHttp {
    child: Child,
    pub(crate) url: String,
}

impl Drop for EchoHttp {
    fn drop(&mut self) {
        // It may already have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Programs {
    pub(crate) fn find() -> anyhow::Result<Self> {
        let own = std::env::current_exe()?;
        let beside = own.parent().map(Path::to_owned).unwrap_or_default();
        let folder = std::env::var_os("MOORING_BIN_DIR").map_or(beside, PathBuf::from);
        let mooring = folder.join(format!("mooring{}", std::env::consts::EXE_SUFFIX));
        if !mooring.is_file() {
            bail!("{} doesn’t exist: build it with `cargo xtask bench`", mooring.display());
        }
        Ok(Self { own, mooring, servers: std::env::var_os("MOORING_SERVERS").map(PathBuf::from) })
    }

    fn own(&self, arguments: &[&str]) -> Command {
        let mut command = command(&self.own);
        command.args(arguments);
        command
    }

    pub(crate) fn echo_http(&self) -> anyhow::Result<EchoHttp> {
        let mut child = self.own(&["echo-http"]).stdout(Stdio::piped()).spawn()?;
        let mut url = String::new();
        let output = child.stdout.take().context("the pipe is there")?;
        let read = BufReader::new(output).read_line(&mut url);
        let echo = EchoHttp { child, url: url.trim().to_owned() };
        ensure!(read? > 0, "the echo server did not start");
        Ok(echo)
    }

    fn run(&self, client: BenchClient, scene: &Scenario, url: Option<&str>) -> anyhow::Result<Row> {
        let load = &scene.load;
        let (calls, concurrency) = (client.calls(load).to_string(), load.concurrency.to_string());
        let home = tempfile::tempdir()?;
        let mut command = match (client, url) {
            (BenchClient::Floor, None) => self.own(&["floor-stdio"]),
            (BenchClient::Floor, Some(url)) => self.own(&["floor-http", "--url", url]),
            (BenchClient::Official, None) => self.own(&["rmcp-stdio"]),
            (BenchClient::Official, Some(url)) => self.own(&["rmcp-http", "--url", url]),
            (BenchClient::TypeScript | BenchClient::Python, _) => {
                let mut command = self.foreign(client)?;
                command.args([load.tool(), &load.arguments(), &calls, &concurrency]);
                self.add_server(&mut command, url);
                return read(command).with_context(|| format!("{}, {}", scene.name, client.name()));
            }
            (BenchClient::Silent | BenchClient::Journaled, _) => {
                let mut command = command(&self.mooring);
                command.args(["bench", "--json"]).env("MOORING_HOME", home.path());
                if client == BenchClient::Silent {
                    command.arg("--no-journal");
                }
                command.args(["--tool", load.tool(), "--args", &load.arguments()]);
                command
            }
        };
        command.args(["--calls", &calls, "--concurrency", &concurrency]);
        match (client, load.bytes) {
            (BenchClient::Floor | BenchClient::Official, Some(bytes)) => {
                command.args(["--bytes", &bytes.to_string()]);
            }
            (BenchClient::Floor | BenchClient::Official, None) => {}
            _ => {
                command.arg(if url.is_some() { "--url" } else { "--" });
                self.add_server(&mut command, url);
            }
        }
        let about = || format!("{}, {}", scene.name, client.name());
        if matches!(client, BenchClient::Silent | BenchClient::Journaled) {
            return read(command).map(|Printed { result }| result).with_context(about);
        }
        read(command).with_context(about)
    }

    /// Measures and prints the memory of idle connections. Returns whether ours meets its goal.
    fn idle(&self, row: &str, http: bool, json: bool) -> anyhow::Result<bool> {
        let echo = if http { Some(self.echo_http()?) } else { None };
        let mut measured = Vec::new();
        for who in ["floor", "rmcp", "engine", "mooring"] {
            let mut command = self.own(&["idle", "--who", who]);
            if let Some(echo) = &echo {
                command.args(["--url", &echo.url]);
            }
            let figure: IdleRow = read(command).with_context(|| format!("{row}, {who}"))?;
            measured.push((who, figure.kib));
        }
        let of = |wanted| measured.iter().find(|(who, _)| *who == wanted).map(|(_, kib)| *kib);
        let floor = of("floor").context("the floor was measured")?;
        // Compares our client alone, because the others have no host and no log either.
        let ratio = of("engine").context("ours was measured")? / floor;
        let good = ratio <= IDLE_GOAL;
        if json {
            println!(
                "{}",
                json!({"row": row, "passed": good, "kib": measured.into_iter().collect::<BTreeMap<_, _>>()})
            );
            return Ok(good);
        }
        println!("\n{row}{}", verdict(good, "our engine takes at most 1.5 times the memory of the floor"));
        for (who, kib) in measured {
            println!("  {who:22} {kib:>9.1} KiB for each connection ×{:.2}", kib / floor);
        }
        Ok(good)
    }

    /// Adds the echo server's URL, or the command that starts it.
    fn add_server(&self, command: &mut Command, url: Option<&str>) {
        match url {
            Some(url) => command.arg(url),
            None => command.arg(&self.own).arg("echo-stdio"),
        };
    }

    /// A script that makes calls with another language's SDK.
    fn foreign(&self, client: BenchClient) -> anyhow::Result<Command> {
        let servers = self.servers.as_ref().context("the SDKs are not installed")?;
        let (interpreter, script) = match client {
            BenchClient::Python => (servers.join("venv/bin/python"), "python.py"),
            _ => (PathBuf::from("node"), "typescript.mjs"),
        };
        let mut command = command(&interpreter);
        command.arg(servers.join("npm").join(script));
        Ok(command)
    }
}

#[expect(clippy::disallowed_methods, reason = "the bench starts the clients that it measures")]
pub(crate) fn command(program: &Path) -> Command {
    Command::new(program)
}

/// The output of `mooring bench`.
#[derive(Deserialize)]
struct Printed {
    result: Row,
}

/// Runs a command and parses the JSON object that it prints.
fn read<T: DeserializeOwned>(mut command: Command) -> anyhow::Result<T> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        bail!("{} failed ({}): {}", command.get_program().display(), output.status, told.trim());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.trim()).with_context(|| format!("not the figures of a run: {text}"))
}
