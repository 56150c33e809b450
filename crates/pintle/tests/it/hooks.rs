//! Hooks of the program.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pintle::events::{AgentStop, CompletionPre, Custom, PromptSubmit, SessionIdle, ToolPost, ToolPre};
use pintle::{Event, FailurePolicy, Hook, Layer, LoadReport, Origin, Runtime, ToolCall, ToolVocabulary, Verdict};
use serde_json::json;

fn shell(command: &str) -> ToolCall {
    ToolCall::new("1", "shell", json!({"command": command}))
}

fn build(hook: Hook) -> Runtime {
    Runtime::builder().hook(hook).build().unwrap()
}

#[test]
fn a_hook_hears_a_call_in_the_words_of_its_names() {
    let guard = |tool| {
        build(
            Hook::on::<ToolPre>(|call| {
                call.arg("command")?.as_str()?.contains("rm").then(|| Verdict::deny(call.tool()))
            })
            .tools([tool]),
        )
    };
    for heard in ["shell", "Bash", "run_shell_command", "B*sh", "*"] {
        for (vocabulary, name) in [("pintle", "shell"), ("claude", "Bash"), ("gemini", "run_shell_command")] {
            let call = ToolCall::new("1", name, json!({"command": "rm x"}));
            let call = call.vocabulary(ToolVocabulary::named(vocabulary).unwrap());
            let refusal = guard(heard).decide_tool_call(call).unwrap_err();
            assert_eq!(refusal.hooks().collect::<Vec<_>>(), ["tool.pre#1"], "{heard} {name}");
        }
    }
    assert!(guard("write").decide_tool_call(shell("rm x")).is_ok());
    assert!(ToolVocabulary::names().all(|name| ToolVocabulary::named(name).is_some_and(|found| found.name() == name)));
}

#[test]
fn a_rewrite_is_what_runs_and_guards_judge_it() {
    let runtime = Runtime::builder()
        .on::<ToolPre>(|call| (call.arg("command")? == "ls").then(|| Verdict::args(json!({"command": "rm -rf /"}))))
        .on::<PromptSubmit>(|call| Some(Verdict::rewrite(json!({"prompt": call.text("prompt")?.to_uppercase()}))))
        .build()
        .unwrap();
    assert_eq!(runtime.decide_tool_call(shell("ls")).unwrap().args(), &json!({"command": "rm -rf /"}));
    assert_eq!(runtime.life(&Origin::default()).submit_prompt("hi"), Ok(String::from("HI")));
    let guarded = Runtime::builder()
        .packs(["shell"])
        .on::<ToolPre>(|call| (call.arg("command")? == "ls").then(|| Verdict::args(json!({"command": "rm -rf /"}))))
        .build()
        .unwrap();
    assert!(guarded.decide_tool_call(shell("ls")).is_err(), "the pack judges what runs");
}

#[test]
fn a_failure_is_decided_by_the_policy() {
    type Answer = fn() -> Result<(), String>;
    let answers: [(Answer, &str); 2] =
        [(|| Err(String::from("the index is gone")), "index"), (|| panic!("odd"), "odd")];
    for (answer, why) in answers {
        let hook = move |policy| build(Hook::on::<ToolPre>(move |_| answer()).named("h").on_failure(policy));
        assert!(hook(FailurePolicy::Open).decide_tool_call(shell("ls")).is_ok());
        assert!(hook(FailurePolicy::Closed).decide_tool_call(shell("ls")).is_err());
        // A guard without a policy denies.
        assert!(build(Hook::on::<ToolPre>(move |_| answer())).decide_tool_call(shell("ls")).is_err());
        let event = Event::new::<ToolPre>(json!({"id": "1", "name": "shell", "args": {"command": "ls"}})).unwrap();
        let outcome = hook(FailurePolicy::Open).fire(&event);
        assert!(outcome.is_allowed() && outcome.warnings().any(|warning| warning.contains(why)), "{outcome:?}");
    }
    // What only watches goes on.
    let watching = build(Hook::on::<SessionIdle>(|_| Err::<(), _>("odd")));
    assert!(watching.fire(&Event::new::<SessionIdle>(json!({})).unwrap()).is_allowed());
}

#[test]
fn a_hook_that_takes_longer_than_its_limit_has_failed() {
    let hook = Hook::on::<ToolPre>(|call| {
        assert!(call.time_left().is_some());
        while call.time_left().is_some_and(|left| !left.is_zero()) {
            std::thread::yield_now();
        }
        Verdict::allow("late")
    });
    let refusal = build(hook.timeout_ms(1).named("late")).decide_tool_call(shell("ls")).unwrap_err();
    assert_eq!(refusal.hooks().collect::<Vec<_>>(), ["late"]);
}

#[test]
fn shadow_hooks_and_shadow_runtimes_enforce_nothing() {
    let deny = || Hook::on::<ToolPre>(|_| Verdict::deny("no"));
    assert!(build(deny().shadow()).decide_tool_call(shell("ls")).is_ok());
    assert!(Runtime::builder().hook(deny()).shadow(true).build().unwrap().decide_tool_call(shell("ls")).is_ok());
}

/// What is wrong with a hook.
fn fault(hook: Hook) -> LoadReport {
    Runtime::builder().hook(hook).build().unwrap_err()
}

#[test]
fn a_hook_that_could_not_mean_what_it_says_is_an_error() {
    let cases = [
        (Hook::deny_tools([], "no"), "names no tool"),
        (Hook::deny_tools([""], "no"), "names no tool"),
        (Hook::on::<PromptSubmit>(|_| Verdict::deny("no")).tools(["shell"]), "is not about a tool call"),
        (Hook::on_custom("custom.", |_| ()), "is not the name of a custom event"),
        (Hook::on_custom("tool.pre", |_| ()), "is not the name of a custom event"),
    ];
    for (hook, why) in cases {
        let report = fault(hook);
        assert!(report.to_string().contains(why) && report.to_string().contains("\nhelp: "), "{report}");
        assert_eq!(format!("{report:?}"), report.to_string());
        assert!(report.diagnostics().iter().all(pintle::Diagnostic::is_error));
    }
    let runtime = Runtime::builder().build().unwrap();
    assert!(runtime.register(Hook::deny_tools([""], "no")).is_err());
}

#[test]
fn no_runtime_is_built_without_a_guard_that_was_declared() {
    let hooks = tempfile::tempdir().unwrap();
    let file = hooks.path().join("guard.md");
    fs::write(&file, "---\nevent: tool.pree\nscript: |\n  def handle(event, payload):\n      return block()\n---\n")
        .unwrap();
    let builders = [
        Runtime::builder().path(&file, Layer::Project),
        Runtime::builder().path("no/such/project", Layer::User),
        Runtime::builder().path(hooks.path().join("empty"), Layer::Managed),
        Runtime::builder().packs(["shel"]),
    ];
    for builder in builders {
        let report = builder.build().unwrap_err();
        assert!(report.diagnostics().iter().any(pintle::Diagnostic::is_error), "{report}");
    }
    let report = Runtime::builder().packs(["shel"]).build().unwrap_err();
    assert!(report.to_string().contains("did you mean `shell`?"), "{report}");
    let report = Runtime::builder().path(&file, Layer::Project).build().unwrap_err();
    let found = report.diagnostics().first().unwrap();
    assert_eq!((found.path(), found.line_column().map(|(line, _)| line)), (Some(file.as_path()), Some(2)));
}

#[test]
fn hooks_come_and_go_while_the_runtime_runs_and_only_restrict_further() {
    let runtime = Runtime::builder().on::<ToolPre>(|_| Verdict::deny("first")).build().unwrap();
    let allows = runtime.on::<ToolPre>(|_| Verdict::allow("all is fine")).unwrap();
    assert_eq!(runtime.decide_tool_call(shell("ls")).unwrap_err().reason(), "first");
    assert!(allows.is_active() && allows.remove() && !allows.is_active() && !allows.remove());

    let runtime = Runtime::builder().build().unwrap();
    assert!(runtime.decide_tool_call(shell("ls")).is_ok() && !runtime.listens::<ToolPre>());
    let denies = runtime.register(Hook::deny_tools(["sh*"], "no")).unwrap();
    assert!(runtime.decide_tool_call(shell("ls")).is_err() && runtime.listens::<ToolPre>());
    assert!(denies.remove() && runtime.decide_tool_call(shell("ls")).is_ok());
}

#[test]
fn events_that_hooks_fire_are_nested_eight_deep_and_no_deeper() {
    let runtime = Runtime::builder().build().unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let (inner, count) = (runtime.clone(), Arc::clone(&calls));
    let hook = Hook::on_custom("custom.again", move |call| {
        count.fetch_add(1, Ordering::Relaxed);
        let nested = inner.fire_from(call, Event::named("custom.again", json!({})).unwrap());
        nested.is_allowed().then(Verdict::pass)
    });
    let _registered = runtime.register(hook).unwrap();
    let _outcome = runtime.fire(&Event::named("custom.again", json!({})).unwrap());
    assert_eq!(calls.load(Ordering::Relaxed), 9, "the host's own, and eight within each other");
}

#[test]
fn a_life_within_a_hook_is_nested_in_its_call() {
    let runtime = Runtime::builder().build().unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let (inner, count) = (runtime.clone(), Arc::clone(&calls));
    let hook = Hook::on_named("custom.again", move |call: &pintle::HookCall<'_, ()>| {
        count.fetch_add(1, Ordering::Relaxed);
        let (runtime, scope) = (inner.clone(), call.scope());
        assert!(!scope.is_cancelled());
        let event = Event::named("custom.again", json!({})).unwrap();
        // On whichever thread it is.
        let nested = std::thread::spawn(move || runtime.life_in(&scope, &Origin::session("s")).fire(event));
        nested.join().unwrap().is_allowed().then(Verdict::pass)
    });
    let _registered = runtime.register(hook).unwrap();
    let _outcome = runtime.fire(&Event::named("custom.again", json!({})).unwrap());
    assert_eq!(calls.load(Ordering::Relaxed), 9);
}

#[test]
fn an_event_may_be_named_and_its_name_is_checked() {
    let guard =
        || Hook::on_named("tool.pre", |call: &pintle::HookCall<'_, ()>| Verdict::deny(call.text("name").unwrap()));
    assert_eq!(build(guard()).decide_tool_call(shell("ls")).unwrap_err().reason(), "shell");
    assert!(build(guard().tools(["Bash"])).decide_tool_call(shell("ls")).is_err());
    let report = fault(Hook::on_named("tool.pree", |_: &pintle::HookCall<'_, ()>| ()));
    assert!(report.to_string().contains("did you mean `tool.pre`?"), "{report}");
    assert!(
        fault(Hook::on_named("prompt.submit", |_: &pintle::HookCall<'_, ()>| ()).tools(["shell"])).diagnostics().len()
            == 1
    );
}

#[test]
fn a_worker_that_cannot_be_started_is_an_error() {
    let hooks = tempfile::tempdir().unwrap();
    let file = hooks.path().join("slow.md");
    let script = "for a in range(9999):\n          for b in range(9999):\n              if str(a * b) == payload[\"name\"]:\n                  return block(\"no\")\n      return allow()";
    fs::write(&file, format!("---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      {script}\n---\n"))
        .unwrap();
    let missing = hooks.path().join("no-such-worker");
    let report = Runtime::builder().worker(missing, ["-c"]).path(&file, Layer::Project).build().unwrap_err();
    assert!(report.to_string().contains("cannot start the script worker"), "{report}");
}

#[test]
fn a_call_shows_the_event_and_who_fired_it() {
    #[derive(serde::Deserialize)]
    struct PromptPayload {
        prompt: String,
    }
    let runtime = Runtime::builder()
        .on::<PromptSubmit>(|call| {
            let PromptPayload { prompt } = call.parse()?;
            call.log("seen");
            let parts = [call.event(), call.session(), call.agent(), call.cwd(), &prompt];
            Ok::<_, pintle::EventError>(Verdict::deny(format!("{} {}", parts.join(" "), call.turn())))
        })
        .on::<CompletionPre>(|call| call.field("model").map(|model| Verdict::deny(model.to_string())))
        .build()
        .unwrap();
    let origin = Origin::session("s").agent("root").turn(3).cwd("/work").depth(0);
    let life = runtime.life(&origin);
    assert_eq!(life.submit_prompt("hi").unwrap_err().reason(), "prompt.submit s root /work hi 3");
    let request = Event::new::<CompletionPre>(json!({"model": "m"})).unwrap();
    assert_eq!(life.review(request).unwrap_err().reason(), "\"m\"");
}

#[test]
fn what_hooks_tell_the_model_and_the_user_arrives() {
    let runtime = Runtime::builder()
        .on::<PromptSubmit>(|_| Verdict::pass().context("be brief").remind("no secrets").notice("hello"))
        .on::<ToolPost>(|_| Verdict::pass().context("check it"))
        .on::<Custom>(|_| ())
        .on::<AgentStop>(|_| ())
        .build()
        .unwrap();
    let life = runtime.life(&Origin::default());
    assert!(life.submit_prompt("hi").is_ok());
    assert_eq!(life.take_context(), ["be brief", "no secrets"]);
    assert!(life.take_context().is_empty());
    let outcome = life.fire(Event::new::<PromptSubmit>(json!({"prompt": "hi"})).unwrap());
    assert_eq!(outcome.context().collect::<Vec<_>>(), ["be brief", "no secrets"]);
    assert_eq!(outcome.notices().collect::<Vec<_>>(), ["hello"]);
}

#[test]
fn a_model_judges_if_the_program_says_which() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("agent.yaml");
    let hook = "{type: model, model: x/y, prompt: 'run {{ .ToolInput.cmd }}?', schema: pre_tool_use_decision}";
    let text = format!(
        "agents:\n  root:\n    model: x/y\n    instruction: work\n    hooks:\n      pre_tool_use:\n        - hooks:\n            - {hook}\n"
    );
    fs::write(&file, text).unwrap();
    let builder = || Runtime::builder().path(&file, Layer::Project);
    let judged = builder().judge(|request| {
        assert!(request.model() == "x/y" && request.timeout_ms() > 0 && !request.is_cancelled());
        assert!(request.schema().is_some() && !request.instruction().is_empty());
        Ok(json!({"decision": "deny", "reason": request.prompt()}).to_string())
    });
    assert_eq!(judged.build().unwrap().decide_tool_call(shell("ls")).unwrap_err().reason(), "run ls?");
    for unjudged in [builder(), builder().judge(|_| Err(String::from("no credit")))] {
        assert!(unjudged.build().unwrap().decide_tool_call(shell("ls")).is_err());
    }
}
