//! Resources and resource templates, read leniently.

use mooring_jsonrpc::{Members, raw};
use mooring_words::say;
use serde::Serialize;
use serde_json::value::RawValue;
use ts_rs::TS;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::limits::{LimitKind, LimitTracker};
use crate::model::as_text;
use crate::model::fields::FieldReader;
use mooring_base::uri_template::UriTemplate;

/// A resource as the server describes it (`Resource` in the schema).
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "ResourceView")]
pub struct Resource {
    /// The URI for `resources/read`.
    pub uri: String,
    /// The resource's name, or its URI if it has none.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// The server's description.
    pub description: Option<String>,
    /// The media type according to the server. Not reliable.
    pub mime_type: Option<String>,
    /// The resource's size in bytes, if the server reports it.
    pub size: Option<u64>,
    /// The server's annotations, such as audience and priority.
    #[serde(serialize_with = "as_text::some_raw")]
    #[ts(type = "string | null")]
    pub annotations: Option<Box<RawValue>>,
    /// The whole resource as sent.
    #[serde(serialize_with = "as_text::raw")]
    #[ts(type = "string")]
    pub raw: Box<RawValue>,
    /// Problems of the resource.
    pub diagnostics: Vec<Diagnostic>,
}

/// A family of resources whose URIs match an RFC 6570 template (`ResourceTemplate` in the schema).
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "TemplateView")]
pub struct ResourceTemplate {
    /// The URI template.
    pub uri_template: String,
    /// The template's name, or the URI template if it has none.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// The server's description.
    pub description: Option<String>,
    /// The media type according to the server. Not reliable.
    pub mime_type: Option<String>,
    /// The server's annotations, such as audience and priority.
    #[serde(serialize_with = "as_text::some_raw")]
    #[ts(type = "string | null")]
    pub annotations: Option<Box<RawValue>>,
    /// The variables of the URI template, in order. Empty if the template is invalid.
    pub variables: Vec<String>,
    /// The whole template as sent.
    #[serde(serialize_with = "as_text::raw")]
    #[ts(type = "string")]
    pub raw: Box<RawValue>,
    /// Problems of the template.
    pub diagnostics: Vec<Diagnostic>,
}

/// The members that resources and templates share.
#[derive(Default)]
struct ResourceFields<'a> {
    address: Option<&'a str>,
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
    size: Option<u64>,
    annotations: Option<Box<RawValue>>,
}

impl<'a> ResourceFields<'a> {
    fn read(text: &'a str, address: &str, fields: &mut FieldReader<'_>) -> Self {
        let mut common = Self::default();
        for (key, value) in &Members::of(text) {
            match key {
                "name" => common.name = fields.read_text(value, key, LimitKind::Description),
                "title" => common.title = fields.read_text(value, key, LimitKind::Description),
                "description" => common.description = fields.read_text(value, key, LimitKind::Description),
                "mimeType" => common.mime_type = fields.read_text(value, key, LimitKind::Name),
                "size" if value != "null" => {
                    common.size = value.parse().ok();
                    if common.size.is_none() {
                        fields.diagnose(DiagnosticCode::WrongType, key, say!("isn’t a number of bytes"));
                    }
                }
                "annotations" => common.annotations = raw(value).filter(|_| value.starts_with('{')),
                _ if key == address => common.address = Some(value),
                _ => {}
            }
        }
        if common.name.is_none() {
            fields.diagnose(DiagnosticCode::Missing, "name", say!("is missing"));
        }
        common
    }
}

impl Resource {
    /// Parses an element of `resources`. Fails without a URI, because the resource could not be read.
    pub(crate) fn read(text: &str, path: &str, bounds: &LimitTracker) -> Result<Self, Diagnostic> {
        let mut fields = FieldReader::new(path, bounds);
        let raw = fields.read_whole(text)?;
        let ResourceFields { address, name, title, description, mime_type, size, annotations } =
            ResourceFields::read(text, "uri", &mut fields);
        let uri = fields.read_required(address, "uri", LimitKind::Uri)?;
        let name = name.unwrap_or_else(|| uri.clone());
        let diagnostics = fields.diagnostics;
        Ok(Self { uri, name, title, description, mime_type, size, annotations, raw, diagnostics })
    }
}

impl ResourceTemplate {
    /// Parses an element of `resourceTemplates`. Fails without a URI template.
    pub(crate) fn read(text: &str, path: &str, bounds: &LimitTracker) -> Result<Self, Diagnostic> {
        let mut fields = FieldReader::new(path, bounds);
        let raw = fields.read_whole(text)?;
        let ResourceFields { address, name, title, description, mime_type, annotations, .. } =
            ResourceFields::read(text, "uriTemplate", &mut fields);
        let uri_template = fields.read_required(address, "uriTemplate", LimitKind::Uri)?;
        let name = name.unwrap_or_else(|| uri_template.clone());
        let variables =
            UriTemplate::parse(&uri_template).map_or_else(|_| Vec::new(), |template| template.variables());
        let diagnostics = fields.diagnostics;
        Ok(Self {
            uri_template,
            name,
            title,
            description,
            mime_type,
            annotations,
            variables,
            raw,
            diagnostics,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: RES-01.
    #[test]
    fn a_resource_is_read_leniently_and_kept_to_the_byte() {
        let text = r#"{"uri":"file:///a","name":"a","mimeType":"text/plain","size":3,"x":1.0}"#;
        let read = Resource::read(text, "resources[0]", &LimitTracker::default()).unwrap();
        assert_eq!((read.uri.as_str(), read.size, read.raw.get()), ("file:///a", Some(3), text));
        assert!(read.diagnostics.is_empty());
        let odd =
            Resource::read(r#"{"uri":"a:b","size":-1.5}"#, "resources[0]", &LimitTracker::default()).unwrap();
        assert_eq!(odd.name, "a:b");
        let odd: Vec<_> = odd.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(odd, ["resources[0].size: isn’t a number of bytes", "resources[0].name: is missing"]);
        let refused = Resource::read("{}", "resources[0]", &LimitTracker::default()).unwrap_err();
        assert_eq!(refused.to_string(), "resources[0].uri: is missing");
    }

    // Requirements: RES-01.
    #[test]
    fn a_template_needs_its_uri_template() {
        let text = r#"{"uriTemplate":"berth://{number}","name":"berth"}"#;
        let read = ResourceTemplate::read(text, "t[0]", &LimitTracker::default()).unwrap();
        assert_eq!(
            (read.uri_template.as_str(), read.variables),
            ("berth://{number}", vec!["number".to_owned()])
        );
        let text = r#"{"uriTemplate":"harbour://{city}/berths{?from,to}"}"#;
        let read = ResourceTemplate::read(text, "t[0]", &LimitTracker::default()).unwrap();
        assert_eq!(read.variables, ["city", "from", "to"]);
        let text = r#"{"uriTemplate":"harbour://{city"}"#;
        assert!(ResourceTemplate::read(text, "t[0]", &LimitTracker::default()).unwrap().variables.is_empty());
        assert!(ResourceTemplate::read(r#"{"uri":"x"}"#, "t[0]", &LimitTracker::default()).is_err());
    }

    #[test]
    fn annotations_are_kept_as_they_came() {
        let read = |annotations: &str| {
            let text = format!(r#"{{"uri":"a:b","name":"a","annotations":{annotations}}}"#);
            Resource::read(&text, "resources[0]", &LimitTracker::default()).unwrap().annotations
        };
        assert_eq!(read(r#"{ "priority" : 1.0 }"#).unwrap().get(), r#"{ "priority" : 1.0 }"#);
        for without in ["[]", "null", "7"] {
            assert!(read(without).is_none(), "{without}");
        }
    }
}
