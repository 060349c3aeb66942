//! Decides which app uses the shared connection if apps are separated because the server asks them questions.
//! It is the first app that calls. That app then needs no process of its own, and receives changes on the
//! shared connection.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mooring_base::server_id::ServerId;
use tokio::time::Instant;

use crate::pool::KEEP_TIME;

/// The app that has a shared connection.
#[derive(Debug)]
struct Claim {
    app: Arc<str>,
    used: Instant,
    holder: Weak<()>,
}

/// Which app has the shared connection of each server. Keys with `true` are for the shared session next to a
/// connection of the stateless era.
#[derive(Debug, Default)]
pub struct SharedClaims(Mutex<HashMap<(ServerId, bool), Claim>>);

impl SharedClaims {
    /// Reserves the connection for the app while the app has the returned value, and for some minutes
    /// afterwards. `None` if another app has it.
    pub fn claim(
        &self,
        (server, in_session): (ServerId, bool),
        app: &Arc<str>,
        now: Instant,
    ) -> Option<Arc<()>> {
        let mut claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = claims.get(&(server, in_session));
        let holder = known.and_then(|known| known.holder.upgrade());
        let is_taken = |known: &Claim| {
            known.app != *app && (holder.is_some() || now.duration_since(known.used) < KEEP_TIME)
        };
        if known.is_some_and(is_taken) {
            return None;
        }
        let holder = holder.unwrap_or_default();
        let claim = Claim { app: Arc::clone(app), used: now, holder: Arc::downgrade(&holder) };
        claims.insert((server, in_session), claim);
        Some(holder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_app_has_it_until_it_is_long_gone() {
        let claims = SharedClaims::default();
        let [one, other] = ["one", "other"].map(Arc::<str>::from);
        let (place, mut now) = ((ServerId(1), false), Instant::now());
        let held = claims.claim(place, &one, now).unwrap();
        assert!(claims.claim(place, &other, now).is_none());
        // Another server and this server's session are separate.
        assert!(claims.claim((ServerId(2), false), &other, now).is_some());
        assert!(claims.claim((ServerId(1), true), &other, now).is_some());
        now += KEEP_TIME * 2;
        assert!(claims.claim(place, &other, now).is_none(), "it is still there");
        // A stateless app only holds the connection during a request.
        drop((held, claims.claim(place, &one, now).unwrap()));
        assert!(claims.claim(place, &other, now).is_none());
        now += KEEP_TIME;
        assert!(claims.claim(place, &other, now).is_some());
    }
}
