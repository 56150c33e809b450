//! The tape.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::tape_error;

/// The record of a session.
#[pyclass(name = "Tape", module = "pintle", frozen)]
pub(crate) struct PyTape(pub(crate) pintle::Tape);

#[pymethods]
impl PyTape {
    #[staticmethod]
    fn create(py: Python<'_>, path: PathBuf, session: &str) -> PyResult<Self> {
        py.detach(|| pintle::Tape::create(path, session)).map(Self).map_err(|error| tape_error(py, &error))
    }

    #[staticmethod]
    fn in_memory(session: &str) -> Self {
        Self(pintle::Tape::in_memory(session))
    }

    /// The records so far as JSON lines, if the tape is in memory.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.0.to_bytes()))
    }

    fn close(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.0.close())
    }

    #[getter]
    fn error(&self) -> Option<&str> {
        self.0.error()
    }

    #[staticmethod]
    fn replay(py: Python<'_>, content: &[u8]) -> PyResult<()> {
        py.detach(|| pintle::Tape::replay(content)).map_err(|error| tape_error(py, &error))
    }

    #[staticmethod]
    fn verify(py: Python<'_>, content: &[u8]) -> PyResult<()> {
        py.detach(|| pintle::Tape::verify(content)).map_err(|error| tape_error(py, &error))
    }
}
