//! What the suite found: read from its files, and printed.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::output;

/// What came of a run: of one scenario at one revision.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) scenario: String,
    pub(super) revision: String,
    /// Which server answered, where that is ours to choose.
    pub(super) server: Option<&'static str>,
    pub(super) verdict: Verdict,
    /// How many checks ended how, or why there are none.
    pub(super) said: String,
    /// How long it took, where it ran alone.
    pub(super) took: Option<Duration>,
}

/// How a run ended, and whether that is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    Failed,
    /// It did not pass, and for this reason it cannot.
    LeftOut(&'static str),
    /// It passed, and is listed as one that cannot.
    Unexpected,
}

impl Verdict {
    /// `reason`: why this run cannot pass, if so.
    pub(super) fn new(passes: bool, reason: Option<&'static str>) -> Self {
        match (passes, reason) {
            (true, None) => Self::Passed,
            (false, None) => Self::Failed,
            (false, Some(reason)) => Self::LeftOut(reason),
            (true, Some(_)) => Self::Unexpected,
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

    /// Which run it is.
    pub(super) fn name(&self) -> String {
        let server = self.server.map(|server| format!(", server {server}")).unwrap_or_default();
        format!("{} at {}{server}", self.scenario, self.revision)
    }

    /// What is to be said about it beside the counts.
    fn note(&self) -> String {
        match self.verdict {
            Verdict::Passed | Verdict::Failed => String::new(),
            Verdict::LeftOut(reason) => format!(" ({reason})"),
            Verdict::Unexpected => " (listed as one that cannot pass: take it off the list)".to_owned(),
        }
    }
}

/// How many checks of a scenario ended how.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Checks(BTreeMap<String, usize>);

impl Checks {
    /// Counts what the suite wrote to a folder, or to those in it.
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
            *self.0.entry(status).or_default() += 1;
        }
        Ok(())
    }

    pub(super) fn pass(&self) -> bool {
        let count = |name| self.0.get(name).copied().unwrap_or(0);
        count("success") > 0 && count("warning") == 0 && count("failure") == 0
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return formatter.write_str("no checks");
        }
        let said: Vec<_> = self.0.iter().map(|(status, count)| format!("{count} {status}")).collect();
        formatter.write_str(&said.join(", "))
    }
}

/// The files of checks; the suite makes folders of the parts of a scenario's name.
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
            let checks: Value = statuses.iter().map(|status| json!({"status": status})).collect();
            let scenario = folder.path().join("auth");
            fs::create_dir_all(&scenario).unwrap();
            fs::write(scenario.join("checks.json"), checks.to_string()).unwrap();
            let read = Checks::read(folder.path()).unwrap();
            assert_eq!((read.pass(), &*read.to_string()), (passes, said));
        }
    }

    #[test]
    fn a_run_on_the_list_is_right_only_when_it_fails() {
        let finding = |passes, reason| Finding {
            scenario: "ping".to_owned(),
            revision: "2025-11-25".to_owned(),
            server: Some("session"),
            verdict: Verdict::new(passes, reason),
            said: String::new(),
            took: None,
        };
        for (passes, reason, is_good) in [
            (true, None, true),
            (false, None, false),
            (false, Some("it cannot"), true),
            (true, Some("it cannot"), false),
        ] {
            assert_eq!(finding(passes, reason).is_good(), is_good, "{passes} {reason:?}");
        }
        assert_eq!(finding(true, None).name(), "ping at 2025-11-25, server session");
    }
}
