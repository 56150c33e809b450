//! Runs the conformance kit of AGENT-HOOKS on the agent loop, and compares what both compute from random values.

mod ctk;

use std::process::Command;

pub(crate) use ctk::serve_kit;

use xtask::{ChoreReport, SourceWorkspace, run_tool};

/// The kit, as its registry names it.
const KIT: &str = "agent-hooks-sdk[ctk]==0.1.0b3";

/// What is run, and the vectors that it leaves out, with the reasons.
const HARNESS: &str = "lab/src/conformance/harness.py";
const EXCEPTIONS: &str = "lab/src/conformance/exceptions.txt";

/// Installs the kit below `target`, and runs it with this program as the host.
pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    if let Some(unknown) = arguments.first() {
        return Err(format!("`{unknown}` is not known; conformance takes no arguments"));
    }
    let target = workspace.root.join("target");
    let kit = target.join("conformance");
    let python = kit.join("bin/python");
    if !python.is_file() {
        run_tool(Command::new("python3").args(["-m", "venv"]).arg(&kit))?;
    }
    run_tool(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--pre", KIT]))?;
    let program = std::env::current_exe().map_err(|error| format!("this program has no path: {error}"))?;
    run_tool(Command::new(&python).arg(HARNESS).arg(program).arg(EXCEPTIONS).current_dir(&workspace.root))?;
    Ok(ChoreReport { lines: Vec::new(), passed: true })
}
