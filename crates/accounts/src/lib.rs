//! Signing in to servers, the logins of a profile and their renewal, and the sealed values of servers.
//!
//! Everything of OAuth is in `mooring-oauth`, everything sealed in `mooring-vault`. What is decided here is when: a browser is
//! opened by a gesture of the person alone, and calls take the tokens that there are. `sign_in` is the flow and what lets a
//! connection in, `shelf` the logins and clients in the store, `attempts` the sign-ins under way; [`SealedValues`] are the
//! values of servers' variables and headers, [`purpose`] says what each secret is for, whoever opens it.

mod account;
mod attempts;
mod browser;
mod held;
mod problem;
pub mod purpose;
mod records;
mod row;
mod secrets;
mod shelf;
mod sign_in;

pub use account::{Account, AccountClient, AccountServer, SignedOut};
pub use attempts::{Attempt, AttemptStep, Attempts, Awaited, OnSignInChange, SignInAttempt, SignInStatus};
pub use browser::{SystemBrowser, system_browser};
pub use problem::{SignInProblem, SignInProblemCode};
pub use records::shown;
pub use row::{sealed, secret_row};
pub use secrets::{Opened, SealedValues, SecretUnavailable, SecretView};
pub use sign_in::{Enterprise, InvalidClient, SignIn, SignInRequired, SignInWay, SignIns, Tie, Told};
