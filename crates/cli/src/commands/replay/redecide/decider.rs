//! Loads the hooks, and decides tapes again on all processors.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use jiff::Timestamp;
use parking_lot::Mutex;
use pintle_host::redecide::{self, PolicyHooks, RedecisionReport, RedecisionTask, TapeRedecision, redecide_tape};
use pintle_host::tape::TapeReader;
use pintle_host::{EventKind, Layer, LoadedRuntime, Runtime, RuntimeBuilder, WorkerProgram};

use super::example_calls::ExampleCalls;
use super::{ExampleCount, ReadTape, RedecisionResult, session_files};
use crate::error::CliError;
use crate::options::{HookPaths, UserOptions, current_dir, load_hooks, print_load_errors};
use crate::render::diagnostic;
use crate::render::progress::ProgressLine;
use crate::terminal::Terminal;

/// The stack of a thread that calls hooks, as large as that of a main thread.
const STACK_BYTES: usize = 8 << 20;

/// What the threads found together.
#[derive(Debug, Default)]
struct MergedTapes {
    report: RedecisionReport,
    endings: Vec<TapeEnding>,
}

/// How far a tape was read.
#[derive(Debug)]
struct TapeEnding {
    /// The tape, by its number.
    tape: usize,
    session: String,
    problem: Option<String>,
}

/// The hooks, as they apply to other agents and to Pintle's own.
#[derive(Debug)]
pub(super) struct HookSets {
    /// Those of an agent in the files apply to any agent.
    for_hosts: Option<LoadedRuntime>,
    /// Each agent has its own.
    for_own: Option<LoadedRuntime>,
}

impl HookSets {
    /// Loads the hooks that the tapes need. Hooks that do not load end the command: what they guard would look allowed.
    pub(super) fn load(
        named: &[PathBuf],
        user: &UserOptions,
        tapes: &[ReadTape],
        terminal: &Terminal,
    ) -> Result<Self, CliError> {
        let has_own = tapes.iter().any(|tape| tape.location.host.is_none());
        let has_hosts = tapes.iter().any(|tape| tape.location.host.is_some());
        let paths = HookPaths::from_named_paths(named.to_vec()).with_required_hooks();
        let start = || Runtime::builder().worker(WorkerProgram::current_exe()).trust(paths.trust_options());
        // Without any tape, the hooks are checked all the same.
        let for_hosts = if has_hosts || !has_own {
            let add = |builder: RuntimeBuilder, path| builder.hooks(path, Layer::Project);
            let builder = paths.paths.iter().fold(start().agent_hooks_apply_globally(), add);
            Some(load_hooks(user.add_flags(builder)?, &paths.paths, terminal)?)
        } else {
            None
        };
        let for_own = if has_own {
            let add = |builder: RuntimeBuilder, path| builder.guarded_path(path, Layer::Project);
            let builder = user.add_flags(paths.paths.iter().fold(start(), add))?;
            Some(match &for_hosts {
                // What is wrong with them was printed.
                Some(_) => builder.load(),
                None => load_hooks(builder, &paths.paths, terminal)?,
            })
        } else {
            None
        };
        if let Some(built) = for_own.as_ref().filter(|built| built.has_errors()) {
            print_load_errors(built, terminal);
            return Err(CliError::invalid_input("cannot load the hooks; nothing was decided"));
        }
        Ok(Self { for_hosts, for_own })
    }

    /// The hooks for other agents and for Pintle's own.
    fn compile(&self, terminal: &Terminal) -> Result<CompiledSets<'_>, CliError> {
        let mut sets = CompiledSets::default();
        for (built, set) in [(&self.for_hosts, &mut sets.for_hosts), (&self.for_own, &mut sets.for_own)] {
            let Some(built) = built else { continue };
            let (hooks, errors) = PolicyHooks::from_built(built);
            if !errors.is_empty() {
                errors.iter().for_each(|error| terminal.print_error_line(diagnostic::render_diagnostic(error)));
                return Err(CliError::invalid_input("cannot load the hooks of an agent; nothing was decided"));
            }
            *set = Some(hooks);
        }
        Ok(sets)
    }
}

/// The compiled hooks of [`HookSets`].
#[derive(Debug, Default)]
struct CompiledSets<'r> {
    for_hosts: Option<PolicyHooks<'r>>,
    for_own: Option<PolicyHooks<'r>>,
}

impl<'r> CompiledSets<'r> {
    fn hooks_for(&self, tape: &ReadTape) -> Option<&PolicyHooks<'r>> {
        if tape.location.host.is_some() { self.for_hosts.as_ref() } else { self.for_own.as_ref() }
    }
}

/// How tapes are decided again.
#[derive(Debug, Clone, Copy)]
pub(super) struct RedecisionOptions {
    /// Only calls from this time on count, in milliseconds since the Unix epoch.
    pub(super) since_ms: Option<u64>,
    /// The most examples of each change.
    pub(super) example_limit: usize,
    /// The number of threads; `None` for one a processor.
    pub(super) threads: Option<NonZeroUsize>,
}

/// Decides tapes again. `base` are the hooks to compare others with; `None` compares with what is recorded.
pub(super) fn redecide(
    hook_sets: &HookSets,
    base: Option<&HookSets>,
    mut tapes: Vec<ReadTape>,
    options: &RedecisionOptions,
    terminal: &Terminal,
) -> Result<RedecisionResult, CliError> {
    let RedecisionOptions { since_ms, example_limit, threads } = *options;
    let sets = hook_sets.compile(terminal)?;
    let base = base.map(|base| base.compile(terminal)).transpose()?;
    let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let progress = ProgressLine::new(terminal, "tapes");
    let merged: Mutex<MergedTapes> = Mutex::default();
    let decide = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(tape) = tapes.get(index) else { return };
            let Some(hooks) = sets.hooks_for(tape) else { continue };
            let redecision = RedecisionTask {
                base: base.as_ref().and_then(|base| base.hooks_for(tape)),
                hooks,
                tape: index,
                project: tape.location.project.as_deref(),
                since_ms,
                example_limit,
            };
            let (report, session, problem) = match tape.client {
                Some(client) => session_files::redecide_file(&tape.location.path, client, &redecision),
                None => redecide_recording(&tape.location.path, &redecision),
            };
            {
                let mut merged = merged.lock();
                merged.report.merge(report, example_limit);
                merged.endings.push(TapeEnding { tape: index, session, problem });
            }
            progress.show(done.fetch_add(1, Ordering::Relaxed) + 1, tapes.len());
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads.min(tapes.len()) {
            let spawned = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, decide);
            // Without more threads, this one does all of it.
            if spawned.is_err() {
                decide();
            }
        }
    });
    progress.clear();
    let MergedTapes { report, endings } = merged.into_inner();
    for TapeEnding { tape, session, problem } in endings {
        if let Some(tape) = tapes.get_mut(tape) {
            (tape.session, tape.problem) = (session, problem);
        }
    }
    let all = [Some(&sets), base.as_ref()].into_iter().flatten();
    let heard = all.flat_map(|sets| [&sets.for_hosts, &sets.for_own]).flatten().flat_map(PolicyHooks::heard_events);
    let unheard_events = unheard_events(heard, &report);
    Ok(RedecisionResult { report, tapes, unheard_events, examples: None })
}

/// Compares two sets of hooks on the calls of their examples.
pub(super) fn decide_examples(
    (base, base_paths): (&HookSets, &[PathBuf]),
    (sets, paths): (&HookSets, &[PathBuf]),
    options: &RedecisionOptions,
    terminal: &Terminal,
) -> Result<RedecisionResult, CliError> {
    let loaded = [(base_paths, &base.for_hosts), (paths, &sets.for_hosts)];
    let loaded = loaded.into_iter().filter_map(|(paths, built)| Some((paths, built.as_ref()?)));
    let ExampleCalls { events, written, left_out } = ExampleCalls::collect(&loaded.collect::<Vec<_>>());
    let (base, sets) = (base.compile(terminal)?, sets.compile(terminal)?);
    let examples = ExampleCount { written, derived: events.len() - written, left_out };
    let here = current_dir();
    let report = sets.for_hosts.as_ref().map(|hooks| {
        let task = RedecisionTask {
            base: base.for_hosts.as_ref(),
            hooks,
            tape: 0,
            project: Some(&here),
            since_ms: None,
            example_limit: options.example_limit,
        };
        redecide::decide_examples(events, u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default(), &task)
    });
    let report = report.unwrap_or_default();
    let heard = [&base, &sets].into_iter().filter_map(|sets| sets.for_hosts.as_ref());
    let unheard_events = unheard_events(heard.flat_map(PolicyHooks::heard_events), &report);
    Ok(RedecisionResult { report, tapes: Vec::new(), unheard_events, examples: Some(examples) })
}

/// The events that hooks listen to and about which nothing was decided.
fn unheard_events<'e>(event_names: impl Iterator<Item = &'e str>, report: &RedecisionReport) -> Vec<String> {
    let has_calls = report.seen_events.contains(EventKind::ToolPre.name());
    // What is decided about a call before `tool.pre` is decided from its record.
    let is_of_call = |event: &str| {
        has_calls && [EventKind::ToolTransform, EventKind::ToolGuard].iter().any(|kind| kind.name() == event)
    };
    let unheard = event_names.filter(|event| !report.seen_events.contains(*event) && !is_of_call(event));
    let mut unheard_events: Vec<String> = unheard.map(str::to_owned).collect();
    unheard_events.sort();
    unheard_events.dedup();
    unheard_events
}

/// Decides about a tape. Returns its session and why it was not read whole, too.
fn redecide_recording(path: &Path, task: &RedecisionTask<'_>) -> (RedecisionReport, String, Option<String>) {
    match TapeReader::open(path) {
        Err(error) => (RedecisionReport::default(), String::new(), Some(error.to_string())),
        Ok(reader) => {
            let TapeRedecision { report, session, error, torn } = redecide_tape(reader, task);
            let torn = || torn.map(|torn| torn.to_string());
            (report, session, error.map(|error| error.to_string()).or_else(torn))
        }
    }
}
