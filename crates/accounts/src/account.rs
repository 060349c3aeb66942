//! Views of accounts for front ends.

use mooring_base::server_id::ServerId;
use mooring_store::{LoginRow, RegistrationOrigin};
use mooring_words::{Sentence, StoredSentence};
use serde::{Serialize, Serializer};
use ts_rs::TS;

use crate::problem::SignInProblem;

/// An account: a login with its client at the authorization server, and the servers that may use it. Contains
/// no secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "AccountView")]
pub struct Account {
    /// The login.
    #[serde(flatten)]
    pub login: LoginRow,
    /// Why the login ended. `None` while it is active.
    pub ended: Option<StoredSentence>,
    /// Our OAuth client at the authorization server, if it is still known.
    pub client: Option<AccountClient>,
    /// The saved servers that may use it.
    pub servers: Vec<AccountServer>,
}

/// Our OAuth client at an authorization server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct AccountClient {
    /// The client id.
    pub id: String,
    /// How the client was registered.
    pub origin: RegistrationOrigin,
}

/// A saved server that may use an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct AccountServer {
    /// The server's id.
    pub id: ServerId,
    /// The server's name.
    pub name: String,
    /// Whether the server currently uses this account.
    pub chosen: bool,
}

/// The result of signing out. The local login is deleted in any case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "SignOutView")]
pub struct SignOutResult {
    /// The login's id.
    #[serde(rename = "id")]
    pub login: i64,
    /// Whether the authorization server revoked the tokens.
    pub revoked: bool,
    /// Why the tokens were not revoked.
    #[serde(serialize_with = "serialize_problem_message")]
    #[ts(as = "Option<Sentence>")]
    pub problem: Option<SignInProblem>,
}

#[expect(clippy::ref_option, reason = "serde hands a field over as it is")]
fn serialize_problem_message<S: Serializer>(
    problem: &Option<SignInProblem>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    problem.as_ref().map(|problem| &problem.message).serialize(serializer)
}
