//! How a person wants to sign in, as entered in the form.

use std::fmt;

use mooring_accounts::{SignInGrant, SignInOptions};
use mooring_errors::HostError;
use mooring_oauth::Language;
use serde::Deserialize;
use ts_rs::TS;

use super::{IpcError, RedactedDebug};

/// How the person wants to sign in.
#[derive(Clone, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SignInInput {
    /// The OAuth grant to use.
    pub way: SignInWay,
    /// The id of a manually registered client.
    pub client_id: Option<String>,
    /// The secret of that client, or its private key as PEM text.
    pub client_secret: Option<String>,
    /// The redirect URI that this client is registered with. `None` uses one of ours.
    pub redirect: Option<String>,
    /// Allows an authorization server that doesn't announce PKCE. PKCE is used anyway.
    pub pkce_unannounced: bool,
    /// Leaves out the `resource` parameter, for an authorization server that refuses it.
    pub without_resource: bool,
    /// Signs in with another account. The account in use stays.
    pub another: bool,
    /// The language of the page in the browser: `en` or `zh-CN`.
    pub language: String,
}

/// The OAuth grant to sign in with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SignInWay {
    /// The person signs in, in a browser.
    Browser,
    /// The client signs in with its own credentials.
    Client,
}

impl fmt::Debug for SignInInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignInInput")
            .field("way", &self.way)
            .field("client_id", &self.client_id)
            .field("client_secret", &RedactedDebug(&self.client_secret))
            .finish_non_exhaustive()
    }
}

impl TryFrom<SignInInput> for SignInOptions {
    type Error = IpcError;

    fn try_from(input: SignInInput) -> Result<Self, IpcError> {
        let wanted = Self {
            grant: match input.way {
                SignInWay::Browser => SignInGrant::AuthorizationCode,
                SignInWay::Client => SignInGrant::ClientCredentials,
            },
            language: if input.language.starts_with("zh") { Language::Chinese } else { Language::English },
            pkce_unannounced: input.pkce_unannounced,
            without_resource: input.without_resource,
            other_account: input.another,
            ..Self::default()
        };
        let id = input.client_id.unwrap_or_default();
        let wanted = wanted.with_client(&id, input.client_secret, input.redirect.as_deref());
        Ok(wanted.map_err(HostError::from)?)
    }
}
