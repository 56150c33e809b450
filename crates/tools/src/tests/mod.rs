mod hearing;
mod merging;
mod properties;

use serde_json::Value;

use super::*;

/// One call for each line: the client, the canonical calls, and whether converting them back gives the same call.
const CALLS: &str = include_str!("calls.jsonl");

fn vocabulary(name: &str) -> &'static ToolVocabulary {
    VOCABULARIES.iter().find(|vocabulary| vocabulary.name == name).unwrap()
}

#[test]
fn the_common_tools_of_every_agent_are_read_and_spelled_back() {
    for line in CALLS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let words = vocabulary(case["host"].as_str().unwrap());
        let (tool, input) = (case["tool"].as_str().unwrap(), &case["input"]);
        let parts = words.to_canonical(tool, input);
        let read: Value = parts.iter().map(|part| serde_json::json!([part.name, part.args])).collect();
        assert_eq!(read, case["parts"], "{line}");
        assert_eq!(parts[0].kind.category(), case["category"], "{line}");
        let native = words.to_native(&parts[0].name, &parts[0].args);
        let is_same = native == NativeToolCall { name: tool.to_owned(), input: input.clone() };
        assert_eq!(is_same, case["spelled_back"].as_bool().unwrap(), "{line} gives {native:?}");
        assert_eq!(words.merge_back(tool, input, &parts).as_ref(), Ok(input), "{line}");
    }
}

#[test]
fn duplicate_vocabulary_names_are_distinguished_by_a_field() {
    for words in VOCABULARIES {
        let mut seen: Vec<&str> = Vec::new();
        for tool in words.tools {
            for name in tool.native_names {
                assert!(!seen.contains(name), "{}: {name} comes after a row that takes every call of it", words.name);
            }
            if tool.required_field.is_none() {
                seen.extend(tool.native_names);
            }
        }
    }
}

#[test]
fn second_names_of_own_tools_are_spelled_as_the_agent_would() {
    for (name, args, wanted, input) in [
        ("run_command", r#"{"command":"ls"}"#, "Bash", r#"{"command":"ls"}"#),
        ("shell", r#"{"cmd":"ls","cwd":"."}"#, "Bash", r#"{"command":"ls","directory":"."}"#),
        ("fs.read", r#"{"path":"a"}"#, "Read", r#"{"file_path":"a"}"#),
        ("read_file", r#"{"path":"a","line":3}"#, "Read", r#"{"file_path":"a","offset":3}"#),
        ("write_file", r#"{"path":"a","content":"x"}"#, "Write", r#"{"file_path":"a","content":"x"}"#),
        ("transfer_task", r#"{"agent":"a","task":"x"}"#, "Agent", r#"{"subagent_type":"a","prompt":"x"}"#),
        ("think", r#"{"thought":"x"}"#, "think", r#"{"thought":"x"}"#),
    ] {
        let args = serde_json::from_str(args).unwrap();
        let part = own_vocabulary(name, &args).to_canonical(name, &args).remove(0);
        let native = CLAUDE.to_native(&part.name, &part.args);
        assert_eq!(
            native,
            NativeToolCall { name: wanted.to_owned(), input: serde_json::from_str(input).unwrap() },
            "{name}"
        );
    }
}
