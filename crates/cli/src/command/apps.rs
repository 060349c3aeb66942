//! `mooring apps`, `connect` and `disconnect`: other apps that use Mooring's servers.

#[cfg(unix)]
use std::cmp::Reverse;
use std::io::IsTerminal as _;

use mooring_app_access::{AppKeyState, AppPresence, AppView};
use mooring_approvals::{AppOff, AppToolList, PinnedTool, ServerReview};
use mooring_apps::{AppEnvironment, AppSnippetFormat, AppUndone};
use mooring_base::server_id::ServerId;
#[cfg(unix)]
use mooring_catalogue::{AppCost, CostMeter};
use mooring_connect::{open_host, server_named};
use mooring_errors::ErrorCode;
use mooring_host::Host;
use mooring_policy::{AppLevel, PinKind};
use mooring_terminal::time;
use serde::Serialize;

use crate::CommandContext;
use crate::args::{
    AppSettings, Apps, AppsCommand, Connect, Consent, Disconnect, LevelChoice, Switch, ToolListChoice,
};
use crate::command::reviews;
use crate::fault::{Exit, Fault};
use crate::input::{is_yes, read_line};
use crate::output::{Output, TextStyle, escape_line};
use crate::table::Table;

/// An app, with the entry to copy into its file, in JSON.
#[derive(Serialize)]
struct ShownApp {
    #[serde(flatten)]
    app: AppView,
    entry: String,
    /// The tokens that Mooring's tools take in the app's context.
    #[cfg(unix)]
    cost: AppCost,
    /// Servers with items that aren't approved, so that no app sees them.
    unapproved: Vec<ServerReview>,
}

/// A change that was made or would be made, in JSON.
#[derive(Default, Serialize)]
struct ChangeJson<'a> {
    app: &'a str,
    file: Option<String>,
    diff: &'a str,
    /// The Git repository that the file is in. The entry in such a file gets no key.
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    /// Whether the file was changed.
    done: bool,
    /// What disconnecting restores of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<AppUndone>,
    /// Servers with items that aren't approved, so that no app sees them.
    #[serde(skip_serializing_if = "Option::is_none")]
    unapproved: Option<Vec<ServerReview>>,
}

/// Where this person's apps keep their files, and the program that the entries start.
fn environment() -> Result<AppEnvironment, Fault> {
    Ok(Host::app_environment(std::env::current_exe())?)
}

pub(crate) async fn apps(session: &CommandContext, args: Apps) -> Result<Exit, Fault> {
    with_host(session, async |host, at| match args.command {
        None => {
            list(session.output, &host.apps(at).await?, args.all)?;
            reviews::say(session.output, reviews::waiting(host).await?.as_deref());
            Ok(())
        }
        Some(AppsCommand::Show { app }) => show(session.output, host, at, &app).await,
        Some(AppsCommand::Set { app, settings }) => {
            if settings.is_decision() {
                // Settings that are read without the vault's key may have been written by another program.
                host.open_vault_to_decide().await?;
            }
            host.app(at, &app).await?;
            set(host, &app, settings).await?;
            show(session.output, host, at, &app).await
        }
        Some(AppsCommand::Add { app }) => add(session.output, host, at, &app).await,
        Some(AppsCommand::Remove { app }) => {
            let line = if host.remove_app_key(&app).await? {
                format!("{} can’t use the servers until you allow it again.", escape_line(&app))
            } else {
                format!("{} had no key and no permission.", escape_line(&app))
            };
            Ok(session.output.line(&line)?)
        }
        Some(AppsCommand::Token { app, revoke }) => token(session.output, host, &app, revoke).await,
    })
    .await
}

pub(crate) async fn connect(session: &CommandContext, args: Connect) -> Result<Exit, Fault> {
    let (output, app) = (session.output, args.app.as_str());
    with_host(session, async |host, at| {
        // Settings that are read without the vault's key may have been written by another program.
        host.open_vault_to_decide().await?;
        let Some(plan) = host.plan_connect(at, app, args.renew, Vec::new()).await? else {
            let unapproved = reviews::waiting(host).await?;
            let nothing = ChangeJson { app, unapproved, ..ChangeJson::default() };
            print_change(output, &nothing, &format!("{} is connected already.", escape_line(app)))?;
            reviews::say(output, nothing.unapproved.as_deref());
            return Ok(());
        };
        let file = plan.file.display().to_string();
        let repository = plan.repository.map(|folder| folder.display().to_string());
        if let Some(folder) = &repository {
            output.note(&format!(
                "The file is in the Git repository {}, so its entry gets no key: Mooring asks you about the app once, then about each of its calls.",
                escape_line(folder)
            ));
        }
        let diff = &plan.diff;
        let agreed = ask_to_change_file(output, &file, diff, &args.consent).await?;
        if agreed {
            host.connect_app(at, app, &plan.hash, Vec::new()).await?;
        }
        let unapproved = reviews::waiting(host).await?;
        let file = Some(file);
        let change = ChangeJson { app, file, diff, repository, done: agreed, outcome: None, unapproved };
        let done = format!("Connected {}. Restart it, or reload its MCP servers.", escape_line(app));
        print_change(output, &change, if agreed { &done } else { "Nothing was changed." })?;
        reviews::say(output, change.unapproved.as_deref());
        Ok(())
    })
    .await
}

pub(crate) async fn disconnect(session: &CommandContext, args: Disconnect) -> Result<Exit, Fault> {
    let (output, app) = (session.output, args.app.as_str());
    with_host(session, async |host, _| {
        let undo = host.plan_disconnect(app).await?;
        let file = undo.file.display().to_string();
        let agreed = match undo.outcome {
            AppUndone::AlreadyGone => !args.consent.dry_run,
            AppUndone::Restored | AppUndone::Removed => {
                ask_to_change_file(output, &file, &undo.diff, &args.consent).await?
            }
        };
        let outcome = if agreed { host.disconnect_app(app, &undo.hash).await? } else { undo.outcome };
        let done = match outcome {
            AppUndone::Restored => "its file is what it was before",
            AppUndone::Removed => "the entry was removed; something else in its file had changed",
            AppUndone::AlreadyGone => "the entry was gone already",
        };
        let outcome = Some(outcome);
        let diff = &undo.diff;
        let file = Some(file);
        let change = ChangeJson { app, file, diff, done: agreed, outcome, ..ChangeJson::default() };
        let done = format!("Disconnected {}: {done}.", escape_line(app));
        print_change(output, &change, if agreed { &done } else { "Nothing was changed." })
    })
    .await
}

/// Changes the given settings of an app. If a name is wrong, nothing is saved.
async fn set(host: &Host, app: &str, settings: AppSettings) -> Result<(), Fault> {
    let mut access = host.app_access(app);
    for name in &settings.off {
        let (server, tool) = server_and_tool(host, name).await?;
        access.off.insert(AppOff { server, tool });
    }
    for name in &settings.on {
        let (server, tool) = server_and_tool(host, name).await?;
        access.off.remove(&AppOff { server, tool });
    }
    for (names, is_pinned) in [(&settings.pin, true), (&settings.unpin, false)] {
        for name in names {
            let (server, tool) = server_and_tool(host, name).await?;
            let tool = tool.ok_or_else(|| Fault::usage("name a tool of the server, as SERVER:TOOL"))?;
            let pinned = PinnedTool { server, tool };
            if is_pinned {
                access.pinned.insert(pinned)
            } else {
                access.pinned.remove(&pinned)
            };
        }
    }
    if let Some(level) = settings.level {
        let level = match level {
            LevelChoice::AskHere => Some(AppLevel::AskHere),
            LevelChoice::AppAsks => Some(AppLevel::AppAsks),
            LevelChoice::ReadOnly => Some(AppLevel::ReadOnly),
            LevelChoice::Default => None,
        };
        host.set_app_level(app, level).await?;
    }
    if !settings.off.is_empty() || !settings.on.is_empty() {
        host.set_app_off(app, access.off).await?;
    }
    if !settings.pin.is_empty() || !settings.unpin.is_empty() {
        host.set_app_pinned(app, access.pinned).await?;
    }
    if settings.prompts.is_some() || settings.resources.is_some() {
        let seen = |choice: Option<Switch>, is_off: bool| choice.map_or(!is_off, |it| it == Switch::On);
        let prompts = seen(settings.prompts, access.prompts_off);
        let resources = seen(settings.resources, access.resources_off);
        host.set_app_offers(app, prompts, resources).await?;
    }
    if let Some(longest) = settings.longest_name {
        host.set_app_longest_name(app, Some(longest).filter(|longest| *longest != 0)).await?;
    }
    match settings.tool_list {
        None => Ok(()),
        Some(ToolListChoice::Whole) => Ok(host.set_app_tool_list(app, AppToolList::Whole).await?),
        Some(ToolListChoice::Search) => Ok(host.set_app_tool_list(app, AppToolList::Search).await?),
        Some(ToolListChoice::Auto) => Ok(host.set_app_tool_list(app, AppToolList::Auto).await?),
    }
}

/// Finds a saved server by its name, or one of its tools by `SERVER:TOOL`. Both names may contain colons.
async fn server_and_tool(host: &Host, text: &str) -> Result<(ServerId, Option<String>), Fault> {
    let whole = server_named(host, text);
    let mut places = text.match_indices(':').filter(|_| whole.is_err());
    let split = places.find_map(|(at, _)| {
        let server = server_named(host, text.get(..at)?).ok()?;
        Some((server, text.get(at + 1..)?))
    });
    let Some((server, tool)) = split else { return Ok((whole?, None)) };
    let offered = host.trust(server).await?.items;
    if !offered.iter().any(|item| item.kind == PinKind::Tool && item.name == tool) {
        let name = text.strip_suffix(tool).unwrap_or(text).trim_end_matches(':');
        let message = format!("{name} has no tool {tool}, as far as Mooring has seen");
        return Err(Fault::usage(message).next(format!("List its tools: mooring trust {name}")));
    }
    Ok((server, Some(tool.to_owned())))
}

/// Runs something with the host and this person's apps.
pub(super) async fn with_host(
    session: &CommandContext,
    work: impl AsyncFnOnce(&Host, &AppEnvironment) -> Result<(), Fault>,
) -> Result<Exit, Fault> {
    let at = environment()?;
    let host = open_host(session, true).await?;
    let done = session.interrupt.guard(Box::pin(work(&host, &at))).await;
    session.interrupt.clean_up(host.shutdown()).await;
    done?.map_err(known_apps)?;
    Ok(Exit::Ok)
}

/// An app's new entry, in JSON.
#[derive(Serialize)]
struct AddedJson<'a> {
    app: &'a str,
    /// The text to copy into the app's file, in the format of most apps.
    entry: &'a str,
}

async fn add(output: Output, host: &Host, at: &AppEnvironment, app: &str) -> Result<(), Fault> {
    let entry = host.create_app_entry(at, app, AppSnippetFormat::Json).await?;
    if output.json {
        return Ok(output.result(&AddedJson { app, entry: &entry })?);
    }
    output.text(&entry)?;
    output.note("Copy this into the app’s file, and don’t share that file. The key isn’t shown again.");
    Ok(())
}

/// An app's token in JSON, or that it was removed.
#[derive(Serialize)]
struct TokenJson<'a> {
    app: &'a str,
    token: Option<&'a str>,
    /// The URL at which the token is valid. `None` if apps can't connect over HTTP.
    url: Option<String>,
}

async fn token(output: Output, host: &Host, app: &str, revoke: bool) -> Result<(), Fault> {
    let (token, had_one) = if revoke {
        (None, host.revoke_app_token(app).await?)
    } else {
        (Some(host.create_app_token(app).await?), false)
    };
    let url = host.settings().apps_address().map(|address| format!("http://{address}/mcp"));
    if output.json {
        return Ok(output.result(&TokenJson { app, token: token.as_deref(), url })?);
    }
    let shown = escape_line(app);
    match &token {
        Some(token) => output.line(token)?,
        None if had_one => output.line(&format!("{shown} can no longer connect over HTTP."))?,
        None => output.line(&format!("{shown} had no token."))?,
    }
    if token.is_some() {
        output.note(&url.map_or_else(
            || {
                "Apps can’t connect over HTTP yet. Choose a port: in Settings, under Background, or with \
                mooring serve --port PORT."
                    .to_owned()
            },
            |url| format!("Use it as the bearer token at {url}. It is not shown again."),
        ));
    }
    Ok(())
}

/// Adds to the fault how to find the name of an app.
fn known_apps(fault: Fault) -> Fault {
    let next = "List them: mooring apps --all. Prepare one that isn’t listed: mooring apps add NAME.";
    let is_unknown = fault.kind == ErrorCode::NoSuchApp.as_str();
    if is_unknown && fault.details.next.is_none() { fault.next(next) } else { fault }
}

/// Shows a change of another app's file and asks whether to make it.
async fn ask_to_change_file(
    output: Output,
    file: &str,
    diff: &str,
    consent: &Consent,
) -> Result<bool, Fault> {
    if !output.json {
        for line in diff.lines() {
            let tone = match line.as_bytes().first() {
                Some(b'+') => Some(TextStyle::Good),
                Some(b'-') => Some(TextStyle::Bad),
                _ => None,
            };
            let line = escape_line(line);
            output.line(&tone.map_or_else(|| line.clone(), |tone| output.tone(tone, &line)))?;
        }
    }
    if consent.dry_run {
        return Ok(false);
    }
    let refused = Fault::usage("changing another app’s file needs your consent")
        .next("Review the change with --dry-run, then add --yes.");
    let question = match (diff, escape_line(file)) {
        ("", file) => format!("Leave {file} as it is, and forget the app’s key?"),
        (_, file) => format!("Change {file}?"),
    };
    ask(output, &question, consent.yes, refused).await
}

/// Asks whether to do what was just shown; `yes` skips the question. Fails with `refused` if there is no
/// terminal to ask on.
pub(super) async fn ask(output: Output, question: &str, yes: bool, refused: Fault) -> Result<bool, Fault> {
    if yes {
        return Ok(true);
    }
    if output.json || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(refused);
    }
    output.note(&format!("{question} [y/N]"));
    Ok(is_yes(read_line().await))
}

fn print_change(output: Output, change: &ChangeJson<'_>, line: &str) -> Result<(), Fault> {
    if output.json {
        return Ok(output.result(change)?);
    }
    Ok(output.line(line)?)
}

fn list(output: Output, apps: &[AppView], all: bool) -> Result<(), Fault> {
    let is_shown = |app: &&AppView| all || app.state != AppPresence::Absent;
    let apps: Vec<_> = apps.iter().filter(is_shown).collect();
    if output.json {
        return output.view(&apps);
    }
    if apps.is_empty() {
        output.line("No app was found. List all that Mooring knows: mooring apps --all")?;
        return Ok(());
    }
    let mut table = Table::default();
    for app in apps {
        let servers = app.servers.iter().filter(|server| !server.ours).count();
        table.row([
            app.id.clone(),
            state(app.state).to_owned(),
            level(app).to_owned(),
            format!("{servers} of its own"),
            app.used_ms.map_or_else(String::new, |at| format!("last used {}", time(at * 1_000))),
        ]);
    }
    Ok(table.print(output, &[])?)
}

async fn show(output: Output, host: &Host, at: &AppEnvironment, id: &str) -> Result<(), Fault> {
    let app = host.app(at, id).await?;
    let entry = host.app_snippet(at, id, AppSnippetFormat::CommandLine)?;
    #[cfg(unix)]
    let cost = CostMeter::default().saved_app_cost(host, id).await?;
    let unapproved = reviews::waiting(host).await?;
    if output.json {
        let shown = ShownApp {
            app,
            entry,
            unapproved: unapproved.unwrap_or_default(),
            #[cfg(unix)]
            cost,
        };
        return output.view(&shown);
    }
    output.line(&format!("{} ({})", escape_line(&app.title), escape_line(&app.id)))?;
    let file = app.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    let problem = app.problem.as_ref().map(ToString::to_string).unwrap_or_default();
    let used = app.used_ms.map_or_else(|| "never".to_owned(), |at| time(at * 1_000));
    let names = app.longest_name.unwrap_or(app.default_longest_name);
    let names = format!("up to {names} characters, with the server’s name in front");
    let mut table = Table::default();
    for (name, value) in [
        ("state", state(app.state)),
        ("file", file.as_str()),
        ("problem", problem.as_str()),
        ("key", key(&app)),
        ("level", level(&app)),
        ("tools", tool_list(&app)),
        ("names", names.as_str()),
        ("last used", used.as_str()),
        ("entry", entry.as_str()),
    ] {
        if !value.is_empty() {
            table.row([format!("  {name}"), value.to_owned()]);
        }
    }
    for server in &app.servers {
        let here = match (server.ours, server.here) {
            (true, _) => "Mooring",
            (false, true) => "in Mooring too",
            (false, false) => "not in Mooring",
        };
        table.row(["  server".to_owned(), format!("{} ({here})", server.name)]);
    }
    for off in &app.off {
        let server = host.server(off.server).map_or_else(|_| off.server.0.to_string(), |it| it.config.name);
        let what = off.tool.as_ref().map_or_else(|| server.clone(), |tool| format!("{server}: {tool}"));
        table.row(["  off".to_owned(), what]);
    }
    for pinned in &app.pinned {
        let server =
            host.server(pinned.server).map_or_else(|_| pinned.server.0.to_string(), |it| it.config.name);
        table.row(["  pinned".to_owned(), format!("{server}: {}", pinned.tool)]);
    }
    for (what, seen) in [("all prompts", app.sees_prompts), ("all resources", app.sees_resources)] {
        if !seen {
            table.row(["  off", what].map(str::to_owned));
        }
    }
    #[cfg(unix)]
    let summary = format!("{} for each new conversation, estimated with {}", cost.tokens, cost.tokenizer);
    #[cfg(unix)]
    table.row(["  tokens".to_owned(), summary]);
    #[cfg(unix)]
    if let Some(whole) = cost.without_search {
        table.row(["  search".to_owned(), format!("in the place of all tools, which would take {whole}")]);
    }
    table.print(output, &[])?;
    #[cfg(unix)]
    show_cost(output, cost)?;
    reviews::say(output, unapproved.as_deref());
    Ok(())
}

/// Prints how many tokens each server and tool takes, the largest first.
#[cfg(unix)]
fn show_cost(output: Output, cost: AppCost) -> Result<(), Fault> {
    let mut servers = cost.servers;
    servers.sort_by_key(|server| Reverse(server.tokens));
    for server in servers {
        output.line("")?;
        output.line(&format!("  {}: {} tokens", escape_line(&server.name), server.tokens))?;
        let mut table = Table::default();
        if server.instructions > 0 {
            table.row([format!("    {:>7}", server.instructions), "its instructions".to_owned()]);
        }
        let mut tools = server.tools;
        tools.sort_by_key(|tool| Reverse(tool.tokens));
        for tool in tools {
            let off = if tool.seen { "" } else { " (off, not counted)" };
            table.row([format!("    {:>7}", tool.tokens), format!("{}{off}", tool.exposed)]);
        }
        table.print(output, &[])?;
    }
    Ok(())
}

fn state(state: AppPresence) -> &'static str {
    match state {
        AppPresence::Absent => "not found",
        AppPresence::Found => "not connected",
        AppPresence::Connected => "connected",
        AppPresence::Broken => "can’t start: run `mooring connect`",
        AppPresence::Unreadable => "file can’t be read",
        AppPresence::Unlisted => "has called",
    }
}

fn key(app: &AppView) -> &'static str {
    match app.key {
        AppKeyState::None => "",
        AppKeyState::Current if app.state == AppPresence::Connected && app.repository.is_some() => {
            "in a Git repository: everyone with a copy of it has the key; `mooring connect` takes it out"
        }
        AppKeyState::Current => "valid",
        AppKeyState::Renew => "none: each call asks until you run `mooring connect`",
        AppKeyState::Refused => "not the one that Mooring made: run `mooring connect`",
        AppKeyState::Sealed => "not known while the vault is locked",
    }
}

fn tool_list(app: &AppView) -> &'static str {
    match app.tool_list {
        AppToolList::Whole => "all",
        AppToolList::Search => "a search",
        AppToolList::Auto => "a search where there are many",
    }
}

fn level(app: &AppView) -> &'static str {
    match app.level {
        AppLevel::AskHere => "asks here",
        AppLevel::AppAsks => "the app asks",
        AppLevel::ReadOnly => "read-only",
    }
}
