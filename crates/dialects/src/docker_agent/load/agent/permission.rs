//! Reads permission rules.
//!
//! A rule is `tool` or `tool:argument=glob`, optionally with more `:argument=glob` parts, all of which must match. A
//! colon that does not start an argument is part of the text before it.

use pintle_contract::{ByteSpan, PermissionRule, PermissionsSpec};

use super::model::read_names;
use crate::document::{FieldReader, FileReport};

pub(super) fn read(fields: &mut FieldReader<'_>) -> PermissionsSpec {
    let Some(mut own) = fields.fields("permissions") else { return PermissionsSpec::default() };
    let report = own.report();
    let mut rules = |key: &'static str| {
        let written = read_names(&mut own, key);
        written.iter().filter_map(|(text, span)| read_rule(report, text, *span)).collect::<Vec<_>>()
    };
    let permissions = PermissionsSpec { allow: rules("allow"), ask: rules("ask"), deny: rules("deny"), mode: None };
    own.finish_strictly();
    permissions
}

fn read_rule(report: &FileReport, text: &str, span: ByteSpan) -> Option<PermissionRule> {
    let refuse = |message: String, help: &str| {
        report.value_error("bad_rule", message, span, help);
        None
    };
    let (tool, arguments) = split_rule(text);
    if tool.is_empty() {
        return refuse(
            format!("the rule `{text}` does not name a tool"),
            "start the rule with a tool name or `*`, for example `shell:cmd=ls*`",
        );
    }
    let globs = std::iter::once(tool).chain(arguments.iter().map(|(_, glob)| glob.as_str()));
    for glob in globs {
        if !has_closed_brackets(glob) {
            return refuse(
                format!("the rule `{text}` has an unclosed `[`"),
                "close it with `]`, or write `?` for one character",
            );
        }
    }
    Some(PermissionRule { text: text.to_owned(), tool: tool.to_owned(), arguments, location: report.location(span) })
}

/// Splits a rule into its tool and conditions.
fn split_rule(text: &str) -> (&str, Vec<(String, String)>) {
    let begins: Vec<(usize, usize)> =
        text.match_indices(':').filter_map(|(at, _)| Some((at, find_argument_end(text, at + 1)?))).collect();
    let piece = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let tool = piece(0, begins.first().map_or(text.len(), |(at, _)| *at));
    let conditions = begins.iter().enumerate().map(|(index, (at, equals))| {
        let end = begins.get(index + 1).map_or(text.len(), |(next, _)| *next);
        (piece(at + 1, *equals).to_owned(), piece(equals + 1, end).to_owned())
    });
    (tool, conditions.collect())
}

/// The position of the `=` after an argument name that starts here; `None` if there is none.
fn find_argument_end(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let length = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')))?;
    (length > 0 && rest.as_bytes().get(length) == Some(&b'=')).then_some(from + length)
}

fn has_closed_brackets(glob: &str) -> bool {
    match glob.split_once('[') {
        None => true,
        Some((_, rest)) => rest.split_once(']').is_some_and(|(_, rest)| has_closed_brackets(rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule, its tool, and its arguments with their globs.
    type RuleCase = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

    #[test]
    fn a_rule_is_split_at_its_arguments_only() {
        let cases: &[RuleCase] = &[
            ("shell", "shell", &[]),
            ("read_*", "read_*", &[]),
            ("shell:cmd=ls*", "shell", &[("cmd", "ls*")]),
            ("shell:cmd=rm*:cmd=*-rf*", "shell", &[("cmd", "rm*"), ("cmd", "*-rf*")]),
            ("shell:cmd=ls*:cwd=.", "shell", &[("cmd", "ls*"), ("cwd", ".")]),
            ("fetch:url=https://x.test:8080/*", "fetch", &[("url", "https://x.test:8080/*")]),
            ("mcp:github:get_*", "mcp:github:get_*", &[]),
            ("shell:cmd=", "shell", &[("cmd", "")]),
            (":cmd=ls", "", &[("cmd", "ls")]),
        ];
        for (text, tool, arguments) in cases {
            let arguments: Vec<_> =
                arguments.iter().map(|(name, glob)| (String::from(*name), String::from(*glob))).collect();
            assert_eq!(split_rule(text), (*tool, arguments), "{text}");
        }
    }
}
