//! The suite's results: reads its files and prints them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::output;

/// The result of one scenario at one protocol version.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) scenario: String,
    pub(super) revision: String,
    /// Which of our servers answered, if there is a choice.
    pub(super) server: Option<&'static str>,
    pub(super) verdict: Verdict,
    /// The number of checks by status, or why there are none.
    pub(super) said: String,
    /// How long the run took, if it ran in its own process.
    pub(super) took: Option<Duration>,
}

/// How a run ended, and whether that is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    Failed,
    /// Only the checks that are expected to fail did, for this reason.
    LeftOut(&'static str),
    /// It passed, but is listed as one that cannot pass.
    Unexpected,
}

impl Verdict {
    pub(super) fn new(passes: bool) -> Self {
        if passes { Self::Passed } else { Self::Failed }
    }

    /// The verdict of a run in which exactly these checks are expected to fail.
    pub(super) fn with_left_out(checks: &Checks, left_out: &[&str], reason: &'static str) -> Self {
        if checks.pass() {
            Self::Unexpected
        } else if checks.wrong.iter().eq(left_out.iter().collect::<BTreeSet<_>>()) {
            Self::LeftOut(reason)
        } else {
            Self::Failed
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::LeftOut(_) => "left out",
            Self::Unexpected => "PASSED",
        }
    }
}

impl Finding {
    pub(super) fn is_good(&self) -> bool {
        matches!(self.verdict, Verdict::Passed | Verdict::LeftOut(_))
    }

    /// The run's name.
    pub(super) fn name(&self) -> String {
        let server = self.server.map(|server| format!(", server {server}")).unwrap_or_default();
        format!("{} at {}{server}", self.scenario, self.revision)
    }

    /// What to print after the counts.
    fn note(&self) -> String {
        match self.verdict {
            Verdict::Passed | Verdict::Failed => String::new(),
            Verdict::LeftOut(reason) => format!(" ({reason})"),
            Verdict::Unexpected => " (listed as one that cannot pass: take it off the list)".to_owned(),
        }
    }
}

/// The number of a scenario's checks by status.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Checks {
    by_status: BTreeMap<String, usize>,
    /// The ids of the checks that failed or warned.
    wrong: BTreeSet<String>,
}

impl Checks {
    /// Counts the checks that the suite wrote to a folder and its subfolders.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let mut checks = Self::default();
        for path in findings_in(folder)? {
            checks.add(&fs::read(&path)?)?;
        }
        Ok(checks)
    }

    fn add(&mut self, file: &[u8]) -> Result<()> {
        let listed: Value = serde_json::from_slice(file).context("the findings are not JSON")?;
        for check in listed.as_array().into_iter().flatten() {
            let status = check["status"].as_str().unwrap_or("unknown").to_lowercase();
            if matches!(&*status, "failure" | "warning") {
                self.wrong.insert(check["id"].as_str().unwrap_or("without an id").to_owned());
            }
            *self.by_status.entry(status).or_default() += 1;
        }
        Ok(())
    }

    pub(super) fn pass(&self) -> bool {
        self.by_status.contains_key("success") && self.wrong.is_empty()
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.by_status.is_empty() {
            return formatter.write_str("no checks");
        }
        let said: Vec<_> = self.by_status.iter().map(|(status, count)| format!("{count} {status}")).collect();
        formatter.write_str(&said.join(", "))
    }
}

/// Finds the files with checks. The suite makes folders of the parts of a scenario's name.
fn findings_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(findings_in(&path)?);
        } else if path.ends_with("checks.json") {
            found.push(path);
        }
    }
    Ok(found)
}

pub(super) fn print(findings: &[Finding], took: Duration) {
    output::line(format_args!(
        "\n{:<46}{:<12}{:<11}{:>7}  {:<9}checks",
        "scenario", "revision", "server", "time", "result"
    ));
    for finding in findings {
        let Finding { scenario, revision, verdict, said, .. } = finding;
        let server = finding.server.unwrap_or("");
        let time = finding.took.map(|took| format!("{:.1} s", took.as_secs_f64())).unwrap_or_default();
        let (word, note) = (verdict.word(), finding.note());
        output::line(format_args!(
            "{scenario:<46}{revision:<12}{server:<11}{time:>7}  {word:<9}{said}{note}"
        ));
    }
    let count =
        |wanted: fn(&Verdict) -> bool| findings.iter().filter(|finding| wanted(&finding.verdict)).count();
    let left_out = match count(|verdict| matches!(verdict, Verdict::LeftOut(_))) {
        0 => String::new(),
        left_out => format!(", {left_out} cannot"),
    };
    let passed = count(|verdict| *verdict == Verdict::Passed);
    let seconds = took.as_secs_f64();
    output::line(format_args!("\n{passed} of {} runs pass{left_out}; {seconds:.0} s", findings.len()));
    for finding in findings.iter().filter(|finding| !finding.is_good()) {
        output::line(format_args!("not passed: {}{}", finding.name(), finding.note()));
    }
}

pub(super) fn as_json(findings: &[Finding]) -> Value {
    let runs = findings.iter().map(|finding| {
        json!({
            "scenario": finding.scenario,
            "revision": finding.revision,
            "server": finding.server,
            "passed": finding.verdict == Verdict::Passed,
            "leftOut": match finding.verdict {
                Verdict::LeftOut(reason) => Some(reason),
                _ => None,
            },
            "checks": finding.said,
            "seconds": finding.took.map(|took| took.as_secs_f64()),
        })
    });
    runs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_passes_with_a_success_and_nothing_worse() {
        let folder = tempfile::tempdir().unwrap();
        for (statuses, passes, said) in [
            (&[][..], false, "no checks"),
            (&["INFO"], false, "1 info"),
            (&["SUCCESS", "SUCCESS", "SKIPPED"], true, "1 skipped, 2 success"),
            (&["SUCCESS", "WARNING"], false, "1 success, 1 warning"),
            (&["SUCCESS", "FAILURE"], false, "1 failure, 1 success"),
        ] {
            let checks: Value =
                statuses.iter().map(|status| json!({"id": "one", "status": status})).collect();
            let scenario = folder.path().join("auth");
            fs::create_dir_all(&scenario).unwrap();
            fs::write(scenario.join("checks.json"), checks.to_string()).unwrap();
            let read = Checks::read(folder.path()).unwrap();
            assert_eq!((read.pass(), &*read.to_string()), (passes, said));
        }
    }

    #[test]
    fn a_run_on_the_list_fails_in_what_is_listed_alone() {
        let verdict = |wrong: &[&str]| {
            let mut checks = Checks::default();
            let failed = wrong.iter().map(|id| json!({"id": id, "status": "FAILURE"}));
            let file: Value = failed.chain([json!({"id": "good", "status": "SUCCESS"})]).collect();
            checks.add(file.to_string().as_bytes()).unwrap();
            Verdict::with_left_out(&checks, &["b", "a"], "it cannot")
        };
        assert_eq!(verdict(&["a", "b"]), Verdict::LeftOut("it cannot"));
        assert_eq!(verdict(&[]), Verdict::Unexpected);
        for other in [&["a"][..], &["a", "b", "c"], &["c"]] {
            assert_eq!(verdict(other), Verdict::Failed, "{other:?}");
        }
        let finding = |verdict| Finding {
            scenario: "ping".to_owned(),
            revision: "2025-11-25".to_owned(),
            server: Some("session"),
            verdict,
            said: String::new(),
            took: None,
        };
        assert!(finding(Verdict::Passed).is_good() && finding(Verdict::LeftOut("it cannot")).is_good());
        assert!(!finding(Verdict::Failed).is_good() && !finding(Verdict::Unexpected).is_good());
        assert_eq!(finding(Verdict::Passed).name(), "ping at 2025-11-25, server session");
    }
}
