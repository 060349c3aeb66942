//! Tokens of apps that connect over HTTP.

use mooring_base::digest::sha256;
use mooring_store::AppTokenRow;
use mooring_vault::random_id;
use serde::Serialize;
use ts_rs::TS;

use super::Host;
use super::apps::check_name;
use crate::error::HostError;

/// The token of an app, without the token itself: only its hash is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppTokenView {
    /// When it was made, in milliseconds since the Unix epoch.
    #[serde(rename = "createdAt")]
    pub created_ms: i64,
    /// When it was last used, within a minute.
    #[serde(rename = "usedAt")]
    pub used_ms: Option<i64>,
}

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

    /// The token of an app, if it has one.
    pub async fn app_token(&self, app: &str) -> Result<Option<AppTokenView>, HostError> {
        let token = self.app_tokens().await?.into_iter().find(|token| token.app == app);
        Ok(token.map(|token| AppTokenView {
            created_ms: token.created_at_us / 1_000,
            used_ms: token.used_at_us.map(|at| at / 1_000),
        }))
    }

    /// The apps with a token.
    pub async fn app_tokens(&self) -> Result<Vec<AppTokenRow>, HostError> {
        Ok(self.inner.store.app_tokens().list().await?)
    }
}
