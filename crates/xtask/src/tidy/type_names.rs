//! Names of types and functions: the rules of `docs/contributing/names.md` that a program can check.

use std::collections::BTreeMap;

use xtask::SourceWorkspace;

use crate::tidy::exceptions::{self, TidyException, TidyViolation};

/// The only types of one word, each declared once. A new one needs a reviewer's word and a place here.
const ONE_WORD: &[&str] = &[
    "Agent",
    "Approval",
    "Approver",
    "Artifact",
    "Backoff",
    "Canary",
    "Capability",
    "Chain",
    "Checkpoint",
    "Cli",
    "Clock",
    "Codec",
    "Conversation",
    "Deadline",
    "Decision",
    "Diagnostic",
    "Dialect",
    "Durability",
    "Effect",
    "Event",
    "Failure",
    "Handler",
    "Hook",
    "Host",
    "Inbox",
    "Interpreter",
    "Invocation",
    "Iteration",
    "Journal",
    "Judge",
    "Layer",
    "Location",
    "Matcher",
    "Model",
    "Notification",
    "Observer",
    "Operation",
    "Origin",
    "Outcome",
    "Payload",
    "Persona",
    "Profile",
    "Record",
    "Redactor",
    "Refusal",
    "Reminder",
    "Renderer",
    "Rewrite",
    "Runtime",
    "Script",
    "Session",
    "Severity",
    "Sleeper",
    "Tape",
    "Team",
    "Template",
    "Terminal",
    "Tone",
    "Tool",
    "Toolbox",
    "Toolset",
    "Verdict",
    "Vote",
    "Warning",
    "Workspace",
    "Worktree",
];

/// Participles, pronouns, prepositions and adverbs: alone they name no type and no function.
const SAYS_NOTHING: &[&str] = &[
    "asked",
    "told",
    "given",
    "said",
    "found",
    "heard",
    "kept",
    "held",
    "made",
    "loaded",
    "ended",
    "taken",
    "settled",
    "who",
    "whose",
    "why",
    "what",
    "about",
    "of",
    "by",
    "at",
    "around",
    "aside",
    "beside",
    "below",
    "instead",
    "until",
    "later",
    "elsewhere",
    "again",
];

/// Words that fit anything, and images: alone they name no type. As a function or a module such a word may be completed
/// by what holds it (`session::state`, `error.kind()`).
const FITS_ANYTHING: &[&str] = &[
    "place",
    "row",
    "state",
    "kind",
    "entry",
    "step",
    "stage",
    "part",
    "form",
    "way",
    "manner",
    "fault",
    "trouble",
    "work",
    "life",
    "word",
    "line",
    "page",
    "source",
    "reader",
    "reading",
    "shared",
    "whole",
    "rest",
    "past",
    "present",
    "cast",
    "role",
    "company",
    "desk",
    "cues",
    "scene",
    "sheet",
    "veil",
    "seat",
    "shelf",
    "door",
    "voice",
    "errand",
    "fate",
    "gift",
    "story",
    "letters",
    "surroundings",
];

/// Words for which the glossary has another, and images: they name no parameter.
const NOT_A_PARAMETER: &[&str] = &[
    "spelling",
    "folder",
    "person",
    "somebody",
    "nobody",
    "consent",
    "footprint",
    "ruling",
    "seam",
    "reach",
    "door",
    "shelf",
    "desk",
    "scene",
    "errand",
    "moment",
    "echoes",
    "surroundings",
];

const EXCEPTIONS: &[TidyException] =
    &[("crates/script/src/starlark_values.rs", "at", "a method of the interpreter's trait")];

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut violations = Vec::new();
    for (file, text) in workspace.sources() {
        for line in text.lines() {
            if let Some(name) = type_name(line) {
                // What replaces a feature that is not built has the name of what it replaces, and what the crate for
                // embedders wraps has the name of what it wraps.
                if !file.contains("/absent") && !file.starts_with("crates/pintle/") {
                    places.entry(name).or_default().push(file);
                }
                violations.extend(check_type(name).map(|text| to_violation(file, name, text)));
            }
            let function = function_name(line).and_then(|name| Some((name, check_function(name)?)));
            violations.extend(function.map(|(name, text)| to_violation(file, name, text)));
        }
        let of_parameters =
            parameters(text).filter_map(|(name, of_type)| Some((name, check_parameter(name, of_type)?)));
        violations.extend(of_parameters.map(|(name, text)| to_violation(file, name, text)));
    }
    for (name, files) in places {
        if let [first, second, ..] = files.as_slice() {
            let text = format!("{} types have this name ({first}, {second}); one name, one meaning", files.len());
            violations.push(to_violation(first, name, &text));
        }
    }
    exceptions::apply(EXCEPTIONS, violations)
}

fn to_violation(file: &str, name: &str, text: &str) -> TidyViolation {
    TidyViolation { file: file.to_owned(), subject: name.to_owned(), message: format!("{file}: `{name}`: {text}") }
}

fn check_type(name: &str) -> Option<&'static str> {
    let is_one_word = !name.chars().skip(1).any(char::is_uppercase);
    let lower = name.to_lowercase();
    if SAYS_NOTHING.contains(&lower.as_str()) || FITS_ANYTHING.contains(&lower.as_str()) {
        Some("says nothing by itself; name the owner and the thing")
    } else if is_one_word && !ONE_WORD.contains(&name) {
        Some("has one word; put the owner or the subject in front")
    } else {
        None
    }
}

fn check_function(name: &str) -> Option<&'static str> {
    SAYS_NOTHING.contains(&name).then_some("is no verb; say what the function does")
}

fn check_parameter(name: &str, of_type: &str) -> Option<&'static str> {
    let name = name.trim_start_matches('_');
    let words = words_of_type(of_type);
    let shares_a_word = words.iter().any(|word| word.contains(name) || name.contains(word.as_str()));
    if SAYS_NOTHING.contains(&name) || (NOT_A_PARAMETER.contains(&name) && !shares_a_word) {
        Some("says nothing of what the parameter is, or is not a word of the glossary")
    // `rest` is the usual word for what is left of a text or a list.
    } else if FITS_ANYTHING.contains(&name)
        && name != "rest"
        && words.len() > 1
        && !shares_a_word
        && !of_type.starts_with("Fn")
    {
        Some("fits anything, and shares no word with the type of the parameter")
    } else {
        None
    }
}

/// The words of a type's name, such as `hook` and `call`; none for types of the language.
fn words_of_type(of_type: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for letter in of_type.chars() {
        if letter.is_uppercase() {
            words.push(letter.to_lowercase().collect());
        } else if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words
}

/// The parameters of all functions of a file, with the names of their types without paths and arguments.
fn parameters(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.split_inclusive('\n').scan(0, |offset, line| {
        let start = *offset;
        *offset += line.len();
        Some((start, line))
    });
    lines.filter(|(_, line)| function_name(line).is_some()).flat_map(|(start, _)| {
        let signature = text.get(start..).unwrap_or_default();
        let end = signature.find([';', '{']).unwrap_or(signature.len());
        let signature = signature.get(..end).unwrap_or_default();
        let inside = signature.split_once('(').map_or("", |(_, rest)| rest);
        inside.split([',', '\n', '(']).filter_map(|parameter| {
            let (name, of_type) = parameter.split_once(": ")?;
            let name = name.trim().trim_start_matches("mut ");
            let of_type = of_type.split(['<', ')']).next()?.rsplit("::").next()?;
            let of_type = of_type.rsplit([' ', '&']).next()?;
            (!name.is_empty() && name == identifier(name)).then_some((name, of_type))
        })
    })
}

/// The type that a line declares. Associated types, which are indented, belong to their trait.
fn type_name(line: &str) -> Option<&str> {
    let rest = without_visibility(line.trim_start());
    let is_indented = line.starts_with(' ');
    let keyword = ["struct ", "enum ", "trait ", "union ", "type "].into_iter().find(|word| rest.starts_with(word))?;
    let name = identifier(rest.strip_prefix(keyword)?);
    let is_type = name.starts_with(|first: char| first.is_ascii_uppercase());
    (is_type && !(is_indented && keyword == "type ")).then_some(name)
}

/// The function that a line declares.
fn function_name(line: &str) -> Option<&str> {
    let mut rest = without_visibility(line.trim_start());
    for word in ["const ", "async ", "unsafe "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    Some(identifier(rest.strip_prefix("fn ")?)).filter(|name| !name.is_empty())
}

fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else { return line };
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    };
    rest.strip_prefix(' ').unwrap_or(line)
}

fn identifier(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_read_with_any_visibility() {
        assert_eq!(type_name("    pub(in crate::tidy) struct RuleSet<'a> {"), Some("RuleSet"));
        assert_eq!(type_name("pub type HookMap = u8;"), Some("HookMap"));
        assert_eq!((type_name("    type Item = u8;"), type_name("structure()")), (None, None));
        assert_eq!(function_name("    pub(crate) const fn of(self) -> u8 {"), Some("of"));
    }

    #[test]
    fn parameters_that_say_nothing_are_violations() {
        let text = "impl A {\n    pub fn call(&self, asked: &BuiltinCall<'_>, mut part: event::LazyValue<'_>,\n        line: &str,\n        \
                    state: &mut DispatchState, (of, kind): (u8, RecordKind),\n    ) -> Told {\n        other(told: u8)\n    }\n}\n";
        let found: Vec<_> =
            parameters(text).filter(|(name, of_type)| check_parameter(name, of_type).is_some()).collect();
        assert_eq!(found, [("asked", "BuiltinCall"), ("part", "LazyValue")]);
    }

    #[test]
    fn vague_and_lonely_names_are_violations() {
        assert!(check_type("Told").unwrap().contains("nothing"));
        assert!(check_type("Widget").unwrap().contains("one word"));
        assert_eq!((check_type("Hook"), check_type("RecordKind")), (None, None));
        assert!(check_function("heard").is_some() && check_function("kind").is_none());
    }
}
