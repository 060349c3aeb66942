//! `mooring-demo-server`: one MCP server to try everything on.
//!
//! It speaks MCP over stdio and is built with the official Rust SDK, so it is a real peer and not
//! an echo of our own engine. Standard output carries the protocol and nothing else; what the
//! server wants to say to a person goes to standard error.

mod audio;
mod handler;
mod harbour;
mod log;
mod picture;
mod prompts;
mod resources;
mod server;
mod tools;

use std::io::Write as _;

use rmcp::ServiceExt as _;

/// Serves one client on standard input and output, and ends with it.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    match std::env::args().nth(1).as_deref() {
        None => {}
        Some("--version" | "-V") => {
            // This run does not speak the protocol, so standard output is free for this.
            let mut output = std::io::stdout().lock();
            writeln!(output, concat!("mooring-demo-server ", env!("CARGO_PKG_VERSION")))?;
            return Ok(());
        }
        Some(other) => {
            anyhow::bail!("no such option: {other} (this is an MCP server: a client starts it)")
        }
    }
    print_stderr("demo server is listening on standard input");
    let running = server::DemoServer::new().serve(rmcp::transport::stdio()).await?;
    running.waiting().await?;
    Ok(())
}

#[expect(clippy::print_stderr, reason = "standard error is where a stdio server talks to people")]
fn print_stderr(line: &str) {
    eprintln!("{line}");
}
