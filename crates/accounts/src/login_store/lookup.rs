//! Finds the login for a connection to a server.

use mooring_base::server_id::ServerId;
use mooring_oauth::Error;
use mooring_store::{LoginRow, LoginState};
use url::Url;

use super::{LoginStore, store_error};

impl LoginStore {
    /// The login for a connection. If an account is named, it must be one of the server's or be valid for
    /// this URL. Otherwise this is the chosen login of a saved server, or the one that was last used at this
    /// URL.
    pub(crate) async fn find_login(
        &self,
        server: Option<ServerId>,
        url: &Url,
        named: Option<i64>,
    ) -> Result<Option<LoginRow>, Error> {
        if let Some(id) = named {
            let row = self.logins.get(id).await.map_err(|error| store_error(&error))?;
            let Some(row) = row.filter(|row| is_valid_for(row, url)) else { return Ok(None) };
            let users = self.servers.list_for_login(id).await.map_err(|error| store_error(&error))?;
            if users.iter().any(|(user, _)| server.is_some_and(|server| server.0 == *user)) {
                return Ok(Some(row));
            }
            return Ok(self
                .decrypt_login(&row)
                .await?
                .filter(|(written, _)| written.url == *url)
                .map(|(_, row)| row));
        }
        if let Some(server) = server {
            let chosen = self.servers.chosen(server.0).await.map_err(|error| store_error(&error))?;
            return Ok(chosen.filter(|row| is_valid_for(row, url)));
        }
        let mut rows = self.logins.list().await.map_err(|error| store_error(&error))?;
        rows.retain(|row| is_valid_for(row, url));
        rows.sort_by_key(|row| std::cmp::Reverse(row.used_at_us.unwrap_or(row.created_at_us)));
        for row in rows {
            if let Some((written, row)) = self.decrypt_login(&row).await?
                && written.url == *url
            {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }
}

/// Whether a login may be used for a URL. If the server's URL was changed to another origin, it may not.
fn is_valid_for(row: &LoginRow, url: &Url) -> bool {
    row.state == LoginState::Active
        && Url::parse(&row.login.resource).is_ok_and(|resource| resource.origin() == url.origin())
}
