//! A daemon: a session that waits for more to do.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use pintle::{CancelToken, Reminder};
use pintle_agent::{DaemonOptions, Inbox, Sleeper};
use serde_json::json;

use crate::support::{Play, agent, say};
use crate::{Heard, remind, stage_with};

/// Time in which things are said: each sleep is one entry.
#[derive(Debug, Default)]
struct Day {
    inbox: Mutex<Option<Inbox>>,
    happens: Mutex<VecDeque<&'static str>>,
    slept_ms: Mutex<Vec<u64>>,
}

impl Sleeper for Day {
    fn sleep(&self, duration_ms: u64, _cancel: &CancelToken) {
        self.slept_ms.lock().unwrap().push(duration_ms);
        let inbox = self.inbox.lock().unwrap().clone().unwrap();
        match self.happens.lock().unwrap().pop_front() {
            None => inbox.close(),
            Some("") => {}
            Some(text) => inbox.follow_up(text),
        }
    }
}

fn play(happens: &[&'static str], options: DaemonOptions) -> (Heard, Arc<Play>, Vec<u64>) {
    let heard = Heard::default();
    let day = Arc::new(Day { happens: Mutex::new(happens.iter().copied().collect()), ..Day::default() });
    let model = Play::root([say("one"), say("two"), say("three")]);
    let mut hooks = heard.hooks(&["session.idle", "turn.start"]);
    hooks.push(remind("session.idle", Reminder::for_one_turn("you waited")));
    let sleeper = Arc::clone(&day);
    let mut stage = stage_with(model.clone(), agent(), hooks, |builder| builder.sleeper(sleeper));
    let inbox = stage.session.inbox();
    inbox.follow_up("first");
    *day.inbox.lock().unwrap() = Some(inbox);
    let mut answers = 0;
    stage.session.daemon(options, |_, answer| answers += usize::from(answer.is_ok())).unwrap();
    assert_eq!(answers, model.count());
    let slept_ms = day.slept_ms.lock().unwrap().clone();
    (heard, model, slept_ms)
}

#[test]
fn a_daemon_says_each_time_that_it_is_idle_and_wakes_for_what_is_said() {
    let options = DaemonOptions { wake_interval_ms: 50, ..DaemonOptions::default() };
    let (heard, model, slept_ms) = play(&["", "second", "third"], options);
    assert_eq!(
        heard.names(),
        ["turn.start", "session.idle", "session.idle", "turn.start", "session.idle", "turn.start", "session.idle",]
    );
    assert_eq!(slept_ms, [50, 50, 50, 50]);
    let idle = heard.of("session.idle");
    let iterations: Vec<_> = idle.iter().map(|idle| idle["iteration"].clone()).collect();
    assert_eq!(iterations, [json!(1), json!(1), json!(2), json!(3)]);
    assert_eq!(idle[0]["wake_interval_ms"], json!(50));
    let second = model.request(1).messages.last().unwrap().content.clone();
    assert_eq!(second.matches("you waited").count(), 1, "{second}");
}

#[test]
fn without_an_interval_it_is_idle_once_until_something_is_said() {
    let (heard, _, slept_ms) = play(&["", "", "second"], DaemonOptions::default());
    assert_eq!(heard.names(), ["turn.start", "session.idle", "turn.start", "session.idle"]);
    assert_eq!(heard.of("session.idle")[0].get("wake_interval_ms"), None);
    assert_eq!(slept_ms.len(), 4);
}

#[test]
fn it_gives_up_when_it_was_idle_too_often() {
    let options = DaemonOptions { wake_interval_ms: 50, max_idle: Some(2) };
    let (heard, _, slept_ms) = play(&["", "", ""], options);
    assert_eq!(heard.names(), ["turn.start", "session.idle", "session.idle"]);
    assert_eq!(slept_ms, [50, 50]);
}

#[test]
fn a_daemon_that_is_cancelled_ends() {
    let mut stage = crate::stage(Play::root([]), []);
    stage.session.cancel().cancel();
    let fault = stage.session.daemon(DaemonOptions::default(), |_, _| {}).unwrap_err();
    assert_eq!(fault.stop_reason(), "cancelled");
}
