//! Completions for shells: names of saved servers, of items that they listed last, and of apps. No server is
//! started.

use std::collections::BTreeSet;

use mooring_base::uri_template::UriTemplate;
use mooring_connect::host_options;
use mooring_host::{Host, HostOptions, home_from_environment};
use mooring_jsonrpc::parse_lenient;
use mooring_revisions::OfferKind;
use mooring_typed::{Property, SchemaView};
use mooring_vault::VaultOptions;
use serde_json::Value;

use crate::args::{KnownNames, Suggestion};
use crate::ask::values;
use crate::output::escape_line;

/// The names that the data folder contains.
pub(crate) struct SavedNames;

/// Opens the data folder, if there is one, and runs `work`.
fn with_host<T: Default>(work: impl AsyncFnOnce(&Host) -> T) -> T {
    let Ok(home) = home_from_environment() else { return T::default() };
    // Pressing Tab must not create a data folder.
    if !home.join("mooring.db").is_file() {
        return T::default();
    }
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return T::default();
    };
    // Completion must not ask for a passphrase.
    let options = HostOptions { vault: VaultOptions::default, ..host_options(home) };
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

/// The kind of item that a command takes.
pub(crate) fn kind(verb: &str) -> Option<OfferKind> {
    Some(match verb {
        "call" | "tools" => OfferKind::Tools,
        "prompt" | "prompts" => OfferKind::Prompts,
        "read" | "resources" | "subscribe" => OfferKind::Resources,
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
        // An item that is listed in both eras occurs twice.
        let mut names = BTreeSet::new();
        let items = remembered.listed(kind).filter(|item| names.insert(&item.name));
        items.map(|item| (item.name.clone(), parse_lenient(item.raw.get()).unwrap_or_default())).collect()
    })
}

/// The first line of an item's description.
fn about(definition: &Value) -> String {
    let text = |key: &str| definition.get(key).and_then(Value::as_str);
    first_line(text("description").or_else(|| text("title")).unwrap_or_default())
}

fn first_line(text: &str) -> String {
    escape_line(text.lines().next().unwrap_or_default()).into_owned()
}

impl KnownNames for SavedNames {
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
        let apps = mooring_apps::apps().iter();
        apps.map(|app| Suggestion {
            value: app.id.to_owned(),
            about: app.name.to_owned(),
            ..Suggestion::default()
        })
        .collect()
    }

    fn items(&self, verb: &str, server: &str) -> Vec<Suggestion> {
        items(listed(verb, server))
    }

    fn arguments(&self, verb: &str, server: &str, item: &str) -> Vec<Suggestion> {
        arguments(listed(verb, server), item)
    }
}

/// Definitions by name, as suggestions.
pub(crate) fn items(listed: Vec<(String, Value)>) -> Vec<Suggestion> {
    let suggestion = |(value, definition): (String, Value)| Suggestion {
        about: about(&definition),
        value,
        ..Suggestion::default()
    };
    listed.into_iter().map(suggestion).collect()
}

/// The arguments that an item takes.
pub(crate) fn arguments(listed: Vec<(String, Value)>, item: &str) -> Vec<Suggestion> {
    let named = |value: String, about: String| Suggestion { value, about, ..Suggestion::default() };
    let Some((_, definition)) = listed.into_iter().find(|(name, _)| name == item) else {
        // The name of a template contains its variables.
        let variables = UriTemplate::parse(item).map(|template| template.variables()).unwrap_or_default();
        return variables.into_iter().map(|name| named(name, String::new())).collect();
    };
    if let Some(arguments) = definition.get("arguments").and_then(Value::as_array) {
        let name =
            |argument: &Value| Some(named(argument.get("name")?.as_str()?.to_owned(), about(argument)));
        return arguments.iter().filter_map(name).collect();
    }
    let Some(schema) = definition.get("inputSchema").map(SchemaView::new) else { return Vec::new() };
    let suggestion = |member: Property<'_>| Suggestion {
        values: values(member.schema),
        ..named(member.name.to_owned(), first_line(member.schema.description().unwrap_or_default()))
    };
    schema.properties().into_iter().map(suggestion).collect()
}
