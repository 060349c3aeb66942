//! Sampling: policies of servers, routes to models, usage and remembered decisions. Prompts and answers are
//! not stored here.

use crate::database::Database;
use crate::table::secret;
use mooring_base::clock::monotonic_us;
use mooring_disk::StoreError;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;
use std::sync::Arc;

/// One route of the routing table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplingRouteRow {
    /// The server. `None` if the route is for all servers.
    pub server: Option<i64>,
    /// The text that a model hint must contain. `None` if the route matches with any hint or without one.
    pub hint: Option<String>,
    /// The provider. `None` for the practice model.
    pub provider: Option<i64>,
    /// The model, as the provider names it.
    pub model: String,
}

/// A server's sampling policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplingPolicyRow {
    /// The server.
    pub server: i64,
    /// Whether the server may use models.
    pub enabled: bool,
    /// Requests per minute at most.
    pub requests_per_minute: Option<u32>,
    /// Tokens a day at most.
    pub tokens_per_day: Option<u32>,
    /// Millionths of a dollar a day at most.
    pub cost_per_day: Option<i64>,
}

/// A server's usage on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplingUsageRow {
    /// Requests.
    pub requests: i64,
    /// Tokens read and written.
    pub tokens: i64,
    /// Millionths of a dollar.
    pub cost: i64,
}

/// A remembered decision, which saves the person from being asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplingApprovalRow {
    /// Its id. Ignored when saving.
    pub id: i64,
    /// The server.
    pub server: i64,
    /// Which review it answers: `request` or `answer`.
    pub review: String,
    /// The provider. `None` for the practice model.
    pub provider: Option<i64>,
    /// The model.
    pub model: String,
    /// Whether it allows.
    pub allow: bool,
    /// When it expires, in microseconds since the Unix epoch. `None` if it lasts until it is removed.
    pub until_us: Option<i64>,
}

/// The tables of sampling. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct Sampling(pub(crate) Arc<Database>);

/// How many days of usage are kept.
const MAX_USAGE_DAYS: i64 = 400;

impl Sampling {
    fn store_error(&self, error: sqlx::Error) -> StoreError {
        self.0.store_error(error)
    }

    /// The routing table, in order.
    pub async fn routes(&self) -> Result<Vec<SamplingRouteRow>, StoreError> {
        let rows = sqlx::query("SELECT * FROM sampling_route ORDER BY position").fetch_all(&self.0.lookups);
        let rows = rows.await.and_then(|rows| rows.iter().map(route_from_row).collect());
        rows.map_err(|error| self.store_error(error))
    }

    /// Replaces the routing table.
    pub async fn set_routes(&self, routes: &[SamplingRouteRow]) -> Result<(), StoreError> {
        const INSERT: &str =
            "INSERT INTO sampling_route (server_id, hint, provider_id, model) VALUES (?, ?, ?, ?)";
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let cleared = sqlx::query("DELETE FROM sampling_route").execute(&mut *tx).await;
        cleared.map_err(|error| self.store_error(error))?;
        for route in routes {
            let insert = sqlx::query(INSERT)
                .bind(route.server)
                .bind(&route.hint)
                .bind(route.provider)
                .bind(&route.model);
            insert.execute(&mut *tx).await.map_err(|error| self.store_error(error))?;
        }
        tx.commit().await.map_err(|error| self.store_error(error))
    }

    /// The policies of all servers that were ever allowed to use models.
    pub async fn policies(&self) -> Result<Vec<SamplingPolicyRow>, StoreError> {
        let rows = sqlx::query("SELECT * FROM sampling_policy ORDER BY server_id").fetch_all(&self.0.lookups);
        let rows = rows.await.and_then(|rows| rows.iter().map(policy_from_row).collect());
        rows.map_err(|error| self.store_error(error))
    }

    /// The policy of one server.
    pub async fn policy(&self, server: i64) -> Result<Option<SamplingPolicyRow>, StoreError> {
        let row = sqlx::query("SELECT * FROM sampling_policy WHERE server_id = ?").bind(server);
        let row = row.fetch_optional(&self.0.lookups).await.map_err(|error| self.store_error(error))?;
        row.as_ref().map(policy_from_row).transpose().map_err(|error| self.store_error(error))
    }

    /// Saves a server's policy.
    pub async fn set_policy(&self, policy: &SamplingPolicyRow) -> Result<(), StoreError> {
        const KEEP: &str = "INSERT INTO sampling_policy
            (server_id, enabled, requests_per_minute, tokens_per_day, cost_per_day)
            SELECT id, ?, ?, ?, ? FROM server WHERE id = ? AND removed_at_us IS NULL
            ON CONFLICT (server_id) DO UPDATE SET enabled = excluded.enabled,
            requests_per_minute = excluded.requests_per_minute, tokens_per_day = excluded.tokens_per_day,
            cost_per_day = excluded.cost_per_day";
        let _turn = self.0.lock_writes().await?;
        let keep = sqlx::query(KEEP)
            .bind(policy.enabled)
            .bind(policy.requests_per_minute)
            .bind(policy.tokens_per_day)
            .bind(policy.cost_per_day)
            .bind(policy.server);
        let result = keep.execute(&self.0.durable_writer).await.map_err(|error| self.store_error(error))?;
        if result.rows_affected() == 0 { Err(StoreError::NoSuchServer { id: policy.server }) } else { Ok(()) }
    }

    /// A server's usage on a day. `day` is in days since the Unix epoch.
    pub async fn usage(&self, server: i64, day: i64) -> Result<SamplingUsageRow, StoreError> {
        const USED: &str =
            "SELECT requests, tokens, cost FROM sampling_usage WHERE server_id = ? AND day = ?";
        let row = sqlx::query_as(USED).bind(server).bind(day).fetch_optional(&self.0.lookups).await;
        let (requests, tokens, cost) = row.map_err(|error| self.store_error(error))?.unwrap_or_default();
        Ok(SamplingUsageRow { requests, tokens, cost })
    }

    /// Adds to a server's usage on a day, and deletes the usage of days long ago.
    pub async fn add_usage(&self, server: i64, day: i64, used: SamplingUsageRow) -> Result<(), StoreError> {
        const ADD: &str = "INSERT INTO sampling_usage (server_id, day, requests, tokens, cost)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT (server_id, day) DO UPDATE SET
            requests = requests + excluded.requests, tokens = tokens + excluded.tokens,
            cost = cost + excluded.cost";
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let add =
            sqlx::query(ADD).bind(server).bind(day).bind(used.requests).bind(used.tokens).bind(used.cost);
        add.execute(&mut *tx).await.map_err(|error| self.store_error(error))?;
        let old =
            sqlx::query("DELETE FROM sampling_usage WHERE day < ?").bind(day.saturating_sub(MAX_USAGE_DAYS));
        old.execute(&mut *tx).await.map_err(|error| self.store_error(error))?;
        tx.commit().await.map_err(|error| self.store_error(error))
    }

    /// The remembered decisions that have not expired.
    pub async fn approvals(&self) -> Result<Vec<SamplingApprovalRow>, StoreError> {
        const STANDING: &str =
            "SELECT * FROM sampling_standing WHERE until_us IS NULL OR until_us > ? ORDER BY id";
        let rows = sqlx::query(STANDING).bind(monotonic_us()).fetch_all(&self.0.lookups).await;
        rows.and_then(|rows| rows.iter().map(approval_from_row).collect())
            .map_err(|error| self.store_error(error))
    }

    /// Saves a remembered decision, deletes earlier ones for the same model, and returns its id. `kind` and
    /// `base_url` are those of the provider that the person saw. `None` if the provider was removed or now
    /// differs; nothing changes then.
    pub async fn save_approval(
        &self,
        standing: &SamplingApprovalRow,
        (kind, base_url): (&str, &str),
    ) -> Result<Option<i64>, StoreError> {
        const SEEN: &str = "SELECT count(*) FROM provider WHERE id = ? AND kind = ? AND base_url = ?";
        const CLEAR: &str = "DELETE FROM sampling_standing WHERE until_us <= ? OR
            (server_id = ? AND look = ? AND provider_id IS ? AND model = ?)";
        const STAND: &str =
            "INSERT INTO sampling_standing (server_id, look, provider_id, model, allow, until_us)
            VALUES (?, ?, ?, ?, ?, ?) RETURNING id";
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        if let Some(provider) = standing.provider {
            let seen = sqlx::query_scalar::<_, i64>(SEEN).bind(provider).bind(kind).bind(base_url);
            if seen.fetch_one(&mut *tx).await.map_err(|error| self.store_error(error))? == 0 {
                return Ok(None);
            }
        }
        let clear = sqlx::query(CLEAR)
            .bind(monotonic_us())
            .bind(standing.server)
            .bind(&standing.review)
            .bind(standing.provider)
            .bind(&standing.model);
        clear.execute(&mut *tx).await.map_err(|error| self.store_error(error))?;
        let stand = sqlx::query_scalar(STAND)
            .bind(standing.server)
            .bind(&standing.review)
            .bind(standing.provider)
            .bind(&standing.model)
            .bind(standing.allow)
            .bind(standing.until_us);
        let id = stand.fetch_one(&mut *tx).await.map_err(|error| self.store_error(error))?;
        tx.commit().await.map_err(|error| self.store_error(error))?;
        Ok(Some(id))
    }

    /// Removes a remembered decision. False if it does not exist.
    pub async fn remove_approval(&self, id: i64) -> Result<bool, StoreError> {
        Ok(self.0.execute(sqlx::query("DELETE FROM sampling_standing WHERE id = ?").bind(id)).await? == 1)
    }
}

fn route_from_row(row: &SqliteRow) -> Result<SamplingRouteRow, sqlx::Error> {
    Ok(SamplingRouteRow {
        server: row.try_get("server_id")?,
        hint: row.try_get("hint")?,
        provider: row.try_get("provider_id")?,
        model: row.try_get("model")?,
    })
}

fn policy_from_row(row: &SqliteRow) -> Result<SamplingPolicyRow, sqlx::Error> {
    Ok(SamplingPolicyRow {
        server: row.try_get("server_id")?,
        enabled: row.try_get("enabled")?,
        requests_per_minute: row.try_get("requests_per_minute")?,
        tokens_per_day: row.try_get("tokens_per_day")?,
        cost_per_day: row.try_get("cost_per_day")?,
    })
}

fn approval_from_row(row: &SqliteRow) -> Result<SamplingApprovalRow, sqlx::Error> {
    Ok(SamplingApprovalRow {
        id: row.try_get("id")?,
        server: row.try_get("server_id")?,
        review: row.try_get("look")?,
        provider: row.try_get("provider_id")?,
        model: row.try_get("model")?,
        allow: row.try_get("allow")?,
        until_us: row.try_get("until_us")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NewProvider, ProviderKeyChange, Store};

    async fn with_server(home: &std::path::Path) -> (Store, i64) {
        let store = Store::open(home).await.unwrap();
        let insert = "INSERT INTO server (name, enabled, created_at_us, updated_at_us) VALUES ('s', 0, 0, 0)";
        let tables = store.sampling();
        let inserted = sqlx::query(insert).execute(&tables.0.durable_writer).await.unwrap();
        (store, inserted.last_insert_rowid())
    }

    #[tokio::test]
    async fn usage_adds_up_by_the_day_and_old_days_go() {
        let home = tempfile::tempdir().unwrap();
        let (store, server) = with_server(home.path()).await;
        let tables = store.sampling();
        let used = SamplingUsageRow { requests: 1, tokens: 20, cost: 300 };
        tables.add_usage(server, 10, used).await.unwrap();
        tables.add_usage(server, 10, used).await.unwrap();
        let twice = SamplingUsageRow { requests: 2, tokens: 40, cost: 600 };
        assert_eq!(tables.usage(server, 10).await.unwrap(), twice);
        tables.add_usage(server, 11 + MAX_USAGE_DAYS, used).await.unwrap();
        assert_eq!(tables.usage(server, 10).await.unwrap(), SamplingUsageRow::default());
    }

    #[tokio::test]
    async fn an_answer_stands_until_it_is_over_or_replaced_or_taken_back() {
        let home = tempfile::tempdir().unwrap();
        let (store, server) = with_server(home.path()).await;
        let tables = store.sampling();
        let row = |allow, until_us| SamplingApprovalRow {
            id: 0,
            server,
            review: "request".to_owned(),
            provider: None,
            model: String::new(),
            allow,
            until_us,
        };
        let practice = ("", "");
        tables.save_approval(&row(true, Some(1)), practice).await.unwrap();
        assert!(tables.approvals().await.unwrap().is_empty());
        tables.save_approval(&row(true, None), practice).await.unwrap();
        let id = tables.save_approval(&row(false, None), practice).await.unwrap().unwrap();
        let standing = tables.approvals().await.unwrap();
        assert_eq!(standing, [SamplingApprovalRow { id, ..row(false, None) }]);
        assert!(tables.remove_approval(id).await.unwrap());
        assert!(tables.approvals().await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn remembered_answer_is_deleted_when_its_provider_moves() {
        let home = tempfile::tempdir().unwrap();
        let (store, server) = with_server(home.path()).await;
        let (tables, providers) = (store.sampling(), store.providers());
        let at = |base_url: &str| NewProvider {
            name: "a".to_owned(),
            kind: "openai".to_owned(),
            base_url: base_url.to_owned(),
            models: "[]".to_owned(),
        };
        let (here, there) = ("http://127.0.0.1:1/", "http://127.0.0.1:2/");
        let id = providers.save(None, &at(here), &ProviderKeyChange::Keep, false).await.unwrap();
        let row = SamplingApprovalRow {
            id: 0,
            server,
            review: "answer".to_owned(),
            provider: id,
            model: "m".to_owned(),
            allow: true,
            until_us: None,
        };
        let stood = async || tables.approvals().await.unwrap().len();
        assert!(tables.save_approval(&row, ("openai", here)).await.unwrap().is_some());
        providers.save(id, &at(here), &ProviderKeyChange::Keep, true).await.unwrap();
        assert_eq!(stood().await, 1);
        providers.save(id, &at(there), &ProviderKeyChange::Keep, false).await.unwrap();
        assert_eq!(stood().await, 0);
        for seen in [("openai", here), ("ollama", there)] {
            assert_eq!(tables.save_approval(&row, seen).await.unwrap(), None);
        }
        assert_eq!(stood().await, 0);
        assert!(tables.save_approval(&row, ("openai", there)).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn a_policy_is_for_a_server_that_there_is() {
        let home = tempfile::tempdir().unwrap();
        let (store, server) = with_server(home.path()).await;
        let tables = store.sampling();
        let policy = SamplingPolicyRow {
            server,
            enabled: true,
            cost_per_day: Some(5),
            ..SamplingPolicyRow::default()
        };
        assert_eq!(tables.policy(server).await.unwrap(), None);
        tables.set_policy(&policy).await.unwrap();
        assert_eq!(tables.policies().await.unwrap(), [policy]);
        let nobody = tables.set_policy(&SamplingPolicyRow { server: server + 1, ..policy }).await;
        assert!(matches!(nobody, Err(StoreError::NoSuchServer { .. })), "{nobody:?}");
    }
}
