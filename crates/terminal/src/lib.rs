//! The terminal of the command line. Prints text, tables, results in JSON, and errors with exit codes. Reads
//! from a person, a file or a pipe, and handles Ctrl-C.

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
    /// Where and how the command prints.
    pub output: Output,
    /// The interrupts of the command.
    pub interrupt: Interrupt,
    /// Whether standard input contains commands for a shell, instead of arguments.
    pub has_lines: bool,
}

impl CommandContext {
    /// The context of a command that starts now.
    pub fn new(output: Output) -> Self {
        Self { output, interrupt: Interrupt::listen(), has_lines: false }
    }
}
