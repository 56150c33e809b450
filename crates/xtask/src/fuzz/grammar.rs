//! Programs of a grammar: every place where a shell runs something, one inside another.
//!
//! The rows of the grammar are in `grammar.txt`. A program is a chain of them: each is in one place of the row in front of
//! it, and the other places have texts that run nothing. The last one runs the marker.

use super::random::RandomNumbers;

/// The file that a program makes if it runs its innermost command.
pub(super) const MARKER: &str = "MARK";

const ROWS: &str = include_str!("grammar.txt");
/// The most rows of a program, those aside that only change the kind of a text.
const MAX_DEPTH: usize = 4;
/// The most rows of a program.
const MAX_ROWS: usize = 12;

/// A row of the grammar.
pub(super) struct GrammarRow {
    kind: char,
    /// The texts between the places: one more than there are places.
    texts: Vec<String>,
    places: Vec<GrammarPlace>,
}

/// A place in a row: the kind of its text, and the quotes around it.
struct GrammarPlace {
    kind: char,
    quotes: String,
}

/// The rows that a shell reads.
pub(super) struct GrammarTable {
    rows: Vec<GrammarRow>,
}

/// A row in a program.
#[derive(Debug, Clone, PartialEq)]
struct ProgramStep {
    row: usize,
    /// The place of the next step.
    place: usize,
    /// The texts of the other places.
    fillers: Vec<&'static str>,
}

/// A program, from the outermost row to the innermost one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GrammarProgram {
    steps: Vec<ProgramStep>,
}

/// Texts that run nothing, the simplest of each kind first.
fn fillers_of(kind: char) -> &'static [&'static str] {
    match kind {
        'W' => &["w", "\"$x\"", "$nope", "*", "'q r'", "${nope:-d}"],
        'Q' => &["q", "$x", "'", "a b"],
        'A' => &["1", "x", "1 + 1", "(0)"],
        _ => &[":", "true", "x=1", "echo 'a b'"],
    }
}

impl GrammarTable {
    /// The rows of a shell.
    pub(super) fn of_shell(shell: &str) -> Result<Self, String> {
        let (mut rows, mut is_read) = (Vec::new(), false);
        for line in ROWS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(shells) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                is_read = shells == "every shell" || shells.split(' ').any(|known| known == shell);
            } else if is_read {
                rows.push(GrammarRow::parse(line).ok_or_else(|| format!("not a row of the grammar: {line}"))?);
            }
        }
        Ok(Self { rows })
    }

    /// A program of random rows.
    pub(super) fn draw(&self, random: &mut RandomNumbers) -> GrammarProgram {
        let depth = 1 + random.draw_index(MAX_DEPTH);
        let mut steps: Vec<ProgramStep> = Vec::new();
        let mut kind = 'C';
        while steps.len() < MAX_ROWS {
            let is_last = kind == 'S' && steps.len() >= depth;
            let is_wanted = |row: &GrammarRow| {
                row.kind == kind
                    && row.places.is_empty() == is_last
                    && (is_last || steps.len() < depth || row.leads_to_command())
            };
            let wanted: Vec<usize> =
                self.rows.iter().enumerate().filter(|(_, row)| is_wanted(row)).map(|(index, _)| index).collect();
            let Some(row) = wanted.get(random.draw_index(wanted.len())).copied() else { break };
            let Some(places) = self.rows.get(row).map(|row| &row.places) else { break };
            let place = random.draw_index(places.len());
            let fillers = places.iter().map(|place| {
                let all = fillers_of(place.kind);
                all.get(random.draw_index(all.len())).copied().unwrap_or_default()
            });
            steps.push(ProgramStep { row, place, fillers: fillers.collect() });
            let Some(next) = places.get(place) else { break };
            kind = next.kind;
        }
        GrammarProgram { steps }
    }

    /// The text of a program.
    pub(super) fn text_of(&self, program: &GrammarProgram) -> String {
        let mut inner = String::new();
        for step in program.steps.iter().rev() {
            let Some(row) = self.rows.get(step.row) else { continue };
            inner = row.fill(step, &inner);
        }
        inner
    }

    /// The shortest chain of rows that makes a text of a kind.
    fn plainest(&self, kind: char) -> Vec<ProgramStep> {
        let (mut steps, mut kind) = (Vec::new(), kind);
        while steps.len() < MAX_ROWS {
            let is_plain = |row: &GrammarRow| row.kind == kind && (row.places.is_empty() || row.leads_to_command());
            let found = self.rows.iter().enumerate().find(|(_, row)| is_plain(row));
            let Some((row, place)) = found.map(|(index, row)| (index, row.places.first())) else { break };
            steps.push(ProgramStep { row, place: 0, fillers: Vec::new() });
            let Some(place) = place else { break };
            kind = place.kind;
        }
        steps
    }

    /// Smaller programs that are parts of a program, the smallest first.
    pub(super) fn smaller(&self, program: &GrammarProgram) -> Vec<GrammarProgram> {
        let kind = |step: &ProgramStep| self.rows.get(step.row).map(|row| row.kind);
        let mut all = Vec::new();
        for (begin, first) in program.steps.iter().enumerate() {
            for (end, last) in program.steps.iter().enumerate().skip(begin + 1) {
                if kind(first) == kind(last) {
                    let mut steps = program.steps.clone();
                    drop(steps.drain(begin..end));
                    all.push(GrammarProgram { steps });
                }
            }
        }
        let plain = program.steps.iter().map(|step| {
            let places = self.rows.get(step.row).map(|row| row.places.as_slice()).unwrap_or_default();
            let fillers = places.iter().filter_map(|place| fillers_of(place.kind).first().copied()).collect();
            ProgramStep { fillers, ..step.clone() }
        });
        all.push(GrammarProgram { steps: plain.collect() });
        for (index, step) in program.steps.iter().enumerate() {
            let mut steps = program.steps.get(..index).unwrap_or_default().to_vec();
            steps.extend(self.plainest(kind(step).unwrap_or('C')));
            all.push(GrammarProgram { steps });
        }
        let size = |program: &GrammarProgram| (program.steps.len(), self.text_of(program).len());
        all.retain(|smaller| size(smaller) < size(program));
        all.sort_by_key(size);
        all
    }
}

impl GrammarRow {
    fn parse(line: &str) -> Option<Self> {
        let (kind, text) = line.split_once(' ')?;
        let text = text.replace('⏎', "\n").replace('⇥', "\t");
        let mut parts = text.split('«');
        let mut row = Self { kind: kind.chars().next()?, texts: vec![parts.next()?.to_owned()], places: Vec::new() };
        for part in parts {
            let (place, after) = part.split_once('»')?;
            let kind = place.chars().next()?;
            let quotes = place.get(kind.len_utf8()..)?.to_owned();
            "CSWQA".contains(kind).then_some(())?;
            row.places.push(GrammarPlace { kind, quotes });
            row.texts.push(after.to_owned());
        }
        Some(row)
    }

    /// Whether all its places are for commands, so that a chain can end.
    fn leads_to_command(&self) -> bool {
        let is_command = |place: &GrammarPlace| matches!((self.kind, place.kind), (_, 'S') | ('W' | 'Q' | 'A', 'C'));
        self.places.iter().all(is_command) && self.texts.concat().len() < 8
    }

    /// Its text with that of the next step, and with those that run nothing.
    fn fill(&self, step: &ProgramStep, inner: &str) -> String {
        let mut text = String::new();
        let fillers = step.fillers.iter().copied().chain(std::iter::repeat(""));
        for ((index, before), filler) in self.texts.iter().enumerate().zip(fillers) {
            text.push_str(before);
            if let Some(place) = self.places.get(index) {
                text.push_str(&place.quote(if index == step.place { inner } else { filler }));
            }
        }
        text
    }
}

impl GrammarPlace {
    /// A text as it is written inside the quotes of the place.
    fn quote(&self, text: &str) -> String {
        match self.quotes.as_str() {
            "'" => text.replace('\'', "'\\''"),
            "$'" => text.replace('\\', "\\\\").replace('\'', "\\'"),
            "\"" => text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`"),
            "`" => text.replace('\\', "\\\\").replace('`', "\\`"),
            "\"`" => text.replace('\\', "\\\\").replace('`', "\\`").replace('"', "\\\""),
            _ => text.to_owned(),
        }
    }
}
