//! JSON schemas, as far as that of SARIF goes. A keyword, pattern or format that is not known here is a panic: nothing is
//! taken for valid because nobody looked.

use serde_json::{Map, Value};

/// Everything that is wrong with a document, each with its place.
pub fn problems(schema: &Value, document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Check { root: schema, found: &mut found }.value(schema, document, "");
    found
}

struct Check<'c> {
    root: &'c Value,
    found: &'c mut Vec<String>,
}

impl Check<'_> {
    fn value(&mut self, schema: &Value, document: &Value, at: &str) {
        let schema = schema.as_object().expect("a schema is an object");
        for (keyword, wanted) in schema {
            match keyword.as_str() {
                "$schema" | "$id" | "title" | "description" | "default" | "definitions" => {}
                "$ref" => {
                    let name =
                        wanted.as_str().and_then(|it| it.strip_prefix('#')).expect("a place in this file");
                    let root = self.root;
                    self.value(root.pointer(name).expect("a definition"), document, at);
                }
                "anyOf" | "oneOf" => self.some_of(keyword, wanted, document, at),
                "properties" | "additionalProperties" | "required" => {
                    if let Some(object) = document.as_object() {
                        self.object((keyword, wanted), schema, object, at);
                    }
                }
                "items" | "minItems" | "uniqueItems" => {
                    if let Some(list) = document.as_array() {
                        self.list((keyword, wanted), list, at);
                    }
                }
                _ => {
                    if !holds(keyword, wanted, document) {
                        self.found.push(format!("{at}: {keyword} {wanted}: {document}"));
                    }
                }
            }
        }
    }

    fn some_of(&mut self, keyword: &str, wanted: &Value, document: &Value, at: &str) {
        let all = wanted.as_array().expect("a list of schemas");
        let fits = |schema: &&Value| {
            let mut found = Vec::new();
            Check { root: self.root, found: &mut found }.value(schema, document, at);
            found.is_empty()
        };
        let count = all.iter().filter(fits).count();
        if count == 0 || keyword == "oneOf" && count > 1 {
            self.found.push(format!("{at}: {keyword}: {count} of {}", all.len()));
        }
    }

    fn object(
        &mut self,
        (keyword, wanted): (&str, &Value),
        schema: &Map<String, Value>,
        object: &Map<String, Value>,
        at: &str,
    ) {
        let declared = schema.get("properties").and_then(Value::as_object);
        match (keyword, wanted) {
            ("properties", wanted) => {
                for (name, schema) in wanted.as_object().expect("schemas by name") {
                    if let Some(value) = object.get(name) {
                        self.value(schema, value, &format!("{at}/{name}"));
                    }
                }
            }
            ("required", wanted) => {
                for name in wanted.as_array().expect("names").iter().filter_map(Value::as_str) {
                    if !object.contains_key(name) {
                        self.found.push(format!("{at}: no {name}"));
                    }
                }
            }
            (_, wanted) => {
                let others =
                    object.iter().filter(|(name, _)| declared.is_none_or(|it| !it.contains_key(*name)));
                for (name, value) in others {
                    match wanted {
                        Value::Bool(true) => {}
                        Value::Bool(false) => self.found.push(format!("{at}: {name} is not known")),
                        schema => self.value(schema, value, &format!("{at}/{name}")),
                    }
                }
            }
        }
    }

    fn list(&mut self, (keyword, wanted): (&str, &Value), list: &[Value], at: &str) {
        match keyword {
            "items" => {
                for (index, item) in list.iter().enumerate() {
                    self.value(wanted, item, &format!("{at}/{index}"));
                }
            }
            "minItems" => {
                if wanted.as_u64().is_none_or(|least| (list.len() as u64) < least) {
                    self.found.push(format!("{at}: fewer than {wanted}"));
                }
            }
            _ => {
                let twice = list.iter().enumerate().any(|(index, item)| list[..index].contains(item));
                if wanted == true && twice {
                    self.found.push(format!("{at}: an item is there twice"));
                }
            }
        }
    }
}

/// Keywords about numbers and texts; they say nothing about other values.
fn holds(keyword: &str, wanted: &Value, document: &Value) -> bool {
    let number = |holds: fn(f64, f64) -> bool| match (document.as_f64(), wanted.as_f64()) {
        (Some(own), Some(limit)) => holds(own, limit),
        _ => true,
    };
    match keyword {
        "type" => has_type(wanted.as_str().expect("one type"), document),
        "enum" => wanted.as_array().expect("values").contains(document),
        "minimum" => number(|own, limit| own >= limit),
        "maximum" => number(|own, limit| own <= limit),
        "format" => document.as_str().is_none_or(|text| has_format(wanted, text)),
        "pattern" => document.as_str().is_none_or(|text| matches(wanted, text)),
        _ => panic!("the schema has a keyword that is not known: {keyword}"),
    }
}

fn has_type(name: &str, document: &Value) -> bool {
    match name {
        "object" => document.is_object(),
        "array" => document.is_array(),
        "string" => document.is_string(),
        "boolean" => document.is_boolean(),
        "integer" => document.is_i64() || document.is_u64(),
        "number" => document.is_number(),
        _ => panic!("a type that is not known: {name}"),
    }
}

/// RFC 3986 as far as letters go: all are allowed ones, `%` begins two digits, and a URI has a scheme.
fn has_format(format: &Value, text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    let escapes = text.split('%').skip(1);
    let escaped = escapes
        .into_iter()
        .all(|rest| rest.len() >= 2 && rest.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit));
    let is_reference = text.bytes().all(is_allowed) && escaped;
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    let has_scheme = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    match format.as_str() {
        Some("uri") => is_reference && has_scheme,
        // A colon before the first slash would begin a URI.
        Some("uri-reference") => {
            is_reference && (has_scheme || !text.split('/').next().unwrap_or("").contains(':'))
        }
        _ => panic!("a format that is not known: {format}"),
    }
}

fn matches(pattern: &Value, text: &str) -> bool {
    match pattern.as_str() {
        Some("[^/]+/.+") => {
            text.split_once('/').is_some_and(|(before, after)| !before.is_empty() && !after.is_empty())
        }
        _ => panic!("a pattern that is not known: {pattern}"),
    }
}

#[test]
fn what_is_wrong_is_found() {
    let schema = serde_json::json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["kind"],
        "properties": {
            "kind": { "enum": ["a", "b"] },
            "count": { "type": "integer", "minimum": 1 },
            "all": { "type": "array", "uniqueItems": true, "minItems": 1, "items": { "$ref": "#/definitions/link" } },
        },
        "definitions": { "link": { "type": "string", "format": "uri-reference" } },
    });
    let problems = |document: Value| problems(&schema, &document).len();
    assert_eq!(problems(serde_json::json!({ "kind": "a", "count": 1, "all": ["x%20y/z"] })), 0);
    for wrong in [
        serde_json::json!({}),
        serde_json::json!({ "kind": "c" }),
        serde_json::json!({ "kind": "a", "count": 0 }),
        serde_json::json!({ "kind": "a", "count": "1" }),
        serde_json::json!({ "kind": "a", "all": [] }),
        serde_json::json!({ "kind": "a", "all": ["x", "x"] }),
        serde_json::json!({ "kind": "a", "all": ["x y"] }),
        serde_json::json!({ "kind": "a", "other": 1 }),
        serde_json::json!([]),
    ] {
        assert_eq!(problems(wrong.clone()), 1, "{wrong}");
    }
}
