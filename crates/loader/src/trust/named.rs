//! The files that a command names.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use pintle_contract::{CommandSpec, HandlerSpec, HookDeclaration};

/// What stands between the words of a shell's text, quotes and assignments included: a file may stand in any of them.
const BETWEEN: &[char] = &[
    ' ', '\t', '\r', '\n', ';', '|', '&', '(', ')', '<', '>', '"', '\'', '`', '=', ',', ':', '[', ']', '*', '?', '!',
    '@', '%', '^', '+', '#',
];

/// Finds the files that a command names and that belong to the project: those below its folder, by whatever way the
/// words can be read. Seen from the project, from where the hook stands, from the command's working directory, and from
/// every folder that the command names, as with `cd`.
///
/// Words behind a variable, such as `$CLAUDE_PROJECT_DIR/check.sh`, are seen from all of these. A program that is found
/// by its name in the PATH is not the project's.
pub(super) fn named(command: &CommandSpec, own: Option<&Path>, project: &Path) -> BTreeSet<PathBuf> {
    let mut bases = vec![project.to_owned()];
    bases.extend(own.and_then(Path::parent).map(Path::to_owned));
    let words = words(command);
    let directory = command.directory.as_deref().map(without_variable);
    let mut seen = BTreeSet::new();
    // A folder that is named may be where the next word is seen from, whatever stands between them.
    for word in directory.into_iter().chain(words.iter().map(String::as_str)) {
        let candidates: Vec<PathBuf> = bases.iter().map(|base| base.join(word)).collect();
        for candidate in candidates {
            if candidate.is_dir() && !bases.contains(&candidate) && bases.len() < MOST_BASES {
                bases.push(candidate);
            }
        }
    }
    for word in &words {
        for base in &bases {
            let file = plain(&base.join(word));
            if file.starts_with(project) && file.is_file() {
                seen.insert(file);
            }
        }
    }
    seen
}

/// The files that a hook's command names.
pub(crate) fn files_named_by(hook: &HookDeclaration, project: &Path) -> BTreeSet<PathBuf> {
    match &hook.handler {
        HandlerSpec::Command(command) => named(command, hook.location.path(), project),
        _ => BTreeSet::new(),
    }
}

/// The most folders that words are seen from.
const MOST_BASES: usize = 16;

/// Everything in a command that may be a path: its parts between spaces and signs, and its arguments as they are.
fn words(command: &CommandSpec) -> Vec<String> {
    let arguments = command.arguments.iter().flatten();
    let texts = || std::iter::once(&command.command).chain(arguments.clone());
    let parts = texts().flat_map(|text| text.split(BETWEEN)).chain(texts().map(String::as_str));
    let unquoted = texts().filter(|text| text.contains('\\')).map(|text| text.replace("\\ ", "\u{0}"));
    let escaped: Vec<String> = unquoted
        .flat_map(|text| {
            text.split(BETWEEN).map(|word| word.replace('\u{0}', " ").replace('\\', "")).collect::<Vec<_>>()
        })
        .collect();
    let quoted: Vec<&str> = texts().flat_map(|text| text.split(['"', '\''])).collect();
    let mut words: Vec<String> = parts.chain(quoted).map(without_variable).map(str::to_owned).chain(escaped).collect();
    // What stands before a slash may have been a variable in quotes or a command of its own.
    let behind: Vec<String> = words.iter().filter_map(|word| word.strip_prefix('/')).map(str::to_owned).collect();
    words.extend(behind);
    words.retain(|word| !word.is_empty() && !word.contains('\u{0}') && word.len() < MOST_BYTES);
    words.sort_unstable();
    words.dedup();
    words
}

/// The longest path that is looked at.
const MOST_BYTES: usize = 4096;

/// A word behind the variable that it begins with: `$ROOT/a` and `${ROOT}/a` are `a`, seen from wherever that may be.
fn without_variable(word: &str) -> &str {
    let Some(behind) = word.strip_prefix('$') else { return word };
    let rest = match behind.strip_prefix('{') {
        Some(braced) => braced.split_once('}').map_or("", |(_, rest)| rest),
        None => behind.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '_'),
    };
    rest.trim_start_matches('/')
}

/// A path without `.` and `..`, read as the words stand: a link is followed when its bytes are read.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            component => plain.push(component),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_command_names_files_of_the_project_however_it_writes_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        for file in ["check.sh", "hooks/guard.sh", "hooks/my rules.txt", "lib/a.py", ".claude/x.js"] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        fs::write(folder.path().join("outside.sh"), "").unwrap();
        let absolute = format!("{}/check.sh --fast", root.display());
        let cases: [(&str, &[&str]); 17] = [
            ("./check.sh", &["check.sh"]),
            ("sh check.sh>/dev/null 2>&1", &["check.sh"]),
            (&absolute, &["check.sh"]),
            ("$CLAUDE_PROJECT_DIR/hooks/guard.sh", &["hooks/guard.sh"]),
            ("\"${CLAUDE_PROJECT_DIR}\"/hooks/guard.sh", &["hooks/guard.sh"]),
            ("bash -c '. lib/a.py; x=$(hooks/guard.sh)'", &["hooks/guard.sh", "lib/a.py"]),
            ("cd hooks && ./guard.sh", &["hooks/guard.sh"]),
            ("PYTHONPATH=lib python3 -m a lib/a.py", &["lib/a.py"]),
            ("grep -f 'hooks/my rules.txt'", &["hooks/my rules.txt"]),
            ("grep -f hooks/my\\ rules.txt", &["hooks/my rules.txt"]),
            ("node --require=./.claude/x.js", &[".claude/x.js"]),
            ("hooks/../check.sh", &["check.sh"]),
            ("../outside.sh", &[]),
            ("/bin/true", &[]),
            (". \"$(dirname \"$0\")/hooks/guard.sh\"", &["hooks/guard.sh"]),
            ("jq .", &[]),
            ("", &[]),
        ];
        for (text, wanted) in cases {
            let command = CommandSpec { command: text.to_owned(), ..CommandSpec::default() };
            let found: Vec<PathBuf> = named(&command, None, &root).into_iter().collect();
            assert_eq!(found, wanted.iter().map(|file| root.join(file)).collect::<Vec<_>>(), "{text}");
        }
        let exec = CommandSpec {
            command: String::from("/usr/bin/python3"),
            arguments: Some(vec![String::from("${ROOT}/lib/a.py"), String::from("hooks/my rules.txt")]),
            ..CommandSpec::default()
        };
        let wanted = [root.join("hooks/my rules.txt"), root.join("lib/a.py")];
        assert_eq!(named(&exec, None, &root).into_iter().collect::<Vec<_>>(), wanted);
        let below = CommandSpec {
            command: String::from("./guard.sh"),
            directory: Some(String::from("${ROOT}/hooks")),
            ..CommandSpec::default()
        };
        assert_eq!(named(&below, None, &root).into_iter().collect::<Vec<_>>(), [root.join("hooks/guard.sh")]);
        let beside = CommandSpec { command: String::from("./x.js"), ..CommandSpec::default() };
        let own = root.join(".claude/settings.json");
        assert_eq!(named(&beside, Some(&own), &root).into_iter().collect::<Vec<_>>(), [root.join(".claude/x.js")]);
    }
}
