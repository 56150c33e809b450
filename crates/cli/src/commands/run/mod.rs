//! `pintle run`: an agent under its hooks.

mod absent;
mod agent;
mod daemon;
mod failures;
mod input;
mod interrupt;
mod live;
mod models;
mod person;
mod place;
mod prompts;
mod repeats;
mod role;
mod scrub;
mod summary;
mod taken_up;
mod typed;
mod worktree;

use std::mem::take;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pintle::loader::{BegunSessions, state_dir};
use pintle::tape::Durability;
use pintle::{Layer, PermissionMode, Approver, SystemClock, files};
use pintle_agent::{TurnError as TurnFault, TurnErrorKind, Session};

use crate::fault::{Fault, Status};
use crate::options::{AgentOption, Asks, Global, Redaction, Rules, UserOptions, builder, consent, load, model_opener};
use crate::terminal::Terminal;
use absent::Absent;
use daemon::Waits;
use input::Input;
use interrupt::Watch;
use live::{Live, Shown};
use models::Models;
use place::Place;
use prompts::Prompts;
use role::Role;
use scrub::Scrubbed;
use taken_up::{Begun, Opened};
use worktree::Worktree;

/// What a turn stops with when it has made as many model calls as it may.
const MAX_ITERATIONS: &str = "max_iterations";

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The agent's folder, which holds its `harness.md`, or a docker-agent YAML. Default: the current directory.
    #[arg(value_name = "AGENT")]
    path: Option<PathBuf>,
    /// What to tell the agent: each argument is the prompt of a turn of its own, `/NAME` a prompt that its file declares,
    /// and `-` all of standard input. Default: the prompts of its script, a conversation on a terminal, or else standard
    /// input.
    prompt: Vec<String>,
    /// The model, as `PROVIDER:NAME`, such as `anthropic:claude-sonnet-4-5`, `ollama:llama3.2` or `script:demo.yaml`. In a
    /// team it counts for every agent; `AGENT=PROVIDER/NAME` is for one.
    #[arg(long, short)]
    model: Option<String>,
    #[command(flatten)]
    agent: AgentOption,
    /// More hooks, which come before those of the agent; may be repeated.
    #[arg(long, value_name = "PATH")]
    hooks: Vec<PathBuf>,
    #[command(flatten)]
    user: UserOptions,
    /// Ask every hook and enforce nothing.
    #[arg(long)]
    shadow: bool,
    #[command(flatten)]
    asks: Asks,
    #[command(flatten)]
    rules: Rules,
    /// Write the tape to this new file. Default: a file in `.pintle/tapes` of the agent's folder, and for a docker-agent
    /// YAML of the current one.
    #[arg(long, value_name = "FILE")]
    tape: Option<PathBuf>,
    /// Go on with a session: its ID or the beginning of it, `last`, or the path of its tape. Agent, model, workspace and
    /// modes are those of the session unless they are named. Without a prompt it goes on with a turn that was cut off.
    /// A tape that was not begun here decides nothing: what it names has to be named again.
    #[arg(long, value_name = "ID|PATH|last", conflicts_with_all = ["tape", "worktree"])]
    resume: Option<String>,
    /// Go on with a session although guards that it ran under changed since, or are gone.
    #[arg(long, requires = "resume")]
    accept_changed_hooks: bool,
    /// What of the tape survives what: `none` the end of the program, `turn` that of the machine, up to the last turn,
    /// `record` that too, up to the last record. Default: `none`.
    #[arg(long, value_name = "LEVEL", default_value_t, hide_default_value = true)]
    durability: Durability,
    #[command(flatten)]
    redaction: Redaction,
    /// The folder the agent works in and cannot leave. Default: the agent's folder, and for a docker-agent YAML the
    /// current one.
    #[arg(long, visible_alias = "working-dir", value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Let the agent work in a git working tree of its own, on a new branch; it is kept. Default branch: one named after
    /// the session.
    #[arg(long, value_name = "BRANCH", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(conflicts_with = "workspace")]
    worktree: Option<String>,
    #[command(flatten)]
    waits: Waits,
    #[command(flatten)]
    role: Role,
    /// Show only what the agent says.
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Show every verdict and effect, and all that delegated agents do.
    #[arg(long, short)]
    verbose: bool,
}

impl Run {
    pub(crate) fn execute(mut self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        // What the agent's tools start can read what this process was started with.
        pintle::process::hide_secrets();
        let clock = Arc::new(SystemClock::default());
        let again = self.resume.take().map(|named| Begun::again(&named, &mut self, clock.clone())).transpose()?;
        let mut place = Place::find(self.path.take(), take(&mut self.prompt))?;
        let begun = again.map_or_else(|| Begun::anew(&mut self, &place, clock), Ok)?;
        let Begun { mut tape, path, name, started_ms, before } = begun;
        let (reading, before) = before.unzip();
        let sessions = BegunSessions::from_state_dir(state_dir().as_deref());
        let live = Arc::new(Live::new(terminal.clone(), self.shown(global), started_ms));
        let shown = Arc::new(Scrubbed::new(live.clone()));
        if reading.is_none() {
            live.catch_up(&files::read_text(&path).unwrap_or_default());
        }
        tape.tape.observe(shown.clone());

        let (input, absent) = (Input::default(), Arc::new(Absent::default()));
        let mut paths = vec![place.source.clone()];
        paths.extend(self.hooks.iter().cloned());
        let places = place.places();
        consent::ask(&places, &self.user, terminal)?;
        let base = builder(&places, &self.user)?.tape(tape.tape.clone()).shadow(self.shadow).redact_secrets(self.redaction.is_on());
        let builder = self.hooks.iter().fold(base, |builder, path| builder.hooks(path, Layer::User));
        let asked = self.asks.resolver(|| resolver(terminal, &input, &live, &absent));
        let mut built = load(builder.approver(asked), &paths, terminal)?;
        consent::of_agents(&built, |_| true)?;
        if let (Some(reading), false) = (&reading, self.accept_changed_hooks) {
            taken_up::same_guards(reading, &built, &name)?;
        }

        shown.ask(built.runtime.clone());

        let models = Models::new(place.folder.clone());
        let mut chosen = agent::choose(&mut built, self.model.as_deref(), &self.agent, &place, &models)?;
        let member = chosen.spec.member.as_ref();
        let commands = member.map(|member| member.commands.clone()).unwrap_or_default();
        let welcome = member.and_then(|member| member.welcome_message.clone());
        let scripted = take(&mut chosen.prompts);
        let part = self.role.part(&built, &mut place.prompts)?;
        let prompts = match (&part, self.waits.daemon) {
            (Some(_), _) => Prompts::known(Vec::new(), Vec::new(), &commands, before.as_ref()),
            (None, true) => Prompts::known(take(&mut place.prompts), scripted, &commands, before.as_ref()),
            (None, false) => Prompts::find(take(&mut place.prompts), scripted, commands, &input, before.as_ref())?,
        };
        tape.keep();
        live.begin(&chosen, &prompts, &built.runtime, self.shadow);
        if let Some(before) = &before {
            live.taken_up(&before.past);
        }
        if let Some(welcome) = welcome.filter(|_| prompts.is_conversation() && before.is_none()) {
            live.greet(&welcome);
        }
        let is_team = chosen.team.is_some();
        let read_only = self.read_only(&place, path.clone())?;
        let worktree = self.worktree.as_ref().map(|branch| Worktree::make(&place.home, branch, &name)).transpose()?;
        let workspace = worktree.as_ref().map(|made| made.path().to_owned()).or_else(|| self.workspace.clone());
        let workspace = workspace.unwrap_or_else(|| place.home.clone());
        let opened = Opened::new(&self, &place.source, &workspace, self.rules.mode());
        // Where it cannot be written down, going on asks for everything again.
        let _ = sessions.remember(&taken_up::facts(&name, &opened));
        let session = Session::builder(built.runtime.clone(), chosen.spec, chosen.model)
            .name(name)
            .workspace(workspace)
            .read_only(read_only)
            .reopen_data(opened.to_value())
            .observer(shown);
        let session = match reading {
            Some(reading) if before.as_ref().is_some_and(|before| before.is_known) => session.resume(reading),
            // What a person allowed in it is what its tape says that a person allowed.
            Some(reading) => session.resume(reading).without_grants(),
            None => session,
        };
        let session = match chosen.team {
            Some(team) => session.team(team).open_model(models.opener()),
            None => session.open_model(model_opener(place.folder)),
        };
        let session = match self.mode(is_team) {
            Some(mode) => session.permission_mode(mode),
            None => session,
        };
        let mut session = session.build().map_err(Fault::invalid)?;
        let watch = Watch {
            is_conversation: prompts.is_conversation(),
            session: session.cancel().clone(),
            turn: session.interrupt(),
            input: input.clone(),
            terminal: terminal.clone(),
        };
        let signalled = watch.start();
        if let Some(worktree) = &worktree
            && let Err(fault) = session.enter_worktree(&worktree.payload())
        {
            worktree.remove()?;
            return ended(fault).map_err(|fault| scrub::fault(&built.runtime, fault));
        }
        let ended = match part {
            Some(part) => part.play(&mut session),
            None => {
                let secrets = |fault| scrub::fault(&built.runtime, fault);
                let told = Told { input: &input, live: &live, terminal, is_quiet: self.quiet, secrets: &secrets };
                converse(&mut session, prompts, &told)
            }
        };
        let ended = match self.waits.daemon {
            true => ended.and_then(|status| self.waits.wait(&mut session, status)),
            false => ended,
        };
        session.end();
        let digest = tape.tape.close();
        live.end(&session, &built.runtime, (&path, digest.as_deref()));
        absent.tell(terminal, is_team);
        if let Some(fault) = tape.fault() {
            return Err(fault);
        }
        let ended = ended.map_err(|fault| scrub::fault(&built.runtime, fault));
        match signalled.status() {
            Some(status) => ended.map(|_| status).map_err(|fault| Fault { status, ..fault }),
            None => ended,
        }
    }

    fn shown(&self, global: &Global) -> Shown {
        match (global.json, self.quiet) {
            (true, _) => Shown::Records,
            (_, true) => Shown::Words,
            _ if self.verbose => Shown::Everything,
            _ => Shown::Deeds,
        }
    }

    /// What happens to a call that no rule names. To answer yes to everything is to ask nothing, in a team.
    fn mode(&self, is_team: bool) -> Option<PermissionMode> {
        self.rules.mode().or((self.asks.yes && is_team).then_some(PermissionMode::Autonomous))
    }

    /// What guards the agent, which it may read and not change.
    fn read_only(&self, place: &Place, tape: PathBuf) -> Result<Vec<PathBuf>, Fault> {
        let mut paths = self.hooks.clone();
        paths.push(tape);
        paths.extend(self.user.config_dir()?);
        paths.extend(place.team.clone());
        Ok(paths)
    }
}

/// Where the turns of a conversation are told of.
struct Told<'a> {
    input: &'a Input,
    live: &'a Arc<Live>,
    terminal: &'a Terminal,
    /// Whether the live view shows only what the agent says, so that a refusal is told of here.
    is_quiet: bool,
    /// Takes the secrets out of a fault.
    secrets: &'a dyn Fn(Fault) -> Fault,
}

/// Plays the turns. A refused turn does not keep the next one from being played; a failed one does. A turn that stopped at
/// its limit of model calls fails the command once all are played.
fn converse(session: &mut Session, mut prompts: Prompts, told: &Told<'_>) -> Result<Status, Fault> {
    let Told { input, live, terminal, .. } = told;
    session.start().or_else(|fault| ended(fault).map(drop))?;
    let is_conversation = prompts.is_conversation();
    let play = |session: &mut Session, play: &dyn Fn(&mut Session) -> Result<(), TurnFault>| {
        let steering = is_conversation.then(|| input.steer(session.inbox(), Arc::clone(live)));
        let played = play(session);
        drop(steering);
        match played {
            Ok(()) if !is_conversation && session.stop_reason() == MAX_ITERATIONS => {
                live.settle();
                let fault = Fault::failed("the turn stopped at its limit of model calls, before the agent was done");
                terminal.fault(&fault.help("raise `max_iterations`"));
                Ok(Status::Failed)
            }
            Ok(()) => Ok(Status::Done),
            Err(fault) if fault.is_denied() => {
                if told.is_quiet {
                    live.settle();
                    terminal.fault(&(told.secrets)(Fault::failed(fault.message)));
                }
                Ok(Status::Denied)
            }
            // The person saw what happened and can say what is to be done about it.
            Err(_) if is_conversation => Ok(Status::Done),
            Err(fault) => ended(fault),
        }
    };
    let mut status = Status::Done;
    // A denial says more than a failure.
    let mut note = |played: Status| {
        if played != Status::Done && status != Status::Denied {
            status = played;
        }
    };
    if prompts.goes_on() {
        note(play(session, &|session| session.continue_turn().map(drop))?);
    }
    while let Some(prompt) = prompts.next(session, live, terminal)? {
        note(play(session, &|session| session.turn(&prompt).map(drop))?);
    }
    Ok(status)
}

/// What a fault of the session means for the command.
fn ended(fault: TurnFault) -> Result<Status, Fault> {
    let status = match fault.kind {
        TurnErrorKind::Denied => Status::Denied,
        TurnErrorKind::Cancelled | TurnErrorKind::Failed { .. } => Status::Failed,
    };
    Err(Fault { status, message: fault.message, help: None })
}

/// Who answers asks: the person at the terminal, if there is one.
fn resolver(terminal: &Terminal, input: &Input, live: &Arc<Live>, absent: &Arc<Absent>) -> Arc<dyn Approver> {
    if !person::is_there() {
        return absent.clone();
    }
    Arc::new(person::Person::new(terminal.clone(), input.clone(), live.clone()))
}
