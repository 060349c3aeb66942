//! What waits to be sent to one app. An app that does not read may have so much waiting, and is disconnected then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The most that may wait when another message comes, in bytes. One message may be larger than that.
const MAX_WAITING: usize = 8 << 20;

/// Where messages to an app go. Clones share the queue.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    lines: UnboundedSender<String>,
    waiting: Arc<AtomicUsize>,
    is_full: Arc<AtomicBool>,
}

/// The other end, which writes them.
#[derive(Debug)]
pub(crate) struct OutboxWriter {
    lines: UnboundedReceiver<String>,
    waiting: Arc<AtomicUsize>,
}

impl Outbox {
    pub(crate) fn new() -> (Self, OutboxWriter) {
        let (sender, lines) = unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let outbox =
            Self { lines: sender, waiting: Arc::clone(&waiting), is_full: Arc::new(AtomicBool::new(false)) };
        (outbox, OutboxWriter { lines, waiting })
    }

    /// Queues a message: one line of JSON. Returns at once.
    pub(crate) fn send(&self, line: String) {
        if self.is_full.load(Ordering::Relaxed) {
            return;
        }
        if self.waiting.fetch_add(line.len(), Ordering::Relaxed) > MAX_WAITING {
            self.is_full.store(true, Ordering::Relaxed);
            return;
        }
        // Without a writer the app is gone.
        let _app_is_gone = self.lines.send(line);
    }

    /// Whether less than this waits, in bytes.
    pub(crate) fn has_less_than(&self, bytes: usize) -> bool {
        self.waiting.load(Ordering::Relaxed) < bytes
    }

    /// Whether more had to wait than may: the app does not read.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }
}

impl OutboxWriter {
    /// Writes what comes until every sender is gone or the app no longer takes it.
    pub(crate) async fn run(mut self, mut to: impl AsyncWrite + Unpin) -> std::io::Result<()> {
        while let Some(mut line) = self.lines.recv().await {
            let length = line.len();
            line.push('\n');
            to.write_all(line.as_bytes()).await?;
            self.waiting.fetch_sub(length, Ordering::Relaxed);
            if self.lines.is_empty() {
                to.flush().await?;
            }
        }
        to.shutdown().await
    }
}
