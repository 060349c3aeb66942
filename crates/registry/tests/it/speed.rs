//! How fast a large copy is searched.

use std::time::{Duration, Instant};

use mooring_registry::RefreshReason;

use crate::Setup;

/// How long a search may take, so that the list follows while a person types.
const REFERENCE: Duration = Duration::from_millis(50);

#[tokio::test]
async fn searching_30000_entries_follows_the_typing() {
    let setup = Setup::new(30_000, 200).await;
    let begun = Instant::now();
    let done = setup.refresh(RefreshReason::Asked).await.unwrap().unwrap();
    assert_eq!((done.entries, done.left_out), (30_090, 110));
    println!("30,200 entries fetched and saved in {:.1} s", begun.elapsed().as_secs_f64());
    let mut slowest = Duration::ZERO;
    for text in
        ["", "p", "po", "postgres", "github simple", "io.github", "a server for", "no such server", "ü"]
    {
        // Other programs may slow some of them down.
        let mut fastest = Duration::MAX;
        for _ in 0..10 {
            let begun = Instant::now();
            setup.catalog.search(text, 0, 100).await.unwrap();
            fastest = fastest.min(begun.elapsed());
        }
        println!("“{text}”: {:.1} ms", fastest.as_secs_f64() * 1_000.0);
        slowest = slowest.max(fastest);
    }
    let (slowest, reference) = (slowest.as_secs_f64() * 1_000.0, REFERENCE.as_secs_f64() * 1_000.0);
    println!("slowest search of 30,090 entries: {slowest:.1} ms (reference: {reference:.0} ms)");
    // Other tests run meanwhile.
    assert!(slowest < 2.0 * reference, "{slowest:.1} ms");
}
