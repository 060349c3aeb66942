//! What the command line prints: text, tables, results in JSON, errors and exit codes.

pub mod content;
pub mod fault;
pub mod hint;
pub mod output;
pub mod table;
