//! What each profile asks and how it decides.

use pintle_contract::{ApprovalResponse, Layer, Profile};
use pintle_engine::HookSet;
use serde_json::json;

use crate::model::{Is, Says, Spec, approved, links, run, set, set_x, told, tool};

/// Runs one chain on `tool.pre` of tool `a` with x = 0; gives the outcome in a line and the x that each hook saw.
fn chain(profile: Profile, hooks: &[Spec]) -> (String, String) {
    let event = tool("a", 0);
    let built: Vec<_> = hooks.iter().map(|spec| spec.build(&event.name)).collect();
    let handlers: Vec<_> = built.iter().map(|(_, handler)| handler.clone()).collect();
    let hooks = built.into_iter().map(|(hook, _)| hook);
    let set = HookSet::new(vec![pintle_testkit::chain(Layer::Project, profile, hooks)]);
    let outcome = run(&set, &event, &ApprovalResponse::Deferred);
    let seen: Vec<String> = handlers
        .iter()
        .map(|handler| handler.calls().iter().map(|call| call.payload["args"]["x"].to_string()).collect())
        .collect();
    (told(&outcome), seen.join(","))
}

fn check(profile: Profile, cases: &[(&[Spec], &str, &str)]) {
    for (hooks, outcome, seen) in cases {
        assert_eq!(chain(profile, hooks), (String::from(*outcome), String::from(*seen)), "{profile}: {hooks:#?}");
    }
}

fn watcher(id: &str, says: Says) -> Spec {
    Spec { guard: false, ..Spec::says(id, says) }
}

#[test]
fn rule_10_severity_is_deny_ask_rewrite_allow_pass() {
    let (deny, ask, allow, pass) = (
        || Spec::says("d", Says::Deny),
        || Spec::says("k", Says::Ask),
        || Spec::says("y", Says::Allow),
        || Spec::says("p", Says::Pass),
    );
    let change = || watcher("w", set_x(1));
    for profile in [Profile::SequentialRunAll, Profile::ParallelStrictest] {
        let decided = |hooks: &[Spec]| chain(profile, hooks).0;
        let denied = |hooks: &[Spec]| decided(hooks).starts_with("deny") && decided(hooks).ends_with(" d");
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
    check(
        Profile::SequentialFirstDeny,
        &[
            (&[watcher("w", set_x(1)), watcher("v", set_x(2)), Spec::says("p", Says::Pass)], "allow x=2", "0,1,2"),
            (&[watcher("w", set_x(1)), Spec::says("d", Says::Deny), Spec::says("p", Says::Pass)], "deny x=1 d", "0,1,"),
            (&[Spec::says("f", Says::Fail), Spec::says("p", Says::Pass)], "deny x=0 f", "0,"),
            (&[Spec::says("k", Says::Ask), Spec::says("y", Says::Allow)], "ask x=0 k", "0,0"),
        ],
    );
}

#[test]
fn rule_12_run_all_asks_everyone_and_the_severest_wins() {
    check(
        Profile::SequentialRunAll,
        &[
            (
                &[Spec::says("d", Says::Deny), watcher("w", set_x(1)), Spec::says("e", Says::Deny)],
                "deny x=1 d e",
                "0,0,1",
            ),
            (&[Spec::says("k", Says::Ask), Spec::says("d", Says::Deny)], "deny x=0 d", "0,0"),
        ],
    );
}

#[test]
fn rule_13_parallel_hooks_see_the_same_payload() {
    check(
        Profile::ParallelStrictest,
        &[
            (&[watcher("w", set_x(1)), watcher("p", Says::Pass), watcher("y", Says::Allow)], "allow x=1", "0,0,0"),
            (&[watcher("w", set_x(1)), Spec::says("d", Says::Deny), watcher("p", Says::Pass)], "deny x=0 d", "0,0,0"),
        ],
    );
}

#[test]
fn rule_14_conflicting_rewrites_deny_and_others_merge() {
    let rename = || watcher("n", Says::Set(json!({"name": "b"})));
    let event = tool("a", 0);
    let merged = |hooks: &[Spec]| {
        let links = links(Layer::Project, Profile::ParallelStrictest, hooks.iter().cloned());
        run(&set(&[links], &event.name), &event, &ApprovalResponse::Unavailable)
    };
    // Different fields go together.
    let outcome = merged(&[watcher("w", set_x(1)), rename()]);
    assert_eq!(told(&outcome), "allow x=1");
    assert_eq!(outcome.payload.field("name"), Some(&json!("b")));
    // Equal rewrites agree, in whichever spelling.
    let spelled = || watcher("s", Says::Set(json!({"arguments": r#"{"x": 1, "y": 0}"#})));
    assert_eq!(told(&merged(&[watcher("w", set_x(1)), spelled()])), "allow x=1");
    // Different ones are a conflict that names both hooks, also across spellings.
    let outcome = merged(&[watcher("w", set_x(2)), spelled()]);
    assert_eq!(outcome.payload.field("args"), event.payload.field("args"));
    assert_eq!(
        outcome.reasons.first().map(|reason| reason.text.as_str()),
        Some("hooks `w` and `s` rewrote `arguments`, `args` differently from the same payload, which denies")
    );
    assert_eq!(told(&outcome), "deny x=0 s");
}

#[test]
fn rule_15_unanimous_denies_anything_but_unanimous_allow() {
    let (yes, no) = (|| Spec::says("y", Says::Allow), |says| Spec::says("n", says));
    let abstains = Spec { closed: false, ..Spec::says("f", Says::Fail) };
    let silent = Spec { shadow: true, ..Spec::says("s", Says::Deny) };
    check(
        Profile::ParallelUnanimous,
        &[
            (&[yes(), yes()], "allow x=0 y y", "0,0"),
            (&[yes(), no(Says::Deny)], "deny x=0 n", "0,0"),
            (&[yes(), no(Says::Pass)], "deny x=0 n", "0,0"),
            (&[yes(), no(Says::Ask)], "deny x=0 n", "0,0"),
            (&[yes(), no(set_x(1))], "deny x=0 n", "0,0"),
            (&[yes(), no(Says::Fail)], "deny x=0 n", "0,0"),
            // A hook that fails open, or that is in shadow mode, is not counted.
            (&[yes(), abstains], "allow x=0 y", "0,0"),
            (&[yes(), silent], "allow x=0 y", "0,0"),
            (&[], "allow x=0", ""),
        ],
    );
    let event = tool("a", 0);
    let pass = links(Layer::Project, Profile::ParallelUnanimous, [no(Says::Pass)]);
    let outcome = run(&set(&[pass], &event.name), &event, &approved());
    assert_eq!(
        outcome.reasons[0].text,
        "hook `n` had no opinion, and its chain goes on only when every hook says allow"
    );
}

#[test]
fn rule_16_a_chain_without_a_matching_hook_passes_through() {
    let event = tool("a", 0);
    for profile in crate::model::PROFILES {
        let nobody = Spec { wanted: crate::model::Wanted::When(Is::X(2)), ..Spec::says("n", Says::Deny) };
        let set = set(&[links(Layer::Project, profile, [nobody])], &event.name);
        let outcome = run(&set, &event, &ApprovalResponse::Unavailable);
        assert_eq!((told(&outcome).as_str(), outcome.hooks_called), ("allow x=0", 0), "{profile}");
        assert!(outcome.payload.ptr_eq(&event.payload));
    }
}
