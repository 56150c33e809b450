//! `pintle fire`: fires one event, or calls the hooks with what another agent sent.

mod host;
mod report;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pintle_host::HookOverlay;
use pintle_host::loader::TrustItemKind;
use pintle_host::tape::HeaderRecord;
use pintle_host::{Clock, Decision, Event, EventScope, Origin, SystemClock};

use crate::error::{CliError, CliStatus};
use crate::options::{
    AskOptions, EventArgument, FiredEventArgs, FiredInput, GlobalOptions, HookOptions, PayloadInput, ProvisionalTape,
    compile_own_chains, current_dir, defer_approval, load_hooks, start_builder, trust,
};
use crate::terminal::Terminal;
use report::FireReport;

/// The session that a fired event belongs to.
const SESSION: &str = "fire";

#[derive(Debug, Args)]
pub(crate) struct FireArgs {
    #[command(flatten)]
    input: FiredEventArgs,
    #[command(flatten)]
    hooks: HookOptions,
    /// Run every hook and record its verdict, but enforce nothing.
    #[arg(long)]
    shadow: bool,
    #[command(flatten)]
    asks: AskOptions,
    /// Write a tape to this new file.
    #[arg(long, value_name = "FILE")]
    tape: Option<PathBuf>,
}

impl FireArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        match self.input.read_input(false)? {
            FiredInput::Event(event, given) => self.fire_event(&event, given, terminal, global),
            FiredInput::Host(payload) => self.fire_host_payload(&payload, terminal, global),
        }
    }

    fn fire_event(
        self,
        argument: &EventArgument,
        mut input: PayloadInput,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let places = self.hooks.hook_paths(&self.input.paths());
        if input.is_example && !self.input.example && !global.json {
            terminal.print_note("standard input contains no payload; firing the event's example");
        }
        let clock = Arc::new(SystemClock::default());
        let header = HeaderRecord::new(SESSION, clock.unix_ms()).with_shadow(self.shadow);
        let mut tape = ProvisionalTape::begin(self.tape, header, clock)?;
        let report = Arc::new(FireReport::default());
        tape.tape.observe(report.clone());
        trust::require_trust(&places, &self.hooks.user, terminal)?;
        let builder = start_builder(&places, &self.hooks.user)?
            .tape(tape.tape.clone())
            .shadow(self.shadow)
            .approver(self.asks.choose_approver(defer_approval));
        let built = load_hooks(builder, &places.paths, terminal)?;
        // Only the hooks of the agent are called, so only they need trust.
        trust::require_trusted_agents(&built, |claim| claim.kind == TrustItemKind::Member)?;
        let agent = self.hooks.agent.select_agent(built.team.as_ref())?;
        let chains = agent.as_deref().map(|agent| compile_own_chains(&built, agent)).unwrap_or_default();
        tape.keep_file();
        input.complete_call(&argument.0, &built.runtime);
        if !chains.is_empty() {
            tape.tape.record_hooks(&chains);
        }
        let hooks = built.runtime.hooks().with_chains(chains.iter().cloned());
        let scope = EventScope { overlay: Arc::new(HookOverlay::new(chains)), ..EventScope::default() };
        let origin = Origin {
            session: input.session.take().unwrap_or_else(|| SESSION.to_owned()),
            turn: 1,
            agent: agent.map_or_else(|| String::from("root"), |agent| agent.name.clone()),
            cwd: input.cwd.take().unwrap_or_else(|| current_dir().display().to_string()),
            ..Origin::default()
        };
        let origin = Arc::new(origin);
        // A host fires the preceding event with the same alias first. If that is denied, the main event is not fired.
        let first = argument.preceding_event(&hooks, &input.value, &origin).map(|event| {
            let outcome = built.runtime.fire_in(&event, &scope);
            (event, outcome)
        });
        let main = || {
            let event = Event::new(argument.0.clone(), input.value.clone(), Arc::clone(&origin));
            let outcome = built.runtime.fire_in(&event, &scope);
            (event, outcome)
        };
        let (event, outcome) = match first {
            Some(first) if first.1.decision == Decision::Deny => first,
            Some(first) if first.1.decision == Decision::Ask => {
                let main = main();
                if main.1.decision == Decision::Deny { main } else { first }
            }
            _ => main(),
        };
        let metrics = built.runtime.metrics();
        if global.json {
            terminal.print_json(&report.to_json(&event, &outcome, metrics, input.is_example));
        } else {
            terminal.print_lines(&report.render_text(&outcome, &metrics));
            if self.shadow {
                terminal.print_note("in shadow mode nothing is enforced");
            }
        }
        if let Some(error) = tape.take_error() {
            return Err(error);
        }
        Ok(status_of_decision(outcome.decision))
    }
}

fn status_of_decision(decision: Decision) -> CliStatus {
    match decision {
        Decision::Allow => CliStatus::Done,
        Decision::Ask | Decision::Deny => CliStatus::Denied,
    }
}
