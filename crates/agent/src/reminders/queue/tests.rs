//! Tables of reminder sequences, and a test of the invariants.

use pintle_host::Reminder;
use pintle_host::contract::{ReminderAuthority, ReminderPropagation};

use super::*;

/// Parses a reminder in short form: `body`, then in any order `#key`, `ttl=N`, `keep`, `all`, `none`, `corrective`,
/// `advisory`.
fn parse_reminder(text: &str) -> Reminder {
    let mut words = text.split_whitespace();
    let mut reminder = Reminder { body: words.next().unwrap_or_default().to_owned(), ..Reminder::default() };
    for word in words {
        match word {
            "keep" => reminder.preserve_on_compact = true,
            "all" => reminder.propagate = ReminderPropagation::All,
            "none" => reminder.propagate = ReminderPropagation::None,
            "corrective" => reminder.authority = ReminderAuthority::Corrective,
            "advisory" => reminder.authority = ReminderAuthority::Advisory,
            _ => match word.strip_prefix('#') {
                Some(key) => reminder.dedupe_key = Some(key.to_owned()),
                None => reminder.ttl_turns = Some(word.strip_prefix("ttl=").unwrap().parse().unwrap()),
            },
        }
    }
    reminder
}

/// Applies `send`, `compact`, `clear`, `handover` or an injected reminder, and returns what was sent.
fn apply_line(queue: &mut ReminderQueue, text: &str) -> (TransitionLog, Option<Vec<QueuedReminder>>) {
    match text {
        "send" => {
            let due = queue.due_reminders();
            let numbers: Vec<u64> = due.iter().map(|entry| entry.number).collect();
            (queue.mark_sent(&numbers), Some(due))
        }
        "compact" => (queue.on_compacted(queue.last_number()), None),
        "clear" => (queue.on_cleared(), None),
        "handover" => (queue.on_handoff(), None),
        _ => (queue.inject(parse_reminder(text), 1), None),
    }
}

#[test]
fn each_life_ends_as_it_should() {
    // What happens, and the bodies of each request that is sent.
    let lives: &[(&str, &[&str], &[&str])] = &[
        ("ttl 1 is seen once", &["a ttl=1", "send", "send"], &["a", ""]),
        ("ttl 2 is seen twice", &["a ttl=2", "send", "send", "send"], &["a", "a", ""]),
        ("no ttl is seen forever", &["a", "send", "send", "send"], &["a", "a", "a"]),
        ("a blank reminder is dropped", &["", "send"], &[""]),
        ("the same key and body is kept once", &["a #k", "a #k", "send"], &["a"]),
        ("the same key and body is not sent again", &["a #k ttl=1", "send", "a #k ttl=1", "send"], &["a", ""]),
        ("a newer body replaces a sent one", &["a #k ttl=1", "send", "b #k ttl=1", "send"], &["a", "b"]),
        ("a newer body replaces a pending one", &["a #k", "b #k", "send"], &["b"]),
        ("a sent one is replaced in what is sent", &["a #k", "send", "b #k", "send"], &["a", "b"]),
        ("without a key the same text is kept once", &["a", "a", "send"], &["a"]),
        ("without a key it may come again", &["a ttl=1", "send", "a ttl=1", "send"], &["a", "a"]),
        ("other keys do not disturb each other", &["a #k", "a #l", "a", "send"], &["a a a"]),
        ("lower authority does not replace", &["a #k", "b #k advisory", "send"], &["a"]),
        ("higher authority does", &["a #k advisory", "b #k corrective", "send"], &["b"]),
        ("the same text rises in authority", &["a #k advisory", "b", "a #k", "send"], &["b a"]),
        ("authority goes before age", &["a advisory", "b corrective", "c", "d", "send"], &["c d b a"]),
        ("compaction drops", &["a", "b keep", "compact", "send"], &["b"]),
        ("compaction also drops what was never seen", &["a ttl=1", "compact", "send"], &[""]),
        (
            "what was compacted away may be sent again",
            &["a #k ttl=1", "send", "compact", "a #k ttl=1", "send"],
            &["a", "a"],
        ),
        (
            "what survives compaction is not sent again",
            &["a #k ttl=1 keep", "send", "compact", "a #k ttl=1 keep", "send"],
            &["a", ""],
        ),
        ("a ttl continues after a compaction", &["a keep ttl=2", "send", "compact", "send", "send"], &["a", "a", ""]),
        ("clearing leaves nothing", &["a keep", "clear", "send"], &[""]),
        ("none is dropped at a hand-off", &["a none", "b", "handover", "send"], &["b"]),
    ];
    for (name, steps, expected) in lives {
        let mut held = ReminderQueue::default();
        let mut sent = Vec::new();
        for step in *steps {
            if let (_, Some(due)) = apply_line(&mut held, step) {
                let bodies: Vec<String> = due.into_iter().map(|entry| entry.reminder.body).collect();
                sent.push(bodies.join(" "));
            }
        }
        assert_eq!(sent, *expected, "{name}");
    }
}

#[test]
fn each_step_is_told() {
    let told: &[(&[&str], &str)] = &[
        (&["a ttl=1", "send"], "Injected a, Rendered a, Expired a"),
        (&["a #k", "a #k", "b #k"], "Injected a, Deduped a, Dropped a, Injected b"),
        (&["a", "b keep", "compact"], "Injected a, Injected b, Dropped a, Retained b"),
        (&["a none", "b all", "handover", "clear"], "Injected a, Injected b, Dropped a, Dropped b"),
    ];
    for (steps, expected) in told {
        let mut held = ReminderQueue::default();
        let steps = steps.iter().flat_map(|step| apply_line(&mut held, step).0);
        let lines: Vec<String> = steps.map(|(step, reminder)| format!("{step:?} {}", reminder.body)).collect();
        assert_eq!(lines.join(", "), *expected);
    }
}

#[test]
fn what_a_hook_asks_for_while_the_conversation_is_compacted_stays() {
    let mut held = ReminderQueue::default();
    held.inject(parse_reminder("before"), 1);
    let mark = held.last_number();
    held.inject(parse_reminder("during"), 1);
    held.on_compacted(mark);
    let bodies: Vec<String> = held.due_reminders().into_iter().map(|entry| entry.reminder.body).collect();
    assert_eq!(bodies, ["during"]);
}

#[test]
fn an_agent_below_gets_what_is_for_all_and_passes_it_on() {
    let mut parent = ReminderQueue::default();
    for text in ["a all ttl=2", "b", "c none"] {
        parent.inject(parse_reminder(text), 3);
    }
    let mut child = ReminderQueue::default();
    for passed in parent.inheritable() {
        assert_eq!(child.inherit(passed.clone(), 1).0, ReminderTransition::Inherited);
    }
    let grandchild: Vec<&str> = child.inheritable().map(|reminder| reminder.body.as_str()).collect();
    assert_eq!(grandchild, ["a"]);
    assert_eq!(parent.due_reminders().first().map(|entry| entry.turn), Some(3));
}

#[test]
fn blanks_and_repeated_tags_go_away() {
    let asked = Reminder {
        body: String::from("  be brief \n"),
        tags: ["x", " x ", "", "y"].map(str::to_owned).to_vec(),
        dedupe_key: Some(String::from("  ")),
        ttl_turns: Some(0),
        ..Reminder::default()
    };
    let expected = Reminder {
        body: String::from("be brief"),
        tags: vec![String::from("x"), String::from("y")],
        dedupe_key: None,
        ttl_turns: Some(1),
        ..Reminder::default()
    };
    assert_eq!(normalize_reminder(asked), Some(expected));
    assert_eq!(normalize_reminder(Reminder::for_one_turn(" \n")), None);
}

/// A sequence of numbers that is the same for the same seed.
struct SeededNumbers(u64);

impl SeededNumbers {
    fn next_below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }
}

/// Invariants: no reminder is sent after it expired or was dropped, none more often than requested, at most one of a
/// key at a time, in order of authority. The same key and body is never sent by two reminders, unless another text came
/// in between or the conversation has forgotten it. Replaying the recorded changes leads to the same state.
#[test]
fn whatever_happens_no_promise_is_broken() {
    const HAPPENINGS: [&str; 18] = [
        "a",
        "a ttl=1",
        "a ttl=2 #k",
        "a #k",
        "b #k ttl=1",
        "x #k advisory ttl=3",
        "c #k keep ttl=2",
        "c #l keep",
        "b #l corrective",
        "d advisory all ttl=1",
        "e none keep ttl=4",
        "f all",
        "send",
        "send",
        "send",
        "compact",
        "handover",
        "clear",
    ];
    for seed in 0..3_000 {
        let mut numbers = SeededNumbers(seed);
        let mut held = ReminderQueue::default();
        let mut again = ReminderQueue::default();
        // For each key the text sent last, by which reminder, and whether it survives compaction.
        let mut last: BTreeMap<String, (String, u64, bool)> = BTreeMap::new();
        let mut left: BTreeMap<u64, Option<u32>> = BTreeMap::new();
        let mut log = Vec::new();
        for _ in 0..30 {
            let text = HAPPENINGS[numbers.next_below(HAPPENINGS.len())];
            log.push(text);
            let about = || format!("seed {seed}: {log:?}");
            let known: Vec<u64> = held.queued.iter().map(|entry| entry.number).collect();
            let (steps, due) = apply_line(&mut held, text);
            match text {
                "compact" => {
                    last.retain(|_, (.., is_kept)| *is_kept);
                    again.forget_sent();
                }
                "clear" => {
                    last.clear();
                    again.sent.clear();
                }
                _ => {}
            }
            for entry in &held.queued {
                left.entry(entry.number).or_insert(entry.reminder.ttl_turns);
            }
            let due = due.unwrap_or_default();
            let order: Vec<_> = due.iter().map(|entry| (entry.reminder.authority, entry.number)).collect();
            assert!(order.is_sorted(), "{}", about());
            let keys: Vec<_> = due.iter().filter_map(|entry| entry.reminder.dedupe_key.clone()).collect();
            assert!(keys.iter().all(|key| keys.iter().filter(|other| *other == key).count() == 1), "{}", about());
            for entry in &due {
                assert!(known.contains(&entry.number), "{}", about());
                match left.get_mut(&entry.number) {
                    Some(Some(0)) | None => panic!("sent after it expired; {}", about()),
                    Some(Some(turns)) => *turns -= 1,
                    Some(None) => {}
                }
                let Reminder { dedupe_key, body, preserve_on_compact, .. } = &entry.reminder;
                if let Some(key) = dedupe_key {
                    let sent = (body.clone(), entry.number, *preserve_on_compact);
                    if let Some((before, number, _)) = last.insert(key.clone(), sent) {
                        assert!(before != *body || number == entry.number, "sent again; {}", about());
                    }
                }
            }
            for (step, reminder) in steps {
                // After another text the older one may be sent again.
                if let (ReminderTransition::Injected, Some(key)) = (step, &reminder.dedupe_key)
                    && last.get(key).is_some_and(|(body, ..)| *body != reminder.body)
                {
                    last.remove(key);
                }
                again.apply_transition(step, reminder, 1);
            }
            assert_eq!(again, held, "{}", about());
        }
    }
}
