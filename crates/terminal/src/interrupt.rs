//! Handles Ctrl-C. The first one ends the work in an orderly way, the second one ends it immediately.

use tokio::sync::watch;
use tokio::task::JoinSet;

use mooring_faults::Fault;

/// Counts interrupts.
#[derive(Debug)]
pub struct Interrupt {
    count: watch::Receiver<u32>,
    /// The task that listens for signals.
    _task: JoinSet<()>,
}

impl Interrupt {
    /// Listens for interrupts. They then no longer end the process.
    pub fn listen() -> Self {
        let (sender, count) = watch::channel(0);
        let mut task = JoinSet::new();
        task.spawn(async move {
            while next_signal().await {
                sender.send_modify(|count| *count += 1);
            }
        });
        Self { count, _task: task }
    }

    /// Runs `work`. The first interrupt drops it.
    pub async fn guard<T>(&self, work: impl Future<Output = T>) -> Result<T, Fault> {
        self.until_interrupted(1, work).await
    }

    /// Runs clean-up work after an interrupt. The second interrupt drops it.
    pub async fn clean_up(&self, work: impl Future<Output = ()>) {
        let _dropped = self.until_interrupted(2, work).await;
    }

    async fn until_interrupted<T>(&self, times: u32, work: impl Future<Output = T>) -> Result<T, Fault> {
        let mut count = self.count.clone();
        let interrupted = async {
            if count.wait_for(|count| *count >= times).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            outcome = work => Ok(outcome),
            () = interrupted => Err(Fault::interrupted()),
        }
    }
}

/// Waits for a signal other than Ctrl-C that asks this process to end.
pub async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = (signal(SignalKind::terminate()), signal(SignalKind::hangup()));
        if let (Ok(mut terminate), Ok(mut hangup)) = signals {
            tokio::select! {
                Some(()) = terminate.recv() => return,
                Some(()) = hangup.recv() => return,
                else => {}
            }
        }
    }
    std::future::pending::<()>().await;
}

/// Waits for the next interrupt or termination signal. `false` if signals can't be received.
async fn next_signal() -> bool {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else {
            return tokio::signal::ctrl_c().await.is_ok();
        };
        tokio::select! {
            interrupt = tokio::signal::ctrl_c() => interrupt.is_ok(),
            terminate = terminate.recv() => terminate.is_some(),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await.is_ok()
}
