//! `mooring bridge`: the program that an app starts as its MCP server.

use mooring_bridge::become_bridge;
use mooring_host::{home_from_environment, named_home};

use crate::args::Bridge;
use crate::fault::{Exit, Fault};

/// The program next to this one that does the work. It runs all day for each app, so it is kept small.
const PROGRAM: &str = "mooring-bridge";

/// Replaces this process with that program.
pub(crate) fn run(args: Bridge) -> Result<Exit, Fault> {
    let program = std::env::current_exe()?.with_file_name(PROGRAM);
    let home = match args.home {
        Some(home) => named_home(home)?,
        None => home_from_environment()?,
    };
    let error = become_bridge(&program, home, args.app, args.server);
    let message = format!("{} can’t be started: {error}", program.display());
    Err(Fault::new(Exit::Usage, "io", message).next("Install Mooring again: it comes with this program."))
}
