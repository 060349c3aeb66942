//! The cost of another app: the time to its first answer, its memory, and the supervisor's memory.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;

use super::GatewayArguments;
use super::front::OpenFront;
use super::report::{Comparison, Measured};
use super::served::{APP, ServedFolder};
use super::spread::GatewayGoal;
use super::subjects::{Role, SERVER, Subject};
use crate::reliability::{descendants, process_memory, written_mebibytes};
use crate::table::Programs;

const APPS: u32 = 10;
const SERVERS: u32 = 20;
/// How long all servers may take to start, and how long to wait until their startup memory is freed.
const READY_TIMEOUT: Duration = Duration::from_mins(1);
const SETTLE_TIME: Duration = Duration::from_secs(1);
/// The limits for the first answer, in milliseconds, and for a bridge's memory, in MiB.
const MAX_FIRST_MS: f64 = 40.0;
const MAX_BRIDGE_MIB: f64 = 8.0;
/// The limit for the supervisor's additional memory per app, in MiB.
const MAX_APP_MIB: f64 = 1.0;
/// The limit for data written per call, in KiB.
const MAX_WRITTEN_KIB: f64 = 8.0;

/// Measures the time to each subject's first answer and its memory after all calls. Peers start only once.
pub(crate) async fn first_answers(
    subjects: &[Subject],
    served: &ServedFolder,
    rounds: usize,
    measured: &mut Measured,
) -> anyhow::Result<()> {
    let milliseconds = |open: &OpenFront| open.first_answer.as_secs_f64() * 1e3;
    let mut first = Comparison::new("first answer over stdio, ms", Some(GatewayGoal::Bound(MAX_FIRST_MS)));
    let mut memory = Comparison::new(
        "resident memory of what an app starts, MiB",
        Some(GatewayGoal::Bound(MAX_BRIDGE_MIB)),
    );
    for subject in subjects.iter().filter(|subject| !subject.is_http && subject.role != Role::Direct) {
        let open = || subject.open.as_ref().map_err(Clone::clone);
        memory.add(
            subject.name,
            subject.role,
            open().map(|open| open.pid().map(process_memory).into_iter().collect()),
        );
        if subject.role == Role::Peer {
            first.add(subject.name, subject.role, open().map(|open| vec![milliseconds(open)]));
        }
    }
    let mut ours = Vec::new();
    for _ in 0..rounds.max(1) * 4 {
        ours.push(milliseconds(&OpenFront::stdio(served.bridge("App", SERVER).await?).await?));
    }
    first.add("Mooring", Role::Ours, Ok(ours));
    measured.comparisons.extend([first, memory]);
    Ok(())
}

/// Measures how much the supervisor writes per call, in KiB: to files, to the app and to the server.
pub(crate) async fn written(
    served: &ServedFolder,
    wanted: &GatewayArguments,
    measured: &mut Measured,
) -> anyhow::Result<()> {
    let pid = served.pid()?;
    let mut app = OpenFront::stdio(served.bridge(APP, SERVER).await?).await?;
    let mut written = Vec::new();
    for _ in 0..wanted.rounds.max(1) {
        let before = written_mebibytes(pid);
        let row = app.measure(wanted.calls, 1).await?;
        anyhow::ensure!(row.errors == 0, "{} calls failed", row.errors);
        #[expect(clippy::cast_precision_loss, reason = "a number of calls")]
        written.push((written_mebibytes(pid) - before) * 1_024.0 / wanted.calls as f64);
    }
    measured.comparisons.push(Comparison::ours("written for a call, KiB", MAX_WRITTEN_KIB, written));
    Ok(())
}

/// Ten apps over twenty servers.
pub(crate) async fn many(programs: &Programs, measured: &mut Measured) -> anyhow::Result<()> {
    let servers: Vec<_> =
        (0..SERVERS).map(|number| (format!("{SERVER}{number}"), vec!["echo-stdio".to_owned()])).collect();
    let served = ServedFolder::new(&programs.mooring, &servers).await?;
    let pid = served.pid()?;
    // The first app allocates what is needed only once. One app per server would free memory that the next
    // ten reuse.
    let _first = OpenFront::stdio(served.bridge("First", "echo0").await?).await?;
    tokio::time::timeout(READY_TIMEOUT, async {
        while server_processes(pid) < usize::try_from(SERVERS)? {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        anyhow::Ok(())
    })
    .await
    .context("not every server was started")??;
    tokio::time::sleep(SETTLE_TIME).await;
    let before = process_memory(pid);
    let mut apps = Vec::new();
    for number in 0..APPS {
        let name = format!("{SERVER}{number}");
        let mut app = OpenFront::stdio(served.bridge(&format!("App {number}"), &name).await?).await?;
        app.measure(20, 1).await?;
        apps.push(app);
    }
    let gained = (process_memory(pid) - before) / f64::from(APPS);
    let bridges = apps.iter().filter_map(OpenFront::pid).map(process_memory).collect();
    let processes = u32::try_from(server_processes(pid))?;
    measured.comparisons.extend([
        Comparison::ours("10 apps, 20 servers: memory of each bridge, MiB", MAX_BRIDGE_MIB, bridges),
        Comparison::ours(
            "10 apps, 20 servers: memory the supervisor gains per app, MiB",
            MAX_APP_MIB,
            vec![gained],
        ),
        Comparison::ours(
            "10 apps, 20 servers: server processes",
            f64::from(SERVERS),
            vec![f64::from(processes)],
        ),
    ]);
    Ok(())
}

/// How many servers the supervisor runs.
fn server_processes(supervisor: u32) -> usize {
    let is_server = |pid: u32| {
        let words = std::fs::read(Path::new("/proc").join(pid.to_string()).join("cmdline"));
        words.is_ok_and(|words| words.ends_with(b"echo-stdio\0"))
    };
    descendants(supervisor).into_iter().filter(|(pid, runs)| *runs && is_server(*pid)).count()
}
