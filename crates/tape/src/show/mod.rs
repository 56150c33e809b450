//! Renders tapes for users: one block per event.
//!
//! The same view serves a finished tape ([`render_lines`]) and a running session ([`TapeRenderer::feed`]).

mod block;
mod effect;
mod host;
mod removed;
mod style;

use std::collections::BTreeMap;

use block::DispatchBlock;
use serde_json::Value;

pub use removed::RemovedTexts;
pub use style::{StyledLine, Tone, single_line};

use crate::read::LoadedTape;
use crate::record::{HeaderRecord, NoteRecord, OutcomeRecord, Record, RecordBody};

/// What a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShowOptions {
    /// Hooks that passed without effects (metrics and log lines aside), effect requests that only read (a clock, a
    /// cache), and dispatches of delegated agents in which nothing happened. Default true.
    pub everything: bool,
    /// The host's records, such as messages, and its notes. Default true.
    pub notes: bool,
    /// Notices of hooks for the user. Default true; false if the user sees them in another way.
    pub notices: bool,
    /// The time of each record since the session began. Default true.
    pub offsets: bool,
    /// The maximum length of a text in characters. Default 200.
    pub text_chars: usize,
}

impl Default for ShowOptions {
    fn default() -> Self {
        Self { everything: true, notes: true, notices: true, offsets: true, text_chars: 200 }
    }
}

/// Renders a whole tape. Text that a hook removed is not shown, although the tape contains it.
#[must_use]
pub fn render_lines(tape: &LoadedTape, options: &ShowOptions) -> Vec<StyledLine> {
    let mut view = TapeRenderer::new(*options).with_removed_texts(RemovedTexts::from_records(&tape.records));
    let mut lines: Vec<StyledLine> = tape.records.iter().flat_map(|record| view.feed(record)).collect();
    lines.extend(view.finish());
    if let Some(torn) = tape.torn {
        lines.push(StyledLine::new(Tone::Warn, format!("note: {torn}")));
    }
    lines
}

/// Renders records one after the other. A dispatch is shown when it has ended.
#[derive(Debug)]
pub struct TapeRenderer {
    options: ShowOptions,
    started_ms: u64,
    open: BTreeMap<u64, DispatchBlock>,
    /// Texts that are not shown, as far as they are known.
    removed: RemovedTexts,
}

impl TapeRenderer {
    /// Creates an empty view.
    #[must_use]
    pub fn new(options: ShowOptions) -> Self {
        Self { options, started_ms: 0, open: BTreeMap::new(), removed: RemovedTexts::default() }
    }

    /// Hides texts that hooks removed. A view of a running session does not know them beforehand.
    #[must_use]
    pub fn with_removed_texts(mut self, removed: RemovedTexts) -> Self {
        self.removed = removed;
        self
    }

    /// Sets when the session began, for a view that does not get the header.
    #[must_use]
    pub fn with_start_time(mut self, started_ms: u64) -> Self {
        self.started_ms = started_ms;
        self
    }

    /// Adds a record and returns the lines that are now complete.
    pub fn feed(&mut self, record: &Record<'_>) -> Vec<StyledLine> {
        let options = self.options;
        let at = self.format_offset(record.at_ms);
        match &record.body {
            RecordBody::Header(header) => {
                self.started_ms = header.started_ms;
                vec![render_header(header)]
            }
            RecordBody::Hooks(loaded) => {
                let count = loaded.hooks.len();
                vec![StyledLine::new(
                    Tone::Quiet,
                    format!("{at}{count} hook{} loaded", if count == 1 { "" } else { "s" }),
                )]
            }
            RecordBody::Event(fired) => {
                let mut block = DispatchBlock::new(at, fired, &options);
                fired.hook_records().for_each(|record| block.add(&record, &options));
                self.open.insert(fired.dispatch, block);
                fired.outcome().map(|outcome| self.close_block(&outcome)).unwrap_or_default()
            }
            RecordBody::Outcome(decided) => self.close_block(decided),
            RecordBody::Host(host) if options.notes => {
                host::render_host_record(&at, host, &options, &self.removed).into_iter().collect()
            }
            RecordBody::Approval(resolved) if resolved.dispatch.is_none() && options.notes => {
                vec![host::render_approval(&at, resolved)]
            }
            RecordBody::Repaired(healed) => vec![host::render_repaired(&at, *healed)],
            RecordBody::Closed(closed) if options.notes => vec![host::render_closed(&at, closed)],
            RecordBody::Checkpoint(_) if options.notes => vec![host::render_checkpoint(&at, record.seq)],
            RecordBody::Host(_) | RecordBody::Checkpoint(_) | RecordBody::Closed(_) => Vec::new(),
            RecordBody::Note(note) if options.notes => vec![render_note(&at, note, &options)],
            RecordBody::Note(_) => Vec::new(),
            RecordBody::Unknown { kind, .. } => {
                vec![StyledLine::new(Tone::Quiet, format!("{at}{} (unknown kind of record)", single_line(kind, 40)))]
            }
            body @ (RecordBody::MatcherFailed(_)
            | RecordBody::NotCalled(_)
            | RecordBody::HookCall(_)
            | RecordBody::Effect(_)
            | RecordBody::HookReturned(_)
            | RecordBody::HookVetoed(_)
            | RecordBody::Warning(_)
            | RecordBody::Approval(_)) => match body.dispatch().and_then(|number| self.open.get_mut(&number)) {
                Some(block) => {
                    block.add(body, &options);
                    Vec::new()
                }
                None => block::lines_without_dispatch(&at, body, &options),
            },
        }
    }

    /// Ends a dispatch. Its lines are shown now, unless it is inside another one.
    fn close_block(&mut self, record: &OutcomeRecord<'_>) -> Vec<StyledLine> {
        let Some(block) = self.open.remove(&record.dispatch) else { return Vec::new() };
        let parent = block.parent();
        let lines = block.close(record, &self.options);
        match parent.and_then(|parent| self.open.get_mut(&parent)) {
            Some(parent) => {
                parent.nest(lines);
                Vec::new()
            }
            None => lines,
        }
    }

    /// The dispatches that did not end, as far as they went.
    #[must_use]
    pub fn finish(self) -> Vec<StyledLine> {
        self.open.into_values().flat_map(DispatchBlock::finish_incomplete).collect()
    }

    /// The time of a record, with a trailing space.
    fn format_offset(&self, at_ms: u64) -> String {
        if !self.options.offsets {
            return String::new();
        }
        let since = at_ms.saturating_sub(self.started_ms);
        format!("+{}.{:03}s  ", since / 1000, since % 1000)
    }
}

fn render_header(header: &HeaderRecord) -> StyledLine {
    let mode = if header.shadow { ", in shadow mode: nothing is enforced" } else { "" };
    let (session, pintle) = (single_line(&header.session, 80), single_line(&header.pintle, 40));
    StyledLine::new(Tone::Quiet, format!("session {session}, pintle {pintle}{mode}"))
}

fn render_note(time: &str, note: &NoteRecord<'_>, options: &ShowOptions) -> StyledLine {
    let field = |name: &str| note.data.get(name).and_then(Value::as_str);
    let what = match (&*note.data, field("role"), field("text")) {
        (_, Some(role), Some(said)) => format!("{}: {}", single_line(role, 40), single_line(said, options.text_chars)),
        (Value::Object(fields), ..) => {
            let pairs = fields.iter().map(|(name, value)| host::describe_field(name, value, options));
            pairs.collect::<Vec<_>>().join(" ")
        }
        (other, ..) => host::describe_value(other, options),
    };
    let mut line = StyledLine::new(Tone::Quiet, time);
    line.push(Tone::Plain, format!("{} ", single_line(&note.kind, 40)));
    line.push(Tone::Plain, what);
    line
}
