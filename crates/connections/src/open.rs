//! Connections that a caller opens for itself, to a saved server, a command or a URL.

use std::path::PathBuf;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_definitions::import::command_name;
use mooring_definitions::{NewServer, SavedServer, Transport};
use mooring_errors::HostError;
use mooring_mcp::EraChoice;
use mooring_server_state::RestartPolicy;
use url::Url;

use crate::connection::{Connection, ConnectionFactory, ConnectionSpec, Target};
use crate::era_cache;
use crate::launch::LaunchContext;
use crate::registry::Registry;

/// Overrides of the settings for one connection.
#[derive(Debug, Clone, Default)]
pub struct ConnectOptions {
    /// The time limit from the start to the end of the handshake.
    pub start_timeout: Option<Duration>,
    /// The largest message accepted from the server, in bytes.
    pub max_message: Option<usize>,
    /// How long a request may be idle.
    pub request_idle: Option<Duration>,
    /// The era to try. [`EraChoice::Auto`] uses the server's settings.
    pub era: EraChoice,
    /// Whether the era is detected again. The remembered era is then ignored.
    pub redetect_era: bool,
    /// The id of the account to use. `None` for the server's own.
    pub account: Option<i64>,
    /// The tool to call. If a saved server supports both eras and lists the tool in a session, the connection
    /// uses a session, because some servers can only ask questions there.
    pub tool: Option<String>,
}

/// Opens a connection that the caller owns.
pub async fn connect(
    connections: &ConnectionFactory,
    registry: &Registry,
    target: Target,
    options: ConnectOptions,
) -> Result<Connection, HostError> {
    let (server, mut config, place) = resolve_target(registry, target)?;
    config.timeout = options.request_idle.or(config.timeout);
    let era = if options.era == EraChoice::Auto { era_cache::era_choice(config.era) } else { options.era };
    let role = registry.find_own_role(server, era, options.tool.as_deref()).await?;
    let spec = ConnectionSpec {
        server,
        secrets_of: server,
        config,
        launch_context: place,
        restart_policy: RestartPolicy::Never,
        start_timeout: options.start_timeout,
        max_message: options.max_message,
        era: role.era_to_try(era),
        redetect_era: options.redetect_era,
        account: options.account,
        role,
        roots: None,
    };
    let connection = connections.make(spec, None);
    connection.handle().start();
    connection.handle().wait_until_settled().await?;
    Ok(connection)
}

/// Resolves a target to its saved server, its settings, and where it runs.
pub fn resolve_target(
    registry: &Registry,
    target: Target,
) -> Result<(Option<ServerId>, NewServer, LaunchContext), HostError> {
    let adhoc = |name: &str, transport| NewServer::new(&short_name(name), transport);
    match target {
        Target::Saved { name } => {
            let SavedServer { row, config } = registry.by_name(&name)?;
            Ok((Some(ServerId(row.id)), config, registry.launch_context(row.id)))
        }
        Target::Command { program, args, env, cwd } => {
            let name = command_name(&program, &args);
            let server = NewServer { command: Some(program), args, env, ..adhoc(&name, Transport::Stdio) }
                .validated()?;
            Ok((None, server, LaunchContext::Caller { cwd }))
        }
        Target::Url { url, headers } => {
            let parsed = Url::parse(&url).ok();
            let host = parsed.as_ref().and_then(Url::host_str).unwrap_or_default();
            let port = parsed.as_ref().and_then(Url::port).map(|port| format!(":{port}"));
            let name = format!("{host}{}", port.unwrap_or_default());
            let server =
                NewServer { url: Some(url), headers, ..adhoc(&name, Transport::Http) }.validated()?;
            // A URL has no working directory. This path is not used.
            Ok((None, server, LaunchContext::Caller { cwd: PathBuf::new() }))
        }
    }
}

/// A short display name made from a command or URL.
fn short_name(name: &str) -> String {
    let name: String = name.chars().filter(|character| !character.is_control()).take(64).collect();
    if name.trim().is_empty() { "server".to_owned() } else { name }
}
