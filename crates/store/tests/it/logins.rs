//! Logins, client registrations and the sealed secrets that they own.

use crate::profile::Profile;
use crate::sealed::{key, under, vaulted};
use mooring_disk::StoreError;
use mooring_store::{
    LoginState, LoginUpdate, NewLogin, NewRegistration, RegistrationOrigin, SecretPlace, SecretRow, Store,
    TokenFacts,
};
use mooring_words::say;
use std::time::Duration;

const NOW: Duration = Duration::ZERO;

fn login(account: Option<&str>) -> NewLogin {
    NewLogin {
        issuer: "https://id.example/".into(),
        resource: "https://mcp.example/mcp".into(),
        account: account.map(str::to_owned),
        label: None,
        registration_id: None,
    }
}

fn tokens(expires_at_us: i64) -> TokenFacts {
    TokenFacts {
        scopes_asked: vec!["files:read".into(), "offline_access".into()],
        scopes_granted: vec!["files:read".into()],
        token_type: "Bearer".into(),
        expires_at_us: Some(expires_at_us),
        refreshable: true,
    }
}

pub(crate) async fn server(store: &Store, name: &str) -> i64 {
    let definition = r#"{"transport":"http","url":"https://mcp.example/mcp"}"#;
    store.servers().insert(name, definition, &|_| Ok(Vec::new()), None).await.unwrap().id
}

async fn has(store: &Store, secret: &SecretRow) -> bool {
    store.secrets().get(&secret.id).await.unwrap().is_some()
}

#[tokio::test]
async fn a_restart_finds_a_login_with_its_sealed_tokens_again() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let sealed = under(key(1), "t1");
    let made = store.logins().insert(&login(Some("mia")), &tokens(5), &sealed).await.unwrap();
    store.logins().mark_used(made.id).await.unwrap();
    store.close().await;
    let store = profile.open().await;
    let found = store.logins().get(made.id).await.unwrap().unwrap();
    assert!(found.used_at_us.is_some());
    assert_eq!(found, mooring_store::LoginRow { used_at_us: found.used_at_us, ..made });
    assert_eq!((found.version, &found.state), (1, &LoginState::Active));
    assert_eq!(found.tokens, tokens(5));
    assert_eq!(store.secrets().get("t1").await.unwrap(), Some(sealed));
    let same_issuer = store.logins().find("https://id.example/", "https://mcp.example/mcp").await.unwrap();
    assert_eq!(same_issuer, [found]);
    // To the letter: neither another slash nor another resource at the same issuer.
    for (issuer, resource) in [
        ("https://id.example", "https://mcp.example/mcp"),
        ("https://id.example/", "https://mcp.example/mcp2"),
    ] {
        assert_eq!(store.logins().find(issuer, resource).await.unwrap(), []);
    }
}

#[tokio::test]
async fn new_tokens_take_the_place_of_the_old_in_one_commit() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let (old, new) = (under(key(1), "old"), under(key(1), "new"));
    let made = store.logins().insert(&login(None), &tokens(1), &old).await.unwrap();
    let LoginUpdate::Applied(after) =
        store.logins().replace_tokens(made.id, made.version, &tokens(9), &new).await.unwrap()
    else {
        panic!("nobody else changed it");
    };
    assert_eq!((after.version, after.tokens.expires_at_us), (2, Some(9)));
    assert_eq!(after.secret_id.as_deref(), Some("new"));
    assert!(!has(&store, &old).await && has(&store, &new).await);
}

// Two that refresh at once: one commits, the other learns what is there and leaves nothing behind.
#[tokio::test]
async fn only_one_of_two_processes_commits_over_the_same_version() {
    let profile = Profile::new();
    let (store, other) = (vaulted(&profile).await, profile.open().await);
    let made = store.logins().insert(&login(None), &tokens(1), &under(key(1), "first")).await.unwrap();
    let (ours, theirs) = (under(key(1), "ours"), under(key(1), "theirs"));
    let (facts, later) = (tokens(2), tokens(3));
    let (store_logins, other_logins) = (store.logins(), other.logins());
    let (left, right) = tokio::join!(
        store_logins.replace_tokens(made.id, 1, &facts, &ours),
        other_logins.replace_tokens(made.id, 1, &later, &theirs)
    );
    let (done, lost): (Vec<_>, Vec<_>) = [left.unwrap(), right.unwrap()]
        .into_iter()
        .partition(|swapped| matches!(swapped, LoginUpdate::Applied(_)));
    let ([LoginUpdate::Applied(done)], [LoginUpdate::Conflict(Some(lost))]) =
        (done.as_slice(), lost.as_slice())
    else {
        panic!("one wins: {done:?} {lost:?}");
    };
    assert_eq!(done, lost, "who lost is told what is there");
    assert_eq!(store.secrets().count().await.unwrap(), 1, "neither the first nor the lost one is left");
    assert_eq!(has(&store, &ours).await, done.secret_id.as_deref() == Some("ours"));
    let end = store.logins().end(made.id, 1, &say!("the disk is full")).await.unwrap();
    assert_eq!(end, LoginUpdate::Conflict(Some(done.clone())), "an old refusal does not end a renewed login");
    let gone = store.logins().replace_tokens(77, 1, &tokens(2), &under(key(1), "nobody's")).await.unwrap();
    assert_eq!(gone, LoginUpdate::Conflict(None));
    assert_eq!(store.secrets().count().await.unwrap(), 1);
}

#[tokio::test]
async fn a_login_that_ends_says_why_and_keeps_no_token() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let sealed = under(key(1), "t");
    let made = store.logins().insert(&login(Some("mia")), &tokens(1), &sealed).await.unwrap();
    let why = say!("the database reported: {detail}", detail = "invalid_grant");
    let LoginUpdate::Applied(ended) = store.logins().end(made.id, 1, &why).await.unwrap() else {
        panic!("nobody else changed it");
    };
    let LoginState::Ended(reason) = &ended.state else { panic!("{ended:?}") };
    let reason: serde_json::Value = serde_json::from_str(reason).unwrap();
    assert_eq!(reason, serde_json::to_value(why.stored()).unwrap());
    assert!(ended.secret_id.is_none() && !has(&store, &sealed).await);
    // The same account signs in once more, into the same login or another.
    let again = store.logins().insert(&login(Some("mia")), &tokens(1), &under(key(1), "u")).await.unwrap();
    assert!(store.logins().remove(again.id).await.unwrap());
    let back = store.logins().replace_tokens(made.id, 2, &tokens(4), &under(key(1), "v")).await.unwrap();
    assert!(matches!(back, LoginUpdate::Applied(row) if row.state == LoginState::Active && row.version == 3));
}

#[tokio::test]
async fn account_has_one_login_per_resource_and_server_has_many() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let (logins, chosen) = (store.logins(), store.server_logins());
    let mia = logins.insert(&login(Some("mia")), &tokens(1), &under(key(1), "m")).await.unwrap();
    let noah = logins.insert(&login(Some("noah")), &tokens(1), &under(key(1), "n")).await.unwrap();
    let twice = logins.insert(&login(Some("mia")), &tokens(1), &under(key(1), "x")).await.unwrap_err();
    assert_eq!(twice.to_string(), "this account is signed in there already: mia");
    let unknown = logins.insert(&login(None), &tokens(1), &under(key(1), "y")).await.unwrap();
    let told = logins.set_account(unknown.id, 1, Some("noah"), None).await.unwrap_err();
    assert!(matches!(told, StoreError::AccountTaken { .. }), "{told}");
    assert_eq!(store.secrets().count().await.unwrap(), 3, "what was refused left no secret");

    let first = server(&store, "first").await;
    let second = server(&store, "second").await;
    chosen.choose(first, mia.id).await.unwrap();
    chosen.choose(first, noah.id).await.unwrap();
    chosen.choose(second, mia.id).await.unwrap();
    let ids = |rows: Vec<mooring_store::LoginRow>| rows.iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(ids(chosen.list_for_server(first).await.unwrap()), [noah.id, mia.id]);
    assert_eq!(chosen.chosen(first).await.unwrap().map(|row| row.id), Some(noah.id));
    chosen.choose(first, mia.id).await.unwrap();
    assert_eq!(chosen.list_for_login(mia.id).await.unwrap(), [(first, true), (second, true)]);
    assert_eq!(chosen.list_for_login(noah.id).await.unwrap(), [(first, false)]);
    let nobody = chosen.choose(first, 99).await.unwrap_err();
    assert!(matches!(nobody, StoreError::NoSuchLogin { id: 99 }), "{nobody}");
    assert_eq!(chosen.chosen(first).await.unwrap().map(|row| row.id), Some(mia.id), "nothing changed");
    chosen.remove(second, mia.id).await.unwrap();
    assert_eq!(chosen.chosen(second).await.unwrap(), None);
}

#[tokio::test]
async fn what_is_removed_takes_its_secrets_along_and_nothing_else() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let kept = store.logins().insert(&login(Some("a")), &tokens(1), &under(key(1), "kept")).await.unwrap();
    let gone = store.logins().insert(&login(Some("b")), &tokens(1), &under(key(1), "gone")).await.unwrap();
    let one = server(&store, "one").await;
    for row in [&kept, &gone] {
        store.server_logins().choose(one, row.id).await.unwrap();
    }
    assert!(store.logins().remove(gone.id).await.unwrap());
    assert!(!store.logins().remove(gone.id).await.unwrap());
    assert_eq!(store.secrets().get("gone").await.unwrap(), None);
    assert_eq!(store.server_logins().list_for_server(one).await.unwrap(), std::slice::from_ref(&kept));

    store.server_secrets().set(one, SecretPlace::Env, "TOKEN", &under(key(1), "env")).await.unwrap();
    store.secrets().insert_named(&under(key(1), "named"), "GitHub").await.unwrap();
    store.server_secrets().set_named(one, SecretPlace::Header, "X-Key", "named").await.unwrap();
    store.servers().remove(one).await.unwrap();
    assert_eq!(
        store.server_secrets().list_for_server(one).await.unwrap().len(),
        2,
        "it can still be restored"
    );
    store.servers().purge_removed(Duration::ZERO).await.unwrap();
    assert_eq!(store.secrets().get("env").await.unwrap(), None);
    assert!(store.secrets().get("named").await.unwrap().is_some(), "the person keeps it by its name");
    assert_eq!(store.logins().list().await.unwrap(), [kept], "the account stays signed in");
}

#[tokio::test]
async fn a_sealed_value_of_a_server_is_replaced_named_and_emptied() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let values = store.server_secrets();
    let one = server(&store, "one").await;
    let two = server(&store, "two").await;
    values.set(one, SecretPlace::Env, "TOKEN", &under(key(1), "a")).await.unwrap();
    values.set(one, SecretPlace::Env, "TOKEN", &under(key(1), "b")).await.unwrap();
    assert_eq!(store.secrets().get("a").await.unwrap(), None, "the value before is gone");
    store.secrets().insert_named(&under(key(1), "c"), "shared").await.unwrap();
    let taken = store.secrets().insert_named(&under(key(1), "d"), "shared").await.unwrap_err();
    assert_eq!(taken.to_string(), "another secret has this name: shared");
    for id in [one, two] {
        values.set_named(id, SecretPlace::Env, "TOKEN", "c").await.unwrap();
    }
    assert_eq!(store.secrets().get("b").await.unwrap(), None);
    let uses = store.secrets().list().await.unwrap();
    assert_eq!(
        (uses.len(), uses[0].label.as_deref(), &uses[0].servers),
        (1, Some("shared"), &vec![one, two])
    );
    let unnamed = values.set_named(one, SecretPlace::Env, "TOKEN", "b").await.unwrap_err();
    assert!(matches!(unnamed, StoreError::NoSuchSecret { .. }), "{unnamed}");
    let nobody = values.set(99, SecretPlace::Env, "TOKEN", &under(key(1), "e")).await.unwrap_err();
    assert!(matches!(nobody, StoreError::NoSuchServer { id: 99 }), "{nobody}");

    let changed = SecretRow { ciphertext: b"another".to_vec(), ..under(key(1), "c") };
    store.secrets().replace(&changed).await.unwrap();
    assert_eq!(store.secrets().get("c").await.unwrap(), Some(changed));
    values.remove(two, SecretPlace::Env, "TOKEN").await.unwrap();
    store.secrets().remove_named("c").await.unwrap();
    let [left] = values.list_for_server(one).await.unwrap().try_into().unwrap();
    assert_eq!((left.name.as_str(), left.secret_id), ("TOKEN", None), "to be entered again");
    assert_eq!(store.secrets().count().await.unwrap(), 0);
}

fn registration(issuer: &str, origin: RegistrationOrigin, client_id: &str) -> NewRegistration {
    NewRegistration {
        issuer: issuer.into(),
        origin,
        client_id: client_id.into(),
        method: "client_secret_basic".into(),
        redirect: Some("http://127.0.0.1/callback".into()),
        expires_at_us: Some(7),
    }
}

// Requirements: AUTH-20
#[tokio::test]
async fn replaced_registration_stays_for_its_logins() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let registrations = store.registrations();
    let dynamic = RegistrationOrigin::Dynamic;
    let first = registration("https://id.example/a", dynamic, "one");
    let first = registrations.save(&first, Some(&under(key(1), "s1"))).await.unwrap();
    let elsewhere = registration("https://id.example/b", dynamic, "two");
    let elsewhere = registrations.save(&elsewhere, Some(&under(key(1), "s2"))).await.unwrap();
    let entered = registration("https://id.example/a", RegistrationOrigin::Entered, "three");
    let entered = registrations.save(&entered, None).await.unwrap();
    let found = registrations.current("https://id.example/a", dynamic).await.unwrap();
    assert_eq!(found.as_ref(), Some(&first), "same host, another path: another issuer");
    assert_eq!(registrations.current("https://id.example", dynamic).await.unwrap(), None);
    assert_eq!(registrations.list().await.unwrap(), [first.clone(), entered, elsewhere]);

    let with = NewLogin { registration_id: Some(first.id), ..login(None) };
    let used = store.logins().insert(&with, &tokens(1), &under(key(1), "t")).await.unwrap();
    let second = registration("https://id.example/a", dynamic, "four");
    let second = registrations.save(&second, Some(&under(key(1), "s4"))).await.unwrap();
    let old = registrations.get(first.id).await.unwrap().unwrap();
    assert!(old.replaced_at_us.is_some() && old.secret_id.is_some(), "the login refreshes with it");
    let current = registrations.current("https://id.example/a", dynamic).await.unwrap();
    assert_eq!(current.as_ref(), Some(&second));
    store.logins().remove(used.id).await.unwrap();
    assert_eq!(registrations.get(first.id).await.unwrap(), None);
    assert_eq!(store.secrets().get("s1").await.unwrap(), None);
    registrations.remove(second.id).await.unwrap();
    assert_eq!(store.secrets().get("s4").await.unwrap(), None);
}

// Requirements: AUTH-20
#[tokio::test]
async fn login_is_saved_even_when_its_registration_was_replaced() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let registrations = store.registrations();
    let new = |id| registration("https://id.example", RegistrationOrigin::Dynamic, id);
    let first = registrations.save(&new("one"), None).await.unwrap();
    registrations.save(&new("two"), None).await.unwrap();
    assert_eq!(registrations.get(first.id).await.unwrap(), None, "nothing needed it");
    let with = NewLogin { registration_id: Some(first.id), ..login(Some("ada")) };
    let kept = store.logins().insert(&with, &tokens(1), &under(key(1), "t")).await.unwrap();
    assert_eq!(kept.login.registration_id, None);
    let anew = store
        .logins()
        .replace_after_sign_in(kept.id, kept.version, &with, &tokens(2), &under(key(1), "u"))
        .await;
    assert!(matches!(anew.unwrap(), LoginUpdate::Applied(row) if row.login.registration_id.is_none()));
}

// Requirements: AUTH-20
#[tokio::test]
async fn retired_registration_returns_unless_it_was_replaced() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let registrations = store.registrations();
    let new = |id| registration("https://id.example", RegistrationOrigin::Dynamic, id);
    let current = async || {
        let row = registrations.current("https://id.example", RegistrationOrigin::Dynamic).await.unwrap();
        row.map(|row| row.registration.client_id)
    };
    let first = registrations.save(&new("one"), None).await.unwrap();
    registrations.retire(first.id).await.unwrap();
    assert_eq!(current().await, None);
    registrations.restore(first.id).await.unwrap();
    registrations.restore(first.id).await.unwrap();
    assert_eq!(current().await.as_deref(), Some("one"));

    let with = NewLogin { registration_id: Some(first.id), ..login(None) };
    store.logins().insert(&with, &tokens(1), &under(key(1), "t")).await.unwrap();
    registrations.retire(first.id).await.unwrap();
    registrations.save(&new("two"), None).await.unwrap();
    registrations.restore(first.id).await.unwrap();
    assert_eq!(current().await.as_deref(), Some("two"));
    assert!(registrations.get(first.id).await.unwrap().is_some(), "a login needs it");
}

#[tokio::test]
async fn unreferenced_secret_is_listed_and_deleted_when_old() {
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let one = server(&store, "one").await;
    store.logins().insert(&login(None), &tokens(1), &under(key(1), "login")).await.unwrap();
    let entered = registration("https://id.example", RegistrationOrigin::Entered, "id");
    store.registrations().save(&entered, Some(&under(key(1), "client"))).await.unwrap();
    store.server_secrets().set(one, SecretPlace::Env, "A", &under(key(1), "env")).await.unwrap();
    store.secrets().insert_named(&under(key(1), "named"), "name").await.unwrap();
    assert_eq!(store.secrets().orphans(NOW).await.unwrap(), Vec::<String>::new());
    let mut db = profile.bare().await;
    let lose = "INSERT INTO secret SELECT 'lost', kind, version, key, nonce, ciphertext, NULL, 1, purpose FROM secret LIMIT 1;
        INSERT INTO secret SELECT 'young', kind, version, key, nonce, ciphertext, NULL, at_us, purpose FROM secret LIMIT 1";
    sqlx::raw_sql(lose).execute(&mut db).await.unwrap();
    let hour = Duration::from_hours(1);
    assert_eq!(store.secrets().orphans(hour).await.unwrap(), ["lost"]);
    assert_eq!(store.secrets().remove_orphans(hour).await.unwrap(), 1);
    assert_eq!(store.secrets().count().await.unwrap(), 5);
}
