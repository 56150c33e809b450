use std::collections::HashSet;

use super::*;

/// The documented properties of docker-agent's events: name, version, form of the hooks, whether it blocks and fails
/// closed, rewrite target, permission words, metadata, context, summary.
const MATRIX: &str = "\
pre_tool_use                  g1 matcher blocks closed input    all   -        -     -
post_tool_use                 g1 matcher blocks open   -        -     -        -     -
permission_request            g1 matcher blocks open   -        allow metadata -     -
tool_response_transform       g1 matcher -      open   response -     -        -     -
tool_input_transform          g3 matcher blocks open   input    -     -        -     -
tool_guard                    g3 matcher blocks closed -        all   metadata -     -
session_start                 g1 flat    -      open   -        -     -        model -
user_prompt_submit            g1 flat    blocks open   -        -     -        model -
user_steering_messages_submit g3 flat    blocks open   -        -     -        model -
user_followup_submit          g3 flat    blocks open   -        -     -        model -
turn_start                    g1 flat    -      open   -        -     -        model -
turn_end                      g1 flat    -      open   -        -     -        -     -
before_llm_call               g1 flat    blocks open   messages -     -        -     -
after_llm_call                g1 flat    -      open   -        -     -        -     -
pre_compact                   g1 flat    blocks open   -        -     -        model -
before_compaction             g1 flat    blocks open   -        deny  -        -     summary
after_compaction              g1 flat    -      open   -        -     -        -     -
subagent_stop                 g1 flat    -      open   -        -     -        -     -
on_user_input                 g1 flat    -      open   -        -     -        -     -
stop                          g1 flat    -      open   -        -     -        -     -
notification                  g1 flat    -      open   -        -     -        -     -
on_error                      g1 flat    -      open   -        -     -        -     -
on_max_iterations             g1 flat    -      open   -        -     -        -     -
session_end                   g1 flat    -      open   -        -     -        -     -
on_agent_switch               g1 flat    -      open   -        -     -        -     -
on_session_resume             g1 flat    -      open   -        -     -        -     -
on_tool_approval_decision     g1 flat    -      open   -        -     -        -     -
worktree_create               g1 flat    blocks open   -        -     -        person -
preempt_yolo                  g3 matcher blocks closed -        all   metadata -     -
";

fn words(def: &DockerEventDef, name: &'static str, since: DockerAgentVersion) -> Vec<&'static str> {
    let either = |holds: bool, word: &'static str| if holds { word } else { "-" };
    vec![
        name,
        if since == DockerAgentVersion::G1 { "g1" } else { "g3" },
        if def.matcher { "matcher" } else { "flat" },
        either(def.can_block, "blocks"),
        if def.fails_closed { "closed" } else { "open" },
        match def.rewrites {
            None => "-",
            Some(DockerRewrite::Input) => "input",
            Some(DockerRewrite::Messages) => "messages",
            Some(DockerRewrite::Response) => "response",
        },
        match def.decisions {
            PermissionWords::Nothing => "-",
            PermissionWords::Deny => "deny",
            PermissionWords::AllowDeny => "allow",
            PermissionWords::All => "all",
        },
        either(def.metadata, "metadata"),
        match def.context {
            ContextReader::NoReader => "-",
            ContextReader::Model => "model",
            ContextReader::User => "person",
        },
        either(def.summary, "summary"),
    ]
}

#[test]
fn the_rows_are_those_of_the_contract_matrix() {
    let wanted: Vec<Vec<&str>> = MATRIX.lines().map(|line| line.split_whitespace().collect()).collect();
    let preempt = words(&PREEMPT, "preempt_yolo", DockerAgentVersion::Newest);
    let rows: Vec<Vec<&str>> = ROWS.iter().map(|def| words(def, def.name, def.since)).chain([preempt]).collect();
    assert_eq!(rows, wanted);
}

#[test]
fn every_event_is_mapped_exactly_once_and_what_fails_closed_can_block() {
    let mut canonical = HashSet::new();
    for def in ROWS {
        assert!(canonical.insert(def.canonical), "{}", def.name);
        assert!(def.can_block || !def.fails_closed, "{}", def.name);
    }
    assert_eq!((ROWS.len(), super::super::DIALECT.events.mappings.len()), (28, 28));
    assert_eq!(ROWS.iter().filter(|def| def.since == DockerAgentVersion::G1).count(), 24);
}
