//! Remembered answers about folders and models. A decision names what remembers it while that exists, and the
//! person can revoke it.

use mooring_inbox::{InteractionAnswer, InteractionKind, Remember, RememberedBy};
use mooring_models::{Budget, ReviewStep};
use mooring_roots::RootBreadth;
use mooring_server_state::StateName;
use mooring_testkit::eventually;
use mooring_testkit::http::Gate;
use mooring_testkit::models::{FakeProvider, ProviderReply};

use crate::roots::{asked, decide};
use crate::sampling::question;
use crate::sampling_gates::{SamplingWindow, paris, priced, refused};
use crate::support::{LIMIT, open, scripted, until_state, window};

// Requirements: ROOT-02, SEC-02.
#[tokio::test]
async fn remembered_folder_answer_is_removed_through_its_decision() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = window(home.path()).await;
    let server = host.add_server(scripted("server", &["ok"])).await.unwrap().id;
    until_state(&host, server, StateName::Ready).await;
    host.folders().grant(None, &place.path().display().to_string(), None, RootBreadth::Narrow).await.unwrap();
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
        let Some(RememberedBy::Folders { answer, .. }) = last.remembered else { panic!("{remember:?}") };
        assert_eq!(host.folders().of_server(server).await.unwrap().shared, Some(is_yes));
        expected.insert(0, true);
        assert_eq!(remembered().await, expected, "earlier ones are over");
        host.folders().forget_answer(server, answer).await.unwrap();
        expected[0] = false;
        assert_eq!(remembered().await, expected);
        assert_eq!(host.folders().of_server(server).await.unwrap().shared, None, "it is asked about again");
    }
    // A separate decision of the person replaces the remembered one, even if it says the same.
    let yes = InteractionAnswer::Accept { content: None, remember: Remember::Always };
    tokio::join!(asked(&host, server), decide(&host, yes));
    assert!(remembered().await[0]);
    host.folders().share(server, true).await.unwrap();
    assert!(!remembered().await.contains(&true));
    host.shutdown().await;
}

// Requirements: ROOT-02, ROOT-04, SEC-02.
#[tokio::test]
async fn remembered_folder_answer_is_removed_without_the_others() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = window(home.path()).await;
    let server = host.add_server(scripted("server", &["ok"])).await.unwrap().id;
    until_state(&host, server, StateName::Ready).await;
    let yes = |remember| InteractionAnswer::Accept { content: None, remember };
    let no = |remember| InteractionAnswer::Decline { remember };
    let answers = async || {
        let decisions = host.decisions(9).await.unwrap();
        let answer = |remembered| match remembered {
            RememberedBy::Folders { answer, .. } => answer,
            other => panic!("{other:?}"),
        };
        decisions.into_iter().map(|decision| decision.remembered.map(answer)).collect::<Vec<_>>()
    };
    for (number, answer) in
        [yes(Remember::Session), yes(Remember::Hour), no(Remember::Hour)].into_iter().enumerate()
    {
        let folder = place.path().join(number.to_string());
        std::fs::create_dir(&folder).unwrap();
        host.folders().grant(None, &folder.display().to_string(), None, RootBreadth::Narrow).await.unwrap();
        let (told, ()) = tokio::join!(asked(&host, server), decide(&host, answer));
        assert_eq!(told.len(), 2.min(number + 1));
    }
    let now = answers().await;
    let [Some(third), Some(second), Some(first)] = now[..] else { panic!("{now:?}") };
    // Forget the no and then the second yes. The first yes remains.
    host.folders().forget_answer(server, third).await.unwrap();
    assert_eq!(answers().await, [None, Some(second), Some(first)]);
    host.folders().forget_answer(server, second).await.unwrap();
    host.folders().forget_answer(server, second).await.unwrap();
    assert_eq!(answers().await, [None, None, Some(first)]);
    let third = host.folders().list().await.unwrap().into_iter().next_back().unwrap();
    host.folders().remove(third.id).await.unwrap();
    let (told, ()) = tokio::join!(asked(&host, server), decide(&host, no(Remember::Once)));
    assert_eq!(told.len(), 1, "the second is asked about again");
    // A permanent decision of another process replaces a temporary one of this process.
    let command = open(home.path(), false).await;
    command.folders().share(server, false).await.unwrap();
    let withheld = async { while !asked(&host, server).await.is_empty() {} };
    tokio::time::timeout(LIMIT, withheld).await.unwrap();
    assert_eq!(answers().await, [None; 4]);
    command.shutdown().await;
    host.shutdown().await;
}

// Requirements: SAMP-02, SAMP-03, SEC-02.
#[tokio::test]
async fn remembered_model_answer_is_removed_through_its_decision() {
    let home = tempfile::tempdir().unwrap();
    let provider = FakeProvider::new(&[paris()]).await;
    let window = SamplingWindow::new(home.path(), Some(Budget::default())).await;
    window.host.save_provider(None, priced(&provider.url)).await.unwrap();
    let named = async || {
        let decisions = window.host.decisions(2).await.unwrap();
        let number = |kind| {
            let decision = decisions.iter().find(|decision| decision.kind == kind);
            match decision.and_then(|decision| decision.remembered) {
                Some(RememberedBy::Model { id: number }) => Some(number),
                Some(other) => panic!("{other:?}"),
                None => None,
            }
        };
        (number(InteractionKind::Sampling), number(InteractionKind::SamplingAnswer))
    };
    let mut numbers = Vec::new();
    for (first, second) in [(Remember::Always, Remember::Session), (Remember::Session, Remember::Hour)] {
        window.agrees(first, second).await;
        let (Some(request), Some(reply)) = named().await else { panic!("{:?}", named().await) };
        assert!(window.asks(question()).await["result"].is_object(), "nobody is asked");
        window.host.forget_sampling(request).await.unwrap();
        assert_eq!(named().await, (None, Some(reply)));
        window.host.forget_sampling(reply).await.unwrap();
        assert_eq!(named().await, (None, None));
        numbers.extend([request, reply]);
    }
    // Numbers are never reused, so an old decision can't revoke another answer.
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

// Requirements: SAMP-03, SEC-02.
#[tokio::test]
async fn pending_answer_is_reviewed_when_review_is_turned_on_again() {
    let home = tempfile::tempdir().unwrap();
    let gate = Gate::new();
    let provider = FakeProvider::new(&[paris(), ProviderReply::After(gate.clone(), Box::new(paris()))]).await;
    let window = SamplingWindow::new(home.path(), Some(Budget::default())).await;
    window.host.save_provider(None, priced(&provider.url)).await.unwrap();
    window.agrees(Remember::Always, Remember::Always).await;
    let forgetting = async {
        eventually("the provider is asked", LIMIT, || provider.requests().len() == 2).await;
        let standing = window.host.models().await.unwrap().servers[0].approvals.clone();
        let look = standing.iter().find(|answer| answer.look == ReviewStep::Answer).unwrap();
        window.host.forget_sampling(look.id).await.unwrap();
        gate.open();
        let (id, _) = window.spoken().await;
        window.decide(id, InteractionAnswer::Decline { remember: Remember::Once }).await;
    };
    let (answer, ()) = tokio::join!(window.asks(question()), forgetting);
    assert_eq!(refused(&answer), "User rejected sampling request");
    assert_eq!(provider.requests().len(), 2, "the answer that was there is the one that is shown");
    window.host.shutdown().await;
}
