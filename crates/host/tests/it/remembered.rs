//! Answers about folders and models that are remembered: the decision names what remembers it as long as that is there,
//! and it can be taken back.

use mooring_host::{Breadth, Budget, InteractionAnswer, InteractionKind, Remember, RememberedBy, StateName};
use mooring_testkit::models::FakeProvider;

use crate::roots::{asked, decide};
use crate::sampling::question;
use crate::sampling_gates::{Window, paris, priced, refused};
use crate::support::{scripted, until_state, window};

// Requirements: ROOT-02, SEC-02.
#[tokio::test]
async fn an_answer_about_folders_is_named_by_the_last_decision_and_taken_back_with_it() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = window(home.path()).await;
    let server = host.add_server(scripted("server", &["ok"])).await.unwrap().id;
    until_state(&host, server, StateName::Ready).await;
    host.grant_root(None, &place.path().display().to_string(), None, Breadth::Narrow).await.unwrap();
    let remembered = async || {
        let decisions = host.decisions(9).await.unwrap();
        decisions.into_iter().map(|decision| decision.remembered.is_some()).collect::<Vec<_>>()
    };
    let mut expected = Vec::new();
    // A server may ask six times a minute.
    for (remember, is_yes) in [
        (Remember::Session, false),
        (Remember::Session, true),
        (Remember::Hour, true),
        (Remember::Always, false),
        (Remember::Always, true),
    ] {
        let answer = if is_yes {
            InteractionAnswer::Accept { content: None, remember }
        } else {
            InteractionAnswer::Decline { remember }
        };
        let (told, ()) = tokio::join!(asked(&host, server), decide(&host, answer));
        assert_eq!(told.len(), usize::from(is_yes), "{remember:?}");
        assert_eq!(asked(&host, server).await.len(), usize::from(is_yes), "{remember:?}: nobody is asked");
        let last = host.decisions(1).await.unwrap().remove(0);
        assert_eq!(last.remembered, Some(RememberedBy::Folders(server)), "{remember:?}");
        assert_eq!(host.server_roots(server).await.unwrap().shared, Some(is_yes));
        expected.insert(0, true);
        assert_eq!(remembered().await, expected, "earlier ones are over");
        host.share_roots(server, None).await.unwrap();
        expected[0] = false;
        assert_eq!(remembered().await, expected);
        assert_eq!(host.server_roots(server).await.unwrap().shared, None, "it is asked about again");
    }
    // What the person decides elsewhere is not what the decision was.
    let no = InteractionAnswer::Decline { remember: Remember::Always };
    tokio::join!(asked(&host, server), decide(&host, no));
    host.share_roots(server, Some(true)).await.unwrap();
    assert_eq!(host.decisions(1).await.unwrap()[0].remembered, None);
    host.shutdown().await;
}

// Requirements: SAMP-02, SAMP-03, SEC-02.
#[tokio::test]
async fn an_answer_about_a_model_is_named_by_its_decision_and_taken_back_with_it() {
    let home = tempfile::tempdir().unwrap();
    let provider = FakeProvider::new(&[paris()]).await;
    let window = Window::new(home.path(), Some(Budget::default())).await;
    window.host.save_provider(None, priced(&provider.url)).await.unwrap();
    let named = async || {
        let decisions = window.host.decisions(2).await.unwrap();
        let number = |kind| {
            let decision = decisions.iter().find(|decision| decision.kind == kind);
            match decision.and_then(|decision| decision.remembered) {
                Some(RememberedBy::Model(number)) => Some(number),
                Some(other) => panic!("{other:?}"),
                None => None,
            }
        };
        (number(InteractionKind::Sampling), number(InteractionKind::SamplingAnswer))
    };
    let mut numbers = Vec::new();
    for (first, second) in [(Remember::Always, Remember::Session), (Remember::Session, Remember::Hour)] {
        let deciding = async {
            let (id, _) = window.review().await;
            window.accept(id, None, first).await;
            let (id, _) = window.spoken().await;
            window.accept(id, None, second).await;
        };
        let (answer, ()) = tokio::join!(window.asks(question()), deciding);
        assert!(answer["result"].is_object(), "{answer}");
        let (Some(request), Some(reply)) = named().await else { panic!("{:?}", named().await) };
        assert!(window.asks(question()).await["result"].is_object(), "nobody is asked");
        window.host.forget_sampling(request).await.unwrap();
        assert_eq!(named().await, (None, Some(reply)));
        window.host.forget_sampling(reply).await.unwrap();
        assert_eq!(named().await, (None, None));
        numbers.extend([request, reply]);
    }
    // A number is never that of another answer: an old decision cannot take that back.
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 4);
    let deciding = async {
        let (id, _) = window.review().await;
        window.decide(id, InteractionAnswer::Decline { remember: Remember::Once }).await;
    };
    let (answer, ()) = tokio::join!(window.asks(question()), deciding);
    assert_eq!(refused(&answer), "User rejected sampling request");
    window.host.shutdown().await;
}
