//! Tests every kind of field, every constraint, and schemas that a form can't represent.

use serde_json::json;
use serde_json::value::RawValue;

use super::*;

fn form(properties: &serde_json::Value) -> Form {
    let schema = json!({ "type": "object", "properties": properties });
    Form::from_schema(&RawValue::from_string(schema.to_string()).unwrap()).unwrap()
}

/// The paths of the oddities.
fn odd(form: &Form) -> Vec<&str> {
    form.oddities.iter().map(|odd| odd.path.strip_prefix("requestedSchema.").unwrap()).collect()
}

/// Whether a form with only this field accepts a value.
fn takes(field: &serde_json::Value, value: &serde_json::Value) -> bool {
    let form = form(&json!({ "f": field }));
    assert_eq!(odd(&form), [""; 0], "{field}");
    form.mistakes(&Content::from_iter([("f".to_owned(), value.clone())])).is_empty()
}

// Requirements: ELIC-11, ELIC-13, ELIC-14, ELIC-16.
#[test]
fn each_constraint_of_every_shape_of_field_is_kept() {
    let titled = json!([{ "const": "r", "title": "Red" }, { "const": "b", "title": "Blue" }]);
    let choices = json!({ "type": "array", "items": { "type": "string", "enum": ["r", "b", "g"] } });
    let bounded = json!({ "type": "array", "items": { "anyOf": titled }, "minItems": 1, "maxItems": 1 });
    for (field, good, bad) in [
        (json!({ "type": "string" }), json!(["", "x", "\u{0}"]), json!([1, null, true, [], {}])),
        (
            json!({ "type": "string", "minLength": 2, "maxLength": 3 }),
            json!(["ab", "日本語", "😀😀"]),
            json!(["a", "😀", "abcd"]),
        ),
        (json!({ "type": "string", "format": "email" }), json!(["a@b"]), json!(["a"])),
        (json!({ "type": "string", "pattern": "^[A-Z]{2}$" }), json!(["AB"]), json!(["ab", "ABC", "AB\n"])),
        (
            json!({ "type": "number", "minimum": 0.5, "maximum": 2 }),
            json!([0.5, 1, 2.0]),
            json!([0.4, 2.1, "1", null]),
        ),
        (
            json!({ "type": "integer" }),
            json!([0, -3, 2.0, 1e3, 9_007_199_254_740_993_u64]),
            json!([0.5, "1", true]),
        ),
        (
            json!({ "type": "integer", "minimum": 9_007_199_254_740_993_i64 }),
            json!([9_007_199_254_740_993_i64]),
            json!([9_007_199_254_740_992_i64]),
        ),
        (
            json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5 }),
            json!([0.1, 1, 1.4]),
            json!([0, -1, 1.5, 2]),
        ),
        (
            json!({ "type": "integer", "exclusiveMinimum": 9_007_199_254_740_992_i64, "multipleOf": 3 }),
            json!([9_007_199_254_740_993_i64]),
            json!([9_007_199_254_740_992_i64, 9_007_199_254_740_994_i64]),
        ),
        (json!({ "type": "number", "multipleOf": 0.1 }), json!([0, 0.3, -1.1, 7]), json!([0.35, 1e-3])),
        (json!({ "type": "boolean" }), json!([true, false]), json!(["true", 0, null])),
        (json!({ "type": "string", "enum": ["r", "b"] }), json!(["r", "b"]), json!(["g", "", 1])),
        (json!({ "enum": ["r", "b"] }), json!(["r"]), json!(["g"])),
        (
            json!({ "type": "string", "enum": ["r", "b"], "enumNames": ["Red", "Blue"] }),
            json!(["r"]),
            json!(["Red"]),
        ),
        (json!({ "type": "string", "oneOf": titled }), json!(["r", "b"]), json!(["Red", "g"])),
        (choices, json!([[], ["r"], ["g", "b"]]), json!([["x"], ["r", "r"], "r", [1], null])),
        (bounded, json!([["r"]]), json!([[], ["r", "b"], ["Red"]])),
    ] {
        for value in good.as_array().unwrap() {
            assert!(takes(&field, value), "{field} takes {value}");
        }
        for value in bad.as_array().unwrap() {
            assert!(!takes(&field, value), "{field} does not take {value}");
        }
    }
}

// Requirements: ELIC-13.
#[test]
fn choices_keep_their_titles_and_answer_with_their_values() {
    let of = |field: serde_json::Value| match form(&json!({ "f": field })).fields.remove(0).kind {
        FieldKind::One { choices } | FieldKind::Several { choices, .. } => choices,
        kind => panic!("{kind:?}"),
    };
    let red = |title: Option<&str>| vec![Choice { value: "r".into(), title: title.map(str::to_owned) }];
    assert_eq!(of(json!({ "type": "string", "enum": ["r"] })), red(None));
    assert_eq!(of(json!({ "type": "string", "enum": ["r"], "enumNames": ["Red"] })), red(Some("Red")));
    assert_eq!(
        of(json!({ "type": "string", "oneOf": [{ "const": "r", "title": "Red" }] })),
        red(Some("Red"))
    );
    let items = json!({ "anyOf": [{ "const": "r", "title": "Red" }] });
    assert_eq!(of(json!({ "type": "array", "items": items })), red(Some("Red")));
}

// Requirements: ELIC-15.
#[test]
fn answerable_defaults_are_proposed_and_others_reported() {
    let form = form(&json!({
        "text": { "type": "string", "default": "x", "maxLength": 3 },
        "number": { "type": "number", "default": 1.5 },
        "whole": { "type": "integer", "default": 3 },
        "flag": { "type": "boolean", "default": false },
        "one": { "type": "string", "enum": ["r"], "default": "r" },
        "some": { "type": "array", "items": { "enum": ["r", "b"] }, "default": ["b"] },
        "none": { "type": "string" },
        "long": { "type": "string", "default": "xxxx", "maxLength": 3 },
        "other": { "type": "string", "enum": ["r"], "default": "g" },
    }));
    let proposed =
        json!({ "text": "x", "number": 1.5, "whole": 3, "flag": false, "one": "r", "some": ["b"] });
    assert_eq!(serde_json::Value::from(form.defaults()), proposed);
    assert_eq!(odd(&form), ["properties.long.default", "properties.other.default"]);
    let names: Vec<_> = form.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["text", "number", "whole", "flag", "one", "some", "none", "long", "other"]);
}

// Requirements: ELIC-17.
#[test]
fn what_goes_beyond_a_flat_form_is_refused_by_name() {
    let refused = |schema: serde_json::Value| {
        let raw = RawValue::from_string(schema.to_string()).unwrap();
        Form::from_schema(&raw).unwrap_err().into_sentence().to_string()
    };
    let field = |field: serde_json::Value| refused(json!({ "properties": { "f": field } }));
    for (message, path) in [
        (refused(json!([1])), "requestedSchema"),
        (refused(json!({ "type": "array" })), "requestedSchema"),
        (refused(json!({ "properties": [1] })), "requestedSchema.properties"),
        (
            refused(json!({ "anyOf": [{ "type": "object" }, { "type": "object", "title": "x" }] })),
            "requestedSchema",
        ),
        (field(json!(false)), "requestedSchema.properties.f"),
        (field(json!({ "type": "object" })), "requestedSchema.properties.f"),
        (field(json!({ "type": "dict" })), "requestedSchema.properties.f"),
        (
            field(json!({ "anyOf": [{ "type": "object" }, { "type": "null" }] })),
            "requestedSchema.properties.f",
        ),
        (field(json!({ "properties": { "g": { "type": "string" } } })), "requestedSchema.properties.f"),
        (field(json!({ "type": ["string", "object"] })), "requestedSchema.properties.f"),
        (
            field(json!({ "type": "array", "items": { "type": "object" } })),
            "requestedSchema.properties.f.items",
        ),
        (
            field(json!({ "type": "array", "items": { "type": "array" } })),
            "requestedSchema.properties.f.items",
        ),
        (field(json!({ "type": "string", "enum": [] })), "requestedSchema.properties.f.enum"),
        (field(json!({ "$ref": "#/x" })), "requestedSchema.properties.f"),
        (field(json!({ "$ref": "#/properties/f" })), "requestedSchema.properties.f"),
        (field(json!({ "$ref": "https://example.org/x.json" })), "requestedSchema.properties.f"),
    ] {
        assert!(message.starts_with(&format!("{path}: ")), "{message}");
    }
    let many: serde_json::Map<_, _> =
        (0..101).map(|number| (number.to_string(), json!({ "type": "string" }))).collect();
    assert!(refused(json!({ "properties": many })).contains("more than 100"));
    let many: Vec<_> = (0..1_001).map(|number| number.to_string()).collect();
    assert!(field(json!({ "enum": many })).contains("more than 1000"));
    assert!(field(json!({ "type": "string", "description": "x".repeat(256 << 10) })).contains("longer"));
}

// Requirements: ELIC-17.
#[test]
fn unsupported_schema_keywords_are_reported_and_the_form_stays() {
    let form = form(&json!({
        "f": { "type": "string", "format": "hostname", "pattern": "(?=x)", "minLength": -1, "x-hint": 1 },
        "n": { "type": "number", "minimum": "0", "exclusiveMaximum": true, "multipleOf": 0, "not": { "const": 1 } },
        "e": { "type": "string", "enum": ["a", "b"], "enumNames": ["A"] },
    }));
    assert_eq!(
        odd(&form),
        [
            "properties.f.pattern",
            "properties.f.format",
            "properties.f.minLength",
            "properties.f.x-hint",
            "properties.n.minimum",
            "properties.n.exclusiveMaximum",
            "properties.n.multipleOf",
            "properties.n.not",
            "properties.e.enumNames",
        ]
    );
    assert_eq!(form.fields.len(), 3);
    let odd = &form.oddities[0];
    assert_eq!(
        (odd.asked.as_str(), odd.what.as_str()),
        (r#""(?=x)""#, "can’t be checked here; the server checks it")
    );
    assert_eq!(form.oddities[7].asked, r#"{"const":1}"#);
}

// Requirements: ELIC-17.
#[test]
fn omitted_parts_of_a_form_are_listed_up_to_a_limit() {
    let with = |count: usize| {
        let mut field: serde_json::Map<_, _> =
            (0..count).map(|number| (format!("x{number}"), json!("y".repeat(1_000)))).collect();
        field.insert("type".to_owned(), json!("string"));
        form(&json!({ "f": field })).oddities
    };
    assert_eq!(with(50).len(), 50);
    assert!(with(50).iter().all(|odd| odd.asked.len() < 600 && odd.what.contains("left out")));
    let over = with(200);
    assert_eq!(over.len(), 51);
    assert!(over[50].what.contains("too much to list"));
}

// Requirements: ELIC-17.
#[test]
fn oddities_of_a_form_are_reported_with_their_path() {
    let of = |params: serde_json::Value| {
        let odd = request_oddities(&RawValue::from_string(params.to_string()).unwrap());
        odd.iter().map(|(path, what)| format!("{path}: {what}")).collect::<Vec<_>>()
    };
    let asks = |field: serde_json::Value| json!({ "requestedSchema": { "properties": { "f": field } } });
    assert_eq!(of(asks(json!({ "type": "string" }))), [""; 0]);
    assert_eq!(of(json!({ "mode": "url", "url": "https://example.org" })), [""; 0]);
    assert_eq!(
        of(asks(json!({ "type": "string", "format": "hostname" }))),
        ["elicitation/create.requestedSchema.properties.f.format: isn’t supported in forms and was left out"]
    );
    let why = "requestedSchema.properties.f: is an object inside the form";
    assert_eq!(
        of(asks(json!({ "type": "object" }))),
        [format!("elicitation/create: the form can’t be answered: {why}")]
    );
}

// Requirements: ELIC-16.
#[test]
fn an_answer_says_everything_that_is_wrong_with_it() {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": "string" }, "b": { "type": "integer" } },
        "required": ["a", "absent"],
        "additionalProperties": false,
    });
    let form = Form::from_schema(&RawValue::from_string(schema.to_string()).unwrap()).unwrap();
    assert_eq!(odd(&form), ["required"]);
    let wrong = |content: serde_json::Value| {
        let serde_json::Value::Object(content) = content else { panic!("{content}") };
        form.mistakes(&content).into_iter().map(|mistake| mistake.field).collect::<Vec<_>>()
    };
    assert_eq!(wrong(json!({ "a": "x" })), [""; 0]);
    assert_eq!(wrong(json!({ "a": "x", "b": 1 })), [""; 0]);
    assert_eq!(wrong(json!({ "b": 0.5, "c": 1 })), ["a", "b", "c"]);
}

// Requirements: ELIC-16.
#[test]
fn what_is_wrong_with_a_field_is_said_in_words() {
    let several = json!({ "type": "array", "items": { "enum": ["r", "b"] }, "minItems": 1, "maxItems": 1 });
    let list = json!({ "type": "array", "items": { "type": "integer", "minimum": 2 }, "maxItems": 3, "uniqueItems": true });
    let either = json!({ "anyOf": [{ "type": "string", "minLength": 2 }, { "type": "array", "items": { "type": "string" } }] });
    for (field, value, expected) in [
        (json!({ "type": "string" }), json!(1), "isn’t text"),
        (json!({ "type": "string" }), json!(null), "isn’t text"),
        (json!({ "type": "string" }), json!("x".repeat((256 << 10) + 1)), "is longer than 262144 bytes"),
        (json!({ "type": "string", "minLength": 2 }), json!("a"), "is shorter than 2 characters"),
        (json!({ "type": "string", "maxLength": 2 }), json!("abc"), "is longer than 2 characters"),
        (
            json!({ "type": "string", "format": "url" }),
            json!("abc"),
            "isn’t a URL; write it as https://example.com",
        ),
        (json!({ "type": "string", "pattern": "/^a$/i" }), json!("b"), "doesn’t match /^a$/i"),
        (
            json!({ "type": "string", "pattern": "^a$", "maxLength": 1 }),
            json!("bb"),
            "is longer than 1 characters",
        ),
        (json!({ "type": "number" }), json!("1"), "isn’t a number"),
        (json!({ "type": "integer" }), json!(true), "isn’t a number"),
        (json!({ "type": "integer" }), json!(1.5), "isn’t a whole number"),
        (json!({ "type": "integer", "maximum": 1 }), json!(1.5), "isn’t a whole number"),
        (json!({ "type": "number", "minimum": 2.5 }), json!(1), "is less than 2.5"),
        (json!({ "type": "number", "maximum": 2 }), json!(3), "is more than 2"),
        (json!({ "type": "number", "exclusiveMinimum": 2 }), json!(2), "must be more than 2"),
        (json!({ "type": "number", "exclusiveMaximum": 2 }), json!(2), "must be less than 2"),
        (json!({ "type": "number", "multipleOf": 0.1 }), json!(0.25), "isn’t a multiple of 0.1"),
        (json!({ "type": "boolean" }), json!("x"), "is neither true nor false"),
        (json!({ "enum": ["r", "b"] }), json!("g"), "isn’t one of the choices"),
        (json!({ "enum": ["r", "b"] }), json!(null), "isn’t one of the choices"),
        (several.clone(), json!("r"), "isn’t a list of choices"),
        (several.clone(), json!(["x", "y"]), "has something that isn’t one of the choices"),
        (several.clone(), json!(["r", "r"]), "has the same choice twice: r"),
        (several.clone(), json!(["r", "b"]), "has more than 1 choices"),
        (several, json!([]), "has fewer than 1 choices"),
        (list.clone(), json!({}), "isn’t a list"),
        (list.clone(), json!([1, 2, 3, 4]), "has more than 3 entries"),
        (list.clone(), json!([2, "x"]), "entry 2 isn’t a number"),
        (list.clone(), json!([2, 1]), "entry 2 is less than 2"),
        (list, json!([2, 2.0]), "has the same entry twice"),
        (either.clone(), json!(true), "has none of the allowed types"),
        (either.clone(), json!("a"), "is shorter than 2 characters"),
        (either, json!(["a", 1]), "entry 2 isn’t text"),
    ] {
        let Field { kind, nullable, .. } = form(&json!({ "f": field })).fields.remove(0);
        let field = Field {
            name: "a/b".to_owned(),
            title: None,
            description: None,
            required: true,
            nullable,
            kind,
            default: None,
        };
        let form = Form { fields: vec![field], oddities: Vec::new() };
        let content = Content::from_iter([("a/b".to_owned(), value)]);
        let said: Vec<_> =
            form.mistakes(&content).into_iter().map(|mistake| mistake.what.to_string()).collect();
        assert_eq!(said, [expected], "{content:?}");
        let said: Vec<_> =
            form.mistakes(&Content::new()).into_iter().map(|mistake| mistake.what.to_string()).collect();
        assert_eq!(said, ["is required"]);
    }
}

/// Reads a whole schema as a form.
fn read(schema: &serde_json::Value) -> Form {
    Form::from_schema(&RawValue::from_string(schema.to_string()).unwrap())
        .unwrap_or_else(|why| panic!("{why:?}"))
}

fn wrong(form: &Form, content: &serde_json::Value) -> Vec<String> {
    let serde_json::Value::Object(content) = content else { panic!("{content}") };
    form.mistakes(content).into_iter().map(|mistake| mistake.field).collect()
}

// Requirements: ELIC-11, ELIC-13, ELIC-15, ELIC-16.
#[test]
fn a_field_that_may_be_null_is_read_however_it_is_written() {
    for field in [
        json!({ "anyOf": [{ "type": "string", "maxLength": 3 }, { "type": "null" }], "default": null }),
        json!({ "oneOf": [{ "type": "null" }, { "maxLength": 3, "type": "string" }] }),
        json!({ "type": ["string", "null"], "maxLength": 3 }),
        json!({ "type": "string", "nullable": true, "maxLength": 3 }),
        json!({ "anyOf": [{ "$ref": "#/$defs/Short" }, { "const": null }] }),
        json!({ "anyOf": [{ "$ref": "#/$defs/Short" }, { "$ref": "#/$defs/None" }] }),
        json!({ "$ref": "#/$defs/MaybeShort" }),
        json!({ "allOf": [{ "$ref": "#/$defs/MaybeShort" }], "title": "Short" }),
        json!({ "anyOf": [{ "anyOf": [{ "type": "string" }, { "type": "null" }] }], "maxLength": 3 }),
    ] {
        let form = read(&json!({
            "type": "object",
            "properties": { "f": field },
            "$defs": {
                "Short": { "type": "string", "maxLength": 3 },
                "None": { "type": "null" },
                "MaybeShort": { "anyOf": [{ "$ref": "#/$defs/Short" }, { "type": "null" }] },
            },
        }));
        assert_eq!(odd(&form), [""; 0], "{field}");
        let asked = &form.fields[0];
        assert!(
            asked.nullable && matches!(asked.kind, FieldKind::Text { max: Some(3), .. }),
            "{field}: {asked:?}"
        );
        // The field may be left out, and null is also an answer.
        assert_eq!(form.defaults(), Content::default(), "{field}");
        for good in [json!({}), json!({ "f": null }), json!({ "f": "abc" })] {
            assert_eq!(wrong(&form, &good), [""; 0], "{field} {good}");
        }
        for bad in [json!({ "f": 1 }), json!({ "f": "abcd" })] {
            assert_eq!(wrong(&form, &bad), ["f"], "{field} {bad}");
        }
    }
    // A required field with the default null is answered with null.
    let form = read(&json!({
        "properties": { "f": { "anyOf": [{ "type": "integer" }, { "type": "null" }], "default": null } },
        "required": ["f"],
    }));
    assert_eq!(serde_json::Value::from(form.defaults()), json!({ "f": null }));
    assert_eq!(wrong(&form, &json!({})), ["f"]);
    let enums = json!({ "enum": ["a", null] });
    assert!(takes(&enums, &json!(null)) && takes(&enums, &json!("a")) && !takes(&enums, &json!("null")));
}

// Requirements: ELIC-11, ELIC-17.
#[test]
fn references_and_parts_are_followed_inside_the_schema() {
    let form = read(&json!({
        "$ref": "#/definitions/Args",
        "definitions": {
            "Args": {
                "type": "object",
                "properties": {
                    "name": { "$ref": "#/definitions/a%20b~1c", "description": "mine" },
                    "size": { "allOf": [{ "$ref": "#size" }, { "maximum": 10 }], "minimum": 2 },
                    "color": { "$ref": "#/definitions/Args/properties/paint" },
                    "paint": { "type": "string", "enum": ["red"] },
                },
                "required": ["name"],
            },
            "a b/c": { "type": "string", "minLength": 2, "description": "theirs" },
            "Size": { "$anchor": "size", "type": "integer", "minimum": 1, "maximum": 20 },
        },
    }));
    assert_eq!(odd(&form), [""; 0]);
    assert_eq!(form.fields[0].description.as_deref(), Some("mine"));
    assert_eq!(wrong(&form, &json!({ "name": "ab", "size": 2, "color": "red" })), [""; 0]);
    assert_eq!(wrong(&form, &json!({ "name": "a", "size": 1, "color": "blue" })), ["name", "size", "color"]);
    assert_eq!(wrong(&form, &json!({ "size": 11 })), ["name", "size"]);
}

// Requirements: ELIC-17.
#[test]
fn a_reference_that_multiplies_is_given_up_at_once() {
    let mut defs = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({ "$ref": format!("#/$defs/{}", level + 1) });
        defs.insert(level.to_string(), json!({ "allOf": [next, next] }));
    }
    let schema = json!({ "properties": { "f": { "$ref": "#/$defs/0" } }, "$defs": defs }).to_string();
    let why = Form::from_schema(&RawValue::from_string(schema).unwrap()).unwrap_err().into_sentence();
    assert_eq!(why, "requestedSchema.properties.f: refers to itself, or is nested too deeply");
}

// Requirements: ELIC-11, ELIC-17.
#[test]
fn types_by_other_names_are_read_and_told() {
    let form = form(&json!({
        "i": { "type": "int" }, "f": { "type": "Float" }, "s": { "type": "str" }, "b": { "type": "BOOLEAN" },
        "l": { "type": "list[str]" }, "o": { "type": "Optional[int]" }, "m": { "type": "money" }, "t": { "type": [] },
    }));
    let types = ["i", "f", "s", "b", "l", "o", "m"].map(|name| format!("properties.{name}.type"));
    assert_eq!(odd(&form), types);
    assert_eq!(form.oddities[0].what, "isn’t a JSON Schema type and was read as integer");
    let good =
        json!({ "i": 1, "f": 1.5, "s": "x", "b": true, "l": ["a"], "o": null, "m": { "chf": 2 }, "t": "x" });
    assert_eq!(wrong(&form, &good), [""; 0]);
    let bad = json!({ "i": 1.5, "f": "x", "s": 1, "b": 1, "l": [1], "o": "x" });
    assert_eq!(wrong(&form, &bad), ["i", "f", "s", "b", "l", "o"]);
}

// Requirements: ELIC-11, ELIC-14, ELIC-16.
#[test]
fn lists_of_values_and_values_of_several_types_are_asked_for() {
    for (field, good, bad) in [
        (
            json!({ "type": "array", "items": { "type": "string", "minLength": 1 } }),
            json!([[], ["a", "a"]]),
            json!(["a", [1], [""]]),
        ),
        (
            json!({ "type": "array", "items": { "type": "integer" }, "uniqueItems": true }),
            json!([[1, 2]]),
            json!([[1, 1.0], [1.5]]),
        ),
        (json!({ "type": "array", "minItems": 1 }), json!([[{}], ["a", 1]]), json!([[], {}])),
        (
            json!({ "type": ["string", "number", "null"], "maximum": 3 }),
            json!(["x", 3, null]),
            json!([4, true, []]),
        ),
        (
            json!({ "anyOf": [{ "type": "string", "format": "email" }, { "type": "array", "items": { "type": "string" } }] }),
            json!(["a@b", ["a"]]),
            json!(["a", 1, [1]]),
        ),
        (
            json!({ "type": ["string", "array", "null"], "items": { "type": "string" } }),
            json!(["x", ["x"], null]),
            json!([1, [1]]),
        ),
        (json!({}), json!([1, "x", {}, [[]], null]), json!([])),
        (json!(true), json!([1]), json!([])),
        (json!({ "minLength": 2 }), json!(["ab"]), json!(["a", 1])),
        (json!({ "const": 5 }), json!([5, 5.0]), json!(["5", 6])),
        (json!({ "type": "integer", "enum": [1, 2] }), json!([1, 2.0]), json!(["1", 3])),
        (
            json!({ "type": "array", "items": { "enum": [1, 2] } }),
            json!([[1], [2, 1]]),
            json!([[1, 1.0], [3]]),
        ),
        (
            json!({ "anyOf": [{ "const": 1, "title": "One" }, { "enum": ["a", "b"] }] }),
            json!([1, "b"]),
            json!(["One", 2]),
        ),
        (json!({ "type": "number", "minimum": 0, "exclusiveMinimum": true }), json!([0.1]), json!([0])),
        (json!({ "type": "number", "minimum": 0, "exclusiveMinimum": false }), json!([0]), json!([-1])),
    ] {
        for value in good.as_array().unwrap() {
            assert!(takes(&field, value), "{field} takes {value}");
        }
        for value in bad.as_array().unwrap() {
            assert!(!takes(&field, value), "{field} does not take {value}");
        }
    }
}

// Requirements: ELIC-13.
#[test]
fn titles_of_choices_are_found_in_every_dialect() {
    for beside in [
        json!({ "enumNames": ["One", "Two"] }),
        json!({ "x-enumNames": ["One", "Two"] }),
        json!({ "x-enum-varnames": ["One", "Two"] }),
        json!({ "enumLabels": ["One", "Two"] }),
        json!({ "enumDescriptions": ["One", "Two"] }),
        json!({ "meta:enum": { "1": "One", "2": "Two" } }),
    ] {
        let mut field = json!({ "type": "integer", "enum": [1, 2] });
        field.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
        let form = form(&json!({ "f": field }));
        assert_eq!(odd(&form), [""; 0], "{field}");
        let FieldKind::One { choices } = &form.fields[0].kind else { panic!("{field}") };
        let all: Vec<_> = choices.iter().map(|one| (one.value.clone(), one.title.as_deref())).collect();
        assert_eq!(all, [(json!(1), Some("One")), (json!(2), Some("Two"))], "{field}");
    }
}

// Requirements: ELIC-16, ELIC-17.
#[test]
fn a_name_that_is_required_and_not_described_takes_any_value() {
    let form = read(
        &json!({ "properties": { "name": { "type": "string" } }, "required": ["name", "email", "email"] }),
    );
    assert_eq!(odd(&form), ["required", "required"]);
    assert_eq!(wrong(&form, &json!({ "name": "x" })), ["email"]);
    assert_eq!(wrong(&form, &json!({ "name": "x", "email": "a@b" })), [""; 0]);
    let own =
        read(&json!({ "properties": { "name": { "type": "string", "required": true } }, "required": {} }));
    assert_eq!(wrong(&own, &json!({})), ["name"]);
}

// Requirements: ELIC-17.
#[test]
fn the_empty_lists_of_php_are_empty_objects() {
    for schema in [
        json!([]),
        json!({ "type": "object", "properties": [], "required": [] }),
        json!({ "properties": {} }),
    ] {
        let form = read(&schema);
        assert_eq!((form.fields.len(), odd(&form)), (0, Vec::new()), "{schema}");
    }
    assert!(takes(&json!([]), &json!(1)));
}
