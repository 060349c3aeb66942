//! Resources and resource templates, read leniently.

use mooring_words::say;
use serde_json::value::RawValue;

use crate::frame::object_members;
use crate::limits::{Bound, Bounds};
use crate::model::diagnostic::{Code, Diagnostic};
use crate::model::fields::Fields;

/// A resource as a server describes it (`Resource` in the schema).
#[derive(Debug, Clone)]
pub struct Resource {
    /// Where it is, for `resources/read`.
    pub uri: String,
    /// Its name.
    pub name: Option<String>,
    /// A name for people.
    pub title: Option<String>,
    /// What the server says about it.
    pub description: Option<String>,
    /// What the server says that it is; advisory.
    pub mime_type: Option<String>,
    /// Its size in bytes, where the server says one.
    pub size: Option<u64>,
    /// All of it, as it came.
    pub raw: Box<RawValue>,
    /// What was odd about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// A family of resources whose URIs follow a template of RFC 6570 (`ResourceTemplate` in the schema).
#[derive(Debug, Clone)]
pub struct ResourceTemplate {
    /// The template of their URIs.
    pub uri_template: String,
    /// Its name.
    pub name: Option<String>,
    /// A name for people.
    pub title: Option<String>,
    /// What the server says about them.
    pub description: Option<String>,
    /// What the server says that they are; advisory.
    pub mime_type: Option<String>,
    /// All of it, as it came.
    pub raw: Box<RawValue>,
    /// What was odd about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// The members that resources and templates share.
#[derive(Default)]
struct Common<'a> {
    address: Option<&'a str>,
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
    size: Option<u64>,
}

impl<'a> Common<'a> {
    fn read(text: &'a str, address: &str, fields: &mut Fields<'_>) -> Self {
        let mut common = Self::default();
        for (key, value) in object_members(text) {
            match key {
                "name" => common.name = fields.text(value, key, Bound::Description),
                "title" => common.title = fields.text(value, key, Bound::Description),
                "description" => common.description = fields.text(value, key, Bound::Description),
                "mimeType" => common.mime_type = fields.text(value, key, Bound::Name),
                "size" if value != "null" => {
                    common.size = value.parse().ok();
                    if common.size.is_none() {
                        fields.odd(Code::WrongType, key, say!("is not a number of bytes"));
                    }
                }
                _ if key == address => common.address = Some(value),
                _ => {}
            }
        }
        if common.name.is_none() {
            fields.odd(Code::Missing, "name", say!("is missing"));
        }
        common
    }
}

impl Resource {
    /// Reads one element of `resources`. Without a URI there is nothing to read: then the reason comes back.
    pub(crate) fn read(text: &str, path: &str, bounds: &Bounds) -> Result<Self, Diagnostic> {
        let mut fields = Fields::at(path, bounds);
        let raw = fields.whole(text)?;
        let Common { address, name, title, description, mime_type, size } =
            Common::read(text, "uri", &mut fields);
        let uri = fields.required(address, "uri", Bound::Uri)?;
        Ok(Self { uri, name, title, description, mime_type, size, raw, diagnostics: fields.diagnostics })
    }
}

impl ResourceTemplate {
    /// Reads one element of `resourceTemplates`.
    pub(crate) fn read(text: &str, path: &str, bounds: &Bounds) -> Result<Self, Diagnostic> {
        let mut fields = Fields::at(path, bounds);
        let raw = fields.whole(text)?;
        let Common { address, name, title, description, mime_type, .. } =
            Common::read(text, "uriTemplate", &mut fields);
        let uri_template = fields.required(address, "uriTemplate", Bound::Uri)?;
        Ok(Self { uri_template, name, title, description, mime_type, raw, diagnostics: fields.diagnostics })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: RES-01.
    #[test]
    fn a_resource_is_read_leniently_and_kept_to_the_byte() {
        let text = r#"{"uri":"file:///a","name":"a","mimeType":"text/plain","size":3,"x":1.0}"#;
        let read = Resource::read(text, "resources[0]", &Bounds::default()).unwrap();
        assert_eq!((read.uri.as_str(), read.size, read.raw.get()), ("file:///a", Some(3), text));
        assert!(read.diagnostics.is_empty());
        let odd = Resource::read(r#"{"uri":"a:b","size":-1.5}"#, "resources[0]", &Bounds::default()).unwrap();
        let odd: Vec<_> = odd.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(odd, ["resources[0].size: is not a number of bytes", "resources[0].name: is missing"]);
        let refused = Resource::read("{}", "resources[0]", &Bounds::default()).unwrap_err();
        assert_eq!(refused.to_string(), "resources[0].uri: is missing");
    }

    // Requirements: RES-01.
    #[test]
    fn a_template_needs_its_uri_template() {
        let text = r#"{"uriTemplate":"berth://{number}","name":"berth"}"#;
        let read = ResourceTemplate::read(text, "t[0]", &Bounds::default()).unwrap();
        assert_eq!(read.uri_template, "berth://{number}");
        assert!(ResourceTemplate::read(r#"{"uri":"x"}"#, "t[0]", &Bounds::default()).is_err());
    }
}
