//! The summary of a session.

use std::path::Path;

use pintle_host::event::TokenUsage;
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::render::{count_text, path_text};

#[derive(Debug, Serialize)]
pub(super) struct RunSummary<'a> {
    pub(super) kind: &'static str,
    pub(super) turns: u32,
    /// Why the last turn stopped, unless it ended normally.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_reason: Option<&'a str>,
    pub(super) tool_calls: usize,
    /// Number of tool calls that were denied, by a hook, a rule, the mode or the user, and of other denied events.
    pub(super) denied: usize,
    /// Number of hook failures.
    pub(super) failures: usize,
    /// Number of tool calls that ran although a hook that decides about them failed.
    pub(super) unguarded: usize,
    pub(super) usage: TokenUsage,
    pub(super) metrics: Map<String, Value>,
    pub(super) tape: &'a Path,
    /// The digest of the tape's last line, if the tape is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) digest: Option<&'a str>,
}

impl RunSummary<'_> {
    /// How many tool calls ran unguarded, if any did.
    pub(super) fn unguarded_text(&self) -> Option<String> {
        (self.unguarded > 0).then(|| format!("{} ran unguarded", count_text(self.unguarded, "tool call")))
    }

    /// Renders the summary as text.
    pub(super) fn render_text(&self) -> Vec<StyledLine> {
        let turns = usize::try_from(self.turns).unwrap_or(usize::MAX);
        let mut head = StyledLine::new(
            Tone::Plain,
            format!("{}, {}, ", count_text(turns, "turn"), count_text(self.tool_calls, "tool call")),
        );
        let tone = if self.denied == 0 { Tone::Plain } else { Tone::Bad };
        head.push(tone, format!("{} denied", self.denied));
        if self.failures > 0 {
            head.push(Tone::Plain, ", ");
            head.push(Tone::Warn, count_text(self.failures, "hook failure"));
        }
        if let Some(text) = self.unguarded_text() {
            head.push(Tone::Plain, ", ");
            head.push(Tone::Bad, text);
        }
        head.push(Tone::Plain, format!(", {} tokens in, {} out", self.usage.input_tokens, self.usage.output_tokens));
        let mut lines = vec![StyledLine::default(), head];
        let width = self.metrics.keys().map(|name| name.chars().count()).max().unwrap_or(0);
        for (name, value) in &self.metrics {
            lines.push(StyledLine::new(Tone::Plain, format!("  {:<width$}  {value}", single_line(name, 200))));
        }
        lines.push(StyledLine::new(Tone::Quiet, format!("tape: pintle tape show {}", path_text(self.tape))));
        if let Some(digest) = self.digest {
            lines.push(StyledLine::new(Tone::Quiet, format!("digest: {digest}")));
        }
        lines
    }
}
