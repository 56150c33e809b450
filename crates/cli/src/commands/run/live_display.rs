//! A session as it happens.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pintle::tape::show::{StyledLine, ShowOptions, Tone, TapeRenderer, single_line};
use pintle::tape::{RecordBody, RecordObserver, Record, TapeError};
use pintle::{Decision, Origin, EffectRequest, Runtime};
use pintle_agent::{AgentEvent, Observer, SessionSummary, Session};
use serde_json::json;

use super::agent::AgentSelection;
use super::failures::FailureCounter;
use super::prompts::PromptSource;
use super::repeated_calls::RepeatCounter;
use super::summary::RunSummary;
use crate::error::CliError;
use crate::render::{count_text, path_text, style};
use crate::terminal::Terminal;

/// Characters of a result or argument that are shown.
const CUT: usize = 160;

/// The tool with which an agent says that it is done.
const DONE: &str = "done";

/// How the result of a call begins that a hook refused: of an agent of AI Harness, and of a member of a team.
const BLOCKED: [&str; 2] = ["tool blocked: ", "The tool call was rejected by a "];

/// What a turn stops with when the model has said all that it wants to, or there was none.
const NATURAL: [&str; 2] = ["", "stop"];

/// What is shown of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DisplayMode {
    /// What the agent says and does, and what its hooks said about it; of delegated agents only what matters.
    Actions,
    /// The same, with nothing left out.
    Verbose,
    /// What the agent says.
    Quiet,
    /// The records of the tape, and the agent's words as they arrive, as lines of JSON.
    Json,
}

/// Shows a session as it happens: it follows the tape for hooks and observes the agent for all else.
#[derive(Debug)]
pub(super) struct LiveDisplay {
    terminal: Terminal,
    mode: DisplayMode,
    state: Mutex<DisplayState>,
}

/// What a line holds that may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenOutputLine {
    /// Text of the model.
    ModelText,
    /// Events that no hook listens to, which follow each other.
    Unhooked,
}

#[derive(Debug)]
struct DisplayState {
    view: TapeRenderer,
    /// What was written last, when its line is not ended.
    open: Option<OpenOutputLine>,
    repeats: RepeatCounter,
    /// The person types the prompts, so they need not be shown.
    is_typed: bool,
    tool_call_count: usize,
    denied_count: usize,
    failures: FailureCounter,
}

impl LiveDisplay {
    pub(super) fn new(terminal: Terminal, shown: DisplayMode, started_ms: u64) -> Self {
        let options = ShowOptions {
            everything: shown == DisplayMode::Verbose,
            notes: false,
            notices: false,
            text_chars: CUT,
            ..ShowOptions::default()
        };
        let view = TapeRenderer::new(options).with_start_time(started_ms);
        let state = DisplayState {
            view,
            open: None,
            repeats: RepeatCounter::default(),
            is_typed: false,
            tool_call_count: 0,
            denied_count: 0,
            failures: FailureCounter::default(),
        };
        Self { terminal, mode: shown, state: Mutex::new(state) }
    }

    /// Shows what was on the tape before it was followed, as it stands there.
    pub(super) fn catch_up(&self, lines: &str) {
        if self.mode == DisplayMode::Json {
            lines.lines().for_each(|line| self.terminal.print_line(line));
        }
    }

    /// Says who is about to run, with what, and under what.
    pub(super) fn show_start(&self, chosen: &AgentSelection, prompts: &PromptSource, runtime: &Runtime, shadow: bool) {
        self.lock_state().is_typed = prompts.is_conversation();
        if !matches!(self.mode, DisplayMode::Actions | DisplayMode::Verbose) {
            return;
        }
        let hooks = count_text(runtime.hooks().hooks().count() + chosen.spec.hooks.len(), "hook");
        let mode = if shadow { ", in shadow mode: nothing is enforced" } else { "" };
        let (agent, model) = (single_line(&chosen.spec.name, 80), single_line(chosen.model.name(), 80));
        self.terminal.print_lines(&[StyledLine::new(Tone::Quiet, format!("agent {agent}, model {model}, {hooks}{mode}"))]);
        for line in chosen.model_notes.lines() {
            self.terminal.print_lines(&[StyledLine::new(Tone::Quiet, single_line(line, 400))]);
        }
    }

    /// Says which session goes on, and where it stands.
    pub(super) fn show_resumed(&self, past: &SessionSummary) {
        if matches!(self.mode, DisplayMode::Actions | DisplayMode::Verbose) {
            let turns = count_text(usize::try_from(past.turns).unwrap_or(usize::MAX), "turn");
            let cut_off = match past.interrupted_turn {
                Some(number) => format!(", and turn {number} was cut off"),
                None => String::new(),
            };
            let session = single_line(&past.session, 80);
            self.terminal
                .print_lines(&[StyledLine::new(Tone::Quiet, format!("session {session} goes on: {turns} so far{cut_off}"))]);
        }
    }

    /// Says what the agent greets people with.
    pub(super) fn show_welcome(&self, welcome: &str) {
        if matches!(self.mode, DisplayMode::Actions | DisplayMode::Verbose) {
            self.terminal.print_line(welcome.lines().map(|line| single_line(line, 2_000)).collect::<Vec<_>>().join("\n"));
        }
    }

    /// Says that what the person typed while the agent is at work was understood.
    pub(super) fn show_queued(&self) {
        if matches!(self.mode, DisplayMode::Actions | DisplayMode::Verbose) {
            self.finish_line();
            self.terminal.print_note("the agent is told of it at its next step");
        }
    }

    /// Says what the session came to.
    pub(super) fn show_end(&self, session: &Session, runtime: &Runtime, (tape, digest): (&Path, Option<&str>)) {
        let mut state = self.lock_state();
        self.end_line(&mut state);
        let summary = RunSummary {
            kind: "summary",
            turns: session.turns(),
            stop_reason: Some(session.stop_reason()).filter(|reason| !NATURAL.contains(reason)),
            tool_calls: state.tool_call_count,
            denied: state.denied_count,
            failures: state.failures.count,
            usage: session.usage(),
            metrics: runtime.metrics(),
            tape,
            digest,
        };
        match self.mode {
            DisplayMode::Actions | DisplayMode::Verbose => self.terminal.print_lines(&summary.render_text()),
            DisplayMode::Quiet if state.failures.count > 0 => {
                let failed = count_text(state.failures.count, "hook failure");
                self.terminal.print_note(format!("{failed} in this session; `pintle tape show {}` has them", path_text(tape)));
            }
            DisplayMode::Quiet => {}
            DisplayMode::Json => self.terminal.print_json(&summary),
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, DisplayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end_line(&self, state: &mut DisplayState) {
        if state.open.take().is_some() {
            self.terminal.print_line("");
        }
    }

    /// Ends what is unfinished, so that somebody else can write.
    pub(super) fn finish_line(&self) {
        let mut state = self.lock_state();
        self.close_line(&mut state);
    }

    /// Ends the open line and tells how often a call was repeated that is over now.
    fn close_line(&self, state: &mut DisplayState) {
        self.end_line(state);
        for repeated in state.repeats.take_summaries() {
            self.terminal.print_lines(&[StyledLine::new(Tone::Quiet, repeated)]);
        }
    }

    fn show_line(&self, state: &mut DisplayState, line: StyledLine) {
        self.close_line(state);
        self.terminal.print_lines(&[line]);
    }

    /// Shows an event that no hook listens to, on one line with those before it.
    fn show_unhooked_event(&self, state: &mut DisplayState, at: &str, event: &str) {
        let event = single_line(event, 80);
        if state.open != Some(OpenOutputLine::Unhooked) {
            self.close_line(state);
            self.terminal.print_piece(style::paint_line(&StyledLine::new(Tone::Quiet, format!("{at}no hook  {event}"))));
            state.open = Some(OpenOutputLine::Unhooked);
        } else {
            self.terminal.print_piece(style::paint_line(&StyledLine::new(Tone::Quiet, format!(", {event}"))));
        }
    }

    /// Shows the first calls of a delegated agent and counts those that repeat them.
    fn show_delegated_call(&self, agent: &str, tool: &str, line: StyledLine) {
        let mut state = self.lock_state();
        if state.repeats.count_call(agent, tool) {
            self.end_line(&mut state);
            self.terminal.print_lines(&[line]);
        }
    }

    /// Writes text of the model, of any number of lines.
    fn write_model_text(&self, state: &mut DisplayState, text: &str) {
        if text.is_empty() {
            return;
        }
        if state.open != Some(OpenOutputLine::ModelText) {
            self.close_line(state);
        }
        let lines: Vec<String> = text.split('\n').map(|line| single_line(line, usize::MAX)).collect();
        let text = lines.join("\n");
        self.terminal.print_piece(&text);
        state.open = Some(OpenOutputLine::ModelText).filter(|_| !text.ends_with('\n'));
    }

    /// What the agent says, for those who see only that or everything.
    fn show_words(&self, origin: &Origin, what: &AgentEvent<'_>) {
        let mut state = self.lock_state();
        match what {
            AgentEvent::Text { text } if origin.depth == 0 => self.write_model_text(&mut state, text),
            AgentEvent::Message { text, streamed } if origin.depth == 0 => {
                if !streamed {
                    self.write_model_text(&mut state, text);
                }
                if state.open == Some(OpenOutputLine::ModelText) {
                    self.end_line(&mut state);
                }
            }
            _ => {}
        }
    }

    /// What the agent does besides.
    fn show_actions(&self, origin: &Origin, what: &AgentEvent<'_>) {
        let who = match origin.depth {
            0 => String::new(),
            _ => format!("{}: ", single_line(&origin.agent, 80)),
        };
        let all = origin.depth == 0 || self.mode == DisplayMode::Verbose;
        let line = |tone, text: String| Some(StyledLine::new(tone, format!("{who}{text}")));
        let line = match what {
            AgentEvent::TurnStarted { message } if origin.depth == 0 && !self.lock_state().is_typed => {
                line(Tone::Plain, format!("\n> {}", format_paragraph(message)))
            }
            AgentEvent::Message { text, .. } if origin.depth > 0 && !text.is_empty() => {
                line(Tone::Plain, single_line(text, CUT))
            }
            // Its arguments are the answer, which is shown when the hooks have left it.
            AgentEvent::ToolCalled { name: DONE, .. } if all => line(Tone::Plain, format!("call {DONE}")),
            AgentEvent::ToolCalled { name, arguments, .. } if all => {
                line(Tone::Plain, format!("call {} {}", single_line(name, 80), single_line(arguments, CUT)))
            }
            AgentEvent::ToolCalled { name, arguments, .. } => {
                let arguments = if *name == DONE { String::new() } else { single_line(arguments, CUT) };
                let text = format!("{who}call {} {arguments}", single_line(name, 80));
                return self.show_delegated_call(&origin.agent, name, StyledLine::new(Tone::Quiet, text));
            }
            // The hook that blocked it has just said why.
            AgentEvent::ToolReturned { content, is_error: true, .. }
                if self.mode == DisplayMode::Actions && BLOCKED.iter().any(|words| content.starts_with(words)) =>
            {
                None
            }
            AgentEvent::ToolReturned { name, content, is_error, .. } if all || *is_error => {
                let tone = if *is_error { Tone::Bad } else { Tone::Quiet };
                line(tone, format!("  -> {}: {}", single_line(name, 80), single_line(content, CUT)))
            }
            AgentEvent::Retried { message, attempt, delay_ms } => {
                let text = format!("model call failed: {}; try {attempt} in {delay_ms} ms", single_line(message, CUT));
                line(Tone::Warn, text)
            }
            AgentEvent::Delegated { agent, task, attempt } => {
                let again = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                line(Tone::Plain, format!("hands to {}{again}: {}", single_line(agent, 80), single_line(task, CUT)))
            }
            AgentEvent::Continued { message } => line(Tone::Warn, format!("sent on: {}", single_line(message, CUT))),
            AgentEvent::Notice { message } => line(Tone::Warn, single_line(message, 2_000)),
            AgentEvent::TurnFailed { message } => line(Tone::Bad, format!("turn failed: {}", single_line(message, 2_000))),
            _ => None,
        };
        if let Some(line) = line {
            self.show_line(&mut self.lock_state(), line);
        }
    }
}

impl Observer for LiveDisplay {
    fn observe(&self, origin: &Origin, what: &AgentEvent<'_>) {
        if matches!(what, AgentEvent::ToolCalled { .. }) {
            self.lock_state().tool_call_count += 1;
        }
        match (self.mode, what) {
            (DisplayMode::Json, AgentEvent::Text { text } | AgentEvent::Message { text, streamed: false }) => {
                self.terminal.print_json(&json!({"kind": "text", "agent": origin.agent, "turn": origin.turn, "text": text}));
            }
            (DisplayMode::Json, _) => {}
            (DisplayMode::Quiet, AgentEvent::TurnFailed { message }) if origin.depth == 0 => {
                self.finish_line();
                self.terminal.print_error_line(style::with_label(Tone::Bad, "turn failed", single_line(message, 2_000)));
            }
            (DisplayMode::Quiet, _) => self.show_words(origin, what),
            (DisplayMode::Actions | DisplayMode::Verbose, _) => {
                self.show_words(origin, what);
                self.show_actions(origin, what);
            }
        }
    }
}

impl RecordObserver for LiveDisplay {
    fn on_error(&self, fault: &TapeError) {
        let mut state = self.lock_state();
        self.end_line(&mut state);
        let fault = CliError::failure(format!("this session is not recorded any more: {fault}"));
        self.terminal.print_cli_error(&fault.help("what is guarded is denied from here on; end the session and see to its tape"));
    }

    fn on_record(&self, record: &Record<'_>, line: &str) {
        let mut state = self.lock_state();
        if let RecordBody::Outcome(decided) = &record.body
            && decided.decision != Decision::Allow
        {
            state.denied_count += 1;
        }
        // A hook that fails is never silent: where only the agent's words are shown, standard error has it.
        for text in state.failures.count_record(&record.body) {
            if self.mode == DisplayMode::Quiet {
                self.end_line(&mut state);
                self.terminal.print_error_line(style::with_label(Tone::Warn, "warning", text));
            }
        }
        match self.mode {
            DisplayMode::Actions | DisplayMode::Verbose if matches!(record.body, RecordBody::Hooks(_) | RecordBody::Closed(_)) => {}
            // The agent tells this itself, as it happens.
            DisplayMode::Actions | DisplayMode::Verbose if matches!(record.body, RecordBody::Host(_)) => {}
            DisplayMode::Actions if is_shown_otherwise(&record.body) => {}
            DisplayMode::Actions | DisplayMode::Verbose => {
                let lines = state.view.feed(record);
                match (&record.body, lines.as_slice()) {
                    (RecordBody::Outcome(decided), [line])
                        if self.mode == DisplayMode::Actions && decided.hooks_called == 0 && decided.decision == Decision::Allow =>
                    {
                        let at = line.pieces.first().map(|(_, at)| at.as_str()).unwrap_or_default();
                        self.show_unhooked_event(&mut state, at, &decided.event);
                    }
                    _ => lines.into_iter().for_each(|line| self.show_line(&mut state, line)),
                }
            }
            DisplayMode::Quiet => {}
            DisplayMode::Json => self.terminal.print_line(line),
        }
    }
}

/// Whether a record is about what a script caused and what shows itself by events of its own.
fn is_shown_otherwise(body: &RecordBody<'_>) -> bool {
    let RecordBody::Effect(effected) = body else { return false };
    effected.call.is_none() && matches!(*effected.request, EffectRequest::Meta { .. } | EffectRequest::CallTool { .. })
}

/// Text of a person, of any number of lines, safe on a terminal.
fn format_paragraph(text: &str) -> String {
    text.lines().map(|line| single_line(line, 2_000)).collect::<Vec<_>>().join("\n> ")
}
