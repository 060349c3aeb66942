//! The copy of a registry, against a registry on loopback.
#![expect(clippy::unwrap_used, reason = "a failure here is a failure of the test")]

mod faults;
mod speed;
mod sync;

use mooring_network::Network;
use mooring_registry::{FetchLimits, RefreshReason, RegistryBase, RegistryCopy, RegistryError, SyncProgress};
use mooring_store::Store;
use mooring_testkit::registry::{RegistryServer, serve_registry};
use tempfile::TempDir;

/// A copy with its registry and its folder.
struct Setup {
    server: RegistryServer,
    base: RegistryBase,
    catalog: RegistryCopy,
    now_us: i64,
    _home: TempDir,
}

const HOUR_US: i64 = 3_600_000_000;

impl Setup {
    async fn new(count: usize, odd: usize) -> Self {
        Self::with_limits(count, odd, FetchLimits::default()).await
    }

    async fn with_limits(count: usize, odd: usize, limits: FetchLimits) -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).await.unwrap();
        let server = serve_registry(count, odd).await;
        let base = RegistryBase::parse(&server.url).unwrap();
        let catalog = RegistryCopy::new("mooring-test", &store, &Network::direct(), limits);
        Self { server, base, catalog, now_us: 1_790_000_000_000_000, _home: home }
    }

    async fn refresh(&self, reason: RefreshReason) -> Result<Option<SyncProgress>, RegistryError> {
        self.catalog.refresh(&self.base, reason, self.now_us, &|_| {}).await
    }

    async fn total(&self, text: &str) -> i64 {
        self.catalog.search(text, 0, 1).await.unwrap().total
    }
}
