//! `mooring serve`: keeps the saved servers running without a window and lets apps use them.

use std::time::Duration;

use mooring_gateway::{Gateway, ServiceEnd};
use mooring_host::{ErrorCode, Host, HostOptions, VaultOptions, home_from_environment};

use crate::CommandContext;
use crate::args::Serve;
use crate::fault::{Exit, Fault};

pub(crate) async fn run(session: &CommandContext, args: &Serve) -> Result<Exit, Fault> {
    let options = HostOptions {
        home: home_from_environment()?,
        supervise: true,
        has_person: false,
        journal: true,
        demo_server: None,
        client_name: "mooring",
        client_version: env!("CARGO_PKG_VERSION"),
        vault: VaultOptions::default,
        browser: mooring_host::system_browser,
        clock: mooring_host::Clock::system(),
    };
    let host = match session.interrupt.guard(Host::open(options)).await? {
        Ok(host) => host,
        Err(error) if error.code() == ErrorCode::AlreadyOpen => {
            return Err(Fault::from(error).next("Apps can use the servers already."));
        }
        Err(error) => return Err(error.into()),
    };
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
    let idle = (args.idle > 0).then(|| Duration::from_secs(args.idle.saturating_mul(60)));
    let served = session.interrupt.guard(gateway.serve_until_idle(host.clone(), idle)).await;
    session.interrupt.clean_up(host.shutdown()).await;
    match served? {
        ServiceEnd::Idle => session.output.note("No app was connected for a while."),
        ServiceEnd::HandedOver => session.output.note("Mooring’s window goes on with the servers."),
    }
    Ok(Exit::Ok)
}
