//! Whether an app may use the servers: one that proves who it is, one that the person allowed, or one that they are asked
//! about now.

use std::sync::{Arc, Mutex, PoisonError};

use mooring_approvals::{AppIdentity, AppStanding, AppStore, revoked};
use mooring_disk::StoreError;
use mooring_inbox::ServerPrompter;
use mooring_policy::Caller;
use mooring_store::AppKeyKind;
use mooring_words::{Sentence, say};

use crate::question::ask_about_app;

/// The most apps without a key that are asked about at once, or were refused by the person since the start.
const MAX_UNKNOWN: usize = 32;

/// Decisions about apps without a key since the start, and open questions. All calls of one app wait for one
/// answer.
#[derive(Debug, Default)]
pub struct AppAdmission(Mutex<Vec<UnknownApp>>);

#[derive(Debug, Clone)]
struct UnknownApp {
    name: Arc<str>,
    /// True: the person refused it.
    refused: Arc<tokio::sync::Mutex<bool>>,
}

/// The call for which an app is asked about.
#[derive(Debug, Clone, Copy)]
pub struct FirstCall<'a> {
    /// The call's method.
    pub method: &'a str,
    /// The call's name, which the gateway makes.
    pub request: &'a str,
    /// Asks the person. `None` if no one can be asked.
    pub prompter: Option<&'a ServerPrompter>,
}

/// Why an app may not use the servers.
#[derive(Debug)]
pub enum AdmissionError {
    /// The reason, for the app.
    Refused(Sentence),
    /// The decision could not be saved.
    Store(StoreError),
}

impl AppAdmission {
    /// The caller of an app's call, once the app may use the servers.
    pub async fn admit(
        &self,
        apps: &AppStore,
        app: &AppIdentity,
        call: FirstCall<'_>,
    ) -> Result<Caller, AdmissionError> {
        let name = &app.name;
        match apps.standing(app) {
            AppStanding::Proven => return Ok(Caller::app(name)),
            AppStanding::Revoked => return Err(AdmissionError::Refused(revoked(name))),
            AppStanding::Sealed => return Ok(Caller::app_with_sealed_key(name)),
            AppStanding::Keyless(true) => return Ok(Caller::app_without_key(name)),
            // Connected before apps had keys: the app may call, and the person is asked about each tool call.
            AppStanding::Keyless(false) if call.method == "tools/call" && apps.predates_keys(name) => {
                return Ok(Caller::app_without_key(name));
            }
            AppStanding::Keyless(false) => {}
        }
        let refused = |why| Err(AdmissionError::Refused(why));
        let Some(unknown) = self.get(name) else {
            return refused(say!("too many apps without a key want to use Mooring’s servers"));
        };
        let mut is_refused = unknown.refused.lock().await;
        if *is_refused {
            return refused(say!("{app} isn’t allowed to use Mooring’s servers", app = &**name));
        }
        // Another call of the app may have been answered meanwhile.
        if apps.standing(app) == AppStanding::Keyless(true) {
            return Ok(Caller::app_without_key(name));
        }
        let Some(prompter) = call.prompter else {
            return refused(say!(
                "Mooring doesn’t know {app} yet: open Mooring and allow it there, or give it an entry with `mooring apps add {app}`",
                app = &**name
            ));
        };
        match ask_about_app(prompter, app, call.method, call.request).await {
            Some(true) => {
                let program = app.program.as_deref().unwrap_or_default();
                apps.set_key(name, AppKeyKind::Allowed, program).await.map_err(AdmissionError::Store)?;
                Ok(Caller::app_without_key(name))
            }
            Some(false) => {
                *is_refused = true;
                // The person was asked now, so it no longer matters that the app predates keys.
                apps.remove_key(name, AppKeyKind::Allowed).await.map_err(AdmissionError::Store)?;
                refused(say!("you declined"))
            }
            None => refused(say!("the question was ignored")),
        }
    }

    /// Forgets what was decided on an app since the start.
    pub fn forget(&self, name: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|app| &*app.name != name);
    }

    /// The app of this name. `None` if there are too many.
    fn get(&self, name: &Arc<str>) -> Option<UnknownApp> {
        let mut apps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = apps.iter().find(|app| app.name == *name) {
            return Some(known.clone());
        }
        // Drops apps without a waiting call that were not refused.
        let is_refused = |app: &UnknownApp| app.refused.try_lock().is_ok_and(|refused| *refused);
        apps.retain(|app| Arc::strong_count(&app.refused) > 1 || is_refused(app));
        if apps.len() >= MAX_UNKNOWN {
            return None;
        }
        let unknown = UnknownApp { name: Arc::clone(name), refused: Arc::default() };
        apps.push(unknown.clone());
        Some(unknown)
    }
}
