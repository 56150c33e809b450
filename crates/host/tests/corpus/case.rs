//! Case files.

use std::fs;
use std::path::{Path, PathBuf};

use pintle_host::contract::ByteSpan;
use pintle_host::dialects::document::{FileReport, MAX_FILE_BYTES, parse, source_file, to_json};
use serde_json::{Map, Value};

/// One case file: a set of hooks, and the events to fire.
#[derive(Debug)]
pub(crate) struct CaseFile {
    pub(crate) name: String,
    /// A project of this repository, relative to its root.
    pub(crate) project: Option<PathBuf>,
    /// Hook files by name.
    pub(crate) hooks: Vec<(String, String)>,
    pub(crate) cases: Vec<CorpusCase>,
}

/// One event, with its complete expected outcome.
#[derive(Debug, Clone)]
pub(crate) struct CorpusCase {
    pub(crate) name: String,
    pub(crate) event: String,
    pub(crate) payload: Value,
    /// Events that are fired first, as `{event, payload}`; their outcomes are ignored.
    pub(crate) setup_events: Vec<(String, Value)>,
    pub(crate) expect: Map<String, Value>,
}

/// A YAML file as JSON.
fn read_yaml(path: &Path) -> Map<String, Value> {
    let bytes = fs::read(path).unwrap();
    assert!(bytes.len() as u64 <= MAX_FILE_BYTES);
    let (file, error) = source_file(path, bytes);
    assert!(error.is_none(), "{error:?}");
    let whole = ByteSpan { start: 0, end: file.text.len() };
    let report = FileReport::new(file, "");
    let node = parse(&report, whole);
    let findings: Vec<String> = report.into_diagnostics().iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{findings:#?}");
    match to_json(&node.unwrap().unwrap()) {
        Ok(Value::Object(fields)) => fields,
        other => panic!("{}: {other:?}", path.display()),
    }
}

/// The cases that are known to fail, as `file: case`, with the reason.
pub(crate) fn read_exceptions(path: &Path) -> Vec<(String, String)> {
    let listed = read_yaml(path).remove("exceptions").unwrap();
    let entry = |entry: &Value| (text_field(entry, "case"), text_field(entry, "reason"));
    listed.as_array().unwrap().iter().map(entry).collect()
}

fn text_field(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_else(|| panic!("`{field}` of {value}")).to_owned()
}

fn assert_known_fields(fields: &Map<String, Value>, known: &[&str]) {
    let unknown: Vec<&String> = fields.keys().filter(|field| !known.contains(&field.as_str())).collect();
    assert!(unknown.is_empty(), "unknown fields {unknown:?}, known are {known:?}");
}

impl CaseFile {
    pub(crate) fn read(path: &Path) -> Self {
        let mut fields = read_yaml(path);
        assert_known_fields(&fields, &["about", "project", "hooks", "cases"]);
        let hooks = fields.remove("hooks").unwrap_or_default();
        let hook = |(name, value): (&String, &Value)| (name.clone(), value.as_str().unwrap().to_owned());
        Self {
            name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
            project: fields.get("project").and_then(Value::as_str).map(PathBuf::from),
            hooks: hooks.as_object().into_iter().flatten().map(hook).collect(),
            cases: fields["cases"].as_array().unwrap().iter().map(CorpusCase::from_value).collect(),
        }
    }
}

impl CorpusCase {
    fn from_value(value: &Value) -> Self {
        assert_known_fields(value.as_object().unwrap(), &["name", "event", "payload", "times", "before", "expect"]);
        let event = |value: &Value| (text_field(value, "event"), value.get("payload").cloned().unwrap_or_default());
        let (name, mut payload) = event(value);
        // Repeats the only item of a list, so that a case does not have to spell out two hundred messages.
        for (field, times) in value.get("times").and_then(Value::as_object).into_iter().flatten() {
            let item = payload[field.as_str()][0].take();
            payload[field.as_str()] = Value::Array(vec![item; usize::try_from(times.as_u64().unwrap()).unwrap()]);
        }
        Self {
            name: text_field(value, "name"),
            event: name,
            payload,
            setup_events: value.get("before").and_then(Value::as_array).into_iter().flatten().map(event).collect(),
            expect: value["expect"].as_object().unwrap().clone(),
        }
    }
}
