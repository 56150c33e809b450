//! Tapes for people: one block an event.
//!
//! The same view serves a finished tape ([`lines`]) and a session that is still going on ([`View::feed`]).

mod block;
mod effect;
mod host;
mod removed;
mod style;

use std::collections::BTreeMap;

use block::Block;
use serde_json::Value;

pub use removed::RemovedTexts;
pub use style::{Line, Tone, plain};

use crate::read::Reading;
use crate::record::{Body, Header, Noted, Record};

/// What a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Hooks that passed and had nothing to say, whatever they counted or logged, effects that only looked (a clock, a
    /// cache), and dispatches of delegated agents in which nothing happened. Default true.
    pub everything: bool,
    /// What the host did, such as messages, and its notes. Default true.
    pub notes: bool,
    /// What hooks have to tell the person. Default true; false where the person is told in another way.
    pub notices: bool,
    /// When things happened, since the session began. Default true.
    pub offsets: bool,
    /// Characters of one text before it is cut. Default 200.
    pub text_chars: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { everything: true, notes: true, notices: true, offsets: true, text_chars: 200 }
    }
}

/// Renders a whole tape. What a hook took out of a text is not shown: the tape itself holds it.
#[must_use]
pub fn lines(reading: &Reading, options: &Options) -> Vec<Line> {
    let mut view = View::new(*options).hiding(RemovedTexts::of(&reading.records));
    let mut lines: Vec<Line> = reading.records.iter().flat_map(|record| view.feed(record)).collect();
    lines.extend(view.finish());
    if let Some(torn) = reading.torn {
        lines.push(Line::new(Tone::Warn, format!("note: {torn}")));
    }
    lines
}

/// Renders records one after the other. A dispatch is shown when it is over.
#[derive(Debug)]
pub struct View {
    options: Options,
    started_ms: u64,
    open: BTreeMap<u64, Block>,
    /// Texts that are not shown, as far as they are known.
    removed: RemovedTexts,
}

impl View {
    /// A view that has seen nothing.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, started_ms: 0, open: BTreeMap::new(), removed: RemovedTexts::default() }
    }

    /// Leaves out texts that hooks took out. A view that sees a session as it happens does not know them beforehand.
    #[must_use]
    pub fn hiding(mut self, removed: RemovedTexts) -> Self {
        self.removed = removed;
        self
    }

    /// Tells when the session began, to a view that is not shown the header.
    #[must_use]
    pub fn since(mut self, started_ms: u64) -> Self {
        self.started_ms = started_ms;
        self
    }

    /// Sees a record; gives the lines that are now complete.
    pub fn feed(&mut self, record: &Record<'_>) -> Vec<Line> {
        let options = self.options;
        let at = self.offset(record.at_ms);
        match &record.body {
            Body::Header(header) => {
                self.started_ms = header.started_ms;
                vec![headline(header)]
            }
            Body::Hooks(loaded) => {
                let count = loaded.hooks.len();
                vec![Line::new(Tone::Quiet, format!("{at}{count} hook{} loaded", if count == 1 { "" } else { "s" }))]
            }
            Body::Event(fired) => {
                self.open.insert(fired.dispatch, Block::new(at, fired));
                Vec::new()
            }
            Body::Outcome(decided) => {
                let Some(block) = self.open.remove(&decided.dispatch) else { return Vec::new() };
                let parent = block.parent();
                let lines = block.close(decided, &options);
                match parent.and_then(|parent| self.open.get_mut(&parent)) {
                    Some(parent) => {
                        parent.nest(lines);
                        Vec::new()
                    }
                    None => lines,
                }
            }
            Body::Host(host) if options.notes => host::line(&at, host, &options, &self.removed).into_iter().collect(),
            Body::Approval(resolved) if resolved.dispatch.is_none() && options.notes => {
                vec![host::approval(&at, resolved)]
            }
            Body::Healed(healed) => vec![host::healed(&at, *healed)],
            Body::Closed(closed) if options.notes => vec![host::closed(&at, closed)],
            Body::Blob(_) | Body::Host(_) | Body::Closed(_) => Vec::new(),
            Body::Note(note) if options.notes => vec![note_line(&at, note, &options)],
            Body::Note(_) => Vec::new(),
            // A blob, as a follower is shown it.
            Body::Unknown { kind, .. } if kind == "blob" => Vec::new(),
            Body::Unknown { kind, .. } => {
                vec![Line::new(Tone::Quiet, format!("{at}{} (unknown kind of record)", plain(kind, 40)))]
            }
            body => match body.dispatch().and_then(|number| self.open.get_mut(&number)) {
                Some(block) => {
                    block.add(body, &options);
                    Vec::new()
                }
                None => block::alone(&at, body, &options),
            },
        }
    }

    /// The dispatches that never ended, as far as they went.
    #[must_use]
    pub fn finish(self) -> Vec<Line> {
        self.open.into_values().flat_map(Block::cut_short).collect()
    }

    /// When something happened, with the space behind it.
    fn offset(&self, at_ms: u64) -> String {
        if !self.options.offsets {
            return String::new();
        }
        let since = at_ms.saturating_sub(self.started_ms);
        format!("+{}.{:03}s  ", since / 1000, since % 1000)
    }
}

fn headline(header: &Header) -> Line {
    let mode = if header.shadow { ", in shadow mode: nothing is enforced" } else { "" };
    let (session, pintle) = (plain(&header.session, 80), plain(&header.pintle, 40));
    Line::new(Tone::Quiet, format!("session {session}, pintle {pintle}{mode}"))
}

fn note_line(at: &str, note: &Noted<'_>, options: &Options) -> Line {
    let text = |value: &Value| match value {
        Value::String(text) => plain(text, options.text_chars),
        other => plain(&other.to_string(), options.text_chars),
    };
    let field = |name: &str| note.data.get(name).and_then(Value::as_str);
    let what = match (&*note.data, field("role"), field("text")) {
        (_, Some(role), Some(said)) => format!("{}: {}", plain(role, 40), plain(said, options.text_chars)),
        (Value::Object(fields), ..) => {
            let pairs: Vec<String> =
                fields.iter().map(|(name, value)| format!("{}={}", plain(name, 40), text(value))).collect();
            pairs.join(" ")
        }
        (other, ..) => text(other),
    };
    let mut line = Line::new(Tone::Quiet, at);
    line.push(Tone::Plain, format!("{} ", plain(&note.kind, 40)));
    line.push(Tone::Plain, what);
    line
}
