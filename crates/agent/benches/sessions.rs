//! The memory of many idle sessions in one program, which share their hooks, with and without a tape for each.

#![expect(clippy::print_stdout, reason = "a bench prints its rows")]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use pintle_agent::Session;
use pintle_agent::model::{Model, ScriptModel};
use pintle_host::contract::{AgentSpec, TeamSpec};
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{Layer, Runtime, SystemClock};
use pintle_testkit::bench::print_figure;

/// The number of sessions of each kind.
const SESSIONS: usize = 10_000;
/// The memory that they may take, without and with tapes.
const MOST_MB: [f64; 2] = [100.0, 200.0];

const AGENT: &str = "agents:
  root:
    model: openai/m
    description: helps
    instruction: You help the user with the files of a project.
    toolsets: [{type: think}, {type: todo}, {type: filesystem}]
    hooks:
      pre_tool_use: [{matcher: shell, hooks: [{name: guard, type: command, command: 'exit 2'}]}]
      stop: [{name: note, type: command, command: 'true'}]
permissions:
  allow: [think]
  deny: ['shell:cmd=rm *']
";

/// What all sessions are opened with.
struct SessionPlan<'a> {
    folder: &'a Path,
    runtime: Arc<Runtime>,
    spec: Arc<AgentSpec>,
    team: TeamSpec,
    model: Arc<dyn Model>,
}

impl SessionPlan<'_> {
    /// Opens a session that is idle after one turn.
    fn open(&self, number: usize, is_taped: bool) -> Result<Session, Box<dyn Error>> {
        let name = format!("session-{number}");
        let mut runtime = Arc::clone(&self.runtime);
        let mut tape = None;
        if is_taped {
            let path = self.folder.join(format!("tapes/{name}.jsonl"));
            let created = Tape::create(path, HeaderRecord::new(&name, 0), Arc::new(SystemClock::default()))?;
            let created = Arc::new(created);
            runtime = runtime.with_tape(Arc::clone(&created));
            tape = Some(created);
        }
        let builder =
            Session::builder(runtime, Arc::clone(&self.spec), Arc::clone(&self.model)).team(self.team.clone());
        let mut session = builder.workspace(self.folder).name(name).build()?;
        session.start()?;
        if let Some(tape) = tape {
            tape.release_file();
        }
        Ok(session)
    }
}

/// The memory of the process in KB, and its open files; zeros where the system does not tell.
fn usage() -> (f64, usize) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
    (size.unwrap_or(0.0), std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count))
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("agent.yaml");
    std::fs::write(&path, AGENT)?;
    let loaded = Runtime::builder().path(&path, Layer::Project).load();
    let team = loaded.team.ok_or("no team")?;
    let spec = team.agents.first().ok_or("no agent")?.clone();
    let model = Arc::new(ScriptModel::parse("script", "turns: [{say: Hello.}]")?);
    let plan = SessionPlan { folder: folder.path(), runtime: loaded.runtime, spec, team, model };
    let mut held = true;
    let mut kept = Vec::new();
    let figures = ["MB of idle sessions", "MB of idle sessions with a tape"];
    for ((is_taped, most_mb), figure) in [false, true].into_iter().zip(MOST_MB).zip(figures) {
        // What the first one opens is shared.
        kept.push(plan.open(kept.len(), is_taped)?);
        let before = usage();
        for _ in 0..SESSIONS {
            kept.push(plan.open(kept.len(), is_taped)?);
        }
        let after = usage();
        let (size_mb, files) = ((after.0 - before.0) / 1024.0, after.1.saturating_sub(before.1));
        let is_held = size_mb <= most_mb && files < 10;
        held &= is_held;
        println!(
            "{} {SESSIONS} idle sessions{}: {size_mb:.0} MB ({:.1} KB each), at most {most_mb:.0} MB; {files} open files",
            if is_held { "held:" } else { "MISSED:" },
            if is_taped { " with a tape" } else { "" },
            size_mb * 1024.0 / SESSIONS as f64,
        );
        print_figure(figure, size_mb, None);
    }
    Ok(if held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
