use crate::fixture::{CliFixture, snapshot};

#[test]
fn what_comes_of_a_decision_is_reported_event_by_event() {
    let fixture = CliFixture::new_empty();
    snapshot!("install_report", fixture.pintle(&["install", "claude", "--report"]).run_to_screen());
    let (out, err, status) = fixture.pintle(&["install", "codex", "--report", "--json"]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let events = report["events"].as_array().unwrap();
    let end = events.iter().find(|event| event["event"] == "SessionEnd").unwrap();
    let decisions = end["decisions"].as_array().unwrap();
    let support = |decision: &str| {
        decisions
            .iter()
            .find(|row| row["decision"] == decision)
            .map_or("absent", |row| row["support"].as_str().unwrap())
    };
    assert_eq!(["deny", "context", "stop", "notice"].map(support), ["absent", "deferred", "dropped", "dropped"]);
    assert!(report["unhooked_actions"][0].as_str().unwrap().contains("write_stdin"), "{report}");
}
