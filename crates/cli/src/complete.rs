//! What a shell is proposed: names of saved servers, of what they listed last, and of apps. Nothing is started.

use std::collections::BTreeSet;

use mooring_host::{Host, HostOptions, OfferKind, VaultOptions, home_from_environment, parse_lenient};
use mooring_typed::SchemaView;
use serde_json::Value;

use crate::args::{KnownNames, Suggestion};
use crate::output::escape_line;

/// What is known in the data folder.
pub(crate) struct Kept;

/// Works with the data folder, where there is one.
fn with_host<T: Default>(work: impl AsyncFnOnce(&Host) -> T) -> T {
    let Ok(home) = home_from_environment() else { return T::default() };
    // Who only presses Tab gets no data folder made.
    if !home.join("mooring.db").is_file() {
        return T::default();
    }
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return T::default();
    };
    let options = HostOptions {
        home,
        supervise: false,
        has_person: false,
        journal: false,
        demo_server: None,
        client_name: "mooring",
        client_version: env!("CARGO_PKG_VERSION"),
        vault: VaultOptions::default,
        browser: mooring_host::system_browser,
        clock: mooring_host::Clock::system(),
    };
    runtime.block_on(async {
        match Host::open(options).await {
            Ok(host) => work(&host).await,
            Err(error) => {
                tracing::info!(%error, "nothing can be proposed");
                T::default()
            }
        }
    })
}

/// What a verb takes of a server.
fn kind(verb: &str) -> Option<OfferKind> {
    Some(match verb {
        "call" | "tools" => OfferKind::Tools,
        "prompt" | "prompts" => OfferKind::Prompts,
        "read" | "resources" => OfferKind::Resources,
        "templates" => OfferKind::Templates,
        _ => return None,
    })
}

/// The definitions that a server listed last.
fn listed(verb: &str, server: &str) -> Vec<(String, Value)> {
    let Some(kind) = kind(verb) else { return Vec::new() };
    with_host(async |host| {
        let saved = host.servers().into_iter().find(|saved| saved.config.name == server);
        let Some(saved) = saved else { return Vec::new() };
        let Ok(remembered) = host.remembered(saved.id).await else { return Vec::new() };
        // What it lists in both eras comes twice.
        let mut names = BTreeSet::new();
        let items = remembered.listed(kind).filter(|item| names.insert(&item.name));
        items.map(|item| (item.name.clone(), parse_lenient(item.raw.get()).unwrap_or_default())).collect()
    })
}

/// The first line of what is said of something.
fn about(definition: &Value) -> String {
    let text = |key: &str| definition.get(key).and_then(Value::as_str);
    first_line(text("description").or_else(|| text("title")).unwrap_or_default())
}

fn first_line(text: &str) -> String {
    escape_line(text.lines().next().unwrap_or_default()).into_owned()
}

impl KnownNames for Kept {
    fn servers(&self) -> Vec<Suggestion> {
        with_host(async |host| {
            let servers = host.servers().into_iter().map(|server| {
                let config = server.config;
                let about = config.url.or(config.command).unwrap_or_default();
                Suggestion { value: config.name, about, ..Suggestion::default() }
            });
            servers.collect()
        })
    }

    fn apps(&self) -> Vec<Suggestion> {
        let apps = mooring_host::apps().iter();
        apps.map(|app| Suggestion {
            value: app.id.to_owned(),
            about: app.name.to_owned(),
            ..Suggestion::default()
        })
        .collect()
    }

    fn items(&self, verb: &str, server: &str) -> Vec<Suggestion> {
        let listed = listed(verb, server).into_iter();
        listed
            .map(|(value, definition)| Suggestion {
                about: about(&definition),
                value,
                ..Suggestion::default()
            })
            .collect()
    }

    fn arguments(&self, verb: &str, server: &str, item: &str) -> Vec<Suggestion> {
        let Some((_, definition)) = listed(verb, server).into_iter().find(|(name, _)| name == item) else {
            return Vec::new();
        };
        if let Some(arguments) = definition.get("arguments").and_then(Value::as_array) {
            let named = arguments.iter().filter_map(|argument| {
                let value = argument.get("name")?.as_str()?.to_owned();
                Some(Suggestion { value, about: about(argument), ..Suggestion::default() })
            });
            return named.collect();
        }
        let Some(schema) = definition.get("inputSchema").map(SchemaView::new) else { return Vec::new() };
        let members = schema.properties().into_iter();
        members
            .map(|member| Suggestion {
                value: member.name.to_owned(),
                about: first_line(member.schema.description().unwrap_or_default()),
                values: values(member.schema),
            })
            .collect()
    }
}

/// The values that a schema allows, where it names them.
fn values(schema: SchemaView<'_>) -> Vec<String> {
    if schema.choices().is_empty() && schema.types() == ["boolean"] {
        return ["true", "false"].map(str::to_owned).to_vec();
    }
    // A list takes one of its items at a time.
    let choices = schema.items().map_or_else(|| schema.choices(), SchemaView::choices);
    let choices = choices.into_iter().filter_map(|value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    choices.collect()
}
