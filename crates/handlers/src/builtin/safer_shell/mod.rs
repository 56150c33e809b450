//! `safer_shell`: how much a shell command may destroy (docker-agent behaviour, section 4.6).
//!
//! A command is *safe* only when it is one plain command of [`harmless`]. It is *destructive* when a command anywhere in
//! the text is one of [`dangers`], also behind `sudo`, in `sh -c '..'` or in a substitution; what stands in the quotes of
//! some other command is only text. Anything else is *unknown*.

mod dangers;
mod harmless;
mod words;

use pintle_contract::{Effect, Verdict, suggest_nearest};
use serde_json::{Map, Value};

use super::{Asked, Builtin, Made};
use dangers::{Danger, Radius, name_of, of_command, of_file};
use words::{Command, read};

/// What is asked, and what is let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Policy {
    /// Nothing is asked.
    Unsafe,
    /// What is destructive is asked.
    Safer,
    /// What is safe needs nobody, all else is asked.
    SafeAuto,
    /// Everything is asked.
    Strict,
}

const POLICIES: [(&str, Policy); 4] =
    [("unsafe", Policy::Unsafe), ("safer", Policy::Safer), ("safe-auto", Policy::SafeAuto), ("strict", Policy::Strict)];

/// The modes of a session and the policy each stands for. Who put this hook beside an autonomous agent still wants to be
/// asked about what destroys.
const MODES: [(&str, Policy); 4] = [
    ("balanced", Policy::SafeAuto),
    ("strict", Policy::Strict),
    ("restricted", Policy::Strict),
    ("autonomous", Policy::Safer),
];

fn find(table: &[(&str, Policy)], name: &str) -> Option<Policy> {
    table.iter().find(|(known, _)| *known == name).map(|(_, policy)| *policy)
}

/// Labels calls of the shell tool and asks a person about them.
#[derive(Debug)]
struct SaferShell {
    /// `None` follows the session.
    policy: Option<Policy>,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> Made {
    let written = arguments.first().map(|written| written.trim()).filter(|written| !written.is_empty());
    let known = written.and_then(|written| find(&POLICIES, written));
    if let (Some(written), None) = (written, known) {
        let near = suggest_nearest(written, POLICIES.iter().map(|(name, _)| *name));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        doubts.push(format!("there is no policy `{written}`, so everything is asked{near}"));
        return Ok(Box::new(SaferShell { policy: Some(Policy::Strict) }));
    }
    Ok(Box::new(SaferShell { policy: known }))
}

impl Builtin for SaferShell {
    fn call(&self, asked: &Asked<'_>) -> Verdict {
        if !matches!(asked.event(), "tool.pre" | "tool.guard") || asked.text("name") != "shell" {
            return Verdict::pass();
        }
        let argument =
            |name: &str| asked.field("args").and_then(|arguments| arguments.get(name)).and_then(Value::as_str);
        let text = argument("cmd").or_else(|| argument("command")).unwrap_or_default();
        let (label, mode) = (Label::of(text), asked.text("permission_mode"));
        let policy =
            self.policy.or_else(|| find(&MODES, mode)).or_else(|| find(&POLICIES, mode)).unwrap_or(Policy::Strict);
        let reason = label.reason();
        let verdict = match (policy, &label) {
            (Policy::Unsafe, _) | (Policy::Safer, Label::Safe(_) | Label::Unknown) => Verdict::pass(),
            (Policy::SafeAuto, Label::Safe(_)) => Verdict::allow(reason.clone()),
            _ => Verdict::ask(reason.clone()),
        };
        verdict.with_effect(Effect::Metadata(label.metadata(reason)))
    }
}

/// How safe a shell command is, as docker-agent labels it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandSafety {
    /// It is one plain command that only looks.
    Safe,
    /// It destroys something.
    Destructive,
    /// Neither is known.
    Unknown,
}

impl CommandSafety {
    /// Its name in payloads.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Destructive => "destructive",
            Self::Unknown => "unknown",
        }
    }
}

/// How safe a shell command is.
#[must_use]
pub fn safety_of(command: &str) -> CommandSafety {
    match Label::of(command) {
        Label::Safe(_) => CommandSafety::Safe,
        Label::Destructive(_) => CommandSafety::Destructive,
        Label::Unknown => CommandSafety::Unknown,
    }
}

/// What a command is.
#[derive(Debug, PartialEq, Eq)]
enum Label {
    /// It only looks; its category.
    Safe(&'static str),
    Destructive(Danger),
    Unknown,
}

impl Label {
    fn of(text: &str) -> Self {
        if let Some(danger) = worst(text) {
            return Self::Destructive(danger);
        }
        let reading = read(text);
        match reading.commands.as_slice() {
            [command] if reading.is_plain => harmless::category(&command.words).map_or(Self::Unknown, Self::Safe),
            _ => Self::Unknown,
        }
    }

    fn reason(&self) -> String {
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

/// Programs and words that run the command that follows them, somewhere after their own options.
const CARRIERS: [&str; 32] = [
    "sudo", "doas", "su", "env", "xargs", "timeout", "nice", "ionice", "nohup", "time", "command", "builtin", "exec",
    "busybox", "setsid", "stdbuf", "chroot", "watch", "strace", "parallel", "if", "then", "else", "elif", "while",
    "until", "do", "!", "{", "flock", "pkexec", "unshare",
];
/// Programs that run a command on what they find, after an option of [`SEARCH_RUNS`].
const SEARCHES: [&str; 3] = ["find", "fd", "fdfind"];
const SEARCH_RUNS: [&str; 8] = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
/// Programs that run the text after `-c`.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "fish"];
/// How deep texts of commands may lie in each other, how many of them are read, how many words of a command are taken
/// for the beginning of another, and how many words such a command may have.
const MOST_DEPTH: u32 = 4;
const MOST_TEXTS: u32 = 64;
const MOST_STARTS: usize = 128;
const MOST_WORDS: usize = 2_048;

const HIDDEN: Danger = Danger {
    radius: Radius::Medium,
    category: "execution",
    reason: "holds commands in each other that are too many to be judged",
};

/// The worst that a text does.
fn worst(text: &str) -> Option<Danger> {
    let mut search = Search::default();
    search.text(text, 0);
    search.worst
}

/// A search for the worst.
#[derive(Default)]
struct Search {
    worst: Option<Danger>,
    texts: u32,
}

impl Search {
    fn found(&mut self, danger: Option<Danger>) {
        if danger.map(|danger| danger.radius) > self.worst.map(|worst| worst.radius) {
            self.worst = danger;
        }
    }

    fn text(&mut self, text: &str, depth: u32) {
        self.texts += 1;
        if depth > MOST_DEPTH || self.texts > MOST_TEXTS {
            self.found(Some(HIDDEN));
            return;
        }
        let squeezed: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        if squeezed.contains(":(){:|:&};:") {
            let reason = "starts processes without end";
            self.found(Some(Danger { radius: Radius::High, category: "system", reason }));
        }
        let reading = read(text);
        reading.written.iter().for_each(|path| self.found(of_file(path)));
        reading.commands.iter().for_each(|command| self.command(command, depth));
    }

    /// Looks at a command and at those that it runs in turn, which are the ends of it.
    fn command(&mut self, command: &Command, depth: u32) {
        let (mut carries, mut searches) = (true, false);
        let mut before = "";
        for (start, word) in command.words.iter().enumerate() {
            // Which word begins the command of a carrier cannot be told without knowing all its options, so each may.
            if carries || (searches && SEARCH_RUNS.contains(&before)) {
                if start > MOST_STARTS || (start > 0 && command.words.len() > MOST_WORDS) {
                    self.found(Some(HIDDEN));
                    return;
                }
                let words = command.words.get(start..).unwrap_or_default();
                self.one(word, words, command.is_piped, depth);
                carries = CARRIERS.contains(&name_of(word)) || (carries && start > 0);
                searches |= SEARCHES.contains(&name_of(word));
            }
            before = word;
        }
    }

    /// Looks at one command that nothing stands before.
    fn one(&mut self, program: &str, words: &[String], is_piped: bool, depth: u32) {
        self.found(of_command(words, is_piped));
        let arguments = words.get(1..).unwrap_or_default();
        let name = name_of(program);
        if SHELLS.contains(&name) {
            let after = arguments.iter().position(|word| word.starts_with('-') && word.contains('c'));
            if let Some(text) = after.and_then(|after| arguments.get(after + 1)) {
                self.text(text, depth + 1);
            }
        }
        if name == "eval" {
            self.text(&arguments.join(" "), depth + 1);
        }
    }
}

#[cfg(test)]
mod tests;
