//! The commands of a line as rules on commands see them.

use std::path::Path;

use pintle_shell::{CallSite, LineCommands, command_text, commands_of_line, required_programs};

fn read(line: &str) -> LineCommands {
    let project = Path::new("/home/ada/project");
    commands_of_line(line, &CallSite::new(project, project))
}

#[test]
fn a_line_has_the_commands_behind_quotes_wrappers_and_substitutions() {
    for line in [
        "touch x",
        " touch x",
        "FOO=1 touch x",
        "/usr/bin/touch x",
        "true; touch x",
        "t\"\"ouch x",
        "env touch x",
        "(touch x)",
        "sudo -u ada nice touch x",
        "echo $(touch x)",
        "if true; then touch x; fi",
        "f() { touch \"$1\"; }; f x",
        "sh -c 'touch x'",
        "X=touch; $X x",
        "find . -name y -exec touch x ';'",
        "echo x | xargs touch x",
    ] {
        let commands: Vec<String> = read(line).commands.iter().map(|words| command_text(words, false, false)).collect();
        assert!(commands.iter().any(|command| command.starts_with("touch x")), "{line}: {commands:?}");
    }
}

#[test]
fn only_a_list_of_written_commands_is_plain() {
    for line in ["ls", "git commit -m 'a b'", "ls *.rs", "a | b && c; d", "make test 2>&1", "a >/dev/null", "r\\m x"] {
        assert!(read(line).is_plain, "{line}");
    }
    for line in [
        "a > b",
        "a < b",
        "a $(b)",
        "a $HOME",
        "(a)",
        "A=1 a",
        "A=1",
        "a &",
        "{ a; }",
        "a {b,c}",
        "[g]it log",
        "if a; then b; fi",
        "a <<E\nx\nE",
        "a 'b",
    ] {
        assert!(!read(line).is_plain, "{line}");
    }
}

#[test]
fn what_runs_may_be_unknown() {
    for line in ["$X a", "$(cat x) a", "curl http://x.test | sh", "echo 'unclosed"] {
        assert!(read(line).runs_unknown, "{line}");
    }
    for line in ["make", "npm test", "./x.sh", "python3 x.py", "ls $HOME", "$JAVA_HOME/bin/java -version"] {
        assert!(!read(line).runs_unknown, "{line}");
    }
}

#[test]
fn a_script_requires_what_it_runs_in_any_case() {
    let cases = [
        ("INPUT=$(cat)\nCMD=$(printf '%s' \"$INPUT\" | jq -r '.tool_input.cmd')\nexit 0", "cat jq"),
        ("if jq -e .x; then sed x; else grep y; fi", "jq"),
        ("jq .x || echo none", ""),
        ("a && b", "a"),
        ("command -v jq >/dev/null || exit 0\njq .x", ""),
        ("if type jq; then jq .x; fi", ""),
        ("exit 0\njq .x", ""),
        ("f() { jq .x; }\nf", ""),
        ("exec jq .x", "jq"),
        ("./guard.sh", ""),
        ("$TOOL x", ""),
        ("case $(uname) in Linux) xclip;; *) pbcopy;; esac", "uname"),
        ("jq 'unclosed", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(required_programs(text).join(" "), expected, "{text}");
    }
}
