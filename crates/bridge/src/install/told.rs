//! What an installed command line tells of itself.

use std::path::PathBuf;

use pintle::loader::UserDirs;

use super::line::{ANSWER, CONFIG, DEADLINE, HOOKS, MANAGED, OPTION, STATE, line, ours, quoted, word};
use super::{Entry, Options, Scope};
use crate::Host;

/// Whether an entry is what this Pintle writes for its event and scope, whatever program, hooks and folders it names.
#[must_use]
pub fn is_current(host: &'static Host, scope: Scope, entry: &Entry) -> bool {
    let (Some(row), Some(options)) = (host.row(&entry.event), told(host, entry)) else { return false };
    let UserDirs { config, state, managed } = &options.folders;
    let is_named = match scope {
        Scope::User => config.is_some() && state.is_some(),
        Scope::Project => config.is_none() && state.is_none() && managed.is_none(),
    };
    is_named && line(host, row, &options).0 == entry.command
}

/// The folders that an entry names; none when this Pintle did not write it.
#[must_use]
pub fn folders(host: &Host, entry: &Entry) -> UserDirs {
    told(host, entry).map(|options| options.folders).unwrap_or_default()
}

/// What the call of the program was made of; nothing where that is not as [`line`] writes it.
fn told(host: &Host, entry: &Entry) -> Option<Options> {
    let program = ours(&entry.command, host.name)?;
    let head = format!("{ANSWER}=$({} hook {} {}", quoted(&program), host.name, entry.event);
    let mut rest = entry.command.strip_prefix(&head)?;
    let mut options = Options { program, ..Options::default() };
    while let Some(option) = rest.strip_prefix(OPTION) {
        let (name, value) = option.split_once(' ')?;
        let (word, after) = word(value)?;
        let path = PathBuf::from(word);
        let folders = &mut options.folders;
        match name {
            CONFIG => folders.config = Some(path),
            STATE => folders.state = Some(path),
            MANAGED => folders.managed = Some(path),
            HOOKS => options.hooks.push(path),
            DEADLINE => {}
            _ => return None,
        }
        rest = after;
    }
    Some(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        let path = |path: &str| Some(PathBuf::from(path));
        Options {
            program: String::from("/it's here/pintle"),
            hooks: vec![PathBuf::from("/a b"), PathBuf::from("/'); case $? in $x '")],
            folders: UserDirs { config: path("/h/it's \\ \"mine\""), state: path("/s --hooks 'x'"), managed: None },
            events: Vec::new(),
        }
    }

    #[test]
    fn a_line_tells_what_it_was_made_of() {
        let managed = UserDirs { managed: Some(PathBuf::from("/m")), ..options().folders };
        let cases = [
            options(),
            Options { hooks: Vec::new(), folders: managed, ..options() },
            Options { folders: UserDirs::default(), ..options() },
            Options { program: String::from("pintle"), ..Options::default() },
        ];
        for host in crate::HOSTS {
            for (row, options) in host.rows.iter().flat_map(|row| cases.iter().map(move |options| (row, options))) {
                let (command, timeout_ms) = line(host, row, options);
                let entry = Entry { event: String::from(row.name), command, timeout_ms };
                assert_eq!(told(host, &entry).as_ref(), Some(options), "{}", entry.command);
                let is_of_user = options.folders.config.is_some();
                assert_eq!(is_current(host, Scope::User, &entry), is_of_user, "{}", entry.command);
                assert_eq!(is_current(host, Scope::Project, &entry), !is_of_user, "{}", entry.command);
            }
        }
    }

    #[test]
    fn what_this_pintle_does_not_write_is_not_of_today() {
        let host = Host::named("claude").unwrap();
        let row = host.row("Stop").unwrap();
        let (command, timeout_ms) = line(host, row, &options());
        let with = |from: &str, to: &str| {
            let command = command.replacen(from, to, 1);
            Entry { event: String::from("Stop"), command, timeout_ms }
        };
        assert!(is_current(host, Scope::User, &with("", "")));
        let changes = [
            (" --state-dir", " --shadow --state-dir"),
            (" --state-dir", " --deadline-ms 1 --state-dir"),
            (" --state-dir", " --state-folder"),
            (" --config-dir", ""),
            ("--hooks '/a b'", "--hooks /a b"),
            ("hook claude Stop", "hook claude PreToolUse"),
            ("exit 1", "exit 0"),
            ("pintle_answer=$(", ""),
            ("; esac;", ""),
        ];
        for (from, to) in changes {
            let entry = with(from, to);
            assert_ne!(entry.command, command, "{from}");
            assert!(!is_current(host, Scope::User, &entry), "{}", entry.command);
        }
        for cut in 0..command.len() {
            let Some(command) = command.get(..cut).map(str::to_owned) else { continue };
            assert!(!is_current(host, Scope::User, &Entry { event: String::from("Stop"), command, timeout_ms }));
        }
    }
}
