//! What the interpreter's own linter finds.

use starlark::analysis::AstModuleLint;
use starlark::syntax::AstModule;

use super::lint_finding;
use crate::finding::{Finding, one_line};

/// The lints that say something about a hook; the others are matters of taste.
const KEPT: &[&str] =
    &["unreachable", "missing-return", "no-effect", "ident-as-statement", "duplicate-key", "using-unassigned"];

pub(super) fn lint(ast: &AstModule) -> Vec<Finding> {
    let lints = ast.lint(None).into_iter().filter(|lint| KEPT.contains(&lint.short_name.as_str()));
    lints
        .map(|lint| {
            let span = lint.location.span;
            let span = (span.begin().get() as usize, span.end().get() as usize);
            let mut message = one_line(lint.problem);
            if let Some(first) = message.get_mut(0..1) {
                first.make_ascii_lowercase();
            }
            lint_finding(message, span)
        })
        .collect()
}
