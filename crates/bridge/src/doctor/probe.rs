//! Tests whether the installed command lines respond correctly.

use std::ffi::OsStr;

use serde_json::{Map, Value, json};

use super::{DoctorFinding, InstallLocation, ProgramRun, run};
use crate::canary::Canary;
use crate::install::{EntryFormat, InstallEnvironment, InstalledEntry, NO_RESPONSE, program_of};
use crate::{HostDef, HostEventDef, HostResponse, ResponseContext};

/// The time limit of an entry without its own timeout, in milliseconds.
const LIMIT_MS: u64 = 60_000;

/// Sends a call that must be denied, and one that must be allowed, through every guarded entry as the host would.
pub(super) fn probe(host: &'static HostDef, site: &InstallEnvironment, place: &InstallLocation) -> Vec<DoctorFinding> {
    let scope = place.scope.as_str();
    let guarded = place.entries.iter().filter_map(|entry| Some((entry, host.find_event(&entry.event)?)));
    let mut events = Vec::new();
    let mut findings = Vec::new();
    for (entry, def) in guarded.filter(|(_, def)| def.is_guard) {
        let wrong = [Canary::Deny, Canary::Pass]
            .into_iter()
            .find_map(|canary| find_difference(host, def, entry, site, place, canary));
        match wrong {
            Some((what, help)) => {
                let finding = DoctorFinding::problem(format!("{scope}, `{}`: {what}", def.name));
                findings.push(DoctorFinding { help, ..finding });
            }
            None => events.push(format!("`{}`", def.name)),
        }
    }
    if !events.is_empty() {
        let what = format!(
            "{scope}: two test calls were decided correctly (one denied, one allowed) at {}",
            events.join(", ")
        );
        findings.push(DoctorFinding::ok(what));
    }
    findings
}

/// The difference between the actual and the expected response to a test call, with the next step.
fn find_difference(
    host: &'static HostDef,
    def: &'static HostEventDef,
    entry: &InstalledEntry,
    site: &InstallEnvironment,
    place: &InstallLocation,
    canary: Canary,
) -> Option<(String, Option<String>)> {
    let payload = canary.with_marker(canary_payload(def, site));
    let wanted = (def.write_response)(&ResponseContext { event_def: def, payload: &payload }, &canary.decision());
    let what = match canary {
        Canary::Deny => "a test call that must be denied",
        Canary::Pass => "a test call that must be allowed",
    };
    let limit_ms = if entry.timeout_ms == 0 { LIMIT_MS } else { entry.timeout_ms };
    let Some(ran) = send_payload(host, entry, site, place, &payload, limit_ms) else {
        return Some((format!("{what} got no answer within {limit_ms} ms"), None));
    };
    if is_expected(&ran, &wanted) {
        return None;
    }
    if ran.stderr.contains(NO_RESPONSE) {
        let what = String::from("Pintle does not answer there, so everything is denied");
        let help = program_of(host, entry)
            .map(|program| format!("run `{program} hook {} {} </dev/null` to see why", host.name, def.name));
        return Some((what, help));
    }
    Some((format!("{what} returned {}", describe_run(&ran)), None))
}

/// A payload with the fields that every host sends.
fn canary_payload(def: &HostEventDef, site: &InstallEnvironment) -> Map<String, Value> {
    let fields = json!({
        "session_id": "pintle-doctor",
        "transcript_path": "",
        "cwd": site.project.to_string_lossy(),
        "hook_event_name": def.name,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn send_payload(
    host: &HostDef,
    entry: &InstalledEntry,
    site: &InstallEnvironment,
    place: &InstallLocation,
    payload: &Value,
    limit_ms: u64,
) -> Option<ProgramRun> {
    let program = place.path.join(&entry.event);
    let words: Vec<&OsStr> = match host.install.form {
        EntryFormat::Programs => vec![program.as_os_str()],
        _ => host.install.shell.iter().copied().chain([entry.command.as_str()]).map(OsStr::new).collect(),
    };
    run(&words, site, &payload.to_string(), limit_ms)
}

/// Whether the response is as expected. Standard output is compared as JSON, and must not contain anything else.
fn is_expected(ran: &ProgramRun, wanted: &HostResponse) -> bool {
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    let stdout = ran.stdout.trim() == wanted.stdout.trim()
        || json(&ran.stdout).is_some_and(|value| json(&wanted.stdout) == Some(value));
    ran.status == Some(i32::from(wanted.exit_code)) && stdout && ran.stderr.trim() == wanted.stderr.trim()
}

/// A one-line summary of the response, for debugging.
fn describe_run(ran: &ProgramRun) -> String {
    let status = ran.status.map_or_else(|| String::from("a signal"), |status| format!("status {status}"));
    let first = |text: &str| text.lines().next().unwrap_or_default().chars().take(200).collect::<String>();
    match (first(&ran.stderr), first(&ran.stdout)) {
        (said, _) if !said.is_empty() => format!("{status}: {said}"),
        (_, said) if !said.is_empty() => format!("{status} with `{said}`"),
        _ => format!("{status} and no output"),
    }
}
