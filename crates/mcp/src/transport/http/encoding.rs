//! Content codings of answers (RFC 9110 §8.4). We ask for none; some servers and proxies compress all the same.

use std::io::{self, Write};

use bytes::Bytes;
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use futures_util::StreamExt as _;
use futures_util::stream;
use mooring_words::say;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use reqwest::{Body, Response};

use crate::error::RequestError;

/// How much of what came is unpacked at once, in bytes: what it becomes, at most a thousand times as much, is counted
/// before more follows.
const STEP: usize = 4 * 1024;

/// Unpacks one body as it comes.
enum Decoder {
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Zlib(Box<ZlibDecoder<Vec<u8>>>),
    Deflate(Box<DeflateDecoder<Vec<u8>>>),
    /// `deflate` is zlib (RFC 9110 §8.4.1.2), and with some servers the bare format: the first byte tells.
    Unknown,
}

impl Decoder {
    fn feed(&mut self, packed: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(decoder) => fed(decoder.as_mut(), packed, MultiGzDecoder::get_mut),
            Self::Zlib(decoder) => fed(decoder.as_mut(), packed, ZlibDecoder::get_mut),
            Self::Deflate(decoder) => fed(decoder.as_mut(), packed, DeflateDecoder::get_mut),
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

fn fed<D: Write>(
    decoder: &mut D,
    packed: &[u8],
    out: impl Fn(&mut D) -> &mut Vec<u8>,
) -> io::Result<Vec<u8>> {
    decoder.write_all(packed)?;
    // What can be unpacked is wanted now: an event stream may bring nothing more for long.
    decoder.flush()?;
    Ok(std::mem::take(out(decoder)))
}

/// The answer with a body that is read as it was before it was compressed; a coding that cannot be unpacked is an error
/// that names it.
pub(crate) fn decoded(response: Response) -> Result<Response, RequestError> {
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
                "content compressed with {coding} (Content-Encoding), though none was asked for",
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
        (packed, decoder, Bytes::new()),
        |(mut packed, mut decoder, mut rest)| async move {
            loop {
                if rest.is_empty() {
                    match packed.next().await {
                        Some(piece) => rest = piece.map_err(io::Error::other)?,
                        None => return Ok::<_, io::Error>(None),
                    }
                }
                let piece = rest.split_to(STEP.min(rest.len()));
                let plain = decoder
                    .feed(&piece)
                    .map_err(|_| io::Error::other("the compressed content is damaged"))?;
                if !plain.is_empty() {
                    return Ok(Some((Bytes::from(plain), (packed, decoder, rest))));
                }
            }
        },
    );
    Ok(Response::from(http::Response::from_parts(parts, Body::wrap_stream(unpacked))))
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn packed(mut encoder: impl Write, text: &str) {
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.flush().unwrap();
    }

    async fn check(coding: &str, body: Vec<u8>, expected: &str) {
        for size in [1, 7, body.len()] {
            let pieces: Vec<_> = body.chunks(size).map(|piece| Ok::<_, io::Error>(piece.to_vec())).collect();
            let answer = http::Response::builder().header("content-encoding", coding);
            let answer = answer.body(Body::wrap_stream(stream::iter(pieces))).unwrap();
            let text = decoded(answer.into()).unwrap().text().await.unwrap();
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

    #[test]
    fn a_coding_that_cannot_be_unpacked_is_named() {
        for coding in ["br", "zstd", "gzip, br"] {
            let answer =
                http::Response::builder().header("content-encoding", coding).body(Body::from("x")).unwrap();
            let refused = decoded(answer.into());
            assert!(
                matches!(&refused, Err(RequestError::NotMcp { what, .. }) if what.contains(&format!("compressed with {coding}"))),
                "{refused:?}"
            );
        }
    }
}
