//! `subscriptions/listen` (basic/patterns/subscriptions): notifies an app of changes for as long as its
//! request is open.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use mooring_jsonrpc::{JsonObject, Params, RequestId};
use mooring_revisions::OfferKind;
use serde::Deserialize;

use crate::answer::{Answer, read_params};
use crate::changes::Changes;
use crate::followed::Followed;
use crate::locked::locked;
use crate::message::notification;
use crate::outbox::Outbox;
use crate::requests;
use crate::view::AppView;

/// How long a server may take to accept a subscription. Without an acknowledgement, the app gives up.
const FOLLOW_TIMEOUT: Duration = Duration::from_secs(15);

/// The changes that an app wants to be notified of.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ListenFilter {
    tools_list_changed: bool,
    prompts_list_changed: bool,
    resources_list_changed: bool,
    resource_subscriptions: Vec<String>,
}

#[derive(Deserialize)]
struct ListenParams {
    notifications: ListenFilter,
}

impl ListenFilter {
    fn wanted_kinds(&self) -> Vec<OfferKind> {
        let is_wanted = |kind: &OfferKind| match kind {
            OfferKind::Tools => self.tools_list_changed,
            OfferKind::Prompts => self.prompts_list_changed,
            OfferKind::Resources | OfferKind::Templates => self.resources_list_changed,
        };
        OfferKind::ALL.into_iter().filter(is_wanted).collect()
    }

    /// The part of the filter that is accepted.
    fn accepted_part(&self, followed: &[&str]) -> JsonObject {
        let flags = [
            ("toolsListChanged", self.tools_list_changed),
            ("promptsListChanged", self.prompts_list_changed),
            ("resourcesListChanged", self.resources_list_changed),
        ];
        let wanted = flags.into_iter().filter(|(_, wanted)| *wanted);
        let agreed = wanted.fold(JsonObject::new(), |agreed, (name, _)| agreed.flag(name, true));
        if followed.is_empty() {
            agreed
        } else {
            agreed.texts("resourceSubscriptions", followed.iter().copied())
        }
    }
}

/// Notifies the app of the changes that it asks for, until the request is cancelled or the host ends.
pub(super) async fn listen(view: &Arc<AppView>, id: &RequestId, params: &Params, out: &Outbox) -> Answer {
    let ListenParams { notifications: filter } = read_params(params)?;
    let followed = Followed::new(view.host.clone(), Arc::clone(&view.catalogues.left_resources));
    let kinds = filter.wanted_kinds();
    let told = Mutex::new(None);
    // Start to collect changes first, because the app is notified of all changes from the acknowledgement on.
    let changes = Changes::new(view, &followed, &told, &kinds);
    let profile = view.profile();
    *locked(&told) = Some(view.catalogue(&profile).await?);
    let following = filter.resource_subscriptions.iter().map(async |uri| {
        let followed = requests::subscribe_to_resource(view, &profile, &followed, uri, None);
        let followed = tokio::time::timeout(FOLLOW_TIMEOUT, followed).await;
        // A resource that the acknowledgement leaves out is refused.
        matches!(followed, Ok(Ok(()))).then_some(uri.as_str())
    });
    let agreed: Vec<&str> = join_all(following).await.into_iter().flatten().collect();
    let meta = JsonObject::new().raw("io.modelcontextprotocol/subscriptionId", id.get());
    let with_meta = || JsonObject::new().object("_meta", &meta);
    let params = with_meta().object("notifications", &filter.accepted_part(&agreed)).whole();
    out.send(notification("notifications/subscriptions/acknowledged", Some(&params)));
    let tell = |method: &str, uri: Option<&str>| {
        let params = uri.iter().fold(with_meta(), |params, uri| params.text("uri", uri)).whole();
        out.send(notification(method, Some(&params)));
    };
    changes.notify_app(tell).await;
    Ok(JsonObject::new().text("resultType", "complete").object("_meta", &meta).whole())
}
