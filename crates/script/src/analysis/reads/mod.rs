//! The payload reads of a script.
//!
//! The analysis is conservative: an unknown construct reads everything. So a projection never hides a field that the
//! script could access.

mod track;

use std::collections::BTreeMap;

use self::track::keys_of;
use super::ast::FunctionNode;
use super::payload_reads::{ArgumentsForm, FieldSet, PayloadReads};
use super::resolved::ResolvedScript;
use super::{arguments, mutation};
use crate::finding::ScriptFinding;
use crate::language::ScriptKind;

pub(super) fn analyse_reads(
    script: &ResolvedScript<'_>,
    script_kind: ScriptKind,
) -> (PayloadReads, Option<ScriptFinding>) {
    if script_kind != ScriptKind::Hook {
        return (UNKNOWN, None);
    }
    reads_of_entry(script, script_kind.entry_point(), 1)
}

/// The payload reads of the function `entry`, whose parameter at `position` is the payload.
pub(super) fn reads_of_entry(
    script: &ResolvedScript<'_>,
    entry: &str,
    position: usize,
) -> (PayloadReads, Option<ScriptFinding>) {
    let mut reader = PayloadReader::new(script);
    let function = reader.top_level.as_ref().and_then(|functions| functions.get(entry)).copied();
    let reads = function.and_then(|function| reader.reads_of(function, position)).unwrap_or(UNKNOWN);
    let (arguments, finding) = arguments::detect_form(script, entry, position);
    (PayloadReads { arguments, ..reads }, finding)
}

/// The reads of a function of which nothing is known.
pub(super) const UNKNOWN: PayloadReads =
    PayloadReads { keys: FieldSet::All, may_mutate: true, arguments: ArgumentsForm::Text };

/// Finds the payload reads of the functions of a module.
pub(super) struct PayloadReader<'s, 'a> {
    script: &'s ResolvedScript<'a>,
    top_level: Option<BTreeMap<&'a str, FunctionNode<'a>>>,
    /// For the name of each parameter, whether the module may change a part of its value.
    mutations: BTreeMap<&'a str, bool>,
}

impl<'s, 'a> PayloadReader<'s, 'a> {
    pub(super) fn new(script: &'s ResolvedScript<'a>) -> Self {
        Self { script, top_level: script.top_level_functions(), mutations: BTreeMap::new() }
    }

    /// What a function reads through the parameter at a position, wherever the function is.
    pub(super) fn reads_of(&mut self, function: FunctionNode<'a>, position: usize) -> Option<PayloadReads> {
        let payload = function.plain_parameter(position)?;
        let names = &self.script.names;
        let keys = self.top_level.as_ref().map(|functions| keys_of(names, functions, function, payload));
        let may_mutate = *self.mutations.entry(payload).or_insert_with(|| mutation::may_mutate(self.script, payload));
        Some(PayloadReads { keys: keys.unwrap_or(FieldSet::All), may_mutate, ..UNKNOWN })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use starlark::syntax::AstModule;

    use super::*;
    use crate::language::dialect;

    fn reads_of_body(body: &str) -> PayloadReads {
        let body = body.lines().map(|line| format!("  {line}\n")).collect::<String>();
        let text = format!("def helper(p, q):\n  return p[\"helped\"]\ndef handle(event, payload):\n{body}");
        let ast = AstModule::parse("t", text, &dialect()).unwrap();
        analyse_reads(&ResolvedScript::new(&ast), ScriptKind::Hook).0
    }

    /// The keys that are read, each with what is read of it: `*` means everything, `?` only its existence.
    pub(in crate::analysis) fn describe(keys: &FieldSet) -> String {
        match keys {
            FieldSet::All => String::from("*"),
            FieldSet::None => String::from("?"),
            FieldSet::Some(names) => {
                let one = |(name, keys): &(String, FieldSet)| match keys {
                    FieldSet::All => name.clone(),
                    FieldSet::None => format!("{name}?"),
                    FieldSet::Some(_) => format!("{name}({})", describe(keys)),
                };
                names.iter().map(one).collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[test]
    fn fields_are_found_and_doubt_reads_all() {
        let cases: &[(&str, &str)] = &[
            ("return allow()", "?"),
            ("return payload[\"name\"]", "name"),
            ("x = payload.get(\"args\", {}).get(\"command\", \"\")\nreturn x", "args(command)"),
            ("if \"error\" in payload:\n  return payload[\"name\"]", "error? name"),
            ("return helper(payload, payload[\"name\"])", "helped name?"),
            ("return [payload[\"a\"] for x in payload[\"b\"]]", "a b"),
            ("return modify(payload)", "*"),
            ("return helper(q = payload, p = 1)", "*"),
            ("return payload[event]", "*"),
            ("payload = {}\nreturn payload[\"name\"]", "*"),
            ("return [payload[\"x\"] for payload in event]", "*"),
            ("return type(payload)", "*"),
            ("return payload.keys()", "*"),
            ("return payload.get(event)", "*"),
            ("return unknown(payload)", "*"),
            ("return f\"{payload}\"", "*"),
            ("payload[\"x\"] = 1\nreturn modify(payload)", "*"),
        ];
        for (body, expected) in cases {
            assert_eq!(describe(&reads_of_body(body).keys), *expected, "{body}");
        }
    }

    #[test]
    fn what_is_below_a_field_is_found_and_doubt_reads_the_field() {
        let cases: &[(&str, &str)] = &[
            ("return \"mkfs\" in payload[\"tool\"][\"args\"][\"command\"]", "tool(args(command(mkfs?)))"),
            ("return payload[\"a\"][\"b\"] == payload[\"a\"].get(\"c\")", "a(b c)"),
            ("return payload[\"a\"][\"b\"] or payload[\"a\"]", "a"),
            ("return payload[\"a\"] or payload[\"a\"][\"b\"]", "a"),
            ("return payload[\"a\"][event]", "a"),
            ("return payload[\"a\"][0][\"b\"]", "a"),
            ("return payload[\"a\"].keys()", "a"),
            ("return event in payload[\"a\"]", "a"),
            ("return event not in payload", "*"),
            ("for x in payload[\"a\"][\"b\"]:\n  return x", "a(b)"),
            ("payload[\"a\"][\"b\"] = 1", "a"),
            ("return payload.get(\"a\", payload[\"b\"])[\"c\"]", "a(c) b"),
            // A name for a part of the payload.
            ("t = payload[\"a\"]\nreturn t[\"b\"]", "a(b)"),
            ("t = payload[\"a\"]\nu = t.get(\"b\", payload[\"d\"])\nreturn u[\"c\"]", "a(b(c)) d"),
            ("t = payload[\"a\"]\nreturn 1", "a?"),
            ("t = payload[\"a\"]\nreturn t", "a"),
            ("t = payload[\"a\"]\nreturn lambda x: t[\"b\"] + x", "a(b)"),
            ("t = payload[\"a\"]\nreturn lambda t: t[\"b\"]", "a"),
            ("t = payload[\"a\"]\nt = payload[\"b\"]\nreturn t[\"c\"]", "a b"),
            ("t = payload[\"a\"]\nt += [1]\nreturn 1", "a"),
            ("t, u = payload[\"a\"], payload[\"b\"]\nreturn t[\"c\"]", "a b"),
            ("t = payload[\"a\"]\nt[\"b\"] = 1\nreturn 1", "a"),
            ("for x in [1, 2]:\n  u = t[\"b\"]\n  t = payload[\"a\"]\n  print(u[\"c\"])", "a(b)"),
            ("p = payload\nreturn p[\"name\"]", "name"),
            // A part that is passed to another function.
            ("return helper(payload[\"a\"], 1)", "a(helped)"),
            ("t = payload[\"a\"]\nreturn helper(t, payload)", "a(helped)"),
            ("return helper(1, payload[\"a\"])", "a?"),
            ("return helper(*[payload[\"a\"], 1])", "a"),
            ("return unknown(payload[\"a\"])", "a"),
            ("helper = unknown\nreturn helper(payload[\"a\"], 1)", "a"),
            ("return [helper(payload[\"a\"], 1) for helper in event]", "a"),
        ];
        for (body, expected) in cases {
            assert_eq!(describe(&reads_of_body(body).keys), *expected, "{body}");
        }
        let deep = (0..20).map(|_| "[\"x\"]").collect::<String>();
        assert_eq!(describe(&reads_of_body(&format!("return payload{deep}")).keys), "x(x(x(x(x(x(x(x)))))))");
    }

    #[test]
    fn mutually_recursive_functions_are_followed_only_to_a_limit() {
        let calls = "  g(p)\n  g(p[\"x\"])\n".repeat(20);
        let text = format!("def g(p):\n{calls}  return p[\"y\"]\ndef handle(event, payload):\n  return g(payload)\n");
        let ast = AstModule::parse("t", text, &dialect()).unwrap();
        assert_eq!(describe(&analyse_reads(&ResolvedScript::new(&ast), ScriptKind::Hook).0.keys), "*");
    }
}
