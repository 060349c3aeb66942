//! The addresses in what a server hands out.

use serde_json::Value;

/// Collects the values of members that are addresses, at any depth.
pub fn addresses(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => {
            let is_address = |name: &str| matches!(name, "uri" | "resourceUri" | "ui/resourceUri");
            let found = members.iter().flat_map(|(name, value)| match value {
                Value::String(text) if is_address(name) => vec![text.clone()],
                value => addresses(value),
            });
            found.collect()
        }
        Value::Array(elements) => elements.iter().flat_map(addresses).collect(),
        _ => Vec::new(),
    }
}
