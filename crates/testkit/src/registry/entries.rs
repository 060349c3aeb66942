//! Generated entries of a registry.

use serde_json::{Value, json};

const TOPICS: [&str; 20] = [
    "weather",
    "calendar",
    "postgres",
    "github",
    "mail",
    "maps",
    "tickets",
    "photos",
    "music",
    "search",
    "translate",
    "notes",
    "finance",
    "kubernetes",
    "browser",
    "slack",
    "figma",
    "memory",
    "files",
    "metrics",
];
const ADJECTIVES: [&str; 10] =
    ["fast", "simple", "secure", "local", "typed", "tiny", "remote", "open", "shared", "modern"];

/// How many kinds of odd entries there are, and the kinds that can't be understood.
pub const ODD_KINDS: usize = 20;
/// How many of the kinds of odd entries can't be understood.
pub const ODD_KINDS_LEFT_OUT: usize = 11;

/// The entry with this number, as the API lists it.
pub fn registry_entry(number: usize) -> Value {
    let topic = TOPICS[number % TOPICS.len()];
    let adjective = ADJECTIVES[(number / TOPICS.len()) % ADJECTIVES.len()];
    let publisher = format!("io.github.publisher{}", number % 997);
    let slug = format!("{topic}-{number}");
    let version = format!("1.{}.{}", number % 7, number % 11);
    let mut server = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": format!("{publisher}/{slug}"),
        "title": format!("{adjective} {topic} {number}"),
        "description": format!("A {adjective} server for {topic}: reads, writes and watches {topic} number {number}."),
        "version": version,
    });
    if !number.is_multiple_of(7) {
        server["repository"] = json!({ "url": format!("https://github.com/publisher{}/{slug}", number % 997), "source": "github" });
    }
    let kinds = ["npm", "pypi", "oci", "nuget", "mcpb"];
    match number % 6 {
        5 => {
            server["remotes"] =
                json!([{ "type": "streamable-http", "url": format!("https://{slug}.example.com/mcp") }]);
        }
        kind => {
            server["packages"] = json!([{
                "registryType": kinds[kind], "identifier": format!("@publisher/{slug}"), "version": version,
                "fileSha256": "0".repeat(64), "transport": { "type": "stdio" },
                "environmentVariables": [
                    { "name": "API_KEY", "description": "The key", "isRequired": true, "isSecret": true },
                    { "name": "REGION", "default": "eu", "choices": ["eu", "us"] },
                ],
            }]);
        }
    }
    let day = 1 + number % 28;
    json!({
        "server": server,
        "_meta": { "io.modelcontextprotocol.registry/official": {
            "status": if number % 50 == 49 { "deprecated" } else { "active" },
            "publishedAt": format!("2026-{:02}-{day:02}T0{}:00:00Z", 1 + number % 11, number % 10),
            "updatedAt": format!("2026-11-{day:02}T00:00:00Z"),
            "isLatest": true,
        } },
    })
}

/// An odd entry, and whether it can be understood anyway.
pub fn odd_entry(number: usize) -> (Value, bool) {
    let name = format!("odd.example/entry-{number}");
    let server = |more: Value| {
        let mut server = json!({ "name": name, "version": "1.0.0" });
        if let (Some(server), Some(more)) = (server.as_object_mut(), more.as_object()) {
            server.extend(more.clone());
        }
        json!({ "server": server })
    };
    let mut deep = json!({});
    for _ in 0..200 {
        deep = json!([deep]);
    }
    match number % ODD_KINDS {
        0 => (json!({ "server": { "version": "1.0.0" } }), false),
        1 => (json!({ "server": { "name": name } }), false),
        2 => (json!({ "server": { "name": 7, "version": "1" } }), false),
        3 => (json!({ "server": "none" }), false),
        4 => (json!(null), false),
        5 => (json!([1, 2, 3]), false),
        6 => (server(json!({ "name": format!("odd.example/pay\u{202e}lap-{number}") })), false),
        7 => (server(json!({ "name": format!("odd.example/p\u{0430}ypal-{number}") })), false),
        8 => (server(json!({ "name": format!("../../{number}") })), false),
        9 => (server(json!({ "description": "huge ".repeat(100_000) })), false),
        10 => (server(json!({ "deep": deep })), false),
        11 => (server(json!({ "title": 7, "description": ["no", "text"], "packages": "none" })), true),
        12 => {
            (server(json!({ "title": "<img src=x onerror=alert(1)>", "description": "<b>HTML</b>" })), true)
        }
        13 => (
            server(json!({ "title": "Hidden\u{200b}\u{202e}", "description": "a\u{0007}b\n\nc\u{e0041}" })),
            true,
        ),
        14 => (
            server(json!({ "websiteUrl": "javascript:alert(1)", "repository": { "url": "file:///etc" } })),
            true,
        ),
        15 => {
            let package = json!({ "registry_type": "npm", "identifier": "odd", "version": "1.0.0",
                "environment_variables": [{ "name": "KEY", "is_required": true, "is_secret": true }] });
            (server(json!({ "packages": [package], "website_url": "https://example.com" })), true)
        }
        16 => {
            (server(json!({ "packages": [null, 7, { "registryType": 7 }], "remotes": { "url": "x" } })), true)
        }
        17 => {
            let mut flat = server(json!({ "description": "not wrapped" }))["server"].clone();
            flat["_meta"] = json!("none");
            (flat, true)
        }
        18 => (server(json!({ "packages": [{ "registryType": "cargo", "identifier": "odd" }] })), true),
        _ => (server(json!({ "description": "ä\u{0301}\u{1f600} 天气 ".repeat(300) })), true),
    }
}
