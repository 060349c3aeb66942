//! `mooring shell`: runs commands without the word `mooring`, about one server over one connection.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use clap::CommandFactory as _;
use mooring_calls::{CompletionReference, CompletionRequest};
use mooring_connect::{
    Session, Shell, ShellServer, Verb, is_option, open_host, resolve, take_named, take_none,
};
use mooring_host::home_from_environment;
use mooring_jsonrpc::parse_lenient;
use mooring_revisions::OfferKind;
use mooring_server_commands::subscribe;
use mooring_terminal::interrupt::asked_to_end;
use mooring_typed::nearest;
use mooring_visits::ItemKind;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::CommandContext;
use crate::args::{self, Cli, Command, KnownNames, Suggestion, WantedValue, candidates_for};
use crate::complete::{self, SavedNames};
use crate::fault::{Exit, Fault};
use crate::line_editor::{Line, LineEditor, Proposal};
use crate::output::{Output, TextStyle, escape_line, quote};
use crate::secret_input;

const VERB: Verb = Verb::with("shell", "SERVER", false);
/// How long servers may take to stop when the shell is asked to end.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);
/// The file in the data folder that keeps the typed lines.
const HISTORY: &str = "shell-history";

/// Commands that only the shell has.
const OWN_WORDS: [(&str, &str); 4] = [
    ("use", "Switch to another server"),
    ("unsubscribe", "Stop watching a resource"),
    ("exit", "Leave"),
    ("quit", "Leave"),
];

const HELP: &str = "\
Lines are those of the command line, without mooring. Those that use a server leave its name out:
  tools              what it offers; tools NAME shows one
  call echo text=hi  or echo text=hi: a tool’s name calls it
  read URI, prompt NAME, subscribe URI, unsubscribe URI
  use SERVER         switches to another server
  help TOPIC, exit
Tab completes. Ctrl-C cancels a call. A line that begins with a space isn’t kept in the history.";

pub(crate) async fn run(session: &Session, args: args::OpenShell) -> Result<Exit, Fault> {
    if session.shell.is_some() {
        return Err(Fault::usage("this is a shell already").next("Another server: use SERVER"));
    }
    let shell = Arc::new(Shell::default());
    if args.target.names_server() {
        use_server(session, &shell, args).await?;
    }
    let _ending = end_when_asked(session.output, Arc::clone(&shell));
    let done = if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        run_typed_lines(session, &shell).await
    } else {
        run_piped_lines(session, &shell).await
    };
    // Ctrl-C was meant for the lines.
    shell.close(&Session::alone(session.output)).await;
    done
}

/// Runs the lines that a person types.
async fn run_typed_lines(session: &Session, shell: &Arc<Shell>) -> Result<Exit, Fault> {
    let output = session.output;
    let known: Arc<dyn KnownNames> = Arc::new(ShellNames { saved: SavedNames, shell: Arc::clone(shell) });
    let proposing = Arc::clone(shell);
    let propose = move |typed: &str| propose(&proposing, &known, typed);
    let mut editor = LineEditor::new(Box::new(propose), Some(home_from_environment()?.join(HISTORY)))?;
    if let Some(printer) = editor.printer(output) {
        shell.show_changes_with(printer);
    }
    output.note(&output.error_tone(TextStyle::Quiet, "help shows what can be typed, Ctrl-D leaves."));
    loop {
        match editor.read(&format!("{}> ", shell.name()))? {
            Line::Typed(line) => {
                if run_line(output, shell, &line).await.is_break() {
                    return Ok(Exit::Ok);
                }
            }
            Line::Interrupted => {}
            Line::Ended => return Ok(Exit::Ok),
        }
    }
}

/// Closes the shell and ends the process on a signal to terminate, even while a line is typed.
fn end_when_asked(output: Output, shell: Arc<Shell>) -> JoinSet<()> {
    let mut waiting = JoinSet::new();
    waiting.spawn(async move {
        asked_to_end().await;
        // It doesn't wait for a server that doesn't stop.
        let _late = tokio::time::timeout(CLOSE_WITHIN, shell.close(&CommandContext::new(output))).await;
        secret_input::restore_echo();
        std::process::exit(Exit::Interrupted as i32);
    });
    waiting
}

/// Runs lines from a pipe or a file. The exit code is that of the last line.
async fn run_piped_lines(session: &Session, shell: &Arc<Shell>) -> Result<Exit, Fault> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut exit = Exit::Ok;
    loop {
        let line = session.interrupt.guard(lines.next_line()).await?;
        let Some(line) = line.map_err(anyhow::Error::from)? else { return Ok(exit) };
        match run_line(session.output, shell, &line).await {
            ControlFlow::Continue(Some(Exit::Interrupted)) => return Ok(Exit::Interrupted),
            ControlFlow::Continue(done) => exit = done.unwrap_or(exit),
            ControlFlow::Break(()) => return Ok(exit),
        }
    }
}

/// Runs a line. Breaks if the shell should end; continues with `None` for an empty line.
async fn run_line(output: Output, shell: &Arc<Shell>, line: &str) -> ControlFlow<(), Option<Exit>> {
    let mut session = Session::of_line(output, Arc::clone(shell));
    let done = match shlex::split(line) {
        None => {
            Err(Fault::usage("a quotation mark isn’t closed").next("Write texts with spaces as 'two words'"))
        }
        Some(words) => match words.first().map(String::as_str) {
            None => return ControlFlow::Continue(None),
            Some("exit" | "quit") => return ControlFlow::Break(()),
            Some("help") if words.len() == 1 => output.line(HELP).map(|()| Exit::Ok).map_err(Fault::from),
            Some("use") => use_named(&session, shell, &words[1..]).await,
            Some("unsubscribe") => unsubscribe(&session, shell, &words[1..]).await,
            Some(_) => match read_line(&session, shell, words).await {
                Ok(cli) => {
                    if cli.json {
                        session.context.output = Output::new(true);
                    }
                    run_command(&session, shell, cli.command).await
                }
                Err(LineError::Words(error, words)) => {
                    return ControlFlow::Continue(Some(crate::report_clap_error(&error, &words)));
                }
                Err(LineError::Fault(fault)) => Err(fault),
            },
        },
    };
    if let Err(Fault { exit: Exit::Interrupted, .. }) = &done {
        output.note("Cancelled.");
    }
    ControlFlow::Continue(Some(crate::conclude(session.output, done)))
}

/// Why a line can’t be run.
enum LineError {
    /// Its words aren't a valid command.
    Words(clap::Error, Vec<String>),
    /// Its first word is unknown, or it can’t be found out what it is.
    Fault(Fault),
}

/// Reads a line as a command. If the first word isn't a command, or is one but arguments of a tool follow,
/// the line calls a tool of the server.
async fn read_line(session: &Session, shell: &Shell, mut words: Vec<String>) -> Result<Cli, LineError> {
    // Lines are often copied with the word `mooring`.
    if words.len() > 1 && words[0] == "mooring" {
        words.remove(0);
    }
    let first = words[0].clone();
    let is_command = Cli::command().find_subcommand(&first).is_some();
    let may_be_tool = !is_command || words.len() > 1 && words[1..].iter().all(|word| is_argument(word));
    if may_be_tool && !is_option(&first) {
        let tools = Box::pin(shell.tools(session)).await.map_err(LineError::Fault)?;
        let tools = tools.map(|tools| tools.items).unwrap_or_default();
        if tools.iter().any(|tool| tool.name == first) {
            words.insert(0, "call".to_owned());
        } else if !is_command && let Some(near) = nearest(&first, tools.iter().map(|tool| &*tool.name)) {
            let fault = Fault::usage(format!("no command or tool is called {first}"));
            return Err(LineError::Fault(fault.next(format!("Did you mean {near}?"))));
        }
    }
    let line = std::iter::once(OsString::from("mooring")).chain(words.iter().map(OsString::from));
    Cli::read(line).map_err(|error| LineError::Words(error, words))
}

/// Whether a word is an argument for a tool: `name=value`, `name:=JSON`, or a JSON object. The value of an
/// option and a URI with a query are not.
fn is_argument(word: &str) -> bool {
    let is_key = |key: &str| {
        let key = key.strip_suffix(':').unwrap_or(key);
        !key.is_empty() && key.chars().all(|letter| letter.is_alphanumeric() || "_.-".contains(letter))
    };
    word.starts_with('{') || (!is_option(word) && word.split_once('=').is_some_and(|(key, _)| is_key(key)))
}

async fn run_command(session: &Session, shell: &Arc<Shell>, command: Command) -> Result<Exit, Fault> {
    match command {
        Command::Subscribe(args) => {
            let args::Subscribe { mut target } = args;
            let place = take_named(&mut target.choice).or_else(|| shell.name_server(&mut target));
            let is_held = place.as_ref().is_some_and(|place| shell.holds(place, &target));
            let (Some(place), true) = (place, is_held) else {
                return Err(Fault::usage("a shell watches resources of its own server").next("use SERVER"));
            };
            let uri: String = subscribe::read(&place, target.words).await?;
            Box::pin(shell.subscribe(session, &uri)).await?;
            let end = format!("unsubscribe {}", quote(&uri));
            session.output.note(&format!("Watching {}. To end it: {}", escape_line(&uri), escape_line(&end)));
            Ok(Exit::Ok)
        }
        #[cfg(unix)]
        Command::Bridge(_) | Command::Serve(_) => {
            Err(Fault::usage("this can’t be done in a shell").next("Leave it with exit"))
        }
        command => Box::pin(crate::run(session, command)).await,
    }
}

/// `use SERVER`
async fn use_named(session: &Session, shell: &Shell, words: &[String]) -> Result<Exit, Fault> {
    let line: Vec<String> =
        ["mooring", "shell"].into_iter().map(str::to_owned).chain(words.iter().cloned()).collect();
    match Cli::read(line.iter().map(OsString::from)) {
        Ok(Cli { command: Command::Shell(args), .. }) => {
            let used = use_server(session, shell, args).await;
            // In the shell, the same command is called `use`.
            used.map_err(|mut fault| {
                fault.details.next = fault.details.next.map(|next| next.replace("mooring shell ", "use "));
                fault
            })
        }
        Ok(_) => Err(Fault::usage("use takes a server")),
        Err(error) => Ok(crate::report_clap_error(&error, &line[1..])),
    }
}

/// Connects to a server and makes it the one that lines are about.
async fn use_server(session: &Session, shell: &Shell, args: args::OpenShell) -> Result<Exit, Fault> {
    let args::OpenShell { mut target } = args;
    let words = std::mem::take(&mut target.words);
    let (place, rest) = if let Some(place) = take_named(&mut target.choice) {
        (place, words)
    } else {
        let host = Box::pin(open_host(session, false)).await?;
        let resolved = session.interrupt.guard(Box::pin(resolve(&host, VERB, &words))).await;
        session.interrupt.clean_up(host.shutdown()).await;
        resolved??
    };
    take_none(VERB, &rest)?;
    Box::pin(shell.use_server(session, ShellServer { place, target })).await?;
    Ok(Exit::Ok)
}

async fn unsubscribe(session: &Session, shell: &Shell, words: &[String]) -> Result<Exit, Fault> {
    let followed = shell.watched();
    let [uri] = words else {
        let next = if followed.is_empty() { "Nothing is watched".to_owned() } else { followed.join(", ") };
        return Err(Fault::usage("which resource?").next(next));
    };
    match shell.unsubscribe(uri).await {
        None => {
            let near = nearest(uri, followed.iter().map(String::as_str));
            let fault = Fault::usage(format!("not watched: {uri}"));
            return Err(near
                .into_iter()
                .fold(fault, |fault, near| fault.next(format!("Did you mean {near}?"))));
        }
        Some(Ok(())) => session.output.note(&format!("No longer watched: {}", escape_line(uri))),
        Some(Err(fault)) => {
            let why = escape_line(&fault.message).into_owned();
            session.output.note(&format!("No longer watched: {}. Remark: {why}", escape_line(uri)));
        }
    }
    Ok(Exit::Ok)
}

/// Completes names from what the shell’s server offers now, and for other servers from what they listed last.
struct ShellNames {
    saved: SavedNames,
    shell: Arc<Shell>,
}

impl ShellNames {
    /// The definitions that the shell’s server lists. `None` if the command is about another server, or if
    /// there is no list.
    fn listed(&self, verb: &str, server: &str) -> Option<Vec<(String, Value)>> {
        let kind = match complete::kind(verb)? {
            OfferKind::Tools => ItemKind::Tools,
            OfferKind::Prompts => ItemKind::Prompts,
            OfferKind::Resources => ItemKind::Resources,
            OfferKind::Templates => ItemKind::Templates,
        };
        if self.shell.name() != server {
            return None;
        }
        let listing = Handle::current().block_on(self.shell.list(kind))?;
        let item = |item: mooring_visits::ListedItem| {
            let definition = parse_lenient(item.raw.get()).unwrap_or_default();
            (item.name, definition)
        };
        Some(listing.items.into_iter().map(item).collect())
    }
}

impl KnownNames for ShellNames {
    fn servers(&self) -> Vec<Suggestion> {
        self.saved.servers()
    }

    fn apps(&self) -> Vec<Suggestion> {
        self.saved.apps()
    }

    fn items(&self, verb: &str, server: &str) -> Vec<Suggestion> {
        self.listed(verb, server).map_or_else(|| self.saved.items(verb, server), complete::items)
    }

    fn arguments(&self, verb: &str, server: &str, item: &str) -> Vec<Suggestion> {
        let listed = self.listed(verb, server);
        listed.map_or_else(
            || self.saved.arguments(verb, server, item),
            |listed| complete::arguments(listed, item),
        )
    }

    fn proposed(&self, wanted: &WantedValue<'_>) -> Vec<String> {
        let of = match wanted.verb {
            "prompt" => CompletionReference::Prompt { name: wanted.item.to_owned() },
            "read" => CompletionReference::Template { uri_template: wanted.item.to_owned() },
            _ => return Vec::new(),
        };
        let chosen = wanted.given.iter().filter_map(|word| word.split_once('='));
        let chosen = chosen.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let wanted = CompletionRequest {
            of,
            argument: wanted.argument.to_owned(),
            begun: wanted.begun.to_owned(),
            chosen: chosen.collect(),
        };
        Handle::current().block_on(self.shell.values(wanted))
    }
}

/// The completions for the end of a line, with the position at which the last word begins.
fn propose(shell: &Shell, known: &Arc<dyn KnownNames>, typed: &str) -> (usize, Vec<Proposal>) {
    let start = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let (before, begun) = typed.split_at(start);
    let Some(mut words) = shlex::split(before) else { return (start, Vec::new()) };
    let name = shell.name();
    let own = |found: &mut Vec<Suggestion>| {
        let fitting = OWN_WORDS.iter().filter(|(word, _)| word.starts_with(begun));
        found.extend(fitting.map(|(word, about)| Suggestion {
            value: (*word).to_owned(),
            about: (*about).to_owned(),
            ..Suggestion::default()
        }));
    };
    let verb = words.first().cloned();
    let found = match verb.as_deref() {
        None => {
            let mut found = candidates_for(vec![begun.to_owned()], known);
            found.retain(|found| !found.value.starts_with('-'));
            own(&mut found);
            let tools = known.items("call", &name).into_iter();
            found.extend(tools.filter(|tool| tool.value.starts_with(begun)));
            found
        }
        Some("use") => known.servers().into_iter().filter(|server| server.value.starts_with(begun)).collect(),
        Some("unsubscribe") => {
            let uri = |value: String| Suggestion { value, ..Suggestion::default() };
            shell.watched().into_iter().filter(|uri| uri.starts_with(begun)).map(uri).collect()
        }
        Some(verb) => {
            let is_tool = Cli::command().find_subcommand(verb).is_none();
            if is_tool {
                words.insert(0, "call".to_owned());
            }
            if shell.server().is_some() && complete::kind(&words[0]).is_some() && words.get(1) != Some(&name)
            {
                words.insert(1, name);
            }
            words.push(begun.to_owned());
            candidates_for(words, known)
        }
    };
    (start, found.into_iter().map(proposal).collect())
}

/// The text to insert: in quotation marks if it needs them, and followed by a space if it is complete.
fn proposal(found: Suggestion) -> Proposal {
    let end = if found.value.ends_with('=') { "" } else { " " };
    Proposal { value: format!("{}{end}", quote(&found.value)), about: found.about }
}
