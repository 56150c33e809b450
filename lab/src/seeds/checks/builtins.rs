//! Checks the built-ins that the documents list.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::seeds::documents::SeedDocuments;
use crate::seeds::extract::{leading_name, run_together_names, table};
use crate::seeds::fixture::{ProjectFixture, handler_file};
use crate::seeds::tally::{CheckTally, expect, expect_equal};

pub(super) fn check(documents: &SeedDocuments, tally: &mut CheckTally) {
    let rows = table(&documents.reference, "Built-in | Purpose |");
    tally.check_count("rows of built-ins in the reference", rows.len(), 9);
    let cells = rows.iter().filter_map(|row| row.first()).flat_map(|cell| cell.split(" / ")).map(leading_name);
    let concepts = run_together_names(&documents.concepts, "Built-inPurpose");
    tally.check_count("rows of built-ins in the concepts", concepts.len(), 5);
    let names: BTreeSet<&str> = cells.chain(concepts.into_iter().flatten()).collect();
    for name in names {
        tally.check(format!("hooks have `{name}`"), check_present(name));
    }
    for name in ["exec.run", "fs.write"] {
        let absent = ProjectFixture::open_hooks(&[(
            "reaching",
            &handler_file("tool.pre", &format!("{name}(\"x\")\nreturn allow()")),
        )]);
        let absent = absent.and_then(|fixture| expect(fixture.has_errors(), || String::from("the hook loads")));
        tally.check(format!("hooks have no `{name}`"), absent);
    }
    for (what, lines, expected) in USES {
        let found = ProjectFixture::open_clean(&[("using", &handler_file("tool.pre", lines))]).and_then(|fixture| {
            let outcome = fixture.fire_tool_call("run_command", json!({"command": "ls"}))?;
            expect(outcome.failures.is_empty() && outcome.warnings.is_empty(), || format!("{outcome:?}"))?;
            let found = fixture.metrics().get("found").cloned().unwrap_or_default();
            expect_equal(&found, &json!(expected))
        });
        tally.check(*what, found);
    }
    check_shared_values(tally);
    check_outward_effects(tally);
}

fn check_present(name: &str) -> Result<(), String> {
    let fixture = ProjectFixture::open_clean(&[(
        "using",
        &handler_file("tool.pre", &format!("metrics.incr(\"kind.\" + type({name}))\nreturn allow()")),
    )])?;
    let outcome = fixture.fire_tool_call("x", json!({}))?;
    expect(outcome.is_allowed() && outcome.failures.is_empty(), || format!("{outcome:?}"))
}

/// The promises of the purpose column: lines of a handler, and the value of the gauge `found` that they must set.
const USES: &[(&str, &str, i64)] = &[
    ("`metrics.incr` counts", "metrics.incr(\"found\")\nmetrics.incr(\"found\")\nreturn allow()", 2),
    ("`metrics.set` sets", "metrics.set(\"found\", 7)\nreturn allow()", 7),
    (
        "counters and gauges are in `metrics.snapshot()`",
        "metrics.incr(\"a\")\nmetrics.set(\"found\", metrics.snapshot()[\"a\"])\nreturn allow()",
        1,
    ),
    (
        "`cache.get` returns what `cache.set` stored",
        "cache.set(\"k\", 5)\nmetrics.set(\"found\", cache.get(\"k\"))\nreturn allow()",
        5,
    ),
    (
        "`json.decode` undoes `json.encode`",
        "metrics.set(\"found\", json.decode(json.encode({\"a\": 3}))[\"a\"])\nreturn allow()",
        3,
    ),
    (
        "`re.search` finds within a text",
        "metrics.set(\"found\", 1 if re.search(\"b+\", \"abbc\") else 0)\nreturn allow()",
        1,
    ),
    ("`re.findall` finds all", "metrics.set(\"found\", len(re.findall(\"b\", \"abbc\")))\nreturn allow()", 2),
    ("`string.truncate` cuts", "metrics.set(\"found\", len(string.truncate(\"abcdef\", 4)))\nreturn allow()", 4),
    ("`type` tells types apart", "metrics.set(\"found\", 1 if type(\"x\") == \"string\" else 0)\nreturn allow()", 1),
    (
        "`log.info`, `log.warn` and `log` take a text",
        "log.info(\"a\")\nlog.warn(\"b\")\nlog(\"c\")\nmetrics.incr(\"found\")\nreturn allow()",
        1,
    ),
];

/// Checks that hooks can emit events, and cannot reach unlisted hosts.
fn check_outward_effects(tally: &mut CheckTally) {
    let emits = handler_file("tool.pre", "events.emit(\"custom.my_event\", {\"n\": 2})\nreturn allow()");
    let hears = handler_file("custom.my_event", "metrics.set(\"found\", payload[\"n\"])\nreturn allow()");
    let heard = ProjectFixture::open_clean(&[("emits", &emits), ("hears", &hears)]).and_then(|fixture| {
        fixture.fire_tool_call("x", json!({}))?;
        expect_equal(&Value::Object(fixture.metrics()), &json!({"found": 2}))
    });
    tally.check("`events.emit` reaches the hooks of a custom event", heard);
    let fetches = handler_file("tool.pre", "http.get(\"http://example.com/\")\nreturn allow()");
    let refused = ProjectFixture::open_clean(&[("fetches", &fetches)]).and_then(|fixture| {
        let outcome = fixture.fire_tool_call("x", json!({}))?;
        expect(!outcome.is_allowed() && !outcome.failures.is_empty(), || format!("{outcome:?}"))
    });
    tally.check("`http` reaches no host that is not listed", refused);
}

/// Checks that hooks share the cache, but not the scope of a module.
fn check_shared_values(tally: &mut CheckTally) {
    let writes = handler_file("tool.pre", "cache.set(\"k\", cache.get(\"k\", 0) + 1)\nreturn allow()");
    let reads = handler_file("tool.post", "metrics.set(\"found\", cache.get(\"k\"))\nreturn allow()");
    let found = ProjectFixture::open_clean(&[("writes", &writes), ("reads", &reads)]).and_then(|fixture| {
        fixture.fire_tool_call("x", json!({}))?;
        fixture.fire_tool_call("x", json!({}))?;
        fixture
            .fire("tool.post", json!({"call_id": "1", "name": "x", "content": "", "is_error": false, "result": ""}))?;
        expect_equal(&Value::Object(fixture.metrics()), &json!({"found": 2}))
    });
    tally.check("the cache is shared by the hooks of a run", found);
}
