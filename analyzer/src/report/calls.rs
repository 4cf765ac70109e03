//! Made up calls as JSON, for those who run them.

use serde::Serialize;

use crate::frontend::{CallEnd, MadeUp};

#[derive(Serialize)]
struct Row<'c> {
    call: &'c str,
    end: &'static str,
    value: Option<&'c str>,
}

pub fn json(calls: &[MadeUp]) -> String {
    let row = |made: &'_ MadeUp| -> String {
        let (end, value) = match &made.end {
            CallEnd::Value(value) => ("value", value.as_deref()),
            CallEnd::Panics => ("panics", None),
            CallEnd::Open => ("open", None),
        };
        serde_json::to_string(&Row { call: &made.call, end, value }).unwrap_or_default()
    };
    let rows: Vec<String> = calls.iter().map(row).collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}
