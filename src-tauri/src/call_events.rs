//! Sends a server's events during a call to the window. A server can send faster than the window draws, and
//! the window's channel is unbounded. So this module collects events within limits and sends them in
//! batches: the latest progress, the newest log messages, and how many were dropped.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_calls::CallEvent;
use serde_json::value::to_raw_value;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::sink::Sink;

/// The shortest time between two batches.
const BATCH_INTERVAL: Duration = Duration::from_millis(32);
/// The most log messages in a batch.
const MAX_LINES: usize = 200;
/// The most bytes of log messages in a batch. A single larger message is still sent.
const MAX_BYTES: usize = 512 << 10;

/// The events of one call. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct CallEvents(Arc<Inner>);

#[derive(Default)]
struct Inner {
    waiting: Mutex<PendingEvents>,
    changed: Notify,
}

/// The events since the last batch.
#[derive(Default)]
struct PendingEvents {
    progress: Option<CallEvent>,
    lines: VecDeque<CallEvent>,
    bytes: usize,
    dropped: u64,
}

impl CallEvents {
    /// Adds an event. Never blocks.
    pub(crate) fn push(&self, event: CallEvent) {
        self.lock().push(event);
        self.0.changed.notify_one();
    }

    /// Sends batch after batch until the future is dropped.
    pub(crate) async fn forward(&self, sink: &Sink<CallEvent>) -> ! {
        let mut next = Instant::now();
        loop {
            self.0.changed.notified().await;
            sleep_until(next).await;
            self.flush(sink);
            next = Instant::now() + BATCH_INTERVAL;
        }
    }

    /// Sends the pending events. If the window is gone, the rest is dropped: its calls end with its page.
    pub(crate) fn flush(&self, sink: &Sink<CallEvent>) {
        let waiting = std::mem::take(&mut *self.lock());
        let note = (waiting.dropped > 0).then(|| dropped_notice(waiting.dropped));
        for event in note.into_iter().chain(waiting.lines).chain(waiting.progress) {
            if !sink(event) {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, PendingEvents> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingEvents {
    fn push(&mut self, event: CallEvent) {
        if matches!(event, CallEvent::Progress { .. }) {
            self.progress = Some(event);
            return;
        }
        self.bytes += size(&event);
        self.lines.push_back(event);
        while self.lines.len() > 1 && (self.lines.len() > MAX_LINES || self.bytes > MAX_BYTES) {
            if let Some(oldest) = self.lines.pop_front() {
                self.bytes -= size(&oldest);
                self.dropped += 1;
            }
        }
    }
}

fn size(event: &CallEvent) -> usize {
    match event {
        CallEvent::Log { level, logger, data } => {
            level.len() + logger.as_ref().map_or(0, String::len) + data.get().len()
        }
        CallEvent::Progress { message, .. } => message.as_ref().map_or(0, String::len),
    }
}

/// The log message that replaces the dropped ones.
fn dropped_notice(count: u64) -> CallEvent {
    let words = format!("{count} log messages came too fast to be shown here; all of them are in the log");
    CallEvent::Log {
        level: "notice".to_owned(),
        logger: Some("Mooring".to_owned()),
        data: to_raw_value(&words).unwrap_or_default().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: usize, bytes: usize) -> CallEvent {
        CallEvent::Log {
            level: "info".to_owned(),
            logger: None,
            data: to_raw_value(&format!("{number}{}", " ".repeat(bytes))).unwrap().into(),
        }
    }

    fn progress(number: u32) -> CallEvent {
        CallEvent::Progress { progress: number.into(), total: None, message: None }
    }

    /// The sent events and when they were sent.
    type Sent = Arc<Mutex<Vec<(Instant, CallEvent)>>>;

    fn sink() -> (Sink<CallEvent>, Sent) {
        let sent = Sent::default();
        let into = Arc::clone(&sent);
        let sink = move |event| {
            into.lock().unwrap().push((Instant::now(), event));
            true
        };
        (Box::new(sink), sent)
    }

    fn flushed(events: &CallEvents) -> Vec<CallEvent> {
        let (sink, sent) = sink();
        events.flush(&sink);
        sent.lock().unwrap().drain(..).map(|(_, event)| event).collect()
    }

    #[test]
    fn batch_has_newest_lines_latest_progress_and_a_drop_count() {
        let events = CallEvents::default();
        for number in 0..5_000 {
            events.push(line(number, 0));
            events.push(progress(number.try_into().unwrap()));
        }
        let batch = flushed(&events);
        assert_eq!(batch.len(), 1 + MAX_LINES + 1);
        assert_eq!(batch[0], dropped_notice(4_800));
        assert_eq!(batch[1..=MAX_LINES], (4_800..5_000).map(|number| line(number, 0)).collect::<Vec<_>>());
        assert_eq!(batch[MAX_LINES + 1], progress(4_999));
        assert_eq!(flushed(&events), []);
        events.push(line(1, 0));
        assert_eq!(flushed(&events), [line(1, 0)]);
    }

    #[test]
    fn long_lines_are_bounded_by_their_bytes_and_one_always_goes() {
        let events = CallEvents::default();
        for number in 0..1_000 {
            events.push(line(number, 16 << 10));
        }
        assert!(events.lock().bytes <= MAX_BYTES);
        let batch = flushed(&events);
        assert!((30..=33).contains(&batch.len()), "{}", batch.len());
        events.push(line(0, 2 * MAX_BYTES));
        assert_eq!(flushed(&events).len(), 1);
    }

    #[tokio::test]
    async fn batches_keep_their_distance_and_the_first_does_not_wait() {
        let events = CallEvents::default();
        let (sink, sent) = sink();
        let started = Instant::now();
        let talk = async {
            for number in 0_u32.. {
                if started.elapsed() > 8 * BATCH_INTERVAL {
                    break;
                }
                events.push(progress(number));
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            never = events.forward(&sink) => never,
            () = talk => {}
        }
        let sent: Vec<Instant> = sent.lock().unwrap().iter().map(|(at, _)| *at).collect();
        assert!((2..=9).contains(&sent.len()), "{}", sent.len());
        assert!(sent.windows(2).all(|pair| pair[1] - pair[0] >= BATCH_INTERVAL), "{sent:?}");
    }
}
