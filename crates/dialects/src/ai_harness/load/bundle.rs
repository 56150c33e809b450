//! Loads a bundle: tools and hooks in the lists of one file's frontmatter.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::merge::{DeclarationSource, GatheredFiles, new_report};
use super::{hook, tool};
use crate::document::{FieldReader, KeyTable, NodeKind, UnknownKeys, key, split};
use crate::{Artifact, BundleFolder};

/// The directories whose bundles add their body to the model's context.
const GIVING_CONTEXT: [BundleFolder; 2] = [BundleFolder::Plugins, BundleFolder::Overrides];
/// Prefixes of list items in a fenced block that were meant for the frontmatter.
const FENCED: &[&str] = &["event:", "handler:", "name:"];

/// The parts of a bundle to load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BundleSelection {
    All,
    /// The condition cannot be evaluated. Restricting less than the author intended would be worse than restricting
    /// more.
    HooksOnly,
    /// The bundle's own condition disables it.
    Nothing,
}

/// Evaluates the `condition` of a bundle.
fn read_condition(fields: &mut FieldReader<'_>) -> BundleSelection {
    let Some(node) = fields.node("condition").filter(|node| !node.is_null()) else { return BundleSelection::All };
    let decided = match &node.kind {
        NodeKind::Scalar(scalar) if scalar.text.trim().is_empty() => Some(true),
        NodeKind::Scalar(scalar) => evaluate(&scalar.text),
        _ => None,
    };
    let (wanted, message, help) = match decided {
        Some(true) => return BundleSelection::All,
        Some(false) => (
            BundleSelection::Nothing,
            "`condition` is never true, so the bundle and its hooks are skipped",
            "move the file out of the directory, or remove `condition`",
        ),
        None => (
            BundleSelection::HooksOnly,
            "`condition` is decided when it is loaded, and this one cannot be: the hooks of the bundle always run, its tools \
             and its text are left out",
            "only `True`, `False`, `not`, `and` and `or` are decided; give each hook its own `when`, and put tools and text \
             that are always wanted into another bundle",
        ),
    };
    fields.report().warning("not_supported", message, node.span, help);
    wanted
}

/// Reads the file into the gathered declarations.
pub(super) fn read(artifact: &Artifact, dir: BundleFolder, gathered: &mut GatheredFiles) {
    let report = new_report(artifact, "artifact ");
    if let Some(document) = split(&report) {
        let place = report.first_line(document.matter_span);
        let mut fields =
            FieldReader::new(&report, format!("bundle `{}`", artifact.name), document.matter.as_ref(), place);
        BUNDLE.read(&mut fields);
        let wanted = read_condition(&mut fields);
        let gives_context = GIVING_CONTEXT.contains(&dir) || fields.text("type").is_some_and(|kind| kind == "harness");
        let context = document.body.trim();
        let context =
            Some(context).filter(|text| gives_context && !text.is_empty() && !hook::has_fenced_list(text, FENCED));
        let tools = tool::read_list(&mut fields, DeclarationSource::Bundle(dir));
        let hooks = hook::read_list(&mut fields, DeclarationSource::Bundle(dir));
        if fields.node("tools").is_none() && fields.node("hooks").is_none() && context.is_none() {
            let looks_like_hook = document.matter.as_ref().is_some_and(|matter| matter.get("event").is_some());
            let help = if looks_like_hook {
                "move the file to `hooks/`"
            } else {
                "list them under `hooks:` and `tools:` in the frontmatter; fenced blocks in the body are ignored"
            };
            let message = format!("bundle `{}` declares no hooks and no tools", artifact.name);
            report.warning("empty_bundle", message, place, help);
        }
        BUNDLE.finish(fields);
        if wanted == BundleSelection::All {
            gathered.tools.extend(tools);
            gathered.contexts.extend(context.map(str::to_owned));
        }
        if wanted != BundleSelection::Nothing {
            gathered.hooks.extend(hooks);
        }
    }
    gathered.findings.extend(report.into_diagnostics());
}

pub(super) static BUNDLE: KeyTable<()> = KeyTable {
    title: "Bundle",
    about: "Hooks and tools in one file. Hooks and tools in `overrides/` replace those of the same name.",
    start: || (),
    unknown: UnknownKeys::Guarding(&["hooks", "tools", "condition"]),
    keys: &[
        key!("hooks": listed("list", "none"), "Hooks as above, each with its `handler`."),
        key!("tools": listed("list", "none"), "Tools as above, each with its `name`."),
        key!("name": ignored("text", "none"), "The bundle's name, for readers."),
        key!("type": ignored("text", "none"), "The kind of artifact, for readers."),
        key!("version": ignored("text", "none"), "Its version, for readers."),
        key!("description": ignored("text", "none"), "What it does, for readers."),
        key!("author": ignored("text", "none"), "Its author, for readers."),
        key!("tags": ignored("list", "none"), "Search words, for readers."),
        key!("depends_on": ignored("list", "none"), "What it requires, for readers."),
        key!("priority": ignored("whole number", "none"), "No effect: each hook has its own."),
        key!("condition": listed("any", "none"),
            "Decided when it is loaded: `True`, `False`, `not`, `and`, `or`. If it cannot be decided, its hooks run, and its tools and its body are left out."),
    ],
};

/// The maximum nesting depth of parentheses and negations.
const MAX_DEPTH: usize = 50;

/// The value of an expression of `True`, `False`, `None`, `not`, `and` and `or`; `None` for any other expression.
pub(super) fn evaluate(text: &str) -> Option<bool> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut words = words.into_iter().peekable();
    let value = parse_or(&mut words, 0)?;
    words.next().is_none().then_some(value)
}

type ConditionWords<'a> = Peekable<IntoIter<&'a str>>;

fn parse_or(words: &mut ConditionWords<'_>, depth: usize) -> Option<bool> {
    let mut value = parse_and(words, depth)?;
    while words.next_if_eq(&"or").is_some() {
        value |= parse_and(words, depth)?;
    }
    Some(value)
}

fn parse_and(words: &mut ConditionWords<'_>, depth: usize) -> Option<bool> {
    let mut value = parse_operand(words, depth)?;
    while words.next_if_eq(&"and").is_some() {
        value &= parse_operand(words, depth)?;
    }
    Some(value)
}

fn parse_operand(words: &mut ConditionWords<'_>, depth: usize) -> Option<bool> {
    if depth > MAX_DEPTH {
        return None;
    }
    match words.next()? {
        // YAML spells booleans in lower case.
        "True" | "true" => Some(true),
        "False" | "false" | "None" => Some(false),
        "not" => parse_operand(words, depth + 1).map(|value| !value),
        "(" => {
            let value = parse_or(words, depth + 1)?;
            words.next_if_eq(&")").map(|_| value)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_decided_and_nothing_else() {
        let deep = format!("{}True{}", "(".repeat(100_000), ")".repeat(100_000));
        let cases = [
            ("True", Some(true)),
            ("false", Some(false)),
            ("None", Some(false)),
            ("not False", Some(true)),
            ("not not (False)", Some(false)),
            ("True and False or True", Some(true)),
            ("True or True and False", Some(true)),
            ("not True or False", Some(false)),
            ("(True or False)and(not False)", Some(true)),
            ("", None),
            ("True False", None),
            ("not", None),
            ("(True", None),
            ("True)", None),
            ("ctx.x == 1", None),
            ("True or ctx.x", None),
            ("\"False\"", None),
            (deep.as_str(), None),
        ];
        for (text, wanted) in cases {
            assert_eq!(evaluate(text), wanted, "{}", &text[..text.len().min(40)]);
        }
    }
}
