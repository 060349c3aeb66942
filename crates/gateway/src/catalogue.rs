//! What an app sees of all servers together: their lists as they are held, each item under the name that it has for the
//! app. Nothing is asked of a server for it, so that a slow one delays nobody.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use mooring_addresses::{AppLinks, Holder, ServerAddresses, ServerTemplate, with_addresses};
use mooring_base::resource_address::{template_with_prefix, with_prefix};
use mooring_host::{
    AppAccess, AppToolList, ErrorCode, HeldLists, Host, HostError, PinKind, PinState, PinView, PinnedTool,
    Sentence, ServerId, ServerView, StateName,
};
use mooring_revisions::OfferKind;
use mooring_tool_list::instructions::{self, ServerInstructions};
use mooring_tool_list::{ToolIndex, definitions, exposed_name};

use crate::addresses::Addresses;
use crate::message::{quoted, with_members};

/// From how many bytes of definitions an app gets a search where it is to be chosen: some 20,000 tokens.
const MANY_TOOLS: usize = 80 << 10;

/// A tool, prompt, resource or template of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offered {
    /// What the app calls it: a name, a URI, or a URI template.
    pub(crate) exposed: String,
    pub(crate) server: ServerId,
    /// What the server calls it.
    pub(crate) own: String,
    /// Its definition for the app, as JSON.
    pub(crate) definition: String,
}

impl Offered {
    /// Its definition for the app, as JSON.
    pub(crate) fn definition(&self) -> &str {
        &self.definition
    }
}

/// All that an app sees.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    tools: Vec<Offered>,
    /// Tools that are not what was approved: no list has them, and a call of one is refused in words.
    changed_tools: Vec<Offered>,
    prompts: Vec<Offered>,
    resources: Vec<Offered>,
    templates: Vec<Offered>,
    /// The pages that tools name.
    pages: BTreeSet<(ServerId, String)>,
    /// The servers' instructions, each under its server's name.
    pub(crate) instructions: Option<String>,
    /// The part of each server in them.
    pub(crate) sections: Vec<(ServerId, String)>,
    /// The names of the servers with tools.
    pub(crate) server_names: Vec<String>,
    /// The app gets a search in the place of the tools.
    is_searched: bool,
    /// Which of the tools it gets beside it.
    pinned: BTreeSet<PinnedTool>,
    index: OnceLock<ToolIndex>,
}

/// Where the servers run whose lists are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunPlace {
    /// In this process: apps see what they have now.
    Here,
    /// In another process, if at all: apps see what was approved of those that it starts.
    Elsewhere,
}

/// What one server adds to a catalogue.
struct ServerItems<'a> {
    server: ServerView,
    /// What the app may see.
    access: &'a AppAccess,
    /// The app sees this server alone.
    alone: bool,
    /// Whose addresses are whose; none where none is written otherwise.
    addresses: Option<&'a Addresses>,
    run: RunPlace,
    /// Its lists, as this process has them.
    held: HeldLists,
    /// What is approved as it is, by kind and name, as canonical JSON; none where that is not kept whole.
    approved: BTreeMap<(PinKind, String), Option<String>>,
    /// The names of the tools that are not what was approved.
    changed_tools: BTreeSet<String>,
}

impl Catalogue {
    fn has_many_tools(&self) -> bool {
        let bytes: usize = self.tools.iter().map(|tool| tool.definition.len()).sum();
        bytes > MANY_TOOLS
    }

    /// What there is now for an app that may see this; of one server only where `only` names it.
    pub(crate) async fn read_with(
        host: &Host,
        app: &str,
        access: &AppAccess,
        only: Option<&str>,
        run: RunPlace,
        addresses: Option<&Addresses>,
    ) -> Result<Self, HostError> {
        let mut catalogue = Self::default();
        let alone = only.is_some();
        let mut all = Vec::new();
        for server in host.servers() {
            let is_seen = only.is_none_or(|only| only == server.config.name) && access.sees_server(server.id);
            // Whose addresses are whose is the same for all apps.
            if !is_seen && addresses.is_none() {
                continue;
            }
            // Where another process runs the servers, nothing is held here.
            let held = match run {
                RunPlace::Here => host.held_lists(server.id),
                RunPlace::Elsewhere => Ok(HeldLists::default()),
            };
            let (trust, held) = match (host.trust(server.id).await, held) {
                // It was removed meanwhile.
                (Err(error), _) | (_, Err(error)) if error.code() == ErrorCode::ServerNotFound => continue,
                (trust, held) => (trust?, held?),
            };
            let is_changed = |item: &&PinView| item.kind == PinKind::Tool && item.state == PinState::Changed;
            let changed_tools = trust.items.iter().filter(is_changed).map(|item| item.name.clone()).collect();
            let approved = trust.items.into_iter().filter(|item| item.state == PinState::Approved);
            let whole = |item: &PinView| item.whole.is_none().then(|| item.now.clone());
            let approved = approved.map(|item| ((item.kind, item.name.clone()), whole(&item))).collect();
            let items = ServerItems { server, access, alone, addresses, run, held, approved, changed_tools };
            all.push((is_seen, items));
        }
        if let Some(addresses) = addresses {
            let servers = all.iter().map(|(_, items)| (items.server.id, items.addresses())).collect();
            let is_settled = all.iter().all(|(_, items)| !items.is_to_come());
            addresses.update(host, servers, is_settled).await?;
        }
        let mut instructions = Vec::new();
        for (_, items) in all.iter().filter(|(is_seen, _)| *is_seen) {
            let before = catalogue.tools.len();
            catalogue.add(items);
            let name = &items.server.config.name;
            if catalogue.tools.len() > before {
                catalogue.server_names.push(name.clone());
            }
            if let Some(text) = items.instructions()? {
                instructions.push(ServerInstructions { server: items.server.id, name: name.clone(), text });
            }
        }
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
        if items.run == RunPlace::Elsewhere {
            if items.server.enabled {
                self.add_remembered(items, |_| true);
            }
            return;
        }
        let held = &items.held;
        if held.tools.is_none() && is_expected(items.server.connection.state) {
            // What was read of it already counts.
            self.add_remembered(items, |kind| match kind {
                PinKind::Prompt => held.prompts.is_none(),
                PinKind::Template => held.resources.is_none(),
                PinKind::Tool | PinKind::Server | PinKind::Instructions => true,
            });
        }
        for tool in held.tools.iter().flat_map(|list| &list.tools) {
            if !items.access.sees_tool(items.server.id, &tool.name) {
                continue;
            }
            if items.is_approved(PinKind::Tool, &tool.name) {
                self.add_tool(items, &tool.name, tool.raw.get());
            } else if items.changed_tools.contains(&tool.name) {
                self.changed_tools.push(items.named(&tool.name, tool.raw.get()));
            }
        }
        let prompts = held.prompts.as_ref().filter(|_| !items.access.prompts_off);
        for prompt in prompts.iter().flat_map(|list| &list.prompts) {
            if items.is_approved(PinKind::Prompt, &prompt.name) {
                self.prompts.push(items.named(&prompt.name, prompt.raw.get()));
            }
        }
        let resources = held.resources.as_ref().filter(|_| !items.access.resources_off);
        for resource in resources.iter().flat_map(|list| &list.resources) {
            self.resources.push(items.addressed(&resource.uri, resource.raw.get()));
        }
        for template in resources.iter().flat_map(|list| &list.templates) {
            if items.is_approved(PinKind::Template, &template.uri_template) {
                self.templates.push(items.template(&template.uri_template, template.raw.get()));
            }
        }
    }

    fn add_tool(&mut self, items: &ServerItems<'_>, own: &str, raw: &str) {
        let server = items.server.id;
        self.pages.extend(pages(raw).into_iter().map(|page| (server, page)));
        self.tools.push(items.named(own, raw));
    }

    /// What a server had when it was connected last: it is about to be connected, and apps that ask for a list only once
    /// would never hear of it. Of these kinds.
    fn add_remembered(&mut self, items: &ServerItems<'_>, is_meant: impl Fn(PinKind) -> bool) {
        for ((kind, name), definition) in &items.approved {
            let Some(raw) = definition.as_ref().filter(|_| is_meant(*kind)) else { continue };
            match kind {
                PinKind::Tool if !items.access.sees_tool(items.server.id, name) => {}
                PinKind::Tool => self.add_tool(items, name, raw),
                PinKind::Prompt if items.access.prompts_off => {}
                PinKind::Template if items.access.resources_off => {}
                PinKind::Prompt => self.prompts.push(items.named(name, raw)),
                PinKind::Template => self.templates.push(items.template(name, raw)),
                PinKind::Server | PinKind::Instructions => {}
            }
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

    pub(crate) fn tools(&self) -> &[Offered] {
        &self.tools
    }

    /// Whether the app gets a search in the place of the tools.
    pub(crate) fn is_searched(&self) -> bool {
        self.is_searched
    }

    /// The words of the tools.
    pub(crate) fn index(&self) -> &ToolIndex {
        let words = self.tools.iter().map(|tool| (tool.exposed.as_str(), tool.definition.as_str()));
        self.index.get_or_init(|| ToolIndex::new(words))
    }

    /// Those that the app gets beside a search. One that is called as the search's own stays behind it.
    pub(crate) fn pinned_tools(&self) -> impl Iterator<Item = &Offered> {
        let is_pinned = |tool: &&Offered| {
            let pinned = PinnedTool { server: tool.server, tool: tool.own.clone() };
            self.pinned.contains(&pinned) && !definitions::NAMES.contains(&tool.exposed.as_str())
        };
        self.tools.iter().filter(is_pinned)
    }

    /// The tools that search the others.
    pub(crate) fn search_definitions(&self) -> [serde_json::Value; 3] {
        definitions::definitions(self.tools.len(), &self.server_names)
    }

    /// The result of a request for a list.
    pub(crate) fn list(&self, kind: OfferKind) -> String {
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
        format!(r#"{{"{}":[{}]}}"#, kind.member(), definitions.join(","))
    }

    /// What the app calls this.
    pub(crate) fn find(&self, kind: OfferKind, exposed: &str) -> Option<&Offered> {
        self.of_kind(kind).iter().find(|offered| offered.exposed == exposed)
    }

    /// The tool that the app calls this, also one that changed since it was approved: what becomes of a call is decided
    /// by the host.
    pub(crate) fn find_tool(&self, exposed: &str) -> Option<&Offered> {
        let changed = || self.changed_tools.iter().find(|offered| offered.exposed == exposed);
        self.find(OfferKind::Tools, exposed).or_else(changed)
    }

    /// Whether a kind has changed since then.
    pub(crate) fn differs(&self, earlier: &Self, kind: OfferKind) -> bool {
        if kind == OfferKind::Tools && (self.is_searched || earlier.is_searched) {
            return self.list(kind) != earlier.list(kind);
        }
        self.of_kind(kind) != earlier.of_kind(kind)
    }

    /// The result of a request for a list, for an app that has got these: what is held for another server stands behind
    /// the prefix here.
    pub(crate) fn list_beside(&self, kind: OfferKind, links: &AppLinks) -> String {
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
                    with_members(definition, &[("uriTemplate", &exposed)])
                }
                OfferKind::Tools => with_addresses(definition.clone(), Holder::Definition, prefixed),
                _ => definition.clone(),
            }
        };
        if links.is_empty() || (kind == OfferKind::Tools && self.is_searched) {
            return self.list(kind);
        }
        let definitions: Vec<String> = self.of_kind(kind).iter().map(beside).collect();
        format!(r#"{{"{}":[{}]}}"#, kind.member(), definitions.join(","))
    }

    /// What a server calls this, as the app sees it.
    pub(crate) fn of_server(&self, kind: OfferKind, server: ServerId, own: &str) -> Option<&Offered> {
        self.of_kind(kind).iter().find(|offered| offered.server == server && offered.own == own)
    }

    /// Whether the app has an address of a server by a list, a template or a tool.
    pub(crate) fn has_address(&self, server: ServerId, own: &str) -> bool {
        let matches =
            |template: &Offered| template.server == server && ServerTemplate::new(&template.own).matches(own);
        self.of_server(OfferKind::Resources, server, own).is_some()
            || self.pages.contains(&(server, own.to_owned()))
            || self.templates.iter().any(matches)
    }

    /// The server of a listed resource that the app knows by its own address, where that is meant.
    pub(crate) fn find_address(&self, is_meant: impl Fn(&str) -> bool) -> Option<ServerId> {
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

impl ServerItems<'_> {
    fn is_approved(&self, kind: PinKind, name: &str) -> bool {
        self.approved.contains_key(&(kind, name.to_owned()))
    }

    /// Its approved instructions.
    fn instructions(&self) -> Result<Option<String>, HostError> {
        let Some(saved) = self.approved.get(&(PinKind::Instructions, String::new())) else { return Ok(None) };
        let peer = self.server.connection.peer.as_ref();
        match (self.run, saved) {
            (RunPlace::Here, _) => Ok(peer.and_then(|peer| peer.instructions.clone())),
            (RunPlace::Elsewhere, Some(text)) if self.server.enabled => serde_json::from_str(text)
                .map_err(|error| HostError::Internal(Sentence::quoted(error.to_string()))),
            (RunPlace::Elsewhere, _) => Ok(None),
        }
    }

    /// What its lists hand out, whichever app sees it.
    fn addresses(&self) -> ServerAddresses {
        let (mut uris, mut templates) = (BTreeSet::new(), Vec::new());
        for ((kind, name), definition) in &self.approved {
            match kind {
                PinKind::Tool => {
                    let held =
                        self.held.tools.iter().flat_map(|list| &list.tools).find(|tool| tool.name == *name);
                    let definition = held.map(|tool| tool.raw.get()).or(definition.as_deref());
                    uris.extend(definition.map(pages).unwrap_or_default());
                }
                PinKind::Template => templates.push(ServerTemplate::new(name)),
                PinKind::Prompt | PinKind::Server | PinKind::Instructions => {}
            }
        }
        let listed = self.held.resources.iter().flat_map(|list| &list.resources);
        uris.extend(listed.map(|resource| resource.uri.clone()));
        ServerAddresses { is_whole: self.held.resources.is_some(), uris, templates }
    }

    /// Whether its resources will be listed and are not yet.
    fn is_to_come(&self) -> bool {
        let is_connecting = matches!(
            self.server.connection.state,
            StateName::Starting | StateName::Reconnecting | StateName::Ready | StateName::Degraded
        );
        is_connecting && self.held.resources.is_none()
    }

    /// What the app knows one of its addresses by.
    fn exposed(&self, own: &str) -> String {
        self.addresses.map_or_else(|| own.to_owned(), |addresses| addresses.exposed(self.server.id, own))
    }

    /// A definition with the addresses in it as the app knows them.
    fn rewritten(&self, raw: &str, holder: Holder) -> String {
        with_addresses(raw.to_owned(), holder, |own| self.addresses.map(|_| self.exposed(own)))
    }

    /// A tool or prompt.
    fn named(&self, own: &str, raw: &str) -> Offered {
        let exposed = if self.alone { own.to_owned() } else { exposed_name(&self.server.config.name, own) };
        let raw = self.rewritten(raw, Holder::Definition);
        let definition =
            if exposed == own { raw } else { with_members(&raw, &[("name", &quoted(&exposed))]) };
        Offered { exposed, server: self.server.id, own: own.to_owned(), definition }
    }

    /// A resource.
    fn addressed(&self, own: &str, raw: &str) -> Offered {
        let definition = self.rewritten(raw, Holder::Resource);
        Offered { exposed: self.exposed(own), server: self.server.id, own: own.to_owned(), definition }
    }

    /// A template.
    fn template(&self, own: &str, raw: &str) -> Offered {
        let template = ServerTemplate::new(own);
        let expose = |addresses: &Addresses| addresses.exposed_template(self.server.id, &template);
        let exposed = self.addresses.map_or_else(|| own.to_owned(), expose);
        let raw = self.rewritten(raw, Holder::Template);
        let definition =
            if exposed == own { raw } else { with_members(&raw, &[("uriTemplate", &quoted(&exposed))]) };
        Offered { exposed, server: self.server.id, own: own.to_owned(), definition }
    }
}

/// Whether a server that is not connected will be, or says what it takes.
fn is_expected(state: StateName) -> bool {
    match state {
        StateName::Starting
        | StateName::Ready
        | StateName::Degraded
        | StateName::SignInNeeded
        | StateName::WaitingForYou
        | StateName::Reconnecting
        | StateName::Locked => true,
        StateName::Stopped | StateName::Changed | StateName::Failed => false,
    }
}
