//! An in-memory cache of one connection for results of the stateless era (`ttlMs` and `cacheScope`). Private
//! results are never used after another person signed in.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_jsonrpc::Members;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::filter::{
    PROMPTS_CHANGED, RESOURCE_UPDATED, RESOURCES_CHANGED, TOOLS_CHANGED, is_resource_within, read_uri,
};
use crate::limits::Limits;
use crate::model::notification::Notification;
use crate::raw_json::RawJson;

/// The methods with cacheable results (CACHE-03). `server/discover` is missing, because it is only sent once.
const CACHEABLE: [&str; 5] =
    ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"];

/// A cache key: the method and its parameters (CACHE-04).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CacheKey {
    method: &'static str,
    params: Box<str>,
}

#[derive(Debug)]
struct CachedResult {
    raw: RawJson,
    until: Instant,
    used: u64,
    /// The sign-in to which the private result belongs. `None` for public results.
    sign_in: Option<u64>,
}

impl CachedResult {
    fn size(&self) -> usize {
        self.raw.get().len()
    }
}

#[derive(Debug, Default)]
struct CacheState {
    results: HashMap<CacheKey, CachedResult>,
    bytes: usize,
    /// Increases with every use, to find the oldest entry.
    clock: u64,
    sign_in: u64,
    /// Counts invalidations of a method's results. Results of earlier requests are then not cached.
    forgotten: HashMap<&'static str, u64>,
}

/// The cache of one connection.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<CacheState>);

/// The state of the cache when a request was sent. Its result is only cached if the state is still the same.
#[derive(Debug)]
pub(crate) struct CacheVersion {
    key: CacheKey,
    forgotten: u64,
    sign_in: u64,
}

impl Cache {
    fn lock(&self) -> MutexGuard<'_, CacheState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_cacheable(method: &str) -> bool {
        CACHEABLE.contains(&method)
    }

    /// A cached result that is still fresh (CACHE-01).
    pub(crate) fn get(&self, method: &'static str, params: &str, now: Instant) -> Option<RawJson> {
        let key = CacheKey { method, params: params.into() };
        let mut inner = self.lock();
        inner.clock += 1;
        let (clock, sign_in) = (inner.clock, inner.sign_in);
        let entry = inner.results.get_mut(&key)?;
        if entry.until <= now || entry.sign_in.is_some_and(|of| of != sign_in) {
            inner.remove(&key);
            return None;
        }
        entry.used = clock;
        Some(entry.raw.clone())
    }

    /// The state of the cache for a request, to take before the request is sent.
    pub(crate) fn version_for(&self, method: &'static str, params: &str) -> CacheVersion {
        let inner = self.lock();
        let forgotten = inner.forgotten.get(method).copied().unwrap_or_default();
        CacheVersion { key: CacheKey { method, params: params.into() }, forgotten, sign_in: inner.sign_in }
    }

    /// Caches a result as long as the server allows, within the limits.
    pub(crate) fn put(&self, ticket: CacheVersion, result: &RawJson, limits: &Limits, now: Instant) {
        let Some((ttl, is_public)) = read_ttl_and_scope(result.get()) else { return };
        let ttl = ttl.min(Duration::from_secs(u64::try_from(limits.kept_seconds).unwrap_or(u64::MAX)));
        let mut inner = self.lock();
        let forgotten = inner.forgotten.get(ticket.key.method).copied().unwrap_or_default();
        if forgotten != ticket.forgotten || inner.sign_in != ticket.sign_in {
            return;
        }
        inner.remove(&ticket.key);
        inner.clock += 1;
        let entry = CachedResult {
            raw: result.clone(),
            until: now + ttl,
            used: inner.clock,
            sign_in: (!is_public).then_some(inner.sign_in),
        };
        if entry.size() > limits.kept_bytes || limits.kept_results == 0 {
            return;
        }
        inner.bytes += entry.size();
        inner.results.insert(ticket.key, entry);
        while inner.results.len() > limits.kept_results || inner.bytes > limits.kept_bytes {
            let oldest = inner.results.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { break };
            inner.remove(&oldest);
        }
    }

    pub(crate) fn invalidate(&self, method: &'static str) {
        let mut inner = self.lock();
        *inner.forgotten.entry(method).or_default() += 1;
        let stale: Vec<CacheKey> = inner.results.keys().filter(|key| key.method == method).cloned().collect();
        for key in stale {
            inner.remove(&key);
        }
    }

    /// Removes the results that a notification invalidates (CACHE-09).
    pub(crate) fn invalidate_changed(&self, notification: &Notification) {
        match notification.method.as_str() {
            TOOLS_CHANGED => self.invalidate("tools/list"),
            PROMPTS_CHANGED => self.invalidate("prompts/list"),
            RESOURCES_CHANGED => {
                self.invalidate("resources/list");
                self.invalidate("resources/templates/list");
            }
            RESOURCE_UPDATED => {
                let params = notification.params.as_deref().map_or("{}", RawValue::get);
                if let Some(uri) = read_uri(params) {
                    self.forget_resource(&uri);
                }
            }
            _ => {}
        }
    }

    /// Removes a resource, the resources that contain it, and the resources that it contains.
    fn forget_resource(&self, uri: &str) {
        let mut inner = self.lock();
        *inner.forgotten.entry("resources/read").or_default() += 1;
        let is_about = |key: &CacheKey| {
            let of = read_uri(&key.params);
            of.is_none_or(|of| is_resource_within(uri, &of) || is_resource_within(&of, uri))
        };
        let stale: Vec<CacheKey> = inner
            .results
            .keys()
            .filter(|key| key.method == "resources/read" && is_about(key))
            .cloned()
            .collect();
        for key in stale {
            inner.remove(&key);
        }
    }

    /// Removes private results after a sign-in (CACHE-05).
    pub(crate) fn sign_in_changed(&self) {
        let mut inner = self.lock();
        inner.sign_in += 1;
        let private: Vec<CacheKey> = inner
            .results
            .iter()
            .filter(|(_, entry)| entry.sign_in.is_some())
            .map(|(key, _)| key.clone())
            .collect();
        for key in private {
            inner.remove(&key);
        }
    }
}

impl CacheState {
    fn remove(&mut self, key: &CacheKey) {
        if let Some(entry) = self.results.remove(key) {
            self.bytes -= entry.size();
        }
    }
}

/// Reads how long a result is fresh, and whether it is public. `None` if the result isn't cacheable
/// (CACHE-02). A missing or unknown scope means private (CACHE-07).
fn read_ttl_and_scope(result: &str) -> Option<(Duration, bool)> {
    let members = Members::of(result);
    let ttl = members.get("ttlMs")?.parse::<f64>().ok().filter(|ttl| *ttl >= 1.0)?;
    let ttl = Duration::try_from_secs_f64(ttl / 1000.0).unwrap_or(Duration::MAX);
    Some((ttl, members.is("cacheScope", "public")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mooring_jsonrpc::raw;

    fn result(ttl: &str, scope: &str) -> RawJson {
        raw(&format!(r#"{{"tools":[],"ttlMs":{ttl}{scope}}}"#)).unwrap().into()
    }

    fn put(cache: &Cache, method: &'static str, members: &str, result: &RawJson) {
        cache.put(cache.version_for(method, members), result, &Limits::default(), Instant::now());
    }

    fn has(cache: &Cache, method: &'static str, members: &str) -> bool {
        cache.get(method, members, Instant::now()).is_some()
    }

    // Requirements: CACHE-01, CACHE-02.
    #[tokio::test]
    async fn result_is_fresh_exactly_as_long_as_the_server_says() {
        let (cache, now) = (Cache::default(), Instant::now());
        let fresh = |after: Duration| cache.get("tools/list", "", now + after).is_some();
        cache.put(cache.version_for("tools/list", ""), &result("1000", ""), &Limits::default(), now);
        assert!(fresh(Duration::from_millis(999)));
        assert!(!fresh(Duration::from_secs(1)));
        for stale in ["0", "-5", "null", "\"soon\""] {
            put(&cache, "tools/list", "", &result(stale, ""));
            assert!(!has(&cache, "tools/list", ""), "{stale}");
        }
        put(&cache, "tools/list", "", &raw(r#"{"tools":[]}"#).unwrap().into());
        assert!(!has(&cache, "tools/list", ""));
        // A server can't make a client cache anything forever.
        cache.put(cache.version_for("tools/list", ""), &result("1e300", ""), &Limits::default(), now);
        assert!(fresh(Duration::from_hours(24).saturating_sub(Duration::from_millis(1))));
        assert!(!fresh(Duration::from_hours(24)));
    }

    // Requirements: CACHE-04.
    #[tokio::test]
    async fn each_question_has_its_own_answer() {
        let cache = Cache::default();
        put(&cache, "resources/read", r#"{"uri":"a:1"}"#, &result("1000", ""));
        assert!(has(&cache, "resources/read", r#"{"uri":"a:1"}"#));
        assert!(!has(&cache, "resources/read", r#"{"uri":"a:2"}"#));
        assert!(!has(&cache, "resources/list", r#"{"uri":"a:1"}"#));
    }

    // Requirements: CACHE-05, CACHE-06, CACHE-07.
    #[tokio::test]
    async fn what_is_for_one_person_is_not_for_the_next_one_who_signs_in() {
        let cache = Cache::default();
        let (private, public) =
            (result("1000", r#","cacheScope":"private""#), result("1000", r#","cacheScope":"public""#));
        put(&cache, "tools/list", "", &private);
        put(&cache, "prompts/list", "", &result("1000", ""));
        put(&cache, "resources/list", "", &result("1000", r#","cacheScope":"odd""#));
        put(&cache, "resources/templates/list", "", &public);
        let late = cache.version_for("tools/list", "late");
        cache.sign_in_changed();
        assert!(
            !has(&cache, "tools/list", "")
                && !has(&cache, "prompts/list", "")
                && !has(&cache, "resources/list", "")
        );
        assert!(has(&cache, "resources/templates/list", ""));
        // A late result of a request before the sign-in is not cached.
        cache.put(late, &private, &Limits::default(), Instant::now());
        assert!(!has(&cache, "tools/list", "late"));
    }

    // Requirements: CACHE-09.
    #[tokio::test]
    async fn a_change_makes_stale_what_it_is_about_and_what_is_on_its_way() {
        let cache = Cache::default();
        let notify = |method: &str, params: Option<&str>| {
            cache.invalidate_changed(&Notification {
                method: method.to_owned(),
                params: params.and_then(raw),
            });
        };
        for (method, members) in [
            ("tools/list", ""),
            ("prompts/list", ""),
            ("resources/list", ""),
            ("resources/templates/list", ""),
            ("resources/read", r#"{"uri":"file:///a/"}"#),
            ("resources/read", r#"{"uri":"file:///b"}"#),
        ] {
            put(&cache, method, members, &result("1000", ""));
        }
        let on_its_way = cache.version_for("tools/list", "");
        notify(TOOLS_CHANGED, None);
        cache.put(on_its_way, &result("1000", ""), &Limits::default(), Instant::now());
        assert!(!has(&cache, "tools/list", "") && has(&cache, "prompts/list", ""));
        notify(RESOURCES_CHANGED, None);
        assert!(!has(&cache, "resources/list", "") && !has(&cache, "resources/templates/list", ""));
        notify(RESOURCE_UPDATED, Some(r#"{"uri":"file:///a/x"}"#));
        assert!(!has(&cache, "resources/read", r#"{"uri":"file:///a/"}"#));
        assert!(has(&cache, "resources/read", r#"{"uri":"file:///b"}"#));
        notify(PROMPTS_CHANGED, None);
        assert!(!has(&cache, "prompts/list", ""));
    }

    #[tokio::test]
    async fn cache_is_bounded_and_evicts_the_least_recently_used() {
        let cache = Cache::default();
        let limits = Limits { kept_results: 2, ..Limits::default() };
        for members in ["1", "2"] {
            cache.put(cache.version_for("tools/list", members), &result("1000", ""), &limits, Instant::now());
        }
        assert!(
            has(&cache, "tools/list", "1")
                && has(&cache, "tools/list", "2")
                && has(&cache, "tools/list", "1")
        );
        cache.put(cache.version_for("tools/list", "3"), &result("1000", ""), &limits, Instant::now());
        assert!(
            has(&cache, "tools/list", "1")
                && !has(&cache, "tools/list", "2")
                && has(&cache, "tools/list", "3")
        );
        let size = result("1000", "").get().len();
        for (bytes, kept) in [(size, true), (size - 1, false)] {
            let cache = Cache::default();
            let limits = Limits { kept_bytes: bytes, ..Limits::default() };
            cache.put(cache.version_for("tools/list", ""), &result("1000", ""), &limits, Instant::now());
            assert_eq!(has(&cache, "tools/list", ""), kept, "{bytes}");
        }
    }
}
