//! The findings of `pintle validate` in the forms that programs read: JSON, SARIF and GitHub's annotations.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pintle_host::files::with_slashes;
use pintle_host::{Diagnostic, Severity};
use serde::Serialize;
use serde_json::{Value, json};

use crate::render::diagnostic::JsonDiagnostic;

/// The version of the JSON form.
const JSON_VERSION: u32 = 1;
/// The address of SARIF's schema.
const SARIF_SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The findings as JSON, and what was checked.
#[derive(Debug, Serialize)]
pub(super) struct JsonReport<'a> {
    version: u32,
    hooks: usize,
    files: usize,
    errors: usize,
    warnings: usize,
    findings: Vec<JsonDiagnostic<'a>>,
}

impl<'a> JsonReport<'a> {
    pub(super) fn new(findings: &'a [Diagnostic], hooks: usize, files: usize) -> Self {
        let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
        Self {
            version: JSON_VERSION,
            hooks,
            files,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            findings: findings.iter().map(JsonDiagnostic::from).collect(),
        }
    }
}

/// The findings as a log of SARIF 2.1.0.
pub(super) fn sarif_log(findings: &[Diagnostic], current_dir: &Path) -> Value {
    let rules: BTreeSet<&str> = findings.iter().map(|finding| finding.code).collect();
    let results: Vec<Value> = findings.iter().map(|finding| sarif_result(finding, &rules, current_dir)).collect();
    let rules: Vec<Value> = rules.iter().map(|code| json!({"id": code})).collect();
    let driver = json!({"name": "pintle", "version": env!("CARGO_PKG_VERSION"), "rules": rules});
    json!({
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    })
}

fn sarif_result(finding: &Diagnostic, rules: &BTreeSet<&str>, current_dir: &Path) -> Value {
    let shown = JsonDiagnostic::from(finding);
    let mut result = json!({
        "ruleId": finding.code,
        "ruleIndex": rules.iter().position(|code| *code == finding.code),
        "level": finding.severity.to_string(),
        "message": {"text": full_message(finding)},
    });
    if let (Some(path), Some(fields)) = (finding.location.path(), result.as_object_mut()) {
        let mut place = json!({"artifactLocation": {"uri": file_address(path, current_dir)}});
        if let (Some(line), Some(column), Some(place)) = (shown.line, shown.column, place.as_object_mut()) {
            let region = json!({
                "startLine": line,
                "startColumn": column,
                "endLine": shown.end_line,
                "endColumn": shown.end_column,
            });
            place.insert(String::from("region"), region);
        }
        fields.insert(String::from("locations"), json!([{"physicalLocation": place}]));
    }
    result
}

/// A finding as a command of GitHub's workflows, which shows it beside its line.
pub(super) fn github_annotation(finding: &Diagnostic, current_dir: &Path) -> String {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let shown = JsonDiagnostic::from(finding);
    let mut properties = Vec::new();
    if let Some(path) = finding.location.path() {
        let path = relative_path(path, current_dir).unwrap_or_else(|| path.to_owned());
        properties.push(format!("file={}", escape_property(&slashed_text(path))));
        let numbers =
            [("line", shown.line), ("endLine", shown.end_line), ("col", shown.column), ("endColumn", shown.end_column)];
        // A range of columns is one of a single line.
        let is_one_line = shown.line == shown.end_line;
        let shown_numbers = numbers.into_iter().filter(|(name, _)| is_one_line || !name.ends_with("Column"));
        properties.extend(shown_numbers.filter_map(|(name, number)| Some(format!("{name}={}", number?))));
    }
    properties.push(format!("title={}", escape_property(&format!("pintle {}", finding.code))));
    format!("::{command} {}::{}", properties.join(","), escape_data(&full_message(finding)))
}

/// The message and the next step.
fn full_message(finding: &Diagnostic) -> String {
    match &finding.help {
        Some(help) => format!("{}\n{help}", finding.message),
        None => finding.message.clone(),
    }
}

/// The path below the current directory, if it is there.
fn relative_path(path: &Path, current_dir: &Path) -> Option<PathBuf> {
    let path = path.strip_prefix(".").unwrap_or(path);
    if path.is_relative() {
        return Some(path.to_owned());
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.strip_prefix(current_dir)
        .map(Path::to_owned)
        .ok()
        .or_else(|| real(path).strip_prefix(real(current_dir)).map(Path::to_owned).ok())
}

fn slashed_text(path: PathBuf) -> String {
    with_slashes(path).to_string_lossy().into_owned()
}

/// The address of a file: relative to the current directory, or absolute.
fn file_address(path: &Path, current_dir: &Path) -> String {
    match relative_path(path, current_dir) {
        Some(path) => encode_path(&slashed_text(path)),
        None => {
            let path = slashed_text(path.to_owned());
            let root = if path.starts_with('/') { "" } else { "/" };
            format!("file://{root}{}", encode_path(&path))
        }
    }
}

/// A path with everything escaped that an address gives another meaning.
fn encode_path(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pintle_host::contract::{ByteSpan, Location, SourceFile};

    use super::*;

    fn finding(path: &str) -> Diagnostic {
        let file = Arc::new(SourceFile { path: PathBuf::from(path), text: String::from("é = 1\nabc: x, y\n") });
        let location = Location::new(file, ByteSpan { start: 12, end: 13 });
        Diagnostic::warning("unknown_word", "100 % wrong: a,b", location).help("did you mean `c`?\r\nor `d`?")
    }

    #[test]
    fn annotations_are_escaped() {
        let shown = github_annotation(&finding("/p/a b,c:d%.md"), Path::new("/p"));
        assert_eq!(
            shown,
            "::warning file=a b%2Cc%3Ad%25.md,line=2,endLine=2,col=6,endColumn=7,title=pintle unknown_word::\
             100 %25 wrong: a,b%0Adid you mean `c`?%0D%0Aor `d`?"
        );
        let without = Diagnostic::note("no_files", "nothing", Location::default());
        assert_eq!(github_annotation(&without, Path::new("/p")), "::notice title=pintle no_files::nothing");
    }

    #[test]
    fn the_schema_has_every_field() {
        let schema = include_str!("schema.json");
        let schema: Value = serde_json::from_str(schema).unwrap();
        let report = serde_json::to_value(JsonReport::new(&[finding("a.md")], 1, 1)).unwrap();
        let item = &schema["properties"]["findings"]["items"];
        for (schema, value) in [(&schema, &report), (item, &report["findings"][0])] {
            let known: BTreeSet<&String> = schema["properties"].as_object().unwrap().keys().collect();
            let written: BTreeSet<&String> = value.as_object().unwrap().keys().collect();
            assert_eq!(known, written);
            assert_eq!(schema["required"].as_array().unwrap().len(), known.len());
        }
        assert_eq!(schema["properties"]["version"]["const"], report["version"]);
    }

    #[test]
    fn addresses_are_relative_where_they_can_be() {
        for (path, address) in
            [("/p/a b/ü.md", "a%20b/%C3%BC.md"), ("./a#b.md", "a%23b.md"), ("/q/a.md", "file:///q/a.md")]
        {
            assert_eq!(file_address(Path::new(path), Path::new("/p")), address);
        }
    }

    #[test]
    fn a_log_names_each_rule_once_and_points_to_it() {
        let findings = [finding("a.md"), Diagnostic::error("bad_pattern", "x", Location::default()), finding("b.md")];
        let log = sarif_log(&findings, Path::new("/p"));
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"], json!([{"id": "bad_pattern"}, {"id": "unknown_word"}]));
        let results = run["results"].as_array().unwrap();
        let indices: Vec<&Value> = results.iter().map(|result| &result["ruleIndex"]).collect();
        assert_eq!(indices, [1, 0, 1]);
        assert!(results[1].get("locations").is_none());
        let region = &results[0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region, &json!({"startLine": 2, "startColumn": 6, "endLine": 2, "endColumn": 7}));
    }
}
