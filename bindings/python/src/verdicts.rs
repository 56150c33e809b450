//! What a hook answers.

use pyo3::prelude::*;

use crate::json;

/// What a hook says about an event.
#[pyclass(name = "Verdict", module = "pintle", frozen)]
pub(crate) struct PyVerdict(pub(crate) pintle::Verdict);

#[pymethods]
impl PyVerdict {
    fn with_rewrite(&self, payload: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.clone().with_rewrite(json::from_python(payload, "payload")?)))
    }

    fn context(&self, text: String) -> Self {
        Self(self.0.clone().context(text))
    }

    fn remind(&self, text: String) -> Self {
        Self(self.0.clone().remind(text))
    }

    fn notice(&self, text: String) -> Self {
        Self(self.0.clone().notice(text))
    }

    fn __repr__(&self) -> String {
        format!("<{:?}>", self.0)
    }
}

#[pyfunction]
pub(crate) fn deny(reason: String) -> PyVerdict {
    PyVerdict(pintle::Verdict::deny(reason))
}

#[pyfunction]
pub(crate) fn ask(reason: String) -> PyVerdict {
    PyVerdict(pintle::Verdict::ask(reason))
}

#[pyfunction]
#[pyo3(signature = (reason=""))]
pub(crate) fn allow(reason: &str) -> PyVerdict {
    PyVerdict(pintle::Verdict::allow(reason))
}

#[pyfunction]
pub(crate) fn rewrite(payload: &Bound<'_, PyAny>) -> PyResult<PyVerdict> {
    Ok(PyVerdict(pintle::Verdict::rewrite(json::from_python(payload, "payload")?)))
}

#[pyfunction]
pub(crate) fn args(args: &Bound<'_, PyAny>) -> PyResult<PyVerdict> {
    Ok(PyVerdict(pintle::Verdict::args(json::from_python(args, "args")?)))
}

#[pyfunction]
pub(crate) fn context(text: String) -> PyVerdict {
    PyVerdict(pintle::Verdict::pass().context(text))
}

#[pyfunction]
pub(crate) fn remind(text: String) -> PyVerdict {
    PyVerdict(pintle::Verdict::pass().remind(text))
}

#[pyfunction]
pub(crate) fn notice(text: String) -> PyVerdict {
    PyVerdict(pintle::Verdict::pass().notice(text))
}
