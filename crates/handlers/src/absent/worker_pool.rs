//! The pool of script workers of a system where none is started: it stays empty.

use super::WorkerProgram;

/// A pool of workers of one program.
#[derive(Debug)]
pub struct ScriptWorkerPool;

impl ScriptWorkerPool {
    /// A pool without workers.
    #[must_use]
    pub fn new(_program: WorkerProgram) -> Self {
        Self
    }
}
