//! Checks order and composition as the documents state them.

use pintle_host::{Decision, Outcome};
use serde_json::json;

use crate::seeds::documents::SeedDocuments;
use crate::seeds::extract::table;
use crate::seeds::fixture::{ProjectFixture, hook_file};
use crate::seeds::tally::{CheckTally, expect, expect_equal};

pub(super) fn check(documents: &SeedDocuments, tally: &mut CheckTally) {
    let fields = table(&documents.reference, "Field | Type |");
    tally.check_count("fields of a hook", fields.len(), 4);
    let default = fields.iter().find(|row| row.first() == Some(&"priority")).and_then(|row| row.get(2)).copied();
    tally.check("the default priority is that of the table", expect_equal(&default, &Some("0")));
    for (what, hooks, trace) in ORDERS {
        let found = run_hooks(hooks).and_then(|(_, outcome)| {
            let text = outcome.payload.field("args").and_then(|args| args.get("trace")).cloned().unwrap_or_default();
            expect_equal(&text, &json!(trace))
        });
        tally.check(*what, found);
    }
    check_first_block(tally);
    check_text_payload(tally);
}

/// Hooks as (name, priority line), each of which appends its name; and the trace that the operation sees.
type OrderCase = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const ORDERS: &[OrderCase] = &[
    ("low numbers run first", &[("a", "priority: 30"), ("b", "priority: 10"), ("c", "priority: 20")], "bca"),
    ("an omitted priority is the earliest", &[("a", "priority: 1"), ("b", "# none")], "ba"),
    ("an omitted priority is equal to 0", &[("a", "# none"), ("b", "priority: 0"), ("c", "priority: -1")], "cab"),
    (
        "equal priorities run in the order of their paths",
        &[("c", "priority: 5"), ("a", "priority: 5"), ("b", "priority: 5")],
        "abc",
    ),
    ("downstream hooks and the operation see rewrites", &[("x", "priority: 1"), ("y", "priority: 2")], "xy"),
];

fn run_hooks(hooks: &[(&str, &str)]) -> Result<(ProjectFixture, Outcome), String> {
    let text = |(name, priority): &(&str, &str)| {
        let script = format!(
            "def handle(event, payload):\n    return modify({{\"args\": {{\"trace\": payload[\"args\"][\"trace\"] + \"{name}\"}}}})"
        );
        hook_file(&format!("event: tool.pre\n{priority}"), &script)
    };
    let texts: Vec<(&str, String)> = hooks.iter().map(|hook| (hook.0, text(hook))).collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let fixture = ProjectFixture::open_clean(&texts)?;
    let outcome = fixture.fire_tool_call("x", json!({"trace": ""}))?;
    Ok((fixture, outcome))
}

/// Checks that the first block ends the chain, and that nothing later undoes it.
fn check_first_block(tally: &mut CheckTally) {
    let says = |priority: i64, name: &str, answer: &str| {
        let script = format!("def handle(event, payload):\n    metrics.incr(\"{name}\")\n    return {answer}");
        hook_file(&format!("event: tool.pre\npriority: {priority}"), &script)
    };
    let (audit, first) = (says(1, "audit", "allow()"), says(10, "first", "block(\"one\")"));
    let (second, late) = (says(20, "second", "block(\"two\")"), says(40, "late", "allow()"));
    let hooks = [("audit", audit.as_str()), ("first", &first), ("second", &second), ("late", &late)];
    let ended = ProjectFixture::open_clean(&hooks).and_then(|fixture| {
        let outcome = fixture.fire_tool_call("x", json!({}))?;
        expect_equal(&outcome.decision, &Decision::Deny)?;
        expect_equal(&outcome.reason().as_str(), &"blocked by hook \"first\": one")?;
        expect_equal(&fixture.metrics(), &json!({"audit": 1, "first": 1}).as_object().cloned().unwrap_or_default())
    });
    tally.check("the first block wins and later hooks are skipped", ended);
}

/// Checks that a payload that is a string is rewritten as a whole.
fn check_text_payload(tally: &mut CheckTally) {
    let script = "def handle(event, payload):\n    return modify(payload + \"!\")";
    let found = ProjectFixture::open_clean(&[("stamp", &hook_file("event: turn.start", script))]).and_then(|fixture| {
        let outcome = fixture.fire("turn.start", json!("hello"))?;
        expect(outcome.failures.is_empty(), || format!("{:?}", outcome.failures))?;
        expect_equal(outcome.payload.value(), &json!("hello!"))
    });
    tally.check("the message of `turn.start` is a text that hooks may rewrite", found);
}
