//! The URL elicitations of a server, until the server reports their completion (2025-11-25).

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mooring_jsonrpc::{member, string};
use serde_json::value::RawValue;
use tokio::sync::watch;

/// The most remembered URL elicitations. The oldest are forgotten first.
const REMEMBERED: usize = 64;

/// The ids of the URL elicitations that are not complete.
#[derive(Debug, Default)]
pub(crate) struct UrlElicitations {
    open: Mutex<VecDeque<String>>,
    /// Changes whenever an elicitation completes.
    completed: watch::Sender<u64>,
}

impl UrlElicitations {
    fn lock_open(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a URL elicitation.
    pub(crate) fn remember(&self, id: &str) {
        let mut open = self.lock_open();
        if !open.iter().any(|known| known == id) {
            open.push_back(id.to_owned());
        }
        if open.len() > REMEMBERED {
            open.pop_front();
        }
    }

    /// Handles `notifications/elicitation/complete`. Returns false if the id is unknown.
    pub(crate) fn complete(&self, params: Option<&RawValue>) -> bool {
        let Some(id) = read_elicitation_id(params.map_or("{}", RawValue::get)) else { return false };
        let mut open = self.lock_open();
        let Some(at) = open.iter().position(|known| *known == id) else { return false };
        drop(open.remove(at));
        drop(open);
        self.completed.send_modify(|count| *count += 1);
        true
    }

    /// Resolves when the elicitation with this id is complete or forgotten.
    pub(crate) async fn wait_until_completed(&self, id: &str) {
        let mut completed = self.completed.subscribe();
        while self.lock_open().iter().any(|known| known == id) {
            if completed.changed().await.is_err() {
                return;
            }
        }
    }
}

/// The `elicitationId` in an object.
pub(crate) fn read_elicitation_id(object: &str) -> Option<String> {
    member(object, "elicitationId").and_then(string).filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mooring_jsonrpc::raw;

    // Requirements: ELIC-28.
    #[tokio::test]
    async fn only_what_was_asked_for_completes_and_only_once() {
        let elicitations = UrlElicitations::default();
        let complete =
            |id: &str| elicitations.complete(raw(&format!(r#"{{"elicitationId":{id}}}"#)).as_deref());
        elicitations.remember("a");
        assert!(!complete("\"b\"") && !complete("7") && !elicitations.complete(None));
        assert!(complete("\"a\""));
        assert!(!complete("\"a\""));
        elicitations.wait_until_completed("a").await;
    }

    #[test]
    fn they_are_remembered_up_to_the_limit() {
        let elicitations = UrlElicitations::default();
        for number in 0..=REMEMBERED {
            elicitations.remember(&number.to_string());
        }
        assert_eq!(elicitations.lock_open().len(), REMEMBERED);
        assert!(!elicitations.complete(raw(r#"{"elicitationId":"0"}"#).as_deref()));
    }
}
