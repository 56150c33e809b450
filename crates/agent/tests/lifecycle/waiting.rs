//! Daemon mode: a session that waits for further messages.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use pintle_agent::{DaemonOptions, Inbox, Sleeper};
use pintle_host::{CancelToken, Reminder};
use serde_json::json;

use crate::lifecycle::{FiredEventLog, open_fixture_with, reminder_hook};
use crate::support::{QueuedReplyModel, agent, say};

/// A sleeper during which messages are sent: each sleep is one entry.
#[derive(Debug, Default)]
struct PromptingSleeper {
    inbox: Mutex<Option<Inbox>>,
    scripted_prompts: Mutex<VecDeque<&'static str>>,
    slept_ms: Mutex<Vec<u64>>,
}

impl Sleeper for PromptingSleeper {
    fn sleep(&self, duration_ms: u64, _cancel: &CancelToken) {
        self.slept_ms.lock().unwrap().push(duration_ms);
        let inbox = self.inbox.lock().unwrap().clone().unwrap();
        match self.scripted_prompts.lock().unwrap().pop_front() {
            None => inbox.close(),
            Some("") => {}
            Some(text) => inbox.follow_up(text),
        }
    }
}

fn run_daemon(happens: &[&'static str], options: DaemonOptions) -> (FiredEventLog, Arc<QueuedReplyModel>, Vec<u64>) {
    let heard = FiredEventLog::default();
    let day = Arc::new(PromptingSleeper {
        scripted_prompts: Mutex::new(happens.iter().copied().collect()),
        ..PromptingSleeper::default()
    });
    let model = QueuedReplyModel::root([say("one"), say("two"), say("three")]);
    let mut hooks = heard.hooks(&["session.idle", "turn.start"]);
    hooks.push(reminder_hook("session.idle", Reminder::for_one_turn("you waited")));
    let sleeper = Arc::clone(&day);
    let mut fixture = open_fixture_with(model.clone(), agent(), hooks, |builder| builder.sleeper(sleeper));
    let inbox = fixture.session.inbox();
    inbox.follow_up("first");
    *day.inbox.lock().unwrap() = Some(inbox);
    let mut answers = 0;
    fixture.session.run_daemon(options, |_, answer| answers += usize::from(answer.is_ok())).unwrap();
    assert_eq!(answers, model.count());
    let slept_ms = day.slept_ms.lock().unwrap().clone();
    (heard, model, slept_ms)
}

#[test]
fn a_daemon_says_each_time_that_it_is_idle_and_wakes_for_what_is_said() {
    let options = DaemonOptions { wake_interval_ms: 50, ..DaemonOptions::default() };
    let (heard, model, slept_ms) = run_daemon(&["", "second", "third"], options);
    assert_eq!(
        heard.names(),
        ["turn.start", "session.idle", "session.idle", "turn.start", "session.idle", "turn.start", "session.idle",]
    );
    assert_eq!(slept_ms, [50, 50, 50, 50]);
    let idle = heard.payloads_of("session.idle");
    let iterations: Vec<_> = idle.iter().map(|idle| idle["iteration"].clone()).collect();
    assert_eq!(iterations, [json!(1), json!(1), json!(2), json!(3)]);
    assert_eq!(idle[0]["wake_interval_ms"], json!(50));
    let second = model.request(1).messages.last().unwrap().content.clone();
    assert_eq!(second.matches("you waited").count(), 1, "{second}");
}

#[test]
fn without_an_interval_it_is_idle_once_until_something_is_said() {
    let (heard, _, slept_ms) = run_daemon(&["", "", "second"], DaemonOptions::default());
    assert_eq!(heard.names(), ["turn.start", "session.idle", "turn.start", "session.idle"]);
    assert_eq!(heard.payloads_of("session.idle")[0].get("wake_interval_ms"), None);
    assert_eq!(slept_ms.len(), 4);
}

#[test]
fn it_gives_up_when_it_was_idle_too_often() {
    let options = DaemonOptions { wake_interval_ms: 50, max_idle: Some(2) };
    let (heard, _, slept_ms) = run_daemon(&["", "", ""], options);
    assert_eq!(heard.names(), ["turn.start", "session.idle", "session.idle"]);
    assert_eq!(slept_ms, [50, 50]);
}

#[test]
fn a_daemon_that_is_cancelled_ends() {
    let mut fixture = crate::lifecycle::open_fixture(QueuedReplyModel::root([]), []);
    fixture.session.cancel().cancel();
    let error = fixture.session.run_daemon(DaemonOptions::default(), |_, _| {}).unwrap_err();
    assert_eq!(error.stop_reason(), "cancelled");
}
