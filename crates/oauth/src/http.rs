//! The one HTTP client of everything about signing in.

use crate::error::Error;
use crate::reach::Reach;
use crate::trail::{Asked, Trail};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method};
use mooring_words::{Sentence, say};
use std::time::Duration;
use url::Url;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The server that asks for a sign-in.
    Challenge,
    /// Metadata of the protected resource (RFC 9728).
    ResourceMetadata,
    /// Metadata of the authorization server (RFC 8414, OpenID Connect Discovery).
    ServerMetadata,
    /// Which client we are.
    ClientIdentity,
    /// Dynamic registration (RFC 7591).
    Registration,
    /// The person's browser.
    Authorization,
    /// A token endpoint.
    Token,
    /// Who has signed in.
    Profile,
    /// Giving tokens back (RFC 7009).
    Revocation,
}

/// A request.
#[derive(Debug)]
pub struct Request {
    /// What it is for.
    pub purpose: Purpose,
    /// Its method.
    pub method: Method,
    /// Where it goes.
    pub url: Url,
    /// Beside those that every request has. Secret values are marked as sensitive.
    pub headers: HeaderMap,
    /// Empty for none.
    pub body: Bytes,
}

/// An answer, whatever its status.
#[derive(Debug)]
pub struct Response {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, at most [`Http::MOST_BYTES`].
    pub body: Bytes,
}

/// The client.
#[derive(Debug, Clone)]
pub struct Http {
    client: reqwest::Client,
}

impl Http {
    /// Most bytes of a body.
    pub const MOST_BYTES: usize = 1024 * 1024;
    /// How long one exchange may take.
    pub const DEADLINE: Duration = Duration::from_secs(30);

    /// A client that goes as far as it may for one server.
    pub fn new(reach: Reach) -> Result<Self, Error> {
        let _ = reach;
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Self::DEADLINE)
            .build()
            .map_err(|error| {
                Error::Unreachable(say!(
                    "the HTTP client cannot be made: {reason}",
                    reason = error.to_string()
                ))
            })?;
        Ok(Self { client })
    }

    /// Sends a request, reads its answer, and tells the trail of both: of what was found, or of why it is no use.
    pub async fn ask<T>(
        &self,
        trail: &Trail,
        request: Request,
        read: impl FnOnce(Response) -> Result<(T, Sentence), Error>,
    ) -> Result<T, Error> {
        let mut asked = Asked::new(&request);
        let read = match self.send(request).await {
            Ok(response) => {
                asked.heard(response.status);
                read(response)
            }
            Err(error) => Err(error),
        };
        match read {
            Ok((value, found)) => {
                asked.tell(trail, true, found);
                Ok(value)
            }
            Err(error) => {
                asked.tell(trail, false, error.sentence().clone());
                Err(error)
            }
        }
    }

    /// Sends a request and reads the whole answer.
    pub async fn send(&self, request: Request) -> Result<Response, Error> {
        let host = request.url.host_str().unwrap_or_default().to_owned();
        let unreachable = |error: reqwest::Error| {
            Error::Unreachable(say!(
                "{host} could not be reached: {reason}",
                host = &host,
                reason = error.to_string()
            ))
        };
        let answer = self
            .client
            .request(request.method, request.url)
            .headers(request.headers)
            .body(request.body)
            .send()
            .await;
        let mut answer = answer.map_err(unreachable)?;
        let mut body = BytesMut::new();
        while let Some(piece) = answer.chunk().await.map_err(unreachable)? {
            if body.len() + piece.len() > Self::MOST_BYTES {
                return Err(Error::Refused(say!("the answer of {host} is longer than 1 MiB", host = &host)));
            }
            body.extend_from_slice(&piece);
        }
        Ok(Response {
            status: answer.status().as_u16(),
            headers: answer.headers().clone(),
            body: body.freeze(),
        })
    }
}
