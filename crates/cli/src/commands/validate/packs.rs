//! Checks of the packs that are on: the examples of their rules.

use pintle::packs::{PackDef, broken_examples};
use pintle::{Diagnostic, HookDeclaration, Location};

use crate::options::pack_of;

/// Checks that the examples of the packs hold: a rule whose examples do not hold does not guard what it says.
pub(super) fn check_examples(declarations: &[HookDeclaration]) -> Vec<Diagnostic> {
    let packs = declarations.iter().filter_map(|declared| Some((pack_of(declared)?.0, &declared.location)));
    packs.flat_map(|(pack, location)| check_pack(pack, location)).collect()
}

fn check_pack(pack: &'static PackDef, location: &Location) -> Vec<Diagnostic> {
    let help = "this is a defect in Pintle; report it, and guard the call with a hook of your own until then";
    let broken = broken_examples(pack);
    broken.map(|broken| Diagnostic::error("broken_example", broken.message(), location.clone()).help(help)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use pintle::packs::{OperationTest, RuleDef, RuleSeverity};
    use pintle::{ByteSpan, OperationKind, Severity, SourceFile};

    use super::*;

    const RULE: RuleDef = RuleDef {
        id: "delete",
        severity: RuleSeverity::Deny,
        tests: &[OperationTest::new(OperationKind::Delete)],
        reason: "this deletes",
        instead: "Move it away.",
        stops: &["cat a"],
        passes: &["ls"],
    };
    static PACK: PackDef = PackDef { name: "trial", doc: "Refuses to delete.", is_default: false, pausable: &[], rules: &[RULE] };

    #[test]
    fn an_example_that_does_not_hold_is_an_error_where_the_pack_is_used() {
        let file = Arc::new(SourceFile { path: PathBuf::from("policy.yaml"), text: String::from("use: [trial]\n") });
        let location = Location::new(file, ByteSpan { start: 6, end: 11 });
        let found = check_pack(&PACK, &location);
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((only.severity, &only.location), (Severity::Error, &location));
        assert_eq!(only.message, "`trial.delete` finds nothing in its example `cat a`");
    }
}
