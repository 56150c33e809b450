//! The handler: payload to standard input, answer to a verdict.

use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{Answer, Call, Codec, Failure, FailureKind, Handler, Origin, ProcessAnswer, Verdict};

use super::plain::{self, Program};
use crate::worker::Worker;

/// A hook that is a program.
#[derive(Debug)]
pub(super) struct CommandHandler {
    pub(super) program: Arc<Program>,
    /// The process that answers many calls, when the hook's author wants one.
    pub(super) worker: Option<Worker>,
    pub(super) codec: Arc<dyn Codec>,
}

impl Handler for CommandHandler {
    fn kind(&self) -> &'static str {
        if self.worker.is_some() { "worker" } else { "command" }
    }

    fn may_wait(&self) -> bool {
        true
    }

    fn call(&self, call: &Call<'_>) -> Verdict {
        let (place, warning) = self.program.place(call);
        let answer = match &self.worker {
            _ if call.cancel.is_cancelled() => Err(Failure::new(FailureKind::Cancelled, "the call was cancelled")),
            Some(worker) => worker.answer(&place, input(&*self.codec, call, Ending::Line), call.limits, call.cancel),
            None => self.spawn(&place, call),
        };
        let verdict = match answer {
            Ok(answer) => self.codec.decode(call.event, &call.hook.spelling, Answer::Process(answer)),
            Err(failure) => Verdict::failed(failure),
        };
        match warning {
            Some(warning) => verdict.warn(warning),
            None => verdict,
        }
    }
}

impl CommandHandler {
    fn spawn(&self, place: &plain::Place, call: &Call<'_>) -> Result<ProcessAnswer, Failure> {
        let stdin = input(&*self.codec, call, Ending::Bare);
        plain::run(&self.program.spec(place, stdin, call.limits), call.limits, call.cancel)
    }
}

/// How an input ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// With the last byte of the JSON text.
    Bare,
    /// The text is one line, and a newline follows.
    Line,
}

/// What the programs of one form of encoding read, each made once for a payload and shared.
#[derive(Debug, Default)]
struct Inputs(Mutex<Vec<Input>>);

#[derive(Debug)]
struct Input {
    spelling: Arc<str>,
    origin: Arc<Origin>,
    ending: Ending,
    bytes: Arc<[u8]>,
}

/// What a program reads: the event as the hook's dialect writes it.
fn input(codec: &dyn Codec, call: &Call<'_>, ending: Ending) -> Arc<[u8]> {
    let (event, spelling) = (call.event, &call.hook.spelling);
    let inputs = event.payload.view(codec.form(), |_| Inputs::default());
    // Held while the text is made: hooks that run at once need one text and not one each.
    let mut known = inputs.0.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.iter().find(|input| {
        input.ending == ending
            && input.spelling == *spelling
            && (Arc::ptr_eq(&input.origin, &event.origin) || input.origin == event.origin)
    });
    if let Some(input) = found {
        return Arc::clone(&input.bytes);
    }
    let mut text = codec.write(event, spelling);
    if ending == Ending::Line {
        // Between the parts of a JSON text a newline is white space, and inside of them there is none.
        text.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        text.push(b'\n');
    }
    let bytes: Arc<[u8]> = text.into();
    let (spelling, origin) = (Arc::clone(spelling), Arc::clone(&event.origin));
    known.push(Input { spelling, origin, ending, bytes: Arc::clone(&bytes) });
    bytes
}
