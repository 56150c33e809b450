//! Patterns: their matches and their errors.

use pintle_contract::{Event, MatchResult, Matcher, SubjectFilter};
use pintle_testkit::plain_event;
use serde_json::{Value, json};

use super::{EventPattern, NameGlob, PersonaScope};
use crate::harn::event_def::HarnEventDef;
use crate::harn::fault::HarnFault;
use crate::harn::{ROWS, name};

fn event(name: &str, payload: Value) -> Event {
    let def = ROWS.iter().find(|def| def.name == name).unwrap();
    plain_event(def.canonical.name(), payload)
}

fn call(name: &str) -> Event {
    event("PreToolUse", json!({"name": name, "args": {"path": "src/a.rs", "force": true, "n": 3, "s": {"t": "u"}}}))
}

fn compile(pattern: &str, event: &str) -> Result<EventPattern, HarnFault> {
    EventPattern::compile(pattern, name::find_event(event)?.def)
}

fn accepts(pattern: &str, event: &Event) -> bool {
    let def = ROWS.iter().find(|def| def.canonical == event.name.kind()).unwrap();
    EventPattern::compile(pattern, def).unwrap().accepts(event)
}

#[test]
fn globs_have_their_documented_signs() {
    for (glob, yes, no) in [
        ("*", &["", "a"][..], &[][..]),
        ("exec_*", &["exec_", "exec_root"], &["exe", "an_exec_root"]),
        ("*_file", &["read_file"], &["read_files"]),
        ("*read*", &["read", "unread_file"], &["rea"]),
        ("a?c", &["abc", "a/c"], &["ac", "abbc"]),
        ("file[0-9]", &["file3"], &["filex", "file"]),
        ("file[!0-9]", &["filex"], &["file3"]),
        ("[a-]x", &["-x", "ax"], &["bx"]),
        ("{read,write}_file", &["read_file", "write_file"], &["edit_file"]),
        ("{a,b{c,d}}", &["a", "bc", "bd"], &["b", "ac"]),
        ("{fs,net}.*", &["fs.write", "net."], &["fs"]),
        ("a\\*b", &["a*b"], &["axb"]),
        ("src/*.rs", &["src/a.rs", "src/deep/a.rs"], &["src/a.py"]),
        ("a.b", &["a.b"], &["axb"]),
        ("a,b", &["a,b"], &["a"]),
        ("a}b", &["a}b"], &["ab"]),
    ] {
        let compiled = NameGlob::compile(glob).unwrap();
        for text in yes {
            assert!(compiled.accepts(text), "{glob} on {text}");
        }
        for text in no {
            assert!(!compiled.accepts(text), "{glob} on {text}");
        }
    }
    for (bad, wanted) in
        [("a[b", "a `[` without a `]`"), ("{a,b", "a `{` without a `}`"), ("a\\", "ends in a backslash")]
    {
        let error = NameGlob::compile(bad).unwrap_err();
        assert!(error.message.contains(wanted), "{bad}: {error:?}");
    }
}

/// The six documented forms against one payload: five match, and the invalid expression is rejected, not ignored.
#[test]
fn six_pattern_forms_meet_one_payload() {
    let event = call("write_file");
    for pattern in
        ["*", "write_*", "tool.name =~ \"^write_\"", "tool.name == \"write_file\"", "tool.name != \"read_file\""]
    {
        assert!(accepts(pattern, &event), "{pattern}");
    }
    let error = compile("tool.name =~ '['", "PreToolUse").unwrap_err();
    assert!(error.message.starts_with("`[` is not a valid regular expression: "), "{error:?}");
}

#[test]
fn expressions_read_paths_as_text() {
    let event = call("fs.write");
    for (pattern, wanted) in [
        ("tool.args.path =~ \"\\.rs$\"", true),
        ("tool.args.path =~ \\.rs$", true),
        ("tool.args.path =~ '\\.py$'", false),
        ("tool.args.n == 3", true),
        ("tool.args.s == '{\"t\":\"u\"}'", true),
        ("tool.args.s.t == u", true),
        ("tool.args.missing == \"\"", true),
        ("tool.args.missing != \"x\"", true),
        ("tool.args.path == \"a == b\"", false),
        ("tool.args.force", true),
        ("tool.args.missing", false),
        ("tool.args", true),
        ("event == PreToolUse", true),
        ("agent == root", false),
        ("session.id", false),
        ("  tool.name==fs.write  ", true),
        ("tool.name == 'it\\'s'", false),
    ] {
        assert_eq!(accepts(pattern, &event), wanted, "{pattern}");
    }
}

#[test]
fn a_dotted_tool_name_is_a_name_and_not_a_path() {
    for pattern in ["fs.*", "fs.write", "{fs,net}.write", "fs.?rite"] {
        assert!(accepts(pattern, &call("fs.write")), "{pattern}");
        assert!(!accepts(pattern, &call("think")), "{pattern}");
    }
}

#[test]
fn what_can_never_match_is_refused() {
    for (pattern, event, wanted, help) in [
        ("tol.name == \"x\"", "PreToolUse", "`PreToolUse` has no field `tol.name`", "did you mean `tool.name`?"),
        ("tool.nam =~ x", "PreToolUse", "`PreToolUse` has no field `tool.nam`", "did you mean `tool.name`?"),
        (
            "tool.name == \"x\" && tool.args.c == \"q\"",
            "PreToolUse",
            "the pattern `tool.name == \"x\" && tool.args.c == \"q\"` contains more than one comparison",
            "write one comparison",
        ),
        ("tool.name == x == y", "PreToolUse", "contains more than one comparison", "check the rest in the handler"),
        ("tool.name == x && y", "PreToolUse", "contains more than one comparison", "or quote a value"),
        ("tool.name == \"x", "PreToolUse", "has an unclosed \"", "close the quotes"),
        ("== x", "PreToolUse", "the pattern `== x` has no field to compare", "write a field before the operator"),
        ("exec_*", "UserPromptSubmit", "`exec_*` never matches `UserPromptSubmit`", "write `*`, or a comparison"),
        ("tool.name == x", "SessionStart", "`SessionStart` has no field `tool.name`", "its fields are event"),
        ("*", "PreTolUse", "unknown event `PreTolUse`", "did you mean `PreToolUse`?"),
    ] {
        let error = compile(pattern, event).unwrap_err();
        assert!(error.message.contains(wanted), "{pattern}: {error:?}");
        assert!(error.help.as_deref().unwrap_or_default().contains(help), "{pattern}: {error:?}");
    }
}

#[test]
fn events_without_a_tool_have_subjects_and_truths_of_their_own() {
    let edited = event("FileEdited", json!({"path": "/p/src/a.rs"}));
    assert!(accepts("*.rs", &edited) && !accepts("*.py", &edited));
    let turn = event("PostTurn", json!({"has_tool_calls": true, "tool_names": []}));
    assert!(accepts("has_tool_calls", &turn) && !accepts("tool_names", &turn));
    let step = event("PreStep", json!({"persona": "merge_captain", "step": "admin_merge"}));
    for pattern in ["merge_captain.admin_merge", "merge_*", "*.admin_merge", "step.name == admin_merge"] {
        assert!(accepts(pattern, &step), "{pattern}");
    }
    assert!(!accepts("admin_merge", &step));
    assert!(accepts("prompt =~ secret", &event("UserPromptSubmit", json!({"prompt": "a secret"}))));
}

#[test]
fn exact_tool_names_are_known_before_anything_is_matched() {
    let names = |pattern: &str, event: &str| match compile(pattern, event).unwrap().subjects() {
        SubjectFilter::Any => None,
        SubjectFilter::Only { certain, possible } => Some((certain.join(" "), possible.is_empty())),
    };
    for (pattern, event, wanted) in [
        ("shell", "PreToolUse", Some("shell")),
        ("{read,write}_file", "PostToolUse", Some("read_file write_file")),
        ("tool.name == \"shell\"", "PermissionAsked", Some("shell")),
        ("fs.write", "PreToolUse", Some("fs.write")),
        ("/etc/passwd", "FileEdited", Some("/etc/passwd")),
        ("exec_*", "PreToolUse", None),
        ("tool.name != \"shell\"", "PreToolUse", None),
        ("tool.args.path == \"x\"", "PreToolUse", None),
        ("tool.name == \"\"", "PreToolUse", None),
        ("a.b", "PreStep", None),
    ] {
        assert_eq!(names(pattern, event), wanted.map(|names| (names.to_owned(), true)), "{pattern}");
    }
}

fn scope(
    harn_event_def: &'static HarnEventDef,
    persona: &str,
    step: Option<&str>,
    percent: Option<f64>,
) -> PersonaScope {
    PersonaScope {
        def: harn_event_def,
        text: persona.to_owned(),
        persona: NameGlob::compile(persona).unwrap(),
        step: step.map(str::to_owned),
        percent,
        pattern: None,
    }
}

#[test]
fn a_step_without_a_persona_is_for_everybody_and_for_no_prefix() {
    let def = ROWS.iter().find(|def| def.name == "PreStep").unwrap();
    let step = |persona: &str| event("PreStep", json!({"persona": persona, "step": "audit"}));
    for (persona, step_name, fired, wanted) in [
        ("*", None, "", true),
        ("*", Some("audit"), "merge_captain", true),
        ("merge_*", Some("audit"), "merge_captain", true),
        ("merge_*", Some("audit"), "", false),
        ("merge_*", Some("audit"), "triage", false),
        ("*", Some("aud*"), "merge_captain", false),
    ] {
        let scope = scope(def, persona, step_name, None);
        let wanted = if wanted { MatchResult::Yes } else { MatchResult::No };
        assert_eq!(scope.matches(&step(fired)), wanted, "{persona} {step_name:?} {fired}");
    }
}

#[test]
fn a_budget_hook_hears_once_when_its_mark_is_passed() {
    let def = ROWS.iter().find(|def| def.name == "OnBudgetThreshold").unwrap();
    let fired = |before: f64, mark: f64, percent: f64| {
        let payload = json!({
            "previous_percent": before, "threshold_percent": mark, "percent": percent, "persona": "p",
        });
        event("OnBudgetThreshold", payload)
    };
    let heard = |pct: f64, events: &[Event]| {
        let scope = scope(def, "*", None, Some(pct));
        assert_eq!(scope.threshold_percent(), Some(pct));
        events.iter().filter(|event| scope.matches(event) == MatchResult::Yes).count()
    };
    let one_leap = [fired(0.0, 50.0, 120.0), fired(50.0, 80.0, 120.0), fired(80.0, 100.0, 120.0)];
    for pct in [10.0, 50.0, 79.5, 80.0, 100.0] {
        assert_eq!(heard(pct, &one_leap), 1, "{pct}");
    }
    assert_eq!(heard(101.0, &one_leap), 0);
    // A host that fires the event by hand only needs to give the threshold.
    assert_eq!(heard(50.0, &[event("OnBudgetThreshold", json!({"percent": 60}))]), 1);
}
