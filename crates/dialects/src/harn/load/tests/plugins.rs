//! Calls of the registration functions.

use pintle_contract::{EnforcementMode, FailurePolicy, Profile};
use serde_json::json;

use super::*;

#[test]
fn the_snippets_of_the_document_are_declared() {
    let project = load_plugin_calls(vec![
        ("register_tool_hook", vec![value(json!({"pattern": "exec_*", "deny": "exec is gated"}))], vec![]),
        ("register_tool_hook", vec![value(json!({"pattern": "*", "max_output": 4000}))], vec![]),
        (
            "register_tool_hook",
            vec![RegistrationArgument::Table(vec![
                (String::from("pattern"), text("fetch_*")),
                (String::from("pre"), function("lambda")),
            ])],
            vec![],
        ),
        ("register_step_hook", vec![text("merge_*"), text("audit"), text("PreStep"), function("audit")], vec![]),
        ("register_session_hook", vec![text("user_prompt_submit"), function("no_secrets")], vec![]),
        ("register_session_hook", vec![text("PermissionAsked"), text("exec_*"), function("lambda")], vec![]),
        ("register_persona_hook", vec![text("*"), text("OnBudgetThreshold(80)"), function("lambda")], vec![]),
    ]);
    assert_eq!(describe_findings(&project), [""; 0]);
    assert_eq!(
        describe_hooks(&project),
        [
            "policy.star:1 exec_* deny | tool.pre | exec_* | DenyHandler { reason: \"exec is gated\" }",
            "policy.star:2 * max_output | tool.post | everything | MaxOutputHandler { limit_bytes: 4000 }",
            "policy.star:3 fetch_* pre | tool.pre | fetch_* | policy.star Registered(7)",
            "policy.star:4 audit | step.pre | persona merge_*, step audit | policy.star Registered(7)",
            "policy.star:5 no_secrets | prompt.submit | everything | policy.star Registered(7)",
            "policy.star:6 PermissionAsked | permission.ask | exec_* | policy.star Registered(7)",
            "policy.star:7 * OnBudgetThreshold(80) | budget.threshold | persona *, budget used to 80 % | policy.star \
             Registered(7)",
        ]
    );
    // Events with a veto fail closed, the others open; all are called in registration order.
    let policies: Vec<FailurePolicy> = project.hooks.iter().map(|hook| hook.default_on_error).collect();
    let (closed, open) = (FailurePolicy::Closed, FailurePolicy::Open);
    assert_eq!(policies, [closed, open, closed, closed, closed, closed, open]);
    assert!(project.hooks.iter().all(|hook| hook.profile == Profile::SequentialFirstDeny && hook.priority == 0));
}

#[test]
fn one_table_may_hold_all_four_and_those_without_a_closure_come_first() {
    let project = load_plugin_calls(vec![(
        "register_tool_hook",
        vec![],
        vec![
            ("post", function("shorten")),
            ("pre", function("lambda")),
            ("deny", text("no")),
            ("max_output", value(json!(0))),
            ("pattern", text("a")),
        ],
    )]);
    let names: Vec<&str> = project.hooks.iter().map(|hook| hook.name.as_str()).collect();
    let wanted = ["policy.star:1 a deny", "policy.star:1 a max_output", "policy.star:1 a pre", "policy.star:1 shorten"];
    assert_eq!(names, wanted);
}

#[test]
fn options_have_effect_and_names_are_told_apart() {
    let options = json!({"name": "guard", "timeout_ms": 50, "on_error": "open", "mode": "shadow"});
    let call = || ("register_session_hook", vec![text("pre_compact"), function("f"), value(options.clone())], vec![]);
    let project = load_plugin_calls(vec![call(), call()]);
    let [first, second] = project.hooks.as_slice() else { panic!("{:?}", describe_findings(&project)) };
    assert_eq!((first.name.as_str(), second.name.as_str()), ("guard", "guard#2"));
    assert_eq!(
        (first.timeout_ms, first.on_error, first.mode),
        (Some(50), Some(FailurePolicy::Open), EnforcementMode::Shadow)
    );
    let named = load_plugin_calls(vec![(
        "register_session_hook",
        vec![text("pre_compact"), function("f")],
        vec![("name", text("n")), ("timeout_ms", value(json!(9)))],
    )]);
    assert_eq!((named.hooks[0].name.as_str(), named.hooks[0].timeout_ms), ("n", Some(9)));
}

#[test]
fn clearing_drops_what_was_registered_before_it_and_nothing_else() {
    let tool = || ("register_tool_hook", vec![value(json!({"deny": "x"}))], vec![]);
    let step = || ("register_persona_hook", vec![text("*"), text("PreStep"), function("s")], vec![]);
    let session = || ("register_session_hook", vec![text("session_start"), function("f")], vec![]);
    for (clear, wanted) in [
        ("clear_tool_hooks", ["step.pre", "session.start", "tool.pre"]),
        ("clear_persona_hooks", ["tool.pre", "session.start", "tool.pre"]),
        ("clear_session_hooks", ["tool.pre", "step.pre", "tool.pre"]),
    ] {
        let project = load_plugin_calls(vec![tool(), step(), session(), (clear, vec![], vec![]), tool()]);
        let events: Vec<&str> = project.hooks.iter().map(|hook| hook.event.as_str()).collect();
        assert_eq!(events, wanted, "{clear}");
    }
}

#[test]
fn invalid_registration_is_an_error_with_help_and_registers_nothing() {
    let project = load_plugin_calls(vec![
        ("register_tool_hook", vec![value(json!({"patern": "exec_*", "deny": "x"}))], vec![]),
        ("register_tool_hook", vec![value(json!({"dney": "x"}))], vec![]),
        ("register_tool_hook", vec![value(json!({"max_output": -1}))], vec![]),
        ("register_tool_hook", vec![value(json!({"max_output": "many"}))], vec![]),
        ("register_tool_hook", vec![value(json!({"pre": "nope"}))], vec![]),
        ("register_tool_hook", vec![text("exec_*")], vec![]),
        (
            "register_tool_hook",
            vec![value(json!({"pattern": "tool.name =~ '['", "deny": "x", "max_output": 1}))],
            vec![],
        ),
        ("register_session_hook", vec![text("user_prompt_sumbit"), function("f")], vec![]),
        ("register_session_hook", vec![text("PreToolUse"), function("f")], vec![]),
        ("register_session_hook", vec![text("loop_checkpoint"), function("f")], vec![]),
        (
            "register_session_hook",
            vec![
                text("session_start"),
                RegistrationArgument::Function(RegisteredFunction {
                    index: 0,
                    name: String::from("two"),
                    takes_one_argument: false,
                    guard: false,
                }),
            ],
            vec![],
        ),
        ("register_session_hook", vec![text("session_start")], vec![]),
        ("register_persona_hook", vec![text("*"), text("pre_step"), function("f")], vec![]),
        ("register_persona_hook", vec![text("[a"), text("OnBudgetThreshold(abc)"), function("f")], vec![]),
        ("register_persona_hook", vec![text("*"), text("OnBudgetThreshold"), function("f")], vec![]),
        ("register_step_hook", vec![text("*"), text(" "), text("PreStep"), function("f")], vec![]),
        (
            "register_session_hook",
            vec![text("session_start"), function("f"), value(json!({"on_eror": "open", "mode": "shadw"}))],
            vec![],
        ),
        ("clear_tool_hooks", vec![text("all")], vec![]),
        ("register_session_hook", vec![text("session_start"), function("f")], vec![("event", text("session_end"))]),
        (
            "register_session_hook",
            vec![text("session_start"), function("f"), value(json!({"name": "a"}))],
            vec![("name", text("b"))],
        ),
    ]);
    assert_eq!(describe_hooks(&project), [""; 0]);
    let wanted = include_str!("slips.txt");
    let found = describe_findings(&project).join("\n") + "\n";
    if std::env::var_os("PINTLE_UPDATE").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/harn/load/tests/slips.txt");
        std::fs::write(path, &found).unwrap();
    }
    assert!(found == wanted, "slips.txt differs; run with PINTLE_UPDATE=1 and look at what changed\n{found}");
}

#[test]
fn a_plugin_that_nothing_runs_is_an_error() {
    let project = load(&[artifact(ArtifactKind::Plugin, "policy.star", "")], &ParseContext::default());
    assert_eq!(
        describe_findings(&project),
        ["1: plugin `policy.star` cannot be loaded: scripts are disabled in this process; "]
    );
}
