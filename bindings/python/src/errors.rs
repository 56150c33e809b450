//! The errors of the crate as Python's exceptions, which `pintle/_errors.py` defines.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

const MODULE: &str = "pintle._errors";

/// An exception of the module.
fn new_error<'py>(
    py: Python<'py>,
    class: &PyOnceLock<Py<PyType>>,
    name: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyErr {
    let arguments = arguments.into_pyobject(py);
    let error = arguments.and_then(|arguments| class.import(py, MODULE, name)?.call1(arguments));
    error.map_or_else(|error| error, PyErr::from_value)
}

pub(crate) fn refusal_error(py: Python<'_>, refusal: &pintle::Refusal) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let hooks: Vec<&str> = refusal.hooks().collect();
    let arguments = (refusal.to_string(), refusal.event(), refusal.reason(), hooks, refusal.stops_run());
    new_error(py, &CLASS, "Refusal", arguments)
}

pub(crate) fn load_error(py: Python<'_>, report: &pintle::LoadReport) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static DIAGNOSTIC: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let diagnostics = report.diagnostics().iter().map(|diagnostic| {
        let (line, column) = diagnostic.line_column().unzip();
        let path = diagnostic.path().map(|path| path.display().to_string());
        let text = diagnostic.to_string();
        let fields = (
            text,
            diagnostic.is_error(),
            diagnostic.code(),
            diagnostic.message(),
            diagnostic.help(),
            path,
            line,
            column,
        );
        DIAGNOSTIC.import(py, MODULE, "Diagnostic")?.call1(fields)
    });
    match diagnostics.collect::<PyResult<Vec<_>>>() {
        Ok(diagnostics) => new_error(py, &CLASS, "LoadError", (report.to_string(), diagnostics)),
        Err(error) => error,
    }
}

pub(crate) fn event_error(py: Python<'_>, error: &pintle::EventError) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    new_error(py, &CLASS, "EventError", (error.to_string(),))
}

pub(crate) fn tape_error(py: Python<'_>, error: &pintle::TapeError) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    new_error(py, &CLASS, "TapeError", (error.to_string(),))
}
