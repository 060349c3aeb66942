//! Logins, sign-ins under way, sealed values and the vault as the window sees them. Nothing here is secret, but what
//! a person enters on its way in.

use std::fmt;

use mooring_host::{KeptSentence as Sentence, SecretPlace};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AccountView {
    /// Its row.
    pub id: i64,
    /// The authorization server, as it names itself.
    pub issuer: String,
    /// What the tokens are for: the server's address or its metadata's `resource`.
    pub resource: String,
    /// The subject, where the server tells it.
    pub subject: Option<String>,
    /// An e-mail address or a name, where the server tells one.
    pub label: Option<String>,
    /// Who we are to the authorization server.
    pub client: Option<AccountClient>,
    /// The scopes that were asked for.
    pub scopes_asked: Vec<String>,
    /// The scopes that were granted.
    pub scopes_granted: Vec<String>,
    /// How the token is shown to the server: `Bearer`, `DPoP`.
    pub token_type: String,
    /// When the person signed in, in milliseconds of Unix time.
    pub signed_in_at: i64,
    /// When the token in use was received.
    pub renewed_at: i64,
    /// When that token ends; none: the server did not say.
    pub expires_at: Option<i64>,
    /// It is renewed without a person.
    pub refreshable: bool,
    /// When it was last shown to a server.
    pub used_at: Option<i64>,
    /// Why it is over; none: it is in force.
    pub ended: Option<Sentence>,
    /// The saved servers that may use it.
    pub servers: Vec<AccountServer>,
}

/// Who we are to an authorization server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AccountClient {
    /// The client id.
    pub id: String,
    /// How it came to be.
    pub origin: ClientOrigin,
}

/// How a client came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ClientOrigin {
    /// Somebody registered it by hand and entered it here.
    Entered,
    /// Its id is the address of our metadata document.
    Document,
    /// We registered ourselves (RFC 7591).
    Registered,
}

/// A saved server that may use a login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AccountServer {
    /// Its row.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// It uses this login now, not another one.
    pub chosen: bool,
}

/// How a sign-out went. Here the login is gone in every case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SignOutView {
    /// Which login.
    pub id: i64,
    /// The authorization server took the tokens back.
    pub revoked: bool,
    /// Why it did not.
    pub problem: Option<Sentence>,
}

/// How the person wants to sign in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SignInInput {
    /// By which grant.
    pub way: SignInWay,
    /// The id of a client that was registered by hand.
    pub client_id: Option<String>,
    /// That client's secret, or its private key as PEM text.
    pub client_secret: Option<String>,
    /// The redirect address that this client was registered with; none: one of ours.
    pub redirect: Option<String>,
    /// The person lets the authorization server be silent about PKCE, which is used all the same.
    pub pkce_unannounced: bool,
    /// The person lets the server's address (`resource`) be left out, for an authorization server that refuses it.
    pub without_resource: bool,
    /// As somebody else than the login in use, which stays.
    pub another: bool,
    /// The language of the page in the browser: `en` or `zh-CN`.
    pub language: String,
}

/// By which grant somebody signs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SignInWay {
    /// In a browser, as oneself.
    Browser,
    /// With the client's own credentials.
    Client,
}

/// A sign-in to a saved server: under way, or how the last one ended. Kept until the application ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SignInView {
    /// The server.
    pub server: i64,
    /// How far it is.
    pub status: SignInStatus,
    /// When it began, in milliseconds of Unix time.
    pub started_at: i64,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// While the browser is awaited: until when.
    pub deadline: Option<i64>,
    /// Where the browser was sent, without query: the host's name.
    pub browser_host: Option<String>,
    /// What was done so far, with what was found.
    pub steps: Vec<SignInStepView>,
    /// Why it failed.
    pub problem: Option<SignInProblem>,
    /// The login that came of it.
    pub account: Option<i64>,
}

/// How far a sign-in is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SignInStatus {
    /// It goes on by itself.
    Working,
    /// The person is awaited in the browser.
    Browser,
    /// Signed in.
    Done,
    /// It failed.
    Failed,
    /// The person gave it up.
    Cancelled,
}

/// One step of a sign-in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SignInStepView {
    /// What it was for.
    pub purpose: SignInPurpose,
    /// What was asked, without query; none: a decision of ours.
    pub url: Option<String>,
    /// The HTTP status of the answer.
    pub status: Option<u16>,
    /// The sign-in could go on from here.
    pub ok: bool,
    /// What was found or decided, and why.
    pub found: Sentence,
    /// How long it took, in milliseconds.
    pub took_ms: f64,
    /// When it ended, in milliseconds of Unix time.
    pub at: i64,
}

/// What a step was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SignInPurpose {
    /// What the server asked for.
    Challenge,
    /// Metadata of the protected resource (RFC 9728).
    ResourceMetadata,
    /// Metadata of the authorization server (RFC 8414, OpenID Connect Discovery).
    ServerMetadata,
    /// Which client we are.
    ClientIdentity,
    /// Dynamic registration (RFC 7591).
    Registration,
    /// The person's browser.
    Authorization,
    /// The token endpoint.
    Token,
    /// Who signed in.
    Profile,
    /// Giving tokens back (RFC 7009).
    Revocation,
}

/// Why a sign-in failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignInProblem {
    /// A stable word: `client_needed` (enter a client id), `pkce_unannounced` and `resource_refused` (the person may allow
    /// it), `vault` (see `get_vault`), `unreachable`, `answered`, `refused`, `ended`.
    pub code: String,
    /// What happened.
    pub message: Sentence,
    /// What the person can do.
    pub next: Option<Sentence>,
    /// For `client_needed`: the redirect address to register the client with.
    pub redirect: Option<String>,
}

/// A sealed value, as the list of all shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SecretView {
    /// The server that uses it.
    pub server: i64,
    /// That server's name.
    pub server_name: String,
    /// Where the value goes.
    pub place: SecretPlace,
    /// The variable's or the header's name.
    pub name: String,
    /// A value is sealed; otherwise it is to be entered again.
    pub entered: bool,
    /// When it was sealed, in milliseconds of Unix time.
    pub sealed_at: Option<i64>,
}

/// Where the vault stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct VaultView {
    /// What it is doing.
    pub state: VaultState,
    /// Where its key is kept; none: there is no key yet.
    pub mode: Option<VaultMode>,
    /// Why it is locked or unavailable, as a stable word: `passphrase`, `keychain_locked`, `key_missing`, `other_key`,
    /// `memory`, `unknown`, `unfit_header`, `records`, `no_keychain`, `keychain_failed`.
    pub reason: Option<String>,
    /// The same in words.
    pub message: Option<Sentence>,
    /// What the person can do.
    pub next: Option<Sentence>,
    /// How many secrets are sealed.
    pub sealed: i64,
}

/// What the vault is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VaultState {
    /// Nobody has needed it yet.
    Closed,
    /// The key is being fetched.
    Opening,
    /// The keychain has not answered in time; it may be asking the person something.
    Waiting,
    /// The key is there.
    Open,
    /// What is sealed waits for its key, untouched.
    Locked,
    /// There is no keychain that could be used.
    Unavailable,
}

/// Where the vault's key is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VaultMode {
    /// In the system's keychain.
    Keychain,
    /// Wrapped by a passphrase.
    Passphrase,
    /// In the memory of this run.
    Memory,
}

/// Where the person wants the vault's key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VaultChoice {
    /// Where.
    pub mode: VaultMode,
    /// The passphrase, for that mode.
    pub passphrase: Option<String>,
}

/// Shows that something is there, and nothing of it.
struct Hidden<'a>(&'a Option<String>);

impl fmt::Debug for Hidden<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "[hidden]" } else { "None" })
    }
}

impl fmt::Debug for SignInInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignInInput")
            .field("way", &self.way)
            .field("client_id", &self.client_id)
            .field("client_secret", &Hidden(&self.client_secret))
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for VaultChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultChoice")
            .field("mode", &self.mode)
            .field("passphrase", &Hidden(&self.passphrase))
            .finish()
    }
}
