//! Servers and settings.

use crate::profile::Profile;
use crate::sealed::{key, under, vaulted};
use mooring_disk::StoreError;
use mooring_store::{NewServerSecret, SecretPlace, SecretRow, ServerRow};
use std::time::Duration;

const DEFINITION: &str =
    r#"{"transport":"stdio","command":"npx","args":["-y","a \"b\" 日本"],"env":{"KEY":"v=1\n"}}"#;

#[tokio::test]
async fn a_restart_finds_servers_and_settings_again() {
    let profile = Profile::new();
    let store = profile.open().await;
    let first = store.servers().insert("first", DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap();
    let web = r#"{"transport":"http","url":"https://example.com/mcp","era":"sse"}"#;
    let second = store.servers().insert("second", web, &|_| Ok(Vec::new()), None).await.unwrap();
    let second = store.servers().set_enabled(second.id, false).await.unwrap();
    store.settings().set("theme", "\"dark\"").await.unwrap();
    store.settings().set("theme", "\"light\"").await.unwrap();
    store.close().await;

    let store = profile.open().await;
    assert_eq!(store.servers().list().await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!((first.definition.as_str(), second.definition.as_str()), (DEFINITION, web));
    assert!(first.enabled && !second.enabled);
    assert_eq!(store.settings().get("theme").await.unwrap().as_deref(), Some("\"light\""));
    assert_eq!(store.settings().get("other").await.unwrap(), None);
}

#[tokio::test]
async fn an_update_replaces_what_was_entered_and_nothing_else() {
    let profile = Profile::new();
    let servers = profile.open().await.servers();
    let before = servers.insert("a", DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap();
    servers.set_enabled(before.id, false).await.unwrap();
    let changed = r#"{"transport":"stdio","command":"npx","cwd":"/tmp"}"#;
    let after = servers.update(before.id, "b", changed, &|_| Ok(Vec::new()), None).await.unwrap();
    assert_eq!((after.name.as_str(), after.definition.as_str()), ("b", changed));
    assert!(!after.enabled);
    assert_eq!(after.created_at_us, before.created_at_us);
    assert!(after.updated_at_us >= before.updated_at_us);
    assert_eq!(servers.get(before.id).await.unwrap(), Some(after));
}

#[tokio::test]
async fn a_removed_server_can_be_restored_until_it_is_purged() {
    let profile = Profile::new();
    let servers = profile.open().await.servers();
    let row = servers.insert("a", DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap();
    servers.remove(row.id).await.unwrap();
    assert_eq!(servers.list().await.unwrap(), []);
    assert_eq!(servers.get(row.id).await.unwrap(), None);
    assert_eq!(servers.restore(row.id).await.unwrap(), row);
    servers.remove(row.id).await.unwrap();
    assert_eq!(servers.purge_removed(Duration::ZERO).await.unwrap(), 1);
    assert!(matches!(servers.restore(row.id).await, Err(StoreError::NoSuchServer { .. })));
    let next = servers.insert("a", DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap();
    assert!(next.id > row.id, "an id is never given twice");
}

#[tokio::test]
async fn a_name_belongs_to_one_server_at_a_time() {
    let profile = Profile::new();
    let servers = profile.open().await.servers();
    let taken = |result| match result {
        Err(StoreError::NameTaken { name }) => name,
        other => format!("{other:?}"),
    };
    let first = servers.insert("a", DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap();
    assert_eq!(taken(servers.insert("a", DEFINITION, &|_| Ok(Vec::new()), None).await), "a");
    let second = servers.insert("b", DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap();
    assert_eq!(taken(servers.update(second.id, "a", DEFINITION, &|_| Ok(Vec::new()), None).await), "a");
    servers.remove(first.id).await.unwrap();
    servers.update(second.id, "a", DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap();
    assert_eq!(taken(servers.restore(first.id).await), "a");
}

#[tokio::test]
async fn approval_is_saved_together_with_its_subject_or_not_at_all() {
    let profile = Profile::new();
    let store = profile.open().await;
    let (servers, pins) = (store.servers(), store.pins());
    servers.insert("a", DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap();
    let second = servers.insert("b", DEFINITION, &|_| Ok(Vec::new()), Some("1")).await.unwrap();
    assert_eq!(pins.saved_hash(second.id).await.unwrap().as_deref(), Some("1"));
    let refused =
        servers.update(second.id, "a", DEFINITION, &|_| Ok(Vec::new()), Some("2")).await.unwrap_err();
    assert!(matches!(refused, StoreError::NameTaken { .. }), "{refused}");
    assert_eq!(pins.saved_hash(second.id).await.unwrap().as_deref(), Some("1"));
    servers.update(second.id, "c", DEFINITION, &|_| Ok(Vec::new()), Some("2")).await.unwrap();
    assert_eq!(pins.saved_hash(second.id).await.unwrap().as_deref(), Some("2"));
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let profile = Profile::new();
    let servers = profile.open().await.servers();
    let text = "there is no server with this id: 5";
    assert_eq!(
        servers.update(5, "a", DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap_err().to_string(),
        text
    );
    assert_eq!(servers.set_enabled(5, true).await.unwrap_err().to_string(), text);
    assert_eq!(servers.remove(5).await.unwrap_err().to_string(), text);
    assert_eq!(servers.restore(5).await.unwrap_err().to_string(), text);
}

#[tokio::test]
async fn two_handles_see_each_others_changes() {
    let profile = Profile::new();
    let (window, command) = (profile.open().await, profile.open().await);
    let row = command.servers().insert("a", DEFINITION, &|_| Ok(Vec::new()), None).await.unwrap();
    assert_eq!(window.servers().list().await.unwrap(), [row]);
    window.settings().set("k", "1").await.unwrap();
    assert_eq!(command.settings().get("k").await.unwrap().as_deref(), Some("1"));
}

fn sealed(place: SecretPlace, name: &str, value: Option<SecretRow>) -> NewServerSecret {
    NewServerSecret { place, name: name.into(), value }
}

#[tokio::test]
async fn a_server_is_saved_with_its_sealed_values_or_not_at_all() {
    use SecretPlace::{Env, Header};
    let profile = Profile::new();
    let store = vaulted(&profile).await;
    let servers = store.servers();
    let value = |id: &str| Some(under(key(1), id));
    let first = [sealed(Env, "B", value("b")), sealed(Env, "A", value("a")), sealed(Header, "X-Key", None)];
    let saved = servers.insert("one", DEFINITION, &|_| Ok(first.to_vec()), None).await.unwrap();
    let told = |row: &ServerRow| -> Vec<_> {
        row.secrets.iter().map(|row| (row.name.clone(), row.secret_id.clone())).collect()
    };
    let is = |name: &str, id: Option<&str>| (name.to_owned(), id.map(str::to_owned));
    assert_eq!(told(&saved), [is("A", Some("a")), is("B", Some("b")), is("X-Key", None)]);
    assert_eq!(servers.list().await.unwrap(), std::slice::from_ref(&saved));

    // One stays, one is new, one goes, and one is written in another way.
    let next = [sealed(Env, "A", None), sealed(Env, "C", value("c")), sealed(Header, "x-key", value("x"))];
    let changed = servers.update(saved.id, "two", DEFINITION, &|_| Ok(next.to_vec()), None).await.unwrap();
    assert_eq!(told(&changed), [is("A", Some("a")), is("C", Some("c")), is("x-key", Some("x"))]);
    assert_eq!(store.secrets().get("b").await.unwrap(), None);
    assert_eq!(servers.get(saved.id).await.unwrap().unwrap(), changed);

    // Sealed under a key that is not in force: neither the name nor the values change.
    let other = [sealed(Env, "A", Some(under(key(2), "z")))];
    let refused =
        servers.update(saved.id, "three", DEFINITION, &|_| Ok(other.to_vec()), None).await.unwrap_err();
    assert!(matches!(refused, StoreError::WrongKey), "{refused}");
    let refused = servers.insert("four", DEFINITION, &|_| Ok(other.to_vec()), None).await.unwrap_err();
    assert!(matches!(refused, StoreError::WrongKey), "{refused}");
    assert_eq!(servers.list().await.unwrap(), std::slice::from_ref(&changed));

    servers.remove(saved.id).await.unwrap();
    assert_eq!(servers.restore(saved.id).await.unwrap(), changed);
    let stopped = servers.set_enabled(saved.id, false).await.unwrap();
    assert_eq!(stopped.secrets, changed.secrets);
}
