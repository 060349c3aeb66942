//! A host with a temporary data folder and a keychain that only exists during the test.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use mooring_connections::Target;
use mooring_definitions::{NewServer, Transport};
use mooring_doctor::{DoctorReport, check_server};
use mooring_host::{Host, HostOptions};
use mooring_server_state::ServerView;
use mooring_vault::{FakeKeychain, VaultOptions};

/// Longer than any step takes on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_mins(1);

/// Each profile has its own entry.
static KEYCHAIN: LazyLock<FakeKeychain> = LazyLock::new(FakeKeychain::default);

fn with_keychain() -> VaultOptions {
    VaultOptions { keychain: KEYCHAIN.connect(), ..VaultOptions::default() }
}

/// The host of a window (`supervise`), or of a command.
pub(crate) async fn open(home: &Path, supervise: bool) -> Host {
    Host::open(HostOptions {
        home: home.join("home"),
        supervise,
        has_person: supervise,
        journal: true,
        demo_server: None,
        client_name: "test",
        client_version: "0",
        vault: with_keychain,
        browser: mooring_accounts::system_browser,
        clock: mooring_base::clock::Clock::system(),
    })
    .await
    .unwrap()
}

/// A server that runs this Python program. The program notes things in the folder that it gets.
pub(crate) fn python(folder: &Path, name: &str, program: &str, words: &[&str]) -> NewServer {
    let script = folder.join(format!("{name}.py"));
    std::fs::write(&script, program).unwrap();
    let words = [script.to_str().unwrap(), folder.to_str().unwrap()].into_iter().chain(words.iter().copied());
    NewServer {
        command: Some("python3".to_owned()),
        args: words.map(str::to_owned).collect(),
        ..NewServer::new(name, Transport::Stdio)
    }
}

pub(crate) async fn check(host: &Host, name: &str) -> DoctorReport {
    check_server(host, Target::Saved { name: name.to_owned() }, None, &|_| {}).await.unwrap()
}

/// Waits until the view of the only server meets the condition.
pub(crate) async fn until(host: &Host, what: &str, is_met: impl Fn(&ServerView) -> bool) {
    mooring_testkit::eventually(what, LIMIT, || host.servers().iter().all(&is_met)).await;
}
