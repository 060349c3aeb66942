//! Signing in to servers, the logins of a profile and their renewal, and the encrypted values of servers.
//!
//! OAuth itself is in `mooring-oauth`, encryption in `mooring-vault`. This crate decides when: a browser is opened
//! only by a gesture of the person, and calls use the tokens that are stored. `sign_in` has the flow and the
//! authorizer of connections, `login_store` the logins and clients in the database, `attempts` the sign-ins in
//! progress; `ServerSecretValues` are the encrypted variables and headers of servers, `SecretVariables` those of the
//! person's own calls, [`purpose`] says what each secret may be used for.

mod account;
mod attempts;
mod browser;
mod login_store;
mod problem;
pub mod purpose;
mod row;
mod secrets;
mod sign_in;
mod token_cache;
mod variables;
mod vault_storage;

pub use account::{Account, AccountClient, AccountServer, SignOutResult};
pub use attempts::{
    AttemptBrowser, AttemptHandle, AttemptStep, OnSignInChange, SignInAttempt, SignInAttempts, SignInStatus,
};
pub use browser::{SystemBrowser, system_browser};
pub use problem::{SignInProblem, SignInProblemCode};
pub use row::{encrypted_blob, secret_row};
pub use secrets::{DecryptedSecret, SecretUnavailable, SecretView, ServerSecretValues};
pub use sign_in::{
    EnterpriseProvider, InvalidClient, SignInGrant, SignInOptions, SignInReporter, SignInRequired,
    SignInService, TokenBinding,
};
pub use variables::{SealedPlace, SecretVariables, VariableError};
pub use vault_storage::redact_resource;
