//! The directories that a shell command changes to before it applies a patch.

use std::path::PathBuf;
use std::str::Split;

/// The directory in which a shell command is, while its lines are read.
pub(super) struct WorkingDirectory<'a> {
    lines: Split<'a, char>,
    next_line: usize,
    in_patch: bool,
    path: PathBuf,
}

impl<'a> WorkingDirectory<'a> {
    /// The directory in which a command starts.
    pub(super) fn new(command: &'a str, start: &str) -> Self {
        Self { lines: command.split('\n'), next_line: 0, in_patch: false, path: PathBuf::from(start) }
    }

    /// The directory before a line, which is not before that of the last call: the start with the arguments of `cd` and
    /// `pushd` outside of patches.
    pub(super) fn before_line(&mut self, line: usize) -> &PathBuf {
        let count = line.saturating_sub(self.next_line);
        for line in self.lines.by_ref().take(count) {
            // The command may stand before the patch in its first line, and after it in its last one.
            let before = line.split_once("*** Begin Patch").map(|(before, _)| before);
            if !self.in_patch {
                let commands = before.unwrap_or(line).split(['&', '|', ';', '(', '{']);
                self.path.extend(commands.filter_map(parse_change));
            }
            self.in_patch = before.is_some() || self.in_patch && !line.contains("*** End Patch");
        }
        self.next_line += count;
        &self.path
    }
}

fn parse_change(command: &str) -> Option<String> {
    // An open quote is that of `bash -c "cd sub && …`.
    let words = shlex::split(command).or_else(|| shlex::split(command.rsplit(['"', '\'']).next()?))?;
    let mut words = words.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    ["cd", "pushd"].contains(&words.next()?).then_some(())?;
    words.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_applied_where_the_command_went() {
        for (command, expected) in [
            ("apply_patch <<'EOF'\n*** Begin Patch\nHERE", ""),
            ("cd sub && apply_patch <<'EOF'\n*** Begin Patch\nHERE", "sub"),
            ("cd -- 'my dir'; cd ..\napply_patch '*** Begin Patch\nHERE", "my dir/.."),
            ("(pushd /tmp && apply_patch <<EOF\n*** Begin Patch\nHERE", "/tmp"),
            ("bash -lc \"cd sub && apply_patch <<'EOF'\n*** Begin Patch\nHERE", "sub"),
            ("apply_patch <<'EOF'\n*** Begin Patch\n+cd no\n cd no\ncd no\nHERE", ""),
            ("echo cd no && apply_patch <<'EOF'\n*** Begin Patch\nHERE", ""),
            ("cd a\n*** Begin Patch\n+cd no\n*** End Patch\nEOF\ncd b\napply_patch <<A\n*** Begin Patch\nHERE", "a/b"),
        ] {
            let line = command.split('\n').position(|line| line == "HERE").unwrap();
            let mut directory = WorkingDirectory::new(command, "");
            // Asking on the way changes nothing.
            (0..line).step_by(2).for_each(|line| drop(directory.before_line(line).clone()));
            assert_eq!(directory.before_line(line).display().to_string(), expected, "{command}");
        }
    }
}
