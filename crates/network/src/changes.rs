//! Reports changes of this machine's network.

use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use if_watch::IfEvent;
use if_watch::tokio::IfWatcher;
use tokio::time::{Instant, sleep, timeout_at};

/// A change counts once nothing has changed for this long, because addresses change one after the other.
const CALM_FOR: Duration = Duration::from_secs(1);
/// Longest wait for a network that keeps changing.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The time until a watch that failed is started again.
const WATCH_AGAIN: Duration = Duration::from_mins(1);

/// Calls `act` after the addresses of this machine have changed. It waits until they are stable for a second,
/// but at most five seconds. Never returns. On systems that don't report changes, `act` is never called.
pub async fn watch_network(act: impl Fn()) {
    loop {
        if let Err(error) = watch_addresses(&act).await {
            tracing::info!(%error, "changes of the network are not noticed for a while");
        }
        sleep(WATCH_AGAIN).await;
    }
}

async fn watch_addresses(act: &impl Fn()) -> io::Result<()> {
    let mut watcher = IfWatcher::new()?;
    // The watcher first reports the existing addresses.
    wait_until_settled(&mut watcher).await?;
    loop {
        wait_for_change(&mut watcher).await?;
        wait_until_settled(&mut watcher).await?;
        act();
    }
}

/// Waits until nothing has changed for [`CALM_FOR`], but at most [`LONGEST_WAIT`].
async fn wait_until_settled(watcher: &mut IfWatcher) -> io::Result<()> {
    let latest = Instant::now() + LONGEST_WAIT;
    while Instant::now() < latest {
        let calm = (Instant::now() + CALM_FOR).min(latest);
        match timeout_at(calm, wait_for_change(watcher)).await {
            Ok(changed) => changed?,
            Err(_calm) => return Ok(()),
        }
    }
    Ok(())
}

/// Waits for a change of a routable address. Loopback addresses never change, and link-local addresses appear
/// with every container.
async fn wait_for_change(watcher: &mut IfWatcher) -> io::Result<()> {
    loop {
        let (IfEvent::Up(network) | IfEvent::Down(network)) =
            poll_fn(|context| watcher.poll_if_event(context)).await?;
        let is_of_link = match network.addr() {
            IpAddr::V4(address) => address.is_loopback() || address.is_link_local(),
            IpAddr::V6(address) => address.is_loopback() || address.is_unicast_link_local(),
        };
        if !is_of_link {
            return Ok(());
        }
    }
}
