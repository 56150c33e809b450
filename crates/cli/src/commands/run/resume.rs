//! How to resume a session with `--resume`, and what its tape keeps for that.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_agent::{SessionStatus, SessionSummary, TapeOverview};
use pintle_host::contract::{EnforcementMode, PermissionMode};
use pintle_host::files;
use pintle_host::loader::{BegunSessions, find_team_file, state_dir};
use pintle_host::tape::record::{HookScope, HooksRecord};
use pintle_host::tape::show::single_line;
use pintle_host::tape::verify::verify_file;
use pintle_host::tape::{HeaderRecord, HostRecord, LoadedHook, RecordBody, Tape, TapeError, TapeSource};
use pintle_host::{Chain, Clock, Layer, LoadedRuntime, SystemClock};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::args::RunArgs;
use super::target::{self, AGENT_FILE, RunTarget};
use crate::error::CliError;
use crate::options::{MOST_AT_ONCE, ProvisionalTape, compile_own_chains, current_dir, find_tape, session_names};

/// What is needed to resume a session, as its tape keeps it: what the user named, with absolute paths.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SessionSetup {
    /// The agent's directory or file.
    pub(super) agent: PathBuf,
    /// The agent of a team that it started with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) member: Option<String>,
    /// The model, if one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    /// The directory that the agent works in.
    pub(super) workspace: PathBuf,
    /// Further hooks that it runs under.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) hooks: Vec<PathBuf>,
    /// The permission mode, if one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_mode: Option<String>,
    /// The persona whose steps it runs. Applies to this run alone: steps cannot be continued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) persona: Option<String>,
    /// The fixed response to approval requests, `yes` or `no`, if the command line set one. Applies to this run alone:
    /// to resume with it, it must be set again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<String>,
}

impl SessionSetup {
    /// Returns the setup of this run.
    pub(super) fn new(run: &RunArgs, source: &Path, workspace: &Path, mode: Option<PermissionMode>) -> Self {
        Self {
            agent: to_absolute(source),
            member: run.agent.agent.clone(),
            model: run.model.as_deref().map(to_absolute_model),
            workspace: to_absolute(workspace),
            hooks: run.hooks.iter().map(|path| to_absolute(path)).collect(),
            permission_mode: mode.map(|mode| String::from(crate::options::mode_name(mode))),
            persona: run.role.persona.clone(),
            answer: run.asks.fixed_answer().map(str::to_owned),
        }
    }

    /// Serializes the setup for the tape.
    pub(super) fn to_value(&self) -> Value {
        // Paths that are not UTF-8 cannot be serialized, and cannot be resumed from.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// A session and its tape.
pub(super) struct StartedSession {
    pub(super) tape: ProvisionalTape,
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) started_ms: u64,
    /// The tape of a resumed session and what it says about the session.
    pub(super) resumed_from: Option<(TapeSource, ResumedFrom)>,
}

/// A resumed session.
pub(super) struct ResumedFrom {
    pub(super) history: SessionSummary,
    /// The value by which `--resume` finds it: its tape may have another name than the session.
    pub(super) resume_key: String,
    /// The persona whose steps it ran.
    pub(super) persona: Option<String>,
    /// Whether it was started on this machine.
    pub(super) is_begun_here: bool,
}

impl StartedSession {
    /// Starts a session with a new tape.
    pub(super) fn start(run: &mut RunArgs, target: &RunTarget, clock: Arc<SystemClock>) -> Result<Self, CliError> {
        let started_ms = clock.unix_ms();
        let named = run.tape.take();
        let mut names = session_names(started_ms).peekable();
        while let Some(name) = names.next() {
            let path = match &named {
                Some(path) => path.clone(),
                None => target::default_tape_path(&target.working_dir, &name)?,
            };
            let header = HeaderRecord::new(&name, started_ms).with_shadow(run.shadow);
            match ProvisionalTape::begin_durable(Some(path.clone()), header, clock.clone(), run.durability) {
                Err(_) if named.is_none() && path.exists() && names.peek().is_some() => {}
                tape => return Ok(Self { tape: tape?, path, name, started_ms, resumed_from: None }),
            }
        }
        Err(CliError::failure(format!(
            "cannot name the session: more than {MOST_AT_ONCE} sessions started in the same millisecond"
        )))
    }

    /// Opens the named tape, and adds to the command line what it does not name itself.
    pub(super) fn resume(named: &str, run: &mut RunArgs, clock: Arc<SystemClock>) -> Result<Self, CliError> {
        // The agent is known, so the first argument is the prompt unless it is clearly an agent.
        if let Some(words) = run.path.take_if(|path| !is_agent_path(path)) {
            run.prompt.insert(0, words.to_string_lossy().into_owned());
        }
        let home = match &run.path {
            Some(path) if path.is_dir() && find_team_file(path).is_none() => path.clone(),
            Some(path) if path.file_name().is_some_and(|name| name == AGENT_FILE) => parent_dir(path),
            _ => PathBuf::from("."),
        };
        // Without an agent, also those whose agent was run from here.
        let begun = BegunSessions::from_state_dir(state_dir().as_deref());
        let others = if run.path.is_none() { begun.agents_run_from(&current_dir()) } else { Vec::new() };
        let homes: Vec<PathBuf> = std::iter::once(home).chain(others).collect();
        let found = find_tape(named, &homes)?;
        let cannot = |error: TapeError| match error {
            TapeError::Line { .. } => CliError::invalid_input(format!("cannot resume session `{}`: {error}", found.id))
                .help(format!("`pintle tape verify {}` shows how much of it is valid", found.path.display())),
            TapeError::Empty | TapeError::Torn { .. } | TapeError::NoHeader | TapeError::Format { .. } => {
                CliError::invalid_input(format!("cannot resume session `{}`: {error}", found.id))
            }
            TapeError::Open { .. } => CliError::invalid_input(error),
            fault => CliError::failure(fault),
        };
        let report = verify_file(&found.path).map_err(cannot)?;
        if let Some(finding) = report.findings.first() {
            let what = format!("cannot resume session `{}`: its tape was modified: {finding}", found.id);
            let help =
                format!("`pintle tape verify {}` shows every finding; start a new session", found.path.display());
            return Err(CliError::failure(single_line(&what, 1_000)).help(help));
        }
        let tape = Tape::append_to(&found.path, clock).map_err(cannot)?.with_durability(run.durability);
        let overview = TapeOverview::from_tape(&TapeSource::from(found.path.clone())).map_err(cannot)?;
        let shadow = overview.header.as_ref().is_some_and(|header| header.shadow);
        // Later records are those of this run.
        let reading = TapeSource::File { path: found.path.clone(), record_count: Some(overview.record_count) };
        let Some(past) = overview.summary else {
            let error = CliError::invalid_input(format!("cannot resume `{}`: its tape contains no session", found.id));
            return Err(error.help("it was interrupted before it started: start a new session"));
        };
        let opened: SessionSetup = serde_json::from_value(past.reopen_data.clone()).unwrap_or_default();
        let named = if found.path == Path::new(named) { named.to_owned() } else { found.id };
        let is_known = begun.contains(&setup_facts(&past.session, &opened));
        if !is_known {
            run.require_named_facts(&opened, &named, shadow)?;
        }
        run.adopt_setup(&opened, &named, shadow, is_known)?;
        let (name, started_ms) = (past.session.clone(), past.began_ms);
        let is_open = past.state != SessionStatus::Ended;
        let before = Some((
            reading,
            ResumedFrom { history: past, resume_key: named, persona: opened.persona, is_begun_here: is_known },
        ));
        Ok(Self {
            tape: ProvisionalTape::from_existing(tape, is_open),
            path: found.path,
            name,
            started_ms,
            resumed_from: before,
        })
    }
}

impl RunArgs {
    /// Refuses a tape that was not started on this machine while it names what the command line does not: it may have
    /// been written to trick the user into opening it.
    fn require_named_facts(&self, setup: &SessionSetup, session: &str, shadow: bool) -> Result<(), CliError> {
        let mut missing: Vec<String> = Vec::new();
        let here = to_absolute(Path::new("."));
        let is_here =
            setup.agent == here || find_team_file(&here).is_some_and(|file| to_absolute(&file) == setup.agent);
        if self.path.is_none() && !is_here {
            missing.push(format!("the agent `{}`", setup.agent.display()));
        }
        let folders = [here, self.path.as_deref().map(to_absolute).unwrap_or_default()];
        let workspace = &setup.workspace;
        if self.workspace.is_none() && !workspace.as_os_str().is_empty() && !folders.contains(workspace) {
            missing.push(format!("`--workspace {}`", workspace.display()));
        }
        for path in setup.hooks.iter().filter(|path| !self.hooks.iter().any(|known| to_absolute(known) == **path)) {
            missing.push(format!("`--hooks {}`", path.display()));
        }
        missing.extend(setup.model.as_ref().filter(|_| self.model.is_none()).map(|model| format!("`--model {model}`")));
        let mode = setup.permission_mode.as_ref().filter(|_| self.rules.mode().is_none());
        missing.extend(mode.map(|mode| format!("`--permission-mode {mode}`")));
        missing.extend((shadow && !self.shadow).then(|| String::from("`--shadow`")));
        if missing.is_empty() {
            return Ok(());
        }
        let what = format!(
            "session `{session}` was not started on this machine, so its tape is not trusted; it names {}",
            missing.join(", ")
        );
        let help = "to allow that, name it on the command line, too, as in `pintle run AGENT --resume TAPE`";
        Err(CliError::invalid_input(single_line(&what, 2_000)).help(help))
    }

    /// Adopts the setup of the session where the command line names nothing else.
    fn adopt_setup(
        &mut self,
        setup: &SessionSetup,
        session: &str,
        shadow: bool,
        is_known: bool,
    ) -> Result<(), CliError> {
        if self.shadow && !shadow {
            let error = CliError::invalid_input(format!(
                "session `{session}` enforces its hooks and cannot be resumed with `--shadow`"
            ));
            return Err(error.help("remove `--shadow`, or start a new session"));
        }
        // What the tape names applies only if the user named it when the session started.
        if !is_known {
            self.shadow = shadow;
            self.agent.agent = self.agent.agent.take().or_else(|| setup.member.clone());
            return Ok(());
        }
        if self.path.is_none() {
            if setup.agent.as_os_str().is_empty() {
                let error = CliError::invalid_input(format!("the tape does not name the agent of session `{session}`"));
                return Err(error.help(format!("name it: `pintle run AGENT --resume {session}`")));
            }
            if !setup.agent.exists() {
                let agent = setup.agent.display();
                let error = CliError::invalid_input(format!(
                    "the agent of session `{session}` is gone: `{agent}` does not exist"
                ));
                return Err(error.help(format!("name another one: `pintle run AGENT --resume {session}`")));
            }
            self.path = Some(setup.agent.clone());
        }
        if self.workspace.is_none() && !setup.workspace.as_os_str().is_empty() {
            if !setup.workspace.is_dir() {
                let dir = setup.workspace.display();
                let error = CliError::invalid_input(format!(
                    "the workspace of session `{session}` is gone: `{dir}` does not exist"
                ));
                return Err(error.help("name another one with `--workspace DIR`"));
            }
            self.workspace = Some(setup.workspace.clone());
        }
        self.shadow = shadow;
        self.agent.agent = self.agent.agent.take().or_else(|| setup.member.clone());
        self.model = self.model.take().or_else(|| setup.model.clone());
        // Hooks that a session ran under are kept: without one, what was denied before could pass.
        let more = setup.hooks.iter().filter(|path| !self.hooks.iter().any(|known| to_absolute(known) == **path));
        self.hooks = more.cloned().chain(self.hooks.iter().cloned()).collect();
        let mode = setup.permission_mode.as_deref().and_then(|word| crate::options::parse_mode(word).ok());
        self.rules = self.rules.with_default_mode(mode);
        Ok(())
    }
}

/// Returns what identifies a session as started on this machine: its name, and what the user named for it.
pub(super) fn setup_facts(session: &str, setup: &SessionSetup) -> String {
    format!("{session}\n{}", setup.to_value())
}

/// Refuses to resume if a guard of the session changed or is gone.
pub(super) fn require_same_guards(tape: &TapeSource, built: &LoadedRuntime, session: &str) -> Result<(), CliError> {
    let members = built.team.iter().flat_map(|team| &team.agents).flat_map(|agent| compile_own_chains(built, agent));
    let set = built.runtime.hooks();
    let chains: Vec<Chain> = set.chains().iter().cloned().chain(members).collect();
    let entries = |chain: &Chain| chain.hooks.iter().map(|hook| LoadedHook::new(0, 0, chain, hook)).collect::<Vec<_>>();
    let now: Vec<LoadedHook> = chains.iter().flat_map(entries).collect();
    let guards = recorded_guards(tape).map_err(CliError::failure)?;
    let changed: Vec<String> = guards.iter().filter_map(|guard| guard_difference(guard, &now)).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let what = format!("cannot resume session `{session}`: {}", changed.join("; "));
    let help = "restore them, or accept this with `--accept-changed-hooks`; a new session uses the current hooks";
    Err(CliError::invalid_input(single_line(&what, 2_000)).help(help))
}

/// Returns the guards that the session ran under last, as its tape lists them. Those that were registered while it ran
/// are left out, because they are registered again.
fn recorded_guards(tape: &TapeSource) -> Result<Vec<LoadedHook>, TapeError> {
    // Hooks that were loaded for a refused resume were never in use: the last session that began decides.
    let (mut begun, mut loaded): (usize, Vec<HooksRecord>) = (0, Vec::new());
    tape.visit(&mut |record, _| match record.body {
        RecordBody::Hooks(hooks) => loaded.push(hooks),
        RecordBody::Host(HostRecord::Session(_) | HostRecord::Resumed(_)) => begun = loaded.len(),
        _ => {}
    })?;
    let is_of_all = |loaded: &HooksRecord| {
        loaded.scope == HookScope::Runtime && loaded.hooks.iter().all(|hook| hook.layer != Layer::Runtime)
    };
    let last = loaded.iter().take(begun).rposition(is_of_all);
    let of_agents =
        loaded.iter().skip(last.map_or(0, |last| last + 1)).filter(|loaded| loaded.scope == HookScope::Agent);
    let all = last.and_then(|last| loaded.get(last)).into_iter().chain(of_agents).flat_map(|loaded| &loaded.hooks);
    let guards = all.filter(|hook| hook.guard && hook.mode == EnforcementMode::Enforce && hook.layer != Layer::Runtime);
    Ok(guards.cloned().collect())
}

/// Describes how a guard differs from the current hooks; `None` if it is unchanged.
fn guard_difference(guard: &LoadedHook, now: &[LoadedHook]) -> Option<String> {
    let name = || format!("guard `{}` of `{}`", guard.id, guard.event);
    let named = || now.iter().filter(|hook| hook.id == guard.id && hook.event == guard.event);
    if named().next().is_none() {
        let place = guard.path.as_ref().map(|path| format!(" (it was in `{path}`)")).unwrap_or_default();
        return Some(format!("{} is gone{place}", name()));
    }
    let is_same = |hook: &LoadedHook| {
        hook.digest == guard.digest
            && hook.guard
            && hook.mode == EnforcementMode::Enforce
            && hook.on_failure == guard.on_failure
    };
    (!named().any(is_same)).then(|| format!("{} changed", name()))
}

fn is_agent_path(path: &Path) -> bool {
    let is_file = path.file_name().is_some_and(|name| name == AGENT_FILE) && path.is_file();
    is_file || path.join(AGENT_FILE).is_file() || find_team_file(path).is_some()
}

fn parent_dir(file: &Path) -> PathBuf {
    file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// Returns an absolute path, canonical if it exists.
fn to_absolute(path: &Path) -> PathBuf {
    files::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// Returns a typed model with absolute paths of scripts.
fn to_absolute_model(typed: &str) -> String {
    let part = |part: &str| {
        let (name, model) = part.split_once('=').map_or(("", part), |(name, model)| (name, model));
        let Some(script) = model.trim().strip_prefix("script:") else { return part.to_owned() };
        let path = to_absolute(Path::new(script));
        let name = if name.is_empty() { String::new() } else { format!("{name}=") };
        format!("{name}script:{}", path.display())
    };
    typed.split(',').map(part).collect::<Vec<_>>().join(",")
}
