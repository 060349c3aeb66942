//! Logins and sign-ins.

use mooring_host as host;

use super::milliseconds;
use crate::dto::{
    AccountClient, AccountServer, AccountView, ClientOrigin, IpcError, SignInInput, SignInProblem,
    SignInPurpose, SignInStatus, SignInStepView, SignInView, SignInWay, SignOutView,
};

impl From<host::Account> for AccountView {
    fn from(account: host::Account) -> Self {
        let host::Account { login: row, ended, client, servers } = account;
        Self {
            id: row.id,
            issuer: row.login.issuer,
            resource: row.login.resource,
            subject: row.login.account,
            label: row.login.label,
            client: client.map(Into::into),
            scopes_asked: row.tokens.scopes_asked,
            scopes_granted: row.tokens.scopes_granted,
            token_type: row.tokens.token_type,
            signed_in_at: row.created_at_us / 1_000,
            renewed_at: row.updated_at_us / 1_000,
            expires_at: row.tokens.expires_at_us.map(|at| at / 1_000),
            refreshable: row.tokens.refreshable,
            used_at: row.used_at_us.map(|at| at / 1_000),
            ended: ended.map(Into::into),
            servers: servers.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<host::AccountClient> for AccountClient {
    fn from(client: host::AccountClient) -> Self {
        Self {
            id: client.id,
            origin: match client.origin {
                host::RegistrationOrigin::Preregistered | host::RegistrationOrigin::Entered => {
                    ClientOrigin::Entered
                }
                host::RegistrationOrigin::Cimd => ClientOrigin::Document,
                host::RegistrationOrigin::Dynamic => ClientOrigin::Registered,
            },
        }
    }
}

impl From<host::AccountServer> for AccountServer {
    fn from(server: host::AccountServer) -> Self {
        let host::AccountServer { id, name, chosen } = server;
        Self { id: id.0, name, chosen }
    }
}

impl From<host::SignedOut> for SignOutView {
    fn from(signed_out: host::SignedOut) -> Self {
        let host::SignedOut { login, revoked, problem } = signed_out;
        Self { id: login, revoked, problem: problem.map(|problem| problem.message.into()) }
    }
}

impl TryFrom<SignInInput> for host::SignIn {
    type Error = IpcError;

    fn try_from(input: SignInInput) -> Result<Self, IpcError> {
        let wanted = Self {
            way: match input.way {
                SignInWay::Browser => host::SignInWay::Browser,
                SignInWay::Client => host::SignInWay::Client,
            },
            language: if input.language.starts_with("zh") {
                host::PageLanguage::Chinese
            } else {
                host::PageLanguage::English
            },
            pkce_unannounced: input.pkce_unannounced,
            without_resource: input.without_resource,
            another: input.another,
            ..Self::default()
        };
        let id = input.client_id.unwrap_or_default();
        let wanted = wanted.with_client(&id, input.client_secret, input.redirect.as_deref());
        Ok(wanted.map_err(host::HostError::from)?)
    }
}

impl From<host::SignInAttempt> for SignInView {
    fn from(attempt: host::SignInAttempt) -> Self {
        Self {
            server: attempt.server.0,
            status: match attempt.status {
                host::SignInStatus::Working => SignInStatus::Working,
                host::SignInStatus::Browser => SignInStatus::Browser,
                host::SignInStatus::Done => SignInStatus::Done,
                host::SignInStatus::Failed => SignInStatus::Failed,
                host::SignInStatus::Cancelled => SignInStatus::Cancelled,
            },
            started_at: attempt.started_ms,
            ended_at: attempt.ended_ms,
            deadline: attempt.deadline_ms,
            browser_host: attempt.browser_host,
            steps: attempt.steps.into_iter().map(Into::into).collect(),
            problem: attempt.problem.map(Into::into),
            account: attempt.login,
        }
    }
}

impl From<host::AttemptStep> for SignInStepView {
    fn from(step: host::AttemptStep) -> Self {
        let host::AttemptStep { step, at_ms } = step;
        Self {
            purpose: match step.purpose {
                host::SignInPurpose::Challenge => SignInPurpose::Challenge,
                host::SignInPurpose::ResourceMetadata => SignInPurpose::ResourceMetadata,
                host::SignInPurpose::ServerMetadata => SignInPurpose::ServerMetadata,
                host::SignInPurpose::ClientIdentity => SignInPurpose::ClientIdentity,
                host::SignInPurpose::Registration => SignInPurpose::Registration,
                host::SignInPurpose::Authorization => SignInPurpose::Authorization,
                host::SignInPurpose::Token => SignInPurpose::Token,
                host::SignInPurpose::Profile => SignInPurpose::Profile,
                host::SignInPurpose::Revocation => SignInPurpose::Revocation,
            },
            url: step.url,
            status: step.status,
            ok: step.ok,
            found: step.found.into(),
            took_ms: milliseconds(step.took),
            at: at_ms,
        }
    }
}

impl From<host::SignInProblem> for SignInProblem {
    fn from(problem: host::SignInProblem) -> Self {
        let host::SignInProblem { code, message, next, redirect, .. } = problem;
        Self { code: code.to_owned(), message: message.into(), next: next.map(Into::into), redirect }
    }
}
