//! What a tool call would do.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use pintle_contract::event::CallFacts;
use pintle_contract::{CallReads, Event, EventCallReads, EventKind, HookCall, Operation, Payload, ToolKind};
use pintle_shell::{CallSite, ProjectFiles, operations_of_call};
use serde_json::Value;

use super::call::calls_of;
use super::call_paths::PathResolver;
use super::code_files::{DiskFiles, EffectFiles};
use super::vocabulary::CanonicalCall;

impl PathResolver {
    /// Adds what the hooks of an event read of a call.
    pub fn add_facts(&self, facts: &mut CallFacts, kind: EventKind, parts: &[CanonicalCall]) {
        let reads = self.reads.select(kind);
        if !reads.paths && !reads.operations {
            return;
        }
        let cwd = Path::new(facts.cwd.as_deref().unwrap_or_default());
        let name = facts.names.first().map(String::as_str).unwrap_or_default();
        let paths = reads.paths.then(|| self.paths_of(parts, cwd));
        let files = DiskFiles::default();
        let work_out = || operations_of_parts(name, parts, cwd, &self.project, &self.resolve, Some(&files));
        let operations = reads.operations.then(work_out);
        facts.project = Some(self.project.display().to_string());
        (facts.paths, facts.operations, facts.code_files) = (paths, operations, files.into_files());
    }
}

/// What the parts of a call would do, in their order. Relative paths refer to `cwd`. The agent's own name of the tool says
/// in which language a command line is. `files` reads the files with code that the call runs; `None` reads none.
#[must_use]
pub fn operations_of_parts(
    native_name: &str,
    parts: &[CanonicalCall],
    cwd: &Path,
    project: &Path,
    resolve: &dyn Fn(&Path) -> PathBuf,
    files: Option<&dyn ProjectFiles>,
) -> Vec<Operation> {
    let home = pintle_files::home_dir();
    let site = CallSite::new(cwd, project).with_home(home.as_deref()).resolved_by(resolve);
    let site = CallSite { files, ..site };
    let mut all = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let name = if part.kind == ToolKind::Shell { native_name } else { &part.name };
        let done = operations_of_call(part.kind, name, &part.args, &site);
        let number = (parts.len() > 1).then_some(index + 1);
        all.extend(done.into_iter().map(|operation| Operation { part: number, ..operation }));
    }
    all
}

/// What the call of an event would do: as the host worked it out, otherwise worked out here. A call that a hook changed
/// is another call. It is done once for each payload.
#[must_use]
pub fn operations_of(event: &Event) -> &[Operation] {
    operations_read_by(event, || Some(Box::new(DiskFiles::default())), "operations")
}

/// The same for a hook that is called: what a changed call reads of files is an effect.
#[must_use]
pub fn operations_in_call<'e>(call: &HookCall<'e>) -> &'e [Operation] {
    let project = || pintle_files::resolve_links(CallBase::new(&call.event.payload, &call.event.origin.cwd).project);
    operations_read_by(call.event, || Some(Box::new(EffectFiles { call, project: project() })), "operations")
}

fn operations_read_by<'e, 'f>(
    event: &'e Event,
    files: impl FnOnce() -> Option<Box<dyn ProjectFiles + 'f>>,
    view: &'static str,
) -> &'e [Operation] {
    event.payload.cached_view(view, |value| {
        let recorded = value.get("operations").filter(|value| value.is_array());
        match recorded.and_then(|value| serde_json::from_value(value.clone()).ok()) {
            Some(operations) => operations,
            None => work_out(&event.payload, &event.origin.cwd, files().as_deref()),
        }
    })
}

/// Whether the user pauses self-protection during the call of an event, as the host says.
#[must_use]
pub fn is_paused(event: &Event) -> bool {
    event.payload.field("pause_ends_at_ms").is_some_and(Value::is_u64)
}

fn work_out(payload: &Payload, origin_cwd: &str, files: Option<&dyn ProjectFiles>) -> Vec<Operation> {
    let base = CallBase::new(payload, origin_cwd);
    let name = native_name(payload);
    operations_of_parts(name, calls_of(payload), base.cwd, base.project, &pintle_files::resolve_links, files)
}

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
    let (paths, operations) = (reads.paths && lacks("paths"), reads.operations && lacks("operations"));
    if !paths && !operations {
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
            let operations = match call {
                Some(call) => operations_in_call(call),
                None => operations_read_by(event, || None, "matched_operations"),
            };
            let worked_out = [("paths", serde_json::to_value(paths)), ("operations", serde_json::to_value(operations))];
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
