//! Decodes compressed responses (RFC 9110 §8.4). Some servers and proxies compress without being asked.

use std::io::{self, Write};
use std::time::Duration;

use bytes::Bytes;
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use futures_util::StreamExt as _;
use futures_util::stream;
use mooring_words::say;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use reqwest::{Body, Response};

use crate::error::RequestError;

/// The bytes of input per step. Output, at most a thousand times as much, is counted before the next step.
const STEP: usize = 4 * 1024;

/// The most input bytes without noticeable output. No other limit counts the work of endless empty blocks.
const EMPTY: usize = 256 * 1024;
/// The most bytes of such input per second. Some empty blocks take a microsecond per byte, and a bit of
/// output between the blocks would prevent the limit above.
const EMPTY_PER_SECOND: usize = 128 * 1024;
/// Input bytes allowed per byte of output. Compression flushed after each short event takes at most three.
const WORTH: usize = 8;

/// An incremental decoder for one body.
enum Decoder {
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Zlib(Box<ZlibDecoder<Vec<u8>>>),
    Deflate(Box<DeflateDecoder<Vec<u8>>>),
    /// `deflate` is zlib (RFC 9110 §8.4.1.2), but some servers send the raw format. The first byte decides.
    Unknown,
}

impl Decoder {
    fn feed(&mut self, packed: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(decoder) => feed_decoder(decoder.as_mut(), packed, MultiGzDecoder::get_mut),
            Self::Zlib(decoder) => feed_decoder(decoder.as_mut(), packed, ZlibDecoder::get_mut),
            Self::Deflate(decoder) => feed_decoder(decoder.as_mut(), packed, DeflateDecoder::get_mut),
            Self::Unknown => {
                let Some(first) = packed.first() else { return Ok(Vec::new()) };
                *self = if first & 0x0f == 8 {
                    Self::Zlib(Box::new(ZlibDecoder::new(Vec::new())))
                } else {
                    Self::Deflate(Box::new(DeflateDecoder::new(Vec::new())))
                };
                self.feed(packed)
            }
        }
    }
}

fn feed_decoder<D: Write>(
    decoder: &mut D,
    packed: &[u8],
    out: impl Fn(&mut D) -> &mut Vec<u8>,
) -> io::Result<Vec<u8>> {
    decoder.write_all(packed)?;
    // Flush the available output, because an event stream may be silent for a long time.
    decoder.flush()?;
    Ok(std::mem::take(out(decoder)))
}

/// Replaces the body of a response by its decoded form. An unsupported coding is an error that names it.
pub(crate) fn decode_response(response: Response) -> Result<Response, RequestError> {
    let codings: Vec<String> = response
        .headers()
        .get_all(CONTENT_ENCODING)
        .iter()
        .flat_map(|value| {
            String::from_utf8_lossy(value.as_bytes())
                .to_ascii_lowercase()
                .split(',')
                .map(|name| name.trim().to_owned())
                .collect::<Vec<_>>()
        })
        .filter(|name| !name.is_empty() && name != "identity")
        .collect();
    let decoder = match codings.as_slice() {
        [] => return Ok(response),
        [one] if one == "gzip" || one == "x-gzip" => Decoder::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
        [one] if one == "deflate" => Decoder::Unknown,
        _ => {
            let what = say!(
                "content compressed with {coding} (Content-Encoding), which wasn’t requested",
                coding = codings.join(", ")
            );
            return Err(RequestError::NotMcp { what, excerpt: String::new() });
        }
    };
    let (mut parts, body) = http::Response::<Body>::from(response).into_parts();
    parts.headers.remove(CONTENT_ENCODING);
    parts.headers.remove(CONTENT_LENGTH);
    let packed = Response::from(http::Response::new(body)).bytes_stream().boxed();
    let unpacked = stream::try_unfold(
        (packed, decoder, Bytes::new(), 0_usize, 0_usize),
        |(mut packed, mut decoder, mut rest, mut empty, mut owed)| async move {
            loop {
                if rest.is_empty() {
                    match packed.next().await {
                        Some(piece) => rest = piece.map_err(io::Error::other)?,
                        None => return Ok::<_, io::Error>(None),
                    }
                }
                // Input that is available immediately must not block other tasks.
                tokio::task::consume_budget().await;
                let piece = rest.split_to(STEP.min(rest.len()));
                let plain = decoder
                    .feed(&piece)
                    .map_err(|_| io::Error::other("the compressed content is damaged"))?;
                let worth = plain.len().saturating_mul(WORTH);
                empty = (empty + piece.len()).saturating_sub(worth);
                owed += piece.len().saturating_sub(worth);
                if empty > EMPTY {
                    return Err(io::Error::other("the compressed content holds next to nothing"));
                }
                if owed >= STEP {
                    tokio::time::sleep(Duration::from_secs(1) * cast(owed) / cast(EMPTY_PER_SECOND)).await;
                    owed = 0;
                }
                if !plain.is_empty() {
                    return Ok(Some((Bytes::from(plain), (packed, decoder, rest, empty, owed))));
                }
            }
        },
    );
    Ok(Response::from(http::Response::from_parts(parts, Body::wrap_stream(unpacked))))
}

fn cast(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use tokio::time::Instant;

    use super::*;

    fn packed(mut encoder: impl Write, text: &str) {
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.flush().unwrap();
    }

    async fn check(coding: &str, body: Vec<u8>, expected: &str) {
        for size in [1, 7, body.len()].into_iter().filter(|size| body.len() / size < 10_000) {
            let pieces: Vec<_> = body.chunks(size).map(|piece| Ok::<_, io::Error>(piece.to_vec())).collect();
            let answer = http::Response::builder().header("content-encoding", coding);
            let answer = answer.body(Body::wrap_stream(stream::iter(pieces))).unwrap();
            let text = decode_response(answer.into()).unwrap().text().await.unwrap();
            assert_eq!(text, expected, "{coding} in pieces of {size}");
        }
    }

    #[tokio::test]
    async fn a_compressed_answer_is_read_whatever_piece_it_comes_in() {
        let text = r#"{"jsonrpc":"2.0","id":1,"result":{"berth":"14 é漢"}}"#.repeat(20);
        let mut bytes = Vec::new();
        packed(GzEncoder::new(&mut bytes, Compression::default()), &text);
        check("GZip", bytes.clone(), &text).await;
        check("identity, x-gzip", bytes, &text).await;
        let mut bytes = Vec::new();
        packed(ZlibEncoder::new(&mut bytes, Compression::default()), &text);
        check("deflate", bytes, &text).await;
        let mut bytes = Vec::new();
        packed(DeflateEncoder::new(&mut bytes, Compression::default()), &text);
        check("deflate", bytes, &text).await;
        check("identity", text.clone().into_bytes(), &text).await;
    }

    /// Returns how much input of an endless body is consumed, and how much output there is. The body begins
    /// with `start` and repeats `block`.
    async fn asked_of_endless(coding: &str, start: Vec<u8>, block: &'static [u8]) -> (usize, usize) {
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let blocks = stream::repeat_with(move || {
            let piece = block.repeat(8192 / block.len());
            counted.fetch_add(piece.len(), Ordering::Relaxed);
            Ok::<_, io::Error>(piece)
        });
        let body = Body::wrap_stream(stream::iter([Ok(start)]).chain(blocks));
        let answer = http::Response::builder().header("content-encoding", coding).body(body).unwrap();
        let mut plain = decode_response(answer.into()).unwrap();
        let mut read = 0;
        while let Ok(Some(piece)) = plain.chunk().await {
            read += piece.len();
        }
        (asked.load(Ordering::Relaxed), read)
    }

    #[tokio::test]
    async fn empty_blocks_without_end_are_given_up() {
        const BLOCK: &[u8] = b"\x00\x00\x00\xff\xff";
        // An empty gzip member. A body may also have many of these.
        const MEMBER: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x03\0\0\0\0\0\0\0\0\0";
        // One byte of content in many blocks changes nothing.
        let mut sparse = BLOCK.repeat(40);
        sparse.extend(b"\x00\x01\x00\xfe\xffx");
        let cases = [
            ("gzip", MEMBER[..10].to_vec(), BLOCK),
            ("gzip", MEMBER.to_vec(), MEMBER),
            ("deflate", vec![0x78, 0x9c], BLOCK),
            ("deflate", BLOCK.to_vec(), BLOCK),
            ("deflate", sparse.clone(), sparse.leak()),
        ];
        // All bodies run at the same time, because each body is throttled.
        futures_util::future::join_all(cases.map(async |(coding, start, block)| {
            let started = Instant::now();
            let (asked, read) = asked_of_endless(coding, start, block).await;
            assert!(started.elapsed() >= Duration::from_millis(1500), "{coding}: {:?}", started.elapsed());
            assert!((EMPTY..EMPTY + EMPTY / 2).contains(&asked), "{coding}: {asked}");
            assert!(read <= asked / 100, "{coding}: {read}");
        }))
        .await;
    }

    #[tokio::test]
    async fn short_events_that_are_flushed_one_by_one_are_content() {
        const EVENT: &str = ":\n\n";
        let mut bytes = Vec::new();
        let mut encoder = DeflateEncoder::new(&mut bytes, Compression::default());
        for _ in 0..100 {
            encoder.write_all(EVENT.as_bytes()).unwrap();
            encoder.flush().unwrap();
        }
        // This lacks the end of the stream, which the encoder writes when it is dropped.
        let flushed = encoder.get_ref();
        let times = EMPTY * 5 / 4 / flushed.len();
        check("deflate", flushed.repeat(times), &EVENT.repeat(100 * times)).await;
    }

    #[test]
    fn a_coding_that_cannot_be_unpacked_is_named() {
        for coding in ["br", "zstd", "gzip, br"] {
            let answer =
                http::Response::builder().header("content-encoding", coding).body(Body::from("x")).unwrap();
            let refused = decode_response(answer.into());
            assert!(
                matches!(&refused, Err(RequestError::NotMcp { what, .. }) if what.contains(&format!("compressed with {coding}"))),
                "{refused:?}"
            );
        }
    }
}
