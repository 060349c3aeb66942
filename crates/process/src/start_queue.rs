//! Limits how many servers start at once to the number of processors, but at least two and at most eight. A
//! server that is needed now doesn't wait.

use std::num::NonZero;
use std::pin::pin;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How long a server that starts uses its place. A server that takes longer is usually not waiting for the
/// processor.
const TURN: Duration = Duration::from_secs(1);

/// The queue of servers that start.
#[derive(Debug)]
pub struct StartQueue {
    places: Semaphore,
    turn: Duration,
}

impl Default for StartQueue {
    fn default() -> Self {
        let at_once = available_parallelism().map_or(1, NonZero::get).clamp(2, 8);
        Self { places: Semaphore::new(at_once), turn: TURN }
    }
}

impl StartQueue {
    /// Starts a server when its turn comes, or once it is needed.
    pub async fn start<T>(&self, needed: impl Future<Output = ()>, starting: impl Future<Output = T>) -> T {
        let place = tokio::select! {
            biased;
            () = needed => None,
            place = self.places.acquire() => place.ok(),
        };
        let mut starting = pin!(starting);
        if place.is_some()
            && let Ok(started) = timeout(self.turn, &mut starting).await
        {
            return started;
        }
        drop(place);
        starting.await
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::sync::Arc;

    use tokio::task::JoinSet;

    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    /// A queue whose places are taken by servers that never finish starting.
    async fn full(turn: Duration) -> (Arc<StartQueue>, JoinSet<()>) {
        let queue = Arc::new(StartQueue { places: Semaphore::new(2), turn });
        let mut silent = JoinSet::new();
        for _ in 0..4 {
            let queue = Arc::clone(&queue);
            silent.spawn(async move { queue.start(pending(), pending::<()>()).await });
        }
        while queue.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        (queue, silent)
    }

    #[tokio::test]
    async fn one_that_is_needed_is_behind_no_other() {
        let (queue, _silent) = full(LONG).await;
        let waits = timeout(Duration::from_millis(20), queue.start(pending(), ready(())));
        assert!(waits.await.is_err());
        timeout(LONG, queue.start(ready(()), ready(()))).await.unwrap();
        // The server may also become needed while it waits.
        let needed = tokio::time::sleep(Duration::from_millis(20));
        timeout(LONG, queue.start(needed, ready(()))).await.unwrap();
    }

    #[tokio::test]
    async fn one_that_never_starts_holds_up_the_others_for_its_turn_only() {
        let (queue, _silent) = full(Duration::from_millis(20)).await;
        timeout(LONG, queue.start(pending(), ready(()))).await.unwrap();
    }
}
