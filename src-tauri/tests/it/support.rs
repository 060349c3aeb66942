//! An application without a display, and helpers to call it.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use mooring_errors::HostError;
use mooring_host::HostOptions;
use mooring_oauth::Browser;
use serde_json::Value;
use tauri::http::HeaderMap;
use tauri::ipc::{CallbackFn, InvokeBody, InvokeResponseBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{App, WebviewUrl, WebviewWindow, WebviewWindowBuilder};

/// Longer than anything here takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// An application with its window, and the messages on its channels.
pub(crate) struct TestApp {
    pub(crate) app: App<MockRuntime>,
    pub(crate) window: WebviewWindow<MockRuntime>,
    messages: Receiver<(u32, Value)>,
}

impl TestApp {
    /// Starts an application with the data folder `home`.
    pub(crate) fn at(home: &Path) -> Self {
        Self::with_browser(home, mooring_accounts::system_browser)
    }

    /// Starts an application whose person uses this browser.
    pub(crate) fn with_browser(home: &Path, browser: fn() -> Arc<dyn Browser>) -> Self {
        Self::open(Ok(HostOptions {
            home: home.to_owned(),
            supervise: true,
            has_person: true,
            journal: true,
            demo_server: None,
            client_name: "mooring",
            client_version: "0.0.0",
            vault: mooring_vault::VaultOptions::default,
            browser,
            clock: mooring_base::clock::Clock::system(),
        }))
    }

    /// Starts an application whose data folder cannot be used.
    pub(crate) fn without_data() -> Self {
        Self::open(Err(HostError::NoHome))
    }

    fn open(options: Result<HostOptions, HostError>) -> Self {
        let (sender, messages) = channel();
        let builder = mock_builder().channel_interceptor(move |_, channel, _, body| {
            let InvokeResponseBody::Json(text) = body else { return false };
            // A test that has finished doesn't receive any more.
            let _ = sender.send((channel.0, serde_json::from_str(text).unwrap()));
            true
        });
        let context = mooring_desktop::context();
        let app = mooring_desktop::build(builder, context, options, Duration::ZERO).unwrap();
        let window = window(&app, "main");
        Self { app, window, messages }
    }

    /// Calls a command as the window's page does.
    pub(crate) fn invoke(&self, command: &str, args: Value) -> Result<Value, Value> {
        invoke(&self.window, command, args)
    }

    /// The next message on this channel. Skips messages on other channels.
    pub(crate) fn next(&self, channel: u32) -> Value {
        loop {
            let (number, message) = self.messages.recv_timeout(TIMEOUT).unwrap();
            if number == channel {
                return message;
            }
        }
    }

    /// The first message on the channel that `wanted` accepts.
    pub(crate) fn next_where(&self, channel: u32, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next(channel);
            if wanted(&message) {
                return message;
            }
        }
    }

    /// All unread messages so far, each with its channel.
    pub(crate) fn every_message(&self) -> Vec<(u32, Value)> {
        self.messages.try_iter().collect()
    }

    /// The channels of all messages until none arrives for `duration`.
    pub(crate) fn until_silent_for(&self, duration: Duration) -> Vec<u32> {
        std::iter::from_fn(|| self.messages.recv_timeout(duration).ok()).map(|(channel, _)| channel).collect()
    }

    /// Closes the application as the end of the window does.
    pub(crate) fn close(self) {
        assert!(tauri::async_runtime::block_on(mooring_desktop::close(self.app.handle())));
    }
}

/// A channel as the page passes it in an argument.
pub(crate) fn channel_argument(number: u32) -> String {
    format!("__CHANNEL__:{number}")
}

/// Opens a window with this label.
pub(crate) fn window(app: &App<MockRuntime>, label: &str) -> WebviewWindow<MockRuntime> {
    WebviewWindowBuilder::new(app, label, WebviewUrl::default()).build().unwrap()
}

/// Calls a command from a page of the application's own origin.
pub(crate) fn invoke(
    window: &WebviewWindow<MockRuntime>,
    command: &str,
    args: Value,
) -> Result<Value, Value> {
    let own = if cfg!(windows) { "http://tauri.localhost" } else { "tauri://localhost" };
    invoke_from(window, own, command, args)
}

/// Calls a command from a page at `url`.
pub(crate) fn invoke_from(
    window: &WebviewWindow<MockRuntime>,
    url: &str,
    command: &str,
    args: Value,
) -> Result<Value, Value> {
    let request = InvokeRequest {
        cmd: command.to_owned(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: url.parse().unwrap(),
        body: InvokeBody::Json(args),
        headers: HeaderMap::default(),
        invoke_key: INVOKE_KEY.to_owned(),
    };
    get_ipc_response(window, request).map(|body| body.deserialize().unwrap())
}
