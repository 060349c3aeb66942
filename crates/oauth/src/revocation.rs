//! Revokes tokens (RFC 7009).

use crate::error::Error;
use crate::http::Response;
use crate::steps::Purpose;
use crate::token::{TokenEndpoint, TokenSet, read_error};
use mooring_words::say;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

impl TokenEndpoint<'_> {
    /// Revokes the refresh token, then the access token. Returns false if the server does not support
    /// revocation. An error says which token could not be revoked. The caller should delete the tokens
    /// anyway.
    pub async fn revoke(&self, tokens: &TokenSet) -> Result<bool, Error> {
        let Some(url) = &self.server.revocation_endpoint else { return Ok(false) };
        let refresh = match &tokens.refresh {
            Some(refresh) => self.revoke_token(url, refresh, "refresh_token").await,
            None => Ok(()),
        };
        let access = self.revoke_token(url, &tokens.access, "access_token").await;
        // A server that only revokes refresh tokens is fine.
        let access = match access {
            Err(Error::ErrorResponse { code, .. }) if code == "unsupported_token_type" => Ok(()),
            other => other,
        };
        refresh.and(access).map(|()| true)
    }

    async fn revoke_token(&self, url: &Url, token: &SecretString, kind: &str) -> Result<(), Error> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let form = vec![("token", token.expose_secret()), ("token_type_hint", kind)];
        let request = self.new_request(url, &form, Purpose::Revocation)?;
        let read = |answer: Response| match answer.status {
            200..=299 => Ok(((), say!("{host} revoked the token", host = &host))),
            _ => Err(self.redact_secrets(read_error(&host, &answer), &form)),
        };
        self.http.ask(self.trail, request, read).await
    }
}
