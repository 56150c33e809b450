//! A session that was interrupted after any record of its tape is resumed and finishes.

use std::collections::HashMap;
use std::fs;

use pintle_agent::model::{MessageRole, ModelMessage};
use pintle_agent::{SessionStatus, SessionSummary};
use pintle_host::tape::record::host::HostRecord;
use pintle_host::tape::{LoadedTape, RecordBody, read, verify};

use crate::resume::fixture::{
    PROMPTS, ScriptRecordingModel, begin_session, make_project, parse_tape, resume_session, say_prompts, text_of,
};

/// The step between interruption points, because each resumed session takes as long as the whole one.
const EACH: usize = 3;

/// The conversation of the session's own agent, from its tape.
fn taped_conversation(tape: &LoadedTape) -> Vec<ModelMessage> {
    let message = |record: &pintle_host::tape::Record<'_>| match &record.body {
        RecordBody::Host(HostRecord::Message(message)) if message.origin.run.is_empty() => {
            Some(serde_json::from_value(message.message.clone().into_owned()).unwrap())
        }
        _ => None,
    };
    tape.records.iter().filter_map(message).collect()
}

/// Checks that each prompt occurs once and in order, and that each call has one result.
fn check_complete(tape: &LoadedTape, index: usize) {
    let messages = taped_conversation(tape);
    let prompts: Vec<&str> = messages
        .iter()
        .filter(|message| message.role == MessageRole::User)
        .map(|message| message.content.as_str())
        .collect();
    assert_eq!(prompts, PROMPTS, "cut after record {index}");
    let mut results: HashMap<&str, usize> = HashMap::new();
    for message in &messages {
        message.tool_call_id.iter().for_each(|id| *results.entry(id).or_default() += 1);
    }
    let calls: Vec<&str> =
        messages.iter().flat_map(|message| &message.tool_calls).map(|call| call.id.as_str()).collect();
    for call in &calls {
        assert_eq!(results.get(call), Some(&1), "cut after record {index}: {call}");
    }
    assert_eq!(results.len(), calls.len(), "cut after record {index}");
    let last = messages.last().map(|message| message.content.as_str());
    assert_eq!(last, Some("One line is in it."), "cut after record {index}");
}

#[test]
fn a_session_cut_off_after_any_record_goes_on_to_its_end() {
    let dir = make_project();
    let (mut session, runtime) = begin_session(dir.path(), &ScriptRecordingModel::new());
    say_prompts(&mut session, &PROMPTS).unwrap();
    session.end();
    let text = text_of(&runtime);
    check_complete(&parse_tape(&text), 0);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut interrupted = 0;
    for index in (1..=lines.len()).step_by(EACH) {
        let other = make_project();
        let tape = other.path().join("t.jsonl");
        let before = lines[..index].concat();
        // Part of the next record was written too.
        let torn = lines.get(index).map_or("", |line| &line[..line.len() / 2]);
        fs::write(&tape, before.clone() + torn).unwrap();
        let model = ScriptRecordingModel::new();
        let Some(past) = SessionSummary::from_tape(&parse_tape(&before)) else {
            assert!(resume_session(other.path(), &model, &tape).is_err(), "cut after record {index}");
            continue;
        };
        assert_eq!(past.state == SessionStatus::Ended, before.contains("\"kind\":\"closed\""), "{index}");
        let (mut session, _) = resume_session(other.path(), &model, &tape).unwrap();
        assert_eq!(session.interrupted_turn(), past.interrupted_turn, "cut after record {index}");
        session.continue_turn().unwrap_or_else(|error| panic!("cut after record {index}: {error}"));
        say_prompts(&mut session, &PROMPTS[past.prompts..])
            .unwrap_or_else(|error| panic!("cut after record {index}: {error}"));
        session.end();
        drop(session);

        let whole = fs::read_to_string(&tape).unwrap();
        assert!(whole.starts_with(&before), "cut after record {index}");
        let reading = read(&tape).unwrap();
        check_complete(&reading, index);
        let report = verify::verify_file(&tape).unwrap();
        assert!(report.is_valid(), "cut after record {index}: {report:?}");
        interrupted += usize::from(whole.contains("may or may not have taken effect"));
    }
    assert!(interrupted > 10 / EACH, "calls were cut off only {interrupted} times");
}
