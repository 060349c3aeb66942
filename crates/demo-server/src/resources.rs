//! Resources: text, Markdown, JSON and a picture at fixed addresses, and one template.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    Annotations, ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
};
use serde_json::json;

use crate::harbour::{self, GUIDE, HARBOURS, NOTICE};
use crate::picture::{Hour, lighthouse};

/// Address of the Markdown guide, which the `link` tool points to.
pub(crate) const GUIDE_URI: &str = "harbour://guide";
const NOTICE_URI: &str = "harbour://notice";
const BERTHS_URI: &str = "harbour://berths";
const PICTURE_URI: &str = "harbour://lighthouse.png";

/// Every resource with a fixed address.
pub(crate) fn all() -> Vec<Resource> {
    vec![
        guide(),
        Resource::new(NOTICE_URI, "notice")
            .with_title("Notice to mariners")
            .with_description("Today's notice, as plain text")
            .with_mime_type("text/plain")
            .with_size(NOTICE.len() as u64),
        Resource::new(BERTHS_URI, "berths")
            .with_title("Berths of every harbour")
            .with_description("The table behind the `structured` tool, as JSON")
            .with_mime_type("application/json"),
        Resource::new(PICTURE_URI, "lighthouse")
            .with_title("The lighthouse at dusk")
            .with_description("A picture, so a resource of bytes rather than text")
            .with_mime_type("image/png"),
    ]
}

/// The Markdown guide, as the list and the `link` tool show it.
pub(crate) fn guide() -> Resource {
    Resource::new(GUIDE_URI, "guide")
        .with_title("Harbour guide")
        .with_description("How to enter the harbour, as Markdown")
        .with_mime_type("text/markdown")
        .with_size(GUIDE.len() as u64)
        .with_annotations(Annotations::default().with_audience(vec![Role::User]).with_priority(0.8))
}

/// Every address pattern.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("harbour://berths/{city}", "berths-of-city")
            .with_title("Berths of one harbour")
            .with_description("One harbour as JSON; `city` is a name such as `qingdao` or `青岛`")
            .with_mime_type("application/json"),
    ]
}

/// The contents at `uri`.
pub(crate) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        GUIDE_URI => ResourceContents::text(GUIDE, uri).with_mime_type("text/markdown"),
        NOTICE_URI => ResourceContents::text(NOTICE, uri).with_mime_type("text/plain"),
        BERTHS_URI => pretty(uri, &json!({ "harbours": HARBOURS }))?,
        PICTURE_URI => {
            let picture = lighthouse(Hour::Dusk, 480).map_err(internal_error)?;
            ResourceContents::blob(STANDARD.encode(picture), uri).with_mime_type("image/png")
        }
        _ => {
            let harbour = uri
                .strip_prefix("harbour://berths/")
                .and_then(|city| harbour::find(&percent_decode(city)))
                .ok_or_else(|| ErrorData::resource_not_found(format!("no such resource: {uri}"), None))?;
            pretty(uri, &json!(harbour))?
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn pretty(uri: &str, value: &serde_json::Value) -> Result<ResourceContents, ErrorData> {
    let text = serde_json::to_string_pretty(value).map_err(internal_error)?;
    Ok(ResourceContents::text(text, uri).with_mime_type("application/json"))
}

/// Turns any failure of our own into the protocol's internal error.
pub(crate) fn internal_error(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Undoes `%XX`, which clients apply to a template's variables; anything else stays as it is.
fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let decoded = match (first, tail) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(h, l)| h * 16 + l),
            _ => None,
        };
        if let Some(byte) = decoded {
            bytes.push(byte);
            rest = tail.get(2..).unwrap_or_default();
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::{all, percent_decode, read};

    #[test]
    fn every_listed_resource_can_be_read() {
        for resource in all() {
            let result = read(&resource.uri).unwrap();
            assert_eq!(result.contents.len(), 1, "{}", resource.uri);
        }
    }

    #[test]
    fn template_accepts_a_name_plain_and_percent_encoded() {
        for uri in
            ["harbour://berths/qingdao", "harbour://berths/青岛", "harbour://berths/%E9%9D%92%E5%B2%9B"]
        {
            let result = serde_json::to_string(&read(uri).unwrap()).unwrap();
            assert!(result.contains("青岛"), "{uri}: {result}");
        }
    }

    #[test]
    fn an_unknown_resource_is_refused_by_its_address() {
        let error = read("harbour://atlantis").unwrap_err();
        assert_eq!(error.message, "no such resource: harbour://atlantis");
    }

    #[test]
    fn a_broken_percent_sign_stays_as_it_is() {
        assert_eq!(percent_decode("50%"), "50%");
        assert_eq!(percent_decode("%zz%41"), "%zzA");
    }
}
