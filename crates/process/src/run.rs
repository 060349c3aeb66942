//! Runs a program to its end, while a person reads its output.

use crate::control::{ServerProcess, ShutdownGrace};
use crate::exit::ProcessExit;
use crate::spawn::{SpawnError, SpawnOptions, spawn};
use crate::terminal_text::plain_text;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

/// How long a program may run.
const LIMIT: Duration = Duration::from_mins(30);
/// The most bytes of output that are kept. The start is dropped.
const MAX_OUTPUT: usize = 64 << 10;
/// How many bytes of output are kept once there are too many.
const CUT_OUTPUT: usize = 48 << 10;
/// The most bytes of a line. The rest of the line is dropped.
const MAX_LINE: usize = 4 << 10;
/// The program has no input that could end it. It is asked to terminate at once, and killed after this time.
const GRACE: ShutdownGrace = ShutdownGrace { stdin: Duration::ZERO, term: Duration::from_secs(3) };
/// How long to read a pipe that stays open after the processes are gone.
const AFTER_END: Duration = Duration::from_secs(1);

/// How a program's run ended. Its whole tree is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The program exited.
    Exited(ProcessExit),
    /// The run was cancelled.
    Cancelled,
    /// The program ran for half an hour and was ended.
    TimedOut,
}

/// Runs a program without input until it ends or `cancelled` is ready. `output` always has the end of the
/// program's output, at most 64 KiB of plain text without escape sequences.
pub async fn run_program(
    options: &SpawnOptions,
    output: &watch::Sender<String>,
    cancelled: impl Future<Output = ()>,
) -> Result<RunEnd, SpawnError> {
    let ServerProcess { stdin, stdout, stderr, mut control } = spawn(options)?;
    drop(stdin);
    let ended = Notify::new();
    let run = async {
        let end = tokio::select! {
            exit = control.wait() => RunEnd::Exited(exit),
            () = cancelled => RunEnd::Cancelled,
            () = sleep(LIMIT) => RunEnd::TimedOut,
        };
        control.shutdown(GRACE).await;
        ended.notify_one();
        end
    };
    let read = async {
        let both = async { tokio::join!(read_lines(stdout, output), read_lines(stderr, output)) };
        let timeout = async {
            ended.notified().await;
            sleep(AFTER_END).await;
        };
        tokio::select! {
            _ = both => {}
            () = timeout => {}
        }
    };
    Ok(tokio::join!(run, read).0)
}

/// Appends the text of the stream line by line. After a carriage return, the line is overwritten, as on a
/// terminal.
async fn read_lines(mut stream: impl AsyncRead + Unpin, output: &watch::Sender<String>) {
    let mut buffer = vec![0; 8 << 10];
    let mut line = Vec::new();
    let mut is_returned = false;
    loop {
        let count = match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        for byte in buffer.iter().take(count) {
            match byte {
                b'\n' => append_line(output, &mut line),
                b'\r' => {}
                _ if is_returned => {
                    line.clear();
                    line.push(*byte);
                }
                _ if line.len() < MAX_LINE => line.push(*byte),
                _ => {}
            }
            is_returned = *byte == b'\r';
        }
    }
    if !line.is_empty() {
        append_line(output, &mut line);
    }
}

fn append_line(output: &watch::Sender<String>, line: &mut Vec<u8>) {
    let text = plain_text(&String::from_utf8_lossy(line));
    line.clear();
    output.send_modify(|output| {
        output.push_str(text.trim_end());
        output.push('\n');
        if output.len() > MAX_OUTPUT {
            let start = output.len() - CUT_OUTPUT;
            let rest = output.bytes().skip(start).position(|byte| byte == b'\n');
            output.drain(..rest.map_or(output.len(), |end| start + end + 1));
        }
    });
}
