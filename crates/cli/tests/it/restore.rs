//! `mooring restore`, and deleting the log.

use mooring_testkit::scripted_server_path;
use serde_json::json;

use crate::support::TestHome;

fn with_server() -> TestHome {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    place.run(&["add", "mine", "--", &server, "ok"]).ok();
    place
}

fn names(place: &TestHome) -> Vec<String> {
    let listed = place.run(&["list", "--json"]).ok().json();
    let servers = listed["result"].as_array().unwrap();
    servers.iter().map(|server| server["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_backup_is_put_back_and_what_was_there_is_kept() {
    let place = with_server();
    let database = place.home().join("mooring.db");
    std::fs::write(&database, "").unwrap();
    let missing = place.run(&["list", "--json"]);
    assert_eq!(missing.error(), (3, "database_missing".to_owned()));
    let next = missing.json()["error"]["next"].as_str().unwrap().to_owned();
    assert!(next.contains("mooring restore"), "{next}");

    let listed = place.run(&["restore", "--json"]).ok().json();
    assert_eq!(listed["result"].as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(place.run(&["restore", "2", "--json"]).error().0, 2);
    assert!(place.run(&["restore"]).ok().out.starts_with("1  20"));
    let restored = place.run(&["restore", "1", "--json"]).ok().json();
    assert_eq!(restored["result"]["restored"]["number"], 1);
    let kept = std::path::Path::new(restored["result"]["set_aside"].as_str().unwrap()).join("mooring.db");
    assert_eq!(std::fs::read(kept).unwrap(), b"");
    assert_eq!(names(&place), ["mine"]);

    assert_eq!(place.run(&["restore", "--empty"]).ok().out, "Mooring now has empty data.\n");
    assert!(names(&place).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_put_back_while_a_window_is_open() {
    let place = with_server();
    let options = mooring_host::HostOptions { supervise: true, ..place.options() };
    let window = mooring_host::Host::open(options).await.unwrap();
    assert_eq!(place.run(&["restore", "1", "--json"]).error(), (3, "already_open".to_owned()));
    window.shutdown().await;
    place.run(&["restore", "1"]).ok();
}

#[test]
fn the_log_is_deleted_when_that_is_meant() {
    let place = with_server();
    place.run(&["tools", "--server", "mine"]).ok();
    let rows = || place.run(&["logs", "--json"]).ok().json()["result"].as_array().unwrap().clone();
    let count = rows().len();
    assert!(count > 1);
    assert_eq!(place.run(&["logs", "--delete", "--json"]).error().0, 2);
    assert_eq!(place.run(&["logs", "--delete", "--text", "x", "--json"]).error().0, 2);
    assert_eq!(rows().len(), count);
    let deleted = place.run(&["logs", "--delete", "--yes", "--json"]).ok().json();
    assert_eq!(deleted["result"], json!({ "deleted": count }));
    let left = rows();
    assert_eq!((left.len(), &left[0]["kind"]), (1, &json!("gap")));
}
