//! Truncated tapes.

use pintle_contract::Verdict;
use pintle_tape::TapeError;
use pintle_tape::verify::{UnfinishedWork, verify_bytes};
use serde_json::json;

use super::{VerifySessionFixture, record_session};

#[test]
fn a_tape_that_is_cut_anywhere_is_told_what_is_whole_of_it() {
    let small = VerifySessionFixture::new();
    small.fire("tool.pre", json!({"id": "c1"}), &Verdict::deny("no"), None);
    small.tape.close().unwrap();
    let text = small.tape.lines().join("\n") + "\n";
    (1..=text.len()).for_each(|end| check_cut(&text, end));
    let text = record_session().tape.lines().join("\n") + "\n";
    (1..=text.len()).step_by(61).for_each(|end| check_cut(&text, end));
}

fn check_cut(text: &str, end: usize) {
    let (cut, rest) = text.split_at(end);
    let report = match verify_bytes(cut.as_bytes()) {
        Err(TapeError::Torn { size_bytes }) if !cut.contains('\n') && size_bytes == end => return,
        report => report.unwrap(),
    };
    assert_eq!(report.findings, [], "cut after {end} bytes");
    // A record is complete with its closing brace; only its newline may be missing.
    let is_torn = !cut.ends_with('\n') && !rest.starts_with('\n');
    let lacks_end = !cut.ends_with('\n') && rest.starts_with('\n');
    let records = cut.matches('\n').count() + usize::from(lacks_end);
    assert_eq!((report.records, report.torn.is_some()), (records, is_torn), "cut after {end} bytes");
    let whole = if is_torn { cut.rsplit_once('\n').unwrap().0 } else { cut };
    let is_of_end = |open: &&UnfinishedWork| {
        ["`closed` record", "has no line end", "has no end"].iter().any(|text| open.description.contains(text))
    };
    let others: Vec<&UnfinishedWork> = report.unfinished.iter().filter(|open| !is_of_end(open)).collect();
    assert_eq!(others.is_empty(), has_no_open_work(whole), "cut after {end} bytes: {others:?}");
    assert_eq!(report.is_complete(), end == text.len(), "cut after {end} bytes");
}

/// Whether everything that starts in these lines also ends in them.
fn has_no_open_work(lines: &str) -> bool {
    let count = |kind: &str| lines.matches(&format!("\"kind\":\"{kind}\"")).count();
    let pairs = [("event", "outcome"), ("model_request", "model_reply"), ("tool_call", "tool_result")];
    pairs.iter().all(|(begin, end)| count(begin) == count(end))
}
