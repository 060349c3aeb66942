//! What front ends show of the saved servers.

use mooring_approvals::ListedIn;
use mooring_base::server_id::ServerId;
use mooring_definitions::SavedServer;
use mooring_errors::HostError;
use mooring_instances::{InstanceId, SingleUserKind};
use mooring_revisions::OfferKind;
use mooring_server_state::{ConnectionView, ServerView, StateName};

use super::instances::instance_rule_of;
use super::{Registry, ServerEntry, lock};

impl Registry {
    /// All saved servers, sorted by name.
    pub fn views(&self) -> Vec<ServerView> {
        let mut views: Vec<ServerView> =
            lock(&self.entries).iter().map(|(id, entry)| self.build_view(*id, entry)).collect();
        views.sort_by_cached_key(|view| (view.config.name.to_lowercase(), view.id));
        views
    }

    /// The name and state of a server or instance. Cheaper than a view.
    pub fn name_and_state(&self, at: InstanceId) -> Option<(String, StateName)> {
        let entries = lock(&self.entries);
        let entry = entries.get(&at.server)?;
        let state = if at.number == 0 {
            entry.connection.as_ref().map(|own| own.handle().state())
        } else {
            self.instances.read(at.number, |own| own.handle().state())
        };
        Some((entry.server.row.name.clone(), state.unwrap_or(StateName::Stopped)))
    }

    /// One saved server.
    pub fn view(&self, id: ServerId) -> Result<ServerView, HostError> {
        let entries = lock(&self.entries);
        entries.get(&id).map(|entry| self.build_view(id, entry)).ok_or(HostError::ServerNotFound(id))
    }

    /// The view of a server that has slept since Mooring started has the numbers of items that it listed last.
    fn with_known_counts(&self, id: ServerId, view: ConnectionView) -> ConnectionView {
        let known = Some(id).filter(|_| view.state == StateName::Asleep && view.tool_count.is_none());
        let Some(known) = known.and_then(|id| self.trust.last_lists(id)) else { return view };
        let offers = known.of(ListedIn::SharedEra);
        let count = |kind| offers.lists.get(&kind).map(Vec::len);
        let resources = count(OfferKind::Resources).zip(count(OfferKind::Templates));
        ConnectionView {
            tool_count: count(OfferKind::Tools),
            prompt_count: count(OfferKind::Prompts),
            resource_count: resources.map(|(resources, templates)| resources + templates),
            ..view
        }
    }

    fn build_view(&self, id: ServerId, entry: &ServerEntry) -> ServerView {
        let SavedServer { row, config } = &entry.server;
        let connection = match &entry.connection {
            Some(connection) => self.with_known_counts(id, connection.view()),
            None => ConnectionView::stopped_since(row.updated_at_us / 1_000),
        };
        let named = entry.connection.as_ref().zip(config.url.as_deref());
        let names_icons = named.is_some_and(|(own, url)| own.handle().names_icons_at(url));
        ServerView {
            id,
            config: config.clone(),
            enabled: row.enabled,
            connection,
            changed: self.trust.has_changes(id),
            review: self.trust.review_counts(id),
            names_icons,
            loads_icons: row.loads_icons,
            instance_rule: instance_rule_of(row),
            asks_for_roots: row.asks_for_roots,
            asks_apps: row.asks_apps,
            instances: self.instance_views(id),
            single_user: config
                .command
                .as_deref()
                .and_then(|it| SingleUserKind::of_command(it, &config.args)),
        }
    }
}
