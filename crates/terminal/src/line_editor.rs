//! A line editor with history and completion. It reads from and writes to the terminal itself, because
//! standard output only has results.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use mooring_faults::{Exit, Fault};
use rustyline::completion::{Completer, Pair};
use rustyline::config::{Behavior, CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, ExternalPrinter, Helper};
use tokio::task::JoinSet;

use crate::interrupt::asked_to_end;
use crate::output::{Output, beside_progress, escape_line};
use crate::secret_input::{remember_terminal, restore_echo};

/// The most lines of the history.
const MAX_HISTORY: usize = 1_000;
/// The most proposals that are shown without asking first.
const MAX_PROPOSALS: usize = 200;
/// The longest proposal, in bytes.
const LONGEST_PROPOSAL: usize = 1_024;
/// The most lines that wait to be printed. Further lines are dropped.
const MAX_WAITING: usize = 256;

/// Whether a line is being typed. The editor then uses the terminal.
static IS_TYPING: AtomicBool = AtomicBool::new(false);

/// Whether a person is typing a line, so that no other code may read from the terminal.
pub fn is_typing() -> bool {
    IS_TYPING.load(Ordering::Relaxed)
}

/// What the person did.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// Entered this line.
    Typed(String),
    /// Pressed Ctrl-C.
    Interrupted,
    /// Pressed Ctrl-D.
    Ended,
}

/// A completion for the end of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The text for the line.
    pub value: String,
    /// A description of the value.
    pub about: String,
}

/// Returns completions for the text typed so far, with the offset in bytes of the word that they replace.
pub type Propose<'a> = dyn Fn(&str) -> (usize, Vec<Proposal>) + 'a;

/// Reads lines on the terminal.
pub struct LineEditor<'a> {
    editor: Editor<Assistant<'a>, FileHistory>,
    history: Option<PathBuf>,
}

impl std::fmt::Debug for LineEditor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LineEditor").field("history", &self.history).finish_non_exhaustive()
    }
}

impl<'a> LineEditor<'a> {
    /// Creates an editor, with a history file if one is given. Lines that begin with a space aren’t saved.
    pub fn new(propose: Box<Propose<'a>>, history: Option<PathBuf>) -> Result<Self, Fault> {
        let config = Config::builder()
            .behavior(Behavior::PreferTerm)
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .completion_prompt_limit(MAX_PROPOSALS)
            .max_history_size(MAX_HISTORY)
            .and_then(|config| config.history_ignore_dups(true))
            .map_err(editor_fault)?
            .history_ignore_space(true)
            .auto_add_history(history.is_some())
            .build();
        let mut editor = Editor::with_config(config).map_err(editor_fault)?;
        editor.set_helper(Some(Assistant { propose }));
        if let Some(path) = history.as_deref().filter(|path| path.exists()) {
            // A history that can't be read starts empty.
            if let Err(error) = editor.load_history(path) {
                tracing::warn!(%error, "the history could not be read");
            }
        }
        Ok(Self { editor, history })
    }

    /// Reads a line. Other tasks continue in the meantime, which needs a multi-threaded runtime.
    pub fn read(&mut self, prompt: &str) -> Result<Line, Fault> {
        remember_terminal();
        IS_TYPING.store(true, Ordering::Relaxed);
        let read = tokio::task::block_in_place(|| self.editor.readline(prompt));
        IS_TYPING.store(false, Ordering::Relaxed);
        restore_echo();
        match read {
            Ok(line) => {
                if let Some(path) = &self.history
                    && let Err(error) = self.editor.append_history(path)
                {
                    tracing::warn!(%error, "the history could not be written");
                }
                Ok(Line::Typed(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Line::Interrupted),
            Err(ReadlineError::Eof) => Ok(Line::Ended),
            Err(error) => Err(editor_fault(error)),
        }
    }

    /// Returns a printer of lines above the line that is being typed. `None` if the terminal can't do that.
    pub fn printer(&mut self, output: Output) -> Option<LinePrinter> {
        let mut printer = self.editor.create_external_printer().ok()?;
        let (sender, lines) = mpsc::sync_channel::<String>(MAX_WAITING);
        // A separate thread, because the editor only prints lines while one is typed.
        let print = move || {
            for line in lines {
                let printed = if is_typing() {
                    printer.print(line + "\n").map_err(|error| error.to_string())
                } else {
                    beside_progress(|| output.line(&line)).map_err(|error| error.to_string())
                };
                if let Err(error) = printed {
                    tracing::warn!(%error, "a line could not be shown");
                }
            }
        };
        std::thread::Builder::new().name("line-printer".to_owned()).spawn(print).ok()?;
        Some(LinePrinter(sender))
    }
}

/// Ends the process on a signal that asks for it, while the returned set is alive. For use while a line is
/// typed, by commands that have nothing to clean up.
pub fn end_when_asked() -> JoinSet<()> {
    let mut waiting = JoinSet::new();
    waiting.spawn(async {
        asked_to_end().await;
        restore_echo();
        std::process::exit(Exit::Interrupted as i32);
    });
    waiting
}

/// Prints lines above the line that is being typed.
#[derive(Debug, Clone)]
pub struct LinePrinter(mpsc::SyncSender<String>);

impl LinePrinter {
    /// Prints a line. If too many lines are waiting, it is dropped.
    pub fn print(&self, line: String) {
        // A person can't read this many lines anyway.
        let _full = self.0.try_send(line);
    }
}

fn editor_fault(error: ReadlineError) -> Fault {
    Fault::from(anyhow::Error::from(error))
}

/// Completes words while the person types.
struct Assistant<'a> {
    propose: Box<Propose<'a>>,
}

impl Helper for Assistant<'_> {}
impl Highlighter for Assistant<'_> {}
impl Validator for Assistant<'_> {}

impl Hinter for Assistant<'_> {
    type Hint = String;
}

impl Completer for Assistant<'_> {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, found) = (self.propose)(line.get(..at).unwrap_or_default());
        // Leaves out proposals that contain control characters or are too long.
        let can_be_typed = |proposal: &Proposal| {
            proposal.value.len() <= LONGEST_PROPOSAL && escape_line(&proposal.value) == proposal.value
        };
        let found: Vec<Proposal> = found.into_iter().filter(can_be_typed).collect();
        let single = found.len() == 1;
        let pairs = found.into_iter().map(|Proposal { value, about }| {
            // The server chose the names and descriptions.
            let name = escape_line(&value).into_owned();
            let about = escape_line(&about);
            let display = if single || about.is_empty() { name } else { format!("{name}  {about}") };
            Pair { display, replacement: value }
        });
        Ok((start, pairs.collect()))
    }
}
