//! Registries that are away, slow, cut off, endless, or lie.

use std::time::{Duration, Instant};

use mooring_registry::{FetchLimits, RefreshReason, RegistryErrorCode};
use mooring_testkit::registry::RegistryFault;

use crate::{HOUR_US, Setup};

/// Small limits, so that tests reach them.
fn limits() -> FetchLimits {
    FetchLimits {
        page_bytes: 4 << 20,
        pages: 20,
        request_time: Duration::from_millis(500),
        retries: 0,
        ..FetchLimits::default()
    }
}

async fn check(fault: RegistryFault, expect: RegistryErrorCode, text: &str) {
    let mut setup = Setup::with_limits(250, 0, limits()).await;
    setup.refresh(RefreshReason::Asked).await.unwrap();
    setup.server.set_fault(fault);
    // All entries are fetched again.
    setup.now_us += 8 * 24 * HOUR_US;
    let begun = Instant::now();
    let error = setup.refresh(RefreshReason::Asked).await.unwrap_err();
    assert_eq!(error.code(), Some(expect), "{fault:?}: {error}");
    assert!(error.to_string().contains(text), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{fault:?}");
    // What the copy had stays.
    assert!(setup.total("weather-240").await >= 1);
    assert!(setup.total("").await >= 250);
}

#[tokio::test]
async fn a_registry_that_misbehaves_leaves_the_copy_as_it_was() {
    use RegistryErrorCode as Code;
    check(RegistryFault::Slow(Duration::from_mins(1)), Code::Unreachable, "within 0 s").await;
    check(RegistryFault::Cut, Code::Unreachable, "").await;
    check(RegistryFault::SamePage, Code::NotARegistry, "no end").await;
    check(RegistryFault::EmptyPages, Code::NotARegistry, "no end").await;
    check(RegistryFault::Endless, Code::TooLarge, "20 pages").await;
    check(RegistryFault::WebPage, Code::NotARegistry, "web page").await;
    check(RegistryFault::EndlessBody, Code::TooLarge, "4 MiB").await;
    check(RegistryFault::Status(403), Code::Refused, "403").await;
    check(RegistryFault::Status(302), Code::NotARegistry, "another URL").await;
}

#[tokio::test]
async fn a_registry_with_too_many_entries_is_left() {
    let setup = Setup::with_limits(450, 20, FetchLimits { entries: 199, ..limits() }).await;
    let error = setup.refresh(RefreshReason::Asked).await.unwrap_err();
    assert_eq!(error.code(), Some(RegistryErrorCode::TooLarge));
    assert!(error.to_string().contains("199 entries"), "{error}");
    assert_eq!(setup.server.requests().len(), 2);
}

#[tokio::test]
async fn a_registry_that_is_away_is_named_as_the_reason() {
    let setup = Setup::with_limits(5, 0, limits()).await;
    let url = mooring_testkit::http::refused_url().await;
    let away = mooring_registry::RegistryBase::parse(&url).unwrap();
    let refresh = setup.catalog.refresh(&away, RefreshReason::Asked, setup.now_us, &|_| {}).await;
    let error = refresh.unwrap_err();
    assert_eq!(error.code(), Some(RegistryErrorCode::Unreachable));
    assert!(error.to_string().starts_with("the registry can’t be reached: "), "{error}");
}

#[tokio::test]
async fn a_passing_failure_is_tried_again() {
    let setup = Setup::with_limits(250, 0, FetchLimits { retries: 1, ..limits() }).await;
    setup.server.set_fault(RegistryFault::StatusOnce(503));
    setup.refresh(RefreshReason::Asked).await.unwrap();
    assert_eq!(setup.total("").await, 250);
}

#[tokio::test]
async fn another_version_than_the_requested_one_is_refused() {
    let setup = Setup::with_limits(50, 0, limits()).await;
    setup.refresh(RefreshReason::Asked).await.unwrap();
    let name = "io.github.publisher3/github-3";
    let version = async |version| setup.catalog.version(&setup.base, name, version).await;
    assert_eq!(version("1.3.3").await.unwrap().entry.version, "1.3.3");
    assert_eq!(version("7.7.7").await.unwrap_err().code(), Some(RegistryErrorCode::NotFound));
    let versions = setup.catalog.versions(&setup.base, name).await.unwrap();
    assert_eq!(versions.len(), 1);
    setup.server.set_fault(RegistryFault::OtherVersion);
    let error = version("1.3.3").await.unwrap_err();
    assert!(error.to_string().contains("it sent io.github.publisher3/github-3 66.6.6 instead"), "{error}");
}
