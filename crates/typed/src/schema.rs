//! A tool's input schema as far as typed arguments need it: members, their types, what is required, what can be chosen.
//! Whether arguments fit is not decided here: that is checked against the whole schema.

use serde_json::Value;

/// The most parts of a schema that are read for one place; schemas may refer to themselves.
const MOST_PARTS: usize = 64;

/// A place in a schema.
#[derive(Debug, Clone, Copy)]
pub struct SchemaView<'a> {
    root: &'a Value,
    at: &'a Value,
}

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub struct Property<'a> {
    /// The property's name.
    pub name: &'a str,
    /// The property's schema.
    pub schema: SchemaView<'a>,
    /// Whether it must be there.
    pub required: bool,
}

impl<'a> SchemaView<'a> {
    /// The whole of a schema.
    pub fn new(root: &'a Value) -> Self {
        Self { root, at: root }
    }

    /// The place itself, what it refers to within the schema, and its alternatives.
    fn parts(self) -> Vec<&'a Value> {
        let mut parts = vec![self.at];
        let mut next = 0;
        while next < parts.len() && parts.len() < MOST_PARTS {
            let part = parts[next];
            next += 1;
            if let Some(target) =
                part.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'))
            {
                parts.extend(self.root.pointer(target));
            }
            let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| part.get(key)?.as_array());
            parts.extend(lists.flatten());
        }
        parts.truncate(MOST_PARTS);
        parts
    }

    fn first(self, key: &str) -> Option<&'a Value> {
        self.parts().into_iter().find_map(|part| part.get(key))
    }

    fn inside(self, at: &'a Value) -> Self {
        Self { at, ..self }
    }

    /// The names of the types that it takes; empty where it doesn't say.
    pub fn types(self) -> Vec<&'a str> {
        let mut types = Vec::new();
        for part in self.parts() {
            let named = part.get("type");
            let several = named.and_then(Value::as_array).into_iter().flatten();
            for name in named.into_iter().chain(several).filter_map(Value::as_str) {
                if !types.contains(&name) {
                    types.push(name);
                }
            }
        }
        types
    }

    /// The properties, in the order of the schema.
    pub fn properties(self) -> Vec<Property<'a>> {
        let required = self.required();
        let mut found: Vec<Property<'a>> = Vec::new();
        for part in self.parts() {
            for (name, schema) in part.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if !found.iter().any(|known| known.name == name) {
                    let required = required.contains(&name.as_str());
                    found.push(Property { name, schema: self.inside(schema), required });
                }
            }
        }
        found
    }

    /// The member of this name, or what the schema says of members that it doesn't name.
    pub fn property(self, name: &str) -> Option<Self> {
        let parts = self.parts();
        let named = parts.iter().find_map(|part| part.get("properties")?.get(name));
        let others =
            || parts.iter().find_map(|part| part.get("additionalProperties").filter(|any| any.is_object()));
        named.or_else(others).map(|schema| self.inside(schema))
    }

    /// The members that must be there. What only an alternative asks for isn't among them.
    pub fn required(self) -> Vec<&'a str> {
        let always = self.parts().into_iter().filter(|part| !self.is_alternative(part));
        always
            .filter_map(|part| part.get("required")?.as_array())
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    fn is_alternative(self, part: &Value) -> bool {
        let lists = ["anyOf", "oneOf"].iter().filter_map(|key| self.at.get(key)?.as_array());
        lists.flatten().any(|other| std::ptr::eq(other, part))
    }

    /// The schema of a list's items.
    pub fn items(self) -> Option<Self> {
        self.first("items").filter(|items| items.is_object()).map(|items| self.inside(items))
    }

    /// The allowed values. Empty if there is no such list.
    pub fn choices(self) -> Vec<&'a Value> {
        if let Some(values) = self.first("enum").and_then(Value::as_array) {
            return values.iter().collect();
        }
        self.parts().into_iter().filter_map(|part| part.get("const")).collect()
    }

    /// The schema's description.
    pub fn description(self) -> Option<&'a str> {
        let text = self.first("description").or_else(|| self.first("title"));
        text.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }

    /// The default value.
    pub fn default(self) -> Option<&'a Value> {
        self.first("default")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_and_alternatives_are_looked_through() {
        let schema = json!({
            "type": "object",
            "required": ["when"],
            "properties": {
                "when": { "$ref": "#/$defs/day" },
                "limit": { "anyOf": [{ "type": "integer" }, { "type": "null" }], "default": 3 },
                "tags": { "type": "array", "items": { "enum": ["a", "b"] } },
            },
            "$defs": { "day": { "type": "string", "description": " A day " }, "self": { "$ref": "#/$defs/self" } },
        });
        let view = SchemaView::new(&schema);
        let names: Vec<_> = view.properties().iter().map(|member| (member.name, member.required)).collect();
        assert_eq!(names, [("when", true), ("limit", false), ("tags", false)]);
        let when = view.property("when").unwrap();
        assert_eq!((when.types(), when.description()), (vec!["string"], Some("A day")));
        let limit = view.property("limit").unwrap();
        assert_eq!((limit.types(), limit.default()), (vec!["integer", "null"], Some(&json!(3))));
        assert_eq!(view.property("tags").unwrap().items().unwrap().choices(), [&json!("a"), &json!("b")]);
        assert!(view.property("other").is_none());
        let endless = SchemaView { root: &schema, at: &schema["$defs"]["self"] };
        assert!(endless.types().is_empty());
    }

    #[test]
    fn what_an_alternative_requires_is_not_always_required() {
        let schema = json!({ "anyOf": [{ "required": ["a"] }, { "required": ["b"] }], "allOf": [{ "required": ["c"] }] });
        assert_eq!(SchemaView::new(&schema).required(), ["c"]);
    }
}
