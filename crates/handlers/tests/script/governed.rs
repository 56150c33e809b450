//! Typical hooks: they run in this process and work as written.

use std::sync::Arc;

use pintle_contract::{Event, EventName, HandlerFactory, MatchResult, Origin, SubjectFilter, VerdictKind};
use pintle_script::{ScriptKind, ScriptPlacement, compile, compile_when};
use serde_json::{Value, json};

use super::fixture::{FakeEffects, call_script, script_declaration, test_factory};

const AUDIT: &str = r#"
def handle(event, payload):
    metrics.incr("audit.tool.pre")
    name = payload.get("name", "")
    log("[audit] " + event + " name=" + (name or "?"))
    return allow()
"#;

const COMMANDS: &str = r#"
FORBIDDEN = ["rm -rf /", "mkfs", "dd if=", "> /dev/sda"]

def handle(event, payload):
    command = payload.get("args", {}).get("command", "")
    for pattern in FORBIDDEN:
        if pattern in command:
            metrics.incr("audit.policy.deny")
            return block("dangerous: '" + pattern + "'")
    return allow()
"#;

const PATHS: &str = r#"
def _path(payload):
    args = payload.get("args", {})
    return args.get("path", "") or args.get("pattern", "")

def handle(event, payload):
    path = _path(payload)
    if ".." in path:
        return block("leaves the workspace")
    if path.startswith("/") or path[1:2] == ":":
        return block("absolute")
    return allow()
"#;

const NAMES: &str = r#"
BANNED = ["exec", "fs.remove", "system."]

def handle(event, payload):
    name = payload.get("name", "")
    for banned in BANNED:
        if name == banned or name.startswith(banned + "_") or name.startswith(banned + "."):
            return {"action": "block", "reason": "banned: " + banned}
    log("approved " + name)
    return allow()
"#;

const WINDOW: &str = r#"
def handle(event, payload):
    if len(payload.get("messages", [])) > 200:
        return block("too long")
    return allow()
"#;

#[test]
fn they_run_in_this_process() {
    let world = FakeEffects::default();
    for script in [AUDIT, COMMANDS, PATHS, NAMES, WINDOW] {
        let compiled = compile("governed", &pintle_contract::ScriptSource::without_file(script), ScriptKind::Hook);
        assert_eq!(compiled.placement, ScriptPlacement::InProcess, "{script}");
        assert!(compiled.diagnostics.is_empty(), "{:?}", compiled.diagnostics);
        assert_eq!(compiled.powers.can_deny, script != AUDIT, "{script}");
    }
    let builder = test_factory();
    let cases: &[(&str, Value, Option<&str>)] = &[
        (COMMANDS, json!({"name": "run_command", "args": {"command": "ls -la"}}), None),
        (COMMANDS, json!({"args": {"command": "sudo rm -rf / --no-preserve-root"}}), Some("dangerous: 'rm -rf /'")),
        (COMMANDS, json!({}), None),
        (PATHS, json!({"args": {"path": "../x"}}), Some("leaves the workspace")),
        (PATHS, json!({"args": {"path": "/etc/passwd"}}), Some("absolute")),
        (PATHS, json!({"args": {"pattern": "C:\\x"}}), Some("absolute")),
        (PATHS, json!({"args": {"path": "src"}}), None),
        (WINDOW, json!({"messages": vec![json!({"content": "x"}); 201]}), Some("too long")),
        (WINDOW, json!({"messages": vec![json!({"content": "x"}); 200]}), None),
        (AUDIT, json!({"name": "ls"}), None),
    ];
    for (script, payload, reason) in cases {
        let said = call_script(&builder, script, payload.clone(), &world).unwrap().kind;
        let expected = reason.map_or(VerdictKind::Pass, |reason| VerdictKind::Deny { reason: reason.to_owned() });
        assert_eq!(said, expected, "{payload}");
    }
    assert_eq!(world.counters.lock().unwrap().get("audit.policy.deny"), Some(&1));
    assert_eq!(world.counters.lock().unwrap().get("audit.tool.pre"), Some(&1));
    assert_eq!(world.logs.lock().unwrap()[0].1, "[audit] tool.pre name=ls");
}

#[test]
fn conditions_index_their_subjects() {
    let only = |names: &[&str], sufficient| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        if sufficient { SubjectFilter::certain(names) } else { SubjectFilter::possible(names) }
    };
    let cases = [
        (r#"payload["name"] == "run_command""#, only(&["run_command"], true)),
        (r#""x" == payload.get("name")"#, only(&["x"], true)),
        (r#"payload["name"] in ["a", "b"]"#, only(&["a", "b"], true)),
        (r#"payload["name"] == "a" or payload["name"] == "b""#, only(&["a", "b"], true)),
        (r#"payload["name"] == "a" and "x" in payload["args"]["command"]"#, only(&["a"], false)),
        (r#"payload.get("id") == "1" and payload["name"] == "a""#, only(&["a"], false)),
        (r#"payload["id"] == "1" and payload["name"] == "a""#, SubjectFilter::Any),
        (r#"payload["name"] != "a""#, SubjectFilter::Any),
        (r#"payload["id"] == "a""#, SubjectFilter::Any),
        (r#"payload["name"] == "a" # why"#, only(&["a"], true)),
    ];
    let event = EventName::parse("tool.pre").unwrap();
    for (when, expected) in cases {
        let text = pintle_contract::ScriptSource::without_file(when);
        let compiled = compile_when("indexed", &text, None, &event);
        let when = compiled.when.unwrap_or_else(|| panic!("{when}: {:?}", compiled.diagnostics));
        assert_eq!(pintle_contract::Matcher::subjects(&when), expected, "{when:?}");
        assert!(when.is_native(), "{when:?}");
    }
}

#[test]
fn conditions_are_pure_and_may_call_the_scripts_functions() {
    let builder = test_factory();
    let script = "LIMIT = 3\ndef long(text):\n  return len(text) > LIMIT\ndef noisy(x):\n  metrics.incr(\"x\")\n  return True\n\
                  def handle(event, payload):\n  return allow()\n";
    let matched = |when: &str, payload: Value| {
        let built = builder.build_matcher(&script_declaration("tool.pre", Some(when), script));
        let event = Event::new(EventName::parse("tool.pre").unwrap(), payload, Arc::new(Origin::default()));
        built.matcher.map(|matcher| matcher.matches(&event)).ok_or(built.diagnostics)
    };
    let payload = json!({"name": "abcd", "n": 1});
    assert_eq!(matched("long(payload[\"name\"])", payload.clone()), Ok(MatchResult::Yes));
    assert_eq!(
        matched("\n  payload[\"name\"] == \"x\" or\n  event == \"tool.pre\"\n", payload.clone()),
        Ok(MatchResult::Yes)
    );
    // Its cost is unlimited, so it runs in a worker.
    assert_eq!(matched("payload[\"name\"] in payload[\"name\"] * 65", payload.clone()), Ok(MatchResult::Yes));
    assert!(matches!(matched("payload[\"absent\"] == 1", payload.clone()), Ok(MatchResult::Failed(_))));
    let refused = [
        ("metrics.incr(\"x\") == 1", "`when` has no `metrics`"),
        ("noisy(1)", "in a function that `when` calls: `when` has no `metrics`"),
        ("payload.name == \"x\"", "the payload is a dict, so `payload.name` does not exist"),
        ("tool_name == \"x\"", "unknown name `tool_name`"),
        ("paylod[\"name\"] == \"x\"", "unknown name `paylod`; did you mean `payload`?"),
    ];
    for (when, message) in refused {
        let found = matched(when, payload.clone()).unwrap_err();
        assert_eq!(found[0].message, message, "{when}");
    }
    assert!(matched("payload[", payload).is_err());
}
