//! `safer_shell`: rates how destructive a shell command is.
//!
//! A command is *safe* only if it is one plain command of [`read_only_commands`]. It is *destructive* if a command
//! anywhere in the text is one of [`risky_commands`], including after `sudo`, in `sh -c '..'` or in a substitution;
//! quoted arguments of other commands are only text. Anything else is *unknown*.

mod parse;
mod read_only_commands;
mod risky_commands;

use pintle_contract::{Effect, EventKind, Verdict, suggest_nearest};
use serde_json::{Map, Value};

use super::{BuiltinCall, BuiltinHook, BuiltinResult};
use parse::{ShellCommand, parse_command_line};
use risky_commands::{BlastRadius, CommandRisk, command_risk, file_write_risk, program_name};

/// The policy: which commands need approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SaferShellPolicy {
    /// No command needs approval.
    Unsafe,
    /// Destructive commands need approval.
    Safer,
    /// All commands except safe ones need approval.
    SafeAuto,
    /// Every command needs approval.
    Strict,
}

const POLICIES: [(&str, SaferShellPolicy); 4] = [
    ("unsafe", SaferShellPolicy::Unsafe),
    ("safer", SaferShellPolicy::Safer),
    ("safe-auto", SaferShellPolicy::SafeAuto),
    ("strict", SaferShellPolicy::Strict),
];

/// The session modes with their policies. A user who adds this hook to an autonomous agent still wants to approve
/// destructive commands.
const MODES: [(&str, SaferShellPolicy); 4] = [
    ("balanced", SaferShellPolicy::SafeAuto),
    ("strict", SaferShellPolicy::Strict),
    ("restricted", SaferShellPolicy::Strict),
    ("autonomous", SaferShellPolicy::Safer),
];

fn find_policy(table: &[(&str, SaferShellPolicy)], name: &str) -> Option<SaferShellPolicy> {
    table.iter().find(|(known, _)| *known == name).map(|(_, policy)| *policy)
}

/// Labels calls of the shell tool and asks the user about them.
#[derive(Debug)]
struct SaferShell {
    /// The policy; `None` follows the session's mode.
    policy: Option<SaferShellPolicy>,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    let written = arguments.first().map(|written| written.trim()).filter(|written| !written.is_empty());
    let known = written.and_then(|written| find_policy(&POLICIES, written));
    if let (Some(written), None) = (written, known) {
        let near = suggest_nearest(written, POLICIES.iter().map(|(name, _)| *name));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        doubts.push(format!("unknown policy `{written}`, so every command needs approval{near}"));
        return Ok(Box::new(SaferShell { policy: Some(SaferShellPolicy::Strict) }));
    }
    Ok(Box::new(SaferShell { policy: known }))
}

impl BuiltinHook for SaferShell {
    fn call(&self, asked: &BuiltinCall<'_>) -> Verdict {
        if !matches!(asked.event_kind(), EventKind::ToolPre | EventKind::ToolGuard) || asked.text("name") != "shell" {
            return Verdict::pass();
        }
        let argument =
            |name: &str| asked.field("args").and_then(|arguments| arguments.get(name)).and_then(Value::as_str);
        let text = argument("cmd").or_else(|| argument("command")).unwrap_or_default();
        let (label, mode) = (CommandLabel::from_command(text), asked.text("permission_mode"));
        let policy = self
            .policy
            .or_else(|| find_policy(&MODES, mode))
            .or_else(|| find_policy(&POLICIES, mode))
            .unwrap_or(SaferShellPolicy::Strict);
        let reason = label.approval_reason();
        let verdict = match (policy, &label) {
            (SaferShellPolicy::Unsafe, _)
            | (SaferShellPolicy::Safer, CommandLabel::Safe(_) | CommandLabel::Unknown) => Verdict::pass(),
            (SaferShellPolicy::SafeAuto, CommandLabel::Safe(_)) => Verdict::allow(reason.clone()),
            _ => Verdict::ask(reason.clone()),
        };
        verdict.with_effect(Effect::Metadata(label.metadata(reason)))
    }
}

/// The safety of a shell command, by docker-agent's labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandSafety {
    /// One plain command that only reads.
    Safe,
    /// The command destroys something.
    Destructive,
    /// Neither is known.
    Unknown,
}

impl CommandSafety {
    /// The label in payloads.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Destructive => "destructive",
            Self::Unknown => "unknown",
        }
    }
}

/// Classifies a shell command.
#[must_use]
pub fn classify_command(command: &str) -> CommandSafety {
    match CommandLabel::from_command(command) {
        CommandLabel::Safe(_) => CommandSafety::Safe,
        CommandLabel::Destructive(_) => CommandSafety::Destructive,
        CommandLabel::Unknown => CommandSafety::Unknown,
    }
}

/// The label of a command with its details.
#[derive(Debug, PartialEq, Eq)]
enum CommandLabel {
    /// The command only reads; contains its category.
    Safe(&'static str),
    Destructive(CommandRisk),
    Unknown,
}

impl CommandLabel {
    fn from_command(text: &str) -> Self {
        if let Some(danger) = worst_risk(text) {
            return Self::Destructive(danger);
        }
        let reading = parse_command_line(text);
        match reading.commands.as_slice() {
            [command] if reading.is_plain => {
                read_only_commands::read_only_category(&command.words).map_or(Self::Unknown, Self::Safe)
            }
            _ => Self::Unknown,
        }
    }

    fn approval_reason(&self) -> String {
        match self {
            Self::Safe(_) => String::from("safer_shell: matches a safe read-only pattern"),
            Self::Destructive(danger) => format!("safer_shell: destructive command: {}", danger.reason),
            Self::Unknown => String::from("safer_shell: the command is not known to be safe"),
        }
    }

    fn metadata(&self, reason: String) -> Map<String, Value> {
        let (radius, category) = match self {
            Self::Safe(category) => ("safe", *category),
            Self::Destructive(danger) => (danger.radius.as_str(), danger.category),
            Self::Unknown => ("unknown", "unknown"),
        };
        let entries = [("blast_radius", radius), ("category", category), ("reason", reason.as_str())];
        entries.into_iter().map(|(name, text)| (name.to_owned(), Value::from(text))).collect()
    }
}

/// Programs and words that run the command in their arguments, after their own options.
const CARRIERS: [&str; 32] = [
    "sudo", "doas", "su", "env", "xargs", "timeout", "nice", "ionice", "nohup", "time", "command", "builtin", "exec",
    "busybox", "setsid", "stdbuf", "chroot", "watch", "strace", "parallel", "if", "then", "else", "elif", "while",
    "until", "do", "!", "{", "flock", "pkexec", "unshare",
];
/// Programs that run a command on the files they find, after an option of [`SEARCH_RUNS`].
const SEARCHES: [&str; 3] = ["find", "fd", "fdfind"];
const SEARCH_RUNS: [&str; 8] = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
/// Programs that run the text after `-c`.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "fish"];
/// Limits of the search: the nesting of command texts, their number, the words of a command that may start another
/// command, and the words of such a command.
const MOST_DEPTH: u32 = 4;
const MOST_TEXTS: u32 = 64;
const MOST_STARTS: usize = 128;
const MOST_WORDS: usize = 2_048;

const HIDDEN: CommandRisk =
    CommandRisk { radius: BlastRadius::Medium, category: "execution", reason: "nests too many commands to analyze" };

/// The highest risk of a text.
fn worst_risk(text: &str) -> Option<CommandRisk> {
    let mut search = RiskSearch::default();
    search.search_text(text, 0);
    search.worst_risk
}

/// The state of the search for the highest risk.
#[derive(Default)]
struct RiskSearch {
    worst_risk: Option<CommandRisk>,
    text_count: u32,
}

impl RiskSearch {
    fn add_risk(&mut self, danger: Option<CommandRisk>) {
        if danger.map(|danger| danger.radius) > self.worst_risk.map(|worst| worst.radius) {
            self.worst_risk = danger;
        }
    }

    fn search_text(&mut self, text: &str, depth: u32) {
        self.text_count += 1;
        if depth > MOST_DEPTH || self.text_count > MOST_TEXTS {
            self.add_risk(Some(HIDDEN));
            return;
        }
        let squeezed: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        if squeezed.contains(":(){:|:&};:") {
            let reason = "starts processes endlessly";
            self.add_risk(Some(CommandRisk { radius: BlastRadius::High, category: "system", reason }));
        }
        let reading = parse_command_line(text);
        reading.written_files.iter().for_each(|path| self.add_risk(file_write_risk(path)));
        reading.commands.iter().for_each(|command| self.search_command(command, depth));
    }

    /// Examines a command and the commands that it runs, which are suffixes of it.
    fn search_command(&mut self, command: &ShellCommand, depth: u32) {
        let (mut carries, mut searches) = (true, false);
        let mut before = "";
        for (start, word) in command.words.iter().enumerate() {
            // Without knowing all options of the carrier, any word may start its command.
            if carries || (searches && SEARCH_RUNS.contains(&before)) {
                if start > MOST_STARTS || (start > 0 && command.words.len() > MOST_WORDS) {
                    self.add_risk(Some(HIDDEN));
                    return;
                }
                let words = command.words.get(start..).unwrap_or_default();
                self.search_single_command(word, words, command.is_piped, depth);
                carries = CARRIERS.contains(&program_name(word)) || (carries && start > 0);
                searches |= SEARCHES.contains(&program_name(word));
            }
            before = word;
        }
    }

    /// Examines one command without a carrier.
    fn search_single_command(&mut self, program: &str, words: &[String], is_piped: bool, depth: u32) {
        self.add_risk(command_risk(words, is_piped));
        let arguments = words.get(1..).unwrap_or_default();
        let name = program_name(program);
        if SHELLS.contains(&name) {
            let after = arguments.iter().position(|word| word.starts_with('-') && word.contains('c'));
            if let Some(text) = after.and_then(|after| arguments.get(after + 1)) {
                self.search_text(text, depth + 1);
            }
        }
        if name == "eval" {
            self.search_text(&arguments.join(" "), depth + 1);
        }
    }
}

#[cfg(test)]
mod tests;
