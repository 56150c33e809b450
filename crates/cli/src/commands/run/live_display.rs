//! The live display of a session.

use std::io::{self, IsTerminal};
use std::path::Path;

use parking_lot::Mutex;
use pintle_agent::{AgentEvent, Observer, Session, SessionSummary, ToolCallEnd};
use pintle_host::tape::show::{ShowOptions, StyledLine, TapeRenderer, Tone, single_line};
use pintle_host::tape::{Record, RecordBody, RecordObserver, TapeError};
use pintle_host::{Decision, Origin, Runtime};
use serde_json::json;

use super::agent::AgentSelection;
use super::failures::{FailureCounter, is_of_call};
use super::prompts::PromptSource;
use super::repeated_calls::RepeatCounter;
use super::summary::RunSummary;
use crate::error::CliError;
use crate::render::progress::WaitLine;
use crate::render::wrap::StreamWrapper;
use crate::render::{count_text, path_text, style};
use crate::terminal::{Terminal, screen_columns};

/// Most characters of a result or argument.
const CUT: usize = 160;

/// The tool that an agent calls when it is done.
const DONE: &str = "done";

/// The stop reasons of a turn that ended normally.
const NATURAL: [&str; 2] = ["", "stop"];

/// How much of a session is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DisplayMode {
    /// The agent's text and actions, and where hooks decided, said or changed something; child agents in brief.
    Actions,
    /// Everything with its time, each verdict and child agents included.
    Verbose,
    /// The agent's text.
    Quiet,
    /// The records of the tape, and the agent's text as it arrives, as lines of JSON.
    Json,
}

/// Shows a session as it runs: observes the tape for hooks and the agent for everything else.
#[derive(Debug)]
pub(super) struct LiveDisplay {
    terminal: Terminal,
    mode: DisplayMode,
    /// Whether text is shown only when the reply is whole: a program that reads it cannot take back what a retry repeats.
    holds_text: bool,
    /// Says what is waited for, if there is a terminal.
    wait: Option<WaitLine>,
    state: Mutex<DisplayState>,
}

#[derive(Debug)]
struct DisplayState {
    view: TapeRenderer,
    /// The model or the tool that is waited for, beside hooks.
    waited_for: Option<String>,
    /// Whether a line of the model's text is unfinished.
    is_open: bool,
    /// The model's text, on a terminal.
    words: StreamWrapper,
    repeats: RepeatCounter,
    /// Whether the user types the prompts, so that they need not be shown.
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
            offsets: shown == DisplayMode::Verbose,
            text_chars: CUT,
        };
        let view = TapeRenderer::new(options).with_start_time(started_ms);
        let state = DisplayState {
            view,
            waited_for: None,
            is_open: false,
            words: StreamWrapper::default(),
            repeats: RepeatCounter::default(),
            is_typed: false,
            tool_call_count: 0,
            denied_count: 0,
            failures: FailureCounter::default(),
        };
        let holds_text = shown == DisplayMode::Quiet && !io::stdout().is_terminal();
        let wait = if shown == DisplayMode::Json { None } else { WaitLine::new(&terminal) };
        Self { terminal, mode: shown, holds_text, wait, state: Mutex::new(state) }
    }

    /// Prints the lines that were on the tape before it was observed.
    pub(super) fn catch_up(&self, lines: &str) {
        if self.mode == DisplayMode::Json {
            lines.lines().for_each(|line| self.terminal.print_exact_line(line));
        }
    }

    /// Shows the agent, its model and its hooks.
    pub(super) fn show_start(&self, chosen: &AgentSelection, prompts: &PromptSource, runtime: &Runtime, shadow: bool) {
        self.state.lock().is_typed = prompts.is_conversation();
        if !matches!(self.mode, DisplayMode::Actions | DisplayMode::Verbose) {
            return;
        }
        let hooks = count_text(runtime.hooks().hooks().count() + chosen.spec.hooks.len(), "hook");
        let mode = if shadow { ", in shadow mode: nothing is enforced" } else { "" };
        let (agent, model) = (single_line(&chosen.spec.name, 80), single_line(chosen.model.name(), 80));
        self.terminal
            .print_lines(&[StyledLine::new(Tone::Quiet, format!("agent {agent}, model {model}, {hooks}{mode}"))]);
        for line in chosen.model_notes.lines() {
            self.terminal.print_lines(&[StyledLine::new(Tone::Quiet, single_line(line, 400))]);
        }
    }

    /// Shows the resumed session.
    pub(super) fn show_resumed(&self, summary: &SessionSummary) {
        if matches!(self.mode, DisplayMode::Actions | DisplayMode::Verbose) {
            let turns = count_text(usize::try_from(summary.turns).unwrap_or(usize::MAX), "turn");
            let cut_off = match summary.interrupted_turn {
                Some(number) => format!(", turn {number} was interrupted"),
                None => String::new(),
            };
            let session = single_line(&summary.session, 80);
            self.terminal.print_lines(&[StyledLine::new(
                Tone::Quiet,
                format!("resuming session {session}: {turns} so far{cut_off}"),
            )]);
        }
    }

    /// Shows the agent's welcome message.
    pub(super) fn show_welcome(&self, welcome: &str) {
        if matches!(self.mode, DisplayMode::Actions | DisplayMode::Verbose) {
            self.terminal
                .print_line(welcome.lines().map(|line| single_line(line, 2_000)).collect::<Vec<_>>().join("\n"));
        }
    }

    /// Confirms a line that the user typed while the agent is running.
    pub(super) fn show_queued(&self) {
        if matches!(self.mode, DisplayMode::Actions | DisplayMode::Verbose) {
            self.finish_line();
            self.terminal.print_note("the agent receives this at its next step");
        }
    }

    /// Shows the summary of the session.
    pub(super) fn show_end(&self, session: &Session, runtime: &Runtime, (tape, digest): (&Path, Option<&str>)) {
        let mut state = self.state.lock();
        self.end_line(&mut state);
        let summary = RunSummary {
            kind: "summary",
            turns: session.turns(),
            stop_reason: Some(session.stop_reason()).filter(|reason| !NATURAL.contains(reason)),
            tool_calls: state.tool_call_count,
            denied: state.denied_count,
            failures: state.failures.count,
            unguarded: state.failures.unguarded.len(),
            usage: session.usage(),
            metrics: runtime.metrics(),
            tape,
            digest,
        };
        match self.mode {
            DisplayMode::Actions | DisplayMode::Verbose => self.terminal.print_lines(&summary.render_text()),
            DisplayMode::Quiet if state.failures.count > 0 => {
                let failed = count_text(state.failures.count, "hook failure");
                let unguarded = summary.unguarded_text().map(|text| format!(", {text}")).unwrap_or_default();
                let text = format!("{failed} in this session{unguarded}; see `pintle tape show {}`", path_text(tape));
                self.terminal.print_note(text);
            }
            DisplayMode::Quiet => {}
            DisplayMode::Json => self.terminal.print_json(&summary),
        }
    }

    /// Says what is waited for, a hook or otherwise the model or a tool, unless a line of text is unfinished.
    fn show_wait(&self, state: &DisplayState, hook: Option<String>) {
        let Some(wait) = self.wait.as_ref().filter(|_| !state.is_open) else { return };
        match hook.or_else(|| state.waited_for.clone()) {
            Some(what) => wait.begin(what, !state.is_typed),
            None => wait.end(),
        }
    }

    fn end_line(&self, state: &mut DisplayState) {
        self.wait.iter().for_each(WaitLine::end);
        if std::mem::take(&mut state.is_open) {
            self.terminal.print_line(screen_columns().map(|columns| state.words.finish(columns)).unwrap_or_default());
        }
    }

    /// Ends the unfinished line, so that something else can be written.
    pub(super) fn finish_line(&self) {
        let mut state = self.state.lock();
        self.close_line(&mut state);
    }

    /// Ends the open line and shows how often calls were repeated.
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

    /// Shows the first calls of a child agent and counts those that repeat them.
    fn show_delegated_call(&self, agent: &str, tool: &str, line: StyledLine) {
        let mut state = self.state.lock();
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
        self.wait.iter().for_each(WaitLine::end);
        if !state.is_open {
            self.close_line(state);
        }
        let lines: Vec<String> = text.split('\n').map(|line| single_line(line, usize::MAX)).collect();
        let text = lines.join("\n");
        match screen_columns() {
            Some(columns) => {
                self.terminal.print_piece(state.words.push(&text, columns));
                state.is_open = state.words.is_open();
            }
            None => {
                self.terminal.print_piece(&text);
                state.is_open = !text.ends_with('\n');
            }
        }
    }

    /// Shows the agent's text.
    fn show_words(&self, origin: &Origin, event: &AgentEvent<'_>) {
        let mut state = self.state.lock();
        match event {
            AgentEvent::Text { text } if origin.depth == 0 && !self.holds_text => {
                self.write_model_text(&mut state, text)
            }
            AgentEvent::Message { text, streamed } if origin.depth == 0 => {
                if !streamed || self.holds_text {
                    self.write_model_text(&mut state, text);
                }
                self.end_line(&mut state);
            }
            _ => {}
        }
    }

    /// Shows the agent's actions.
    fn show_actions(&self, origin: &Origin, event: &AgentEvent<'_>) {
        let who = match origin.depth {
            0 => String::new(),
            _ => format!("{}: ", single_line(&origin.agent, 80)),
        };
        let all = origin.depth == 0 || self.mode == DisplayMode::Verbose;
        let line = |tone, text: String| Some(StyledLine::new(tone, format!("{who}{text}")));
        let line = match event {
            AgentEvent::TurnStarted { message } if origin.depth == 0 && !self.state.lock().is_typed => {
                line(Tone::Plain, format!("\n> {}", format_paragraph(message)))
            }
            AgentEvent::Message { text, .. } if origin.depth > 0 && !text.is_empty() => {
                line(Tone::Plain, single_line(text, CUT))
            }
            // Its arguments are the final answer, which is shown after its hooks.
            AgentEvent::ToolCalled { name: DONE, .. } if all => line(Tone::Plain, format!("call {DONE}")),
            AgentEvent::ToolCalled { name, arguments, .. } if all => {
                line(Tone::Plain, format!("call {} {}", single_line(name, 80), single_line(arguments, CUT)))
            }
            AgentEvent::ToolCalled { name, arguments, .. } => {
                let arguments = if *name == DONE { String::new() } else { single_line(arguments, CUT) };
                let text = format!("{who}call {} {arguments}", single_line(name, 80));
                return self.show_delegated_call(&origin.agent, name, StyledLine::new(Tone::Quiet, text));
            }
            // The hook that denied it was just shown, with its reason.
            AgentEvent::ToolReturned { end: ToolCallEnd::Blocked, is_error: true, .. }
                if self.mode == DisplayMode::Actions =>
            {
                None
            }
            AgentEvent::ToolReturned { name, content, is_error, .. } if all || *is_error => {
                let tone = if *is_error { Tone::Bad } else { Tone::Quiet };
                line(tone, format!("  -> {}: {}", single_line(name, 80), single_line(content, CUT)))
            }
            AgentEvent::Retried { message, attempt, delay_ms } => {
                let text =
                    format!("model call failed: {}; attempt {attempt} in {delay_ms} ms", single_line(message, CUT));
                line(Tone::Warn, text)
            }
            AgentEvent::Delegated { agent, task, attempt } => {
                let again = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                line(Tone::Plain, format!("delegates to {}{again}: {}", single_line(agent, 80), single_line(task, CUT)))
            }
            AgentEvent::Continued { message } => line(Tone::Warn, format!("continues: {}", single_line(message, CUT))),
            AgentEvent::Notice { message } => line(Tone::Warn, single_line(message, 2_000)),
            AgentEvent::TurnFailed { message } => {
                line(Tone::Bad, format!("turn failed: {}", single_line(message, 2_000)))
            }
            _ => None,
        };
        if let Some(line) = line {
            self.show_line(&mut self.state.lock(), line);
        }
    }
}

impl Observer for LiveDisplay {
    fn observe(&self, origin: &Origin, event: &AgentEvent<'_>) {
        self.show_event(origin, event);
        let waited_for = match event {
            AgentEvent::ModelRequested { .. } => Some(String::from("the model")),
            AgentEvent::ToolCalled { name, .. } => Some(single_line(name, 80)),
            AgentEvent::ModelAnswered { .. } | AgentEvent::ToolReturned { .. } | AgentEvent::TurnFailed { .. } => None,
            _ => return,
        };
        let mut state = self.state.lock();
        state.waited_for = waited_for;
        self.show_wait(&state, None);
    }
}

impl LiveDisplay {
    fn show_event(&self, origin: &Origin, event: &AgentEvent<'_>) {
        if matches!(event, AgentEvent::ToolCalled { .. }) {
            self.state.lock().tool_call_count += 1;
        }
        if let AgentEvent::ToolReturned { end, .. } = event
            && matches!(
                end,
                ToolCallEnd::Blocked | ToolCallEnd::Denied | ToolCallEnd::Refused | ToolCallEnd::Unapproved
            )
        {
            self.state.lock().denied_count += 1;
        }
        match (self.mode, event) {
            (DisplayMode::Json, AgentEvent::Text { text } | AgentEvent::Message { text, streamed: false }) => {
                self.terminal
                    .print_json(&json!({"kind": "text", "agent": origin.agent, "turn": origin.turn, "text": text}));
            }
            (DisplayMode::Json, _) => {}
            (DisplayMode::Quiet, AgentEvent::TurnFailed { message }) if origin.depth == 0 => {
                self.finish_line();
                self.terminal.print_error_line(style::with_label(
                    Tone::Bad,
                    "turn failed",
                    single_line(message, 2_000),
                ));
            }
            (DisplayMode::Quiet, _) => self.show_words(origin, event),
            (DisplayMode::Actions | DisplayMode::Verbose, _) => {
                self.show_words(origin, event);
                self.show_actions(origin, event);
            }
        }
    }
}

impl RecordObserver for LiveDisplay {
    fn on_error(&self, error: &TapeError) {
        let mut state = self.state.lock();
        self.end_line(&mut state);
        let error = CliError::failure(format!("this session is no longer recorded: {error}"));
        self.terminal
            .print_cli_error(&error.help("guarded events are denied from now on; end the session and check its tape"));
    }

    fn on_record(&self, record: &Record<'_>, line: &str) {
        let mut state = self.state.lock();
        self.show_record(&mut state, record, line);
        let hook = match &record.body {
            RecordBody::HookCall(call) => Some(format!("hook {}", single_line(&call.hook, 80))),
            _ => None,
        };
        self.show_wait(&state, hook);
    }
}

impl LiveDisplay {
    fn show_record(&self, state: &mut DisplayState, record: &Record<'_>, line: &str) {
        // A denied call is counted once, when it returns.
        if let RecordBody::Outcome(decided) = &record.body
            && decided.decision != Decision::Allow
            && decided.approval.is_none()
            && !is_of_call(&decided.event)
        {
            state.denied_count += 1;
        }
        // A hook failure is always reported; in quiet mode, on standard error.
        for text in state.failures.count_record(&record.body) {
            if self.mode == DisplayMode::Quiet {
                self.end_line(state);
                self.terminal.print_error_line(style::with_label(Tone::Warn, "warning", text));
            }
        }
        match self.mode {
            DisplayMode::Actions | DisplayMode::Verbose
                if matches!(record.body, RecordBody::Hooks(_) | RecordBody::Closed(_)) => {}
            // Shown from the agent's own events.
            DisplayMode::Actions | DisplayMode::Verbose if matches!(record.body, RecordBody::Host(_)) => {}
            // What tools do by themselves is in their results.
            DisplayMode::Actions if matches!(&record.body, RecordBody::Effect(effect) if effect.call.is_none()) => {}
            DisplayMode::Actions | DisplayMode::Verbose => {
                let lines = state.view.feed(record);
                // An event that passes, with nothing to say, is one line.
                let is_passed = record.body.outcome().is_some_and(|outcome| outcome.decision == Decision::Allow);
                if self.mode == DisplayMode::Verbose || !is_passed || lines.len() > 1 {
                    lines.into_iter().for_each(|line| self.show_line(state, line));
                }
            }
            DisplayMode::Quiet => {}
            DisplayMode::Json => self.terminal.print_exact_line(line),
        }
    }
}

/// Formats the user's text, of any number of lines, safely for a terminal.
fn format_paragraph(text: &str) -> String {
    text.lines().map(|line| single_line(line, 2_000)).collect::<Vec<_>>().join("\n> ")
}
