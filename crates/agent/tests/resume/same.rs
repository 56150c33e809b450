//! A session that was taken up again is the same session.

use std::fs;

use crate::stage::{Kept, PROMPTS, again, begin, project, say, text_of};

#[test]
fn a_session_taken_up_between_turns_asks_its_model_what_it_would_have_asked_anyway() {
    for turns in 0..PROMPTS.len() {
        let (one, other) = (project(), project());
        let model = Kept::new();
        let (mut whole, runtime) = begin(one.path(), &model);
        say(&mut whole, &PROMPTS[..turns]).unwrap();
        whole.start().unwrap();
        let kept = tempfile::tempdir().unwrap();
        let (asked_before, tape) = (model.count(), kept.path().join("t.jsonl"));
        fs::write(&tape, text_of(&runtime)).unwrap();
        // Nothing was written yet before the first turn.
        let _ = fs::copy(one.path().join("a.txt"), other.path().join("a.txt"));
        let expected = say(&mut whole, &PROMPTS[turns..]).unwrap();

        let fresh = Kept::new();
        let (mut session, resumed) = again(other.path(), &fresh, &tape).unwrap();
        assert_eq!((session.turns() as usize, session.cut_off()), (turns, None));
        assert_eq!(say(&mut session, &PROMPTS[turns..]).unwrap(), expected);
        // The hooks of `session.resume` had more to say, and nothing else is different.
        let said = |asked: String| asked.replace("\\n\\nthe session goes on", "");
        let asked: Vec<String> = fresh.asked(0).into_iter().map(said).collect();
        assert_eq!(asked, model.asked(asked_before), "after {turns} turns");
        assert_eq!((session.usage().output_tokens, session.turns()), (whole.usage().output_tokens, whole.turns()));
        assert_eq!(resumed.metrics(), runtime.metrics());
    }
}
