//! `mooring trust`: shows what a server offers and what of it is approved, and approves it.

use std::time::{Duration, Instant};

use mooring_base::server_id::ServerId;
use mooring_connect::{open_host, server_named};
use mooring_connections::{ConnectOptions, Target};
use mooring_host::Host;
use mooring_policy::{DiffOp, DiffPiece, PinApproval, PinChange, PinKind, PinState, PinView, TrustView};
use serde::Serialize;
use serde_json::Value;

use crate::CommandContext;
use crate::args;
use crate::command::apps::ask;
use crate::fault::{Exit, Fault};
use crate::output::{Output, TextStyle, escape, escape_line};
use crate::table::Table;

/// How long to wait for the list of a server that was just added.
const LISTING_TIMEOUT: Duration = Duration::from_secs(10);

/// The approvals of a server, in JSON.
#[derive(Serialize)]
struct TrustJson<'a> {
    #[serde(flatten)]
    trust: &'a TrustView,
    /// The items that this command approved.
    approved: Vec<ApprovedJson<'a>>,
}

#[derive(Serialize)]
struct ApprovedJson<'a> {
    kind: PinKind,
    name: &'a str,
}

pub(crate) async fn run(session: &CommandContext, args: &args::Trust) -> Result<Exit, Fault> {
    let host = open_host(session, true).await?;
    let done = session.interrupt.guard(Box::pin(trust(session, &host, args))).await;
    session.interrupt.clean_up(host.shutdown()).await;
    done??;
    Ok(Exit::Ok)
}

async fn trust(session: &CommandContext, host: &Host, args: &args::Trust) -> Result<(), Fault> {
    let output = session.output;
    let server = server_named(host, &args.server)?;
    if let Err(error) = host.open_vault_to_decide().await {
        if args.approve {
            return Err(error.into());
        }
        let why = Fault::from(error).message;
        output.note(&format!("remark: what was approved can’t be verified: {}", escape_line(&why)));
    }
    if host.is_supervised_elsewhere() && host.server(server)?.enabled {
        if args.items.iter().any(|name| name != PinKind::Server.as_str()) || args.items.is_empty() {
            until_listed(session, host, server).await?;
        }
    } else {
        record_current_offers(session, host, server, &args.server).await;
    }
    let view = host.trust(server).await?;
    let named = named_items(&view, &args.items, &args.server)?;
    if !args.approve {
        if output.json {
            return output.view(&TrustJson { trust: &view, approved: Vec::new() });
        }
        return if named.is_empty() { list(output, &view) } else { show(output, &named) };
    }
    let waiting: Vec<_> = if args.items.is_empty() {
        view.items.iter().filter(|item| is_approved_with_others(item)).collect()
    } else {
        named.into_iter().filter(|item| matches!(item.state, PinState::New | PinState::Changed)).collect()
    };
    let is_none = waiting.is_empty();
    let agreed = !is_none && ask_to_approve(output, &waiting, args.yes).await?;
    let approved = if agreed { waiting } else { Vec::new() };
    let after = if agreed { approve(host, server, &approved).await? } else { view.clone() };
    if output.json {
        let done = approved.iter().map(|item| ApprovedJson { kind: item.kind, name: &item.name });
        return output.view(&TrustJson { trust: &after, approved: done.collect() });
    }
    output.line(&match approved.len() {
        0 if is_none && args.items.is_empty() => "Nothing new to approve.".to_owned(),
        0 if is_none => "Already approved.".to_owned(),
        0 => "Nothing was approved.".to_owned(),
        1 => "Approved 1 item.".to_owned(),
        count => format!("Approved {count} items."),
    })?;
    let is_waiting = |item: &&PinView| matches!(item.state, PinState::New | PinState::Changed);
    let left: Vec<_> = after.items.iter().filter(is_waiting).map(item_name).collect();
    if (agreed || is_none) && !left.is_empty() {
        output.note(&format!(
            "Not approved: {}. Review each, then approve it by name: mooring trust {} ITEM --approve",
            escape_line(&left.join(", ")),
            escape_line(&args.server)
        ));
    }
    Ok(())
}

/// Waits until a running Mooring has listed what a new server offers. Apps get what that Mooring has seen.
async fn until_listed(session: &CommandContext, host: &Host, server: ServerId) -> Result<(), Fault> {
    let is_listed = async || {
        let trust = host.trust(server).await?;
        // A blocked server lists nothing. Instructions arrive before the lists.
        let is_blocked = trust.definition.state == PinState::Changed;
        Ok::<_, Fault>(is_blocked || trust.items.iter().any(|item| item.kind != PinKind::Instructions))
    };
    if is_listed().await? {
        return Ok(());
    }
    let spinner = session.output.spinner("Waiting for the Mooring that runs to list it".to_owned());
    let until = Instant::now() + LISTING_TIMEOUT;
    while !is_listed().await? && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // The other lists arrive at about the same time.
    tokio::time::sleep(Duration::from_millis(500)).await;
    spinner.finish_and_clear();
    Ok(())
}

/// Records what the server offers now. If it can't be asked, what was seen last is used.
async fn record_current_offers(session: &CommandContext, host: &Host, server: ServerId, name: &str) {
    let spinner = session.output.spinner(format!("Connecting to {}", escape_line(name)));
    // Connecting as the gateway does ensures that apps will see what is reviewed here.
    host.declare_as_gateway();
    let connected = host.connect(Target::Saved { name: name.to_owned() }, ConnectOptions::default()).await;
    spinner.finish_and_clear();
    let listed = match connected {
        Ok(connection) => {
            let listed = Box::pin(host.record_offers(server, &connection)).await;
            connection.close().await;
            listed
        }
        Err(error) => Err(error),
    };
    if let Err(error) = listed {
        let why = Fault::from(error).message;
        session.output.note(&format!("remark: {}. What was seen last is shown.", escape_line(&why)));
    }
}

/// Approves items as they were shown.
async fn approve(host: &Host, server: ServerId, items: &[&PinView]) -> Result<TrustView, Fault> {
    let approval =
        |item: &&PinView| PinApproval { kind: item.kind, name: item.name.clone(), hash: item.hash.clone() };
    let approvals: Vec<_> = items.iter().map(approval).collect();
    Ok(host.approve_trust(server, &approvals).await?)
}

async fn ask_to_approve(output: Output, items: &[&PinView], yes: bool) -> Result<bool, Fault> {
    if !output.json {
        show(output, items)?;
    }
    let question = match items.len() {
        1 => "Approve this item as it is shown?".to_owned(),
        count => format!("Approve these {count} items as they are shown?"),
    };
    let refused = Fault::usage("approving needs your consent")
        .next("Review the items without --approve, then add --yes.");
    ask(output, &question, yes, refused).await
}

/// Whether the item may be approved together with others: it is new, it is shown in full, and has no hidden
/// characters. The window does the same.
fn is_approved_with_others(item: &PinView) -> bool {
    item.state == PinState::New && item.hidden.is_empty() && item.whole.is_none()
}

/// The name by which an item is found here. An item without a name has its kind as the name.
fn item_name(item: &PinView) -> &str {
    if item.name.is_empty() { item.kind.as_str() } else { &item.name }
}

/// Finds items by their names. Servers choose names, so a name that several items share matches none of them;
/// the kind must precede it.
fn named_items<'a>(view: &'a TrustView, names: &[String], server: &str) -> Result<Vec<&'a PinView>, Fault> {
    let every = || std::iter::once(&view.definition).chain(&view.items);
    let full_name = |item: &PinView| format!("{}:{}", item.kind.as_str(), item.name);
    let mut found = Vec::new();
    for name in names {
        let named: Vec<_> =
            every().filter(|item| item_name(item) == name || full_name(item) == *name).collect();
        match named.as_slice() {
            [item] => found.push(*item),
            [] => {
                return Err(Fault::usage(format!("{server} has nothing called {name}"))
                    .next(format!("List what it has: mooring trust {server}")));
            }
            several => {
                let names: Vec<_> = several.iter().map(|item| full_name(item)).collect();
                return Err(Fault::usage(format!("{server} has several things called {name}"))
                    .next(format!("Name one of them: {}", names.join(", "))));
            }
        }
    }
    Ok(found)
}

fn list(output: Output, view: &TrustView) -> Result<(), Fault> {
    let mut table = Table::default();
    for item in std::iter::once(&view.definition).chain(&view.items) {
        // A definition that was too long to be kept in full may not be valid JSON. Then only its name is
        // shown.
        let now: Option<Value> = serde_json::from_str(&item.now).ok();
        let member = |name| now.as_ref()?.get(name)?.as_str();
        let text = ["description", "title", "command", "url"].into_iter().find_map(member);
        let text = text.or(now.as_ref().and_then(Value::as_str)).unwrap_or_default();
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        table.row([state(item.state), item.kind.as_str(), item_name(item), line]);
    }
    table.print(output, &[(2, TextStyle::Strong)])?;
    Ok(())
}

/// Prints items in full, as they would be approved.
fn show(output: Output, items: &[&PinView]) -> Result<(), Fault> {
    for item in items {
        let heading = format!("{} {} ({})", item.kind.as_str(), item_name(item), state(item.state));
        output.line(&output.tone(TextStyle::Strong, &escape_line(&heading)))?;
        for hidden in &item.hidden {
            let (place, times) = (escape_line(&hidden.pointer), hidden.count);
            let line = format!("  ! {} at {place}: {} (× {times})", hidden.code_point, hidden.reason);
            output.line(&output.tone(TextStyle::Bad, &line))?;
        }
        if let Some(whole) = item.whole {
            let line = format!("  ! It is too long to be shown in full: {whole} bytes.");
            output.line(&output.tone(TextStyle::Bad, &line))?;
        }
        print_changes(output, &item.changes, item.unshown)?;
        for line in indent_json(&item.now).lines() {
            output.line(&format!("  {}", escape_line(line)))?;
        }
    }
    Ok(())
}

/// Prints what changed, part by part.
pub(super) fn print_changes(output: Output, changes: &[PinChange], unshown: usize) -> Result<(), Fault> {
    for change in changes {
        let order = if change.order_only { " (the same words in another order)" } else { "" };
        output.line(&format!("  changed: {}{order}", escape_line(&change.pointer)))?;
        show_text(output, "    - ", &change.pieces, DiffOp::Removed, TextStyle::Bad)?;
        show_text(output, "    + ", &change.pieces, DiffOp::Added, TextStyle::Good)?;
    }
    if unshown > 0 {
        output.line(&format!("  and {unshown} more parts changed"))?;
    }
    Ok(())
}

/// Prints one of the two texts of a difference: the lines that differ from the other text. Each has the mark,
/// so that a server's text can't pass for the other one.
fn show_text(
    output: Output,
    mark: &str,
    pieces: &[DiffPiece],
    only: DiffOp,
    style: TextStyle,
) -> Result<(), Fault> {
    let mut as_before = 0;
    let skipped = |count: usize| match count {
        0 => Ok(()),
        1 => output.line("      (1 line as before)"),
        count => output.line(&format!("      ({count} lines as before)")),
    };
    for (line, differs) in lines_of(output, pieces, only, style) {
        if differs {
            skipped(std::mem::take(&mut as_before))?;
            output.line(&format!("{mark}{line}"))?;
        } else {
            as_before += 1;
        }
    }
    Ok(skipped(as_before)?)
}

/// The lines of one of the two texts, each with whether it differs from the other text.
fn lines_of(output: Output, pieces: &[DiffPiece], only: DiffOp, style: TextStyle) -> Vec<(String, bool)> {
    let mut lines = vec![(String::new(), false)];
    for piece in pieces {
        let is_shown = piece.op == DiffOp::Same || piece.op == only;
        for (at, part) in escape(&piece.text).split('\n').enumerate() {
            if at > 0 && is_shown {
                lines.push((String::new(), false));
            }
            if let Some((line, differs)) = lines.last_mut() {
                *differs |= piece.op != DiffOp::Same;
                // Each line has its own style codes.
                match piece.op {
                    DiffOp::Same => line.push_str(part),
                    op if op == only => line.push_str(&output.tone(style, part)),
                    DiffOp::Removed | DiffOp::Added => {}
                }
            }
        }
    }
    lines
}

/// Formats JSON with one member on each line. It is not parsed into a value, which would lose members with
/// equal names and digits of numbers.
fn indent_json(json: &str) -> String {
    let (mut text, mut depth) = (String::new(), 0_usize);
    let (mut in_string, mut is_escaped) = (false, false);
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        let new_line = |text: &mut String, depth: usize| {
            text.push('\n');
            text.extend(std::iter::repeat_n("  ", depth));
        };
        match character {
            _ if in_string => {
                in_string = is_escaped || character != '"';
                is_escaped = character == '\\' && !is_escaped;
                text.push(character);
            }
            '{' | '[' => {
                text.push(character);
                if !matches!(characters.peek(), Some('}' | ']')) {
                    depth += 1;
                    new_line(&mut text, depth);
                }
            }
            '}' | ']' => {
                if !text.ends_with(['{', '[']) {
                    depth = depth.saturating_sub(1);
                    new_line(&mut text, depth);
                }
                text.push(character);
            }
            ',' => {
                text.push(character);
                new_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            _ => {
                in_string = character == '"';
                text.push(character);
            }
        }
    }
    text
}

fn state(state: PinState) -> &'static str {
    match state {
        PinState::New => "new",
        PinState::Approved => "approved",
        PinState::Changed => "changed",
        PinState::Gone => "removed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_differ_are_among_those_of_a_difference() {
        let piece = |op, text: &str| DiffPiece { op, text: text.to_owned() };
        let pieces = [
            piece(DiffOp::Same, "one\ntwo "),
            piece(DiffOp::Removed, "old"),
            piece(DiffOp::Added, "new\nmore"),
            piece(DiffOp::Same, "\nthree\nfour"),
        ];
        let lines = |only| -> Vec<String> {
            let lines = lines_of(Output::new(true), &pieces, only, TextStyle::Bad);
            lines
                .into_iter()
                .map(|(line, differs)| format!("{}{line}", if differs { "*" } else { "" }))
                .collect()
        };
        assert_eq!(lines(DiffOp::Removed), ["one", "*two old", "three", "four"]);
        assert_eq!(lines(DiffOp::Added), ["one", "*two new", "*more", "three", "four"]);
    }

    #[test]
    fn json_is_indented_without_losing_anything() {
        let json = r#"{"a":[],"a":{},"b":[1,{"c":"x,\"{:"}],"d":12345678901234567890123}"#;
        let expected = r#"{
  "a": [],
  "a": {},
  "b": [
    1,
    {
      "c": "x,\"{:"
    }
  ],
  "d": 12345678901234567890123
}"#;
        assert_eq!(indent_json(json), expected);
    }
}
