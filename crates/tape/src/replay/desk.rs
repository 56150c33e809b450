//! The prompter of one dispatch: it tells each stand-in what the hook of its name did at this point of the tape.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, CallId, CancelToken, Clock, Event, Failure, Handler, HookCall, HookId,
    JournalEntry, MatchResult, Matcher, Verdict, VerdictKind,
};

/// What a tape says of one dispatch that is not for the engine to decide.
#[derive(Debug, Default)]
pub(super) struct Cues {
    /// The hooks that wanted the event, in the order in which they were found to want it.
    pub(super) asks: Vec<Ask>,
    /// The calls, in the order in which they began.
    pub(super) calls: Vec<Returned>,
    /// How many of them returned.
    pub(super) returned: usize,
    /// The answer to the ask, where there was one.
    pub(super) resolution: Option<ApprovalResponse>,
    /// The reasons of a deny in which the engine names a guard that it gave up asking.
    pub(super) given_up: Vec<String>,
}

impl Cues {
    /// Whether what comes of them depends on the payload: only a rewrite, or a question about it, does.
    pub(super) fn need_payload(&self) -> bool {
        let looks =
            |verdict: &Verdict| matches!(verdict.kind, VerdictKind::Ask { .. }) || verdict.target_rewrite().is_some();
        self.resolution.is_some() || self.calls.iter().filter_map(|call| call.verdict.as_ref()).any(looks)
    }
}

/// A hook that wanted the event.
#[derive(Debug)]
pub(super) struct Ask {
    /// The hook's number in the tape.
    pub(super) entry: u64,
    /// How many calls had returned by then.
    pub(super) after: usize,
    /// What came of it.
    pub(super) turn: Turn,
}

/// What came of a hook's turn.
#[derive(Debug)]
pub(super) enum Turn {
    /// It was called.
    Called,
    /// Its matcher failed.
    Unmatched(Failure),
    /// It was not called, because the host had cancelled.
    Cancelled,
}

/// A call and what it gave.
#[derive(Debug)]
pub(super) struct Returned {
    /// Its number in the tape.
    pub(super) call: u64,
    /// How long it took.
    pub(super) duration_us: u64,
    /// What it said; `None` where the tape ends before that.
    pub(super) verdict: Option<Verdict>,
}

/// The place where all stand-ins of a set look.
#[derive(Debug, Default)]
pub(super) struct Desk(Mutex<Page>);

#[derive(Debug, Default)]
struct Page {
    cues: Cues,
    next_ask: usize,
    next_call: usize,
    /// The calls that were answered.
    answered: usize,
    now_us: u64,
    cancel: CancelToken,
    /// The calls that the tape does not have the end of.
    unknown: Vec<u64>,
    /// Whether there was an ask that the tape does not have the answer of.
    is_unresolved: bool,
}

impl Desk {
    /// Lays out another dispatch. Gives the flag that its host may have raised.
    pub(super) fn open(&self, cues: Cues) -> CancelToken {
        let mut page = self.page();
        *page = Page { cues, ..Page::default() };
        page.cancel.clone()
    }

    /// Whether the tape does not have what a step tells of, because it ends before that.
    pub(super) fn lacks(&self, step: &JournalEntry<'_>) -> bool {
        let page = self.page();
        match step {
            JournalEntry::Return { id, .. } => page.unknown.contains(&id.0),
            JournalEntry::ApprovalAnswered { .. } => page.is_unresolved,
            _ => false,
        }
    }

    /// The number of the next call.
    pub(super) fn next_call(&self) -> CallId {
        let mut page = self.page();
        let at = page.next_call;
        page.next_call += 1;
        match page.cues.calls.get(at) {
            Some(returned) => CallId(returned.call),
            None => CallId(0),
        }
    }

    /// Whether a hook wants the event now.
    fn wants(&self, entry: u64, id: &HookId) -> MatchResult {
        let mut page = self.page();
        let Page { cues, next_ask, answered, cancel, .. } = &mut *page;
        // A hook's turn comes after every call that the tape has before it, so the next one on the tape is either this
        // hook's in this round or somebody else's.
        let Some(ask) = cues.asks.get_mut(*next_ask) else {
            // Guards are given up without a call, at the very end.
            let names = |reason: &String| reason.contains(&format!("guard `{id}` judged it"));
            return if cues.given_up.iter().any(names) { MatchResult::Yes } else { MatchResult::No };
        };
        // Hooks that are asked at once are found before any of them answers: one that wanted the event only after an answer
        // did so in a later round, when guards were asked again. A hook that is not among such sees all that was answered
        // before it, so that it has no other turn on what it saw. So the count of answers tells the round, also on tapes
        // of format 2, which do not say it.
        if ask.entry != entry || ask.after > *answered {
            return MatchResult::No;
        }
        *next_ask += 1;
        match std::mem::replace(&mut ask.turn, Turn::Called) {
            Turn::Called => MatchResult::Yes,
            Turn::Unmatched(failure) => MatchResult::Failed(failure),
            Turn::Cancelled => {
                cancel.cancel();
                MatchResult::Yes
            }
        }
    }

    /// What a call gave.
    fn answer(&self, id: CallId) -> Verdict {
        let mut page = self.page();
        let Page { cues, now_us, unknown, answered, .. } = &mut *page;
        *answered += 1;
        match cues.calls.iter_mut().find(|returned| returned.call == id.0) {
            Some(Returned { duration_us, verdict: verdict @ Some(_), .. }) => {
                *now_us = now_us.saturating_add(*duration_us);
                verdict.take().unwrap_or_else(Verdict::pass)
            }
            _ => {
                unknown.push(id.0);
                Verdict::pass()
            }
        }
    }

    fn page(&self) -> MutexGuard<'_, Page> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time as the tape has it: it passes only while a hook is called.
impl Clock for Desk {
    fn unix_ms(&self) -> u64 {
        self.page().now_us / 1_000
    }

    fn monotonic_us(&self) -> u64 {
        self.page().now_us
    }
}

/// Whoever was asked then answers as then.
impl Approver for Desk {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        let mut page = self.page();
        match page.cues.resolution.take() {
            Some(resolution) => resolution,
            None => {
                page.is_unresolved = true;
                ApprovalResponse::Unavailable
            }
        }
    }
}

/// Stands in for one hook.
#[derive(Debug)]
pub(super) struct StandIn {
    pub(super) desk: Arc<Desk>,
    /// The hook's number in the tape.
    pub(super) entry: u64,
    pub(super) id: HookId,
}

impl Matcher for StandIn {
    fn matches(&self, _event: &Event) -> MatchResult {
        self.desk.wants(self.entry, &self.id)
    }

    fn describe(&self) -> String {
        String::from("as the tape says")
    }
}

impl Handler for StandIn {
    fn kind(&self) -> &'static str {
        "none"
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        self.desk.answer(call.id)
    }
}
