//! Guards see the final call, whichever hook changes it and under whatever name.

use pintle_bridge::{HostDef, HostResponse};
use pintle_host::contract::Rewrite;
use pintle_host::{EventName, Hook, Verdict, native};
use pintle_testkit::SubjectMatcher;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::fixture::{respond, respond_with_state};

/// The edit of a hook to the text of a call.
#[derive(Debug, Clone)]
enum CallTextEdit {
    /// Appends a word each time.
    Append(&'static str),
    /// Appends a word that is not there yet.
    Ensure(&'static str),
    /// Replaces the text.
    Replace(&'static str),
    /// Removes a word.
    Strip(&'static str),
    /// Denies a word.
    Deny(&'static str),
}

/// A hook: the event, the only tool name that it matches, and its edit.
#[derive(Debug, Clone)]
struct CallTextHook {
    event: &'static str,
    name: Option<&'static str>,
    edit: CallTextEdit,
}

const WORDS: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

impl CallTextHook {
    fn new(event: &'static str, name: Option<&'static str>, deed: CallTextEdit) -> Self {
        Self { event, name, edit: deed }
    }

    fn hook(&self, number: usize) -> Hook {
        let deed = self.edit.clone();
        let field = if self.event == "delegation.pre" { "prompt" } else { "args" };
        let hook = native::hook(&format!("h{number}"), EventName::parse(self.event).unwrap(), move |call| {
            let value = call.event.payload.field(field).unwrap();
            let Some((key, text)) = text_of(value) else { return Verdict::pass() };
            let with = |text: String| {
                let mut value = value.clone();
                match key {
                    Some(key) => drop(value.as_object_mut().unwrap().insert(key.to_owned(), Value::from(text))),
                    None => value = Value::from(text),
                }
                Verdict::pass().with_rewrite(Rewrite::Fields(Map::from_iter([(field.to_owned(), value)])))
            };
            match deed {
                CallTextEdit::Append(word) => with(format!("{text} {word}")),
                CallTextEdit::Ensure(word) if text.contains(word) => Verdict::pass(),
                CallTextEdit::Ensure(word) => with(format!("{text} {word}")),
                CallTextEdit::Replace(word) => with(word.to_owned()),
                CallTextEdit::Strip(word) => with(text.replace(word, "").trim().to_owned()),
                CallTextEdit::Deny(word) if text.contains(word) => Verdict::deny(format!("no {word}")),
                CallTextEdit::Deny(_) => Verdict::pass(),
            }
        });
        match self.name {
            Some(name) => native::with_matcher(hook, SubjectMatcher::new([name])),
            None => hook,
        }
    }
}

/// The text of a call, and the argument that contains it.
fn text_of(value: &Value) -> Option<(Option<&'static str>, String)> {
    if let Some(text) = value.as_str() {
        return Some((None, text.to_owned()));
    }
    let key = ["command", "cmd", "prompt", "task", "patch", "path"].into_iter().find(|key| value[*key].is_string())?;
    Some((Some(key), value[key].as_str()?.to_owned()))
}

fn build_hooks(plans: &[CallTextHook]) -> Vec<Hook> {
    plans.iter().enumerate().map(|(number, plan)| plan.hook(number)).collect()
}

/// The response to an agent's call.
fn respond_to_call(host: &str, event: &str, payload: &Value, plans: &[CallTextHook]) -> HostResponse {
    let host = HostDef::by_name(host).unwrap();
    respond(host, host.find_event(event).unwrap(), payload.to_string().as_bytes(), build_hooks(plans))
}

fn bash_call(command: &str) -> Value {
    json!({"session_id": "s1", "hook_event_name": "PreToolUse", "cwd": "/tmp", "tool_name": "Bash",
        "tool_input": {"command": command}})
}

/// The command that Claude Code would run: the changed one, otherwise the original; `None` if it is denied.
fn command_to_run(answer: &HostResponse, wanted: &str, field: &str) -> Option<String> {
    if answer.exit_code == 2 {
        return None;
    }
    let said: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    let input = said.pointer("/hookSpecificOutput/updatedInput").and_then(|input| input[field].as_str());
    Some(input.unwrap_or(wanted).to_owned())
}

fn claude_command(plans: &[CallTextHook]) -> Option<String> {
    command_to_run(&respond_to_call("claude", "PreToolUse", &bash_call("ls"), plans), "ls", "command")
}

const SHELL: Option<&str> = Some("shell");
const RUN: Option<&str> = Some("run_command");
const JOB: Option<&str> = Some("run_background_job");

#[test]
fn a_change_under_one_name_is_judged_under_every_other() {
    let events = ["tool.transform", "tool.guard", "tool.pre"];
    let names = [SHELL, RUN, JOB, None];
    for guards in events {
        for guard in names {
            for changes in ["tool.transform", "tool.pre"] {
                for changer in names {
                    let plans = [
                        CallTextHook::new(guards, guard, CallTextEdit::Deny("alpha")),
                        CallTextHook::new(changes, changer, CallTextEdit::Replace("echo alpha")),
                    ];
                    let backwards: Vec<CallTextHook> = plans.iter().rev().cloned().collect();
                    for plans in [&plans[..], &backwards] {
                        assert_eq!(claude_command(plans), None, "{plans:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn rewriters_that_wrap_each_others_result_wrap_it_once() {
    for [one, other] in [[SHELL, RUN], [RUN, SHELL], [RUN, JOB], [None, RUN], [None, None]] {
        let plans = [
            CallTextHook::new("tool.pre", one, CallTextEdit::Append("alpha")),
            CallTextHook::new("tool.pre", other, CallTextEdit::Append("beta")),
            CallTextHook::new("tool.pre", SHELL, CallTextEdit::Deny("delta")),
            CallTextHook::new("tool.pre", RUN, CallTextEdit::Deny("delta")),
        ];
        let mut words: Vec<String> = claude_command(&plans)
            .unwrap_or_else(|| panic!("{plans:?} denies"))
            .split(' ')
            .map(str::to_owned)
            .collect();
        words.sort();
        assert_eq!(words, ["alpha", "beta", "ls"], "{plans:?}");
    }
}

#[test]
fn one_that_takes_away_what_another_insists_on_is_refused() {
    let insists = |name| CallTextHook::new("tool.transform", name, CallTextEdit::Ensure("alpha"));
    let strips = |name| CallTextHook::new("tool.pre", name, CallTextEdit::Strip("alpha"));
    for (one, other) in [(SHELL, RUN), (RUN, SHELL), (SHELL, JOB)] {
        let answer = respond_to_call("claude", "PreToolUse", &bash_call("ls"), &[insists(one), strips(other)]);
        assert!(answer.exit_code == 2 && answer.stderr.contains("3 recheck rounds"), "{answer:?}");
    }
}

#[test]
fn changed_delegated_task_is_judged_as_the_child_agent_gets_it() {
    let payload = json!({"session_id": "s1", "hook_event_name": "PreToolUse", "cwd": "/tmp", "tool_name": "Agent",
        "tool_input": {"prompt": "look", "subagent_type": "a"}});
    let changes = CallTextHook::new("delegation.pre", None, CallTextEdit::Replace("alpha"));
    for (event, name) in [("tool.pre", Some("agent")), ("tool.guard", None), ("tool.pre", Some("transfer_task"))] {
        let plans = [CallTextHook::new(event, name, CallTextEdit::Deny("alpha")), changes.clone()];
        let answer = respond_to_call("claude", "PreToolUse", &payload, &plans);
        assert_eq!(command_to_run(&answer, "look", "prompt"), None, "{event} {name:?}: {answer:?}");
    }
    assert_eq!(
        command_to_run(&respond_to_call("claude", "PreToolUse", &payload, &[changes]), "look", "prompt").as_deref(),
        Some("alpha")
    );
}

#[test]
fn call_changed_at_permission_is_judged_by_the_tool_call_guards() {
    let mut payload = bash_call("ls");
    payload["hook_event_name"] = json!("PermissionRequest");
    let approves = native::hook("approves", EventName::parse("permission.ask").unwrap(), |_| {
        Verdict::allow("fine")
            .with_rewrite(Rewrite::Fields(Map::from_iter([(String::from("args"), json!({"command": "echo alpha"}))])))
    });
    let host = HostDef::by_name("claude").unwrap();
    for (event, name) in [("tool.pre", SHELL), ("tool.pre", RUN), ("tool.guard", None)] {
        for word in ["alpha", "beta"] {
            let guard = CallTextHook::new(event, name, CallTextEdit::Deny(word)).hook(0);
            let answer = respond(
                host,
                host.find_event("PermissionRequest").unwrap(),
                payload.to_string().as_bytes(),
                vec![guard, approves.clone()],
            );
            let behavior = if word == "alpha" { "deny" } else { "allow" };
            assert!(answer.stdout.contains(&format!("\"behavior\":\"{behavior}\"")), "{event} {name:?}: {answer:?}");
        }
    }
}

#[test]
fn every_part_of_a_list_and_every_file_of_a_patch_is_judged_as_it_will_be() {
    let list = json!({"hookName": "tool_call", "taskId": "s1", "workspaceRoots": ["/tmp"],
        "tool_call": {"id": "1", "name": "run_commands", "input": {"commands": ["ls", "pwd"]}},
        "preToolUse": {"toolName": "run_commands", "parameters": {}}});
    let plans = [
        CallTextHook::new("tool.pre", SHELL, CallTextEdit::Deny("alpha")),
        CallTextHook::new("tool.pre", RUN, CallTextEdit::Replace("echo alpha")),
    ];
    let answer = respond_to_call("cline", "PreToolUse", &list, &plans);
    assert!(answer.stdout.contains("\"cancel\":true"), "{answer:?}");
    let patch = |file: &str| format!("*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch\n");
    let payload = json!({"session_id": "s1", "hook_event_name": "PreToolUse", "cwd": "/tmp", "tool_name": "apply_patch",
        "tool_input": {"command": patch("fine")}});
    let text = patch("alpha");
    let swap = native::hook("swaps", EventName::parse("tool.pre").unwrap(), move |_| {
        Verdict::pass().with_rewrite(Rewrite::Fields(Map::from_iter([(String::from("args"), json!({"patch": text}))])))
    });
    let swap = native::with_matcher(swap, SubjectMatcher::new(["patch"]));
    let guard = native::hook("guard", EventName::parse("tool.pre").unwrap(), |call| {
        let path = call.event.payload.field("args").and_then(|args| args["path"].as_str().map(str::to_owned));
        if path.as_deref() == Some("alpha") { Verdict::deny("not that file") } else { Verdict::pass() }
    });
    let guard = native::with_matcher(guard, SubjectMatcher::new(["write"]));
    let host = HostDef::by_name("codex").unwrap();
    let def = host.find_event("PreToolUse").unwrap();
    let answer = respond(host, def, payload.to_string().as_bytes(), vec![guard, swap]);
    assert!(answer.exit_code == 2 && answer.stderr.contains("not that file"), "{answer:?}");
}

#[test]
fn a_hook_that_is_asked_again_counts_once_unless_it_denies() {
    let state = tempfile::tempdir().unwrap();
    let host = HostDef::by_name("claude").unwrap();
    let counts = |name: &'static str, word: &'static str| {
        let hook = native::hook(name, EventName::parse("tool.pre").unwrap(), move |call| {
            let incr = |counter: &str| call.effects.metric_incr(call.caller(), counter, 1).unwrap();
            incr("seen");
            if call.event.payload.value().to_string().contains(word) {
                incr("denied");
                return Verdict::deny("no");
            }
            Verdict::pass()
        });
        native::with_matcher(hook, SubjectMatcher::new(["shell"]))
    };
    let call = |word: &'static str| {
        let hooks = vec![
            counts("counts", word),
            CallTextHook::new("tool.pre", RUN, CallTextEdit::Replace("echo alpha")).hook(1),
        ];
        let def = host.find_event("PreToolUse").unwrap();
        respond_with_state(host, def, bash_call("ls").to_string().as_bytes(), hooks, Some(state.path())).exit_code
    };
    assert_eq!([call("nothing"), call("alpha")], [0, 2]);
    let kept = std::fs::read_to_string(state.path().join("bridge/claude/s1/state.json")).unwrap();
    let mut lines = kept.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kept = lines.rfind(|line| line["layers"].is_object()).unwrap();
    assert_eq!(kept["layers"]["project"]["metrics"], json!({"denied": 1, "seen": 2}), "{kept}");
}

fn plan() -> impl Strategy<Value = CallTextHook> {
    let word = prop::sample::select(&WORDS[..]);
    let deed = (0..5_u8, word).prop_map(|(kind, word)| match kind {
        0 => CallTextEdit::Append(word),
        1 => CallTextEdit::Ensure(word),
        2 => CallTextEdit::Replace(word),
        3 => CallTextEdit::Strip(word),
        _ => CallTextEdit::Deny(word),
    });
    let event = prop::sample::select(&["tool.transform", "tool.guard", "tool.pre"][..]);
    (event, prop::sample::select(&[SHELL, RUN, JOB, None][..]), deed).prop_map(|(event, name, deed)| {
        let rewrites = !matches!(deed, CallTextEdit::Deny(_));
        CallTextHook { event: if rewrites && event == "tool.guard" { "tool.pre" } else { event }, name, edit: deed }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_runs_is_what_no_guard_denies(plans in prop::collection::vec(plan(), 1..6)) {
        if let Some(command) = claude_command(&plans) {
            for plan in &plans {
                if let CallTextEdit::Deny(word) = plan.edit {
                    prop_assert!(!command.contains(word), "`{}` runs under {:?}", command, plans);
                }
            }
        }
    }

    #[test]
    fn hooks_that_only_add_words_settle(plans in prop::collection::vec(plan(), 1..6)) {
        let adding: Vec<CallTextHook> = plans.into_iter()
            .filter(|plan| matches!(plan.edit, CallTextEdit::Append(_) | CallTextEdit::Ensure(_))).collect();
        let command = claude_command(&adding);
        prop_assert!(command.is_some(), "{:?}", adding);
        let command = command.unwrap_or_default();
        for plan in &adding {
            let (CallTextEdit::Append(word) | CallTextEdit::Ensure(word)) = plan.edit else { continue };
            let appenders = adding.iter().filter(|plan| matches!(plan.edit, CallTextEdit::Append(other) if other == word));
            prop_assert!((1..=appenders.count() + 1).contains(&command.matches(word).count()), "{command}: {:?}", adding);
        }
    }
}
