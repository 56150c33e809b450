//! Whatever a command line is: it is read without a panic, on a small stack, and in a time that does not matter.
#![expect(clippy::unwrap_used, reason = "a thread that cannot be started or that panics ends the test")]

use crate::fixture;

use std::thread;

use pintle_contract::ToolKind;
use pintle_shell::{
    Operation, OperationKind, OperationTag, PathPlace, ShellLanguage, operations_of_call, operations_of_command,
};
use serde_json::{Value, json};

use fixture::{operations, site};

/// The stack of a thread of Rust's standard library.
const STACK: usize = 2 * 1024 * 1024;

fn on_small_stack(commands: Vec<String>) -> Vec<Vec<Operation>> {
    let run = move || commands.iter().map(|command| operations(command)).collect();
    thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap()
}

/// 64 KB of a text, over and over.
fn filled(text: &str) -> String {
    text.repeat(64 * 1024 / text.len())
}

#[test]
fn deep_nesting_is_unknown_and_does_not_overflow() {
    let openings = [
        "(",
        "$(",
        "{ ",
        "`",
        "\"$(",
        "'",
        "\"",
        "if ",
        "while ",
        "case x in x) ",
        "f() { ",
        "for i in $(",
        "<(",
        "${x:-",
        "$((",
        "((",
        "[[ ",
        "! ",
        "(\\`",
        "eval ",
        "sudo ",
        "bash -c ",
        "function f ",
        "coproc ",
        "time ",
        "{a,",
        "$'",
        "<<E ",
        "if (",
        "until { ",
        "python3 -c \"f(",
        "x=(",
        "a=$(",
        "env ",
        "select x in ",
        "\\",
        "${!",
        "${x[",
        "@(",
    ];
    let commands = openings.iter().map(|opening| opening.repeat(30_000)).collect();
    for (opening, found) in openings.iter().zip(on_small_stack(commands)) {
        let is_nesting =
            matches!(*opening, "(" | "$(" | "{ " | "\"$(" | "if " | "while " | "<(" | "${x:-" | "$((" | "eval ");
        assert!(!is_nesting || !found.is_empty(), "nothing is said of `{opening}`");
    }
}

#[test]
fn deep_nesting_that_is_closed_keeps_what_is_read() {
    let nest = |open: &str, close: &str, depth: usize| format!("{}rm -rf ~{}", open.repeat(depth), close.repeat(depth));
    for (open, close) in [("( ", " )"), ("{ ", "; }"), ("if ", "; then :; fi"), ("echo $(", ")"), ("echo \"$(", ")\"")]
    {
        let shallow = on_small_stack(vec![nest(open, close, 8)]).remove(0);
        assert!(shallow.iter().any(|operation| operation.kind == OperationKind::Delete), "{open}: {shallow:?}");
        let deep = on_small_stack(vec![nest(open, close, 10_000)]).remove(0);
        let is_stopped = |operation: &Operation| {
            matches!(operation.kind, OperationKind::Unknown | OperationKind::Delete | OperationKind::RunCode)
        };
        assert!(deep.iter().any(is_stopped), "{open}: {deep:?}");
    }
}

/// A text may hold itself in every place where a program expands texts: each is followed only so far.
#[test]
fn a_line_that_holds_itself_ends() {
    for line in include_str!("holds_itself.txt").lines().filter(|line| !line.starts_with('#')) {
        for language in [ShellLanguage::Bash, ShellLanguage::Zsh] {
            let run = move || operations_of_command(line, language, &site());
            let found = thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
            assert!(found.len() < 1_000, "{line}");
        }
    }
}

#[test]
fn what_is_behind_a_long_text_is_seen() {
    let lines = include_str!("behind_long_text.txt").lines().filter(|line| !line.starts_with('#'));
    for (line, bytes) in lines.flat_map(|line| [12_000, 20_000, 70_000].map(|bytes| (line, bytes))) {
        let command = line.replace("{P}", &"y".repeat(bytes));
        let found = on_small_stack(vec![command]).remove(0);
        let is_seen = |operation: &Operation| {
            let tags = [OperationTag::Secret, OperationTag::Startup, OperationTag::Network];
            let is_home = matches!(operation.place, Some(PathPlace::Home | PathPlace::Root));
            matches!(operation.kind, OperationKind::Unknown | OperationKind::RunCode)
                || is_home && operation.kind == OperationKind::Delete
                || tags.iter().any(|tag| operation.has(*tag))
        };
        assert!(found.iter().any(is_seen), "{line} with {bytes} bytes: {}", found.len());
    }
}

#[test]
fn variables_of_make_that_are_too_long_are_unknown() {
    let cut = [
        format!("make --eval='a={}; rm -rf ~' --eval='x:=$(shell true $(a))' x", "y".repeat(17_000)),
        format!("make --eval='f=$(foreach d,{}~,rm -rf $(d);)' --eval='x:=$(shell $(f))'", "/tmp/x ".repeat(30)),
        String::from("make --eval='f=$(call f)' --eval='x:=$(shell rm $(f))'"),
    ];
    for (command, found) in cut.iter().zip(on_small_stack(cut.to_vec())) {
        let is_stopped = |operation: &Operation| {
            let kind = operation.kind;
            matches!(kind, OperationKind::Unknown | OperationKind::RunCode)
                || kind == OperationKind::Delete && operation.place == Some(PathPlace::Home)
        };
        assert!(found.iter().any(is_stopped), "{command:.80}: {found:?}");
    }
}

#[test]
fn large_command_lines_end() {
    let commands = vec![
        filled("word "),
        filled("'quoted' "),
        filled("\"a $b\" "),
        filled("$("),
        filled("`"),
        filled("a;"),
        filled("a|"),
        filled("a&&"),
        filled("{a,b}"),
        filled("{1..99}"),
        filled("{a,b}{c,d} "),
        format!("a=x; {} echo $a", filled("a=$a$a;")),
        filled("a=$a$a$a$a ; eval $a ; "),
        filled("for i in 1 2 3 4; do "),
        filled("for i in $(seq 9); do for j in a b c; do rm $i; done; done;"),
        filled("cat <<E\nx\nE\n"),
        filled("<<E "),
        filled("rm -rf /x/$a/* "),
        filled("f(){ f;f; }; f;"),
        filled("f(){ g;g; }; g(){ h;h; }; h(){ f; }; "),
        filled("alias a='b;b' b='a;a'; a;"),
        filled("*?["),
        filled("\\"),
        filled("é\u{1F600}"),
        filled("\0\r\n"),
        filled("a=("),
        filled("${a:-"),
        filled("${a//b/c}"),
        format!("python3 -c '{}'", filled("f(a,[b,{c:d}]).g().h;")),
        format!("node -e '{}'", filled("a[b](c)`d`.e({})")),
        format!("perl -e '{}'", filled("unlink <a/*>;")),
        format!("python3 -c '{}'", filled("[f(x) for x in g(")),
        format!("python3 -c '{}'", "a = ".repeat(7_000)),
        format!("ipython -c '{}'", "a = !".repeat(6_000)),
        format!("ipython -c '{}'", "%time ".repeat(5_000)),
        format!("ipython -c '{}'", "!x \\\n".repeat(6_000)),
        format!("ipython -c 'a = 1\n!{}'", "$a".repeat(10_000)),
        format!("echo {} | xargs rm", filled("a ")),
        format!("while read -r a; do rm \"$a\"; done <<E\n{}\nE", filled("a\n")),
        format!("x='{}'; echo ${{x//a/b}} ${{x##*a}} ${{x%%a*}}", filled("ab")),
        format!("bash -c '{}'", filled("bash -c \"$0\";")),
        format!("sed '{}'", filled("s/a/b/e;")),
        filled("sudo env nice timeout 5 xargs "),
        filled("find . -exec sh -c 'rm {}' \\; "),
        filled("git -c alias.x='!git x' x;"),
    ];
    assert_eq!(on_small_stack(commands.clone()).len(), commands.len());
}

#[test]
fn a_command_line_above_the_limit_is_unknown() {
    let found = operations(&"a ".repeat(200 * 1024));
    assert_eq!(found.first().map(|operation| operation.kind), Some(OperationKind::Unknown));
}

#[test]
fn a_call_of_another_tool_above_the_limits_is_unknown() {
    let deepen = |inner: Value, depth: usize| (0..depth).fold(inner, |inner, _| json!({"step": [inner]}));
    let many: Vec<Value> = (0..5_000).map(|index| json!({"path": format!("src/{index}.rs")})).collect();
    let call = |args: &Value| operations_of_call(ToolKind::Mcp, "mcp__runner__run", args, &site());
    let has = |found: &[Operation], kind: OperationKind| found.iter().any(|operation| operation.kind == kind);
    let shallow = call(&deepen(json!({"command": "rm -rf ~"}), 4));
    assert!(has(&shallow, OperationKind::Delete) && !has(&shallow, OperationKind::Unknown), "{shallow:?}");
    for args in [
        deepen(json!({"command": "rm -rf ~"}), 50),
        json!({"files": many}),
        json!({"command": "a ".repeat(200 * 1024)}),
    ] {
        let found = call(&args);
        assert!(has(&found, OperationKind::Unknown), "{found:?}");
    }
}

#[test]
fn expressions_that_lead_to_themselves_end() {
    let chain: String =
        (0..20).map(|index| format!("x{index}='a[$((x{0})) $((x{0})) $((x{0}))]'; ", index + 1)).collect();
    let commands = [
        String::from("x='a[$((x)) + $((x)) + $((x)) + $((x))]'; ((x))"),
        String::from("x='a[x[x[x[y]]]]'; y='x + x'; ((x)); rm -rf ~"),
        format!("{chain}((x0))"),
        filled("(( a[1] + b[2] ));"),
        filled("for ((;;)); do "),
        filled("${a["),
        filled("((a);"),
        filled("a[;"),
        filled("a ${x:+b} ${y:+c} ${z:+d} ${w:+e};"),
        filled("$(( $((1)) + "),
    ];
    for (command, found) in commands.iter().zip(on_small_stack(commands.to_vec())) {
        let shown: String = command.chars().take(60).collect();
        assert!(!found.is_empty(), "nothing is said of `{shown}`");
    }
}

#[test]
fn options_that_lead_to_themselves_end() {
    let commands =
        ["printf 'config = a' > a; curl -K a https://x.example", "echo -K a > a; curl -K a https://x.example"];
    for (command, found) in commands.iter().zip(on_small_stack(commands.map(str::to_owned).to_vec())) {
        assert!(!found.is_empty(), "nothing is said of `{command}`");
    }
}
