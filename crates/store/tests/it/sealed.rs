//! The vault's row and what is sealed under its key.

use crate::logins::server;
use crate::profile::{Profile, migrate_to};
use mooring_base::integrity::EncryptedDocument;
use mooring_disk::StoreError;
use mooring_store::{
    AppKeyKind, KeyCustody, LoginState, NewLogin, NewRegistration, RegistrationOrigin, RekeyOutcome,
    SecretPlace, SecretRow, Store, TokenFacts, VaultKeyRow, WrappedKey,
};
use mooring_words::say;
use sqlx::Connection;
use std::time::Duration;

pub(crate) fn key(number: u8) -> [u8; 16] {
    [number; 16]
}

/// A secret that says under which key it is sealed.
pub(crate) fn under(key: [u8; 16], id: &str) -> SecretRow {
    let ciphertext = format!("{id} under {}", key[0]).into_bytes();
    SecretRow {
        id: id.into(),
        kind: "token".into(),
        purpose: "token".into(),
        version: 1,
        key,
        nonce: [3; 24],
        ciphertext,
    }
}

/// A document that says under which key it is sealed.
fn document_under(number: u8, text: &[u8]) -> EncryptedDocument {
    EncryptedDocument { version: 2, key: key(number), nonce: [3; 24], ciphertext: text.to_vec() }
}

#[expect(clippy::unnecessary_wraps, reason = "the store asks for one that may fail")]
fn document(_scope: &str, text: &[u8]) -> Option<EncryptedDocument> {
    Some(document_under(1, text))
}

fn no_document(_scope: &str, _document: &EncryptedDocument) -> Option<EncryptedDocument> {
    None
}

fn in_force(number: u8) -> VaultKeyRow {
    VaultKeyRow { fingerprint: key(number), custody: KeyCustody::Keychain, created_at_us: 11 }
}

/// A profile with the key 1.
pub(crate) async fn vaulted(profile: &Profile) -> Store {
    let store = profile.open().await;
    store.vault().get([9; 16]).await.unwrap();
    assert!(store.vault().set_first_key(&in_force(1), &document).await.unwrap());
    store
}

#[tokio::test]
async fn a_profile_keeps_the_id_that_it_got_first_and_its_first_key() {
    let profile = Profile::new();
    let store = profile.open().await;
    let first = store.vault().get([1; 16]).await.unwrap();
    assert_eq!((first.profile, &first.key, first.secret_count), ([1; 16], &None, 0));
    assert_eq!(store.vault().get([2; 16]).await.unwrap(), first);
    let wrapped = WrappedKey {
        memory_kib: 65_536,
        passes: 3,
        lanes: 1,
        salt: vec![5; 16],
        nonce: [6; 24],
        ciphertext: vec![7; 48],
    };
    let row = VaultKeyRow { custody: KeyCustody::Passphrase(wrapped), ..in_force(1) };
    assert!(store.vault().set_first_key(&row, &document).await.unwrap());
    assert!(
        !store.vault().set_first_key(&in_force(2), &document).await.unwrap(),
        "another process was first"
    );
    store.close().await;
    let found = profile.open().await.vault().get([3; 16]).await.unwrap();
    assert_eq!((found.profile, found.key), ([1; 16], Some(row)));
}

#[tokio::test]
async fn nothing_is_kept_that_was_sealed_under_another_key() {
    let profile = Profile::new();
    let store = profile.open().await;
    let name = "n";
    let early = store.secrets().insert_named(&under(key(1), "s"), name).await.unwrap_err();
    assert!(matches!(early, StoreError::WrongKey), "{early}");
    let store = vaulted(&profile).await;
    store.secrets().insert_named(&under(key(1), "s"), name).await.unwrap();
    let other = store.secrets().insert_named(&under(key(2), "t"), "m").await.unwrap_err();
    assert_eq!(other.to_string(), "the secret was encrypted with a key that is no longer used");
    let other = store.secrets().replace(&under(key(2), "s")).await.unwrap_err();
    assert!(matches!(other, StoreError::WrongKey), "{other}");
    let nobody = store.secrets().replace(&under(key(1), "t")).await.unwrap_err();
    assert!(matches!(nobody, StoreError::NoSuchSecret { .. }), "{nobody}");
    assert_eq!(store.secrets().get("s").await.unwrap(), Some(under(key(1), "s")));
    // No connection can remove or change the key while secrets are encrypted with it.
    let mut db = profile.bare().await;
    for attempt in ["UPDATE vault SET key = zeroblob(16)", "DELETE FROM vault"] {
        sqlx::raw_sql("PRAGMA foreign_keys = ON").execute(&mut db).await.unwrap();
        let error = sqlx::raw_sql(attempt).execute(&mut db).await.unwrap_err();
        assert!(error.as_database_error().unwrap().is_foreign_key_violation(), "{error}");
    }
    db.close().await.unwrap();
}

#[tokio::test]
async fn a_new_key_takes_over_everything_at_once() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    for number in 0..20 {
        let id = number.to_string();
        store.secrets().insert_named(&under(key(1), &id), &id).await.unwrap();
    }
    let anew = |row: &SecretRow| Ok::<_, ()>(under(key(2), &row.id));
    let stale = store.vault().rekey(key(7), &in_force(2), &anew, &no_document).await.unwrap();
    assert_eq!(stale, RekeyOutcome::WrongKey);
    let fails = |row: &SecretRow| if row.id == "13" { Err("why") } else { Ok(under(key(2), &row.id)) };
    let refused = store.vault().rekey(key(1), &in_force(2), &fails, &no_document).await.unwrap();
    assert_eq!(refused, RekeyOutcome::Refused { id: "13".into(), why: "why" });
    let forgetful = |row: &SecretRow| Ok::<_, ()>(row.clone());
    let error = store.vault().rekey(key(1), &in_force(2), &forgetful, &no_document).await.unwrap_err();
    assert!(matches!(error, StoreError::Sql(_)), "a row that is left behind fails the commit: {error}");
    let before = store.vault().get([0; 16]).await.unwrap();
    assert_eq!(before.key, Some(in_force(1)), "nothing of these changed anything");
    assert_eq!(store.secrets().get("5").await.unwrap(), Some(under(key(1), "5")));

    assert_eq!(
        store.vault().rekey(key(1), &in_force(2), &anew, &no_document).await.unwrap(),
        RekeyOutcome::Done(20)
    );
    assert_eq!(store.vault().get([0; 16]).await.unwrap().key, Some(in_force(2)));
    for number in 0..20 {
        let id = number.to_string();
        assert_eq!(store.secrets().get(&id).await.unwrap(), Some(under(key(2), &id)));
    }
    let late = store.secrets().insert_named(&under(key(1), "late"), "late").await.unwrap_err();
    assert!(matches!(late, StoreError::WrongKey), "who still has the old key is told: {late}");
}

#[tokio::test]
async fn abandoned_key_ends_logins_and_leaves_secret_names_to_refill() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let one = server(&store, "one").await;
    let new = NewLogin {
        issuer: "i".into(),
        resource: "r".into(),
        account: None,
        label: None,
        registration_id: None,
    };
    let login = store.logins().insert(&new, &TokenFacts::default(), &under(key(1), "t")).await.unwrap();
    store.server_secrets().set(one, SecretPlace::Header, "X", &under(key(1), "h")).await.unwrap();
    let origin = RegistrationOrigin::Entered;
    let mut client = NewRegistration {
        issuer: "i".into(),
        origin,
        client_id: "c".into(),
        method: "none".into(),
        redirect: None,
        expires_at_us: None,
    };
    store.registrations().save(&client, None).await.unwrap();
    client.issuer = "j".into();
    store.registrations().save(&client, Some(&under(key(1), "c"))).await.unwrap();

    let why = say!("the disk is full");
    assert_eq!(store.vault().discard_key(&why).await.unwrap(), 3);
    let vault = store.vault().get([0; 16]).await.unwrap();
    assert_eq!(
        (vault.profile, vault.key, vault.secret_count),
        ([9; 16], None, 0),
        "the profile stays who it is"
    );
    let ended = store.logins().get(login.id).await.unwrap().unwrap();
    assert_eq!(ended.state, LoginState::Ended(serde_json::to_string(&why.stored()).unwrap()));
    assert_eq!(ended.version, 2, "who holds tokens of it notices");
    let [value] = store.server_secrets().list_for_server(one).await.unwrap().try_into().unwrap();
    assert_eq!(value.secret_id, None);
    assert!(store.registrations().current("i", origin).await.unwrap().is_some());
    assert!(store.registrations().current("j", origin).await.unwrap().is_none());
    assert!(
        store.vault().set_first_key(&in_force(4), &|_, text| Some(document_under(4, text))).await.unwrap()
    );
}

#[tokio::test]
async fn one_process_at_a_time_works_on_the_key() {
    let profile = Profile::new();
    let (one, other) = (profile.open().await, profile.open().await);
    let held = one.vault().lock_exclusive(Duration::ZERO).await.unwrap().unwrap();
    assert!(other.vault().lock_exclusive(Duration::from_millis(50)).await.unwrap().is_none());
    let vault = other.vault();
    let waiting = vault.lock_exclusive(crate::profile::AMPLE);
    let release = async { drop(held) };
    let (taken, ()) = tokio::join!(waiting, release);
    assert!(taken.unwrap().is_some());
}

#[tokio::test]
async fn database_without_logins_is_migrated_and_keeps_its_data() {
    let profile = Profile::new();
    let mut db = profile.bare().await;
    // As the versions before wrote it: their migrations, run by the same library.
    migrate_to(&mut db, 3).await;
    let rows =
        "INSERT INTO server (name, transport, args, env, headers, url, created_at_us, updated_at_us, era)
            VALUES ('kept', 'http', '[]', '{}', '{\"X\":\"1\"}', 'https://a', 1, 2, 'modern');
        INSERT INTO setting VALUES ('theme', '\"dark\"');
        INSERT INTO known_era VALUES ('a', 'modern', 4);
        INSERT INTO log (at_us, kind, direction, status, connection, size, source, head)
            VALUES (1, 0, 0, 0, 1, 2, 's', x'6869')";
    sqlx::raw_sql(rows).execute(&mut db).await.unwrap();
    db.close().await.unwrap();

    let store = profile.open().await;
    let [server] = store.servers().list().await.unwrap().try_into().unwrap();
    let definition: serde_json::Value = serde_json::from_str(&server.definition).unwrap();
    assert_eq!((server.name.as_str(), &definition["headers"]["X"]), ("kept", &"1".into()));
    assert_eq!(store.settings().get("theme").await.unwrap().as_deref(), Some("\"dark\""));
    assert_eq!(crate::profile::everything(&store.log()).await.len(), 1);
    assert!(profile.home().join("backups").read_dir().unwrap().count() == 1, "a copy from before");
    store.vault().get([9; 16]).await.unwrap();
    assert!(store.vault().set_first_key(&in_force(1), &document).await.unwrap());
    store.server_secrets().set(server.id, SecretPlace::Env, "A", &under(key(1), "a")).await.unwrap();
    assert_eq!(store.secrets().count().await.unwrap(), 1);
}

#[tokio::test]
async fn database_without_keys_of_apps_keeps_apps_and_raises_none() {
    let profile = Profile::new();
    let mut db = profile.bare().await;
    migrate_to(&mut db, 22).await;
    let rows = "INSERT INTO app (name, level, connection, connected_at_us)
            VALUES ('cursor', 'read_only', '{}', 7), ('pier-bot', 'app_asks', NULL, NULL);
        INSERT INTO app_token VALUES ('pier-bot', 'abc', 8, NULL)";
    sqlx::raw_sql(rows).execute(&mut db).await.unwrap();
    db.close().await.unwrap();

    let store = profile.open().await;
    let apps = async || {
        let list = store.apps().list().await.unwrap();
        let keys: Vec<_> = list.keys.iter().map(|key| (key.app.clone(), key.kind)).collect();
        let rows =
            list.rows.into_iter().map(|row| (row.name, row.settings.level.unwrap(), row.predates_keys));
        (rows.collect::<Vec<_>>(), keys)
    };
    let row = |name: &str, level: &str, predates| (name.to_owned(), level.to_owned(), predates);
    let token = [("pier-bot".to_owned(), AppKeyKind::Token)];
    let kept = [row("cursor", "read_only", true), row("pier-bot", "app_asks", true)];
    assert_eq!(apps().await, (kept.to_vec(), token.to_vec()));
    let [cursor, _] = store.apps().list().await.unwrap().rows.try_into().unwrap();
    assert_eq!((cursor.connection.as_deref(), cursor.connected_at_us), (Some("{}"), Some(7)));
    // What is decided from now on counts for it as for any other.
    assert!(!store.app_keys().remove("cursor", AppKeyKind::Allowed).await.unwrap());
    let decided = [row("cursor", "read_only", false), row("pier-bot", "app_asks", true)];
    assert_eq!(apps().await, (decided.to_vec(), token.to_vec()));
}

// A process that is killed leaves the write-ahead log as it is: what was committed is read back by the next.
#[tokio::test]
async fn committed_secret_is_visible_to_the_next_opener() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    store.secrets().insert_named(&under(key(1), "s"), "s").await.unwrap();
    let copy = Profile::new();
    for name in ["mooring.db", "mooring.db-wal"] {
        std::fs::copy(profile.home().join(name), copy.home().join(name)).unwrap();
    }
    let found = copy.open().await.secrets().get("s").await.unwrap();
    assert_eq!(found, Some(under(key(1), "s")));
}
