//! Calls that two sets of hooks can be compared on without a recording: those of examples, and what is derived from them.

use std::collections::HashSet;
use std::path::PathBuf;

use pintle_host::packs::{PolicyRuleSpec, RuleSubject};
use pintle_host::shell::in_quotes;
use pintle_host::{Event, EventKind, EventName, LoadedRuntime};
use serde_json::{Value, json};

use crate::commands::test::{build_event, declarations_of, read_cases, test_files};
use crate::options::{active_packs, policy_rules_of};

/// The most calls that are compared.
const MAX_CALLS: usize = 20_000;
/// The most targets of a rule that calls are made of.
const MAX_TARGETS: usize = 20;

/// The calls and events of examples.
#[derive(Debug, Default)]
pub(super) struct ExampleCalls {
    pub(super) events: Vec<Event>,
    /// How many are written in examples, packs, rules and case files; the others are derived from those.
    pub(super) written: usize,
    /// How many there are beyond the most that are compared.
    pub(super) left_out: usize,
}

/// A call that was not completed yet.
type ExamplePayload = (EventName, Value);

impl ExampleCalls {
    /// The calls of the examples of hooks, packs, rules and case files of all sets, and variants of them.
    pub(super) fn collect(sets: &[(&[PathBuf], &LoadedRuntime)]) -> Self {
        let (mut written, mut derived) = (Vec::new(), Vec::new());
        for (paths, built) in sets {
            collect_written(paths, built, &mut written);
            let rules = declarations_of(built).into_iter().flat_map(policy_rules_of);
            derived.extend(rules.flat_map(|rule| calls_of_rule(&rule)));
        }
        derived.extend(written.iter().flat_map(variants_of).collect::<Vec<_>>());
        let Some((_, built)) = sets.first() else { return Self::default() };
        let mut calls = Self::default();
        let mut known: HashSet<(String, String)> = HashSet::new();
        for (is_written, (name, payload)) in
            written.into_iter().map(|call| (true, call)).chain(derived.into_iter().map(|call| (false, call)))
        {
            if !known.insert((name.as_str().to_owned(), payload.to_string())) {
                continue;
            }
            // An example that is not valid is what `pintle test` reports.
            let Ok(event) = build_event(&name, &payload, &built.runtime) else { continue };
            if calls.events.len() >= MAX_CALLS {
                calls.left_out += 1;
                continue;
            }
            calls.written += usize::from(is_written);
            calls.events.push(event);
        }
        // The last of a change are shown: those that are written.
        calls.events.reverse();
        calls
    }
}

fn collect_written(paths: &[PathBuf], built: &LoadedRuntime, calls: &mut Vec<ExamplePayload>) {
    for declared in declarations_of(built) {
        let examples = declared.examples.iter().map(|example| (declared.event.clone(), example.payload.clone()));
        calls.extend(examples);
    }
    for active in active_packs(built) {
        let commands = active.pack.rules.iter().flat_map(|rule| rule.stops.iter().chain(rule.passes));
        calls.extend(commands.map(|command| shell_call(command)));
    }
    let (cases, _) = read_cases(&test_files(paths, built));
    calls.extend(cases.into_iter().map(|case| (case.event, case.example.payload)));
}

fn shell_call(command: &str) -> ExamplePayload {
    tool_call("shell", json!({"command": command}))
}

fn tool_call(name: &str, args: Value) -> ExamplePayload {
    (EventKind::ToolPre.into(), json!({"name": name, "args": args}))
}

/// The same command line, run in other ways.
fn variants_of((name, payload): &ExamplePayload) -> Vec<ExamplePayload> {
    let command = payload.get("args").and_then(|args| args.get("command")).and_then(Value::as_str);
    let Some(command) = command.filter(|_| name.kind() == EventKind::ToolPre) else { return Vec::new() };
    let quoted = in_quotes(command);
    let lines = [
        format!("sudo {command}"),
        format!("bash -c {quoted}"),
        format!("cd pkg && {command}"),
        format!("{command} | cat"),
    ];
    let with_line = |line: String| {
        let mut changed = payload.clone();
        if let Some(place) = changed.pointer_mut("/args/command") {
            *place = Value::from(line);
        }
        (name.clone(), changed)
    };
    lines.into_iter().map(with_line).collect()
}

/// Calls that a rule is about, made of its own words.
fn calls_of_rule(rule: &PolicyRuleSpec) -> Vec<ExamplePayload> {
    match &rule.subject {
        RuleSubject::Run(patterns) => patterns.iter().map(|pattern| shell_call(&without_stars(pattern))).collect(),
        RuleSubject::Call => rule.tools.iter().map(|tool| tool_call(&without_stars(tool), json!({}))).collect(),
        RuleSubject::Operation(subject) => {
            let outside = subject.outside.iter().map(|_| String::from("/srv/other/file"));
            let targets = subject.targets.iter().chain(&subject.inside).map(|target| path_of(target)).chain(outside);
            targets.take(MAX_TARGETS).flat_map(|target| calls_on_target(&target)).collect()
        }
    }
}

/// Calls that do something to a file, or to a host.
fn calls_on_target(target: &str) -> Vec<ExamplePayload> {
    let quoted = in_quotes(target);
    // The home directory is not one in quotes.
    let word = if target.starts_with('~') { target } else { &quoted };
    let lines = [
        format!("cat {word}"),
        format!("echo text > {word}"),
        format!("rm -rf {word}"),
        format!("mv {word} moved"),
        format!("cp {word} copied"),
        format!("chmod 777 {word}"),
        format!("curl -O https://{}", target.trim_start_matches("https://")),
        format!("curl -d @file https://{}", target.trim_start_matches("https://")),
    ];
    let files = ["read_file", "write_file"].map(|tool| tool_call(tool, json!({"path": target, "content": "text"})));
    lines.iter().map(|line| shell_call(line)).chain(files).collect()
}

/// A path that a pattern or the name of a place covers.
fn path_of(target: &str) -> String {
    match target {
        "project" => String::from("file"),
        "home" => String::from("~/file"),
        "temporary" => String::from("/tmp/file"),
        "system" => String::from("/etc/file"),
        pattern => without_stars(pattern),
    }
}

/// A text that a pattern with `*` covers.
fn without_stars(pattern: &str) -> String {
    pattern.replace("**", "dir/file").replace('*', "x")
}
