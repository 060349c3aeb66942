//! The body of a request: read within a time, and within what its app may have of those that have not come whole.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use futures_util::StreamExt as _;
use mooring_bridge::MAX_MESSAGE;
use mooring_shares::{MESSAGE_TIMEOUT, SMALL_MESSAGE, Share};
use tokio::time::timeout;

/// How long a body may stand still.
const STALL_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a body was not read to its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    /// It is longer than a message may be.
    TooLong,
    /// It did not come whole in time.
    Late,
    /// The connection was lost.
    Lost,
}

/// How long a body is to be, as far as its head says so.
pub(super) fn length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok())
}

/// Reads a body.
pub(super) async fn read(share: &Share, length: Option<usize>, body: Body) -> Result<Bytes, BodyError> {
    read_within(share, length, body, (STALL_TIMEOUT, MESSAGE_TIMEOUT)).await
}

async fn read_within(
    share: &Share,
    length: Option<usize>,
    body: Body,
    (stall, whole): (Duration, Duration),
) -> Result<Bytes, BodyError> {
    timeout(whole, read_to_end(share, length, body, stall)).await.unwrap_or(Err(BodyError::Late))
}

async fn read_to_end(
    share: &Share,
    length: Option<usize>,
    body: Body,
    stall: Duration,
) -> Result<Bytes, BodyError> {
    // One whose length is not said may have any.
    let expected = length.unwrap_or(MAX_MESSAGE);
    let is_kept = expected <= MAX_MESSAGE;
    let _room = if is_kept && expected > SMALL_MESSAGE {
        Some(share.room_for(expected).await.ok_or(BodyError::Lost)?)
    } else {
        None
    };
    let (mut bytes, mut size) = (Vec::new(), 0);
    let mut chunks = body.into_data_stream();
    loop {
        share.until_paid().await;
        let Some(chunk) = timeout(stall, chunks.next()).await.map_err(|_| BodyError::Late)? else {
            return Ok(bytes.into());
        };
        let chunk = chunk.map_err(|_| BodyError::Lost)?;
        share.charge(0, chunk.len());
        size += chunk.len();
        if size > MAX_MESSAGE {
            return Err(BodyError::TooLong);
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
    use mooring_shares::{Owner, Shares};

    use super::*;

    const SOON: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(200));

    fn share() -> Arc<Share> {
        Shares::default().of(&Owner { app: "a".into(), is_proven: true })
    }

    /// A body that says nothing more after these bytes.
    fn half(bytes: usize) -> Body {
        let begun = stream::iter([Ok::<_, Infallible>(vec![b'x'; bytes])]);
        Body::from_stream(begun.chain(stream::pending()))
    }

    #[tokio::test]
    async fn a_body_that_stands_still_is_given_up() {
        let share = share();
        let long = 3 << 20;
        for (length, sent) in [(Some(500), 10), (Some(long), 10), (Some(long), long - 1), (None, 10)] {
            let read = read_within(&share, length, half(sent), SOON).await;
            assert_eq!(read, Err(BodyError::Late), "{length:?} {sent}");
        }
        // One that says a little all the time does not go on for ever.
        let slow = stream::unfold((), async |()| {
            tokio::time::sleep(Duration::from_millis(10)).await;
            Some((Ok::<_, Infallible>("x"), ()))
        });
        let read = read_within(&share, Some(50_000), Body::from_stream(Box::pin(slow)), SOON).await;
        assert_eq!(read, Err(BodyError::Late));
    }

    #[tokio::test]
    async fn half_bodies_hold_no_more_than_their_app_may() {
        let share = share();
        let mut reading = tokio::task::JoinSet::new();
        for _ in 0..250 {
            let share = Arc::clone(&share);
            reading.spawn(async move { read(&share, Some(4 << 20), half(1_000)).await });
        }
        let has_room = || tokio::time::timeout(Duration::from_millis(100), share.room_for(4 << 20));
        while has_room().await.is_ok() {}
        // A short one waits for none of them, and what they held is free after them.
        assert_eq!(read(&share, Some(2), Body::from("{}")).await, Ok("{}".into()));
        reading.shutdown().await;
        assert!(has_room().await.is_ok());
    }

    #[tokio::test]
    async fn a_body_is_as_long_as_a_message_may_be() {
        let share = share();
        for (length, sent, is_read) in [
            (Some(MAX_MESSAGE), MAX_MESSAGE, true),
            (None, MAX_MESSAGE, true),
            (None, MAX_MESSAGE + 1, false),
            (Some(MAX_MESSAGE + 1), MAX_MESSAGE + 1, false),
            (Some(0), 0, true),
        ] {
            let read = read(&share, length, Body::from(vec![b'x'; sent])).await;
            let expected = if is_read { Ok(sent) } else { Err(BodyError::TooLong) };
            assert_eq!(read.map(|bytes| bytes.len()), expected, "{length:?}");
        }
    }
}
