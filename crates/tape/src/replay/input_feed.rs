//! The prompter of one dispatch: it tells each stand-in what the hook of its name did at this point of the tape.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, CallId, CancelToken, Clock, Event, Failure, Handler, HookCall, HookId,
    JournalEntry, MatchResult, Matcher, Verdict, VerdictKind,
};

/// What a tape says of one dispatch that is not for the engine to decide.
#[derive(Debug, Default)]
pub(super) struct DispatchInputs {
    /// The hooks that wanted the event, in the order in which they were found to want it.
    pub(super) matched_hooks: Vec<MatchedHook>,
    /// The calls, in the order in which they began.
    pub(super) calls: Vec<RecordedReturn>,
    /// How many of them returned.
    pub(super) returned_count: usize,
    /// The answer to the ask, where there was one.
    pub(super) approval_response: Option<ApprovalResponse>,
    /// The reasons of a deny in which the engine names a guard that it gave up asking.
    pub(super) unsettled_guards: Vec<HookId>,
}

impl DispatchInputs {
    /// Whether what comes of them depends on the payload: only a rewrite, or a question about it, does.
    pub(super) fn needs_payload(&self) -> bool {
        let looks =
            |verdict: &Verdict| matches!(verdict.kind, VerdictKind::Ask { .. }) || verdict.target_rewrite().is_some();
        self.approval_response.is_some() || self.calls.iter().filter_map(|call| call.verdict.as_ref()).any(looks)
    }
}

/// A hook that wanted the event.
#[derive(Debug)]
pub(super) struct MatchedHook {
    /// The hook's number in the tape.
    pub(super) entry: u64,
    /// How many calls had returned by then.
    pub(super) returned_before: usize,
    /// What came of it.
    pub(super) result: MatchedHookResult,
}

/// What came of a hook's turn.
#[derive(Debug)]
pub(super) enum MatchedHookResult {
    /// It was called.
    Called,
    /// Its matcher failed.
    MatcherFailed(Failure),
    /// It was not called, because the host had cancelled.
    Cancelled,
}

/// A call and what it gave.
#[derive(Debug)]
pub(super) struct RecordedReturn {
    /// Its number in the tape.
    pub(super) call: u64,
    /// How long it took.
    pub(super) duration_us: u64,
    /// What it said; `None` where the tape ends before that.
    pub(super) verdict: Option<Verdict>,
}

/// The place where all stand-ins of a set look.
#[derive(Debug, Default)]
pub(super) struct InputFeed(Mutex<InputCursor>);

#[derive(Debug, Default)]
struct InputCursor {
    inputs: DispatchInputs,
    next_match: usize,
    next_call: usize,
    /// The calls that were answered.
    answered_count: usize,
    now_us: u64,
    cancel: CancelToken,
    /// The calls that the tape does not have the end of.
    unfinished_calls: Vec<u64>,
    /// Whether there was an ask that the tape does not have the answer of.
    is_unresolved: bool,
}

impl InputFeed {
    /// Lays out another dispatch. Gives the flag that its host may have raised.
    pub(super) fn load(&self, cues: DispatchInputs) -> CancelToken {
        let mut page = self.lock_cursor();
        *page = InputCursor { inputs: cues, ..InputCursor::default() };
        page.cancel.clone()
    }

    /// Whether the tape does not have what a step tells of, because it ends before that.
    pub(super) fn is_missing(&self, step: &JournalEntry<'_>) -> bool {
        let page = self.lock_cursor();
        match step {
            JournalEntry::Return { id, .. } => page.unfinished_calls.contains(&id.0),
            JournalEntry::ApprovalAnswered { .. } => page.is_unresolved,
            _ => false,
        }
    }

    /// The number of the next call.
    pub(super) fn next_call(&self) -> CallId {
        let mut page = self.lock_cursor();
        let at = page.next_call;
        page.next_call += 1;
        match page.inputs.calls.get(at) {
            Some(returned) => CallId(returned.call),
            None => CallId(0),
        }
    }

    /// Whether a hook wants the event now.
    fn match_next(&self, entry: u64, id: &HookId) -> MatchResult {
        let mut page = self.lock_cursor();
        let InputCursor { inputs: cues, next_match: next_ask, answered_count: answered, cancel, .. } = &mut *page;
        // A hook's turn comes after every call that the tape has before it, so the next one on the tape is either this
        // hook's in this round or somebody else's.
        let Some(ask) = cues.matched_hooks.get_mut(*next_ask) else {
            // The engine gives guards up without a call, after everything else.
            return if cues.unsettled_guards.contains(id) { MatchResult::Yes } else { MatchResult::No };
        };
        // Hooks that are asked at once are found before any of them answers: one that wanted the event only after an answer
        // did so in a later round, when guards were asked again. A hook that is not among such sees all that was answered
        // before it, so that it has no other turn on what it saw. So the count of answers tells the round.
        if ask.entry != entry || ask.returned_before > *answered {
            return MatchResult::No;
        }
        *next_ask += 1;
        match std::mem::replace(&mut ask.result, MatchedHookResult::Called) {
            MatchedHookResult::Called => MatchResult::Yes,
            MatchedHookResult::MatcherFailed(failure) => MatchResult::Failed(failure),
            MatchedHookResult::Cancelled => {
                cancel.cancel();
                MatchResult::Yes
            }
        }
    }

    /// What a call gave.
    fn next_verdict(&self, id: CallId) -> Verdict {
        let mut page = self.lock_cursor();
        let InputCursor { inputs: cues, now_us, unfinished_calls: unknown, answered_count: answered, .. } = &mut *page;
        *answered += 1;
        match cues.calls.iter_mut().find(|returned| returned.call == id.0) {
            Some(RecordedReturn { duration_us, verdict: verdict @ Some(_), .. }) => {
                *now_us = now_us.saturating_add(*duration_us);
                verdict.take().unwrap_or_else(Verdict::pass)
            }
            _ => {
                unknown.push(id.0);
                Verdict::pass()
            }
        }
    }

    fn lock_cursor(&self) -> MutexGuard<'_, InputCursor> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time as the tape has it: it passes only while a hook is called.
impl Clock for InputFeed {
    fn unix_ms(&self) -> u64 {
        self.lock_cursor().now_us / 1_000
    }

    fn monotonic_us(&self) -> u64 {
        self.lock_cursor().now_us
    }
}

/// Whoever was asked then answers as then.
impl Approver for InputFeed {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        let mut page = self.lock_cursor();
        match page.inputs.approval_response.take() {
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
pub(super) struct StubHandler {
    pub(super) feed: Arc<InputFeed>,
    /// The hook's number in the tape.
    pub(super) entry: u64,
    pub(super) id: HookId,
}

impl Matcher for StubHandler {
    fn matches(&self, _event: &Event) -> MatchResult {
        self.feed.match_next(self.entry, &self.id)
    }

    fn describe(&self) -> String {
        String::from("as the tape says")
    }
}

impl Handler for StubHandler {
    fn kind(&self) -> &'static str {
        "none"
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        self.feed.next_verdict(call.id)
    }
}
