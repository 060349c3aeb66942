//! Signs in to servers, and stores logins and the encrypted values of servers.
//!
//! OAuth itself is in `mooring-oauth`, and encryption in `mooring-vault`. This crate decides when to use
//! them: a browser is only opened because of the person's action, and calls use stored tokens. `sign_in` has
//! the flow and the authorizer of connections. `login_store` has the logins and clients in the database.
//! `attempts` has the sign-ins in progress. `ServerSecretValues` has the encrypted variables and headers of
//! servers, and `SecretVariables` those of the person's own calls. [`purpose`] names what each secret may be
//! used for.

mod account;
mod attempts;
mod browser;
mod local_sign_ins;
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
pub use local_sign_ins::{LocalSignIn, LocalSignInGuard, LocalSignIns};
pub use problem::{SignInProblem, SignInProblemCode};
pub use row::{encrypted_blob, secret_row};
pub use secrets::{DecryptedSecret, SecretUnavailable, SecretView, ServerSecretValues};
pub use sign_in::{
    EnterpriseProvider, InvalidClient, SignInGrant, SignInInspection, SignInOptions, SignInReporter,
    SignInRequired, SignInService, TokenBinding,
};
pub use variables::{SealedPlace, SecretVariables, VariableError};
pub use vault_storage::redact_resource;
