//! `pintle hook`: other agents ask through it. The host's payload comes on standard input, and the host's own form of an
//! answer is all that ever goes out.

use std::path::PathBuf;
use std::sync::Arc;
use std::{env, iter, panic, process, thread};

use clap::{Args, Parser};
use pintle::{RuntimeBuilder, Layer, Runtime, WorkerProgram};
use pintle_agent::ModelJudge;
use pintle_bridge::{HostResponse, Deadline, HostCall, HostDef, HookLookup, HostEventDef, handle_call};

use crate::error::{CliError, CliStatus};
use crate::options::payload::read_stdin;
use crate::options::{FolderOptions, GlobalOptions, RedactionOptions, model_opener};
use crate::terminal::Terminal;

/// What a payload fits in, unless a tool's result is part of it.
const USUAL_PAYLOAD_BYTES: usize = 16 << 10;

#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// The agent that asks, such as `claude`.
    host: String,
    /// Its event, such as `PreToolUse`. What the payload says counts more; hosts whose payloads do not say need it.
    event: Option<String>,
    /// Hooks in the place of the project's: a project, a `.harness` folder or one hook file; may be repeated. To name a
    /// path is to agree to what its hooks may do. Default: the project that the agent works in.
    #[arg(long, value_name = "PATH")]
    hooks: Vec<PathBuf>,
    /// Answer at the latest after so many milliseconds. What is guarded is then denied. Default: below the time-out that
    /// `pintle install` writes.
    #[arg(long, value_name = "N")]
    deadline_ms: Option<u64>,
    /// Ask every hook and enforce nothing; the person is told what would have happened.
    #[arg(long)]
    shadow: bool,
    #[command(flatten)]
    redaction: RedactionOptions,
    #[command(flatten)]
    folders: FolderOptions,
}

/// The command alone. To put together the descriptions of all the others takes longer than many a hook.
#[derive(Debug, Parser)]
struct HookOnlyCli {
    #[command(flatten)]
    hook: HookArgs,
}

impl HookArgs {
    /// Reads the command line where it begins with this command and has nothing but its own options. Whatever else it is,
    /// mistakes included, is for the whole program to read.
    pub(crate) fn from_command_line() -> Option<Self> {
        let mut words = env::args_os();
        let program = words.next()?;
        let is_this = words.next()? == "hook";
        let alone = is_this.then(|| HookOnlyCli::try_parse_from(iter::once(program).chain(words)))?;
        Some(alone.ok()?.hook)
    }

    /// Exits itself. Status 0 and 2 mean that something was decided, in the host's terms, and nothing else does.
    pub(crate) fn execute(self, terminal: &Terminal, _global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let host = HostDef::by_name(&self.host).map_err(CliError::invalid_input)?;
        let row = self.event.as_deref().map(|event| parse_event(host, event)).transpose()?;
        // What a panic prints would be taken for a reason.
        panic::set_hook(Box::new(|_| {}));
        let deadline = Deadline::from_ms(self.deadline_ms.unwrap_or(host.deadline_ms));
        let watched = deadline.watch({
            let terminal = terminal.clone();
            move |answer| write_and_exit(&terminal, &answer)
        });
        watched.map_err(|fault| CliError::failure(format!("cannot watch the time: {fault}")))?;
        let mut payload = Vec::with_capacity(USUAL_PAYLOAD_BYTES);
        if let Err(fault) = read_stdin(&mut payload) {
            let reason = format!("cannot read standard input: {fault}");
            match row {
                Some(row) if deadline.claim_response() => write_and_exit(terminal, &host.fallback_response(row, &format!("pintle: {reason}"))),
                _ => return Err(CliError::failure(reason)),
            }
        }
        let state_directory = self.folders.state_path();
        let errand = HostCall {
            host,
            event: row,
            payload: &payload,
            state_directory: state_directory.as_deref(),
            project: host.project_variable.and_then(env::var_os).map(PathBuf::from),
            shadow: self.shadow,
            deadline: &deadline,
        };
        let answer = handle_call(&errand, |place| self.start_builder(place));
        if deadline.claim_response() {
            write_and_exit(terminal, &answer);
        }
        // Somebody else is writing the answer, and exits.
        loop {
            thread::park();
        }
    }

    fn start_builder(&self, place: &HookLookup) -> Result<RuntimeBuilder, String> {
        if let Some(missing) = self.hooks.iter().find(|path| !path.exists()) {
            return Err(format!("there is no `{}`, which --hooks names", missing.display()));
        }
        let project = if self.hooks.is_empty() { place.project.clone() } else { PathBuf::new() };
        let layers = self.folders.layers(project).map_err(|missing| format!("{missing}; {}", missing.help()))?;
        let folder = place.project.clone();
        let judge = ModelJudge::new(model_opener(folder));
        let builder = Runtime::builder()
            .worker(WorkerProgram::current_exe())
            .judge(Arc::new(judge))
            .agent_hooks_apply_globally()
            .skip_worker_probe()
            .redact_secrets(self.redaction.is_on())
            .layers(layers.excluding_dialect(place.excluded_dialect))
            .trust(self.folders.trust_options());
        // Without a project to look for, the hooks that were named read where the host works.
        let builder = if self.hooks.is_empty() { builder } else { builder.workspace(place.project.clone()) };
        Ok(self.hooks.iter().fold(builder, |builder, path| builder.hooks(path, Layer::Project)))
    }
}

fn parse_event(host: &'static HostDef, event: &str) -> Result<&'static HostEventDef, CliError> {
    host.find_event(event).ok_or_else(|| {
        let near = pintle::suggest_nearest(event, host.events.iter().map(|row| row.name));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        CliError::invalid_input(format!("{} has no event `{event}`{near}", host.title))
    })
}

/// Writes an answer and ends the program with its status.
fn write_and_exit(terminal: &Terminal, answer: &HostResponse) -> ! {
    let is_out = terminal.write_exact(&answer.stdout, &answer.stderr);
    // An answer that did not get out decided nothing, unless its status alone denies.
    let undecided = !is_out && answer.exit_code == 0;
    process::exit(if undecided { CliStatus::Failed as i32 } else { i32::from(answer.exit_code) })
}
