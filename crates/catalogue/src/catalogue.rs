//! All servers together as an app sees them: their last lists, with each item's name for the app. No server
//! is contacted, because a slow one would delay the app.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use mooring_addresses::{AppLinks, Holder, ServerAddresses, ServerTemplate, with_addresses};
use mooring_approvals::{
    AppAccess, AppToolList, ListedIn, ListedItem, ListedOffers, PinnedTool, RememberedServer,
};
use mooring_base::resource_address::{template_with_prefix, with_prefix};
use mooring_base::server_id::ServerId;
use mooring_errors::{ErrorCode, HostError};
use mooring_host::Host;
use mooring_jsonrpc::{Change, JsonObject, quoted, with_members};
use mooring_policy::{PinKind, PinState, PinView};
use mooring_revisions::{OfferKind, ServerOffers};
use mooring_server_state::{ServerView, StateName};
use mooring_tool_list::instructions::{self, ServerInstructions};
use mooring_tool_list::{ForApps, ToolIndex, Unusable, definitions, exposed_name, for_apps, usable_tool};
use mooring_words::Sentence;

use crate::addresses::Addresses;

/// If the definitions have more bytes than this, an app gets a search by default. This is about 20,000
/// tokens.
const MANY_TOOLS: usize = 80 << 10;

/// A tool, prompt, resource or template of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// The app's name for the item: a name, a URI, or a URI template.
    pub exposed: String,
    /// The item's server.
    pub server: ServerId,
    /// The server's name for the item.
    pub own: String,
    /// The definition for the app, as JSON.
    pub definition: String,
}

impl Offered {
    /// The definition for the app, as JSON.
    pub fn definition(&self) -> &str {
        &self.definition
    }
}

/// A tool that apps get in another form than the server's, or not at all.
#[derive(Debug, Clone)]
pub struct OddTool {
    /// The tool's server.
    pub server: ServerId,
    /// The server's name for the tool.
    pub own: String,
    /// The hash of the server's definition.
    pub hash: String,
    /// How and why the tool is changed for apps.
    pub why: Sentence,
}

/// All that an app sees.
#[derive(Debug, Default)]
pub struct Catalogue {
    tools: Vec<Offered>,
    /// Tools that differ from the approved ones. They are not listed. Calling one fails with an explanation.
    changed_tools: Vec<Offered>,
    /// Tools that are left out, by their name for the app, with the reason. Strict clients would refuse them
    /// together with all others.
    pub unusable_tools: BTreeMap<String, Unusable>,
    /// Tools that apps get in another form than the server's, or not at all.
    pub odd_tools: Vec<OddTool>,
    prompts: Vec<Offered>,
    resources: Vec<Offered>,
    templates: Vec<Offered>,
    /// The URIs of UI resources in tools' definitions.
    pages: BTreeSet<(ServerId, String)>,
    /// The servers' instructions, each under its server's name.
    pub instructions: Option<String>,
    /// Each server's part of the instructions.
    pub sections: Vec<(ServerId, String)>,
    /// The kinds of items that the servers offer.
    pub offers: ServerOffers,
    /// The servers whose resources were never read.
    pub unread_servers: Vec<ServerId>,
    /// The names of the servers with tools.
    pub server_names: Vec<String>,
    /// Whether an app of the other era may see a different catalogue.
    pub is_of_era: bool,
    /// Whether the app gets a search instead of all tools.
    is_searched: bool,
    /// The tools that the app gets next to the search.
    pinned: BTreeSet<PinnedTool>,
    index: OnceLock<ToolIndex>,
}

/// Where the servers of the catalogue run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPlace {
    /// In this process.
    Here,
    /// In another process, or not at all. Apps see the approved items of the servers that start with Mooring.
    Elsewhere,
}

/// One server's part of a catalogue.
struct ServerItems<'a> {
    server: ServerView,
    /// What the app may see.
    access: &'a AppAccess,
    /// Whether the app only sees this server.
    alone: bool,
    /// Which server owns which URI. `None` if URIs are not rewritten.
    addresses: Option<&'a Addresses>,
    run: RunPlace,
    /// The last lists that the server sent.
    remembered: Arc<RememberedServer>,
    /// The era of the app.
    era: ListedIn,
    /// The most characters of a name for the app.
    longest_name: usize,
    /// The hashes of approved items that are unchanged, by kind and name.
    approved: BTreeMap<(PinKind, String), String>,
    /// The server's instructions, if they are approved.
    instructions: Option<String>,
    /// The names of the tools that differ from the approved ones.
    changed_tools: BTreeSet<String>,
}

impl Catalogue {
    fn has_many_tools(&self) -> bool {
        let bytes: usize = self.tools.iter().map(|tool| tool.definition.len()).sum();
        bytes > MANY_TOOLS
    }

    /// Builds the catalogue for an app of the given era with the given access. With `only`, it has one
    /// server, whose names are unchanged.
    pub async fn read_with(
        host: &Host,
        app: &str,
        access: &AppAccess,
        (only, era): (Option<&str>, ListedIn),
        run: RunPlace,
        addresses: Option<&Addresses>,
    ) -> Result<Self, HostError> {
        let mut catalogue = Self::default();
        let alone = only.is_some();
        let longest_name = usize::from(host.app_longest_name(app, access));
        let mut all = Vec::new();
        for server in host.servers() {
            let is_seen = only.is_none_or(|only| only == server.config.name) && access.sees_server(server.id);
            // Which server owns a URI must be the same for all apps, so the servers that this app doesn't see
            // also count.
            if !is_seen && addresses.is_none() {
                continue;
            }
            let trust = match host.trust(server.id).await {
                // The server was removed in the meantime.
                Err(error) if error.code() == ErrorCode::ServerNotFound => continue,
                trust => trust?,
            };
            let remembered = host.remembered(server.id).await?;
            let is_changed = |item: &&PinView| item.kind == PinKind::Tool && item.state == PinState::Changed;
            let changed_tools = trust.items.iter().filter(is_changed).map(|item| item.name.clone()).collect();
            let approved = trust.items.into_iter().filter(|item| item.state == PinState::Approved);
            let approved: Vec<PinView> = approved.collect();
            let instructions = find_approved_instructions(&server, &approved);
            let approved = approved.into_iter().map(|item| ((item.kind, item.name), item.hash)).collect();
            let items = ServerItems {
                server,
                access,
                alone,
                addresses,
                run,
                remembered,
                era,
                longest_name,
                approved,
                instructions,
                changed_tools,
            };
            all.push((is_seen, items));
        }
        if let Some(addresses) = addresses {
            let servers = all.iter().map(|(_, items)| (items.server.id, items.collect_addresses())).collect();
            let is_settled = all.iter().all(|(_, items)| !items.has_pending_resources());
            addresses.update(host, servers, is_settled).await?;
        }
        let mut instructions = Vec::new();
        for (_, items) in all.iter().filter(|(is_seen, _)| *is_seen) {
            catalogue.unread_servers.extend(items.has_pending_resources().then_some(items.server.id));
            catalogue.is_of_era |= items.remembered.speaks_session();
            let before = catalogue.tools.len();
            catalogue.add_server(items);
            let name = &items.server.config.name;
            if catalogue.tools.len() > before {
                catalogue.server_names.push(name.clone());
            }
            if let Some(text) = items.instructions.clone().filter(|_| items.is_shown()) {
                instructions.push(ServerInstructions { server: items.server.id, name: name.clone(), text });
            }
        }
        let shown = all.iter().filter(|(is_seen, items)| *is_seen && items.is_shown());
        catalogue.offers = ServerOffers::of_all(shown.map(|(_, items)| items.read_offers()), alone);
        catalogue.sections =
            if alone { instructions::whole(instructions) } else { instructions::sections(instructions) };
        let instructions: String = catalogue.sections.iter().map(|(_, text)| text.as_str()).collect();
        catalogue.pinned = access.pinned.clone();
        catalogue.instructions = Some(instructions).filter(|text| !text.is_empty());
        // For a single server, the app gets the server's own tools.
        catalogue.is_searched = only.is_none()
            && match access.tool_list {
                AppToolList::Whole => false,
                AppToolList::Search => true,
                AppToolList::Auto => catalogue.has_many_tools() && !host.app_searches_tools(app),
            };
        Ok(catalogue)
    }

    fn add_server(&mut self, items: &ServerItems<'_>) {
        if !items.is_shown() {
            return;
        }
        for tool in items.last_list(OfferKind::Tools) {
            if !items.access.sees_tool(items.server.id, &tool.name) {
                continue;
            }
            if items.is_approved(PinKind::Tool, tool) {
                self.add_tool(items, tool);
            } else if items.changed_tools.contains(&tool.name) {
                self.changed_tools.push(items.offer_named_item(tool));
            }
        }
        if !items.access.prompts_off {
            let prompts = items.last_list(OfferKind::Prompts).iter();
            let approved = prompts.filter(|prompt| items.is_approved(PinKind::Prompt, prompt));
            self.prompts.extend(approved.map(|prompt| items.offer_named_item(prompt)));
        }
        if !items.access.resources_off {
            let resources = items.last_list(OfferKind::Resources).iter();
            self.resources.extend(resources.map(|resource| items.offer_resource(resource)));
            let templates = items.last_list(OfferKind::Templates).iter();
            let approved = templates.filter(|template| items.is_approved(PinKind::Template, template));
            self.templates.extend(approved.map(|template| items.offer_template(template)));
        }
    }

    fn add_tool(&mut self, items: &ServerItems<'_>, tool: &ListedItem) {
        let server = items.server.id;
        let offered = items.offer_named_item(tool);
        let usable = usable_tool(&offered.definition);
        if !matches!(usable, Ok(Cow::Borrowed(_)))
            && let Some(ForApps { why, .. }) = for_apps(tool.raw.get())
        {
            let (own, hash) = (tool.name.clone(), tool.own_hash.clone());
            self.odd_tools.push(OddTool { server, own, hash, why });
        }
        match usable.map(Cow::into_owned) {
            Ok(definition) => {
                self.pages.extend(find_ui_uris(tool.raw.get()).into_iter().map(|page| (server, page)));
                self.tools.push(Offered { definition, ..offered });
            }
            Err(why) => drop(self.unusable_tools.insert(offered.exposed, why)),
        }
    }

    fn offered_of_kind(&self, kind: OfferKind) -> &[Offered] {
        match kind {
            OfferKind::Tools => &self.tools,
            OfferKind::Prompts => &self.prompts,
            OfferKind::Resources => &self.resources,
            OfferKind::Templates => &self.templates,
        }
    }

    /// The tools.
    pub fn tools(&self) -> &[Offered] {
        &self.tools
    }

    /// Whether the app gets a search instead of all tools.
    pub fn is_searched(&self) -> bool {
        self.is_searched
    }

    /// The search index of the tools.
    pub fn index(&self) -> &ToolIndex {
        let words = self.tools.iter().map(|tool| (tool.exposed.as_str(), tool.definition.as_str()));
        self.index.get_or_init(|| ToolIndex::new(words))
    }

    /// The tools that the app gets next to a search. A tool with the same name as a search tool is left out.
    pub fn pinned_tools(&self) -> impl Iterator<Item = &Offered> {
        let is_pinned = |tool: &&Offered| {
            let pinned = PinnedTool { server: tool.server, tool: tool.own.clone() };
            self.pinned.contains(&pinned) && !definitions::NAMES.contains(&tool.exposed.as_str())
        };
        self.tools.iter().filter(is_pinned)
    }

    /// The definitions of the search tools.
    pub fn search_definitions(&self) -> [serde_json::Value; 3] {
        definitions::definitions(self.tools.len(), &self.server_names)
    }

    /// The result of a `…/list` request.
    pub fn list(&self, kind: OfferKind) -> String {
        if kind == OfferKind::Tools && self.is_searched {
            let search = self.search_definitions().map(|tool| tool.to_string());
            let pinned = self.pinned_tools().map(|tool| tool.definition.clone());
            return format!(
                r#"{{"tools":[{}]}}"#,
                search.into_iter().chain(pinned).collect::<Vec<_>>().join(",")
            );
        }
        let definitions: Vec<&str> =
            self.offered_of_kind(kind).iter().map(|offered| offered.definition.as_str()).collect();
        JsonObject::new().list(kind.member(), definitions).whole()
    }

    /// The item that has this name for the app.
    pub fn find(&self, kind: OfferKind, exposed: &str) -> Option<&Offered> {
        self.offered_of_kind(kind).iter().find(|offered| offered.exposed == exposed)
    }

    /// The tool that has this name for the app. It may have changed since it was approved, because the host
    /// decides about calls.
    pub fn find_tool(&self, exposed: &str) -> Option<&Offered> {
        let changed = || self.changed_tools.iter().find(|offered| offered.exposed == exposed);
        self.find(OfferKind::Tools, exposed).or_else(changed)
    }

    /// Whether the app would get a different list of this kind than from `earlier`.
    pub fn differs(&self, earlier: &Self, kind: OfferKind) -> bool {
        if kind == OfferKind::Tools && (self.is_searched || earlier.is_searched) {
            return self.list(kind) != earlier.list(kind);
        }
        self.offered_of_kind(kind) != earlier.offered_of_kind(kind)
    }

    /// The result of a `…/list` request, for an app that has received these links. If the app knows a URI as
    /// another server's, the item's URI gets a prefix.
    pub fn list_beside(&self, kind: OfferKind, links: &AppLinks) -> String {
        let is_others =
            |server: ServerId, uri: &str| links.holder(uri).is_some_and(|holder| holder != server);
        let beside = |offered: &Offered| {
            let Offered { server, own, exposed, definition } = offered;
            let prefixed = |uri: &str| is_others(*server, uri).then(|| with_prefix(*server, uri));
            match kind {
                OfferKind::Resources if own == exposed && is_others(*server, own) => {
                    with_addresses(definition.clone(), Holder::Resource, prefixed)
                }
                OfferKind::Templates if own == exposed && links.are_met_by(*server, own) => {
                    let exposed = quoted(&template_with_prefix(*server, own));
                    with_members(definition, &[("uriTemplate", Change::Set(&exposed))])
                }
                OfferKind::Tools => with_addresses(definition.clone(), Holder::Definition, prefixed),
                _ => definition.clone(),
            }
        };
        if links.is_empty() || (kind == OfferKind::Tools && self.is_searched) {
            return self.list(kind);
        }
        let definitions: Vec<String> = self.offered_of_kind(kind).iter().map(beside).collect();
        JsonObject::new().list(kind.member(), definitions).whole()
    }

    /// The item that has this name at a server, as the app sees it.
    pub fn of_server(&self, kind: OfferKind, server: ServerId, own: &str) -> Option<&Offered> {
        self.offered_of_kind(kind).iter().find(|offered| offered.server == server && offered.own == own)
    }

    /// Whether the app knows a server's URI from a list, a template or a tool.
    pub fn has_address(&self, server: ServerId, own: &str) -> bool {
        let matches =
            |template: &Offered| template.server == server && ServerTemplate::new(&template.own).matches(own);
        self.of_server(OfferKind::Resources, server, own).is_some()
            || self.pages.contains(&(server, own.to_owned()))
            || self.templates.iter().any(matches)
    }

    /// The server of a listed resource whose URI the app knows without a prefix.
    pub fn find_address(&self, is_meant: impl Fn(&str) -> bool) -> Option<ServerId> {
        let is_bare = |offered: &&Offered| offered.exposed == offered.own;
        let meant = self.resources.iter().filter(is_bare).find(|offered| is_meant(&offered.own));
        meant.map(|offered| offered.server)
    }
}

/// The URIs of UI resources in a tool's definition.
fn find_ui_uris(definition: &str) -> Vec<String> {
    let mut pages = Vec::new();
    with_addresses(definition.to_owned(), Holder::Definition, |page| {
        pages.push(page.to_owned());
        None
    });
    pages
}

/// A server's instructions, if the current ones are approved. Approved instructions that are too long are
/// only saved in part. In that case, they are read from the connection.
fn find_approved_instructions(server: &ServerView, approved: &[PinView]) -> Option<String> {
    let item = approved.iter().find(|item| item.kind == PinKind::Instructions)?;
    let saved = if item.whole.is_none() { serde_json::from_str(&item.now).ok() } else { None };
    saved.or_else(|| server.connection.peer.as_ref()?.instructions.clone())
}

impl ServerItems<'_> {
    /// The last offers in the app's era.
    fn last_offers(&self) -> &ListedOffers {
        self.remembered.of(self.era)
    }

    /// The last list of a kind, for the app's era.
    fn last_list(&self, kind: OfferKind) -> &[ListedItem] {
        self.last_offers().of_kind(kind)
    }

    fn is_approved(&self, kind: PinKind, item: &ListedItem) -> bool {
        self.approved.get(&(kind, item.name.clone())) == Some(&item.hash)
    }

    /// The kinds of items that the server declares. If tools were listed, they count as declared.
    fn read_offers(&self) -> ServerOffers {
        let offers =
            self.last_offers().capabilities.as_deref().and_then(ServerOffers::of).unwrap_or_default();
        ServerOffers { tools: offers.tools || !self.last_list(OfferKind::Tools).is_empty(), ..offers }
    }

    /// Whether apps see the server's items. It may be disconnected.
    fn is_shown(&self) -> bool {
        match self.run {
            RunPlace::Here => is_expected(self.server.connection.state),
            RunPlace::Elsewhere => self.server.enabled,
        }
    }

    /// The URIs in the server's lists, for all apps and eras.
    fn collect_addresses(&self) -> ServerAddresses {
        let tools = self.remembered.listed(OfferKind::Tools);
        let approved = tools.filter(|tool| self.is_approved(PinKind::Tool, tool));
        let mut uris: BTreeSet<String> = approved.flat_map(|tool| find_ui_uris(tool.raw.get())).collect();
        uris.extend(self.remembered.listed(OfferKind::Resources).map(|resource| resource.name.clone()));
        let templates = self.remembered.listed(OfferKind::Templates);
        let approved = templates.filter(|template| self.is_approved(PinKind::Template, template));
        let templates = approved.map(|template| ServerTemplate::new(&template.name)).collect();
        ServerAddresses { is_whole: self.has_read_resources(), uris, templates }
    }

    /// Whether the server's resources were not read yet but will be.
    fn has_pending_resources(&self) -> bool {
        let is_connecting = matches!(
            self.server.connection.state,
            StateName::Starting | StateName::Reconnecting | StateName::Ready | StateName::Degraded
        );
        is_connecting && !self.has_read_resources()
    }

    fn has_read_resources(&self) -> bool {
        self.remembered.of(ListedIn::SharedEra).lists.contains_key(&OfferKind::Resources)
    }

    /// The URI by which the app knows one of the server's resources.
    fn expose_uri(&self, own: &str) -> String {
        self.addresses.map_or_else(|| own.to_owned(), |addresses| addresses.exposed(self.server.id, own))
    }

    /// The item's definition, with URIs as the app knows them.
    fn rewrite_definition(&self, item: &ListedItem, holder: Holder) -> String {
        with_addresses(item.raw.get().to_owned(), holder, |own| self.addresses.map(|_| self.expose_uri(own)))
    }

    fn offer_named_item(&self, item: &ListedItem) -> Offered {
        let own = &item.name;
        let exposed = || exposed_name(&self.server.config.name, own, self.longest_name);
        let exposed = if self.alone { own.clone() } else { exposed() };
        let raw = self.rewrite_definition(item, Holder::Definition);
        let definition = if exposed == *own {
            raw
        } else {
            with_members(&raw, &[("name", Change::Set(&quoted(&exposed)))])
        };
        Offered { exposed, server: self.server.id, own: own.clone(), definition }
    }

    fn offer_resource(&self, item: &ListedItem) -> Offered {
        let definition = self.rewrite_definition(item, Holder::Resource);
        let exposed = self.expose_uri(&item.name);
        Offered { exposed, server: self.server.id, own: item.name.clone(), definition }
    }

    fn offer_template(&self, item: &ListedItem) -> Offered {
        let own = &item.name;
        let template = ServerTemplate::new(own);
        let expose = |addresses: &Addresses| addresses.exposed_template(self.server.id, &template);
        let exposed = self.addresses.map_or_else(|| own.clone(), expose);
        let raw = self.rewrite_definition(item, Holder::Template);
        let definition = if exposed == *own {
            raw
        } else {
            with_members(&raw, &[("uriTemplate", Change::Set(&quoted(&exposed)))])
        };
        Offered { exposed, server: self.server.id, own: own.clone(), definition }
    }
}

/// Whether apps see the last lists of a server in this state. A server that is meant to run is shown even if
/// it is not connected. A call then explains what is needed.
fn is_expected(state: StateName) -> bool {
    match state {
        StateName::Starting
        | StateName::Ready
        | StateName::Degraded
        | StateName::SignInNeeded
        | StateName::WaitingForYou
        | StateName::Reconnecting
        | StateName::Asleep
        | StateName::Locked
        | StateName::Failed => true,
        StateName::Stopped | StateName::Changed => false,
    }
}
