//! The built-ins of scripts: one file for each namespace, and one table that lists them.

mod catalogue;
mod ctx;
mod decisions;
mod effects;
mod encoding;
mod files;
mod http;
mod json;
mod numbers;
mod regexes;
mod registration;
mod session;
mod sets;
mod shell;
mod strings;
mod tools;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use starlark::environment::{Globals, GlobalsBuilder, LibraryExtension};

pub(crate) use catalogue::namespace_members;
pub use catalogue::{ScriptBuiltinDef, catalogue};
pub use ctx::DONE_KEY;
pub(crate) use effects::increment_error;
pub(crate) use regexes::find_pattern_fault;
pub(crate) use registration::REGISTRATIONS;

use crate::language::ScriptKind;
use crate::source::ASSERT_ALIAS;

/// The globals of a kind of script, which are built once.
pub(crate) fn for_kind(script_kind: ScriptKind) -> &'static Globals {
    static HOOK: LazyLock<Globals> = LazyLock::new(|| {
        let decisions = base_globals().with(decisions::register_verdicts).with(decisions::register_changes);
        decisions.with(tools::register_for_hooks).build()
    });
    static TOOL: LazyLock<Globals> = LazyLock::new(|| base_globals().with(tools::register).build());
    static VERIFY: LazyLock<Globals> =
        LazyLock::new(|| base_globals().with(decisions::register_verdicts).with(tools::register).build());
    static PLUGIN: LazyLock<Globals> =
        LazyLock::new(|| base_globals().with(registration::register).with(tools::register_for_hooks).build());
    match script_kind {
        ScriptKind::Hook => &HOOK,
        ScriptKind::Plugin => &PLUGIN,
        ScriptKind::Tool => &TOOL,
        ScriptKind::Verify => &VERIFY,
    }
}

/// The names of `when`: those of the language itself, and `shell`.
pub(crate) const PURE: &[&str] = &[
    "False",
    "None",
    "True",
    "abs",
    "all",
    "any",
    "bool",
    "bytes",
    "chr",
    "dict",
    "dir",
    "enumerate",
    "fail",
    "float",
    "getattr",
    "hasattr",
    "hash",
    "int",
    "len",
    "list",
    "max",
    "min",
    "ord",
    "range",
    "repr",
    "reversed",
    "shell",
    "sorted",
    "str",
    "tuple",
    "type",
    "zip",
];

/// The names that the language's extensions add.
const EXTENSIONS: &[&str] = &["filter", "map", "struct"];

/// The names of the globals of a kind of script. Most scripts are checked without the globals, which take longer to
/// build.
pub(crate) fn names_for_kind(script_kind: ScriptKind) -> &'static BTreeSet<&'static str> {
    fn read_names(script_kind: ScriptKind) -> BTreeSet<&'static str> {
        let of_kind = catalogue().iter().filter(|builtin| builtin.roles.contains(&script_kind));
        let roots = of_kind.map(|builtin| match builtin.name.split('.').next() {
            Some("assert") => ASSERT_ALIAS,
            root => root.unwrap_or_default(),
        });
        PURE.iter().chain(EXTENSIONS).copied().chain(roots).collect()
    }
    static HOOK: LazyLock<BTreeSet<&str>> = LazyLock::new(|| read_names(ScriptKind::Hook));
    static TOOL: LazyLock<BTreeSet<&str>> = LazyLock::new(|| read_names(ScriptKind::Tool));
    static VERIFY: LazyLock<BTreeSet<&str>> = LazyLock::new(|| read_names(ScriptKind::Verify));
    static PLUGIN: LazyLock<BTreeSet<&str>> = LazyLock::new(|| read_names(ScriptKind::Plugin));
    match script_kind {
        ScriptKind::Hook => &HOOK,
        ScriptKind::Plugin => &PLUGIN,
        ScriptKind::Tool => &TOOL,
        ScriptKind::Verify => &VERIFY,
    }
}

/// The globals of `when`: the language itself, and `shell`.
pub(crate) fn for_when() -> &'static Globals {
    static PURE: LazyLock<Globals> = LazyLock::new(|| GlobalsBuilder::standard().with(shell::register).build());
    &PURE
}

fn base_globals() -> GlobalsBuilder {
    GlobalsBuilder::extended_by(&[
        LibraryExtension::StructType,
        LibraryExtension::Print,
        LibraryExtension::Map,
        LibraryExtension::Filter,
    ])
    .with(effects::register)
    .with(ctx::register)
    .with(session::register)
    .with(json::register)
    .with(http::register)
    .with(numbers::register)
    .with(regexes::register)
    .with(sets::register)
    .with(shell::register)
    .with(strings::register)
    .with(encoding::register)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_globals() {
        for kind in [ScriptKind::Hook, ScriptKind::Tool, ScriptKind::Verify, ScriptKind::Plugin] {
            let built: BTreeSet<&str> = for_kind(kind).names().map(|name| name.as_str()).collect();
            assert_eq!(names_for_kind(kind), &built, "{kind:?}");
        }
    }

    #[test]
    fn the_names_of_when_are_all_listed() {
        let mut names: Vec<&str> = for_when().names().map(|name| name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(PURE, names);
    }
}
