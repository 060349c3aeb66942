//! The report as the command line prints it with `--json`.

use mooring_words::Sentence;
use serde::Serialize;

use crate::check::{Check, Fix};
use crate::report::DoctorReport;

/// The report.
#[derive(Debug, Serialize)]
pub struct ReportJson<'a> {
    version: &'a str,
    system: &'a str,
    target: Option<&'a str>,
    failed: usize,
    checks: Vec<CheckJson<'a>>,
}

#[derive(Debug, Serialize)]
struct CheckJson<'a> {
    code: &'static str,
    title: &'a str,
    subject: Option<&'a str>,
    outcome: &'static str,
    evidence: Vec<&'a str>,
    quoted: Option<&'a str>,
    error: Option<&'a str>,
    next: Option<&'a str>,
    fix: Option<&'a Fix>,
    took_ms: u64,
}

impl DoctorReport {
    /// The report in the form of the command line.
    pub fn to_json(&self) -> ReportJson<'_> {
        ReportJson {
            version: &self.version,
            system: &self.system,
            target: self.target.as_deref(),
            failed: self.failed_count(),
            checks: self.checks.iter().map(CheckJson::from).collect(),
        }
    }
}

impl<'a> From<&'a Check> for CheckJson<'a> {
    fn from(check: &'a Check) -> Self {
        Self {
            code: check.code.as_str(),
            title: &check.title,
            subject: check.subject.as_deref(),
            outcome: check.outcome.as_str(),
            evidence: check.evidence.iter().map(Sentence::as_str).collect(),
            quoted: check.quoted.as_deref(),
            error: check.error.as_deref(),
            next: check.next.as_deref(),
            fix: check.fix.as_ref(),
            took_ms: u64::try_from(check.took.as_millis()).unwrap_or(u64::MAX),
        }
    }
}
