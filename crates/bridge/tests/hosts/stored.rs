//! Stored sessions in lists.

use std::fs;
use std::path::Path;

use pintle_bridge::{HostDef, StoredSession};
use pintle_host::{EventName, Verdict, native};
use serde_json::{Value, json};

use crate::fixture::respond_with_state;

/// Handles an event of a session that works in `/tmp`.
fn fire(state: &Path, host: &str, event: &str, fields: &Value) {
    let host = HostDef::by_name(host).unwrap();
    let mut payload = json!({"session_id": "s1", "cwd": "/tmp", "hook_event_name": event});
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let sends_on = native::hook("sends on", EventName::parse("agent.stop").unwrap(), |_| Verdict::deny("go on"));
    respond_with_state(
        host,
        host.find_event(event).unwrap(),
        payload.to_string().as_bytes(),
        vec![sends_on],
        Some(state),
    );
}

/// The only stored session of a host.
fn only_stored_session(state: &Path, host: &str) -> StoredSession {
    let mut all = StoredSession::list(state, HostDef::by_name(host).unwrap());
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn a_session_is_told_by_its_tape() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path();
    assert!(StoredSession::list(state, HostDef::by_name("gemini").unwrap()).is_empty(), "the directory does not exist");
    let told = || {
        let story = only_stored_session(state, "gemini").summary.unwrap();
        (story.turns, story.last_prompt, story.has_ended)
    };
    fire(state, "gemini", "SessionStart", &json!({"source": "startup"}));
    assert_eq!(told(), (0, String::new(), false));
    fire(state, "gemini", "BeforeAgent", &json!({"prompt": "first"}));
    fire(
        state,
        "gemini",
        "AfterAgent",
        &json!({"prompt": "first", "prompt_response": "no", "stop_hook_active": false}),
    );
    fire(state, "gemini", "BeforeAgent", &json!({"prompt": "go on"}));
    assert_eq!(told(), (1, String::from("first"), false), "the reason to continue is not a prompt of the user");
    fire(state, "gemini", "SessionEnd", &json!({"reason": "exit"}));
    assert_eq!(told(), (1, String::from("first"), true));
    fire(state, "gemini", "BeforeAgent", &json!({"prompt": "second"}));
    assert_eq!(told(), (2, String::from("second"), false), "it went on");
    let kept = only_stored_session(state, "gemini");
    assert_eq!((kept.session.as_str(), kept.project.as_deref()), ("s1", Some(Path::new("/tmp"))));
    assert!(kept.belongs_to(Path::new("/tmp/../tmp")) && !kept.belongs_to(Path::new("/")) && !kept.is_in_use);
    assert_eq!(
        (
            StoredSession::count_for_project(state, Path::new("/tmp")),
            StoredSession::count_for_project(state, Path::new("/"))
        ),
        (1, 0)
    );
    kept.delete().unwrap();
    assert!(StoredSession::list(state, HostDef::by_name("gemini").unwrap()).is_empty());
}

#[test]
fn whatever_lies_in_the_folder_is_listed_or_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path();
    fire(state, "claude", "UserPromptSubmit", &json!({"prompt": "first"}));
    let whole = only_stored_session(state, "claude");
    let [tape, kept_state] = ["tape.jsonl", "state.json"].map(|name| whole.folder.join(name));
    let bytes = fs::read(&tape).unwrap();
    let first = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for index in (0..bytes.len()).step_by(41) {
        fs::write(&tape, &bytes[..index]).unwrap();
        fs::write(&kept_state, &bytes[index..]).unwrap();
        let cut = only_stored_session(state, "claude");
        assert_eq!(
            (cut.summary.is_ok(), cut.session.as_str(), cut.project),
            (index >= first, "s1", None),
            "cut at {index}"
        );
        let mut bent = bytes.clone();
        bent[index] ^= 0x5b;
        fs::write(&tape, bent).unwrap();
        only_stored_session(state, "claude");
    }
    fs::remove_file(&tape).unwrap();
    assert!(
        only_stored_session(state, "claude").summary.unwrap_err().to_string().ends_with("` does not exist"),
        "it was claimed, and never began"
    );
    only_stored_session(state, "claude").delete().unwrap();
    assert!(!whole.folder.exists());
}
