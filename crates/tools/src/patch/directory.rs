//! The directories that a shell command changes to before it applies a patch.

/// The arguments of `cd` and `pushd` before a line, outside of patches.
pub(super) fn changes_before(command: &str, line: usize) -> Vec<String> {
    let mut in_patch = false;
    let mut changes = Vec::new();
    for line in command.split('\n').take(line) {
        // The command may stand before the patch in its first line, and after it in its last one.
        let before = line.split_once("*** Begin Patch").map(|(before, _)| before);
        if !in_patch {
            changes.extend(before.unwrap_or(line).split(['&', '|', ';', '(', '{']).filter_map(parse_change));
        }
        in_patch = before.is_some() || in_patch && !line.contains("*** End Patch");
    }
    changes
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
            ("cd -- 'my dir'; cd ..\napply_patch '*** Begin Patch\nHERE", "my dir|.."),
            ("(pushd /tmp && apply_patch <<EOF\n*** Begin Patch\nHERE", "/tmp"),
            ("bash -lc \"cd sub && apply_patch <<'EOF'\n*** Begin Patch\nHERE", "sub"),
            ("apply_patch <<'EOF'\n*** Begin Patch\n+cd no\n cd no\ncd no\nHERE", ""),
            ("echo cd no && apply_patch <<'EOF'\n*** Begin Patch\nHERE", ""),
            ("cd a\n*** Begin Patch\n+cd no\n*** End Patch\nEOF\ncd b\napply_patch <<A\n*** Begin Patch\nHERE", "a|b"),
        ] {
            let line = command.split('\n').position(|line| line == "HERE").unwrap();
            assert_eq!(changes_before(command, line).join("|"), expected, "{command}");
        }
    }
}
