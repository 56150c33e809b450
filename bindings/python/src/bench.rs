//! Times calls in Rust, to compare with those of Python in the same process.

use std::hint::black_box;
use std::time::Instant;

use pyo3::prelude::*;

use crate::json;
use crate::runtime::PyRuntime;

/// The seconds that a number of decisions takes in Rust.
#[pyfunction]
pub(crate) fn time_decisions(
    py: Python<'_>,
    runtime: &Bound<'_, PyRuntime>,
    name: &str,
    args: &Bound<'_, PyAny>,
    count: u32,
) -> PyResult<f64> {
    let (runtime, args) = (runtime.get().inner(), json::from_python(args, "args")?);
    Ok(py.detach(|| {
        let begin = Instant::now();
        for _ in 0..count {
            let call = pintle::ToolCall::new("call_1", name, args.clone());
            drop(black_box(runtime.decide_tool_call(call)));
        }
        begin.elapsed().as_secs_f64()
    }))
}
