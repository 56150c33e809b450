//! Findings of the interpreter's own linter.

use starlark::analysis::AstModuleLint;
use starlark::syntax::AstModule;

use crate::finding::{FindingCode, ScriptFinding, to_one_line};
use crate::language::ScriptKind;

/// The lints that are relevant to hooks; the others concern style.
const KEPT: &[&str] =
    &["unreachable", MISSING_RETURN, "no-effect", "ident-as-statement", "duplicate-key", "using-unassigned"];

/// Reported for functions without a return, which is fine in plugins: returning nothing lets the event pass.
const MISSING_RETURN: &str = "missing-return";

pub(super) fn lint(ast: &AstModule, script_kind: ScriptKind) -> Vec<ScriptFinding> {
    let kept = |name: &str| KEPT.contains(&name) && !(script_kind == ScriptKind::Plugin && name == MISSING_RETURN);
    let lints = ast.lint(None).into_iter().filter(|lint| kept(&lint.short_name));
    let findings = lints.map(|lint| {
        let span = lint.location.span;
        let mut message = to_one_line(lint.problem);
        if let Some(first) = message.get_mut(0..1) {
            first.make_ascii_lowercase();
        }
        let span = (span.begin().get() as usize, span.end().get() as usize);
        ScriptFinding::warning(FindingCode::Lint, message, Some(span))
    });
    findings.collect()
}
