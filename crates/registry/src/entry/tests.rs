//! Good and odd entries.

use serde_json::json;

use super::*;

fn read(entry: &Value) -> Option<FetchedEntry> {
    read_entry(&entry.to_string())
}

#[test]
fn an_entry_is_read_with_its_facts() {
    let entry = read(&json!({
        "server": {
            "name": "io.github.me/weather", "version": "1.2.0", "title": "Weather",
            "description": "Forecasts <b>now</b>",
            "repository": { "url": "https://github.com/me/weather", "source": "github" },
            "websiteUrl": "javascript:alert(1)",
            "packages": [
                { "registryType": "npm", "identifier": "weather" },
                { "registry_type": "oci", "identifier": "weather" },
                { "registryType": "npm", "identifier": "weather-again" },
            ],
            "remotes": [{ "type": "sse", "url": "https://weather.example.com/sse" }, { "type": "sse" }, 7],
        },
        "_meta": { OFFICIAL: {
            "status": "deprecated", "statusMessage": "Use the other", "isLatest": true,
            "publishedAt": "2025-09-16T10:00:00.5Z", "updatedAt": "yesterday",
        } },
    }))
    .unwrap();
    assert_eq!(entry.row.kinds, "npm docker remote");
    assert_eq!(entry.row.description, "Forecasts <b>now</b>");
    assert_eq!(entry.row.status, "deprecated");
    assert_eq!(entry.row.published_at_us, Some(1_758_016_800_500_000));
    assert_eq!(entry.row.updated_at_us, None);
    assert_eq!(entry.status_message.as_deref(), Some("Use the other"));
    assert_eq!(entry.repository.as_deref(), Some("https://github.com/me/weather"));
    assert_eq!((entry.website, entry.is_latest), (None, Some(true)));
}

#[test]
fn an_odd_entry_is_left_out_alone() {
    let deep = "[".repeat(100_000);
    let huge = "x".repeat(300_000);
    let good = json!({ "server": { "name": "a.b/c", "version": "1" } });
    let page = json!({ "servers": [
        good, 7, null, [], {}, { "server": 7 }, { "server": { "name": "a.b/c" } },
        { "server": { "name": 7, "version": "1" } },
        { "server": { "name": "no-slash", "version": "1" } },
        { "server": { "name": "a.b/c/d", "version": "1" } },
        { "server": { "name": "a.b/pay\u{202e}pal", "version": "1" } },
        { "server": { "name": "а.b/c", "version": "1" } },
        { "server": { "name": "a.b/d", "version": huge } },
        { "server": { "name": "a.b/d", "version": "1", "description": huge } },
        { "name": "a.b/flat", "version": "1", "packages": "none", "title": 7 },
    ], "metadata": { "next_cursor": "c" } });
    let page = read_page(page.to_string().as_bytes(), &FetchLimits::default()).unwrap();
    let names: Vec<_> = page.entries.iter().map(|(entry, _)| entry.row.name.as_str()).collect();
    assert_eq!((names, page.left_out, page.cursor.as_deref()), (vec!["a.b/c", "a.b/flat"], 13, Some("c")));
    assert!(read_entry(&deep).is_none());
    for wrong in ["", "[]", "<html>", "7", r#"{"servers":7}"#, r#"{"servers":[{"server":"#] {
        assert!(read_page(wrong.as_bytes(), &FetchLimits::default()).is_err(), "{wrong}");
    }
}

#[test]
fn a_long_text_is_cut_in_the_list() {
    let entry = read(&json!({ "name": "a.b/c", "version": "1", "description": "ü".repeat(5_000) })).unwrap();
    assert_eq!(entry.row.description.chars().count(), MAX_DESCRIPTION + 1);
}
