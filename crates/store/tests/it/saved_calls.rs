//! Saved calls and favourites, and the calls of an item in the log.

use crate::profile::{Profile, record};
use mooring_disk::StoreError;
use mooring_log::{Direction, Item, ItemKind, LogKind, LogRecord, LogStatus};
use mooring_store::{NewSavedCall, Store};

async fn server(store: &Store) -> i64 {
    let definition = r#"{"transport":"http","url":"https://example.com/mcp"}"#;
    store.servers().insert("s", definition, &|_| Ok(Vec::new()), None).await.unwrap().id
}

fn call(server_id: i64, name: Option<&str>, arguments: &str) -> NewSavedCall {
    NewSavedCall {
        server_id,
        kind: ItemKind::Tool,
        item: "echo".to_owned(),
        name: name.map(str::to_owned),
        arguments: arguments.to_owned(),
    }
}

#[tokio::test]
async fn saved_calls_survive_a_restart_and_come_back_with_a_server() {
    let profile = Profile::new();
    let store = profile.open().await;
    let id = server(&store).await;
    let withheld = vec!["token".to_owned()];
    let greeting =
        store.saved_calls().save(&call(id, Some("Greeting"), r#"{"text":"hi"}"#), &withheld).await.unwrap();
    let favourite = store.saved_calls().save(&call(id, None, "{}"), &[]).await.unwrap();
    assert_eq!((&greeting.withheld, favourite.name.as_deref()), (&withheld, None));
    store.close().await;

    let store = profile.open().await;
    let calls = store.saved_calls();
    assert_eq!(calls.list().await.unwrap(), [greeting.clone(), favourite.clone()]);
    store.servers().remove(id).await.unwrap();
    assert_eq!(calls.list().await.unwrap(), []);
    assert!(matches!(
        calls.save(&call(id, Some("Other"), "{}"), &[]).await,
        Err(StoreError::NoSuchServer { .. })
    ));
    store.servers().restore(id).await.unwrap();
    assert_eq!(calls.list().await.unwrap(), [greeting, favourite]);
}

#[tokio::test]
async fn a_name_stands_for_one_saved_call_of_an_item() {
    let profile = Profile::new();
    let store = profile.open().await;
    let id = server(&store).await;
    let calls = store.saved_calls();
    let first = calls.save(&call(id, Some("a"), r#"{"n":1}"#), &[]).await.unwrap();
    let again = calls.save(&call(id, Some("a"), r#"{"n":2}"#), &[]).await.unwrap();
    assert_eq!((again.id, again.arguments.as_str()), (first.id, r#"{"n":2}"#));
    let other = calls.save(&call(id, Some("b"), "{}"), &[]).await.unwrap();
    assert!(matches!(calls.rename(other.id, "a").await, Err(StoreError::NameTaken { name }) if name == "a"));
    assert_eq!(calls.rename(other.id, "c").await.unwrap().unwrap().name.as_deref(), Some("c"));
    // A favourite has no name to change.
    let favourite = calls.save(&call(id, None, "{}"), &[]).await.unwrap();
    assert_eq!(calls.save(&call(id, None, "{}"), &[]).await.unwrap().id, favourite.id);
    assert_eq!(calls.rename(favourite.id, "x").await.unwrap(), None);
    // What was removed comes back, unless its name was given meanwhile.
    calls.remove(other.id).await.unwrap().unwrap();
    assert_eq!(calls.remove(other.id).await.unwrap(), None);
    assert_eq!(calls.restore(other.id).await.unwrap().unwrap().name.as_deref(), Some("c"));
    calls.remove(other.id).await.unwrap().unwrap();
    calls.save(&call(id, Some("c"), "{}"), &[]).await.unwrap();
    assert_eq!(calls.restore(other.id).await.unwrap(), None);
}

#[tokio::test]
async fn calls_of_one_item_come_with_their_verdicts_and_ends() {
    let profile = Profile::new();
    let store = profile.open().await;
    let writer = store.start_writer(mooring_store::WriterOptions::default());
    let row = |kind, direction, id: &str, connection, at_us: i64, subject: &str| LogRecord {
        kind,
        direction,
        connection,
        at_us,
        rpc_id: (!id.is_empty()).then(|| id.into()),
        subject: Some(subject.into()),
        duration_us: Some(1_000_000),
        status: LogStatus::None,
        ..record(0)
    };
    let long = "x".repeat(300);
    use Direction::{In, None as Nowhere, Out};
    use LogKind::{Diagnostic, Frame, Verdict};
    for record in [
        row(Verdict, Nowhere, "", 7, 0, "echo"),             // 1
        row(Frame, Out, "1", 7, 0, "echo"),                  // 2: answered by 6
        row(Frame, Out, "2", 7, 5_000_000, "other"),         // 3
        row(Frame, Out, "1", 8, 0, "echo"),                  // 4: another connection, never answered
        row(Frame, In, "2", 7, 6_000_000, "other"),          // 5
        row(Frame, In, "1", 7, 1_000_000, "echo"),           // 6
        row(Frame, Out, "3", 7, 9_000_000, "echo"),          // 7: ended by 8, under the verdict 1
        row(Diagnostic, Nowhere, "", 7, 10_000_000, "echo"), // 8
        row(Frame, Out, "4", 7, 20_000_000, &long),          // 9
    ] {
        writer.append(record).await.unwrap();
    }
    writer.close().await;
    let item = |name: &str| Item { server_id: 1, kind: ItemKind::Tool, name: name.to_owned() };
    let calls = async |name: &str, before, limit| {
        let rows = store.log().calls(&item(name), before, limit).await.unwrap();
        rows.iter().map(|row| (row.request, row.verdict, row.answer)).collect::<Vec<_>>()
    };
    let all = [(7, Some(1), Some(8)), (4, None, None), (2, Some(1), Some(6))];
    assert_eq!(calls("echo", None, 9).await, all);
    assert_eq!(calls("echo", None, 1).await, all[..1]);
    assert_eq!(calls("echo", Some(7), 9).await, all[1..]);
    assert_eq!(calls("other", None, 9).await, [(3, None, Some(5))]);
    assert_eq!(calls(&long, None, 9).await, [(9, None, None)], "a name that the log has shortened");
    assert_eq!(calls("none", None, 9).await, []);
}
