//! What the host's key vouches for, against programs that can write the database.

use crate::logins::server;
use crate::profile::Profile;
use mooring_base::integrity::{DocumentKey, EncryptedDocument};
use mooring_disk::StoreError;
use mooring_store::{
    KeyCustody, NewRule, PinRow, Store, StoredAppSettings, UNVERIFIED_RULES, VaultKeyRow, VaultUpgrade,
    VouchedSettings,
};
use sha2::{Digest, Sha256};
use sqlx::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A key that is available or not. It authenticates with a hash, as if only it could compute that.
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

struct Vouched {
    profile: Profile,
    store: Store,
    key: Arc<TestKey>,
}

impl Vouched {
    /// A profile whose key is in force, and in memory if `open`.
    async fn new(open: bool) -> Self {
        let profile = Profile::new();
        let store = profile.open().await;
        store.vault().get([9; 16]).await.unwrap();
        let key = VaultKeyRow { fingerprint: [1; 16], custody: KeyCustody::Keychain, created_at_us: 1 };
        assert!(store.vault().set_first_key(&key, &|scope, text| Some(seal(scope, text))).await.unwrap());
        let key = Arc::new(TestKey(AtomicBool::new(open)));
        store.set_integrity_key(Arc::clone(&key) as _);
        Self { profile, store, key }
    }

    /// What another program does to the database.
    async fn sql(&self, text: &'static str) {
        let mut db = self.profile.bare().await;
        sqlx::raw_sql(text).execute(&mut db).await.unwrap();
        db.close().await.unwrap();
    }

    async fn rules(&self) -> Vec<(i64, String, bool, bool)> {
        let rows = self.store.rules().list().await.unwrap();
        rows.into_iter().map(|row| (row.id, row.rule.effect, row.changed, row.counts)).collect()
    }
}

fn rule(effect: &str) -> NewRule {
    NewRule {
        effect: effect.to_owned(),
        server_id: None,
        tool: Some("t".to_owned()),
        caller: None,
        destructive_only: false,
        arguments: "[]".to_owned(),
        pin: None,
        from_answer: false,
        expires_at_us: None,
    }
}

fn pin(kind: &str, name: &str, hash: &str, approved: bool) -> PinRow {
    PinRow {
        kind: kind.to_owned(),
        name: name.to_owned(),
        hash: hash.to_owned(),
        form: "{}".to_owned(),
        known_hash: hash.to_owned(),
        known_form: "{}".to_owned(),
        gone: false,
        approved_at_us: approved.then_some(5),
        seen_at_us: 5,
    }
}

fn is(id: i64, effect: &str, changed: bool, counts: bool) -> (i64, String, bool, bool) {
    (id, effect.to_owned(), changed, counts)
}

#[tokio::test]
async fn a_rule_counts_as_written_whatever_is_done_to_its_row() {
    let vouched = Vouched::new(true).await;
    let rules = vouched.store.rules();
    for effect in ["deny", "allow"] {
        rules.save(None, &rule(effect)).await.unwrap();
    }
    assert_eq!(vouched.rules().await, [is(1, "deny", false, true), is(2, "allow", false, true)]);
    vouched.sql("DELETE FROM rule WHERE id = 1; UPDATE rule SET tool = NULL WHERE id = 2").await;
    let listed = rules.list().await.unwrap();
    assert_eq!(listed[1].rule, rule("allow"));
    assert_eq!(vouched.rules().await, [is(1, "deny", true, true), is(2, "allow", true, false)]);
    // A stricter word may be the person's, whose process ended before the key came.
    vouched.sql("UPDATE rule SET effect = 'ask' WHERE id = 2").await;
    assert_eq!(vouched.rules().await[1], is(2, "ask", true, true));
    vouched.sql("UPDATE rule SET effect = 'allow' WHERE id = 2").await;
    // What another program adds can refuse, and not allow.
    vouched
        .sql(
            "INSERT INTO rule (id, effect, destructive_only, arguments, from_answer, created_at_us)
            VALUES (3, 'allow', 0, '[]', 0, 1), (4, 'ask', 0, '[]', 0, 1), (5, 'deny', 0, '[]', 0, 1)",
        )
        .await;
    let added = [is(3, "allow", true, false), is(4, "ask", true, false), is(5, "deny", true, true)];
    assert_eq!(vouched.rules().await[2..], added);
    // The person puts it right: by saving what they want, and by removing what they do not.
    assert!(rules.save(Some(1), &rule("deny")).await.unwrap().is_some());
    assert!(rules.save(Some(2), &rule("ask")).await.unwrap().is_some());
    assert!(rules.save(Some(3), &rule("allow")).await.unwrap().is_some());
    for id in [4, 5] {
        assert!(rules.remove(id).await.unwrap());
    }
    let right = [is(1, "deny", false, true), is(2, "ask", false, true), is(3, "allow", false, true)];
    assert_eq!(vouched.rules().await, right);
    vouched.sql("DELETE FROM rule").await;
    assert!(rules.remove(1).await.unwrap(), "one that is gone from the table is removed for good");
    assert_eq!(vouched.rules().await.len(), 2);
}

#[tokio::test]
async fn what_was_set_for_an_app_is_known_whatever_its_row_says() {
    let vouched = Vouched::new(true).await;
    let (store, apps) = (&vouched.store, vouched.store.apps());
    let id = server(store, "one").await;
    let set = StoredAppSettings {
        level: Some("ask_here".to_owned()),
        off: [(id, None)].into(),
        ..StoredAppSettings::default()
    };
    apps.set("cursor", &set).await.unwrap();
    let app = async || apps.list().await.unwrap().rows.remove(0);
    assert_eq!((app().await.settings, app().await.written), (set.clone(), Some(set.clone())));
    vouched.sql("UPDATE app SET level = 'app_asks'; DELETE FROM app_off").await;
    assert_eq!(app().await.written.as_ref(), Some(&set));
    assert_ne!(app().await.settings, set);
    vouched.sql("DELETE FROM app").await;
    assert_eq!((app().await.name.as_str(), app().await.written.as_ref()), ("cursor", Some(&set)));
    // What another program adds was not written by Mooring.
    vouched.sql("INSERT INTO app (name, level) VALUES ('a', 'app_asks')").await;
    assert_eq!((app().await.name.as_str(), app().await.written), ("a", None));
    apps.set("cursor", &set).await.unwrap();
    // With its server goes what is off there, on both sides.
    store.servers().remove(id).await.unwrap();
    store.servers().purge_removed(std::time::Duration::ZERO).await.unwrap();
    let rows = apps.list().await.unwrap();
    assert!(rows.is_checked && !rows.is_incomplete);
    let cursor = &rows.rows[1];
    assert!(cursor.settings.off.is_empty() && cursor.written.as_ref() == Some(&cursor.settings));
    // Without the document it is not known what was set, also after the person's review.
    vouched.sql("DELETE FROM integrity").await;
    assert!(apps.list().await.unwrap().is_incomplete);
    store.rules().remove(UNVERIFIED_RULES).await.unwrap();
    assert!(apps.list().await.unwrap().is_incomplete);
    vouched.key.0.store(false, Ordering::SeqCst);
    let rows = apps.list().await.unwrap();
    assert!(!rows.is_checked && !rows.is_incomplete);
}

#[tokio::test]
async fn an_older_document_and_none_at_all_are_noticed() {
    let vouched = Vouched::new(true).await;
    let rules = vouched.store.rules();
    rules.save(None, &rule("allow")).await.unwrap();
    vouched
        .sql("CREATE TABLE old AS SELECT * FROM integrity; CREATE TABLE old_rule AS SELECT * FROM rule")
        .await;
    rules.remove(1).await.unwrap();
    rules.save(None, &rule("deny")).await.unwrap();
    // The yes that was taken back, with the document of that time.
    let replay = "DELETE FROM rule; INSERT INTO rule SELECT * FROM old_rule;
        DELETE FROM integrity WHERE scope = 'rules'; INSERT INTO integrity SELECT * FROM old WHERE scope = 'rules'";
    vouched.sql(replay).await;
    // It is not known which rules there were, so that nothing is allowed.
    let unverified = [is(UNVERIFIED_RULES, "deny", true, true), is(1, "allow", true, false)];
    assert_eq!(vouched.rules().await, unverified);
    // And with every document of that time.
    vouched.sql("DELETE FROM integrity; INSERT INTO integrity SELECT * FROM old").await;
    assert_eq!(vouched.rules().await, unverified);
    vouched.sql("DELETE FROM integrity").await;
    assert_eq!(vouched.rules().await, unverified);
    // Only the person lifts that, who has looked.
    rules.save(None, &rule("allow")).await.unwrap();
    assert_eq!(vouched.rules().await[0], unverified[0]);
    assert!(rules.remove(UNVERIFIED_RULES).await.unwrap() && !rules.remove(UNVERIFIED_RULES).await.unwrap());
    assert!(vouched.rules().await.iter().all(|(id, _, changed, counts)| *id > 0 && *changed && !counts));
}

#[tokio::test]
async fn approvals_and_definitions_are_those_that_were_written() {
    let vouched = Vouched::new(true).await;
    let (store, pins) = (&vouched.store, vouched.store.pins());
    let id = server(store, "one").await;
    assert_eq!(pins.is_as_saved(id).await.unwrap(), Some(true));
    pins.save(id, &[pin("server", "", "s", true)], Some("edit"), true).await.unwrap();
    pins.save(id, &[pin("tool", "a", "1", false)], None, false).await.unwrap();
    let marks = async || {
        let marks = pins.summaries(id).await.unwrap().into_iter();
        let mut marks: Vec<_> = marks.map(|mark| (mark.kind, mark.known_hash, mark.approved)).collect();
        marks.sort();
        marks
    };
    let kept = [("server".to_owned(), "s".to_owned(), true), ("tool".to_owned(), "1".to_owned(), false)];
    assert_eq!(marks().await, kept);
    vouched.sql("DELETE FROM pin; DELETE FROM server_edit; UPDATE server SET definition = json_set(definition, '$.args', json_array('evil'))").await;
    assert_eq!(marks().await, kept, "what is gone is known still");
    assert_eq!(pins.saved_hash(id).await.unwrap().as_deref(), Some("edit"));
    assert_eq!(pins.is_as_saved(id).await.unwrap(), Some(false));
    // What is seen changes nothing of what was decided.
    let evil = PinRow { approved_at_us: Some(1), ..pin("tool", "a", "2", false) };
    pins.save(id, &[evil], None, false).await.unwrap();
    let row = pins.get(id, "tool", "a").await.unwrap().unwrap();
    assert_eq!((row.hash.as_str(), row.known_hash.as_str(), row.approved_at_us), ("2", "1", None));
    // Without its document nothing of a server is approved, and seeing it makes none.
    vouched.sql("DELETE FROM integrity WHERE scope LIKE 'server/%'").await;
    pins.save(id, &[pin("tool", "b", "1", false)], None, false).await.unwrap();
    assert!(marks().await.iter().all(|(_, known, approved)| known.is_empty() && !approved));
    assert_eq!(
        (pins.saved_hash(id).await.unwrap(), pins.is_as_saved(id).await.unwrap()),
        (None, Some(false))
    );
    pins.save(id, &[pin("server", "", "now", true)], Some("new"), true).await.unwrap();
    assert_eq!(pins.is_as_saved(id).await.unwrap(), Some(true));
}

#[tokio::test]
async fn what_this_process_changes_while_locked_is_vouched_for_later() {
    let vouched = Vouched::new(false).await;
    let rules = vouched.store.rules();
    rules.save(None, &rule("allow")).await.unwrap();
    rules.save(None, &rule("deny")).await.unwrap();
    rules.remove(2).await.unwrap();
    let id = server(&vouched.store, "one").await;
    assert_eq!(vouched.store.pins().is_as_saved(id).await.unwrap(), None, "rows are believed");
    assert_eq!(vouched.rules().await, [is(1, "allow", false, true)]);
    vouched.key.0.store(true, Ordering::SeqCst);
    vouched.store.write_pending_integrity().await.unwrap();
    assert_eq!(vouched.rules().await, [is(1, "allow", false, true)]);
    assert_eq!(vouched.store.pins().is_as_saved(id).await.unwrap(), Some(true));
    // What another program does in the same time is not.
    vouched.key.0.store(false, Ordering::SeqCst);
    vouched.sql("DELETE FROM rule").await;
    assert_eq!(vouched.rules().await, []);
    vouched.key.0.store(true, Ordering::SeqCst);
    vouched.store.write_pending_integrity().await.unwrap();
    assert_eq!(vouched.rules().await, [is(1, "allow", true, false)]);
}

#[tokio::test]
async fn another_key_in_force_is_never_taken_for_none() {
    let vouched = Vouched::new(true).await;
    vouched
        .sql("PRAGMA foreign_keys = OFF; UPDATE vault SET key = x'02020202020202020202020202020202'")
        .await;
    let refused = vouched.store.rules().list().await;
    assert!(matches!(refused, Err(StoreError::WrongKey)), "{refused:?}");
}

#[tokio::test]
async fn settings_of_an_earlier_version_are_taken_over_once() {
    let vouched = Vouched::new(true).await;
    let (store, settings) = (&vouched.store, vouched.store.settings());
    let own = |text: &str| VouchedSettings::Written([("proxy".to_owned(), text.to_owned())].into());
    let upgrade = async || {
        let documents = Arc::clone(&vouched.key);
        let upgrade = VaultUpgrade {
            key: [1; 16],
            is_bound: true,
            wrapped: None,
            bind: &|_, _| None,
            documents: &*documents,
        };
        assert!(store.vault().upgrade(&upgrade).await.unwrap());
        settings.vouched().await.unwrap()
    };
    // As the version before left it: an index that names no settings.
    let mut db = vouched.profile.bare().await;
    let index: Vec<u8> = sqlx::query_scalar("SELECT ciphertext FROM integrity WHERE scope = 'all'")
        .fetch_one(&mut db)
        .await
        .unwrap();
    let text = String::from_utf8(index[32..].to_vec()).unwrap();
    let mut all: serde_json::Value = serde_json::from_str(&text).unwrap();
    all["entries"].as_object_mut().unwrap().remove("settings").unwrap();
    let before = seal("all", all.to_string().as_bytes()).ciphertext;
    let put = "UPDATE integrity SET ciphertext = ? WHERE scope = 'all'";
    sqlx::query(put).bind(before).execute(&mut db).await.unwrap();
    db.close().await.unwrap();
    vouched
        .sql(
            "DELETE FROM integrity WHERE scope = 'settings';
            INSERT INTO setting VALUES ('settings', '{\"proxy\":\"direct\",\"theme\":\"dark\"}')",
        )
        .await;
    assert_eq!(settings.vouched().await.unwrap(), VouchedSettings::Missing);
    assert_eq!(upgrade().await, own("\"direct\""));
    // What is changed afterwards is not, whatever becomes of the documents.
    vouched.sql("UPDATE setting SET value = '{\"proxy\":\"evil\"}'").await;
    assert_eq!(upgrade().await, own("\"direct\""));
    vouched.sql("DELETE FROM integrity WHERE scope = 'settings'").await;
    assert_eq!(upgrade().await, VouchedSettings::Missing);
    vouched.sql("DELETE FROM integrity").await;
    assert_eq!(upgrade().await, VouchedSettings::Missing);
}
