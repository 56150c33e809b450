use crate::fixture::{CliFixture, snapshot};

#[test]
fn who_would_run_and_why_not() {
    let end = "---\nevent: turn.end\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n";
    let fixture = CliFixture::with_guards().with_file(".harness/hooks/at_end.md", end);
    snapshot!("explain_example", fixture.pintle(&["explain", "tool.pre"]).run_to_screen());
    let payload = r#"{"name": "deploy"}"#;
    snapshot!("explain_payload", fixture.pintle(&["explain", "tool.pre", "--all"]).with_input(payload).run_to_screen());
    snapshot!("explain_json", fixture.pintle(&["explain", "tool.pre", "--json"]).with_input(payload).run_to_screen());
}
