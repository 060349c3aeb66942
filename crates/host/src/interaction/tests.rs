//! Questions whose askers go away at every moment of their being asked.

use std::future::poll_fn;
use std::task::Poll;

use super::view::{InteractionOccasion, InteractionQuestion};
use super::*;

fn asking() -> Asking {
    let asker = Asker {
        server: ServerId(1),
        name: "s".to_owned(),
        transport: Transport::Stdio,
        place: "p".to_owned(),
    };
    let said = mooring_words::say!("The server asks of its own accord.");
    let occasion = InteractionOccasion { method: None, subject: None, caller: None, is_guess: false, said };
    Asking::new(asker, occasion, InteractionQuestion::Roots { folders: Vec::new() }).uncounted()
}

// Requirements: ELIC-10, SEC-26.
#[tokio::test]
async fn a_question_whose_asker_goes_while_it_is_written_down_does_not_wait() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).await.unwrap();
    let (events, _) = broadcast::channel(16);
    let interactions = Arc::new(Interactions::new(&store, events, crate::system_browser));
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
                    // Also where nothing has happened yet.
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
    // Behind all that may still be written.
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
