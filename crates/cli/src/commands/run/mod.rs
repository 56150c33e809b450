//! `pintle run`: an agent under its hooks.

mod agent;
mod input;
mod interrupt;
mod live;
mod person;
mod prompts;
mod repeats;
mod scribe;
mod summary;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pintle::tape::Header;
use pintle::{Clock, DenyAll, Layer, Resolver, SystemClock};
use pintle_agent::{Fault as TurnFault, FaultKind, Session};

use crate::fault::{Fault, Status};
use crate::options::{Asks, Global, NewTape, builder, load};
use crate::terminal::Terminal;
use input::Input;
use interrupt::Watch;
use live::{Live, Shown};
use prompts::Prompts;
use scribe::Scribe;

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The agent's folder, which holds its `harness.md`. Default: the current directory.
    agent: Option<PathBuf>,
    /// What to tell the agent. Default: the prompts of its script, a conversation on a terminal, or else standard input.
    prompt: Vec<String>,
    /// The model, as `PROVIDER:NAME`, such as `anthropic:claude-sonnet-4-5`, `ollama:llama3.2` or `script:demo.yaml`.
    #[arg(long, short)]
    model: Option<String>,
    /// More hooks, which come before those of the agent; may be repeated.
    #[arg(long, value_name = "PATH")]
    hooks: Vec<PathBuf>,
    /// Ask every hook and enforce nothing.
    #[arg(long)]
    shadow: bool,
    #[command(flatten)]
    asks: Asks,
    /// Write the tape to this new file. Default: a file in `.pintle/tapes` of the agent's folder.
    #[arg(long, value_name = "FILE")]
    tape: Option<PathBuf>,
    /// The folder the agent works in and cannot leave. Default: the agent's folder.
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Show only what the agent says.
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Show every verdict and effect, and all that delegated agents do.
    #[arg(long, short)]
    verbose: bool,
}

impl Run {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let place = agent::Place::find(self.agent, self.prompt)?;
        let clock = Arc::new(SystemClock::default());
        let started_ms = clock.unix_ms();
        let name = agent::session_name(started_ms);
        let path = match self.tape {
            Some(path) => path,
            None => agent::tape_path(&place.folder, &name)?,
        };
        let header = Header::new(&name, started_ms).with_shadow(self.shadow);
        let mut tape = NewTape::begin(Some(path.clone()), header, clock)?;
        let shown = match (global.json, self.quiet) {
            (true, _) => Shown::Records,
            (_, true) => Shown::Words,
            _ if self.verbose => Shown::Everything,
            _ => Shown::Deeds,
        };
        let live = Arc::new(Live::new(terminal.clone(), shown, started_ms));
        tape.tape.follow(live.clone());

        let input = Input::default();
        let mut paths = vec![place.folder.clone()];
        paths.extend(self.hooks.iter().cloned());
        let base = builder(std::slice::from_ref(&place.folder)).tape(tape.tape.clone()).shadow(self.shadow);
        let builder = self.hooks.iter().fold(base, |builder, path| builder.path(path, Layer::User));
        let built = load(builder.resolver(self.asks.resolver(|| resolver(terminal, &input))), &paths, terminal)?;

        let mut chosen = agent::choose(built.agent, self.model.as_deref(), &place.folder)?;
        let prompts = Prompts::find(place.prompt, std::mem::take(&mut chosen.prompts), &input)?;
        tape.keep();
        live.begin(&chosen, &prompts, &built.runtime, self.shadow);
        let session = Session::builder(built.runtime.clone(), chosen.spec, chosen.model)
            .name(name)
            .workspace(self.workspace.unwrap_or_else(|| place.folder.clone()))
            .read_only(self.hooks.into_iter().chain([path.clone()]))
            .observer(Arc::new(Scribe { tape: tape.tape.clone(), next: live.clone() }))
            .open_model(agent::opener(place.folder));
        let mut session = session.build().map_err(Fault::invalid)?;
        let watch = Watch {
            is_conversation: prompts.is_conversation(),
            session: session.cancel().clone(),
            turn: session.interrupt(),
            input,
            terminal: terminal.clone(),
        };
        watch.start();
        let ended = converse(&mut session, prompts, &live, terminal);
        session.end();
        live.end(&session, &built.runtime, &path);
        if let Some(fault) = tape.fault() {
            return Err(fault);
        }
        ended
    }
}

/// Plays the turns. A refused turn does not keep the next one from being played; a failed one does.
fn converse(session: &mut Session, mut prompts: Prompts, live: &Live, terminal: &Terminal) -> Result<Status, Fault> {
    session.start().or_else(|fault| ended(fault).map(drop))?;
    let mut status = Status::Done;
    loop {
        if prompts.is_conversation() {
            live.settle();
        }
        let Some(prompt) = prompts.next(session, terminal)? else { return Ok(status) };
        match session.turn(&prompt) {
            Ok(_) => {}
            Err(fault) if fault.is_denied() => status = Status::Denied,
            // The person saw what happened and can say what is to be done about it.
            Err(_) if prompts.is_conversation() => {}
            Err(fault) => return ended(fault),
        }
    }
}

/// What a fault of the session means for the command.
fn ended(fault: TurnFault) -> Result<Status, Fault> {
    let status = match fault.kind {
        FaultKind::Denied => Status::Denied,
        FaultKind::Cancelled | FaultKind::Failed { .. } => Status::Failed,
    };
    Err(Fault { status, message: fault.message, help: None })
}

/// Who answers asks: the person at the terminal, if there is one.
fn resolver(terminal: &Terminal, input: &Input) -> Arc<dyn Resolver> {
    if person::is_there() { Arc::new(person::Person::new(terminal.clone(), input.clone())) } else { Arc::new(DenyAll) }
}
