//! Tests the check of values against all kinds of schemas that servers write.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::*;

/// The problems of a value, separated by spaces.
fn problems(schema: &str, value: &str) -> String {
    let SchemaCheck { problems, .. } = check(schema, value, &ChosenSchemas::new());
    let mut words: Vec<_> =
        problems.iter().map(|problem| format!("{}:{:?}", problem.at, problem.code)).collect();
    words.sort();
    words.join(" ")
}

/// The rules that were not checked.
fn unchecked(schema: &Value) -> Vec<(String, UncheckedReason)> {
    let SchemaCheck { unchecked, .. } = check(&schema.to_string(), "{}", &ChosenSchemas::new());
    unchecked.into_iter().map(|left| (left.rule, left.why)).collect()
}

/// The schema of an object with one property.
fn of(x: &Value) -> Value {
    json!({ "type": "object", "properties": { "x": x } })
}

fn wants(x: &Value) -> Value {
    json!({ "type": "object", "properties": { "x": x }, "required": ["x"] })
}

// Requirements: SCH-05, ELIC-16.
#[test]
fn each_mistake_is_told_by_its_place_and_what_is_wrong() {
    let shapes =
        json!({ "oneOf": [{ "type": "string", "minLength": 3 }, { "type": "integer", "minimum": 5 }] });
    let string_and = |more: &Value| {
        let mut schema = json!({ "type": "string" });
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        of(&schema)
    };
    for (schema, value, expected) in [
        (wants(&json!({ "type": "string" })), "{}", "/x:Required"),
        (of(&json!({ "type": "string" })), "{}", ""),
        (wants(&json!({ "type": "string" })), r#"{"x":null}"#, "/x:Required"),
        (wants(&json!({ "type": ["string", "null"] })), r#"{"x":null}"#, ""),
        (wants(&json!({ "type": "string" })), r#"{"x":""}"#, ""),
        (of(&json!({ "type": "string" })), r#"{"x":5}"#, "/x:WrongType"),
        (string_and(&json!({ "minLength": 2, "maxLength": 3 })), r#"{"x":"😀"}"#, "/x:MinLength"),
        (string_and(&json!({ "minLength": 2, "maxLength": 3 })), r#"{"x":"😀😀😀😀"}"#, "/x:MaxLength"),
        (string_and(&json!({ "pattern": "^a" })), r#"{"x":"ba"}"#, "/x:Pattern"),
        (string_and(&json!({ "pattern": "(?=x)" })), r#"{"x":"ba"}"#, ""),
        (string_and(&json!({ "format": "date" })), r#"{"x":"2023-02-29"}"#, "/x:Format"),
        (string_and(&json!({ "format": "date" })), r#"{"x":"2024-02-29"}"#, ""),
        (string_and(&json!({ "format": "date-time" })), r#"{"x":"2024-02-29T23:59:60.5Z"}"#, ""),
        (string_and(&json!({ "format": "date-time" })), r#"{"x":"2024-02-29 23:59"}"#, "/x:Format"),
        (string_and(&json!({ "format": "email" })), r#"{"x":"a@b"}"#, ""),
        (string_and(&json!({ "format": "email" })), r#"{"x":"a b@c"}"#, "/x:Format"),
        (string_and(&json!({ "format": "uri" })), r#"{"x":"example.com"}"#, "/x:Format"),
        (string_and(&json!({ "format": "url" })), r#"{"x":"example.com"}"#, "/x:Format"),
        (string_and(&json!({ "format": "uri" })), r#"{"x":"urn:a:b"}"#, ""),
        (string_and(&json!({ "format": "uuid" })), r#"{"x":"01890a5d-ac96-774b-bcce-b302099a8057"}"#, ""),
        (string_and(&json!({ "format": "uuid" })), r#"{"x":"01890a5d"}"#, "/x:Format"),
        (string_and(&json!({ "format": "ipv4" })), r#"{"x":"none"}"#, ""),
        (of(&json!({ "type": "integer" })), r#"{"x":1.5}"#, "/x:NotInteger"),
        (of(&json!({ "type": "integer" })), r#"{"x":1.0}"#, ""),
        (of(&json!({ "type": "integer" })), r#"{"x":"12a"}"#, "/x:NotNumber"),
        (of(&json!({ "type": "integer", "minimum": 1, "maximum": 10 })), r#"{"x":0}"#, "/x:Minimum"),
        (of(&json!({ "type": "integer", "minimum": 1, "maximum": 10 })), r#"{"x":11}"#, "/x:Maximum"),
        (of(&json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 1 })), r#"{"x":1}"#, "/x:ExclusiveMaximum"),
        (of(&json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 1 })), r#"{"x":0}"#, "/x:ExclusiveMinimum"),
        (of(&json!({ "enum": ["a", 1] })), r#"{"x":1.0}"#, ""),
        (of(&json!({ "enum": ["a", 1] })), r#"{"x":"b"}"#, "/x:Enum"),
        (of(&json!({ "const": { "a": [1] } })), r#"{"x":{"a":[1.0]}}"#, ""),
        (of(&json!({ "type": "boolean" })), r#"{"x":"true"}"#, "/x:WrongType"),
        (of(&json!(false)), r#"{"x":1}"#, "/x:Never"),
        (
            of(&json!({ "type": "array", "items": { "type": "integer" }, "minItems": 2 })),
            r#"{"x":["a"]}"#,
            "/x/0:NotNumber /x:MinItems",
        ),
        (of(&json!({ "type": "array", "uniqueItems": true })), r#"{"x":[1,2,1.0]}"#, "/x:UniqueItems"),
        (
            of(&json!({ "prefixItems": [{ "type": "string" }], "items": false })),
            r#"{"x":["a","b"]}"#,
            "/x:MaxItems",
        ),
        (of(&json!({ "type": "object", "minProperties": 1 })), r#"{"x":{}}"#, "/x:MinProperties"),
        (
            of(&json!({ "additionalProperties": { "type": "integer" } })),
            r#"{"x":{"a/b":"b"}}"#,
            "/x/a~1b:NotNumber",
        ),
        (
            json!({ "type": "object", "additionalProperties": false, "required": ["q"] }),
            r#"{"y":1}"#,
            "/q:Required /y:UnknownProperty",
        ),
        (json!({ "type": "object", "properties": {} }), r#"{"y":1}"#, ""),
        (of(&shapes), r#"{"x":2}"#, "/x:Minimum"),
        (
            of(&json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }] })),
            r#"{"x":true}"#,
            "/x:WrongType",
        ),
        (of(&json!({ "oneOf": [{ "minimum": 1 }, { "minimum": 2 }] })), r#"{"x":3}"#, "/x:OneOf"),
        (of(&json!({ "not": { "const": "x" } })), r#"{"x":"x"}"#, "/x:Not"),
        (of(&json!({ "contains": { "const": 1 } })), r#"{"x":[2]}"#, "/x:Contains"),
        (of(&json!({ "propertyNames": { "pattern": "^a" } })), r#"{"x":{"b":1}}"#, "/x/b:PropertyNames"),
        (
            of(&json!({ "unevaluatedItems": false, "prefixItems": [true] })),
            r#"{"x":[1,2]}"#,
            "/x:UnknownItems",
        ),
        (
            of(&json!({ "additionalProperties": false })),
            r#"{"x":{"y":1,"z":2}}"#,
            "/x/y:UnknownProperty /x/z:UnknownProperty",
        ),
        (of(&json!({ "unevaluatedProperties": false })), r#"{"x":{"y":1}}"#, "/x/y:UnknownProperty"),
        (
            of(&json!({ "properties": { "y": false }, "additionalProperties": false })),
            r#"{"x":{"y":1}}"#,
            "/x/y:Never",
        ),
        (json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] } }), r#"{"a":1}"#, "/b:Required"),
        (json!({ "dependentRequired": { "a": ["b"] } }), r#"{"a":1}"#, "/b:Required"),
        (json!({ "dependentSchemas": { "a": { "required": ["b"] } } }), r#"{"a":1}"#, "/b:Required"),
        (json!({ "patternProperties": { "^n": { "type": "number" } } }), r#"{"n1":"a"}"#, "/n1:NotNumber"),
        (
            json!({ "allOf": [{ "properties": { "a": true } }], "unevaluatedProperties": false }),
            r#"{"a":1,"b":2}"#,
            "/b:UnknownProperty",
        ),
    ] {
        assert_eq!(problems(&schema.to_string(), value), expected, "{schema} {value}");
    }
    let named =
        check(&string_and(&json!({ "minLength": 3 })).to_string(), r#"{"x":"a"}"#, &ChosenSchemas::new());
    assert_eq!(named.problems[0].detail.as_deref(), Some("3"));
}

// Requirements: SCH-05.
#[test]
fn numbers_are_checked_to_the_digit() {
    let whole = r#"{"type":"object","properties":{"x":{"type":"integer","maximum":9007199254740993}}}"#;
    let huge = r#"{"properties":{"x":{"minimum":1e400,"multipleOf":3}}}"#;
    let listed = r#"{"properties":{"x":{"enum":[12345678901234567890123]}}}"#;
    for (schema, value, expected) in [
        (whole, "9007199254740994", "/x:Maximum"),
        (whole, "9007199254740993", ""),
        (whole, "12345678901234567890.10", "/x:Maximum /x:NotInteger"),
        (huge, "1e399", "/x:Minimum /x:MultipleOf"),
        (huge, "3e400", ""),
        (listed, "12345678901234567890123.0", ""),
        (listed, "12345678901234567890124", "/x:Enum"),
        (r#"{"properties":{"x":{"multipleOf":0.1}}}"#, "0.3", ""),
        (r#"{"properties":{"x":{"multipleOf":0.1}}}"#, "0.35", "/x:MultipleOf"),
        (r#"{"properties":{"x":{"multipleOf":2}}}"#, "100000000000000000001", "/x:MultipleOf"),
        (r#"{"properties":{"x":{"exclusiveMinimum":0.3}}}"#, "0.30000000000000000001", ""),
        (r#"{"properties":{"x":{"uniqueItems":true}}}"#, r#"[2,2.5,"2",-2,[2],{"2":2}]"#, ""),
        (r#"{"properties":{"x":{"uniqueItems":true}}}"#, "[0.0,-0.0]", "/x:UniqueItems"),
        (r#"{"properties":{"x":{"uniqueItems":true}}}"#, "[1e16,10000000000000000]", "/x:UniqueItems"),
        (
            r#"{"properties":{"x":{"uniqueItems":true}}}"#,
            r#"[{"a":1,"b":2},{"b":2.0,"a":1}]"#,
            "/x:UniqueItems",
        ),
        (r#"{"properties":{"x":{"uniqueItems":true}}}"#, "[9007199254740992,9007199254740993]", ""),
    ] {
        assert_eq!(problems(schema, &format!(r#"{{"x":{value}}}"#)), expected, "{schema} {value}");
    }
}

// Requirements: ELIC-11.
#[test]
fn a_text_has_the_format_that_is_asked_for_or_not() {
    for (format, good, bad) in [
        (
            "email",
            &["a@b", "first.last+tag@example.org", "ü@exämple.de"][..],
            &["", "a", "@b", "a@", "a b@c", "a@b@c", "a@.b", "a@b\n"][..],
        ),
        (
            "uri",
            &["https://example.org/x?y#z", "mailto:a@b", "urn:isbn:1"],
            &["", "example.org", "/x", "https://", "http://a b", "//x"],
        ),
        (
            "date",
            &["2026-07-28", "2024-02-29", "2000-02-29"],
            &[
                "2026-7-28",
                "2026-02-29",
                "1900-02-29",
                "2026-13-01",
                "2026-00-10",
                "2026-04-31",
                "28.07.2026",
                "",
            ],
        ),
        (
            "date-time",
            &["2026-07-28T10:30:00Z", "2026-07-28t23:59:60.25Z", "2026-07-28T00:00:00.123456-23:59"],
            &[
                "2026-07-28",
                "2026-07-28 10:30:00Z",
                "2026-07-28T10:30Z",
                "2026-07-28T24:00:00Z",
                "2026-07-28T10:30:00",
                "2026-07-28T10:30:00+2",
                "2026-07-28T10:30:00.Z",
                "2026-07-28T10:30:61Z",
                "2026-07-28T10:30:00+24:00",
                // A leap second is only at the end of a day in UTC (RFC 3339, 5.7).
                "2026-07-28T23:59:60.25+02:00",
            ],
        ),
        ("time", &["14:30:00Z", "01:59:60+02:00"], &["14:30", "25:00:00Z", "14:30:00"]),
        ("uuid", &["01890A5D-ac96-774b-bcce-b302099a8057"], &["01890a5dac96774bbcceb302099a8057", ""]),
    ] {
        let schema = json!({ "format": format }).to_string();
        for text in good {
            assert_eq!(problems(&schema, &json!(text).to_string()), "", "{format} {text:?}");
        }
        for text in bad {
            assert_eq!(problems(&schema, &json!(text).to_string()), ":Format", "{format} {text:?}");
        }
    }
}

// Requirements: SCH-05.
#[test]
fn every_dialect_is_read() {
    let draft4 = "http://json-schema.org/draft-04/schema#";
    for (schema, value, expected) in [
        (json!({ "$schema": draft4, "minimum": 0, "exclusiveMinimum": true }), "0", ":ExclusiveMinimum"),
        (json!({ "$schema": draft4, "minimum": 0, "exclusiveMinimum": false }), "0", ""),
        (
            json!({ "$schema": draft4, "items": [{ "type": "string" }], "additionalItems": false }),
            r#"["a",1]"#,
            ":MaxItems",
        ),
        (
            json!({ "items": [{ "type": "string" }], "additionalItems": { "type": "boolean" } }),
            r#"["a",1]"#,
            "/1:WrongType",
        ),
        (
            json!({ "$schema": draft4, "dependencies": { "a": ["b"], "c": { "required": ["d"] } } }),
            r#"{"a":1,"c":1}"#,
            "/b:Required /d:Required",
        ),
        (
            json!({ "$schema": draft4, "id": "https://example.com/a", "properties": { "x": { "$ref": "#/definitions/n" } }, "definitions": { "n": { "type": "number" } } }),
            r#"{"x":"a"}"#,
            "/x:NotNumber",
        ),
        (
            json!({ "$schema": "https://json-schema.org/draft/2019-09/schema", "properties": { "x": { "$recursiveRef": "#" } }, "required": ["x"] }),
            r#"{"x":{}}"#,
            "/x/x:Required",
        ),
        (json!({ "$schema": "https://example.com/nobody/knows", "type": "string" }), "1", ":WrongType"),
        (
            json!({ "$dynamicRef": "#n", "$defs": { "n": { "$dynamicAnchor": "n", "type": "number" } } }),
            r#""a""#,
            ":NotNumber",
        ),
        (
            json!({ "$ref": "#/$defs/n", "maximum": 1, "$defs": { "n": { "type": "number" } } }),
            "2",
            ":Maximum",
        ),
        // Handwritten schemas, and type names of programming languages.
        (json!({ "properties": { "x": { "type": "string", "required": true } } }), "{}", "/x:Required"),
        (json!({ "type": "str" }), "1", ":WrongType"),
        (json!({ "type": "Optional[int]" }), "null", ""),
        (json!({ "type": "List[int]" }), r#"["a"]"#, "/0:NotNumber"),
        (json!({ "type": "any" }), "1", ""),
        (json!({ "type": "string", "nullable": true }), "null", ""),
        (json!({ "enum": ["a"], "nullable": true }), "null", ""),
        (
            json!({ "$ref": "#/$defs/a", "nullable": true, "$defs": { "a": { "type": "string" } } }),
            "null",
            "",
        ),
        (json!({ "type": "integer", "enum": ["1", "2"] }), r#""1""#, ""),
        (json!({ "minLength": 2 }), "5", ":WrongType"),
        (json!({ "not": { "minLength": 2 } }), "5", ":Not"),
        (json!({ "type": "object", "properties": [], "required": [] }), "{}", ""),
        (json!([]), "{}", ""),
    ] {
        assert_eq!(problems(&schema.to_string(), value), expected, "{schema} {value}");
    }
}

// Requirements: SCH-05.
#[test]
fn what_cannot_be_checked_is_named_and_not_called_wrong() {
    for (x, rule, why) in [
        (json!({ "$ref": "https://example.com/schema.json#/A" }), "$ref", UncheckedReason::RemoteRef),
        (json!({ "$ref": "file:///etc/passwd" }), "$ref", UncheckedReason::RemoteRef),
        (json!({ "$ref": "#/$defs/Nowhere" }), "$ref", UncheckedReason::MissingRef),
        (json!({ "$ref": 7 }), "$ref", UncheckedReason::Malformed),
        (json!({ "pattern": "(?=x)" }), "pattern", UncheckedReason::Pattern),
        (json!({ "pattern": 7 }), "pattern", UncheckedReason::Pattern),
        (json!({ "patternProperties": { "(?=x)": true } }), "patternProperties", UncheckedReason::Pattern),
        (json!({ "type": "money" }), "type", UncheckedReason::Malformed),
        (json!({ "type": 7 }), "type", UncheckedReason::Malformed),
        (json!({ "minimum": "0" }), "minimum", UncheckedReason::Malformed),
        (json!({ "multipleOf": 0 }), "multipleOf", UncheckedReason::Malformed),
        (json!({ "minLength": -1 }), "minLength", UncheckedReason::Malformed),
        (json!({ "properties": 7 }), "properties", UncheckedReason::Malformed),
        (json!({ "allOf": {} }), "allOf", UncheckedReason::Malformed),
        (json!({ "oneOf": [] }), "oneOf", UncheckedReason::Malformed),
        (json!("x"), "", UncheckedReason::Malformed),
        (json!(null), "", UncheckedReason::Malformed),
    ] {
        let left = unchecked(&of(&x));
        if x == json!({ "allOf": {} }) {
            // This counts as a list with one item.
            assert_eq!(left, []);
            continue;
        }
        assert_eq!(left, [(rule.to_owned(), why)], "{x}");
        assert_eq!(problems(&of(&x).to_string(), "{}"), "", "{x}");
    }
    let whole = |schema: &str, value: &str| check(schema, value, &ChosenSchemas::new()).unchecked[0].why;
    assert_eq!(whole("{", "{}"), UncheckedReason::TooLarge);
    assert_eq!(whole("{}", "{"), UncheckedReason::TooLarge);
    assert_eq!(
        whole(&format!(r#"{{"title":"{}"}}"#, "x".repeat(256 << 10)), "{}"),
        UncheckedReason::TooLarge
    );
    assert_eq!(whole("{}", &format!(r#""{}""#, "x".repeat(1 << 20))), UncheckedReason::TooLarge);
    assert_eq!(whole("{}", &"[".repeat(100_000)), UncheckedReason::TooLarge);
    assert_eq!(whole(&format!("{}1{}", "[".repeat(200), "]".repeat(200)), "1"), UncheckedReason::TooLarge);
    let deep = (0..70).fold(json!({ "type": "string" }), |inner, _| json!({ "items": inner }));
    assert_eq!(unchecked(&deep), [(String::new(), UncheckedReason::Deep)]);
    let names = Value::Object((0..1_050).map(|n| (n.to_string(), json!({ "minimum": "x" }))).collect());
    assert_eq!(unchecked(&json!({ "properties": names })).len(), 1_000);
    let long = "a".repeat(100_000);
    let left = check(&json!({ "pattern": long }).to_string(), "1", &ChosenSchemas::new()).unchecked;
    assert_eq!(
        left,
        [UncheckedRule { rule: "pattern".to_owned(), asked: Some(long), why: UncheckedReason::Pattern }]
    );
}

// Requirements: SCH-05.
#[test]
fn a_name_that_stands_twice_counts_as_it_stands_last() {
    assert_eq!(
        problems(r#"{"properties":{"x":{"type":"string","type":"number"}}}"#, r#"{"x":"a","x":1}"#),
        ""
    );
}

#[test]
fn problems_are_those_of_the_chosen_or_nearest_alternative() {
    let lengths =
        json!({ "oneOf": [{ "type": "string", "minLength": 3 }, { "type": "string", "maxLength": 1 }] });
    let codes = |schema: &Value, value: &str, chosen: Option<u32>| {
        let chosen = chosen.map(|index| ("/x".to_owned(), index)).into_iter().collect();
        let SchemaCheck { problems, .. } = check(&of(schema).to_string(), value, &chosen);
        problems
            .iter()
            .map(|problem| format!("{}:{:?}", problem.at, problem.code))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(codes(&lengths, r#"{"x":"ab"}"#, Some(0)), "/x:MinLength");
    assert_eq!(codes(&lengths, r#"{"x":"ab"}"#, Some(1)), "/x:MaxLength");
    assert_eq!(codes(&lengths, r#"{"x":"ab"}"#, Some(7)), "/x:MinLength");
    let shapes = json!({ "oneOf": [
        { "type": "object", "properties": { "kind": { "const": "circle" }, "r": { "type": "number" } }, "required": ["kind", "r"] },
        { "type": "object", "properties": { "kind": { "const": "box" }, "w": { "type": "number" } }, "required": ["kind", "w"], "additionalProperties": false },
    ] });
    assert_eq!(codes(&shapes, r#"{"x":{"kind":"box"}}"#, None), "/x/w:Required");
    assert_eq!(codes(&shapes, r#"{"x":{"kind":"circle","w":1}}"#, None), "/x/r:Required");
    let absent = json!({ "oneOf": [
        { "properties": { "id": { "type": "integer" }, "name": { "not": {} } } },
        { "properties": { "id": { "not": {} }, "name": { "type": "integer" } } },
    ] });
    assert_eq!(codes(&absent, r#"{"x":{"name":"x"}}"#, Some(0)), "/x/name:Not");
}

// Requirements: SCH-05.
#[test]
fn references_lead_where_they_are_meant_and_never_elsewhere() {
    let schema = json!({
        "$id": "https://example.com/tools/search.json",
        "const": "the whole",
        "$defs": {
            "address": { "$id": "address.json", "const": "an address", "$defs": { "city": { "const": "its city" } } },
            "point": { "$id": "/geo/point", "const": "a point", "properties": { "axis": { "$anchor": "axis", "const": "its axis" } } },
            "old": { "id": "urn:jsonschema:org:acme:Old", "const": "an old one" },
            "named": { "$id": "#named", "const": "a name of before 2019" },
            "local": { "$anchor": "local", "const": "an anchor" },
            "a b/c": { "const": "escaped" },
        },
    });
    let leads = |schema: &Value, reference: &str, value: &str| {
        let mut schema = schema.clone();
        let members = schema.as_object_mut().unwrap();
        // The document is changed so that the value is only checked against the target of the reference.
        let whole = json!({ "anyOf": [{ "type": "object", "properties": { "x": { "$ref": reference } } }, { "const": members["const"] }] });
        members.remove("const");
        members.extend(whole.as_object().unwrap().clone());
        let value = json!({ "x": value }).to_string();
        let result = check(&schema.to_string(), &value, &ChosenSchemas::new());
        match result.unchecked.first() {
            Some(left) => format!("{:?}", left.why),
            None if result.problems.is_empty() => "fits".to_owned(),
            None => format!("{:?}", result.problems),
        }
    };
    for (reference, expected) in [
        ("address.json", "an address"),
        ("./address.json", "an address"),
        ("/tools/address.json", "an address"),
        ("https://example.com/tools/address.json", "an address"),
        ("address.json#", "an address"),
        ("address.json#/$defs/city", "its city"),
        ("/geo/point", "a point"),
        ("../geo/point", "a point"),
        ("/geo/point#axis", "its axis"),
        ("#axis", "its axis"),
        ("urn:jsonschema:org:acme:Old", "an old one"),
        ("#named", "a name of before 2019"),
        ("#local", "an anchor"),
        ("search.json#local", "an anchor"),
        ("#/$defs/a%20b~1c", "escaped"),
        ("https://example.com/tools/search.json", "the whole"),
        ("#", "the whole"),
    ] {
        assert_eq!(leads(&schema, reference, expected), "fits", "{reference}");
        assert_ne!(leads(&schema, reference, "another"), "fits", "{reference}");
    }
    assert_eq!(leads(&schema, "address.json#/$defs/street", "x"), "MissingRef");
    assert_eq!(leads(&schema, "https://example.org/tools/address.json", "x"), "RemoteRef");
    assert_eq!(leads(&schema, "other.json", "x"), "RemoteRef");
    let long = format!("urn:{}", "x".repeat(3_000));
    let by_long = json!({ "const": "", "$defs": { "a": { "$id": long, "const": "long" } } });
    assert_eq!(leads(&by_long, &long, "long"), "fits");
    let nested = json!({
        "$id": "https://example.com/a/root.json",
        "$ref": "inner/",
        "$defs": {
            "shared": { "const": "of the whole" },
            "inner": {
                "$id": "inner/",
                "$defs": { "own": { "const": "of the part" } },
                "properties": { "a": { "$ref": "#/$defs/own" }, "b": { "$ref": "#/$defs/shared" }, "c": { "$ref": "deep.json" } },
            },
            "deep": { "$id": "https://example.com/a/inner/deep.json", "const": "beside the part" },
        },
    })
    .to_string();
    assert_eq!(problems(&nested, r#"{"a":"of the part","b":"of the whole","c":"beside the part"}"#), "");
    assert_eq!(problems(&nested, r#"{"a":1,"b":1,"c":1}"#), "/a:Enum /b:Enum /c:Enum");
}

// Requirements: SCH-05.
#[test]
fn recorded_checks_are_what_the_engine_says() {
    // The window's tests use these recorded results.
    const RECORDED: &str = include_str!("../../../../ui/dev/mock/checks.json");
    let recorded: Vec<Value> = serde_json::from_str(RECORDED).unwrap();
    let mut said_now = recorded.clone();
    for one in &mut said_now {
        let said = check(&one["schema"].to_string(), one["value"].as_str().unwrap(), &ChosenSchemas::new());
        one["check"] = serde_json::to_value(said).unwrap();
    }
    assert!(said_now == recorded, "ui/dev/mock/checks.json has to be:\n{}", Value::from(said_now));
}

fn many(count: usize, make: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(make).collect()
}

fn definitions(count: usize, make: impl Fn(usize) -> Value) -> Map<String, Value> {
    (0..count).map(|index| (format!("d{index}"), make(index))).collect()
}

// Requirements: SCH-05, ELIC-12.
#[test]
fn a_schema_that_asks_for_more_than_its_size_ends_soon() {
    let to = |index: usize| json!({ "$ref": format!("#/$defs/d{index}") });
    let twice = |keyword: &str, last: Value| {
        let mut all = definitions(60, |index| json!({ keyword: [to(index + 1), to(index + 1)] }));
        all.insert("d60".to_owned(), last);
        json!({ "$ref": "#/$defs/d0", "$defs": all })
    };
    let below = |keyword: &str| {
        let inside = |index: usize| json!({ "properties": { "a": to(index) } });
        json!({ "$ref": "#/$defs/d0", "$defs": definitions(1, |_| json!({ keyword: [inside(0), inside(0)] })) })
    };
    let nested = format!("{}1{}", r#"{"a":"#.repeat(90), "}".repeat(90));
    let chain =
        definitions(2_500, |index| if index == 2_499 { json!({ "type": "string" }) } else { to(index + 1) });
    let lists = json!({ "allOf": many(4_000, |_| json!({ "$ref": "#/$defs/a" })), "$defs": { "a": { "required": many(12_000, |n| json!(format!("n{n}"))) } } });
    let refined =
        definitions(40, |index| json!({ "allOf": [to((index + 1) % 40)], "unevaluatedProperties": false }));
    for (what, schema, value) in [
        ("itself", json!({ "$ref": "#" }), "1".to_owned()),
        (
            "itself, named",
            json!({ "$id": "https://example.com/a", "$ref": "https://example.com/a" }),
            "{}".to_owned(),
        ),
        (
            "each other",
            json!({ "$ref": "#/$defs/d0", "$defs": { "d0": to(1), "d1": to(0) } }),
            "1".to_owned(),
        ),
        (
            "an alternative of itself",
            json!({ "$ref": "#/$defs/d0", "$defs": { "d0": { "anyOf": [to(0), to(0), { "type": "string" }] } } }),
            "5".to_owned(),
        ),
        ("what it is not", json!({ "not": { "$ref": "#" } }), "5".to_owned()),
        ("twice all of", twice("allOf", json!({ "type": "string" })), "5".to_owned()),
        ("twice any of", twice("anyOf", json!({ "type": "string" })), "5".to_owned()),
        ("twice one of", twice("oneOf", json!({ "type": "string" })), "{}".to_owned()),
        ("twice at each level, all of", below("allOf"), nested.clone()),
        ("twice at each level, any of", below("anyOf"), nested.clone()),
        ("twice at each level, one of", below("oneOf"), nested.clone()),
        ("a long chain", json!({ "$ref": "#/$defs/d0", "$defs": chain }), "5".to_owned()),
        (
            "a long chain that nothing follows",
            json!({ "properties": { "x": { "$ref": "#/$defs/d0" } }, "$defs": chain }),
            "{}".to_owned(),
        ),
        ("a chain of 900", json!({ "items": { "$ref": "#/$defs/d1600" }, "$defs": chain }), "[5]".to_owned()),
        ("a long list of names, again and again", lists, "{}".to_owned()),
        (
            "what is left over, in a circle",
            json!({ "$ref": "#/$defs/d0", "$defs": refined }),
            r#"{"a":{"b":1}}"#.to_owned(),
        ),
    ] {
        let begun = Instant::now();
        let result = check(&schema.to_string(), &value, &ChosenSchemas::new());
        assert!(begun.elapsed() < Duration::from_secs(5), "{what}: {:?}", begun.elapsed());
        assert!(result.problems.len() <= 1_000, "{what}");
    }
    let wide = Value::Object((0..10_001).map(|index| (format!("p{index}"), json!({}))).collect());
    assert_eq!(
        check(&json!({ "properties": wide }).to_string(), "{}", &ChosenSchemas::new()).unchecked[0].why,
        UncheckedReason::TooLarge
    );
}

// Requirements: SCH-05, ELIC-12.
#[test]
fn a_large_value_is_checked_quickly_or_not_at_all() {
    let begun = Instant::now();
    // A list of many values.
    let listed = json!({ "items": { "enum": many(25_000, Into::into) } }).to_string();
    let values = Value::from(many(15_000, |index| json!(24_000 + index % 1_001)));
    let found = check(&listed, &values.to_string(), &ChosenSchemas::new());
    assert_eq!(found.problems.len(), 14);
    assert!(found.problems.iter().all(|problem| problem.code == SchemaProblemCode::Enum));
    // Many problems, of which the first 1,000 are reported.
    let texts = Value::from(many(15_000, |index| index.to_string().into())).to_string();
    assert_eq!(check(r#"{"items":{"type":"integer"}}"#, &texts, &ChosenSchemas::new()).problems.len(), 1_000);
    // A check that costs much reports the first problem. A check that costs too much reports none.
    let parts = |count: usize| {
        json!({ "items": { "allOf": many(count, |_| json!({ "type": "integer" })) } }).to_string()
    };
    assert_eq!(check(&parts(20), &texts, &ChosenSchemas::new()).problems.len(), 1);
    assert_eq!(
        check(&parts(1_000), &texts, &ChosenSchemas::new()).unchecked[0].why,
        UncheckedReason::TooMuch
    );
    let missing = json!({ "items": { "required": many(20_000, |n| json!(format!("n{n}"))) } }).to_string();
    let objects = Value::from(many(15_000, |_| json!({}))).to_string();
    assert_eq!(check(&missing, &objects, &ChosenSchemas::new()).unchecked[0].why, UncheckedReason::TooMuch);
    // Patterns that are large, and a long text.
    let slow = json!({ "pattern": "(?:a*){1000}x" }).to_string();
    let long = Value::from(format!("{}!", "a".repeat(500_000))).to_string();
    let result = check(&slow, &long, &ChosenSchemas::new());
    assert!(result.unchecked.len() == 1 && result.problems.is_empty(), "{result:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}
