//! Commits of others are noticed, without needless notifications.

use crate::logins::server;
use crate::profile::{AMPLE, Profile, record, written};
use mooring_store::{Store, TableChanges};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Longer than the time between two polls, and than the pause between two notifications.
const LONGER: Duration = Duration::from_secs(3);

/// Watches as long as the tasks are held. What happened before the first look counts as a change.
async fn watched(store: &Store) -> (TableChanges, JoinSet<()>) {
    let (mut changes, watching) = store.watch();
    let mut tasks = JoinSet::new();
    tasks.spawn(watching);
    timeout(AMPLE, changes.changed()).await.unwrap();
    (changes, tasks)
}

#[tokio::test]
async fn only_commits_of_other_processes_wake_readers_of_tables() {
    let profile = Profile::new();
    let (window, command) = (profile.open().await, profile.open().await);
    let (mut changes, _tasks) = watched(&window).await;
    let mut others = changes.clone();
    assert!(timeout(LONGER, changes.changed()).await.is_err(), "nobody has committed anything");
    for name in ["one", "two"] {
        server(&command, name).await;
        timeout(AMPLE, changes.changed()).await.unwrap();
        assert!(window.servers().list().await.unwrap().iter().any(|row| row.name == name));
    }
    timeout(AMPLE, others.changed()).await.unwrap();
}

#[tokio::test]
async fn what_could_not_be_read_is_read_again() {
    let profile = Profile::new();
    let store = profile.open().await;
    let (mut changes, _tasks) = watched(&store).await;
    let failed = Err("the disk is full");
    timeout(AMPLE, changes.changed_after(failed, "a test")).await.unwrap();
    assert!(timeout(LONGER, changes.changed_after(Ok::<_, &str>(()), "a test")).await.is_err());
}

#[tokio::test]
async fn our_own_log_wakes_readers_of_tables_seldom() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(64);
    let (mut changes, _tasks) = watched(&store).await;
    let begin = Instant::now();
    let mut batches = 0;
    let write = async {
        loop {
            written(&writer, &store.log(), record(batches)).await;
            batches += 1;
        }
    };
    let woken = async {
        for _ in 0..2 {
            timeout(AMPLE, changes.changed()).await.unwrap();
        }
    };
    tokio::select! {
        () = write => unreachable!(),
        () = woken => {}
    }
    let took = begin.elapsed();
    assert!(took > Duration::from_secs(3) && batches > 4, "twice in {took:?}, of {batches} commits");
}

#[tokio::test]
async fn watching_ends_with_the_database() {
    let profile = Profile::new();
    let store = profile.open().await;
    let (_changes, mut tasks) = watched(&store).await;
    store.close().await;
    timeout(AMPLE, tasks.join_next()).await.unwrap().unwrap().unwrap();
}
