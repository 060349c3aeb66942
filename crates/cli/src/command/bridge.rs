//! `mooring bridge`: what an app starts as its MCP server.

use mooring_host::{become_program, home_from_environment};

use crate::args::Bridge;
use crate::fault::{Exit, Fault};

/// The program beside this one that does the work. It runs next to every app all day, and stays small.
const PROGRAM: &str = "mooring-bridge";

/// Becomes that program.
pub(crate) fn run(args: Bridge) -> Result<Exit, Fault> {
    let program = std::env::current_exe()?.with_file_name(PROGRAM);
    let home = match args.home {
        Some(home) => std::path::absolute(home)?,
        None => home_from_environment()?,
    };
    let mut words = vec![home.into_os_string(), args.app.into()];
    words.extend(args.server.map(Into::into));
    let error = become_program(&program, &words);
    let message = format!("{} can’t be started: {error}", program.display());
    Err(Fault::new(Exit::Usage, "io", message).next("Install Mooring again: it comes with this program."))
}
