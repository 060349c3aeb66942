//! `mooring tools`, `resources`, `templates`, `prompts` and `skills`: what a server offers.

use std::time::{Duration, Instant};

use mooring_host::{Diagnostic, HostError, RawJson, ResourceList, parse_lenient};
use mooring_typed::Place;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::CommandContext;
use crate::args;
use crate::connect::{ConnectedServer, Visit, with_connection};
use crate::fault::{Exit, Fault};
use crate::item::{needed, print_item, prompt_row, resource_row, skill_row, template_row, tool_row};
use crate::output::{ExchangeJson, TextStyle, escape_line, quote};
use crate::table::Table;
use crate::target::{Verb, line_with, not_listed, take_item, take_none};

/// What is listed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ListKind {
    Tools,
    Resources,
    Templates,
    Prompts,
    Skills,
}

/// A list, ready to be printed.
struct ListOutput<'a> {
    /// The server's result.
    raw: &'a RawJson,
    diagnostics: Vec<&'a Diagnostic>,
    /// Name, what belongs to it, what it is about.
    rows: Vec<[String; 3]>,
    /// Each item as it came.
    raws: Vec<&'a RawValue>,
}

impl ListKind {
    fn verb(self) -> Verb {
        match self {
            Self::Tools => Verb::with("tools", "TOOL", false),
            Self::Resources => Verb::with("resources", "RESOURCE", false),
            Self::Templates => Verb::with("templates", "TEMPLATE", false),
            Self::Prompts => Verb::with("prompts", "PROMPT", false),
            Self::Skills => Verb::with("skills", "SKILL", false),
        }
    }

    /// One of them, for people.
    fn noun(self) -> &'static str {
        match self {
            Self::Tools => "tool",
            Self::Resources => "resource",
            Self::Templates => "resource template",
            Self::Prompts => "prompt",
            Self::Skills => "skill",
        }
    }
}

pub(crate) async fn run(session: &CommandContext, args: args::List, offer: ListKind) -> Result<Exit, Fault> {
    let verb = offer.verb();
    let read = async |_: &Place, words: Vec<String>| {
        let (item, rest) = take_item(verb, words)?;
        take_none(verb, &rest)?;
        Ok(item.into())
    };
    let work = async |visit: ConnectedServer<'_>, item: Option<String>| {
        let started = Instant::now();
        let shown = list(&visit, offer, item.as_deref(), started).await;
        match shown {
            Ok(exit) => exit,
            Err(error) => {
                visit.report_failure(&error.into(), None, &visit.connection.view(), started.elapsed())
            }
        }
    };
    with_connection(session, args.target, Visit::new(verb), read, work).await
}

/// Prints the list, or one of its items.
async fn list(
    visit: &ConnectedServer<'_>,
    offer: ListKind,
    item: Option<&str>,
    started: Instant,
) -> Result<Result<Exit, Fault>, HostError> {
    let connection = visit.connection;
    Ok(match offer {
        ListKind::Tools => {
            let list = connection.tools(true).await?;
            let each = list.tools.iter().map(|tool| &tool.diagnostics);
            let rows = list.tools.iter().map(tool_row).collect();
            let raws = list.tools.iter().map(|tool| &*tool.raw).collect();
            let diagnostics = collect_diagnostics(&list.diagnostics, each);
            let listed = ListOutput { raw: &list.raw, diagnostics, rows, raws };
            show(visit, offer, &listed, item, started.elapsed())
        }
        ListKind::Prompts => {
            let list = connection.prompts(true).await?;
            let each = list.prompts.iter().map(|prompt| &prompt.diagnostics);
            let rows = list.prompts.iter().map(prompt_row).collect();
            let raws = list.prompts.iter().map(|prompt| &*prompt.raw).collect();
            let diagnostics = collect_diagnostics(&list.diagnostics, each);
            let listed = ListOutput { raw: &list.raw, diagnostics, rows, raws };
            show(visit, offer, &listed, item, started.elapsed())
        }
        ListKind::Resources | ListKind::Templates | ListKind::Skills => {
            let list = connection.resources(true).await?;
            let listed = of_resources(&list, offer);
            show(visit, offer, &listed, item, started.elapsed())
        }
    })
}

fn of_resources(list: &ResourceList, offer: ListKind) -> ListOutput<'_> {
    let (raw, rows, raws, diagnostics) = match offer {
        ListKind::Skills => (
            &list.raw_skills,
            list.skills.iter().map(skill_row).collect(),
            list.skills.iter().map(|skill| &*skill.raw).collect(),
            collect_diagnostics(&list.diagnostics, list.skills.iter().map(|skill| &skill.diagnostics)),
        ),
        ListKind::Templates => (
            &list.raw_templates,
            list.templates.iter().map(template_row).collect(),
            list.templates.iter().map(|template| &*template.raw).collect(),
            collect_diagnostics(
                &list.diagnostics,
                list.templates.iter().map(|template| &template.diagnostics),
            ),
        ),
        _ => (
            &list.raw,
            list.resources.iter().map(resource_row).collect(),
            list.resources.iter().map(|resource| &*resource.raw).collect(),
            collect_diagnostics(
                &list.diagnostics,
                list.resources.iter().map(|resource| &resource.diagnostics),
            ),
        ),
    };
    ListOutput { raw, diagnostics, rows, raws }
}

/// The diagnostics of a list and of its items.
fn collect_diagnostics<'a>(
    list: &'a [Diagnostic],
    each: impl Iterator<Item = &'a Vec<Diagnostic>>,
) -> Vec<&'a Diagnostic> {
    list.iter().chain(each.flatten()).collect()
}

fn show(
    visit: &ConnectedServer<'_>,
    offer: ListKind,
    listed: &ListOutput<'_>,
    item: Option<&str>,
    elapsed: Duration,
) -> Result<Exit, Fault> {
    let output = visit.session.output;
    if let Some(name) = item {
        return show_one(visit, offer, listed, name, elapsed);
    }
    if output.json {
        let view = visit.connection.view();
        let diagnostics = listed.diagnostics.iter().copied();
        output.answer(listed.raw, ExchangeJson::new(&view, visit.transport, diagnostics, elapsed))?;
        return Ok(Exit::Ok);
    }
    if listed.rows.is_empty() {
        output.line(match offer {
            ListKind::Tools => "The server offers no tools.",
            ListKind::Resources => "The server offers no resources.",
            ListKind::Templates => "The server offers no resource templates.",
            ListKind::Prompts => "The server offers no prompts.",
            ListKind::Skills => "The server offers no skills.",
        })?;
    }
    let mut table = Table::default();
    for row in &listed.rows {
        table.row(row.iter().map(String::as_str));
    }
    table.print(output, &[(0, TextStyle::Strong), (1, TextStyle::Quiet)])?;
    for diagnostic in &listed.diagnostics {
        output.note(&format!("remark: {}", escape_line(&diagnostic.to_string())));
    }
    Ok(Exit::Ok)
}

/// Prints one item whole.
fn show_one(
    visit: &ConnectedServer<'_>,
    offer: ListKind,
    listed: &ListOutput<'_>,
    name: &str,
    elapsed: Duration,
) -> Result<Exit, Fault> {
    let noun = offer.noun();
    let Some(at) = listed.rows.iter().position(|row| row[0] == escape_line(name)) else {
        let names = listed.rows.iter().map(|row| row[0].as_str());
        return Err(not_listed(visit.place, noun, offer.verb().name, name, names));
    };
    let output = visit.session.output;
    let raw = listed.raws[at];
    if output.json {
        let view = visit.connection.view();
        output.answer(&raw, ExchangeJson::new(&view, visit.transport, [], elapsed))?;
        return Ok(Exit::Ok);
    }
    let item: Value = parse_lenient(raw.get()).unwrap_or_default();
    print_item(output, &item, &listed.rows[at][0])?;
    let (what, verb) = match offer {
        ListKind::Tools => ("Call it", "call"),
        ListKind::Prompts => ("Get it", "prompt"),
        ListKind::Resources | ListKind::Skills => ("Read it", "read"),
        ListKind::Templates => ("Fill it in and read it", "read"),
    };
    let arguments = needed(&item).into_iter().map(|name| format!("{}=…", quote(name)));
    let words: Vec<String> = std::iter::once(quote(name)).chain(arguments).collect();
    let line = line_with(visit.place, verb, &words.join(" "));
    output.note(&format!("  → {what}: {line}"));
    Ok(Exit::Ok)
}
