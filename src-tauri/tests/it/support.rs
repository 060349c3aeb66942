//! An application without a display, and how to ask it something.

use std::io;
use std::path::PathBuf;

use mooring_host::{HostError, HostOptions};
use serde_json::Value;
use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{App, WebviewUrl, WebviewWindow, WebviewWindowBuilder};

/// An application whose data folder is `home`.
pub(crate) fn at(home: PathBuf) -> App<MockRuntime> {
    application(Ok(HostOptions {
        home,
        supervise: true,
        journal: true,
        demo_server: None,
        client_name: "mooring".to_owned(),
        client_version: "0.0.0".to_owned(),
    }))
}

/// An application whose data folder cannot be used.
pub(crate) fn without_data() -> App<MockRuntime> {
    application(Err(HostError::Folder {
        path: "/nowhere".to_owned(),
        source: io::Error::from(io::ErrorKind::PermissionDenied),
    }))
}

fn application(options: Result<HostOptions, HostError>) -> App<MockRuntime> {
    mooring_desktop::build(mock_builder(), mooring_desktop::context(), options).unwrap()
}

/// A window of that label.
pub(crate) fn window(app: &App<MockRuntime>, label: &str) -> WebviewWindow<MockRuntime> {
    WebviewWindowBuilder::new(app, label, WebviewUrl::default()).build().unwrap()
}

/// What a page at the application's own address gets for an answer.
pub(crate) fn invoke(
    window: &WebviewWindow<MockRuntime>,
    command: &str,
    args: Value,
) -> Result<Value, Value> {
    let own = if cfg!(windows) { "http://tauri.localhost" } else { "tauri://localhost" };
    invoke_from(window, own, command, args)
}

/// What a page at `url` gets for an answer.
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
        headers: Default::default(),
        invoke_key: INVOKE_KEY.to_owned(),
    };
    get_ipc_response(window, request).map(|body| body.deserialize().unwrap())
}
