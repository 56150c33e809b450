//! The pipes of a worker on a system where a program cannot wait for a pipe with a limit: two threads wait instead.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use pintle_contract::CancelToken;

use super::pool::{WorkerCallError, WorkerLimit};

/// The longest time until a cancellation is seen.
const LOOK: Duration = Duration::from_millis(20);

/// The threads end with the worker, whose end closes both pipes.
#[derive(Debug)]
pub(super) struct WorkerPipes {
    outgoing: Sender<Vec<u8>>,
    incoming: Receiver<Vec<u8>>,
}

impl WorkerPipes {
    pub(super) fn new(mut input: ChildStdin, mut output: ChildStdout) -> io::Result<Self> {
        let (outgoing, messages) = channel::<Vec<u8>>();
        let (chunks, incoming) = channel();
        let name = || thread::Builder::new().name(String::from("script worker"));
        name().spawn(move || messages.iter().try_for_each(|bytes| input.write_all(&bytes)))?;
        name().spawn(move || {
            let mut chunk = [0; 16 << 10];
            while let Ok(count) = output.read(&mut chunk)
                && let Some(bytes) = chunk.get(..count).filter(|bytes| !bytes.is_empty())
                && chunks.send(bytes.to_vec()).is_ok()
            {}
        })?;
        Ok(Self { outgoing, incoming })
    }

    /// Writes bytes, without waiting until the worker reads them; `false` if it has closed its input.
    pub(super) fn write(&mut self, bytes: &[u8], _limit: &WorkerLimit<'_>) -> Result<bool, WorkerCallError> {
        Ok(self.outgoing.send(bytes.to_vec()).is_ok())
    }

    /// Adds what the worker has written; `false` if it has closed its output.
    pub(super) fn read(&mut self, pending: &mut Vec<u8>, limit: &WorkerLimit<'_>) -> Result<bool, WorkerCallError> {
        loop {
            match self.incoming.recv_timeout(limit.time_left()?.min(LOOK)) {
                Ok(bytes) => {
                    pending.extend_from_slice(&bytes);
                    return Ok(true);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
            }
        }
    }
}

/// Kills a worker. It starts no programs.
pub(super) fn kill_worker(child: &mut Child) {
    let _ = child.kill();
}

/// A cancellation wakes the threads of no pipe here.
#[derive(Debug)]
pub(super) struct CancelPipe;

impl CancelPipe {
    pub(super) fn new(_cancel: &CancelToken) -> io::Result<Self> {
        Ok(Self)
    }
}
