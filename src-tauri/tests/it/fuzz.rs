//! Calls every command with arguments that no page would send, as if the page were compromised.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};

use crate::support::{TestApp, channel_argument};

/// How many commands are called.
const QUESTIONS: usize = 10_000;

/// Commands that are skipped, because they change the desktop or delete the key that the others need.
const SKIPPED: [&str; 9] = [
    "install_program",
    "open_data_folder",
    "open_link",
    "pick_bundle",
    "pick_file",
    "pick_folder",
    "save_file",
    "set_start_at_login",
    "start_over_vault",
];

/// Pseudo-random numbers, the same in each run.
struct RandomSource(u64);

impl RandomSource {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides
    }

    /// A random JSON value.
    fn json(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 11 } else { 13 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!([0, 1, 2, -1, 7][self.below(5)]),
            3 => json!([i64::MIN, i64::MAX, 1 << 53, -(1 << 31)][self.below(4)]),
            4 => json!([0.5, -0.0, 1e308, 5e-324][self.below(4)]),
            5 => json!(u64::MAX),
            6 => json!(""),
            7 => json!("x".repeat([1, 63, 4_096, 70_000][self.below(4)])),
            8 => json!(
                [
                    "\u{0}",
                    "\u{202e}evil",
                    "../../etc/passwd",
                    "'; DROP TABLE server; --",
                    "{{}}",
                    "%s%n",
                    "\u{fffd}\u{1f5fc}"
                ][self.below(7)]
            ),
            9 => json!(
                [channel_argument(9), "__CHANNEL__:x".to_owned(), "__CHANNEL__:-1".to_owned()][self.below(3)]
            ),
            10 => json!(
                ["file:///", "javascript:alert(1)", "http://127.0.0.1:1/", "http://[::1", "once", "accept"]
                    [self.below(6)]
            ),
            11 => (0..self.below(4)).map(|_| self.json(depth - 1)).collect(),
            _ => {
                let names = ["id", "name", "kind", "mode", "transport", "action", "__proto__", "server"];
                let members =
                    (0..self.below(5)).map(|_| (names[self.below(8)].to_owned(), self.json(depth - 1)));
                members.collect::<Map<_, _>>().into()
            }
        }
    }

    /// Replaces, removes or adds something in the value.
    fn mutate(&mut self, value: &mut Value) {
        match value {
            Value::Object(members) if !members.is_empty() && self.below(5) > 0 => {
                let at = self.below(members.len());
                let name = members.keys().nth(at).unwrap().clone();
                if self.below(6) == 0 {
                    members.remove(&name);
                } else {
                    self.mutate(&mut members[&name]);
                }
            }
            Value::Array(items) if !items.is_empty() && self.below(4) > 0 => {
                let at = self.below(items.len());
                self.mutate(&mut items[at]);
            }
            other => *other = self.json(3),
        }
    }
}

/// A plausible argument by its name. Programs of servers don't exist.
fn plausible_argument(name: &str, kind: &str) -> Value {
    let filter = json!({ "source": null, "direction": null, "method": null, "kinds": [], "statuses": [], "text": null });
    let model = json!({
        "id": "m", "inputPrice": "1", "outputPrice": null, "images": false, "audio": false, "tools": true,
        "cheap": 1, "fast": 2, "capable": 3,
    });
    match (name, kind) {
        ("server", kind) if kind.starts_with("ServerInput") => json!({
            "name": "n", "transport": "stdio", "command": "/nowhere/at-all", "args": ["a"], "env": { "A": "b" },
            "cwd": null, "url": null, "headers": {}, "timeoutMs": null, "era": "auto",
            "secrets": [{ "place": "env", "name": "K", "value": "v", "entered": false }],
        }),
        ("provider", _) => json!({
            "name": "p", "kind": "openai", "baseUrl": "http://127.0.0.1:1/v1", "key": "k", "forgetKey": false,
            "models": [model],
        }),
        ("rule", _) => json!({
            "effect": "deny", "server": 1, "tool": "t*", "caller": null, "destructiveOnly": false,
            "arguments": [{ "pointer": "/a", "test": "equals", "value": "1" }], "expiresAt": null,
        }),
        ("routes", _) => json!([{ "server": null, "hint": "h", "provider": 1, "model": "m" }]),
        ("policy", _) => json!({
            "server": 1, "enabled": true, "requestsPerMinute": 1, "tokensPerDay": 2, "costPerDay": "3",
        }),
        ("answer", _) => json!({ "action": "accept", "content": "{}", "remember": "always" }),
        ("choice", _) => json!({ "mode": "passphrase", "passphrase": "correct horse" }),
        ("filter", _) => filter,
        ("approvals", _) => json!([{ "kind": "tool", "name": "t", "hash": "00" }]),
        ("sealed", _) => json!([{ "place": "0123456789abcdef0123456789abcdef", "name": "k" }]),
        ("reference", _) => json!({ "kind": "prompt", "name": "p" }),
        ("input", _) => json!({
            "way": "browser", "clientId": null, "clientSecret": null, "redirect": null, "pkceUnannounced": false, "withoutResource": false,
            "another": false, "language": "en",
        }),
        ("context" | "values", _) => json!({ "a": "b" }),
        ("args" | "env" | "names", _) => json!(["a", "b"]),
        (_, kind) if kind.starts_with("number") => json!(1),
        (_, kind) if kind.starts_with("boolean") => json!(true),
        ("channel", _) => json!(channel_argument(9)),
        ("text", _) => json!(r#"{"mcpServers":{"x":{"command":"/nowhere/at-all"}}}"#),
        _ => json!("text"),
    }
}

/// Every command with plausible arguments, from the map that is generated from the table.
fn commands(settings: &Value) -> Vec<(String, Value)> {
    let map = include_str!("../../../ui/src/ipc/bindings/commands.ts");
    let lines = map.lines().filter_map(|line| line.strip_prefix("  ")?.split_once(": { args: "));
    let with_arguments = lines.map(|(name, rest)| {
        let inside =
            rest.strip_prefix("{").and_then(|rest| rest.split_once("};").or_else(|| rest.split_once('}')));
        let mut arguments = Map::new();
        let mut depth = 0;
        let text = inside.map(|(inside, _)| inside).unwrap_or_default();
        for part in text.split_inclusive([';', ',', '<', '>', '{', '}']) {
            if let (0, Some((name, kind))) = (depth, part.split_once(':')) {
                let name = name.trim().trim_end_matches('?').to_owned();
                let value = if name == "settings" {
                    settings.clone()
                } else {
                    plausible_argument(&name, kind.trim())
                };
                arguments.insert(name, value);
            }
            depth += part.matches(['<', '{']).count();
            depth = depth.saturating_sub(part.matches(['>', '}']).count());
        }
        (name.to_owned(), Value::Object(arguments))
    });
    with_arguments.filter(|(name, _)| !SKIPPED.contains(&name.as_str())).collect()
}

static PANICS: AtomicUsize = AtomicUsize::new(0);

// Requirements: SEC-03.
#[test]
fn ten_thousand_malformed_commands_break_nothing() {
    let home = tempfile::tempdir().unwrap();
    let running = TestApp::at(home.path());
    let choice = json!({ "mode": "passphrase", "passphrase": "correct horse" });
    running.invoke("create_vault", json!({ "choice": choice })).unwrap();
    let settings = running.invoke("get_settings", json!({})).unwrap();
    let commands = commands(&settings);
    assert!(commands.len() > 60, "{}", commands.len());
    let named: usize = commands.iter().map(|(_, arguments)| arguments.as_object().unwrap().len()).sum();
    assert!(named > 80, "the arguments are read off the map: {named}");
    let before = std::panic::take_hook();
    let own = std::thread::current().name().map(str::to_owned);
    std::panic::set_hook(Box::new(move |panic| {
        // A panic in another test is not counted here.
        let thread = std::thread::current();
        let other_test =
            thread.name().is_some_and(|name| name.contains("::") && Some(name) != own.as_deref());
        PANICS.fetch_add(usize::from(!other_test), Ordering::SeqCst);
        before(panic);
    }));
    let mut dice = RandomSource(0x9e37_79b9_7f4a_7c15);
    let (mut refused, mut done) = (0, 0);
    for question in 0..QUESTIONS {
        let (name, honest) = &commands[question % commands.len()];
        let mut arguments = honest.clone();
        for _ in 0..dice.below(4) {
            dice.mutate(&mut arguments);
        }
        // A body that isn't an object never reaches a handler.
        if !arguments.is_object() {
            arguments = json!({ "id": arguments });
        }
        match running.invoke(name, arguments) {
            Ok(_) => done += 1,
            Err(_) => refused += 1,
        }
    }
    assert_eq!(PANICS.load(Ordering::SeqCst), 0);
    // Both outcomes occurred, and the application still works.
    assert!(done > 500 && refused > 2_000, "{done} done, {refused} refused");
    let info = running.invoke("app_info", json!({})).unwrap();
    assert!(info.is_object());
    assert!(running.invoke("list_servers", json!({})).unwrap().is_array());
    running.close();
    if std::env::var_os("MOORING_FIGURES").is_some() {
        let figures = format!(
            "{QUESTIONS} questions to {} commands: {done} done, {refused} refused, 0 panics\n",
            commands.len()
        );
        std::io::Write::write_all(&mut std::io::stderr(), figures.as_bytes()).unwrap();
    }
}
