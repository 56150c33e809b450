//! Whether the examples of a pack's rules hold.

use std::path::Path;

use pintle_shell::{CallSite, ShellLanguage, operations_of_command};

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

fn finds(tests: &[OperationTest], command: &str) -> bool {
    let home = Path::new(if cfg!(windows) { "C:/Users/user" } else { "/home/user" });
    let project = home.join("project");
    let site = CallSite::new(&project, &project).with_home(Some(home));
    let operations = operations_of_command(command, ShellLanguage::BashOrZsh, &site);
    operations.iter().any(|operation| tests.iter().any(|test| test.matches(operation)))
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
