//! Configurations as other applications write them, and damaged ones.

use super::*;
use crate::Transport;

mod formats;
mod inputs;
mod links;
mod registry;

/// The folders of a person.
fn ann() -> Folders {
    Folders { home: Some("/home/ann".into()), project: None }
}

/// One line per entry, then the error.
fn check(text: &str) -> Vec<String> {
    let report = read_config_in(text, &ann(), |name| name == "saved");
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
    // Searching each of them from the start of the text would take minutes.
    let entries: Vec<String> = (0..60_000).map(|number| format!("\"é{}\":1", number % 9_999)).collect();
    let text = format!("{{\"mcpServers\":{{{}}}}}", entries.join(","));
    let report = read_config(&text, |_| false);
    let mut column = "{\"mcpServers\":{".len() + 1;
    assert_eq!(report.entries.len(), entries.len());
    for (number, (entry, text)) in report.entries.iter().zip(&entries).enumerate() {
        let problem = entry.server.as_ref().unwrap_err();
        // The first ones are not objects. The error for that is at the value.
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
fn windsurf_zed_and_gemini_keys_for_url_and_command_are_read() {
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
            "no-way: BAD 4:15 command and url are both missing",
            "wrong: BAD 5:27 command must be a string, but this is a number",
            "args: BAD 6:39 args must be a list, but this is a string",
            "ftp: BAD 7:21 the URL must start with https:// or http://: ftp://x.example/",
            "odd: BAD 8:22 unknown type: pigeon",
            "text: BAD 9:13 a server must be an object, but this is a string",
            "env: BAD 10:44 a string is required in A, but this is an object",
            "good: BAD 11:5 this name appears twice; it was first used on line 3",
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
fn placeholder_value_is_to_be_entered_and_never_encrypted() {
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
            r#"code: npx ["-y", "x", "${workspaceFolder}/a"] env {"DOLLAR": "$5 {a}", "HOME_OF_IT": "/home/ann/x", "TOKEN": "t"} cwd None; API_KEY to be entered; the variables in ${workspaceFolder}/.env aren’t read: enter them in its settings"#,
            r#"claude: https://x.example/mcp headers {"X-A": "b"}; Authorization to be entered"#,
            "opencode: x [] env {} cwd None; KEY to be entered",
            "address: https://${input:host}/mcp headers {}",
            "program: BAD 7:32 the value of ${workspaceFolder} would decide which program runs: replace it with the program’s path",
            r#"folder: x [] env {} cwd Some("/home/ann")"#,
        ]
    );
    let report = read_config(text, |_| false);
    assert_eq!(report.entries[0].secrets, ["TOKEN"]);
}

#[test]
fn names_that_differ_in_spaces_only_are_one_name() {
    let text = "{\"mcpServers\": {\n\"a\": {\"command\": \"a\"},\n\" a \": {\"command\": \"b\"},\n\" saved\": {\"command\": \"c\"}}}";
    assert_eq!(
        check(text),
        [
            "a: a [] env {} cwd None",
            "a: BAD 3:1 this name appears twice; it was first used on line 2",
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
}

/// Checks that each of these parts is in a line of `check`.
fn says(text: &str, parts: &[&str]) {
    let lines = check(text);
    for part in parts {
        assert!(lines.iter().any(|line| line.contains(part)), "{part}: {lines:#?}");
    }
}

#[test]
fn a_command_line_in_one_text_is_split_and_said() {
    let text = r#"{"mcpServers": {
        "tide": {"command": "npx -y @harbour/tide --units metric", "args": []},
        "quoted": {"command": "uvx --from 'a b' tide"},
        "beside": {"command": "npx -y", "args": ["@harbour/tide"]},
        "folder": {"command": "/no such folder/tide"}
    }}"#;
    let split = "the command line is split into its program and its arguments";
    let spaces = "the program’s name contains spaces: its arguments belong in args:";
    assert_eq!(
        check(text),
        [
            format!(r#"tide: npx ["-y", "@harbour/tide", "--units", "metric"] env {{}} cwd None; {split}"#),
            format!(r#"quoted: uvx ["--from", "a b", "tide"] env {{}} cwd None; {split}"#),
            format!(r#"beside: npx -y ["@harbour/tide"] env {{}} cwd None; {spaces} npx -y"#),
            format!(r"folder: /no such folder/tide [] env {{}} cwd None; {spaces} /no such folder/tide"),
        ]
    );
}

#[test]
fn a_tilde_is_written_out_and_what_shells_know_is_entered() {
    let text = r#"{"mcpServers": {
        "a": {"command": "~/bin/tide", "cwd": "~", "args": ["--db", "~/a.db", "$HOME/b", "%APPDATA%/c", "{{HOME}}/d"],
            "env": {"CONF": "~/.conf", "DATA": "$HOME/.data", "W": "%USERPROFILE%/x", "KEY": "<your key>"}},
        "b": {"url": "https://b.example/mcp", "headers": {"Authorization": "Bearer $TOKEN"}}
    }}"#;
    assert_eq!(
        check(text),
        [
            r#"a: /home/ann/bin/tide ["--db", "/home/ann/a.db", "$HOME/b", "%APPDATA%/c", "{{HOME}}/d"] env {"CONF": "/home/ann/.conf"} cwd Some("/home/ann"); DATA to be entered; W to be entered; KEY to be entered; argument 2 becomes the full path /home/ann/a.db; CONF becomes the full path /home/ann/.conf; argument 3 contains $HOME, which is passed on unchanged; argument 4 contains %APPDATA%, which is passed on unchanged; argument 5 contains {{HOME}}, which is passed on unchanged"#,
            "b: https://b.example/mcp headers {}; Authorization to be entered",
        ]
    );
    let report = read_config_in(text, &ann(), |_| false);
    assert_eq!(report.entries.iter().map(|entry| entry.incomplete).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn words_and_fences_around_a_configuration_are_passed_over() {
    let tide = ["tide: uvx [\"tide\"] env {} cwd None"];
    let block = r#"{"mcpServers": {"tide": {"command": "uvx", "args": ["tide"]}}}"#;
    for text in [
        format!("Add this to your config:\n\n```json\n{block}\n```\nand start again."),
        format!("~~~\n{block}"),
        format!("Add this:\n\n{block}\n\nThen start again."),
        format!("Add this: {block}"),
    ] {
        assert_eq!(check(&text), tide, "{text}");
    }
    let two = format!(
        "For Claude:\n{block}\n\nFor Zed:\n{{\"context_servers\": {{\"moor\": {{\"command\": \"moor\"}}}}}}\n"
    );
    assert_eq!(check(&two), [tide[0], "moor: moor [] env {} cwd None"]);
    assert_eq!(check(&format!("```\n{block}\n```\n```\nnpm install\n```")), tide);
}

#[test]
fn blocks_one_after_the_other_are_all_read() {
    let text = "{\"mcpServers\": {\"a\": {\"command\": \"a\"}}},\n\n{\"mcpServers\": {\"b\": {\"command\": \"b\"}, \"a\": {\"command\": \"c\"}}}";
    assert_eq!(
        check(text),
        [
            "a: a [] env {} cwd None",
            "b: b [] env {} cwd None",
            "a: BAD 3:40 this name appears twice; it was first used on line 1",
        ]
    );
    let behind = check("{\"mcpServers\": {\"a\": {\"command\": \"a\"}}} }");
    assert_eq!(
        behind,
        ["a: a [] env {} cwd None", "ERROR 1:41 there is text after the end of the configuration"]
    );
}

#[test]
fn quotes_and_names_as_people_and_programs_write_them() {
    let tide = [r#"tide: uvx ["a", "it's"] env {"A": "\"b\""} cwd None"#];
    for text in [
        "{ “mcpServers”: { “tide”: { “command”: “uvx”, “args”: [“a”, “it's”], “env”: {“A”: '\"b\"'} } } }",
        "{ «mcpServers»: { „tide“: { “command“： ”uvx”， \"args”: [“a”, “it's”],\n\"env\": {'A': '\"b\"'} } } }",
        "{\n  # mine\n  mcpServers: { tide: { command: 'uvx', args: ['a', 'it\\'s',], disabled: False, env: {A: '\"b\"'}, cwd: None } }\n}",
    ] {
        assert_eq!(check(text), tide, "{text}");
    }
}

#[test]
fn single_backslashes_of_a_path_are_read_as_such_and_said() {
    let text = r#"{"mcpServers": {
        "tab": {"command": "uvx", "args": ["srv", "c:\temp\notes", "--db=D:\new\x"]},
        "none": {"command": "C:\Users\ann\srv.exe", "env": {"A": ".\build\tide"}},
        "fine": {"command": "x", "args": ["C:\\temp\\x", "a\nb", "\t", "say \"c:\""]},
        "odd": {"command": "x", "args": ["src\tools"]},
        "bad": {"command": "x", "args": ["src\lib"]}
    }}"#;
    let single = "single backslashes were read as path separators:";
    assert_eq!(
        check(text),
        [
            format!(r#"tab: uvx ["srv", "c:\\temp\\notes", "--db=D:\\new\\x"] env {{}} cwd None; {single} c:\temp\notes; {single} --db=D:\new\x"#),
            format!(r#"none: C:\Users\ann\srv.exe [] env {{"A": ".\\build\\tide"}} cwd None; {single} C:\Users\ann\srv.exe; {single} .\build\tide"#),
            r#"fine: x ["C:\\temp\\x", "a\nb", "\t", "say \"c:\""] env {} cwd None"#.to_owned(),
            r#"odd: x ["src\tools"] env {} cwd None; a backslash and the letter after it were read as a control character in src\tools: write two backslashes if you mean a path"#.to_owned(),
            "bad: BAD 6:47 this text contains an escape that JSON doesn’t allow: write each backslash of a path twice".to_owned(),
            "ERROR 6:47 this text contains an escape that JSON doesn’t allow: write each backslash of a path twice".to_owned(),
        ]
    );
}

#[test]
fn sections_are_found_under_their_names_and_at_their_depth() {
    let a = ["a: x [] env {} cwd None"];
    for text in [
        r#"{"amp.url": "https://amp.example", "amp.mcpServers": {"a": {"command": "x"}}, "amp.tools.disable": ["m"]}"#,
        r#"{"editor.tabSize": 2, "mcp.servers": {"a": {"command": "x"}}}"#,
        r#"{"mcpServers": {"mcpServers": {"a": {"command": "x"}}}}"#,
        r#"{"mcpServers": {"a": {"mcpServers": {"a": {"command": "x"}}}}}"#,
        r#"{"mcp_servers": {"a": {"command": "x"}}}"#,
        r#"{"mcpServers": {"servers": {"a": {"command": "x"}}}}"#,
        r#"{"mcpServers": [{"a": {"command": "x"}}]}"#,
        r#"{"settings": {"context_servers": {"a": {"command": "x"}}}}"#,
        r#"{"experimental": {"modelContextProtocolServers": [{"name": "a", "transport": {"type": "stdio", "command": "x"}}]}}"#,
        r#"{"extensions": {"a": {"type": "stdio", "cmd": "x", "args": [], "envs": {}, "enabled": true}}}"#,
        r#"{"augment.advanced": {"mcpServers": [{"name": "a", "command": "x"}]}}"#,
    ] {
        assert_eq!(check(text), a, "{text}");
    }
}

#[test]
fn servers_of_projects_are_found_and_named_apart() {
    let text = r#"{"numStartups": 12, "mcpServers": {"a": {"type": "http", "url": "https://a.example/mcp"}}, "projects": {
        "/home/ann/web": {"allowedTools": [], "mcpServers": {"b": {"type": "stdio", "command": "x", "args": [], "env": {}}, "a": {"command": "y"}}},
        "/home/ann/api": {"mcpServers": {}}
    }}"#;
    assert_eq!(
        check(text),
        [
            "a: https://a.example/mcp headers {}",
            "b: x [] env {} cwd None",
            "a (/home/ann/web): y [] env {} cwd None",
        ]
    );
}

#[test]
fn an_entry_that_describes_no_server_costs_no_other_one() {
    let text = r#"{"mcp": {
        "local": {"type": "local", "command": ["bun", "x", "tide"], "enabled": true, "environment": {"A": "1"}},
        "switch": {"enabled": false}
    }}"#;
    assert_eq!(
        check(text),
        [
            r#"local: bun ["x", "tide"] env {"A": "1"} cwd None"#,
            "switch: BAD 3:19 this only turns a server on or off that is described elsewhere",
        ]
    );
    says(
        r#"{"context_servers": {"pdf": {"source": "extension", "enabled": true, "settings": {"p": 1}}, "mine": {"source": "custom", "command": "uvx"}}}"#,
        &["pdf: BAD 1:29 an extension of Zed starts this server: the text doesn’t say how", "mine: uvx"],
    );
}

#[test]
fn what_is_not_taken_over_is_said_each_time() {
    let text = r#"{"mcpServers": {
        "slack": {"type": "http", "url": "https://slack.example/mcp", "oauth": {"clientId": "12.34", "callbackPort": 3118}, "timeout": 600},
        "api": {"url": "http://localhost:8000/mcp", "env": {"API_KEY": "v"}, "cwd": "/x"},
        "cli": {"command": "x", "url": "https://x.example/", "timeout": 30000, "includeTools": ["a"], "autoApprove": [], "trust": false, "watchPaths": ["p"]},
        "codex": {"url": "https://c.example/mcp", "bearer_token_env_var": "TIDE", "http_headers": {"X-A": "b"}, "env_http_headers": {"X-B": "B"}, "startup_timeout_sec": 20}
    }}"#;
    let policies = "rules under Policies decide which tools run or ask first";
    assert_eq!(
        check(text),
        [
            "slack: https://slack.example/mcp headers {}; oauth isn’t imported: sign in with its client ID 12.34 and redirect 3118; idle timeout: 600 s".to_owned(),
            "api: http://localhost:8000/mcp headers {}; env isn’t imported: nothing is started for a URL; cwd isn’t imported".to_owned(),
            format!("cli: x [] env {{}} cwd None; url isn’t imported: the entry also has a command; includeTools isn’t imported: {policies}; watchPaths isn’t imported; idle timeout: 30 s"),
            r#"codex: https://c.example/mcp headers {"X-A": "b"}; X-B to be entered; Authorization to be entered; startup_timeout_sec isn’t imported"#.to_owned(),
        ]
    );
    let report = read_config(text, |_| false);
    let timeouts: Vec<_> =
        report.entries.iter().map(|entry| entry.server.as_ref().unwrap().timeout).collect();
    assert_eq!(timeouts[0], Some(std::time::Duration::from_mins(10)));
    assert_eq!(timeouts[2], Some(std::time::Duration::from_secs(30)));
    assert!(report.entries.iter().all(|entry| !entry.incomplete));
}

#[test]
fn what_is_to_be_looked_out_for_is_said() {
    let secret = "looks like a secret, and other programs can read arguments: use an environment variable";
    says(
        r#"{"mcpServers": {"key": {"command": "npx", "args": ["-y", "tide", "--key", "0a0b0c0d-1111-2222-3333-444455556666"]}}}"#,
        &[&format!("argument 4 {secret}")],
    );
    says(
        r#"{"mcpServers": {"header": {"command": "npx", "args": ["mcp-remote", "https://b.example/mcp", "--header", "Authorization: Bearer abc"]}}}"#,
        &[&format!("argument 4 {secret}")],
    );
    says(
        r#"{"mcpServers": {"a": {"command": "sh", "args": ["-c", "curl https://x.example | sh"]}}}"#,
        &["it runs what it downloads right away"],
    );
    says(
        r#"{"mcpServers": {"a": {"command": "node", "args": ["./build/index.js"]}}}"#,
        &["./build/index.js is searched for in the server’s own folder"],
    );
    says(
        r#"{"mcpServers": {"a": {"url": "https://x.example/mcp?api_key=abc"}}}"#,
        &["api_key in the URL looks like a secret"],
    );
}

#[test]
fn what_is_empty_counts_as_missing() {
    let text = r#"{"mcpServers": {
        "a": {"transport": "stdio", "enabled": true, "command": "uvx", "args": ["x"], "env": {}, "url": "", "headers": {}},
        "b": {"transport": "", "type": "", "command": "", "args": [], "url": "https://b.example/mcp", "headers": null},
        "c": {"command": " ", "url": ""}
    }}"#;
    assert_eq!(
        check(text),
        [
            r#"a: uvx ["x"] env {} cwd None"#,
            "b: https://b.example/mcp headers {}",
            "c: BAD 4:14 command and url are both missing",
        ]
    );
}

#[test]
fn variables_may_stand_in_a_list() {
    let text = r#"{"mcpServers": {
        "a": {"command": "x", "env": ["A=1=2", "B"]},
        "b": {"command": "x", "env": [{"name": "A", "value": "1"}, {"key": "B"}], "env_keys": ["C", "A"]}
    }}"#;
    assert_eq!(
        check(text),
        [
            r#"a: x [] env {"A": "1=2"} cwd None; B to be entered"#,
            r#"b: x [] env {"A": "1"} cwd None; B to be entered; C to be entered"#,
        ]
    );
}

#[test]
fn what_cannot_be_read_is_named_with_what_to_do() {
    for (text, part) in [
        (
            r#"{"manifest_version": "0.3", "name": "tide", "server": {"type": "node", "mcp_config": {"command": "node", "args": ["${__dirname}/x.js"]}}}"#,
            "the manifest of a bundle",
        ),
        ("PK\u{3}\u{4}\u{fffd}", "this is a bundle"),
    ] {
        let lines = check(text);
        assert!(
            matches!(&lines[..], [line] if line.starts_with("ERROR 1:1 this is ") && line.contains(part)),
            "{text}: {lines:#?}"
        );
    }
}
