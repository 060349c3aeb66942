//! The profile that decides what a connection of an app sees: the one in use, or the one of the project folder that
//! the app works in. A request takes it once, so that exactly one profile decides about it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_host::Host;
use mooring_inbox::AppResponder;
use mooring_jsonrpc::code;
use mooring_profiles::{Narrowing, ProfileLease};
use mooring_roots::AppRoots;
use tokio::sync::watch;

use crate::answer::Failed;
use crate::instances::AppInstances;
use crate::locked::locked;

/// How long the disk may take to find an app's folders. After that, the app counts as working in none.
const FOLDERS_TIMEOUT: Duration = Duration::from_secs(5);

/// The profile that decides about a request. `None`: the app sees everything that it may see.
pub(crate) type Profile = Option<Arc<Narrowing>>;

/// Where an app works, as far as it said so.
#[derive(Default)]
pub(crate) struct WorkPlace {
    /// The app's roots, and the real paths of these folders.
    known: Mutex<(Option<AppRoots>, Vec<PathBuf>)>,
    /// Keeps the servers of a project folder's profile running.
    lease: Mutex<Option<ProfileLease>>,
    /// How often the app's folders changed.
    moves: watch::Sender<u64>,
}

impl WorkPlace {
    /// The profile for the folders that the app last named.
    pub(crate) fn profile(&self, host: &Host) -> Profile {
        let in_force = host.profiles().in_force();
        let known = locked(&self.known);
        in_force.choose(&known.1).cloned()
    }

    /// Watches how often the app's folders changed.
    pub(crate) fn watch_moves(&self) -> watch::Receiver<u64> {
        self.moves.subscribe()
    }

    /// The profile for the folders that the app works in. `responder` asks the app for them, unless they are known
    /// or don't matter.
    pub(crate) async fn settle(
        &self,
        host: &Host,
        instances: &AppInstances,
        responder: Option<&dyn AppResponder>,
    ) -> Profile {
        if host.profiles().in_force().has_projects()
            && let Some(responder) = responder
        {
            let roots = instances.read_roots(responder).await;
            let is_known = locked(&self.known).0 == roots;
            if !is_known {
                let folders = real_folders(roots.clone()).await;
                *locked(&self.known) = (roots, folders);
                self.moves.send_modify(|count| *count += 1);
            }
        }
        let profile = self.profile(host);
        self.hold_lease(host, &profile);
        profile
    }

    fn hold_lease(&self, host: &Host, profile: &Profile) {
        let in_force = host.profiles().in_force();
        let active = in_force.active().map(|active| active.id);
        let wanted = profile.as_ref().map(|profile| profile.id).filter(|id| Some(*id) != active);
        let is_held = locked(&self.lease).as_ref().map(|lease| lease.id) == wanted;
        if !is_held {
            let lease = wanted.map(|id| host.profiles().lease(id));
            // Dropped after the lock, because that may start and stop servers.
            let _left = std::mem::replace(&mut *locked(&self.lease), lease);
        }
    }
}

/// The real paths of an app's folders. None if one of them has no real path, because it could be anywhere.
async fn real_folders(roots: Option<AppRoots>) -> Vec<PathBuf> {
    let read = move || roots?.paths()?.into_iter().map(|path| path.canonicalize().ok()).collect();
    let reading = tokio::time::timeout(FOLDERS_TIMEOUT, tokio::task::spawn_blocking(read));
    let folders: Option<Vec<PathBuf>> = reading.await.ok().and_then(Result::ok).flatten();
    folders.unwrap_or_default()
}

/// Why an app doesn't get something that it would get without the profile.
pub(crate) fn left_out(profile: &Narrowing, what: &str) -> String {
    format!(
        "“{what}” isn’t part of the profile “{}”, which is in use. The user can switch profiles in Mooring.",
        profile.name
    )
}

/// The error for something that the profile leaves out.
pub(crate) fn left_out_error(profile: &Narrowing, what: &str) -> Failed {
    Failed::new(code::INVALID_PARAMS, left_out(profile, what))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use serde_json::json;
    use serde_json::value::RawValue;

    #[tokio::test]
    async fn folders_are_compared_by_their_real_paths() {
        let home = tempfile::tempdir().unwrap();
        let real = home.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("project/inner")).unwrap();
        std::os::unix::fs::symlink(real.join("project"), real.join("link")).unwrap();
        let folders = async |paths: &[&str]| {
            let root = |path: &&str| json!({ "uri": format!("file://{}/{path}", real.display()) });
            let roots = json!({ "roots": paths.iter().map(root).collect::<Vec<_>>() }).to_string();
            real_folders(AppRoots::read(&RawValue::from_string(roots).unwrap())).await
        };
        assert_eq!(folders(&["link/inner"]).await, [real.join("project/inner")]);
        assert_eq!(folders(&["project%2Finner%2F.."]).await, [real.join("project")]);
        // A folder that does not exist could be anywhere.
        for missing in ["project/missing", "project%2Fmissing%2F..%2F..%2Fother"] {
            assert_eq!(folders(&["project", missing]).await, Vec::<PathBuf>::new(), "{missing}");
        }
    }
}
