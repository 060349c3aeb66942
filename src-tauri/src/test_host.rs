//! The host behind the window, for unit tests.

use std::path::Path;

use mooring_host::{Host, HostOptions};

/// A host on this data folder; with `supervise` it starts what is saved, as the window does.
pub(crate) async fn test_host(home: &Path, supervise: bool) -> Host {
    let options = HostOptions {
        home: home.to_owned(),
        supervise,
        journal: true,
        demo_server: None,
        client_name: "test",
        client_version: "0",
        vault: mooring_host::VaultOptions::default,
        browser: mooring_host::system_browser,
    };
    Host::open(options).await.unwrap()
}
