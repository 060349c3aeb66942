//! The answers to questions beyond what is held.

use std::sync::Arc;

use crate::limits::Bound;
use crate::link::Link;
use crate::outgoing::Outgoing;
use crate::peer::Peer;
use crate::questions::too_many;

/// Answers what is beyond, for as long as the connection takes it.
pub(crate) async fn answer_beyond(link: Arc<Link>, peer: Arc<Peer>) {
    let mut closed = link.closed();
    loop {
        tokio::select! {
            _ = closed.wait_for(Option::is_some) => return,
            () = peer.beyond.more.notified() => {}
        }
        while let Some((id, method)) = peer.beyond.next() {
            link.reached(Bound::Questions);
            let outgoing = Outgoing::answer(&id, method, too_many(method));
            if link.outbox().send(Box::new(outgoing)).await.is_err() {
                return;
            }
        }
    }
}
