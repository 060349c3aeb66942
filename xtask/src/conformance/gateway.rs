//! Runs the suite's server scenarios through the gateway: each protocol version's requirements, with a server
//! of each era and of both behind it. The same scenarios also run against the server alone, to show which
//! failures the gateway causes.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::findings::{self, Checks, Finding, Verdict};
use super::served::{SERVERS, Served};
use super::{Suite, is_chosen};

/// The protocol versions that have a list of requirements.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// The expected number of runs. A mismatch means that the list changed or was parsed wrongly.
const RUNS: usize = (30 + 37) * SERVERS.len();
/// The longest time for all scenarios of a protocol version. The suite gives each scenario 30 seconds.
const SET_TIMEOUT: Duration = Duration::from_mins(3);

/// Checks of a run that are expected to fail.
struct LeftOut {
    scenario: &'static str,
    revision: &'static str,
    server: &'static str,
    /// The ids of the checks. All other checks of the run must pass.
    checks: &'static [&'static str],
    /// Why this server can't pass these checks at this protocol version.
    reason: &'static str,
}

const NO_KEYS: &str = "a server of the session era gives its questions no keys";
const SHARED_FOLDERS: &str = "a process is shared by all apps, and its folders are the person's choice";
const TOLD_ONCE: &str = "a server of the session era is told once for all apps what it may ask";

/// All expected failures. It is an error if such a run passes, so that this list stays correct.
const LEFT_OUT: &[LeftOut] = &[
    stateless_app(
        "server-stateless",
        &["sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"],
        TOLD_ONCE,
    ),
    stateless_app(
        "input-required-result-capability-check",
        &["sep-2322-respect-client-capabilities"],
        TOLD_ONCE,
    ),
    stateless_app("input-required-result-basic-elicitation", &["sep-2322-elicitation-incomplete"], NO_KEYS),
    stateless_app(
        "input-required-result-ignore-extra-params",
        &["sep-2322-ignore-unexpected-params"],
        NO_KEYS,
    ),
    stateless_app(
        "input-required-result-basic-list-roots",
        &["sep-2322-list-roots-incomplete"],
        SHARED_FOLDERS,
    ),
    stateless_app(
        "input-required-result-multiple-input-requests",
        &["sep-2322-multiple-inputs-incomplete"],
        SHARED_FOLDERS,
    ),
];

/// Checks that fail for an app of the stateless era with a server of the session era.
const fn stateless_app(
    scenario: &'static str,
    checks: &'static [&'static str],
    reason: &'static str,
) -> LeftOut {
    LeftOut { scenario, revision: "2026-07-28", server: "session", checks, reason }
}

/// Runs all scenarios with the built gateway, and returns the chosen results.
pub(super) fn run_all(suite: &Suite<'_>, chosen: &[String]) -> Result<Vec<Finding>> {
    let started = Instant::now();
    let mut required = Vec::new();
    for revision in REVISIONS {
        required.push((revision, required_scenarios(suite, revision)?));
    }
    check_complete(&required)?;
    let served = Served::start(suite)?;
    let mut findings = Vec::with_capacity(RUNS);
    for server in SERVERS {
        for (revision, scenarios) in &required {
            findings.extend(run_set(suite, &served, server, revision, scenarios)?);
        }
    }
    findings.retain(|finding| is_chosen(&finding.scenario, chosen));
    if findings.is_empty() {
        bail!("no scenario has a name that begins so");
    }
    findings::print(&findings, started.elapsed());
    Ok(findings)
}

/// The scenarios that a protocol version requires of servers.
fn required_scenarios(suite: &Suite<'_>, revision: &str) -> Result<Vec<String>> {
    let listed = suite.command().args(["list", "--server", "--requirements", revision]).capture()?;
    Ok(server_scenarios(&listed))
}

/// The server part of the list. It ends with an empty line.
fn server_scenarios(listed: &str) -> Vec<String> {
    let part = listed.lines().skip_while(|line| !line.starts_with("Server scenarios")).skip(1);
    let named = part.map_while(|line| line.trim().strip_prefix("- "));
    named.map(str::to_owned).collect()
}

/// Fails unless these are all the runs of the pinned suite and every expected failure is among them.
fn check_complete(required: &[(&str, Vec<String>)]) -> Result<()> {
    let count = required.iter().map(|(_, scenarios)| scenarios.len()).sum::<usize>() * SERVERS.len();
    ensure!(
        count == RUNS,
        "the suite requires {count} runs and not {RUNS}; where tests/conformance pins another one, so does RUNS in \
         xtask/src/conformance/gateway.rs"
    );
    for LeftOut { scenario, revision, server, .. } in LEFT_OUT {
        let is_run = SERVERS.contains(server)
            && required.iter().any(|(of, all)| of == revision && all.iter().any(|name| name == scenario));
        ensure!(is_run, "there is no run to leave out: {scenario} at {revision}, server {server}");
    }
    Ok(())
}

/// Runs all scenarios of a protocol version in one process, which takes a tenth of the time of separate ones.
fn run_set(
    suite: &Suite<'_>,
    served: &Served,
    server: &'static str,
    revision: &'static str,
    scenarios: &[String],
) -> Result<Vec<Finding>> {
    let folder = suite.folder(&format!("results/gateway-{server}-{revision}"))?;
    let command = suite.command().args(["server", "--requirements", revision, "--url", &served.url(server)]);
    let command = command.arg("--output-dir").arg(&folder);
    // The exit code also covers scenarios that the version doesn't require.
    let ended = command.run_within(SET_TIMEOUT, &folder.join("suite.log"))?;
    let finding = |scenario: &String| {
        let checks = checks_of(&folder, scenario)?;
        let said = match ended {
            None if checks == Checks::default() => "ran out of time".to_owned(),
            _ => checks.to_string(),
        };
        let verdict = match left_out(scenario, revision, server) {
            Some(LeftOut { checks: ids, reason, .. }) => Verdict::with_left_out(&checks, ids, reason),
            None => Verdict::new(checks.pass()),
        };
        let (scenario, revision) = (scenario.clone(), revision.to_owned());
        Ok(Finding { scenario, revision, server: Some(server), verdict, said, took: None })
    };
    scenarios.iter().map(finding).collect()
}

fn left_out(scenario: &str, revision: &str, server: &str) -> Option<&'static LeftOut> {
    LEFT_OUT.iter().find(|run| (run.scenario, run.revision, run.server) == (scenario, revision, server))
}

/// Reads the checks of a scenario. The suite appends the time to the folder's name.
fn checks_of(results: &Path, scenario: &str) -> Result<Checks> {
    for entry in fs::read_dir(results).with_context(|| format!("no folder: {}", results.display()))? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy());
        if name.is_some_and(|name| is_of(&name, scenario)) {
            return Checks::read(&path);
        }
    }
    Ok(Checks::default())
}

/// Whether a folder has the results of this scenario, and not of one with a longer name.
fn is_of(folder: &str, scenario: &str) -> bool {
    let rest = folder.strip_prefix("server-").and_then(|name| name.strip_prefix(scenario));
    let digits = |letter: char| if letter.is_ascii_digit() { '0' } else { letter };
    rest.is_some_and(|time| time.chars().map(digits).eq("-0000-00-00T00-00-00-000Z".chars()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_required_of_servers_is_run() {
        let listed = "Required for 2025-11-25 (3 scenarios):\n\nServer scenarios (test against a server):\n  \
                      - ping\n  - tools-list\n\nClient scenarios (test against a client):\n  - initialize\n\n\
                      Run and reported, but never scored:\n  extension (1):\n    - auth/dpop [client]\n";
        assert_eq!(server_scenarios(listed), ["ping", "tools-list"]);
        assert!(server_scenarios("").is_empty());
    }

    #[test]
    fn a_list_that_lost_a_scenario_passes_for_nothing() {
        let required = |count: usize| {
            let known = LEFT_OUT.iter().map(|run| run.scenario.to_owned());
            let all = known.chain(std::iter::repeat_with(|| "ping".to_owned()));
            [("2026-07-28", all.take(count).collect::<Vec<_>>())]
        };
        let all = RUNS / SERVERS.len();
        assert!(check_complete(&required(all)).is_ok());
        for count in [0, all - 1, all + 1] {
            let error = check_complete(&required(count)).unwrap_err().to_string();
            assert!(error.starts_with("the suite requires "), "{error}");
        }
        let unknown = [("2026-07-28", vec!["ping".to_owned(); all])];
        let error = check_complete(&unknown).unwrap_err().to_string();
        assert!(error.starts_with("there is no run to leave out: server-stateless"), "{error}");
    }

    #[test]
    fn results_are_those_of_the_scenario_itself() {
        let folder = "server-tools-list-2026-11-27T15-24-16-187Z";
        assert!(is_of(folder, "tools-list"));
        for other in ["tools", "tools-list-2026", "list", "tools-list-more"] {
            assert!(!is_of(folder, other), "{other}");
        }
    }
}
