//! What one connection of an app sees: the servers, or one of them, and who it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mooring_bridge::AppHello;
use mooring_host::{AppCall, Host, HostError, ServerId};

use crate::catalogue::Catalogue;
use crate::catalogues::Catalogues;
use crate::recorded::AppLog;

/// Numbers of connections, of all apps.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1);

/// An app on a connection.
pub(crate) struct AppView {
    pub(crate) host: Host,
    pub(crate) catalogues: Arc<Catalogues>,
    /// The app's name.
    pub(crate) app: Arc<str>,
    /// The server that the app sees, where it sees one alone.
    only: Option<Arc<str>>,
    /// No other connection has it.
    pub(crate) number: u64,
    pub(crate) log: Arc<AppLog>,
}

impl AppView {
    pub(crate) fn new(host: &Host, catalogues: &Arc<Catalogues>, app: AppHello) -> Arc<Self> {
        let log = AppLog::new(host, &app.app);
        Self::recorded(host, catalogues, app, log)
    }

    /// One whose messages are recorded there.
    pub(crate) fn recorded(
        host: &Host,
        catalogues: &Arc<Catalogues>,
        app: AppHello,
        log: Arc<AppLog>,
    ) -> Arc<Self> {
        Arc::new(Self {
            log,
            host: host.clone(),
            catalogues: Arc::clone(catalogues),
            app: app.app.into(),
            only: app.server.map(Arc::from),
            number: CONNECTIONS.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// What the app sees now.
    pub(crate) async fn catalogue(&self) -> Result<Arc<Catalogue>, HostError> {
        self.catalogues.of(&self.app, self.only.as_ref()).await
    }

    /// The server whose resources the app sees, where it sees one server alone; none where they are off for it.
    pub(crate) fn only_server(&self) -> Option<ServerId> {
        let only = self.only.as_deref()?;
        let server = self.host.servers().into_iter().find(|server| server.config.name == only)?;
        self.sees_resources(server.id).then_some(server.id)
    }

    /// Whether the app sees the resources of a server.
    pub(crate) fn sees_resources(&self, server: ServerId) -> bool {
        let access = self.host.app_access(&self.app);
        access.sees_server(server) && !access.resources_off
    }

    /// A name for a call, by which what it leads to is found: questions, and rows of the log.
    pub(crate) fn name_call(&self) -> AppCall {
        self.host.name_app_call(&self.app)
    }
}
