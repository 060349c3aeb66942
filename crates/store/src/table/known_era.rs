//! Protocol eras that were detected by asking servers.

use std::sync::Arc;
use std::time::Duration;

use crate::database::Database;
use mooring_base::clock::now_us;
use mooring_disk::StoreError;

/// How many servers' eras are remembered at most. The most recent ones are kept.
const MAX_ROWS: i64 = 1_000;

/// The table of detected eras.
#[derive(Clone, Debug)]
pub struct KnownEras(pub(crate) Arc<Database>);

impl KnownEras {
    /// The era of the server with this identity, if it was detected within `age`.
    pub async fn get(&self, identity: &str, age: Duration) -> Result<Option<String>, StoreError> {
        let since = now_us().saturating_sub(i64::try_from(age.as_micros()).unwrap_or(i64::MAX));
        sqlx::query_scalar("SELECT era FROM known_era WHERE identity = ? AND at_us >= ?")
            .bind(identity)
            .bind(since)
            .fetch_optional(&self.0.lookups)
            .await
            .map_err(|error| self.0.store_error(error))
    }

    /// Saves the detected era: `modern`, `session` or `sse`.
    pub async fn set(&self, identity: &str, era: &str) -> Result<(), StoreError> {
        const KEEP: &str = "INSERT INTO known_era (identity, era, at_us) VALUES (?, ?, ?)
            ON CONFLICT (identity) DO UPDATE SET era = excluded.era, at_us = excluded.at_us";
        const PRUNE: &str = "DELETE FROM known_era WHERE identity NOT IN
            (SELECT identity FROM known_era ORDER BY at_us DESC LIMIT ?)";
        self.0.execute(sqlx::query(KEEP).bind(identity).bind(era).bind(now_us())).await?;
        self.0.execute(sqlx::query(PRUNE).bind(MAX_ROWS)).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: ERA-23.
    #[tokio::test]
    async fn known_era_expires_and_only_the_latest_are_kept() {
        let home = tempfile::tempdir().unwrap();
        let store = crate::Store::open(home.path()).await.unwrap();
        let eras = store.known_eras();
        let hour = Duration::from_hours(1);
        assert_eq!(eras.get("a", hour).await.unwrap(), None);
        eras.set("a", "session").await.unwrap();
        eras.set("a", "modern").await.unwrap();
        assert_eq!(eras.get("a", hour).await.unwrap().as_deref(), Some("modern"));
        let age = "UPDATE known_era SET at_us = at_us - 3600000001";
        sqlx::raw_sql(age).execute(&eras.0.durable_writer).await.unwrap();
        assert_eq!(eras.get("a", hour).await.unwrap(), None);
        assert!(eras.set("b", "another").await.is_err());
        let many = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 1200)
            INSERT INTO known_era SELECT 'n' || i, 'sse', i FROM n";
        sqlx::raw_sql(many).execute(&eras.0.durable_writer).await.unwrap();
        eras.set("c", "sse").await.unwrap();
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM known_era")
            .fetch_one(&eras.0.durable_writer)
            .await
            .unwrap();
        assert_eq!(count, MAX_ROWS);
        assert!(eras.get("c", hour).await.unwrap().is_some());
    }
}
