//! Lines that wait to be written to one side of the bridge.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

/// How many bytes stay allocated once the queue is empty. Large messages are rare.
const KEPT_BYTES: usize = 64 << 10;

/// Lines as bytes, in order.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    bytes: VecDeque<u8>,
}

impl Queue {
    pub(crate) fn push(&mut self, line: &str) {
        self.bytes.extend(line.as_bytes());
        self.bytes.push_back(b'\n');
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The number of bytes that wait.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn clear(&mut self) {
        self.bytes = VecDeque::new();
    }

    /// Writes some of the waiting bytes. Cancel safe: nothing is lost or written twice.
    pub(crate) async fn write_some(&mut self, to: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let (next, _) = self.bytes.as_slices();
        let written = to.write(next).await?;
        if written == 0 && !next.is_empty() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.bytes.drain(..written);
        if self.bytes.is_empty() {
            self.bytes.shrink_to(KEPT_BYTES);
            to.flush().await?;
        }
        Ok(())
    }

    /// Writes all waiting bytes.
    pub(crate) async fn write_all(&mut self, to: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        while !self.is_empty() {
            self.write_some(to).await?;
        }
        Ok(())
    }
}
