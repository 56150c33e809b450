use crate::stage::{Stage, snapshot};

#[test]
fn the_catalogue_and_one_event() {
    let stage = Stage::empty();
    let (out, err, status) = stage.pintle(&["events"]).parts();
    assert_eq!((err.as_str(), status), ("", Some(0)));
    let names: Vec<&str> = out.lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
    let known: Vec<&str> = pintle::event::CATALOGUE.iter().map(|row| row.name).collect();
    assert_eq!(names, known);
    snapshot!("events_session_end", stage.pintle(&["events", "session.end"]).screen());
    snapshot!("events_unknown", stage.pintle(&["events", "tool.per"]).screen());
}

#[test]
fn json_holds_every_row() {
    let stage = Stage::empty();
    let (out, _, _) = stage.pintle(&["events", "--json"]).parts();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    assert_eq!(rows.len(), pintle::event::CATALOGUE.len());
    let (out, _, _) = stage.pintle(&["events", "custom.*", "--json"]).parts();
    let row: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(rows.contains(&row));
}
