//! Fetches a metadata document from a well-known URL.

use crate::error::Error;
use crate::http::{Http, Request};
use crate::steps::PendingStep;
use mooring_words::{Sentence, say};
use serde_json::{Map, Value};
use url::Url;

/// The result of fetching metadata from a URL.
pub(crate) enum MetadataLookup {
    /// A JSON object.
    Document(Map<String, Value>),
    /// There is no document.
    Absent(Sentence),
    /// There is a document, but it is not metadata.
    Unusable(Sentence),
}

/// Fetches a document. Fails if it is unknown whether there is one: no response, or a failing server.
pub(crate) async fn fetch_metadata(
    http: &Http,
    request: Request,
    asked: &mut PendingStep,
) -> Result<MetadataLookup, Error> {
    let host = request.url.host_str().unwrap_or_default().to_owned();
    let response = match http.get(request.purpose, request.url, request.headers).await {
        Ok(response) => response,
        Err(Error::Refused(why)) => return Ok(MetadataLookup::Unusable(why)),
        Err(error) => return Err(error),
    };
    let status = response.status;
    asked.set_status(status);
    if response.is_temporary_failure() {
        // It is unknown whether there is a document.
        return Err(response.temporary_failure_error(&host));
    }
    match status {
        // Some applications answer all unknown requests with their page.
        200 if response.is_html() => Ok(MetadataLookup::Absent(say!("a web page instead of metadata"))),
        200 => Ok(match response.json_object() {
            Ok(document) => MetadataLookup::Document(document),
            Err(why) => MetadataLookup::Unusable(say!("it isn’t metadata: {why}", why = why)),
        }),
        400..=499 => Ok(MetadataLookup::Absent(say!(
            "no metadata here: HTTP status {status}",
            status = status.to_string()
        ))),
        _ => Ok(MetadataLookup::Unusable(say!(
            "an unusable answer: HTTP status {status}",
            status = status.to_string()
        ))),
    }
}

/// The well-known URL of an identifier. The name is inserted between host and path (RFC 8615, RFC 8414 §3.1,
/// RFC 9728 §3.1), and a slash at the end of the path is removed.
pub(crate) fn well_known_url(identifier: &Url, name: &str) -> Url {
    let path = identifier.path();
    let path = format!("/.well-known/{name}{}", path.strip_suffix('/').unwrap_or(path));
    let mut address = identifier.clone();
    address.set_path(&path);
    address.set_fragment(None);
    address
}
