//! `new`: what it writes loads, and its example does not hold before it is filled in.

use std::fs;

use crate::fixture::{CliFixture, snapshot};

#[test]
fn what_is_written_loads_and_its_examples_fail() {
    for (kind, file) in [
        ("hook", ".harness/hooks/guard-x.md"),
        ("rule", ".harness/rules/guard-x.yaml"),
        ("tool", ".harness/tools/guard-x.md"),
        ("plugin", ".harness/plugins/guard-x.star"),
        ("scenario", ".harness/guard-x.scenario.yaml"),
    ] {
        let fixture = CliFixture::new_empty();
        let (out, err, status) = fixture.pintle(&["new", kind, "guard-x"]).run_to_parts();
        assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
        assert!(out.contains(file) && fixture.path(file).is_file(), "{out}");
        let (out, err, status) = fixture.pintle(&["hooks"]).run_to_parts();
        assert_eq!(status, Some(0), "{kind}: {out}{err}");
        let (out, err, status) = fixture.pintle(&["test", "."]).run_to_parts();
        let has_example = matches!(kind, "hook" | "rule" | "scenario");
        assert_eq!(status, Some(i32::from(has_example)), "{kind}: {out}{err}");
        let (_, err, status) = fixture.pintle(&["new", kind, "guard-x"]).run_to_parts();
        assert!(status == Some(3) && err.contains("exists already"), "{err}");
    }
}

#[test]
fn a_rule_that_is_filled_in_holds() {
    let fixture = CliFixture::new_empty();
    assert_eq!(fixture.pintle(&["new", "rule", "release"]).run_to_parts().2, Some(0));
    let path = fixture.path(".harness/rules/release.yaml");
    let text = fs::read_to_string(&path).unwrap().replace("to-fill in", "npm publish");
    fs::write(&path, text).unwrap();
    snapshot!("new_rule_holds", fixture.pintle(&["test", "."]).run_to_screen());
}

#[test]
fn a_hook_of_every_event_loads() {
    let fixture = CliFixture::new_empty();
    for kind in pintle_host::EventKind::ALL {
        let name = kind.name().replace(['.', '*'], "_");
        let event = kind.name().replace('*', "x");
        let (out, err, status) = fixture.pintle(&["new", "hook", &name, "--event", &event]).run_to_parts();
        assert_eq!(status, Some(0), "{event}: {out}{err}");
    }
    let (out, err, status) = fixture.pintle(&["hooks", "."]).run_to_parts();
    assert_eq!(status, Some(0), "{out}{err}");
    let (_, err, status) = fixture.pintle(&["new", "hook", "x", "--event", "tool.pree"]).run_to_parts();
    assert!(status == Some(3) && err.contains("tool.pre"), "{err}");
    let (_, err, status) = fixture.pintle(&["new", "hook", "../x"]).run_to_parts();
    assert!(status == Some(3) && err.contains("letters"), "{err}");
}
