//! What is fetched when, and what the copy has after it.

use std::sync::Mutex;

use mooring_registry::{EntryStatus, RefreshReason};
use mooring_testkit::registry::{RegistryFault, registry_entry};
use serde_json::json;

use crate::{HOUR_US, Setup};

const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

#[tokio::test]
async fn nothing_is_fetched_before_the_person_asks() {
    let setup = Setup::new(5, 0).await;
    assert_eq!(setup.refresh(RefreshReason::Opened).await.unwrap(), None);
    let state = setup.catalog.state(&setup.base).await.unwrap();
    assert_eq!((state.entries, state.synced_ms, state.unfinished), (0, None, false));
    assert_eq!(setup.server.requests(), [""; 0]);
}

#[tokio::test]
async fn all_pages_are_fetched_and_odd_entries_counted() {
    let setup = Setup::new(250, 40).await;
    let seen = Mutex::new(Vec::new());
    let on_progress = |progress| seen.lock().unwrap().push(progress);
    let done = setup.catalog.refresh(&setup.base, RefreshReason::Asked, setup.now_us, &on_progress).await;
    let done = done.unwrap().unwrap();
    assert_eq!((done.pages, done.entries, done.left_out), (3, 268, 22));
    assert_eq!(seen.lock().unwrap().len(), 3);
    let state = setup.catalog.state(&setup.base).await.unwrap();
    assert_eq!((state.entries, state.left_out, state.unfinished), (268, 22, false));
    assert_eq!(state.synced_ms, Some(setup.now_us / 1_000));
}

#[tokio::test]
async fn an_opened_catalog_asks_for_changes_once_an_hour() {
    let mut setup = Setup::new(5, 0).await;
    setup.refresh(RefreshReason::Asked).await.unwrap();
    setup.now_us += HOUR_US - 1;
    assert_eq!(setup.refresh(RefreshReason::Opened).await.unwrap(), None);
    setup.now_us += 2;
    assert!(setup.refresh(RefreshReason::Opened).await.unwrap().is_some());
    let requests = setup.server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].contains("updated_since=2026-09-21T"), "{requests:?}");
    assert!(requests[1].contains("include_deleted=true"), "{requests:?}");
}

#[tokio::test]
async fn changes_replace_what_the_copy_has() {
    let mut setup = Setup::new(5, 0).await;
    setup.refresh(RefreshReason::Asked).await.unwrap();
    let mut entry = registry_entry(3);
    entry["server"]["version"] = json!("9.0.0");
    entry["_meta"][OFFICIAL]["publishedAt"] = json!("2026-12-01T00:00:00Z");
    setup.server.publish(entry);
    let mut gone = registry_entry(2);
    gone["_meta"][OFFICIAL]["status"] = json!("deleted");
    setup.server.publish(gone.clone());
    setup.now_us += HOUR_US;
    setup.refresh(RefreshReason::Asked).await.unwrap();
    let detail = setup.catalog.detail("io.github.publisher3/github-3").await.unwrap();
    assert_eq!(detail.entry.version, "9.0.0");
    assert!(detail.server_json.contains("\"9.0.0\""), "{}", detail.server_json);
    assert_eq!(setup.total("").await, 4);
    let name = gone["server"]["name"].as_str().unwrap();
    assert_eq!(setup.catalog.entries(&[name]).await.unwrap()[0].status, EntryStatus::Deleted);
}

#[tokio::test]
async fn an_older_version_never_replaces_the_newest() {
    let mut setup = Setup::new(5, 0).await;
    setup.refresh(RefreshReason::Asked).await.unwrap();
    let mut old = registry_entry(3);
    old["server"]["version"] = json!("0.1.0");
    old["_meta"][OFFICIAL]["isLatest"] = json!(false);
    setup.server.publish(old.clone());
    setup.now_us += HOUR_US;
    setup.refresh(RefreshReason::Asked).await.unwrap();
    let version = async || setup.catalog.detail("io.github.publisher3/github-3").await.unwrap().entry.version;
    assert_eq!(version().await, "1.3.3");
    // A registry that doesn't say which version is the newest.
    old["_meta"][OFFICIAL] = json!({ "publishedAt": "2020-01-01T00:00:00Z" });
    setup.server.publish(old);
    setup.refresh(RefreshReason::Asked).await.unwrap();
    assert_eq!(version().await, "1.3.3");
}

#[tokio::test]
async fn a_cancelled_fetch_goes_on_where_it_ended() {
    let setup = Setup::new(450, 0).await;
    {
        let (sender, mut two) = tokio::sync::watch::channel(0);
        let on_progress = |progress: mooring_registry::SyncProgress| {
            sender.send_replace(progress.pages);
        };
        let refresh = setup.catalog.refresh(&setup.base, RefreshReason::Asked, setup.now_us, &on_progress);
        tokio::select! {
            done = refresh => panic!("{done:?}"),
            _ = two.wait_for(|pages| *pages == 2) => {}
        }
    }
    let state = setup.catalog.state(&setup.base).await.unwrap();
    assert_eq!((state.entries, state.synced_ms, state.unfinished), (200, None, true));
    assert_eq!(setup.total("").await, 200);
    setup.refresh(RefreshReason::Asked).await.unwrap();
    assert_eq!(setup.total("").await, 450);
    assert!(!setup.catalog.state(&setup.base).await.unwrap().unfinished);
    let first = setup.server.requests().iter().filter(|request| !request.contains("cursor=")).count();
    assert_eq!(first, 1);
}

#[tokio::test]
async fn another_registry_empties_the_copy() {
    let setup = Setup::new(5, 0).await;
    setup.refresh(RefreshReason::Asked).await.unwrap();
    let other = mooring_registry::RegistryBase::parse("https://registry.example.com/x").unwrap();
    let state = setup.catalog.state(&other).await.unwrap();
    assert_eq!((state.entries, state.synced_ms), (0, None));
    assert_eq!(setup.total("").await, 0);
    assert_eq!(setup.server.requests().len(), 1);
}

#[tokio::test]
async fn entries_that_all_fetches_miss_are_removed() {
    let mut setup = Setup::new(5, 0).await;
    setup.refresh(RefreshReason::Asked).await.unwrap();
    let smaller = mooring_testkit::registry::serve_registry(3, 0).await;
    // The registry's data was reset, as its documentation announces.
    setup.now_us += 8 * 24 * HOUR_US;
    setup.server.set_fault(RegistryFault::Status(500));
    assert!(setup.refresh(RefreshReason::Asked).await.is_err());
    assert_eq!(setup.total("").await, 5);
    setup.server = smaller;
    setup.base = mooring_registry::RegistryBase::parse(&setup.server.url).unwrap();
    setup.refresh(RefreshReason::Asked).await.unwrap();
    assert_eq!(setup.total("").await, 3);
}

#[tokio::test]
async fn a_search_finds_all_words_anywhere_and_names_first() {
    let setup = Setup::new(400, 0).await;
    setup.refresh(RefreshReason::Asked).await.unwrap();
    let names = async |text| {
        let found = setup.catalog.search(text, 0, 3).await.unwrap().entries;
        found.into_iter().map(|entry| entry.name).collect::<Vec<_>>()
    };
    assert_eq!(names("postgres-2").await[0], "io.github.publisher2/postgres-2");
    assert_eq!(names("IO.GITHUB.publisher42/postgres-42").await, ["io.github.publisher42/postgres-42"]);
    assert_eq!(setup.total("POSTGRES  simple").await, 2);
    assert_eq!(setup.total("watches").await, 400);
    assert_eq!(setup.total("no-such-word").await, 0);
    assert_eq!(setup.total("100%_").await, 0);
    let second = setup.catalog.search("", 3, 3).await.unwrap();
    assert_eq!((second.total, second.entries.len()), (400, 3));
}
