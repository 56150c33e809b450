//! Reports what keeps hooks from guarding.

use std::collections::HashMap;
use std::path::Path;

use pintle_contract::{ByteSpan, Diagnostic, HandlerFactory, HandlerSpec, HookDeclaration};

/// A function of a file, which several hooks may name.
type FunctionKey<'a> = (&'a Path, &'a str);

/// Finds what keeps hooks from guarding. What a function of several hooks does is wrong only if it is for each of them.
pub(crate) fn lint_guards<'a>(
    hooks: impl Iterator<Item = &'a HookDeclaration>,
    factory: &dyn HandlerFactory,
) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let mut shared: HashMap<FunctionKey<'_>, Vec<Diagnostic>> = HashMap::new();
    for hook in hooks {
        let found = factory.check_guard(hook);
        let Some(key) = function_key(hook) else {
            findings.extend(found);
            continue;
        };
        match shared.get_mut(&key) {
            None => {
                shared.insert(key, found);
            }
            Some(known) => known.retain(|finding| found.iter().any(|other| place_of(other) == place_of(finding))),
        }
    }
    findings.extend(shared.into_values().flatten());
    findings
}

/// The function that a hook names in a file.
fn function_key(hook: &HookDeclaration) -> Option<FunctionKey<'_>> {
    let HandlerSpec::Function(function) = &hook.handler else { return None };
    Some((function.module.location.path()?, function.defined_name.as_deref()?))
}

fn place_of(finding: &Diagnostic) -> (&'static str, ByteSpan) {
    (finding.code, finding.location.span)
}
