//! Which settings are in force, whatever another program does to their rows.

use std::sync::atomic::{AtomicBool, Ordering};

use mooring_base::integrity::{DocumentKey, EncryptedDocument};
use mooring_store::{KeyCustody, Store, VaultKeyRow};
use sha2::{Digest as _, Sha256};

use super::*;

/// A key that is available or not. It authenticates with a hash, as if only the key could compute that.
#[derive(Debug)]
struct TestKey(AtomicBool);

fn seal(scope: &str, text: &[u8]) -> EncryptedDocument {
    let mut ciphertext = Sha256::digest([b"the key", scope.as_bytes(), text].concat()).to_vec();
    ciphertext.extend_from_slice(text);
    EncryptedDocument { version: 2, key: [1; 16], nonce: [0; 24], ciphertext }
}

impl DocumentKey for TestKey {
    fn fingerprint(&self) -> Option<[u8; 16]> {
        self.0.load(Ordering::SeqCst).then_some([1; 16])
    }

    fn encrypt(&self, scope: &str, text: &[u8]) -> Option<EncryptedDocument> {
        self.fingerprint().map(|_| seal(scope, text))
    }

    fn decrypt(&self, scope: &str, document: &EncryptedDocument) -> Option<Vec<u8>> {
        let (_, text) = document.ciphertext.split_at_checked(32)?;
        (seal(scope, text) == *document).then(|| text.to_vec())
    }
}

struct Profile {
    store: Store,
    key: Arc<TestKey>,
    settings: NetworkStore,
    _home: tempfile::TempDir,
}

impl Profile {
    /// Creates a profile. `key` says whether there is a key, and whether the key is in memory.
    async fn new(key: Option<bool>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).await.unwrap();
        store.vault().get([9; 16]).await.unwrap();
        if key.is_some() {
            let row = VaultKeyRow { fingerprint: [1; 16], custody: KeyCustody::Keychain, created_at_us: 1 };
            assert!(store.vault().set_first_key(&row, &|scope, text| Some(seal(scope, text))).await.unwrap());
        }
        let key = Arc::new(TestKey(AtomicBool::new(key == Some(true))));
        store.set_integrity_key(Arc::clone(&key) as _);
        let settings =
            NetworkStore::open(store.settings(), Network::direct(), Arc::new(|_| ())).await.unwrap();
        Self { store, key, settings, _home: home }
    }

    /// Executes statements as another program, and reads the settings again.
    async fn sql(&self, statements: &str) {
        self.store.tamper(statements.to_owned()).await.unwrap();
        self.settings.reload().await.unwrap();
    }

    async fn set_open(&self, open: bool) {
        self.key.0.store(open, Ordering::SeqCst);
        self.store.write_pending_integrity().await.unwrap();
        self.settings.reload().await.unwrap();
    }

    async fn save(&self, name: &'static str, value: &Value) -> Result<(), NetworkError> {
        if name == CERTIFICATES {
            let texts: Vec<String> = serde_json::from_value(value.clone()).unwrap();
            let list: Vec<_> = texts.iter().map(|text| Certificate::decode(text).unwrap()).collect();
            return self.settings.change_certificates(move |now| *now = list).await;
        }
        // The window saves every member with its value in force.
        let mut members: Map<_, _> = [("theme".to_owned(), json!("dark"))].into_iter().collect();
        let counts = self.settings.current_state().in_force;
        members.extend(MEMBERS.map(|name| (name.to_owned(), counts[name].clone())));
        members.insert(name.to_owned(), value.clone());
        self.settings.save(members).await
    }

    fn counts(&self, name: &str) -> Value {
        self.settings.current_state().in_force[name].clone()
    }

    fn doubt(&self) -> Option<NetworkDoubt> {
        self.settings.problem().map(|problem| problem.doubt)
    }
}

fn custom(url: &str) -> Value {
    json!({ "custom": { "url": url, "except": "" } })
}

fn authority() -> Value {
    json!([include_str!("authority.txt").split_whitespace().collect::<String>()])
}

/// Each setting, with the person's value and that of another program.
fn rows() -> [(&'static str, Value, Value); 4] {
    [
        (PROXY, custom("http://own.test:1"), custom("http://evil.test:2")),
        (CLIENT_DOCUMENT, json!("https://own.test/client"), json!("https://evil.test/client")),
        (APPS_PORT, json!(7001), json!(7002)),
        (CERTIFICATES, json!([]), authority()),
    ]
}

fn forge(name: &str, value: &Value) -> String {
    if name == CERTIFICATES {
        return format!("INSERT OR REPLACE INTO setting VALUES ('certificates', '{value}')");
    }
    format!(
        "INSERT INTO setting VALUES ('settings', '{{}}') ON CONFLICT DO NOTHING;
         UPDATE setting SET value = json_set(value, '$.{name}', json('{value}')) WHERE key = 'settings'"
    )
}

#[tokio::test]
async fn settings_count_as_they_are_vouched_for() {
    for (name, own, forged) in rows() {
        let profile = Profile::new(Some(true)).await;
        let default = default_values()[name].clone();
        profile.save(name, &own).await.unwrap();
        assert_eq!((profile.counts(name), profile.doubt()), (own.clone(), None), "{name}");
        // While the vault is open.
        profile.sql(&forge(name, &forged)).await;
        assert_eq!((profile.counts(name), profile.doubt()), (own.clone(), Some(NetworkDoubt::Changed)));
        let problem = profile.settings.problem().unwrap();
        assert_eq!(problem.stored.len(), 1, "{problem:?}");
        // While the vault is locked, only the port applies as the row has it.
        profile.set_open(false).await;
        let expected = if name == APPS_PORT { &forged } else { &default };
        assert_eq!(&profile.counts(name), expected, "{name}");
        assert_eq!(profile.settings.is_waiting(), name != APPS_PORT);
        profile.set_open(true).await;
        assert_eq!((profile.counts(name), profile.doubt()), (own, Some(NetworkDoubt::Changed)));
        // The document is gone. Saving another setting accepts nothing.
        for gone in ["DELETE FROM integrity WHERE scope = 'settings'", "DELETE FROM integrity"] {
            profile.sql(&format!("{}; {gone}", forge(name, &forged))).await;
            let unverified = (default.clone(), Some(NetworkDoubt::Unverified));
            assert_eq!((profile.counts(name), profile.doubt()), unverified, "{name}");
            let other = if name == PROXY { CLIENT_DOCUMENT } else { PROXY };
            let same = profile.counts(other);
            profile.save(other, &same).await.unwrap();
            assert_eq!((profile.counts(name), profile.doubt()), unverified, "{name}");
            let hash = profile.settings.problem().unwrap().hash;
            assert!(matches!(profile.settings.settle("x", true).await, Err(NetworkError::Changed)));
            profile.settings.settle(&hash, false).await.unwrap();
            assert_eq!((profile.counts(name), profile.doubt()), (default.clone(), None));
        }
        // The person accepts the settings in the table.
        profile.sql(&forge(name, &forged)).await;
        let hash = profile.settings.problem().unwrap().hash;
        profile.settings.settle(&hash, true).await.unwrap();
        assert_eq!((profile.counts(name), profile.doubt()), (forged, None), "{name}");
    }
}

#[tokio::test]
async fn without_a_key_rows_count_and_the_first_key_takes_them_over() {
    let profile = Profile::new(None).await;
    for (name, _, value) in rows() {
        profile.sql(&forge(name, &value)).await;
        assert_eq!((profile.counts(name), profile.doubt()), (value, None), "{name}");
    }
    let row = VaultKeyRow { fingerprint: [1; 16], custody: KeyCustody::Keychain, created_at_us: 1 };
    let vault = profile.store.vault();
    assert!(vault.set_first_key(&row, &|scope, text| Some(seal(scope, text))).await.unwrap());
    profile.set_open(true).await;
    for (name, _, value) in rows() {
        assert_eq!((profile.counts(name), profile.doubt()), (value, None), "{name}");
    }
}

#[tokio::test]
async fn what_the_person_sets_while_locked_counts_and_stays() {
    let profile = Profile::new(Some(false)).await;
    let own = custom("http://own.test:1");
    profile.save(PROXY, &own).await.unwrap();
    assert_eq!((profile.counts(PROXY), profile.doubt()), (own.clone(), None));
    profile.sql(&forge(PROXY, &custom("http://evil.test:2"))).await;
    assert_eq!((profile.counts(PROXY), profile.doubt()), (own.clone(), Some(NetworkDoubt::Locked)));
    profile.set_open(true).await;
    assert_eq!((profile.counts(PROXY), profile.doubt()), (own, Some(NetworkDoubt::Changed)));
}

#[tokio::test]
async fn what_decides_nothing_about_secrets_is_believed() {
    let profile = Profile::new(Some(true)).await;
    profile.save(PROXY, &json!("direct")).await.unwrap();
    for name in ["theme", "maxLogMiB", "keepLogDays", "zoomPercent"] {
        profile.sql(&forge(name, &json!(90))).await;
        assert_eq!((profile.counts(PROXY), profile.doubt()), (json!("direct"), None), "{name}");
    }
    // Settings that can't be parsed count as not set.
    for broken in ["'null'", "'[1]'", "'?'"] {
        profile.sql(&format!("UPDATE setting SET value = {broken} WHERE key = 'settings'")).await;
        assert_eq!(profile.counts(PROXY), json!("direct"), "{broken}");
    }
}
