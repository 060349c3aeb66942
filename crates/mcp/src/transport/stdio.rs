//! The stdio transport: one process, one message per line. The process tree ends with the connection.

mod stderr;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use memchr::memchr;
use mooring_process::{ProcessControl, ProcessExit, ServerProcess, ShutdownGrace, UnreadInput};
use mooring_words::{io_error_sentence, say};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

pub(crate) use self::stderr::StderrTail;
pub use self::stderr::telling_line;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::CloseReason;
use crate::frame::ResponseIdScanner;
use crate::message::read_own_id;
use crate::outgoing::OutgoingMessage;
use crate::text::cut_text;
use crate::transport::sink::FrameSink;
use crate::transport::{OVERSIZE_HEAD, Stop, wait_for_stop};

/// The smallest capacity of a read. An idle connection keeps this much allocated.
const READ: usize = 1024;
/// The largest capacity of a read, which is the pipe's capacity.
const LARGEST_READ: usize = 256 * 1024;
/// The longest unfinished line that is remembered. Longer lines are incomplete messages.
const LONGEST_PROMPT: usize = 4 * 1024;
/// A line of stderr counts as this many bytes besides its length toward the limit on unsolicited messages. So
/// does an empty line of stdout, except the first after a message, which some servers always write.
const REPORT: usize = 4 * 1024;
/// The most messages that are joined to one write.
const JOINED_MESSAGES: usize = 64;
/// A joined write is sent once it has this many bytes.
const JOINED_BYTES: usize = 64 * 1024;
/// How long to wait for more output after the process ended.
const DRAIN: Duration = Duration::from_millis(500);
/// How long handling that output may take. It may have to wait for the tap.
const LONGEST_DRAIN: Duration = Duration::from_secs(5);
/// The interval for checking whether the reader waits for output.
const IDLE_POLL: Duration = Duration::from_millis(50);
/// How long an oversized response is read before its request fails, so that the error can have the size.
const OVERSIZE_WAIT: Duration = Duration::from_secs(2);
/// The deadline for the last messages when the connection ends.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(200);
/// How long a process may live after it closed its output.
const EXIT_WAIT: Duration = Duration::from_secs(2);

/// How long the process of a failed connection may take to end.
const SHORT: ShutdownGrace =
    ShutdownGrace { stdin: Duration::from_millis(500), term: Duration::from_millis(500) };

/// The server's stdin. Dropping it also closes `unread`.
struct ServerStdin {
    pipe: ChildStdin,
    unread: Arc<UnreadInput>,
}

impl Drop for ServerStdin {
    fn drop(&mut self) {
        self.unread.close();
    }
}

/// The server's stdout, and whether the reader waits for it.
struct ServerStdout {
    pipe: ChildStdout,
    idle: Arc<AtomicBool>,
}

impl ServerStdout {
    /// Reads more output. `idle` is set while this waits, and also at the end of the output.
    async fn read(&mut self, buffer: &mut BytesMut) -> io::Result<usize> {
        self.idle.store(true, Ordering::Relaxed);
        let read = self.pipe.read_buf(buffer).await;
        self.idle.store(matches!(read, Ok(0) | Err(_)), Ordering::Relaxed);
        read
    }
}

/// The most lines of stderr that an error quotes.
const QUOTED_LINES: usize = 20;

/// Starts the tasks of one stdio connection. They end on `stop`, with the process, or when dropped.
pub(crate) fn start_tasks(
    process: ServerProcess,
    sink: &Arc<impl FrameSink>,
    outbox: mpsc::Receiver<Box<OutgoingMessage>>,
    unread: &Arc<UnreadInput>,
    stop: &watch::Sender<Stop>,
    tail: &Arc<StderrTail>,
    tasks: &mut JoinSet<()>,
) {
    let ServerProcess { stdin, stdout, stderr, control } = process;
    let (read_ended, reader) = oneshot::channel::<()>();
    let (errors_ended, errors) = oneshot::channel::<()>();
    // A child that left the process tree may keep the pipes open, so the readers end with their supervisor.
    let (supervisor, supervised) = watch::channel(());
    let idle = Arc::new(AtomicBool::new(true));
    let stdin = ServerStdin { pipe: stdin, unread: Arc::clone(unread) };
    tasks.spawn(write_messages(stdin, outbox, Arc::clone(sink), Arc::clone(&idle), stop.subscribe()));
    // The futures are created where they are awaited. A task would store a moved future twice.
    let (shared, mut over) = (Arc::clone(sink), supervised.clone());
    let output = ServerStdout { pipe: stdout, idle: Arc::clone(&idle) };
    tasks.spawn(async move {
        tokio::select! {
            () = read_output(output, &*shared) => {}
            _ = over.changed() => {}
        }
        drop(read_ended);
    });
    let (shared, lines, mut over) = (Arc::clone(sink), Arc::clone(tail), supervised);
    tasks.spawn(async move {
        tokio::select! {
            () = stderr::read_stderr(stderr, &*shared, &lines) => {}
            _ = over.changed() => {}
        }
        drop(errors_ended);
    });
    let (shared, lines, stop) = (Arc::clone(sink), Arc::clone(tail), stop.subscribe());
    tasks.spawn(async move {
        supervise_process(control, reader, errors, shared, lines, idle, stop).await;
        drop(supervisor);
    });
}

async fn write_messages(
    mut stdin: ServerStdin,
    mut outbox: mpsc::Receiver<Box<OutgoingMessage>>,
    sink: Arc<impl FrameSink>,
    idle: Arc<AtomicBool>,
    mut stop: watch::Receiver<Stop>,
) {
    let mut messages = Vec::new();
    let mut joined = Vec::new();
    // Set when the connection should end. Until then, earlier messages such as cancellations are still sent.
    let mut deadline: Option<Instant> = None;
    let outcome = loop {
        if deadline.is_some() {
            outbox.close();
        }
        let received = tokio::select! {
            biased;
            received = outbox.recv_many(&mut messages, JOINED_MESSAGES) => received,
            _ = wait_for_stop(&mut stop), if deadline.is_none() => {
                deadline = Some(Instant::now() + FLUSH_TIMEOUT);
                continue;
            }
        };
        if received == 0 {
            return;
        }
        if sink.waiting() > received {
            // Responses arrive in groups, and so do the next requests. Join them to one write.
            tokio::task::yield_now().await;
            while messages.len() < JOINED_MESSAGES
                && let Ok(more) = outbox.try_recv()
            {
                messages.push(more);
            }
        }
        let batch = write_batch(&mut stdin.pipe, &mut messages, &mut joined, &*sink);
        tokio::pin!(batch);
        let written = loop {
            let over = tokio::time::sleep_until(deadline.unwrap_or_else(Instant::now));
            tokio::select! {
                biased;
                written = &mut batch => break written,
                _ = wait_for_stop(&mut stop), if deadline.is_none() => deadline = Some(Instant::now() + FLUSH_TIMEOUT),
                () = over, if deadline.is_some() => return,
            }
        };
        if written.is_err() {
            break written;
        }
    };
    if let Err(error) = outcome {
        // The supervisor also notices the end of the process. Give it time to report how the process ended.
        tokio::time::sleep(EXIT_WAIT).await;
        wait_until_drained(&idle).await;
        sink.close(&CloseReason::InputClosed { reason: io_error_sentence(&error) });
    }
}

/// Writes several messages at once. Dropping the future may truncate a message.
#[expect(clippy::vec_box, reason = "they come out of the queue in their boxes")]
async fn write_batch(
    stdin: &mut ChildStdin,
    messages: &mut Vec<Box<OutgoingMessage>>,
    joined: &mut Vec<u8>,
    sink: &impl FrameSink,
) -> io::Result<()> {
    for outgoing in messages.drain(..) {
        sink.record(outgoing.to_event()).await;
        joined.extend_from_slice(&outgoing.bytes);
        joined.push(b'\n');
        if joined.len() >= JOINED_BYTES {
            stdin.write_all(joined).await?;
            joined.clear();
        }
    }
    stdin.write_all(joined).await?;
    joined.clear();
    joined.shrink_to(JOINED_BYTES * 2);
    Ok(())
}

async fn read_output(mut stdout: ServerStdout, sink: &impl FrameSink) {
    let mut buffer = BytesMut::with_capacity(READ);
    let mut scanned = 0;
    let mut room = READ;
    let mut is_unfinished = false;
    let mut was_blank = false;
    loop {
        while let Some(found) = memchr(b'\n', buffer.get(scanned..).unwrap_or_default()) {
            if std::mem::take(&mut is_unfinished) {
                sink.on_partial_line(&[]);
            }
            let line = buffer.split_to(scanned + found + 1).freeze();
            scanned = 0;
            let is_blank = line.iter().all(u8::is_ascii_whitespace);
            if !is_blank {
                handle_line(line.slice(..line.len() - 1), sink).await;
            } else if was_blank {
                sink.throttle(0, REPORT + line.len()).await;
            }
            was_blank = is_blank;
            // Lines that are available immediately must not block other tasks.
            tokio::task::consume_budget().await;
        }
        scanned = buffer.len();
        if scanned > sink.limits().message_bytes {
            let head = std::mem::take(&mut buffer);
            match skip_oversize_line(&mut stdout, head, sink).await {
                Some(rest) => buffer = rest,
                None => return,
            }
            scanned = 0;
            continue;
        }
        if !buffer.is_empty() && buffer.len() <= LONGEST_PROMPT {
            is_unfinished = true;
            sink.on_partial_line(&buffer);
        }
        buffer.reserve(room);
        match stdout.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(bytes) => room = next_room(room, bytes),
        }
    }
    if !buffer.iter().all(u8::is_ascii_whitespace) {
        handle_line(buffer.freeze(), sink).await;
    }
}

/// The capacity of the next read, after a read with capacity `room` returned `bytes`.
fn next_room(room: usize, bytes: usize) -> usize {
    if bytes >= room {
        (room * 4).min(LARGEST_READ)
    } else if bytes < room / 8 {
        (room / 4).max(READ)
    } else {
        room
    }
}

async fn handle_line(line: Bytes, sink: &impl FrameSink) {
    if line.len() > sink.limits().message_bytes {
        let mut passing = ResponseIdScanner::default();
        passing.feed(&line);
        let id = passing.finish().and_then(read_own_id);
        sink.oversize(line.slice(..OVERSIZE_HEAD.min(line.len())), line.len(), true, id).await;
        return;
    }
    let received = sink.receive(line).await;
    if let Some(error) = received.orphan {
        let quoted = cut_text(&String::from_utf8_lossy(&error), 200).to_owned();
        let message = say!("an error without an id: {quoted}", quoted);
        sink.diagnose(Diagnostic::new(DiagnosticCode::Unmatched, "id", message));
    }
}

/// Skips an oversized line, no faster than unsolicited messages. Its request fails at its end, when the size
/// is known, or after [`OVERSIZE_WAIT`]. Returns what follows, or `None` at the end of the stream.
async fn skip_oversize_line(
    stdout: &mut ServerStdout,
    head: BytesMut,
    sink: &impl FrameSink,
) -> Option<BytesMut> {
    let due = Instant::now() + OVERSIZE_WAIT;
    let mut passing = ResponseIdScanner::default();
    let mut id = passing.feed(&head).and_then(read_own_id);
    let mut size = head.len();
    let mut head = head.freeze();
    head.truncate(OVERSIZE_HEAD);
    // The head is copied, so that the large buffer can be freed.
    let head = Bytes::copy_from_slice(&head);
    let mut reported = false;
    let mut buffer = BytesMut::with_capacity(LARGEST_READ);
    loop {
        buffer.clear();
        let ended = tokio::select! {
            read = stdout.read(&mut buffer) => matches!(read, Ok(0) | Err(_)),
            () = tokio::time::sleep_until(due), if id.is_some() && !reported => {
                sink.oversize(head.clone(), size, false, id).await;
                reported = true;
                continue;
            }
        };
        let line_end = memchr(b'\n', &buffer);
        let part = buffer.get(..line_end.unwrap_or(buffer.len())).unwrap_or_default();
        size += part.len();
        if id.is_none() {
            id = passing.feed(part).and_then(read_own_id);
        }
        if ended || line_end.is_some() {
            if !reported {
                let id = passing.finish().and_then(read_own_id);
                sink.oversize(head, size, line_end.is_some(), id).await;
            }
            return line_end.map(|end| buffer.split_off(end + 1));
        }
        sink.throttle(0, part.len()).await;
    }
}

/// Waits until the reader has found no output for a while, not counting a limited time for handling it.
async fn wait_until_drained(idle: &AtomicBool) {
    let waited = async {
        let mut waited = Duration::ZERO;
        while waited < DRAIN {
            tokio::time::sleep(IDLE_POLL).await;
            if idle.load(Ordering::Relaxed) {
                waited += IDLE_POLL;
            }
        }
    };
    drop(tokio::time::timeout(LONGEST_DRAIN, waited).await);
}

async fn supervise_process(
    mut control: ProcessControl,
    mut reader: oneshot::Receiver<()>,
    errors: oneshot::Receiver<()>,
    sink: Arc<impl FrameSink>,
    tail: Arc<StderrTail>,
    idle: Arc<AtomicBool>,
    mut stop: watch::Receiver<Stop>,
) {
    let exited = |exit: ProcessExit, tail: &StderrTail| CloseReason::Exited {
        exit: exit.sentence(),
        stderr: tail.error_lines(),
    };
    tokio::select! {
        biased;
        stop = wait_for_stop(&mut stop) => {
            sink.close(&CloseReason::Stopped);
            control.shutdown(if let Stop::Gently(grace) = stop { grace } else { SHORT }).await;
        }
        exit = control.wait() => {
            // Output of the ended process, maybe a response, is still in the pipes or waits to be handled.
            let drained = async { drop((reader.await, errors.await)) };
            tokio::select! {
                () = drained => {}
                () = wait_until_drained(&idle) => {}
                _ = wait_for_stop(&mut stop) => {}
            }
            sink.close(&exited(exit, &tail));
        }
        _ = &mut reader => {
            match tokio::time::timeout(EXIT_WAIT, control.wait()).await {
                Ok(exit) => {
                    drop(tokio::time::timeout(DRAIN, errors).await);
                    sink.close(&exited(exit, &tail));
                }
                Err(_) => sink.close(&CloseReason::OutputClosed),
            }
        }
    }
    // Dropping `control` kills the rest of the tree.
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use mooring_network::Network;
    use mooring_process::{SearchPath, SpawnOptions};

    use super::*;
    use crate::{
        CallOptions, Client, ClientHandler, ClientOptions, Era, EraChoice, Limits, NoTap, Notification,
        ServerTarget, http_client,
    };

    /// A host that ignores everything.
    struct SilentHost;

    impl ClientHandler for SilentHost {
        fn notify(&self, _: Notification) {}

        fn diagnose(&self, _: Diagnostic) {}
    }

    /// A client of a shell script that completes the handshake, and runs the rest at the first call.
    async fn client(rest: &str, limits: Limits) -> Client {
        let greeting = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}"#;
        let script = format!("read -r asked; echo '{greeting}'; read -r done; read -r call\n{rest}");
        let (search, cwd) = (SearchPath::from_environment(), std::env::temp_dir());
        let target = ServerTarget::Stdio(SpawnOptions {
            program: mooring_process::resolve("sh", &search, &cwd).unwrap(),
            args: vec!["-c".to_owned(), script],
            env: BTreeMap::new(),
            cwd,
            search,
        });
        let http = http_client("mooring-tests/0", &Network::direct());
        let era = EraChoice::Only(Era::Session);
        let options = ClientOptions { limits, era, ..ClientOptions::new("mooring-tests", "0", http) };
        Client::connect(target, options, Arc::new(SilentHost), Arc::new(NoTap)).await.unwrap()
    }

    const ANSWER: &str = r#"echo '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}'"#;

    #[tokio::test]
    async fn response_after_a_flood_is_read_even_when_the_process_is_gone() {
        // The two log messages over the limit each wait at least half a second.
        let limits = Limits { unasked_burst: 2, unasked_per_second: 1, ..Limits::default() };
        let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
        let rest = format!("for log in 1 2 3 4; do echo '{log}'; done; {ANSWER}");
        let client = client(&rest, limits).await;
        let answered = client.call_tool("any", None, CallOptions::default()).await;
        assert!(answered.is_ok(), "{answered:?}");
    }

    #[tokio::test]
    async fn pipe_held_by_another_process_keeps_no_connection_alive() {
        let client = client(&format!("sleep 60 & {ANSWER}"), Limits::default()).await;
        let answered = client.call_tool("any", None, CallOptions::default()).await;
        assert!(answered.is_ok(), "{answered:?}");
        let (mut closed, since) = (client.closed(), Instant::now());
        let reason = closed.wait_for(Option::is_some).await.unwrap().clone();
        assert!(matches!(reason, Some(CloseReason::Exited { .. })), "{reason:?}");
        assert!(since.elapsed() < LONGEST_DRAIN, "{:?}", since.elapsed());
    }

    #[test]
    fn what_is_read_at_once_follows_what_comes() {
        let after = |reads: &[usize]| reads.iter().fold(READ, |room, bytes| next_room(room, *bytes));
        assert_eq!(after(&[100, READ - 1]), READ);
        assert_eq!(after(&[READ, 2 * READ, 3 * READ]), 4 * READ);
        assert_eq!(after(&[1 << 20; 9]), LARGEST_READ);
        assert_eq!(after(&[READ, 100]), READ);
    }
}
