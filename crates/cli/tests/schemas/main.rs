//! The schemas of `schemas/` against every file of the repository that users write, and against what `pintle validate` finds.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use boon::{Compiler, SchemaIndex, Schemas};
use pintle_host::contract::{ByteSpan, SourceFile};
use pintle_host::dialects::document::{FileReport, parse, parse_json, parse_list, parse_toml, split, to_json};
use pintle_host::dialects::file_schemas;
use pintle_host::files::UnsavedTexts;
use pintle_host::loader::{EditedFileKind, recognise_edited_file};
use pintle_testkit::{fenced_blocks, read_cases};
use serde_json::{Value, json};

/// The schemas as they are checked in.
struct CheckedInSchemas {
    schemas: Schemas,
    by_name: BTreeMap<String, SchemaIndex>,
}

impl CheckedInSchemas {
    fn new() -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let mut by_name = BTreeMap::new();
        for file in file_schemas() {
            let path = repository().join(format!("schemas/{}.json", file.name));
            let schema: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            assert_eq!(schema, file.schema, "{}", file.name);
            let address = format!("file:///{}.json", file.name);
            compiler.add_resource(&address, schema).unwrap();
            let index = compiler.compile(&address, &mut schemas);
            by_name.insert(file.name, index.unwrap_or_else(|error| panic!("{path:?}: {error:#}")));
        }
        Self { schemas, by_name }
    }

    /// What a schema says about a text; `None` if the text has no schema or cannot be parsed.
    fn check(&self, path: &Path, text: &str) -> Option<Result<(), String>> {
        let texts = UnsavedTexts::new([(path.to_owned(), Arc::from(text))]);
        let kind = texts.read_during(|| recognise_edited_file(path))?;
        let value = parse_text(kind, path, text)?;
        let name = kind.schema_name()?;
        Some(self.schemas.validate(&value, self.by_name[&name]).map_err(|error| format!("{error:#}")))
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file as the loader parses it.
fn parse_text(kind: EditedFileKind, path: &Path, text: &str) -> Option<Value> {
    let file = Arc::new(SourceFile { path: path.to_owned(), text: text.to_owned() });
    let report = FileReport::new(file, "");
    let whole = ByteSpan { start: 0, end: text.len() };
    let ending = path.extension().unwrap().to_str().unwrap();
    match (kind, ending) {
        (EditedFileKind::Cases | EditedFileKind::Scenarios, _) => {
            Some(Value::Array(parse_list(&report, whole).ok()?.iter().map(|item| to_json(item).unwrap()).collect()))
        }
        (_, "md") => to_json(split(&report)?.matter.as_ref()?).ok(),
        (_, "toml") => to_json(&parse_toml(&report)).ok(),
        (_, "json") => to_json(&parse_json(&report)?).ok(),
        _ => to_json(parse(&report, whole).ok()?.as_ref()?).ok(),
    }
}

/// What `pintle validate` finds in files of a directory.
fn validate<'p>(dir: &Path, paths: impl Iterator<Item = &'p str>) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_pintle"))
        .args(["validate", "--json"])
        .args(paths)
        .env_clear()
        .env("HOME", dir.join("home"))
        .current_dir(dir)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["findings"].as_array().unwrap().clone()
}

/// Every file below a directory of the repository.
fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            true if entry.ends_with("target") || entry.ends_with("node_modules") => {}
            true => found.extend(files_below(&entry)),
            false => found.push(entry),
        }
    }
    found.sort();
    found
}

/// The fenced blocks of a page that are whole files, with a path that says what they are.
fn fenced_files(page: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for (language, _, text) in fenced_blocks(page).into_iter().filter(|(language, ..)| !language.is_empty()) {
        let first = text.lines().next().unwrap_or_default();
        let named = first.strip_prefix("# ").filter(|name| !name.contains(' ') && name.contains('.'));
        let is_policy = ["deny:", "use:"].iter().any(|key| text.starts_with(key));
        let path = match (language, named) {
            (_, Some(name)) => name,
            ("markdown", None) if text.starts_with("---\nevent:") => ".harness/hooks/a.md",
            ("yaml", None) if is_policy => ".harness/policy.yaml",
            ("yaml", None) if text.starts_with("agents:") => "agent.yaml",
            _ => continue,
        };
        found.push((Path::new("/p").join(path), text));
    }
    found
}

/// Every file of the examples and of the guides, with a path that says what it is, its text and where it comes from.
fn written_files() -> Vec<(PathBuf, String, PathBuf)> {
    let examples = files_below(&repository().join("examples")).into_iter();
    let mut found: Vec<_> =
        examples.filter_map(|path| fs::read_to_string(&path).ok().map(|text| (path.clone(), text, path))).collect();
    for page in files_below(&repository().join("docs/guide")).into_iter().chain([repository().join("README.md")]) {
        let fenced = fenced_files(&fs::read_to_string(&page).unwrap());
        found.extend(fenced.into_iter().map(|(path, text)| (path, text, page.clone())));
    }
    found
}

#[test]
fn every_file_of_the_repository_fits_its_schema() {
    let schemas = CheckedInSchemas::new();
    let (mut problems, mut count) = (Vec::new(), 0);
    for (path, text, origin) in written_files() {
        let Some(result) = schemas.check(&path, &text) else { continue };
        count += 1;
        problems.extend(result.err().map(|error| format!("{}: {}: {error}", origin.display(), path.display())));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count >= 50, "{count}");
}

/// Each value inside of a value, as the path of a JSON pointer.
fn pointers(value: &Value) -> Vec<String> {
    let below = |key: &str, value: &Value| {
        let key = key.replace('~', "~0").replace('/', "~1");
        pointers(value).into_iter().map(move |rest| format!("/{key}{rest}")).collect::<Vec<_>>()
    };
    let inner: Vec<String> = match value {
        Value::Object(fields) => fields.iter().flat_map(|(key, value)| below(key, value)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(index, value)| below(&index.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    std::iter::once(String::new()).chain(inner).collect()
}

/// The same file with a value of another type for each one, where the schema refuses that and `seen` has not had the
/// like: its text, and what was changed.
fn files_with_a_wrong_type(
    schemas: &CheckedInSchemas,
    (path, text): (&Path, &str),
    seen: &mut BTreeSet<String>,
) -> Vec<(String, String)> {
    let texts = UnsavedTexts::new([(path.to_owned(), Arc::from(text))]);
    let Some(kind) = texts.read_during(|| recognise_edited_file(path)) else { return Vec::new() };
    let (Some(value), Some(name)) = (parse_text(kind, path, text), kind.schema_name()) else { return Vec::new() };
    let body = text.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n")).map(|(_, body)| body);
    let mut found = Vec::new();
    // A key that is unknown at the top is only a warning in some files.
    for pointer in pointers(&value).into_iter().filter(|pointer| !pointer.is_empty()) {
        for wrong in [json!({"zzz": "y"}), json!(["zzz"]), json!("zzz"), json!([[]])] {
            let change = format!("{pointer} = {wrong}");
            let kind: String = change.chars().filter(|letter| !letter.is_ascii_digit()).collect();
            if !seen.insert(format!("{name} {kind}")) {
                continue;
            }
            let mut changed = value.clone();
            *changed.pointer_mut(&pointer).unwrap() = wrong;
            if schemas.schemas.validate(&changed, schemas.by_name[&name]).is_err() {
                // JSON is YAML.
                let changed = serde_json::to_string_pretty(&changed).unwrap();
                found.push((body.map_or(changed.clone(), |body| format!("---\n{changed}\n---\n{body}")), change));
            }
        }
    }
    found
}

#[test]
fn the_loader_reports_each_value_of_a_type_that_the_schema_refuses() {
    let schemas = CheckedInSchemas::new();
    let dir = tempfile::tempdir().unwrap();
    let (mut files, mut seen) = (BTreeMap::new(), BTreeSet::new());
    // Others are validated in a form of their own.
    let is_checked = |path: &Path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        path.components().any(|part| part.as_os_str() == "hooks") || ["policy.yaml", "agent.yaml"].contains(&name)
    };
    for (path, text, origin) in written_files().into_iter().filter(|(path, ..)| is_checked(path)) {
        let name = path.file_name().unwrap().to_str().unwrap();
        for (changed, change) in files_with_a_wrong_type(&schemas, (&path, &text), &mut seen) {
            let parent = if name.ends_with(".md") { ".harness/hooks" } else { ".harness" };
            let file = format!("{}/{parent}/{name}", files.len());
            fs::create_dir_all(dir.path().join(&file).parent().unwrap()).unwrap();
            fs::write(dir.path().join(&file), changed).unwrap();
            files.insert(file, format!("{}: {change}", origin.display()));
        }
    }
    let findings = validate(dir.path(), files.keys().map(String::as_str));
    let reported: BTreeSet<&str> = findings
        .iter()
        .filter(|finding| finding["severity"] == "error")
        .filter_map(|finding| finding["path"].as_str())
        .collect();
    let silent: Vec<&String> =
        files.iter().filter(|(file, _)| !reported.contains(file.as_str())).map(|(_, place)| place).collect();
    assert!(files.len() > 200, "{}", files.len());
    assert!(silent.is_empty(), "{silent:#?}");
}

/// The files of the cases of seeded defects: title, path, and the text with and without the defect.
fn seeded_files() -> Vec<(String, String, [String; 2])> {
    let mut found = Vec::new();
    for (_, text) in read_cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeded_defects/cases"), "md") {
        for section in text.split("\n## ").skip(1) {
            let (title, rest) = section.split_once('\n').unwrap();
            let mut lines = rest.lines();
            while let Some(line) = lines.next() {
                let Some(info) = line.strip_prefix("~~~ ") else { continue };
                let path = info.split_whitespace().nth(1).unwrap().to_owned();
                let text: String = lines
                    .by_ref()
                    .take_while(|line| *line != "~~~")
                    .fold(String::new(), |text, line| text + line + "\n");
                found.push((title.to_owned(), path, [0, 1].map(|side| with_side(&text, side))));
            }
        }
    }
    found
}

fn with_side(text: &str, side: usize) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('«') {
        let (marked, after) = after.split_once('»').unwrap();
        let (wrong, right) = marked.split_once('‖').unwrap();
        shown = shown + before + if side == 0 { wrong } else { right };
        rest = after;
    }
    shown + rest
}

#[test]
fn an_unknown_key_is_unknown_to_the_schema_and_a_repaired_file_fits() {
    let schemas = CheckedInSchemas::new();
    let (mut problems, mut count) = (Vec::new(), 0);
    for (title, path, [wrong, right]) in seeded_files() {
        let path = Path::new("/p").join(path);
        if let Some(Err(error)) = schemas.check(&path, &right) {
            problems.push(format!("{title}: its repair does not fit: {error}"));
        }
        if wrong != right && title.contains("unknown_key") {
            count += 1;
            if let Some(Ok(())) = schemas.check(&path, &wrong) {
                problems.push(format!("{title}: the schema knows the key"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count >= 2, "{count}");
}

/// One file of each kind with a place for a further key: path, schema, and the text before and after the key.
const WHERE_KEYS_GO: [(&str, &str, &str, &str); 9] = [
    (".harness/hooks/a.md", "hook", "---\nevent: tool.pre\n", "---\n"),
    (".harness/tools/a.md", "tool", "---\n", "---\n"),
    (".harness/agents/a.md", "agent", "---\n", "---\nDo it.\n"),
    (".harness/plugins/a.md", "bundle", "---\nhooks:\n  - {handler: x, event: tool.pre}\n", "---\n"),
    ("harness.md", "harness", "---\n", "---\nDo it.\n"),
    (".harness/policy.yaml", "policy", "use: [git]\n", ""),
    ("agent.yaml", "docker-agent", "agents:\n  root:\n    instruction: x\n", ""),
    ("config.yaml", "config", "settings:\n  theme: x\n", ""),
    ("hooks/a.yaml", "docker-agent-hooks", "stop:\n  - {type: command, command: 'true'}\n", ""),
];

#[test]
fn the_loader_knows_the_keys_of_a_schema_and_no_others() {
    let schemas = file_schemas();
    let mut problems = Vec::new();
    for (path, name, before, after) in WHERE_KEYS_GO {
        let schema = &schemas.iter().find(|file| file.name == name).unwrap().schema;
        let known = schema["properties"].as_object().unwrap().keys().map(String::as_str);
        let is_there = |key: &str| before.lines().any(|line| line.starts_with(&format!("{key}:")));
        for (key, is_known) in known.filter(|key| !is_there(key)).map(|key| (key, true)).chain([("zzqx", false)]) {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, format!("{before}{key}:\n{after}")).unwrap();
            let findings = validate(dir.path(), [path].into_iter());
            let mentions = |finding: &Value| {
                ["unknown_key", "unknown_event"].iter().any(|code| finding["code"] == **code)
                    && finding["message"].as_str().unwrap().contains(&format!("`{key}`"))
            };
            let is_unknown = findings.iter().any(mentions);
            if is_unknown == is_known {
                problems.push(format!("{path}: `{key}`: {findings:?}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
