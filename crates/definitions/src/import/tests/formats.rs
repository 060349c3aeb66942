//! Configurations in TOML and YAML as other applications write them, damaged ones, and commands that add
//! servers.

use super::*;

/// The single line of `check`.
fn check_one(text: &str) -> String {
    let lines = check(text);
    assert_eq!(lines.len(), 1, "{text}: {lines:#?}");
    lines.into_iter().next().unwrap_or_default()
}

#[test]
fn codex() {
    let text = r#"# Codex
model = "gpt-5"
approval_policy = "on-request"

[mcp_servers.docs]
command = "npx"
args = ["-y", "tide", '{"command": "x"}', 7, true]
env = { "TOKEN" = "t", PORT = 8_080, MASK = 0x1f }
env_vars = ["LOCAL", { name = "REMOTE", source = "remote" }]
cwd = "~/x"
startup_timeout_sec = 20
tool_timeout_sec = 45.5
enabled = false

[mcp_servers.far.http_headers]
X-A = "b"

[mcp_servers."a.b"]
command = "uvx"
required = true
default_tools_approval_mode = "approve"
[mcp_servers."a.b".tools.search]
approval_mode = "approve"

[mcp_servers.far]
url = 'https://far.example/mcp'
bearer_token_env_var = "TIDE"
env_http_headers = { X-B = "B" }
enabled_tools = ["a"]
scopes = ["read"]

[profiles.work.mcp_servers.docs]
command = "docs"
"#;
    let policies = "rules under Policies decide which tools run or ask first";
    assert_eq!(
        check(text),
        [
            r#"docs (off): npx ["-y", "tide", "{\"command\": \"x\"}", "7", "true"] env {"MASK": "0x1f", "PORT": "8080", "TOKEN": "t"} cwd Some("/home/ann/x"); LOCAL to be entered; REMOTE to be entered; startup_timeout_sec isn’t imported; idle timeout: 45.5 s"#.to_owned(),
            format!(r#"far: https://far.example/mcp headers {{"X-A": "b"}}; X-B to be entered; Authorization to be entered; enabled_tools isn’t imported: {policies}; scopes isn’t imported"#),
            format!("a.b: uvx [] env {{}} cwd None; required isn’t imported; default_tools_approval_mode isn’t imported: {policies}; tools isn’t imported: {policies}"),
            "docs (work): docs [] env {} cwd None".to_owned(),
        ]
    );
}

#[test]
fn toml_in_other_shapes() {
    let x = r#"x: x ["a"] env {} cwd None"#;
    for text in [
        "mcp_servers.x.command = \"x\"\nmcp_servers.x.args = [\"a\"]\n",
        "\u{feff}\r\n[mcp_servers.x]\r\ncommand = \"x\"\r\nargs = [\r\n  \"a\", # b\r\n]\r\n",
        "[[mcp_servers]]\nname = \"x\"\ntransport = \"stdio\"\ncommand = \"x\"\nargs = [\"a\"]\n",
        "Add this to ~/.codex/config.toml:\r\n\r\n[mcp_servers.x]\r\ncommand = \"x\"\r\nargs = [\"a\"]\r\n\r\nThen restart.\r\nEnjoy\r\n",
        "[mcp_servers]\nx = { command = \"x\", args = [\"a\"] }",
    ] {
        assert_eq!(check_one(text), x, "{text}");
    }
    assert_eq!(
        check_one(
            "[mcp_servers.x]\ncommand = \"x\"\nargs = [2024-01-01, 07:32:00, inf]\nsince = 2024-01-01T00:00:00Z\n"
        ),
        r#"x: x ["2024-01-01", "07:32:00", "inf"] env {} cwd None; since isn’t imported"#
    );
}

#[test]
fn mistakes_in_toml_have_their_place_and_cost_one_entry() {
    let text = "[mcp_servers.a]\ncommand = \"a\"\n\n[mcp_servers.bare]\ncommand = npx\n\n[mcp_servers.escape]\ncommand = \"C:\\qux\"\n\n[mcp_servers.twice]\ncommand = \"a\"\ncommand = \"b\"\n\n[mcp_servers.\"é\"]\nargs = 7\ncommand = \"é\"\n\n[mcp_servers.empty]\ncommand =\n\n[mcp_servers.date]\ncommand = 2024-01-01T99:00:00\n\n[mcp_servers.z]\ncommand = \"z\"\n";
    assert_eq!(
        check(text),
        [
            "a: a [] env {} cwd None",
            "bare: BAD 5:11 not a value: npx (strings need double quotes)",
            "escape: BAD 8:15 this isn’t valid TOML: missing escaped value, expected `b`, `e`, `f`, `n`, `r`, `\\`, `\"`, `x`, `u`, `U`",
            "twice: BAD 12:1 this isn’t valid TOML: duplicate key",
            "é: BAD 15:8 args must be a list, but this is a number",
            "empty: BAD 19:10 this isn’t valid TOML: string values must be quoted, expected literal string",
            "date: BAD 22:11 this isn’t valid TOML: invalid time, expected hour between 00 and 23",
            "z: z [] env {} cwd None",
            "ERROR 5:11 not a value: npx (strings need double quotes)",
        ]
    );
    assert_eq!(
        check("[mcp_servers.a]\ncommand = \"a\"\n\n[mcp_servers.a]\ncommand = \"b\"\n").pop().unwrap(),
        "ERROR 4:14 this isn’t valid TOML: duplicate key"
    );
}

#[test]
fn goose() {
    let text = "GOOSE_PROVIDER: \"anthropic\"\nGOOSE_TEMPERATURE: 0.7\n\nextensions:\n  developer:\n    bundled: true\n    enabled: true\n    name: developer\n    timeout: 300\n    type: builtin\n  todo:\n    type: platform\n    name: todo\n  tide:\n    args:\n      - -y\n      - tide\n    bundled: null\n    cmd: npx\n    description: 'Tide tables: here'\n    enabled: true\n    env_keys:\n      - TIDE_KEY\n    envs:\n      PORT: 8080\n      RATE: 1.10\n      YES: yes\n    name: Tide\n    timeout: 300\n    type: stdio\n    available_tools: [\"one\"]\n  far:\n    enabled: false\n    type: streamable_http\n    uri: https://far.example/mcp\n    envs: {}\n    env_keys: []\n    headers:\n      Authorization: Bearer x\n  old:\n    type: sse\n    uri: https://old.example/sse\n";
    let builtin = "this is built into the other application and can’t run here";
    assert_eq!(
        check(text),
        [
            format!("developer: BAD 10:11 {builtin}"),
            format!("todo: BAD 12:11 {builtin}"),
            r#"tide: npx ["-y", "tide"] env {"PORT": "8080", "RATE": "1.10", "YES": "yes"} cwd None; TIDE_KEY to be entered; available_tools isn’t imported: rules under Policies decide which tools run or ask first; idle timeout: 300 s"#.to_owned(),
            r#"far (off): https://far.example/mcp headers {"Authorization": "Bearer x"}"#.to_owned(),
            "old: https://old.example/sse headers {}".to_owned(),
        ]
    );
}

#[test]
fn continue_and_other_yaml() {
    let text = "name: mine\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: m\n    provider: p\nmcpServers:\n  - name: tide\n    command: npx\n    args: [\"-y\", tide]\n    env:\n      KEY: ${{ secrets.KEY }}\n    connectionTimeout: 3000\n  - name: far\n    type: streamable-http\n    url: https://far.example/mcp\n    requestOptions:\n      timeout: 7\n      verifySsl: false\n      proxy: http://p.example\n      headers:\n        X-A: é\n        X-B: ${{ secrets.B }}\n";
    assert_eq!(
        check(text),
        [
            r#"tide: npx ["-y", "tide"] env {} cwd None; KEY to be entered; connectionTimeout isn’t imported"#,
            r#"far: https://far.example/mcp headers {"X-A": "é"}; X-B to be entered; timeout isn’t imported; proxy isn’t imported"#,
        ]
    );
    let x = r#"x: x ["a"] env {} cwd None"#;
    for text in [
        "mcpServers:\n  x:\n    command: x\n    args: [a]\n",
        "\u{feff}---\r\n# é\r\nmcp_servers:\r\n  \"x\":\r\n    command: \"x\"\r\n    args:\r\n    - a\r\n...\r\n",
        "\"mcpServers\":\n  \"x\":\n    \"command\": x\n    \"args\": [\"a\"]\n",
        "mcpServers:\n  x: {command: x, args: [a]}\n",
        "Add this to config.yaml:\n\nmcpServers:\n  x:\n    command: &c >-\n      x\n    args: [!!str a]\n\nThen start again\n",
        "command: x\nargs:\n  - a\n",
        "Add this\n\nto ~/.config/goose/config.yaml:\n\nextensions:\n  x:\n    cmd: x\n    args: [a]\n",
    ] {
        assert_eq!(check_one(text), x, "{text}");
    }
}

#[test]
fn what_yaml_could_hide_is_refused() {
    let text = "base: &base\n  command: b\nmcpServers:\n  a:\n    command: a\n  alias: *base\n  merged:\n    <<: *base\n  tag:\n    command: !secret c\n  tagged: !x\n    command: t\n  1:\n    command: one\n  [k]:\n    command: k\n  twice:\n    command: x\n  twice:\n    command: y\n  z:\n    command: z\n";
    let alias = "YAML aliases aren’t supported: write the value out";
    assert_eq!(
        check(text),
        [
            "a: a [] env {} cwd None".to_owned(),
            format!("alias: BAD 6:10 {alias}"),
            format!("merged: BAD 8:9 {alias}"),
            "tag: BAD 10:14 YAML tags aren’t supported: !secret".to_owned(),
            "tagged: BAD 11:11 YAML tags aren’t supported: !x".to_owned(),
            "1: one [] env {} cwd None".to_owned(),
            ": BAD 15:3 a name must be a string".to_owned(),
            "twice: x [] env {} cwd None".to_owned(),
            "twice: BAD 19:3 this name appears twice; it was first used on line 17".to_owned(),
            "z: z [] env {} cwd None".to_owned(),
            format!("ERROR 6:10 {alias}"),
        ]
    );
    // Each level would be ten times as large as the previous one.
    let level = |number: usize| {
        format!("l{number}: &l{number} [{}]\n", vec![format!("*l{}", number - 1); 10].join(", "))
    };
    let bomb: String = (1..40).map(level).collect();
    assert_eq!(check_one(&format!("l0: &l0 [x]\n{bomb}")), format!("ERROR 2:10 {alias}"));
}

#[test]
fn mistakes_in_yaml_have_their_place_and_keep_what_is_before() {
    for (rest, line) in [
        (
            "\tcommand: b\n",
            "5:2 this isn’t valid YAML: tabs disallowed within this context (block indentation)",
        ),
        (
            "    command: \"\\q\"\n",
            "5:14 this isn’t valid YAML: while parsing a quoted scalar, found unknown escape character",
        ),
        (
            "    command: {",
            "5:15 this isn’t valid YAML: while parsing a node, did not find expected node content",
        ),
        (
            "    command: b\n   args: [c]\n",
            "6:4 this isn’t valid YAML: while parsing a block mapping, did not find expected key",
        ),
    ] {
        let text = format!("mcpServers:\n  a:\n    command: a\n  é:\n{rest}");
        let expected =
            ["a: a [] env {} cwd None".to_owned(), format!("é: BAD {line}"), format!("ERROR {line}")];
        assert_eq!(check(&text), expected, "{text}");
    }
    assert_eq!(
        check(
            "mcpServers:\n  a:\n    command: a\n---\nmcpServers:\n  b:\n    command: b\n  a:\n    command: c\n"
        ),
        [
            "a: a [] env {} cwd None",
            "b: b [] env {} cwd None",
            "a: BAD 8:3 this name appears twice; it was first used on line 2",
        ]
    );
}

#[test]
fn deep_and_huge_texts_are_bounded_in_every_format() {
    let deep = "nested deeper than 64 levels";
    let name = vec!["a"; 60].join(".");
    for (text, place) in [
        (format!("[mcp_servers.a]\nx = {}", "[".repeat(100_000)), "2:68"),
        (format!("[{}]\nx = 1", vec!["a"; 100_000].join(".")), "1:129"),
        // Each is within the limit, but not both together.
        (format!("y = 1\nx = {}1{}", format!("{{{name} = ").repeat(70), "}".repeat(70)), "2:134"),
        (format!("a:\nb: {}", "[".repeat(100)), "2:68"),
        (format!("a:\nb:\n{}", "- ".repeat(100_000)), "3:129"),
    ] {
        assert_eq!(check_one(&text), format!("ERROR {place} {deep}"));
    }
    for text in ["[a]\nb = 1\n", "a: b\n"] {
        let text = text.repeat(MAX_IMPORT_BYTES / text.len() + 1);
        assert_eq!(check_one(&text), "ERROR 1:1 the text is larger than 4 MiB");
    }
    let many = format!("[a]\n{}", "b = c\n".repeat(1_000));
    assert_eq!(check_one(&many), "ERROR 2:5 not a value: c (strings need double quotes)");
}

#[test]
fn fences_name_the_format_of_what_stands_between_them() {
    let text = "# Tide\n\nFor Codex:\n\n```toml\n[mcp_servers.a]\ncommand = \"a\"\n```\n\n  ```yaml\n  extensions:\n    b:\n      cmd: b\n      type: stdio\n  ```\n\n```\n[mcp_servers.c]\ncommand = \"c\"\n```\n```sh\nnpm install\n```\n~~~json\n{\"mcpServers\": {\"d\": {\"command\": \"d\"}}}\n~~~\nEnjoy: it's done.\n";
    let lines = ["a", "b", "c", "d"].map(|name| format!("{name}: {name} [] env {{}} cwd None"));
    assert_eq!(check(text), lines);
    assert_eq!(
        check("So:\n```toml\n[mcp_servers.a]\ncommand = a\n```\n"),
        [
            "a: BAD 4:11 not a value: a (strings need double quotes)",
            "ERROR 4:11 not a value: a (strings need double quotes)"
        ]
    );
}

#[test]
fn commands_that_add_servers() {
    let text = "$ claude mcp add --transport http sentry https://sentry.example/mcp --header \"Authorization: Bearer x\"\nclaude mcp add -e A=1 -e B=2 -s user tide -- npx -y tide --env C\n`codex mcp add docs --url https://d.example/mcp --bearer-token-env-var TOKEN`\n  gemini mcp add -t stdio local uvx a -t b\nclaude mcp add bad --transport=http nope\nclaude mcp add none\n";
    assert_eq!(
        check(text),
        [
            r#"sentry: https://sentry.example/mcp headers {"Authorization": "Bearer x"}"#,
            r#"tide: npx ["-y", "tide", "--env", "C"] env {"A": "1", "B": "2"} cwd None; scope isn’t imported"#,
            "docs: https://d.example/mcp headers {}; Authorization to be entered",
            r#"local: uvx ["a", "-t", "b"] env {} cwd None"#,
            "bad: BAD 5:1 not a URL (it doesn’t begin with https:// or http://): nope",
            "none: BAD 6:1 command and url are both missing",
        ]
    );
    assert_eq!(
        check_one("# Install\n\n```bash\nclaude mcp add --env A=1 B=2 air \\\n  -- npx -y air\n```\n"),
        r#"air: npx ["-y", "air"] env {"A": "1", "B": "2"} cwd None"#
    );
    assert_eq!(
        check_one(r#"claude mcp add-json air '{"command": "uvx", "args": ["air-mcp"]}' -s user"#),
        r#"air: uvx ["air-mcp"] env {} cwd None"#
    );
    assert_eq!(
        check_one("claude mcp list"),
        "ERROR 1:1 no server was found here: add a command line as the command of a local server"
    );
}

#[test]
fn texts_broken_at_random_never_panic_and_json_stays_json() {
    let seeds = [
        r#"{"mcpServers": {"a": {"command": "x\"y", "args": ["1", 2], "env": {"A": "b: c"}}, /* = */ "b": {"url": "https://é.example/"}}}"#,
        "[mcp_servers.a]\ncommand = \"x\"\nargs = [\"é\", 1, 2024-01-01]\n[[mcp_servers.b]]\nenv = { A = 'b', \"c\".d = 0x1f }\n\"\"\"q\n\"\"\"\n",
        "mcpServers:\n  a: &a\n    command: x\n    args: [\"é\", *a, !t b]\n  b:\n    - >-\n      x\n    - |\n      y\n    ? [k]\n    : {c: 'd'}\n---\n# e\n",
        "```toml\n[a]\n```\n$ claude mcp add -e A=1 b -- npx \"c d\" \\\n  e\n",
    ];
    let pieces = [
        "\"", "'", "{", "}", "[", "]", ":", "=", ",", "\n", "\r\n", "\t", "\\", "#", "*", "&", "!", "- ",
        ".", "\u{feff}", "é", "```", "\0", "a.b", "<<: ", "\"\"\"", "---\n", "  ", "|",
    ];
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for round in 0..1_000 {
        let mut text: Vec<char> = seeds[round % seeds.len()].chars().collect();
        for _ in 0..=random(6) {
            let (from, length) = (random(text.len() + 1), random(12));
            let to = text.len().min(from + length);
            match random(3) {
                0 => drop(text.drain(from..to)),
                1 => drop(text.splice(from..from, pieces[random(pieces.len())].chars())),
                _ => text.extend_from_within(from..to),
            }
        }
        let text: String = text.into_iter().collect();
        check(&text);
        if text.starts_with('{') && !text.contains("```") {
            let mut json = jsonc::parse_range(&text, &(0..text.len()));
            json.mistakes.sort_by_key(|mistake| mistake.at);
            let read = text::parse(&text);
            assert_eq!((read.roots, read.mistakes), (json.roots, json.mistakes), "{text}");
        }
    }
}
