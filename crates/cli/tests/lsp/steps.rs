//! Runs the cases.

use std::path::Path;

use pintle_testkit::read_cases;
use serde_json::{Value, json};

use crate::client::EditorClient;

/// A case of a file.
struct EditorCase {
    title: String,
    /// Language, path and text.
    files: Vec<(String, String, String)>,
    steps: Vec<String>,
}

impl EditorCase {
    fn parse(section: &str) -> Self {
        let (title, rest) = section.split_once('\n').unwrap();
        let (mut files, mut steps) = (Vec::new(), Vec::new());
        let mut lines = rest.lines();
        while let Some(line) = lines.next() {
            let Some(info) = line.strip_prefix("~~~ ") else { continue };
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "~~~").collect();
            match info.split_once(' ') {
                None => steps.extend(text.into_iter().map(str::to_owned)),
                Some((language, path)) => {
                    let text = format!("{}\n", text.join("\n"));
                    files.push((language.to_owned(), path.to_owned(), text));
                }
            }
        }
        Self { title: title.to_owned(), files, steps }
    }

    /// Runs the steps. Returns what is not as they say.
    fn run(&self) -> Vec<String> {
        let saved = self.files.iter().filter(|(language, ..)| language != "unsaved");
        let mut editor = EditorClient::start_initialized(saved.map(|(_, path, text)| (path.as_str(), text.as_str())));
        let run = |step: &String| {
            let problem = run_step(&mut editor, self, step).err()?;
            Some(format!("{}: {step}: {problem}", self.title))
        };
        let problems: Vec<String> = self.steps.iter().filter_map(run).collect();
        assert_eq!(editor.end(), Some(0), "{}", self.title);
        problems
    }

    fn text_of(&self, path: &str) -> &str {
        let file = self.files.iter().find(|(_, known, _)| known == path);
        &file.unwrap_or_else(|| panic!("{}: no file {path}", self.title)).2
    }
}

/// Runs one step. Texts are in `«»`; `↵` is a line's end, and `␍` a carriage return.
///
/// - `open PATH`, `close PATH`, `edit PATH «OLD» «NEW»`
/// - `finds PATH LINE:CHARACTER-LINE:CHARACTER SEVERITY CODE [«TEXT»]`: among the findings; lines and characters from 0
/// - `clean PATH`: no findings
/// - `hints PATH LINE «LABEL»`
/// - `completes PATH «BEHIND» LABEL…`: among what is offered; `-LABEL` is not; `nothing` if nothing is
/// - `hovers PATH «BEHIND» «TEXT»`, or `nothing`
/// - `leads PATH «BEHIND» PATH LINE`, or `nothing`
/// - `absent PATH`: the file does not exist
/// - `request METHOD PARAMS PATTERN`: JSON without spaces; the answer has at least the pattern
fn run_step(editor: &mut EditorClient, case: &EditorCase, step: &str) -> Result<(), String> {
    let (words, texts) = split_step(step);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let text = |index: usize| texts.get(index).map(String::as_str).unwrap_or_default();
    match words.as_slice() {
        [] => {}
        ["open", path] => editor.open(path, &case.text_of(path).replace('␍', "\r")),
        ["close", path] => {
            let uri = editor.uri(path);
            editor.texts.remove(*path);
            editor.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
        }
        ["edit", path] => editor.edit(path, text(0), text(1)),
        ["finds", path, range, severity, code] => {
            let found = known_findings(editor, path);
            let severity = ["", "error", "warning", "note"].iter().position(|known| known == severity);
            let is_it = |finding: &&Value| {
                range_text(&finding["range"]) == **range
                    && finding["severity"] == json!(severity)
                    && finding["code"] == **code
                    && finding["source"] == "pintle"
                    && finding["message"].as_str().is_some_and(|message| message.contains(text(0)))
            };
            let lines: Vec<String> =
                found.iter().map(|finding| format!("{} {finding}", range_text(&finding["range"]))).collect();
            found.iter().find(is_it).map(drop).ok_or_else(|| lines.join("\n"))?;
        }
        ["clean", path] => {
            let found = known_findings(editor, path);
            if !found.is_empty() {
                return Err(json!(found).to_string());
            }
        }
        ["hints", path, line] => {
            // They come with the check.
            known_findings(editor, path);
            let uri = editor.uri(path);
            let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}});
            let answer =
                editor.request("textDocument/inlayHint", json!({"textDocument": {"uri": uri}, "range": range}));
            let hints = answer["result"].as_array().ok_or("no hints")?;
            let is_it =
                |hint: &&Value| hint["position"]["line"].as_u64() == line.parse().ok() && hint["label"] == text(0);
            hints.iter().find(is_it).map(drop).ok_or_else(|| answer.to_string())?;
        }
        ["completes", path, wanted @ ..] => {
            let answer = editor.ask_behind("textDocument/completion", path, text(0));
            let items = answer["result"]["items"].as_array().cloned().unwrap_or_default();
            let labels: Vec<&str> = items.iter().filter_map(|item| item["label"].as_str()).collect();
            for wanted in wanted {
                let holds = match wanted.strip_prefix('-') {
                    Some(other) => !labels.contains(&other),
                    None if *wanted == "nothing" => labels.is_empty(),
                    None => labels.contains(wanted),
                };
                if !holds {
                    return Err(format!("`{wanted}`: {}", labels.join(" ")));
                }
            }
        }
        ["hovers", path, rest @ ..] => {
            let answer = editor.ask_behind("textDocument/hover", path, text(0));
            let said = answer["result"]["contents"]["value"].as_str().unwrap_or_default();
            let holds = if rest == ["nothing"] { said.is_empty() } else { said.contains(text(1)) && !said.is_empty() };
            if !holds {
                return Err(answer.to_string());
            }
        }
        ["leads", path, rest @ ..] => {
            let answer = editor.ask_behind("textDocument/definition", path, text(0));
            let result = &answer["result"];
            let holds = match rest {
                [target, line] => {
                    result["uri"] == editor.uri(target)
                        && result["range"]["start"]["line"].as_u64() == line.parse().ok()
                }
                _ => result.is_null(),
            };
            if !holds {
                return Err(answer.to_string());
            }
        }
        ["absent", path] => {
            if editor.exists(path) {
                return Err(String::from("it exists"));
            }
        }
        ["request", method, params, pattern] => {
            let root = editor.uri("");
            let parse = |text: &str| serde_json::from_str::<Value>(&text.replace("ROOT", &root)).unwrap();
            let answer = editor.request(method, parse(params));
            if !has_at_least(&answer, &parse(pattern)) {
                return Err(answer.to_string());
            }
        }
        other => panic!("unknown step {other:?}"),
    }
    Ok(())
}

/// The findings of the newest text; waits for them.
fn known_findings(editor: &mut EditorClient, path: &str) -> Vec<Value> {
    let (_, version) = editor.texts.get(path).cloned().unwrap_or_default();
    let uri = editor.uri(path);
    if editor.checked.get(&uri) == Some(&version) {
        return editor.findings[&uri].clone();
    }
    editor.findings_of(path)
}

/// The words of a step, and its texts.
fn split_step(step: &str) -> (Vec<String>, Vec<String>) {
    let (mut words, mut texts) = (Vec::new(), Vec::new());
    let mut rest = step;
    while let Some((before, after)) = rest.split_once('«') {
        let (text, after) = after.split_once('»').unwrap();
        words.extend(before.split_whitespace().map(str::to_owned));
        texts.push(text.replace('↵', "\n").replace('␍', "\r"));
        rest = after;
    }
    words.extend(rest.split_whitespace().map(str::to_owned));
    (words, texts)
}

fn range_text(range: &Value) -> String {
    let at = |end: &str| format!("{}:{}", range[end]["line"], range[end]["character"]);
    format!("{}-{}", at("start"), at("end"))
}

/// Whether a value has what a pattern has.
fn has_at_least(value: &Value, pattern: &Value) -> bool {
    match (value, pattern) {
        (Value::Object(value), Value::Object(pattern)) => {
            pattern.iter().all(|(key, pattern)| value.get(key).is_some_and(|value| has_at_least(value, pattern)))
        }
        (value, pattern) => value == pattern,
    }
}

#[test]
fn editors_are_answered_as_the_cases_say() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lsp/cases");
    let (mut count, mut problems) = (0, Vec::new());
    for (_, text) in read_cases(&dir, "md") {
        for section in text.split("\n## ").skip(1) {
            problems.extend(EditorCase::parse(section).run());
            count += 1;
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count >= 7, "{count}");
}
