//! What an app pays: how many tokens the tools and instructions take that it gets for each new conversation.
//!
//! A real tokenizer counts them; for a model that has another one they are an estimate. Its table takes tens of
//! megabytes, so it is there only while something is counted that was not counted before.

use std::collections::{BTreeSet, HashMap, HashSet};

use mooring_base::digest::sha256;
use mooring_host::{Host, HostError, Sentence, ServerId};
use serde::Serialize;
use serde_json::Value;
use tiktoken_rs::CoreBPE;
use tokio::sync::Mutex;

use crate::catalogue::{Catalogue, RunPlace};

/// What counts: the tokenizer of many models since 2024.
const TOKENIZER: &str = "o200k_base";
/// The most texts whose count is remembered.
const MAX_COUNTED: usize = 16_384;
/// The longest text that is counted at once, in bytes: the tokenizer gives up on a million spaces in a row.
const MAX_PIECE: usize = 64 << 10;
/// The members of a definition that are for the app alone, and no model gets.
const NOT_FOR_MODELS: [&str; 2] = ["icons", "_meta"];

/// What an app pays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AppCost {
    /// The tokenizer that counted.
    pub tokenizer: &'static str,
    /// Its tokens: those of the servers together.
    pub tokens: usize,
    /// The servers, as the app sees them. One that is off for it costs nothing.
    pub servers: Vec<ServerCost>,
}

/// What an app pays for a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerCost {
    /// The server.
    pub server: ServerId,
    /// Its name.
    pub name: String,
    /// The tokens of its instructions and of the tools that the app sees.
    pub tokens: usize,
    /// The tokens of its instructions, as the app gets them.
    pub instructions: usize,
    /// Its approved tools, also those that are off for the app.
    pub tools: Vec<ToolCost>,
}

/// The definition of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolCost {
    /// What the server calls it.
    pub name: String,
    /// What the app calls it.
    pub exposed: String,
    /// Its tokens, for an app that sees it.
    pub tokens: usize,
    /// The app sees it.
    pub seen: bool,
}

/// Counts tokens, each text once.
#[derive(Debug, Default)]
pub struct CostMeter {
    /// By the hash of the text. Who counts holds it, so that nothing is counted twice at the same time.
    counted: Mutex<HashMap<String, usize>>,
}

impl CostMeter {
    /// What an app pays now. This process runs the servers.
    pub async fn app_cost(&self, host: &Host, app: &str) -> Result<AppCost, HostError> {
        self.cost(host, app, RunPlace::Here).await
    }

    /// What an app pays when the servers run that start with Mooring, by what was approved of them. Another process
    /// runs them, if any does.
    pub async fn saved_app_cost(&self, host: &Host, app: &str) -> Result<AppCost, HostError> {
        self.cost(host, app, RunPlace::Elsewhere).await
    }

    async fn cost(&self, host: &Host, app: &str, run: RunPlace) -> Result<AppCost, HostError> {
        let access = host.app_access(app);
        let mut everything = access.clone();
        everything.off = BTreeSet::new();
        let seen = Catalogue::read_with(host, &access, None, run).await?;
        let all = Catalogue::read_with(host, &everything, None, run).await?;
        let tools = all.tools();
        let sections = seen.sections.iter().map(|(_, text)| text.clone());
        let texts = tools.iter().map(|tool| for_model(&tool.definition)).chain(sections).collect();
        let mut tokens = self.count(texts).await?.into_iter();
        let mut servers: Vec<ServerCost> = Vec::new();
        for (tool, tokens) in tools.iter().zip(&mut tokens) {
            let cost = ToolCost {
                name: tool.own.clone(),
                exposed: tool.exposed.clone(),
                tokens,
                seen: access.sees_tool(tool.server, &tool.own),
            };
            entry(&mut servers, tool.server).tools.push(cost);
        }
        for ((server, _), tokens) in seen.sections.iter().zip(tokens) {
            entry(&mut servers, *server).instructions = tokens;
        }
        for server in &mut servers {
            server.name = host.server(server.server)?.config.name;
            let of_tools: usize = server.tools.iter().filter(|tool| tool.seen).map(|tool| tool.tokens).sum();
            server.tokens = of_tools + server.instructions;
        }
        let tokens = servers.iter().map(|server| server.tokens).sum();
        Ok(AppCost { tokenizer: TOKENIZER, tokens, servers })
    }

    /// The tokens of each text.
    async fn count(&self, texts: Vec<String>) -> Result<Vec<usize>, HostError> {
        let keys: Vec<String> = texts.iter().map(|text| sha256(text)).collect();
        let mut counted = self.counted.lock().await;
        if keys.iter().any(|key| !counted.contains_key(key)) {
            if counted.len() > MAX_COUNTED {
                counted.clear();
            }
            let new: Vec<(String, String)> =
                keys.iter().cloned().zip(texts).filter(|(key, _)| !counted.contains_key(key)).collect();
            let work = tokio::task::spawn_blocking(move || count_all(new));
            counted.extend(work.await.map_err(|error| internal(&error))??);
        }
        Ok(keys.iter().filter_map(|key| counted.get(key).copied()).collect())
    }
}

/// The cost of a server, in a list that has it afterwards.
fn entry(servers: &mut Vec<ServerCost>, server: ServerId) -> &mut ServerCost {
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

/// A definition without what no model gets. One that can't be taken apart, such as one that is nested too deep, counts
/// as it is.
fn for_model(definition: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(definition) else { return definition.to_owned() };
    for name in NOT_FOR_MODELS {
        value.as_object_mut().and_then(|members| members.shift_remove(name));
    }
    value.to_string()
}

fn count_all(texts: Vec<(String, String)>) -> Result<Vec<(String, usize)>, HostError> {
    let tokenizer = tiktoken_rs::o200k_base().map_err(|error| internal(&error))?;
    texts.into_iter().map(|(key, text)| Ok((key, count(&tokenizer, &text)?))).collect()
}

fn count(tokenizer: &CoreBPE, mut text: &str) -> Result<usize, HostError> {
    let mut tokens = 0;
    while !text.is_empty() {
        let (piece, rest) = text.split_at(text.floor_char_boundary(MAX_PIECE));
        let (encoded, _) = tokenizer.encode(piece, &HashSet::new()).map_err(|error| internal(&error))?;
        tokens += encoded.len();
        text = rest;
    }
    Ok(tokens)
}

fn internal(error: &dyn std::fmt::Display) -> HostError {
    HostError::Internal(Sentence::quoted(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tokens_are_those_of_the_tokenizer() {
        let meter = CostMeter::default();
        let texts = ["hello world", "tiktoken is great!", "", "hello world"].map(str::to_owned);
        assert_eq!(meter.count(texts.into()).await.unwrap(), [2, 6, 0, 2]);
        // What was counted is counted no more, and what is new comes beside it.
        assert_eq!(meter.count(vec!["hello".to_owned(), String::new()]).await.unwrap(), [1, 0]);
        assert_eq!(meter.counted.lock().await.len(), 4);
    }

    #[tokio::test]
    async fn long_and_odd_texts_are_counted_in_time() {
        let meter = CostMeter::default();
        let texts = [" ", "a", "港", "="].map(|part| part.repeat(2 << 20));
        let counts = tokio::time::timeout(std::time::Duration::from_mins(1), meter.count(texts.into()));
        let counts = counts.await.unwrap().unwrap();
        assert!(counts.iter().all(|count| *count > 1_000), "{counts:?}");
    }

    #[test]
    fn what_no_model_gets_is_not_counted() {
        let definition =
            r#"{ "name": "x", "icons": [{"src": "data:,"}], "inputSchema": {"icons": 1}, "_meta": {} }"#;
        assert_eq!(for_model(definition), r#"{"name":"x","inputSchema":{"icons":1}}"#);
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert_eq!(for_model(&deep), deep);
    }
}
