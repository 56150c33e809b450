//! Tests whether the installed command lines respond correctly.

use std::ffi::OsStr;
use std::path::Path;

use pintle_host::clients::host::HostField;
use serde_json::{Map, Value, json};

use super::finding::DoctorFinding;
use super::location::InstallLocation;
use super::run_program::{ProgramRun, run};
use crate::canary::Canary;
use crate::install::{
    EntryFormat, InstallEnvironment, InstallScope, InstalledEntry, NO_RESPONSE, is_current, is_executable,
    is_replaceable_program, line_in_image, program_of,
};
use crate::{HostDecision, HostDef, HostEventDef, HostResponse, ResponseContext};

/// The time limit of an entry without its own timeout, in milliseconds.
const LIMIT_MS: u64 = 60_000;
/// The session of every test call.
const SESSION: &str = "pintle-doctor";

/// Sends test calls through the installed entries of one location, as the host would.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryProbe<'a> {
    pub(super) host: &'static HostDef,
    pub(super) site: &'a InstallEnvironment,
    pub(super) place: &'a InstallLocation,
}

impl<'a> EntryProbe<'a> {
    /// The note that the program of an image does not run on this machine, such as one for another processor. A missing
    /// program is another finding.
    pub(super) fn note_foreign_program(self) -> Option<DoctorFinding> {
        let named = self.place.entries.iter().find_map(|entry| program_of(self.host, entry));
        let path = self.site.path_now(Path::new(&named.filter(|_| self.site.is_image())?));
        if !is_executable(&path) {
            return None;
        }
        let error = run(&[path.as_os_str(), "--version".as_ref()], self.site, "", LIMIT_MS).err()?;
        let what = format!("`{}` does not run on this machine ({error}), so no test calls were sent", path.display());
        let help = format!("run `pintle doctor {}` in the image", self.host.name);
        Some(DoctorFinding::note(what).help(help))
    }

    /// The problem that a project's entries run something else than an installed program: it may be the project's own, and
    /// someone who only examines a project must not run that.
    pub(super) fn find_project_program(self) -> Option<DoctorFinding> {
        if self.place.scope != InstallScope::Project {
            return None;
        }
        let unsent = "so no test calls were sent";
        let what = self.place.entries.iter().find_map(|entry| match program_of(self.host, entry) {
            Some(program) if is_replaceable_program(&program, self.site) => {
                Some(format!("the entries run `{program}`, which the project or everybody here can replace, {unsent}"))
            }
            Some(_) if is_current(self.host, self.place.scope, entry) => None,
            _ => Some(format!("`{}` runs a line that `pintle install` does not write, {unsent}", entry.event)),
        })?;
        let help = format!("look at the entries in `{}`, then run `pintle doctor --fix`", self.place.path.display());
        Some(DoctorFinding::problem(format!("project: {what}")).help(help))
    }

    /// The installed entries of guarded events.
    pub(super) fn guarded_entries(self) -> impl Iterator<Item = (&'a InstalledEntry, &'static HostEventDef)> {
        let entries = self.place.entries.iter();
        entries
            .filter_map(move |entry| Some((entry, self.host.find_event(&entry.event)?)))
            .filter(|(_, def)| def.is_guard)
    }

    /// Sends a call that must be denied, and one that must be allowed, through every guarded entry.
    pub(super) fn check_wire(self) -> Vec<DoctorFinding> {
        let scope = self.place.scope.as_str();
        let mut events = Vec::new();
        let mut findings = Vec::new();
        for (entry, def) in self.guarded_entries() {
            let calls = [
                ("a test call that must be denied", Canary::denied()),
                ("a test call that must be allowed", Canary::Pass),
            ];
            let wrong = calls.iter().find_map(|(what, canary)| {
                let decision = canary.fixed_decision()?;
                self.find_difference(def, entry, (what, canary), &decision)
            });
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
        self,
        def: &'static HostEventDef,
        entry: &InstalledEntry,
        (what, canary): (&str, &Canary),
        decision: &HostDecision,
    ) -> Option<(String, Option<String>)> {
        let payload = canary.with_marker(self.empty_payload(def));
        let wanted = (def.write_response)(&ResponseContext { event_def: def, payload: &payload }, decision);
        let ran = match self.send(entry, &payload) {
            Ok(ran) => ran,
            Err(reason) => return Some((format!("{what}: {reason}"), None)),
        };
        if is_expected(&ran, &wanted) {
            return None;
        }
        if ran.stderr.contains(NO_RESPONSE) || ran.stdout.contains(NO_RESPONSE) {
            let what = String::from("Pintle does not answer there, so everything is denied");
            let help = program_of(self.host, entry)
                .map(|program| format!("run `{program} hook {} {} </dev/null` to see why", self.host.name, def.name));
            return Some((what, help));
        }
        Some((format!("{what} returned {}", describe_run(&ran)), None))
    }

    /// A payload with the fields that every host sends.
    pub(super) fn empty_payload(self, def: &HostEventDef) -> Map<String, Value> {
        let fields = [
            ("session_id", json!(SESSION)),
            ("transcript_path", json!("")),
            ("cwd", json!(self.site.project.to_string_lossy())),
            ("hook_event_name", json!(def.name)),
        ];
        fields.into_iter().map(|(name, value)| (String::from(name), value)).collect()
    }

    /// A payload with these fields, at the keys where the host sends them; `None` if it does not send one of them.
    pub(super) fn payload_with(
        self,
        def: &'static HostEventDef,
        fields: Vec<(HostField, Value)>,
    ) -> Option<Map<String, Value>> {
        let mut payload = Value::Object(self.empty_payload(def));
        let own = [
            (HostField::Session, json!(SESSION)),
            (HostField::Directory, json!(self.site.project.to_string_lossy())),
            (HostField::CallId, json!(SESSION)),
        ];
        let set = |payload: &mut Value, field: HostField, value: Value| {
            let read_only = def.read_keys.iter().chain(def.style.read_keys.iter().copied().flatten());
            let key = def.all_keys().chain(read_only).find(|key| key.field == Some(field))?;
            insert(payload, key.name, value)
        };
        for (field, value) in own {
            // Not every host sends these.
            let _ = set(&mut payload, field, value);
        }
        for (field, value) in fields {
            set(&mut payload, field, value)?;
        }
        payload.as_object().cloned()
    }

    /// Sends a payload through an entry. The error says why there was none.
    pub(super) fn send(self, entry: &InstalledEntry, payload: &Value) -> Result<ProgramRun, String> {
        self.send_within(entry, payload, limit_ms(entry))
    }

    /// The same with a time limit, if that is shorter than the entry's own.
    pub(super) fn send_within(
        self,
        entry: &InstalledEntry,
        payload: &Value,
        most_ms: u64,
    ) -> Result<ProgramRun, String> {
        let program = self.place.path.join(&entry.event);
        let install = &self.host.install;
        let line = match self.site.is_image() {
            true => {
                line_in_image(self.host, entry, self.site).ok_or("this version of Pintle did not write the entry")?
            }
            false => entry.command.clone(),
        };
        let words: Vec<&OsStr> = match install.form {
            EntryFormat::Programs if !self.site.is_image() => vec![program.as_os_str()],
            _ => install.shell.iter().copied().chain([line.as_str()]).map(OsStr::new).collect(),
        };
        run(&words, self.site, &payload.to_string(), limit_ms(entry).min(most_ms))
    }
}

fn limit_ms(entry: &InstalledEntry) -> u64 {
    if entry.timeout_ms == 0 { LIMIT_MS } else { entry.timeout_ms }
}

/// Inserts a value at a path such as `input/tool`.
fn insert(payload: &mut Value, path: &str, value: Value) -> Option<()> {
    let (name, rest) = path.split_once('/').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let fields = payload.as_object_mut()?;
    match rest {
        Some(rest) => insert(fields.entry(name).or_insert_with(|| json!({})), rest, value),
        None => {
            fields.insert(name.to_owned(), value);
            Some(())
        }
    }
}

/// Whether the response is as expected. Standard output is compared as JSON, and must not contain anything else.
fn is_expected(run: &ProgramRun, wanted: &HostResponse) -> bool {
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    let stdout = run.stdout.trim() == wanted.stdout.trim()
        || json(&run.stdout).is_some_and(|value| json(&wanted.stdout) == Some(value));
    run.status == Some(i32::from(wanted.exit_code)) && stdout && run.stderr.trim() == wanted.stderr.trim()
}

/// A one-line summary of the response, for debugging.
pub(super) fn describe_run(run: &ProgramRun) -> String {
    let status = run.status.map_or_else(|| String::from("a signal"), |status| format!("status {status}"));
    let first = |text: &str| text.lines().next().unwrap_or_default().chars().take(200).collect::<String>();
    match (first(&run.stderr), first(&run.stdout)) {
        (said, _) if !said.is_empty() => format!("{status}: {said}"),
        (_, said) if !said.is_empty() => format!("{status} with `{said}`"),
        _ => format!("{status} and no output"),
    }
}
