//! What a configuration asks for, and where the values go.

use super::*;
use crate::server::NewServer;

/// Each input of the only entry: its name, its kind, and what else is known.
fn asks(text: &str) -> Vec<String> {
    let report = read_config_in(text, &ann(), |_| false);
    let [entry] = &report.entries[..] else { panic!("{report:?}") };
    let describe = |input: &ImportInput| {
        let marks = [
            (input.secret, "secret"),
            (input.exposed, "exposed"),
            (input.required, "required"),
            (input.repeated, "repeated"),
        ];
        let marks: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        let default = input.default.as_ref().map(|default| format!(" = {default}")).unwrap_or_default();
        let described = format!("{} {:?} {}", input.key, input.kind, marks.join(" "));
        format!("{}{default}", described.trim_end())
    };
    entry.inputs.iter().map(describe).collect()
}

/// The only entry with values, or why they are refused.
fn fill(text: &str, values: &[(&str, &str)]) -> Result<NewServer, String> {
    let report = read_config_in(text, &ann(), |_| false);
    let [entry] = &report.entries[..] else { panic!("{report:?}") };
    let value = |(key, value): &(&str, &str)| ImportValue {
        entry: entry.name.clone(),
        key: (*key).to_owned(),
        value: Some((*value).into()),
    };
    let values: Vec<ImportValue> = values.iter().map(value).collect();
    entry.fill(&values, true).unwrap().map_err(|invalid| invalid.message.to_string())
}

fn refusal(text: &str, values: &[(&str, &str)]) -> String {
    let refusal = fill(text, values).unwrap_err();
    refusal.split_once(": ").unwrap().1.to_owned()
}

/// The names and values of a server's secrets.
fn secrets(server: &NewServer) -> Vec<(&str, Option<&str>)> {
    use secrecy::ExposeSecret;
    let all = server.secrets.iter();
    all.map(|it| (it.name.as_str(), it.value.as_ref().map(ExposeSecret::expose_secret))).collect()
}

const VSCODE: &str = r#"{
    "inputs": [
        {"type": "promptString", "id": "key", "description": "Your key", "password": true, "default": "never"},
        {"type": "promptString", "id": "key", "description": "another"},
        {"type": "pickString", "id": "region", "options": ["eu", {"label": "US", "value": "us"}], "default": "eu"},
        {"type": "command", "id": "found", "command": "ext.find"},
        {"type": "promptString", "id": "unused"}
    ],
    "servers": {"tide": {
        "command": "npx", "args": ["tide", "--region=${input:region}", "${input:found}", "${workspaceFolder}/a"],
        "cwd": "${workspaceFolder}",
        "env": {"API_KEY": "${input:key}", "COPY": "k:${input:key}", "NAME": "${workspaceFolderBasename}"}
    }}
}"#;

#[test]
fn inputs_of_vs_code_are_asked_for_once_with_their_kind() {
    assert_eq!(
        asks(VSCODE),
        [
            "region Choice required = eu",
            "found Text required",
            "workspaceFolder Folder required",
            "key Text secret",
        ]
    );
    let report = read_config(VSCODE, |_| false);
    let [entry] = &report.entries[..] else { panic!("{report:?}") };
    assert_eq!(entry.inputs[0].choices, ["eu", "us"]);
    assert_eq!(entry.inputs[3].description.as_deref(), Some("Your key"));
    assert!(!entry.incomplete);
    assert_eq!(
        entry.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["a command of VS Code, which can’t run here, would find the value of found: enter it"]
    );
    let args = &entry.server.as_ref().unwrap().args;
    assert_eq!(args[..], ["tide", "--region=eu", "${input:found}", "${workspaceFolder}/a"]);
}

#[test]
fn values_go_to_arguments_folder_and_variables() {
    let given =
        [("region", "us"), ("found", "x ${input:key}"), ("workspaceFolder", "~/mine"), ("key", "k3y")];
    let server = fill(VSCODE, &given).unwrap();
    // A value is never read as a template itself.
    assert_eq!(server.args, ["tide", "--region=us", "x ${input:key}", "/home/ann/mine/a"]);
    assert_eq!(server.cwd.as_deref(), Some("/home/ann/mine"));
    assert_eq!(secrets(&server), [("API_KEY", Some("k3y")), ("COPY", Some("k:k3y")), ("NAME", Some("mine"))]);
    // Values of variables can be entered later, those of arguments can't.
    let later = fill(VSCODE, &[("found", "x"), ("workspaceFolder", "/a")]).unwrap();
    assert_eq!(secrets(&later)[..2], [("API_KEY", None), ("COPY", None)]);
    assert_eq!(refusal(VSCODE, &[("found", "x")]), "enter a value for workspaceFolder");
}

#[test]
fn values_of_the_wrong_kind_are_refused_by_name() {
    for (key, value, says) in [
        ("region", "mars", "the value of region must be one of these: eu, us"),
        ("found", "a\nb", "the value of found contains a line break"),
        ("found", "a\0b", "the value of found contains a NUL character"),
        ("key", "a\rb", "the value of key contains a line break"),
        ("workspaceFolder", "mine", "the value of workspaceFolder must be a full path"),
        ("unused", "x", "this server doesn’t ask for unused"),
    ] {
        assert_eq!(refusal(VSCODE, &[(key, value)]), says);
    }
    let long = "x".repeat(64 * 1024 + 1);
    assert_eq!(refusal(VSCODE, &[("found", &long)]), "the value of found is longer than 64 KiB");
    let many = r#"{"servers": {"a": {"command": "x", "args": ["${input:a}"]}}}"#;
    let many = many.replace("\"${input:a}\"", &vec!["\"${input:a}\""; 100].join(","));
    assert_eq!(refusal(&many, &[("a", &long[1..])]), "with its values the server is longer than 1024 KiB");
}

#[test]
fn placeholders_of_other_apps_are_asked_for_wherever_they_are() {
    let text = r#"{"mcpServers": {"far": {"url": "${BASE:-https://far.example}/mcp/{env:TEAM}?key=${API_KEY}",
        "headers": {"Authorization": "Bearer ${env:TOKEN}", "X-Port": "${PORT:-80}", "X-File": "{file:~/.key}"}}}}"#;
    assert_eq!(
        asks(text),
        [
            "BASE Text required = https://far.example",
            "TEAM Text required",
            "API_KEY Text secret exposed required",
            "TOKEN Text secret",
            "PORT Text = 80",
            "~/.key Text secret",
        ]
    );
    let server = fill(text, &[("TEAM", "a b/../é"), ("API_KEY", "1&x=2#"), ("TOKEN", "t")]).unwrap();
    let url = "https://far.example/mcp/a%20b/../%C3%A9?key=1%26x%3D2%23";
    assert_eq!(server.url.as_deref(), Some(url));
    assert_eq!(server.headers["X-Port"], "80");
    assert_eq!(secrets(&server), [("Authorization", Some("Bearer t")), ("X-File", None)]);
    let [line] = &check(text)[..] else { panic!("{text}") };
    let warning = "key in the URL looks like a secret, and the URL isn’t encrypted";
    assert!(line.contains(warning) && line.matches("isn’t encrypted").count() == 1, "{line}");
}

#[test]
fn secret_in_an_argument_is_warned_about_once() {
    for args in [r#"["--token", "${TOKEN}"]"#, r#"["--login", "${TOKEN}"]"#] {
        let text = format!(r#"{{"mcpServers": {{"a": {{"command": "x", "args": {args}}}}}}}"#);
        let report = read_config(&text, |_| false);
        let notes: Vec<String> = report.entries[0].notes.iter().map(ToString::to_string).collect();
        assert_eq!(
            notes,
            [
                "argument 2 looks like a secret, and other programs can read arguments: use an environment variable"
            ]
        );
        assert_eq!(fill(&text, &[("TOKEN", "t")]).unwrap().args[1], "t");
    }
}

#[test]
fn value_can_not_choose_another_host_or_program() {
    let host = r#"{"url": "https://${input:tenant}.far.example/mcp"}"#;
    assert_eq!(
        refusal(host, &[("tenant", "evil.example/")]),
        "the value of tenant can’t be a part of the URL’s host"
    );
    let url = fill(host, &[("tenant", "a-1")]).unwrap().url.unwrap();
    assert_eq!(url, "https://a-1.far.example/mcp");
    for program in ["${input:program}", "${workspaceFolder}/x", "$PROGRAM"] {
        let lines = check(&format!(r#"{{"command": "{program}"}}"#));
        assert!(lines[0].contains("would decide which program runs"), "{lines:?}");
    }
    // A shell would run the value.
    let shell = r#"{"mcpServers": {"a": {"command": "/bin/sh", "args": ["-c", "x ${input:a}"]}}}"#;
    assert!(asks(shell).is_empty());
    assert!(check(shell)[0].contains("argument 2 contains ${input:a}, which is passed on unchanged"));
}

#[test]
fn unknown_placeholder_stays_and_is_named() {
    let text = r#"{"mcpServers": {"a": {"command": "x", "args": ["${command:y}", "<your-path>", "${A}$B_C"],
        "env": {"ONE": "${{ secrets.ONE }}", "TWO_KEY": ""}}}}"#;
    assert_eq!(asks(text), ["A Text required", "ONE Text", "TWO_KEY Text secret"]);
    let report = read_config(text, |_| false);
    assert!(report.entries[0].incomplete);
    let [line] = &check(text)[..] else { panic!("{text}") };
    for note in ["1 contains ${command:y}", "2 contains <your-path>", "3 contains $B_C"] {
        assert!(line.contains(&format!("argument {note}, which is passed on unchanged")), "{line}");
    }
    let server = fill(text, &[("A", "a"), ("TWO_KEY", "2")]).unwrap();
    assert_eq!(server.args, ["${command:y}", "<your-path>", "a$B_C"]);
    assert_eq!(secrets(&server), [("ONE", None), ("TWO_KEY", Some("2"))]);
    assert_eq!(fill(text, &[("A", "a")]).unwrap().env["TWO_KEY"], "");
}

#[test]
fn a_header_of_which_only_a_part_is_entered_is_refused() {
    let text = r#"{"url": "https://x.example/mcp", "headers": {"X-A": "${input:a}-${input:b}"}}"#;
    assert_eq!(refusal(text, &[("a", "1")]), "enter a value for b");
    assert_eq!(secrets(&fill(text, &[("a", "1"), ("b", "2")]).unwrap()), [("X-A", Some("1-2"))]);
    assert_eq!(secrets(&fill(text, &[]).unwrap()), [("X-A", None)]);
}

#[test]
fn links_of_vs_code_bring_their_inputs_along() {
    let inputs = r#"[{"type":"promptString","id":"team","description":"Your team"}]"#;
    let config = r#"{"command":"npx","args":["tide","${input:team}"]}"#;
    let encode = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let beside = format!(
        "https://vscode.dev/redirect/mcp/install?name=tide&inputs={}&config={}",
        encode(inputs),
        encode(config)
    );
    let within =
        format!(r#"{{"name":"tide","inputs":{inputs},"command":"npx","args":["tide","${{input:team}}"]}}"#);
    let within = format!("vscode:mcp/install?{}", encode(&within).replace('+', "%20"));
    for link in [beside, within] {
        let report = read_config(&link, |_| false);
        let [entry] = &report.entries[..] else { panic!("{report:?}") };
        assert_eq!(entry.inputs[0].description.as_deref(), Some("Your team"), "{link}");
        assert_eq!(fill(&link, &[("team", "x")]).unwrap().args[1], "x");
    }
}

#[test]
fn arguments_of_a_registry_are_asked_for_as_they_are_described() {
    let text = r#"{"name": "x/tide", "packages": [{"registryType": "npm", "identifier": "tide",
        "packageArguments": [
            {"type": "named", "name": "--port", "format": "number", "default": "80"},
            {"type": "named", "name": "--unit", "choices": ["m", "ft"]},
            {"type": "named", "name": "--deep", "format": "boolean", "isRequired": true},
            {"type": "named", "name": "--key", "value": "id={id}", "variables": {"id": {"isRequired": true, "description": "The id"}}},
            {"type": "positional", "valueHint": "folder", "format": "filepath", "isRequired": true, "isRepeated": true},
            {"type": "positional", "valueHint": "folder", "format": "filepath"}
        ],
        "environmentVariables": [
            {"name": "TIDE_KEY", "isRequired": true, "isSecret": true, "default": "x"},
            {"name": "LEVEL", "default": "info"},
            {"name": "DEBUG"}
        ]}]}"#;
    assert_eq!(
        asks(text),
        [
            "port Number = 80",
            "unit Choice",
            "deep Boolean required",
            "id Text required",
            "folder File required repeated",
            "folder 2 File",
            "TIDE_KEY Text secret",
            "LEVEL Text = info",
            "DEBUG Text",
        ]
    );
    let least = [("deep", "true"), ("id", "7"), ("folder", "/a\n~/b\n")];
    let server = fill(text, &least).unwrap();
    let args = ["-y", "tide", "--port", "80", "--deep", "true", "--key", "id=7", "/a", "/home/ann/b"];
    assert_eq!(server.args, args);
    assert_eq!(server.env, BTreeMap::from([("LEVEL".to_owned(), "info".to_owned())]));
    assert_eq!(secrets(&server), [("TIDE_KEY", None)]);
    let more = [&least[..], &[("port", ""), ("unit", "ft"), ("DEBUG", "1"), ("TIDE_KEY", "k")]].concat();
    let server = fill(text, &more).unwrap();
    assert_eq!(server.args[2..6], ["--unit", "ft", "--deep", "true"]);
    assert_eq!((server.env["DEBUG"].as_str(), secrets(&server)), ("1", vec![("TIDE_KEY", Some("k"))]));
    let wrong = [&least[1..], &[("deep", "yes")]].concat();
    assert_eq!(refusal(text, &wrong), "the value of deep must be true or false");
    let wrong = [&least[..], &[("port", "many")]].concat();
    assert_eq!(refusal(text, &wrong), "the value of port must be a number");
}

#[test]
fn repeated_flags_and_remotes_with_variables_are_filled() {
    let text = r#"{"name": "x/tide", "packages": [{"registryType": "pypi", "identifier": "tide", "packageArguments": [
        {"type": "named", "name": "--dir", "format": "filepath", "isRepeated": true}]}]}"#;
    assert_eq!(fill(text, &[("dir", "/a\n/b")]).unwrap().args, ["tide", "--dir", "/a", "--dir", "/b"]);
    assert_eq!(fill(text, &[]).unwrap().args, ["tide"]);
    let remote = r#"{"name": "x/tide", "remotes": [{"type": "sse", "url": "https://{tenant}.example/{path}",
        "variables": {"tenant": {"description": "Your tenant", "choices": ["a", "b"]}, "path": {"value": "sse"}},
        "headers": [{"name": "Authorization", "value": "Bearer {token}", "isRequired": true, "isSecret": true}]}]}"#;
    assert_eq!(asks(remote), ["tenant Choice required", "token Text secret"]);
    let server = fill(remote, &[("tenant", "b"), ("token", "t")]).unwrap();
    assert_eq!(server.url.as_deref(), Some("https://b.example/sse"));
    assert_eq!(secrets(&server), [("Authorization", Some("Bearer t"))]);
}

#[test]
fn what_is_huge_or_odd_in_an_input_is_bounded() {
    let names: Vec<String> = (0..65).map(|number| format!("\"${{input:a{number}}}\"")).collect();
    let text = format!(r#"{{"mcpServers": {{"a": {{"command": "x", "args": [{}]}}}}}}"#, names.join(","));
    assert_eq!(check(&text), ["a: BAD 1:22 it asks for more than 64 values"]);
    let long = "é".repeat(10_000);
    let options: Vec<String> = (0..201).map(|number| format!("\"{number}\"")).collect();
    let text = format!(
        r#"{{"inputs": [7, {{"id": ["x"]}}, {{"id": "a", "description": "{long}", "default": "{long}", "options": [{}]}},
            {{"id": "n", "format": "number", "default": "no", "description": 5}}],
            "servers": {{"a": {{"command": "x", "args": ["${{input:a}}", "${{input:n}}"]}}}}}}"#,
        options.join(",")
    );
    assert_eq!(asks(&text), ["a Text required", "n Number required"]);
    let described = read_config(&text, |_| false).entries[0].inputs[0].description.clone();
    assert_eq!(described.map(|text| text.chars().count()), Some(501));
    // Thousands of openings without an end take no longer than others.
    let open =
        format!(r#"{{"mcpServers": {{"a": {{"command": "x", "args": ["{}"]}}}}}}"#, "${".repeat(500_000));
    assert!(asks(&open).is_empty());
}

#[test]
fn defaults_with_placeholders_are_filled_or_only_shown() {
    let text = r#"{"inputs": [{"type": "promptString", "id": "root", "default": "${userHome}/data"},
            {"type": "promptString", "id": "sub", "default": "${workspaceFolder}/sub"}],
        "servers": {"a": {"command": "x", "args": ["${input:root}", "${input:sub}", "${A:-${B:-c}/d}e", "${C:-$HOME}"]}}}"#;
    assert_eq!(
        asks(text),
        [
            "root Text required = /home/ann/data",
            "sub Text required",
            "A Text required",
            "C Text required = $HOME"
        ]
    );
    let report = read_config(text, |_| false);
    let examples: Vec<_> = report.entries[0].inputs.iter().map(|input| input.example.as_deref()).collect();
    assert_eq!(examples, [None, Some("${workspaceFolder}/sub"), Some("${B:-c}/d"), None]);
    let server = fill(text, &[("sub", "${input:root}"), ("A", "${B}")]).unwrap();
    assert_eq!(server.args, ["/home/ann/data", "${input:root}", "${B}e", "$HOME"]);
}

#[test]
fn a_thousand_uses_of_a_value_ask_for_it_once() {
    let use_of = |number: usize| format!("\"{number}${{input:a}}\"");
    let args: Vec<String> = (0..1000).map(use_of).collect();
    let text = format!(r#"{{"servers": {{"a": {{"command": "x", "args": [{}]}}}}}}"#, args.join(","));
    assert_eq!(asks(&text), ["a Text required"]);
    let server = fill(&text, &[("a", "x \"y\" 'z' $(w) ${input:a}\t;")]).unwrap();
    assert_eq!(server.args.len(), 1000);
    assert_eq!(server.args[999], "999x \"y\" 'z' $(w) ${input:a}\t;");
}

#[test]
fn value_that_is_given_twice_is_refused() {
    assert_eq!(refusal(VSCODE, &[("found", "a"), ("found", "b")]), "found has two values");
}

#[test]
fn preview_has_values_without_secrets_and_says_what_is_wrong() {
    let text = r#"{"mcpServers": {"far": {"url": "https://${TENANT}.example/${PATH_OF}?key=${API_KEY}", "headers": {"X-A": "${env:A}"}},
        "near": {"command": "x", "args": ["${workspaceFolder}", "${N}", "--token=${TOKEN}"]}}}"#;
    let value = |entry: &str, key: &str, value: &str| ImportValue {
        entry: entry.to_owned(),
        key: key.to_owned(),
        value: Some(value.into()),
    };
    let preview = |values: &[ImportValue]| {
        let report = read_config(text, |_| false).with_values(values);
        let wrong = |entry: &ImportEntry| {
            let wrong = |input: &ImportInput| Some(format!("{}: {}", input.key, input.problem.as_ref()?));
            entry.inputs.iter().filter_map(wrong).collect::<Vec<_>>()
        };
        let wrong: Vec<String> = report.entries.iter().flat_map(wrong).collect();
        let server = |index: usize| report.entries[index].server.clone().unwrap();
        (server(0).url.unwrap(), server(1).args, wrong)
    };
    let values = [
        value("far", "TENANT", "acme"),
        value("far", "PATH_OF", "a b"),
        value("far", "API_KEY", "canary"),
        value("near", "workspaceFolder", "/a b"),
        value("near", "TOKEN", "canary"),
        value("near", "unknown", "canary"),
    ];
    let (url, args, wrong) = preview(&values);
    assert_eq!(url, "https://acme.example/a%20b?key=${API_KEY}");
    assert_eq!(
        (args[0].as_str(), &args[1..]),
        ("/a b", &["${N}".to_owned(), "--token=${TOKEN}".to_owned()][..])
    );
    assert!(wrong.is_empty(), "{wrong:?}");
    let values = [value("far", "TENANT", "evil.example/"), value("near", "workspaceFolder", "b")];
    let (url, args, wrong) = preview(&values);
    assert_eq!(
        (url.starts_with("https://${TENANT}.example/"), args[0].as_str()),
        (true, "${workspaceFolder}")
    );
    assert_eq!(
        wrong,
        [
            "TENANT: the value of TENANT can’t be a part of the URL’s host",
            "workspaceFolder: the value of workspaceFolder must be a full path"
        ]
    );
    let (_, _, wrong) = preview(&[value("far", "TENANT", "a..:b")]);
    assert_eq!(wrong.len(), 1);
    // The error for a URL with a secret doesn't show the URL.
    let all =
        [value("far", "TENANT", "a:b"), value("far", "PATH_OF", "p"), value("far", "API_KEY", "canary")];
    let refused = read_config(text, |_| false).entries[0].fill(&all, true).unwrap().unwrap_err();
    assert_eq!(refused.message.to_string(), "far: with its values the URL isn’t valid");
}

#[test]
fn a_projects_servers_start_in_its_folder() {
    let text = r#"{"mcpServers": {
        "tide": {"command": "./run.sh", "args": ["${workspaceFolder}/a", "${CLAUDE_PROJECT_DIR:-.}", "b"],
            "env": {"NAME": "${workspaceFolderBasename}"}},
        "moon": {"command": "uvx", "cwd": "tools"},
        "sun": {"command": "~/bin/sun", "cwd": "/srv"},
        "far": {"url": "https://far.example/mcp", "headers": {"X-Folder": "${workspaceFolder}"}}}}"#;
    let folders = Folders { project: Some("/srv/reef".into()), ..ann() };
    let report = read_config_in(text, &folders, |_| false);
    let mut found = report.entries.into_iter().map(|entry| {
        assert!(entry.inputs.is_empty(), "{entry:?}");
        entry.server.unwrap()
    });
    let tide = found.next().unwrap();
    assert_eq!((tide.command.as_deref(), tide.cwd.as_deref()), (Some("/srv/reef/run.sh"), Some("/srv/reef")));
    assert_eq!(
        (&*tide.args, &*tide.env["NAME"]),
        (&["/srv/reef/a", "/srv/reef", "b"].map(str::to_owned)[..], "reef")
    );
    for (command, folder) in [("uvx", "/srv/reef/tools"), ("/home/ann/bin/sun", "/srv")] {
        let server = found.next().unwrap();
        assert_eq!((server.command.as_deref(), server.cwd.as_deref()), (Some(command), Some(folder)));
    }
    let far = found.next().unwrap();
    assert_eq!((&*far.headers["X-Folder"], far.cwd), ("/srv/reef", None));
}
