//! What tests reach: lines and conditions of scripts, rules of policy files, and rows of packs' rules.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use pintle_host::contract::Location;
use pintle_host::packs::row_coverage;
use pintle_host::script::{CoverageKind, CoveragePoint, CoverageRecorder};
use pintle_host::tape::show::{Tone, single_line};
use serde_json::{Value, json};

use super::plan::TestPlan;
use super::test_result::TestResult;
use crate::options::policy_rules_of;
use crate::render::{count_text, path_text, style};
use crate::terminal::Terminal;

/// Most characters of a condition.
const CONDITION: usize = 80;

/// What the tests of a run reached.
#[derive(Debug)]
pub(super) struct CoverageReport {
    files: BTreeMap<PathBuf, FileCoverage>,
    packs: Vec<PackCoverage>,
}

/// What is reached of a file.
#[derive(Debug, Default)]
struct FileCoverage {
    /// Each line on which statements or a rule begin, and whether all of them were reached.
    lines: BTreeMap<usize, bool>,
    /// Each way that a condition can come out, by its place and the way.
    branches: BTreeMap<(usize, usize, bool), BranchCoverage>,
}

/// A way that a condition can come out.
#[derive(Debug)]
struct BranchCoverage {
    line: usize,
    column: usize,
    /// The condition.
    text: String,
    is_reached: bool,
}

/// Which rows of a pack's rules decide one of their examples.
#[derive(Debug)]
struct PackCoverage {
    name: &'static str,
    rows: CoveredCount,
    /// The rows that decide none: the rule, and the number of the row from 1.
    missing: Vec<(String, usize)>,
}

/// How many of how many were reached.
#[derive(Debug, Clone, Copy, Default)]
struct CoveredCount {
    reached: usize,
    total: usize,
}

impl CoveredCount {
    fn count(all: impl Iterator<Item = bool>) -> Self {
        let add = |sum: Self, reached| Self { reached: sum.reached + usize::from(reached), total: sum.total + 1 };
        all.fold(Self::default(), add)
    }

    /// The part that was reached, rounded down.
    fn percent(self) -> usize {
        (self.reached * 100).checked_div(self.total).unwrap_or(100)
    }

    fn to_json(self) -> Value {
        json!({"reached": self.reached, "total": self.total, "percent": self.percent()})
    }

    fn text(self, noun: &str) -> String {
        format!("{noun} {} % ({} of {})", self.percent(), self.reached, self.total)
    }

    fn tone(self) -> Tone {
        if self.reached == self.total { Tone::Good } else { Tone::Warn }
    }
}

impl CoverageReport {
    pub(super) fn new(recorder: &CoverageRecorder, plan: &TestPlan, results: &[TestResult]) -> Self {
        let mut files: BTreeMap<PathBuf, FileCoverage> = BTreeMap::new();
        // A script that was loaded several times is one: a point is reached if it was in any of them.
        let mut statements: BTreeMap<(PathBuf, usize, usize), (usize, bool)> = BTreeMap::new();
        for script in recorder.scripts() {
            for (point, is_reached) in script.points() {
                let Some((path, (line, column))) = place_of(&point.location) else { continue };
                let span = point.location.span;
                match point.kind {
                    CoverageKind::Statement => {
                        statements.entry((path, span.start, span.end)).or_insert((line, false)).1 |= is_reached;
                    }
                    CoverageKind::ConditionTrue | CoverageKind::ConditionFalse => {
                        let way = (span.start, span.end, point.kind == CoverageKind::ConditionTrue);
                        let new = || BranchCoverage { line, column, text: text_of(point), is_reached: false };
                        let branches = &mut files.entry(path).or_default().branches;
                        branches.entry(way).or_insert_with(new).is_reached |= is_reached;
                    }
                }
            }
        }
        let statements = statements.into_iter().map(|((path, ..), (line, is_reached))| (path, line, is_reached));
        for (path, line, is_reached) in statements.chain(rules_of(plan, results)) {
            *files.entry(path).or_default().lines.entry(line).or_insert(true) &= is_reached;
        }
        Self { files, packs: plan.packs.iter().map(|active| PackCoverage::new(active.pack)).collect() }
    }

    fn lines(&self) -> CoveredCount {
        CoveredCount::count(self.files.values().flat_map(|file| file.lines.values().copied()))
    }

    fn branches(&self) -> CoveredCount {
        CoveredCount::count(self.files.values().flat_map(|file| file.branches.values().map(|branch| branch.is_reached)))
    }

    /// Why the lines that were reached are too few, if they are.
    pub(super) fn shortfall(&self, percent: u8) -> Option<String> {
        let lines = self.lines();
        (lines.reached * 100 < usize::from(percent) * lines.total)
            .then(|| format!("the tests reach {} % of the lines, and --fail-under wants {percent} %", lines.percent()))
    }

    pub(super) fn print_text(&self, terminal: &Terminal) {
        terminal.print_line("");
        terminal.print_line("coverage");
        for (path, file) in &self.files {
            let counts = file.counts();
            let path = single_line(&path_text(path), CONDITION);
            terminal.print_line(format!("  {path}: {}", counts.map_or_else(String::new, |counts| shown(&counts))));
            file.missing().into_iter().for_each(|text| terminal.print_line(format!("    {text}")));
        }
        for pack in &self.packs {
            let text = style::paint_text(pack.rows.tone(), pack.rows.text("rows"));
            terminal.print_line(format!("  pack {}: {text}", pack.name));
            for (rule, row) in &pack.missing {
                terminal.print_line(format!("    row {row} of {rule} decides none of its examples"));
            }
        }
        let total = shown(&[("lines", self.lines()), ("branches", self.branches())]);
        terminal.print_line(format!("  {}: {total}", count_text(self.files.len(), "file")));
    }

    pub(super) fn to_json(&self) -> Value {
        let file = |(path, file): (&PathBuf, &FileCoverage)| {
            let missing = file.branches.iter().filter(|(_, branch)| !branch.is_reached);
            let missing = missing.map(|((.., way), branch)| {
                json!({"line": branch.line, "column": branch.column, "condition": branch.text, "never": way})
            });
            json!({
                "path": path_text(path),
                "lines": file.lines().to_json(),
                "branches": file.branches().to_json(),
                "missing_lines": file.missing_lines().collect::<Vec<_>>(),
                "missing_branches": missing.collect::<Vec<_>>(),
            })
        };
        let pack = |pack: &PackCoverage| {
            let missing = pack.missing.iter().map(|(rule, row)| json!({"rule": rule, "row": row}));
            json!({"name": pack.name, "rows": pack.rows.to_json(), "missing": missing.collect::<Vec<_>>()})
        };
        json!({
            "lines": self.lines().to_json(),
            "branches": self.branches().to_json(),
            "files": self.files.iter().map(file).collect::<Vec<_>>(),
            "packs": self.packs.iter().map(pack).collect::<Vec<_>>(),
        })
    }

    /// The form that coverage services read.
    pub(super) fn to_lcov(&self) -> String {
        let mut text = String::new();
        for (path, file) in &self.files {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "TN:\nSF:{}", path_text(path));
            let mut conditions: Vec<(usize, usize)> = Vec::new();
            for ((start, end, way), branch) in &file.branches {
                if !conditions.contains(&(*start, *end)) {
                    conditions.push((*start, *end));
                }
                let (block, taken) = (conditions.len() - 1, u8::from(branch.is_reached));
                let _ = writeln!(text, "BRDA:{},{block},{},{taken}", branch.line, u8::from(*way));
            }
            let (branches, lines) = (file.branches(), file.lines());
            let _ = writeln!(text, "BRF:{}\nBRH:{}", branches.total, branches.reached);
            for (line, is_reached) in &file.lines {
                let _ = writeln!(text, "DA:{line},{}", u8::from(*is_reached));
            }
            let _ = writeln!(text, "LF:{}\nLH:{}\nend_of_record", lines.total, lines.reached);
        }
        text.trim_end().to_owned()
    }
}

fn shown(counts: &[(&str, CoveredCount)]) -> String {
    let texts: Vec<String> =
        counts.iter().map(|(noun, count)| style::paint_text(count.tone(), count.text(noun))).collect();
    texts.join(", ")
}

impl FileCoverage {
    fn lines(&self) -> CoveredCount {
        CoveredCount::count(self.lines.values().copied())
    }

    fn branches(&self) -> CoveredCount {
        CoveredCount::count(self.branches.values().map(|branch| branch.is_reached))
    }

    fn missing_lines(&self) -> impl Iterator<Item = usize> {
        self.lines.iter().filter(|(_, is_reached)| !**is_reached).map(|(line, _)| *line)
    }

    fn counts(&self) -> Option<Vec<(&'static str, CoveredCount)>> {
        let counts = [("lines", self.lines()), ("branches", self.branches())];
        let counts: Vec<_> = counts.into_iter().filter(|(_, count)| count.total > 0).collect();
        (!counts.is_empty()).then_some(counts)
    }

    /// What is missing, as a person reads it.
    fn missing(&self) -> Vec<String> {
        let ranges = self.missing_ranges();
        let mut texts = Vec::new();
        match ranges.as_slice() {
            [] => {}
            [one] if !one.contains('-') => texts.push(format!("line {one} is not reached")),
            several => texts.push(format!("lines {} are not reached", several.join(", "))),
        }
        // A condition that was never evaluated is on a line that says so.
        let of_line = |line: &usize| self.lines.get(line).copied().unwrap_or(true);
        let missing = self.branches.iter().filter(|(_, branch)| !branch.is_reached && of_line(&branch.line));
        texts.extend(
            missing.map(|((.., way), branch)| format!("line {}: `{}` is never {way}", branch.line, branch.text)),
        );
        texts
    }

    /// The missing lines, those with no other line that counts between them as one range.
    fn missing_ranges(&self) -> Vec<String> {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        let mut is_open = false;
        for (line, is_reached) in &self.lines {
            match ranges.last_mut().filter(|_| is_open && !is_reached) {
                Some((_, end)) => *end = *line,
                None if !is_reached => ranges.push((*line, *line)),
                None => {}
            }
            is_open = !is_reached;
        }
        let text = |(start, end)| if start == end { format!("{start}") } else { format!("{start}-{end}") };
        ranges.into_iter().map(text).collect()
    }
}

impl PackCoverage {
    fn new(pack: &'static pintle_host::packs::PackDef) -> Self {
        let rows: Vec<_> = row_coverage(pack).collect();
        let missing = rows.iter().filter(|row| !row.decides_example);
        let missing = missing.map(|row| (format!("{}.{}", pack.name, row.rule.id), row.row + 1)).collect();
        Self { name: pack.name, rows: CoveredCount::count(rows.iter().map(|row| row.decides_example)), missing }
    }
}

/// The rules of policy files that decide, with their files and lines, and whether one of the tests made them.
fn rules_of(plan: &TestPlan, results: &[TestResult]) -> Vec<(PathBuf, usize, bool)> {
    let mut rules = Vec::new();
    for declared in plan.built.declarations() {
        let Some(path) = declared.location.path() else { continue };
        // A rule of `allow` lets through what others would stop, and says nothing.
        for rule in policy_rules_of(declared).into_iter().filter(|rule| rule.severity.is_some()) {
            let mark = format!("[{}]", rule.name);
            let decides = results.iter().any(|result| result.said.iter().any(|text| text.contains(&mark)));
            rules.push((path.to_owned(), rule.line, decides));
        }
    }
    rules
}

fn place_of(location: &Location) -> Option<(PathBuf, (usize, usize))> {
    Some((location.path()?.to_owned(), location.line_column()?))
}

fn text_of(point: &CoveragePoint) -> String {
    let span = point.location.span;
    let text = point.location.file.as_ref().and_then(|file| file.text.get(span.start..span.end));
    single_line(text.unwrap_or_default(), CONDITION)
}
