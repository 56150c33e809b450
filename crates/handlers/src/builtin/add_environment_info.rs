//! `add_environment_info`: adds information about the agent's environment.

use std::path::Path;

use pintle_contract::Verdict;

use super::{BuiltinCall, BuiltinHook, BuiltinResult, context_verdict, doubt_arguments};

/// Adds the working directory, the system and the shell to the context.
#[derive(Debug)]
struct AddEnvironmentInfo;

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    doubt_arguments(arguments, doubts);
    Ok(Box::new(AddEnvironmentInfo))
}

impl BuiltinHook for AddEnvironmentInfo {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        context_verdict(call.working_dir().map(|directory| describe_environment(&directory)))
    }
}

/// The shell that runs commands of hooks and tools.
const SHELL: &str = "/bin/sh";

fn describe_environment(directory: &Path) -> String {
    let system = match std::env::consts::OS {
        "macos" => "MacOS",
        "windows" => "Windows",
        "linux" => "Linux",
        other => other,
    };
    // Go's names, which docker-agent's users know.
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "386",
        other => other,
    };
    let in_repository = if is_repository(directory) { "Yes" } else { "No" };
    let shell = SHELL.rsplit('/').next().unwrap_or(SHELL);
    format!(
        "Here is useful information about the environment you are running in:\n\t<env>\n\tWorking directory: \
         {}\n\tIs directory a git repo: {in_repository}\n\tOperating System: {system}\n\tCPU Architecture: \
         {processor}\n\tShell: {shell} ({SHELL})\n\t</env>",
        directory.display()
    )
}

/// Whether the directory or a parent is a repository. The `.git` file of a worktree counts, whereas docker-agent
/// accepts only a directory.
fn is_repository(directory: &Path) -> bool {
    directory.ancestors().any(|above| above.join(".git").exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_found_from_below_and_a_worktree_counts() {
        let root = tempfile::tempdir().unwrap();
        let below = root.path().join("a/b");
        std::fs::create_dir_all(&below).unwrap();
        assert!(!is_repository(&below));
        std::fs::write(root.path().join(".git"), "gitdir: /elsewhere").unwrap();
        assert!(is_repository(&below));
        let system = if cfg!(target_os = "linux") { "Linux" } else { "MacOS" };
        let processor = if cfg!(target_arch = "x86_64") { "x64" } else { "arm64" };
        let expected = format!(
            "Here is useful information about the environment you are running in:\n\t<env>\n\tWorking directory: {}\n\t\
             Is directory a git repo: Yes\n\tOperating System: {system}\n\tCPU Architecture: {processor}\n\tShell: sh \
             (/bin/sh)\n\t</env>",
            below.display()
        );
        assert_eq!(describe_environment(&below), expected);
    }
}
