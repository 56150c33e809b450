//! `compat: g1` compared to the newest version, for the meaning of a file.

use super::*;

fn errors(text: &str, version: DockerAgentVersion) -> usize {
    read_as(text, version).1.iter().filter(|finding| finding.contains(": error: ")).count()
}

/// The text, the errors of the newest version and of the first, and the hooks that each of them runs.
#[test]
fn what_a_file_means_in_either_version() {
    let command = |more: &str| single_hook_block("stop", &format!("type: command, command: a{more}"));
    for (text, newest, first) in [
        (command(", on_error: maybe"), (1, 1), (0, 1)),
        (command(", on_error: block"), (1, 1), (0, 1)),
        (command(", timeout: -1"), (1, 0), (0, 1)),
        (command(", strict_output: true"), (0, 1), (1, 1)),
        (String::from("stop: {type: command, command: a}\n"), (0, 1), (1, 0)),
        (single_hook_block("tool_guard", "type: command, command: a"), (0, 1), (1, 0)),
        (single_hook_block("user_followup_submit", "type: command, command: a"), (0, 1), (1, 0)),
        (
            String::from("pre_tool_use:\n  - preempt_yolo: true\n    hooks: [{type: command, command: a}]\n"),
            (0, 1),
            (1, 1),
        ),
    ] {
        for (compat, (faults, hooks)) in [(DockerAgentVersion::Newest, newest), (DockerAgentVersion::G1, first)] {
            assert_eq!((errors(&text, compat), read_as(&text, compat).0.len()), (faults, hooks), "{compat:?} {text}");
        }
    }
}

#[test]
fn failures_and_profiles_of_the_first_version() {
    for def in ROWS.iter().filter(|def| def.since == DockerAgentVersion::G1) {
        for on_error in ["warn", "ignore", "block"] {
            let fields = format!("type: command, command: a, on_error: {on_error}");
            let hook = read_as(&single_hook_block(def.name, &fields), DockerAgentVersion::G1).0.remove(0);
            let closed = def.fails_closed || (on_error == "block" && def.can_block);
            let wanted = if closed { FailurePolicy::Closed } else { FailurePolicy::Ignored };
            assert_eq!(hook.on_error.unwrap_or(hook.default_on_error), wanted, "{} {on_error}", def.name);
            assert_eq!(hook.profile, Profile::ParallelMerge, "{}", def.name);
            assert_eq!(hook.codec.encoding_key(), "docker_agent/g1");
        }
    }
}

#[test]
fn an_invalid_matcher_takes_its_entry_away_with_a_loud_warning() {
    let text = "pre_tool_use:\n  - matcher: 'shell('\n    hooks: [{type: command, command: a}]\n  - matcher: shell\n    hooks: [{type: command, command: b}]\n";
    let (hooks, findings) = read_as(text, DockerAgentVersion::G1);
    assert_eq!(names(&hooks), ["b"]);
    assert_eq!(
        findings,
        [
            "h.yaml:2:14: warning: hooks.pre_tool_use[0]: the matcher `shell(` is not a valid regular expression | under `compat: g1` the whole entry is skipped, including its guards; fix the matcher"
        ]
    );
    // The newest version keeps the entry here; the pattern is rejected when it is compiled.
    assert_eq!(names(&read_clean(text)), ["a", "b"]);
}

#[test]
fn hooks_that_run_the_same_are_one_in_the_first_version() {
    let model = |prompt: &str| format!("{{type: model, model: m, prompt: {prompt}, schema: pre_tool_use_decision}}");
    for (pair, same_in_first) in [
        ([String::from("{type: command, command: a}"), String::from("{type: command, command: a, timeout: 5}")], true),
        ([String::from("{type: command, command: a}"), String::from("{type: command, command: a, env: {A: b}}")], true),
        ([model("p"), model("q")], true),
        ([String::from("{type: command, command: a}"), String::from("{type: command, command: b}")], false),
        (
            [
                String::from("{type: builtin, command: a, args: [x]}"),
                String::from("{type: builtin, command: a, args: [y]}"),
            ],
            false,
        ),
    ] {
        let text = format!("pre_tool_use:\n  - hooks: [{}]\n", pair.join(", "));
        let same = |compat| {
            let hooks = read_as(&text, compat).0;
            hooks[0].definition == hooks[1].definition
        };
        assert_eq!((same(DockerAgentVersion::Newest), same(DockerAgentVersion::G1)), (false, same_in_first), "{text}");
        let told =
            read_as(&text, DockerAgentVersion::G1).1.iter().filter(|finding| finding.contains("is skipped")).count();
        assert_eq!(told, usize::from(same_in_first), "{text}");
    }
}

#[test]
fn variables_are_not_expanded_in_the_first_version() {
    let text = single_hook_block("stop", "type: command, command: a, working_dir: $HOME");
    for (compat, wanted) in [(DockerAgentVersion::Newest, true), (DockerAgentVersion::G1, false)] {
        let pintle_contract::HandlerSpec::Command(spec) = read_as(&text, compat).0.remove(0).handler else {
            panic!("a command")
        };
        assert_eq!(spec.expands, wanted);
    }
}
