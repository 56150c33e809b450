//! What a script could reach beyond the event it judges, by the names it uses.

use pintle_contract::ScriptSource;

use crate::analysis::names_used;
use crate::compile::{ScriptKind, try_on_large_stack};
use crate::load::parse;
use crate::source::PreparedSource;

/// The built-ins of hooks that reach further than what Pintle keeps for hooks: the network, files, tools, other agents.
const OUTWARD: [&str; 4] = ["http", "fs", "meta", "delegate"];

/// Names the built-ins of a script that reach out: `http`, `fs`, `meta`, `delegate`. None is what most scripts use.
///
/// Names cannot be made while a script runs, so one that does not stand in the text is not used. A script that cannot be
/// parsed names them all.
#[must_use]
pub fn capability_names(name: &str, text: &ScriptSource, role: ScriptKind) -> Vec<&'static str> {
    let written = || OUTWARD.into_iter().filter(|outward| text.text.contains(outward));
    // Parsing is for those few that have the word somewhere, if only in a text or a remark.
    if written().next().is_none() {
        return Vec::new();
    }
    let parsed = try_on_large_stack(|| {
        let (source, refusal) = PreparedSource::new(name, text);
        let ast = match refusal {
            None => parse(&source, role).ok()?,
            Some(_) => return None,
        };
        let used = names_used(&ast);
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
