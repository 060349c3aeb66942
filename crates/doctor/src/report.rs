//! The report of all checks, also as a text for a bug report.

use std::fmt::Write as _;

use mooring_words::Sentence;
use serde::Serialize;
use ts_rs::TS;

use crate::check::{Check, CheckOutcome};

/// The result of all checks. Contains no secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DoctorReport {
    /// The version of Mooring.
    pub version: String,
    /// The operating system and the processor.
    pub system: String,
    /// The name of the server. `None` for Mooring as a whole.
    pub target: Option<String>,
    /// The checks, in order.
    pub checks: Vec<Check>,
}

impl DoctorReport {
    pub(crate) fn new(target: Option<String>, checks: Vec<Check>) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            target,
            checks,
        }
    }

    /// How many checks failed.
    pub fn failed_count(&self) -> usize {
        self.checks.iter().filter(|check| check.outcome == CheckOutcome::Failed).count()
    }

    /// The report as a text for a bug report, in English. The home folder is replaced, because it has the
    /// person's name.
    pub fn to_text(&self) -> String {
        let mut text = format!("Mooring {} on {}\n", self.version, self.system);
        if let Some(target) = &self.target {
            // Writing to a string doesn't fail.
            let _written = writeln!(text, "Server: {target}");
        }
        for check in &self.checks {
            text.push_str(&check_text(check));
        }
        let home = std::env::home_dir().map(|home| home.display().to_string());
        match home.filter(|home| home.len() > 1) {
            Some(home) => text.replace(&home, "~"),
            None => text,
        }
    }
}

fn check_text(check: &Check) -> String {
    let mut text = format!("\n[{}] {}", check.outcome.as_str(), check.title);
    if let Some(subject) = &check.subject {
        text.push_str(": ");
        text.push_str(subject);
    }
    text.push_str(" (");
    text.push_str(check.anchor());
    text.push_str(")\n");
    let mut line = |mark: &str, words: &str| {
        text.push_str(mark);
        text.push_str(words);
        text.push('\n');
    };
    check.evidence.iter().map(Sentence::as_str).for_each(|sentence| line("  ", sentence));
    check.quoted.iter().flat_map(|quoted| quoted.lines()).for_each(|quoted| line("  | ", quoted));
    check.next.iter().for_each(|next| line("  -> ", next));
    text
}
