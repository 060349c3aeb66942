//! `mooring-bridge HOME APP [SERVER]`: the program that `mooring bridge` turns into. HOME is the data folder,
//! APP the name of the app. With SERVER, the app sees only that server.

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
    // Standard error may be closed; the app already has the error.
    let _unread = writeln!(std::io::stderr(), "error: {message}");
    ExitCode::from(code)
}

/// Returns an error together with the exit code that `mooring` uses for it.
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
    // A blocking read of standard input must not keep the process from ending.
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

/// Apps can't connect on this system yet.
#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
