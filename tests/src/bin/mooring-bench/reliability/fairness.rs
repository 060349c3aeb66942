//! How long a healthy server's calls take next to four servers that flood in one of the ways of
//! `misbehaving`.

use std::sync::Arc;
use std::time::Duration;

use super::Figure;
use super::host::{BenchHost, call, echoes, p99, time_calls};

const FLOODERS: usize = 4;

pub(crate) async fn measure(row: &str, mode: &str, short: bool) -> anyhow::Result<Vec<Figure>> {
    let calls = if short { 100 } else { 1_000 };
    let pause = Duration::from_millis(5);
    let place = BenchHost::new().await?;
    let healthy = place.server(&["echo-stdio"]).await?;
    let permit = echoes(&healthy, 2 * calls + 100).await?;
    time_calls(&permit, 100, Duration::ZERO).await?;
    let idle = p99(&time_calls(&permit, calls, pause).await?);

    let mut floods = Vec::new();
    for _ in 0..FLOODERS {
        let words = ["reliability-part", "evil", mode, "--mebibytes", "4096"];
        floods.push(place.server(&words).await?);
    }
    let flood = call("flood", "{}", Duration::from_mins(5))?;
    let flooding = futures_util::future::join_all(
        floods.iter().map(|flooder| flooder.call_tool(flood.clone(), Arc::new(|_| {}))),
    );
    let busy = tokio::select! {
        busy = time_calls(&permit, calls, pause) => busy,
        ended = flooding => anyhow::bail!("the floods ended early: {} of them", ended.len()),
    };
    let errors = if busy.is_ok() { 0.0 } else { 1.0 };
    let busy = p99(&busy.unwrap_or_default());
    let closing = floods.into_iter().map(mooring_connections::Connection::close);
    futures_util::future::join_all(closing).await;
    healthy.close().await;
    place.host.shutdown().await;
    Ok(vec![
        Figure::unlimited(row, "p99 of a call alone, ms", idle),
        Figure::at_most(row, "p99 beside four that flood, ms", busy, (3.0 * idle).max(10.0)),
        Figure::at_most(row, "failed calls", errors, 0.0),
    ])
}
