//! Whether the examples of a pack's rules hold.

use std::path::Path;

use pintle_shell::{CallSite, Operation, ShellLanguage, operations_of_command};

use crate::{OperationTest, PackDef, RuleDef};

/// An example of a rule that does not hold.
#[derive(Debug, Clone, Copy)]
pub struct BrokenExample {
    /// The pack.
    pub pack: &'static PackDef,
    /// The rule.
    pub rule: &'static RuleDef,
    /// The command line.
    pub command: &'static str,
    /// Whether the rule should find something in it.
    pub is_stopped: bool,
}

/// The examples of a pack's rules that do not hold. They are judged by that very rule, without the settings of a user.
pub fn broken_examples(pack: &'static PackDef) -> impl Iterator<Item = BrokenExample> {
    pack.rules.iter().flat_map(move |rule| {
        let stops = rule.stops.iter().map(|command| (*command, true));
        let passes = rule.passes.iter().map(|command| (*command, false));
        let broken = move |(command, is_stopped): (&'static str, bool)| {
            (finds(rule.tests, command) != is_stopped).then_some(BrokenExample { pack, rule, command, is_stopped })
        };
        stops.chain(passes).filter_map(broken)
    })
}

/// A row of a rule, which is one of its tests.
#[derive(Debug, Clone, Copy)]
pub struct RowCoverage {
    /// The rule.
    pub rule: &'static RuleDef,
    /// The index of the row in the rule's tests.
    pub row: usize,
    /// Whether the row decides one of the rule's examples.
    pub decides_example: bool,
}

/// The rows of a pack's rules, and which of them decide an example: one that the rule stops, and in which this row is the
/// first that finds something.
pub fn row_coverage(pack: &'static PackDef) -> impl Iterator<Item = RowCoverage> {
    pack.rules.iter().flat_map(|rule| {
        let deciding: Vec<usize> = rule.stops.iter().filter_map(|command| deciding_row(rule.tests, command)).collect();
        let row = move |row| RowCoverage { rule, row, decides_example: deciding.contains(&row) };
        (0..rule.tests.len()).map(row).collect::<Vec<_>>()
    })
}

/// The row that decides about a command line.
fn deciding_row(tests: &[OperationTest], command: &str) -> Option<usize> {
    let operations = operations_of_example(command);
    operations.iter().find_map(|operation| tests.iter().position(|test| test.matches(operation)))
}

fn finds(tests: &[OperationTest], command: &str) -> bool {
    deciding_row(tests, command).is_some()
}

/// What a command line would do in the project of the examples.
fn operations_of_example(command: &str) -> Vec<Operation> {
    let home = Path::new(if cfg!(windows) { "C:/Users/user" } else { "/home/user" });
    let project = home.join("project");
    let site = CallSite::new(&project, &project).with_home(Some(home));
    operations_of_command(command, ShellLanguage::BashOrZsh, &site)
}

impl BrokenExample {
    /// What is wrong, in one line.
    #[must_use]
    pub fn message(&self) -> String {
        let found = if self.is_stopped { "finds nothing in" } else { "finds something in" };
        format!("`{}.{}` {found} its example `{}`", self.pack.name, self.rule.id, self.command)
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::OperationKind;

    use super::*;
    use crate::RuleSeverity;

    const RULE: RuleDef = RuleDef {
        id: "delete",
        severity: RuleSeverity::Deny,
        tests: &[OperationTest::new(OperationKind::Delete)],
        reason: "this deletes",
        instead: "Move it away.",
        stops: &["rm a", "cat a"],
        passes: &["ls", "rm -r b"],
    };
    static PACK: PackDef =
        PackDef { name: "trial", doc: "Refuses to delete.", is_default: false, pausable: &[], rules: &[RULE] };

    #[test]
    fn an_example_that_does_not_hold_is_found_either_way() {
        let messages: Vec<String> = broken_examples(&PACK).map(|broken| broken.message()).collect();
        let wanted = [
            "`trial.delete` finds nothing in its example `cat a`",
            "`trial.delete` finds something in its example `rm -r b`",
        ];
        assert_eq!(messages, wanted);
    }
}
