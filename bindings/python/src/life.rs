//! The steps of an agent's turn. Each has two methods: one that waits, and one that returns a coroutine.

use pyo3::prelude::*;

use crate::calls::{PyToolCall, PyToolOutput};
use crate::errors::event_error;
use crate::json;
use crate::results::IntoPythonResult;
use crate::running::{PyPendingCall, RuntimeKey, check_process, current_hook_call, run_detached};

/// One turn of an agent under hooks.
#[pyclass(name = "AgentLife", module = "pintle", frozen)]
pub(crate) struct PyLife {
    life: pintle::AgentLife,
    runtime: pintle::Runtime,
    key: RuntimeKey,
    origin: pintle::Origin,
}

impl PyLife {
    pub(crate) fn new(runtime: pintle::Runtime, key: RuntimeKey, origin: pintle::Origin) -> Self {
        Self { life: runtime.life(&origin), runtime, key, origin }
    }

    /// The life as this thread uses it: what a hook does is caused by the hook.
    fn here(&self) -> PyResult<pintle::AgentLife> {
        check_process()?;
        Ok(match current_hook_call(self.key) {
            Some(scope) => self.runtime.life_in(&scope, &self.origin),
            None => self.life.clone(),
        })
    }

    fn step<'py, T: IntoPythonResult>(
        &self,
        py: Python<'py>,
        step: impl FnOnce(&pintle::AgentLife) -> T + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let life = self.here()?;
        Box::new(run_detached(py, || step(&life))?).into_result(py)
    }
}

fn new_event(py: Python<'_>, name: &str, payload: &Bound<'_, PyAny>) -> PyResult<pintle::Event> {
    pintle::Event::named(name, json::from_python(payload, "payload")?).map_err(|error| event_error(py, &error))
}

#[pymethods]
impl PyLife {
    pub(crate) fn fire<'py>(
        &self,
        py: Python<'py>,
        event: &str,
        payload: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let event = new_event(py, event, payload)?;
        self.step(py, |life| life.fire(event))
    }

    pub(crate) fn fire_async<'py>(
        &self,
        py: Python<'py>,
        event: &str,
        payload: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        PyPendingCall::start(py, self.here()?.fire_async(new_event(py, event, payload)?))
    }

    fn review<'py>(&self, py: Python<'py>, event: &str, payload: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let event = new_event(py, event, payload)?;
        self.step(py, |life| life.review(event))
    }

    fn review_async<'py>(
        &self,
        py: Python<'py>,
        event: &str,
        payload: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        PyPendingCall::start(py, self.here()?.review_async(new_event(py, event, payload)?))
    }

    fn submit_prompt<'py>(&self, py: Python<'py>, prompt: &str) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, |life| life.submit_prompt(prompt))
    }

    fn submit_prompt_async<'py>(&self, py: Python<'py>, prompt: &str) -> PyResult<Bound<'py, PyAny>> {
        PyPendingCall::start(py, self.here()?.submit_prompt_async(prompt))
    }

    fn begin_turn<'py>(&self, py: Python<'py>, message: &str) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, |life| life.begin_turn(message))
    }

    fn begin_turn_async<'py>(&self, py: Python<'py>, message: &str) -> PyResult<Bound<'py, PyAny>> {
        PyPendingCall::start(py, self.here()?.begin_turn_async(message))
    }

    pub(crate) fn decide_tool_call<'py>(
        &self,
        py: Python<'py>,
        call: &Bound<'py, PyToolCall>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = call.get().0.clone();
        self.step(py, |life| life.decide_tool_call(call))
    }

    pub(crate) fn decide_tool_call_async<'py>(
        &self,
        py: Python<'py>,
        call: &Bound<'py, PyToolCall>,
    ) -> PyResult<Bound<'py, PyAny>> {
        PyPendingCall::start(py, self.here()?.decide_tool_call_async(call.get().0.clone()))
    }

    pub(crate) fn conclude_tool_call<'py>(
        &self,
        py: Python<'py>,
        call: &Bound<'py, PyToolCall>,
        output: &Bound<'py, PyToolOutput>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (call, output) = (&call.get().0, output.get().0.clone());
        self.step(py, |life| life.conclude_tool_call(call, output))
    }

    pub(crate) fn conclude_tool_call_async<'py>(
        &self,
        py: Python<'py>,
        call: &Bound<'py, PyToolCall>,
        output: &Bound<'py, PyToolOutput>,
    ) -> PyResult<Bound<'py, PyAny>> {
        PyPendingCall::start(py, self.here()?.conclude_tool_call_async(&call.get().0, output.get().0.clone()))
    }

    fn review_answer<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, |life| life.review_answer(text))
    }

    fn review_answer_async<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        PyPendingCall::start(py, self.here()?.review_answer_async(text))
    }

    fn end_turn<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        self.step(py, |life| life.end_turn(text))
    }

    fn end_turn_async<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        PyPendingCall::start(py, self.here()?.end_turn_async(text))
    }

    fn take_context(&self) -> Vec<String> {
        self.life.take_context()
    }

    fn cancel(&self) {
        self.life.cancel();
    }
}
