//! A resumed session is the same session.

use std::fs;

use crate::resume::fixture::{
    PROMPTS, ScriptRecordingModel, begin_session, make_project, resume_session, say_prompts, text_of,
};

#[test]
fn session_resumed_between_turns_sends_the_same_requests() {
    for turns in 0..PROMPTS.len() {
        let (one, other) = (make_project(), make_project());
        let model = ScriptRecordingModel::new();
        let (mut whole, runtime) = begin_session(one.path(), &model);
        say_prompts(&mut whole, &PROMPTS[..turns]).unwrap();
        whole.start().unwrap();
        let kept = tempfile::tempdir().unwrap();
        let (asked_before, tape) = (model.request_count(), kept.path().join("t.jsonl"));
        fs::write(&tape, text_of(&runtime)).unwrap();
        // No record was written before the first turn.
        let _ = fs::copy(one.path().join("a.txt"), other.path().join("a.txt"));
        let expected = say_prompts(&mut whole, &PROMPTS[turns..]).unwrap();

        let fresh = ScriptRecordingModel::new();
        let (mut session, resumed) = resume_session(other.path(), &fresh, &tape).unwrap();
        assert_eq!((session.turns() as usize, session.interrupted_turn()), (turns, None));
        assert_eq!(say_prompts(&mut session, &PROMPTS[turns..]).unwrap(), expected);
        // The hooks of `session.resume` added context; everything else is equal.
        let said = |asked: String| asked.replace("\\n\\nthe session goes on", "");
        let asked: Vec<String> = fresh.requests_since(0).into_iter().map(said).collect();
        assert_eq!(asked, model.requests_since(asked_before), "after {turns} turns");
        assert_eq!((session.usage().output_tokens, session.turns()), (whole.usage().output_tokens, whole.turns()));
        assert_eq!(resumed.metrics(), runtime.metrics());
    }
}
