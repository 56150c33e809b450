//! Checks what prevents Codex from running hooks.

use serde_json::{Value, json};

use crate::HostDef;
use crate::doctor::{DoctorFinding, exchange_line, find_on_path};
use crate::install::{InstallEnvironment, InstallScope, installed_entries, parse_own_command};

/// The time limit for Codex to list its hooks, in milliseconds.
const LIMIT_MS: u64 = 20_000;

/// Checks what Codex reports about the installed entries: it lists every hook with its trust status.
pub(super) fn check_trust(host: &'static HostDef, environment: &InstallEnvironment) -> Vec<DoctorFinding> {
    let Some(hooks) = list_hooks(host, environment) else {
        let what = "cannot find out which hooks Codex trusts";
        return vec![
            DoctorFinding::note(what)
                .help("check `/hooks` in `codex`: Codex silently skips hooks that have not been reviewed"),
        ];
    };
    let ours: Vec<&Value> = hooks.iter().filter(|hook| is_own_hook(hook, host)).collect();
    let mut findings = Vec::new();
    let word = |hook: &Value, field: &str| hook.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut unreviewed: Vec<String> = ours
        .iter()
        .filter(|hook| !["trusted", "managed"].contains(&word(hook, "trustStatus").as_str()))
        .map(|hook| format!("`{}`", settings_event_name(host, &word(hook, "eventName"))))
        .collect();
    unreviewed.dedup();
    if !unreviewed.is_empty() {
        let what = format!("Codex silently skips {}: they have not been reviewed", unreviewed.join(", "));
        let help = "start `codex` and trust them in `/hooks`; in CI run `codex exec --dangerously-bypass-hook-trust`";
        findings.push(DoctorFinding::problem(what).help(help));
    }
    if ours.iter().any(|hook| hook.get("enabled") == Some(&Value::Bool(false))) {
        findings.push(DoctorFinding::problem("Pintle's hooks are disabled in Codex").help("enable them in `/hooks`"));
    }
    for (scope, place) in host.install.locations() {
        let path = environment.settings_path(scope, place);
        let here = installed_entries(host, environment, scope).is_ok_and(|entries| !entries.is_empty());
        if here && !ours.iter().any(|hook| word(hook, "sourcePath") == path.to_string_lossy()) {
            let what = format!("Codex does not load `{}`", environment.display_path(&path));
            let help = match scope {
                InstallScope::Managed | InstallScope::User => "hooks are disabled in `config.toml` (`features.hooks`)",
                InstallScope::Project => "the project is not trusted; run `codex exec --trust` once",
            };
            findings.push(DoctorFinding::problem(what).help(help));
        }
    }
    findings
}

/// The settings name of an event: Codex lists it in another case.
fn settings_event_name(host: &HostDef, listed: &str) -> String {
    let def = host.events.iter().find(|def| def.name.eq_ignore_ascii_case(listed));
    def.map_or(listed, |def| def.name).to_owned()
}

fn is_own_hook(hook: &Value, host: &HostDef) -> bool {
    let command = hook.get("command").and_then(Value::as_str);
    command.is_some_and(|command| parse_own_command(command, host.name).is_some())
}

/// Every hook that Codex would load in the project.
fn list_hooks(host: &HostDef, environment: &InstallEnvironment) -> Option<Vec<Value>> {
    let program = find_on_path(host.install.program, environment)?;
    let asked = [
        json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "pintle", "version": env!("CARGO_PKG_VERSION")}}}),
        json!({"method": "initialized"}),
        json!({"id": 2, "method": "hooks/list", "params": {"cwds": [environment.project.to_string_lossy()]}}),
    ];
    let asked: String = asked.iter().map(|message| format!("{message}\n")).collect();
    exchange_line(&[program.as_os_str(), "app-server".as_ref()], environment, &asked, LIMIT_MS, parse_hook_list)
}

/// The hooks in the line with the response to `hooks/list`.
fn parse_hook_list(line: &str) -> Option<Vec<Value>> {
    let line: Value = serde_json::from_str(line).ok()?;
    let folders = line.pointer("/result/data").filter(|_| line.get("id") == Some(&json!(2)))?.as_array()?;
    Some(folders.iter().filter_map(|dir| dir.get("hooks")?.as_array()).flatten().cloned().collect())
}
