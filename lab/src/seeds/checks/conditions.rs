//! Checks the `when` expressions that the reference shows.

use serde_json::{Value, json};

use crate::seeds::documents::SeedDocuments;
use crate::seeds::extract::conditions;
use crate::seeds::fixture::{ProjectFixture, hook_file, tool_call_payload};
use crate::seeds::tally::{CheckTally, expect_equal};

pub(super) fn check(documents: &SeedDocuments, tally: &mut CheckTally) {
    let shown = conditions(&documents.reference);
    tally.check_count("conditions", shown.len(), 4);
    for (remark, expression) in shown {
        let what = format!("when, {}: {expression}", remark.to_lowercase());
        match parse_cases(remark, expression) {
            Some((event, cases)) => {
                for (payload, expected) in cases {
                    let size = payload.to_string().len();
                    let shape = if size > 200 { format!("a payload of {size} bytes") } else { payload.to_string() };
                    let verb = if expected { "matches" } else { "passes over" };
                    tally.check(format!("{what} {verb} {shape}"), check_match(event, expression, payload, expected));
                }
            }
            None => tally.check(what, Err(String::from("this example is new; add what it must match"))),
        }
    }
    check_purity(tally);
}

type WhenCases = (&'static str, Vec<(Value, bool)>);

/// What an expression must match, according to the comment above it.
fn parse_cases(remark: &str, expression: &str) -> Option<WhenCases> {
    let names: Vec<&str> = expression.split('"').skip(1).step_by(2).filter(|text| *text != "name").collect();
    let tools = || {
        let named = names.iter().map(|name| (tool_call_payload(name, json!({})), true));
        named.chain([(tool_call_payload("another_tool", json!({})), false)]).collect::<Vec<_>>()
    };
    let result = |content: String, is_error: bool| json!({"call_id": "1", "name": "x", "content": content, "is_error": is_error, "result": content});
    match remark {
        "Scope to one tool" if names.len() == 1 => Some(("tool.pre", tools())),
        "Scope to a set of tools" if names.len() > 1 => Some(("tool.pre", tools())),
        "Scope to errors only" => {
            Some(("tool.post", vec![(result(String::new(), true), true), (result(String::new(), false), false)]))
        }
        "Scope to large outputs" => {
            let limit: usize = expression.rsplit(' ').next()?.parse().ok()?;
            let sized = |size: usize| result("x".repeat(size), false);
            Some(("tool.post", vec![(sized(limit + 1), true), (sized(limit), false), (json!({"name": "x"}), false)]))
        }
        _ => None,
    }
}

fn check_match(event: &str, expression: &str, payload: Value, expected: bool) -> Result<(), String> {
    let text = hook_file(
        &format!("event: {event}\nwhen: {expression}"),
        "def handle(event, payload):\n    metrics.incr(\"ran\")\n    return allow()",
    );
    let fixture = ProjectFixture::open_clean(&[("scoped", &text)])?;
    fixture.fire(event, payload)?;
    expect_equal(&fixture.metrics().contains_key("ran"), &expected)
}

/// Checks that a condition has no effects, and that one that raises does not match.
fn check_purity(tally: &mut CheckTally) {
    for name in ["metrics", "cache", "http", "fs", "exec"] {
        let text = hook_file(
            &format!("event: tool.pre\nwhen: {name} != None"),
            "def handle(event, payload):\n    return block(\"ran\")",
        );
        let found = ProjectFixture::open_hooks(&[("scoped", &text)]).and_then(|fixture| {
            if fixture.has_errors() { Ok(()) } else { Err(format!("`{name}` exists: {:?}", fixture.diagnostics())) }
        });
        tally.check(format!("when has no `{name}`"), found);
    }
    for expression in [
        "event == \"tool.pre\"",
        "len(payload) == 4",
        "type(payload) == \"dict\"",
        "True != False",
        "payload[\"args\"] != None",
    ] {
        let matched = check_match("tool.pre", expression, tool_call_payload("x", json!({})), true);
        tally.check(format!("when has what `{expression}` needs"), matched);
    }
    let text = hook_file(
        "event: tool.pre\nwhen: payload[\"absent\"] == 1",
        "def handle(event, payload):\n    return block(\"ran\")",
    );
    let raised = ProjectFixture::open_clean(&[("scoped", &text)])
        .and_then(|fixture| fixture.fire_tool_call("x", json!({})))
        .and_then(|outcome| {
            expect_equal(&outcome.is_allowed(), &true)?;
            expect_equal(&outcome.warnings.is_empty(), &false)
        });
    tally.check("a condition that raises does not match, with a warning", raised);
}
