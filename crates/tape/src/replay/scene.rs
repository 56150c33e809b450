//! One dispatch as a tape has it: what came from outside, and which records are the engine's.

use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::{CallId, Event, EventName};

use super::cast::Cast;
use super::desk::{Ask, Cues, Returned, Turn};
use super::heard;
use crate::record::{Body, Decided};

/// One dispatch.
#[derive(Debug, Default)]
pub(super) struct Scene {
    /// Its number.
    pub(super) number: u64,
    /// How it begins; `None` when the tape has no beginning of it.
    pub(super) opening: Option<Opening>,
    /// What is not for the engine to decide.
    pub(super) cues: Cues,
    /// The engine's records of it, by their place on the tape.
    pub(super) records: Vec<usize>,
    /// Whether it has an outcome.
    pub(super) is_over: bool,
    /// Where the asks stand that the group now open began with.
    group: usize,
}

/// How a dispatch begins.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) parent: Option<u64>,
    pub(super) cause: Option<CallId>,
    /// The place of its record.
    pub(super) at: usize,
    /// The event; its payload was not read where the line has no payload either.
    pub(super) event: Event,
}

/// All dispatches of a tape.
#[derive(Debug, Default)]
pub(super) struct Scenes {
    list: Vec<Scene>,
    by_number: HashMap<u64, usize>,
}

impl Scenes {
    /// Takes the next record of the tape, where it is work of the engine.
    pub(super) fn take(&mut self, at: usize, body: Body<'static>, cast: &Cast) {
        let Some(number) = body.dispatch().filter(|_| !is_input(&body)) else { return };
        let index = *self.by_number.entry(number).or_insert_with(|| {
            self.list.push(Scene { number, ..Scene::default() });
            self.list.len() - 1
        });
        if let Some(scene) = self.list.get_mut(index) {
            scene.records.push(at);
            scene.take(at, body, cast);
        }
    }

    /// The dispatches, in the order in which they began.
    pub(super) fn into_list(mut self) -> Vec<Scene> {
        for scene in &mut self.list {
            scene.group = 0;
        }
        self.list
    }
}

impl Scene {
    fn take(&mut self, at: usize, body: Body<'static>, cast: &Cast) {
        let cues = &mut self.cues;
        match body {
            Body::Event(fired) if self.opening.is_none() => {
                // What this program has no event for cannot be fired; the record is then one too many.
                self.opening = EventName::parse(&fired.event).ok().map(|name| Opening {
                    parent: fired.parent,
                    cause: fired.cause.map(CallId),
                    at,
                    event: Event::new(name, fired.payload.into_owned(), Arc::new(fired.origin.into_owned())),
                });
            }
            Body::Unmatched(passed) => {
                let turn = Turn::Unmatched(heard::failure(passed.failure));
                cues.asks.push(Ask { entry: passed.entry, after: cues.returned, turn });
                self.settle(cast, passed.round);
            }
            Body::Unasked(passed) => {
                // A failed matcher that counts is told twice: as what happened and as what follows.
                let told = matches!(cues.asks.last(), Some(Ask { entry, turn: Turn::Unmatched(_), .. }) if *entry == passed.entry);
                if !told {
                    cues.asks.push(Ask { entry: passed.entry, after: cues.returned, turn: Turn::Cancelled });
                    self.settle(cast, passed.round);
                }
            }
            Body::HookCall(asked) => {
                cues.calls.push(Returned { call: asked.call, duration_us: 0, verdict: None });
                cues.asks.push(Ask { entry: asked.entry, after: cues.returned, turn: Turn::Called });
                self.settle(cast, asked.round);
            }
            Body::HookReturned(answered) => {
                cues.returned += 1;
                if let Some(returned) = cues.calls.iter_mut().find(|returned| returned.call == answered.call) {
                    returned.duration_us = answered.duration_us;
                    returned.verdict = Some(heard::verdict(answered.said));
                }
                self.group = self.cues.asks.len();
            }
            Body::Approval(resolved) => cues.resolution = Some(heard::resolution(&resolved)),
            Body::Outcome(decided) => {
                self.is_over = true;
                cues.given_up = given_up(&decided);
            }
            _ => {}
        }
    }

    /// Puts the newest ask where its hook was found to want the event.
    ///
    /// Hooks that are asked at once are all looked at before the first of them is called, and one that is passed over is
    /// told at once. So the calls of the group come behind it on the tape, whatever the order of the hooks.
    fn settle(&mut self, cast: &Cast, round: u8) {
        let asks = &mut self.cues.asks;
        let newest = asks.len().saturating_sub(1);
        let Some(place) = asks.get(newest).and_then(|ask| cast.place(ask.entry)) else { return };
        let in_group = |ask: &Ask| cast.place(ask.entry).is_some_and(|other| other.chain == place.chain);
        if round > 0 || !place.at_once {
            self.group = asks.len();
            return;
        }
        let first = asks.iter().take(newest).rposition(|ask| !in_group(ask)).map_or(0, |at| at + 1).max(self.group);
        let Some(group) = asks.get_mut(first..) else { return };
        if group.iter().any(|ask| matches!(ask.turn, Turn::Unmatched(_) | Turn::Cancelled)) {
            group.sort_by_key(|ask| cast.place(ask.entry).map(|place| place.slot));
        }
    }
}

/// Whether a record is an input and no work of the engine.
pub(super) fn is_input(body: &Body<'_>) -> bool {
    matches!(body, Body::Effect(_)) || body.dispatch().is_none()
}

/// The reasons that name a guard which the engine gave up asking.
fn given_up(decided: &Decided<'_>) -> Vec<String> {
    let reasons = decided.reasons.iter().filter(|reason| reason.text.contains("` judged it, "));
    reasons.map(|reason| reason.text.clone()).collect()
}
