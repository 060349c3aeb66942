//! `mooring bridge`: what an app starts as its MCP server.

use mooring_gateway::GatewayError;
use mooring_host::home_from_environment;

use crate::CommandContext;
use crate::args::Bridge;
use crate::fault::{Exit, Fault};

pub(crate) async fn run(session: &CommandContext, args: &Bridge) -> Result<Exit, Fault> {
    let home = home_from_environment()?;
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let carried = mooring_gateway::bridge(&home, &args.app, args.server.as_deref(), input, output);
    match session.interrupt.guard(carried).await? {
        Ok(()) => Ok(Exit::Ok),
        Err(error) => Err(fault(&error)),
    }
}

fn fault(error: &GatewayError) -> Fault {
    let (exit, kind) = match error {
        GatewayError::NotRunning | GatewayError::Ended => (Exit::Connect, "not_running"),
        GatewayError::Refused(_) | GatewayError::OfAnotherUser(_) => (Exit::Refused, "refused"),
        GatewayError::Socket { .. } | GatewayError::App(_) => (Exit::Usage, "io"),
    };
    Fault::new(exit, kind, error.to_string())
}
