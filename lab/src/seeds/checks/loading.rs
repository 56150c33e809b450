//! Checks what the loader must accept and reject, and its errors.

use serde_json::json;

use crate::seeds::documents::SeedDocuments;
use crate::seeds::fixture::{ProjectFixture, handler_file};
use crate::seeds::tally::{CheckTally, expect, expect_equal};

const SCRIPT: &str = "script: |\n  def handle(event, payload):\n      return block(\"ran\")\n";

pub(super) fn check(_documents: &SeedDocuments, tally: &mut CheckTally) {
    for (what, text, part) in REFUSED {
        let refused = ProjectFixture::open_hooks(&[("command_guard", text)]).and_then(|fixture| {
            let findings = fixture.diagnostics();
            let said = findings.iter().any(|finding| finding.starts_with("error") && finding.contains(part));
            expect(said, || format!("no error with `{part}` in {findings:?}"))
        });
        tally.check(format!("{what} is refused"), refused);
    }
    let named = format!("---\nevent: tool.pre\n{SCRIPT}---\n");
    let file_name = ProjectFixture::open_clean(&[("from_the_file", &named)]).and_then(|fixture| {
        expect_equal(
            &fixture.fire_tool_call("x", json!({}))?.reason().as_str(),
            &"blocked by hook \"from_the_file\": ran",
        )
    });
    tally.check("the file name is the hook's name", file_name);
    let unknown = format!("---\nevent: tool.pre\nname: other\ncolour: blue\n{SCRIPT}---\n");
    let loads = ProjectFixture::open_clean(&[("x", &unknown)])
        .and_then(|fixture| expect_equal(&fixture.fire_tool_call("x", json!({}))?.is_allowed(), &false));
    tally.check("unknown keys do not disable a hook", loads);
    let placeholder = ProjectFixture::open_clean(&[("x", "---\nevent: tool.pre\n---\n\n# x\n")]);
    let passes =
        placeholder.and_then(|fixture| expect_equal(&fixture.fire_tool_call("x", json!({}))?.is_allowed(), &true));
    tally.check("a hook without a script does nothing", passes);
    let body = format!(
        "{}\n```starlark\ndef handle(event, payload):\n    return block(\"from the body\")\n```\n",
        handler_file("tool.pre", "return allow()")
    );
    let ignored = ProjectFixture::open_clean(&[("x", &body)])
        .and_then(|fixture| expect_equal(&fixture.fire_tool_call("x", json!({}))?.is_allowed(), &true));
    tally.check("code in the body is never run", ignored);
    tally.check("a script with another entry point is told about `handle`", check_wrong_entry());
}

/// Files, and a part of the error that they must cause.
const REFUSED: &[(&str, &str, &str)] = &[
    ("a file without frontmatter", "# command_guard\n\nevent: tool.pre\n", "---"),
    ("frontmatter that is not closed", "---\nevent: tool.pre\n", "---"),
    ("frontmatter that is not YAML", "---\nevent: [tool.pre\n---\n", "parse hook command_guard.md"),
    ("a script that is not a string", "---\nevent: tool.pre\nscript:\n  - 1\n---\n", "script"),
];

/// The reference lets such a hook load and fail at its first call. In either case its author must be told.
fn check_wrong_entry() -> Result<(), String> {
    let text = handler_file("tool.pre", "return allow()").replace("def handle(event, payload)", "def run(args)");
    let fixture = ProjectFixture::open_hooks(&[("x", &text)])?;
    let outcome = fixture.fire_tool_call("x", json!({}))?;
    let told =
        fixture.diagnostics().into_iter().chain(outcome.failures.iter().map(|report| format!("{:?}", report.failure)));
    let told: Vec<String> = told.collect();
    expect(told.iter().any(|text| text.contains("handle")), || format!("{told:?}"))
}
