//! Steps: how hooks change their arguments and output, and what they prevent.

use pintle_agent::{StepError, StepErrorKind};
use pintle_host::contract::{StepSpec, ToolsPolicy};
use pintle_host::{HookReturn, Reminder};
use serde_json::{Value, json};

use crate::persona::fixture::*;
use crate::support::{call, message_lines, say};

/// What the hook of an event returns, and the step's result: its output, or its error.
struct StepHookCase {
    event: &'static str,
    hook_return: fn() -> HookReturn,
    output: Result<Value, Value>,
    has_run: bool,
}

#[test]
fn what_a_hook_returns_decides_about_the_step() {
    let denied = |event: &str, reason: &str| {
        let message = format!(r#"step blocked: blocked by hook "judge": {reason}"#);
        json!({"category": "hook_denied", "event": event, "reason": reason, "persona": "merge_captain", "step": "audit", "message": message})
    };
    let cases = [
        StepHookCase { event: "PreStep", hook_return: HookReturn::allow, output: Ok(json!([17, "x"])), has_run: true },
        StepHookCase {
            event: "PreStep",
            hook_return: || HookReturn::value(json!(null)),
            output: Ok(json!([17, "x"])),
            has_run: true,
        },
        StepHookCase {
            event: "PreStep",
            hook_return: || HookReturn::deny("not today"),
            output: Err(denied("PreStep", "not today")),
            has_run: false,
        },
        StepHookCase {
            event: "PreStep",
            hook_return: || HookReturn::args(json!([18])),
            output: Ok(json!([18])),
            has_run: true,
        },
        StepHookCase {
            event: "PreStep",
            hook_return: || HookReturn::value(json!({"reason": "a bare reason denies"})),
            output: Err(denied("PreStep", "a bare reason denies")),
            has_run: false,
        },
        StepHookCase { event: "PostStep", hook_return: HookReturn::allow, output: Ok(json!([17, "x"])), has_run: true },
        StepHookCase {
            event: "PostStep",
            hook_return: || HookReturn::output(json!({"ok": true})),
            output: Ok(json!({"ok": true})),
            has_run: true,
        },
    ];
    for case in cases {
        let StepHookCase { event, hook_return: returns, output, has_run: ran } = case;
        let mut fixture = open_fixture([], |runtime| {
            let hook =
                pintle_host::PersonaHook::for_event("merge_*", event, move |_| returns()).step("audit").name("judge");
            runtime.register_hook(hook).unwrap();
        });
        let captain = persona_spec("merge_captain", [StepSpec::new("audit")]);
        let bodies = SharedLines::default();
        let result = fixture.session.persona(&captain).unwrap().step("audit", json!([17, "x"]), |step| {
            bodies.add("ran");
            Ok(json!(step.args()))
        });
        assert_eq!(result.map_err(|error| error.to_value()), output, "{event}");
        assert_eq!(bodies.all().len(), usize::from(ran), "{event}");
        // A step that did not begin does not end.
        assert_eq!(fixture.take_events_of("step.post").len(), usize::from(ran), "{event}");
    }
}

#[test]
fn invalid_hook_return_fails_the_step_and_names_hook_event_and_shape() {
    for (event, returned) in [("PreStep", json!(7)), ("PreStep", json!({"dney": "x"})), ("PreStep", json!({"args": 3}))]
    {
        let shape = returned.clone();
        let mut fixture = open_fixture([], |runtime| {
            let hook =
                pintle_host::PersonaHook::for_event("*", event, move |_| HookReturn::value(shape.clone())).name("odd");
            runtime.register_hook(hook).unwrap();
        });
        let captain = persona_spec("merge_captain", [StepSpec::new("audit")]);
        let error =
            fixture.session.persona(&captain).unwrap().step("audit", json!([]), |_| Ok(json!("ran"))).unwrap_err();
        assert!(matches!(error.kind, StepErrorKind::Denied { event: "PreStep", .. }), "{returned}: {error:?}");
        assert!(error.message.contains("odd"), "{}", error.message);
    }
}

#[test]
fn arguments_are_a_list_whatever_they_were() {
    let mut fixture = open_fixture([], |_| {});
    let captain = persona_spec("p", [StepSpec::new("s")]);
    let cases = [
        (json!(null), json!([])),
        (json!([1, 2]), json!([1, 2])),
        (json!({"a": 1}), json!([{"a": 1}])),
        (json!("x"), json!(["x"])),
    ];
    for (given, expected) in cases {
        let seen = fixture.session.persona(&captain).unwrap().step("s", given, |step| Ok(json!(step.args())));
        assert_eq!(seen.unwrap(), expected);
    }
}

#[test]
fn a_step_without_a_persona_is_matched_by_a_star_and_by_no_name() {
    let heard = SharedLines::default();
    let mut fixture = open_fixture([], |runtime| {
        runtime.register_persona_hook("*", "PreStep", line_hook(&heard, "star")).unwrap();
        runtime.register_persona_hook("merge_*", "PreStep", line_hook(&heard, "merge")).unwrap();
        runtime.register_step_hook("*", "audit", "PreStep", line_hook(&heard, "star audit")).unwrap();
        runtime.register_step_hook("*", "other", "PreStep", line_hook(&heard, "star other")).unwrap();
    });
    fixture.session.step(&StepSpec::new("audit"), json!([]), |_| Ok(Value::Null)).unwrap();
    assert_eq!(heard.take(), ["star /audit", "star audit /audit"]);
    let captain = persona_spec("merge_captain", [StepSpec::new("audit")]);
    fixture.session.persona(&captain).unwrap().step("audit", json!([]), |_| Ok(Value::Null)).unwrap();
    assert_eq!(
        heard.take(),
        ["star merge_captain/audit", "merge merge_captain/audit", "star audit merge_captain/audit"]
    );
}

#[test]
fn steps_nest_and_everything_inside_says_where_it_is() {
    let mut fixture = open_fixture([call(&[("look", "{}")]), say("seen"), say("after")], |_| {});
    let inner = persona_spec("auditor", [StepSpec::new("check")]);
    let outer = persona_spec("captain", [StepSpec::new("audit"), StepSpec::new("deep")]);
    let result = fixture.session.persona(&outer).unwrap().step("audit", json!([1]), |step| {
        step.step("deep", json!([2]), |deep| {
            let mut auditor = deep.persona(&inner).map_err(StepError::from)?;
            auditor.step("check", json!([3]), |check| Ok(json!(check.run_prompt("look")?.text)))
        })
    });
    assert_eq!(result.unwrap(), json!("seen"));
    // Outside of the steps no origin names one.
    fixture.session.turn("go on").unwrap();
    let expected = [
        "step.pre captain/audit [1]",
        "step.pre captain/deep [2]",
        "step.pre auditor/check [3]",
        r#"tool.pre auditor/check "look""#,
        r#"step.post auditor/check "seen" error=false"#,
        r#"step.post captain/deep "seen" error=false"#,
        r#"step.post captain/audit "seen" error=false"#,
    ];
    assert_eq!(fixture.events.all(), expected);
    let last = fixture.records().into_iter().rfind(|record| record["event"] == "turn.end").unwrap();
    assert!(last["origin"].get("persona").is_none(), "{last}");
}

#[test]
fn a_step_narrows_tools_and_nothing_in_it_gets_them_back() {
    let allow = |names: &[&str]| ToolsPolicy {
        mode: pintle_host::contract::PolicyMode::Allowlist,
        allow: names.iter().map(|name| (*name).to_owned()).collect(),
        deny: Vec::new(),
    };
    let replies = [call(&[("look", "{}"), ("deploy", "{}")]), say("one"), call(&[("deploy", "{}")]), say("two")];
    let mut fixture = open_fixture(replies, |_| {});
    let mut spec = persona_spec(
        "captain",
        [StepSpec { tools: allow(&["look"]), ..StepSpec::new("audit") }, StepSpec::new("inner")],
    );
    // The inner step is restricted by the outer step.
    spec.steps[1].tools = allow(&["look", "deploy"]);
    let mut captain = fixture.session.persona(&spec).unwrap();
    captain
        .step("audit", json!([]), |step| {
            step.run_prompt("one")?;
            step.step("inner", json!([]), |inner| Ok(json!(inner.run_prompt("two")?.text)))
        })
        .unwrap();
    let offered: Vec<Vec<String>> =
        (0..4).map(|index| fixture.model.request(index).tools.iter().map(|tool| tool.name.clone()).collect()).collect();
    assert!(offered.iter().all(|names| *names == ["look"]), "{offered:?}");
    let results: Vec<String> = fixture
        .model
        .request(3)
        .messages
        .iter()
        .filter(|message| message.role.to_string() == "tool")
        .map(|message| message.content.clone())
        .collect();
    assert_eq!(results[0], "look ran");
    assert!(results[1].contains("deploy") && !results[1].contains("ran"), "{results:?}");
    assert!(!results[2].contains("ran"), "{results:?}");
    // After the steps the tool is available again.
    fixture.model.add("root", [call(&[("deploy", "{}")]), say("three")]);
    let answer = fixture.session.turn("three").unwrap();
    assert_eq!(answer.tool_results[0].content, "deploy ran");
}

#[test]
fn a_step_has_a_model_and_words_of_its_own_and_only_while_it_runs() {
    let model = |name: &str| pintle_host::contract::ModelSpec {
        name: name.to_owned(),
        provider: String::new(),
        base_url: None,
        api_key_env: None,
        max_tokens: Some(99),
        temperature: None,
        retry: pintle_host::contract::RetrySpec::default(),
    };
    let mut fixture = open_fixture([say("one"), say("two"), say("three")], |_| {});
    let mut spec = persona_spec("captain", [StepSpec::new("audit"), StepSpec::new("merge")]);
    spec.instruction = String::from("You are the captain.");
    spec.model = Some(model("small"));
    spec.steps[0].model = Some(model("large"));
    spec.steps[0].instruction = String::from("Audit with care.");
    let mut captain = fixture.session.persona(&spec).unwrap();
    for name in ["audit", "merge"] {
        captain.step(name, json!([]), |step| Ok(json!(step.run_prompt("go")?.text))).unwrap();
    }
    fixture.session.turn("go").unwrap();
    let sent: Vec<(String, String)> = (0..3)
        .map(|index| fixture.model.request(index))
        .map(|request| (request.model.clone(), message_lines(&request)[0].clone()))
        .collect();
    assert_eq!(
        sent[0],
        (String::from("large"), String::from("system: be brief\n\nYou are the captain.\n\nAudit with care."))
    );
    assert_eq!(sent[1], (String::from("small"), String::from("system: be brief\n\nYou are the captain.")));
    assert_eq!(sent[2], (String::new(), String::from("system: be brief")));
    assert_eq!(fixture.model.request(0).max_tokens, Some(99));
}

#[test]
fn step_hook_reminder_is_in_the_next_request_and_hooks_are_recorded() {
    let mut fixture = open_fixture([say("audited")], |runtime| {
        runtime
            .register_step_hook("merge_*", "audit", "PreStep", |event| {
                let reminder = Reminder {
                    body: String::from("Audit step is running"),
                    tags: vec![String::from("audit")],
                    ..Reminder::default()
                };
                HookReturn::reminder(reminder).then(HookReturn::args(event.step_args().to_vec()))
            })
            .unwrap();
    });
    let captain = persona_spec("merge_captain", [StepSpec::new("audit")]);
    let output = fixture.session.persona(&captain).unwrap().step("audit", json!(["branch"]), |step| {
        assert_eq!(step.args(), [json!("branch")]);
        Ok(json!(step.run_prompt("audit it")?.text))
    });
    assert_eq!(output.unwrap(), json!("audited"));
    assert!(message_lines(&fixture.model.request(0)).join("\n").contains("Audit step is running"));
    let records = fixture.records();
    let of_hook: Vec<&Value> = records.iter().filter(|record| record["hook"] == "register_step_hook#1").collect();
    let kinds: Vec<&str> = of_hook.iter().filter_map(|record| record["kind"].as_str()).collect();
    assert_eq!(kinds, ["hook_call", "hook_returned"]);
    let event = records.iter().find(|record| record["event"] == "step.pre").unwrap();
    assert_eq!(
        event["payload"],
        json!({"persona": "merge_captain", "step": "audit", "function": "audit", "args": ["branch"]})
    );
    assert_eq!((&event["origin"]["persona"], &event["origin"]["step"]), (&json!("merge_captain"), &json!("audit")));
}

#[test]
fn declared_steps_run_one_after_another_with_what_came_before() {
    let mut fixture = open_fixture([say("sound"), say("merged")], |_| {});
    let prompt = |name: &str, prompt: &str| StepSpec { prompt: Some(prompt.to_owned()), ..StepSpec::new(name) };
    let spec = persona_spec(
        "captain",
        [prompt("audit", "audit {{args.branch}}"), prompt("merge", "merge {{args.0.branch}}: {{steps.audit}}")],
    );
    let outputs = fixture.session.persona(&spec).unwrap().run(json!({"branch": "main"})).unwrap();
    assert_eq!(outputs, json!({"audit": "sound", "merge": "merged"}));
    let asked: Vec<String> = (0..2).map(|index| message_lines(&fixture.model.request(index)).pop().unwrap()).collect();
    assert_eq!(asked, ["user: audit main", "user: merge main: sound"]);
    let bad = [
        (persona_spec("captain", []), "persona `captain` declares no steps; declare one with a `prompt`"),
        (
            persona_spec("captain", [StepSpec::new("audit")]),
            "step `audit` has no `prompt`, so it can only be run from code; declare one",
        ),
        (
            persona_spec("captain", [prompt("audit", "{{args.7}}")]),
            "`args.7` in the prompt does not exist; `args.0` is the first argument, `steps.NAME` a step",
        ),
    ];
    for (spec, reason) in bad {
        let error = fixture.session.persona(&spec).unwrap().run(json!([])).unwrap_err();
        assert_eq!(error.message, reason);
    }
}

#[test]
fn what_is_wrong_with_a_persona_is_told_before_anything_runs() {
    let mut fixture = open_fixture([], |_| {});
    let mut spec = persona_spec("captain", [StepSpec { budget: token_budget(0), ..StepSpec::new("audit") }]);
    spec.budget.max_usd = Some(1.0);
    let fault = fixture.session.persona(&spec).unwrap_err();
    assert_eq!(
        fault.message,
        "persona `captain`: `max_usd` cannot be enforced without prices; step `audit`: `max_tokens` is 0, so no step can run"
    );
    let spec = persona_spec("captain", [StepSpec::new("audit")]);
    let error = fixture.session.persona(&spec).unwrap().step("adit", json!([]), |_| Ok(Value::Null)).unwrap_err();
    assert_eq!(error.message, "persona `captain` has no step `adit`; did you mean `audit`?");
    let mut spec = persona_spec("captain", [StepSpec::new("audit")]);
    spec.steps[0].tools.deny = vec![String::from("a[")];
    let error = fixture.session.persona(&spec).unwrap().step("audit", json!([]), |_| Ok(Value::Null)).unwrap_err();
    assert!(error.message.contains("`a[` is not a valid glob"), "{}", error.message);
    assert_eq!(fixture.events.all(), [] as [&str; 0]);
}
