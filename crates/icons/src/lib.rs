//! Icons that servers give themselves and what they offer. Icons inside a definition are the front end's to
//! read; those named by a URL are loaded here, if the person allows it: from the server's own origin over
//! https, without cookies, credentials or the server's saved headers, and without redirects
//! (basic/index#icons of the specification).

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use mooring_base::digest::sha256;
use mooring_base::server_id::ServerId;
use mooring_mcp::RawJson;
use mooring_network::Network;
use mooring_oauth::{Http, NetworkReach, Purpose, Request};
use mooring_words::{Sentence, say};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};
use url::Url;

/// Maximum number of URLs of icons that are remembered of one list.
const MAX_NAMED: usize = 200;
/// The longest of them, in bytes.
const MAX_URL: usize = 2 << 10;
/// The largest icon, in bytes.
const MAX_BYTES: usize = 64 << 10;
/// Deadline for loading an icon.
const DEADLINE: Duration = Duration::from_secs(10);
/// Maximum number of icons that are loaded at once.
const AT_ONCE: usize = 4;
/// Maximum number of icons that are remembered, and maximum bytes of them.
const MAX_CACHED: usize = 200;
const MAX_CACHED_BYTES: usize = 4 << 20;

/// Numbers of connections.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1);

/// The icons of one connection; `L` tells its lists apart.
pub struct ConnectionIcons<L> {
    /// The icons in the server's own info, with their hash.
    own: Option<(String, RawJson)>,
    /// Unique for each connection.
    connection: u64,
    /// The URLs of icons, of each list and of the server itself.
    named: BTreeMap<Option<L>, Vec<Url>>,
}

impl<L> Default for ConnectionIcons<L> {
    fn default() -> Self {
        Self { own: None, connection: 0, named: BTreeMap::new() }
    }
}

impl<L: Ord> ConnectionIcons<L> {
    /// Begins another connection, whose server gives itself these icons.
    pub fn connected(&mut self, own: Option<RawJson>) {
        self.connection = CONNECTIONS.fetch_add(1, Ordering::Relaxed);
        self.named.clear();
        self.own = own.map(|json| (sha256(json.get()), json));
        if let Some(definition) = self.own.as_ref().map(|(_, json)| as_definition(json)) {
            self.set_named(None, [definition.as_str()]);
        }
    }

    /// Adds the icons in these definitions.
    pub fn set_named<'a>(&mut self, of: Option<L>, definitions: impl IntoIterator<Item = &'a str>) {
        let urls = definitions.into_iter().filter(|text| text.contains("\"icons\"")).flat_map(urls_in);
        self.named.insert(of, urls.take(MAX_NAMED).collect());
    }

    /// A hash of the server's own icons.
    pub fn hash(&self) -> Option<&str> {
        self.own.as_ref().map(|(hash, _)| hash.as_str())
    }

    /// The server's own icons with this hash, as the member of an object.
    pub fn definition(&self, hash: &str) -> Option<String> {
        self.own.as_ref().filter(|(own, _)| own == hash).map(|(_, json)| as_definition(json))
    }

    /// The number of the connection.
    pub fn connection(&self) -> u64 {
        self.connection
    }

    /// Whether an icon is named by this URL.
    pub fn names(&self, url: &Url) -> bool {
        self.named.values().flatten().any(|named| named == url)
    }

    /// Whether an icon is named that may be loaded from the server at this URL.
    pub fn names_any_of(&self, server: &Url) -> bool {
        self.named.values().flatten().any(|named| is_own_url(server, named))
    }
}

fn as_definition(icons: &RawJson) -> String {
    format!(r#"{{"icons":{}}}"#, icons.get())
}

/// The https URLs of the icons in a definition.
fn urls_in(definition: &str) -> Vec<Url> {
    #[derive(Deserialize)]
    struct Definition {
        icons: Vec<Value>,
    }
    let icons = serde_json::from_str(definition).map_or_else(|_| Vec::new(), |Definition { icons }| icons);
    let urls = icons.iter().filter_map(|icon| icon.get("src")?.as_str().filter(|src| src.len() <= MAX_URL));
    urls.filter_map(|src| Url::parse(src).ok()).filter(|url| url.scheme() == "https").collect()
}

/// Whether an icon is at its server's origin, over https, and its URL has no credentials.
pub fn is_own_url(server: &Url, icon: &Url) -> bool {
    let plain = icon.username().is_empty() && icon.password().is_none();
    icon.scheme() == "https" && plain && icon.origin() == server.origin()
}

/// An icon as a `data:` URL, once it was loaded; `None` if it could not be.
pub type Loaded = Arc<OnceCell<Option<String>>>;

struct Entry {
    server: ServerId,
    connection: u64,
    url: Url,
    loaded: Loaded,
}

/// The icons that were loaded, the oldest first.
pub struct IconCache {
    entries: Mutex<VecDeque<Entry>>,
    turns: Semaphore,
}

impl Default for IconCache {
    fn default() -> Self {
        Self { entries: Mutex::default(), turns: Semaphore::new(AT_ONCE) }
    }
}

impl IconCache {
    fn entries(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The icon at a URL that a server names in a connection; what an earlier connection loaded is forgotten.
    pub fn entry(&self, server: ServerId, connection: u64, url: &Url) -> Loaded {
        let mut entries = self.entries();
        entries.retain(|entry| entry.server != server || entry.connection == connection);
        if let Some(entry) = entries.iter().find(|entry| entry.server == server && entry.url == *url) {
            return Arc::clone(&entry.loaded);
        }
        let loaded = Loaded::default();
        entries.push_back(Entry { server, connection, url: url.clone(), loaded: Arc::clone(&loaded) });
        loaded
    }

    /// Forgets the oldest until no more are left than may be.
    pub fn evict(&self) {
        let mut entries = self.entries();
        let size = |entry: &Entry| entry.loaded.get().and_then(Option::as_ref).map_or(0, String::len);
        while entries.len() > MAX_CACHED || entries.iter().map(size).sum::<usize>() > MAX_CACHED_BYTES {
            // One that is being loaded is waited for.
            let Some(oldest) = entries.iter().position(|entry| entry.loaded.initialized()) else { return };
            entries.remove(oldest);
        }
    }

    /// Forgets the icons of a server.
    pub fn forget(&self, server: ServerId) {
        self.entries().retain(|entry| entry.server != server);
    }

    /// Waits until not too many are being loaded.
    pub async fn wait_for_turn(&self) -> Option<SemaphorePermit<'_>> {
        self.turns.acquire().await.ok()
    }
}

/// Loads an icon of a server as a `data:` URL; the error says why it can't be used.
pub async fn load(network: &Network, server: &Url, icon: &Url) -> Result<String, Sentence> {
    let loading = async { fetch(&Http::new(network, NetworkReach::of_resolved(server).await), icon).await };
    tokio::time::timeout(DEADLINE, loading).await.unwrap_or_else(|_| {
        let (host, seconds) = (icon.host_str().unwrap_or_default(), DEADLINE.as_secs().to_string());
        Err(say!("{host} took longer than {seconds} s", host, seconds))
    })
}

async fn fetch(http: &Http, icon: &Url) -> Result<String, Sentence> {
    let types = HeaderValue::from_static("image/png, image/jpeg, image/webp, image/svg+xml");
    let request = Request {
        purpose: Purpose::Icon,
        method: Method::GET,
        url: icon.clone(),
        headers: HeaderMap::from_iter([(ACCEPT, types)]),
        body: Vec::new().into(),
    };
    let response = http.send(request).await.map_err(|error| error.sentence().clone())?;
    if response.status != 200 {
        return Err(say!("the answer has HTTP status {status}", status = response.status.to_string()));
    }
    if response.body.len() > MAX_BYTES {
        return Err(say!("it is longer than {bytes} bytes", bytes = MAX_BYTES.to_string()));
    }
    let found = image_type(&response.body).ok_or_else(|| say!("it is no PNG, JPEG, WebP or SVG image"))?;
    let described =
        response.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let described = described.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // A missing or a generic type says nothing.
    let is_other = !matches!(described.as_str(), "" | "application/octet-stream") && described != found;
    if is_other && !(described == "image/jpg" && found == "image/jpeg") {
        return Err(say!("its Content-Type is {described}, but it is {found}", described, found));
    }
    Ok(format!("data:{found};base64,{}", STANDARD.encode(&response.body)))
}

/// The type of an image by its first bytes.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => {
            let text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}').trim_start();
            let is_svg = ["<svg", "<?xml", "<!--"].iter().any(|start| text.starts_with(start));
            (is_svg && text.contains("<svg")).then_some("image/svg+xml")
        }
    }
}

#[cfg(test)]
mod tests;
