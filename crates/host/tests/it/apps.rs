//! Apps: connecting them, their permissions, and their own servers.

use std::fs;
use std::path::{Path, PathBuf};

use mooring_app_access::{AppKeyState, AppPresence};
use mooring_approvals::AppOff;
use mooring_apps::{AppEnvironment, AppSnippetFormat, AppUndone, Places, Platform};
use mooring_definitions::{NewServer, StartRule, Transport};
use mooring_errors::ErrorCode;
use mooring_host::{Host, HostOptions, ImportChoice};
use mooring_policy::AppLevel;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::people::with_keychain;
use crate::support::{options, scripted};
use crate::tampered::sql;

/// A configuration with comments, unknown members, and a server with a secret.
const CURSOR: &str = r#"{
  // mine
  "theme": "dark", "mcpServers": {
    "files": {"command": "files-server", "args": ["--all"], "env": {"API_TOKEN": "sk-1234567890abcdef1234"}},
  },
}
"#;

/// These entries, without values.
fn choice(names: &[String]) -> ImportChoice<'_> {
    ImportChoice { names, start: StartRule::OnUse, ..ImportChoice::default() }
}

struct Person {
    home: TempDir,
    at: AppEnvironment,
}

impl Person {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = |name: &str| home.path().join(name);
        let places = Places {
            platform: Platform::Linux,
            home: home.path().to_owned(),
            config: folder(".config"),
            data: folder(".local/share"),
            env: [].into(),
        };
        let program = folder("bin/mooring");
        fs::create_dir(folder("bin")).unwrap();
        fs::write(&program, "").unwrap();
        let at = AppEnvironment { places, program, is_image: false, home: None };
        Self { home, at }
    }

    fn cursor(&self) -> PathBuf {
        let file = self.home.path().join(".cursor/mcp.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, CURSOR).unwrap();
        file
    }

    async fn host(&self) -> Host {
        let home = self.home.path().join("mooring");
        Host::open(HostOptions { vault: with_keychain, ..options(&home, true) }).await.unwrap()
    }

    async fn sql(&self, statements: &str) {
        sql(&self.home.path().join("mooring"), statements).await;
    }
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[tokio::test]
async fn app_is_connected_as_shown_and_its_file_comes_back() {
    let person = Person::new();
    let (host, file) = (person.host().await, person.cursor());
    let before = host.app(&person.at, "cursor").await.unwrap();
    assert_eq!((before.state, before.recorded, before.asks_person), (AppPresence::Found, false, true));
    assert_eq!(before.servers.len(), 1);
    assert_eq!(host.plan_disconnect("cursor").await.unwrap_err().code(), ErrorCode::AppNotConnected);

    let plan = host.plan_connect(&person.at, "cursor", false, Vec::new()).await.unwrap().unwrap();
    assert!(plan.backup && plan.file == file && plan.diff.contains('+'), "{}", plan.diff);
    // A change that the person did not see is not written.
    fs::write(&file, CURSOR.replace("dark", "light")).unwrap();
    let error = host.connect_app(&person.at, "cursor", &plan.hash, Vec::new()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::AppFileChanged);
    fs::write(&file, CURSOR).unwrap();

    let view = host.connect_app(&person.at, "cursor", &plan.hash, Vec::new()).await.unwrap();
    assert_eq!((view.state, view.recorded), (AppPresence::Connected, true));
    assert!(view.connected_ms.is_some() && view.servers.iter().any(|server| server.ours));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("bin/mooring") && text.contains("// mine"), "{text}");
    assert_eq!(host.plan_connect(&person.at, "cursor", false, Vec::new()).await.unwrap(), None);
    // The program in the entry was moved away. The view shows that until the entry is rewritten.
    let moved = person.at.program.with_file_name("elsewhere");
    fs::rename(&person.at.program, &moved).unwrap();
    let broken = host.app(&person.at, "cursor").await.unwrap();
    assert_eq!((broken.state, broken.recorded), (AppPresence::Broken, true));
    assert!(broken.problem.unwrap().to_string().contains("bin/mooring"));
    fs::rename(&moved, &person.at.program).unwrap();
    assert_eq!(host.app(&person.at, "cursor").await.unwrap().state, AppPresence::Connected);
    host.shutdown().await;

    let host = person.host().await;
    let undo = host.plan_disconnect("cursor").await.unwrap();
    assert_eq!(undo.outcome, AppUndone::Restored);
    assert_eq!(host.disconnect_app("cursor", "another").await.unwrap_err().code(), ErrorCode::AppFileChanged);
    assert_eq!(host.disconnect_app("cursor", &undo.hash).await.unwrap(), AppUndone::Restored);
    assert_eq!(fs::read_to_string(&file).unwrap(), CURSOR);
    assert_eq!(files(file.parent().unwrap()), 1);
    let view = host.app(&person.at, "cursor").await.unwrap();
    assert_eq!((view.state, view.recorded, view.connected_ms), (AppPresence::Found, false, None));
    host.shutdown().await;
}

#[tokio::test]
async fn an_app_whose_file_is_in_a_git_repository_is_known_by_no_key() {
    let person = Person::new();
    let (host, file) = (person.host().await, person.cursor());
    let connect = async || {
        let plan = host.plan_connect(&person.at, "cursor", false, Vec::new()).await.unwrap().unwrap();
        (host.connect_app(&person.at, "cursor", &plan.hash, Vec::new()).await.unwrap(), plan)
    };
    let view = async || host.app(&person.at, "cursor").await.unwrap();
    let is_let_in = async || host.identify_app("cursor", None, None).await.is_ok();
    let (connected, _) = connect().await;
    assert_eq!((connected.key, connected.repository), (AppKeyState::Current, None));

    // Its key remains valid until it is removed, and the view shows that.
    let git = person.home.path().join(".git");
    fs::create_dir(&git).unwrap();
    fs::write(git.join("HEAD"), "ref: refs/heads/main").unwrap();
    let repository = Some(person.home.path().canonicalize().unwrap());
    assert_eq!((view().await.key, view().await.repository), (AppKeyState::Current, repository.clone()));
    assert!(!is_let_in().await);
    let (connected, plan) = connect().await;
    assert_eq!((connected.key, plan.repository), (AppKeyState::None, repository));
    assert!(!fs::read_to_string(&file).unwrap().contains("MOORING_APP_KEY"));
    assert!(is_let_in().await);
    assert_eq!(host.plan_connect(&person.at, "cursor", false, Vec::new()).await.unwrap(), None);

    // A manually created key that is not in the entry blocks the app until the key is removed.
    host.create_app_key("cursor").await.unwrap();
    assert!(view().await.key == AppKeyState::Refused && !is_let_in().await);
    let (connected, plan) = connect().await;
    assert_eq!((connected.key, plan.diff.as_str()), (AppKeyState::None, ""));
    assert!(is_let_in().await);

    fs::remove_dir_all(&git).unwrap();
    assert_eq!(view().await.key, AppKeyState::Renew);
    assert_eq!(connect().await.0.key, AppKeyState::Current);
    let undo = host.plan_disconnect("cursor").await.unwrap();
    assert_eq!(host.disconnect_app("cursor", &undo.hash).await.unwrap(), AppUndone::Restored);
    assert_eq!(fs::read_to_string(&file).unwrap(), CURSOR);
    assert!(is_let_in().await);
    host.shutdown().await;
}

#[tokio::test]
async fn servers_of_an_app_are_imported_without_mooring_itself() {
    let person = Person::new();
    let (host, file) = (person.host().await, person.cursor());
    let plan = host.plan_connect(&person.at, "cursor", false, Vec::new()).await.unwrap().unwrap();
    host.connect_app(&person.at, "cursor", &plan.hash, Vec::new()).await.unwrap();
    let import = host.check_app_import(&person.at, "cursor").await.unwrap();
    let names: Vec<_> = import.report.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!((names, import.report.stays_plain), (vec!["files"], None));
    let both = ["files".to_owned(), "mooring".to_owned()];
    let error = host.import_app(&person.at, "cursor", "another", choice(&both)).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::AppFileChanged);
    let imported = host.import_app(&person.at, "cursor", &import.hash, choice(&both)).await.unwrap();
    assert_eq!(imported.len(), 1);
    // A second import needs another name.
    let files = &both[..1];
    let taken = host.import_app(&person.at, "cursor", &import.hash, choice(files)).await.unwrap_err();
    assert_eq!(taken.code(), ErrorCode::NameTaken);
    let again = host
        .import_app(
            &person.at,
            "cursor",
            &import.hash,
            ImportChoice { new_name: Some("more"), ..choice(files) },
        )
        .await
        .unwrap();
    assert_eq!((again.len(), again[0].config.name.as_str()), (1, "more"));
    let config = &imported[0].config;
    assert!(config.env.is_empty() && config.secrets[0].name == "API_TOKEN");
    assert!(fs::read_to_string(&file).unwrap().contains("files-server"));
    let servers = host.app(&person.at, "cursor").await.unwrap().servers;
    assert!(servers.iter().find(|server| server.name == "files").unwrap().here);
    host.shutdown().await;
}

/// Some apps merge two files. If both name the same server, the later one wins.
#[tokio::test]
async fn servers_of_every_file_that_an_app_reads_are_imported() {
    let person = Person::new();
    let host = person.host().await;
    let folder = person.home.path().join(".config/opencode");
    fs::create_dir_all(&folder).unwrap();
    let entry = |program: &str| json!({"type": "local", "command": [program]});
    let write = |name: &str, servers: Value| {
        fs::write(folder.join(name), json!({"mcp": servers}).to_string()).unwrap();
    };
    let ours = json!({"type": "local", "command": ["mooring", "bridge"]});
    write("opencode.json", json!({"first": entry("a"), "both": entry("b"), "harbour": ours}));
    write("opencode.jsonc", json!({"both": entry("c"), "second": entry("d")}));
    let servers = host.app(&person.at, "opencode").await.unwrap().servers;
    let mut names: Vec<_> = servers.iter().map(|server| server.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["both", "first", "harbour", "second"]);
    let import = host.check_app_import(&person.at, "opencode").await.unwrap();
    let read: Vec<_> = import.report.entries.iter().map(|entry| entry.name.clone()).collect();
    assert_eq!(read, ["first", "both", "second"]);
    let imported = host.import_app(&person.at, "opencode", &import.hash, choice(&read)).await.unwrap();
    let command = |at: usize| imported[at].config.command.as_deref();
    assert_eq!([command(0), command(1), command(2)], [Some("a"), Some("c"), Some("d")]);
    // An unreadable file does not hide the other one.
    fs::write(folder.join("opencode.json"), "{").unwrap();
    let left = host.app(&person.at, "opencode").await.unwrap();
    assert_eq!((left.problem, left.servers.len()), (None, 2));
    host.shutdown().await;
}

#[tokio::test]
async fn level_that_another_program_raises_does_not_count() {
    let person = Person::new();
    let host = person.host().await;
    let server = host.add_server(scripted("s", &["ok"])).await.unwrap().id;
    // The vault has a key once something is encrypted.
    let secret = mooring_definitions::ServerSecret {
        place: mooring_store::SecretPlace::Env,
        name: "KEY".to_owned(),
        value: Some("value-of-a-key".to_owned().into()),
        entered: false,
    };
    let secret = NewServer {
        command: Some("none".to_owned()),
        secrets: vec![secret],
        ..NewServer::new("t", Transport::Stdio)
    };
    host.add_server(secret).await.unwrap();
    assert_eq!(host.app_access("cursor").level, AppLevel::AppAsks);
    assert_eq!(host.app_access("anything").level, AppLevel::AskHere);
    let off = AppOff { server, tool: Some("echo".to_owned()) };
    host.set_app_level("cursor", Some(AppLevel::AskHere)).await.unwrap();
    host.set_app_off("cursor", [off.clone()].into()).await.unwrap();
    host.shutdown().await;

    person
        .sql("UPDATE app SET level = 'app_asks'; DELETE FROM app_off; INSERT INTO app (name, level) VALUES ('x', 'app_asks')")
        .await;
    let host = person.host().await;
    host.open_vault().await.unwrap();
    let access = host.app_access("cursor");
    assert_eq!((access.level, access.changed), (AppLevel::AskHere, true));
    assert!(!access.sees_tool(server, "echo") && access.sees_tool(server, "other"));
    assert_eq!(host.app_access("x").level, AppLevel::AskHere);
    host.set_app_level("cursor", None).await.unwrap();
    host.set_app_off("cursor", [].into()).await.unwrap();
    let access = host.app_access("cursor");
    assert_eq!((access.level, access.chosen, access.changed), (AppLevel::AppAsks, None, false));
    assert!(access.sees_tool(server, "echo"));
    host.shutdown().await;
}

#[tokio::test]
async fn entry_can_be_copied_for_any_app() {
    let person = Person::new();
    let host = person.host().await;
    let snippet = |format| host.app_snippet(&person.at, "my app", format).unwrap();
    assert!(snippet(AppSnippetFormat::Json).contains("mcpServers"));
    assert!(snippet(AppSnippetFormat::Toml).contains("[mcp_servers.mooring]"));
    assert!(snippet(AppSnippetFormat::Yaml).contains("mcpServers:"));
    assert_eq!(
        snippet(AppSnippetFormat::CommandLine),
        format!("{} bridge --app 'my app'", person.at.program.display())
    );
    // VS Code uses other member names than most apps.
    let of_code = host.app_snippet(&person.at, "vscode", AppSnippetFormat::Json).unwrap();
    assert!(of_code.contains(r#""servers""#) && !of_code.contains("mcpServers"), "{of_code}");
    for wrong in ["", " ", "a\nb", &"x".repeat(65)] {
        assert!(host.app_snippet(&person.at, wrong, AppSnippetFormat::Json).is_err(), "{wrong:?}");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn servers_of_a_projects_files_are_imported() {
    let person = Person::new();
    let (host, folder) = (person.host().await, person.at.places.home.join("reef"));
    let put = |name: &str, text: &str| {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    put(".gemini/settings.json", r#"{"theme": "dark"}"#);
    let none = host.check_project_import(&folder).await.unwrap_err();
    assert!(none.to_string().contains(".vscode/mcp.json"), "{none}");
    put(
        ".mcp.json",
        r#"{"mcpServers": {"tide": {"command": "uvx", "args": ["tide"]}, "mine": {"command": "mooring", "args": ["bridge"]}}}"#,
    );
    put(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"tide": {"command": "uvx", "args": ["tide"]}, "moon": {"command": "a"}}}"#,
    );
    put(".vscode/mcp.json", r#"{"servers": {"moon": {"command": "b", "args": ["${workspaceFolder}"]}}}"#);
    put("opencode.json", "{");
    let import = host.check_project_import(&folder).await.unwrap();
    let shown: Vec<_> =
        import.report.entries.iter().map(|entry| format!("{} {}", entry.name, entry.notes[0])).collect();
    let moon = "moon (.vscode/mcp.json)";
    assert_eq!(
        shown,
        ["tide from .mcp.json", "moon from .cursor/mcp.json", &format!("{moon} from .vscode/mcp.json")]
    );
    // One that can't be read doesn't keep others from being saved.
    let problem = import.report.error.unwrap().message.to_string();
    assert!(problem.starts_with("opencode.json: "), "{problem}");
    let names = ["tide".to_owned(), moon.to_owned()];
    let saved = host.import_project(&folder, &import.hash, choice(&names)).await.unwrap();
    let places: Vec<_> =
        saved.iter().map(|server| (&*server.config.name, server.config.cwd.as_deref())).collect();
    let at = folder.to_str();
    assert_eq!(places, [("tide", at), (moon, at)]);
    assert_eq!(saved[1].config.args, [at.unwrap()]);
    put(".mcp.json", r#"{"mcpServers": {"tide": {"command": "uvx", "args": ["other"]}}}"#);
    let changed = host.import_project(&folder, &import.hash, choice(&names)).await.unwrap_err();
    assert_eq!(changed.code(), ErrorCode::AppFileChanged);
    host.shutdown().await;
}
