//! Hooks from flags, of the command line and of agents.

use pintle_contract::HandlerSpec;

use super::*;

#[test]
fn every_event_has_a_flag_and_blank_ones_are_skipped() {
    for row in ROWS {
        let hook = of_flag(row.name, "./guard.sh", Compat::Newest).unwrap().unwrap();
        assert_eq!(
            (hook.event.as_str(), &*hook.event_alias, hook.name.as_str()),
            (row.canonical, row.name, "./guard.sh")
        );
        assert!(hook.matcher.is_none());
        assert!(matches!(hook.handler, HandlerSpec::Command(_)));
        assert!(of_flag(row.name, " \n", Compat::Newest).unwrap().is_none());
        assert_eq!(of_flag(row.name, "a", Compat::G1).is_ok(), row.since == Compat::G1, "{}", row.name);
    }
    assert_eq!(
        of_flag("pre-tool-use", "a", Compat::Newest).unwrap_err(),
        "unknown event `pre-tool-use`; docker-agent calls it `pre_tool_use`"
    );
    let long = of_flag("session_start", "a\nb", Compat::Newest).unwrap().unwrap();
    assert_eq!(long.name, "--hook-session-start");
}

#[test]
fn a_flag_and_the_same_hook_in_a_file_are_one() {
    let flag = of_flag("stop", "a", Compat::Newest).unwrap().unwrap();
    let file = clean(&one("stop", "type: command, command: a")).remove(0);
    assert_eq!(flag.definition, file.definition);
}

#[test]
fn a_built_in_can_be_declared_from_its_parts() {
    let place = Location::default();
    let hook = builtin("turn_start", "add_prompt_files", &["A.md", "B.md"], &place, Compat::Newest).unwrap();
    let HandlerSpec::Builtin(spec) = &hook.handler else { panic!("a built-in") };
    assert_eq!((spec.name.as_str(), spec.arguments.join(" ").as_str()), ("add_prompt_files", "A.md B.md"));
    assert_eq!((hook.name.as_str(), hook.timeout_ms), ("add_prompt_files", Some(60_000)));
    let written = clean(&one("turn_start", "type: builtin, command: add_prompt_files, args: [A.md, B.md]")).remove(0);
    assert_eq!(hook.definition, written.definition);
    assert!(builtin("turn_begin", "add_date", &[], &place, Compat::Newest).is_none());
}
