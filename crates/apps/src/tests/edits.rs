//! What an edit keeps: comments, order, indentation, line ends, and everything else.

use super::*;

/// The entry `mooring` in one line, for an app with `mcpServers` in JSON.
const LINE: &str =
    r#""mooring": {"command": "/opt/mooring/bin/mooring", "args": ["bridge", "--app", "cursor"]}"#;
const TIGHT: &str = r#""mooring":{"command":"/opt/mooring/bin/mooring","args":["bridge","--app","cursor"]}"#;

/// The entry over several lines.
fn block(indent: &str, step: &str) -> String {
    let inner = format!("{indent}{step}");
    format!(
        "{indent}\"mooring\": {{\n{inner}\"command\": \"/opt/mooring/bin/mooring\",\n{inner}\"args\": [\"bridge\", \"--app\", \"cursor\"]\n{indent}}}"
    )
}

/// Checks the text of Cursor's file after connecting.
fn check(before: &str, after: &str) {
    assert_eq!(connected("cursor", before).unwrap(), after, "{before:?}");
}

#[test]
fn comments_and_trailing_commas_stay_in_json() {
    let before = "// top\n{\n  /* one */ \"a\": 1, // two\n  \"mcpServers\": {\n    \"x\": {\"command\": \"x\"}, // three\n    // four\n  }, // five\n} // six\n";
    let after = before.replace("    // four\n", &format!("    // four\n{},\n", block("    ", "  ")));
    check(before, &after);
    let before = "{\n  \"mcpServers\": {\n    \"x\": {\"command\": \"x\"} // three\n    // four\n  }\n}\n";
    let after = before
        .replace("\"x\"} //", "\"x\"}, //")
        .replace("    // four\n", &format!("    // four\n{}\n", block("    ", "  ")));
    check(before, &after);
    let before = "{\"a\": 1, // one, two\n \"mcpServers\": {\"x\": {} /* , */ }}";
    check(before, &before.replace("{} /*", &format!("{{}}, {LINE} /*")));
}

#[test]
fn indentation_is_that_of_the_file() {
    let tabs = "{\n\t\"mcpServers\": {\n\t\t\"x\": {}\n\t}\n}";
    check(tabs, &tabs.replace("{}\n", &format!("{{}},\n{}\n", block("\t\t", "\t"))));
    let four = "{\n    \"a\": {},\n    \"mcpServers\": {}\n}\n";
    check(four, &four.replace(": {}\n}", &format!(": {{\n{}\n    }}\n}}", block("        ", "    "))));
    let none = "{\n\"mcpServers\": {\n\"x\": {}\n}\n}\n";
    check(none, &none.replace("{}\n", &format!("{{}},\n{}\n", block("", "  "))));
}

#[test]
fn line_ends_and_a_byte_order_mark_stay() {
    let crlf = "\u{feff}{\r\n  \"mcpServers\": {\r\n  }\r\n}\r\n";
    let entry = block("    ", "  ").replace('\n', "\r\n");
    check(crlf, &crlf.replace("{\r\n  }", &format!("{{\r\n{entry}\r\n  }}")));
    let toml = connected("codex", "\u{feff}a = 1\r\n").unwrap();
    assert!(toml.starts_with("\u{feff}a = 1\r\n\r\n[mcp_servers.mooring]\r\ncommand = "), "{toml:?}");
    assert_eq!(toml.matches('\n').count(), toml.matches("\r\n").count());
    let yaml = connected("goose", "\u{feff}a: 1\r\nextensions:\r\n  x:\r\n    type: builtin\r\n").unwrap();
    assert!(yaml.contains("builtin\r\n  mooring:\r\n    enabled: true\r\n"), "{yaml:?}");
    assert_eq!(yaml.matches('\n').count(), yaml.matches("\r\n").count());
}

#[test]
fn one_line_stays_one_line() {
    check(r#"{"mcpServers":{"x":{}},"a":1}"#, &format!(r#"{{"mcpServers":{{"x":{{}},{TIGHT}}},"a":1}}"#));
    check(r#"{"a":1}"#, &format!(r#"{{"a":1,"mcpServers":{{{TIGHT}}}}}"#));
    check(r#"{ "mcpServers": { } }"#, &format!(r#"{{ "mcpServers": {{{LINE} }} }}"#));
    check(r#"{"mcpServers": {"x": 1,}}"#, &format!(r#"{{"mcpServers": {{"x": 1, {LINE},}}}}"#));
}

#[test]
fn a_map_is_made_where_there_is_none() {
    let root = format!("{{\n  \"mcpServers\": {{\n{}\n  }}\n}}", block("    ", "  "));
    check("", &format!("{root}\n"));
    check("\n", &format!("{root}\n"));
    check("// nothing yet\n", &format!("// nothing yet\n{root}\n"));
    check("{}", &root);
    check("{}\n", &format!("{root}\n"));
    check("{\n}\n", &format!("{root}\n"));
    check("{\n  \"mcpServers\": null\n}\n", &format!("{root}\n"));
    check("{\n  \"a\": 1\n}", &format!("{{\n  \"a\": 1,{}", &root[1..]));
    check(r#"{"mcpServers":null}"#, &format!(r#"{{"mcpServers":{{{TIGHT}}}}}"#));
}

#[test]
fn a_map_of_the_wrong_type_is_refused() {
    let refused = |id: &str, text: &str| {
        let (home, app, _) = Home::with(id, text);
        let error = home.connect(app, &entry(id)).unwrap_err();
        assert!(matches!(error, Error::NotEditable(_)), "{id} {text:?}: {error}");
        assert_eq!(home.files().len(), 1);
    };
    for text in ["[]", "1", "null", "\"text\"", r#"{"mcpServers": []}"#, r#"{"mcpServers": "none"}"#] {
        refused("cursor", text);
    }
    for text in ["mcp_servers = 1", "[[mcp_servers]]\na = 1", "mcp_servers = []"] {
        refused("codex", text);
    }
    for text in ["- a\n", "text\n", "extensions: []\n", "extensions:\n  - a\n", "extensions: text\n"] {
        refused("goose", text);
    }
    refused("continue", "mcpServers:\n  a: 1\n");
    let (home, app, _) = Home::with("cursor", r#"{"mcpServers": []}"#);
    let expect = "“mcpServers” isn’t the list of servers that it should be";
    assert!(matches!(app.find(&home.places).state, State::Problem(sentence) if sentence == expect));
}

#[test]
fn names_that_occur_twice_are_refused_only_on_the_way() {
    let refused =
        |text: &str| assert!(matches!(connected("cursor", text), Err(Error::NotEditable(_))), "{text}");
    refused(r#"{"mcpServers": {}, "mcpServers": {}}"#);
    let ours = r#""mooring": {"command": "mooring", "args": ["bridge"]}"#;
    refused(&format!(r#"{{"mcpServers": {{{ours}, {ours}}}}}"#));
    assert!(connected("cursor", r#"{"a": 1, "a": 2, "mcpServers": {"x": 1, "x": 2}}"#).is_ok());
    assert!(matches!(connected("goose", "extensions: {}\nextensions: {}\n"), Err(Error::NotEditable(_))));
    assert!(matches!(connected("codex", "[a]\n[a]\n"), Err(Error::Unreadable(_))));
}

#[test]
fn broken_syntax_is_named_with_its_line() {
    let problem = |id: &str, text: &str| {
        let (home, app, _) = Home::with(id, text);
        assert!(matches!(home.connect(app, &entry(id)), Err(Error::Unreadable(_))));
        let State::Problem(sentence) = app.find(&home.places).state else { panic!("{id}: {text}") };
        sentence.to_string()
    };
    assert!(problem("cursor", "{\n  \"a\": 1,\n  oops\n}").starts_with("line 3 can’t be read: "));
    assert!(problem("cursor", "{\"a\": 1 \"b\": 2}").starts_with("line 1 can’t be read: "));
    assert!(problem("cursor", "{").starts_with("line 1 can’t be read: "));
    assert!(problem("codex", "a = 1\nb = = 2\n").starts_with("line 2 can’t be read: "));
    assert!(problem("goose", "a: 1\nb: [\n").starts_with("line "));
    assert_eq!(problem("goose", "a: 1\n---\nb: 1\n"), "line 2 can’t be read: it holds several documents");
    assert!(problem("goose", &"[".repeat(100_000)).starts_with("line 1 can’t be read: "));
    let deep: Vec<_> = (0..200).map(|depth| " ".repeat(depth)).collect();
    let deep = format!(
        "{}a:
",
        deep.join(
            "a:
"
        )
    );
    assert_eq!(problem("goose", &deep), "line 129 can’t be read: it is nested too deeply");
    assert!(problem("cursor", &"[".repeat(100_000)).starts_with("line 1 can’t be read: "));
    assert!(problem("codex", &format!("a = {}", "[".repeat(100_000))).starts_with("line 1 can’t be read: "));
}

#[test]
fn toml_is_edited_where_the_servers_are() {
    let table = "[mcp_servers.mooring]\ncommand = \"/opt/mooring/bin/mooring\"\nargs = [\"bridge\", \"--app\", \"codex\"]";
    let inline =
        "mooring = { command = \"/opt/mooring/bin/mooring\", args = [\"bridge\", \"--app\", \"codex\"] }";
    let check =
        |before: &str, after: &str| assert_eq!(connected("codex", before).unwrap(), after, "{before:?}");
    check("", &format!("{table}\n"));
    check("# only this\n", &format!("# only this\n\n{table}\n"));
    check("a = 1", &format!("a = 1\n\n{table}"));
    check("a = 1\n\n", &format!("a = 1\n\n{table}\n"));
    check("[[x]]\na = 1 # one\n", &format!("[[x]]\na = 1 # one\n\n{table}\n"));
    check("[mcp_servers]\n", &format!("[mcp_servers]\n\n{table}\n"));
    check("mcp_servers.x.command = \"x\"\n", &format!("mcp_servers.x.command = \"x\"\n\n{table}\n"));
    check("mcp_servers = {}\n", &format!("mcp_servers = {{ {inline} }}\n"));
    check("mcp_servers = { x = 1 } # x\n", &format!("mcp_servers = {{ {inline}, x = 1 }} # x\n"));
    check(
        "[mcp_servers]\nx = { command = \"x\" }\n",
        &format!("[mcp_servers]\nx = {{ command = \"x\" }}\n\n{table}\n"),
    );
}

#[test]
fn toml_entries_are_removed_however_they_are_written() {
    let check = |text: &str, left: &str| {
        let (home, app, file) = Home::with("codex", "");
        let record = home.connect(app, &entry("codex")).unwrap();
        fs::write(&file, text).unwrap();
        assert_eq!(record.plan().unwrap().write(), Ok(Undone::Removed), "{text:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), left, "{text:?}");
    };
    let ours = "command = \"mooring\"\nargs = [\n  \"bridge\", # the bridge\n]\n";
    check(&format!("[mcp_servers.mooring]\n{ours}\n# of b\n[b]\n"), "\n# of b\n[b]\n");
    check(
        &format!("[a]\n\n[mcp_servers.mooring]\n{ours}[b]\n[mcp_servers.mooring.env]\nX = \"1\"\n"),
        "[a]\n\n[b]\n",
    );
    check(
        "[mcp_servers]\nmooring = { command = \"mooring\", args = [\"bridge\"] }\nx = 1\n",
        "[mcp_servers]\nx = 1\n",
    );
    check(
        "mcp_servers.mooring.command = \"mooring\"\nmcp_servers.mooring.args = [\"bridge\"]\na = 1\n",
        "a = 1\n",
    );
    let inline = "mooring = { command = \"mooring\", args = [\"bridge\"] }";
    check(&format!("mcp_servers = {{ x = 1, {inline} }}\n"), "mcp_servers = { x = 1 }\n");
    check(&format!("mcp_servers = {{ {inline}, x = 1 }}\n"), "mcp_servers = { x = 1 }\n");
}

#[test]
fn yaml_is_edited_by_lines() {
    let lines = |indent: &str| {
        let lines = [
            "mooring:",
            "  enabled: true",
            "  type: stdio",
            "  name: mooring",
            "  description: MCP servers of Mooring",
            "  cmd: /opt/mooring/bin/mooring",
            "  args: [bridge, \"--app\", goose]",
            "  timeout: 300",
        ];
        lines.map(|line| format!("{indent}{line}\n")).concat()
    };
    let check =
        |before: &str, after: &str| assert_eq!(connected("goose", before).unwrap(), after, "{before:?}");
    let two = lines("  ");
    check("", &format!("extensions:\n{two}"));
    check("# only this\n", &format!("# only this\nextensions:\n{two}"));
    check("---\na: 1\n", &format!("---\na: 1\nextensions:\n{two}"));
    check("a: 1", &format!("a: 1\nextensions:\n{}", two.trim_end_matches('\n')));
    check("extensions:\na: 1\n", &format!("extensions:\n{two}a: 1\n"));
    check("extensions: # none\na: 1\n", &format!("extensions: # none\n{two}a: 1\n"));
    check(
        "extensions:\n    # four\n    x: 1 # one\n\n# a\na: 1\n",
        &format!("extensions:\n    # four\n    x: 1 # one\n{}\n# a\na: 1\n", lines("    ")),
    );
    // Whether white space and comments belong to a block scalar depends on what follows. The entry goes
    // before them.
    check(
        "extensions:\n  x: |\n    text\n\n  # end\na: 1\n",
        &format!("extensions:\n{two}  x: |\n    text\n\n  # end\na: 1\n"),
    );
    check("a: |+\n  text\n\n", &format!("extensions:\n{two}a: |+\n  text\n\n"));
    // Text with anchors, aliases and letters of several bytes.
    check("é: &a 1\nextensions: &b\n  x: *a\n", &format!("é: &a 1\nextensions: &b\n  x: *a\n{two}"));
}

#[test]
fn yaml_in_brackets_stays_in_brackets() {
    let flow = r#""mooring": {"enabled": true, "type": "stdio", "name": "mooring", "description": "MCP servers of Mooring", "cmd": "/opt/mooring/bin/mooring", "args": ["bridge", "--app", "goose"], "timeout": 300}"#;
    let check =
        |before: &str, after: &str| assert_eq!(connected("goose", before).unwrap(), after, "{before:?}");
    check("extensions: {}\na: 1\n", &format!("extensions: {{{flow}}}\na: 1\n"));
    check("extensions: ~ # none\n", &format!("extensions: {{{flow}}} # none\n"));
    check("extensions: {x: 1,\n  y: 2}\n", &format!("extensions: {{{flow}, x: 1,\n  y: 2}}\n"));
    check("{\"a\": 1}\n", &format!("{{\"extensions\": {{{flow}}}, \"a\": 1}}\n"));
}

#[test]
fn yaml_lists_get_an_item() {
    let item = |indent: &str| {
        let lines = [
            "- name: mooring",
            "  command: /opt/mooring/bin/mooring",
            "  args: [bridge, \"--app\", continue]",
        ];
        lines.map(|line| format!("{indent}{line}\n")).concat()
    };
    let check =
        |before: &str, after: &str| assert_eq!(connected("continue", before).unwrap(), after, "{before:?}");
    check(
        "mcpServers:\n  - name: x\n    command: x\n",
        &format!("mcpServers:\n  - name: x\n    command: x\n{}", item("  ")),
    );
    check(
        "mcpServers:\n- name: x\n  args:\n  - y\na: 1\n",
        &format!("mcpServers:\n- name: x\n  args:\n  - y\n{}a: 1\n", item("")),
    );
    check("a: 1\n", &format!("a: 1\nmcpServers:\n{}", item("  ")));
    let flow = r#"{"name": "mooring", "command": "/opt/mooring/bin/mooring", "args": ["bridge", "--app", "continue"]}"#;
    check("mcpServers: []\n", &format!("mcpServers: [{flow}]\n"));
}

#[test]
fn yaml_that_no_edit_fits_is_refused() {
    let refused = |text: &str| {
        let (home, app, file) = Home::with("goose", text);
        let error = home.connect(app, &entry("goose")).unwrap_err();
        assert!(matches!(error, Error::NotEditable(_)), "{text:?}: {error}");
        assert_eq!(fs::read_to_string(file).unwrap(), text);
        assert!(app.snippet(&entry("goose")).unwrap().starts_with("extensions:\n  mooring:\n"));
    };
    refused("a: &x {b: 1}\nextensions: *x\n");
    refused("extensions: !!str\n");
}

#[test]
fn an_entry_that_is_not_ours_is_left_alone() {
    for command in [
        r#""command": "other", "args": ["bridge"]"#,
        r#""command": "mooring""#,
        r#""url": "https://x.example""#,
    ] {
        let text = format!(r#"{{"mcpServers": {{"mooring": {{{command}}}}}}}"#);
        let error = connected("cursor", &text).unwrap_err();
        assert!(matches!(error, Error::NameTaken(_)), "{text}: {error}");
    }
}

#[test]
fn an_entry_of_a_moved_program_is_replaced() {
    let check = |id: &str, before: &str, after: &str| {
        let (home, app, file) = Home::with(id, before);
        let change = change(app.plan(&home.places, &entry(id), |_| true).unwrap());
        assert!(change.replaces());
        change.write(None).unwrap();
        assert_eq!(fs::read_to_string(file).unwrap(), after);
    };
    check(
        "cursor",
        "{\"mcpServers\": {\n  \"mooring\": {\"args\": [\"bridge\"], \"disabled\": true, \"command\": \"C:\\\\old\\\\Mooring.exe\"}, // ours\n}}",
        "{\"mcpServers\": {\n  \"mooring\": {\"args\": [\"bridge\", \"--app\", \"cursor\"], \"disabled\": true, \"command\": \"/opt/mooring/bin/mooring\"}, // ours\n}}",
    );
    check(
        "opencode",
        r#"{"mcp": {"mooring": {"type": "local", "command": ["/old/mooring", "bridge"], "enabled": false}}}"#,
        r#"{"mcp": {"mooring": {"type": "local", "command": ["/opt/mooring/bin/mooring", "bridge", "--app", "opencode"], "enabled": false}}}"#,
    );
    check(
        "codex",
        "[mcp_servers.mooring]\nargs = [\n  \"bridge\",\n] # args\ncommand = '/old/mooring' # old\n",
        "[mcp_servers.mooring]\nargs = [\"bridge\", \"--app\", \"codex\"] # args\ncommand = \"/opt/mooring/bin/mooring\" # old\n",
    );
    check(
        "goose",
        "extensions:\n  mooring:\n    cmd: \"/old/mooring\" # old\n    args: [bridge]\n    type: stdio\n",
        "extensions:\n  mooring:\n    cmd: /opt/mooring/bin/mooring # old\n    args: [bridge, \"--app\", goose]\n    type: stdio\n",
    );
    // A YAML value that spans several lines is not replaced.
    let (home, app, _) =
        Home::with("goose", "extensions:\n  mooring:\n    cmd: mooring\n    args:\n      - bridge\n");
    assert!(matches!(app.plan(&home.places, &entry("goose"), |_| true), Err(Error::NotEditable(_))));
}

#[test]
fn a_diff_shows_the_lines_around_the_change() {
    let (home, app, file) = Home::with("cursor", "{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}");
    let change = change(app.plan(&home.places, &entry("cursor"), |_| true).unwrap());
    let name = file.display();
    let expect = format!(
        "--- {name}\n+++ {name}\n@@ -1,5 +1,9 @@\n {{\n   \"mcpServers\": {{\n-    \"x\": {{}}\n+    \"x\": {{}},\n{}\n   }}\n }}\n\\ No newline at end of file\n",
        block("    ", "  ").lines().map(|line| format!("+{line}")).collect::<Vec<_>>().join("\n")
    );
    assert_eq!(change.diff(), expect);
    assert_eq!(change.added_lines(), format!("    \"x\": {{}},\n{}\n", block("    ", "  ")));
    assert!(!format!("{change:?}").contains("mcpServers\": {"));
}
