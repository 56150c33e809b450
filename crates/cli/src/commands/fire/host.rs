//! Payloads of other agents: decided as `pintle hook` decides them, without storing anything.

use std::sync::Arc;

use pintle_host::tape::HeaderRecord;
use pintle_host::tape::show::single_line;
use pintle_host::{Clock, SystemClock};

use super::report::FireReport;
use super::{FireArgs, SESSION, status_of_decision};
use crate::error::{CliError, CliStatus};
use crate::options::{CapturedPayload, GlobalOptions, ProvisionalTape, preview_host_call, print_diagnostics, trust};
use crate::terminal::Terminal;

/// Most characters of a session's ID in a note.
const ID_CHARS: usize = 100;

impl FireArgs {
    /// Decides on a payload of another agent.
    pub(super) fn fire_host_payload(
        self,
        payload: &CapturedPayload,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        if let Some(answer) = self.asks.fixed_answer() {
            let error = format!("`--{answer}` cannot be used with a payload of {}", payload.host.title);
            return Err(CliError::invalid_input(error).help("the agent itself asks its user"));
        }
        if payload.is_recognised && !global.json {
            let (title, event) = (payload.host.title, payload.event_def.name);
            terminal.print_note(format!("the payload is what {title} sends for `{event}`"));
        }
        let places = self.hooks.hook_paths(&self.input.paths());
        let clock = Arc::new(SystemClock::default());
        let header = HeaderRecord::new(SESSION, clock.unix_ms()).with_shadow(self.shadow);
        let mut tape = ProvisionalTape::begin(self.tape, header, clock)?;
        let report = Arc::new(FireReport::default());
        tape.tape.observe(report.clone());
        trust::require_trust(&places, &self.hooks.user, terminal)?;
        let recorded = tape.tape.clone();
        let call = preview_host_call(payload, &places, &self.hooks, self.shadow, |builder| builder.tape(recorded))?;
        tape.keep_file();
        if let Some(built) = &call.built {
            print_diagnostics(built, &places.paths, terminal);
        }
        if let Some(session) = call.known_session.as_ref().filter(|_| !global.json) {
            let session = single_line(session, ID_CHARS);
            terminal.print_note(format!("session `{session}` is known here: this is the decision as it stands now"));
        }
        if global.json {
            terminal.print_json(&report.call_to_json(&call));
        } else {
            terminal.print_lines(&report.render_call(&call));
        }
        if let Some(error) = tape.take_error() {
            return Err(error);
        }
        Ok(status_of_decision(call.decision.decision))
    }
}
