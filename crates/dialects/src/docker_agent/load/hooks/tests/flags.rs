//! Hooks from flags, of the command line and of agents.

use pintle_contract::HandlerSpec;

use super::*;

#[test]
fn every_event_has_a_flag_and_blank_ones_are_skipped() {
    for def in ROWS {
        let hook = hook_from_flag(def.name, "./guard.sh", DockerAgentVersion::Newest).unwrap().unwrap();
        assert_eq!(
            (hook.event.as_str(), &*hook.event_alias, hook.name.as_str()),
            (def.canonical.name(), def.name, "./guard.sh")
        );
        assert!(hook.matcher.is_none());
        assert!(matches!(hook.handler, HandlerSpec::Command(_)));
        assert!(hook_from_flag(def.name, " \n", DockerAgentVersion::Newest).unwrap().is_none());
        assert_eq!(
            hook_from_flag(def.name, "a", DockerAgentVersion::G1).is_ok(),
            def.since == DockerAgentVersion::G1,
            "{}",
            def.name
        );
    }
    assert_eq!(
        hook_from_flag("pre-tool-use", "a", DockerAgentVersion::Newest).unwrap_err().to_string(),
        "unknown event `pre-tool-use`; docker-agent calls it `pre_tool_use`"
    );
    let long = hook_from_flag("session_start", "a\nb", DockerAgentVersion::Newest).unwrap().unwrap();
    assert_eq!(long.name, "--hook-session-start");
}

#[test]
fn a_flag_and_the_same_hook_in_a_file_are_one() {
    let flag = hook_from_flag("stop", "a", DockerAgentVersion::Newest).unwrap().unwrap();
    let file = read_clean(&single_hook_block("stop", "type: command, command: a")).remove(0);
    assert_eq!(flag.definition, file.definition);
}

#[test]
fn a_built_in_can_be_declared_from_its_parts() {
    let place = Location::default();
    let hook =
        builtin_hook("turn_start", "add_prompt_files", &["A.md", "B.md"], &place, DockerAgentVersion::Newest).unwrap();
    let HandlerSpec::Builtin(spec) = &hook.handler else { panic!("a built-in") };
    assert_eq!((spec.name.as_str(), spec.arguments.join(" ").as_str()), ("add_prompt_files", "A.md B.md"));
    assert_eq!((hook.name.as_str(), hook.timeout_ms), ("add_prompt_files", Some(60_000)));
    let written =
        read_clean(&single_hook_block("turn_start", "type: builtin, command: add_prompt_files, args: [A.md, B.md]"))
            .remove(0);
    assert_eq!(hook.definition, written.definition);
    assert!(builtin_hook("turn_begin", "add_date", &[], &place, DockerAgentVersion::Newest).is_none());
}
