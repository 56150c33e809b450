//! A session as it happens.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pintle::tape::show::{StyledLine, ShowOptions, Tone, TapeRenderer, single_line};
use pintle::tape::{RecordBody, RecordObserver, Record, TapeError};
use pintle::{Decision, Origin, EffectRequest, Runtime};
use pintle_agent::{AgentEvent, Observer, SessionSummary, Session};
use serde_json::json;

use super::agent::Chosen;
use super::failures::Failures;
use super::prompts::Prompts;
use super::repeats::Repeats;
use super::summary::Summary;
use crate::fault::Fault;
use crate::render::{count, path, tone};
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
pub(super) enum Shown {
    /// What the agent says and does, and what its hooks said about it; of delegated agents only what matters.
    Deeds,
    /// The same, with nothing left out.
    Everything,
    /// What the agent says.
    Words,
    /// The records of the tape, and the agent's words as they arrive, as lines of JSON.
    Records,
}

/// Shows a session as it happens: it follows the tape for hooks and observes the agent for all else.
#[derive(Debug)]
pub(super) struct Live {
    terminal: Terminal,
    shown: Shown,
    state: Mutex<State>,
}

/// What a line holds that may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Text of the model.
    Words,
    /// Events that no hook listens to, which follow each other.
    Unhooked,
}

#[derive(Debug)]
struct State {
    view: TapeRenderer,
    /// What was written last, when its line is not ended.
    open: Option<Open>,
    repeats: Repeats,
    /// The person types the prompts, so they need not be shown.
    typed: bool,
    tool_calls: usize,
    denied: usize,
    failures: Failures,
}

impl Live {
    pub(super) fn new(terminal: Terminal, shown: Shown, started_ms: u64) -> Self {
        let options = ShowOptions {
            everything: shown == Shown::Everything,
            notes: false,
            notices: false,
            text_chars: CUT,
            ..ShowOptions::default()
        };
        let view = TapeRenderer::new(options).with_start_time(started_ms);
        let state = State {
            view,
            open: None,
            repeats: Repeats::default(),
            typed: false,
            tool_calls: 0,
            denied: 0,
            failures: Failures::default(),
        };
        Self { terminal, shown, state: Mutex::new(state) }
    }

    /// Shows what was on the tape before it was followed, as it stands there.
    pub(super) fn catch_up(&self, lines: &str) {
        if self.shown == Shown::Records {
            lines.lines().for_each(|line| self.terminal.out(line));
        }
    }

    /// Says who is about to run, with what, and under what.
    pub(super) fn begin(&self, chosen: &Chosen, prompts: &Prompts, runtime: &Runtime, shadow: bool) {
        self.state().typed = prompts.is_conversation();
        if !matches!(self.shown, Shown::Deeds | Shown::Everything) {
            return;
        }
        let hooks = count(runtime.hooks().hooks().count() + chosen.spec.hooks.len(), "hook");
        let mode = if shadow { ", in shadow mode: nothing is enforced" } else { "" };
        let (agent, model) = (single_line(&chosen.spec.name, 80), single_line(chosen.model.name(), 80));
        self.terminal.lines(&[StyledLine::new(Tone::Quiet, format!("agent {agent}, model {model}, {hooks}{mode}"))]);
        for line in chosen.about.lines() {
            self.terminal.lines(&[StyledLine::new(Tone::Quiet, single_line(line, 400))]);
        }
    }

    /// Says which session goes on, and where it stands.
    pub(super) fn taken_up(&self, past: &SessionSummary) {
        if matches!(self.shown, Shown::Deeds | Shown::Everything) {
            let turns = count(usize::try_from(past.turns).unwrap_or(usize::MAX), "turn");
            let cut_off = match past.interrupted_turn {
                Some(number) => format!(", and turn {number} was cut off"),
                None => String::new(),
            };
            let session = single_line(&past.session, 80);
            self.terminal
                .lines(&[StyledLine::new(Tone::Quiet, format!("session {session} goes on: {turns} so far{cut_off}"))]);
        }
    }

    /// Says what the agent greets people with.
    pub(super) fn greet(&self, welcome: &str) {
        if matches!(self.shown, Shown::Deeds | Shown::Everything) {
            self.terminal.out(welcome.lines().map(|line| single_line(line, 2_000)).collect::<Vec<_>>().join("\n"));
        }
    }

    /// Says that what the person typed while the agent is at work was understood.
    pub(super) fn heard(&self) {
        if matches!(self.shown, Shown::Deeds | Shown::Everything) {
            self.settle();
            self.terminal.note("the agent is told of it at its next step");
        }
    }

    /// Says what the session came to.
    pub(super) fn end(&self, session: &Session, runtime: &Runtime, (tape, digest): (&Path, Option<&str>)) {
        let mut state = self.state();
        self.end_line(&mut state);
        let summary = Summary {
            kind: "summary",
            turns: session.turns(),
            stop_reason: Some(session.stop_reason()).filter(|reason| !NATURAL.contains(reason)),
            tool_calls: state.tool_calls,
            denied: state.denied,
            failures: state.failures.count,
            usage: session.usage(),
            metrics: runtime.metrics(),
            tape,
            digest,
        };
        match self.shown {
            Shown::Deeds | Shown::Everything => self.terminal.lines(&summary.lines()),
            Shown::Words if state.failures.count > 0 => {
                let failed = count(state.failures.count, "hook failure");
                self.terminal.note(format!("{failed} in this session; `pintle tape show {}` has them", path(tape)));
            }
            Shown::Words => {}
            Shown::Records => self.terminal.json(&summary),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end_line(&self, state: &mut State) {
        if state.open.take().is_some() {
            self.terminal.out("");
        }
    }

    /// Ends what is unfinished, so that somebody else can write.
    pub(super) fn settle(&self) {
        let mut state = self.state();
        self.close(&mut state);
    }

    /// Ends the open line and tells how often a call was repeated that is over now.
    fn close(&self, state: &mut State) {
        self.end_line(state);
        for repeated in state.repeats.take() {
            self.terminal.lines(&[StyledLine::new(Tone::Quiet, repeated)]);
        }
    }

    fn show(&self, state: &mut State, line: StyledLine) {
        self.close(state);
        self.terminal.lines(&[line]);
    }

    /// Shows an event that no hook listens to, on one line with those before it.
    fn unhooked(&self, state: &mut State, at: &str, event: &str) {
        let event = single_line(event, 80);
        if state.open != Some(Open::Unhooked) {
            self.close(state);
            self.terminal.out_piece(tone::painted(&StyledLine::new(Tone::Quiet, format!("{at}no hook  {event}"))));
            state.open = Some(Open::Unhooked);
        } else {
            self.terminal.out_piece(tone::painted(&StyledLine::new(Tone::Quiet, format!(", {event}"))));
        }
    }

    /// Shows the first calls of a delegated agent and counts those that repeat them.
    fn repeat(&self, agent: &str, tool: &str, line: StyledLine) {
        let mut state = self.state();
        if state.repeats.add(agent, tool) {
            self.end_line(&mut state);
            self.terminal.lines(&[line]);
        }
    }

    /// Writes text of the model, of any number of lines.
    fn say(&self, state: &mut State, text: &str) {
        if text.is_empty() {
            return;
        }
        if state.open != Some(Open::Words) {
            self.close(state);
        }
        let lines: Vec<String> = text.split('\n').map(|line| single_line(line, usize::MAX)).collect();
        let text = lines.join("\n");
        self.terminal.out_piece(&text);
        state.open = Some(Open::Words).filter(|_| !text.ends_with('\n'));
    }

    /// What the agent says, for those who see only that or everything.
    fn words(&self, origin: &Origin, what: &AgentEvent<'_>) {
        let mut state = self.state();
        match what {
            AgentEvent::Text { text } if origin.depth == 0 => self.say(&mut state, text),
            AgentEvent::Message { text, streamed } if origin.depth == 0 => {
                if !streamed {
                    self.say(&mut state, text);
                }
                if state.open == Some(Open::Words) {
                    self.end_line(&mut state);
                }
            }
            _ => {}
        }
    }

    /// What the agent does besides.
    fn deeds(&self, origin: &Origin, what: &AgentEvent<'_>) {
        let who = match origin.depth {
            0 => String::new(),
            _ => format!("{}: ", single_line(&origin.agent, 80)),
        };
        let all = origin.depth == 0 || self.shown == Shown::Everything;
        let line = |tone, text: String| Some(StyledLine::new(tone, format!("{who}{text}")));
        let line = match what {
            AgentEvent::TurnStarted { message } if origin.depth == 0 && !self.state().typed => {
                line(Tone::Plain, format!("\n> {}", paragraph(message)))
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
                return self.repeat(&origin.agent, name, StyledLine::new(Tone::Quiet, text));
            }
            // The hook that blocked it has just said why.
            AgentEvent::ToolReturned { content, is_error: true, .. }
                if self.shown == Shown::Deeds && BLOCKED.iter().any(|words| content.starts_with(words)) =>
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
            self.show(&mut self.state(), line);
        }
    }
}

impl Observer for Live {
    fn observe(&self, origin: &Origin, what: &AgentEvent<'_>) {
        if matches!(what, AgentEvent::ToolCalled { .. }) {
            self.state().tool_calls += 1;
        }
        match (self.shown, what) {
            (Shown::Records, AgentEvent::Text { text } | AgentEvent::Message { text, streamed: false }) => {
                self.terminal.json(&json!({"kind": "text", "agent": origin.agent, "turn": origin.turn, "text": text}));
            }
            (Shown::Records, _) => {}
            (Shown::Words, AgentEvent::TurnFailed { message }) if origin.depth == 0 => {
                self.settle();
                self.terminal.err(tone::labelled(Tone::Bad, "turn failed", single_line(message, 2_000)));
            }
            (Shown::Words, _) => self.words(origin, what),
            (Shown::Deeds | Shown::Everything, _) => {
                self.words(origin, what);
                self.deeds(origin, what);
            }
        }
    }
}

impl RecordObserver for Live {
    fn on_error(&self, fault: &TapeError) {
        let mut state = self.state();
        self.end_line(&mut state);
        let fault = Fault::failed(format!("this session is not recorded any more: {fault}"));
        self.terminal.fault(&fault.help("what is guarded is denied from here on; end the session and see to its tape"));
    }

    fn on_record(&self, record: &Record<'_>, line: &str) {
        let mut state = self.state();
        if let RecordBody::Outcome(decided) = &record.body
            && decided.decision != Decision::Allow
        {
            state.denied += 1;
        }
        // A hook that fails is never silent: where only the agent's words are shown, standard error has it.
        for text in state.failures.take(&record.body) {
            if self.shown == Shown::Words {
                self.end_line(&mut state);
                self.terminal.err(tone::labelled(Tone::Warn, "warning", text));
            }
        }
        match self.shown {
            Shown::Deeds | Shown::Everything if matches!(record.body, RecordBody::Hooks(_) | RecordBody::Closed(_)) => {}
            // The agent tells this itself, as it happens.
            Shown::Deeds | Shown::Everything if matches!(record.body, RecordBody::Host(_)) => {}
            Shown::Deeds if is_told_otherwise(&record.body) => {}
            Shown::Deeds | Shown::Everything => {
                let lines = state.view.feed(record);
                match (&record.body, lines.as_slice()) {
                    (RecordBody::Outcome(decided), [line])
                        if self.shown == Shown::Deeds && decided.hooks_called == 0 && decided.decision == Decision::Allow =>
                    {
                        let at = line.pieces.first().map(|(_, at)| at.as_str()).unwrap_or_default();
                        self.unhooked(&mut state, at, &decided.event);
                    }
                    _ => lines.into_iter().for_each(|line| self.show(&mut state, line)),
                }
            }
            Shown::Words => {}
            Shown::Records => self.terminal.out(line),
        }
    }
}

/// Whether a record is about what a script caused and what shows itself by events of its own.
fn is_told_otherwise(body: &RecordBody<'_>) -> bool {
    let RecordBody::Effect(effected) = body else { return false };
    effected.call.is_none() && matches!(*effected.request, EffectRequest::Meta { .. } | EffectRequest::CallTool { .. })
}

/// Text of a person, of any number of lines, safe on a terminal.
fn paragraph(text: &str) -> String {
    text.lines().map(|line| single_line(line, 2_000)).collect::<Vec<_>>().join("\n> ")
}
