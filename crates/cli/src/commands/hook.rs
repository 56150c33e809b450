//! `pintle hook`: runs hooks for a host agent. The payload comes on standard input, and the only output is the response
//! in the host's own format.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, io, iter, panic, process, thread};

use clap::{Args, Parser};
use pintle_bridge::{
    CallingEntry, Deadline, HookLookup, HostCall, HostDef, HostEventDef, HostResponse, KeptSessions, handle_call,
};
use pintle_hook::read_first_object;
use pintle_host::{HookCache, RuntimeBuilder};

use crate::error::{CliError, CliStatus};
use crate::options::{FolderOptions, GlobalOptions, RedactionOptions, machine_signer, start_host_builder};
use crate::terminal::Terminal;

// The program that reads the payload before this one must keep as much of it.
const _: () = assert!(pintle_hook::MAX_PAYLOAD_BYTES == pintle_host::contract::MAX_PAYLOAD_BYTES);

/// The directory of what was found out about scripts, in the state directory.
const KNOWN_SCRIPTS: &str = "known-scripts";

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

/// What a resident keeps of earlier calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResidentMemory {
    hooks: Arc<HookCache>,
    sessions: Arc<KeptSessions>,
}

/// A command line with the host and the event that it names.
#[derive(Debug)]
pub(crate) struct HookCommandLine {
    args: HookArgs,
    host: &'static HostDef,
    event: Option<&'static HostEventDef>,
    /// The line as it was written.
    line: String,
    /// What is known from earlier calls, in a resident.
    memory: Option<ResidentMemory>,
}

impl HookArgs {
    /// Parses a command line that starts with this command and has only its own options. Any other command line, also
    /// an invalid one, is left to the full parser.
    pub(crate) fn from_command_line() -> Option<Self> {
        Self::from_words(env::args_os().skip(1))
    }

    fn from_words(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let name = words.next().filter(|first| first == "hook")?;
        Some(HookOnlyCli::try_parse_from(iter::once(name).chain(words)).ok()?.hook)
    }

    /// Exits the process. Only status 0 and 2 mean a decision, in the host's terms.
    pub(crate) fn execute(self, terminal: &Terminal, _global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let line = HookCommandLine::new(self, env::args_os().skip(1))?;
        let HookCommandLine { host, event, .. } = line;
        // A host would take the message of a panic for a reason.
        panic::set_hook(Box::new(|_| {}));
        let deadline = Deadline::from_ms(line.limit_ms());
        let watched = deadline.watch({
            let terminal = terminal.clone();
            move |answer| write_and_exit(&terminal, &answer)
        });
        watched.map_err(|error| CliError::failure(format!("cannot start the timer of the time limit: {error}")))?;
        if let Some(def) = event {
            deadline.set_event(host, def);
        }
        let mut payload = Vec::new();
        if let Err(error) = read_first_object(&mut io::stdin().lock(), &mut payload) {
            let reason = format!("cannot read standard input: {error}");
            match event {
                Some(def) if deadline.claim_response() => {
                    write_and_exit(terminal, &host.fallback_response(def, &format!("pintle: {reason}")))
                }
                _ => return Err(CliError::failure(reason)),
            }
        }
        let answer = line.handle(&Arc::new(payload), &deadline);
        if deadline.claim_response() {
            write_and_exit(terminal, &answer);
        }
        // The timer thread is writing its response, and then exits.
        loop {
            thread::park();
        }
    }
}

impl HookCommandLine {
    fn new(args: HookArgs, words: impl Iterator<Item = OsString>) -> Result<Self, CliError> {
        let host = HostDef::by_name(&args.host).map_err(CliError::invalid_input)?;
        let event = args.event.as_deref().map(|event| parse_event(host, event)).transpose()?;
        Ok(Self { args, host, event, line: format!("{:?}", words.collect::<Vec<_>>()), memory: None })
    }

    /// Parses the arguments of a call that a resident got; `None` for a line with which the full program does not handle
    /// a call.
    #[cfg(target_os = "linux")]
    pub(crate) fn for_resident(words: &[OsString], memory: &ResidentMemory) -> Option<Self> {
        let line = Self::new(HookArgs::from_words(words.iter().cloned())?, words.iter().cloned()).ok()?;
        Some(Self { memory: Some(memory.clone()), ..line })
    }

    fn limit_ms(&self) -> u64 {
        self.args.deadline_ms.unwrap_or(self.host.deadline_ms)
    }

    fn handle(&self, payload: &Arc<Vec<u8>>, deadline: &Deadline) -> HostResponse {
        let state_directory = self.args.folders.state_path();
        let entry = self.calling_entry(state_directory.as_deref());
        let folders = self.args.folders.clone();
        let signer = Arc::new(machine_signer(state_directory.clone(), move || folders.layers(PathBuf::new())));
        let host_call = HostCall {
            host: self.host,
            event: self.event,
            payload,
            state_directory: state_directory.as_deref(),
            project: self.host.project_variable.and_then(env::var_os).map(PathBuf::from),
            shadow: self.args.shadow,
            deadline,
            entry: Some(&entry),
            kept_sessions: self.memory.as_ref().map(|memory| &memory.sessions),
            signer: Some(&signer),
        };
        handle_call(&host_call, |lookup| Ok(self.start_builder(lookup)?))
    }

    /// Returns the installed entry that runs this process. Directories count as they are found, because entries of
    /// different scopes name the same ones in different ways.
    fn calling_entry(&self, state: Option<&Path>) -> CallingEntry {
        let HookArgs { hooks, redaction, folders, deadline_ms, .. } = &self.args;
        let asked = (folders.layers(PathBuf::new()), state, hooks, redaction.is_on(), deadline_ms);
        CallingEntry { line: self.line.clone(), question: format!("{asked:?}") }
    }

    fn start_builder(&self, lookup: &HookLookup) -> Result<RuntimeBuilder, String> {
        let HookArgs { hooks, redaction, folders, .. } = &self.args;
        let find_layers = |project| folders.layers(project);
        let builder = start_host_builder(lookup, hooks, find_layers, folders.trust_options())?;
        let builder = builder.skip_lints().redact_secrets(redaction.is_on());
        // A resident keeps the scripts themselves.
        let known_scripts = || folders.state_path().map(|directory| directory.join(KNOWN_SCRIPTS));
        Ok(match &self.memory {
            Some(memory) => builder.hook_cache(Arc::clone(&memory.hooks)),
            None => builder.known_scripts(known_scripts()),
        })
    }
}

#[cfg(target_os = "linux")]
impl pintle_bridge::ResidentCommand for HookCommandLine {
    fn deadline_ms(&self) -> u64 {
        self.limit_ms()
    }

    fn answer(&self, payload: &Arc<Vec<u8>>, deadline: &Arc<Deadline>) -> HostResponse {
        if let Some(def) = self.event {
            deadline.set_event(self.host, def);
        }
        self.handle(payload, deadline)
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
