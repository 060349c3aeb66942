//! Responds to questions over the limit.

use std::sync::Arc;

use crate::limits::LimitKind;
use crate::link::MessageLink;
use crate::outgoing::OutgoingMessage;
use crate::peer::Peer;
use crate::questions::refuse_too_many;

/// Responds to questions over the limit until the connection is over.
pub(crate) async fn answer_over_limit(link: Arc<MessageLink>, peer: Arc<Peer>) {
    let mut closed = link.closed();
    loop {
        tokio::select! {
            _ = closed.wait_for(Option::is_some) => return,
            () = peer.over_limit.more.notified() => {}
        }
        while let Some((id, method)) = peer.over_limit.next() {
            link.note_limit(LimitKind::Questions);
            let outgoing = OutgoingMessage::answer(&id, method, refuse_too_many(method));
            if link.outbox().send(Box::new(outgoing)).await.is_err() {
                return;
            }
        }
    }
}
