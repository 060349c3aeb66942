//! `mooring bridge`: what an app starts as its MCP server.

use std::io;
use std::path::Path;

use mooring_gateway::GatewayError;
use mooring_host::{home_from_environment, start_in_background};

use crate::CommandContext;
use crate::args::Bridge;
use crate::fault::{Exit, Fault};

pub(crate) async fn run(session: &CommandContext, args: &Bridge) -> Result<Exit, Fault> {
    let home = home_from_environment()?;
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let start = || start_service(&home);
    let carried = mooring_gateway::bridge(&home, &args.app, args.server.as_deref(), input, output, start);
    match session.interrupt.guard(carried).await? {
        Ok(()) => Ok(Exit::Ok),
        Err(error) => Err(gateway_fault(&error)),
    }
}

/// Starts `mooring serve` in the background: the app that started this bridge may end without it.
fn start_service(home: &Path) -> io::Result<()> {
    std::fs::create_dir_all(home)?;
    start_in_background(&std::env::current_exe()?, &["serve"], home)
}

pub(crate) fn gateway_fault(error: &GatewayError) -> Fault {
    let (exit, kind) = match error {
        GatewayError::NotRunning => (Exit::Connect, "not_running"),
        GatewayError::Refused(_) | GatewayError::OfAnotherUser(_) => (Exit::Refused, "refused"),
        GatewayError::Socket { .. } | GatewayError::App(_) => (Exit::Usage, "io"),
    };
    Fault::new(exit, kind, error.to_string())
}
