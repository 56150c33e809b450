//! Who answers when a hook asks: the program's approver, and the model that judges.

use std::fmt;

use pyo3::prelude::*;

use crate::hooks::describe_error;
use crate::json;
use crate::running::keep_raised;

/// A request to approve an event.
#[pyclass(name = "ApprovalRequest", module = "pintle", frozen)]
pub(crate) struct PyApprovalRequest {
    #[pyo3(get)]
    event: String,
    #[pyo3(get)]
    subject: Option<String>,
    #[pyo3(get)]
    payload: Py<PyAny>,
    /// The reasons, each with the name of the hook that asks.
    #[pyo3(get)]
    reasons: Vec<(String, String)>,
}

/// The answer to an [`PyApprovalRequest`].
#[pyclass(name = "ApprovalResponse", module = "pintle", frozen)]
pub(crate) struct PyApprovalResponse(pintle::ApprovalResponse);

#[pyfunction]
pub(crate) fn approved(approver: String) -> PyApprovalResponse {
    PyApprovalResponse(pintle::ApprovalResponse::approved(approver))
}

#[pyfunction]
pub(crate) fn refused(approver: String) -> PyApprovalResponse {
    PyApprovalResponse(pintle::ApprovalResponse::refused(approver))
}

#[pyfunction]
pub(crate) fn deferred() -> PyApprovalResponse {
    PyApprovalResponse(pintle::ApprovalResponse::deferred())
}

#[pyfunction]
pub(crate) fn unavailable() -> PyApprovalResponse {
    PyApprovalResponse(pintle::ApprovalResponse::unavailable())
}

/// A Python function that answers requests.
pub(crate) struct FunctionApprover(pub(crate) Py<PyAny>);

impl fmt::Debug for FunctionApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FunctionApprover")
    }
}

impl FunctionApprover {
    fn ask(&self, py: Python<'_>, request: &pintle::ApprovalRequest<'_>) -> PyResult<pintle::ApprovalResponse> {
        let request = PyApprovalRequest {
            event: request.event().to_owned(),
            subject: request.subject().map(str::to_owned),
            payload: json::to_python(py, request.payload())?.unbind(),
            reasons: request.reasons().map(|(hook, reason)| (hook.to_owned(), reason.to_owned())).collect(),
        };
        let answer = self.0.bind(py).call1((request,))?;
        match answer.cast::<PyApprovalResponse>() {
            Ok(response) => Ok(response.get().0.clone()),
            Err(_) => Err(pyo3::exceptions::PyTypeError::new_err(format!(
                "an approver returns a response, such as pintle.refused(\"ada\"), and this one returned a value of type {}",
                json::type_name(&answer)
            ))),
        }
    }
}

impl pintle::Approver for FunctionApprover {
    fn request_approval(&self, request: &pintle::ApprovalRequest<'_>) -> pintle::ApprovalResponse {
        let asked = Python::try_attach(|py| {
            self.ask(py, request).unwrap_or_else(|error| {
                keep_raised(py, error, &self.0);
                pintle::ApprovalResponse::unavailable()
            })
        });
        asked.unwrap_or_else(pintle::ApprovalResponse::unavailable)
    }
}

/// A request to a language model.
#[pyclass(name = "JudgeRequest", module = "pintle", frozen)]
pub(crate) struct PyJudgeRequest {
    #[pyo3(get)]
    model: String,
    #[pyo3(get)]
    instruction: String,
    #[pyo3(get)]
    prompt: String,
    /// The name and JSON Schema of the reply; `None` for a text.
    #[pyo3(get)]
    schema: Option<(String, Py<PyAny>)>,
    #[pyo3(get)]
    timeout_ms: u64,
}

/// Calls the Python function that calls models.
///
/// # Errors
/// With what it raised, which is a failure of the hook.
pub(crate) fn ask_judge(function: &Py<PyAny>, request: &pintle::JudgeRequest<'_>) -> Result<String, String> {
    let asked = Python::try_attach(|py| {
        let schema = request
            .schema()
            .map(|(name, schema)| PyResult::Ok((name.to_owned(), json::to_python(py, schema)?.unbind())));
        let request = PyJudgeRequest {
            model: request.model().to_owned(),
            instruction: request.instruction().to_owned(),
            prompt: request.prompt().to_owned(),
            schema: schema.transpose()?,
            timeout_ms: request.timeout_ms(),
        };
        function.bind(py).call1((request,))?.extract::<String>()
    });
    let asked = asked.ok_or_else(|| String::from("Python is ending, and calls no function"))?;
    asked.map_err(|error| Python::try_attach(|py| describe_error(py, &error)).unwrap_or_default())
}
