//! The cost of the servers for an app: how many tokens their tools and instructions take in each new
//! conversation.
//!
//! A real tokenizer counts the tokens. For models with another tokenizer, the counts are an estimate. The
//! tokenizer's table takes tens of megabytes, so it is only loaded while new texts are counted.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use mooring_approvals::ListedIn;
use mooring_base::digest::sha256;
use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_words::Sentence;
use serde::Serialize;
use serde_json::Value;
use tiktoken_rs::CoreBPE;

use crate::catalogue::{Catalogue, RunPlace};

/// The tokenizer of many models since 2024.
const TOKENIZER: &str = "o200k_base";
/// The most texts whose count is remembered.
const MAX_COUNTED: usize = 16_384;
/// The longest piece of text that is counted at once, in bytes. The tokenizer fails on a million consecutive
/// spaces.
const MAX_PIECE: usize = 64 << 10;
/// The members of a definition that apps don't pass on to models.
const NOT_FOR_MODELS: [&str; 2] = ["icons", "_meta"];

/// The cost for an app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AppCost {
    /// The name of the tokenizer that was used.
    pub tokenizer: &'static str,
    /// The tokens of all servers. With a search, the tokens of the search tools, the pinned tools and the
    /// instructions.
    pub tokens: usize,
    /// The tokens of all tools, if the app gets a search instead.
    pub without_search: Option<usize>,
    /// The servers, as the app sees them. A server that is off for the app costs nothing.
    pub servers: Vec<ServerCost>,
}

/// The cost of one server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerCost {
    /// The server.
    pub server: ServerId,
    /// The server's name.
    pub name: String,
    /// The tokens of the server's instructions and of the tools that the app sees.
    pub tokens: usize,
    /// The tokens of the server's instructions, as the app gets them.
    pub instructions: usize,
    /// The server's approved tools, including those that are off for the app.
    pub tools: Vec<ToolCost>,
}

/// The cost of a tool's definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolCost {
    /// The server's name for the tool.
    pub name: String,
    /// The app's name for the tool.
    pub exposed: String,
    /// The tokens that the tool takes if the app sees it.
    pub tokens: usize,
    /// Whether the app sees the tool.
    pub seen: bool,
}

/// Token counts by the hash of the text.
type Counts = HashMap<String, usize>;

/// Counts tokens, each text once.
#[derive(Debug, Default)]
pub struct CostMeter {
    /// Token counts of texts. Locked while counting, so that no text is counted twice.
    counted: Arc<Mutex<Counts>>,
}

impl CostMeter {
    /// The current cost for an app. This process runs the servers.
    pub async fn app_cost(&self, host: &Host, app: &str) -> Result<AppCost, HostError> {
        self.compute_cost(host, app, RunPlace::Here).await
    }

    /// The cost for an app with the servers that start with Mooring, according to their approvals. If the
    /// servers run, they run in another process.
    pub async fn saved_app_cost(&self, host: &Host, app: &str) -> Result<AppCost, HostError> {
        self.compute_cost(host, app, RunPlace::Elsewhere).await
    }

    async fn compute_cost(&self, host: &Host, app: &str, run: RunPlace) -> Result<AppCost, HostError> {
        let in_force = host.profiles().in_force();
        let access = host.app_access_in(app, in_force.active().map(|active| &**active));
        let mut everything = access.clone();
        everything.off = BTreeSet::new();
        let seen = Catalogue::read_with(host, app, &access, (None, ListedIn::SharedEra), run, None).await?;
        let all =
            Catalogue::read_with(host, app, &everything, (None, ListedIn::SharedEra), run, None).await?;
        let tools = all.tools();
        let of_search = seen.is_searched().then(|| seen.search_definitions());
        let of_search: Vec<String> = of_search.iter().flatten().map(Value::to_string).collect();
        let definitions = tools.iter().map(|tool| tool.definition.clone()).chain(of_search).collect();
        let sections = seen.sections.iter().map(|(_, text)| text.clone()).collect();
        let mut tokens = self.count_texts(definitions, sections).await?.into_iter();
        let mut servers: Vec<ServerCost> = Vec::new();
        for (tool, tokens) in tools.iter().zip(&mut tokens) {
            let cost = ToolCost {
                name: tool.own.clone(),
                exposed: tool.exposed.clone(),
                tokens,
                seen: access.sees_tool(tool.server, &tool.own),
            };
            find_or_add_cost(&mut servers, tool.server).tools.push(cost);
        }
        let search: usize = tokens.by_ref().take(if seen.is_searched() { 3 } else { 0 }).sum();
        for ((server, _), tokens) in seen.sections.iter().zip(tokens) {
            find_or_add_cost(&mut servers, *server).instructions = tokens;
        }
        for server in &mut servers {
            server.name = host.server(server.server)?.config.name;
            let of_tools: usize = server.tools.iter().filter(|tool| tool.seen).map(|tool| tool.tokens).sum();
            server.tokens = of_tools + server.instructions;
        }
        let whole = servers.iter().map(|server| server.tokens).sum();
        let instructions: usize = servers.iter().map(|server| server.instructions).sum();
        let (tokens, without_search) = if seen.is_searched() {
            let is_pinned = |tool: &ToolCost| {
                tool.seen && seen.pinned_tools().any(|pinned| pinned.exposed == tool.exposed)
            };
            let of_pinned = servers.iter().flat_map(|server| &server.tools).filter(|tool| is_pinned(tool));
            let pinned: usize = of_pinned.map(|tool| tool.tokens).sum();
            (search + pinned + instructions, Some(whole))
        } else {
            (whole, None)
        };
        Ok(AppCost { tokenizer: TOKENIZER, tokens, without_search, servers })
    }

    /// The tokens of each definition, followed by those of each other text.
    async fn count_texts(
        &self,
        definitions: Vec<String>,
        others: Vec<String>,
    ) -> Result<Vec<usize>, HostError> {
        let counted = Arc::clone(&self.counted);
        let work = tokio::task::spawn_blocking(move || {
            let texts = definitions.iter().map(|text| remove_hidden_members(text)).chain(others);
            let texts: Vec<(String, String)> = texts.map(|text| (sha256(&text), text)).collect();
            count_all(&mut counted.lock().unwrap_or_else(PoisonError::into_inner), &texts)
        });
        work.await.map_err(|error| internal_error(&error))?
    }
}

/// The server's cost in the list. Adds an empty one if the list has none.
fn find_or_add_cost(servers: &mut Vec<ServerCost>, server: ServerId) -> &mut ServerCost {
    let at = servers.iter().position(|cost| cost.server == server).unwrap_or(servers.len());
    if at == servers.len() {
        servers.push(ServerCost {
            server,
            name: String::new(),
            tokens: 0,
            instructions: 0,
            tools: Vec::new(),
        });
    }
    &mut servers[at]
}

/// The definition without the parts that no model gets. A definition that can't be parsed, for instance
/// because it is nested too deeply, is returned unchanged.
fn remove_hidden_members(definition: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(definition) else { return definition.to_owned() };
    for name in NOT_FOR_MODELS {
        value.as_object_mut().and_then(|members| members.shift_remove(name));
    }
    value.to_string()
}

/// The tokens of each text, which comes with its hash. New counts are cached.
fn count_all(counted: &mut Counts, texts: &[(String, String)]) -> Result<Vec<usize>, HostError> {
    if counted.len() > MAX_COUNTED {
        counted.clear();
    }
    let mut tokenizer = None;
    let mut tokens = Vec::with_capacity(texts.len());
    for (key, text) in texts {
        let known = counted.get(key).copied();
        let of_text = match (known, &mut tokenizer) {
            (Some(known), _) => known,
            (None, Some(tokenizer)) => count_tokens(tokenizer, text)?,
            (None, none) => {
                let new = tiktoken_rs::o200k_base().map_err(|error| internal_error(&error))?;
                count_tokens(none.insert(new), text)?
            }
        };
        counted.insert(key.clone(), of_text);
        tokens.push(of_text);
    }
    Ok(tokens)
}

fn count_tokens(tokenizer: &CoreBPE, mut text: &str) -> Result<usize, HostError> {
    let mut tokens = 0;
    while !text.is_empty() {
        let (piece, rest) = text.split_at(text.floor_char_boundary(MAX_PIECE));
        let (encoded, _) =
            tokenizer.encode(piece, &HashSet::new()).map_err(|error| internal_error(&error))?;
        tokens += encoded.len();
        text = rest;
    }
    Ok(tokens)
}

fn internal_error(error: &dyn std::fmt::Display) -> HostError {
    HostError::Internal(Sentence::quoted(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tokens_are_those_of_the_tokenizer() {
        let meter = CostMeter::default();
        let texts = ["hello world", "tiktoken is great!", "", "hello world"].map(str::to_owned);
        assert_eq!(meter.count_texts(Vec::new(), texts.into()).await.unwrap(), [2, 6, 0, 2]);
        // What was counted is counted no more, and what is new comes beside it.
        assert_eq!(
            meter.count_texts(Vec::new(), vec!["hello".to_owned(), String::new()]).await.unwrap(),
            [1, 0]
        );
        assert_eq!(meter.counted.lock().unwrap().len(), 4);
    }

    #[tokio::test]
    async fn long_and_odd_texts_are_counted_in_time() {
        let meter = CostMeter::default();
        let texts = [" ", "a", "港", "="].map(|part| part.repeat(2 << 20));
        let counts = tokio::time::timeout(
            std::time::Duration::from_mins(1),
            meter.count_texts(Vec::new(), texts.into()),
        );
        let counts = counts.await.unwrap().unwrap();
        assert!(counts.iter().all(|count| *count > 1_000), "{counts:?}");
    }

    #[test]
    fn what_no_model_gets_is_not_counted() {
        let definition =
            r#"{ "name": "x", "icons": [{"src": "data:,"}], "inputSchema": {"icons": 1}, "_meta": {} }"#;
        assert_eq!(remove_hidden_members(definition), r#"{"name":"x","inputSchema":{"icons":1}}"#);
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert_eq!(remove_hidden_members(&deep), deep);
    }
}
