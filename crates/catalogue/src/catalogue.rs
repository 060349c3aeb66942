//! All servers together as an app sees them: their last lists, with each item's name for the app. No server
//! is contacted, so that a slow one causes no delay.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use mooring_addresses::{AppLinks, Holder, ServerAddresses, ServerTemplate, with_addresses};
use mooring_approvals::{
    AppAccess, AppToolList, ListedIn, ListedItem, ListedOffers, PinnedTool, RememberedServer,
};
use mooring_base::resource_address::{template_with_prefix, with_prefix};
use mooring_base::server_id::ServerId;
use mooring_connections::{ServerView, StateName};
use mooring_errors::{ErrorCode, HostError};
use mooring_host::Host;
use mooring_jsonrpc::{Change, JsonObject, quoted, with_members};
use mooring_policy::{PinKind, PinState, PinView};
use mooring_revisions::{OfferKind, ServerOffers};
use mooring_tool_list::instructions::{self, ServerInstructions};
use mooring_tool_list::{ForApps, ToolIndex, Unusable, definitions, exposed_name, for_apps, usable_tool};
use mooring_words::Sentence;

use crate::addresses::Addresses;

/// Bytes of definitions from which an app gets a search by default: about 20,000 tokens.
const MANY_TOOLS: usize = 80 << 10;

/// A tool, prompt, resource or template of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// The app's name for it: a name, a URI, or a URI template.
    pub exposed: String,
    /// Whose it is.
    pub server: ServerId,
    /// The server's name for it.
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

/// A tool that apps don't get as the server says.
#[derive(Debug, Clone)]
pub struct OddTool {
    /// Whose it is.
    pub server: ServerId,
    /// The server's name for it.
    pub own: String,
    /// The hash of what it says.
    pub hash: String,
    /// How and why it is changed.
    pub why: Sentence,
}

/// All that an app sees.
#[derive(Debug, Default)]
pub struct Catalogue {
    tools: Vec<Offered>,
    /// Tools that differ from the approved ones. They are not listed, and calling one fails with an
    /// explanation.
    changed_tools: Vec<Offered>,
    /// Tools that strict clients would refuse together with all others, and why.
    pub unusable_tools: BTreeMap<String, Unusable>,
    /// Tools that are not given as the server says: left out or mended.
    pub odd_tools: Vec<OddTool>,
    prompts: Vec<Offered>,
    resources: Vec<Offered>,
    templates: Vec<Offered>,
    /// The pages that tools name.
    pages: BTreeSet<(ServerId, String)>,
    /// The servers' instructions, each under its server's name.
    pub instructions: Option<String>,
    /// The part of each server in them.
    pub sections: Vec<(ServerId, String)>,
    /// The kinds of items that the servers offer.
    pub offers: ServerOffers,
    /// The servers whose resources were never read.
    pub unread_servers: Vec<ServerId>,
    /// The names of the servers with tools.
    pub server_names: Vec<String>,
    /// Whether an app of another era may see something else.
    pub is_of_era: bool,
    /// The app gets a search in the place of the tools.
    is_searched: bool,
    /// Which of the tools it gets beside it.
    pinned: BTreeSet<PinnedTool>,
    index: OnceLock<ToolIndex>,
}

/// Where the servers run whose lists are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPlace {
    /// In this process.
    Here,
    /// In another process, if at all. Apps see what is approved of the servers that it starts.
    Elsewhere,
}

/// One server's part of a catalogue.
struct ServerItems<'a> {
    server: ServerView,
    /// What the app may see.
    access: &'a AppAccess,
    /// The app sees this server alone.
    alone: bool,
    /// Which server owns which address. `None` if no address has to be rewritten.
    addresses: Option<&'a Addresses>,
    run: RunPlace,
    /// The server's last offers.
    remembered: Arc<RememberedServer>,
    /// The era of the app.
    era: ListedIn,
    /// The longest name for the app.
    longest_name: usize,
    /// The hashes of approved items that are unchanged, by kind and name.
    approved: BTreeMap<(PinKind, String), String>,
    /// The server's instructions, if they are approved.
    instructions: Option<String>,
    /// The names of the tools that are not what was approved.
    changed_tools: BTreeSet<String>,
}

impl Catalogue {
    fn has_many_tools(&self) -> bool {
        let bytes: usize = self.tools.iter().map(|tool| tool.definition.len()).sum();
        bytes > MANY_TOOLS
    }

    /// Builds the catalogue for an app of an era with this access. With `only`, for one server.
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
            // Whose addresses are whose is the same for all apps.
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
            let instructions = instructions_of(&server, &approved);
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
            let servers = all.iter().map(|(_, items)| (items.server.id, items.addresses())).collect();
            let is_settled = all.iter().all(|(_, items)| !items.is_to_come());
            addresses.update(host, servers, is_settled).await?;
        }
        let mut instructions = Vec::new();
        for (_, items) in all.iter().filter(|(is_seen, _)| *is_seen) {
            catalogue.unread_servers.extend(items.is_to_come().then_some(items.server.id));
            catalogue.is_of_era |= items.remembered.speaks_session();
            let before = catalogue.tools.len();
            catalogue.add(items);
            let name = &items.server.config.name;
            if catalogue.tools.len() > before {
                catalogue.server_names.push(name.clone());
            }
            if let Some(text) = items.instructions.clone().filter(|_| items.is_shown()) {
                instructions.push(ServerInstructions { server: items.server.id, name: name.clone(), text });
            }
        }
        let shown = all.iter().filter(|(is_seen, items)| *is_seen && items.is_shown());
        catalogue.offers = ServerOffers::of_all(shown.map(|(_, items)| items.offers()), alone);
        catalogue.sections =
            if alone { instructions::whole(instructions) } else { instructions::sections(instructions) };
        let instructions: String = catalogue.sections.iter().map(|(_, text)| text.as_str()).collect();
        catalogue.pinned = access.pinned.clone();
        catalogue.instructions = Some(instructions).filter(|text| !text.is_empty());
        // One server alone is as the server says.
        catalogue.is_searched = only.is_none()
            && match access.tool_list {
                AppToolList::Whole => false,
                AppToolList::Search => true,
                AppToolList::Auto => catalogue.has_many_tools() && !host.app_searches_tools(app),
            };
        Ok(catalogue)
    }

    fn add(&mut self, items: &ServerItems<'_>) {
        if !items.is_shown() {
            return;
        }
        for tool in items.listed(OfferKind::Tools) {
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
            let prompts = items.listed(OfferKind::Prompts).iter();
            let approved = prompts.filter(|prompt| items.is_approved(PinKind::Prompt, prompt));
            self.prompts.extend(approved.map(|prompt| items.offer_named_item(prompt)));
        }
        if !items.access.resources_off {
            let resources = items.listed(OfferKind::Resources).iter();
            self.resources.extend(resources.map(|resource| items.offer_resource(resource)));
            let templates = items.listed(OfferKind::Templates).iter();
            let approved = templates.filter(|template| items.is_approved(PinKind::Template, template));
            self.templates.extend(approved.map(|template| items.template(template)));
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
                self.pages.extend(pages(tool.raw.get()).into_iter().map(|page| (server, page)));
                self.tools.push(Offered { definition, ..offered });
            }
            Err(why) => drop(self.unusable_tools.insert(offered.exposed, why)),
        }
    }

    fn of_kind(&self, kind: OfferKind) -> &[Offered] {
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

    /// Whether the app gets a search in the place of the tools.
    pub fn is_searched(&self) -> bool {
        self.is_searched
    }

    /// The words of the tools.
    pub fn index(&self) -> &ToolIndex {
        let words = self.tools.iter().map(|tool| (tool.exposed.as_str(), tool.definition.as_str()));
        self.index.get_or_init(|| ToolIndex::new(words))
    }

    /// The tools that the app gets next to a search. A tool with the name of the search itself is left out.
    pub fn pinned_tools(&self) -> impl Iterator<Item = &Offered> {
        let is_pinned = |tool: &&Offered| {
            let pinned = PinnedTool { server: tool.server, tool: tool.own.clone() };
            self.pinned.contains(&pinned) && !definitions::NAMES.contains(&tool.exposed.as_str())
        };
        self.tools.iter().filter(is_pinned)
    }

    /// The tools that search the others.
    pub fn search_definitions(&self) -> [serde_json::Value; 3] {
        definitions::definitions(self.tools.len(), &self.server_names)
    }

    /// The result of a request for a list.
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
            self.of_kind(kind).iter().map(|offered| offered.definition.as_str()).collect();
        JsonObject::new().list(kind.member(), definitions).whole()
    }

    /// The item with this name for the app.
    pub fn find(&self, kind: OfferKind, exposed: &str) -> Option<&Offered> {
        self.of_kind(kind).iter().find(|offered| offered.exposed == exposed)
    }

    /// The tool with this name for the app, even if it changed since it was approved: the host decides about
    /// calls.
    pub fn find_tool(&self, exposed: &str) -> Option<&Offered> {
        let changed = || self.changed_tools.iter().find(|offered| offered.exposed == exposed);
        self.find(OfferKind::Tools, exposed).or_else(changed)
    }

    /// Whether a kind has changed since then.
    pub fn differs(&self, earlier: &Self, kind: OfferKind) -> bool {
        if kind == OfferKind::Tools && (self.is_searched || earlier.is_searched) {
            return self.list(kind) != earlier.list(kind);
        }
        self.of_kind(kind) != earlier.of_kind(kind)
    }

    /// The result of a request for a list, for an app that has received these links: an address that it knows
    /// from another server gets a prefix here.
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
        let definitions: Vec<String> = self.of_kind(kind).iter().map(beside).collect();
        JsonObject::new().list(kind.member(), definitions).whole()
    }

    /// The item with this name at a server, as the app sees it.
    pub fn of_server(&self, kind: OfferKind, server: ServerId, own: &str) -> Option<&Offered> {
        self.of_kind(kind).iter().find(|offered| offered.server == server && offered.own == own)
    }

    /// Whether the app has an address of a server by a list, a template or a tool.
    pub fn has_address(&self, server: ServerId, own: &str) -> bool {
        let matches =
            |template: &Offered| template.server == server && ServerTemplate::new(&template.own).matches(own);
        self.of_server(OfferKind::Resources, server, own).is_some()
            || self.pages.contains(&(server, own.to_owned()))
            || self.templates.iter().any(matches)
    }

    /// The server of a listed resource that the app knows without a prefix, by its URI.
    pub fn find_address(&self, is_meant: impl Fn(&str) -> bool) -> Option<ServerId> {
        let is_bare = |offered: &&Offered| offered.exposed == offered.own;
        let meant = self.resources.iter().filter(is_bare).find(|offered| is_meant(&offered.own));
        meant.map(|offered| offered.server)
    }
}

/// The pages that a tool names.
fn pages(definition: &str) -> Vec<String> {
    let mut pages = Vec::new();
    with_addresses(definition.to_owned(), Holder::Definition, |page| {
        pages.push(page.to_owned());
        None
    });
    pages
}

/// A server's instructions, if the current ones are approved. If they are too long to be saved whole, the
/// server's current ones are used.
fn instructions_of(server: &ServerView, approved: &[PinView]) -> Option<String> {
    let item = approved.iter().find(|item| item.kind == PinKind::Instructions)?;
    let saved = if item.whole.is_none() { serde_json::from_str(&item.now).ok() } else { None };
    saved.or_else(|| server.connection.peer.as_ref()?.instructions.clone())
}

impl ServerItems<'_> {
    /// The last offers in the app's era.
    fn last_offers(&self) -> &ListedOffers {
        self.remembered.of(self.era)
    }

    /// The last list of a kind.
    fn listed(&self, kind: OfferKind) -> &[ListedItem] {
        self.last_offers().of_kind(kind)
    }

    fn is_approved(&self, kind: PinKind, item: &ListedItem) -> bool {
        self.approved.get(&(kind, item.name.clone())) == Some(&item.hash)
    }

    /// The kinds of items that the server declares.
    fn offers(&self) -> ServerOffers {
        let offers =
            self.last_offers().capabilities.as_deref().and_then(ServerOffers::of).unwrap_or_default();
        ServerOffers { tools: offers.tools || !self.listed(OfferKind::Tools).is_empty(), ..offers }
    }

    /// Whether apps see its items, even while it is not connected.
    fn is_shown(&self) -> bool {
        match self.run {
            RunPlace::Here => is_expected(self.server.connection.state),
            RunPlace::Elsewhere => self.server.enabled,
        }
    }

    /// The URIs in its lists, for all apps and eras.
    fn addresses(&self) -> ServerAddresses {
        let tools = self.remembered.listed(OfferKind::Tools);
        let approved = tools.filter(|tool| self.is_approved(PinKind::Tool, tool));
        let mut uris: BTreeSet<String> = approved.flat_map(|tool| pages(tool.raw.get())).collect();
        uris.extend(self.remembered.listed(OfferKind::Resources).map(|resource| resource.name.clone()));
        let templates = self.remembered.listed(OfferKind::Templates);
        let approved = templates.filter(|template| self.is_approved(PinKind::Template, template));
        let templates = approved.map(|template| ServerTemplate::new(&template.name)).collect();
        ServerAddresses { is_whole: self.has_read_resources(), uris, templates }
    }

    /// Whether its resources will be listed and were not yet.
    fn is_to_come(&self) -> bool {
        let is_connecting = matches!(
            self.server.connection.state,
            StateName::Starting | StateName::Reconnecting | StateName::Ready | StateName::Degraded
        );
        is_connecting && !self.has_read_resources()
    }

    fn has_read_resources(&self) -> bool {
        self.remembered.of(ListedIn::SharedEra).lists.contains_key(&OfferKind::Resources)
    }

    /// The URI by which the app knows one of its resources.
    fn exposed(&self, own: &str) -> String {
        self.addresses.map_or_else(|| own.to_owned(), |addresses| addresses.exposed(self.server.id, own))
    }

    /// A definition with the addresses in it as the app knows them.
    fn rewritten(&self, item: &ListedItem, holder: Holder) -> String {
        with_addresses(item.raw.get().to_owned(), holder, |own| self.addresses.map(|_| self.exposed(own)))
    }

    /// A tool or prompt.
    fn offer_named_item(&self, item: &ListedItem) -> Offered {
        let own = &item.name;
        let exposed = || exposed_name(&self.server.config.name, own, self.longest_name);
        let exposed = if self.alone { own.clone() } else { exposed() };
        let raw = self.rewritten(item, Holder::Definition);
        let definition = if exposed == *own {
            raw
        } else {
            with_members(&raw, &[("name", Change::Set(&quoted(&exposed)))])
        };
        Offered { exposed, server: self.server.id, own: own.clone(), definition }
    }

    /// A resource.
    fn offer_resource(&self, item: &ListedItem) -> Offered {
        let definition = self.rewritten(item, Holder::Resource);
        let exposed = self.exposed(&item.name);
        Offered { exposed, server: self.server.id, own: item.name.clone(), definition }
    }

    /// A template.
    fn template(&self, item: &ListedItem) -> Offered {
        let own = &item.name;
        let template = ServerTemplate::new(own);
        let expose = |addresses: &Addresses| addresses.exposed_template(self.server.id, &template);
        let exposed = self.addresses.map_or_else(|| own.clone(), expose);
        let raw = self.rewritten(item, Holder::Template);
        let definition = if exposed == *own {
            raw
        } else {
            with_members(&raw, &[("uriTemplate", Change::Set(&quoted(&exposed)))])
        };
        Offered { exposed, server: self.server.id, own: own.clone(), definition }
    }
}

/// Whether what is remembered of a server that is not connected is shown: it is meant to run, and a call says what it
/// takes.
fn is_expected(state: StateName) -> bool {
    match state {
        StateName::Starting
        | StateName::Ready
        | StateName::Degraded
        | StateName::SignInNeeded
        | StateName::WaitingForYou
        | StateName::Reconnecting
        | StateName::Locked
        | StateName::Failed => true,
        StateName::Stopped | StateName::Changed => false,
    }
}
