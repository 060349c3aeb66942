//! `mooring serve`: runs the saved servers without a window and lets apps use them.

use std::pin::pin;
use std::time::Duration;

use mooring_connect::{find_running_mooring, host_options, open_passphrase_vault};
use mooring_errors::ErrorCode;
use mooring_gateway::{Gateway, ServiceEnd, take_over};
use mooring_host::{Host, HostOptions, home_from_environment};
use mooring_process::{prepare_home, start_in_background};
use mooring_settings::Settings;
use mooring_visits::Unavailable;

use crate::CommandContext;
use crate::args::Serve;
use crate::command::reviews;
use crate::fault::{Exit, Fault};

/// How many minutes it keeps running without an app.
const IDLE_MINUTES: u64 = 10;

/// How long a service in the background may take to start serving.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// How often to check whether it serves.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Starts a Mooring without a window that keeps running after this command.
async fn start_in_background_process(session: &CommandContext, args: &Serve) -> Result<Exit, Fault> {
    let home = home_from_environment()?;
    prepare_home(&home).map_err(|error| Fault::usage(error.to_string()))?;
    let runs = || async {
        !matches!(find_running_mooring(session.output, &home).await, Err(Unavailable::NotRunning))
    };
    if session.interrupt.guard(runs()).await? {
        return print_state(session, true, "Mooring runs already: commands use its servers.");
    }
    let program = std::env::current_exe().map_err(anyhow::Error::from)?;
    let port = args.port.map(|port| port.to_string());
    let mut words = vec!["serve", "--idle", "0"];
    words.extend(port.as_deref().into_iter().flat_map(|port| ["--port", port]));
    start_in_background(&program, &words, &home, ("MOORING_HOME", home.as_os_str()))
        .map_err(anyhow::Error::from)?;
    let started = async {
        while !runs().await {
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    };
    let started = tokio::time::timeout(START_TIMEOUT, started);
    if session.interrupt.guard(started).await?.is_err() {
        return Err(Fault::new(Exit::Connect, "not_started", "Mooring didn’t start in the background")
            .next("See what it says: mooring serve"));
    }
    let line = "Mooring runs in the background, and commands use its servers. Stop it: mooring serve --stop";
    print_state(session, true, line)
}

fn print_state(session: &CommandContext, is_running: bool, line: &str) -> Result<Exit, Fault> {
    if session.output.json {
        session.output.result(&serde_json::json!({ "running": is_running }))?;
    } else {
        session.output.note(line);
    }
    Ok(Exit::Ok)
}

/// Asks the Mooring that runs without a window to stop.
async fn stop(session: &CommandContext) -> Result<Exit, Fault> {
    let home = home_from_environment()?;
    if session.interrupt.guard(take_over(&home)).await? {
        return print_state(session, false, "Stopped.");
    }
    let runs = find_running_mooring(session.output, &home).await;
    Err(match runs {
        Err(Unavailable::NotRunning) => Fault::usage("Mooring isn’t running in the background"),
        _ => Fault::usage("Mooring’s window runs the servers").next("Quit it there."),
    })
}

pub(crate) async fn run(session: &CommandContext, args: &Serve) -> Result<Exit, Fault> {
    if args.stop {
        return stop(session).await;
    }
    if args.background {
        return start_in_background_process(session, args).await;
    }
    let options = HostOptions { supervise: true, journal: true, ..host_options(home_from_environment()?) };
    let host = match session.interrupt.guard(Host::open(options)).await? {
        Ok(host) => host,
        Err(error) if error.code() == ErrorCode::AlreadyOpen => {
            let next = if args.port.is_some() {
                "Apps can use the servers already. Choose the port in Settings, under Background, or end the other \
                 mooring serve."
            } else {
                "Apps can use the servers already."
            };
            return Err(Fault::from(error).next(next));
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(port) = args.port {
        let settings = Settings { apps_port: port.into(), ..host.settings() };
        let set = async {
            settings.check_apps_address()?;
            host.set_settings(settings).await
        };
        if let Err(error) = set.await {
            session.interrupt.clean_up(host.shutdown()).await;
            return Err(error.into());
        }
    }
    let gateway = match Gateway::listen(host.home()) {
        Ok(gateway) => gateway,
        Err(error) => {
            session.interrupt.clean_up(host.shutdown()).await;
            return Err(Fault::new(Exit::Usage, "io", error.to_string()));
        }
    };
    session
        .output
        .note("Apps can use the servers. Calls that need your yes are refused until you open Mooring.");
    match reviews::waiting(&host).await {
        Ok(waiting) => reviews::say(session.output, waiting.as_deref()),
        // Apps are served even so.
        Err(fault) => session.output.note(&format!("What is approved can’t be read: {}", fault.message)),
    }
    let settings = host.settings();
    match (settings.apps_address(), settings.check_apps_address()) {
        (Some(address), Ok(())) => session.output.note(&format!("Over HTTP: http://{address}/mcp")),
        (Some(_), Err(error)) => session.output.note(&format!("Not over HTTP until it is free: {error}")),
        (None, _) => {}
    }
    let minutes = args.idle.unwrap_or(if args.port.is_some() { 0 } else { IDLE_MINUTES });
    let idle = (minutes > 0).then(|| Duration::from_secs(minutes.saturating_mul(60)));
    let serving = async {
        let mut serving = pin!(gateway.serve_until_idle(host.clone(), idle));
        // While the person is asked, apps are already served, and a window can still take over the data
        // folder.
        tokio::select! {
            end = &mut serving => end,
            () = open_passphrase_vault(&host) => serving.await,
        }
    };
    let served = session.interrupt.guard(serving).await;
    session.interrupt.clean_up(host.shutdown()).await;
    match served? {
        ServiceEnd::Idle => session.output.note("No app was connected for a while."),
        ServiceEnd::HandedOver => {
            session.output.note("Stopped, or Mooring’s window goes on with the servers.");
        }
    }
    Ok(Exit::Ok)
}
