//! What a tool call would do.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use pintle_contract::event::CallFacts;
use pintle_contract::{CallReads, Event, EventCallReads, EventKind, HookCall, Operation, Payload, ToolKind};
use pintle_shell::{CallCommand, CallEffects, CallSite, ProjectFiles, effects_of_call, operations_of_call};
use serde_json::{Value, json};

use super::call::calls_of;
use super::call_paths::PathResolver;
use super::code_files::{DiskFiles, EffectFiles};
use super::vocabulary::CanonicalCall;

impl PathResolver {
    /// Adds what the hooks of an event read of a call.
    pub fn add_facts(&self, facts: &mut CallFacts, kind: EventKind, parts: &[CanonicalCall]) {
        let reads = self.reads.select(kind);
        if reads == CallReads::default() {
            return;
        }
        let cwd = Path::new(facts.cwd.as_deref().unwrap_or_default());
        let name = facts.names.first().map(String::as_str).unwrap_or_default();
        let paths = reads.paths.then(|| self.paths_of(parts, cwd));
        let files = DiskFiles::default();
        let site = PartSite { cwd, project: &self.project, resolve: &self.resolve, files: Some(&files) };
        let effects = (reads.operations || reads.commands).then(|| effects_of_parts(name, parts, &site, reads));
        let effects = effects.unwrap_or_default();
        facts.project = Some(self.project.display().to_string());
        facts.operations = reads.operations.then_some(effects.operations);
        facts.commands = reads.commands.then_some(effects.commands);
        (facts.paths, facts.code_files) = (paths, files.into_files());
    }
}

/// Where the parts of a call happen.
#[derive(Clone, Copy)]
pub struct PartSite<'s> {
    /// The directory that relative paths refer to.
    pub cwd: &'s Path,
    /// The directory of the project.
    pub project: &'s Path,
    /// Resolves the symbolic links of an absolute path.
    pub resolve: &'s dyn Fn(&Path) -> PathBuf,
    /// Reads the files with code that the call runs; `None` reads none.
    pub files: Option<&'s dyn ProjectFiles>,
}

/// What the parts of a call would do, in their order. The agent's own name of the tool says in which language a command
/// line is. The commands are kept if they are read.
#[must_use]
pub fn effects_of_parts(
    native_name: &str,
    parts: &[CanonicalCall],
    site: &PartSite<'_>,
    reads: CallReads,
) -> CallEffects {
    let home = pintle_files::home_dir();
    let call_site = CallSite::new(site.cwd, site.project).with_home(home.as_deref()).resolved_by(site.resolve);
    let call_site = CallSite { files: site.files, ..call_site };
    let mut all = CallEffects::default();
    for (index, part) in parts.iter().enumerate() {
        let name = if part.kind == ToolKind::Shell { native_name } else { &part.name };
        let done = match reads.commands {
            true => effects_of_call(part.kind, name, &part.args, &call_site),
            false => {
                let operations = operations_of_call(part.kind, name, &part.args, &call_site);
                CallEffects { operations, commands: Vec::new() }
            }
        };
        let number = (parts.len() > 1).then_some(index + 1);
        all.operations.extend(done.operations.into_iter().map(|operation| Operation { part: number, ..operation }));
        all.commands.extend(done.commands.into_iter().map(|command| CallCommand { part: number, ..command }));
    }
    all
}

/// What the call of an event would do: as the host worked it out, otherwise worked out here. A call that a hook changed
/// is another call. It is done once for each payload.
#[must_use]
pub fn operations_of(event: &Event) -> &[Operation] {
    recorded_operations(event).unwrap_or_else(|| &work_out(event, "effects", read_disk).operations)
}

/// The commands that the call of an event runs, in the same way.
#[must_use]
pub fn commands_of(event: &Event) -> &[CallCommand] {
    recorded_commands(event).unwrap_or_else(|| &work_out(event, "effects", read_disk).commands)
}

/// The operations for a hook that is called: what a changed call reads of files is an effect.
#[must_use]
pub fn operations_in_call<'e>(call: &HookCall<'e>) -> &'e [Operation] {
    recorded_operations(call.event).unwrap_or_else(|| &work_out_in_call(call).operations)
}

/// The commands that the call of an event runs, for a hook that is called, as [`operations_in_call`].
#[must_use]
pub fn commands_in_call<'e>(call: &HookCall<'e>) -> &'e [CallCommand] {
    recorded_commands(call.event).unwrap_or_else(|| &work_out_in_call(call).commands)
}

fn recorded_operations(event: &Event) -> Option<&[Operation]> {
    let read =
        |value: &Value| -> Option<Vec<Operation>> { serde_json::from_value(value.get("operations")?.clone()).ok() };
    event.payload.cached_view("operations", read).as_deref()
}

fn recorded_commands(event: &Event) -> Option<&[CallCommand]> {
    let read =
        |value: &Value| -> Option<Vec<CallCommand>> { serde_json::from_value(value.get("commands")?.clone()).ok() };
    event.payload.cached_view("commands", read).as_deref()
}

fn read_disk<'f>() -> Option<Box<dyn ProjectFiles + 'f>> {
    Some(Box::new(DiskFiles::default()))
}

fn work_out_in_call<'e>(call: &HookCall<'e>) -> &'e CallEffects {
    work_out(call.event, "effects", || {
        let base = CallBase::new(&call.event.payload, &call.event.origin.cwd);
        Some(Box::new(EffectFiles { call, project: pintle_files::resolve_links(base.project) }))
    })
}

/// Works out what a call would do and which commands it runs, in one walk. `view` is where the payload keeps it.
fn work_out<'e, 'f>(
    event: &'e Event,
    view: &'static str,
    files: impl FnOnce() -> Option<Box<dyn ProjectFiles + 'f>>,
) -> &'e CallEffects {
    event.payload.cached_view(view, |_| {
        let base = CallBase::new(&event.payload, &event.origin.cwd);
        let files = files();
        let (cwd, project, files) = (base.cwd, base.project, files.as_deref());
        let site = PartSite { cwd, project, resolve: &pintle_files::resolve_links, files };
        let reads = CallReads { operations: true, commands: true, paths: false };
        effects_of_parts(native_name(&event.payload), calls_of(&event.payload), &site, reads)
    })
}

/// Whether the user pauses self-protection during the call of an event, as the host says.
#[must_use]
pub fn is_paused(event: &Event) -> bool {
    event.payload.field("pause_ends_at_ms").is_some_and(Value::is_u64)
}

/// Whether the user allows the call of an event once, as the host says.
#[must_use]
pub fn is_allowed_once(event: &Event) -> bool {
    event.payload.field("allowance_ends_at_ms").is_some_and(Value::is_u64)
}

/// The digest of what a call does: its tools and arguments in Pintle's words, the directory that it is in, and what the
/// host works out of it, so that a script that has changed or a link that leads elsewhere makes it another call. Arguments
/// that say only something about the call, or how long it may take, are left out: an agent that repeats a call changes
/// them.
#[must_use]
pub fn call_digest(payload: &Payload) -> String {
    let part = |part: &CanonicalCall| {
        let mut args = part.args.clone();
        if let Some(fields) = args.as_object_mut().filter(|_| part.kind == ToolKind::Shell) {
            fields.retain(|name, _| !NOTES_OF_CALLS.contains(&name.as_str()));
        }
        json!([part.name, args])
    };
    let text = |name: &str| payload.field(name).and_then(Value::as_str).unwrap_or_default();
    let parts: Vec<Value> = calls_of(payload).iter().map(part).collect();
    let found = ["operations", "code_files"].map(|name| payload.field(name));
    Payload::new(json!([parts, text("cwd"), native_name(payload), found])).digest()
}

/// Arguments of a command that do not change what it does.
const NOTES_OF_CALLS: [&str; 4] = ["description", "timeout", "timeout_ms", "justification"];

/// The caller's own name of the tool, also in a payload in a hook's words.
fn native_name(payload: &Payload) -> &str {
    let native = payload.field("native").and_then(|native| native.get("name"));
    native.or_else(|| payload.field("name")).and_then(Value::as_str).unwrap_or_default()
}

/// The directories that the paths of a call refer to.
struct CallBase<'p> {
    cwd: &'p Path,
    project: &'p Path,
}

impl<'p> CallBase<'p> {
    fn new(payload: &'p Payload, origin_cwd: &'p str) -> Self {
        let text = |name: &str| payload.field(name).and_then(Value::as_str);
        let cwd = text("cwd").unwrap_or(origin_cwd);
        Self { cwd: Path::new(cwd), project: Path::new(text("project").unwrap_or(cwd)) }
    }
}

/// The event with what its hooks read of the call, if a change of the call removed it. A matcher makes no effect requests, so
/// it sees what the changed call itself says: `call` is absent.
pub(crate) fn with_worked_out<'e>(event: &'e Event, reads: CallReads, call: Option<&HookCall<'e>>) -> Cow<'e, Event> {
    let lacks = |name: &str| event.payload.field(name).is_none();
    let wanted = [(reads.paths, "paths"), (reads.operations, "operations"), (reads.commands, "commands")];
    if !wanted.iter().any(|(is_read, name)| *is_read && lacks(name)) {
        return Cow::Borrowed(event);
    }
    let view = if call.is_some() { "worked_out" } else { "matched" };
    let cached = event.payload.cached_view(view, |value| {
        let mut fields = value.clone();
        if let Value::Object(fields) = &mut fields {
            let base = CallBase::new(&event.payload, &event.origin.cwd);
            let resolver = PathResolver {
                project: base.project.to_owned(),
                resolve: pintle_files::resolve_links,
                reads: EventCallReads::default(),
            };
            let paths = resolver.paths_of(calls_of(&event.payload), base.cwd);
            let (operations, commands) = match call {
                Some(call) => (operations_in_call(call), commands_in_call(call)),
                None => {
                    let effects = || work_out(event, "matched_effects", || None);
                    (
                        recorded_operations(event).unwrap_or_else(|| &effects().operations),
                        recorded_commands(event).unwrap_or_else(|| &effects().commands),
                    )
                }
            };
            let worked_out = [
                ("paths", serde_json::to_value(paths)),
                ("operations", serde_json::to_value(operations)),
                ("commands", serde_json::to_value(commands)),
            ];
            for (name, value) in worked_out {
                if let (false, Ok(value)) = (fields.contains_key(name), value) {
                    fields.insert(name.to_owned(), value);
                }
            }
        }
        Payload::new(fields)
    });
    Cow::Owned(event.with_payload(cached.clone()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pintle_contract::{EventKind, OperationKind, OperationTag, Origin};
    use serde_json::json;

    use super::*;

    fn operations(vocabulary: &str, name: &str, command: &str) -> Vec<OperationKind> {
        let payload = json!({"vocabulary": vocabulary, "name": name, "args": {"command": command}, "cwd": "/p"});
        let event = Event::new(EventKind::ToolPre, payload, Arc::new(Origin::default()));
        operations_of(&event).iter().map(|operation| operation.kind).collect()
    }

    #[test]
    fn searches_of_every_agent_read_what_they_select() {
        let reads_secret = |vocabulary: &str, name: &str, args: Value| {
            let payload = json!({"vocabulary": vocabulary, "name": name, "args": args, "cwd": "/p"});
            let event = Event::new(EventKind::ToolPre, payload, Arc::new(Origin::default()));
            operations_of(&event).iter().any(|operation| operation.has(OperationTag::Secret))
        };
        let rows = [
            ("claude", "Grep", json!({"pattern": ".", "glob": ".env", "output_mode": "content"})),
            ("codex", "grep_files", json!({"pattern": ".", "include": ".env"})),
            ("gemini", "grep_search", json!({"pattern": ".", "include": ".env"})),
            ("gemini", "search_file_content", json!({"pattern": ".", "dir_path": "/p/.ssh"})),
            ("gemini", "read_many_files", json!({"include": ["**/.env"]})),
            ("qwen", "grep_search", json!({"pattern": ".", "glob": ".env"})),
            ("copilot", "grep", json!({"pattern": ".", "glob": ".env"})),
            ("copilot", "grep", json!({"pattern": ".", "paths": [".env"]})),
            ("cursor", "Grep", json!({"pattern": ".", "glob": ".env*"})),
            ("cline", "search_files", json!({"regex": ".", "path": ".", "file_pattern": ".env"})),
            ("opencode", "grep", json!({"pattern": ".", "include": "*.{ts,env}"})),
        ];
        for (vocabulary, name, args) in rows {
            assert!(reads_secret(vocabulary, name, args.clone()), "{vocabulary} {name} {args}");
        }
        assert!(!reads_secret("claude", "Grep", json!({"pattern": "NOTE", "glob": "*.ts"})));
        assert!(!reads_secret("claude", "Glob", json!({"pattern": "**/.env"})));
    }

    #[test]
    fn a_second_shell_is_read_in_its_own_language() {
        let line = "Remove-Item -Recurse -Force ./build";
        assert_eq!(operations("claude", "PowerShell", line), [OperationKind::Delete]);
        assert_eq!(operations("copilot", "powershell", line), [OperationKind::Delete]);
        assert_eq!(operations("claude", "Bash", "rm -rf build"), [OperationKind::Delete]);
    }
}
