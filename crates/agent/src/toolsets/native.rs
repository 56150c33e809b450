//! `filesystem`, `shell`, `background_jobs` and `fetch`: native tools under docker-agent's names.
//!
//! Unlike there, no path can leave the workspace, protected files cannot be changed, and the shell is always `/bin/sh`.

use pintle_host::HttpGateway;
use pintle_host::contract::NetworkSpec;

use super::set::Toolset;
use crate::tools::build_tools;
use crate::tools::native::{FETCH_URLS, FILESYSTEM_TOOLS, FetchState, JOB_TOOLS, SHELL_TOOLS, ShellState};
use crate::workspace::Workspace;

pub(super) fn open_filesystem(workspace: &Workspace) -> Toolset {
    Toolset {
        tools: build_tools("filesystem", &FILESYSTEM_TOOLS, ()),
        instruction: format!(
            "Files: the working directory is {:?} and relative paths start there; nothing outside it can be reached. \
             Read several files with one `read_multiple_files`. Find text with `search_files_content`.",
            workspace.root()
        ),
        ..Toolset::default()
    }
}

pub(super) fn open_shell(environment: Vec<(String, String)>) -> Toolset {
    Toolset {
        tools: build_tools("shell", &SHELL_TOOLS, ShellState::new(environment)),
        instruction: String::from(
            "Shell: each call is a new shell that keeps nothing from earlier calls. Use `cwd` rather than `cd`, and a \
             larger `timeout` for commands that take longer than 30 seconds.",
        ),
        ..Toolset::default()
    }
}

pub(super) fn open_background_jobs(environment: Vec<(String, String)>) -> Toolset {
    Toolset {
        tools: build_tools("shell", &JOB_TOOLS, ShellState::new(environment)),
        instruction: String::from(
            "Background jobs: use `run_background_job` for commands that keep running, such as a server; every job ends \
             with the session.",
        ),
        ..Toolset::default()
    }
}

/// A member may reach every host of the public internet; if its declaration lists hosts, only these.
pub(super) fn open_fetch(timeout_ms: Option<u64>, network: &NetworkSpec) -> Toolset {
    let mut network = network.clone();
    if network.allowed_domains.is_empty() {
        network.allowed_domains.push(String::from("*"));
    }
    let fetch = FetchState { gateway: HttpGateway::new(&network), timeout_ms };
    Toolset { tools: build_tools("fetch", &[FETCH_URLS], fetch), ..Toolset::default() }
}
