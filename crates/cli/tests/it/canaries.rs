//! Uses secrets in all commands with tracing at its most verbose. Then every place where they could have been
//! left is searched.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mooring_models::{Model, NewProvider, ProviderKind};
use mooring_testkit::canary::{Encoding, Hit, Scanner};
use mooring_testkit::models::{EVENTS, FakeProvider, ProviderReply};
use mooring_testkit::oauth::{ClientAuthMethod, OAuthScript, OAuthServer, follow_redirects, serve};
use mooring_testkit::{eventually, http, scripted_server_path};
use serde_json::{Value, json};

use crate::sign_in::Keyring;
use crate::support::TestHome;

/// Written in plain text on purpose, to prove that each place is searched.
const DECOY: &str = "decoy-5b/d0+91c7-e2f4";
const ACCESS: &str = "canary-access-3d/9e+71.a04c~55";
const REFRESH: &str = "canary-refresh-8b/11+f6.29d0~77";
const CODE: &str = "canary-code-0c/5a+d8.e471~13";
const VENDOR: &str = "canary-vendor-a9/6\"2 f+0c88";
const ID_TOKEN: &str = "canary-id-token-41d7e09cb3f2";
const CLIENT: &str = "canary-client-secret-6e20b7d51a";
const ENV: &str = "canary-env-d2/7+\"4 ü 81c0e5";
const HEADER: &str = "canary-header-f0/93+ab 5c\"1d7";
const PASSPHRASE: &str = "canary passphrase 9\"5/e+3 b07d";

const PROVIDER_KEY: &str = "canary-provider-7d/1f+0a\"4e82b\\c6d9~05";
const ENTERED: &str = "canary-entered-b3/9c+\"7 ü 1f52e8";
const PIN: &str = "canary-pin-64d0/8a+93c1~2e";

/// Longer than anything here takes, even on a busy machine.
const AMPLE: Duration = Duration::from_mins(1);

/// Everything that a run printed, with a name for each output.
struct CanaryRun {
    place: TestHome,
    keyring: Keyring,
    printed: Vec<(String, Vec<u8>)>,
}

impl CanaryRun {
    fn file(&self, name: &str, text: &str) -> PathBuf {
        // It is outside the profile, because that file contains the secret by design.
        let folder = self.place.folder().join("given");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), text).unwrap();
        folder.join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.place.command(words);
        self.keyring.configure(&mut command);
        command.env("RUST_LOG", "trace,hyper=trace,hyper_util=trace,reqwest=trace,oauth2=trace,zbus=trace");
        command.env("MOORING_PASSPHRASE_FILE", self.place.folder().join("given/passphrase"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&mut self, exit: i32, words: &[&str]) {
        let ended = self.command(words).output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        let said = String::from_utf8_lossy(&ended.stdout);
        assert_eq!(
            ended.status.code(),
            Some(exit),
            "{words:?}: {said} {}",
            told.lines().last().unwrap_or_default()
        );
        assert!(exit != 0 || told.contains("DEBUG"), "nothing is traced: {words:?}");
        self.printed.push((format!("stdout of {}", words[0]), ended.stdout));
        self.printed.push((format!("stderr of {}", words[0]), ended.stderr));
    }

    /// The file that receives `stream` of the process started as `name`.
    fn output_file(&self, name: &str, stream: &str) -> PathBuf {
        self.place.folder().join(format!("{stream} of {name}"))
    }

    /// Starts a process that prints to files: its trace is longer than a pipe holds, so that it would wait
    /// for a reader before it starts its server.
    fn spawn(&self, name: &str, words: &[&str]) -> Child {
        let file = |stream| File::create(self.output_file(name, stream)).unwrap();
        self.command(words).stdout(file("stdout")).stderr(file("stderr")).spawn().unwrap()
    }

    fn take_printed(&mut self, name: &str) {
        for stream in ["stdout", "stderr"] {
            let printed = std::fs::read(self.output_file(name, stream)).unwrap();
            self.printed.push((format!("{stream} of a call to {name}"), printed));
        }
    }

    /// What the tool `surroundings` of a server returns to the person. It is not kept anywhere.
    fn surroundings(&self, server: &str) -> String {
        let ended = self.command(&["call", "surroundings", "--json", "--server", server]).output().unwrap();
        assert!(ended.status.success());
        let answer: Value = serde_json::from_slice(&ended.stdout).unwrap();
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }

    async fn login(&mut self, server: &OAuthServer) {
        let secret = self.file("client", CLIENT).display().to_string();
        let words = ["login", "--server", "berth", "--client-id", "harbour", "--client-secret-file", &secret];
        let mut login = self.command(&[&words[..], &["--no-browser", "--json"]].concat()).spawn().unwrap();
        let (mut told, mut all) = (BufReader::new(login.stderr.take().unwrap()), Vec::new());
        loop {
            let mut line = Vec::new();
            assert!(told.read_until(b'\n', &mut line).unwrap() > 0, "{}", String::from_utf8_lossy(&all));
            let text = String::from_utf8_lossy(&line).trim().to_owned();
            if text.starts_with("http") {
                // The only secret that is shown on purpose, with its `state`: the person needs this URL.
                assert!(text.starts_with(&server.issuer()), "{text}");
                let page = follow_redirects(&text).await.unwrap();
                self.printed.push(("page in the browser".to_owned(), page.body.into_bytes()));
                break;
            }
            all.extend(line);
        }
        let mut out = Vec::new();
        login.stdout.take().unwrap().read_to_end(&mut out).unwrap();
        told.read_to_end(&mut all).unwrap();
        assert!(login.wait().unwrap().success(), "{}", String::from_utf8_lossy(&all));
        self.printed.push(("stdout of login".to_owned(), out));
        self.printed.push(("stderr of login".to_owned(), all));
    }
}

/// A process and all its descendants.
fn family(of: u32) -> Vec<u32> {
    let mut parents: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
        parents.entry(parent.unwrap_or_default()).or_default().push(pid);
    }
    let mut all = vec![of];
    let mut at = 0;
    while let Some(pid) = all.get(at) {
        all.extend(parents.remove(pid).unwrap_or_default());
        at += 1;
    }
    all
}

fn text_of(pid: u32, file: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default()).into_owned()
}

fn end(mut child: Child) {
    let _killed = child.kill();
    let _reaped = child.wait();
}

/// Copies the database with SQLite, as backups are made.
fn back_up(home: &std::path::Path) {
    #[expect(clippy::disallowed_methods, reason = "a copy of the test's own")]
    let mut python = Command::new("python3");
    let copy = "import sqlite3,sys; sqlite3.connect(sys.argv[1]).execute('VACUUM INTO ?', (sys.argv[2],))";
    python.args(["-c", copy]).arg(home.join("mooring.db")).arg(home.join("backups/copy.db"));
    std::fs::create_dir_all(home.join("backups")).unwrap();
    assert!(python.status().unwrap().success());
}

fn script() -> OAuthScript {
    let mark = |kind: &str, mark: &str| (kind.to_owned(), mark.to_owned());
    let id_token =
        format!(r#"{{"iss":"$ISSUER","aud":"harbour","sub":"u-1","jti":"{ID_TOKEN}","nonce":"$NONCE"}}"#);
    OAuthScript {
        rotates: true,
        id_token: Some(id_token),
        vendor: vec![mark("vendor_key", VENDOR)],
        prefixes: vec![mark("access", ACCESS), mark("refresh", REFRESH), mark("code", CODE)],
        method: ClientAuthMethod::Basic("harbour".to_owned(), CLIENT.to_owned()),
        ..OAuthScript::default()
    }
}

/// The secrets to search for. Those that the server issued during the run come from the server.
fn secrets(server: &OAuthServer) -> Vec<(String, String)> {
    let known = [
        ("access token", ACCESS),
        ("refresh token", REFRESH),
        ("authorization code", CODE),
        ("vendor field", VENDOR),
        ("id_token", ID_TOKEN),
        ("client secret", CLIENT),
        ("variable", ENV),
        ("header", HEADER),
        ("passphrase", PASSPHRASE),
    ];
    let mut all: Vec<(String, String)> =
        known.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let shown = |path: &str, name: &str| -> Vec<String> {
        let requests = server.requests_to(path).into_iter();
        requests.filter_map(|request| request.parameter(name).map(str::to_owned)).collect()
    };
    for (path, name) in [("/token", "code_verifier"), ("/authorize", "state"), ("/authorize", "nonce")] {
        let values = shown(path, name);
        assert!(name == "nonce" || !values.is_empty(), "{name}");
        all.extend(values.into_iter().map(|value| (name.to_owned(), value)));
    }
    all
}

// Requirements: AUTH-42, OCC-07, SEC-19, STD-18.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_left_anywhere_whatever_is_traced() {
    let keyring = Keyring::start();
    let mut journey = CanaryRun { place: TestHome::new(), keyring, printed: Vec::new() };
    let server = serve(script()).await;
    let web = http::serve(http::HttpScript::json()).await;
    let scripted = scripted_server_path().display().to_string();
    let env = format!("SERVICE_KEY=@{}", journey.file("env", ENV).display());
    let header = format!("X-Service=@{}", journey.file("header", HEADER).display());
    let passphrase = journey.file("passphrase", PASSPHRASE).display().to_string();
    let wrong = journey.file("wrong", "not the passphrase").display().to_string();

    journey.run(0, &["add", "own", "--secret-env", &env, "--", &scripted, "ok"]);
    journey.run(0, &["add", "web", "--url", &web.url, "--secret-header", &header, "--json"]);
    journey.run(0, &["add", "berth", "--url", &server.resource()]);
    let decoy = format!(": {DECOY}; \"$0\" ok; :");
    let plain = format!("DECOY={DECOY}");
    journey.run(0, &["add", "other", "--env", &plain, "--", "sh", "-c", &decoy, &scripted]);
    journey.run(2, &["tools", "--server", DECOY]);
    journey.run(6, &["tools", "--server", "berth"]);
    journey.login(&server).await;
    let echo = format!(r#"{{"text":"{DECOY}"}}"#);
    for name in ["own", "web", "berth", "other"] {
        journey.run(0, &["call", "echo", &echo, "--server", name, "--json"]);
        journey.run(0, &["probe", "--server", name, "--json"]);
    }
    server.expire_access_tokens();
    journey.run(0, &["call", "echo", &echo, "--server", "berth"]);
    assert_eq!(server.refresh_count(), 1);
    // All of them reach the server they are for. Otherwise, not finding them elsewhere would prove nothing.
    let told: Value = serde_json::from_str(&journey.surroundings("own")).unwrap();
    assert_eq!(told["environment"]["SERVICE_KEY"], ENV);
    assert!(!journey.surroundings("other").contains("canary"));
    assert!(web.requests().iter().all(|request| request.header("x-service") == Some(HEADER)));
    let bearer = format!("Bearer {ACCESS}");
    let requests = server.requests_to("/mcp");
    assert!(
        requests
            .iter()
            .any(|seen| seen.header("authorization").is_some_and(|value| value.starts_with(&bearer)))
    );

    journey.run(0, &["vault", "rekey", "--to", "passphrase", "--passphrase-file", &passphrase, "--json"]);
    journey.run(2, &["vault", "unlock", "--passphrase-file", &wrong]);
    for words in [&["list"][..], &["list", "--json"], &["accounts"], &["accounts", "--json"], &["vault"]] {
        journey.run(0, words);
    }
    journey.run(0, &["logs", "--limit", "10000", "--json"]);
    journey.run(0, &["logs", "--limit", "10000"]);
    journey.run(0, &["call", "echo", &echo, "--server", "own"]);

    // While servers run, check the files that exist only then, and what can be seen of processes.
    let home = journey.place.home();
    let mut hits: Vec<Hit> = Vec::new();
    let mut decoys: Vec<Hit> = Vec::new();
    let names = ["own", "other", "web", "berth"];
    let running = names.map(|name| journey.spawn(name, &["call", "never", &echo, "--server", name]));
    // A checkpoint lets the next commits overwrite the file, so keep what it had.
    let log = RefCell::new(Vec::new());
    let is_in_log = || {
        let is_in = |log: &[u8]| log.windows(DECOY.len()).any(|bytes| bytes == DECOY.as_bytes());
        if !is_in(&log.borrow()) {
            *log.borrow_mut() = std::fs::read(home.join("mooring.db-wal")).unwrap_or_default();
        }
        is_in(&log.borrow())
    };
    let is_up = || {
        is_in_log()
            && family(running[0].id()).len() >= 3
            && family(running[1].id()).iter().any(|pid| text_of(*pid, "environ").contains(DECOY))
    };
    eventually("two servers with their parents", AMPLE, is_up).await;
    assert!(home.join("mooring.db-wal").is_file() && home.join("mooring.db-shm").is_file());
    back_up(&home);
    let scanner = Scanner::new(secrets(&server));
    let decoy = Scanner::new([("decoy", DECOY)]);
    let (own, others): (Vec<u32>, Vec<u32>) = running
        .iter()
        .flat_map(|child| family(child.id()))
        .partition(|pid| text_of(*pid, "environ").contains("SERVICE_KEY"));
    // Only the process that was given a secret has it, and not on its command line.
    assert_eq!(own.len(), 1, "{own:?}");
    assert!(others.len() >= 7, "{others:?}");
    for scan in [(&scanner, &mut hits), (&decoy, &mut decoys)] {
        let (scanner, hits) = scan;
        hits.extend(scanner.scan_processes(&own, false));
        hits.extend(scanner.scan_processes(&others, true));
        hits.extend(scanner.scan("mooring.db-wal", &log.borrow()));
        hits.extend(scanner.scan_folder("profile in use", &home).0);
        hits.extend(scanner.scan_folder("keyring", journey.keyring.home()).0);
    }
    running.into_iter().for_each(end);
    for name in names {
        journey.take_printed(name);
    }

    journey.run(0, &["logout", "1"]);
    journey.run(0, &["remove", "web"]);
    journey.run(0, &["vault", "start-over", "--yes"]);
    let mut files = 0;
    for scan in [(&scanner, &mut hits), (&decoy, &mut decoys)] {
        let (scanner, hits) = scan;
        let (found, count) = scanner.scan_folder("profile at rest", &home);
        hits.extend(found);
        files = count;
        for (place, bytes) in &journey.printed {
            hits.extend(scanner.scan(place, bytes));
        }
    }
    let told: Vec<String> = hits.iter().map(Hit::to_string).collect();
    assert!(told.is_empty(), "{told:#?}");

    // The control: every place is searched, and every encoding of every secret would have been found.
    let seen = |place: &str| decoys.iter().any(|hit| hit.place.contains(place));
    for place in [
        "mooring.db",
        "mooring.db-wal",
        "backups/copy.db",
        "stdout of logs",
        "stderr of tools",
        "cmdline",
        "environ",
    ] {
        assert!(seen(place), "{place}: {decoys:?}");
    }
    assert!(files >= 3, "{files}");
    let (planted, missed) = scanner.self_test();
    assert!(missed.is_empty(), "{missed:?}");
    assert_eq!(planted, scanner.len() * Encoding::ALL.len() * 5);
    assert!(scanner.len() >= 11, "{}", scanner.len());
    let places = journey.printed.len() + 2 * files + 2 * others.len() + 1;
    print_figures("canaries", &scanner, places, hits.len());
}

/// Prints what was searched, and where, if `MOORING_FIGURES` is set.
fn print_figures(what: &str, scanner: &Scanner, places: usize, hits: usize) {
    if std::env::var_os("MOORING_FIGURES").is_none() {
        return;
    }
    let (secrets, encodings) = (scanner.len(), Encoding::ALL.len());
    let planted = secrets * encodings * 5;
    let figures = format!(
        "{what}: {secrets} secrets x {places} places x {encodings} encodings: {hits} hits; control {planted}/{planted}\n"
    );
    std::io::Write::write_all(&mut std::io::stderr(), figures.as_bytes()).unwrap();
}

/// A provider that repeats the key wherever it can and then answers.
fn repeating(elsewhere: &str) -> Vec<ProviderReply> {
    let replay =
        |head: &str, body: &str| ProviderReply::Replay(format!("HTTP/1.1 {head}\n\n{body}").into_bytes());
    let encoded = |encoding: Encoding| String::from_utf8_lossy(&encoding.write(PROVIDER_KEY)).into_owned();
    let delta = |delta: Value, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        format!("data: {}\n\n", json!({ "model": "m", "choices": [choice] }))
    };
    let (first, second) = PROVIDER_KEY.split_at(PROVIDER_KEY.len() / 2);
    let answer =
        |text: &str| [delta(json!({ "content": text }), None), delta(json!({}), Some("stop"))].concat();
    let mut all = vec![
        replay(
            &format!(
                "401 No\nx-key: {PROVIDER_KEY}\nwww-authenticate: Bearer {PROVIDER_KEY}\nset-cookie: k={PROVIDER_KEY}"
            ),
            &json!({ "error": { "message": format!("Incorrect API key provided: {PROVIDER_KEY}") } })
                .to_string(),
        ),
        replay(&format!("500 No\nretry-after: {PROVIDER_KEY}"), &format!("<p>{PROVIDER_KEY}</p>")),
        replay(&format!("307 Elsewhere\nlocation: {elsewhere}/v1/chat/completions"), ""),
        replay(&format!("429 No\nlocation: {elsewhere}"), &json!({ "error": PROVIDER_KEY }).to_string()),
        replay("200 OK\ncontent-type: text/event-stream", &answer(&format!("Your key is {PROVIDER_KEY}."))),
        ProviderReply::Stream(
            EVENTS,
            [delta(json!({ "content": first }), None), answer(second)].concat().into_bytes(),
        ),
        ProviderReply::Stream(EVENTS, format!("data: {PROVIDER_KEY}\n\n").into_bytes()),
        ProviderReply::Cut(EVENTS, delta(json!({ "content": PROVIDER_KEY }), None).into_bytes()),
    ];
    let coded = [Encoding::Base64, Encoding::Base64Url, Encoding::Hex, Encoding::Percent, Encoding::Json];
    all.extend(
        coded.map(|encoding| {
            replay("400 No", &json!({ "error": { "message": encoded(encoding) } }).to_string())
        }),
    );
    all.push(ProviderReply::Stream(EVENTS, answer(DECOY).into_bytes()));
    all
}

/// Sets up a provider as the window does; there is no command for it.
async fn provider(place: &TestHome, url: &str) {
    let host = place.host().await;
    host.unlock_vault(PASSPHRASE.into()).await.unwrap();
    let new = NewProvider {
        name: "harbour".to_owned(),
        kind: ProviderKind::Openai,
        base_url: url.to_owned(),
        key: Some(PROVIDER_KEY.into()),
        forget_key: false,
        models: vec![Model { tools: true, ..Model::with_id("m") }],
    };
    assert!(host.save_provider(None, new).await.unwrap().has_key);
    host.shutdown().await;
}

// Requirements: AUTH-42, ELIC-20, SAMP-15, SEC-21.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn provider_key_and_entered_secret_leak_nowhere_when_traced() {
    let mut journey = CanaryRun { place: TestHome::new(), keyring: Keyring::start(), printed: Vec::new() };
    let scripted = scripted_server_path().display().to_string();
    let passphrase = journey.file("passphrase", PASSPHRASE).display().to_string();
    journey.run(0, &["add", "asker", "--", &scripted, "ok"]);
    let (key, env) = (journey.file("env", ENV), "SERVICE_KEY");
    journey
        .run(0, &["add", "own", "--secret-env", &format!("{env}=@{}", key.display()), "--", &scripted, "ok"]);
    journey.run(0, &["vault", "rekey", "--to", "passphrase", "--passphrase-file", &passphrase, "--json"]);
    let elsewhere = FakeProvider::new(&[ProviderReply::Status(200, &[], String::new())]).await;
    let says = repeating(&elsewhere.url);
    let fake = FakeProvider::new(&says).await;
    provider(&journey.place, &format!("{}/v1", fake.url)).await;

    // A request to a model.
    let text = json!({ "type": "text", "text": "Which way?" });
    let asked = json!({ "messages": [{ "role": "user", "content": text }], "maxTokens": 100 });
    let asked = json!({ "method": "sampling/createMessage", "params": asked }).to_string();
    for model in ["harbour/m", "harbour"].iter().cycle().take(says.len()) {
        journey.run(0, &["call", "ask", &asked, "--server", "asker", "--sample", model, "--json"]);
    }
    // Each request had the key, and no other server received one.
    let bearer = format!("Bearer {PROVIDER_KEY}");
    assert_eq!(fake.requests().len(), says.len());
    assert!(fake.requests().iter().all(|asked| asked.header("authorization") == Some(&bearer)));
    assert!(elsewhere.requests().is_empty());
    journey.run(2, &["call", "ask", &asked, "--server", "asker", "--sample", "harbour/other"]);
    let wrong = journey.file("wrong", "not the passphrase");
    let mut locked = journey.command(&["call", "ask", &asked, "--server", "asker", "--sample", "harbour"]);
    let locked = locked.env("MOORING_PASSPHRASE_FILE", wrong).output().unwrap();
    assert_eq!(fake.requests().len(), says.len(), "a locked vault has no key");
    journey
        .printed
        .extend([("locked out".to_owned(), locked.stdout), ("locked err".to_owned(), locked.stderr)]);

    // The values of a form: first with a server that repeats nothing, then with one that repeats everything.
    let fields = json!({
        "name": { "type": "string" },
        "password": { "type": "string" },
        "door": { "type": "string", "title": "Your PIN", "description": "The code of your door" },
    });
    let form = json!({ "message": "Who?", "requestedSchema": { "type": "object", "properties": fields } });
    let entered = json!({ "name": DECOY, "password": ENTERED, "door": PIN });
    let every = format!("@{}", journey.file("every.json", &entered.to_string()).display());
    let list = json!([{ "action": "accept", "content": entered }]).to_string();
    let list = format!("@{}", journey.file("list.json", &list).display());
    for given in [&every, &list] {
        let quiet = json!({ "method": "elicitation/create", "params": form, "quiet": true }).to_string();
        journey.run(0, &["call", "ask", &quiet, "--server", "asker", "--elicit", given, "--json"]);
        // The values arrive as they were entered. Otherwise, not finding them elsewhere would prove nothing.
        let (_, told) = &journey.printed[journey.printed.len() - 2];
        let told: Value = serde_json::from_slice(told).unwrap();
        let told: Value =
            serde_json::from_str(told["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(told, json!({ "action": "accept", "bytes": entered.to_string().len() }));
        let loud = json!({ "method": "elicitation/create", "params": form }).to_string();
        let ended = journey
            .command(&["call", "ask", &loud, "--server", "asker", "--elicit", given])
            .output()
            .unwrap();
        let out = String::from_utf8_lossy(&ended.stdout);
        assert!(out.contains("canary-entered"), "what a server says to the person is theirs: {out}");
        journey.printed.push(("stderr of a server that repeats it".to_owned(), ended.stderr));
    }
    let odd = journey.file(
        "odd.json",
        &json!([{ "action": "accept", "content": { "name": 5, "password": ENTERED } }]).to_string(),
    );
    let odd = format!("@{}", odd.display());
    let quiet = json!({ "method": "elicitation/create", "params": form, "quiet": true }).to_string();
    journey.run(0, &["call", "ask", &quiet, "--server", "asker", "--elicit", &odd]);
    let broken = journey
        .file("broken.json", &format!(r#"[{{"action":"yes","content":{{"password":{}}}}}]"#, json!(ENTERED)));
    journey
        .run(2, &["call", "ask", &quiet, "--server", "asker", "--elicit", &format!("@{}", broken.display())]);
    journey.run(0, &["logs", "--limit", "10000", "--json"]);
    journey.run(0, &["logs", "--limit", "10000"]);

    let home = journey.place.home();
    back_up(&home);
    let scanner = Scanner::new([
        ("provider key", PROVIDER_KEY),
        ("entered", ENTERED),
        ("pin", PIN),
        ("passphrase", PASSPHRASE),
    ]);
    let decoy = Scanner::new([("decoy", DECOY)]);
    let scan = |scanner: &Scanner| -> (Vec<Hit>, usize) {
        let (mut hits, files) = scanner.scan_folder("profile", &home);
        hits.extend(scanner.scan_folder("keyring", journey.keyring.home()).0);
        hits.extend(journey.printed.iter().flat_map(|(place, bytes)| scanner.scan(place, bytes)));
        (hits, files)
    };
    let (hits, files) = scan(&scanner);
    let told: Vec<String> = hits.iter().map(Hit::to_string).collect();
    assert!(told.is_empty(), "{told:#?}");
    // The control: the decoy is found in each of these places, and every encoding of it would have been.
    let (decoys, _) = scan(&decoy);
    for place in ["mooring.db", "backups/copy.db", "stdout of logs", "stdout of call"] {
        assert!(decoys.iter().any(|hit| hit.place.contains(place)), "{place}: {decoys:?}");
    }
    let (planted, missed) = scanner.self_test();
    assert!(missed.is_empty() && planted == scanner.len() * Encoding::ALL.len() * 5, "{missed:?}");
    print_figures("canaries of providers and forms", &scanner, journey.printed.len() + files, hits.len());
}
