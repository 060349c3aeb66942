//! What an app sees of all servers together: their lists as they are held, each item under the name that it has for the
//! app. Nothing is asked of a server for it, so that a slow one delays nobody.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use mooring_host::{
    AppAccess, AppToolList, ErrorCode, Host, HostError, PinKind, PinState, PinView, PinnedTool, Sentence,
    ServerId, ServerView, StateName,
};

use crate::message::{quoted, with_members};
use crate::names::exposed_name;
use crate::search::ToolIndex;
use crate::search_definitions;

/// From how many bytes of definitions an app gets a search where it is to be chosen: some 20,000 tokens.
const MANY_TOOLS: usize = 80 << 10;
/// The longest instructions that an app gets, in bytes.
const MAX_INSTRUCTIONS: usize = 16 << 10;

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

/// The kinds of what servers offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfferKind {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl OfferKind {
    pub(crate) const ALL: [Self; 4] = [Self::Tools, Self::Prompts, Self::Resources, Self::Templates];

    /// The member of a list's result that holds them.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }

    /// The request for their list.
    pub(crate) fn list_method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
        }
    }

    /// The notification of a change.
    pub(crate) fn list_changed(self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources | Self::Templates => "notifications/resources/list_changed",
        }
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
    server: &'a ServerView,
    /// What the app may see.
    access: &'a AppAccess,
    /// The app sees this server alone.
    alone: bool,
    run: RunPlace,
    /// What is approved as it is, by kind and name, as canonical JSON; none where that is not kept whole.
    approved: BTreeMap<(PinKind, String), Option<String>>,
    /// The names of the tools that are not what was approved.
    changed_tools: BTreeSet<String>,
}

impl Catalogue {
    /// What there is now for an app; of one server only where `only` names it.
    pub(crate) async fn read(host: &Host, app: &str, only: Option<&str>) -> Result<Self, HostError> {
        Self::read_with(host, app, &host.app_access(app), only, RunPlace::Here).await
    }

    fn has_many_tools(&self) -> bool {
        let bytes: usize = self.tools.iter().map(|tool| tool.definition.len()).sum();
        bytes > MANY_TOOLS
    }

    /// The same for an app that may see this.
    pub(crate) async fn read_with(
        host: &Host,
        app: &str,
        access: &AppAccess,
        only: Option<&str>,
        run: RunPlace,
    ) -> Result<Self, HostError> {
        let mut catalogue = Self::default();
        let mut instructions = String::new();
        for server in host.servers() {
            if only.is_some_and(|only| only != server.config.name) || !access.sees_server(server.id) {
                continue;
            }
            let trust = match host.trust(server.id).await {
                // It was removed meanwhile.
                Err(error) if error.code() == ErrorCode::ServerNotFound => continue,
                trust => trust?,
            };
            let is_changed = |item: &&PinView| item.kind == PinKind::Tool && item.state == PinState::Changed;
            let changed_tools = trust.items.iter().filter(is_changed).map(|item| item.name.clone()).collect();
            let approved = trust.items.into_iter().filter(|item| item.state == PinState::Approved);
            let whole = |item: &PinView| item.whole.is_none().then(|| item.now.clone());
            let approved = approved.map(|item| ((item.kind, item.name.clone()), whole(&item))).collect();
            let alone = only.is_some();
            let items = ServerItems { server: &server, access, alone, run, approved, changed_tools };
            let before = catalogue.tools.len();
            match catalogue.add(host, &items) {
                Err(error) if error.code() == ErrorCode::ServerNotFound => continue,
                added => added?,
            }
            if catalogue.tools.len() > before {
                catalogue.server_names.push(server.config.name.clone());
            }
            if let Some(text) = items.instructions()? {
                let mut section = format!("## {}\n\n{text}\n\n", server.config.name);
                section.truncate(section.floor_char_boundary(MAX_INSTRUCTIONS - instructions.len()));
                instructions.push_str(&section);
                catalogue.sections.push((server.id, section));
            }
        }
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

    fn add(&mut self, host: &Host, items: &ServerItems<'_>) -> Result<(), HostError> {
        if items.run == RunPlace::Elsewhere {
            if items.server.enabled {
                self.add_remembered(items, |_| true);
            }
            return Ok(());
        }
        let held = host.held_lists(items.server.id)?;
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
                self.tools.push(items.named(&tool.name, tool.raw.get()));
            } else if items.changed_tools.contains(&tool.name) {
                self.changed_tools.push(items.named(&tool.name, tool.raw.get()));
            }
        }
        let prompts = held.prompts.filter(|_| !items.access.prompts_off);
        for prompt in prompts.iter().flat_map(|list| &list.prompts) {
            if items.is_approved(PinKind::Prompt, &prompt.name) {
                self.prompts.push(items.named(&prompt.name, prompt.raw.get()));
            }
        }
        let resources = held.resources.filter(|_| !items.access.resources_off);
        for resource in resources.iter().flat_map(|list| &list.resources) {
            let offered = items.addressed(&self.resources, "uri", &resource.uri, resource.raw.get());
            self.resources.push(offered);
        }
        for template in resources.iter().flat_map(|list| &list.templates) {
            if items.is_approved(PinKind::Template, &template.uri_template) {
                let (own, raw) = (&template.uri_template, template.raw.get());
                let offered = items.addressed(&self.templates, "uriTemplate", own, raw);
                self.templates.push(offered);
            }
        }
        Ok(())
    }

    /// What a server had when it was connected last: it is about to be connected, and apps that ask for a list only once
    /// would never hear of it. Of these kinds.
    fn add_remembered(&mut self, items: &ServerItems<'_>, is_meant: impl Fn(PinKind) -> bool) {
        for ((kind, name), definition) in &items.approved {
            let Some(raw) = definition.as_ref().filter(|_| is_meant(*kind)) else { continue };
            match kind {
                PinKind::Tool if !items.access.sees_tool(items.server.id, name) => {}
                PinKind::Tool => self.tools.push(items.named(name, raw)),
                PinKind::Prompt if items.access.prompts_off => {}
                PinKind::Template if items.access.resources_off => {}
                PinKind::Prompt => self.prompts.push(items.named(name, raw)),
                PinKind::Template => {
                    self.templates.push(items.addressed(&self.templates, "uriTemplate", name, raw));
                }
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
            self.pinned.contains(&pinned) && !search_definitions::NAMES.contains(&tool.exposed.as_str())
        };
        self.tools.iter().filter(is_pinned)
    }

    /// The tools that search the others.
    pub(crate) fn search_definitions(&self) -> [serde_json::Value; 3] {
        search_definitions::definitions(self.tools.len(), &self.server_names)
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

    /// Whose resource is at this URI, and what the server calls it. One that no list has belongs to the only server with
    /// resources of its scheme: servers may have more than they list.
    pub(crate) fn resource(&self, uri: &str) -> Option<(ServerId, String)> {
        if let Some(offered) = self.find(OfferKind::Resources, uri) {
            return Some((offered.server, offered.own.clone()));
        }
        let known = self.resources.iter().chain(&self.templates);
        let with_prefix = known.clone().find_map(|offered| {
            let own = uri.strip_prefix(offered.exposed.strip_suffix(&offered.own)?)?;
            (own.len() < uri.len()).then(|| (offered.server, own.to_owned()))
        });
        let scheme = |uri: &str| uri.split(':').next().map(str::to_owned);
        with_prefix.or_else(|| {
            let mut servers: Vec<ServerId> = known
                .filter(|offered| scheme(&offered.own) == scheme(uri))
                .map(|offered| offered.server)
                .collect();
            servers.dedup();
            match servers.as_slice() {
                [only] => Some((*only, uri.to_owned())),
                _ => None,
            }
        })
    }
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

    /// A tool or prompt.
    fn named(&self, own: &str, raw: &str) -> Offered {
        let exposed = if self.alone { own.to_owned() } else { exposed_name(&self.server.config.name, own) };
        let definition =
            if exposed == own { raw.to_owned() } else { with_members(raw, &[("name", &quoted(&exposed))]) };
        Offered { exposed, server: self.server.id, own: own.to_owned(), definition }
    }

    /// A resource or template. Where another server has the same URI, it stands behind the name of this one.
    fn addressed(&self, before: &[Offered], member: &str, own: &str, raw: &str) -> Offered {
        let is_taken =
            before.iter().any(|offered| offered.exposed == own && offered.server != self.server.id);
        let exposed = if is_taken {
            format!("mooring+{}:{own}", exposed_name(&self.server.config.name, "resource"))
        } else {
            own.to_owned()
        };
        let definition =
            if is_taken { with_members(raw, &[(member, &quoted(&exposed))]) } else { raw.to_owned() };
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
