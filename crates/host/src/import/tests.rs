//! Configurations as the other applications write them, and as people break them.

use super::*;

/// One line for each entry, then the error.
fn check(text: &str) -> Vec<String> {
    let report = read(text, |name| name == "saved");
    let mut lines: Vec<String> = report
        .entries
        .iter()
        .map(|entry| {
            let exists = if entry.exists { " (exists)" } else { "" };
            let off = if entry.off { " (off)" } else { "" };
            let open = entry.server.as_ref().map(|server| server.secrets.as_slice()).unwrap_or_default();
            let open = open.iter().map(|secret| format!("; {} to be entered", secret.name));
            let more: Vec<String> = open.chain(entry.notes.iter().map(|note| format!("; {note}"))).collect();
            let more = more.concat();
            match &entry.server {
                Ok(server) => {
                    let how = match server.transport {
                        Transport::Stdio => format!(
                            "{} {:?} env {:?} cwd {:?}",
                            server.command.as_deref().unwrap_or_default(),
                            server.args,
                            server.env,
                            server.cwd
                        ),
                        Transport::Http => {
                            format!(
                                "{} headers {:?}",
                                server.url.as_deref().unwrap_or_default(),
                                server.headers
                            )
                        }
                    };
                    format!("{}{exists}{off}: {how}{more}", server.name)
                }
                Err(problem) => {
                    format!(
                        "{}{exists}: BAD {}:{} {}",
                        entry.name, problem.line, problem.column, problem.message
                    )
                }
            }
        })
        .collect();
    if let Some(error) = report.error {
        lines.push(format!("ERROR {}:{} {}", error.line, error.column, error.message));
    }
    lines
}

#[test]
fn each_of_many_mistakes_in_one_long_line_has_its_column() {
    // Looking for each of them from the start of the text would take minutes.
    let entries: Vec<String> = (0..60_000).map(|number| format!("\"é{}\":1", number % 9_999)).collect();
    let text = format!("{{\"mcpServers\":{{{}}}}}", entries.join(","));
    let report = read(&text, |_| false);
    let mut column = "{\"mcpServers\":{".len() + 1;
    assert_eq!(report.entries.len(), entries.len());
    for (number, (entry, text)) in report.entries.iter().zip(&entries).enumerate() {
        let problem = entry.server.as_ref().unwrap_err();
        // The first ones are no objects, which is said where their value is.
        let within = if number < 9_999 { text.chars().count() - 1 } else { 0 };
        assert_eq!((problem.line, problem.column), (1, column + within), "{text}");
        column += text.chars().count() + 1;
    }
}

#[test]
fn claude_desktop_and_cursor() {
    let text = r#"{
  "globalShortcut": "",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ann"]
    },
    "saved": { "command": "uvx", "args": ["mcp-server-git"], "env": { "TOKEN": "t", "PORT": 8080, "GONE": null }, "cwd": "/srv" },
    "linear": { "url": "https://mcp.linear.app/mcp", "headers": { "Authorization": "Bearer x" } }
  }
}"#;
    assert_eq!(
        check(text),
        [
            r#"filesystem: npx ["-y", "@modelcontextprotocol/server-filesystem", "/home/ann"] env {} cwd None"#,
            r#"saved (exists): uvx ["mcp-server-git"] env {"PORT": "8080", "TOKEN": "t"} cwd Some("/srv")"#,
            r#"linear: https://mcp.linear.app/mcp headers {"Authorization": "Bearer x"}"#,
        ]
    );
}

#[test]
fn vs_code_with_comments_and_its_settings_file() {
    let text = r#"{
  // Inputs are asked for once
  "inputs": [{ "type": "promptString", "id": "key" }],
  "servers": {
    "playwright": { "type": "stdio", "command": "npx", "args": ["@playwright/mcp@latest"], },
    "github": { "type": "http", "url": "https://api.githubcopilot.com/mcp/" },
  },
}"#;
    assert_eq!(
        check(text),
        [
            r#"playwright: npx ["@playwright/mcp@latest"] env {} cwd None"#,
            "github: https://api.githubcopilot.com/mcp/ headers {}",
        ]
    );
    assert_eq!(
        check(r#"{"editor.tabSize": 2, "mcp": {"servers": {"a": {"command": "a"}}}}"#),
        ["a: a [] env {} cwd None"]
    );
}

#[test]
fn windsurf_zed_and_gemini_name_the_address_and_the_command_their_own_way() {
    let text = r#"{"mcpServers": {"w": {"serverUrl": "https://w.example/mcp"}, "g": {"httpUrl": "https://g.example/"}}}"#;
    assert_eq!(check(text), ["w: https://w.example/mcp headers {}", "g: https://g.example/ headers {}"]);
    let text = r#"{"context_servers": {
        "old": {"command": {"path": "node", "args": ["s.js"], "env": {"A": "1"}}, "settings": {}},
        "new": {"source": "custom", "command": "node", "args": ["s.js"], "env": {"A": true}}
    }}"#;
    assert_eq!(
        check(text),
        [r#"old: node ["s.js"] env {"A": "1"} cwd None"#, r#"new: node ["s.js"] env {"A": "true"} cwd None"#]
    );
}

#[test]
fn a_bare_map_a_list_and_a_single_server() {
    assert_eq!(check(r#"{"a": {"command": "x"}}"#), ["a: x [] env {} cwd None"]);
    assert_eq!(check(r#""a": {"command": "x"},"#), ["a: x [] env {} cwd None"]);
    assert_eq!(
        check(r#"{"mcpServers": [{"name": "a", "command": ["x", "1"], "args": ["2"]}]}"#),
        [r#"a: x ["1", "2"] env {} cwd None"#]
    );
    assert_eq!(
        check(r#"{"command": "npx", "args": ["-y", "@acme/weather"]}"#),
        [r#"weather: npx ["-y", "@acme/weather"] env {} cwd None"#]
    );
    assert_eq!(
        check(r#"{"type": "sse", "url": "http://localhost:3001/sse"}"#),
        ["localhost: http://localhost:3001/sse headers {}"]
    );
}

#[test]
fn good_entries_stay_good_beside_bad_ones() {
    let text = r#"{
  "mcpServers": {
    "good": { "command": "a" },
    "no-way": { "args": ["x"] },
    "wrong": { "command": 7 },
    "args": { "command": "a", "args": "-y x" },
    "ftp": { "url": "ftp://x.example/" },
    "odd": { "type": "pigeon", "command": "a" },
    "text": "npx",
    "env": { "command": "a", "env": { "A": {} } },
    "good": { "command": "b" },
    "": { "command": "c" },
    "also good": { "command": "d" }
  }
}"#;
    assert_eq!(
        check(text),
        [
            "good: a [] env {} cwd None",
            "no-way: BAD 4:15 neither command nor url is there",
            "wrong: BAD 5:27 command must be a text, but this is a number",
            "args: BAD 6:39 args must be a list, but this is a text",
            "ftp: BAD 7:21 the address must start with https:// or http://: ftp://x.example/",
            "odd: BAD 8:22 unknown type: pigeon",
            "text: BAD 9:13 a server must be an object, but this is a text",
            "env: BAD 10:44 a text is needed in A, but this is an object",
            "good: BAD 11:5 this name stands twice; it was first used on line 3",
            ": BAD 12:5 the name is empty",
            "also good: d [] env {} cwd None",
        ]
    );
}

#[test]
fn what_is_turned_off_there_is_told() {
    let text = r#"{"mcpServers": {
        "cline": {"command": "a", "disabled": true, "autoApprove": []},
        "zed": {"command": "a", "enabled": false},
        "on": {"command": "a", "disabled": false, "enabled": true},
        "odd": {"command": "a", "disabled": "true"}
    }}"#;
    assert_eq!(
        check(text),
        [
            "cline (off): a [] env {} cwd None",
            "zed (off): a [] env {} cwd None",
            "on: a [] env {} cwd None",
            "odd: a [] env {} cwd None",
        ]
    );
}

#[test]
fn what_only_stands_for_a_value_is_to_be_entered_and_never_sealed() {
    let text = r#"{"servers": {
        "code": {"command": "npx", "args": ["-y", "x", "${workspaceFolder}/a"], "envFile": "${workspaceFolder}/.env",
            "env": {"API_KEY": "${input:key}", "TOKEN": "t", "HOME_OF_IT": "${env:HOME}/x", "DOLLAR": "$5 {a}"}},
        "claude": {"type": "http", "url": "https://x.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN:-none}", "X-A": "b"}},
        "opencode": {"command": ["x"], "environment": {"KEY": "{env:KEY}"}},
        "address": {"url": "https://${input:host}/mcp"},
        "program": {"command": "${workspaceFolder}/server"},
        "folder": {"command": "x", "cwd": "${userHome}"}
    }}"#;
    assert_eq!(
        check(text),
        [
            r#"code: npx ["-y", "x", "${workspaceFolder}/a"] env {"DOLLAR": "$5 {a}", "TOKEN": "t"} cwd None; API_KEY to be entered; HOME_OF_IT to be entered; argument 3 is passed on with ${workspaceFolder} as it stands; the variables in ${workspaceFolder}/.env are not read: enter them in its settings"#,
            r#"claude: https://x.example/mcp headers {"X-A": "b"}; Authorization to be entered"#,
            "opencode: x [] env {} cwd None; KEY to be entered",
            "address: BAD 6:28 url holds ${input:host}: write what it stands for in its place",
            "program: BAD 7:32 command holds ${workspaceFolder}: write what it stands for in its place",
            "folder: BAD 8:43 cwd holds ${userHome}: write what it stands for in its place",
        ]
    );
    let report = read(text, |_| false);
    assert_eq!(report.entries[0].secrets, ["TOKEN"]);
}

#[test]
fn names_that_differ_in_spaces_only_are_one_name() {
    let text = "{\"mcpServers\": {\n\"a\": {\"command\": \"a\"},\n\" a \": {\"command\": \"b\"},\n\" saved\": {\"command\": \"c\"}}}";
    assert_eq!(
        check(text),
        [
            "a: a [] env {} cwd None",
            "a: BAD 3:1 this name stands twice; it was first used on line 2",
            "saved (exists): c [] env {} cwd None",
        ]
    );
}

#[test]
fn a_syntax_error_costs_only_the_entry_it_stands_in() {
    let text = r#"{
  "mcpServers": {
    "before": { "command": "a" },
    "broken": { "command": "b" "args": [x] },
    "after": { "command": "c" }
  }
}"#;
    assert_eq!(
        check(text),
        [
            "before: a [] env {} cwd None",
            "broken: BAD 4:31 a comma is missing here",
            "after: c [] env {} cwd None",
            "ERROR 4:31 a comma is missing here",
        ]
    );
}

#[test]
fn a_comma_missing_between_entries_costs_none() {
    let text = "{\"mcpServers\": {\n\"a\": {\"command\": \"a\"}\n\"b\": {\"command\": \"b\"}\n}}";
    assert_eq!(
        check(text),
        ["a: a [] env {} cwd None", "b: b [] env {} cwd None", "ERROR 2:22 a comma is missing here"]
    );
}

#[test]
fn what_is_no_configuration_says_so() {
    let none = "no servers here: expected an object with mcpServers, servers or context_servers";
    assert_eq!(check("{}"), [format!("ERROR 1:1 {none}")]);
    assert_eq!(check("[1]"), [format!("ERROR 1:1 {none}")]);
    assert_eq!(check("{\"mcp\": {\"enabled\": true}}"), [format!("ERROR 1:1 {none}")]);
    assert_eq!(check(""), ["ERROR 1:1 a value is missing before the end of the text"]);
    assert_eq!(check("npx -y x"), ["ERROR 1:1 not a value: npx (texts stand in double quotes)"]);
}
