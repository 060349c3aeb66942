//! `mooring search`: finds what the saved servers offer by words. No server is started; the search covers
//! what they listed last.

use mooring_connect::open_host;
use mooring_revisions::OfferKind;
use serde::Serialize;
use serde_json::Value;

use crate::CommandContext;
use crate::args;
use crate::fault::{Exit, Fault};
use crate::output::{TextStyle, quote};
use crate::table::Table;

/// The largest number of matches that is shown to a person.
const MOST_SHOWN: usize = 40;

/// A match.
#[derive(Serialize)]
struct Found {
    server: String,
    kind: &'static str,
    name: String,
    title: Option<String>,
    description: Option<String>,
    #[serde(skip)]
    rank: usize,
}

pub(crate) async fn run(session: &CommandContext, args: &args::Search) -> Result<Exit, Fault> {
    let host = open_host(session, false).await?;
    let words: Vec<String> =
        args.query.iter().flat_map(|word| word.split_whitespace()).map(str::to_lowercase).collect();
    let searched = async {
        let (mut found, mut unread) = (Vec::new(), Vec::new());
        for server in host.servers() {
            let name = server.config.name;
            let remembered = host.remembered(server.id).await?;
            if !remembered.is_listed() {
                unread.push(name);
                continue;
            }
            let mut of_server: Vec<Found> = Vec::new();
            for (kind, word) in KINDS {
                for item in remembered.listed(kind) {
                    let is_known = |known: &Found| known.name == item.name && known.kind == word;
                    if !of_server.iter().any(is_known)
                        && let Some(fits) = match_item(&name, word, &item.name, item.raw.get(), &words)
                    {
                        of_server.push(fits);
                    }
                }
            }
            found.extend(of_server);
        }
        found.sort_by_key(|item| item.rank);
        Ok::<_, Fault>((found, unread))
    };
    let searched = session.interrupt.guard(searched).await;
    session.interrupt.clean_up(host.shutdown()).await;
    let (found, unread) = searched??;
    let output = session.output;
    if output.json {
        output.result(&found)?;
        return Ok(Exit::Ok);
    }
    let mut table = Table::default();
    for item in found.iter().take(MOST_SHOWN) {
        let about = item.description.as_deref().or(item.title.as_deref()).unwrap_or_default();
        let about = about.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        table.row([&quote(&item.server), item.kind, &quote(&item.name), about]);
    }
    table.print(output, &[(0, TextStyle::Quiet), (1, TextStyle::Quiet), (2, TextStyle::Strong)])?;
    match found.len() {
        0 => output.line("Nothing found.")?,
        count if count > MOST_SHOWN => output.note(&format!("{} more: add a word.", count - MOST_SHOWN)),
        _ => {}
    }
    for name in unread {
        output.note(&format!("{name} was never listed: mooring tools {}", quote(&name)));
    }
    if let Some(Found { server, kind, name, .. }) = found.first() {
        let verb = match *kind {
            "tool" => "tools",
            "prompt" => "prompts",
            "template" => "templates",
            _ => "read",
        };
        output.note(&format!("  → See the first: mooring {verb} {} {}", quote(server), quote(name)));
    }
    Ok(Exit::Ok)
}

const KINDS: [(OfferKind, &str); 4] = [
    (OfferKind::Tools, "tool"),
    (OfferKind::Prompts, "prompt"),
    (OfferKind::Resources, "resource"),
    (OfferKind::Templates, "template"),
];

/// Whether an item's texts contain every word. Items with more of the words in their name are sorted first.
fn match_item(server: &str, kind: &'static str, name: &str, raw: &str, words: &[String]) -> Option<Found> {
    let definition: Value = serde_json::from_str(raw).unwrap_or_default();
    let text = |key: &str| definition.get(key).and_then(Value::as_str).map(str::to_owned);
    let (title, description) = (text("title").or_else(|| text("name")), text("description"));
    let lower = |text: &str| text.to_lowercase();
    let named = format!("{} {}", lower(name), lower(title.as_deref().unwrap_or_default()));
    let said = format!("{} {}", lower(server), lower(description.as_deref().unwrap_or_default()));
    let mut rank = 0;
    for word in words {
        if !named.contains(word.as_str()) {
            rank += 1;
            if !said.contains(word.as_str()) {
                return None;
            }
        }
    }
    let title = title.filter(|title| title != name);
    Some(Found { server: server.to_owned(), kind, name: name.to_owned(), title, description, rank })
}
