//! Ctrl-C: the first ends what is under way in good order, the second at once.

use tokio::sync::watch;
use tokio::task::JoinSet;

use mooring_faults::Fault;

/// Counts interrupts.
#[derive(Debug)]
pub struct Interrupt {
    count: watch::Receiver<u32>,
    /// Owns the listener.
    _task: JoinSet<()>,
}

impl Interrupt {
    /// Listens for the signal, which then no longer ends the process.
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

    /// Does `work` until the first interrupt, which drops it.
    pub async fn guard<T>(&self, work: impl Future<Output = T>) -> Result<T, Fault> {
        self.until_interrupted(1, work).await
    }

    /// Does what has to be done after an interrupt; the second one drops it.
    pub async fn clean_up(&self, work: impl Future<Output = ()>) {
        // After a second interrupt, the person wants no clean-up: dropping the work ends it immediately.
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

/// Waits until this process is to end, whatever it does: by a signal other than Ctrl-C.
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

/// Waits for the next signal. `false` if signals can't be received.
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
