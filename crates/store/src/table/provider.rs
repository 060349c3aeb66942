//! Providers of models. Their keys are encrypted secrets. Their models are JSON text that this crate does not
//! parse.

use crate::database::Database;
use crate::table::secret::{self, SecretRow};
use mooring_base::clock::now_us;
use mooring_disk::StoreError;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;
use std::sync::Arc;

/// A provider's row in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderRow {
    /// The provider's id.
    pub id: i64,
    /// The name that the person gave it.
    pub name: String,
    /// `anthropic`, `openai`, `ollama` or `gemini`.
    pub kind: String,
    /// The base URL.
    pub base_url: String,
    /// The models: a JSON array, in the person's order.
    pub models: String,
    /// The encrypted key.
    pub secret_id: Option<String>,
    /// When it last answered, in microseconds since the Unix epoch.
    pub answered_us: Option<i64>,
    /// Why the provider did not answer its last request: a sentence as JSON.
    pub problem: Option<String>,
}

/// A provider to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewProvider {
    /// The name that the person gave it.
    pub name: String,
    /// API type: `anthropic`, `openai`, `ollama` or `gemini`.
    pub kind: String,
    /// Base URL of its API.
    pub base_url: String,
    /// The models: a JSON array, in the person's order.
    pub models: String,
}

/// A change of a provider's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderKeyChange {
    /// Keeps the key.
    Keep,
    /// Removes the key.
    Remove,
    /// Replaces the key by this one.
    Replace(SecretRow),
}

/// The table of providers. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct Providers(pub(crate) Arc<Database>);

impl Providers {
    /// Every provider, in the order in which they were set up.
    pub async fn list(&self) -> Result<Vec<ProviderRow>, StoreError> {
        let rows = sqlx::query("SELECT * FROM provider ORDER BY id").fetch_all(&self.0.lookups).await;
        rows.and_then(|rows| rows.iter().map(from_row).collect()).map_err(|error| self.0.store_error(error))
    }

    /// The provider `id`.
    pub async fn get(&self, id: i64) -> Result<Option<ProviderRow>, StoreError> {
        let row = sqlx::query("SELECT * FROM provider WHERE id = ?").bind(id);
        let row = row.fetch_optional(&self.0.lookups).await.map_err(|error| self.0.store_error(error))?;
        row.as_ref().map(from_row).transpose().map_err(|error| self.0.store_error(error))
    }

    /// Saves a new provider, or changes the provider `id`. Unless `stays` says that the origin remains the
    /// same, remembered decisions about the provider are deleted. `None` if there is no provider `id`.
    pub async fn save(
        &self,
        id: Option<i64>,
        provider: &NewProvider,
        key: &ProviderKeyChange,
        stays: bool,
    ) -> Result<Option<i64>, StoreError> {
        const INSERT: &str =
            "INSERT INTO provider (name, kind, base_url, models) VALUES (?, ?, ?, ?) RETURNING id";
        const UPDATE: &str =
            "UPDATE provider SET name = ?, kind = ?, base_url = ?, models = ?, problem = NULL
            WHERE id = ? RETURNING id";
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let statement = sqlx::query_scalar(if id.is_some() { UPDATE } else { INSERT })
            .bind(&provider.name)
            .bind(&provider.kind)
            .bind(&provider.base_url)
            .bind(&provider.models);
        let statement = if let Some(id) = id { statement.bind(id) } else { statement };
        let saved: Option<i64> = match statement.fetch_optional(&mut *tx).await {
            Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                return Err(StoreError::NameTaken { name: provider.name.clone() });
            }
            saved => saved.map_err(|error| self.0.store_error(error))?,
        };
        let Some(saved) = saved else { return Ok(None) };
        if !stays {
            let forgotten = sqlx::query("DELETE FROM sampling_standing WHERE provider_id = ?").bind(saved);
            forgotten.execute(&mut *tx).await.map_err(|error| self.0.store_error(error))?;
        }
        let secret_id = match key {
            ProviderKeyChange::Keep => None,
            ProviderKeyChange::Remove => Some(None),
            ProviderKeyChange::Replace(row) => {
                secret::insert_secret(&self.0, &mut tx, row, None).await?;
                Some(Some(&row.id))
            }
        };
        if let Some(secret_id) = secret_id {
            let changed =
                sqlx::query("UPDATE provider SET secret_id = ? WHERE id = ?").bind(secret_id).bind(saved);
            changed.execute(&mut *tx).await.map_err(|error| self.0.store_error(error))?;
        }
        tx.commit().await.map_err(|error| self.0.store_error(error))?;
        Ok(Some(saved))
    }

    /// Removes a provider with its key and the routes to it. False if it does not exist.
    pub async fn remove(&self, id: i64) -> Result<bool, StoreError> {
        Ok(self.0.execute(sqlx::query("DELETE FROM provider WHERE id = ?").bind(id)).await? == 1)
    }

    /// Saves the result of a provider's last request: success, or the error (a sentence as JSON).
    pub async fn record_result(&self, id: i64, problem: Option<&str>) -> Result<(), StoreError> {
        const NOTE: &str =
            "UPDATE provider SET answered_us = coalesce(?, answered_us), problem = ? WHERE id = ?";
        let answered = problem.is_none().then(now_us);
        let noted = sqlx::query(NOTE).bind(answered).bind(problem).bind(id);
        self.0.execute(noted).await.map(drop)
    }
}

fn from_row(row: &SqliteRow) -> Result<ProviderRow, sqlx::Error> {
    Ok(ProviderRow {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        kind: row.try_get("kind")?,
        base_url: row.try_get("base_url")?,
        models: row.try_get("models")?,
        secret_id: row.try_get("secret_id")?,
        answered_us: row.try_get("answered_us")?,
        problem: row.try_get("problem")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    fn ollama(name: &str) -> NewProvider {
        NewProvider {
            name: name.to_owned(),
            kind: "ollama".to_owned(),
            base_url: "http://127.0.0.1:11434".to_owned(),
            models: "[]".to_owned(),
        }
    }

    #[tokio::test]
    async fn provider_is_saved_changed_and_removed_with_its_routes() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).await.unwrap();
        let providers = store.providers();
        let id = providers.save(None, &ollama("a"), &ProviderKeyChange::Keep, false).await.unwrap().unwrap();
        let taken = providers.save(None, &ollama("a"), &ProviderKeyChange::Keep, false).await;
        assert!(matches!(taken, Err(StoreError::NameTaken { name }) if name == "a"));
        let nobody = providers.save(Some(id + 1), &ollama("x"), &ProviderKeyChange::Keep, true).await;
        assert_eq!(nobody.unwrap(), None);
        providers.record_result(id, Some("{}")).await.unwrap();
        assert!(providers.get(id).await.unwrap().unwrap().problem.is_some());
        providers.record_result(id, None).await.unwrap();
        let row = providers.get(id).await.unwrap().unwrap();
        assert!(row.problem.is_none() && row.answered_us.is_some(), "{row:?}");
        let renamed = providers.save(Some(id), &ollama("b"), &ProviderKeyChange::Remove, true).await;
        assert_eq!(renamed.unwrap(), Some(id));
        let route = crate::SamplingRouteRow {
            server: None,
            hint: Some("x".to_owned()),
            provider: Some(id),
            model: "m".to_owned(),
        };
        store.sampling().set_routes(std::slice::from_ref(&route)).await.unwrap();
        assert_eq!(store.sampling().routes().await.unwrap(), [route]);
        assert_eq!(providers.list().await.unwrap()[0].name, "b");
        assert!(providers.remove(id).await.unwrap());
        assert!(!providers.remove(id).await.unwrap());
        assert!(store.sampling().routes().await.unwrap().is_empty());
    }
}
