//! Resolves the references of a schema. They lead to a place in the document itself, or in a part with its
//! own identifier. Nothing is ever fetched.

use std::collections::HashMap;
use std::rc::Rc;

use url::Url;

use super::UncheckedReason;
use super::exact::ExactValue;

/// Keywords that refer to another schema. Dynamic references are treated like plain ones, as in the form.
pub(super) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Longer identifiers are only compared literally, because they would be resolved repeatedly.
const MAX_BASE_BYTES: usize = 2_048;
/// The base of relative identifiers, unless another one is given.
const DEFAULT_BASE: &str = "mooring-schema:///";

/// A schema with an identifier: the document, or a part of it.
#[derive(Clone)]
struct Resource<'a> {
    schema: &'a ExactValue,
    /// The resource's absolute identifier. Empty if it has none.
    base: Rc<str>,
}

/// Looks references up inside one schema document.
pub(super) struct Document<'a> {
    root: Resource<'a>,
    anchors: HashMap<String, &'a ExactValue>,
    /// The resources by their identifiers, both as written, such as Java's `urn:jsonschema:…`, and as
    /// absolute identifiers (JSON Schema core, 8.2.1).
    resources: HashMap<String, Resource<'a>>,
    /// The resource that a schema's references are relative to, if it is not the whole document.
    homes: HashMap<*const ExactValue, Resource<'a>>,
}

impl<'a> Document<'a> {
    pub(super) fn new(schema: &'a ExactValue) -> Self {
        let id = id_of(schema);
        let base = id.map(|id| resolve_uri(id, "").unwrap_or_else(|| id.to_owned())).unwrap_or_default();
        let root = Resource { schema, base: base.into() };
        let mut document = Self {
            root: root.clone(),
            anchors: HashMap::new(),
            resources: HashMap::new(),
            homes: HashMap::new(),
        };
        if let Some(id) = id {
            document.add_resource(id, &root);
        }
        document.collect_resources(schema, &root, true);
        document
    }

    /// The target of a schema's reference. `None` if the schema has no reference.
    pub(super) fn find_target(
        &self,
        schema: &'a ExactValue,
    ) -> Option<Result<&'a ExactValue, UncheckedReason>> {
        let reference = REFERENCES.iter().find_map(|name| schema.get(name))?;
        let home = self.homes.get(&std::ptr::from_ref(schema)).unwrap_or(&self.root);
        Some(
            reference
                .as_text()
                .ok_or(UncheckedReason::Malformed)
                .and_then(|text| self.resolve_reference(text, home)),
        )
    }

    fn resolve_reference(
        &self,
        reference: &str,
        home: &Resource<'a>,
    ) -> Result<&'a ExactValue, UncheckedReason> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if document.is_empty() {
            // In many schemas, a part with its own identifier refers to a place in the whole document.
            let found = self.find_within(home, fragment).or_else(|| self.find_within(&self.root, fragment));
            return found.ok_or(UncheckedReason::MissingRef);
        }
        let from = self
            .resources
            .get(document)
            .or_else(|| self.resources.get(&resolve_uri(document, &home.base)?))
            .ok_or(UncheckedReason::RemoteRef)?;
        self.find_within(from, fragment).ok_or(UncheckedReason::MissingRef)
    }

    fn find_within(&self, from: &Resource<'a>, fragment: &str) -> Option<&'a ExactValue> {
        match fragment {
            "" => Some(from.schema),
            pointer if pointer.starts_with('/') => from.schema.find_at(&percent_decode(pointer)),
            name => self.anchors.get(&format!("{}#{name}", from.base)).copied(),
        }
    }

    /// Collects the resources and anchors of a schema. `ExactValue` limits the depth of the schema.
    fn collect_resources(&mut self, schema: &'a ExactValue, around: &Resource<'a>, is_root: bool) {
        let members = match schema {
            ExactValue::List(items) => {
                return items.iter().for_each(|item| self.collect_resources(item, around, false));
            }
            ExactValue::Members(members) => members,
            _ => return,
        };
        let mut home = around.clone();
        match id_of(schema).filter(|_| !is_root) {
            // Before 2019-09, an anchor was an identifier that is only a fragment.
            Some(id) if id.starts_with('#') => self.add_anchor(&id[1..], schema, around),
            Some(id) => {
                let base = resolve_uri(id, &around.base).map_or_else(|| Rc::clone(&around.base), Rc::from);
                home = Resource { schema, base };
                self.add_resource(id, &home);
            }
            None => {}
        }
        for name in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = members.get(name).and_then(ExactValue::as_text) {
                self.add_anchor(anchor, schema, &home);
            }
        }
        let is_elsewhere = !std::ptr::eq(home.schema, self.root.schema);
        if is_elsewhere && REFERENCES.iter().any(|name| members.contains_key(*name)) {
            self.homes.insert(std::ptr::from_ref(schema), home.clone());
        }
        for value in members.values().filter(|value| value.is_container()) {
            self.collect_resources(value, &home, false);
        }
    }

    fn add_resource(&mut self, id: &str, resource: &Resource<'a>) {
        for name in [id, &resource.base] {
            if !name.is_empty() && !self.resources.contains_key(name) {
                self.resources.insert(name.to_owned(), resource.clone());
            }
        }
    }

    /// Adds an anchor. If several have the same name, the first one counts.
    fn add_anchor(&mut self, name: &str, schema: &'a ExactValue, home: &Resource<'a>) {
        for base in [&home.base, &self.root.base] {
            self.anchors.entry(format!("{base}#{name}")).or_insert(schema);
        }
    }
}

/// A schema's identifier as written, without the empty fragment of older drafts.
fn id_of(schema: &ExactValue) -> Option<&str> {
    let ids = ["$id", "id"].into_iter().filter_map(|name| schema.get(name)?.as_text());
    ids.map(|id| id.strip_suffix('#').unwrap_or(id)).find(|id| !id.is_empty())
}

/// Resolves an identifier or a reference against its base. `None` if either is invalid or too long.
fn resolve_uri(written: &str, base: &str) -> Option<String> {
    if written.len() > MAX_BASE_BYTES || base.len() > MAX_BASE_BYTES {
        return None;
    }
    let base = Url::parse(if base.is_empty() { DEFAULT_BASE } else { base }).ok()?;
    let mut url = base.join(written).ok()?;
    url.set_fragment(None);
    Some(url.into())
}

/// Decodes the percent-encoding of a reference's fragment (RFC 3986, section 2.1).
pub(crate) fn percent_decode(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, more @ ..] = rest {
        let escaped = more.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = byte.map_or(more, |_| &more[2..]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
