//! The modes, and what each does before the first message is read.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::family;

/// A scripted MCP server over stdio, for tests.
#[derive(Parser)]
pub(crate) struct Arguments {
    /// How to behave; `ok` when left out.
    #[command(subcommand)]
    pub(crate) mode: Option<Mode>,
}

/// How the process and its framing behave.
#[derive(Subcommand)]
pub(crate) enum Mode {
    /// A good server.
    Ok,
    /// Reads everything and never prints anything.
    Hang,
    /// Never reads its input and never prints anything.
    Deaf,
    /// Prints three lines to standard error and exits before reading anything.
    ExitAtOnce {
        /// The exit code.
        #[arg(default_value_t = 3)]
        code: i32,
    },
    /// Exits when it is asked to initialize.
    ExitOnInitialize {
        /// The exit code.
        #[arg(default_value_t = 3)]
        code: i32,
    },
    /// Answers initialize with a JSON-RPC error.
    RefuseInitialize,
    /// Never answers initialize, but everything else.
    SilentInitialize,
    /// Prints lines that are no MCP before each message, and works otherwise.
    Garbage,
    /// Prints lines that are no MCP, for ever, and nothing else.
    GarbageOnly,
    /// Waits before it reads anything, then works.
    SlowStart {
        /// How long, in milliseconds.
        milliseconds: u64,
    },
    /// Ignores SIGTERM and the end of its input.
    IgnoreSigterm,
    /// Starts a child and a grandchild in a session of its own; the tool `pids` tells their ids.
    Family,
    /// Lists malformed tools beside good ones.
    BadTools,
    /// Lists its tools over several pages.
    Pages {
        /// How many pages, of three tools each.
        count: usize,
    },
    /// Lists tools with a cursor that never changes.
    RepeatedCursor,
    /// Lists tools with ever new cursors.
    EndlessPages,
    /// Lists many tools on one page.
    ManyTools {
        /// How many.
        count: usize,
    },
    /// Says nothing of tools in its capabilities and refuses to list any.
    NoTools,
    /// Answers initialize with a revision of its own choice.
    Revision {
        /// The revision, known or not.
        revision: String,
    },
    /// Answers initialize with nothing but a revision.
    SparseHandshake,
    /// Echoes numeric ids as strings.
    StringIds,
    /// Answers every request twice.
    DuplicateIds,
    /// Holds the answers to tool calls until this many have gathered, then sends them backwards.
    OutOfOrder {
        /// How many.
        count: usize,
    },
    /// Ends lines with CR LF.
    Crlf,
    /// Begins its output with a byte order mark.
    Bom,
    /// Writes each message in pieces of one byte, flushing between them.
    Split,
    /// Prints to standard error before it reads anything.
    StderrFlood {
        /// How many bytes.
        bytes: usize,
    },
    /// Answers from a file: a JSON object that maps methods to lists of raw lines, in which `$ID` is the
    /// request's id. `tools/call echo` has precedence over `tools/call`, and so has a resource's URI over its
    /// method. Other methods get the normal response.
    Script {
        /// The file.
        file: PathBuf,
    },
    /// Only sleeps; what `family` starts.
    #[command(hide = true)]
    Child,
    /// Begins a session of its own and sleeps; what `child` starts.
    #[command(hide = true)]
    Grandchild,
}

/// What `garbage` prints: noise seen from real servers.
pub(crate) const GARBAGE: [&[u8]; 7] = [
    b"Starting server on stdio...",
    b"\x1b[32minfo\x1b[0m ready \x1b]8;;https://example.com\x07link\x1b]8;;\x07",
    b"",
    b"{\"level\":\"info\",\"msg\":\"structured log on the wrong stream\"}",
    b"[1, 2, 3]",
    b"\xff\xfe not UTF-8 \xc3",
    b"{\"jsonrpc\":\"2.0\",\"id\":",
];

/// Does what has to happen before the first message; some modes end here.
pub(crate) fn start_up(mode: &Mode) {
    match mode {
        Mode::Hang => {
            let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
            std::process::exit(0);
        }
        Mode::Deaf => {
            std::thread::sleep(Duration::from_mins(5));
            std::process::exit(0);
        }
        Mode::ExitAtOnce { code } => {
            eprintln!("scripted: reading configuration");
            eprintln!("scripted: error: no such file: harbour.toml");
            eprintln!("scripted: giving up");
            std::process::exit(*code);
        }
        Mode::GarbageOnly => {
            // Ends with the pipe, at the latest when the test does.
            let mut out = std::io::stdout().lock();
            for noise in GARBAGE.iter().cycle() {
                if out
                    .write_all(noise)
                    .and_then(|()| out.write_all(b"\n"))
                    .and_then(|()| out.flush())
                    .is_err()
                {
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            std::process::exit(0);
        }
        Mode::SlowStart { milliseconds } => {
            std::thread::sleep(Duration::from_millis(*milliseconds));
        }
        Mode::IgnoreSigterm => family::ignore_sigterm(),
        Mode::Family => family::start_child(),
        Mode::Child => {
            family::start_grandchild();
            std::thread::sleep(Duration::from_mins(5));
            std::process::exit(0);
        }
        Mode::Grandchild => {
            family::leave_the_session();
            std::thread::sleep(Duration::from_mins(5));
            std::process::exit(0);
        }
        Mode::StderrFlood { bytes } => flood_stderr(*bytes),
        _ => {}
    }
}

/// Writes about `bytes` bytes of lines to standard error.
pub(crate) fn flood_stderr(bytes: usize) {
    let line = format!("{}\n", "noise ".repeat(20));
    let mut err = std::io::stderr().lock();
    for _ in 0..bytes.div_ceil(line.len()) {
        if err.write_all(line.as_bytes()).is_err() {
            break;
        }
    }
}
