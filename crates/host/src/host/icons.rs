//! Icons of saved servers: those that servers send inline, and those that they name by URL.

use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_icons::{is_own_url, load};
use mooring_mcp::{Diagnostic, DiagnosticCode};
use mooring_words::say;
use url::Url;

use super::Host;

impl Host {
    /// The inline icons that a server sent, as `{"icons":[…]}`. `None` if their hash is not `hash` any more.
    pub fn server_icons(&self, id: ServerId, hash: &str) -> Result<Option<String>, HostError> {
        Ok(self.handle(id)?.inline_icons(hash))
    }

    /// Sets whether the person allows loading icons from the URLs that a server names. Without permission, or
    /// when the server's URL changes, loaded icons are deleted.
    pub async fn set_loads_icons(&self, id: ServerId, loads: bool) -> Result<(), HostError> {
        self.inner.registry.set_loads_icons(id, loads).await?;
        if !loads {
            self.inner.icons.forget(id);
        }
        Ok(())
    }

    /// Loads the icon at a URL that a server names, as a `data:` URL. `None` without the person's permission,
    /// if it is not at the server's own origin, or if loading fails. It is requested once per connection.
    pub async fn load_icon(&self, id: ServerId, src: &str) -> Result<Option<String>, HostError> {
        let Some((server, url)) = self.own_icon(id, src)? else { return Ok(None) };
        let handle = self.handle(id)?;
        let Ok(report) = handle.reporter() else { return Ok(None) };
        let entry = self.inner.icons.entry(id, handle.icons_connection(), &url);
        if !entry.initialized() {
            let _turn = self.inner.icons.wait_for_turn().await;
            let load = async {
                let failed = match load(&self.inner.network, &server, &url).await {
                    Ok(icon) => return Some(icon),
                    Err(reason) => say!("the icon couldn’t be loaded: {reason}", reason),
                };
                report(Diagnostic::new(DiagnosticCode::Http, url.to_string(), failed));
                None
            };
            entry.get_or_init(|| load).await;
            self.inner.icons.evict();
        }
        // The permission may have been revoked in the meantime.
        let allowed = self.own_icon(id, src)?.is_some();
        Ok(entry.get().filter(|_| allowed).and_then(Clone::clone))
    }

    /// The server's URL and the icon's URL, if the person allows loading and the server names the icon.
    fn own_icon(&self, id: ServerId, src: &str) -> Result<Option<(Url, Url)>, HostError> {
        let view = self.server(id)?;
        let server = view.config.url.as_deref().filter(|_| view.loads_icons).map(Url::parse);
        let (Some(Ok(server)), Ok(url)) = (server, Url::parse(src)) else { return Ok(None) };
        let named = is_own_url(&server, &url) && self.handle(id)?.names_icon(&url);
        Ok(named.then_some((server, url)))
    }
}
