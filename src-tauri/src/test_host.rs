//! The host behind the window, for unit tests.

use std::path::Path;

use mooring_host::{Host, HostOptions};

/// The options of a window's host on this data folder.
pub(crate) fn window_options(home: &Path) -> HostOptions {
    HostOptions {
        home: home.to_owned(),
        supervise: true,
        has_person: true,
        journal: true,
        demo_server: None,
        client_name: "test",
        client_version: "0",
        vault: mooring_vault::VaultOptions::default,
        browser: mooring_accounts::system_browser,
        clock: mooring_base::clock::Clock::system(),
    }
}

/// Opens a host on this data folder. With `supervise` it starts saved servers, as the window does.
pub(crate) async fn test_host(home: &Path, supervise: bool) -> Host {
    Host::open(HostOptions { supervise, has_person: supervise, ..window_options(home) }).await.unwrap()
}
