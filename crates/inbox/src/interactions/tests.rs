//! Questions whose askers go away at any point in time.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use mooring_definitions::Transport;
use mooring_policy::ToolClaims;
use mooring_store::DecisionQuery;
use mooring_words::say;
use tokio::time::timeout;

use super::*;
use crate::address::inspect_url;
use crate::error::AnswerError;
use crate::question::{InteractionFolder, InteractionQuestion};
use crate::request::RequestingServer;
use crate::view::{InteractionAnswer, InteractionOccasion, PutOff};

/// The tests in this module never open a URL.
fn no_browser() -> Arc<dyn Browser> {
    unreachable!("no address is opened")
}

fn asking() -> InteractionRequest {
    let asker = RequestingServer {
        server: ServerId(1),
        name: "s".to_owned(),
        transport: Transport::Stdio,
        place: "p".to_owned(),
    };
    let said = say!("Sent without a call in progress.");
    let occasion = InteractionOccasion {
        method: None,
        subject: None,
        caller: None,
        requests: Vec::new(),
        is_guess: false,
        said,
    };
    InteractionRequest::new(asker, occasion, InteractionQuestion::Roots { folders: Vec::new() })
        .without_limits()
}

// Requirements: ELIC-10, SEC-26.
#[tokio::test]
async fn question_whose_asker_leaves_while_it_is_saved_is_not_queued() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).await.unwrap();
    let interactions = Arc::new(Interactions::new(&store, Arc::new(|_| {}), no_browser, Clock::system()));
    let (mut most, mut was_asked) = (0, 0);
    for round in 0..200 {
        let most_polls = round * round;
        let begun = {
            let mut begin = Box::pin(interactions.begin(asking()));
            let mut polls = 0;
            let poll = poll_fn(|context| match begin.as_mut().poll(context) {
                Poll::Ready(begun) => Poll::Ready(Some(begun)),
                Poll::Pending if polls >= most_polls => Poll::Ready(None),
                Poll::Pending => {
                    polls += 1;
                    most = most.max(polls);
                    // Also yields where nothing has happened yet.
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
            });
            poll.await
        };
        was_asked += usize::from(begun.is_some());
        drop(begun);
        assert!(interactions.queue().entries.is_empty());
    }
    interactions.records.flush().await;
    // After everything that may still be written.
    let last = interactions.begin(asking()).await;
    let count = async |outcome| interactions.records.store().count(outcome).await.unwrap();
    assert_eq!(count(InteractionOutcome::Waiting).await, 1, "only the last");
    drop(last);
    interactions.records.flush().await;
    let withdrawn = usize::try_from(count(InteractionOutcome::Withdrawn).await).unwrap();
    assert_eq!(count(InteractionOutcome::Waiting).await, 0);
    println!("{was_asked} of 200 were asked before their asker went; {withdrawn} rows, all withdrawn");
    assert!(was_asked < 200 && withdrawn > was_asked, "some went while they were written down");
}

/// Answers a question with no. Returns the number of what remembers it, or `None` if no one waits for the
/// answer. Panics if the reply takes too long.
async fn reply_to(
    interactions: &Arc<Interactions>,
    remember: Remember,
    asker: impl AsyncFnOnce(Interaction),
) -> Option<Option<i64>> {
    let interaction = interactions.begin(asking()).await;
    let id = interaction.id.unwrap();
    let nonce = interactions.open(id).unwrap().nonce;
    let answer = interactions.answer(id, &nonce, InteractionAnswer::Decline { remember });
    let reply = async { tokio::join!(answer, asker(interaction)).0 };
    match timeout(Duration::from_secs(10), reply).await.unwrap() {
        Ok((_, remembered)) => Some(remembered),
        Err(InboxError::Answer(AnswerError::NotWaiting)) => None,
        Err(error) => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn the_reply_to_an_answer_names_what_remembers_it() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).await.unwrap();
    let interactions = Arc::new(Interactions::new(&store, Arc::new(|_| {}), no_browser, Clock::system()));
    let remembers = async |mut interaction: Interaction| {
        interaction.decision().await;
        interaction.set_remembered_by(7).await;
    };
    assert_eq!(reply_to(&interactions, Remember::Always, remembers).await, Some(Some(7)));
    let last = DecisionQuery { limit: 1, ..DecisionQuery::default() };
    let (decision, number) = interactions.decisions(&last).await.unwrap().remove(0);
    assert_eq!((decision.outcome, number), (InteractionOutcome::Declined, Some(7)));
    // The asker ends without remembering the answer.
    let fails = async |mut interaction: Interaction| drop(interaction.decision().await);
    assert_eq!(reply_to(&interactions, Remember::Session, fails).await, Some(None));
    // An answer that only counts once is not waited for, even if the asker stays.
    let mut held = None;
    let goes_on = async |mut interaction: Interaction| {
        interaction.decision().await;
        held = Some(interaction);
    };
    assert_eq!(reply_to(&interactions, Remember::Once, goes_on).await, Some(None));
    drop(held);
    // The asker leaves before or after the answer is on disk.
    let goes = async |interaction: Interaction| drop(interaction);
    let reply = reply_to(&interactions, Remember::Always, goes).await;
    assert!(matches!(reply, Some(None) | None), "{reply:?}");
    // The run ends while the answer is being remembered, which also ends the asker.
    let ends = async |mut interaction: Interaction| {
        interaction.decision().await;
        interactions.close().await;
    };
    assert_eq!(reply_to(&interactions, Remember::Always, ends).await, Some(None));
}

fn address(awaits_done: bool) -> InteractionRequest {
    let address = inspect_url("https://example.com/");
    let question = InteractionQuestion::Url { message: String::new(), address, opened: true, problem: None };
    InteractionRequest {
        question,
        elicitation_id: Some("e".to_owned()),
        awaits_completion: awaits_done,
        ..asking()
    }
}

// Requirements: ELIC-27, ELIC-28, SEC-26.
#[tokio::test]
async fn completion_notice_is_no_approval_without_browser_and_person() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).await.unwrap();
    let interactions = Arc::new(Interactions::new(&store, Arc::new(|_| {}), no_browser, Clock::system()));
    let open = || {
        for entry in interactions.queue().entries.values_mut() {
            entry.phase = Phase::Opened;
        }
    };
    let shown = || interactions.queue().entries.len();
    let is_yes = |answer: Result<InteractionDecision, oneshot::error::TryRecvError>| match answer {
        Ok(decided) => Some(matches!(decided, InteractionDecision::Accepted { .. })),
        Err(_) => None,
    };
    let mut told = interactions.begin(address(false)).await;
    let mut failing = interactions.begin(address(false)).await;
    let mut goes_on = interactions.begin(address(true)).await;
    // The person has not accepted.
    interactions.complete_elicitation(ServerId(1), "e");
    assert_eq!((shown(), is_yes(goes_on.answer.try_recv())), (3, None));
    open();
    interactions.complete_elicitation(ServerId(2), "e");
    interactions.complete_elicitation(ServerId(1), "f");
    assert_eq!((shown(), is_yes(goes_on.answer.try_recv())), (3, None));
    // Once accepted, completion continues the call that waits for it, and answers no other question.
    interactions.complete_elicitation(ServerId(1), "e");
    assert_eq!(is_yes(goes_on.answer.try_recv()), Some(true));
    assert_eq!((is_yes(told.answer.try_recv()), is_yes(failing.answer.try_recv())), (None, None));
    assert_eq!(shown(), 2);
    // The browser's result answers the others, which are then no longer shown.
    interactions.record_opened(
        failing.key,
        0,
        Err(say!("the browser couldn’t be started: {reason}", reason = "x")),
    );
    interactions.record_opened(told.key, 0, Ok(()));
    assert_eq!((is_yes(told.answer.try_recv()), is_yes(failing.answer.try_recv())), (Some(true), None));
    assert_eq!(shown(), 1);
    drop(failing);
    assert_eq!(shown(), 0);
    // An answered question stays shown until the server reports completion.
    let mut lingers = interactions.begin(address(false)).await;
    open();
    interactions.record_opened(lingers.key, 0, Ok(()));
    assert_eq!(is_yes(lingers.answer.try_recv()), Some(true));
    drop(lingers);
    assert_eq!(shown(), 1);
    interactions.complete_elicitation(ServerId(1), "e");
    assert_eq!(shown(), 0);
}

fn folder(path: &str) -> InteractionFolder {
    InteractionFolder { path: path.to_owned(), name: None, problem: None }
}

/// A question of this server with other content than those of other servers.
fn of_server(server: i64, question: InteractionQuestion) -> InteractionRequest {
    let request = asking();
    let asker = RequestingServer { server: ServerId(server), ..request.asker };
    InteractionRequest { asker, question, ..request }
}

fn call(arguments: &str, destructive: bool, reviewed: bool) -> InteractionQuestion {
    InteractionQuestion::Tool {
        tool: "t".to_owned(),
        title: None,
        description: None,
        cut: false,
        arguments: arguments.to_owned(),
        hints: ToolClaims { destructive: Some(destructive), ..ToolClaims::default() },
        reason: say!("one of your rules says so"),
        rule: None,
        reviewed,
        definition: Some("d".to_owned()),
        keyless: false,
        scopes: mooring_policy::ToolScopes::default(),
    }
}

async fn asked(interactions: &Arc<Interactions>, requests: Vec<InteractionRequest>) -> Vec<Interaction> {
    let mut asked = Vec::new();
    for request in requests {
        asked.push(interactions.begin(request).await);
    }
    asked
}

/// For each question, the indexes of the questions that are answered together with it.
fn groups(interactions: &Arc<Interactions>, asked: &[Interaction]) -> Vec<Vec<usize>> {
    let number = |id: &i64| asked.iter().position(|one| one.id == Some(*id)).unwrap();
    let view = interactions.view();
    view.waiting.iter().map(|shown| shown.together.iter().map(number).collect()).collect()
}

#[tokio::test]
async fn only_equal_and_harmless_questions_are_answered_together() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).await.unwrap();
    let interactions = Arc::new(Interactions::new(&store, Arc::new(|_| {}), no_browser, Clock::system()));
    let roots = |path| InteractionQuestion::Roots { folders: vec![folder(path)] };
    let servers = vec![of_server(1, roots("/a")), of_server(2, roots("/a")), of_server(3, roots("/b"))];
    let shares = asked(&interactions, servers).await;
    assert_eq!(groups(&interactions, &shares), [vec![0, 1], vec![0, 1], vec![]]);
    drop(shares);
    let calls = |questions: [InteractionQuestion; 3]| {
        questions.into_iter().map(|question| of_server(4, question)).collect()
    };
    for (questions, grouped) in [
        ([call("{}", false, true), call("{}", false, true), call("{}", false, true)], vec![0, 1, 2]),
        ([call("{}", false, true), call("{}", false, true), call(r#"{"a":1}"#, false, true)], vec![0, 1]),
        ([call("{}", true, true), call("{}", true, true), call("{}", true, true)], vec![]),
        ([call("{}", false, false), call("{}", false, false), call("{}", false, false)], vec![]),
    ] {
        let asked = asked(&interactions, calls(questions)).await;
        assert_eq!(groups(&interactions, &asked)[0], grouped);
        // Questions that ask the same are opened together, each with its own nonce. The others wait behind
        // them.
        let opened: Vec<_> = asked
            .iter()
            .filter_map(|one| interactions.open(one.id.unwrap()).ok())
            .map(|opening| opening.nonce)
            .collect();
        assert_eq!(opened.len(), grouped.len().max(1));
        assert_eq!(opened.iter().collect::<std::collections::HashSet<_>>().len(), opened.len());
    }
}

#[tokio::test]
async fn a_question_put_off_lets_others_pass_and_returns_by_itself() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).await.unwrap();
    let interactions = Arc::new(Interactions::new(&store, Arc::new(|_| {}), no_browser, Clock::system()));
    let both = asked(&interactions, vec![asking(), asking()]).await;
    let [first, second] = [both[0].id.unwrap(), both[1].id.unwrap()];
    assert!(interactions.open(second).is_err(), "it waits behind the first");
    interactions.put_off(first, None).unwrap();
    let shown = || interactions.view().waiting;
    assert_eq!(shown()[0].put_off, Some(PutOff { until_ms: None }));
    assert_eq!((shown()[0].position, shown()[1].position), (0, 0));
    interactions.open(second).unwrap();
    // The question still waits and can be answered.
    let nonce = interactions.open(first).unwrap().nonce;
    interactions.bring_back(first).unwrap();
    assert_eq!((shown()[0].put_off, shown()[1].position), (None, 1));
    interactions.put_off(first, Some(Duration::from_millis(20))).unwrap();
    assert!(shown()[0].put_off.is_some_and(|put_off| put_off.until_ms.is_some()));
    let back = async {
        while shown()[0].put_off.is_some() {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(10), back).await.unwrap();
    // If it is put off again, the earlier timer does not bring it back.
    interactions.put_off(first, Some(Duration::from_millis(20))).unwrap();
    interactions.put_off(first, None).unwrap();
    let mut returns = std::mem::take(&mut *interactions.returns.lock().unwrap());
    let ended = async { while returns.join_next().await.is_some() {} };
    timeout(Duration::from_secs(10), ended).await.unwrap();
    assert!(shown()[0].put_off.is_some());
    let no = InteractionAnswer::Decline { remember: Remember::Once };
    interactions.answer(first, &nonce, no).await.unwrap();
    assert!(interactions.put_off(first, None).is_err(), "it is answered");
}

/// A question whether an app's call may run at a server.
fn call_of(app: &str, server: i64) -> InteractionRequest {
    let request = of_server(server, call("{}", false, true));
    let occasion = InteractionOccasion { caller: Some(format!("app:{app}")), ..request.occasion };
    InteractionRequest { occasion, counts_against_limits: true, ..request }
}

/// Asks, and answers immediately.
async fn ask_and_answer(
    interactions: &Arc<Interactions>,
    request: InteractionRequest,
    answer: InteractionAnswer,
) -> InteractionDecision {
    let mut asked = interactions.begin(request).await;
    if let Some(id) = asked.id {
        let nonce = interactions.open(id).unwrap().nonce;
        interactions.answer(id, &nonce, answer).await.unwrap();
    }
    asked.decision().await
}

#[tokio::test]
async fn calls_of_an_app_count_against_it_and_not_its_server() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).await.unwrap();
    let interactions = Arc::new(Interactions::new(&store, Arc::new(|_| {}), no_browser, Clock::system()));
    let no = || InteractionAnswer::Decline { remember: Remember::Once };
    let answered = async |app: &str, answer: InteractionAnswer| match ask_and_answer(
        &interactions,
        call_of(app, 1),
        answer,
    )
    .await
    {
        InteractionDecision::Suppressed(limit) => Err(limit.to_string()),
        _ => Ok(()),
    };
    // Answered questions don't count, however many there are.
    for _ in 0..20 {
        assert_eq!(answered("editor", no()).await, Ok(()));
    }
    for _ in 0..3 {
        assert_eq!(answered("other", InteractionAnswer::Cancel).await, Ok(()));
    }
    let limit = "3 of the app’s calls in a row were dismissed";
    assert_eq!(answered("other", no()).await, Err(limit.to_owned()));
    assert_eq!(answered("editor", no()).await, Ok(()));
    // The server itself may still ask, and the silenced app is listed.
    let roots = InteractionQuestion::Roots { folders: vec![folder("/a")] };
    let request = InteractionRequest { counts_against_limits: true, ..of_server(1, roots) };
    let decided = ask_and_answer(&interactions, request, no()).await;
    assert!(matches!(decided, InteractionDecision::Declined { .. }));
    let [silenced] = interactions.view().silenced.try_into().unwrap();
    assert_eq!(
        (silenced.app.as_deref(), &*silenced.name, silenced.server),
        (Some("other"), "other", ServerId(1))
    );
    assert_eq!((silenced.reason.to_string(), silenced.put_aside), (limit.to_owned(), 1));
    interactions.lift_silence(ServerId(1)).await.unwrap();
    assert!(answered("other", no()).await.is_err(), "that was the server's");
    interactions.lift_app_silence("other");
    assert_eq!((answered("other", no()).await, interactions.view().silenced), (Ok(()), vec![]));
}

#[tokio::test]
async fn calls_that_wait_are_bounded_by_app_and_by_names() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).await.unwrap();
    let interactions = Arc::new(Interactions::new(&store, Arc::new(|_| {}), no_browser, Clock::system()));
    let mut held = Vec::new();
    for name in 0..20 {
        for _ in 0..3 {
            held.push(interactions.begin(call_of(&format!("n{name}"), 1)).await);
        }
    }
    assert_eq!(interactions.view().waiting.len(), MAX_OF_APPS);
    // The first question of each app can be answered: none waits behind another app's.
    let first = held.iter().step_by(3).filter_map(|one| one.id).all(|id| interactions.open(id).is_ok());
    assert!(first);
    drop(held);
    // Apps' names that have asked leave nothing behind.
    for name in 0..300 {
        let answer = InteractionAnswer::Decline { remember: Remember::Once };
        ask_and_answer(&interactions, call_of(&format!("m{name}"), 1), answer).await;
    }
    let queue = interactions.queue();
    assert!(queue.limiters.len() < 30 && queue.called.len() < 30, "{}", queue.limiters.len());
}
