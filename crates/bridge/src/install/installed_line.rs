//! Parses installed command lines.

use std::path::{Path, PathBuf};

use pintle_host::loader::UserDirs;
use serde_json::{Map, Value};

use super::line::{
    ANSWER, CONFIG, DEADLINE, HOOKS, MANAGED, OPTION, STATE, command_line, parse_own_command, parse_word, shell_quote,
};
use super::{InstallEnvironment, InstallOptions, InstallScope, InstalledEntry};
use crate::HostDef;

/// Whether an entry is what this version writes for its event and scope, with any program, hooks and directories.
#[must_use]
pub fn is_current(host: &'static HostDef, scope: InstallScope, entry: &InstalledEntry) -> bool {
    let (Some(def), Some(options)) = (host.find_event(&entry.event), parse_options(host, entry)) else { return false };
    let UserDirs { config, state, managed } = &options.folders;
    let is_named = match scope {
        InstallScope::Managed | InstallScope::User => config.is_some() && state.is_some(),
        InstallScope::Project => config.is_none() && state.is_none() && managed.is_none(),
    };
    is_named && command_line(host, def, &options).0 == entry.command
}

/// The directories that an entry names; none if this version did not write it.
#[must_use]
pub fn named_dirs(host: &HostDef, entry: &InstalledEntry) -> UserDirs {
    parse_options(host, entry).map(|options| options.folders).unwrap_or_default()
}

/// The command line of an entry of an image, as it is run outside the image: with the program where it is now, and the
/// directories that the environment names instead of those of an account. `None` if this version did not write it.
pub(crate) fn line_in_image(
    host: &'static HostDef,
    entry: &InstalledEntry,
    environment: &InstallEnvironment,
) -> Option<String> {
    let options = parse_options(host, entry)?;
    let program = match options.program.starts_with('/') {
        true => environment.path_now(Path::new(&options.program)).to_str()?.to_owned(),
        false => options.program,
    };
    let options = InstallOptions { program, folders: UserDirs::default(), ..options };
    Some(command_line(host, host.find_event(&entry.event)?, &options).0)
}

/// The options of an installed command line; `None` if it is not as [`command_line`] writes it.
fn parse_options(host: &HostDef, entry: &InstalledEntry) -> Option<InstallOptions> {
    let program = parse_own_command(&entry.command, host.name)?;
    let head = format!("{ANSWER}=$({} hook {} {}", shell_quote(&program), host.name, entry.event);
    let mut rest = entry.command.strip_prefix(&head)?;
    let mut options = InstallOptions { program, ..InstallOptions::default() };
    while let Some(option) = rest.strip_prefix(OPTION) {
        let (name, value) = option.split_once(' ')?;
        let (word, after) = parse_word(value)?;
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

/// The entries in the text of a module of code that has a table with one entry a line. Foreign lines are no entries.
pub(super) fn own_entries(text: &str, host: &str) -> Vec<InstalledEntry> {
    let entry = |line: &str| {
        let fields: Map<String, Value> =
            serde_json::from_str(&format!("{{{}}}", line.trim().trim_end_matches(','))).ok()?;
        let (event, hook) = fields.into_iter().next()?;
        let command = hook.get("command")?.as_str()?.to_owned();
        parse_own_command(&command, host)?;
        let timeout_ms = hook.get("timeoutMs").and_then(Value::as_u64).unwrap_or_default();
        Some(InstalledEntry { event, command, timeout_ms })
    };
    text.lines().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_options() -> InstallOptions {
        let path = |path: &str| Some(PathBuf::from(path));
        InstallOptions {
            program: String::from("/it's here/pintle"),
            hooks: vec![PathBuf::from("/a b"), PathBuf::from("/'); case $? in $x '")],
            folders: UserDirs { config: path("/h/it's \\ \"mine\""), state: path("/s --hooks 'x'"), managed: None },
            events: Vec::new(),
        }
    }

    #[test]
    fn a_line_tells_what_it_was_made_of() {
        let managed = UserDirs { managed: Some(PathBuf::from("/m")), ..sample_options().folders };
        let cases = [
            sample_options(),
            InstallOptions { hooks: Vec::new(), folders: managed, ..sample_options() },
            InstallOptions { folders: UserDirs::default(), ..sample_options() },
            InstallOptions { program: String::from("pintle"), ..InstallOptions::default() },
        ];
        for host in crate::HOSTS {
            for (def, options) in host.host_events().flat_map(|def| cases.iter().map(move |options| (def, options))) {
                let (command, timeout_ms) = command_line(host, def, options);
                let entry = InstalledEntry { event: String::from(def.name), command, timeout_ms };
                assert_eq!(parse_options(host, &entry).as_ref(), Some(options), "{}", entry.command);
                let is_of_user = options.folders.config.is_some();
                assert_eq!(is_current(host, InstallScope::User, &entry), is_of_user, "{}", entry.command);
                assert_eq!(is_current(host, InstallScope::Project, &entry), !is_of_user, "{}", entry.command);
            }
        }
    }

    #[test]
    fn what_this_pintle_does_not_write_is_not_of_today() {
        let host = HostDef::by_name("claude").unwrap();
        let def = host.find_event("Stop").unwrap();
        let (command, timeout_ms) = command_line(host, def, &sample_options());
        let with = |from: &str, to: &str| {
            let command = command.replacen(from, to, 1);
            InstalledEntry { event: String::from("Stop"), command, timeout_ms }
        };
        assert!(is_current(host, InstallScope::User, &with("", "")));
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
            assert!(!is_current(host, InstallScope::User, &entry), "{}", entry.command);
        }
        for cut in 0..command.len() {
            let Some(command) = command.get(..cut).map(str::to_owned) else { continue };
            assert!(!is_current(
                host,
                InstallScope::User,
                &InstalledEntry { event: String::from("Stop"), command, timeout_ms }
            ));
        }
    }
}
