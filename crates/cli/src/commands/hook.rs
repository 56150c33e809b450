//! `pintle hook`: runs hooks for a host agent. The payload comes on standard input, and the only output is the response
//! in the host's own format.

use std::path::{Path, PathBuf};
use std::{env, iter, panic, process, thread};

use clap::{Args, Parser};
use pintle_bridge::{CallingEntry, Deadline, HookLookup, HostCall, HostDef, HostEventDef, HostResponse, handle_call};
use pintle_host::RuntimeBuilder;

use crate::error::{CliError, CliStatus};
use crate::options::payload::read_first_object;
use crate::options::{FolderOptions, GlobalOptions, RedactionOptions, start_host_builder};
use crate::terminal::Terminal;

/// A size that fits most payloads without a tool's result.
const USUAL_PAYLOAD_BYTES: usize = 16 << 10;

#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// Agent that runs this command, for example `claude`.
    host: String,
    /// Event of the agent, for example `PreToolUse`. Needed only if the payload does not name its event; the payload
    /// takes precedence.
    event: Option<String>,
    /// Use these hooks instead of the project's (a project, a `.harness` directory or a hook file). May be repeated.
    /// Named paths are trusted [default: the project that the agent works in].
    #[arg(long, value_name = "PATH")]
    hooks: Vec<PathBuf>,
    /// Time limit in milliseconds. If it expires, guarded events are denied [default: below the timeout that
    /// `pintle install` writes].
    #[arg(long, value_name = "N")]
    deadline_ms: Option<u64>,
    /// Run every hook and record its verdict, but enforce nothing. The user is notified of what would have happened.
    #[arg(long)]
    shadow: bool,
    #[command(flatten)]
    redaction: RedactionOptions,
    #[command(flatten)]
    folders: FolderOptions,
}

/// This command alone: building the descriptions of all commands takes longer than many hooks.
#[derive(Debug, Parser)]
struct HookOnlyCli {
    #[command(flatten)]
    hook: HookArgs,
}

impl HookArgs {
    /// Parses a command line that starts with this command and has only its own options. Any other command line, also
    /// an invalid one, is left to the full parser.
    pub(crate) fn from_command_line() -> Option<Self> {
        let mut words = env::args_os();
        let program = words.next()?;
        let is_this = words.next()? == "hook";
        let alone = is_this.then(|| HookOnlyCli::try_parse_from(iter::once(program).chain(words)))?;
        Some(alone.ok()?.hook)
    }

    /// Exits the process. Only status 0 and 2 mean a decision, in the host's terms.
    pub(crate) fn execute(self, terminal: &Terminal, _global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let host = HostDef::by_name(&self.host).map_err(CliError::invalid_input)?;
        let def = self.event.as_deref().map(|event| parse_event(host, event)).transpose()?;
        // A host would take the message of a panic for a reason.
        panic::set_hook(Box::new(|_| {}));
        let deadline = Deadline::from_ms(self.deadline_ms.unwrap_or(host.deadline_ms));
        let watched = deadline.watch({
            let terminal = terminal.clone();
            move |answer| write_and_exit(&terminal, &answer)
        });
        watched.map_err(|error| CliError::failure(format!("cannot start the timer of the time limit: {error}")))?;
        if let Some(def) = def {
            deadline.set_event(host, def);
        }
        let mut payload = Vec::with_capacity(USUAL_PAYLOAD_BYTES);
        if let Err(error) = read_first_object(&mut payload) {
            let reason = format!("cannot read standard input: {error}");
            match def {
                Some(def) if deadline.claim_response() => {
                    write_and_exit(terminal, &host.fallback_response(def, &format!("pintle: {reason}")))
                }
                _ => return Err(CliError::failure(reason)),
            }
        }
        let state_directory = self.folders.state_path();
        let entry = self.calling_entry(state_directory.as_deref());
        let errand = HostCall {
            host,
            event: def,
            payload: &payload,
            state_directory: state_directory.as_deref(),
            project: host.project_variable.and_then(env::var_os).map(PathBuf::from),
            shadow: self.shadow,
            deadline: &deadline,
            entry: Some(&entry),
        };
        let answer = handle_call(&errand, |place| Ok(self.start_builder(place)?));
        if deadline.claim_response() {
            write_and_exit(terminal, &answer);
        }
        // The timer thread is writing its response, and then exits.
        loop {
            thread::park();
        }
    }

    /// Returns the installed entry that runs this process. Directories count as they are found, because entries of
    /// different scopes name the same ones in different ways.
    fn calling_entry(&self, state: Option<&Path>) -> CallingEntry {
        let layers = self.folders.layers(PathBuf::new());
        let asked = (layers, state, &self.hooks, self.redaction.is_on(), self.deadline_ms);
        CallingEntry { line: format!("{:?}", env::args_os().collect::<Vec<_>>()), question: format!("{asked:?}") }
    }

    fn start_builder(&self, lookup: &HookLookup) -> Result<RuntimeBuilder, String> {
        let find_layers = |project| self.folders.layers(project);
        let builder = start_host_builder(lookup, &self.hooks, find_layers, self.folders.trust_options())?;
        Ok(builder.redact_secrets(self.redaction.is_on()))
    }
}

fn parse_event(host: &'static HostDef, event: &str) -> Result<&'static HostEventDef, CliError> {
    host.find_event(event).ok_or_else(|| {
        let near = pintle_host::contract::suggest_nearest(event, host.host_events().map(|def| def.name));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        CliError::invalid_input(format!("{} has no event `{event}`{near}", host.title))
    })
}

/// Writes a response and exits with its status.
fn write_and_exit(terminal: &Terminal, answer: &HostResponse) -> ! {
    let is_out = terminal.write_exact(&answer.stdout, &answer.stderr);
    // A response that could not be written decides nothing, unless its status alone denies.
    let undecided = !is_out && answer.exit_code == 0;
    process::exit(if undecided { CliStatus::Failed as i32 } else { i32::from(answer.exit_code) })
}
