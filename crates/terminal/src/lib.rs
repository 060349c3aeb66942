//! The terminal of the command line: what is printed (text, tables, results in JSON, errors and exit codes), what is
//! read from a person, a file or a pipe, and Ctrl-C.

pub mod ask;
pub mod content;
pub mod files;
pub mod input;
pub mod interrupt;
pub mod item;
pub mod line_editor;
pub mod output;
mod picture;
pub mod schema;
pub mod secret_input;
pub mod table;
mod terminal_query;
mod time;

use crate::interrupt::Interrupt;
use crate::output::Output;

pub use time::time;

/// The context of every command.
#[derive(Debug)]
pub struct CommandContext {
    /// Where and how to print.
    pub output: Output,
    /// What interrupts the command.
    pub interrupt: Interrupt,
    /// Whether standard input has the lines of a shell instead of arguments.
    pub has_lines: bool,
}

impl CommandContext {
    /// For a command that starts now.
    pub fn new(output: Output) -> Self {
        Self { output, interrupt: Interrupt::listen(), has_lines: false }
    }
}
