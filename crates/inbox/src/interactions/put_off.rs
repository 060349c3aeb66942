//! Puts questions off. Such a question still waits and can be answered. It only no longer blocks other
//! questions, and neither the badge nor notifications show it. This ends with the run, like the question
//! itself.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::Interactions;
use crate::error::{AnswerError, InboxError};
use crate::queue::Phase;
use crate::view::PutOff;

/// The longest time before a question comes back.
const LONGEST: Duration = Duration::from_hours(24);

impl Interactions {
    /// Hides a question for `time`, or until the run ends if it is `None`. It comes back automatically.
    pub fn put_off(self: &Arc<Self>, id: i64, time: Option<Duration>) -> Result<(), InboxError> {
        let time = time.map(|time| time.min(LONGEST));
        let now_ms = self.clock.now().wall_ms;
        let until_ms =
            time.map(|time| now_ms.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)));
        let put_off = PutOff { until_ms };
        let (key, server) = {
            let mut queue = self.queue();
            let key = queue.find(id).ok_or(AnswerError::NotWaiting)?;
            let entry = queue.entries.get_mut(&key).filter(|entry| entry.phase == Phase::Waiting);
            let entry = entry.ok_or(AnswerError::NotWaiting)?;
            entry.put_off = Some(put_off);
            (key, entry.asker.server)
        };
        if let Some(time) = time {
            let interactions = Arc::downgrade(self);
            let mut returns = self.returns.lock().unwrap_or_else(PoisonError::into_inner);
            while returns.try_join_next().is_some() {}
            returns.spawn(async move {
                tokio::time::sleep(time).await;
                // Without the interactions, no one sees the question.
                let Some(interactions) = interactions.upgrade() else { return };
                // If the question was put off again, the later timer brings it back.
                interactions.return_to_queue(key, |now| now == put_off);
            });
        }
        self.notify_changed(Some(server));
        Ok(())
    }

    /// Shows a question again that was put off.
    pub fn bring_back(&self, id: i64) -> Result<(), InboxError> {
        let key = self.queue().find(id).ok_or(AnswerError::NotWaiting)?;
        self.return_to_queue(key, |_| true);
        Ok(())
    }

    fn return_to_queue(&self, key: u64, is_due: impl Fn(PutOff) -> bool) {
        let server = {
            let mut queue = self.queue();
            let entry = queue.entries.get_mut(&key).filter(|entry| entry.put_off.is_some_and(&is_due));
            entry.map(|entry| {
                entry.put_off = None;
                entry.asker.server
            })
        };
        if server.is_some() {
            self.notify_changed(server);
        }
    }
}
