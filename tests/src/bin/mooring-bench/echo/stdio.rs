//! The echo server on standard input and output: one thread, one read and one write per batch.

use std::io::{Read as _, Write as _};

use super::answer::EchoResponder;

/// Serves until the input ends.
pub(crate) fn serve() -> anyhow::Result<()> {
    let mut answers = EchoResponder::default();
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut buffer = Vec::with_capacity(256 * 1024);
    let mut chunk = vec![0; 64 * 1024];
    let mut out = Vec::with_capacity(256 * 1024);
    loop {
        let size = input.read(&mut chunk)?;
        if size == 0 {
            return Ok(());
        }
        buffer.extend_from_slice(chunk.get(..size).unwrap_or_default());
        let mut done = 0;
        while let Some(length) = memchr::memchr(b'\n', buffer.get(done..).unwrap_or_default()) {
            let line = buffer.get(done..done + length).unwrap_or_default();
            if answers.append(line, &mut out) {
                out.push(b'\n');
            }
            done += length + 1;
        }
        buffer.drain(..done);
        output.write_all(&out)?;
        output.flush()?;
        out.clear();
    }
}
