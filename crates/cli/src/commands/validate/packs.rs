//! Checks of the packs that are on: the examples of their rules.

use pintle_host::Diagnostic;
use pintle_host::contract::{HookDeclaration, Location};
use pintle_host::packs::{BrokenExample, PackDef, broken_examples};

use crate::options::pack_of;

/// Checks that the examples of the packs hold: a rule whose examples do not hold does not guard what it says.
pub(super) fn check_examples<'d>(declarations: impl Iterator<Item = &'d HookDeclaration>) -> Vec<Diagnostic> {
    let packs = declarations.filter_map(|declared| Some((pack_of(declared)?.0, &declared.location)));
    packs.flat_map(|(pack, location)| check_pack(pack, location)).collect()
}

fn check_pack(pack: &'static PackDef, location: &Location) -> impl Iterator<Item = Diagnostic> {
    broken_examples(pack).map(|broken| report_broken(&broken, location))
}

fn report_broken(broken: &BrokenExample, location: &Location) -> Diagnostic {
    let help = "this is a defect in Pintle; report it, and guard the call with a hook of your own until then";
    Diagnostic::error("broken_example", broken.message(), location.clone()).help(help)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use pintle_host::Severity;
    use pintle_host::contract::{ByteSpan, SourceFile};
    use pintle_host::packs::pack_by_name;

    use super::*;

    #[test]
    fn an_example_that_does_not_hold_is_an_error_where_the_pack_is_used() {
        let file = Arc::new(SourceFile { path: PathBuf::from("policy.yaml"), text: String::from("use: [shell]\n") });
        let location = Location::new(file, ByteSpan { start: 6, end: 11 });
        let pack = pack_by_name("shell").unwrap();
        let broken = BrokenExample { pack, rule: &pack.rules[0], command: "cat a", is_stopped: true };
        let found = report_broken(&broken, &location);
        assert_eq!((found.severity, &found.location), (Severity::Error, &location));
        assert_eq!(found.message, "`shell.delete-root` finds nothing in its example `cat a`");
    }
}
