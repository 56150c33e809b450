//! The same hooks and the same call give the same decision, whichever command is asked: `pintle hook`, `fire` with and
//! without the agent's name, `explain`, and a live replay of the tape that `pintle hook` wrote.

#![expect(clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use pintle_bridge::{HOSTS, HostDef, HostEventDef};
use pintle_host::EventKind;
use serde_json::Value;

use crate::fixture::{CliFixture, CliInvocation};

/// A policy, the word for what it decides about a shell call, and its files below `policy/`.
type WalkPolicy = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// To walk another policy, add a row.
const POLICIES: &[WalkPolicy] = &[
    ("nothing to say", "allow", &[("hooks/h.md", ALLOWING)]),
    ("one deny", "deny", &[("hooks/h.md", DENYING)]),
    ("one deny, in the words of Claude Code", "deny", &[("hooks/h.md", DENYING_BASH)]),
    ("one ask", "ask", &[("hooks/h.md", ASKING)]),
    ("one rewrite", "rewrite", &[("hooks/h.md", REWRITING)]),
    ("a deny for another tool", "allow", &[("hooks/h.md", DENYING_OTHER)]),
    ("a failing guard", "deny", &[("hooks/h.md", FAILING)]),
    ("several", "deny", &[("hooks/a.md", ALLOWING), ("hooks/b.md", ASKING), ("hooks/c.md", DENYING)]),
    ("a README among them", "deny", &[("hooks/README.md", "# Ours\n"), ("hooks/h.md", DENYING)]),
    ("docker-agent's block", "deny", &[("guard.yaml", BLOCK)]),
    ("the first agent of a team", "deny", &[("agent.yaml", TEAM)]),
    ("Gemini CLI's name", "ask", &[("hooks/h.md", ASKING_GEMINI)]),
    ("AI Harness's name", "rewrite", &[("hooks/h.md", REWRITING_RUN)]),
    ("a kind", "deny", &[("hooks/h.md", DENYING_KIND)]),
    ("a name of another tool", "allow", &[("hooks/h.md", DENYING_READ)]),
];

const ALLOWING: &str =
    "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n";
const DENYING: &str = "---\nevent: tool.pre\npriority: 30\nwhen: payload[\"name\"] == \"shell\"\nscript: |\n  def handle(event, payload):\n      if \"out.txt\" in payload[\"args\"][\"command\"]:\n          return block(\"not there\")\n      return allow()\n---\n";
const DENYING_BASH: &str = "---\nevent: tool.pre\npriority: 30\nwhen: payload[\"name\"] == \"Bash\"\nscript: |\n  def handle(event, payload):\n      if \"out.txt\" in payload[\"args\"][\"command\"]:\n          return block(\"not there\")\n      return allow()\n---\n";
const ASKING: &str = "---\nevent: tool.pre\npriority: 20\nwhen: payload[\"name\"] in [\"shell\", \"deploy\"]\nscript: |\n  def handle(event, payload):\n      return ask(\"is that so?\")\n---\n";
const REWRITING: &str = "---\nevent: tool.pre\npriority: 20\nwhen: payload[\"name\"] == \"shell\"\nscript: |\n  def handle(event, payload):\n      args = dict(payload[\"args\"])\n      args[\"command\"] = \"echo ho > out.txt\"\n      return modify({\"args\": args})\n---\n";
const ASKING_GEMINI: &str = "---\nevent: tool.pre\npriority: 20\nscript: |\n  def handle(event, payload):\n      if payload[\"name\"] in [\"run_shell_command\", \"replace\"]:\n          return ask(\"is that so?\")\n      return allow()\n---\n";
const REWRITING_RUN: &str = "---\nevent: tool.pre\npriority: 20\nwhen: payload[\"name\"] == \"run_command\"\nscript: |\n  def handle(event, payload):\n      args = dict(payload[\"args\"])\n      args[\"command\"] = \"echo ho > out.txt\"\n      return modify({\"args\": args})\n---\n";
const DENYING_KIND: &str = "---\nevent: tool.pre\npriority: 20\nwhen: payload[\"kind\"] == \"shell\"\nscript: |\n  def handle(event, payload):\n      return block(\"no shell\")\n---\n";
const DENYING_READ: &str = "---\nevent: tool.pre\npriority: 20\nwhen: payload[\"name\"] in [\"Read\", \"Grep\"]\nscript: |\n  def handle(event, payload):\n      return block(\"no reading\")\n---\n";
const DENYING_OTHER: &str = "---\nevent: tool.pre\npriority: 20\nwhen: payload[\"name\"] == \"write\"\nscript: |\n  def handle(event, payload):\n      return block(\"no files\")\n---\n";
const FAILING: &str = "---\nevent: tool.pre\npriority: 20\nscript: |\n  def handle(event, payload):\n      if payload[\"nothing\"]:\n          return block(\"no\")\n      return allow()\n---\n";
const BLOCK: &str = "pre_tool_use:\n  - matcher: shell\n    hooks:\n      - {name: g, type: command, command: \"echo never >&2; exit 2\"}\n";
const TEAM: &str = "agents:\n  lead:\n    model: script/turns.yaml\n    description: leads\n    hooks:\n      pre_tool_use:\n        - matcher: shell\n          hooks: [{name: g, type: command, command: \"echo never >&2; exit 2\"}]\n";

/// A shell call as a host sends it, in the directory of the fixture.
struct HostShellCall {
    event_def: &'static HostEventDef,
    payload: String,
}

impl HostShellCall {
    fn load(host: &'static HostDef, project: &Path) -> Self {
        let is_call = |def: &&HostEventDef| def.is_guard && def.fires.contains(&EventKind::ToolPre);
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bridge/tests/data").join(host.name).join("payloads");
        let file = |def: &HostEventDef| dir.join(format!("{}.json", def.name));
        let event_def = host.events.iter().filter(is_call).find(|def| file(def).is_file()).unwrap();
        let payload = fs::read_to_string(file(event_def)).unwrap();
        Self { event_def, payload: payload.replace("/home/dev/project", project.to_str().unwrap()) }
    }
}

fn json_of(invocation: &CliInvocation<'_>) -> (Value, Option<i32>) {
    let (out, err, status) = invocation.run_to_parts();
    (serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")), status)
}

/// The hooks in a list of `calls` or of `hooks` that run.
fn hook_names<'a>(list: impl IntoIterator<Item = &'a Value>) -> BTreeSet<String> {
    let runs = |one: &&Value| one.get("runs").is_none_or(|runs| runs == true);
    list.into_iter().filter(runs).map(|one| one["hook"].as_str().unwrap().to_owned()).collect()
}

/// The tape of the only session in a state directory.
fn only_tape(state: &Path, host: &HostDef) -> PathBuf {
    let sessions: Vec<PathBuf> = fs::read_dir(state.join("bridge").join(host.name))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("tape.jsonl"))
        .filter(|path| path.is_file())
        .collect();
    assert_eq!(sessions.len(), 1);
    sessions.into_iter().next().unwrap()
}

#[test]
fn every_command_decides_as_the_bridge_does() {
    for (policy, decided, files) in POLICIES {
        let mut fixture = CliFixture::new_empty();
        for (path, text) in *files {
            fixture = fixture.with_file(&format!("policy/{path}"), text);
        }
        // Side by side: one after the other they would run for a minute after every other test has ended.
        thread::scope(|scope| {
            for hosts in HOSTS.chunks(HOSTS.len().div_ceil(2)) {
                scope.spawn(|| hosts.iter().for_each(|host| walk(&fixture, host, policy, decided)));
            }
        });
    }
}

#[test]
fn fire_finds_the_hooks_that_the_bridge_finds() {
    let fixture = CliFixture::new_empty()
        .with_file("own/hooks/own.md", ASKING)
        .with_file("project/.git/HEAD", "")
        .with_file("project/README.md", "# A project\n")
        .with_file("project/.harness/hooks/README.md", "# Ours\n")
        .with_file("project/.harness/hooks/h.md", DENYING)
        .with_file("project/src/lib.rs", "");
    let own = fixture.path("own").display().to_string();
    for host in HOSTS {
        for (name, place) in [("project", fixture.path("project")), ("below", fixture.path("project/src"))] {
            let call = HostShellCall::load(host, &place);
            let state = fixture.path(&format!("state-{}-{name}", host.name)).display().to_string();
            let folder = if name == "project" { "project" } else { "project/src" };
            let pintle = |words: &[&'static str]| {
                let run = fixture.pintle(words).with_variable("PINTLE_CONFIG_DIR", &own).in_folder(folder);
                run.with_variable("PINTLE_STATE_DIR", &state).with_input(&call.payload).run_to_parts()
            };
            let hook = pintle(&["hook", host.name, call.event_def.name]);
            let (out, err, status) = pintle(&["fire", call.event_def.name, "--json"]);
            assert_eq!(status, Some(2), "{} {name}: {out}{err}", host.name);
            let fired: Value = serde_json::from_str(&out).unwrap();
            assert_eq!(fired["response"]["stdout"].as_str().unwrap().trim_end(), hook.0.trim_end(), "{}", host.name);
            assert_eq!(fired["response"]["stderr"], hook.1, "{} {name}", host.name);
            assert!(out.contains("not there"), "{} {name}: {out}", host.name);
        }
    }
}

fn walk(fixture: &CliFixture, host: &'static HostDef, policy: &str, decided: &str) {
    let place = format!("{policy}, {}", host.name);
    let call = HostShellCall::load(host, &fixture.path(""));
    let state = fixture.path(&format!("state-{}", host.name));
    let state_text = state.display().to_string();
    let event = call.event_def.name;
    let pintle = |words: &[&'static str]| {
        fixture.pintle(words).with_variable("PINTLE_STATE_DIR", &state_text).with_input(&call.payload)
    };
    let hook = pintle(&["hook", host.name, event, "--hooks", "policy"]).run_to_parts();

    // What is fired has the very response of the bridge, and the same reason.
    let (fired, status) = json_of(&pintle(&["fire", event, "policy", "--host", host.name, "--json"]));
    let response = &fired["response"];
    let told = (response["stdout"].as_str().unwrap(), response["stderr"].as_str().unwrap(), &response["exit_code"]);
    // The program ends its output with a line break if it prints anything.
    assert_eq!((hook.0.trim_end(), hook.1.as_str()), (told.0.trim_end(), told.1), "{place}");
    assert_eq!(&Value::from(hook.2.unwrap()), told.2, "{place}");
    let can_ask = call.event_def.support.ask;
    let wanted = match decided {
        "ask" if matches!(can_ask, pintle_bridge::ActionSupport::DeniedInstead(_)) => "deny",
        "rewrite" => fired["decision"].as_str().unwrap(),
        decided => decided,
    };
    assert_eq!(fired["decision"], wanted, "{place}: {fired}");
    assert_eq!(status, Some(if wanted == "allow" { 0 } else { 2 }), "{place}");
    let rewrites = fired["outcomes"].as_array().unwrap().iter().any(|outcome| outcome["rewritten"] == true);
    assert_eq!(rewrites, decided == "rewrite", "{place}: {fired}");

    // A recognised payload needs neither the agent's name nor the event's.
    for words in [&["fire", event, "policy", "--json"][..], &["fire", "policy", "--json"]] {
        let (recognised, _) = json_of(&pintle(words));
        for key in ["host", "event", "decision", "reason", "input", "context", "notices", "response"] {
            assert_eq!(recognised[key], fired[key], "{place}: {key}");
        }
    }

    // The hooks that are predicted to run are those that were called.
    for words in [&["explain", event, "policy", "--host", host.name, "--json"][..], &["explain", "policy", "--json"]] {
        let (explained, _) = json_of(&pintle(words));
        let predicted = explained["fires"].as_array().unwrap().iter().flat_map(|one| one["hooks"].as_array().unwrap());
        assert_eq!(hook_names(predicted), hook_names(fired["calls"].as_array().unwrap()), "{place}: {explained}");
    }

    // The tape says the same, and so do the hooks when they are asked about it again.
    let tape = only_tape(&state, host);
    let recorded = fs::read_to_string(&tape).unwrap();
    let notes = recorded.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let notes: Vec<Value> =
        notes.filter(|record| record["note"] == "bridge" || record["data"]["host"] == host.name).collect();
    assert_eq!(notes.len(), 1, "{place}: {recorded}");
    let tape = tape.display().to_string();
    let replay =
        fixture.pintle(&["replay", &tape, "--live-hooks", "--with", "policy", "--all", "--json"]).run_to_parts();
    assert!(replay.2 == Some(0) && replay.0.contains("\"same\":true"), "{place}: {}{}", replay.0, replay.1);
    let replay = fixture.pintle(&["replay", &tape, "--live-hooks", "--all", "--json"]).run_to_parts();
    assert!(!replay.0.contains("\"same\":false"), "{place}: {}{}", replay.0, replay.1);
}
