//! The lists that a server offers: their cached contents and the reads. Each kind has only one read at a
//! time.

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use mooring_approvals::{ListedItem, ListedOffers};
use mooring_calls::{CallError, PromptList, ResourceList, ToolList};
use mooring_errors::failure::call_error;
use mooring_errors::{Failure, failure};
use mooring_mcp::{
    Client, Diagnostic, DiagnosticCode, Handshake, Listing, RawJson, RequestError, Skill, SkillError,
};
use mooring_policy::{PinItem, PinKind};
use mooring_recorder::Recorder;
use mooring_revisions::OfferKind;
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::redaction::redact_call_error;
use super::shared::SharedState;
use crate::connection::approvable::Approvable;

/// JSON-RPC's error code for an unknown method.
const METHOD_NOT_FOUND: i64 = -32601;

/// How long to wait after a change, because a server may announce many changes in a row.
const CHANGE_DEBOUNCE: Duration = Duration::from_millis(100);

/// The kinds of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ListKind {
    Tools,
    Resources,
    Prompts,
}

impl ListKind {
    pub(crate) const ALL: [Self; 3] = [Self::Tools, Self::Resources, Self::Prompts];

    /// The capability that declares the list. Sentences also use it as the list's name.
    fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Prompts => "prompts",
        }
    }

    /// The kind of approval for items of this list.
    pub(crate) fn pin_kind(self) -> PinKind {
        match self {
            Self::Tools => PinKind::Tool,
            Self::Resources => PinKind::Template,
            Self::Prompts => PinKind::Prompt,
        }
    }

    /// The list's name for people.
    fn label(self) -> Sentence {
        match self {
            Self::Tools => say!("tools"),
            Self::Resources => say!("resources"),
            Self::Prompts => say!("prompts"),
        }
    }

    /// The remembered part of a handshake: the server's capabilities, and the lists that it does not have.
    pub(crate) fn remembered(handshake: &Handshake) -> ListedOffers {
        let missing =
            Self::ALL.into_iter().filter(|kind| *kind != Self::Tools && !kind.is_offered(handshake));
        let kinds = missing.flat_map(|kind| match kind {
            Self::Tools => &[OfferKind::Tools][..],
            Self::Prompts => &[OfferKind::Prompts],
            Self::Resources => &[OfferKind::Resources, OfferKind::Templates],
        });
        let lists = kinds.map(|kind| (*kind, Vec::new())).collect();
        ListedOffers { lists, capabilities: Some(handshake.capabilities.clone()) }
    }

    /// Whether to read this list from a server with this handshake. If the server declares no capabilities,
    /// its tools are read anyway, because many such servers have some.
    pub(crate) fn is_offered(self, handshake: &Handshake) -> bool {
        let declares_nothing = !handshake.capabilities.get().contains('"');
        handshake.offers(self.capability()) || (self == Self::Tools && declares_nothing)
    }
}

/// The cached state of one list of a connection.
#[derive(Debug)]
pub(crate) struct CachedList<T> {
    /// Incremented by every read and every invalidation.
    pub(crate) generation: u64,
    /// The outcome of the last read. `None` before the first read and after the connection ended.
    pub(crate) outcome: Option<Result<Arc<T>, CallError>>,
    /// How many changes had been announced when the last read began.
    as_of: u64,
}

impl<T> Default for CachedList<T> {
    fn default() -> Self {
        Self { generation: 0, outcome: None, as_of: 0 }
    }
}

impl<T> CachedList<T> {
    /// The result of the last read. `None` if it failed.
    pub(crate) fn known(&self) -> Option<&Arc<T>> {
        self.outcome.as_ref()?.as_ref().ok()
    }

    fn replace(&mut self, outcome: Option<Result<Arc<T>, CallError>>, as_of: u64) {
        self.generation += 1;
        self.outcome = outcome;
        self.as_of = as_of;
    }
}

/// How many changes of each list were announced.
#[derive(Debug, Default)]
struct ChangeCounts {
    tools: AtomicU64,
    resources: AtomicU64,
    prompts: AtomicU64,
}

impl ChangeCounts {
    fn counter_of(&self, kind: ListKind) -> &AtomicU64 {
        match kind {
            ListKind::Tools => &self.tools,
            ListKind::Resources => &self.resources,
            ListKind::Prompts => &self.prompts,
        }
    }
}

/// All lists of a connection.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) tools: watch::Sender<CachedList<ToolList>>,
    pub(crate) resources: watch::Sender<CachedList<ResourceList>>,
    pub(crate) prompts: watch::Sender<CachedList<PromptList>>,
    announced: ChangeCounts,
    pending_changes: Mutex<BTreeSet<ListKind>>,
    notify: Notify,
}

impl Lists {
    /// Caches a list. `as_of` is how many changes had been announced when the read began. Returns a failure
    /// if the read failed.
    pub(crate) fn cache_list(&self, read: ListResult, as_of: u64, recorder: &Recorder) -> Option<Failure> {
        fn keep<T>(
            cache: &watch::Sender<CachedList<T>>,
            read: Result<T, RequestError>,
            kind: ListKind,
            as_of: u64,
            recorder: &Recorder,
        ) -> Option<Failure> {
            let read = read.map(Arc::new).map_err(|error| redact_call_error(call_error(error), recorder));
            let failure = read.as_ref().err().map(|error| failure::from_list(&kind.label(), error));
            cache.send_modify(|cached| cached.replace(Some(read), as_of));
            failure
        }
        let kind = read.kind();
        match read {
            ListResult::Tools(read) => keep(&self.tools, read, kind, as_of, recorder),
            ListResult::Resources(read) => keep(&self.resources, read, kind, as_of, recorder),
            ListResult::Prompts(read) => keep(&self.prompts, read, kind, as_of, recorder),
        }
    }

    /// Clears all lists. Returns the kinds that were cached.
    pub(crate) fn clear(&self) -> Vec<ListKind> {
        fn forget<T>(cache: &watch::Sender<CachedList<T>>) -> bool {
            let known = cache.borrow().outcome.is_some();
            cache.send_modify(|cached| cached.replace(None, 0));
            known
        }
        let known = [forget(&self.tools), forget(&self.resources), forget(&self.prompts)];
        ListKind::ALL.into_iter().zip(known).filter_map(|(kind, known)| known.then_some(kind)).collect()
    }

    /// Keeps the lists to show them. What uses their items reads them again first.
    pub(crate) fn expire(&self) {
        for kind in ListKind::ALL {
            self.announced.counter_of(kind).fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Whether the last read succeeded, and no change was announced since it began.
    pub(crate) fn is_current(&self, kind: ListKind) -> bool {
        self.check_outcome(kind, |outcome| outcome == Some(true))
    }

    /// Whether the list was read, successfully or not, and no change was announced since the read began.
    pub(crate) fn is_complete(&self, kind: ListKind) -> bool {
        self.check_outcome(kind, |outcome| outcome.is_some())
    }

    /// Tests the outcome of the last read, which is `Some(true)` if it succeeded and `None` before the first
    /// read. False if a change was announced since the read began.
    fn check_outcome(&self, kind: ListKind, is: impl FnOnce(Option<bool>) -> bool) -> bool {
        fn list_state<T>(cache: &watch::Sender<CachedList<T>>) -> (Option<bool>, u64) {
            let cached = cache.borrow();
            (cached.outcome.as_ref().map(Result::is_ok), cached.as_of)
        }
        let (outcome, as_of) = match kind {
            ListKind::Tools => list_state(&self.tools),
            ListKind::Resources => list_state(&self.resources),
            ListKind::Prompts => list_state(&self.prompts),
        };
        as_of == self.announced.counter_of(kind).load(Ordering::Acquire) && is(outcome)
    }

    /// Records that the server announced a change of this list.
    pub(crate) fn note_change(&self, kind: ListKind) {
        self.announced.counter_of(kind).fetch_add(1, Ordering::AcqRel);
        self.pending_changes.lock().unwrap_or_else(PoisonError::into_inner).insert(kind);
        self.notify.notify_one();
    }

    /// Waits for an announced change. Cancel safe.
    pub(crate) async fn next_change(&self) -> ListKind {
        loop {
            if let Some(kind) =
                self.pending_changes.lock().unwrap_or_else(PoisonError::into_inner).pop_first()
            {
                return kind;
            }
            self.notify.notified().await;
        }
    }
}

/// The result of reading one list.
#[derive(Debug)]
pub(crate) enum ListResult {
    Tools(Result<ToolList, RequestError>),
    Resources(Result<ResourceList, RequestError>),
    Prompts(Result<PromptList, RequestError>),
}

impl ListResult {
    /// The kind of list.
    pub(crate) fn kind(&self) -> ListKind {
        match self {
            Self::Tools(_) => ListKind::Tools,
            Self::Resources(_) => ListKind::Resources,
            Self::Prompts(_) => ListKind::Prompts,
        }
    }
}

impl ListResult {
    /// The definitions that were read, exactly as the server sent them. `None` if the read failed.
    pub(crate) fn definitions(&self) -> Option<Vec<&str>> {
        Some(match self {
            Self::Tools(read) => read.as_ref().ok()?.tools.iter().map(|tool| tool.raw.get()).collect(),
            Self::Resources(read) => {
                let list = read.as_ref().ok()?;
                let templates = list.templates.iter().map(|template| template.raw.get());
                list.resources.iter().map(|resource| resource.raw.get()).chain(templates).collect()
            }
            Self::Prompts(read) => {
                read.as_ref().ok()?.prompts.iter().map(|prompt| prompt.raw.get()).collect()
            }
        })
    }

    /// The list in the form in which it is remembered. `items` are the parts that can be approved.
    pub(crate) fn remembered(&self, items: &[PinItem]) -> ListedOffers {
        fn named<'a>(
            all: impl Iterator<Item = (&'a String, &'a Box<RawValue>)>,
        ) -> Vec<(String, Box<RawValue>)> {
            all.map(|(name, raw)| (name.clone(), raw.clone())).collect()
        }
        let approvable = |named| ListedItem::list_of(named, items);
        let lists = match self {
            Self::Tools(Ok(read)) => {
                let tools = named(read.tools.iter().map(|tool| (&tool.name, &tool.raw)));
                vec![(OfferKind::Tools, approvable(tools))]
            }
            Self::Prompts(Ok(read)) => {
                let prompts = named(read.prompts.iter().map(|prompt| (&prompt.name, &prompt.raw)));
                vec![(OfferKind::Prompts, approvable(prompts))]
            }
            Self::Resources(Ok(read)) => {
                let resources = named(read.resources.iter().map(|resource| (&resource.uri, &resource.raw)));
                let templates = named(read.templates.iter().map(|it| (&it.uri_template, &it.raw)));
                vec![
                    (OfferKind::Resources, ListedItem::list(resources)),
                    (OfferKind::Templates, approvable(templates)),
                ]
            }
            Self::Tools(Err(_)) | Self::Prompts(Err(_)) | Self::Resources(Err(_)) => Vec::new(),
        };
        ListedOffers { lists: lists.into_iter().collect(), capabilities: None }
    }

    /// The list in the form in which it can be approved. `None` if the read failed.
    pub(crate) fn approvable(&self) -> Option<Approvable<'_>> {
        match self {
            Self::Tools(read) => read.as_ref().ok().map(Approvable::Tools),
            Self::Resources(read) => read.as_ref().ok().map(Approvable::Resources),
            Self::Prompts(read) => read.as_ref().ok().map(Approvable::Prompts),
        }
    }
}

/// Reads the lists of one client. Dropping the reader cancels running reads.
pub(super) struct ListReader {
    client: Client,
    shared: Arc<SharedState>,
    under_way: FuturesUnordered<BoxFuture<'static, (ListResult, u64)>>,
    kinds: BTreeSet<ListKind>,
    /// The lists to read again, and when.
    due: BTreeMap<ListKind, Instant>,
}

impl ListReader {
    pub(crate) fn new(client: Client, shared: Arc<SharedState>) -> Self {
        let under_way = FuturesUnordered::new();
        Self { client, shared, under_way, kinds: BTreeSet::new(), due: BTreeMap::new() }
    }

    /// Starts reading all lists that the server declares.
    pub(super) fn begin_offered_reads(&mut self) {
        for kind in ListKind::ALL {
            if kind == ListKind::Tools || kind.is_offered(self.client.handshake()) {
                self.begin_read(kind);
            }
        }
    }

    /// Starts reading a list, unless a read is already running.
    pub(super) fn begin_read(&mut self, kind: ListKind) {
        if !self.kinds.insert(kind) {
            return;
        }
        self.due.remove(&kind);
        let client = self.client.clone();
        let as_of = self.shared.lists.announced.counter_of(kind).load(Ordering::Acquire);
        self.under_way.push(match kind {
            ListKind::Tools => Box::pin(async move { (ListResult::Tools(read_tools(&client).await), as_of) }),
            ListKind::Resources => {
                Box::pin(async move { (ListResult::Resources(read_resources(&client).await), as_of) })
            }
            ListKind::Prompts => {
                Box::pin(async move { (ListResult::Prompts(read_prompts(&client).await), as_of) })
            }
        });
    }

    /// Schedules another read after a short delay and after any running read.
    pub(super) fn schedule_read(&mut self, kind: ListKind) {
        self.due.entry(kind).or_insert_with(|| Instant::now() + CHANGE_DEBOUNCE);
    }

    /// Waits for the next list that was read. Also returns how many changes had been announced when the read
    /// began. Cancel safe.
    pub(super) async fn next_list(&mut self) -> (ListResult, u64) {
        loop {
            let waiting = self.due.iter().filter(|(kind, _)| !self.kinds.contains(kind));
            let next = waiting.min_by_key(|(_, due)| **due).map(|(kind, due)| (*kind, *due));
            let due = async {
                match next {
                    Some((kind, due)) => {
                        tokio::time::sleep_until(due).await;
                        kind
                    }
                    None => pending().await,
                }
            };
            tokio::select! {
                Some((read, as_of)) = self.under_way.next(), if !self.under_way.is_empty() => {
                    self.kinds.remove(&read.kind());
                    return (read, as_of);
                }
                kind = due => self.begin_read(kind),
            }
        }
    }
}

async fn read_tools(client: &Client) -> Result<ToolList, RequestError> {
    let none =
        || ToolList { tools: Vec::new(), raw: to_raw_json(r#"{"tools":[]}"#), diagnostics: Vec::new() };
    if !ListKind::Tools.is_offered(client.handshake()) {
        return Ok(none());
    }
    match client.list_tools().await {
        Ok(Listing { items: tools, raw, diagnostics }) => Ok(ToolList { tools, raw, diagnostics }),
        Err(error) if is_method_not_found(&error) && !client.handshake().offers("tools") => Ok(none()),
        Err(error) => Err(error),
    }
}

async fn read_resources(client: &Client) -> Result<ResourceList, RequestError> {
    if !ListKind::Resources.is_offered(client.handshake()) {
        let skills = read_skills(client).await;
        return Ok(ResourceList {
            resources: Vec::new(),
            templates: Vec::new(),
            skills: skills.items,
            raw: to_raw_json(r#"{"resources":[]}"#),
            raw_templates: to_raw_json(r#"{"resourceTemplates":[]}"#),
            raw_skills: skills.raw,
            diagnostics: skills.diagnostics,
        });
    }
    let (resources, templates, skills) =
        tokio::join!(client.list_resources(), client.list_templates(), read_skills(client));
    let Listing { items: resources, raw: raw_resources, mut diagnostics } = resources?;
    // Servers without templates may not know the method. An error here must not hide the resources.
    let templates = templates.unwrap_or_else(|error| {
        if !is_method_not_found(&error) {
            let message = say!("couldn’t be listed: {reason}", reason = call_error(error).summary());
            diagnostics.push(Diagnostic::new(DiagnosticCode::Missing, "resourceTemplates", message));
        }
        Listing {
            items: Vec::new(),
            raw: to_raw_json(r#"{"resourceTemplates":[]}"#),
            diagnostics: Vec::new(),
        }
    });
    diagnostics.extend(templates.diagnostics);
    diagnostics.extend(skills.diagnostics);
    Ok(ResourceList {
        resources,
        templates: templates.items,
        skills: skills.items,
        raw: raw_resources,
        raw_templates: templates.raw,
        raw_skills: skills.raw,
        diagnostics,
    })
}

/// Lists the skills of a server that declares the extension. An error here must not hide the resources.
async fn read_skills(client: &Client) -> Listing<Skill> {
    let none = |diagnostics| Listing { items: Vec::new(), raw: to_raw_json(r#"{"skills":[]}"#), diagnostics };
    let reason = match client.list_skills().await {
        Ok(skills) => return skills,
        Err(SkillError::NotOffered) => return none(Vec::new()),
        Err(SkillError::Request(error)) => call_error(error).summary(),
        Err(error) => error.sentence(),
    };
    none(vec![Diagnostic::new(
        DiagnosticCode::Missing,
        "skills",
        say!("couldn’t be listed: {reason}", reason),
    )])
}

async fn read_prompts(client: &Client) -> Result<PromptList, RequestError> {
    if !ListKind::Prompts.is_offered(client.handshake()) {
        return Ok(PromptList {
            prompts: Vec::new(),
            raw: to_raw_json(r#"{"prompts":[]}"#),
            diagnostics: Vec::new(),
        });
    }
    let Listing { items: prompts, raw, diagnostics } = client.list_prompts().await?;
    Ok(PromptList { prompts, raw, diagnostics })
}

/// Whether the server reports that it does not know the method.
pub(super) fn is_method_not_found(error: &RequestError) -> bool {
    matches!(error, RequestError::Rpc(error) if error.code == METHOD_NOT_FOUND)
}

fn to_raw_json(text: &str) -> RawJson {
    RawValue::from_string(text.to_owned()).unwrap_or_default().into()
}
