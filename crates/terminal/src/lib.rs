//! The terminal of the command line: what is printed (text, tables, results in JSON, errors and exit codes), what is
//! read from a person, a file or a pipe, and Ctrl-C.

pub mod content;
pub mod files;
pub mod input;
pub mod interrupt;
pub mod item;
pub mod output;
mod picture;
pub mod schema;
pub mod secret_input;
pub mod table;

use crate::interrupt::Interrupt;
use crate::output::Output;

/// What every command works with.
#[derive(Debug)]
pub struct CommandContext {
    /// Where and how it prints.
    pub output: Output,
    /// What ends it.
    pub interrupt: Interrupt,
}
