use crate::stage::{Stage, snapshot};

#[test]
fn who_would_run_and_why_not() {
    let end = "---\nevent: turn.end\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n";
    let stage = Stage::governed().file(".harness/hooks/at_end.md", end);
    snapshot!("explain_example", stage.pintle(&["explain", "tool.pre"]).screen());
    let payload = r#"{"name": "deploy"}"#;
    snapshot!("explain_payload", stage.pintle(&["explain", "tool.pre", "--all"]).input(payload).screen());
    snapshot!("explain_json", stage.pintle(&["explain", "tool.pre", "--json"]).input(payload).screen());
}
