//! The person's own browser.

use std::sync::Arc;

use mooring_oauth::{AuthorizationUrl, Browser, BrowserFuture, Error};
use mooring_process::open_address;
use mooring_words::{say, system};
use url::Url;

/// The browser that the system opens addresses with.
#[derive(Debug, Clone, Copy)]
pub struct SystemBrowser;

/// [`SystemBrowser`], as [`HostOptions`](crate::HostOptions) wants it.
pub fn system_browser() -> Arc<dyn Browser> {
    Arc::new(SystemBrowser)
}

impl Browser for SystemBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        self.visit(url.as_url())
    }

    fn visit<'a>(&'a self, url: &'a Url) -> BrowserFuture<'a> {
        let opened = open_address(url.as_str());
        Box::pin(std::future::ready(opened.map_err(|error| {
            Error::Ended(say!("the browser could not be started: {reason}", reason = system(&error)))
        })))
    }
}
