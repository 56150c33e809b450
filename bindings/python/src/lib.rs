//! The module `pintle._pintle`: the crate `pintle` for Python, with its types and nothing of its own. `python/pintle` is the
//! package around it.

mod asking;
#[cfg(feature = "bench")]
mod bench;
mod calls;
mod errors;
mod hooks;
mod json;
mod life;
mod results;
mod running;
mod runtime;
mod tape;
mod verdicts;

/// The names of the module. `python/pintle/_pintle.pyi` describes them.
#[pyo3::pymodule]
mod _pintle {
    #[pymodule_export]
    use crate::asking::{
        PyApprovalRequest, PyApprovalResponse, PyJudgeRequest, approved, deferred, refused, unavailable,
    };
    #[cfg(feature = "bench")]
    #[pymodule_export]
    use crate::bench::time_decisions;
    #[pymodule_export]
    use crate::calls::{PyToolCall, PyToolOutput};
    #[pymodule_export]
    use crate::hooks::{PyHook, PyHookCall, PyHookRegistration};
    #[pymodule_export]
    use crate::life::PyLife;
    #[pymodule_export]
    use crate::results::PyOutcome;
    #[pymodule_export]
    use crate::running::{PyPendingCall, wait_for_hooks};
    #[pymodule_export]
    use crate::runtime::{PyOrigin, PyRuntime, run_worker};
    #[pymodule_export]
    use crate::tape::PyTape;
    #[pymodule_export]
    use crate::verdicts::{PyVerdict, allow, args, ask, context, deny, notice, remind, rewrite};
}
