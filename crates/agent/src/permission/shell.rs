//! Whether a shell command is one plain command.

/// The names under which tools take a shell command.
pub(super) const ARGUMENTS: [&str; 2] = ["cmd", "command"];

/// Whether a command is one program with its words: nothing in it starts a second program, redirects or expands.
///
/// What a person allowed of a shell holds for such commands alone: `always` said to one is not said to what hides behind
/// a `;`.
pub(super) fn is_plain(command: &str) -> bool {
    !command.contains([';', '&', '|', '<', '>', '`', '$', '(', ')', '{', '}', '\n', '\r', '\\', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_program_with_its_words_is_plain() {
        for command in ["ls", "git commit -m 'a b'", "cargo test --workspace", "ls *.rs", ""] {
            assert!(is_plain(command), "{command}");
        }
        for command in
            ["a;b", "a && b", "a | b", "a > b", "a < b", "a `b`", "a $(b)", "a $HOME", "(a)", "a\nb", "r\\m x"]
        {
            assert!(!is_plain(command), "{command}");
        }
    }
}
