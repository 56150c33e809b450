//! Arrays that grow are written in parts, and are restored.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pintle_contract::{EventCause, Journal, JournalEntry, Outcome, Redactor};
use pintle_tape::replay::{ReplayOptions, replay};
use pintle_tape::verify::verify_bytes;
use pintle_tape::{ListPrefix, RecordBody, Tape, TapeReader, read_bytes};
use serde_json::{Value, json};

use crate::writing::fixture::{WritingTickingClock, make_event, new_tape, read_memory_tape};

/// Fires an event without hooks.
fn fire(tape: &Tape, payload: &Value) {
    let event = make_event("completion.pre", payload.clone());
    tape.record_without_hooks(&event, EventCause::default());
}

/// Fires an event whose payload becomes this one.
fn fire_rewritten(tape: &Tape, payload: &Value, rewritten: &Value) {
    let event = make_event("completion.pre", payload.clone());
    let dispatch = tape.begin_dispatch(&JournalEntry::Event { event: &event, cause: EventCause::default() });
    let changed = make_event("completion.pre", rewritten.clone());
    let outcome = Outcome { rewritten: true, ..Outcome::unchanged(changed.payload) };
    tape.record(dispatch, &JournalEntry::Outcome { event: &event, outcome: &outcome });
}

fn message(number: usize) -> Value {
    json!({"role": if number.is_multiple_of(2) { "user" } else { "tool" }, "content": format!("message {number}")})
}

fn messages(range: std::ops::Range<usize>) -> Vec<Value> {
    range.map(message).collect()
}

fn request(messages: &[Value]) -> Value {
    json!({"model": "m", "messages": messages, "iteration": 1})
}

/// The payloads of a tape: as fired, and as rewritten.
fn payloads_of(tape: &Tape) -> Vec<Value> {
    let payload = |body| match body {
        RecordBody::Event(fired) => Some(fired.payload.into_owned()),
        RecordBody::Outcome(outcome) => outcome.value.map(std::borrow::Cow::into_owned),
        _ => None,
    };
    read_memory_tape(tape).records.into_iter().filter_map(|record| payload(record.body)).collect()
}

fn size_bytes(tape: &Tape) -> usize {
    tape.lines().iter().map(|line| line.len() + 1).sum()
}

/// Plays turns, checks that every payload is restored and that the tape is the one that the records give, and returns
/// the bytes of each turn.
fn play(turns: usize, mut turn: impl FnMut(&Tape, usize) -> Vec<Value>) -> Vec<usize> {
    let tape = new_tape();
    let (mut payloads, mut sizes, mut before) = (Vec::new(), Vec::new(), size_bytes(&tape));
    for number in 0..turns {
        payloads.extend(turn(&tape, number));
        sizes.push(size_bytes(&tape) - before);
        before += sizes.last().unwrap();
    }
    assert_eq!(payloads_of(&tape), payloads);
    let text = tape.lines().join("\n") + "\n";
    assert_eq!(verify_bytes(text.as_bytes()).unwrap().findings, []);
    // No hook on these tapes explains a rewritten payload.
    if !text.contains("\"rewritten\":true") {
        let replayed = replay(text.as_bytes(), &ReplayOptions::default()).unwrap();
        assert!(replayed.difference.is_none() && replayed.tape == text.as_bytes());
    }
    sizes
}

fn assert_flat(sizes: &[usize], label: &str) {
    let (first, last) = (sizes[60], sizes[sizes.len() - 1]);
    assert!(last * 10 <= first * 11, "{label}: turn 60 takes {first} bytes, the last one {last}");
}

#[test]
fn turn_of_a_long_conversation_costs_what_it_adds() {
    let sizes = play(400, |tape, turn| {
        let payload = request(&messages(0..2 * turn + 1));
        fire(tape, &payload);
        vec![payload]
    });
    assert_flat(&sizes, "a conversation that is sent in full");
    assert!(sizes[399] < 1_000, "{}", sizes[399]);
}

#[test]
fn window_of_a_conversation_costs_what_it_adds() {
    let sizes = play(200, |tape, turn| {
        let window = messages((2 * turn + 1).saturating_sub(50)..2 * turn + 1);
        let payload = request(&[&[json!({"role": "system", "content": "be brief"})], &window[..]].concat());
        fire(tape, &payload);
        vec![payload]
    });
    assert_flat(&sizes, "a window");
    assert!(sizes[199] < 1_200, "{}", sizes[199]);
}

#[test]
fn rewritten_conversation_costs_what_it_adds() {
    let sizes = play(200, |tape, turn| {
        let fired = messages(0..2 * turn + 8);
        // A hook redacts one message of each request, and says something at its start.
        let mut rewritten = fired.clone();
        rewritten[5]["content"] = json!("[REDACTED]");
        rewritten.insert(0, json!({"role": "system", "content": format!("this is turn {turn}")}));
        let payloads = vec![request(&fired), request(&rewritten)];
        fire_rewritten(tape, &payloads[0], &payloads[1]);
        payloads
    });
    assert_flat(&sizes, "a rewritten conversation");
    // A compaction replaces everything but the end.
    let compacted = play(120, |tape, turn| {
        let summary = json!({"role": "user", "content": format!("summary {}", turn / 40)});
        let payload = request(&[&[summary], &messages(turn / 40 * 80..2 * turn + 10)[..]].concat());
        fire(tape, &payload);
        vec![payload]
    });
    assert!(compacted[119] < 1_000, "{}", compacted[119]);
}

#[test]
fn lists_of_one_payload_may_continue_the_same_list() {
    let sizes = play(40, |tape, turn| {
        let count = 2 * turn + 30;
        let mut changed = messages(0..count);
        changed[count - 1]["content"] = json!("something else");
        let lists: Vec<Vec<Value>> = (0..9).map(|list| messages(list..count + list)).collect();
        let payload = json!({"messages": messages(0..count), "history": changed, "again": messages(0..count + 1),
            "a": lists[1], "b": lists[2], "c": lists[3], "d": lists[4], "e": lists[5], "f": lists[6], "g": lists[8]});
        fire(tape, &payload);
        vec![payload]
    });
    assert!(sizes[39] < 6_000, "{}", sizes[39]);
}

#[test]
fn part_of_a_list_that_is_changed_is_found() {
    let tape = new_tape();
    (0..20).for_each(|turn| fire(&tape, &request(&messages(0..2 * turn + 1))));
    let lines = tape.lines();
    let last = lines.iter().rposition(|line| line.contains("\"parts\"")).unwrap();
    let (from, of) = (lines[last].find("\"from\":0").unwrap(), lines[last].find("\"of\":\"").unwrap() + 6);
    assert!(from > of, "{}", lines[last]);
    let name = &lines[last][of..of + 32];
    let name_of = |line: &str| line[line.find("{\"$blob\":\"").unwrap() + 10..][..32].to_owned();
    let (sent, other) = (name_of(&lines[last]), name_of(&lines[last - 1]));
    let changes = [
        (lines[last].replace("message 37", "message 73"), "its blob `"),
        (lines[last].replace("\"to\":37", "\"to\":36"), "its blob `"),
        (lines[last].replace("\"to\":37", "\"to\":99"), "it refers to elements that the list `"),
        (lines[last].replace("\"from\":0", "\"from\":1"), "its blob `"),
        (lines[last].replace(name, &"0".repeat(32)), "it refers to blob `0000"),
        (lines[last].replacen(",[{", ",[],[{\"role\":1},{", 1), "its blob `"),
        (lines[last].replace("\"parts\":", "\"value\":"), "its blob `"),
        (lines[last].replace(&sent, &other), "its blob `"),
        (lines[last].replace(&sent, &"0".repeat(32)), "its blob `"),
    ];
    for (line, expected) in changes {
        assert_ne!(line, lines[last], "{expected}");
        let mut changed = lines.clone();
        changed[last] = line;
        let error = read_bytes((changed.join("\n") + "\n").as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("line {}: {expected}", last + 1)), "{error}");
    }
}

#[test]
fn resumed_tape_continues_its_lists() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.jsonl");
    let clock = Arc::new(WritingTickingClock::default());
    let first = Tape::create(&path, pintle_tape::HeaderRecord::new("s1", 1), clock.clone()).unwrap();
    fire(&first, &request(&messages(0..101)));
    drop(first);
    let before = std::fs::metadata(&path).unwrap().len();
    let second = Tape::append_to(&path, clock).unwrap();
    (0..10).for_each(|turn| fire(&second, &request(&messages(0..103 + 2 * turn))));
    drop(second);
    let added = std::fs::metadata(&path).unwrap().len() - before;
    assert!(added < 10_000, "{added} bytes");
    let payloads = TapeReader::open(&path).unwrap().filter_map(|line| match line.unwrap().record.body {
        RecordBody::Event(fired) => Some(fired.payload.into_owned()),
        _ => None,
    });
    let expected = [101].into_iter().chain((0..10).map(|turn| 103 + 2 * turn));
    assert!(payloads.eq(expected.map(|count| request(&messages(0..count)))));
}

#[test]
fn abridged_record_is_completed_from_its_line() {
    let tape = new_tape();
    let payloads = [request(&messages(0..3)), request(&messages(0..600))];
    payloads.iter().for_each(|payload| fire(&tape, payload));
    let text = tape.lines().join("\n") + "\n";
    let mut reader = TapeReader::new(text.as_bytes()).unwrap().abridged();
    let mut seen = Vec::new();
    while let Some(line) = reader.next() {
        let line = line.unwrap();
        let RecordBody::Event(fired) = &line.record.body else { continue };
        let payload = reader.read_payload(&line.text).unwrap();
        assert_eq!(line.is_abridged, *fired.payload != payload);
        seen.push((line.is_abridged, payload));
    }
    let [short, long] = payloads;
    assert_eq!(seen, [(false, short), (true, long)]);
}

/// Counts the bytes that are searched for secrets.
#[derive(Debug, Default)]
struct CountingRedactor(AtomicUsize);

impl Redactor for CountingRedactor {
    fn redact(&self, text: &str) -> Option<String> {
        self.0.fetch_add(text.len(), Ordering::Relaxed);
        None
    }

    fn may_contain_secret(&self, text: &str) -> bool {
        self.0.fetch_add(text.len(), Ordering::Relaxed);
        true
    }
}

#[test]
fn turn_of_a_long_conversation_is_searched_for_secrets_only_where_it_is_new() {
    let (tape, redactor) = (new_tape(), Arc::new(CountingRedactor::default()));
    tape.set_redactor(redactor.clone());
    let mut searched = Vec::new();
    let mut before = 0;
    for turn in 0..300 {
        let list = messages(0..2 * turn + 1);
        let event = make_event("completion.pre", request(&list));
        ListPrefix { list: 1, count: list.len().saturating_sub(2) }.attach_to(&event.payload);
        tape.record_without_hooks(&event, EventCause::default());
        let now = redactor.0.load(Ordering::Relaxed);
        searched.push(now - before);
        before = now;
    }
    assert_flat(&searched, "what is searched");
}

/// Redacts one word.
#[derive(Debug)]
struct WordRedactor;

impl Redactor for WordRedactor {
    fn redact(&self, text: &str) -> Option<String> {
        text.contains("hunter2").then(|| text.replace("hunter2", "[gone]"))
    }

    fn may_contain_secret(&self, text: &str) -> bool {
        text.contains("hunter")
    }
}

#[test]
fn lists_with_secrets_are_redacted_however_they_change() {
    for seed in 0..60_u64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        let tape = new_tape();
        if draw(4) > 0 {
            tape.set_redactor(Arc::new(WordRedactor));
        }
        let length = [0, 40, 300, 3_000][draw(4)];
        let (mut list, mut sent, mut wanted): (Vec<Value>, Vec<Value>, Vec<Value>) = Default::default();
        let mut is_redacted = tape_redacts(&tape);
        for step in 0..40 {
            let text = match draw(12) {
                0 => "my password is hunter2",
                1 => "the hunter came home",
                _ => "a quiet message",
            };
            // With some lengths a few messages are a list of their own, with others only many are.
            let said = json!({"role": "user", "content": format!("{step} {}{text}", ".".repeat(length))});
            match draw(8) {
                0 if !list.is_empty() => list.truncate(draw(list.len())),
                1 if !list.is_empty() => {
                    let index = draw(list.len());
                    list[index] = said.clone();
                }
                2 => list.insert(0, said.clone()),
                _ => {}
            }
            list.push(said);
            if step == 20 && !is_redacted {
                tape.set_redactor(Arc::new(WordRedactor));
                is_redacted = true;
            }
            let count = sent.iter().zip(&list).take_while(|(before, now)| before == now).count();
            let mut payload = request(&list);
            if draw(6) == 0 {
                // A schema that nests too deep: the whole record is packed.
                payload["tools"] = (0..4).map(|_| (0..110).fold(json!("x"), |inner, _| json!([inner]))).collect();
            }
            let event = make_event("completion.pre", payload.clone());
            // Some requests are not those of the list that the host knows.
            if draw(5) > 0 {
                ListPrefix { list: 7, count }.attach_to(&event.payload);
                sent.clone_from(&list);
            }
            tape.record_without_hooks(&event, EventCause::default());
            wanted.push(if is_redacted { WordRedactor.redact_value(&payload).unwrap_or(payload) } else { payload });
        }
        assert_eq!(payloads_of(&tape).split_off(1), wanted, "{seed}");
        let text = tape.lines().join("\n") + "\n";
        assert_eq!(verify_bytes(text.as_bytes()).unwrap().findings, [], "{seed}");
        let replayed = replay(text.as_bytes(), &ReplayOptions::default()).unwrap();
        assert!(replayed.difference.is_none() && replayed.tape == text.as_bytes(), "{seed}: {:?}", replayed.difference);
    }
}

/// Whether a tape redacts, which shows in what it writes.
fn tape_redacts(tape: &Tape) -> bool {
    fire(tape, &json!({"said": "hunter2"}));
    !tape.lines().last().unwrap().contains("hunter2")
}

#[test]
fn list_of_a_record_that_was_written_otherwise_is_not_continued() {
    let deep = (0..120).fold(json!("x"), |inner, _| json!([inner]));
    let tools = |is_deep: bool| {
        let tool = |index| if is_deep && index == 5 { deep.clone() } else { json!(index) };
        (0..6).map(tool).collect::<Vec<_>>()
    };
    for redacts in [false, true] {
        let tape = new_tape();
        if redacts {
            tape.set_redactor(Arc::new(WordRedactor));
        }
        let (mut list, mut wanted) = (Vec::new(), Vec::new());
        for step in 0..12 {
            list.extend(
                (0..4).map(|number| json!({"role": "user", "content": format!("{step} {number} {}", ".".repeat(600))})),
            );
            let payload = json!({"messages": list, "tools": tools(step % 3 == 1)});
            fire(&tape, &payload);
            wanted.push(payload);
        }
        assert_eq!(payloads_of(&tape), wanted);
        let text = tape.lines().join("\n") + "\n";
        assert_eq!(verify_bytes(text.as_bytes()).unwrap().findings, []);
        let replayed = replay(text.as_bytes(), &ReplayOptions::default()).unwrap();
        assert!(replayed.difference.is_none() && replayed.tape == text.as_bytes(), "{:?}", replayed.difference);
    }
}
