//! `mooring-bridge HOME APP [SERVER]`: what `mooring bridge` becomes. HOME is the data folder, APP the app's name; with
//! SERVER the app sees that server alone.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    use std::io::Write as _;

    let words: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    let outcome = match words.as_slice() {
        [home, app] => bridge(home, app, None),
        [home, app, server] => bridge(home, app, Some(server)),
        _ => Err((2, "it is started by `mooring bridge --app NAME`".to_owned())),
    };
    let Err((code, message)) = outcome else { return ExitCode::SUCCESS };
    // Standard error may be closed; the app has the error already.
    let _unread = writeln!(std::io::stderr(), "error: {message}");
    ExitCode::from(code)
}

/// The error comes with the exit code that `mooring` has for it.
#[cfg(unix)]
fn bridge(
    home: &std::ffi::OsStr,
    app: &std::ffi::OsStr,
    server: Option<&std::ffi::OsString>,
) -> Result<(), (u8, String)> {
    use mooring_bridge::{BridgeError, carry_standard_streams};

    let failed = |error: std::io::Error| (2, error.to_string());
    let app = app.to_string_lossy();
    let server = server.map(|server| server.to_string_lossy());
    let mooring = std::env::current_exe().map_err(failed)?.with_file_name("mooring");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let carried = runtime.block_on(carry_standard_streams(home.as_ref(), &app, server.as_deref(), &mooring));
    // A read of standard input that blocks may not keep it from ending.
    runtime.shutdown_background();
    carried.map_err(|error| {
        let code = match error {
            BridgeError::NotRunning => 3,
            BridgeError::Refused(_) | BridgeError::OfAnotherUser(_) => 7,
            BridgeError::App(_) | BridgeError::Home(_) => 2,
        };
        (code, error.to_string())
    })
}

/// Apps can't connect here yet.
#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
