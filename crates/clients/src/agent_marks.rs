//! What tells the processes of a coding agent from those of its user.

/// The marks of an agent's processes.
#[derive(Debug, Clone, Copy)]
pub struct AgentMarks {
    /// The names of its program, in lower case.
    pub programs: &'static [&'static str],
    /// The packages that an interpreter runs as this agent.
    pub packages: &'static [&'static str],
    /// The variables that it sets for the programs that it starts, and that its user does not set.
    pub variables: &'static [&'static str],
}

/// Programs that run a script which is named next.
const INTERPRETERS: [&str; 7] = ["node", "nodejs", "bun", "deno", "python", "ruby", "perl"];

impl AgentMarks {
    /// Marks of no process.
    pub const NONE: Self = Self { programs: &[], packages: &[], variables: &[] };

    /// Whether a process is the agent's own program: its name, and its command line.
    #[must_use]
    pub fn match_program(&self, name: &str, arguments: &[String]) -> bool {
        if self.match_binary(name, arguments) {
            return true;
        }
        let first = arguments.first().map_or("", String::as_str);
        if !is_interpreter(name) && !is_interpreter(base_name(first)) {
            return false;
        }
        let Some(script) = arguments.iter().skip(1).find(|word| !word.starts_with('-')) else { return false };
        let stem = base_name(script);
        let stem = stem.split_once('.').map_or(stem, |(stem, _)| stem);
        self.has_program(stem) || self.packages.iter().any(|package| script.contains(&format!("/{package}/")))
    }

    /// The same for an agent that is never a script of an interpreter.
    #[must_use]
    pub fn match_binary(&self, name: &str, arguments: &[String]) -> bool {
        let first = arguments.first().map_or("", String::as_str);
        [name, base_name(first)].into_iter().any(|name| self.has_program(name))
    }

    fn has_program(&self, name: &str) -> bool {
        self.programs.iter().any(|program| program.eq_ignore_ascii_case(name))
    }
}

/// Whether a program runs scripts, by its name, which may have a version.
fn is_interpreter(name: &str) -> bool {
    let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    INTERPRETERS.contains(&name)
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use crate::CLIENTS;

    fn find_client(name: &str, line: &str) -> Option<&'static str> {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        CLIENTS.iter().find(|client| client.marks.match_program(name, &arguments)).map(|client| client.name)
    }

    #[test]
    fn program_of_every_client_is_known_and_those_of_its_user_are_not() {
        for (name, line, wanted) in [
            ("claude", "claude --continue", "claude"),
            ("node", "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "claude"),
            ("MainThread", "node --max-old-space-size=4096 /usr/bin/gemini -p x", "gemini"),
            ("codex", "/opt/codex-x86_64/bin/codex exec", "codex"),
            ("node", "/usr/bin/node /usr/local/lib/node_modules/@openai/codex/bin/codex.js", "codex"),
            ("node", "node /x/node_modules/@qwen-code/qwen-code/cli.js", "qwen"),
            ("copilot", "copilot", "copilot"),
            ("node20", "node20 /x/node_modules/@github/copilot/index.js", "copilot"),
            ("Cursor", "/Applications/Cursor.app/Contents/MacOS/Cursor", "cursor"),
            ("cursor-agent", "cursor-agent chat", "cursor"),
            ("bun", "bun /home/a/.bun/bin/cline", "cline"),
            ("cline", "cline task", "cline"),
            ("opencode", "/home/a/.opencode/bin/opencode serve", "opencode"),
            ("pi", "pi", "pi"),
            ("droid", "droid exec go", "droid"),
        ] {
            assert_eq!(find_client(name, line).unwrap_or("none"), wanted, "{name} {line}");
        }
        for (name, line) in [
            ("bash", "-bash"),
            ("vim", "vim claude"),
            ("tmux: server", "tmux new -s claude"),
            ("ssh", "ssh codex"),
            ("node", "node server.js --agent claude"),
            ("cargo", "cargo test"),
            ("code", "/usr/share/code/code --type=renderer"),
            ("gnome-terminal-", "/usr/libexec/gnome-terminal-server"),
        ] {
            assert_eq!(find_client(name, line), None, "{name} {line}");
        }
    }

    #[test]
    fn every_client_has_marks() {
        for client in CLIENTS {
            assert!(!client.marks.programs.is_empty() && !client.marks.variables.is_empty(), "{}", client.name);
            // A variable that hooks get for every client is not a mark of one.
            assert!(client.marks.variables.iter().all(|name| !name.ends_with("_PROJECT_DIR")), "{}", client.name);
        }
    }
}
