//! Databases of every format that there was: a server saved in one of them is still there, with its definition.

use crate::profile::{Profile, migrate_to};
use mooring_store::{InteractionOutcome, InteractionRow, NewInteraction};
use serde_json::{Value, json};
use sqlx::Connection as _;

/// The format that made one document of the columns of a definition.
const DOCUMENTS: i64 = 31;

#[tokio::test]
async fn servers_saved_in_any_format_keep_their_definition() {
    let odd = "a \"b\"\\\n\u{1}\u{7f}\u{2028}日本🙂";
    let newest = sqlx::migrate!("../../migrations").iter().map(|migration| migration.version).max().unwrap();
    assert!(newest >= DOCUMENTS);
    for format in 1..DOCUMENTS {
        let profile = Profile::new();
        let mut db = profile.bare().await;
        migrate_to(&mut db, format).await;
        let insert = "INSERT INTO server (name, transport, command, args, env, cwd, url, headers, timeout_ms,
            created_at_us, updated_at_us, removed_at_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 2, ?)";
        let program = sqlx::query(insert).bind("program").bind("stdio").bind("npx");
        let program = program.bind(json!(["-y", odd]).to_string()).bind(json!({ "KEY": odd }).to_string());
        let program = program.bind("/tmp").bind(None::<&str>).bind("{}").bind(5_000).bind(None::<i64>);
        program.execute(&mut db).await.unwrap();
        let remote = sqlx::query(insert).bind("remote").bind("http").bind(None::<&str>);
        let remote = remote.bind("[]").bind("{}").bind(None::<&str>).bind("https://a/mcp");
        let remote = remote.bind(json!({ "X": odd }).to_string()).bind(None::<i64>).bind(i64::MAX);
        remote.execute(&mut db).await.unwrap();
        if format >= 3 {
            sqlx::raw_sql("UPDATE server SET era = 'session'").execute(&mut db).await.unwrap();
        }
        db.close().await.unwrap();

        let servers = profile.open().await.servers();
        let removed = servers.restore(2).await.unwrap();
        let [first, second] = servers.list().await.unwrap().try_into().unwrap();
        assert_eq!((first.name.as_str(), second.name.as_str()), ("program", "remote"));
        assert_eq!(second, removed);
        let era = if format >= 3 { "session" } else { "auto" };
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let program = json!({
            "transport": "stdio", "command": "npx", "args": ["-y", odd], "env": { "KEY": odd }, "cwd": "/tmp",
            "url": null, "headers": {}, "timeoutMs": 5_000, "era": era,
        });
        assert_eq!(read(&first.definition), program, "format {format}");
        let remote = json!({
            "transport": "http", "command": null, "args": [], "env": {}, "cwd": null,
            "url": "https://a/mcp", "headers": { "X": odd }, "timeoutMs": null, "era": era,
        });
        assert_eq!(read(&second.definition), remote, "format {format}");
    }
}

#[tokio::test]
async fn lists_that_were_no_json_stop_no_migration() {
    let profile = Profile::new();
    let mut db = profile.bare().await;
    migrate_to(&mut db, DOCUMENTS - 1).await;
    let broken =
        "INSERT INTO server (name, transport, args, env, headers, timeout_ms, created_at_us, updated_at_us)
        VALUES ('broken', 'stdio', '[', 'x', '', NULL, 1, 2), ('whole', 'stdio', '[]', '{}', '{}', -5, 1, 2)";
    sqlx::raw_sql(broken).execute(&mut db).await.unwrap();
    db.close().await.unwrap();
    let [broken, whole] = profile.open().await.servers().list().await.unwrap().try_into().unwrap();
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(read(&broken.definition)["args"], "[");
    assert_eq!(read(&whole.definition)["args"], json!([]));
    assert_eq!(read(&whole.definition)["timeoutMs"], Value::Null, "a time below zero never counted");
}

#[tokio::test]
async fn decisions_keep_their_numbers_when_kinds_become_free() {
    let profile = Profile::new();
    let mut db = profile.bare().await;
    migrate_to(&mut db, 31).await;
    let rows = "INSERT INTO interaction (server_name, kind, subject, outcome, reason, rule_id, asked_at_us,
            decided_at_us, caller)
        VALUES ('s', 'tool', 'echo', 'accepted', '\"why\"', 5, 11, 12, 'workbench'),
            ('s', 'form', NULL, 'declined', NULL, NULL, 13, 14, NULL);
        DELETE FROM interaction WHERE id = 2";
    sqlx::raw_sql(rows).execute(&mut db).await.unwrap();
    db.close().await.unwrap();

    let table = profile.open().await.interactions();
    let kept = InteractionRow {
        id: 1,
        server_id: None,
        server_name: "s".to_owned(),
        kind: "tool".to_owned(),
        subject: Some("echo".to_owned()),
        caller: Some("workbench".to_owned()),
        outcome: InteractionOutcome::Accepted,
        reason: Some("\"why\"".to_owned()),
        remembered: Some(5),
        asked_at_us: 11,
        decided_at_us: Some(12),
    };
    assert_eq!(table.get(1).await.unwrap(), Some(kept));
    let question = NewInteraction {
        server_id: 1,
        server_name: "s".to_owned(),
        kind: "a_new_kind",
        subject: None,
        caller: None,
    };
    assert_eq!(table.ask(&question).await.unwrap().id, 3, "a number is never given twice");
}
