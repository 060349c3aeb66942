//! A host with a temporary data folder and a keychain that only exists during the test.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use mooring_connections::Target;
use mooring_definitions::{NewServer, Transport};
use mooring_doctor::{DoctorReport, check_server};
use mooring_host::{Host, HostOptions};
use mooring_server_state::ServerView;
use mooring_vault::{Keychain, KeychainError, VaultOptions};
use secrecy::{ExposeSecret, SecretString};

/// Longer than any step takes on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_mins(1);

/// Each profile has its own entry.
static KEYCHAIN: LazyLock<MemoryKeychain> = LazyLock::new(MemoryKeychain::default);

#[derive(Clone, Default)]
struct MemoryKeychain(Arc<Mutex<BTreeMap<String, String>>>);

impl Keychain for MemoryKeychain {
    fn read(&mut self, account: &str) -> Result<Vec<SecretString>, KeychainError> {
        let texts = self.0.lock().unwrap();
        texts.get(account).map(|text| vec![text.as_str().into()]).ok_or(KeychainError::NotFound)
    }

    fn write(&mut self, account: &str, text: &SecretString) -> Result<(), KeychainError> {
        self.0.lock().unwrap().insert(account.to_owned(), text.expose_secret().to_owned());
        Ok(())
    }

    fn remove(&mut self, account: &str) -> Result<(), KeychainError> {
        self.0.lock().unwrap().remove(account);
        Ok(())
    }

    fn accounts(&mut self) -> Result<Vec<String>, KeychainError> {
        Ok(self.0.lock().unwrap().keys().cloned().collect())
    }
}

fn with_keychain() -> VaultOptions {
    VaultOptions { keychain: Arc::new(|| Ok(Box::new(KEYCHAIN.clone()))), ..VaultOptions::default() }
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
