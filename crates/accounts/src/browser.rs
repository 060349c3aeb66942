//! The browser of the person's system.

use std::io;
use std::sync::Arc;

use mooring_oauth::{AuthorizationUrl, Browser, BrowserFuture, Error};
use mooring_process::open_address;
use mooring_words::{io_error_sentence, say};
use tokio::sync::oneshot;
use url::Url;

/// Opens addresses in the system's default browser.
#[derive(Debug, Clone, Copy)]
pub struct SystemBrowser;

/// The system browser as a trait object.
pub fn system_browser() -> Arc<dyn Browser> {
    Arc::new(SystemBrowser)
}

impl Browser for SystemBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        self.visit(url.as_url())
    }

    fn visit<'a>(&'a self, url: &'a Url) -> BrowserFuture<'a> {
        let failed = |error| {
            Error::Aborted(say!(
                "the browser couldn’t be started: {reason}",
                reason = io_error_sentence(&error)
            ))
        };
        let (tell, opened) = oneshot::channel();
        let address = url.to_string();
        // The system's command may block forever. Neither callers nor the exit of this process wait for this
        // thread.
        let begun = std::thread::Builder::new().name("browser".to_owned()).spawn(move || {
            // The caller may have stopped waiting.
            let _gone = tell.send(open_address(&address));
        });
        Box::pin(async move {
            begun.map_err(failed)?;
            opened.await.unwrap_or_else(|_| Err(io::ErrorKind::Other.into())).map_err(failed)
        })
    }
}
