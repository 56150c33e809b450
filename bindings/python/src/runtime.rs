//! The runtime: one set of hooks, and what it is built from.

use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::asking::{FunctionApprover, ask_judge};
use crate::calls::{PyToolCall, PyToolOutput, path_text};
use crate::errors::load_error;
use crate::hooks::{PyHook, PyHookRegistration};
use crate::life::PyLife;
use crate::running::{RuntimeKey, check_process, run_detached};
use crate::tape::PyTape;

/// The session, turn and agent that an event belongs to.
#[pyclass(name = "Origin", module = "pintle", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct PyOrigin(pub(crate) pintle::Origin);

#[pymethods]
impl PyOrigin {
    #[new]
    #[pyo3(signature = (session="", *, agent="", turn=0, depth=0, cwd=None))]
    fn new(session: &str, agent: &str, turn: u32, depth: u32, cwd: Option<PathBuf>) -> PyResult<Self> {
        let cwd = cwd.map_or(Ok(String::new()), path_text)?;
        Ok(Self(pintle::Origin::session(session).agent(agent).turn(turn).depth(depth).cwd(cwd)))
    }
}

/// A path of hooks with its layer.
#[derive(FromPyObject)]
enum HookPath {
    Layered(PathBuf, String),
    #[pyo3(transparent)]
    Plain(PathBuf),
}

/// A compiled set of hooks.
#[pyclass(name = "Runtime", module = "pintle", frozen)]
pub(crate) struct PyRuntime {
    runtime: pintle::Runtime,
    key: RuntimeKey,
}

#[pymethods]
impl PyRuntime {
    #[new]
    #[pyo3(signature = (*, paths=Vec::new(), packs=Vec::new(), hooks=Vec::new(), workspace=None, config_dir=None,
        tape=None, approver=None, judge=None, shadow=false, redact_secrets=false, allowed_hosts=None, random_seed=None))]
    #[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn new(
        py: Python<'_>,
        paths: Vec<HookPath>,
        packs: Vec<String>,
        hooks: Vec<Bound<'_, PyHook>>,
        workspace: Option<PathBuf>,
        config_dir: Option<PathBuf>,
        tape: Option<&Bound<'_, PyTape>>,
        approver: Option<Bound<'_, PyAny>>,
        judge: Option<Bound<'_, PyAny>>,
        shadow: bool,
        redact_secrets: bool,
        allowed_hosts: Option<Vec<String>>,
        random_seed: Option<u64>,
    ) -> PyResult<Self> {
        check_process()?;
        let key = RuntimeKey::new();
        let mut builder = pintle::Runtime::builder().packs(packs.iter().map(String::as_str)).shadow(shadow);
        for path in paths {
            let (path, layer) = match path {
                HookPath::Layered(path, layer) => (path, parse_layer(&layer)?),
                HookPath::Plain(path) => (path, pintle::Layer::Project),
            };
            builder = builder.path(path, layer);
        }
        for hook in &hooks {
            builder = builder.hook(hook.get().to_hook(py, key));
        }
        if let Some(dir) = workspace {
            builder = builder.workspace(dir);
        }
        if let Some(dir) = config_dir {
            builder = builder.config_dir(dir);
        }
        if let Some(tape) = tape {
            builder = builder.tape(&tape.get().0);
        }
        if let Some(approver) = approver {
            builder = builder.approver(FunctionApprover(function_of(approver, "approver")?));
        }
        if let Some(judge) = judge {
            let judge = function_of(judge, "judge")?;
            builder = builder.judge(move |request| ask_judge(&judge, request));
        }
        if redact_secrets {
            builder = builder.redact_secrets(true);
        }
        if let Some(hosts) = &allowed_hosts {
            builder = builder.allowed_hosts(hosts.iter().map(String::as_str));
        }
        if let Some(seed) = random_seed {
            builder = builder.random_seed(seed);
        }
        if let Some((program, arguments)) = worker_command(py)? {
            builder = builder.worker(program, arguments);
        }
        let built = run_detached(py, || builder.build())?;
        let runtime = built.map_err(|report| load_error(py, &report))?;
        Ok(Self { runtime, key })
    }

    #[pyo3(signature = (event, payload, origin=None))]
    fn fire<'py>(
        &self,
        py: Python<'py>,
        event: &str,
        payload: &Bound<'py, PyAny>,
        origin: Option<&Bound<'py, PyOrigin>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.life(origin).fire(py, event, payload)
    }

    #[pyo3(signature = (event, payload, origin=None))]
    fn fire_async<'py>(
        &self,
        py: Python<'py>,
        event: &str,
        payload: &Bound<'py, PyAny>,
        origin: Option<&Bound<'py, PyOrigin>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.life(origin).fire_async(py, event, payload)
    }

    fn decide_tool_call<'py>(&self, py: Python<'py>, call: &Bound<'py, PyToolCall>) -> PyResult<Bound<'py, PyAny>> {
        self.life(None).decide_tool_call(py, call)
    }

    fn decide_tool_call_async<'py>(
        &self,
        py: Python<'py>,
        call: &Bound<'py, PyToolCall>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.life(None).decide_tool_call_async(py, call)
    }

    fn conclude_tool_call<'py>(
        &self,
        py: Python<'py>,
        call: &Bound<'py, PyToolCall>,
        output: &Bound<'py, PyToolOutput>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.life(None).conclude_tool_call(py, call, output)
    }

    fn conclude_tool_call_async<'py>(
        &self,
        py: Python<'py>,
        call: &Bound<'py, PyToolCall>,
        output: &Bound<'py, PyToolOutput>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.life(None).conclude_tool_call_async(py, call, output)
    }

    #[pyo3(signature = (origin=None))]
    fn life(&self, origin: Option<&Bound<'_, PyOrigin>>) -> PyLife {
        let origin = origin.map_or_else(pintle::Origin::default, |origin| origin.get().0.clone());
        PyLife::new(self.runtime.clone(), self.key, origin)
    }

    fn register(&self, py: Python<'_>, hook: &Bound<'_, PyHook>) -> PyResult<PyHookRegistration> {
        let hook = hook.get().to_hook(py, self.key);
        let registered = run_detached(py, || self.runtime.register(hook))?;
        registered.map(PyHookRegistration).map_err(|report| load_error(py, &report))
    }

    fn redact(&self, py: Python<'_>, text: &str) -> String {
        py.detach(|| self.runtime.redact(text))
    }
}

#[cfg(feature = "bench")]
impl PyRuntime {
    pub(crate) fn inner(&self) -> &pintle::Runtime {
        &self.runtime
    }
}

fn parse_layer(name: &str) -> PyResult<pintle::Layer> {
    match name {
        "managed" => Ok(pintle::Layer::Managed),
        "user" => Ok(pintle::Layer::User),
        "project" => Ok(pintle::Layer::Project),
        _ => Err(PyValueError::new_err(format!("a layer is \"managed\", \"user\" or \"project\", not {name:?}"))),
    }
}

fn function_of(object: Bound<'_, PyAny>, name: &str) -> PyResult<Py<PyAny>> {
    if object.is_callable() {
        Ok(object.unbind())
    } else {
        Err(PyTypeError::new_err(format!("{name} is not a function")))
    }
}

/// Serves a runtime of another process as the worker of its scripts, and returns the exit status.
#[pyfunction]
pub(crate) fn run_worker(py: Python<'_>) -> u8 {
    u8::from(py.detach(pintle::run_worker) != std::process::ExitCode::SUCCESS)
}

/// The command of a process that runs scripts: the interpreter, with this module. `None` if a program without an
/// interpreter of its own embeds Python; scripts that need a process then do not load.
fn worker_command(py: Python<'_>) -> PyResult<Option<(String, [String; 4])>> {
    let sys = py.import("sys")?;
    let program = sys.getattr("executable")?.extract::<Option<String>>()?.filter(|program| !program.is_empty());
    let package = py.import("pintle")?.getattr("__file__")?.extract::<Option<PathBuf>>()?;
    let Some((program, package)) = program.zip(package.as_deref().and_then(|file| file.parent()?.parent())) else {
        return Ok(None);
    };
    let dir = package.as_os_str().into_pyobject(py)?.repr()?;
    let code =
        format!("import sys; sys.path.insert(0, {dir}); from pintle._pintle import run_worker; sys.exit(run_worker())");
    Ok(Some((program, [String::from("-I"), String::from("-S"), String::from("-c"), code])))
}
