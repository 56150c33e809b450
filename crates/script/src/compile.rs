//! From text to a script.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::{Builder, scope};

use pintle_contract::{Diagnostic, ScriptSource};
use serde::{Deserialize, Serialize};

use crate::analysis;
use crate::finding::ScriptFinding;
use crate::load::{self, Script};
use crate::source::PreparedSource;

/// The stack of the thread that parses. The parser is recursive; what it may be given is bounded by the preparation of
/// the source, and this is several times what that takes. Only touched pages cost memory.
const PARSER_STACK_BYTES: usize = 64 << 20;

thread_local! {
    /// Whether this thread is one that was made to have room for the parser.
    static HAS_ROOM: Cell<bool> = const { Cell::new(false) };
}

/// What a script is for, which says what its entry point is and what it may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScriptKind {
    /// A hook: `handle(event, payload)`.
    Hook,
    /// A tool: `run(args)`.
    Tool,
    /// A verification: `run(result)`.
    Verify,
    /// A plugin: its top level registers functions, each of which takes the event. It has no entry point.
    Plugin,
}

impl ScriptKind {
    /// The name of the function that is called; empty for plugins.
    #[must_use]
    pub fn entry_point(self) -> &'static str {
        match self {
            Self::Hook => "handle",
            Self::Tool | Self::Verify => "run",
            Self::Plugin => "",
        }
    }

    /// The parameters of that function.
    #[must_use]
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Hook => &["event", "payload"],
            Self::Tool => &["args"],
            Self::Verify => &["result"],
            Self::Plugin => &["event"],
        }
    }

    pub(crate) fn noun_phrase(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Tool => "tool",
            Self::Verify => "verify",
            Self::Plugin => "plugin",
        }
    }
}

/// Where a script may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptPlacement {
    /// Its cost is bounded by its input: in this process.
    InProcess,
    /// It is not: in a worker process, which may die. Such a script is not even loaded here, because loading evaluates.
    Worker,
}

/// What a script may decide, as far as its text tells; what it does not tell counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScriptPowers {
    /// Whether it can deny or ask; see [`Hook::guard`](pintle_contract::Hook::guard).
    pub can_deny: bool,
    /// Whether it can rewrite what the event is about.
    pub can_rewrite: bool,
}

impl ScriptPowers {
    /// Those of a script that may decide anything.
    pub(crate) const ALL: Self = Self { can_deny: true, can_rewrite: true };

    pub(crate) fn union(self, other: Self) -> Self {
        Self { can_deny: self.can_deny || other.can_deny, can_rewrite: self.can_rewrite || other.can_rewrite }
    }
}

/// The outcome of [`compile`].
#[derive(Debug)]
pub struct CompiledScript {
    /// The script; absent when there is an error, and when it may only run in a worker.
    pub script: Option<Arc<Script>>,
    /// What was found, at the places in the script's file.
    pub diagnostics: Vec<Diagnostic>,
    /// Where it may run.
    pub placement: ScriptPlacement,
    /// What the script may decide.
    pub powers: ScriptPowers,
    /// The findings behind `diagnostics`, which can be sent between processes.
    pub findings: Vec<ScriptFinding>,
}

/// Compiles a script: parses and checks it, decides where it may run, and loads it when that is here.
///
/// Never panics and never runs code whose cost is not bounded.
#[must_use]
pub fn compile(name: &str, text: &ScriptSource, role: ScriptKind) -> CompiledScript {
    try_on_large_stack(|| compile_at(name, text, role, false)).unwrap_or_else(|| interpreter_crash(name, text))
}

/// Compiles a script and loads it wherever it should run. For worker processes, which may die of it; the caller's
/// thread must have a large stack.
#[must_use]
pub fn compile_unbounded(name: &str, text: &ScriptSource, role: ScriptKind) -> CompiledScript {
    catch_unwind(AssertUnwindSafe(|| compile_at(name, text, role, true)))
        .unwrap_or_else(|_| interpreter_crash(name, text))
}

/// Runs work that compiles many scripts where the parser has room for all of them, so that there is one thread for the
/// work and not one for each script. The work must not recurse deeply itself. Where no thread can be had it runs on this
/// one, and each script sees for itself.
pub fn with_compiler_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if HAS_ROOM.get() {
        return work();
    }
    let mut left = Some(work);
    let ran = try_on_new_thread(|| left.take().map(|work| work()));
    match (ran, left) {
        (Some(Ok(Some(done))), _) => done,
        (Some(Err(panic)), _) => resume_unwind(panic),
        (_, Some(work)) => work(),
        (_, None) => resume_unwind(Box::new("a thread began the work and did not end it")),
    }
}

/// Runs a compilation where the recursive parser has room: on this thread when [`with_compiler_stack`] made it, else on one of its
/// own. `None` when it panicked or no thread can be had.
pub(crate) fn try_on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    if HAS_ROOM.get() {
        return catch_unwind(AssertUnwindSafe(work)).ok();
    }
    try_on_new_thread(work)?.ok()
}

/// Runs work on a thread of its own that has room. `None` when there is none to be had; an error is what it panicked with.
fn try_on_new_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Option<std::thread::Result<T>> {
    scope(|scope| {
        let roomy = || {
            HAS_ROOM.set(true);
            work()
        };
        let thread = Builder::new().name(String::from("script loader")).stack_size(PARSER_STACK_BYTES);
        Some(thread.spawn_scoped(scope, roomy).ok()?.join())
    })
}

/// The outcome when the interpreter crashed instead of giving one.
fn interpreter_crash(name: &str, text: &ScriptSource) -> CompiledScript {
    let (source, _) = PreparedSource::new(name, text);
    CompiledScript::from_findings(
        &source,
        ScriptPlacement::Worker,
        ScriptPowers::ALL,
        vec![ScriptFinding::interpreter_crash()],
        None,
    )
}

impl CompiledScript {
    pub(crate) fn from_findings(
        source: &PreparedSource,
        placement: ScriptPlacement,
        powers: ScriptPowers,
        findings: Vec<ScriptFinding>,
        script: Option<Arc<Script>>,
    ) -> Self {
        let diagnostics = findings.iter().map(|finding| finding.locate(source)).collect();
        Self { script, diagnostics, placement, powers, findings }
    }
}

fn compile_at(name: &str, text: &ScriptSource, role: ScriptKind, anywhere: bool) -> CompiledScript {
    let (source, refusal) = PreparedSource::new(name, text);
    if let Some(refusal) = refusal {
        return CompiledScript::from_findings(&source, ScriptPlacement::Worker, ScriptPowers::ALL, vec![refusal], None);
    }
    let ast = match load::parse(&source, role) {
        Ok(ast) => ast,
        Err(finding) => {
            return CompiledScript::from_findings(
                &source,
                ScriptPlacement::Worker,
                ScriptPowers::ALL,
                vec![finding],
                None,
            );
        }
    };
    let analysis = analysis::analyse(&source, &ast, role);
    let mut findings = analysis.findings;
    let failed = findings.iter().any(|finding| finding.severity == pintle_contract::Severity::Error);
    if failed || (analysis.placement == ScriptPlacement::Worker && !anywhere) {
        return CompiledScript::from_findings(&source, analysis.placement, analysis.powers, findings, None);
    }
    match load::evaluate(&source, ast, role, role.entry_point()) {
        Ok(entry) => {
            let diagnostics = findings.iter().map(|finding| finding.locate(&source)).collect();
            CompiledScript {
                script: Some(Arc::new(Script {
                    source,
                    kind: role,
                    reads: analysis.reads,
                    entry,
                    may_wait: analysis.may_wait,
                    demand: analysis.demand,
                })),
                diagnostics,
                placement: analysis.placement,
                powers: analysis.powers,
                findings,
            }
        }
        Err(finding) => {
            findings.push(finding);
            CompiledScript::from_findings(&source, analysis.placement, analysis.powers, findings, None)
        }
    }
}
