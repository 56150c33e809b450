//! What hooks hear of a call, and what becomes of what they say.

use std::sync::Arc;

use pintle_contract::{Event, EventName, FailurePolicy, NameTest, NameTestKind, Origin, ScriptTexts, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::part_verdicts::PartVerdicts;
use crate::translate::{HeardCall, hear};
use crate::{
    CLAUDE, CODEX, DOCKER_AGENT, HookVocabulary, ToolMapping, ToolVocabulary, VOCABULARIES, heard_events,
    vocabulary_by_name,
};

fn call_event(vocabulary: &str, name: &str, args: &Value) -> Event {
    let payload =
        json!({"id": "1", "name": name, "args": args, "arguments": args.to_string(), "vocabulary": vocabulary});
    Event::new(EventName::parse("tool.pre").unwrap(), payload, Arc::new(Origin::default()))
}

/// The vocabulary of a script that compares these texts.
fn script(texts: &[&str]) -> HookVocabulary {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let is = |text: &String| NameTest { kind: NameTestKind::Is, text: text.clone(), ignores_case: false };
    let name_tests = texts.iter().map(is).collect();
    HookVocabulary::of_hook(None, &ScriptTexts { name_tests, all: texts, ..ScriptTexts::default() })
}

/// What a hook hears, as `name args` for each part.
fn list_heard_calls(hook: &HookVocabulary, caller: &str, name: &str, args: &Value) -> Vec<String> {
    let events = heard_events(&call_event(caller, name, args), hook);
    let line = |event: &Event| {
        let field = |name: &str| event.payload.field(name).cloned().unwrap_or_default();
        format!("{} {}", field("name").as_str().unwrap_or_default(), field("args"))
    };
    events.iter().map(line).collect()
}

#[test]
fn the_shell_of_a_project_is_heard_as_one_but_by_who_tells_them_apart() {
    let args = json!({"command": "ls"});
    let heard = |texts: &[&str]| list_heard_calls(&script(texts), "ai_harness", "run_command", &args);
    assert_eq!(heard(&["shell"]), [format!("shell {args}")]);
    assert_eq!(heard(&["Bash"]), [format!("Bash {args}")]);
    assert_eq!(heard(&["shell", "run_command"]), [format!("run_command {args}")]);
    let says = |text: &str| {
        let is = NameTest { kind: NameTestKind::Is, text: String::from("shell"), ignores_case: false };
        let texts = ScriptTexts { name_tests: vec![is], all: vec![text.to_owned()], ..ScriptTexts::default() };
        list_heard_calls(&HookVocabulary::of_hook(None, &texts), "ai_harness", "run_command", &args)
    };
    assert_eq!(says("`shell` is disabled; call `run_command`"), [format!("run_command {args}")]);
    assert_eq!(says("run_commands are disabled"), [format!("shell {args}")]);
}

#[test]
fn a_script_hears_the_names_that_it_uses() {
    let bash = json!({"command": "ls"});
    for (texts, caller, name, args, expected) in [
        (&[][..], "claude", "Bash", &bash, r#"shell {"command":"ls"}"#),
        (&["Bash"], "claude", "Bash", &bash, r#"Bash {"command":"ls"}"#),
        (&["Bash"], "gemini", "run_shell_command", &bash, r#"Bash {"command":"ls"}"#),
        (&["run_command"], "claude", "Bash", &bash, r#"run_command {"command":"ls"}"#),
        (&["run_command", "shell"], "claude", "Bash", &bash, r#"shell {"command":"ls"}"#),
        (&["shell"], "docker_agent", "shell", &json!({"cmd": "ls"}), r#"shell {"command":"ls"}"#),
        // The argument that a script reads decides between two vocabularies with the same name.
        (&["shell", "cmd"], "pintle", "shell", &bash, r#"shell {"cmd":"ls"}"#),
        (&["read_file", "file_path"], "claude", "Read", &json!({"file_path": "a"}), r#"read_file {"file_path":"a"}"#),
        (&["Task"], "claude", "Agent", &json!({"prompt": "p"}), r#"Task {"prompt":"p"}"#),
        (&["mcp__a__b"], "gemini", "mcp_a_b", &bash, r#"mcp__a__b {"command":"ls"}"#),
        // A name of another tool does not change what a call is.
        (&["Read"], "gemini", "run_shell_command", &bash, r#"Bash {"command":"ls"}"#),
        (&["shell"], "pintle", "run_command", &bash, r#"run_command {"command":"ls"}"#),
        (&["run_command"], "pintle", "shell", &bash, r#"run_command {"command":"ls"}"#),
        (&["fs.read"], "pintle", "read", &json!({"path": "a"}), r#"fs.read {"path":"a"}"#),
        (&[], "claude", "ToolSearch", &bash, r#"ToolSearch {"command":"ls"}"#),
    ] {
        assert_eq!(list_heard_calls(&script(texts), caller, name, args), [expected], "{texts:?} of {caller} {name}");
    }
}

#[test]
fn a_call_of_several_parts_is_heard_whole_in_the_callers_words_and_else_part_by_part() {
    let patch = json!({"command": "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch\n"});
    let whole = format!("apply_patch {patch}");
    assert_eq!(list_heard_calls(&HookVocabulary::Fixed(&CODEX), "codex", "apply_patch", &patch), [whole.as_str()]);
    assert_eq!(list_heard_calls(&script(&["apply_patch"]), "codex", "apply_patch", &patch), [whole.as_str()]);
    let files = [r#"Write {"file_path":"a","content":"x\n"}"#, r#"delete {"path":"b"}"#];
    assert_eq!(list_heard_calls(&HookVocabulary::Fixed(&CLAUDE), "codex", "apply_patch", &patch), files);
    let list = json!({"commands": ["ls", "pwd"]});
    let parts = [r#"shell {"cmd":"ls"}"#, r#"shell {"cmd":"pwd"}"#];
    assert_eq!(list_heard_calls(&HookVocabulary::Fixed(&DOCKER_AGENT), "cline", "run_commands", &list), parts);
    let events = heard_events(&call_event("cline", "run_commands", &list), &script(&[]));
    let numbers: Vec<Value> =
        events.iter().map(|event| json!([event.payload.field("part"), event.payload.field("parts")])).collect();
    assert_eq!(numbers, [json!([1, 2]), json!([2, 2])]);
    let native = json!({"vocabulary": "cline", "name": "run_commands", "args": list});
    assert!(events.iter().all(|event| event.payload.field("native") == Some(&native)));
}

/// A hook that asks about a tool by any of its names hears every caller's call under a name that it asks about.
#[test]
fn a_name_in_a_condition_is_heard_in_every_agent() {
    let tools: Vec<(&ToolVocabulary, &str, &str)> = VOCABULARIES
        .iter()
        .flat_map(|words| words.tools.iter().map(move |tool| (*words, tool)))
        .filter(|(_, tool)| tool.required_field.is_none() && tool.canonical != "patch")
        .flat_map(|(words, tool)| tool.native_names.iter().map(move |name| (words, *name, tool.canonical)))
        .collect();
    for (_, asked, wanted) in &tools {
        let hook = script(&[asked]);
        // A name may mean different tools to different agents.
        let is_clear = tools.iter().all(|(_, known, tool)| known != asked || tool == wanted);
        for (caller, made, _) in tools.iter().filter(|(.., canonical)| is_clear && canonical == wanted) {
            for event in heard_events(&call_event(caller.name, made, &json!({})), &hook) {
                assert_eq!(event.subject(), Some(*asked), "{} {made}", caller.name);
            }
        }
    }
}

proptest! {
    /// What a hook hears can be converted back: heard in the caller's words again, it is the call.
    #[test]
    fn a_call_that_was_heard_is_the_same_in_the_callers_words(at in 0_usize..10_000, of in 0_usize..14, text in "[a-z ]{0,8}") {
        let plain: Vec<(&ToolVocabulary, &ToolMapping)> = VOCABULARIES
            .iter()
            .flat_map(|words| words.tools.iter().map(move |tool| (*words, tool)))
            .filter(|(_, tool)| tool.required_field.is_none() && tool.form.describe().is_none())
            .collect();
        let (caller, tool) = plain[at % plain.len()];
        let (name, fields) = (tool.native_names[0], tool.fields);
        let mut args = serde_json::Map::new();
        for (native, canonical) in fields {
            if !fields.iter().any(|(other, same)| same == canonical && args.contains_key(*other)) {
                args.insert((*native).to_owned(), Value::from(text.as_str()));
            }
        }
        let args = Value::Object(args);
        let words = VOCABULARIES[of % VOCABULARIES.len()];
        // A tool that does two things is told apart by an argument that a call without arguments does not have.
        prop_assume!(!words.tools.iter().any(|own| own.canonical == tool.canonical && own.required_field.is_some()));
        let hook = HookVocabulary::Fixed(words);
        let event = call_event(caller.name, name, &args);
        for part in heard_events(&event, &hook) {
            let words = part.payload.field("vocabulary").and_then(Value::as_str).and_then(vocabulary_by_name).unwrap();
            let back = words.to_canonical(part.subject().unwrap(), part.payload.field("args").unwrap());
            prop_assert_eq!(back, caller.to_canonical(name, &args), "{} in {}", name, words.name);
        }
    }
}

#[test]
fn a_hook_that_names_no_tool_hears_the_arguments_that_it_reads() {
    let read = |arguments: &[&str]| {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        HookVocabulary::of_hook(None, &ScriptTexts { arguments, ..ScriptTexts::default() })
    };
    let (write, bash) = (json!({"file_path": "a", "content": "b"}), json!({"command": "ls"}));
    for (arguments, caller, name, args, expected) in [
        (&[][..], "claude", "Write", &write, r#"write {"path":"a","content":"b"}"#),
        (&["path"], "claude", "Write", &write, r#"write {"path":"a","content":"b"}"#),
        (&["file_path"], "claude", "Write", &write, r#"Write {"file_path":"a","content":"b"}"#),
        (&["file_path"], "gemini", "write_file", &write, r#"Write {"file_path":"a","content":"b"}"#),
        (&["file_path", "command"], "pintle", "write", &json!({"path": "a"}), r#"Write {"file_path":"a"}"#),
        (&["file_path", "path"], "claude", "Write", &write, r#"write {"path":"a","content":"b"}"#),
        (&["path", "old_string"], "claude", "Write", &write, r#"write {"path":"a","content":"b"}"#),
        (&["cmd"], "claude", "Bash", &bash, r#"shell {"cmd":"ls"}"#),
        (&["command", "cwd"], "claude", "Bash", &bash, r#"Shell {"command":"ls"}"#),
        (&["title"], "claude", "Bash", &bash, r#"shell {"command":"ls"}"#),
    ] {
        assert_eq!(list_heard_calls(&read(arguments), caller, name, args), [expected], "{arguments:?} {caller}");
    }
}

#[test]
fn only_the_part_of_a_call_of_one_part_is_kept() {
    let patch = json!({"command": "*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch"});
    for (event, count, is_kept) in [
        (call_event("codex", "apply_patch", &patch), 2, false),
        (call_event("codex", "Bash", &json!({"command": "ls"})), 1, true),
    ] {
        let hear = || heard_events(&event, &HookVocabulary::Fixed(&DOCKER_AGENT));
        let (once, again) = (hear(), hear());
        assert_eq!(once.len(), count);
        let kept = once.iter().zip(&again).all(|(one, other)| one.payload.ptr_eq(&other.payload));
        assert_eq!(kept, is_kept, "thousands of parts with the whole patch in each would fill the memory");
    }
}

#[test]
fn a_long_call_has_no_text_for_a_hook_that_does_not_read_it() {
    let patch = |file: &str| format!("*** Begin Patch\n*** Delete File: {file}\n*** Delete File: b\n*** End Patch");
    for (caller, name, command, lacks_text) in [
        ("claude", "Bash", "x".repeat(5_000), true),
        ("claude", "Bash", "x".repeat(3_000), false),
        ("codex", "apply_patch", patch(&"a".repeat(5_000)), true),
    ] {
        let event = call_event(caller, name, &json!({"command": command}));
        let heard = |reads_call_text: bool| -> Vec<Value> {
            let HeardCall::Translated(parts) = hear(&event, &HookVocabulary::Fixed(&DOCKER_AGENT), reads_call_text)
            else {
                return Vec::new();
            };
            parts.iter().map(|part| part.to_event(&event).payload.value().clone()).collect()
        };
        let (with_text, without) = (heard(true), heard(false));
        assert!(!with_text.is_empty());
        for (mut with_text, without) in with_text.into_iter().zip(without) {
            assert_eq!(with_text["native"]["args"]["command"], command);
            if lacks_text {
                with_text.as_object_mut().unwrap().shift_remove("arguments").unwrap();
                with_text["native"].as_object_mut().unwrap().shift_remove("args").unwrap();
            }
            assert_eq!(with_text, without);
        }
    }
}

#[test]
fn the_text_of_the_same_arguments_is_no_change() {
    for (size, reads_call_text) in [(10, true), (5_000, true), (5_000, false)] {
        let event = call_event("claude", "Bash", &json!({"command": "x".repeat(size)}));
        let HeardCall::Translated(parts) = hear(&event, &HookVocabulary::Fixed(&DOCKER_AGENT), reads_call_text) else {
            unreachable!("docker-agent has another name for it")
        };
        let heard = parts[0].to_event(&event);
        let args = heard.payload.field("args").unwrap();
        for (text, is_changed) in [(args.to_string(), false), (format!(" {args} "), false), (String::from("{}"), true)]
        {
            let mut verdicts = PartVerdicts::new(&event, FailurePolicy::Open);
            let rewrite = [(String::from("arguments"), Value::from(text))].into_iter().collect();
            assert!(verdicts.add(&parts[0], &heard, Verdict::rewrite(rewrite)));
            let verdict = verdicts.combine();
            assert_eq!(verdict.target_rewrite().is_some(), is_changed, "{size} {reads_call_text}: {verdict:?}");
        }
    }
}
