use crate::fixture::{CliFixture, snapshot};

#[test]
fn the_catalogue_and_one_event() {
    let fixture = CliFixture::new_empty();
    let (out, err, status) = fixture.pintle(&["events"]).run_to_parts();
    assert_eq!((err.as_str(), status), ("", Some(0)));
    let names: Vec<&str> = out.lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
    let known: Vec<&str> = pintle_host::event::CATALOGUE.iter().map(|def| def.name).collect();
    assert_eq!(names, known);
    snapshot!("events_session_end", fixture.pintle(&["events", "session.end"]).run_to_screen());
    snapshot!("events_unknown", fixture.pintle(&["events", "tool.per"]).run_to_screen());
}

#[test]
fn json_holds_every_row() {
    let fixture = CliFixture::new_empty();
    let (out, _, _) = fixture.pintle(&["events", "--json"]).run_to_parts();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    assert_eq!(rows.len(), pintle_host::event::CATALOGUE.len());
    let (out, _, _) = fixture.pintle(&["events", "custom.*", "--json"]).run_to_parts();
    let row: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(rows.contains(&row));
}
