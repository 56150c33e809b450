//! The input of closures, their return values, and errors at registration.

use pintle_host::{Decision, Effect, FailurePolicy, HookReturn, PersonaEvent, Reminder, SessionEvent, ToolHook};
use pintle_host::{PersonaHook, SessionHook};
use serde_json::{Value, json};

use crate::register::fixture::*;

#[test]
fn a_closure_sees_the_call_without_a_copy() {
    let (runtime, seen) = (build_runtime(), SharedLines::default());
    let lines = seen.clone();
    let look = move |event: &pintle_host::HookEvent<'_>| {
        let origin = format!("{} {} {} {}", event.session_id(), event.agent(), event.turn(), event.cwd());
        lines.add(format!("{} is {} in {origin}", event.name(), event.canonical_name()));
        lines.add(format!("{}.{}", event.persona(), event.step()));
        lines.add(format!("{:?} {:?} {:?}", event.tool_name(), event.tool_call_id(), event.tool_arg("path")));
        lines.add(format!("{:?} {}", event.result_text(), event.is_error()));
        lines.add(format!("{} {}", event.json()["event"], event.json()["tool"]["name"]));
        lines.add(format!("{:?} {:?}", event.time_left(), event.is_cancelled()));
    };
    let tools = ToolHook::for_tools("write").pre(look.clone()).post(look);
    let registered = runtime.register_tool_hook(tools).unwrap();
    assert_eq!(registered.hooks().len(), 2);
    assert!(runtime.fire(&call_event("write", json!({"path": "a.rs"}))).is_allowed());
    assert!(runtime.fire(&result_event("write", "done")).is_allowed());
    assert!(runtime.fire(&call_event("read", json!({}))).is_allowed());
    let expected = [
        "PreToolUse is tool.pre in s root 2 /tree",
        "merge_captain.audit",
        r#"Some("write") Some("1") Some(String("a.rs"))"#,
        "None false",
        r#""PreToolUse" "write""#,
        "None false",
        "PostToolUse is tool.post in s root 2 /tree",
        "merge_captain.audit",
        r#"Some("write") Some("1") None"#,
        r#"Some("done") false"#,
        r#""PostToolUse" "write""#,
        "None false",
    ];
    assert_eq!(seen.all(), expected);
}

#[test]
fn a_tool_call_is_refused_changed_and_reminded_of() {
    let runtime = build_runtime();
    runtime.register_tool_hook(ToolHook::for_tools("exec_*").deny("exec is gated").name("gate")).unwrap();
    let reminder =
        Reminder { tags: vec![String::from("tool")], ..Reminder::for_one_turn("Network fetch is about to run") };
    let reminding = reminder.clone();
    runtime.register_tool_hook(ToolHook::for_tools("fetch_*").pre(move |_| reminding.clone())).unwrap();
    runtime
        .register_tool_hook(ToolHook::for_tools("fetch_page").pre(|event| {
            let url = event.tool_arg("url")?.as_str()?.replace("http://", "https://");
            Some(HookReturn::args(json!({"url": url})))
        }))
        .unwrap();
    runtime.register_tool_hook(ToolHook::for_tools("fetch_page").post(|_| "short")).unwrap();

    let refused = runtime.fire(&call_event("exec_root", json!({})));
    assert_eq!(refused.reason(), r#"blocked by hook "gate": exec is gated"#);
    let fetched = runtime.fire(&call_event("fetch_page", json!({"url": "http://x"})));
    assert_eq!(fetched.payload.field("args"), Some(&json!({"url": "https://x"})));
    let effects: Vec<&Effect> = fetched.effects.iter().map(|(_, effect)| effect).collect();
    assert_eq!(effects, [&Effect::Reminder(reminder)]);
    assert_eq!(runtime.fire(&result_event("fetch_page", "long")).payload.field("content"), Some(&json!("short")));
    assert!(runtime.fire(&call_event("read", json!({}))).is_allowed());
}

#[test]
fn sessions_and_steps_are_vetoed_and_changed() {
    let runtime = build_runtime();
    runtime
        .register_session_hook("user_prompt_submit", |event| {
            event.prompt()?.contains("secret").then(|| HookReturn::block("policy violation: secret in prompt"))
        })
        .unwrap();
    runtime
        .register_session_hook(SessionEvent::PermissionAsked, |event| {
            (event.tool_name()? == "exec_root")
                .then(|| HookReturn::decision(Decision::Deny, "exec_root never runs unattended"))
        })
        .unwrap();
    runtime
        .register_step_hook("merge_*", "audit", PersonaEvent::PreStep, |event| {
            let arguments = event.step_args().iter().map(|number| number.as_i64().unwrap_or(0) + 1);
            HookReturn::reminder(Reminder::for_one_turn("Audit step is running"))
                .then(HookReturn::args(arguments.collect::<Vec<_>>()))
        })
        .unwrap();
    runtime.register_persona_hook("*", "PostStep", |event| Some(HookReturn::output(json!([event.output()?])))).unwrap();

    let prompt = |text: &str| runtime.fire(&build_event("prompt.submit", json!({"prompt": text})));
    assert!(prompt("hello").is_allowed());
    assert!(prompt("my secret").reason().ends_with("policy violation: secret in prompt"));
    let asked = |tool: &str| runtime.fire(&build_event("permission.ask", json!({"id": "1", "name": tool, "args": {}})));
    assert!(asked("exec_root").reason().ends_with("exec_root never runs unattended"));
    assert!(asked("ls").reasons.is_empty());

    let step = |persona: &str, step: &str| {
        let payload = json!({"persona": persona, "step": step, "function": "f", "args": [1, 2]});
        runtime.fire(&build_event("step.pre", payload)).payload.field("args").cloned()
    };
    assert_eq!(step("merge_captain", "audit"), Some(json!([2, 3])));
    assert_eq!(step("merge_captain", "merge"), Some(json!([1, 2])));
    assert_eq!(step("triage", "audit"), Some(json!([1, 2])));
    let after =
        runtime.fire(&build_event("step.post", json!({"persona": "x", "step": "y", "function": "f", "output": 3})));
    assert_eq!(after.payload.field("output"), Some(&json!([3])));
    runtime.register_persona_hook("*", "PostStep", |_| Some(HookReturn::output(Value::Null))).unwrap();
    let after =
        runtime.fire(&build_event("step.post", json!({"persona": "x", "step": "y", "function": "f", "output": 3})));
    assert_eq!(after.payload.field("output"), Some(&Value::Null));
}

#[test]
fn what_an_event_does_not_understand_fails_and_says_so() {
    let runtime = build_runtime();
    let named = |event: &str, answer: HookReturn| SessionHook::for_event(event, move |_| answer.clone()).name("odd");
    // Event, return value, whether the event is allowed, and part of the message.
    let cases = [
        ("user_prompt_submit", HookReturn::value(json!(7)), false, ["odd", "UserPromptSubmit"]),
        ("user_prompt_submit", HookReturn::decision(Decision::Deny, "no"), false, ["odd", "decision"]),
        ("user_prompt_submit", HookReturn::value(json!({"blok": true})), false, ["odd", "block"]),
        ("session_end", HookReturn::block("stay"), true, ["odd", "SessionEnd"]),
        ("post_turn", HookReturn::from(false), true, ["odd", "PostTurn"]),
    ];
    for (spelling, answer, goes_on, words) in cases {
        let registered = runtime.register_hook(named(spelling, answer.clone())).unwrap();
        let canonical = runtime.hooks().chains()[0].hooks[0].event.to_string();
        let outcome = runtime.fire(&build_event(&canonical, json!({})));
        assert_eq!(outcome.is_allowed(), goes_on, "{spelling} {answer:?}: {outcome:?}");
        let told = describe_failures(&outcome).join("\n");
        assert!(words.iter().all(|word| told.contains(word)), "{spelling} {answer:?}: {told}");
        assert!(registered.remove());
    }
}

#[test]
fn a_refusal_means_the_same_however_often_and_with_whatever_words() {
    let runtime = build_runtime();
    let forms: [fn(&str) -> HookReturn; 2] = [|reason| HookReturn::deny(reason), |reason| HookReturn::block(reason)];
    for event in ["user_prompt_submit", "session_end"] {
        for deny in forms {
            let refuse = move |event: &pintle_host::HookEvent<'_>| deny(event.text("prompt").unwrap_or("stay"));
            runtime.register_hook(SessionHook::for_event(event, refuse).name("gate")).unwrap();
        }
    }
    let submit = |text: &str| {
        let outcome = runtime.fire(&build_event("prompt.submit", json!({"prompt": text})));
        (outcome.decision, outcome.reason())
    };
    let no = |text: &str| (Decision::Deny, format!("blocked by hook \"gate\": {text}"));
    assert_eq!([submit("a"), submit("b"), submit("c")], [no("a"), no("b"), no("c")]);
    let unnamed = submit("");
    assert_eq!(unnamed.0, Decision::Deny);
    assert_eq!(submit(""), unnamed);
    let ended = || describe_failures(&runtime.fire(&build_event("session.end", json!({}))));
    let first = ended();
    assert_eq!(first.len(), 2, "{first:?}");
    assert_eq!(ended(), first);
}

#[test]
fn the_author_says_what_a_failure_means() {
    let runtime = build_runtime();
    let broken = || SessionHook::for_event("user_prompt_submit", |_| Err::<(), _>("the index is gone"));
    let submit = || runtime.fire(&build_event("prompt.submit", json!({"prompt": "x"})));
    let closed = runtime.register_hook(broken()).unwrap();
    assert!(!submit().is_allowed());
    assert!(closed.remove());
    runtime.register_hook(broken().name("index").on_error(FailurePolicy::Open)).unwrap();
    let outcome = submit();
    assert!(outcome.is_allowed());
    assert_eq!(describe_failures(&outcome), ["index: error: the index is gone"]);
    runtime.clear_session_hooks();
    runtime.register_hook(SessionHook::for_event("user_prompt_submit", |_| HookReturn::block("no")).shadow()).unwrap();
    let outcome = submit();
    assert!(outcome.is_allowed());
    assert_eq!(outcome.shadow.len(), 1);
}

#[test]
fn what_is_wrong_is_said_at_registration_and_nothing_is_registered() {
    let runtime = build_runtime();
    let cases = [
        (runtime.register_tool_hook(ToolHook::for_tools("tool.name =~ \"[\"").deny("x")), "["),
        (runtime.register_tool_hook(ToolHook::for_tools("a[").deny("x")), "a["),
        (runtime.register_tool_hook(ToolHook::for_tools("a")), "does nothing"),
        (runtime.register_session_hook("user_promt_submit", |_| ()), "user_prompt_submit"),
        (runtime.register_session_hook("PreToolUse", |_| ()), "register_tool_hook"),
        (runtime.register_session_hook("WorkerSpawned", |_| ()), "WorkerSpawned"),
        (runtime.register_persona_hook("*", "PreSetp", |_| ()), "PreStep"),
        (runtime.register_persona_hook("*", "OnBudgetThreshold(abc)", |_| ()), "abc"),
        (runtime.register_step_hook("m[", "audit", "PreStep", |_| ()), "m["),
        (runtime.register_step_hook("*", "audit", "SessionStart", |_| ()), "`register_step_hook`"),
        (runtime.register_hook(SessionHook::for_event("file_edited", |_| ()).pattern("path == a == b")), "path"),
    ];
    for (registered, word) in cases {
        let found = describe_diagnostics(registered.unwrap_err().diagnostics());
        assert!(found.iter().any(|message| message.contains(word)), "{word}: {found:?}");
    }
    assert!(runtime.hooks().chains().is_empty());
}

#[test]
fn every_typed_event_registers() {
    let runtime = build_runtime();
    for event in SessionEvent::all() {
        runtime.register_session_hook(event, |_| ()).unwrap();
        let spelled = runtime.hooks().chains().last().unwrap().hooks[0].event_alias.to_string();
        assert_eq!(spelled, event.to_string());
    }
    let personas = ["PreStep", "PostStep", "OnApprovalRequested", "OnHandoffEmitted"];
    let more = ["OnPersonaPaused", "OnPersonaResumed", "OnBudgetThreshold(80)"];
    for name in personas.into_iter().chain(more) {
        let event: PersonaEvent = name.parse().unwrap();
        runtime.register_hook(PersonaHook::for_event("*", event, |_| ())).unwrap();
        runtime.register_step_hook("*", "audit", event, |_| ()).unwrap();
    }
    assert_eq!(runtime.clear_session_hooks(), 14);
    assert_eq!(runtime.clear_persona_hooks(), 14);
}

#[test]
fn a_denial_and_a_cut_are_kept_over_later_rewrites() {
    let cases = [
        (
            HookReturn::denial("gone", "scope", "not yours"),
            json!({"denial": {"kind": "scope", "message": "not yours"}}),
        ),
        (HookReturn::truncated("head", 9), json!({"truncated": true, "dropped_bytes": 9})),
    ];
    for (first, facts) in cases {
        let runtime = build_runtime();
        runtime.register_tool_hook(ToolHook::for_tools("*").post(move |_| first.clone())).unwrap();
        let append = |event: &pintle_host::HookEvent<'_>| Some(format!("{} and more", event.result_text()?));
        runtime.register_tool_hook(ToolHook::for_tools("*").post(append)).unwrap();
        let outcome = runtime.fire(&result_event("look", "all of it"));
        let content = outcome.payload.field("content").and_then(serde_json::Value::as_str).unwrap_or_default();
        assert!(content.ends_with(" and more"), "{content}");
        let kept = outcome.effects.iter().any(|(_, effect)| match effect {
            Effect::Metadata(kept) => serde_json::Value::Object(kept.clone()) == facts,
            _ => false,
        });
        assert!(kept, "{:?}", outcome.effects);
    }
}
