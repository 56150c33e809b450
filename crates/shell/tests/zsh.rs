//! What command lines come to in zsh, and in which shell a call is read.

use crate::fixture;

use std::path::Path;

use pintle_contract::ToolKind;
use pintle_shell::{Operation, OperationKind, ShellLanguage, operations_of_call, operations_of_command};
use serde_json::json;

fn operations(command: &str, language: ShellLanguage) -> Vec<Operation> {
    operations_of_command(command, language, &fixture::site())
}

/// The paths that operations of a kind have.
fn paths(command: &str, language: ShellLanguage, kind: OperationKind) -> Vec<String> {
    let found = operations(command, language).into_iter().filter(|operation| operation.kind == kind);
    found.map(|operation| operation.path.unwrap_or_else(|| String::from("?"))).collect()
}

#[test]
fn zsh_runs_what_its_grammar_says() {
    for line in [
        "repeat 2 rm /x",
        "repeat 2; do rm /x; done",
        "repeat 2 { rm /x }",
        "for a in /x; rm $a",
        "for a (/x) rm $a",
        "for a (/x); do rm $a; done",
        "for a b (/y /x) { [[ $b = /x ]] && rm /x }",
        "foreach a (/x); rm $a; end",
        "for ((i = 0; i < 2; i++)) rm /x",
        "select a in /x; { rm $a }",
        "if [[ 1 ]] rm /x",
        "if [[ 1 ]] { rm /x } elif [[ 2 ]] { ls } else { ls }",
        "if [[ 1 ]] { ls }\nelse { rm /x }",
        "while (( 1 )) { rm /x }",
        "case a { a) rm /x ;; }",
        "case a in (a|b) rm /x;| *) ls;; esac",
        "{ ls } always { rm /x }",
        "{rm /x}",
        "() { rm $1 } /x",
        "function { rm $1 } /x",
        "function a b { rm $1 }; b /x",
        "a b () rm $1; a /x",
        "rm =(ls) /x &!",
        "=rm /x",
        "x=rm; =$x /x",
        "a=(ls rm); $a[2] /x",
        "x='rm /x'; $=x",
        "x=rm,/x; ${(s:,:)x}",
        "x=/bin/rm; $x:t /x",
        "${${:-/bin/rm}:t} /x",
        "x='$(rm /x)'; print ${(e)x}",
        "ls *(.e:'rm /x':)",
        "rm /(x|x)",
        "<<< 'rm /x' | sh",
        "echo 'ls\\nrm /x' | sh",
        "echo 'rm /x' > a > b | sh",
        "emulate sh -c 'rm /x'",
        "zf_rm /x",
        "functions[f]='rm /x'; f",
        "chpwd() { rm /x }; cd /tmp",
    ] {
        let found = operations(line, ShellLanguage::Zsh);
        let deleted = found.iter().filter(|operation| operation.kind == OperationKind::Delete);
        let deleted: Vec<_> = deleted.filter_map(|operation| operation.path.as_deref()).collect();
        assert!(deleted.contains(&"/x"), "{line}: {found:?}");
        assert!(found.iter().all(|operation| operation.kind != OperationKind::Unknown), "{line}: {found:?}");
    }
}

#[test]
fn a_text_that_expands_itself_ends() {
    for line in [
        "x='${(e)x}'; echo ${(e)x}",
        "x='${(e)x}${(e)x}${(e)x}${(e)x}'; echo ${(e)x}",
        "x='a b'; f() { eval 'f $x $x'; f $x; }; f $x; eval ${(e)x}",
    ] {
        let found = operations(line, ShellLanguage::Zsh);
        let is_stopped = |found: &Operation| found.kind == OperationKind::Unknown || found.action == "fork_bomb";
        assert!(found.iter().any(is_stopped), "{line}: {found:?}");
    }
    let nested = format!("{}1{}", "a[$(".repeat(3000), ")]=1".repeat(3000));
    let flags = "${(a}".repeat(3000) + &")".repeat(3000);
    for line in [nested, flags, "$x[".repeat(9000), "{a".repeat(9000), "*(e:".repeat(9000), "() ".repeat(9000)] {
        operations(&line, ShellLanguage::BashOrZsh);
    }
}

#[test]
fn redirections_of_zsh_write_to_each_of_their_files() {
    for (line, expected) in [
        ("echo a >! /x", ["/x"].as_slice()),
        ("echo a >>! /x", &["/x"]),
        ("echo a >&! /x", &["/x"]),
        ("echo a &>>! /x", &["/x"]),
        ("echo a >>& /x", &["/x"]),
        ("echo a > /x > /y", &["/x", "/y"]),
        ("echo a > /(x|y)", &["/y", "/x"]),
        ("hash -d d=/x; echo a > ~d/f", &["/x/f"]),
        ("mapfile[/x]=a", &["/x"]),
        ("zmodload zsh/system; sysopen -w -u 3 /x", &["/x"]),
    ] {
        let mut found = paths(line, ShellLanguage::Zsh, OperationKind::Write);
        found.sort();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{line}");
    }
}

#[test]
fn a_line_counts_in_both_shells_if_the_shell_is_not_known() {
    let line = "echo a >! /x";
    assert_eq!(fixture::operations(line), operations(line, ShellLanguage::Bash));
    assert_eq!(paths(line, ShellLanguage::Bash, OperationKind::Write), ["/home/ana/shop/!"]);
    assert_eq!(paths(line, ShellLanguage::BashOrZsh, OperationKind::Write), ["/home/ana/shop/!", "/x"]);
    // Whatever is the same in both is there once.
    let line = "rm -rf a; files='b c'; rm $files";
    assert_eq!(
        paths(line, ShellLanguage::BashOrZsh, OperationKind::Delete),
        ["/home/ana/shop/a", "/home/ana/shop/b", "/home/ana/shop/c", "/home/ana/shop/b c"]
    );
    // A shell in the line has its own grammar.
    assert_eq!(paths("zsh -c 'echo a >! /x'", ShellLanguage::Bash, OperationKind::Write), ["/x"]);
    assert_eq!(paths("bash -c 'echo a >! /x'", ShellLanguage::Zsh, OperationKind::Write), ["/home/ana/shop/!"]);
}

#[test]
fn a_call_is_read_in_the_shell_that_it_names() {
    let written = |shell: Option<&str>| {
        let mut args = json!({"command": "echo a >! /x"});
        if let (Some(shell), Some(args)) = (shell, args.as_object_mut()) {
            args.insert(String::from("shell"), json!(shell));
        }
        let site = fixture::site();
        let found = operations_of_call(ToolKind::Shell, "shell", &args, &site);
        found.into_iter().filter_map(|operation| operation.path).collect::<Vec<_>>()
    };
    assert_eq!(written(None), ["/home/ana/shop/!", "/x"]);
    assert_eq!(written(Some("/bin/zsh")), ["/x"]);
    assert_eq!(written(Some("/usr/bin/bash")), ["/home/ana/shop/!"]);
    assert_eq!(written(Some("cmd.exe")), ["/home/ana/shop/!"]);
    let site = fixture::site().read_by(ShellLanguage::Zsh);
    let args = json!({"command": "for f (/a /b) rm $f"});
    let found = operations_of_call(ToolKind::Shell, "Bash", &args, &site);
    let deleted: Vec<_> = found.iter().filter_map(|operation| operation.path.as_deref()).map(Path::new).collect();
    assert_eq!(deleted, [Path::new("/a"), Path::new("/b")]);
}
