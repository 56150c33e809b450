//! Hooks that are declared twice.

use serde_json::json;

use crate::docker_agent::fixture::{DockerHooksFixture, context_texts, hook_block, hooks_block};

fn count_called_hooks(text: &str) -> u32 {
    DockerHooksFixture::from_block(text).fire("turn_start", json!({})).hooks_called
}

#[test]
fn the_same_hook_twice_runs_once_and_any_difference_keeps_both() {
    assert_eq!(count_called_hooks(&hooks_block("turn_start", &["echo a", "echo a"])), 1);
    assert_eq!(count_called_hooks(&hooks_block("turn_start", &["echo a", "echo b"])), 2);
    for more in ["timeout: 5", "env: {A: b}", "working_dir: /", "name: n", "on_error: ignore", "mode: shadow"] {
        let text =
            format!("turn_start: [{{type: command, command: echo a}}, {{type: command, command: echo a, {more}}}]\n");
        let outcome = DockerHooksFixture::from_block(&text).fire("turn_start", json!({}));
        assert_eq!(outcome.hooks_called, 2, "{more}");
    }
}

#[test]
fn the_first_of_two_equal_hooks_stays_at_its_place() {
    let outcome = DockerHooksFixture::from_block(&hooks_block("turn_start", &["echo a", "echo b", "echo a", "echo c"]))
        .fire("turn_start", json!({}));
    assert_eq!(context_texts(&outcome), ["a", "b", "c"]);
}

#[test]
fn equal_hooks_of_two_lanes_or_events_are_two() {
    let guard = "exit 2";
    let text = format!("{}{}", hook_block("pre_tool_use+preempt", "", guard), hooks_block("tool_guard", &[guard]));
    assert_eq!(DockerHooksFixture::from_block(&text).fire("tool_guard", json!({})).hooks_called, 2);
}
