//! Failure policies of each event.

use super::*;

fn policy(event: &str, on_error: &str) -> (Vec<FailurePolicy>, Vec<String>) {
    let more = if on_error.is_empty() { String::new() } else { format!(", on_error: {on_error}") };
    let (hooks, findings) = read_text(&single_hook_block(event, &format!("type: command, command: a{more}")));
    (hooks.iter().map(|hook| hook.on_error.unwrap_or(hook.default_on_error)).collect(), findings)
}

#[test]
fn guards_fail_closed_whatever_they_say_and_others_follow_on_error() {
    for def in ROWS {
        let open = if def.fails_closed { FailurePolicy::Closed } else { FailurePolicy::Open };
        let ignored = if def.fails_closed { FailurePolicy::Closed } else { FailurePolicy::Ignored };
        assert_eq!(policy(def.name, ""), (vec![open], vec![]), "{}", def.name);
        let (warn, told) = policy(def.name, "warn");
        assert_eq!((warn, told.len()), (vec![open], usize::from(def.fails_closed)), "{}", def.name);
        let (ignore, told) = policy(def.name, "ignore");
        assert_eq!((ignore, told.len()), (vec![ignored], usize::from(def.fails_closed)), "{}", def.name);
        let (block, told) = policy(def.name, "block");
        match def.can_block {
            true => assert_eq!((block, told.len()), (vec![FailurePolicy::Closed], 0), "{}", def.name),
            false => {
                let wanted = format!("hooks.{}: on_error block is not supported by this event", def.name);
                let [finding] = told.as_slice() else { panic!("{told:?}") };
                assert!(finding.contains(&format!(": error: {wanted}")), "{finding}");
            }
        }
    }
}

#[test]
fn the_lane_that_preempts_fails_closed() {
    let text = "pre_tool_use:\n  - preempt_yolo: true\n    hooks: [{type: command, command: a, on_error: ignore}]\n";
    let (hooks, findings) = read_text(text);
    assert_eq!(hooks[0].on_error.unwrap_or(hooks[0].default_on_error), FailurePolicy::Closed);
    assert_eq!(
        findings,
        [
            "h.yaml:3:51: warning: hooks.pre_tool_use[0].hooks[0]: a failed hook of pre_tool_use always blocks the call | remove `on_error`"
        ]
    );
}

#[test]
fn a_word_that_is_no_policy_is_an_error() {
    assert_eq!(
        policy("stop", "blok").1,
        [
            "h.yaml:2:43: error: hooks.stop[0]: on_error must be warn, ignore, or block, not `blok` | did you mean `block`?"
        ]
    );
}
