//! What guards were told by the world, so that a repeated call hears the same.
//!
//! A guard that counts its calls, or looks into a cache that it writes itself, would judge its own traces when it is
//! asked again. So the answers of its first call are kept for the length of the dispatch, and a repeated call that
//! asks the same is told the same: nothing but the changed target can change its mind. What it did not ask before
//! goes through [`MutedSeam`], and is made up for when the call denies.

use std::sync::{Mutex, OnceLock, PoisonError};

use pintle_contract::{EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner};

use super::muted::MutedSeam;

type Answer = Result<EffectReply, EffectError>;

/// The answers that the guards of a dispatch got, by the hook's number. Most guards ask nothing, and the list is made with
/// the first answer.
#[derive(Debug, Default)]
pub(super) struct Echoes(OnceLock<Box<Kept>>);

/// Each answer with the number of its hook and what the hook asked.
type Kept = Mutex<Vec<(u32, EffectRequest, Answer)>>;

/// The seam of a guard's first call: everything goes through and is remembered.
#[derive(Debug)]
pub(super) struct Heard<'a> {
    pub(super) seam: &'a dyn EffectRunner,
    pub(super) echoes: &'a Echoes,
    pub(super) ordinal: u32,
}

/// The seam of a repeated call.
#[derive(Debug)]
pub(super) struct Echo<'a> {
    muted: MutedSeam<'a>,
    /// What the first call asked and this one did not ask yet.
    rest: Mutex<Vec<(EffectRequest, Answer)>>,
}

impl Echoes {
    /// The seam of a repeated call of a hook.
    pub(super) fn of<'a>(&self, ordinal: u32, seam: &'a dyn EffectRunner) -> Echo<'a> {
        let heard = self.0.get().map(|heard| heard.lock().unwrap_or_else(PoisonError::into_inner));
        let of_hook = heard.iter().flat_map(|heard| heard.iter()).filter(|(number, _, _)| *number == ordinal);
        let rest = of_hook.map(|(_, request, answer)| (request.clone(), answer.clone())).collect();
        Echo { muted: MutedSeam::new(seam), rest: Mutex::new(rest) }
    }

    fn keep(&self, ordinal: u32, request: EffectRequest, answer: Answer) {
        let heard = self.0.get_or_init(Box::default);
        heard.lock().unwrap_or_else(PoisonError::into_inner).push((ordinal, request, answer));
    }
}

impl Echo<'_> {
    /// Writes what the call wrote and did not write the first time: it decided.
    pub(super) fn write(&self, caller: EffectCaller<'_>) {
        self.muted.write(caller);
    }
}

impl EffectRunner for Heard<'_> {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Answer {
        let answer = self.seam.perform(caller, request.clone());
        self.echoes.keep(self.ordinal, request, answer.clone());
        answer
    }

    fn metric_incr(&self, caller: EffectCaller<'_>, name: &str, by: i64) -> Result<i64, EffectError> {
        let count = self.seam.metric_incr(caller, name, by)?;
        self.echoes.keep(
            self.ordinal,
            EffectRequest::MetricIncr { name: name.to_owned(), amount: by },
            Ok(EffectReply::Int(count)),
        );
        Ok(count)
    }
}

impl EffectRunner for Echo<'_> {
    fn perform(&self, caller: EffectCaller<'_>, request: EffectRequest) -> Answer {
        let known = {
            let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
            let at = rest.iter().position(|(asked, _)| *asked == request);
            at.map(|at| rest.remove(at).1)
        };
        known.unwrap_or_else(|| self.muted.perform(caller, request))
    }
}
