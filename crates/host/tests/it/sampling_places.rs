//! Permissions for a provider only apply to the URL that it had at the time.

use mooring_inbox::{InteractionAnswer, Remember};
use mooring_models::{Budget, NewProvider};
use mooring_testkit::models::FakeProvider;

use crate::sampling::question;
use crate::sampling_gates::{SamplingWindow, paris, priced, refused};

// Requirements: SAMP-02, SAMP-03.
#[tokio::test]
async fn skipped_review_is_asked_again_when_the_provider_moved() {
    let home = tempfile::tempdir().unwrap();
    let (here, there) = (FakeProvider::new(&[paris()]).await, FakeProvider::new(&[paris()]).await);
    let window = SamplingWindow::new(home.path(), Some(Budget::default())).await;
    let saved = window.host.save_provider(None, priced(&here.url)).await.unwrap();
    window.agrees(Remember::Always, Remember::Session).await;
    assert!(window.asks(question()).await["result"].is_object());
    // Another path of the same origin makes no difference.
    let path = NewProvider { base_url: format!("{}/v1", here.url), ..priced(&here.url) };
    window.host.save_provider(Some(saved.id), path).await.unwrap();
    assert_eq!(window.host.models().await.unwrap().servers[0].approvals.len(), 2);
    for elsewhere in [&there.url, &here.url] {
        window.host.save_provider(Some(saved.id), priced(elsewhere)).await.unwrap();
        assert!(window.host.models().await.unwrap().servers[0].approvals.is_empty());
        let deciding = async {
            let (id, _) = window.review().await;
            window.decide(id, InteractionAnswer::Decline { remember: Remember::Once }).await;
        };
        let (answer, ()) = tokio::join!(window.asks(question()), deciding);
        assert_eq!(refused(&answer), "User rejected sampling request");
    }
    assert_eq!((here.requests().len(), there.requests().len()), (2, 0));
    window.host.shutdown().await;
}

// Requirements: SAMP-02, SAMP-03.
#[tokio::test]
async fn approval_of_a_provider_that_moved_meanwhile_sends_nothing() {
    let home = tempfile::tempdir().unwrap();
    let (here, there) = (FakeProvider::new(&[paris()]).await, FakeProvider::new(&[paris()]).await);
    let window = SamplingWindow::new(home.path(), Some(Budget::default())).await;
    let saved = window.host.save_provider(None, priced(&here.url)).await.unwrap();
    let deciding = async |remember| {
        let (id, _) = window.review().await;
        window.host.save_provider(Some(saved.id), priced(&there.url)).await.unwrap();
        window.accept(id, None, remember).await;
        let (id, answer) = window.spoken().await;
        let why = "the provider’s URL changed meanwhile, so it wasn’t asked: openai";
        assert_eq!(answer.problem.unwrap().to_string(), why);
        window.decide(id, InteractionAnswer::Decline { remember }).await;
    };
    for remember in [Remember::Always, Remember::Session] {
        window.host.save_provider(Some(saved.id), priced(&here.url)).await.unwrap();
        let (answer, ()) = tokio::join!(window.asks(question()), deciding(remember));
        assert_eq!(refused(&answer), "User rejected sampling request");
        assert!(window.host.models().await.unwrap().servers[0].approvals.is_empty());
    }
    assert!(here.requests().is_empty() && there.requests().is_empty());
    window.host.shutdown().await;
}
