//! The table of programs: rows of the texts in `rows` and `commands`, which are read when a program is first called.
//!
//! Of a program without a row, `pintle try` shows only operations on paths that need care.

use std::sync::LazyLock;

use super::option_uses::ValueUse;
use super::program::{ProgramDef, TextSource, WordUse, WrapperDef};
use super::transfer::SenderDef;
use crate::name_index::{PROGRAMS, PROGRAMS_COUNT, ROW_TEXTS, ROWS, ROWS_COUNT, ReadOnce};
use crate::paths::matches_glob;
use crate::walk::OptionLetters;

/// What a row says of its programs.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableRow {
    pub(super) kind: &'static str,
    pub(super) value: &'static str,
    fields: &'static str,
}

impl TableRow {
    fn new(text: &'static str) -> Self {
        let (first, fields) = text.split_once(" | ").unwrap_or((text, ""));
        let (kind, value) = first.split_once(' ').unwrap_or((first, ""));
        Self { kind, value, fields }
    }

    pub(super) fn fields(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let fields = self.fields.split(" | ").filter(|field| !field.is_empty());
        fields.map(|field| field.split_once(' ').unwrap_or((field, "")))
    }

    /// The value of a field, if the row has it.
    pub(super) fn field(self, name: &str) -> Option<&'static str> {
        self.fields().find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    pub(super) fn text(self, name: &str) -> &'static str {
        self.field(name).unwrap_or_default()
    }

    pub(super) fn has(self, name: &str) -> bool {
        self.field(name).is_some()
    }

    /// The options that take a value.
    pub(super) fn grammar(self) -> OptionLetters {
        OptionLetters { letters: self.text("letters"), names: self.text("long") }
    }
}

/// All that the tables say of one program.
#[derive(Debug, Default)]
pub(super) struct ProgramFacts {
    pub(super) def: Option<ProgramDef>,
    pub(super) wrapper: Option<WrapperDef>,
    /// The sections of its subcommands, by their numbers.
    pub(super) sections: Vec<usize>,
    /// Options, and what it does with their values.
    pub(super) option_uses: Vec<(&'static str, ValueUse)>,
    /// The operand that it writes to, with its number and the options that take a value.
    pub(super) output: Option<(usize, &'static str)>,
    /// Options, without their dashes, by which it uses a file without showing it.
    pub(super) used_options: &'static str,
    pub(super) sources: Vec<TextSource>,
    pub(super) sender: Option<SenderDef>,
    /// Options whose value is a file or directory with code.
    pub(super) load_options: Vec<&'static str>,
    /// Files that it runs because of their names.
    pub(super) loaded_names: Vec<&'static str>,
    /// The words by which it gets a repository.
    pub(super) clone_words: Option<Vec<&'static str>>,
    /// The words by which it gets files from elsewhere.
    pub(super) fetch_words: Option<Vec<&'static str>>,
    /// Options whose value is a host or an address that it asks.
    pub(super) host_options: Vec<&'static str>,
    /// What it does with the files that its words name.
    pub(super) word_use: Option<WordUse>,
    kinds: Vec<&'static str>,
}

impl ProgramFacts {
    /// Whether it is of a kind that `loads.txt` explains.
    pub(super) fn is(&self, kind: &str) -> bool {
        self.kinds.contains(&kind)
    }

    /// Its options that take a value.
    pub(super) fn grammar(&self) -> OptionLetters {
        let wrapper = || self.wrapper.as_ref().map(|def| def.valued);
        self.def.as_ref().map(|def| def.valued).or_else(wrapper).unwrap_or_default()
    }

    /// Adds what a row says; `None` if it is not one.
    fn add(&mut self, row: TableRow) -> Option<()> {
        match row.kind {
            "runs" => self.def = Some(ProgramDef::read(row)?),
            "wraps" => self.wrapper = Some(WrapperDef::read(row)?),
            "option" => {
                let usage = ValueUse::read(row)?;
                self.option_uses.extend(row.value.split(' ').map(|option| (option, usage)));
            }
            "output" => self.output = Some((row.value.parse().ok()?, row.text("letters"))),
            "uses" => self.used_options = row.value,
            "gets" => self.sources.push(TextSource::read(row)?),
            "sends" => self.sender = Some(SenderDef::read(row)),
            "loads" => self.load_options.extend(row.value.split(' ')),
            "loads-names" => self.loaded_names.push(row.value),
            "clones" => self.clone_words = Some(row.value.split(' ').collect()),
            "fetches" => self.fetch_words = Some(row.value.split_ascii_whitespace().collect()),
            "asks" => self.host_options.extend(row.value.split(' ')),
            "words" => self.word_use = Some(WordUse::read(row.value)?),
            "is" => self.kinds.push(row.value),
            _ => return None,
        }
        Some(())
    }
}

/// What the rows of each program come to, once one of its calls was seen.
static FACTS: ReadOnce<ProgramFacts> = ReadOnce::new(PROGRAMS_COUNT);
static NO_FACTS: LazyLock<ProgramFacts> = LazyLock::new(ProgramFacts::default);

/// The rows of a text, with the names in front of each.
pub(super) fn read_rows(text: &'static str) -> impl Iterator<Item = (&'static str, TableRow)> {
    split_rows(text).map(|(names, row)| (names, TableRow::new(row)))
}

/// The rows of a text: their names, and the rest.
fn split_rows(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" | "))
}

/// What the tables say of a program.
pub(super) fn facts_of(name: &str) -> &'static ProgramFacts {
    let read = |position| {
        let mut facts = ProgramFacts::default();
        for number in PROGRAMS.numbers_at(position) {
            match ROWS.get(number) {
                // A test reads every row.
                Some(row) => drop(facts.add(TableRow::new(row.read_from(&ROW_TEXTS)))),
                None => facts.sections.push(number - ROWS_COUNT),
            }
        }
        Some(facts)
    };
    let found = PROGRAMS.find(name).and_then(|position| FACTS.get_or_read(position, || read(position)));
    found.unwrap_or(&NO_FACTS)
}

/// Whether any table says what a program does. Rows of its options alone do not.
pub(super) fn is_known_name(name: &str) -> bool {
    let facts = facts_of(name);
    facts.def.is_some() || facts.wrapper.is_some() || !facts.sections.is_empty()
}

/// Whether the table of programs has a name. A pattern may stand for any name that is known.
pub(crate) fn is_program(name: &str) -> bool {
    facts_of(name).def.is_some()
        || name.contains(['*', '?', '['])
            && PROGRAMS.names().any(|known| matches_glob(name, known) && is_known_name(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kinds of rows, and the fields that each may have.
    static KINDS: [(&str, &[&str]); 14] = [
        ("runs", &["letters", "long", "dry-run"]),
        ("wraps", &["letters", "long", "skips", "searches", "behind", "privileged", "elsewhere"]),
        ("output", &["letters"]),
        ("gets", &["words", "options", "files", "others", "operand", "no-input"]),
        ("sends", &["hosts", "files", "inputs"]),
        ("uses", &[]),
        ("loads", &[]),
        ("loads-names", &[]),
        ("clones", &[]),
        ("fetches", &[]),
        ("asks", &[]),
        ("is", &[]),
        ("words", &[]),
        // `ValueUse::read` knows its only field.
        ("option", &[]),
    ];

    #[test]
    fn every_line_of_the_tables_is_a_row() {
        for text in ROW_TEXTS {
            let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            assert_eq!(lines.clone().count(), split_rows(text).count());
            let explained = |kind: &str| text.contains(&format!("\n#   {kind} "));
            for (line, (_, row)) in lines.zip(read_rows(text)) {
                let (_, fields) = KINDS.iter().find(|(kind, _)| *kind == row.kind).expect(line);
                assert!(ProgramFacts::default().add(row).is_some(), "not a row: {line}");
                assert!(row.kind != "is" || explained(row.value), "a kind that is not explained: {line}");
                let mut names = row.fields().map(|(name, _)| name);
                assert!(row.kind == "option" || names.all(|name| fields.contains(&name)), "{line}");
                assert!(row.kind != "option" || row.fields().count() == 1, "{line}");
            }
        }
    }
}
