//! Tool calls and their results.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::json;

/// A tool call that an agent wants to make.
#[pyclass(name = "ToolCall", module = "pintle", frozen)]
pub(crate) struct PyToolCall(pub(crate) pintle::ToolCall);

#[pymethods]
impl PyToolCall {
    #[new]
    #[pyo3(signature = (id, name, args, *, vocabulary=None, cwd=None, arguments_text=None, permission_mode=None, read_only=None))]
    #[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn new(
        id: String,
        name: String,
        args: &Bound<'_, PyAny>,
        vocabulary: Option<&str>,
        cwd: Option<std::path::PathBuf>,
        arguments_text: Option<String>,
        permission_mode: Option<String>,
        read_only: Option<bool>,
    ) -> PyResult<Self> {
        let mut call = pintle::ToolCall::new(id, name, json::from_python(args, "args")?);
        if let Some(name) = vocabulary {
            let unknown = || {
                let known = pintle::ToolVocabulary::names().collect::<Vec<_>>().join(", ");
                PyValueError::new_err(format!("unknown vocabulary `{name}`; use one of {known}"))
            };
            call = call.vocabulary(pintle::ToolVocabulary::named(name).ok_or_else(unknown)?);
        }
        if let Some(cwd) = cwd {
            call = call.cwd(path_text(cwd)?);
        }
        if let Some(text) = arguments_text {
            call = call.arguments_text(text);
        }
        if let Some(mode) = permission_mode {
            call = call.permission_mode(mode);
        }
        if let Some(is_read_only) = read_only {
            call = call.read_only(is_read_only);
        }
        Ok(Self(call))
    }

    #[getter]
    fn id(&self) -> &str {
        self.0.id()
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, self.0.args())
    }

    fn result(&self, content: &str) -> PyToolOutput {
        PyToolOutput(self.0.result(content))
    }

    fn error(&self, message: &str) -> PyToolOutput {
        PyToolOutput(self.0.error(message))
    }

    fn __repr__(&self) -> String {
        format!("ToolCall(id={:?}, name={:?}, args={})", self.id(), self.name(), self.0.args())
    }
}

/// A path as a text, which an origin and a call have.
pub(crate) fn path_text(path: std::path::PathBuf) -> PyResult<String> {
    let invalid =
        |path| PyValueError::new_err(format!("the path {} is not UTF-8", std::path::PathBuf::from(path).display()));
    path.into_os_string().into_string().map_err(invalid)
}

/// What a tool returned, as the model receives it.
#[pyclass(name = "ToolOutput", module = "pintle", frozen)]
pub(crate) struct PyToolOutput(pub(crate) pintle::ToolOutput);

#[pymethods]
impl PyToolOutput {
    #[getter]
    fn content(&self) -> &str {
        self.0.content()
    }

    #[getter]
    fn is_error(&self) -> bool {
        self.0.is_error()
    }

    fn __repr__(&self) -> String {
        format!("ToolOutput(content={:?}, is_error={})", self.content(), if self.is_error() { "True" } else { "False" })
    }
}
