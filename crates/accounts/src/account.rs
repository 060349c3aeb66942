//! Logins as a front end sees them.

use mooring_base::server_id::ServerId;
use mooring_store::{LoginRow, RegistrationOrigin};
use mooring_words::{KeptSentence, Sentence};
use serde::{Serialize, Serializer};
use ts_rs::TS;

use crate::problem::SignInProblem;

/// A login, with who we are there and the servers that may use it. Nothing of it is secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "AccountView")]
pub struct Account {
    /// The login.
    #[serde(flatten)]
    pub login: LoginRow,
    /// Why it is over; none: it is in force.
    pub ended: Option<KeptSentence>,
    /// Who we are to the authorization server, where that is still known.
    pub client: Option<AccountClient>,
    /// The saved servers that may use it.
    pub servers: Vec<AccountServer>,
}

/// Who we are to an authorization server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct AccountClient {
    /// The client id.
    pub id: String,
    /// How it came to be.
    pub origin: RegistrationOrigin,
}

/// A saved server that may use a login.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct AccountServer {
    /// Which.
    pub id: ServerId,
    /// Its name.
    pub name: String,
    /// It uses this login now, not another one.
    pub chosen: bool,
}

/// How a sign-out went. Here the login is gone in every case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "SignOutView")]
pub struct SignedOut {
    /// Which login.
    #[serde(rename = "id")]
    pub login: i64,
    /// The authorization server took the tokens back.
    pub revoked: bool,
    /// Why it did not.
    #[serde(serialize_with = "message")]
    #[ts(as = "Option<Sentence>")]
    pub problem: Option<SignInProblem>,
}

/// What happened, of a problem.
#[expect(clippy::ref_option, reason = "serde hands a field over as it is")]
fn message<S: Serializer>(problem: &Option<SignInProblem>, serializer: S) -> Result<S::Ok, S::Error> {
    problem.as_ref().map(|problem| &problem.message).serialize(serializer)
}
