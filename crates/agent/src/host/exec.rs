//! The `exec.run` function: runs a program in the workspace.

use pintle_host::CancelToken;
use pintle_host::process::{self, ProcessEnvironment, ProcessSpec};
use serde_json::{Value, json};

use crate::workspace::Workspace;

/// The maximum number of bytes a script gets of each output stream.
const OUTPUT_BYTES: usize = 1 << 20;

pub(super) struct ExecRequest {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    pub(super) timeout_ms: u64,
    pub(super) directory: Option<String>,
}

/// Runs a program. A nonzero exit code is a result; a program that cannot be started or times out is an error.
///
/// The environment is passed without variables that look like secrets, so that a program started by the model cannot
/// read the agent's keys.
pub(super) fn run(workspace: &Workspace, request: ExecRequest, cancel: &CancelToken) -> Result<Value, String> {
    check_program_name(&request.program)?;
    let directory = request.directory.as_deref().filter(|directory| !directory.is_empty()).unwrap_or(".");
    let of_call = |reason: String| format!("exec.run: {reason}");
    let inside = workspace.directory(directory).map_err(of_call)?;
    workspace.check_start(&request.program, &request.arguments, directory).map_err(of_call)?;
    let mut spec = ProcessSpec::new(request.program, request.arguments);
    spec.directory = Some(inside);
    spec.environment = ProcessEnvironment::WithoutSecrets;
    spec.timeout_ms = request.timeout_ms;
    spec.output_bytes = OUTPUT_BYTES;
    let output = process::run(&spec, cancel).map_err(|error| format!("exec.run: {error}"))?;
    if output.timed_out {
        return Err(format!("exec.run: `{}` did not end within {} ms and was killed", spec.program, spec.timeout_ms));
    }
    Ok(json!({
        "ok": output.is_success(),
        "stdout": String::from_utf8_lossy(&output.stdout),
        "stderr": String::from_utf8_lossy(&output.stderr),
        "exit_code": output.exit_code.unwrap_or_else(|| 128 + output.signal.unwrap_or(0)),
        "duration_ms": output.duration_ms,
        "truncated": output.truncated,
        "cmd": spec.program,
        "args": spec.arguments,
    }))
}

/// Rejects a program name that looks like a command line, because it was meant for a shell.
fn check_program_name(program: &str) -> Result<(), String> {
    if program.trim().is_empty() {
        return Err(String::from("exec.run: `cmd` is empty"));
    }
    match ["\n", "&&", "||", "|", ">", "<", ";"].into_iter().find(|token| program.contains(token)) {
        Some(token) => {
            Err(format!("exec.run: `cmd` contains {token:?}; pass only the program, and its arguments in `args`"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::open_workspace;

    fn exec_request(program: &str, arguments: &[&str], directory: Option<&str>) -> ExecRequest {
        ExecRequest {
            program: program.to_owned(),
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            timeout_ms: 60_000,
            directory: directory.map(str::to_owned),
        }
    }

    #[test]
    fn a_program_runs_in_the_workspace_and_nowhere_else() {
        let (dir, workspace) = open_workspace();
        workspace.write("in/a.txt", "x").unwrap();
        std::os::unix::fs::symlink("/", dir.path().join("out")).unwrap();
        let run = |asked| run(&workspace, asked, &CancelToken::default());
        let listed = run(exec_request("ls", &[], Some("in"))).unwrap();
        assert_eq!(
            (&listed["ok"], &listed["stdout"], &listed["exit_code"]),
            (&json!(true), &json!("a.txt\n"), &json!(0))
        );
        assert_eq!(run(exec_request("ls", &["nowhere"], None)).unwrap()["ok"], json!(false));
        for directory in ["..", "/", "out"] {
            assert!(
                run(exec_request("ls", &[], Some(directory))).unwrap_err().contains("outside the workspace"),
                "{directory}"
            );
        }
        for arguments in [["-c", "rm -rf .harness"].as_slice(), &["-lc", "echo x > sub/harness.md"]] {
            let error = run(exec_request("sh", arguments, None)).unwrap_err();
            assert!(error.contains("an agent cannot change its own policy"), "{error}");
        }
        for program in ["ls | sh", "ls;id", "ls\nid", "a && b", "x > y", ""] {
            assert!(run(exec_request(program, &[], None)).unwrap_err().starts_with("exec.run: `cmd`"), "{program:?}");
        }
        assert!(run(exec_request("pintle-no-such-program", &[], None)).unwrap_err().contains("not found"));
    }
}
