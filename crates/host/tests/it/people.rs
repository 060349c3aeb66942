//! Keychains and browsers for tests that sign in.

use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use mooring_accounts::{SignInAttempt, SignInStatus};
use mooring_base::server_id::ServerId;
use mooring_host::{Host, HostOptions};
use mooring_oauth::{AuthorizationUrl, Browser, BrowserFuture, Error as SignInError};
use mooring_testkit::oauth::follow_redirects;
use mooring_vault::{FakeKeychain, KeychainError, VaultOptions};
use mooring_words::say;

use crate::support::{LIMIT, options};

/// The keychain of these tests. Each profile has its own entry.
pub(crate) static KEYCHAIN: LazyLock<FakeKeychain> = LazyLock::new(FakeKeychain::default);

pub(crate) fn with_keychain() -> VaultOptions {
    VaultOptions { keychain: KEYCHAIN.connect(), ..VaultOptions::default() }
}

pub(crate) fn with_another_keychain() -> VaultOptions {
    VaultOptions { keychain: FakeKeychain::default().connect(), ..VaultOptions::default() }
}

/// A system without a keychain.
pub(crate) fn without_keychain() -> VaultOptions {
    VaultOptions { keychain: Arc::new(|| Err(KeychainError::NoProvider)), ..VaultOptions::default() }
}

/// A browser whose person agrees immediately.
pub(crate) struct ConsentingBrowser;

impl Browser for ConsentingBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        Box::pin(async move {
            follow_redirects(url.as_url().as_str()).await.map(|_| ()).map_err(|error| {
                SignInError::Aborted(say!("the browser failed: {reason}", reason = error.to_string()))
            })
        })
    }
}

/// A consenting browser for [`HostOptions`].
pub(crate) fn agreeing() -> Arc<dyn Browser> {
    Arc::new(ConsentingBrowser)
}

/// The URLs that every [`IdleBrowser`] in this process was sent to.
static OPENED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A browser whose person does nothing.
pub(crate) struct IdleBrowser;

impl Browser for IdleBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        OPENED.lock().unwrap().push(url.as_url().to_string());
        Box::pin(std::future::ready(Ok(())))
    }
}

/// The URLs of one server that an [`IdleBrowser`] was sent to.
pub(crate) fn opened_at(origin: &str) -> Vec<String> {
    let opened = OPENED.lock().unwrap();
    opened.iter().filter(|url| url.starts_with(&format!("{origin}/"))).cloned().collect()
}

pub(crate) fn idle() -> Arc<dyn Browser> {
    Arc::new(IdleBrowser)
}

/// The host of a window for sign-ins.
pub(crate) async fn signing_in(home: &Path) -> Host {
    with_browser(home, agreeing).await
}

pub(crate) async fn with_browser(home: &Path, browser: fn() -> Arc<dyn Browser>) -> Host {
    let options = HostOptions { vault: with_keychain, browser, ..options(home, true) };
    Host::open(options).await.unwrap()
}

/// Waits until the sign-in to a server meets `condition`.
pub(crate) async fn until_attempt(
    host: &Host,
    id: ServerId,
    condition: impl Fn(&SignInAttempt) -> bool,
) -> SignInAttempt {
    let mut events = host.events();
    let wait = async {
        loop {
            if let Some(attempt) = host.sign_in_attempt(id).filter(|attempt| condition(attempt)) {
                return attempt;
            }
            // Lagging only means that something happened.
            let _lagged = events.recv().await;
        }
    };
    match tokio::time::timeout(LIMIT, wait).await {
        Ok(attempt) => attempt,
        Err(elapsed) => panic!("{elapsed}: {:?}", host.sign_in_attempt(id)),
    }
}

pub(crate) async fn until_status(host: &Host, id: ServerId, status: SignInStatus) -> SignInAttempt {
    until_attempt(host, id, |attempt| attempt.status == status).await
}
