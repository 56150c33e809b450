//! One tool call: which hooks are called, in which order, and what the model gets.

use pintle_host::contract::{PermissionMode, PermissionsSpec, VerdictKind};
use pintle_host::{ApprovalResponse, Verdict};
use serde_json::{Value, json};

use crate::support::{call, deny, hook, rewrite, say};
use crate::team::fixture::{TeamFixture, TeamScenario, check_lines, parse_rule, stop_hook};

const TOOL_EVENTS: &[&str] = &[
    "tool.transform",
    "tool.guard",
    "tool.pre",
    "permission.ask",
    "user.input",
    "permission.reply",
    "tool.result",
    "tool.post",
];

fn one_call_scenario(command: &str) -> TeamScenario {
    let arguments = json!({"cmd": command}).to_string();
    TeamScenario::from_replies([call(&[("shell", &arguments)]), say("done")])
}

fn play_turn(scenario: TeamScenario) -> (TeamFixture, Vec<String>) {
    let mut fixture = scenario.open();
    let _ = fixture.session.turn("go");
    let mut lines = fixture.events.lines_of(TOOL_EVENTS);
    lines.retain(|line| line != "user.input prompt");
    (fixture, lines)
}

fn ask_hook(event: &str, reason: &'static str) -> pintle_host::Hook {
    hook("asker", event, move |_| Verdict::ask(reason))
}

fn allow_hook(event: &str) -> pintle_host::Hook {
    hook("friend", event, |_| Verdict::allow("fine"))
}

fn approve_once() -> ApprovalResponse {
    ApprovalResponse::Approved { answered_by: String::from("ada") }
}

#[test]
fn a_call_that_everybody_asks_about_goes_past_everybody_once() {
    let changed = hook("flags", "tool.pre", |call| match call.event.payload.field("args") {
        Some(args) if args["command"] == json!("make") => {
            Verdict::rewrite(json!({"args": {"command": "make -h"}}).as_object().unwrap().clone())
        }
        _ => Verdict::pass(),
    });
    let labels = hook("labels", "tool.guard", |_| {
        let metadata = json!({"blast": "low"}).as_object().unwrap().clone();
        Verdict::ask("look at it").with_effect(pintle_host::Effect::Metadata(metadata))
    });
    let scene = one_call_scenario("make").hook(changed).hook(labels).answer(approve_once());
    let (_stage, lines) = play_turn(scene);
    check_lines(
        &lines,
        r#"
        tool.transform shell {"command":"make"}
        tool.guard shell {"command":"make"}
        tool.pre shell {"command":"make"}
        tool.transform shell {"command":"make -h"}
        tool.guard shell {"command":"make -h"}
        permission.ask look at it {"blast":"low"}
        user.input permission
        permission.reply allow person once
        tool.result ran make -h
        tool.post ran make -h
        "#,
    );
}

#[test]
fn the_person_sees_the_exact_call_that_runs() {
    let changed = rewrite("tool.pre", json!({"args": {"command": "make -h"}}));
    let scene = one_call_scenario("make").mode(PermissionMode::Balanced).hook(changed).answer(approve_once());
    let (fixture, lines) = play_turn(scene);
    check_lines(
        &lines,
        r#"
        tool.transform shell {"command":"make"}
        tool.guard shell {"command":"make"}
        tool.pre shell {"command":"make"}
        tool.transform shell {"command":"make -h"}
        tool.guard shell {"command":"make -h"}
        permission.ask no permission rule allows it
        user.input permission
        permission.reply allow person once
        tool.result ran make -h
        tool.post ran make -h
        "#,
    );
    let asked = fixture.approver.requests();
    let [(payload, digest, reasons)] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!((&payload["args"], &payload["arguments"]), (&json!({"cmd": "make -h"}), &json!(r#"{"cmd":"make -h"}"#)));
    assert_eq!(*digest, pintle_host::Payload::new(payload.clone()).digest());
    assert_eq!(reasons[0].text, "no permission rule allows it");
    assert_eq!(payload["permission_mode"], json!("balanced"));
}

#[test]
fn each_refusal_ends_the_call_where_it_stands_and_the_model_reads_why() {
    let rules = |deny: &str| PermissionsSpec { deny: vec![parse_rule(deny)], ..PermissionsSpec::default() };
    let transform = r#"tool.transform shell {"command":"make"}"#;
    let guard = r#"tool.guard shell {"command":"make"}"#;
    let pre = r#"tool.pre shell {"command":"make"}"#;
    let cases: Vec<(TeamScenario, Vec<&str>, &str, &str)> = vec![
        (
            one_call_scenario("make").hook(deny("tool.transform", "no")),
            vec![transform],
            "deny hook tool.transform",
            "The tool call was rejected by a tool_input_transform hook. Reason: no",
        ),
        (
            one_call_scenario("make").hook(deny("tool.guard", "no")),
            vec![transform, guard],
            "deny hook tool.guard",
            "The tool call was rejected by a tool_guard hook. Reason: no",
        ),
        (
            TeamScenario { permissions: rules("shell:cmd=make*"), ..one_call_scenario("make") },
            vec![transform, guard, pre],
            "deny rule rule",
            "Tool 'shell' is denied by the permission rule `shell:cmd=make*`.",
        ),
        (
            one_call_scenario("make").mode(PermissionMode::Restricted),
            vec![transform, guard, pre],
            "deny rule restricted",
            "Tool 'shell' is denied by the session's permission mode.",
        ),
        (
            one_call_scenario("make").hook(deny("tool.pre", "")),
            vec![transform, guard, pre],
            "deny hook tool.pre",
            "The tool call was rejected by a pre_tool_use hook.",
        ),
        (
            one_call_scenario("make")
                .mode(PermissionMode::Balanced)
                .hook(deny("permission.ask", "no"))
                .answer(approve_once()),
            vec![transform, guard, pre, "permission.ask no permission rule allows it"],
            "deny hook permission.ask",
            "The tool call was rejected by a permission_request hook. Reason: no",
        ),
        (
            one_call_scenario("make")
                .mode(PermissionMode::Balanced)
                .answer(ApprovalResponse::Refused { answered_by: String::from("ada") }),
            vec![transform, guard, pre, "permission.ask no permission rule allows it", "user.input permission"],
            "deny person once",
            "The user rejected the tool call.",
        ),
        (
            one_call_scenario("make").mode(PermissionMode::Balanced),
            vec![transform, guard, pre, "permission.ask no permission rule allows it"],
            "deny resolver unavailable",
            "Tool 'shell' requires user confirmation but the session is non-interactive.…",
        ),
    ];
    for (scene, before, reply, text) in cases {
        let (_stage, lines) = play_turn(scene);
        let mut expected: Vec<String> = before.into_iter().map(str::to_owned).collect();
        expected.push(format!("permission.reply {reply}"));
        expected.push(format!("tool.result {text}"));
        let (start, more) = match text.strip_suffix('…') {
            Some(start) => (start, "…"),
            None => (text, " false"),
        };
        expected.push(format!("tool.post {start}{more}"));
        check_lines(&lines, &expected.join("\n"));
    }
}

#[test]
fn changed_arguments_are_judged_again_and_nothing_is_allowed_by_that() {
    let to = |command: &'static str| rewrite("tool.pre", json!({"args": {"command": command}}));
    let no_sudo = || {
        hook("no_sudo", "tool.guard", |call| match call.event.payload.field("args") {
            Some(args) if args["command"].as_str().unwrap().starts_with("sudo") => Verdict::deny("no sudo"),
            _ => Verdict::pass(),
        })
    };
    let by_guard = play_turn(one_call_scenario("make").hook(to("sudo make")).hook(no_sudo())).1;
    assert!(by_guard.contains(&String::from("permission.reply deny hook tool.guard")), "{by_guard:?}");
    let denied = PermissionsSpec { deny: vec![parse_rule("shell:cmd=rm*")], ..PermissionsSpec::default() };
    let by_rule = play_turn(TeamScenario { permissions: denied, ..one_call_scenario("make").hook(to("rm x")) }).1;
    assert!(by_rule.contains(&String::from("permission.reply deny rule rule")), "{by_rule:?}");
    // A rule that allows the changed call does not answer the ask for the original one.
    let allowed = PermissionsSpec { allow: vec![parse_rule("shell:cmd=pwd")], ..PermissionsSpec::default() };
    let asked = play_turn(TeamScenario { permissions: allowed, ..one_call_scenario("make").hook(to("pwd")) }).1;
    assert!(asked.contains(&String::from("permission.reply deny resolver unavailable")), "{asked:?}");
}

#[test]
fn a_call_that_hooks_keep_changing_is_refused() {
    let command = |call: &pintle_host::HookCall<'_>| {
        call.event.payload.field("args").and_then(|args| args["command"].as_str()).unwrap().to_owned()
    };
    let to = |command: String| Verdict::rewrite(json!({"args": {"command": command}}).as_object().unwrap().clone());
    let insists = hook("insists", "tool.transform", move |call| match command(call) {
        command if command.ends_with(" -n") => Verdict::pass(),
        command => to(format!("{command} -n")),
    });
    let undoes = hook("undoes", "tool.pre", move |call| to(command(call).replace(" -n", "")));
    let lines = play_turn(one_call_scenario("make").hook(insists).hook(undoes)).1;
    let told = "tool.post The tool call was rejected by a pre_tool_use hook. Reason: the hooks of `tool.pre` keep changing \
                the call false";
    assert_eq!(lines.last().map(String::as_str), Some(told));
}

#[test]
fn allowing_hook_answers_the_mode_but_no_guard_rule_or_strict_mode() {
    let settles = "permission.reply allow hook tool.pre";
    let asks = "permission.reply allow person once";
    let ask_rule = PermissionsSpec { ask: vec![parse_rule("shell")], ..PermissionsSpec::default() };
    let allow_rule = PermissionsSpec { allow: vec![parse_rule("shell")], ..PermissionsSpec::default() };
    let deny_rule = PermissionsSpec { deny: vec![parse_rule("shell")], ..PermissionsSpec::default() };
    let balanced = || one_call_scenario("make").mode(PermissionMode::Balanced).answer(approve_once());
    let cases = [
        ("mode", balanced().hook(allow_hook("tool.pre")), settles),
        ("guard", balanced().hook(allow_hook("tool.pre")).hook(ask_hook("tool.guard", "look")), asks),
        ("ask rule", TeamScenario { permissions: ask_rule, ..balanced().hook(allow_hook("tool.pre")) }, asks),
        (
            "deny rule",
            TeamScenario { permissions: deny_rule, ..balanced().hook(allow_hook("tool.pre")) },
            "permission.reply deny rule rule",
        ),
        ("strict", balanced().mode(PermissionMode::Strict).hook(allow_hook("tool.pre")), asks),
        ("guard that allows", balanced().hook(allow_hook("tool.guard")), asks),
        (
            "permission hook",
            balanced().hook(allow_hook("permission.ask")),
            "permission.reply allow hook permission.ask",
        ),
        (
            "permission hook and a guard",
            balanced().hook(allow_hook("permission.ask")).hook(ask_hook("tool.guard", "look")),
            asks,
        ),
        ("permission hook that asks", balanced().hook(ask_hook("permission.ask", "hm")), asks),
        (
            "a guard that asks under yolo",
            one_call_scenario("make").answer(approve_once()).hook(ask_hook("tool.guard", "look")),
            asks,
        ),
        (
            "a guard that asks over an allow rule",
            TeamScenario { permissions: allow_rule, ..balanced().hook(ask_hook("tool.guard", "look")) },
            asks,
        ),
        (
            "a hook that asks under yolo",
            one_call_scenario("make").answer(approve_once()).hook(ask_hook("tool.pre", "look")),
            asks,
        ),
    ];
    for (name, scene, expected) in cases {
        let (fixture, lines) = play_turn(scene);
        let replies: Vec<&String> = lines.iter().filter(|line| line.starts_with("permission.reply")).collect();
        assert_eq!(replies, [expected], "{name}");
        assert_eq!(fixture.approver.requests().len(), usize::from(expected == asks), "{name}");
    }
}

#[test]
fn an_allow_beside_a_rewrite_allows_the_rewritten_call() {
    let injects = hook("human_sizes", "tool.pre", |_| {
        let fields = json!({"args": {"command": "make -h"}}).as_object().unwrap().clone();
        Verdict::new(VerdictKind::Allow { reason: String::from("safe") })
            .with_rewrite(pintle_host::contract::Rewrite::Fields(fields))
    });
    let (fixture, lines) =
        play_turn(one_call_scenario("make").mode(PermissionMode::Balanced).hook(injects).answer(approve_once()));
    assert!(lines.contains(&String::from("tool.post ran make -h")), "{lines:?}");
    assert!(fixture.approver.requests().is_empty(), "{lines:?}");
}

#[test]
fn a_failing_tool_goes_past_the_same_hooks() {
    let (_stage, lines) = play_turn(one_call_scenario("fail"));
    check_lines(
        &lines[2..],
        r#"
        tool.pre shell {"command":"fail"}
        permission.reply allow rule autonomous
        tool.result tool error: exit status 1
        tool.post tool error: exit status 1
        "#,
    );
}

#[test]
fn calls_that_cannot_run_ask_nobody_and_are_paired() {
    let scene = TeamScenario::from_replies([call(&[("absent", "{}"), ("shell", "{broken")]), say("done")]);
    let (fixture, lines) = play_turn(scene.mode(PermissionMode::Balanced).answer(approve_once()));
    let count = |event: &str| lines.iter().filter(|line| line.starts_with(event)).count();
    assert_eq!((count("tool.pre"), count("tool.result"), count("tool.post"), count("permission")), (2, 2, 2, 0));
    assert!(fixture.approver.requests().is_empty());
    assert!(lines.last().unwrap().ends_with(" false"), "{lines:?}");
}

#[test]
fn what_a_result_hook_makes_of_a_result_is_all_that_anybody_sees() {
    let redact = rewrite("tool.result", json!({"content": "[REDACTED]"}));
    let mut fixture = one_call_scenario("cat key").hook(redact).open();
    let answer = fixture.session.turn("go").unwrap();
    assert_eq!(answer.tool_results[0].content, "[REDACTED]");
    assert_eq!(fixture.events.lines_of(&["tool.post"]), ["tool.post [REDACTED]"]);
    assert_eq!(fixture.model.request(1).messages.last().unwrap().content, "[REDACTED]");
    let denied = play_turn(one_call_scenario("fail").hook(rewrite("tool.result", json!({"content": "hidden"})))).1;
    assert_eq!(denied.last().unwrap(), "tool.post hidden");
}

#[test]
fn a_hook_that_ends_the_run_lets_the_result_stand_and_stops_the_siblings() {
    let first = hook("once", "tool.post", |call| match call.event.payload.field("call_id") {
        Some(Value::String(id)) if id == "1" => Verdict::deny("enough"),
        _ => Verdict::pass(),
    });
    let first = pintle_host::Hook { on_deny: pintle_host::contract::DenyEffect::StopRun, ..first };
    let commands = ["meet", "wait", "make", "make", "make", "make", "make", "make", "make", "make"];
    let arguments = commands.map(|command| json!({"cmd": command}).to_string());
    let calls: Vec<(&str, &str)> = arguments.iter().map(|arguments| ("shell", arguments.as_str())).collect();
    let mut fixture = TeamScenario::from_replies([call(&calls), say("never")]).hook(first).open();
    assert_eq!(fixture.session.turn("go").unwrap_err().message, "enough");
    let posts = fixture.events.lines_of(&["tool.post"]);
    assert_eq!(posts.len(), 10, "each call has its end");
    assert_eq!(posts[0], "tool.post ran meet");
    assert_eq!(posts[1], "tool.post tool error: stopped", "what ran was stopped");
    let skipped = "tool.post The tool call was skipped because a post_tool_use hook signalled run termination. false";
    assert_eq!(posts[8..], [skipped, skipped], "what had not begun was spared");
    assert_eq!(fixture.events.lines_of(&["tool.pre"]).len(), 8);
    assert_eq!(fixture.model.count(), 1);
}

#[test]
fn cancelling_in_any_hook_of_a_call_is_no_denial() {
    for event in ["tool.transform", "tool.guard", "tool.pre", "permission.ask"] {
        let cancel = pintle_host::CancelToken::default();
        let raise = cancel.clone();
        let stop = hook("ctrl_c", event, move |_| {
            raise.cancel();
            Verdict::deny("cut short")
        });
        let scene = one_call_scenario("make").mode(PermissionMode::Balanced).hook(stop).answer(approve_once());
        let mut fixture = scene.open_with(|builder| builder.cancel(cancel));
        assert_eq!(fixture.session.turn("go").unwrap_err().kind, pintle_agent::TurnErrorKind::Cancelled, "{event}");
        let told = fixture.events.lines_of(&["permission.reply", "tool.post"]);
        check_lines(&told, "permission.reply deny cancelled cancelled\ntool.post cancelled before it ran false");
    }
}

#[test]
fn the_stop_of_a_hook_is_not_a_refusal_of_the_result() {
    let mut fixture = one_call_scenario("make").hook(stop_hook("tool.post", "enough")).open();
    assert!(fixture.session.turn("go").is_err());
    assert_eq!(fixture.events.lines_of(&["iteration.end"]), ["iteration.end 1 blocked"]);
    assert_eq!(fixture.session.turn("again").unwrap().text, "done");
    let told = crate::support::message_lines(&fixture.model.request(1));
    assert!(told.contains(&String::from("tool: ran make")), "{told:?}");
}
