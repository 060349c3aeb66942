//! Reads the body of a request, within a time limit and within the app's room for incomplete messages.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use tokio::time::timeout;

use crate::{LONG_MESSAGE, MESSAGE_TIMEOUT, SMALL_MESSAGE, Share};

/// Longest pause in a body.
const STALL_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a body was not read to its end.
#[derive(Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It is longer than a message may be.
    TooLong,
    /// It was not complete in time.
    Late,
    /// The connection was lost.
    Lost,
}

/// Reads a body of at most `most` bytes. `length` is its length in bytes, if the request's headers declare
/// it.
pub async fn read_body<E>(
    share: &Share,
    (length, most): (Option<usize>, usize),
    body: impl Stream<Item = Result<Bytes, E>> + Unpin,
) -> Result<Bytes, BodyError> {
    read_body_within(share, (length, most), body, (STALL_TIMEOUT, MESSAGE_TIMEOUT)).await
}

async fn read_body_within<E>(
    share: &Share,
    length: (Option<usize>, usize),
    body: impl Stream<Item = Result<Bytes, E>> + Unpin,
    (stall, whole): (Duration, Duration),
) -> Result<Bytes, BodyError> {
    timeout(whole, read_body_to_end(share, length, body, stall)).await.unwrap_or(Err(BodyError::Late))
}

async fn read_body_to_end<E>(
    share: &Share,
    (length, most): (Option<usize>, usize),
    mut chunks: impl Stream<Item = Result<Bytes, E>> + Unpin,
    stall: Duration,
) -> Result<Bytes, BodyError> {
    // Without a declared length, the body may have the most bytes.
    let expected = length.unwrap_or(most);
    let is_kept = expected <= most;
    let _room = if is_kept && expected > SMALL_MESSAGE {
        Some(share.room_for(expected.min(LONG_MESSAGE)).await.ok_or(BodyError::Lost)?)
    } else {
        None
    };
    let mut longer = None;
    let (mut bytes, mut size) = (Vec::new(), 0);
    loop {
        share.until_paid().await;
        let Some(chunk) = timeout(stall, chunks.next()).await.map_err(|_| BodyError::Late)? else {
            return Ok(bytes.into());
        };
        let chunk = chunk.map_err(|_| BodyError::Lost)?;
        share.charge(0, chunk.len());
        size += chunk.len();
        if size > most {
            return Err(BodyError::TooLong);
        }
        if is_kept && longer.is_none() && size > LONG_MESSAGE {
            longer = Some(share.room_for_longer().await.ok_or(BodyError::Lost)?);
        }
        if is_kept {
            bytes.extend_from_slice(&chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;

    use futures_util::stream;

    use super::*;
    use crate::{Owner, Shares};

    const MOST: usize = 4 << 20;
    const SOON: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(200));

    fn share() -> Arc<Share> {
        Shares::default().of(&Owner { app: "a".into(), is_proven: true })
    }

    /// A body of this many bytes that ends.
    fn whole(bytes: usize) -> impl Stream<Item = Result<Bytes, Infallible>> + Unpin {
        stream::iter([Ok(vec![b'x'; bytes].into())])
    }

    /// A body of this many bytes that then pauses forever.
    fn half(bytes: usize) -> impl Stream<Item = Result<Bytes, Infallible>> + Unpin {
        whole(bytes).chain(stream::pending())
    }

    #[tokio::test]
    async fn a_body_that_stands_still_is_given_up() {
        let share = share();
        let long = 3 << 20;
        for (length, sent) in [(Some(500), 10), (Some(long), 10), (Some(long), long - 1), (None, 10)] {
            let read = read_body_within(&share, (length, MOST), half(sent), SOON).await;
            assert_eq!(read, Err(BodyError::Late), "{length:?} {sent}");
        }
        // A slow body without long pauses also ends.
        let slow = stream::unfold((), async |()| {
            tokio::time::sleep(Duration::from_millis(10)).await;
            Some((Ok::<_, Infallible>("x".into()), ()))
        });
        let read = read_body_within(&share, (Some(50_000), MOST), Box::pin(slow), SOON).await;
        assert_eq!(read, Err(BodyError::Late));
    }

    #[tokio::test]
    async fn half_bodies_hold_no_more_than_their_app_may() {
        let share = share();
        let mut reading = tokio::task::JoinSet::new();
        for _ in 0..250 {
            let share = Arc::clone(&share);
            reading.spawn(async move { read_body(&share, (Some(MOST), MOST), half(1_000)).await });
        }
        let has_room = || tokio::time::timeout(Duration::from_millis(100), share.room_for(4 << 20));
        while has_room().await.is_ok() {}
        // A short body doesn't wait for the others, and their room is free afterwards.
        assert_eq!(read_body(&share, (Some(2), MOST), whole(2)).await, Ok("xx".into()));
        reading.shutdown().await;
        assert!(has_room().await.is_ok());
    }

    #[tokio::test]
    async fn a_body_is_as_long_as_a_message_may_be() {
        let share = share();
        for (length, sent, is_read) in [
            (Some(MOST), MOST, true),
            (None, MOST, true),
            (None, MOST + 1, false),
            (Some(MOST + 1), MOST + 1, false),
            (Some(0), 0, true),
        ] {
            let read = read_body(&share, (length, MOST), whole(sent)).await;
            let expected = if is_read { Ok(sent) } else { Err(BodyError::TooLong) };
            assert_eq!(read.map(|bytes| bytes.len()), expected, "{length:?}");
        }
    }
}
