//! A server whose sign-in expires while an app uses it.

use mooring_accounts::SignInOptions;
use mooring_connections::Target;
use mooring_definitions::{NewServer, Transport};
use mooring_host::{Host, HostOptions};
use mooring_oauth::StepObserver;
use mooring_server_state::StateName;
use serde_json::json;

use super::driven::{AppStart, SESSION, STATELESS, Sdk, said};
use super::{Served, let_apps_call};
use crate::command_line::demo;
use crate::sign_in::ADA;
use crate::sign_in::support::{ProtectedServer, options};
use crate::window::{stdio, until_state};

async fn sign_in(host: &Host) {
    let wanted = SignInOptions::default();
    let target = Target::Saved { name: "protected".to_owned() };
    host.sign_in(target, &wanted, &ADA, StepObserver::new(drop)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_is_told_of_a_sign_in_that_ended_and_goes_on_after_it() {
    let protected = ProtectedServer::start(&json!({}));
    let home = tempfile::tempdir().unwrap();
    let supervising = HostOptions { supervise: true, has_person: true, ..options(home.path()) };
    let served = Served::over(home, Host::open(supervising).await.unwrap()).await;
    let host = &served.host;
    served.add(stdio("demo", &demo(), &[])).await;
    let server =
        NewServer { url: Some(protected.resource.clone()), ..NewServer::new("protected", Transport::Http) };
    let id = host.add_server(server).await.unwrap().id;
    until_state(host, id, StateName::SignInNeeded).await;
    sign_in(host).await;
    until_state(host, id, StateName::Ready).await;
    let_apps_call(host, id).await;

    let mut apps = Vec::new();
    let key = host.create_app_key("editor").await.unwrap().to_text();
    for revision in [SESSION, STATELESS] {
        let start = AppStart {
            home: served.home.path(),
            name: "editor",
            server: None,
            revision,
            sdk: Sdk::TypeScript,
        };
        apps.push(start.open(&key).await);
    }
    let moored = json!({"text": "moored"});
    for app in &mut apps {
        assert_eq!(said(&app.call("protected__echo", moored.clone()).await), "moored");
    }
    for round in 0..2 {
        protected.end_logins().await;
        for app in &mut apps {
            // The error is one that a model can act on, for the call that notices the end of the sign-in and
            // for later ones.
            let refused = app.call("protected__echo", moored.clone()).await;
            assert_eq!(refused["isError"], true, "{round}: {refused}");
            let sentence = said(&refused).to_lowercase();
            assert!(sentence.contains("sign in") || sentence.contains("sign-in"), "{round}: {refused}");
            assert!(sentence.contains("protected") && sentence.contains("mooring"), "{round}: {refused}");
            // Other servers still work.
            assert_eq!(said(&app.call("demo__echo", moored.clone()).await), "moored");
        }
        until_state(host, id, StateName::SignInNeeded).await;
        sign_in(host).await;
        until_state(host, id, StateName::Ready).await;
        for app in &mut apps {
            assert_eq!(said(&app.call("protected__echo", moored.clone()).await), "moored", "{round}");
        }
    }
    for app in apps {
        app.close().await;
    }
    served.close().await;
}
