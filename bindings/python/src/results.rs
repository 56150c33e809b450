//! What calls of the runtime return, as Python's objects: outcomes, refusals and texts.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};
use serde_json::Value;

use crate::calls::{PyToolCall, PyToolOutput};
use crate::errors::refusal_error;
use crate::json;

/// A result that Python receives: a refusal is an exception.
pub(crate) trait IntoPythonResult: Send {
    fn into_result(self: Box<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>>;
}

impl<T: IntoPythonResult> IntoPythonResult for Result<T, pintle::Refusal> {
    fn into_result(self: Box<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match *self {
            Ok(result) => Box::new(result).into_result(py),
            Err(refusal) => Err(refusal_error(py, &refusal)),
        }
    }
}

impl IntoPythonResult for String {
    fn into_result(self: Box<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(PyString::new(py, &self).into_any())
    }
}

impl IntoPythonResult for Value {
    fn into_result(self: Box<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        json::to_python(py, &self)
    }
}

impl IntoPythonResult for pintle::ToolCall {
    fn into_result(self: Box<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(Bound::new(py, PyToolCall(*self))?.into_any())
    }
}

impl IntoPythonResult for pintle::ToolOutput {
    fn into_result(self: Box<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(Bound::new(py, PyToolOutput(*self))?.into_any())
    }
}

impl IntoPythonResult for pintle::Outcome {
    fn into_result(self: Box<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(Bound::new(py, PyOutcome(*self))?.into_any())
    }
}

impl IntoPythonResult for pintle::ReviewedAnswer {
    fn into_result(self: Box<Self>, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        CLASS.import(py, "pintle._values", "ReviewedAnswer")?.call1((self.text(), self.next_message()))
    }
}

/// The result of firing an event. It is true only if the host may go on.
#[pyclass(name = "Outcome", module = "pintle", frozen)]
pub(crate) struct PyOutcome(pintle::Outcome);

#[pymethods]
impl PyOutcome {
    #[getter]
    fn decision(&self) -> &'static str {
        match self.0.decision() {
            pintle::Decision::Allow => "allow",
            pintle::Decision::Ask => "ask",
            // What a later version adds must not pass as an allow.
            _ => "deny",
        }
    }

    #[getter]
    fn is_allowed(&self) -> bool {
        self.0.is_allowed()
    }

    fn __bool__(&self) -> bool {
        self.0.is_allowed()
    }

    #[getter]
    fn payload<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, self.0.payload())
    }

    #[getter]
    fn is_rewritten(&self) -> bool {
        self.0.is_rewritten()
    }

    #[getter]
    fn reason(&self) -> String {
        self.0.reason()
    }

    #[getter]
    fn reason_for_model(&self) -> String {
        self.0.reason_for_model()
    }

    #[getter]
    fn stop_reason(&self) -> Option<String> {
        self.0.stop_reason()
    }

    #[getter]
    fn approved_by(&self) -> Option<&str> {
        self.0.approved_by()
    }

    #[getter]
    fn context(&self) -> Vec<&str> {
        self.0.context().collect()
    }

    #[getter]
    fn notices(&self) -> Vec<&str> {
        self.0.notices().collect()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().collect()
    }

    #[getter]
    fn hooks_called(&self) -> u32 {
        self.0.hooks_called()
    }

    fn __repr__(&self) -> String {
        format!("<Outcome {} {:?}>", self.decision(), self.reason())
    }
}
