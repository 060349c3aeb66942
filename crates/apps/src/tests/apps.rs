//! Every app of the table is found, connected, read back and disconnected.

use std::collections::BTreeSet;

use super::*;
use crate::document::Document;
use crate::entry::read_command;

/// A file of each app with one server, according to the app's own documentation.
const FIXTURES: [(&str, &str); 32] = [
    (
        "claude-desktop",
        "{\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"files\"]\n    }\n  }\n}\n",
    ),
    (
        "claude-code",
        "{\n  \"numStartups\": 7,\n  \"projects\": {\n    \"/home/me/work\": {\n      \"mcpServers\": {\n        \"inner\": {\"command\": \"a\"}\n      }\n    }\n  },\n  \"mcpServers\": {\n    \"files\": {\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": [],\n      \"env\": {}\n    }\n  },\n  \"userID\": \"0\"\n}",
    ),
    ("cursor", "{\n\t\"mcpServers\": {\n\t\t\"files\": {\n\t\t\t\"command\": \"npx\"\n\t\t}\n\t}\n}\n"),
    (
        "vscode",
        "{\n\t// Servers\n\t\"servers\": {\n\t\t\"files\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"npx\",\n\t\t},\n\t},\n\t\"inputs\": [],\n}\n",
    ),
    (
        "vscode-insiders",
        "{\n\t\"inputs\": [],\n\t\"servers\": {\"files\": {\"url\": \"https://example.com\"}}\n}\n",
    ),
    ("vscodium", "{\"servers\":{\"files\":{\"command\":\"npx\"}}}"),
    ("windsurf", "{\n  \"mcpServers\": {\n    \"files\": {\"serverUrl\": \"https://example.com\"}\n  }\n}\n"),
    (
        "cline",
        "{\n  \"mcpServers\": {\n    \"files\": {\n      \"autoApprove\": [],\n      \"disabled\": true,\n      \"command\": \"npx\"\n    }\n  }\n}\n",
    ),
    ("roo-code", "{\"mcpServers\": {\"files\": {\"command\": \"npx\", \"alwaysAllow\": [\"read\"]}}}\n"),
    (
        "zed",
        "// Zed settings\n//\n{\n  \"theme\": \"One Dark\", // dark\n  \"context_servers\": {\n    \"files\": {\n      \"source\": \"custom\",\n      \"command\": \"npx\",\n    },\n    // more to come\n  },\n}\n",
    ),
    (
        "codex",
        "model = \"o3\" # the model\n\n[mcp_servers.files]\ncommand = \"npx\"\nargs = [\"-y\"]\n\n[mcp_servers.files.env]\nA = \"b\"\n\n# the end\n[tui]\ntheme = \"dark\"\n",
    ),
    (
        "goose",
        "# Model\nGOOSE_PROVIDER: anthropic\nextensions:\n  # built in\n  files:\n    enabled: true\n    type: builtin\n    name: files\n    timeout: 300\nGOOSE_MODE: smart_approve\n",
    ),
    (
        "continue",
        "name: Mine\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: GPT\n    provider: openai\nmcpServers:\n  - name: files\n    command: npx\n    args:\n      - \"-y\"\n",
    ),
    (
        "gemini-cli",
        "{\n  \"theme\": \"Default\",\n  \"mcpServers\": {\n    \"files\": { \"httpUrl\": \"https://example.com\" }\n  }\n}\n",
    ),
    (
        "copilot-cli",
        "{\n  \"mcpServers\": {\n    \"files\": {\n      \"type\": \"local\",\n      \"command\": \"npx\",\n      \"args\": [],\n      \"tools\": [\"*\"]\n    }\n  }\n}\n",
    ),
    (
        "opencode",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"files\": {\n      \"type\": \"local\",\n      \"command\": [\"npx\", \"files\"],\n      \"enabled\": true\n    }\n  }\n}\n",
    ),
    (
        "crush",
        "{\n  \"$schema\": \"https://charm.land/crush.json\",\n  \"mcp\": {\n    \"files\": { \"type\": \"stdio\", \"command\": \"npx\" }\n  }\n}\n",
    ),
    (
        "lm-studio",
        "{\n  \"mcpServers\": {\n    \"files\": {\n      \"url\": \"https://example.com\"\n    }\n  }\n}",
    ),
    (
        "jan",
        "{\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"args\": [],\n      \"env\": {},\n      \"active\": false\n    }\n  },\n  \"mcpSettings\": { \"toolCallTimeoutSeconds\": 30 }\n}\n",
    ),
    (
        "kiro",
        "{\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"disabled\": false,\n      \"autoApprove\": []\n    }\n  }\n}\n",
    ),
    (
        "amp",
        "{\n  \"amp.url\": \"https://ampcode.com\",\n  \"amp.mcpServers\": {\n    \"files\": { \"command\": \"npx\" }\n  }\n}\n",
    ),
    ("amazon-q", "{\"mcpServers\":{\"files\":{\"command\":\"uvx\",\"args\":[\"files@latest\"]}}}\n"),
    (
        "warp",
        "{\r\n  \"mcpServers\": {\r\n    \"files\": {\r\n      \"command\": \"npx\"\r\n    }\r\n  }\r\n}\r\n",
    ),
    (
        "qwen-code",
        "{\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\", \"trust\": true }\n  },\n  \"$version\": 3\n}\n",
    ),
    (
        "kilo",
        "{\n  // Servers\n  \"$schema\": \"https://app.kilo.ai/config.json\",\n  \"mcp\": {\n    \"files\": { \"type\": \"local\", \"command\": [\"npx\"], \"enabled\": true },\n  },\n}\n",
    ),
    (
        "droid",
        "{\n  \"mcpServers\": {\n    \"files\": {\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": [],\n      \"disabled\": false\n    }\n  }\n}",
    ),
    (
        "auggie",
        "{\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\", \"args\": [\"-y\", \"files\"] }\n  },\n  \"theme\": \"dark\"\n}\n",
    ),
    (
        "kimi-code",
        "{\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\", \"enabledTools\": [\"read\"] }\n  }\n}\n",
    ),
    (
        "antigravity",
        "{\n  \"mcpServers\": {\n    \"files\": { \"serverUrl\": \"https://example.com\" }\n  }\n}\n",
    ),
    ("junie", "{\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\" }\n  }\n}\n"),
    ("boltai", "{\"mcpServers\": {\"files\": {\"command\": \"npx\"}}}\n"),
    (
        "anythingllm",
        "{\n  \"mcpServers\": {\n    \"files\": { \"type\": \"streamable\", \"url\": \"https://example.com\" }\n  }\n}\n",
    ),
];

#[test]
fn every_app_is_connected_and_disconnected_to_the_byte() {
    assert_eq!(FIXTURES.map(|(id, _)| id).to_vec(), apps().iter().map(|app| app.id).collect::<Vec<_>>());
    for (id, text) in FIXTURES {
        let (home, app, file) = Home::with(id, text);
        let found = app.find(&home.places);
        assert!(found.is_present, "{id}");
        assert_eq!(found.state, readable(&["files"], &[]), "{id}");

        let record = home.connect(app, &entry(id)).unwrap();
        let State::Readable { servers, ours, .. } = app.find(&home.places).state else { panic!("{id}") };
        assert_eq!(BTreeSet::from_iter(servers), BTreeSet::from(["files".into(), "mooring".into()]), "{id}");
        assert_eq!(ours, ["mooring"], "{id}");
        let after = fs::read_to_string(&file).unwrap();
        let document = Document::read(app.format, &after).unwrap();
        let path = app.section(document.value()).path();
        let (_, server) =
            document.value().servers(&path).into_iter().find(|server| server.0 == "mooring").unwrap();
        let wanted = entry(id);
        assert_eq!(read_command(server), Some((wanted.command, wanted.args)), "{id}");
        assert!(matches!(app.plan(&home.places, &entry(id), |_| true), Ok(Plan::Nothing)), "{id}");

        assert_eq!(record.plan().unwrap().write(), Ok(Undone::Restored), "{id}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{id}");
        assert_eq!(home.files().len(), 1, "{id}: {:?}", home.files().keys());
    }
}

#[test]
fn every_app_without_a_file_gets_one_and_loses_it_again() {
    for app in apps() {
        let home = Home::new();
        let found = app.find(&home.places);
        assert_eq!((found.is_present, found.state), (false, State::NoFile), "{}", app.id);
        let record = home.connect(app, &entry(app.id)).unwrap();
        assert_eq!(app.find(&home.places).state, readable(&["mooring"], &["mooring"]), "{}", app.id);
        assert_eq!(record.plan().unwrap().write(), Ok(Undone::Restored), "{}", app.id);
        assert_eq!(fs::read_dir(home.folder.path()).unwrap().count(), 0, "{}", app.id);
    }
}

#[test]
fn only_the_entry_is_removed_where_the_file_changed_since() {
    for (id, text) in FIXTURES {
        let comment = if app(id).unwrap().format == Format::Json { "\n// mine\n" } else { "\n# mine\n" };
        assert_eq!(removed(id, text, comment), text, "{id}");
    }
}

fn readable(servers: &[&str], ours: &[&str]) -> State {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let missing = ours.first().map(|_| PathBuf::from("/opt/mooring/bin/mooring"));
    State::Readable { servers: names(servers), ours: names(ours), public_key: None, missing }
}

#[test]
fn ids_and_names_occur_once() {
    let ids: BTreeSet<_> = apps().iter().map(|app| app.id).collect();
    let names: BTreeSet<_> = apps().iter().map(|app| app.name).collect();
    assert_eq!((ids.len(), names.len()), (apps().len(), apps().len()));
    assert!(ids.iter().all(|id| id.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-')));
}

#[test]
fn a_file_is_where_its_platform_has_it() {
    let check = |id: &str, platform: Platform, expect: &str| {
        let home = Path::new("/nowhere/me");
        assert_eq!(app(id).unwrap().file(&places(platform, home)), home.join(expect), "{id} {platform:?}");
    };
    use Platform::{Linux, Macos, Windows};
    check("claude-desktop", Linux, ".config/Claude/claude_desktop_config.json");
    check("claude-desktop", Macos, "Library/Application Support/Claude/claude_desktop_config.json");
    check("claude-desktop", Windows, "AppData/Roaming/Claude/claude_desktop_config.json");
    check("vscode", Macos, "Library/Application Support/Code/User/mcp.json");
    check("zed", Linux, ".config/zed/settings.json");
    check("zed", Macos, ".config/zed/settings.json");
    check("zed", Windows, "AppData/Roaming/Zed/settings.json");
    check("goose", Macos, ".config/goose/config.yaml");
    check("goose", Windows, "AppData/Roaming/Block/goose/config/config.yaml");
    check("crush", Linux, ".config/crush/crush.json");
    check("crush", Windows, ".config/crush/crush.json");
    check("opencode", Windows, ".config/opencode/opencode.json");
    check("jan", Linux, ".local/share/Jan/data/mcp_config.json");
    check("amp", Macos, ".config/amp/settings.json");
}

// These are absolute paths of Unix.
#[cfg(unix)]
#[test]
fn a_variable_points_an_app_elsewhere() {
    let check = |id: &str, name: &str, value: &str, expect: &str| {
        let mut places = places(Platform::Linux, Path::new("/nowhere/me"));
        places.env.insert(name.to_owned(), value.into());
        assert_eq!(app(id).unwrap().file(&places), Path::new(expect), "{id}");
    };
    check("claude-code", "CLAUDE_CONFIG_DIR", "/c", "/c/.claude.json");
    check("codex", "CODEX_HOME", "/c", "/c/config.toml");
    check("codex", "CODEX_HOME", "relative", "/nowhere/me/.codex/config.toml");
    check("opencode", "OPENCODE_CONFIG", "/c/open.json", "/c/open.json");
    check("opencode", "XDG_CONFIG_HOME", "/x", "/x/opencode/opencode.json");
    check("crush", "CRUSH_GLOBAL_CONFIG", "/c", "/c/crush.json");
    check("copilot-cli", "COPILOT_HOME", "/c", "/c/mcp-config.json");
    check("goose", "GOOSE_PATH_ROOT", "/g", "/g/config/config.yaml");
}

#[test]
fn every_variable_of_the_table_is_looked_at_and_no_other() {
    let named = apps().iter().flat_map(App::variables).chain(["XDG_CONFIG_HOME", "LOCALAPPDATA"]);
    assert_eq!(named.collect::<BTreeSet<_>>(), BTreeSet::from(crate::places::VARIABLES));
    assert!(Places::here().is_some_and(|here| here.home.is_absolute()));
}

#[test]
fn of_several_files_the_one_that_exists_is_taken() {
    let home = Home::new();
    let (app, first) = home.app("opencode");
    let jsonc = first.with_extension("jsonc");
    fs::create_dir_all(first.parent().unwrap()).unwrap();
    fs::write(&jsonc, "{}").unwrap();
    assert_eq!(app.file(&home.places), jsonc);
    fs::write(&first, "{}").unwrap();
    // OpenCode reads both files. The later one takes precedence, unless our entry is in the other one.
    assert_eq!(app.file(&home.places), jsonc);
    fs::write(&first, r#"{"mcp": {"mooring": {"type": "local", "command": ["mooring", "bridge"]}}}"#)
        .unwrap();
    assert_eq!(app.file(&home.places), first);
    fs::write(&first, r#"{"mcp": {"mooring": {"type": "local", "command": ["other", "bridge"]}}}"#).unwrap();
    assert_eq!(app.file(&home.places), jsonc);
    let home = Home::new();
    let (lm_studio, own) = home.app("lm-studio");
    let older = home.places.home.join(".cache/lm-studio/mcp.json");
    for file in [&own, &older] {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "{}").unwrap();
    }
    assert_eq!(lm_studio.file(&home.places), own);
    // If no file exists, a location whose folder exists is used.
    let places = places(Platform::Windows, &home.places.home);
    let crush = crate::app("crush").unwrap();
    assert_eq!(crush.file(&places), places.home.join(".config/crush/crush.json"));
    fs::create_dir_all(places.home.join("AppData/Local/crush")).unwrap();
    assert_eq!(crush.file(&places), places.home.join("AppData/Local/crush/crush.json"));
}

#[test]
fn an_entry_whose_program_is_gone_is_found() {
    let (home, app, _) = Home::with("cursor", "{}");
    home.connect(app, &entry("cursor")).unwrap();
    let missing = |home: &Home| match app.find(&home.places).state {
        State::Readable { missing, .. } => missing,
        state => panic!("{state:?}"),
    };
    assert_eq!(missing(&home), Some(PathBuf::from("/opt/mooring/bin/mooring")));
    let program = home.places.home.join("mooring");
    fs::write(&program, "").unwrap();
    let there = Entry { command: program.display().to_string(), ..entry("cursor") };
    home.connect(app, &there).unwrap();
    assert_eq!(missing(&home), None);
    // An older entry of ours whose program is gone does not matter.
    let older = Entry { name: "harbour".to_owned(), ..entry("cursor") };
    home.connect(app, &older).unwrap();
    assert_eq!(missing(&home), None);
    // Whether a program is found by its name depends on where the app is started.
    home.connect(app, &Entry { command: "mooring".to_owned(), ..entry("cursor") }).unwrap();
    assert_eq!(missing(&home), None);
}

#[test]
fn a_folder_of_its_own_shows_that_an_app_is_there() {
    let home = Home::new();
    let is_present = |id: &str| app(id).unwrap().find(&home.places).is_present;
    assert!(!is_present("claude-code") && !is_present("cursor"));
    fs::create_dir_all(home.places.home.join(".claude")).unwrap();
    fs::create_dir_all(home.places.home.join(".cursor")).unwrap();
    assert!(is_present("claude-code") && is_present("cursor"));
    assert_eq!(find_apps(&home.places).iter().filter(|found| found.is_present).count(), 2);
}

#[test]
fn opencode_2_has_its_servers_one_level_deeper() {
    let text = "{\n  \"mcp\": {\n    \"servers\": {\n      \"files\": { \"type\": \"local\", \"command\": [\"npx\"] }\n    }\n  }\n}\n";
    let after = connected("opencode", text).unwrap();
    let expect = text.replace(
        "[\"npx\"] }\n",
        "[\"npx\"] },\n      \"mooring\": {\n        \"type\": \"local\",\n        \"command\": [\"/opt/mooring/bin/mooring\", \"bridge\", \"--app\", \"opencode\"]\n      }\n",
    );
    assert_eq!(after, expect);
    // In the older form, a server may have the section's name.
    let named = "{\"mcp\": {\"servers\": {\"type\": \"local\", \"command\": [\"npx\"]}}}";
    assert!(connected("opencode", named).unwrap().contains("]}, \"mooring\": {"));
}

#[test]
fn snippets_hold_the_entry_in_each_form() {
    let entry = entry("any");
    let json = "{\n  \"mcpServers\": {\n    \"mooring\": {\n      \"command\": \"/opt/mooring/bin/mooring\",\n      \"args\": [\"bridge\", \"--app\", \"any\"]\n    }\n  }\n}\n";
    assert_eq!(json_snippet(&entry).unwrap(), json);
    let toml = "[mcp_servers.mooring]\ncommand = \"/opt/mooring/bin/mooring\"\nargs = [\"bridge\", \"--app\", \"any\"]\n";
    assert_eq!(toml_snippet(&entry).unwrap(), toml);
    let yaml = "mcpServers:\n  mooring:\n    command: /opt/mooring/bin/mooring\n    args: [bridge, \"--app\", any]\n";
    assert_eq!(yaml_snippet(&entry).unwrap(), yaml);
    assert_eq!(command_line(&entry), "/opt/mooring/bin/mooring bridge --app any");
    for app in apps() {
        assert!(app.snippet(&entry).unwrap().contains("/opt/mooring/bin/mooring"), "{}", app.id);
    }
}
