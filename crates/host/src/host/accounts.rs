//! Logins: signing in and out, and who is signed in.

use mooring_oauth::{Browser, Trail};
use mooring_store::LoginRow;
use url::Url;

use super::Host;
use crate::connection::Target;
use crate::error::HostError;
use crate::options::ConnectOptions;
use crate::server::{NewServer, ServerId};
use crate::sign_in::{SignIn, SignIns};

impl Host {
    /// Signs in to a server behind an address, because the person wants it now. Each step is told to `trail`; dropping
    /// the future cancels it. A saved server uses the login from here on.
    pub async fn sign_in(
        &self,
        target: Target,
        wanted: &SignIn,
        browser: &dyn Browser,
        trail: Trail,
    ) -> Result<LoginRow, HostError> {
        let (server, url) = self.address(&target)?;
        let sign_ins = &self.inner.context.sign_ins;
        if !sign_ins.has_asked(server, &url) {
            // What the server asks for, it says when it refuses somebody. One that refuses nobody is asked by name.
            let asked = Box::pin(self.connect(target, ConnectOptions::default())).await;
            drop(asked);
        }
        let row = Box::pin(sign_ins.sign_in(server, &url, wanted, browser, trail)).await?;
        if let Some(server) = server.filter(|_| self.inner.options.supervise) {
            self.inner.registry.restart(server).await?;
        }
        Ok(row)
    }

    /// Every login.
    pub async fn logins(&self) -> Result<Vec<LoginRow>, HostError> {
        Ok(self.inner.context.sign_ins.logins().await?)
    }

    /// The saved servers that use a login.
    pub async fn servers_of_login(&self, login: &LoginRow) -> Result<Vec<ServerId>, HostError> {
        let uses = self.inner.store.server_logins().of_login(login.id).await?;
        Ok(uses.into_iter().filter(|(_, chosen)| *chosen).map(|(server, _)| ServerId(server)).collect())
    }

    /// Gives a login's tokens back and forgets them. The error says what the server did not take back; here they are gone
    /// all the same.
    pub async fn sign_out(&self, login: &LoginRow) -> Result<(), HostError> {
        let servers = self.servers_of_login(login).await?;
        let signed_out = self.inner.context.sign_ins.sign_out(login).await;
        if self.inner.options.supervise {
            for server in servers {
                self.inner.registry.restart(server).await?;
            }
        }
        Ok(signed_out?)
    }

    /// The logins and the vault that they are sealed in.
    pub fn sign_ins(&self) -> &SignIns {
        &self.inner.context.sign_ins
    }

    /// Whose address a target is.
    fn address(&self, target: &Target) -> Result<(Option<ServerId>, Url), HostError> {
        let no_address = || HostError::InvalidServer {
            field: "url",
            message: mooring_words::say!("only a server behind an address can be signed in to"),
        };
        let (server, url) = match target {
            Target::Saved { name } => {
                let row = self.inner.registry.by_name(name)?;
                (Some(ServerId(row.id)), NewServer::from(&row).url)
            }
            Target::Url { url, .. } => (None, Some(url.clone())),
            Target::Command { .. } => (None, None),
        };
        let url = url.ok_or_else(no_address)?;
        Ok((server, Url::parse(&url).map_err(|_| no_address())?))
    }
}
