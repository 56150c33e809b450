//! A deny that was damaged on its way is not an allow, in any dialect whose hooks are programs.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::sync::{Arc, LazyLock};

use pintle_contract::{Codec, CommandOutput, HandlerOutput, Verdict, VerdictKind};
use pintle_dialects::{claude_code, cline, codex, copilot, cursor, docker_agent, gemini, harness_framework, qwen};
use pintle_testkit::{catalogue_payload, plain_event};
use proptest::prelude::*;
use regex::Regex;

/// A guard of a dialect: the event's name there, and an output that denies on it.
struct GuardCase {
    codec: fn() -> Arc<dyn Codec>,
    event_alias: &'static str,
    canonical: &'static str,
    denials: &'static [&'static str],
    /// Whether plain text is for the model there, so that text without the form of a decision is valid output.
    reads_text: bool,
}

const CLAUDE: &[&str] = &[
    r#"{"decision":"block","reason":"no rm"}"#,
    r#"{"continue":false,"stopReason":"no rm"}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}"#,
];
const DOCKER: &[&str] = &[
    r#"{"decision":"block","reason":"no rm"}"#,
    r#"{"continue":false,"stop_reason":"no rm"}"#,
    r#"{"hook_specific_output":{"hook_event_name":"pre_tool_use","permission_decision":"deny"}}"#,
    r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"x"}}"#,
];

const PRE: &str = "PreToolUse";
const GUARDS: &[GuardCase] = &[
    GuardCase {
        codec: docker_agent::codec,
        event_alias: "pre_tool_use",
        canonical: "tool.pre",
        denials: DOCKER,
        reads_text: false,
    },
    GuardCase {
        codec: docker_agent::codec,
        event_alias: "tool_guard",
        canonical: "tool.guard",
        denials: DOCKER,
        reads_text: false,
    },
    GuardCase {
        codec: claude_code::codec,
        event_alias: PRE,
        canonical: "tool.pre",
        denials: CLAUDE,
        reads_text: false,
    },
    GuardCase { codec: codex::codec, event_alias: PRE, canonical: "tool.pre", denials: CLAUDE, reads_text: false },
    GuardCase { codec: qwen::codec, event_alias: PRE, canonical: "tool.pre", denials: CLAUDE, reads_text: false },
    GuardCase {
        codec: gemini::codec,
        event_alias: "BeforeTool",
        canonical: "tool.pre",
        denials: &[r#"{"decision":"deny","reason":"no rm"}"#, r#"{"continue":false,"stopReason":"x"}"#],
        reads_text: false,
    },
    GuardCase {
        codec: copilot::codec,
        event_alias: "preToolUse",
        canonical: "tool.pre",
        denials: &[r#"{"permissionDecision":"deny","permissionDecisionReason":"no rm"}"#],
        reads_text: false,
    },
    GuardCase {
        codec: cursor::codec,
        event_alias: "preToolUse",
        canonical: "tool.pre",
        denials: &[r#"{"permission":"deny","user_message":"no rm"}"#],
        reads_text: false,
    },
    GuardCase {
        codec: cline::codec,
        event_alias: PRE,
        canonical: "tool.pre",
        denials: &[r#"{"cancel":true,"errorMessage":"no rm"}"#, "HOOK_CONTROL\t{\"cancel\":true}"],
        reads_text: false,
    },
    GuardCase {
        codec: harness_framework::codec,
        event_alias: PRE,
        canonical: "tool.pre",
        denials: &[r#"{"decision":"block","message":"no rm"}"#, r#"{"continue":false}"#],
        reads_text: true,
    },
];

/// A mutation of an output on its way.
#[derive(Debug, Clone)]
enum AnswerMutation {
    Drop(prop::sample::Index),
    Wide { bytes: usize, is_little: bool, is_marked: bool },
    Mark,
    InList,
    InText,
    InFence,
    TextBefore(&'static str),
    TextAfter(&'static str),
    Repeated,
    SecondKey(prop::sample::Index),
    SingleQuotes,
    WithoutBrace,
}

fn any_mutation() -> impl Strategy<Value = AnswerMutation> {
    let remark =
        prop::sample::select(vec!["checking the call\n", "2026-01-01 guard: ", "{\"seen\":1}\n", "\u{1b}[1m", "x"]);
    let trailer = prop::sample::select(vec!["\ndone", " {}", "}", "\n{\"allowed\":true}", ";"]);
    prop_oneof![
        3 => any::<prop::sample::Index>().prop_map(AnswerMutation::Drop),
        2 => (prop::sample::select(vec![2, 4]), any::<bool>(), any::<bool>())
            .prop_map(|(bytes, is_little, is_marked)| AnswerMutation::Wide { bytes, is_little, is_marked }),
        1 => Just(AnswerMutation::Mark),
        1 => Just(AnswerMutation::InList),
        1 => Just(AnswerMutation::InText),
        1 => Just(AnswerMutation::InFence),
        2 => remark.prop_map(AnswerMutation::TextBefore),
        1 => trailer.prop_map(AnswerMutation::TextAfter),
        1 => Just(AnswerMutation::Repeated),
        2 => any::<prop::sample::Index>().prop_map(AnswerMutation::SecondKey),
        1 => Just(AnswerMutation::SingleQuotes),
        1 => Just(AnswerMutation::WithoutBrace),
    ]
}

fn apply_mutation(answer: Vec<u8>, mutation: &AnswerMutation) -> Vec<u8> {
    let text = String::from_utf8_lossy(&answer).into_owned();
    match mutation {
        AnswerMutation::Drop(at) if !answer.is_empty() => {
            let mut answer = answer;
            answer.remove(at.index(answer.len()));
            answer
        }
        AnswerMutation::Drop(_) => answer,
        AnswerMutation::Wide { bytes, is_little, is_marked } => {
            let mark = is_marked.then_some('\u{feff}');
            mark.into_iter().chain(text.chars()).flat_map(|letter| encode_wide(letter, *bytes, *is_little)).collect()
        }
        AnswerMutation::Mark => format!("\u{feff}{text}").into_bytes(),
        AnswerMutation::InList => format!("[{text}]").into_bytes(),
        AnswerMutation::InText => serde_json::to_vec(&text).unwrap(),
        AnswerMutation::InFence => format!("```json\n{text}\n```").into_bytes(),
        AnswerMutation::TextBefore(remark) => format!("{remark}{text}").into_bytes(),
        AnswerMutation::TextAfter(trailer) => format!("{text}{trailer}").into_bytes(),
        AnswerMutation::Repeated => text.repeat(2).into_bytes(),
        AnswerMutation::SecondKey(at) => repeat_key(&text, *at).into_bytes(),
        AnswerMutation::SingleQuotes => text.replace('"', "'").into_bytes(),
        AnswerMutation::WithoutBrace => text.replacen('{', "", 1).into_bytes(),
    }
}

fn encode_wide(letter: char, bytes: usize, is_little: bool) -> Vec<u8> {
    let big = u32::from(letter).to_be_bytes();
    let mut kept = big[4 - bytes..].to_vec();
    if is_little {
        kept.reverse();
    }
    kept
}

/// The text with a second value for a key, as it happens if a guard repeats a model's words.
fn repeat_key(text: &str, index: prop::sample::Index) -> String {
    static KEY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""(\w+)":"#).unwrap());
    let keys: Vec<String> = KEY.captures_iter(text).map(|found| found[1].to_owned()).collect();
    if keys.is_empty() {
        return text.to_owned();
    }
    let key = &keys[index.index(keys.len())];
    let end = text.rfind('}').unwrap_or(text.len());
    format!("{},\"{key}\":\"\"{}", &text[..end], &text[end..])
}

fn decode_guard_output(guard: &GuardCase, stdout: Vec<u8>) -> Verdict {
    let event = plain_event(guard.canonical, catalogue_payload(guard.canonical));
    let answer = CommandOutput { exit_code: Some(0), stdout, ..CommandOutput::default() };
    (guard.codec)().decode(&event, guard.event_alias, HandlerOutput::Process(answer))
}

#[test]
fn every_refusal_refuses() {
    for guard in GUARDS {
        for denial in guard.denials {
            let verdict = decode_guard_output(guard, denial.as_bytes().to_vec());
            assert!(matches!(verdict.kind, VerdictKind::Deny { .. }), "{} {denial}: {verdict:?}", guard.event_alias);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_refusal_that_came_apart_never_allows_in_silence(
        guard in any::<prop::sample::Index>(),
        denial in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(any_mutation(), 1..4),
    ) {
        static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)\b(?:deny|block)\b").unwrap());
        let guard = &GUARDS[guard.index(GUARDS.len())];
        let denial = guard.denials[denial.index(guard.denials.len())];
        let stdout = mutations.iter().fold(denial.as_bytes().to_vec(), apply_mutation);
        let shown = String::from_utf8_lossy(&stdout).replace('\0', "");
        let verdict = decode_guard_output(guard, stdout);
        let holds_back = matches!(verdict.kind, VerdictKind::Deny { .. } | VerdictKind::Ask { .. } | VerdictKind::Failed(_));
        let is_told = !verdict.warnings.is_empty() || !verdict.effects.is_empty();
        prop_assert!(holds_back || is_told, "{} {shown}: {verdict:?}", guard.event_alias);
        prop_assert!(!matches!(verdict.kind, VerdictKind::Allow { .. }), "{} {shown}: {verdict:?}", guard.event_alias);
        // A key that lost more letters is another word.
        let drops = mutations.iter().filter(|mutation| matches!(mutation, AnswerMutation::Drop(_))).count();
        let is_told_apart = guard.reads_text || drops > 2 || !WORD.is_match(&shown);
        prop_assert!(holds_back || is_told_apart, "{} {shown}: {verdict:?}", guard.event_alias);
    }
}
