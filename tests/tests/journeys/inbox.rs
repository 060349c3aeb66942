//! What servers ask the person, in the window's Host: the demo server in both eras.

use std::path::Path;
use std::time::Duration;

use mooring_host::{
    EraOverride, Host, HostOptions, InteractionAnswer, InteractionQuestion, InteractionView, NewServer,
    Remember, ServerId, StateName,
};
use serde_json::{Value, json};

use crate::command_line::demo;
use crate::window::{reaches, stdio, text};

async fn open(home: &Path) -> Host {
    let options = HostOptions {
        home: home.to_owned(),
        supervise: true,
        journal: true,
        demo_server: Some(demo().into()),
        client_name: "journeys",
        client_version: "0",
        vault: mooring_host::VaultOptions::default,
        browser: mooring_host::system_browser,
    };
    Host::open(options).await.unwrap()
}

async fn add(host: &Host, name: &str, era: EraOverride) -> ServerId {
    let server = NewServer { era, ..stdio(name, &demo(), &[]) };
    let id = host.add_server(server).await.unwrap().id;
    reaches(host, id, StateName::Ready).await;
    id
}

/// The next question of the server, once it can be answered.
async fn next(host: &Host, server: ServerId) -> InteractionView {
    let mut events = host.events();
    let wait = async {
        loop {
            let waiting = host.inbox().waiting;
            if let Some(question) = waiting.into_iter().find(|one| one.server == server && one.position == 0)
            {
                return question;
            }
            // A receiver that lags looks again, which is all it is for.
            let _ = events.recv().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait).await.unwrap()
}

async fn decide(host: &Host, question: &InteractionView, answer: InteractionAnswer) {
    let opening = host.open_interaction(question.id).unwrap();
    if matches!(answer, InteractionAnswer::Accept { .. }) {
        tokio::time::sleep(opening.armed_in).await;
    }
    host.answer_interaction(question.id, &opening.nonce, answer).await.unwrap();
}

fn accept(content: Option<&Value>) -> InteractionAnswer {
    InteractionAnswer::Accept { content: content.map(Value::to_string), remember: Remember::Once }
}

// Requirements: ELIC-19.
#[tokio::test(flavor = "multi_thread")]
async fn of_a_flood_of_forms_four_wait_and_the_rest_is_cancelled_in_both_eras() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    for (name, era) in [("modern", EraOverride::Modern), ("session", EraOverride::Session)] {
        let server = add(&host, name, era).await;
        let person = async {
            for left in (0..4).rev() {
                let question = next(&host, server).await;
                assert!(matches!(question.question, InteractionQuestion::Form { .. }));
                let waiting = host.inbox().waiting.len();
                assert!(waiting <= left + 1, "{waiting} wait");
                decide(&host, &question, accept(Some(&json!({ "yes": true })))).await;
            }
        };
        let (said, ()) = tokio::join!(text(&host, server, "ask_at_once", r#"{"forms":200}"#), person);
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["accept"], 4, "{name}: {said}");
        assert_eq!(said["cancel"], 196, "{name}: {said}");
    }
    host.shutdown().await;
}
