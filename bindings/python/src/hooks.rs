//! Hooks that are Python functions.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::json;
use crate::running::{HookCallMark, RuntimeKey, keep_raised};
use crate::verdicts::PyVerdict;

/// A Python function on an event.
#[pyclass(name = "Hook", module = "pintle", frozen)]
pub(crate) struct PyHook {
    #[pyo3(get)]
    event: String,
    #[pyo3(get)]
    name: Option<String>,
    #[pyo3(get)]
    function: Py<PyAny>,
    tools: Option<Vec<String>>,
    on_failure: Option<pintle::FailurePolicy>,
    timeout_ms: Option<u64>,
    may_wait: bool,
    is_shadow: bool,
}

#[pymethods]
impl PyHook {
    #[staticmethod]
    #[pyo3(signature = (event, function, *, name=None, tools=None, on_failure=None, timeout_ms=None, may_wait=true, shadow=false))]
    #[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
    pub(crate) fn on(
        event: String,
        function: Bound<'_, PyAny>,
        name: Option<String>,
        tools: Option<Vec<String>>,
        on_failure: Option<&str>,
        timeout_ms: Option<u64>,
        may_wait: bool,
        shadow: bool,
    ) -> PyResult<Self> {
        if !function.is_callable() {
            let kind = json::type_name(&function);
            return Err(PyTypeError::new_err(format!("a hook is a function, and this is of type {kind}")));
        }
        let inspect = function.py().import("inspect")?;
        if inspect.call_method1("iscoroutinefunction", (&function,))?.is_truthy()? {
            let message = "a hook is a function without `async`: it runs on a thread of its own and may wait there";
            return Err(PyTypeError::new_err(message));
        }
        let on_failure = match on_failure {
            None => None,
            Some("deny") => Some(pintle::FailurePolicy::Closed),
            Some("allow") => Some(pintle::FailurePolicy::Open),
            Some(other) => {
                return Err(PyValueError::new_err(format!("on_failure is \"deny\" or \"allow\", not {other:?}")));
            }
        };
        let function = function.unbind();
        Ok(Self { event, name, function, tools, on_failure, timeout_ms, may_wait, is_shadow: shadow })
    }

    /// The function itself, so that a decorated one can still be called.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, pyo3::types::PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.function.bind(py).call(args, kwargs)
    }
}

impl PyHook {
    /// The hook, for a runtime.
    pub(crate) fn to_hook(&self, py: Python<'_>, key: RuntimeKey) -> pintle::Hook {
        let function = self.function.clone_ref(py);
        let mut hook = pintle::Hook::on_named(&self.event, move |call: &pintle::HookCall<'_, ()>| {
            Python::try_attach(|py| call_function(py, &function, key, call))
                .unwrap_or_else(|| Err(String::from("Python is ending, and calls no function")))
        });
        if let Some(name) = &self.name {
            hook = hook.named(name);
        }
        if let Some(tools) = &self.tools {
            hook = hook.tools(tools.iter().map(String::as_str));
        }
        if let Some(policy) = self.on_failure {
            hook = hook.on_failure(policy);
        }
        if let Some(limit_ms) = self.timeout_ms {
            hook = hook.timeout_ms(limit_ms);
        }
        if self.may_wait {
            hook = hook.may_wait();
        }
        if self.is_shadow { hook.shadow() } else { hook }
    }
}

/// Calls the function of a hook. An `Err` is a failure of the hook.
fn call_function(
    py: Python<'_>,
    function: &Py<PyAny>,
    key: RuntimeKey,
    call: &pintle::HookCall<'_, ()>,
) -> Result<pintle::Verdict, String> {
    let failed = |error: PyErr| {
        let text = describe_error(py, &error);
        // One who interrupts the program, or ends it, means the program, and not the hook.
        if !error.is_instance_of::<PyException>(py) {
            keep_raised(py, error, function);
        }
        text
    };
    let view = Bound::new(py, PyHookCall::new(py, call).map_err(failed)?).map_err(failed)?;
    let mark = HookCallMark::new(key, call.scope())?;
    let answer = function.bind(py).call1((&view,));
    drop(mark);
    for line in view.get().take_log() {
        call.log(line);
    }
    let answer = answer.map_err(failed)?;
    if answer.is_none() {
        return Ok(pintle::Verdict::pass());
    }
    match answer.cast::<PyVerdict>() {
        Ok(verdict) => Ok(verdict.get().0.clone()),
        Err(_) => {
            let kind = json::type_name(&answer);
            Err(format!(
                "it returned a value of type {kind}; a hook returns None or a verdict, such as pintle.deny(\"why\")"
            ))
        }
    }
}

/// An exception in one line, such as `ValueError: no such file`.
pub(crate) fn describe_error(py: Python<'_>, error: &PyErr) -> String {
    let kind = json::type_name(error.value(py));
    match error.value(py).str().map(|text| text.to_string_lossy().into_owned()) {
        Ok(text) if text.is_empty() => kind,
        Ok(text) => format!("{kind}: {text}"),
        Err(_) => kind,
    }
}

/// One call of a hook: the event that it is about. The payload is the hook's own copy.
#[pyclass(name = "HookCall", module = "pintle", frozen)]
pub(crate) struct PyHookCall {
    #[pyo3(get)]
    event: String,
    #[pyo3(get)]
    payload: Py<PyAny>,
    #[pyo3(get)]
    session: String,
    #[pyo3(get)]
    agent: String,
    #[pyo3(get)]
    turn: u32,
    #[pyo3(get)]
    cwd: String,
    scope: pintle::CallScope,
    /// The moment at which its time is over.
    deadline: Option<Instant>,
    log: Mutex<Vec<String>>,
}

impl PyHookCall {
    fn new(py: Python<'_>, call: &pintle::HookCall<'_, ()>) -> PyResult<Self> {
        Ok(Self {
            event: call.event().to_owned(),
            payload: json::to_python(py, call.payload())?.unbind(),
            session: call.session().to_owned(),
            agent: call.agent().to_owned(),
            turn: call.turn(),
            cwd: call.cwd().to_owned(),
            scope: call.scope(),
            deadline: call.time_left().and_then(|left| Instant::now().checked_add(left)),
            log: Mutex::default(),
        })
    }

    fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn field<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.payload.bind(py).cast::<PyDict>().map_or(Ok(None), |payload| payload.get_item(name))
    }
}

#[pymethods]
impl PyHookCall {
    /// The name of the tool, in the words of the hook; `None` if the event is not about a tool call.
    #[getter]
    fn tool<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.field(py, "name")
    }

    #[getter]
    fn args<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.field(py, "args")
    }

    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.field(py, "kind")
    }

    #[getter]
    fn is_cancelled(&self) -> bool {
        self.scope.is_cancelled()
    }

    /// The seconds that are left of the hook's time limit.
    #[getter]
    fn time_left(&self) -> Option<f64> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
            .map(|left: Duration| left.as_secs_f64())
    }

    fn log(&self, message: String) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    fn __repr__(&self) -> String {
        format!("<HookCall {}>", self.event)
    }
}

/// A hook that was registered while the runtime runs.
#[pyclass(name = "HookRegistration", module = "pintle", frozen)]
pub(crate) struct PyHookRegistration(pub(crate) pintle::HookRegistration);

#[pymethods]
impl PyHookRegistration {
    #[getter]
    fn is_active(&self) -> bool {
        self.0.is_active()
    }

    fn remove(&self, py: Python<'_>) -> bool {
        py.detach(|| self.0.remove())
    }
}
