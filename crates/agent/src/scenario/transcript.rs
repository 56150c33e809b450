//! What happened in a scenario, line by line, with what differs.

use pintle_host::contract::Location;

/// Most characters of a text in a line.
const TEXT: usize = 300;

/// What happened in a scenario.
#[derive(Debug, Clone, Default)]
pub struct ScenarioTranscript {
    /// The lines, in order.
    pub lines: Vec<TranscriptLine>,
}

/// One line of a transcript.
#[derive(Debug, Clone)]
pub struct TranscriptLine {
    /// Who acts: `user`, `model`, `call`, `clock`, `hook`, `compact`, `ends` or `end`.
    pub who: &'static str,
    /// What happened.
    pub text: String,
    /// The step that it belongs to.
    pub location: Location,
    /// What differs from what the step expects.
    pub differences: Vec<ScenarioDifference>,
}

/// One thing that differs from what is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioDifference {
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl ScenarioTranscript {
    /// The first line that differs; `None` if the scenario holds.
    #[must_use]
    pub fn first_difference(&self) -> Option<&TranscriptLine> {
        self.lines.iter().find(|line| !line.differences.is_empty())
    }

    /// All differences, in order.
    pub fn differences(&self) -> impl Iterator<Item = &ScenarioDifference> {
        self.lines.iter().flat_map(|line| &line.differences)
    }
}

impl ScenarioDifference {
    pub(super) fn new(expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self { expected: expected.into(), found: actual.into() }
    }

    /// A text that something does not contain.
    pub(super) fn containing(subject: &str, wanted: &str, actual: &str) -> Self {
        let found = if actual.is_empty() { format!("no {subject}") } else { shorten(actual) };
        Self::new(format!("the {subject} has \"{}\"", shorten(wanted)), found)
    }
}

/// A text in one line, cut if it is long.
pub(super) fn shorten(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match flat.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", flat.get(..end).unwrap_or_default()),
        None => flat,
    }
}
