//! Runs checks one after the other, and passes each on without secrets.

use std::time::{Duration, Instant};

use mooring_recorder::Recorder;
use mooring_words::{Sentence, say};

use crate::check::{Check, CheckCode, CheckOutcome};

/// Is called with each check as soon as it has a result.
pub type OnCheck<'a> = &'a (dyn Fn(&Check) + Send + Sync);

/// The checks so far.
pub(crate) struct Run<'a> {
    checks: Vec<Check>,
    on_check: OnCheck<'a>,
    redactor: Recorder,
    last: Instant,
    /// The check whose failure makes the following ones pointless.
    blocked_by: Option<CheckCode>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(redactor: Recorder, on_check: OnCheck<'a>) -> Self {
        Self { checks: Vec::new(), on_check, redactor, last: Instant::now(), blocked_by: None }
    }

    /// Removes secrets from the results.
    pub(crate) fn redactor(&self) -> &Recorder {
        &self.redactor
    }

    /// Adds a result.
    pub(crate) fn add(&mut self, check: Check) {
        let redact = |sentence: &Sentence| self.redactor.redact_sentence(sentence);
        let check = Check {
            evidence: check.evidence.iter().map(redact).collect(),
            next: check.next.as_ref().map(redact),
            quoted: check.quoted.as_deref().map(|quoted| self.redactor.redact_evidence(quoted)),
            took: self.last.elapsed(),
            ..check
        };
        self.last = Instant::now();
        (self.on_check)(&check);
        self.checks.push(check);
    }

    /// Adds a result. If it is a failure, the following checks are skipped.
    pub(crate) fn add_required(&mut self, check: Check) {
        if check.outcome == CheckOutcome::Failed {
            self.blocked_by = Some(check.code);
        }
        self.add(check);
    }

    /// The reason why a check is skipped after an earlier failure.
    pub(crate) fn blocked(&self) -> Option<Sentence> {
        self.blocked_by.map(|code| say!("“{check}” failed", check = code.title()))
    }

    pub(crate) fn is_blocked(&self) -> bool {
        self.blocked_by.is_some()
    }

    /// Skips these checks because of the earlier failure.
    pub(crate) fn skip_blocked(&mut self, codes: &[CheckCode]) {
        for code in codes {
            if let Some(reason) = self.blocked() {
                self.add(Check::skipped(*code, reason));
            }
        }
    }

    pub(crate) fn finish(self) -> Vec<Check> {
        self.checks
    }
}

/// Waits for a result, or returns a failed check if that takes too long.
pub(crate) async fn within<T>(
    limit: Duration,
    code: CheckCode,
    work: impl Future<Output = T>,
) -> Result<T, Check> {
    tokio::time::timeout(limit, work).await.map_err(|_| {
        Check::failed(code, [say!("no result within {seconds} s", seconds = limit.as_secs())])
            .next(say!("Try again. If it happens again, report it with the report of these checks."))
    })
}
