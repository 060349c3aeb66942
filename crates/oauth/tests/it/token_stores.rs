//! Two stores for logins: one in memory that fails on demand, and one in a file that processes share.

use crate::support::{public, server_of};
use mooring_oauth::{Error, LoginId, NetworkReach, Renewal, StoredLogin, TokenSet, TokenStore, TokenType};
use mooring_testkit::http::Gate;
use mooring_testkit::oauth::OAuthServer;
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) fn login(running: &OAuthServer) -> LoginId {
    LoginId { issuer: running.issuer(), resource: running.resource(), account: "ada".to_owned() }
}

/// A login that the server has just granted, and that ends at some time.
pub(crate) fn granted(running: &OAuthServer, expires_at: SystemTime) -> StoredLogin {
    let (access, refresh) = running.issue_tokens("read");
    StoredLogin {
        tokens: TokenSet {
            access: SecretString::from(access),
            token_type: TokenType::Bearer,
            refresh: Some(SecretString::from(refresh)),
            id_token: None,
            scopes: Some(vec!["read".to_owned()]),
            expires_at: Some(expires_at),
            received_at: expires_at - Duration::from_hours(1),
        },
        version: 1,
        server: server_of(running),
        client: public(),
        resource: Some(running.resource()),
        scopes: vec!["read".to_owned()],
        dpop: None,
        reach: NetworkReach::Loopback,
        renewal: Renewal::Refresh,
    }
}

#[derive(Default)]
struct MemoryStoreState {
    kept: HashMap<LoginId, StoredLogin>,
    committed: Vec<String>,
    refuses: usize,
    before_commit: Option<Gate>,
}

/// Logins in memory. Clones are the same shelf.
#[derive(Clone, Default)]
pub(crate) struct MemoryTokenStore(Arc<Mutex<MemoryStoreState>>);

impl MemoryTokenStore {
    pub(crate) fn put(&self, login: &LoginId, kept: StoredLogin) {
        self.0.lock().unwrap().kept.insert(login.clone(), kept);
    }

    pub(crate) fn get(&self, login: &LoginId) -> Option<StoredLogin> {
        self.0.lock().unwrap().kept.get(login).cloned()
    }

    /// Access tokens that were committed, in order.
    pub(crate) fn committed(&self) -> Vec<String> {
        self.0.lock().unwrap().committed.clone()
    }

    /// The next commits fail.
    pub(crate) fn refuse(&self, times: usize) {
        self.0.lock().unwrap().refuses = times;
    }

    /// Commits wait until the gate is open.
    pub(crate) fn hold(&self, gate: Gate) {
        self.0.lock().unwrap().before_commit = Some(gate);
    }
}

impl TokenStore for MemoryTokenStore {
    async fn load(&self, login: &LoginId) -> Result<Option<StoredLogin>, Error> {
        Ok(self.get(login))
    }

    async fn commit(&self, login: &LoginId, tokens: &TokenSet, replaces: u64) -> Result<Option<u64>, Error> {
        let gate = self.0.lock().unwrap().before_commit.clone();
        if let Some(gate) = gate {
            gate.wait_until_open().await;
        }
        let mut state = self.0.lock().unwrap();
        if state.refuses > 0 {
            state.refuses -= 1;
            return Err(Error::Unreachable(say!("{quoted}", quoted = "the disk is full")));
        }
        let Some(kept) = state.kept.get_mut(login).filter(|kept| kept.version == replaces) else {
            return Ok(None);
        };
        kept.tokens = tokens.clone();
        kept.version += 1;
        let version = kept.version;
        state.committed.push(tokens.access.expose_secret().to_owned());
        Ok(Some(version))
    }

    async fn forget(&self, login: &LoginId, version: u64, _: &Sentence) -> Result<(), Error> {
        let mut state = self.0.lock().unwrap();
        if state.kept.get(login).is_some_and(|kept| kept.version == version) {
            state.kept.remove(login);
        }
        Ok(())
    }
}

/// One login in a file.
#[derive(Clone)]
pub(crate) struct FileTokenStore {
    path: PathBuf,
    stall: StallPoint,
}

/// Where a commit stays for ever, so that its process can be killed there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StallPoint {
    Nowhere,
    Before,
    After,
}

impl FileTokenStore {
    pub(crate) fn new(folder: &Path, stall: StallPoint) -> Self {
        Self { path: folder.join("login.json"), stall }
    }

    pub(crate) fn write(&self, kept: &StoredLogin) {
        let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap().as_secs();
        let tokens = &kept.tokens;
        let text = json!({
            "access": tokens.access.expose_secret(),
            "refresh": tokens.refresh.as_ref().map(|refresh| refresh.expose_secret().to_owned()),
            "expires_at": tokens.expires_at.map(seconds),
            "received_at": seconds(tokens.received_at),
            "version": kept.version,
            "server": kept.server,
            "resource": kept.resource,
        });
        let new = self.path.with_extension(format!("{}.new", std::process::id()));
        std::fs::write(&new, text.to_string()).unwrap();
        std::fs::rename(new, &self.path).unwrap();
    }

    pub(crate) fn read(&self) -> Option<StoredLogin> {
        let text: Value = serde_json::from_str(&std::fs::read_to_string(&self.path).ok()?).unwrap();
        let time = |name: &str| text[name].as_u64().map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
        Some(StoredLogin {
            tokens: TokenSet {
                access: SecretString::from(text["access"].as_str()?),
                token_type: TokenType::Bearer,
                refresh: text["refresh"].as_str().map(SecretString::from),
                id_token: None,
                scopes: None,
                expires_at: time("expires_at"),
                received_at: time("received_at")?,
            },
            version: text["version"].as_u64()?,
            server: serde_json::from_value(text["server"].clone()).unwrap(),
            client: public(),
            resource: text["resource"].as_str().map(str::to_owned),
            scopes: Vec::new(),
            dpop: None,
            reach: NetworkReach::Loopback,
            renewal: Renewal::Refresh,
        })
    }
}

impl TokenStore for FileTokenStore {
    async fn load(&self, _: &LoginId) -> Result<Option<StoredLogin>, Error> {
        Ok(self.read())
    }

    async fn commit(&self, _: &LoginId, tokens: &TokenSet, replaces: u64) -> Result<Option<u64>, Error> {
        if self.stall == StallPoint::Before {
            println!("STALLED");
            std::future::pending::<()>().await;
        }
        let Some(kept) = self.read().filter(|kept| kept.version == replaces) else { return Ok(None) };
        self.write(&StoredLogin { tokens: tokens.clone(), version: replaces + 1, ..kept });
        if self.stall == StallPoint::After {
            println!("STALLED");
            std::future::pending::<()>().await;
        }
        Ok(Some(replaces + 1))
    }

    async fn forget(&self, _: &LoginId, version: u64, _: &Sentence) -> Result<(), Error> {
        if self.read().is_some_and(|kept| kept.version == version) {
            std::fs::remove_file(&self.path).unwrap();
        }
        Ok(())
    }
}
