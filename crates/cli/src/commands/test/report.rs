//! The results as text, as JSON and as JUnit's XML.

use std::fmt::Write as _;

use pintle_host::tape::show::{StyledLine, Tone, single_line};
use serde_json::{Value, json};

use super::coverage::CoverageReport;
use super::mutate::MutationReport;
use super::scenarios::render_transcript;
use super::test_result::{TestKind, TestResult, TestStatus};
use crate::error::CliStatus;
use crate::render::diagnostic::{JsonDiagnostic, render_diagnostic};
use crate::render::{count_text, location_text, path_text, style};
use crate::terminal::Terminal;

/// The version of the JSON form.
const JSON_VERSION: u32 = 1;
/// Most characters of a line of the list.
const LINE: usize = 300;

/// What is said if there are no examples.
const NO_EXAMPLES: &str = "no examples: nothing was tested";
/// How to write one.
const FIRST_EXAMPLE: &str = "add them to a hook file, beside `event:`\n\n    examples:\n      - call: rm -rf ~\n        \
                             expect: block\n      - call: ls\n        expect: allow\n";

/// The results of all examples.
#[derive(Debug)]
pub(super) struct TestReport {
    results: Vec<TestResult>,
    coverage: Option<CoverageReport>,
    mutants: Option<MutationReport>,
}

impl TestReport {
    pub(super) fn new(results: Vec<TestResult>, coverage: Option<CoverageReport>) -> Self {
        Self { results, coverage, mutants: None }
    }

    pub(super) fn set_mutants(&mut self, mutants: MutationReport) {
        self.mutants = Some(mutants);
    }

    /// What tests noticed of mutants, if that was asked for.
    pub(super) fn mutants(&self) -> Option<&MutationReport> {
        self.mutants.as_ref()
    }

    /// What the tests reached, if that was asked for.
    pub(super) fn coverage(&self) -> Option<&CoverageReport> {
        self.coverage.as_ref()
    }

    pub(super) fn status(&self) -> CliStatus {
        let has = |is_it: fn(&TestStatus) -> bool| self.results.iter().any(|result| is_it(&result.status));
        if has(|status| matches!(status, TestStatus::Fails(_))) {
            CliStatus::Failed
        } else if has(|status| matches!(status, TestStatus::NotRun(_))) {
            CliStatus::Invalid
        } else {
            CliStatus::Done
        }
    }

    pub(super) fn has_failed_case(&self) -> bool {
        let failed =
            |result: &TestResult| result.kind.is_of_all_hooks() && matches!(result.status, TestStatus::Fails(_));
        self.results.iter().any(failed)
    }

    /// The results by their files, in the order of the first result of each.
    fn by_file(&self) -> Vec<(String, Vec<&TestResult>)> {
        let mut files: Vec<(String, Vec<&TestResult>)> = Vec::new();
        for result in &self.results {
            let path = result.location.path().map_or_else(|| String::from("(no file)"), path_text);
            match files.iter_mut().find(|(known, _)| *known == path) {
                Some((_, of_file)) => of_file.push(result),
                None => files.push((path, vec![result])),
            }
        }
        files
    }

    pub(super) fn print_text(&self, terminal: &Terminal) {
        if self.results.is_empty() {
            terminal.print_line(NO_EXAMPLES);
            terminal.print_line(style::with_label(Tone::Good, "help", FIRST_EXAMPLE));
            return;
        }
        for (path, results) in self.by_file() {
            let (tone, text) = summary_text(&results);
            terminal.print_line(format!("{}: {}", single_line(&path, LINE), style::paint_text(tone, text)));
            for (result, diagnostic) in results.iter().filter_map(|result| Some((result, result.diagnostic()?))) {
                terminal.print_line("");
                terminal.print_line(render_diagnostic(&diagnostic));
                if !result.transcript.is_empty() {
                    terminal.print_line("");
                    terminal.print_lines(&render_transcript(&result.transcript));
                }
            }
            if results.iter().any(|result| result.diagnostic().is_some()) {
                terminal.print_line("");
            }
        }
        let all: Vec<&TestResult> = self.results.iter().collect();
        let (tone, text) = summary_text(&all);
        terminal.print_line(format!("{}: {}", count_text(self.by_file().len(), "file"), style::paint_text(tone, text)));
        self.coverage.iter().for_each(|coverage| coverage.print_text(terminal));
        self.mutants.iter().for_each(|mutants| mutants.print_text(terminal));
    }

    /// Prints what does not hold to standard error.
    pub(super) fn print_failures(&self, terminal: &Terminal) {
        let found = self.results.iter().filter_map(TestResult::diagnostic);
        found.for_each(|diagnostic| terminal.print_error_line(render_diagnostic(&diagnostic)));
    }

    pub(super) fn render_list(&self) -> Vec<StyledLine> {
        let line = |result: &TestResult| {
            let place = location_text(&result.location).unwrap_or_default();
            let hook = result.hook.as_deref().unwrap_or("all hooks");
            single_line(&format!("{place}: {hook}: {} `{}`", result.expect, result.name), LINE)
        };
        self.results.iter().map(|result| StyledLine::new(Tone::Plain, line(result))).collect()
    }

    pub(super) fn to_json(&self) -> Value {
        let results: Vec<Value> = self.results.iter().map(result_to_json).collect();
        let count = |is_it: fn(&TestStatus) -> bool| self.results.iter().filter(|result| is_it(&result.status)).count();
        json!({
            "version": JSON_VERSION,
            "held": count(|status| *status == TestStatus::Holds),
            "failed": count(|status| matches!(status, TestStatus::Fails(_))),
            "not_run": count(|status| matches!(status, TestStatus::NotRun(_) | TestStatus::Listed)),
            "results": results,
            "coverage": self.coverage.as_ref().map(CoverageReport::to_json),
            "mutants": self.mutants.as_ref().map(MutationReport::to_json),
        })
    }

    /// The results as JUnit's XML: a suite for each file.
    pub(super) fn to_junit(&self) -> String {
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let (failed, not_run) = count_unheld(self.results.iter());
        // Writing to a text cannot fail.
        let _ = writeln!(
            xml,
            "<testsuites name=\"pintle test\" tests=\"{}\" failures=\"{failed}\" skipped=\"{not_run}\">",
            self.results.len()
        );
        for (path, results) in self.by_file() {
            let (failed, not_run) = count_unheld(results.iter().copied());
            let _ = writeln!(
                xml,
                "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\" skipped=\"{not_run}\">",
                escape_xml(&path),
                results.len()
            );
            results.iter().for_each(|result| write_case(&mut xml, &path, result));
            xml.push_str("  </testsuite>\n");
        }
        xml.push_str("</testsuites>");
        xml
    }
}

fn count_unheld<'r>(results: impl Iterator<Item = &'r TestResult>) -> (usize, usize) {
    results.fold((0, 0), |(failed, not_run), result| match result.status {
        TestStatus::Fails(_) => (failed + 1, not_run),
        TestStatus::NotRun(_) | TestStatus::Listed => (failed, not_run + 1),
        TestStatus::Holds => (failed, not_run),
    })
}

/// How many examples hold, fail and were not run.
fn summary_text(results: &[&TestResult]) -> (Tone, String) {
    let of = |kind| results.iter().filter(|result| result.kind == kind).count();
    let counts = [
        (of(TestKind::Example), "example"),
        (of(TestKind::Case), "case"),
        (of(TestKind::Scenario), "scenario"),
        (of(TestKind::Rule), "example"),
    ];
    let [examples, cases, scenarios, rules] = counts.map(|(count, noun)| (count > 0).then(|| count_text(count, noun)));
    let what: Vec<String> =
        [examples, cases, scenarios, rules.map(|text| format!("{text} of rules"))].into_iter().flatten().collect();
    let what = what.join(", ");
    let (failed, not_run) = count_unheld(results.iter().copied());
    let verb = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    match (failed, not_run) {
        (0, 0) if results.len() == 1 => (Tone::Good, format!("{what} holds")),
        (0, 0) => (Tone::Good, format!("{what}, all hold")),
        (0, not_run) => (Tone::Warn, format!("{what}, {}", verb(not_run, "was not run", "were not run"))),
        (failed, 0) => (Tone::Bad, format!("{what}, {}", verb(failed, "fails", "fail"))),
        (failed, not_run) => (
            Tone::Bad,
            format!("{what}, {}, {}", verb(failed, "fails", "fail"), verb(not_run, "was not run", "were not run")),
        ),
    }
}

fn result_to_json(result: &TestResult) -> Value {
    let (status, problems) = match &result.status {
        TestStatus::Holds => ("holds", Vec::new()),
        TestStatus::Fails(problems) => ("fails", problems.clone()),
        TestStatus::NotRun(why) => ("not_run", vec![why.clone()]),
        TestStatus::Listed => ("listed", Vec::new()),
    };
    json!({
        "kind": result.kind,
        "status": status,
        "path": result.location.path().map(path_text),
        "line": result.location.line_column().map(|(line, _)| line),
        "hook": result.hook,
        "event": result.event,
        "name": result.name,
        "expect": result.expect,
        "actual": result.actual,
        "problems": problems,
        "transcript": result.transcript.iter().map(|line| single_line(&format!("{} {}", line.who, line.text), LINE)).collect::<Vec<_>>(),
        "finding": result.diagnostic().as_ref().map(JsonDiagnostic::from),
    })
}

fn write_case(xml: &mut String, path: &str, result: &TestResult) {
    let class = result.hook.as_deref().unwrap_or(path);
    let line = result.location.line_column().map_or(0, |(line, _)| line);
    let _ = write!(
        xml,
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{line}\"",
        escape_xml(class),
        escape_xml(&format!("{} {}", result.expect, result.name)),
        escape_xml(path)
    );
    let text = |problems: &[String]| escape_xml(&problems.join("; "));
    let _ = match &result.status {
        TestStatus::Holds => writeln!(xml, "/>"),
        TestStatus::Fails(problems) => {
            let place = location_text(&result.location).map(|place| escape_xml(&place)).unwrap_or_default();
            writeln!(xml, "><failure message=\"{}\">{place}</failure></testcase>", text(problems))
        }
        TestStatus::NotRun(why) => writeln!(xml, "><skipped message=\"{}\"/></testcase>", escape_xml(why)),
        TestStatus::Listed => writeln!(xml, "><skipped/></testcase>"),
    };
}

/// A text as XML. Characters that XML does not have are replaced.
fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_an_attribute_of_xml() {
        assert_eq!(escape_xml("a<b>\"&'\n\u{1b}[0m\u{0}"), "a&lt;b&gt;&quot;&amp;'&#10;\u{fffd}[0m\u{fffd}");
    }
}
