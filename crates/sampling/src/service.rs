//! The providers with their keys, the routing table and the policies of servers. `usage` counts what servers
//! use, and `approvals` has the person's remembered decisions.

mod approvals;
mod usage;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use approvals::{SessionApproval, approval_view};
use mooring_accounts::{encrypted_blob, purpose, secret_row};
use mooring_base::server_id::ServerId;
use mooring_disk::StoreError;
use mooring_models::{
    Budget, Candidate, DailyUsage, Dollars, ModelError, NewProvider, Provider, ProviderCheck, ProviderKind,
    Reply, RequestMeter, RouteRule, SamplingPolicy, SamplingPolicyView, SamplingRequest, ToolRounds,
    base_url, today,
};
use mooring_network::{Network, NetworkClient};
use mooring_recorder::{Journal, SecretLease};
use mooring_store::{
    ProviderKeyChange, ProviderRow, Providers, Sampling, SamplingPolicyRow, SamplingRouteRow, Secrets, Store,
    TableChanges,
};
use mooring_vault::{Vault, VaultError, random_id};
use mooring_words::{Sentence, say};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest as _, Sha256};

use crate::error::SamplingError;
use crate::provider_form::{LONGEST_ID, check_provider, invalid_field, is_same_origin, is_unmoved};
use crate::provider_http::{ProviderEndpoint, Timeouts, build_client};

pub use approvals::ApprovalTerm;

/// Maximum number of providers, and maximum routes in the routing table.
const MOST_PROVIDERS: usize = 50;
const MOST_ROUTES: usize = 200;
/// How many keys the logs redact at the same time.
const MAX_REDACTED_KEYS: usize = 2 * MOST_PROVIDERS;

/// Called when providers, routes, budgets or remembered decisions have changed.
pub type OnModelsChange = Arc<dyn Fn() + Send + Sync>;

/// The providers with their keys, the routing table, and the policies and usage of servers.
pub struct SamplingService {
    providers: Providers,
    tables: Sampling,
    secrets: Secrets,
    vault: Vault,
    client: NetworkClient,
    journal: Arc<Journal>,
    on_change: OnModelsChange,
    meter: RequestMeter,
    /// Counts rounds with tools.
    pub rounds: Arc<ToolRounds>,
    /// The policies as they were last read.
    policies: Mutex<BTreeMap<ServerId, SamplingPolicy>>,
    /// Remembered decisions that end with this process.
    session_approvals: Mutex<Vec<SessionApproval>>,
    /// The id of the last of these decisions. Ids are not reused, because decisions in the inbox refer to
    /// them.
    last_session_id: AtomicI64,
    /// The usage of servers that are not saved, on the day with this number.
    unsaved_usage: Mutex<(i64, DailyUsage)>,
    /// The API keys of providers that this process has used, by their hashes; at most `MAX_REDACTED_KEYS`.
    /// All logs redact them, even after a key was replaced or removed, because it may still be valid.
    redacted_keys: Mutex<BTreeMap<[u8; 32], SecretLease>>,
    /// Serializes reservations.
    reserve_lock: tokio::sync::Mutex<()>,
    /// Serializes changes of providers, because each compares the new state with the old one.
    save_lock: tokio::sync::Mutex<()>,
    timeouts: Timeouts,
}

impl fmt::Debug for SamplingService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SamplingService").finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SamplingService {
    /// Opens the sampling data of a store. Requests go through `network`. `name` identifies Mooring to
    /// providers.
    pub fn new(
        store: &Store,
        vault: Vault,
        journal: Arc<Journal>,
        on_change: OnModelsChange,
        network: &Network,
        name: &str,
    ) -> Self {
        Self {
            providers: store.providers(),
            tables: store.sampling(),
            secrets: store.secrets(),
            vault,
            client: build_client(name, network),
            journal,
            on_change,
            meter: RequestMeter::default(),
            rounds: Arc::default(),
            policies: Mutex::default(),
            session_approvals: Mutex::default(),
            last_session_id: AtomicI64::default(),
            unsaved_usage: Mutex::default(),
            redacted_keys: Mutex::default(),
            reserve_lock: tokio::sync::Mutex::default(),
            save_lock: tokio::sync::Mutex::default(),
            timeouts: Timeouts::default(),
        }
    }

    /// Loads the policies of servers.
    pub async fn load(&self) -> Result<(), SamplingError> {
        let rows = self.tables.policies().await?;
        *lock(&self.policies) = rows.iter().map(|row| (ServerId(row.server), to_policy(row))).collect();
        Ok(())
    }

    /// Adopts changes of other processes. Never returns. Calls `redeclare` with each server for which
    /// sampling was enabled or disabled.
    pub async fn watch(&self, mut changes: TableChanges, redeclare: impl Fn(ServerId)) {
        loop {
            let read = self.reload_policies(&redeclare).await;
            changes.changed_after(read, "which servers may ask models could not be read").await;
        }
    }

    async fn reload_policies(&self, redeclare: impl Fn(ServerId)) -> Result<(), SamplingError> {
        let before = lock(&self.policies).clone();
        self.load().await?;
        let now = lock(&self.policies).clone();
        if now == before {
            return Ok(());
        }
        let is_enabled = |policies: &BTreeMap<ServerId, SamplingPolicy>, server| {
            policies.get(&server).is_some_and(|policy| policy.enabled)
        };
        let servers: BTreeSet<ServerId> = before.keys().chain(now.keys()).copied().collect();
        servers
            .into_iter()
            .filter(|server| is_enabled(&before, *server) != is_enabled(&now, *server))
            .for_each(redeclare);
        self.notify_changed();
        Ok(())
    }

    /// Whether sampling is enabled for a server.
    pub(crate) fn is_enabled(&self, server: ServerId) -> bool {
        lock(&self.policies).get(&server).is_some_and(|policy| policy.enabled)
    }

    /// The policy of a server.
    pub(crate) fn policy(&self, server: ServerId) -> SamplingPolicy {
        lock(&self.policies).get(&server).copied().unwrap_or_default()
    }

    /// Saves a server's policy. Returns whether that enabled or disabled sampling. A server that is enabled
    /// without limits gets the default limits.
    pub async fn set_policy(
        &self,
        server: ServerId,
        mut policy: SamplingPolicy,
    ) -> Result<bool, SamplingError> {
        if policy.enabled && !self.is_enabled(server) && policy.budget == Budget::default() {
            policy.budget = Budget::DEFAULT_LIMITS;
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
        self.notify_changed();
        Ok(before.enabled != policy.enabled)
    }

    pub(crate) fn notify_changed(&self) {
        (self.on_change)();
    }

    /// The providers.
    pub async fn providers(&self) -> Result<Vec<Provider>, SamplingError> {
        Ok(self.providers.list().await?.into_iter().map(to_provider).collect())
    }

    /// The routing table.
    pub async fn routes(&self) -> Result<Vec<RouteRule>, SamplingError> {
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
    pub async fn set_routes(&self, routes: Vec<RouteRule>) -> Result<(), SamplingError> {
        if routes.len() > MOST_ROUTES {
            return invalid_field(
                "routes",
                say!("no more than {limit} rules can be saved", limit = MOST_ROUTES),
            );
        }
        let providers = self.providers().await?;
        let mut rows = Vec::with_capacity(routes.len());
        for route in routes {
            let hint = route.hint.map(|hint| hint.trim().to_owned()).filter(|hint| !hint.is_empty());
            if hint.as_ref().is_some_and(|hint| hint.len() > LONGEST_ID) {
                return invalid_field("routes", say!("a hint is too long"));
            }
            let known = match route.provider {
                None => route.model.is_empty(),
                Some(id) => providers.iter().any(|provider| {
                    provider.id == id && provider.models.iter().any(|model| model.id == route.model)
                }),
            };
            if !known {
                return invalid_field(
                    "routes",
                    say!("no provider has the model {model}", model = route.model),
                );
            }
            rows.push(SamplingRouteRow {
                server: route.server.map(|server| server.0),
                hint,
                provider: route.provider,
                model: route.model,
            });
        }
        self.tables.set_routes(&rows).await?;
        self.notify_changed();
        Ok(())
    }

    /// Adds or changes a provider. If its kind or origin changes, its key and remembered decisions are
    /// removed.
    pub async fn save_provider(&self, id: Option<i64>, new: NewProvider) -> Result<Provider, SamplingError> {
        let (new, url) = check_provider(new)?;
        let _turn = self.save_lock.lock().await;
        let before = match id {
            Some(id) => Some(self.find_provider_row(id).await?),
            None if self.providers.list().await?.len() >= MOST_PROVIDERS => {
                return invalid_field(
                    "provider",
                    say!("no more than {limit} providers can be saved", limit = MOST_PROVIDERS),
                );
            }
            None => None,
        };
        let models = serde_json::to_string(&new.models)
            .map_err(|error| SamplingError::Internal(Sentence::quoted(error.to_string())))?;
        let row = mooring_store::NewProvider {
            name: new.name.clone(),
            kind: new.kind.as_str().to_owned(),
            base_url: url.to_string(),
            models,
        };
        // A key is only kept for the origin for which it was entered.
        let stays = before.as_ref().is_some_and(|before| is_same_origin(before, new.kind, &url));
        let saved = match self.save_with(id, &row, &new, stays).await {
            Err(SamplingError::Store(StoreError::WrongKey)) => {
                // Another process has changed the key in the meantime.
                self.vault.refresh().await?;
                self.save_with(id, &row, &new, stays).await?
            }
            saved => saved?,
        };
        let saved = saved.ok_or_else(|| no_such_provider(id.unwrap_or_default()))?;
        if !stays {
            self.remove_session_approvals(saved);
        }
        self.notify_changed();
        Ok(to_provider(self.find_provider_row(saved).await?))
    }

    async fn save_with(
        &self,
        id: Option<i64>,
        row: &mooring_store::NewProvider,
        new: &NewProvider,
        stays: bool,
    ) -> Result<Option<i64>, SamplingError> {
        let key = match &new.key {
            Some(key) => {
                self.vault.open().await?;
                let id = random_id()?;
                let purpose = purpose::of_provider(&row.kind, &row.base_url);
                let sealed = self.vault.encrypt(&id, &purpose, key)?;
                ProviderKeyChange::Replace(secret_row(id, purpose::PROVIDER, purpose, sealed))
            }
            None if new.forget_key || !stays => ProviderKeyChange::Remove,
            None => ProviderKeyChange::Keep,
        };
        Ok(self.providers.save(id, row, &key, stays).await?)
    }

    /// Removes a provider with its key.
    pub async fn remove_provider(&self, id: i64) -> Result<(), SamplingError> {
        if !self.providers.remove(id).await? {
            return Err(no_such_provider(id));
        }
        self.remove_session_approvals(id);
        self.notify_changed();
        Ok(())
    }

    /// Requests a provider's models with the entered settings. Uses the saved key if it is for the same
    /// origin.
    pub async fn check_provider(
        &self,
        id: Option<i64>,
        new: NewProvider,
    ) -> Result<ProviderCheck, SamplingError> {
        let (new, base) = check_provider(new)?;
        let before = match id {
            Some(id) => Some(self.find_provider_row(id).await?),
            None => None,
        };
        let same = before.filter(|before| is_same_origin(before, new.kind, &base));
        let key = match (new.key, &same) {
            (Some(key), _) => Some(key),
            (None, Some(row)) if !new.forget_key => self.load_key(row).await?,
            _ => None,
        };
        self.redact_key(key.as_ref());
        let started = Instant::now();
        let models = ProviderEndpoint { kind: new.kind, base, key }.list_models(&self.client).await;
        let took = started.elapsed();
        if let Some(row) = same {
            self.record_result(row.id, models.as_ref().err()).await;
        }
        Ok(ProviderCheck { models: models.map_err(|error| error.sentence()), took })
    }

    async fn find_provider_row(&self, id: i64) -> Result<ProviderRow, SamplingError> {
        self.providers.get(id).await?.ok_or_else(|| no_such_provider(id))
    }

    /// The provider's row. An error if its kind or origin has changed since it was read.
    async fn find_unmoved_row(&self, read: &Provider) -> Result<ProviderRow, SamplingError> {
        let row = self.find_provider_row(read.id).await?;
        if is_unmoved(&row, read) {
            return Ok(row);
        }
        invalid_field(
            "provider",
            say!("the provider’s URL changed meanwhile, so it wasn’t asked: {name}", name = row.name),
        )
    }

    /// A provider's key.
    async fn load_key(&self, row: &ProviderRow) -> Result<Option<SecretString>, SamplingError> {
        let Some(id) = &row.secret_id else { return Ok(None) };
        self.vault.open().await?;
        let purpose = purpose::of_provider(&row.kind, &row.base_url);
        match self.decrypt_key(id, &purpose).await {
            Err(SamplingError::Vault(VaultError::OtherKey)) => {
                self.vault.refresh().await?;
                self.decrypt_key(id, &purpose).await
            }
            key => key,
        }
    }

    async fn decrypt_key(&self, id: &str, purpose: &str) -> Result<Option<SecretString>, SamplingError> {
        let Some(row) = self.secrets.get(id).await? else { return Ok(None) };
        Ok(Some(self.vault.decrypt(&row.id, purpose, &encrypted_blob(&row)?)?))
    }

    /// Redacts a key in all logs from now on.
    fn redact_key(&self, key: Option<&SecretString>) {
        let Some(key) = key.map(ExposeSecret::expose_secret) else { return };
        let hash = Sha256::digest(key.as_bytes()).into();
        let mut keys = lock(&self.redacted_keys);
        if keys.contains_key(&hash) {
            return;
        }
        let Some(holding) = self.journal.lease_secret(key) else { return };
        if keys.len() >= MAX_REDACTED_KEYS {
            keys.pop_first();
        }
        keys.insert(hash, holding);
    }

    /// Saves whether a provider answered, and if not, why.
    async fn record_result(&self, id: i64, error: Option<&ModelError>) {
        let problem = error.and_then(|error| serde_json::to_string(&error.sentence().stored()).ok());
        if let Err(error) = self.providers.record_result(id, problem.as_deref()).await {
            tracing::warn!(%error, "how a provider did could not be kept");
        }
        self.notify_changed();
    }

    /// Asks a model. Refuses if the provider's origin differs from what the person saw. Calls `grown` while
    /// the answer arrives. Dropping the future cancels the request.
    pub(crate) async fn ask(
        &self,
        candidate: &Candidate<'_>,
        request: &SamplingRequest,
        grown: &mut (dyn FnMut(Reply) + Send),
    ) -> Result<Reply, Sentence> {
        let (Some(provider), Some(model)) = (candidate.provider, candidate.model) else {
            return request.practice_reply().map_err(|error| error.sentence());
        };
        let door = async {
            let row = self.find_unmoved_row(provider).await?;
            let key = self.load_key(&row).await?;
            let base = base_url(&row.base_url)
                .map_err(|message| SamplingError::Invalid { field: "baseUrl", message })?;
            Ok::<_, SamplingError>(ProviderEndpoint { kind: ProviderKind::from_name(&row.kind), base, key })
        };
        let door = door.await.map_err(|error| error.sentence())?;
        self.redact_key(door.key.as_ref());
        let answered = door.ask(&self.client, self.timeouts, &model.id, request, grown).await;
        self.record_result(provider.id, answered.as_ref().err()).await;
        answered.map_err(|error| error.sentence())
    }

    /// The policies of servers, and their usage.
    pub async fn policy_views(
        &self,
        servers: Vec<(ServerId, String)>,
        providers: &[Provider],
    ) -> Result<Vec<SamplingPolicyView>, SamplingError> {
        let mut rows = self.tables.approvals().await?;
        rows.extend(lock(&self.session_approvals).iter().map(|answer| answer.row.clone()));
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
                approvals: standing.map(|row| approval_view(row, providers)).collect(),
            });
        }
        Ok(views)
    }
}

fn no_such_provider(id: i64) -> SamplingError {
    SamplingError::Invalid { field: "provider", message: say!("no provider has the number {id}", id) }
}

fn to_provider(row: ProviderRow) -> Provider {
    Provider {
        id: row.id,
        kind: ProviderKind::from_name(&row.kind),
        base_url: row.base_url,
        has_key: row.secret_id.is_some(),
        // Mooring wrote this text. Members that another version added are left out.
        models: serde_json::from_str(&row.models).unwrap_or_default(),
        answered_ms: row.answered_us.map(|at| at / 1_000),
        problem: row.problem.and_then(|problem| serde_json::from_str(&problem).ok()),
        name: row.name,
    }
}

fn to_policy(row: &SamplingPolicyRow) -> SamplingPolicy {
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
