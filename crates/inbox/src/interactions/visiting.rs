//! Opening addresses that the person agreed to. Their decision does not wait for the browser; what goes wrong with it is
//! said where the question is shown. Whoever asked with a request hears of a yes only once the address is open, or the
//! person says that they were there; a call that waits until it is done goes on when the server says that it is, too.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use mooring_words::{Sentence, say};
use url::Url;

use super::Interactions;
use crate::asking::Decided;
use crate::queue::{Entry, Phase};
use crate::view::{InteractionQuestion, Remember};
use crate::visit::Visit;

/// A browser that says nothing for so long is said not to answer. It may still open the address.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many addresses are being opened at once.
const MOST: usize = 16;

impl Entry {
    /// The next try to open its address: its number, and the address.
    pub(super) fn begin_visit(&mut self) -> Option<(u64, Url)> {
        let InteractionQuestion::Url { address, problem, .. } = &mut self.question else { return None };
        let url = Url::parse(&address.url).ok()?;
        *problem = None;
        self.visits += 1;
        Some((self.visits, url))
    }
}

impl Interactions {
    /// Opens the address of a question that was agreed to.
    pub(super) fn visit(self: &Arc<Self>, key: u64, number: u64, url: Url) {
        let browser = (self.browser)();
        let interactions = Arc::downgrade(self);
        let visit = {
            let mut visits = self.visits.0.lock().unwrap_or_else(PoisonError::into_inner);
            while visits.try_join_next().is_some() {}
            (visits.len() < MOST).then(|| {
                visits.spawn(async move {
                    let tell = |outcome| {
                        // Without it nobody is shown anything.
                        if let Some(interactions) = interactions.upgrade() {
                            interactions.visited(key, number, outcome);
                        }
                    };
                    let mut opening = browser.visit(&url);
                    let outcome = if let Ok(outcome) = tokio::time::timeout(PATIENCE, &mut opening).await {
                        outcome
                    } else {
                        tell(Err(say!("the browser has not answered so far; it may still open the address")));
                        opening.await
                    };
                    tell(outcome.map_err(|error| error.sentence().clone()));
                })
            })
        };
        let Some(visit) = visit.map(Visit) else {
            return self.visited(key, number, Err(say!("too many addresses are being opened")));
        };
        // Of the one before it nothing is awaited any more. Gone meanwhile, it is given up at once.
        let before = {
            let mut queue = self.queue();
            let entry = queue.entries.get_mut(&key).filter(|entry| entry.visits == number);
            entry.and_then(|entry| entry.visit.replace(visit))
        };
        drop(before);
    }

    /// The browser has opened an address, or says why not.
    pub(super) fn visited(&self, key: u64, number: u64, outcome: Result<(), Sentence>) {
        let mut queue = self.queue();
        // Gone, or being opened once more.
        let Some(entry) = queue.entries.get_mut(&key).filter(|entry| entry.visits == number) else { return };
        let InteractionQuestion::Url { problem, .. } = &mut entry.question else { return };
        let server = entry.asker.server;
        *problem = outcome.err();
        let is_told = problem.is_none() && !entry.awaits_done && entry.phase == Phase::Opened;
        let answer = if is_told { entry.answer.take() } else { None };
        if is_told && entry.elicitation.is_none() {
            // Nothing will ever tell that it is done.
            queue.entries.remove(&key);
        }
        drop(queue);
        if let Some(answer) = answer {
            // Whoever asked may have gone.
            let _gone = answer.send(Decided::Accepted { content: None, remember: Remember::Once });
        }
        self.changed(Some(server));
    }
}
