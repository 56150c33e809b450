//! What tests noticed, as text and as JSON.

use std::collections::BTreeMap;

use pintle_host::tape::show::Tone;
use serde_json::{Value, json};

use super::hook_mutants::HookMutant;
use crate::render::{count_text, path_text, style};
use crate::terminal::Terminal;

/// What became of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MutantFate {
    /// A test fails.
    Noticed,
    /// No test fails.
    Survives {
        /// Whether a test reaches it.
        is_reached: bool,
    },
    /// No test fails, and its author says why none can.
    Equivalent(String),
    /// It does not load, so it says nothing about the tests.
    Invalid,
}

/// A mutant with what became of it.
#[derive(Debug)]
pub(super) struct JudgedMutant {
    pub(super) mutant: HookMutant,
    pub(super) fate: MutantFate,
}

/// What became of all mutants.
#[derive(Debug)]
pub(in crate::commands::test) struct MutationReport {
    mutants: Vec<JudgedMutant>,
    /// The hooks that are not changed, since they act outside of Pintle.
    skipped: Vec<String>,
    /// The hook because of which cases and scenarios are not run.
    blocker: Option<String>,
    /// The lines whose marks say another number of equivalent mutants than survive there.
    wrong_marks: Vec<String>,
}

impl MutationReport {
    pub(super) fn new(mutants: Vec<JudgedMutant>, skipped: Vec<String>, blocker: Option<String>) -> Self {
        let mut report = Self { mutants, skipped, blocker, wrong_marks: Vec::new() };
        report.apply_marks();
        report
    }

    /// Takes the survivors of marked lines for equivalent, if there are as many as the marks say.
    fn apply_marks(&mut self) {
        let mut lines: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for judged in &self.mutants {
            if let Some((marked, _)) = judged.mutant.equivalence() {
                let survives = matches!(judged.fate, MutantFate::Survives { .. });
                let line = lines.entry(place_text(&judged.mutant)).or_insert((marked, 0));
                line.1 += usize::from(survives);
            }
        }
        for judged in &mut self.mutants {
            let Some((marked, reason)) = judged.mutant.equivalence() else { continue };
            let survives = matches!(judged.fate, MutantFate::Survives { .. });
            if survives && lines.get(&place_text(&judged.mutant)) == Some(&(marked, marked)) {
                judged.fate = MutantFate::Equivalent(reason);
            }
        }
        let wrong = lines.into_iter().filter(|(_, (marked, surviving))| marked != surviving);
        let text = |(line, (marked, surviving))| {
            format!(
                "{line} is marked for {}, and tests do not notice {surviving}",
                count_text(marked, "equivalent mutant")
            )
        };
        self.wrong_marks = wrong.map(text).collect();
    }

    fn count(&self, is_it: impl Fn(&MutantFate) -> bool) -> usize {
        self.mutants.iter().filter(|judged| is_it(&judged.fate)).count()
    }

    fn survivors(&self) -> impl Iterator<Item = (&HookMutant, bool)> {
        self.mutants.iter().filter_map(|judged| match judged.fate {
            MutantFate::Survives { is_reached } => Some((&judged.mutant, is_reached)),
            _ => None,
        })
    }

    fn equivalents(&self) -> impl Iterator<Item = (&HookMutant, &str)> {
        self.mutants.iter().filter_map(|judged| match &judged.fate {
            MutantFate::Equivalent(reason) => Some((&judged.mutant, reason.as_str())),
            _ => None,
        })
    }

    /// Whether a mutant survives.
    pub(in crate::commands::test) fn has_survivor(&self) -> bool {
        self.survivors().next().is_some()
    }

    pub(in crate::commands::test) fn print_text(&self, terminal: &Terminal) {
        terminal.print_line("");
        terminal.print_line("mutants");
        for (mutant, is_reached) in self.survivors() {
            let why = if is_reached { "no test fails" } else { "no test reaches it" };
            let text = style::paint_text(Tone::Bad, why);
            terminal.print_line(format!("  {}: {}: {text}: {}", place_text(mutant), mutant.hook, mutant.change));
            mutant.before.iter().for_each(|line| terminal.print_line(format!("    - {line}").trim_end()));
            mutant.after.iter().for_each(|line| terminal.print_line(format!("    + {line}").trim_end()));
        }
        let survivors = self.survivors().count();
        let equivalents = self.equivalents().count();
        let mut parts = vec![format!("{} noticed", self.count(|fate| *fate == MutantFate::Noticed))];
        if equivalents > 0 {
            parts.push(format!("{equivalents} marked as equivalent"));
        }
        parts.push(format!("{survivors} {}", if survivors == 1 { "survives" } else { "survive" }));
        let judged = self.count(|fate| *fate != MutantFate::Invalid);
        let tone = if survivors == 0 { Tone::Good } else { Tone::Bad };
        let text = style::paint_text(tone, parts.join(", "));
        terminal.print_line(format!("  {}: {text}", count_text(judged, "mutant")));
        for hook in &self.skipped {
            terminal.print_note(format!("hook `{hook}` acts outside of Pintle, so it is not changed"));
        }
        if let Some(hook) = &self.blocker {
            terminal.print_note(format!(
                "cases and scenarios were not run with mutants, because hook `{hook}` acts outside of Pintle"
            ));
        }
        self.wrong_marks.iter().for_each(|text| terminal.print_note(text));
    }

    pub(in crate::commands::test) fn to_json(&self) -> Value {
        let place = |mutant: &HookMutant| {
            json!({
                "path": mutant.path.as_deref().map(path_text),
                "line": mutant.line,
                "hook": mutant.hook,
                "change": mutant.change,
                "before": mutant.before,
                "after": mutant.after,
            })
        };
        let with = |mut value: Value, key: &str, other: Value| {
            if let Value::Object(fields) = &mut value {
                fields.insert(key.to_owned(), other);
            }
            value
        };
        let survivors = self.survivors().map(|(mutant, reached)| with(place(mutant), "reached", Value::from(reached)));
        let equivalents = self.equivalents().map(|(mutant, reason)| with(place(mutant), "reason", Value::from(reason)));
        json!({
            "noticed": self.count(|fate| *fate == MutantFate::Noticed),
            "invalid": self.count(|fate| *fate == MutantFate::Invalid),
            "survivors": survivors.collect::<Vec<_>>(),
            "equivalents": equivalents.collect::<Vec<_>>(),
            "not_changed": self.skipped,
        })
    }
}

fn place_text(mutant: &HookMutant) -> String {
    match &mutant.path {
        Some(path) => format!("{}:{}", path_text(path), mutant.line),
        None => format!("line {}", mutant.line),
    }
}
