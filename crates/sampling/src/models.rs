//! The providers with their keys, the routing table and the policies of servers, as the host has them. `spending` counts
//! what servers use, `standing` has what the person no longer wants to be asked.

mod spending;
mod standing;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mooring_accounts::{purpose, sealed, secret_row};
use mooring_base::server_id::ServerId;
use mooring_models::{
    Budget, Candidate, Dollars, Meter, ModelError, NewProvider, Provider, ProviderCheck, ProviderKind, Reply,
    Rounds, RouteRule, SamplingPolicy, SamplingPolicyView, SamplingRequest, Used, base_url, today,
};
use mooring_recorder::{Holding, Journal};
use mooring_store::{
    ProviderKey, ProviderRow, Providers, Sampling, SamplingPolicyRow, SamplingRouteRow, Secrets, Store,
    StoreError,
};
use mooring_vault::{Vault, VaultError, random_id};
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest as _, Sha256};
use standing::{OfRun, standing_answer};

use crate::entry::{LONGEST_ID, checked, invalid, is_same_place, is_where};
use crate::error::ModelsError;
use crate::exchange::{Door, Patience, client};

pub use standing::HowLong;

/// Most providers and lines of the routing table.
const MOST_PROVIDERS: usize = 50;
const MOST_ROUTES: usize = 200;
/// Keys that are looked for at once.
const MOST_HELD: usize = 2 * MOST_PROVIDERS;

/// Is told that providers, routes, budgets or answers that stand have changed.
pub type OnModelsChange = Arc<dyn Fn() + Send + Sync>;

/// Providers with their keys, the routing table, and what servers may use.
pub struct Models {
    providers: Providers,
    tables: Sampling,
    secrets: Secrets,
    vault: Vault,
    client: reqwest::Client,
    journal: Arc<Journal>,
    told: OnModelsChange,
    meter: Meter,
    /// How often models have had tools used.
    pub rounds: Arc<Rounds>,
    /// What servers are offered, as it was last read.
    policies: Mutex<BTreeMap<ServerId, SamplingPolicy>>,
    /// Answers that stand until the application ends.
    of_run: Mutex<Vec<OfRun>>,
    /// The number of the last of them. None is used twice: decisions are named by it.
    last_of_run: AtomicI64,
    /// What servers that nobody has saved used, and on which day.
    unsaved: Mutex<(i64, Used)>,
    /// Keys that were used in this run, by their hashes: nothing may repeat them in a log, also not one that was changed or
    /// removed meanwhile and still opens its provider.
    held: Mutex<BTreeMap<[u8; 32], Holding>>,
    /// One request at a time is promised something.
    promising: tokio::sync::Mutex<()>,
    /// One provider at a time is changed: what it becomes is compared with what it was.
    changing: tokio::sync::Mutex<()>,
    patience: Patience,
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models").finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Models {
    /// What a store has about models. `name` is how we introduce ourselves to providers.
    pub fn new(
        store: &Store,
        vault: Vault,
        journal: Arc<Journal>,
        told: OnModelsChange,
        name: &str,
    ) -> Result<Self, ModelsError> {
        let client =
            client(name).map_err(|error| ModelsError::Internal(Sentence::quoted(error.to_string())))?;
        Ok(Self {
            providers: store.providers(),
            tables: store.sampling(),
            secrets: store.secrets(),
            vault,
            client,
            journal,
            told,
            meter: Meter::default(),
            rounds: Arc::default(),
            policies: Mutex::default(),
            of_run: Mutex::default(),
            last_of_run: AtomicI64::default(),
            unsaved: Mutex::default(),
            held: Mutex::default(),
            promising: tokio::sync::Mutex::default(),
            changing: tokio::sync::Mutex::default(),
            patience: Patience::default(),
        })
    }

    /// Reads what servers are offered.
    pub async fn load(&self) -> Result<(), ModelsError> {
        let rows = self.tables.policies().await?;
        *lock(&self.policies) = rows.iter().map(|row| (ServerId(row.server), policy(row))).collect();
        Ok(())
    }

    /// Whether a server may ask.
    pub(crate) fn is_on(&self, server: ServerId) -> bool {
        lock(&self.policies).get(&server).is_some_and(|policy| policy.enabled)
    }

    /// What is set for a server.
    pub(crate) fn policy(&self, server: ServerId) -> SamplingPolicy {
        lock(&self.policies).get(&server).copied().unwrap_or_default()
    }

    /// Sets it; whether it may ask now and could not before, or the other way round. Whoever is switched on without
    /// bounds gets some to begin with.
    pub async fn set_policy(
        &self,
        server: ServerId,
        mut policy: SamplingPolicy,
    ) -> Result<bool, ModelsError> {
        if policy.enabled && !self.is_on(server) && policy.budget == Budget::default() {
            policy.budget = Budget::TO_BEGIN_WITH;
        }
        self.tables
            .set_policy(&SamplingPolicyRow {
                server: server.0,
                enabled: policy.enabled,
                requests_per_minute: policy.budget.requests_per_minute,
                tokens_per_day: policy.budget.tokens_per_day,
                cost_per_day: policy
                    .budget
                    .cost_per_day
                    .map(|cost| i64::try_from(cost.micros()).unwrap_or(i64::MAX)),
            })
            .await?;
        let before = lock(&self.policies).insert(server, policy).unwrap_or_default();
        self.changed();
        Ok(before.enabled != policy.enabled)
    }

    pub(crate) fn changed(&self) {
        (self.told)();
    }

    /// The providers.
    pub async fn providers(&self) -> Result<Vec<Provider>, ModelsError> {
        Ok(self.providers.list().await?.into_iter().map(provider).collect())
    }

    /// The routing table.
    pub async fn routes(&self) -> Result<Vec<RouteRule>, ModelsError> {
        let rows = self.tables.routes().await?;
        let rule = |row: SamplingRouteRow| RouteRule {
            server: row.server.map(ServerId),
            hint: row.hint,
            provider: row.provider,
            model: row.model,
        };
        Ok(rows.into_iter().map(rule).collect())
    }

    /// Saves the routing table.
    pub async fn set_routes(&self, routes: Vec<RouteRule>) -> Result<(), ModelsError> {
        if routes.len() > MOST_ROUTES {
            return invalid("routes", say!("no more than {limit} lines can be saved", limit = MOST_ROUTES));
        }
        let providers = self.providers().await?;
        let mut rows = Vec::with_capacity(routes.len());
        for route in routes {
            let hint = route.hint.map(|hint| hint.trim().to_owned()).filter(|hint| !hint.is_empty());
            if hint.as_ref().is_some_and(|hint| hint.len() > LONGEST_ID) {
                return invalid("routes", say!("a hint is too long"));
            }
            let known = match route.provider {
                None => route.model.is_empty(),
                Some(id) => providers.iter().any(|provider| {
                    provider.id == id && provider.models.iter().any(|model| model.id == route.model)
                }),
            };
            if !known {
                return invalid("routes", say!("no provider has the model {model}", model = route.model));
            }
            rows.push(SamplingRouteRow {
                server: route.server.map(|server| server.0),
                hint,
                provider: route.provider,
                model: route.model,
            });
        }
        self.tables.set_routes(&rows).await?;
        self.changed();
        Ok(())
    }

    /// Sets a provider up, or changes it. One that goes elsewhere takes neither its key along nor an answer that stood for it.
    pub async fn save(&self, id: Option<i64>, new: NewProvider) -> Result<Provider, ModelsError> {
        let (new, url) = checked(new)?;
        let _turn = self.changing.lock().await;
        let before = match id {
            Some(id) => Some(self.row(id).await?),
            None if self.providers.list().await?.len() >= MOST_PROVIDERS => {
                return invalid(
                    "provider",
                    say!("no more than {limit} providers can be saved", limit = MOST_PROVIDERS),
                );
            }
            None => None,
        };
        let models = serde_json::to_string(&new.models)
            .map_err(|error| ModelsError::Internal(Sentence::quoted(error.to_string())))?;
        let row = mooring_store::NewProvider {
            name: new.name.clone(),
            kind: new.kind.as_str().to_owned(),
            base_url: url.to_string(),
            models,
        };
        // A key stays with the origin that it was entered for.
        let stays = before.as_ref().is_some_and(|before| is_same_place(before, new.kind, &url));
        let saved = match self.save_with(id, &row, &new, stays).await {
            Err(ModelsError::Store(StoreError::OtherKey)) => {
                // Another process has changed the key meanwhile.
                self.vault.refresh().await?;
                self.save_with(id, &row, &new, stays).await?
            }
            saved => saved?,
        };
        let saved = saved.ok_or_else(|| no_such_provider(id.unwrap_or_default()))?;
        if !stays {
            self.forget_of_run(saved);
        }
        self.changed();
        Ok(provider(self.row(saved).await?))
    }

    async fn save_with(
        &self,
        id: Option<i64>,
        row: &mooring_store::NewProvider,
        new: &NewProvider,
        stays: bool,
    ) -> Result<Option<i64>, ModelsError> {
        let key = match &new.key {
            Some(key) => {
                self.vault.open().await?;
                let id = random_id()?;
                let purpose = purpose::of_provider(&row.kind, &row.base_url);
                let sealed = self.vault.seal(&id, &purpose, key)?;
                ProviderKey::New(secret_row(id, purpose::PROVIDER, purpose, sealed))
            }
            None if new.forget_key || !stays => ProviderKey::Dropped,
            None => ProviderKey::Kept,
        };
        Ok(self.providers.save(id, row, &key, stays).await?)
    }

    /// Removes a provider with its key.
    pub async fn remove(&self, id: i64) -> Result<(), ModelsError> {
        if !self.providers.remove(id).await? {
            return Err(no_such_provider(id));
        }
        self.forget_of_run(id);
        self.changed();
        Ok(())
    }

    /// Asks a provider for its models, as it is entered; with the key that is kept, where that is for the same origin.
    pub async fn check(&self, id: Option<i64>, new: NewProvider) -> Result<ProviderCheck, ModelsError> {
        let (new, base) = checked(new)?;
        let before = match id {
            Some(id) => Some(self.row(id).await?),
            None => None,
        };
        let same = before.filter(|before| is_same_place(before, new.kind, &base));
        let key = match (new.key, &same) {
            (Some(key), _) => Some(key),
            (None, Some(row)) if !new.forget_key => self.key(row).await?,
            _ => None,
        };
        self.keep_out(key.as_ref());
        let started = Instant::now();
        let models = Door { kind: new.kind, base, key }.models(&self.client).await;
        let took = started.elapsed();
        if let Some(row) = same {
            self.note(row.id, models.as_ref().err()).await;
        }
        Ok(ProviderCheck { models: models.map_err(|error| error.sentence()), took })
    }

    async fn row(&self, id: i64) -> Result<ProviderRow, ModelsError> {
        self.providers.get(id).await?.ok_or_else(|| no_such_provider(id))
    }

    /// A provider as it is kept now, if it is where it was when it was read.
    async fn unmoved(&self, read: &Provider) -> Result<ProviderRow, ModelsError> {
        let row = self.row(read.id).await?;
        if is_where(&row, read) {
            return Ok(row);
        }
        invalid(
            "provider",
            say!("the provider was moved elsewhere meanwhile and is not asked: {name}", name = row.name),
        )
    }

    /// A provider's key.
    async fn key(&self, row: &ProviderRow) -> Result<Option<SecretString>, ModelsError> {
        let Some(id) = &row.secret_id else { return Ok(None) };
        self.vault.open().await?;
        let purpose = purpose::of_provider(&row.kind, &row.base_url);
        match self.unseal(id, &purpose).await {
            Err(ModelsError::Vault(VaultError::OtherKey)) => {
                self.vault.refresh().await?;
                self.unseal(id, &purpose).await
            }
            key => key,
        }
    }

    async fn unseal(&self, id: &str, purpose: &str) -> Result<Option<SecretString>, ModelsError> {
        let Some(row) = self.secrets.get(id).await? else { return Ok(None) };
        Ok(Some(self.vault.unseal(&row.id, purpose, &sealed(&row)?)?))
    }

    /// Has every log looked through for a key from now on.
    fn keep_out(&self, key: Option<&SecretString>) {
        let Some(key) = key.map(ExposeSecret::expose_secret) else { return };
        let hash = Sha256::digest(key.as_bytes()).into();
        let mut held = lock(&self.held);
        if held.contains_key(&hash) {
            return;
        }
        let Some(holding) = self.journal.hold(key) else { return };
        if held.len() >= MOST_HELD {
            held.pop_first();
        }
        held.insert(hash, holding);
    }

    /// Keeps how a provider did.
    async fn note(&self, id: i64, error: Option<&ModelError>) {
        let problem = error.and_then(|error| serde_json::to_string(&error.sentence().stored()).ok());
        if let Err(error) = self.providers.note(id, problem.as_deref()).await {
            tracing::warn!(%error, "how a provider did could not be kept");
        }
        self.changed();
    }

    /// Asks a model where the person saw it; `grown` hears of the answer as it comes. Dropping the future ends the exchange.
    pub(crate) async fn ask(
        &self,
        candidate: &Candidate<'_>,
        request: &SamplingRequest,
        grown: &mut (dyn FnMut(Reply) + Send),
    ) -> Result<Reply, Sentence> {
        let (Some(provider), Some(model)) = (candidate.provider, candidate.model) else {
            return request.practise().map_err(|error| error.sentence());
        };
        let door = async {
            let row = self.unmoved(provider).await?;
            let key = self.key(&row).await?;
            let base = base_url(&row.base_url)
                .map_err(|message| ModelsError::Invalid { field: "baseUrl", message })?;
            Ok::<_, ModelsError>(Door { kind: ProviderKind::from_name(&row.kind), base, key })
        };
        let door = door.await.map_err(|error| error.sentence())?;
        self.keep_out(door.key.as_ref());
        let answered = door.ask(&self.client, self.patience, &model.id, request, grown).await;
        self.note(provider.id, answered.as_ref().err()).await;
        answered.map_err(|error| error.sentence())
    }

    /// What is set for servers, and what they used.
    pub async fn policy_views(
        &self,
        servers: Vec<(ServerId, String)>,
        providers: &[Provider],
    ) -> Result<Vec<SamplingPolicyView>, ModelsError> {
        let mut rows = self.tables.standing().await?;
        rows.extend(lock(&self.of_run).iter().map(|answer| answer.row.clone()));
        let mut views = Vec::with_capacity(servers.len());
        for (server, server_name) in servers {
            let used = self.tables.usage(server.0, today()).await?;
            let count = |number: i64| u64::try_from(number).unwrap_or_default();
            let standing = rows.iter().filter(|row| row.server == server.0);
            views.push(SamplingPolicyView {
                server,
                server_name,
                policy: self.policy(server),
                tokens_today: count(used.tokens),
                cost_today: Dollars::from_micros(count(used.cost)),
                requests_today: count(used.requests),
                standing: standing.map(|row| standing_answer(row, providers)).collect(),
            });
        }
        Ok(views)
    }
}

fn no_such_provider(id: i64) -> ModelsError {
    ModelsError::Invalid { field: "provider", message: say!("no provider has the number {id}", id) }
}

fn provider(row: ProviderRow) -> Provider {
    Provider {
        id: row.id,
        kind: ProviderKind::from_name(&row.kind),
        base_url: row.base_url,
        has_key: row.secret_id.is_some(),
        // Written by us; what another version wrote beyond that is left out.
        models: serde_json::from_str(&row.models).unwrap_or_default(),
        answered_ms: row.answered_us.map(|at| at / 1_000),
        problem: row.problem.and_then(|problem| serde_json::from_str(&problem).ok()),
        name: row.name,
    }
}

fn policy(row: &SamplingPolicyRow) -> SamplingPolicy {
    SamplingPolicy {
        enabled: row.enabled,
        budget: Budget {
            requests_per_minute: row.requests_per_minute,
            tokens_per_day: row.tokens_per_day,
            cost_per_day: row
                .cost_per_day
                .map(|cost| Dollars::from_micros(u64::try_from(cost).unwrap_or_default())),
        },
    }
}
