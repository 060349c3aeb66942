//! `mooring tools`, `resources`, `templates`, `prompts` and `skills`: what a server offers.

use std::time::{Duration, Instant};

use mooring_command_line as args;
use mooring_connect::{
    ConnectedServer, Session, Verb, Visit, line_with, not_listed, take_item, take_none, with_connection,
};
use mooring_faults::{Exit, Fault};
use mooring_jsonrpc::parse_lenient;
use mooring_terminal::item::{item_row, needed, print_item};
use mooring_terminal::output::{ExchangeJson, TextStyle, escape_line, quote};
use mooring_terminal::table::Table;
use mooring_typed::Place;
use mooring_visits::{ItemKind, Listing};
use serde_json::Value;

/// The command that lists such items.
fn verb(kind: ItemKind) -> Verb {
    match kind {
        ItemKind::Tools => Verb::with("tools", "TOOL", false),
        ItemKind::Resources => Verb::with("resources", "RESOURCE", false),
        ItemKind::Templates => Verb::with("templates", "TEMPLATE", false),
        ItemKind::Prompts => Verb::with("prompts", "PROMPT", false),
        ItemKind::Skills => Verb::with("skills", "SKILL", false),
    }
}

/// What one such item is called, for people.
fn noun(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Tools => "tool",
        ItemKind::Resources => "resource",
        ItemKind::Templates => "resource template",
        ItemKind::Prompts => "prompt",
        ItemKind::Skills => "skill",
    }
}

/// Prints the items of one kind that a server has.
pub async fn run(session: &Session, args: args::List, kind: ItemKind) -> Result<Exit, Fault> {
    let verb = verb(kind);
    let read = async |_: &Place, words: Vec<String>| {
        let (item, rest) = take_item(verb, words)?;
        take_none(verb, &rest)?;
        Ok(item.into())
    };
    let work = async |visit: ConnectedServer<'_>, item: Option<String>| {
        let started = Instant::now();
        match visit.server.list(kind, true).await {
            Ok(listing) => show(&visit, kind, &listing, item.as_deref(), started.elapsed()),
            Err(fault) => visit.report_failure(&fault, None, started.elapsed()),
        }
    };
    with_connection(session, args.target, Visit::new(verb), read, work).await
}

fn show(
    visit: &ConnectedServer<'_>,
    kind: ItemKind,
    listing: &Listing,
    item: Option<&str>,
    elapsed: Duration,
) -> Result<Exit, Fault> {
    let output = visit.session.output;
    if let Some(name) = item {
        return show_one(visit, kind, listing, name, elapsed);
    }
    if output.json {
        let facts = visit.server.facts();
        output.answer(&listing.raw, ExchangeJson::new(&facts, &listing.remarks, elapsed))?;
        return Ok(Exit::Ok);
    }
    if listing.items.is_empty() {
        output.line(&format!("The server offers no {}s.", noun(kind)))?;
    }
    let mut table = Table::default();
    for item in &listing.items {
        table.row(item_row(item));
    }
    table.print(output, &[(0, TextStyle::Strong), (1, TextStyle::Quiet)])?;
    visit.say_remarks(&listing.remarks);
    Ok(Exit::Ok)
}

/// Prints one item in full.
fn show_one(
    visit: &ConnectedServer<'_>,
    kind: ItemKind,
    listing: &Listing,
    name: &str,
    elapsed: Duration,
) -> Result<Exit, Fault> {
    let Some(listed) = listing.items.iter().find(|item| item.name == name) else {
        let names = listing.items.iter().map(|item| item.name.as_str());
        return Err(not_listed(visit.place, noun(kind), verb(kind).name, name, names));
    };
    let output = visit.session.output;
    if output.json {
        let facts = visit.server.facts();
        output.answer(&listed.raw, ExchangeJson::new(&facts, [], elapsed))?;
        return Ok(Exit::Ok);
    }
    let item: Value = parse_lenient(listed.raw.get()).unwrap_or_default();
    print_item(output, &item, &escape_line(name))?;
    let (what, verb) = match kind {
        ItemKind::Tools => ("Call it", "call"),
        ItemKind::Prompts => ("Get it", "prompt"),
        ItemKind::Resources | ItemKind::Skills => ("Read it", "read"),
        ItemKind::Templates => ("Fill it in and read it", "read"),
    };
    let arguments = needed(&item).into_iter().map(|name| format!("{}=…", quote(&name)));
    let words: Vec<String> = std::iter::once(quote(name)).chain(arguments).collect();
    let line = line_with(visit.place, verb, &words.join(" "));
    output.note(&format!("  → {what}: {line}"));
    Ok(Exit::Ok)
}
