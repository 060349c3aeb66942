//! `subscriptions/listen` (basic/patterns/subscriptions): what changes, for as long as the request is open.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use mooring_revisions::OfferKind;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::answer::{Answer, read};
use crate::changes::Changes;
use crate::followed::Followed;
use crate::locked::locked;
use crate::message::{RequestId, notification, quoted};
use crate::outbox::Outbox;
use crate::requests;
use crate::view::AppView;

/// How long a server may take to agree: an app gives up where nothing is acknowledged.
const FOLLOW_TIMEOUT: Duration = Duration::from_secs(15);

/// Which changes an app wants to hear of.
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
    fn kinds(&self) -> Vec<OfferKind> {
        let is_wanted = |kind: &OfferKind| match kind {
            OfferKind::Tools => self.tools_list_changed,
            OfferKind::Prompts => self.prompts_list_changed,
            OfferKind::Resources | OfferKind::Templates => self.resources_list_changed,
        };
        OfferKind::ALL.into_iter().filter(is_wanted).collect()
    }

    /// What is agreed to, as JSON.
    fn acknowledged(&self, followed: &[&str]) -> String {
        let flags = [
            ("toolsListChanged", self.tools_list_changed),
            ("promptsListChanged", self.prompts_list_changed),
            ("resourcesListChanged", self.resources_list_changed),
        ];
        let flags = flags.into_iter().filter(|(_, wanted)| *wanted);
        let mut members: Vec<String> = flags.map(|(name, _)| format!(r#""{name}":true"#)).collect();
        if !followed.is_empty() {
            let uris: Vec<String> = followed.iter().map(|uri| quoted(uri)).collect();
            members.push(format!(r#""resourceSubscriptions":[{}]"#, uris.join(",")));
        }
        format!("{{{}}}", members.join(","))
    }
}

/// Tells the app what it wants to hear of, until the request is cancelled or the host ends.
pub(super) async fn listen(
    view: &Arc<AppView>,
    id: &RequestId,
    params: Option<&RawValue>,
    out: &Outbox,
) -> Answer {
    let ListenParams { notifications: filter } = read(params)?;
    let followed = Followed::new(view.host.clone(), Arc::clone(&view.catalogues.left_resources));
    let kinds = filter.kinds();
    let told = Mutex::new(None);
    // Before it is acknowledged: what changes from then on is told.
    let changes = Changes::new(view, &followed, &told, &kinds);
    *locked(&told) = Some(view.catalogue().await?);
    let following = filter.resource_subscriptions.iter().map(async |uri| {
        let followed =
            tokio::time::timeout(FOLLOW_TIMEOUT, requests::follow(view, &followed, uri, None)).await;
        // What the acknowledgement leaves out the app knows to be refused.
        matches!(followed, Ok(Ok(()))).then_some(uri.as_str())
    });
    let agreed: Vec<&str> = join_all(following).await.into_iter().flatten().collect();
    let meta = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{}}}"#, id.get());
    let params = format!(r#"{{{meta},"notifications":{}}}"#, filter.acknowledged(&agreed));
    out.send(notification("notifications/subscriptions/acknowledged", Some(&params)));
    let tell = |method: &str, uri: Option<&str>| {
        let uri = uri.map(|uri| format!(r#","uri":{}"#, quoted(uri))).unwrap_or_default();
        out.send(notification(method, Some(&format!("{{{meta}{uri}}}"))));
    };
    changes.follow(tell).await;
    Ok(format!(r#"{{"resultType":"complete",{meta}}}"#))
}
