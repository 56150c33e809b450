//! What command lines come to: words, wrappers, flows and paths.

use std::path::Path;

use pintle_shell::{CallSite, Operation, OperationKind, PathPlace, ShellLanguage, operations_of_command};

fn operations(command: &str) -> Vec<Operation> {
    let site = CallSite::new(Path::new("/home/ana/shop/src"), Path::new("/home/ana/shop"))
        .with_home(Some(Path::new("/home/ana")));
    operations_of_command(command, ShellLanguage::Bash, &site)
}

/// The paths of the operations of a kind.
fn paths(command: &str, kind: OperationKind) -> Vec<String> {
    operations(command)
        .into_iter()
        .filter(|operation| operation.kind == kind)
        .map(|operation| operation.path.unwrap_or_else(|| String::from("?")))
        .collect()
}

#[test]
fn words_are_expanded_as_bash_expands_them() {
    let rows: &[(&str, &[&str])] = &[
        ("a", &["/home/ana/shop/src/a"]),
        ("./a/../b", &["/home/ana/shop/src/b"]),
        ("'a b' \"c d\" e\\ f", &["/home/ana/shop/src/a b", "/home/ana/shop/src/c d", "/home/ana/shop/src/e f"]),
        ("~/a ~ana/b ~bob/c ~root/d", &["/home/ana/a", "/home/ana/b", "/home/bob/c", "/root/d"]),
        ("~+/a ~-/b", &["/home/ana/shop/src/a", "?"]),
        ("\"~/a\"", &["/home/ana/a"]),
        ("$HOME/a ${HOME}/b \"$HOME\"/c", &["/home/ana/a", "/home/ana/b", "/home/ana/c"]),
        ("$'\\x61\\142'", &["/home/ana/shop/src/ab"]),
        ("/{a,b}c", &["/ac", "/bc"]),
        ("/{a,b{c,d}}", &["/a", "/bc", "/bd"]),
        ("/x{1..3}", &["/x1", "/x2", "/x3"]),
        ("/a{b", &["/a{b"]),
        ("\"/{a,b}\"", &["/{a,b}"]),
        ("/a*", &["/a*"]),
        ("$(echo /a) `echo /b`", &["/a", "/b"]),
        ("$(printf '%s/%s' /a b)", &["/a/b"]),
        ("/$((1+2))", &["/3"]),
        ("${X:-/d} ${X-/e} ${X:+/f}", &["/d", "/e", "/f"]),
        ("/a # /b", &["/a"]),
        ("/a\\\n/b", &["/a/b"]),
        ("$UNKNOWN", &["?"]),
        ("/tmp/$UNKNOWN", &["/tmp/*"]),
    ];
    for (words, expected) in rows {
        assert_eq!(paths(&format!("cat {words}"), OperationKind::Read), *expected, "{words}");
    }
}

#[test]
fn variables_follow_the_line() {
    let rows: &[(&str, &[&str])] = &[
        ("a=/x; cat $a/y", &["/x/y"]),
        ("a=/x; a+=y; cat $a", &["/xy"]),
        ("a='/x /y'; cat $a; cat \"$a\"", &["/x", "/y", "/x /y"]),
        ("a=(/x); a+=(/y /z); cat \"${a[@]}\"", &["/x", "/y", "/z"]),
        ("a=(/x /y); cat \"${a[@]}\"", &["/x", "/y"]),
        ("a=/x/y.c; cat ${a%.c} ${a##*/} ${a%/*}", &["/x/y", "/home/ana/shop/src/y.c", "/x"]),
        ("a=/abc; cat ${a:0:2} ${a/b/z} ${a^^}", &["/a", "/azc", "/ABC"]),
        ("a=/x b=a; cat ${!b}", &["/x"]),
        ("a=/x cat $a", &["?"]),
        ("a=~/x b=~bob/y; cat $a $b", &["/home/ana/x", "/home/bob/y"]),
        ("HOME=/x; cat ~/y", &["/x/y"]),
        ("HOME=; cat ~/y", &["?"]),
        ("HOME=/x cat ~/y", &["/home/ana/y"]),
        ("export a=/x; cat $a", &["/x"]),
        ("cd /tmp; cat a", &["/tmp/a"]),
        ("(cd /tmp); cat a", &["/home/ana/shop/src/a"]),
        ("cd /tmp | cat; cat a", &["/home/ana/shop/src/a"]),
        ("for i in /a /b; do cat $i; done", &["/a", "/b"]),
        ("f() { cat \"$1\"; }; f /a", &["/a"]),
        ("set -- /a /b; cat $2", &["/b"]),
        ("read x <<< /a; cat $x", &["/a"]),
        ("while read x; do cat $x; done <<< $'/a\\n/b'", &["/a", "/b"]),
        ("alias c=cat; c /a", &["/a"]),
        ("c=cat; $c /a", &["/a"]),
        ("IFS=,; x=/a,/b; cat $x", &["/a", "/b"]),
    ];
    for (line, expected) in rows {
        assert_eq!(paths(line, OperationKind::Read), *expected, "{line}");
    }
}

#[test]
fn every_construct_runs_its_commands() {
    let constructs = [
        "@",
        "@; true",
        "true && @",
        "false || @",
        "@ &",
        "! @",
        "time @",
        "( @ )",
        "{ @; }",
        "if @; then :; fi",
        "if true; then @; else :; fi",
        "if false; then :; elif @; then :; fi",
        "if x; then :; else @; fi",
        "while @; do :; done",
        "until false; do @; done",
        "for i in a; do @; done",
        "for ((i=0;i<1;i++)); do @; done",
        "for i in $(@); do :; done",
        "case x in a|b) :;; (x) @;; esac",
        "case $(@) in x) ;; esac",
        "f() { @; }; f",
        "function f { @; }; f",
        "x=$(@)",
        "x=(1 $(@))",
        "echo \"$(@)\"",
        "echo `@`",
        "echo <(@)",
        "true > >(@)",
        "[[ -n $(@) ]]",
        "echo ${x:-$(@)}",
        "cat <<E\n$(@)\nE",
        "true | @",
        "@ | cat",
        "coproc @",
        "select x in a; do @; done",
        "a=1 @",
        "> /dev/null @",
        "@ 2>&1 >/dev/null",
        "if true\nthen\n@\nfi",
        "true\n@",
        "true \\\n && @",
        "eval '@'",
        "bash -c '@'",
        "echo '@' | sh",
        "sh <<< '@'",
        "sh <<'E'\n@\nE",
        "trap '@' EXIT",
        "((1)) && @",
    ];
    for construct in constructs {
        let line = construct.replace('@', "rm /a");
        assert_eq!(paths(&line, OperationKind::Delete), ["/a"], "{line}");
    }
}

#[test]
fn wrappers_are_taken_off() {
    let wrappers = [
        "sudo",
        "sudo -u bob -E",
        "env",
        "env -i A=b",
        "nice -n 5",
        "timeout -s KILL 5",
        "nohup",
        "setsid",
        "command",
        "exec",
        "builtin",
        "stdbuf -oL",
        "ionice -c3",
        "time",
        "busybox",
        "xargs",
        "doas",
        "strace -f",
        "npx",
        "uv run",
        "poetry run",
        "bundle exec",
        "direnv exec .",
        "flock /tmp/l",
        "watch",
        "parallel",
        "chroot /x",
        "unshare -r",
        "pkexec",
        "caffeinate",
        "/usr/bin/env",
        "./rm.sh; rm /a #",
        "\\command",
        "env sudo nice timeout 5",
    ];
    for wrapper in wrappers {
        let line = format!("{wrapper} rm /a");
        assert!(paths(&line, OperationKind::Delete).contains(&String::from("/a")), "{line}: {:?}", operations(&line));
    }
}

#[test]
fn programs_that_write_by_themselves_say_where() {
    let rows: &[(&str, &[&str])] = &[
        ("patch < f.patch", &["/home/ana/shop/src"]),
        ("patch -p1 -d /srv/app < f.patch", &["/srv/app"]),
        ("patch /etc/hosts f.patch", &["/home/ana/shop/src", "/etc/hosts"]),
        ("patch --dry-run < f.patch", &[]),
        ("git apply a.patch", &["/home/ana/shop/src"]),
        ("git -C /srv/app apply a.patch", &["/srv/app"]),
        ("git apply --check a.patch", &[]),
        ("git am a.mbox", &["/home/ana/shop/src"]),
        ("cpio -i < a.cpio", &["/home/ana/shop/src"]),
        ("cpio -idmv < a.cpio", &["/home/ana/shop/src"]),
        ("rpm2cpio a.rpm | cpio -idmv", &["/home/ana/shop/src"]),
        ("cpio -i -D /srv < a.cpio", &["/srv"]),
        ("cpio -it < a.cpio", &[]),
        ("cpio -o < names", &[]),
        ("pax -r -f a.pax", &["/home/ana/shop/src"]),
        ("ar x a.a", &["/home/ana/shop/src"]),
        ("ar t a.a", &[]),
        ("7z x a.7z", &["/home/ana/shop/src"]),
        ("7z x a.7z -o/etc", &["/etc"]),
        ("7z l a.7z", &[]),
        ("rar x a.rar /etc", &["/etc"]),
        ("unar -o /etc a.rar", &["/etc"]),
        ("jar xf a.jar", &["/home/ana/shop/src"]),
        ("jar tf a.jar", &[]),
        ("unsquashfs -d /etc/x a.img", &["/etc/x"]),
        ("dpkg-deb -x a.deb /etc", &["/etc"]),
        ("gunzip /srv/a.gz", &["/srv/a"]),
        ("bunzip2 a.bz2 /srv/b.bz2", &["/home/ana/shop/src/a", "/srv/b"]),
        ("gunzip -c /srv/a.gz", &[]),
        ("xz -d /srv/a.xz", &["/srv/a"]),
        ("gzip /srv/a", &["/srv/a.gz"]),
        ("zstd -dc /srv/a.zst", &[]),
        ("tar xf a.tar -C /etc", &["/etc"]),
        ("unzip a.zip -d /etc", &["/etc"]),
        ("rsync -a src/ /srv/app", &["/srv/app"]),
        ("install -m 755 a /usr/local/bin/a", &["/usr/local/bin/a"]),
        ("install -t /usr/bin a", &["/usr/bin"]),
        ("dd if=a of=/etc/x", &["/etc/x"]),
        ("truncate -s 0 /etc/hosts", &["/etc/hosts"]),
        ("gcc -O2 a.c -o /etc/x", &["/etc/x"]),
        ("gcc -c a.c", &[]),
        ("objcopy -O binary a.elf /etc/a", &["/etc/a"]),
    ];
    for (command, expected) in rows {
        let mut written = paths(command, OperationKind::Write);
        written.dedup();
        assert_eq!(written, *expected, "{command}");
    }
}

#[test]
fn without_a_home_directory_a_tilde_may_be_any_place() {
    let site = CallSite::new(Path::new("/srv/shop"), Path::new("/srv/shop"));
    for command in ["rm -rf ~", "rm -rf ~/", "rm -rf ~/*", "x=~; rm -rf $x/y", "cd ~ && rm -rf *", "rm -rf $HOME"] {
        let found = operations_of_command(command, ShellLanguage::Bash, &site);
        let deletes = |operation: &Operation| {
            operation.kind == OperationKind::Delete && operation.place == Some(PathPlace::Unknown)
        };
        assert!(found.iter().any(deletes), "{command}: {found:?}");
    }
    let found = operations_of_command("rm -rf ~root", ShellLanguage::Bash, &site);
    assert_eq!(found.first().and_then(|operation| operation.path.as_deref()), Some("/root"), "{found:?}");
}

#[test]
fn places_follow_from_the_project_and_the_home() {
    let rows = [
        ("/", PathPlace::Root),
        ("/*", PathPlace::Root),
        ("/dev/sda", PathPlace::Device),
        ("~", PathPlace::Home),
        ("~/*", PathPlace::Home),
        ("/home", PathPlace::Home),
        ("..", PathPlace::ProjectRoot),
        ("../*", PathPlace::ProjectRoot),
        ("a", PathPlace::Project),
        ("../docs", PathPlace::Project),
        ("/tmp/x", PathPlace::Temporary),
        ("~/.cache/x", PathPlace::Temporary),
        ("~/Documents", PathPlace::InHome),
        ("/etc/hosts", PathPlace::System),
        ("/proc/self/root/etc/hosts", PathPlace::System),
        ("/data/x", PathPlace::Outside),
        ("$X", PathPlace::Unknown),
    ];
    for (path, place) in rows {
        let found = operations(&format!("rm -r {path}")).first().and_then(|operation| operation.place);
        assert_eq!(found, Some(place), "{path}");
    }
}

#[test]
fn what_holds_more_than_a_project_has_nothing_inside() {
    let place = |directory: &str, path: &str| {
        let directory = Path::new(directory);
        let site = CallSite::new(directory, directory).with_home(Some(Path::new("/home/ana")));
        let found = operations_of_command(&format!("rm -r {path}"), ShellLanguage::Bash, &site);
        found.first().and_then(|operation| operation.place)
    };
    for (directory, path, expected) in [
        ("/", "data/x", PathPlace::Outside),
        ("/", "etc", PathPlace::System),
        ("/", "/home/ana/x", PathPlace::InHome),
        ("/", "/home/eve", PathPlace::Outside),
        ("/", ".", PathPlace::Root),
        ("/", "tmp/x", PathPlace::Temporary),
        ("/home", "ana/x", PathPlace::InHome),
        ("/home", "eve/x", PathPlace::Outside),
        ("/home/ana", "x", PathPlace::Project),
        ("/data", "x", PathPlace::Project),
        // A working directory that is not known.
        ("", "..", PathPlace::Outside),
        ("", ".", PathPlace::Outside),
        ("", "x", PathPlace::Outside),
        ("", "../x", PathPlace::Outside),
        ("", "/data/x", PathPlace::Outside),
        ("", "/tmp/x", PathPlace::Temporary),
    ] {
        assert_eq!(place(directory, path), Some(expected), "{directory}: {path}");
    }
}

#[test]
fn programs_that_were_once_missed_are_found() {
    let lines = include_str!("missed.txt").lines().filter(|line| !line.starts_with('#'));
    let silent: Vec<&str> = lines
        .filter(|line| {
            let (shell, program) = line.split_once(' ').unwrap_or_default();
            let language = if shell == "zsh" { ShellLanguage::Zsh } else { ShellLanguage::Bash };
            let project = Path::new("/home/ana/shop");
            let program = program.replace('⏎', "\n").replace('⇥', "\t");
            !operations_of_command(&program, language, &CallSite::new(project, project)).iter().any(|operation| {
                operation.written == "MARK"
                    || matches!(operation.kind, OperationKind::Unknown | OperationKind::RunCode)
                    || operation.action == "hook_variable"
            })
        })
        .collect();
    assert!(silent.is_empty(), "nothing is said of:\n{}", silent.join("\n"));
}

/// What the rows of subcommands find: each action with what is shown of it.
fn list_actions(command: &str) -> Vec<String> {
    let operations = operations(command);
    operations.into_iter().map(|operation| format!("{} {}", operation.action, operation.written)).collect()
}

#[test]
fn rows_of_subcommands_read_options_as_the_program_does() {
    let rows: &[(&str, &[&str])] = &[
        // Letters among others, also behind the operands.
        ("docker compose down -v", &["remove_volumes -v"]),
        ("docker compose down --timeout=3 -tv web", &["remove_volumes -tv web"]),
        // The beginning of a long name.
        ("docker compose down --vol", &["remove_volumes --vol"]),
        // A value in the same word or the next one.
        ("npm uninstall --location=global x", &["uninstall_global --location=global x"]),
        ("npm uninstall x --location global", &["uninstall_global --location global"]),
        ("docker compose down --volumes=false", &[]),
        // Switched off, and on again.
        ("gem uninstall --dry-run x", &[]),
        ("gem uninstall --dry-run --no-dry-run x", &["uninstall_global x"]),
        ("npm publish --dry-run --dry-run=false", &["publish publish"]),
        ("npm publish --dry-run=false --dry-run", &[]),
        // A letter of a value does not make it harmless.
        ("kubectl delete ns x -nshop", &["delete_whole x", "delete x"]),
        ("kubectl delete ns x -lapp=shop", &["delete_whole x", "delete_all -lapp=shop x", "delete x"]),
        ("kubectl delete ns x -h", &[]),
        ("helm uninstall x -nshop", &["uninstall x"]),
        // Behind `--` nothing is an option.
        ("gem uninstall x -- --dry-run", &["uninstall_global --dry-run"]),
        // Options in front of the subcommand are not its options.
        ("git -C sub branch", &[]),
        ("git -C sub branch -D old", &["delete_branch -D old"]),
        ("git -c a.b=c -C sub push --force origin main", &["force_push --force main"]),
    ];
    for (command, expected) in rows {
        assert_eq!(list_actions(command), *expected, "{command}");
    }
}
