//! Negotiates the era with an unknown stdio server, which is probed with `server/discover`. If it has read
//! the probe and does not answer, `initialize` is sent as well, and the first response counts. A server of
//! the session era may ignore unknown methods, and a server of the stateless era may only be slow.

use std::time::Duration;

use mooring_jsonrpc::code::METHOD_NOT_FOUND;
use mooring_words::say;
use tokio::time::Instant;

use super::Negotiation;
use super::probe::{MODERN_ERRORS, ProbeOutcome, SessionHint, classify_answer};
use crate::error::RequestError;
use crate::revision::Revision;
use crate::wire::RequestSender;

/// How often to check whether a server has read its input.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How long a server that refused `initialize` may still take to answer `server/discover`.
const LATE: Duration = Duration::from_secs(5);

impl Negotiation {
    /// Probes a stdio server with `server/discover`, and with `initialize` if it does not answer.
    pub(super) async fn probe_stdio(&mut self, wire: &RequestSender) -> ProbeOutcome {
        let asked = Instant::now();
        let connect = self.options.deadlines.connect;
        let quiet = self.options.probe.min(connect / 2);
        let mut discover = Box::pin(wire.send_discover(connect));
        tokio::select! {
            biased;
            answer = &mut discover => return self.record_probe(classify_answer(answer, false, true), asked),
            () = is_silent(wire, quiet) => {}
        }
        let mut why = say!("Didn’t answer server/discover within {seconds} s", seconds = quiet.as_secs_f32());
        self.record_request("server/discover", Some(asked.elapsed()), why.clone());
        self.record_step(say!("{why}; initialize is asked as well", why = why.clone()));
        let mut initialize = Box::pin(self.offer_revision(wire, Revision::SESSION));
        let mut late = None;
        let (offered, answer) = tokio::select! {
            biased;
            answer = &mut discover => match classify_answer(answer, false, true) {
                ProbeOutcome::Session { why: said, hint: SessionHint::None | SessionHint::Named(_) } => {
                    why = said;
                    initialize.await
                }
                ProbeOutcome::Session { .. } | ProbeOutcome::Inconclusive(_) => initialize.await,
                probe => {
                    // The response to `initialize` is no longer needed.
                    drop(initialize);
                    self.record_request("initialize", None, say!("the answer is no longer needed"));
                    return self.record_probe(probe, asked);
                }
            },
            answered = &mut initialize => {
                drop(initialize);
                late = Some(discover);
                answered
            }
        };
        if let (Some(discover), Err(RequestError::Rpc(error))) = (late, &answer)
            && (MODERN_ERRORS.contains(&error.code) || error.code == METHOD_NOT_FOUND)
        {
            self.record_step(say!(
                "initialize was rejected with error {code}; still waiting for server/discover",
                code = error.code
            ));
            if let Ok(answer) = tokio::time::timeout(LATE, discover).await
                && let probe @ ProbeOutcome::Modern(_) = classify_answer(answer, false, true)
            {
                return self.record_probe(probe, asked);
            }
        }
        ProbeOutcome::Initialized { why, offered, answer: Box::new(answer) }
    }
}

/// Waits until a server has been silent for `quiet` after it read all of its input.
async fn is_silent(wire: &RequestSender, quiet: Duration) {
    let mut since = Instant::now();
    while since.elapsed() < quiet {
        tokio::time::sleep(POLL_INTERVAL.min(quiet)).await;
        if wire.unread.has_unread() {
            since = Instant::now();
        }
    }
}
