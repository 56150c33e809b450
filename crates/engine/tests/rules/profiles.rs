//! What each profile asks and how it decides.

use pintle_contract::{ApprovalResponse, Layer, Profile};
use pintle_engine::HookSet;
use serde_json::json;

use crate::model::{
    HookCase, PayloadCondition, ScriptedAnswer, approved_response, build_chain, build_set, run_dispatch, set_x,
    summarize_outcome, tool_event,
};

/// Runs one chain on `tool.pre` of tool `a` with x = 0; gives the outcome in a line and the x that each hook saw.
fn run_chain(profile: Profile, hooks: &[HookCase]) -> (String, String) {
    let event = tool_event("a", 0);
    let built: Vec<_> = hooks.iter().map(|spec| spec.build(&event.name)).collect();
    let handlers: Vec<_> = built.iter().map(|(_, handler)| handler.clone()).collect();
    let hooks = built.into_iter().map(|(hook, _)| hook);
    let set = HookSet::new(vec![pintle_testkit::chain(Layer::Project, profile, hooks)]);
    let outcome = run_dispatch(&set, &event, &ApprovalResponse::Deferred);
    let seen: Vec<String> = handlers
        .iter()
        .map(|handler| handler.calls().iter().map(|call| call.payload["args"]["x"].to_string()).collect())
        .collect();
    (summarize_outcome(&outcome), seen.join(","))
}

fn check_profile(profile: Profile, cases: &[(&[HookCase], &str, &str)]) {
    for (hooks, outcome, seen) in cases {
        assert_eq!(run_chain(profile, hooks), (String::from(*outcome), String::from(*seen)), "{profile}: {hooks:#?}");
    }
}

fn watcher(id: &str, says: ScriptedAnswer) -> HookCase {
    HookCase { guard: false, ..HookCase::always(id, says) }
}

#[test]
fn rule_10_severity_is_deny_ask_rewrite_allow_pass() {
    let (deny, ask, allow, pass) = (
        || HookCase::always("d", ScriptedAnswer::Deny),
        || HookCase::always("k", ScriptedAnswer::Ask),
        || HookCase::always("y", ScriptedAnswer::Allow),
        || HookCase::always("p", ScriptedAnswer::Pass),
    );
    let change = || watcher("w", set_x(1));
    for profile in [Profile::SequentialRunAll, Profile::ParallelStrictest] {
        let decided = |hooks: &[HookCase]| run_chain(profile, hooks).0;
        let denied = |hooks: &[HookCase]| decided(hooks).starts_with("deny") && decided(hooks).ends_with(" d");
        for other in [ask(), change(), allow(), pass()] {
            assert!(denied(&[deny(), other.clone()]) && denied(&[other, deny()]), "{profile}");
        }
        for other in [allow(), pass()] {
            assert_eq!(decided(&[ask(), other.clone()]), "ask x=0 k", "{profile}");
            assert_eq!(decided(&[other, ask()]), "ask x=0 k", "{profile}");
        }
        assert_eq!(decided(&[ask(), change()]), "ask x=1 k", "{profile}");
        assert_eq!(decided(&[change(), allow(), pass()]).split(' ').nth(1), Some("x=1"), "{profile}");
        assert_eq!(decided(&[pass(), allow()]), "allow x=0 y", "{profile}");
        assert_eq!(decided(&[pass()]), "allow x=0", "{profile}");
    }
}

#[test]
fn rule_11_first_deny_calls_in_order_and_ends_at_the_first_deny() {
    check_profile(
        Profile::SequentialFirstDeny,
        &[
            (
                &[watcher("w", set_x(1)), watcher("v", set_x(2)), HookCase::always("p", ScriptedAnswer::Pass)],
                "allow x=2",
                "0,1,2",
            ),
            (
                &[
                    watcher("w", set_x(1)),
                    HookCase::always("d", ScriptedAnswer::Deny),
                    HookCase::always("p", ScriptedAnswer::Pass),
                ],
                "deny x=1 d",
                "0,1,",
            ),
            (
                &[HookCase::always("f", ScriptedAnswer::Fail), HookCase::always("p", ScriptedAnswer::Pass)],
                "deny x=0 f",
                "0,",
            ),
            (
                &[HookCase::always("k", ScriptedAnswer::Ask), HookCase::always("y", ScriptedAnswer::Allow)],
                "ask x=0 k",
                "0,0",
            ),
        ],
    );
}

#[test]
fn rule_12_run_all_asks_everyone_and_the_severest_wins() {
    check_profile(
        Profile::SequentialRunAll,
        &[
            (
                &[
                    HookCase::always("d", ScriptedAnswer::Deny),
                    watcher("w", set_x(1)),
                    HookCase::always("e", ScriptedAnswer::Deny),
                ],
                "deny x=1 d e",
                "0,0,1",
            ),
            (
                &[HookCase::always("k", ScriptedAnswer::Ask), HookCase::always("d", ScriptedAnswer::Deny)],
                "deny x=0 d",
                "0,0",
            ),
        ],
    );
}

#[test]
fn rule_13_parallel_hooks_see_the_same_payload() {
    check_profile(
        Profile::ParallelStrictest,
        &[
            (
                &[watcher("w", set_x(1)), watcher("p", ScriptedAnswer::Pass), watcher("y", ScriptedAnswer::Allow)],
                "allow x=1",
                "0,0,0",
            ),
            (
                &[
                    watcher("w", set_x(1)),
                    HookCase::always("d", ScriptedAnswer::Deny),
                    watcher("p", ScriptedAnswer::Pass),
                ],
                "deny x=0 d",
                "0,0,0",
            ),
        ],
    );
}

#[test]
fn rule_14_conflicting_rewrites_deny_and_others_merge() {
    let rename = || watcher("n", ScriptedAnswer::Set(json!({"name": "b"})));
    let event = tool_event("a", 0);
    let merged = |hooks: &[HookCase]| {
        let links = build_chain(Layer::Project, Profile::ParallelStrictest, hooks.iter().cloned());
        run_dispatch(&build_set(&[links], &event.name), &event, &ApprovalResponse::Unavailable)
    };
    // Different fields go together.
    let outcome = merged(&[watcher("w", set_x(1)), rename()]);
    assert_eq!(summarize_outcome(&outcome), "allow x=1");
    assert_eq!(outcome.payload.field("name"), Some(&json!("b")));
    // Equal rewrites agree, in whichever spelling.
    let spelled = || watcher("s", ScriptedAnswer::Set(json!({"arguments": r#"{"x": 1, "y": 0}"#})));
    assert_eq!(summarize_outcome(&merged(&[watcher("w", set_x(1)), spelled()])), "allow x=1");
    // Different ones are a conflict that names both hooks, also across spellings.
    let outcome = merged(&[watcher("w", set_x(2)), spelled()]);
    assert_eq!(outcome.payload.field("args"), event.payload.field("args"));
    assert_eq!(
        outcome.reasons.first().map(|reason| reason.text.as_str()),
        Some("denied because hooks `w` and `s` rewrote `arguments`, `args` of the same payload differently")
    );
    assert_eq!(summarize_outcome(&outcome), "deny x=0 s");
}

#[test]
fn rule_15_unanimous_denies_anything_but_unanimous_allow() {
    let (yes, no) = (|| HookCase::always("y", ScriptedAnswer::Allow), |says| HookCase::always("n", says));
    let abstains = HookCase { closed: false, ..HookCase::always("f", ScriptedAnswer::Fail) };
    let silent = HookCase { shadow: true, ..HookCase::always("s", ScriptedAnswer::Deny) };
    check_profile(
        Profile::ParallelUnanimous,
        &[
            (&[yes(), yes()], "allow x=0 y y", "0,0"),
            (&[yes(), no(ScriptedAnswer::Deny)], "deny x=0 n", "0,0"),
            (&[yes(), no(ScriptedAnswer::Pass)], "deny x=0 n", "0,0"),
            (&[yes(), no(ScriptedAnswer::Ask)], "deny x=0 n", "0,0"),
            (&[yes(), no(set_x(1))], "deny x=0 n", "0,0"),
            (&[yes(), no(ScriptedAnswer::Fail)], "deny x=0 n", "0,0"),
            // A hook that fails open, or that is in shadow mode, is not counted.
            (&[yes(), abstains], "allow x=0 y", "0,0"),
            (&[yes(), silent], "allow x=0 y", "0,0"),
            (&[], "allow x=0", ""),
        ],
    );
    let event = tool_event("a", 0);
    let pass = build_chain(Layer::Project, Profile::ParallelUnanimous, [no(ScriptedAnswer::Pass)]);
    let outcome = run_dispatch(&build_set(&[pass], &event.name), &event, &approved_response());
    assert_eq!(
        outcome.reasons[0].text,
        "denied because hook `n` had no opinion and its chain requires `allow` from every hook"
    );
}

#[test]
fn rule_16_a_chain_without_a_matching_hook_passes_through() {
    let event = tool_event("a", 0);
    for profile in crate::model::PROFILES {
        let nobody = HookCase {
            matcher: crate::model::MatcherFixture::When(PayloadCondition::XEquals(2)),
            ..HookCase::always("n", ScriptedAnswer::Deny)
        };
        let set = build_set(&[build_chain(Layer::Project, profile, [nobody])], &event.name);
        let outcome = run_dispatch(&set, &event, &ApprovalResponse::Unavailable);
        assert_eq!((summarize_outcome(&outcome).as_str(), outcome.hooks_called), ("allow x=0", 0), "{profile}");
        assert!(outcome.payload.ptr_eq(&event.payload));
    }
}
