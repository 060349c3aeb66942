//! The messages that wait to be sent to one app. They are numbered, and their size is limited. An app that
//! doesn't read them is disconnected when there are too many.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Notify;

use crate::recorded::{AppLog, Outgoing};

/// The most bytes that may wait when another message is added. One message may be larger than that.
const MAX_WAITING: usize = 8 << 20;
/// With this many bytes waiting, the gateway reads nothing more from the app until the app has read its
/// answers.
const PAUSE_AT: usize = 1 << 20;

/// Which messages a stream keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Only unread messages. With too many of them, the stream is full and accepts no more.
    Unread,
    /// Read messages too, up to this many bytes, for a reader that resumes. With too many unread messages,
    /// the stream is full.
    AlsoRead(usize),
    /// Up to this many bytes of read and unread messages. The oldest are dropped, because no one has to read
    /// them.
    Newest(usize),
}

#[derive(Debug)]
struct Held {
    lines: VecDeque<Outgoing>,
    /// The number of the first line that is kept. Numbers begin with 1.
    first: u64,
    /// The number of the first line that no one has read.
    unread: u64,
    /// The bytes of all lines.
    bytes: usize,
    /// The bytes of the lines that no one has read.
    unread_bytes: usize,
    has_ended: bool,
    is_full: bool,
    /// The number of readers that were created. Only the last one still reads.
    readers: u64,
}

/// A stream of messages to an app.
#[derive(Debug)]
pub(crate) struct Stream {
    held: Mutex<Held>,
    changed: Notify,
    /// Notified when the stream is full, and when few enough bytes wait again.
    load_changed: Notify,
    keep: Keep,
    /// Records the messages that are read.
    log: Option<Arc<AppLog>>,
}

/// The sending end of a stream, and whether the app reads questions from the stream. The stream ends when the
/// last clone is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Outbox(Arc<Sender>, bool);

#[derive(Debug)]
struct Sender(Arc<Stream>);

/// The receiving end of a stream. A new reader replaces the earlier one.
#[derive(Debug)]
pub(crate) struct Reader {
    stream: Arc<Stream>,
    next: u64,
    number: u64,
    /// A message that was read but isn't recorded yet.
    taken: Option<(u64, Outgoing)>,
}

impl Outbox {
    /// Creates a stream whose messages are recorded as they are read.
    pub(crate) fn new_recorded(keep: Keep, log: &Arc<AppLog>) -> (Self, Arc<Stream>) {
        Self::with_log(keep, Some(Arc::clone(log)))
    }

    /// Creates a stream without a log.
    #[cfg(test)]
    fn new(keep: Keep) -> (Self, Arc<Stream>) {
        Self::with_log(keep, None)
    }

    fn with_log(keep: Keep, log: Option<Arc<AppLog>>) -> (Self, Arc<Stream>) {
        let held = Held {
            lines: VecDeque::new(),
            first: 1,
            unread: 1,
            bytes: 0,
            unread_bytes: 0,
            has_ended: false,
            is_full: false,
            readers: 0,
        };
        let stream = Arc::new(Stream {
            held: Mutex::new(held),
            changed: Notify::new(),
            load_changed: Notify::new(),
            keep,
            log,
        });
        (Self(Arc::new(Sender(Arc::clone(&stream))), true), stream)
    }

    /// Marks that the app reads only its answer from this stream.
    pub(crate) fn without_questions(self) -> Self {
        Self(self.0, false)
    }

    /// Whether the app reads questions from this stream.
    pub(crate) fn takes_questions(&self) -> bool {
        self.1
    }

    /// Queues a message: one line of JSON. Returns at once.
    pub(crate) fn send(&self, message: impl Into<Outgoing>) {
        self.0.0.push(message.into());
    }

    /// Waits until few enough bytes are unread to accept more from the app.
    pub(crate) async fn wait_until_read(&self) {
        self.0.0.wait_until(|held| held.unread_bytes < PAUSE_AT).await;
    }

    /// Waits until the stream is full, because the app doesn't read it.
    pub(crate) async fn wait_until_full(&self) {
        self.0.0.wait_until(|held| held.is_full).await;
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Stream {
    fn lock_held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, message: Outgoing) {
        let mut held = self.lock_held();
        if held.is_full {
            return;
        }
        if held.unread_bytes > MAX_WAITING && !matches!(self.keep, Keep::Newest(_)) {
            held.is_full = true;
            self.load_changed.notify_waiters();
        } else {
            held.bytes += message.line.len();
            held.unread_bytes += message.line.len();
            held.lines.push_back(message);
            if let Keep::Newest(bytes) = self.keep {
                held.drop_oldest(bytes, true);
            }
        }
        drop(held);
        self.changed.notify_waiters();
    }

    /// Waits until `is_so` returns true. `is_so` is called whenever the load has changed.
    async fn wait_until(&self, is_so: impl Fn(&Held) -> bool) {
        loop {
            let changed = self.load_changed.notified();
            tokio::pin!(changed);
            // Changes are noticed from here on.
            changed.as_mut().enable();
            if is_so(&self.lock_held()) {
                return;
            }
            changed.await;
        }
    }

    /// Ends the stream. Its messages can still be read.
    pub(crate) fn close(&self) {
        self.lock_held().has_ended = true;
        self.changed.notify_waiters();
    }

    /// Whether the stream has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.lock_held().has_ended
    }

    /// Replaces the reader. The new reader begins after the message with the number `after`, or with the
    /// first unread message.
    pub(crate) fn replace_reader(self: &Arc<Self>, after: Option<u64>) -> Reader {
        let mut held = self.lock_held();
        held.readers += 1;
        let next = after.map_or(held.unread, |after| after.saturating_add(1));
        let reader = Reader { stream: Arc::clone(self), next, number: held.readers, taken: None };
        drop(held);
        self.changed.notify_waiters();
        reader
    }
}

impl Held {
    /// Drops the oldest messages until at most `bytes` are left. Drops unread ones only if `also_unread` is
    /// set.
    fn drop_oldest(&mut self, bytes: usize, also_unread: bool) {
        while self.bytes > bytes && (also_unread || self.first < self.unread) {
            let Some(message) = self.lines.pop_front() else { return };
            self.bytes -= message.line.len();
            if self.first >= self.unread {
                self.unread = self.first + 1;
                self.unread_bytes -= message.line.len();
            }
            self.first += 1;
        }
    }

    /// Reads the message with this number, or the first later message that is still kept.
    fn read_line(&mut self, next: u64, keep: Keep) -> Option<(u64, Outgoing)> {
        let number = next.max(self.first);
        if keep == Keep::Unread {
            let message = self.lines.pop_front()?;
            self.first += 1;
            self.unread = self.first;
            self.bytes -= message.line.len();
            self.unread_bytes -= message.line.len();
            return Some((number, message));
        }
        let at = usize::try_from(number - self.first).ok()?;
        let message = self.lines.get(at)?.clone();
        if number >= self.unread {
            self.unread = number + 1;
            self.unread_bytes -= message.line.len();
        }
        if let Keep::AlsoRead(bytes) | Keep::Newest(bytes) = keep {
            self.drop_oldest(bytes, false);
        }
        Some((number, message))
    }
}

impl Reader {
    /// The next message and its number. `None` at the end, or when another reader has replaced this one.
    /// Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<(u64, String)> {
        if self.taken.is_none() {
            self.taken = Some(self.take_next_message().await?);
        }
        if let (Some((_, message)), Some(log)) = (&self.taken, &self.stream.log) {
            log.record_sent(message).await;
        }
        self.taken.take().map(|(number, message)| (number, message.line))
    }

    async fn take_next_message(&mut self) -> Option<(u64, Outgoing)> {
        loop {
            let changed = self.stream.changed.notified();
            tokio::pin!(changed);
            // Changes are noticed from here on.
            changed.as_mut().enable();
            {
                let mut held = self.stream.lock_held();
                if held.readers != self.number || held.is_full {
                    return None;
                }
                let before = held.unread_bytes;
                if let Some((number, message)) = held.read_line(self.next, self.stream.keep) {
                    self.next = number + 1;
                    if before >= PAUSE_AT && held.unread_bytes < PAUSE_AT {
                        self.stream.load_changed.notify_waiters();
                    }
                    return Some((number, message));
                }
                if held.has_ended {
                    return None;
                }
            }
            changed.await;
        }
    }

    /// Writes messages as lines until the end of the stream, or until the app stops reading.
    pub(crate) async fn write_to(mut self, mut to: impl AsyncWrite + Unpin) -> std::io::Result<()> {
        while let Some((_, mut line)) = self.next().await {
            line.push('\n');
            to.write_all(line.as_bytes()).await?;
            to.flush().await?;
        }
        to.shutdown().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reader_that_comes_again_reads_on() {
        let (out, stream) = Outbox::new(Keep::AlsoRead(3));
        for line in ["a", "b", "c"] {
            out.send(line.to_owned());
        }
        let mut first = stream.replace_reader(None);
        assert_eq!(first.next().await, Some((1, "a".to_owned())));
        assert_eq!(first.next().await, Some((2, "b".to_owned())));
        // The last message that the first reader read may not have reached the app.
        let mut second = stream.replace_reader(Some(1));
        assert_eq!(first.next().await, None, "another one reads");
        assert_eq!(second.next().await, Some((2, "b".to_owned())));
        out.send("d".to_owned());
        drop(out);
        assert_eq!(second.next().await, Some((3, "c".to_owned())));
        assert_eq!(second.next().await, Some((4, "d".to_owned())));
        assert_eq!(second.next().await, None);
        // At most three bytes are kept: the first message is gone.
        let mut third = stream.replace_reader(Some(0));
        assert_eq!(third.next().await, Some((2, "b".to_owned())));
    }

    #[tokio::test]
    async fn what_waits_is_bounded() {
        let large = "x".repeat(MAX_WAITING / 2);
        for (keep, full) in
            [(Keep::Unread, true), (Keep::AlsoRead(1), true), (Keep::Newest(MAX_WAITING), false)]
        {
            let (out, stream) = Outbox::new(keep);
            for _ in 0..4 {
                out.send(large.clone());
            }
            assert_eq!(stream.lock_held().is_full, full, "{keep:?}");
            let first = stream.replace_reader(None).next().await.map(|(number, _)| number);
            assert_eq!(first, if full { None } else { Some(3) }, "{keep:?}");
        }
        // Read messages make room, and one message may be larger than the limit.
        let (out, stream) = Outbox::new(Keep::Unread);
        let mut reader = stream.replace_reader(None);
        for number in 1..=4 {
            out.send("x".repeat(3 * MAX_WAITING));
            assert_eq!(reader.next().await.map(|(number, _)| number), Some(number));
        }
        assert!(!stream.lock_held().is_full && stream.lock_held().unread_bytes == 0);
    }
}
