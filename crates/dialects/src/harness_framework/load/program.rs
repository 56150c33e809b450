//! Determines how a script is started: directly, or with the interpreter that its first line names.

use std::path::Path;

use pintle_contract::{ByteSpan, CommandSpec};

use super::FrameworkSettingsFile;
use crate::{PathStatus, ProgramLookup};

/// Lets `node` run a script for `bun`: TypeScript if this `node` can, otherwise only plain JavaScript.
const LOADER: &str = include_str!("run_with_node.mjs");
/// Extensions of scripts that `node` may be able to run.
const NODE_ENDINGS: [&str; 6] = ["ts", "mts", "cts", "js", "mjs", "cjs"];
/// Programs that `node` may replace.
const LIKE_NODE: [&str; 4] = ["bun", "deno", "tsx", "ts-node"];
/// The interpreter of a script without a `#!` line, by its extension.
const BY_ENDING: [(&str, &str); 4] = [("sh", "/bin/sh"), ("bash", "bash"), ("py", "python3"), ("rb", "ruby")];

/// A script of a hook.
pub(super) struct HookScript {
    /// The command that starts it.
    pub(super) command: CommandSpec,
    /// The beginning of its text, if it is a text file.
    pub(super) head: Option<String>,
}

/// Determines how a script is started. A problem is a warning: the hook then fails when it is called, without blocking
/// the event.
pub(super) fn read(settings: &FrameworkSettingsFile<'_>, file: &Path, written: &str, span: ByteSpan) -> HookScript {
    let start = |program: String, arguments: Vec<String>| {
        let root = settings.root.display().to_string();
        let environment = ["ENGRAM_DIR", "PAI_DIR"].map(|name| (name.to_owned(), root.clone())).to_vec();
        CommandSpec { command: program, arguments: Some(arguments), environment, ..CommandSpec::default() }
    };
    let itself = || start(file.display().to_string(), Vec::new());
    let warn = |code, message, help: String| settings.report.warning(code, message, span, help);
    let Some(programs) = settings.programs else { return HookScript { command: itself(), head: None } };
    let (head, is_executable) = match programs.inspect(file) {
        PathStatus::File { head, is_executable } => (head, is_executable),
        look => {
            let what = if look == PathStatus::Missing { "cannot find the file" } else { "not a file:" };
            let help =
                format!("the path is relative to the directory of this file, which is `{}`", settings.root.display());
            warn("missing_script", format!("{what} `{written}`; the hook fails without blocking the event"), help);
            return HookScript { command: itself(), head: None };
        }
    };
    let run = ScriptCommand {
        programs,
        file,
        ending: file.extension().and_then(|ending| ending.to_str()).unwrap_or_default(),
    };
    let is_text = !head.contains('\0');
    let (way, error) = match shebang(&head) {
        Some(words) => run.interpreter_from_shebang(words, is_executable),
        None if is_text => run.interpreter_from_extension(),
        None if is_executable => (None, None),
        None => (None, Some(ScriptProblem::NotExecutable)),
    };
    if let Some(error) = error {
        let (code, message, help) = error.describe(written, file);
        warn(code, message, help);
    }
    let command = way.map_or_else(itself, |(program, arguments)| start(program, arguments));
    HookScript { command, head: Some(head).filter(|_| is_text) }
}

/// The words of a `#!` line, without those of `env`.
fn shebang(head: &str) -> Option<Vec<&str>> {
    let line = head.strip_prefix("#!")?.lines().next().unwrap_or_default();
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if words.first().is_some_and(|first| first.ends_with("/env")) {
        words.remove(0);
        words.drain(..words.iter().take_while(|word| word.starts_with('-') || word.contains('=')).count());
    }
    (!words.is_empty()).then_some(words)
}

/// A program and its arguments; `None` runs the script itself.
type Interpreter = Option<(String, Vec<String>)>;

/// Why a script may not start.
enum ScriptProblem {
    /// The file is not executable.
    NotExecutable,
    /// The file does not name its interpreter.
    NoFirstLine(Option<String>),
    /// The interpreter is not installed.
    NoInterpreter(String),
    /// `node` runs it instead of this interpreter.
    NodeUsedInstead(String),
}

struct ScriptCommand<'a> {
    programs: &'a dyn ProgramLookup,
    file: &'a Path,
    ending: &'a str,
}

impl ScriptCommand<'_> {
    fn interpreter_from_shebang(&self, words: Vec<&str>, is_executable: bool) -> (Interpreter, Option<ScriptProblem>) {
        let Some((interpreter, options)) = words.split_first() else {
            return (None, Some(ScriptProblem::NoFirstLine(None)));
        };
        if !self.has_program(interpreter) {
            let name = interpreter.rsplit('/').next().unwrap_or(interpreter).to_owned();
            return match self.node_interpreter().filter(|_| LIKE_NODE.contains(&name.as_str())) {
                Some(way) => (Some(way), Some(ScriptProblem::NodeUsedInstead(name))),
                None => (None, Some(ScriptProblem::NoInterpreter(name))),
            };
        }
        if is_executable {
            return (None, None);
        }
        let arguments = options.iter().map(|option| (*option).to_owned()).chain([self.path_text()]).collect();
        (Some(((*interpreter).to_owned(), arguments)), Some(ScriptProblem::NotExecutable))
    }

    fn interpreter_from_extension(&self) -> (Interpreter, Option<ScriptProblem>) {
        if NODE_ENDINGS.contains(&self.ending) {
            let bun = self.has_program("bun").then(|| (String::from("bun"), vec![self.path_text()]));
            let way = bun.or_else(|| self.node_interpreter());
            let runs = way.as_ref().map(|(program, _)| program.clone());
            return (way, Some(ScriptProblem::NoFirstLine(runs)));
        }
        let known = BY_ENDING.iter().find(|(ending, _)| *ending == self.ending).map(|(_, program)| *program);
        let way = known.map(|program| (program.to_owned(), vec![self.path_text()]));
        (way, Some(ScriptProblem::NoFirstLine(known.map(str::to_owned))))
    }

    /// The `node` command for the script, if `node` is installed and may be able to run it.
    fn node_interpreter(&self) -> Interpreter {
        if !NODE_ENDINGS.contains(&self.ending) || !self.has_program("node") {
            return None;
        }
        let options = ["--no-warnings", "--input-type=module", "--eval", LOADER];
        let arguments = options.into_iter().map(str::to_owned).chain([self.path_text()]).collect();
        Some((String::from("node"), arguments))
    }

    fn has_program(&self, program: &str) -> bool {
        match program.contains('/') {
            true => matches!(self.programs.inspect(Path::new(program)), PathStatus::File { .. }),
            false => self.programs.can_find(program),
        }
    }

    fn path_text(&self) -> String {
        self.file.display().to_string()
    }
}

impl ScriptProblem {
    fn describe(&self, written: &str, file: &Path) -> (&'static str, String, String) {
        let install = |name: &str| match name {
            "bun" => String::from("install bun (`npm install -g bun`, or https://bun.sh), or node 22.18 or newer"),
            name => format!("install `{name}`, or name another program in the first line"),
        };
        match self {
            Self::NotExecutable => (
                "not_executable",
                format!("`{written}` is not executable"),
                format!("run `chmod +x {}`", file.display()),
            ),
            Self::NoFirstLine(Some(program)) => (
                "no_first_line",
                format!("`{written}` does not name its interpreter in the first line; it is run with `{program}`"),
                String::from("start it with a line such as `#!/usr/bin/env bun`"),
            ),
            Self::NoFirstLine(None) => (
                "no_first_line",
                format!("`{written}` does not name its interpreter in the first line, so it may not start"),
                String::from("start it with a line such as `#!/bin/sh`"),
            ),
            Self::NoInterpreter(name) => (
                "no_interpreter",
                format!(
                    "`{name}`, which runs `{written}`, is not installed; the hook fails without blocking the event"
                ),
                install(name),
            ),
            Self::NodeUsedInstead(name) => (
                "node_instead",
                format!(
                    "`{name}`, which runs `{written}`, is not installed; `node` runs it, which below version 22.13 \
                     reads plain JavaScript only"
                ),
                install(name),
            ),
        }
    }
}
