//! What is changed in scripts to see whether tests notice.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use pintle_contract::ScriptSource;
use pintle_script::{ScriptKind, ScriptMutant, script_mutants, when_mutants};

fn changes(mutants: &[ScriptMutant]) -> Vec<String> {
    let show = |mutant: &ScriptMutant| {
        let line = mutant.location.line_column().unwrap().0;
        format!("{line}: {} => {}", mutant.replaced, mutant.replacement)
    };
    mutants.iter().map(show).collect()
}

#[test]
fn each_mutant_has_one_small_change() {
    let script = r#"
"""Not changed."""
WORDS = ["a",
    "b"]

def handle(event, payload):
    """Not changed."""
    name = payload.get("name") or ""
    for word in WORDS:
        if word == name and not (len(name) < 3):
            metrics.incr("seen")
            return block("no " + word)
    return allow() if name else ask("why?")
"#;
    let mutants = script_mutants("a", &ScriptSource::without_file(script), ScriptKind::Hook);
    let wanted = [
        "3: \"a\",\n     => ",
        "3: ,\n    \"b\" => ",
        "8: payload.get(\"name\") or \"\" => (\"\")",
        "8: payload.get(\"name\") or \"\" => (payload.get(\"name\"))",
        "8: \"name\" => \"\"",
        "8: or => and",
        "9: WORDS => []",
        "10: word == name and not (len(name) < 3) => (not (len(name) < 3))",
        "10: word == name and not (len(name) < 3) => (word == name)",
        "10: == => !=",
        "10: and => or",
        "10: not (len(name) < 3) => (len(name) < 3)",
        "10: < => <=",
        "10: 3 => 4",
        "11: metrics.incr(\"seen\") => pass",
        "11: \"seen\" => \"\"",
        "12: return block(\"no \" + word) => pass",
        "12: block(\"no \" + word) => allow()",
        "12: \"no \" => \"\"",
        "13: allow() => block(\"mutant\")",
        "13: name => not (name)",
        "13: ask(\"why?\") => allow()",
        "13: \"why?\" => \"\"",
    ];
    assert_eq!(changes(&mutants), wanted);
    assert!(mutants.iter().all(|mutant| *mutant.source.text != *script));
}

#[test]
fn a_when_is_changed_in_its_file() {
    let expression = r#"payload["name"] in ["shell", "exec"] or payload["size"] > 3"#;
    let wanted = [
        "1: payload[\"name\"] in [\"shell\", \"exec\"] or payload[\"size\"] > 3 => (payload[\"name\"] in [\"shell\", \"exec\"])",
        "1: payload[\"name\"] in [\"shell\", \"exec\"] or payload[\"size\"] > 3 => (payload[\"size\"] > 3)",
        "1: \"name\" => \"\"",
        "1: in => not in",
        "1: \"shell\",  => ",
        "1: , \"exec\" => ",
        "1: or => and",
        "1: \"size\" => \"\"",
        "1: > => >=",
        "1: 3 => 4",
    ];
    assert_eq!(changes(&when_mutants("a", &ScriptSource::without_file(expression))), wanted);
    assert!(when_mutants("a", &ScriptSource::without_file("a ==")).is_empty());
}
