//! The capabilities of a script, by the built-ins it names.

use pintle_contract::ScriptSource;

use crate::analysis::{expressions_in, names_read};
use crate::compile::try_on_large_stack;
use crate::language::ScriptKind;
use crate::load::parse;

/// The built-ins of hooks that go beyond Pintle's own state: the network, files, tools, other agents.
const OUTWARD: [&str; 4] = ["http", "fs", "meta", "delegate"];

/// The capability built-ins that a script names: `http`, `fs`, `meta`, `delegate`. Most scripts use none.
///
/// Names cannot be created at run time, so a built-in that the text does not name is not used. A script that cannot be
/// parsed is assumed to use all of them.
#[must_use]
pub fn capability_names(name: &str, text: &ScriptSource, script_kind: ScriptKind) -> Vec<&'static str> {
    let written = || OUTWARD.into_iter().filter(|outward| text.text.contains(outward));
    // Only scripts that contain the word, if only in a string or a comment, need to be parsed.
    if written().next().is_none() {
        return Vec::new();
    }
    let parsed = try_on_large_stack(&[&text.text], || {
        let ast = parse(name, text, script_kind).1.ok()?;
        let used = names_read(expressions_in(ast.statement()));
        Some(written().filter(|outward| used.contains(*outward)).collect())
    });
    parsed.flatten().unwrap_or_else(|| OUTWARD.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_reaches_what_it_names_and_not_what_its_texts_say() {
        let cases: [(&str, &[&str]); 9] = [
            ("def handle(event, payload):\n    return allow()\n", &[]),
            ("def handle(event, payload):\n    return block(\"no http:// here\")\n", &[]),
            ("# http.get is not used\ndef handle(event, payload):\n    return allow()\n", &[]),
            ("def handle(event, payload):\n    http.get(\"https://a.example\")\n", &["http"]),
            ("fetch = http\ndef handle(event, payload):\n    return fetch.get(\"https://a.example\")\n", &["http"]),
            ("def handle(event, payload):\n    fs.read(payload[\"offset\"])\n", &["fs"]),
            ("def handle(event, payload):\n    return [meta.call_tool(x) for x in [\"a\"]]\n", &["meta"]),
            ("def handle(event, payload):\n    return delegate({}) if http else allow()\n", &["http", "delegate"]),
            ("def handle(event, payload:\n    http\n", &OUTWARD),
        ];
        for (text, wanted) in cases {
            assert_eq!(capability_names("x", &ScriptSource::without_file(text), ScriptKind::Hook), wanted, "{text}");
        }
    }
}
