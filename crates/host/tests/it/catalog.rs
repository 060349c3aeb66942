//! The catalog: a registry on loopback is searched, servers are installed from it and updated.

use mooring_base::server_id::ServerId;
use mooring_definitions::import::ImportValue;
use mooring_errors::{ErrorCode, HostError};
use mooring_host::{CatalogSource, Host, HostOptions, ImportChoice};
use mooring_registry::{EntryStatus, RefreshReason};
use mooring_store::SecretPlace;
use mooring_testkit::registry::{RegistryFault, RegistryServer, registry_entry, serve_registry};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::people::with_keychain;
use crate::support::{open, options};

const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
/// An npm package.
const NAME: &str = "io.github.publisher0/weather-0";
const REMOTE: &str = "io.github.publisher5/maps-5";

struct Place {
    server: RegistryServer,
    host: Host,
    home: TempDir,
}

impl Place {
    /// A host whose catalog is this registry, fetched already.
    async fn fetched() -> Self {
        let place = Self::new().await;
        place.refresh().await;
        place
    }

    async fn new() -> Self {
        let (server, home) = (serve_registry(30, 20).await, tempfile::tempdir().unwrap());
        let host =
            Host::open(HostOptions { vault: with_keychain, ..options(home.path(), false) }).await.unwrap();
        let place = Self { server, host, home };
        place.set_url(&place.server.url).await;
        place
    }

    async fn set_url(&self, url: &str) {
        let mut settings = self.host.settings();
        settings.catalog_url = url.to_owned();
        self.host.set_settings(settings).await.unwrap();
    }

    async fn refresh(&self) {
        self.host.refresh_catalog(RefreshReason::Asked, &|_| {}).await.unwrap();
    }

    async fn add(&self, name: &str, values: &[(&str, &str)]) -> Result<ServerId, HostError> {
        let view = self.host.catalog_entry(name, None).await?;
        let report = self.host.check_import(&view.server_json).await;
        let entry = report.entries.first().map_or_else(|| "none".to_owned(), |entry| entry.name.clone());
        let values = values_of(&entry, values);
        let source = CatalogSource { name: name.to_owned(), version: view.entry.version };
        let names = [entry];
        let choice = ImportChoice { names: &names, values: &values, ..ImportChoice::default() };
        let saved = self.host.add_from_catalog(&source, &view.server_json, choice).await?;
        Ok(saved[0].id)
    }

    /// Publishes version 9.0.0 of [`NAME`] with these changes, and fetches it.
    async fn publish(&self, change: impl Fn(&mut Value)) {
        let mut entry = registry_entry(0);
        entry["server"]["version"] = json!("9.0.0");
        entry["server"]["packages"][0]["version"] = json!("9.0.0");
        entry["_meta"][OFFICIAL]["publishedAt"] = json!("2026-12-01T00:00:00Z");
        change(&mut entry);
        self.server.publish(entry);
        self.refresh().await;
    }
}

fn values_of(entry: &str, values: &[(&str, &str)]) -> Vec<ImportValue> {
    let value = |(key, value): &(&str, &str)| ImportValue {
        entry: entry.to_owned(),
        key: (*key).to_owned(),
        value: Some((*value).into()),
    };
    values.iter().map(value).collect()
}

fn code(error: &HostError) -> ErrorCode {
    error.code()
}

#[tokio::test]
async fn opening_a_host_or_its_catalog_contacts_no_registry() {
    let place = Place::new().await;
    let state = place.host.catalog_state().await.unwrap();
    assert_eq!((state.entries, state.synced_ms, state.host.as_str()), (0, None, "127.0.0.1"));
    place.host.refresh_catalog(RefreshReason::Opened, &|_| {}).await.unwrap();
    assert_eq!(place.host.search_catalog("", 0, 10).await.unwrap().total, 0);
    assert_eq!(place.server.requests(), [""; 0]);
}

#[tokio::test]
async fn a_search_needs_no_registry_after_the_first_fetch() {
    let place = Place::fetched().await;
    place.server.set_fault(RegistryFault::Status(500));
    let asked = place.server.requests().len();
    let found = place.host.search_catalog("weather", 0, 10).await.unwrap();
    assert_eq!((found.total, found.entries[0].entry.name.as_str()), (2, "io.github.publisher20/weather-20"));
    let view = place.host.catalog_entry(NAME, None).await.unwrap();
    assert_eq!((view.entry.publisher.as_str(), view.repository), ("io.github.publisher0", None));
    assert_eq!(place.server.requests().len(), asked);
    // Another process sees the same copy.
    let second = open(place.home.path(), false).await;
    assert_eq!(second.search_catalog("weather", 0, 10).await.unwrap().total, 2);
}

#[tokio::test]
async fn an_installed_package_has_its_pinned_version_and_secrets() {
    let place = Place::fetched().await;
    let id = place.add(NAME, &[("API_KEY", "CANARY"), ("REGION", "us")]).await.unwrap();
    let config = place.host.server(id).unwrap().config;
    assert_eq!(config.command.as_deref(), Some("npx"));
    assert_eq!(config.args, ["-y", "@publisher/weather-0@1.0.0"]);
    assert_eq!(config.env["REGION"], "us");
    assert_eq!((config.secrets[0].place, config.secrets[0].name.as_str()), (SecretPlace::Env, "API_KEY"));
    let found = place.host.search_catalog(NAME, 0, 10).await.unwrap();
    assert_eq!(found.entries[0].installed[0].name, "weather-0");
    let id = place.add(REMOTE, &[]).await.unwrap();
    let url = place.host.server(id).unwrap().config.url;
    assert_eq!(url.as_deref(), Some("https://maps-5.example.com/mcp"));
}

#[tokio::test]
async fn what_was_not_shown_is_not_installed() {
    let place = Place::fetched().await;
    let view = place.host.catalog_entry(NAME, None).await.unwrap();
    let source = CatalogSource { name: NAME.to_owned(), version: view.entry.version };
    let forged = view.server_json.replace("@publisher", "@attacker");
    let names = ["weather-0".to_owned()];
    let values = values_of("weather-0", &[("API_KEY", "k")]);
    let choice = ImportChoice { names: &names, values: &values, ..ImportChoice::default() };
    let error = place.host.add_from_catalog(&source, &forged, choice).await.unwrap_err();
    assert_eq!(code(&error), ErrorCode::DefinitionChanged);
    assert_eq!(place.host.servers().len(), 0);
}

#[tokio::test]
async fn entries_that_cannot_run_say_why() {
    let place = Place::fetched().await;
    let problem = async |name: &str| {
        let view = place.host.catalog_entry(name, None).await.unwrap();
        view.problem.map(|problem| problem.to_string()).unwrap_or_default()
    };
    let bundle = registry_entry(4)["server"]["name"].as_str().unwrap().to_owned();
    assert!(problem(&bundle).await.starts_with("bundles can’t be installed"), "{}", problem(&bundle).await);
    assert_eq!(problem("odd.example/entry-18").await, "Mooring can’t run packages of this kind");
    assert_eq!(problem("odd.example/entry-11").await, "it has no package and no URL");
    assert_eq!(problem("odd.example/entry-15").await, "");
    let refused = place.add("odd.example/entry-18", &[]).await.unwrap_err();
    assert_eq!(code(&refused), ErrorCode::Catalog);
    let missing = place.host.catalog_entry("a.b/none", None).await.unwrap_err();
    assert_eq!(code(&missing), ErrorCode::Catalog);
}

#[tokio::test]
async fn an_update_keeps_values_secrets_and_own_settings() {
    let place = Place::fetched().await;
    let id = place.add(NAME, &[("API_KEY", "CANARY"), ("REGION", "us")]).await.unwrap();
    let mut own = place.host.server(id).unwrap().config;
    own.name = "mine".to_owned();
    own.env.insert("OWN".to_owned(), "1".to_owned());
    place.host.update_server(id, own).await.unwrap();
    assert_eq!(place.host.catalog_servers().await.unwrap()[0].update, None);
    place.publish(|_| {}).await;
    let servers = place.host.catalog_servers().await.unwrap();
    assert_eq!((servers[0].version.as_str(), servers[0].update.as_deref()), ("1.0.0", Some("9.0.0")));

    let review = place.host.review_catalog_update(id, None, &[]).await.unwrap();
    assert_eq!((review.from.as_str(), review.version.as_str()), ("1.0.0", "9.0.0"));
    assert_eq!(review.before.args, ["-y", "@publisher/weather-0@1.0.0"]);
    assert_eq!(review.after.args, ["-y", "@publisher/weather-0@9.0.0"]);
    assert!(review.inputs.iter().all(|input| !input.required));
    let saved = place.host.update_from_catalog(id, "9.0.0", &[], &review.after).await.unwrap();
    let config = saved.config;
    assert_eq!((config.name.as_str(), config.args[1].as_str()), ("mine", "@publisher/weather-0@9.0.0"));
    assert_eq!((config.env["REGION"].as_str(), config.env["OWN"].as_str()), ("us", "1"));
    assert_eq!(config.secrets.len(), 1);
    assert!(config.secrets[0].entered && config.secrets[0].name == "API_KEY");
    assert!(!format!("{config:?}").contains("value-saved-before"));
    let servers = place.host.catalog_servers().await.unwrap();
    assert_eq!((servers[0].version.as_str(), servers[0].update.as_deref()), ("9.0.0", None));
    // Values survive a second update.
    place.publish(|entry| entry["server"]["version"] = json!("10.0.0")).await;
    let review = place.host.review_catalog_update(id, None, &[]).await.unwrap();
    assert_eq!(review.after.env["REGION"], "us");
}

#[tokio::test]
async fn an_update_that_changed_since_the_review_is_refused() {
    let place = Place::fetched().await;
    let id = place.add(NAME, &[("API_KEY", "CANARY")]).await.unwrap();
    place.publish(|_| {}).await;
    let review = place.host.review_catalog_update(id, None, &[]).await.unwrap();
    let mut shown = review.after.clone();
    shown.args.push("--other".to_owned());
    let error = place.host.update_from_catalog(id, "9.0.0", &[], &shown).await.unwrap_err();
    assert_eq!(code(&error), ErrorCode::DefinitionChanged);
    assert_eq!(place.host.server(id).unwrap().config.args[1], "@publisher/weather-0@1.0.0");
    // A new value can be entered at once or later.
    place
        .publish(|entry| {
            entry["server"]["version"] = json!("9.1.0");
            let package = &mut entry["server"]["packages"][0];
            package["environmentVariables"][1] = json!({ "name": "CITY", "isRequired": true });
        })
        .await;
    let review = place.host.review_catalog_update(id, None, &[]).await.unwrap();
    let city = review.inputs.iter().find(|input| input.key == "CITY").unwrap();
    assert!(!city.secret && city.default.is_none());
    let values = values_of("weather-0", &[("CITY", "Bremen")]);
    let review = place.host.review_catalog_update(id, None, &values).await.unwrap();
    assert_eq!(review.after.env["CITY"], "Bremen");
    let saved = place.host.update_from_catalog(id, "9.1.0", &values, &review.after).await.unwrap().config;
    assert_eq!((saved.env.get("CITY").map(String::as_str), saved.env.get("REGION")), (Some("Bremen"), None));
    assert!(saved.secrets.iter().all(|secret| secret.entered));
}

#[tokio::test]
async fn a_withdrawn_entry_is_no_update_and_not_installed() {
    let place = Place::fetched().await;
    let id = place.add(NAME, &[("API_KEY", "CANARY")]).await.unwrap();
    place
        .publish(|entry| {
            entry["_meta"][OFFICIAL]["status"] = json!("deleted");
            entry["_meta"][OFFICIAL]["statusMessage"] = json!("It stole keys");
        })
        .await;
    let servers = place.host.catalog_servers().await.unwrap();
    assert_eq!((&servers[0].update, servers[0].status), (&None, Some(EntryStatus::Deleted)));
    let view = place.host.catalog_entry(NAME, None).await.unwrap();
    assert_eq!(view.status_message.as_deref(), Some("It stole keys"));
    assert_eq!(view.problem.unwrap().to_string(), "the registry has withdrawn this version");
    assert_eq!(code(&place.add(NAME, &[("API_KEY", "k")]).await.unwrap_err()), ErrorCode::Catalog);
    assert!(place.host.server(id).is_ok());
}

#[tokio::test]
async fn another_registry_empties_the_catalog_but_keeps_servers() {
    let place = Place::fetched().await;
    let id = place.add(NAME, &[("API_KEY", "CANARY")]).await.unwrap();
    place.set_url("https://registry.example.com").await;
    assert_eq!(place.host.catalog_state().await.unwrap().entries, 0);
    assert_eq!(place.host.catalog_servers().await.unwrap(), []);
    let error = place.host.review_catalog_update(id, None, &[]).await.unwrap_err();
    assert_eq!(code(&error), ErrorCode::Catalog);
    let mut settings = place.host.settings();
    settings.catalog_url = "http://registry.example.com".to_owned();
    assert_eq!(code(&place.host.set_settings(settings).await.unwrap_err()), ErrorCode::InvalidSetting);
}
