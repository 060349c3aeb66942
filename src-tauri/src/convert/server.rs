//! Servers.

use std::time::Duration;

use mooring_host as host;
use mooring_host::say;

use super::{all_shown, milliseconds, shown, whole};
use crate::dto::{
    CommandCheck, EraOverride, Failure, ImportEntry, ImportError, ImportPreview, IpcError, LimitReached,
    NegotiationStep, ServerInput, ServerState, ServerView, Transport,
};

impl From<host::StateName> for ServerState {
    fn from(state: host::StateName) -> Self {
        match state {
            host::StateName::Stopped => Self::Stopped,
            host::StateName::Starting => Self::Starting,
            host::StateName::Ready => Self::Ready,
            host::StateName::Degraded => Self::Degraded,
            host::StateName::SignInNeeded => Self::SignInNeeded,
            host::StateName::WaitingForYou => Self::WaitingForYou,
            host::StateName::Reconnecting => Self::Reconnecting,
            host::StateName::Changed => Self::Changed,
            host::StateName::Failed => Self::Failed,
        }
    }
}

impl From<host::Failure> for Failure {
    fn from(failure: host::Failure) -> Self {
        let host::Failure { code, message, next, evidence } = failure;
        Self { code: code.as_str().to_owned(), message: message.into(), next: next.map(Into::into), evidence }
    }
}

impl From<host::NewServer> for ServerInput {
    fn from(server: host::NewServer) -> Self {
        Self {
            name: server.name,
            transport: match server.transport {
                host::Transport::Stdio => Transport::Stdio,
                host::Transport::Http => Transport::Http,
            },
            command: server.command,
            args: server.args,
            env: server.env,
            cwd: server.cwd,
            url: server.url,
            headers: server.headers,
            timeout_ms: server.timeout.map(|timeout| whole(timeout.as_millis())),
            era: match server.era {
                host::EraOverride::Auto => EraOverride::Auto,
                host::EraOverride::Modern => EraOverride::Modern,
                host::EraOverride::Session => EraOverride::Session,
                host::EraOverride::Sse => EraOverride::Sse,
            },
            secrets: server.secrets.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<ServerInput> for host::NewServer {
    type Error = IpcError;

    fn try_from(server: ServerInput) -> Result<Self, IpcError> {
        let timeout = match server.timeout_ms {
            None => None,
            Some(timeout) => match u64::try_from(timeout) {
                Ok(timeout) => Some(Duration::from_millis(timeout)),
                Err(_) => {
                    return Err(host::HostError::InvalidServer {
                        field: "timeoutMs",
                        message: say!("the time limit must not be negative: {value}", value = timeout),
                    }
                    .into());
                }
            },
        };
        Ok(Self {
            name: server.name,
            transport: match server.transport {
                Transport::Stdio => host::Transport::Stdio,
                Transport::Http => host::Transport::Http,
            },
            command: server.command,
            args: server.args,
            env: server.env,
            cwd: server.cwd,
            url: server.url,
            headers: server.headers,
            timeout,
            era: match server.era {
                EraOverride::Auto => host::EraOverride::Auto,
                EraOverride::Modern => host::EraOverride::Modern,
                EraOverride::Session => host::EraOverride::Session,
                EraOverride::Sse => host::EraOverride::Sse,
            },
            secrets: server.secrets.into_iter().map(Into::into).collect(),
        })
    }
}

impl From<host::NegotiationStep> for NegotiationStep {
    fn from(step: host::NegotiationStep) -> Self {
        let host::NegotiationStep { request, outcome, elapsed } = step;
        Self { request, outcome: outcome.into(), elapsed_ms: elapsed.map(milliseconds) }
    }
}

impl From<host::LimitReached> for LimitReached {
    fn from(reached: host::LimitReached) -> Self {
        let host::LimitReached { name, limit, unit, times, last_ms } = reached;
        let (name, unit) = (name.to_owned(), unit.to_owned());
        Self { name, limit: whole(limit), unit, times: whole(times), last_at: last_ms }
    }
}

impl From<host::ServerView> for ServerView {
    fn from(server: host::ServerView) -> Self {
        let host::ServerView { id, config, connection, changed, enabled: _ } = server;
        let mut view = Self {
            id: id.0,
            input: config.into(),
            state: connection.state.into(),
            changed,
            since: connection.since_ms,
            failure: connection.failure.map(Into::into),
            attempt: connection.attempt,
            server_name: None,
            server_title: None,
            server_version: None,
            revision: None,
            negotiated_era: None,
            reason: None,
            instructions: None,
            capabilities: None,
            diagnostics: Vec::new(),
            tool_count: connection.tool_count.map(count),
            resource_count: connection.resource_count.map(count),
            prompt_count: connection.prompt_count.map(count),
            steps: Vec::new(),
            limits: connection.limits.into_iter().map(Into::into).collect(),
            connect_ms: connection.connect_time.map(milliseconds),
            p95_ms: connection.p95.map(milliseconds),
            calls: whole(connection.calls),
            pid: connection.pid,
            program_path: connection.program.as_deref().map(shown),
            stderr_tail: connection.stderr_tail,
        };
        if let Some(peer) = connection.peer {
            view.server_name = peer.name;
            view.server_title = peer.title;
            view.server_version = peer.version;
            view.revision = Some(peer.revision);
            view.negotiated_era = Some(peer.era);
            view.reason = Some(peer.reason.into());
            view.steps = peer.steps.into_iter().map(Into::into).collect();
            view.instructions = peer.instructions;
            view.capabilities = Some(peer.capabilities.get().to_owned());
            view.diagnostics = peer.diagnostics;
        }
        view
    }
}

impl From<host::CommandCheck> for CommandCheck {
    fn from(check: host::CommandCheck) -> Self {
        Self {
            path: check.path.as_deref().map(shown),
            problem: check.problem.map(|problem| problem.message.into()),
            searched: all_shown(&check.searched),
        }
    }
}

impl From<host::ImportReport> for ImportPreview {
    fn from(report: host::ImportReport) -> Self {
        Self {
            entries: report.entries.into_iter().map(Into::into).collect(),
            error: report.error.map(|problem| ImportError {
                message: problem.message.into(),
                line: count(problem.line),
                column: count(problem.column),
            }),
            plain: report.stays_plain.map(Into::into),
        }
    }
}

impl From<host::ImportEntry> for ImportEntry {
    fn from(entry: host::ImportEntry) -> Self {
        let host::ImportEntry { name, server, exists, off, notes, incomplete, secrets: sealed } = entry;
        let notes = notes.into_iter().map(Into::into).collect();
        match server {
            Ok(server) => Self {
                name,
                server: Some(server.into()),
                problem: None,
                line: None,
                column: None,
                exists,
                off,
                notes,
                incomplete,
                sealed,
            },
            Err(problem) => Self {
                name,
                server: None,
                problem: Some(problem.message.into()),
                line: Some(count(problem.line)),
                column: Some(count(problem.column)),
                exists,
                off,
                notes,
                incomplete,
                sealed,
            },
        }
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
