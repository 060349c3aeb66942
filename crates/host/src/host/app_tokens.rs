//! Tokens of apps that connect over HTTP.

use mooring_base::digest::sha256;
use mooring_store::AppTokenRow;
use mooring_vault::random_id;

use super::Host;
use super::apps::check_name;
use crate::error::HostError;

impl Host {
    /// Makes a token by which an app is known, in the place of the one that it had. It is not kept and can't be shown
    /// again: only its hash is.
    pub async fn create_app_token(&self, app: &str) -> Result<String, HostError> {
        check_name(app)?;
        let token = format!("mooring_{}", random_id()?);
        self.inner.store.app_tokens().set(app, &sha256(&token)).await?;
        Ok(token)
    }

    /// Takes an app's token away; false where it has none. Its sessions end within a second or two.
    pub async fn revoke_app_token(&self, app: &str) -> Result<bool, HostError> {
        Ok(self.inner.store.app_tokens().remove(app).await?)
    }

    /// The app that is known by a token.
    pub async fn app_of_token(&self, token: &str) -> Result<Option<AppTokenRow>, HostError> {
        Ok(self.inner.store.app_tokens().find(&sha256(token)).await?)
    }

    /// The apps with a token.
    pub async fn app_tokens(&self) -> Result<Vec<AppTokenRow>, HostError> {
        Ok(self.inner.store.app_tokens().list().await?)
    }
}
