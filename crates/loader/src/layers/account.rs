//! The home directory of the account that this process runs as, whatever its environment says.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use pintle_files::account_number;

/// The start of a path that is in the home directory of each account.
const HOME: &str = "~";

/// The account database of this machine.
const ACCOUNTS: &str = "/etc/passwd";

/// The program that looks an account up in all databases, such as a directory service, with its arguments before the
/// account's number.
const LOOKUP: &[&str] = if cfg!(target_os = "macos") { &["/usr/bin/id", "-P"] } else { &["/usr/bin/getent", "passwd"] };

/// The place of the number in a line of a database, and that of the home directory, counted from the end.
const NUMBER: usize = 2;
const HOME_FROM_END: usize = 1;

/// A directory that a command line names: `~` at its start is the home directory of the account. A project may be able to
/// set the variable `HOME`, so it does not count. `None` if the account has no home directory.
#[must_use]
pub fn resolve_named_dir(dir: &Path) -> Option<PathBuf> {
    match dir.strip_prefix(HOME) {
        Ok(below) => Some(account_home()?.join(below)),
        Err(_) => Some(dir.to_owned()),
    }
}

/// Whether a directory is one of each account, and may be missing for some.
pub(super) fn is_of_each_account(dir: &Path) -> bool {
    dir.starts_with(HOME)
}

fn account_home() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| find_home(account_number()?)).as_deref()
}

fn find_home(number: u32) -> Option<PathBuf> {
    let local = pintle_files::read_text(ACCOUNTS).ok().and_then(|text| home_in(&text, number));
    local.or_else(|| home_in(&look_up(number)?, number))
}

/// What the system's own program says about an account.
fn look_up(number: u32) -> Option<String> {
    let (program, arguments) = LOOKUP.split_first()?;
    let mut command = Command::new(program);
    command.args(arguments).arg(number.to_string()).env_clear().stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// The home directory of an account in the text of a database.
fn home_in(text: &str, number: u32) -> Option<PathBuf> {
    let number = number.to_string();
    let account = text.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let account = account.into_iter().find(|fields| fields.get(NUMBER) == Some(&number.as_str()))?;
    let home = account.iter().rev().nth(HOME_FROM_END)?;
    Some(PathBuf::from(home)).filter(|home| home.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_that_of_the_account_and_nothing_else() {
        let linux =
            "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000:Ann,,:/home/ann:/bin/sh\nbad:x:7:7::relative:/x\n";
        let macos = "ann:********:501:20::0:0:Ann:/Users/ann:/bin/zsh\n";
        let cases = [
            (linux, 1000, Some("/home/ann")),
            (linux, 0, Some("/root")),
            (linux, 7, None),
            (linux, 1, None),
            (macos, 501, Some("/Users/ann")),
            ("", 0, None),
            ("1000\n::1000", 1000, None),
        ];
        for (text, number, home) in cases {
            assert_eq!(home_in(text, number), home.map(PathBuf::from), "{text} {number}");
        }
    }

    #[test]
    fn only_a_first_part_that_is_a_tilde_stands_for_the_home() {
        for dir in ["/a/~/b", "a", "~ann/x", "./~"] {
            assert_eq!(resolve_named_dir(Path::new(dir)), Some(PathBuf::from(dir)));
            assert!(!is_of_each_account(Path::new(dir)));
        }
        let home = account_home().unwrap();
        assert_eq!(resolve_named_dir(Path::new("~/.config/pintle")), Some(home.join(".config/pintle")));
    }
}
