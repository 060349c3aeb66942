//! The folders that an app says it works in.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use url::Url;

/// The most folders that count of those an app has.
const MAX_ROOTS: usize = 100;
/// The longest URI of a folder, in bytes.
const MAX_URI: usize = 4 << 10;
/// The longest name of a folder, in characters. A longer one is left out.
const MAX_NAME: usize = 128;

/// The roots of an app, by URI. Equal sets are equal in any order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AppRoots(Arc<BTreeMap<String, Option<String>>>);

#[derive(Deserialize)]
struct RootsResult<'a> {
    #[serde(borrow)]
    roots: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct DeclaredRoot {
    uri: String,
    name: Option<String>,
}

impl AppRoots {
    /// Reads the result of `roots/list`, as far as it names folders by `file:` URIs. None: it names none.
    pub fn read(result: &RawValue) -> Option<Self> {
        let RootsResult { roots } = serde_json::from_str(result.get()).ok()?;
        let declared = roots.into_iter().filter_map(|root| serde_json::from_str(root.get()).ok());
        let usable = declared.filter_map(|DeclaredRoot { uri, name }| {
            let is_folder = uri.len() <= MAX_URI && Url::parse(&uri).is_ok_and(|url| url.scheme() == "file");
            is_folder.then(|| (uri, name.filter(|name| name.chars().count() <= MAX_NAME)))
        });
        let roots: BTreeMap<_, _> = usable.take(MAX_ROOTS).collect();
        (!roots.is_empty()).then(|| Self(roots.into()))
    }

    /// Their URIs.
    pub fn uris(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The paths of these folders. `None` if this machine can't have one of them.
    pub fn paths(&self) -> Option<Vec<PathBuf>> {
        self.uris().map(|uri| Url::parse(uri).ok()?.to_file_path().ok()).collect()
    }

    /// The response to a server's request for roots.
    pub fn result(&self) -> Box<RawValue> {
        let roots = self.0.iter().map(|(uri, name)| match name {
            Some(name) => json!({ "uri": uri, "name": name }),
            None => json!({ "uri": uri }),
        });
        // Texts are always JSON.
        to_raw_value(&json!({ "roots": roots.collect::<Vec<_>>() })).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<AppRoots> {
        AppRoots::read(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn the_same_folders_are_the_same_in_any_order() {
        let one = r#"{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}"#;
        let other = r#"{"roots":[{"uri":"file:///b"},{"uri":"file:///a","name":"A"},{"uri":"file:///b"}],"_meta":{}}"#;
        assert_eq!(read(one), read(other));
        assert_eq!(read(one).unwrap().result().get(), one);
        assert_ne!(read(one), read(r#"{"roots":[{"uri":"file:///a","name":"A"}]}"#));
    }

    #[test]
    fn what_is_no_folder_is_left_out() {
        for nothing in [
            "{}",
            "7",
            r#"{"roots":7}"#,
            r#"{"roots":[]}"#,
            r#"{"roots":[{"uri":"https://example.com/a"},{"uri":"a"},{"uri":7},7,{}]}"#,
        ] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
        let long = "x".repeat(MAX_URI);
        let some = format!(
            r#"{{"roots":[{{"uri":"file:///{long}"}},{{"uri":"file:///a","name":"{long}"}},{{"uri":null}}]}}"#
        );
        assert_eq!(read(&some).unwrap().result().get(), r#"{"roots":[{"uri":"file:///a"}]}"#);
        let many: Vec<String> = (0..500).map(|number| format!(r#"{{"uri":"file:///{number}"}}"#)).collect();
        assert_eq!(read(&format!(r#"{{"roots":[{}]}}"#, many.join(","))).unwrap().uris().count(), MAX_ROOTS);
    }
}
