//! A refusal that came apart on its way is no allow, in any dialect whose hooks are programs.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::sync::{Arc, LazyLock};

use pintle_contract::event::CATALOGUE;
use pintle_contract::{Codec, CommandOutput, Event, EventName, HandlerOutput, Origin, Verdict, VerdictKind};
use pintle_dialects::{claude_code, cline, codex, copilot, cursor, docker_agent, gemini, harness_framework, qwen};
use proptest::prelude::*;
use regex::Regex;

/// A guard of a dialect: the event's name there, and what refuses on it.
struct Guard {
    codec: fn() -> Arc<dyn Codec>,
    spelling: &'static str,
    canonical: &'static str,
    denials: &'static [&'static str],
    /// Whether text is for the model there, so that a text without the form of a decision is no answer at all.
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
const GUARDS: &[Guard] = &[
    Guard {
        codec: docker_agent::codec,
        spelling: "pre_tool_use",
        canonical: "tool.pre",
        denials: DOCKER,
        reads_text: false,
    },
    Guard {
        codec: docker_agent::codec,
        spelling: "tool_guard",
        canonical: "tool.guard",
        denials: DOCKER,
        reads_text: false,
    },
    Guard { codec: claude_code::codec, spelling: PRE, canonical: "tool.pre", denials: CLAUDE, reads_text: false },
    Guard { codec: codex::codec, spelling: PRE, canonical: "tool.pre", denials: CLAUDE, reads_text: false },
    Guard { codec: qwen::codec, spelling: PRE, canonical: "tool.pre", denials: CLAUDE, reads_text: false },
    Guard {
        codec: gemini::codec,
        spelling: "BeforeTool",
        canonical: "tool.pre",
        denials: &[r#"{"decision":"deny","reason":"no rm"}"#, r#"{"continue":false,"stopReason":"x"}"#],
        reads_text: false,
    },
    Guard {
        codec: copilot::codec,
        spelling: "preToolUse",
        canonical: "tool.pre",
        denials: &[r#"{"permissionDecision":"deny","permissionDecisionReason":"no rm"}"#],
        reads_text: false,
    },
    Guard {
        codec: cursor::codec,
        spelling: "preToolUse",
        canonical: "tool.pre",
        denials: &[r#"{"permission":"deny","user_message":"no rm"}"#],
        reads_text: false,
    },
    Guard {
        codec: cline::codec,
        spelling: PRE,
        canonical: "tool.pre",
        denials: &[r#"{"cancel":true,"errorMessage":"no rm"}"#, "HOOK_CONTROL\t{\"cancel\":true}"],
        reads_text: false,
    },
    Guard {
        codec: harness_framework::codec,
        spelling: PRE,
        canonical: "tool.pre",
        denials: &[r#"{"decision":"block","message":"no rm"}"#, r#"{"continue":false}"#],
        reads_text: true,
    },
];

/// What can happen to an answer on its way.
#[derive(Debug, Clone)]
enum Mutation {
    Drop(prop::sample::Index),
    Wide { bytes: usize, is_little: bool, is_marked: bool },
    Mark,
    InList,
    InText,
    InObject(&'static str),
    InFence,
    Before(&'static str),
    Behind(&'static str),
    Twice,
    SecondKey(prop::sample::Index),
    SingleQuotes,
    WithoutBrace,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let remark =
        prop::sample::select(vec!["checking the call\n", "2026-01-01 guard: ", "{\"seen\":1}\n", "\u{1b}[1m", "x"]);
    let trailer = prop::sample::select(vec!["\ndone", " {}", "}", "\n{\"allowed\":true}", ";"]);
    prop_oneof![
        3 => any::<prop::sample::Index>().prop_map(Mutation::Drop),
        2 => (prop::sample::select(vec![2, 4]), any::<bool>(), any::<bool>())
            .prop_map(|(bytes, is_little, is_marked)| Mutation::Wide { bytes, is_little, is_marked }),
        1 => Just(Mutation::Mark),
        1 => Just(Mutation::InList),
        1 => Just(Mutation::InText),
        1 => prop::sample::select(vec!["output", "result", "hook"]).prop_map(Mutation::InObject),
        1 => Just(Mutation::InFence),
        2 => remark.prop_map(Mutation::Before),
        1 => trailer.prop_map(Mutation::Behind),
        1 => Just(Mutation::Twice),
        2 => any::<prop::sample::Index>().prop_map(Mutation::SecondKey),
        1 => Just(Mutation::SingleQuotes),
        1 => Just(Mutation::WithoutBrace),
    ]
}

fn apply(answer: Vec<u8>, mutation: &Mutation) -> Vec<u8> {
    let text = String::from_utf8_lossy(&answer).into_owned();
    match mutation {
        Mutation::Drop(at) if !answer.is_empty() => {
            let mut answer = answer;
            answer.remove(at.index(answer.len()));
            answer
        }
        Mutation::Drop(_) => answer,
        Mutation::Wide { bytes, is_little, is_marked } => {
            let mark = is_marked.then_some('\u{feff}');
            mark.into_iter().chain(text.chars()).flat_map(|letter| wide(letter, *bytes, *is_little)).collect()
        }
        Mutation::Mark => format!("\u{feff}{text}").into_bytes(),
        Mutation::InList => format!("[{text}]").into_bytes(),
        Mutation::InText => serde_json::to_vec(&text).unwrap(),
        Mutation::InObject(key) => format!("{{\"{key}\":{text}}}").into_bytes(),
        Mutation::InFence => format!("```json\n{text}\n```").into_bytes(),
        Mutation::Before(remark) => format!("{remark}{text}").into_bytes(),
        Mutation::Behind(trailer) => format!("{text}{trailer}").into_bytes(),
        Mutation::Twice => text.repeat(2).into_bytes(),
        Mutation::SecondKey(at) => second_key(&text, *at).into_bytes(),
        Mutation::SingleQuotes => text.replace('"', "'").into_bytes(),
        Mutation::WithoutBrace => text.replacen('{', "", 1).into_bytes(),
    }
}

fn wide(letter: char, bytes: usize, is_little: bool) -> Vec<u8> {
    let big = u32::from(letter).to_be_bytes();
    let mut kept = big[4 - bytes..].to_vec();
    if is_little {
        kept.reverse();
    }
    kept
}

/// The text with another value behind the one of a key, as a model gets it there whose words a guard repeats.
fn second_key(text: &str, at: prop::sample::Index) -> String {
    static KEY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""(\w+)":"#).unwrap());
    let keys: Vec<String> = KEY.captures_iter(text).map(|found| found[1].to_owned()).collect();
    if keys.is_empty() {
        return text.to_owned();
    }
    let key = &keys[at.index(keys.len())];
    let end = text.rfind('}').unwrap_or(text.len());
    format!("{},\"{key}\":\"\"{}", &text[..end], &text[end..])
}

fn decoded(guard: &Guard, stdout: Vec<u8>) -> Verdict {
    let row = CATALOGUE.iter().find(|row| row.name == guard.canonical).unwrap();
    let name = EventName::parse(guard.canonical).unwrap();
    let event = Event::new(name, (row.example)(), Arc::new(Origin::default()));
    let answer = CommandOutput { exit_code: Some(0), stdout, ..CommandOutput::default() };
    (guard.codec)().decode(&event, guard.spelling, HandlerOutput::Process(answer))
}

#[test]
fn every_refusal_refuses() {
    for guard in GUARDS {
        for denial in guard.denials {
            let verdict = decoded(guard, denial.as_bytes().to_vec());
            assert!(matches!(verdict.kind, VerdictKind::Deny { .. }), "{} {denial}: {verdict:?}", guard.spelling);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_refusal_that_came_apart_never_allows_in_silence(
        guard in any::<prop::sample::Index>(),
        denial in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)\b(?:deny|block)\b").unwrap());
        let guard = &GUARDS[guard.index(GUARDS.len())];
        let denial = guard.denials[denial.index(guard.denials.len())];
        let stdout = mutations.iter().fold(denial.as_bytes().to_vec(), apply);
        let shown = String::from_utf8_lossy(&stdout).replace('\0', "");
        let verdict = decoded(guard, stdout);
        let holds_back = matches!(verdict.kind, VerdictKind::Deny { .. } | VerdictKind::Ask { .. } | VerdictKind::Failed(_));
        let is_told = !verdict.warnings.is_empty() || !verdict.effects.is_empty();
        prop_assert!(holds_back || is_told, "{} {shown}: {verdict:?}", guard.spelling);
        prop_assert!(!matches!(verdict.kind, VerdictKind::Allow { .. }), "{} {shown}: {verdict:?}", guard.spelling);
        prop_assert!(holds_back || guard.reads_text || !WORD.is_match(&shown), "{} {shown}: {verdict:?}", guard.spelling);
    }
}
