//! Opens URLs that the person accepted. The decision does not wait for the browser; its errors are shown with
//! the question. A request is answered with accept only once the URL is open or the person confirms it. A
//! call that waits for completion also continues with `notifications/elicitation/complete`.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use mooring_words::{Sentence, say};
use url::Url;

use super::Interactions;
use crate::question::InteractionQuestion;
use crate::queue::{Phase, QueuedQuestion};
use crate::request::InteractionDecision;
use crate::url_opening::UrlOpening;
use crate::view::Remember;

/// The browser is reported as unresponsive after this time. It may still open the URL.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of URLs that are being opened at once.
const MAX_OPENINGS: usize = 16;

impl QueuedQuestion {
    /// Starts the next attempt to open the question's URL. Returns the attempt's number and the URL.
    pub(super) fn start_attempt(&mut self) -> Option<(u64, Url)> {
        let InteractionQuestion::Url { address, problem, .. } = &mut self.question else { return None };
        let url = Url::parse(&address.url).ok()?;
        *problem = None;
        self.open_attempts += 1;
        Some((self.open_attempts, url))
    }
}

impl Interactions {
    /// Opens the URL of an accepted question.
    pub(super) fn open_in_browser(self: &Arc<Self>, key: u64, number: u64, url: Url) {
        let browser = (self.browser)();
        let interactions = Arc::downgrade(self);
        let visit = {
            let mut visits = self.openings.0.lock().unwrap_or_else(PoisonError::into_inner);
            while visits.try_join_next().is_some() {}
            (visits.len() < MAX_OPENINGS).then(|| {
                visits.spawn(async move {
                    let tell = |outcome| {
                        // Without the interactions, no one sees the result.
                        if let Some(interactions) = interactions.upgrade() {
                            interactions.record_opened(key, number, outcome);
                        }
                    };
                    let mut opening = browser.visit(&url);
                    let outcome =
                        if let Ok(outcome) = tokio::time::timeout(BROWSER_TIMEOUT, &mut opening).await {
                            outcome
                        } else {
                            tell(Err(say!("the browser hasn’t answered so far; it may still open the URL")));
                            opening.await
                        };
                    tell(outcome.map_err(|error| error.sentence().clone()));
                })
            })
        };
        let Some(visit) = visit.map(UrlOpening) else {
            return self.record_opened(key, number, Err(say!("too many links are being opened")));
        };
        // Drops the previous attempt. If the question is gone, this drops the new one.
        let before = {
            let mut queue = self.queue();
            let entry = queue.entries.get_mut(&key).filter(|entry| entry.open_attempts == number);
            entry.and_then(|entry| entry.opening.replace(visit))
        };
        drop(before);
    }

    /// Records that the browser opened the URL, or why it didn't.
    pub(super) fn record_opened(&self, key: u64, number: u64, outcome: Result<(), Sentence>) {
        let mut queue = self.queue();
        // The question is gone, or there is a newer attempt.
        let Some(entry) = queue.entries.get_mut(&key).filter(|entry| entry.open_attempts == number) else {
            return;
        };
        let InteractionQuestion::Url { problem, .. } = &mut entry.question else { return };
        let server = entry.asker.server;
        // If the first attempt succeeds, there is no earlier problem to clear.
        let is_first_success = outcome.is_ok() && problem.is_none() && number <= 1;
        *problem = outcome.err();
        if !is_first_success {
            self.records.save_problem(entry.id, problem.as_ref());
        }
        let is_told = problem.is_none() && !entry.awaits_completion && entry.phase == Phase::Opened;
        let answer = if is_told { entry.answer.take() } else { None };
        if is_told && entry.elicitation_id.is_none() {
            // The server will not report completion.
            queue.entries.remove(&key);
        }
        drop(queue);
        if let Some(answer) = answer {
            // The asker may be gone.
            let _gone =
                answer.send(InteractionDecision::Accepted { content: None, remember: Remember::Once });
        }
        self.notify_changed(Some(server));
    }
}
