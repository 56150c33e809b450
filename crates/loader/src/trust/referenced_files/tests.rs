//! Tests every way to write a command, and what trust covers of it.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

/// A project with guards in several languages.
fn create_project(dir: &Path) -> PathBuf {
    let root = dir.canonicalize().unwrap().join("project");
    let files = [
        ("check.sh", ""),
        ("hooks/guard.sh", "exit 2\n"),
        ("hooks/guard.py", "import json, lib.words\n"),
        ("hooks/lib/words.py", ""),
        ("hooks/guard.awk", "{ print }\n"),
        ("hooks/guard.pl", "require \"./words.pl\";\n"),
        ("hooks/words.pl", ""),
        ("hooks/Guard.pm", ""),
        ("hooks/index.js", "const rules = require('./rules');\n"),
        ("hooks/rules.js", ""),
        ("hooks/outer.sh", ". \"$(dirname \"$0\")/inner.sh\"\n. ./check.sh\necho x >> hooks/log.txt\n"),
        ("hooks/inner.sh", ""),
        ("hooks/reads.sh", "grep -qf 'hooks/my rules.txt' && exit 2\ntail -n1 audit.log\ncat >> audit.log\n"),
        ("hooks/my rules.txt", ""),
        ("hooks/a,b.sh", ""),
        ("hooks/a:b.sh", ""),
        ("hooks/a@b.sh", ""),
        ("hooks/n\u{e4}me.sh", ""),
        ("hooks/log.txt", ""),
        ("lib/a.py", ""),
        ("Makefile", ""),
        ("package.json", ""),
        ("audit.log", ""),
        ("count", ""),
        (".claude/x.js", ""),
    ];
    for (file, text) in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for number in 0..20 {
        fs::create_dir_all(root.join(format!("d{number}"))).unwrap();
    }
    symlink(&root, dir.join("way")).unwrap();
    root
}

fn shell_command(text: &str) -> CommandSpec {
    CommandSpec { command: text.to_owned(), ..CommandSpec::default() }
}

fn list_references(command: &CommandSpec, root: &Path) -> (String, Vec<String>) {
    let found = referenced_files(command, None, root);
    let files = found.files.iter().map(|file| file.strip_prefix(root).unwrap_or(file).display().to_string());
    (files.collect::<Vec<_>>().join(" "), found.not_covered.into_iter().collect())
}

#[test]
fn a_command_binds_the_files_that_it_names() {
    let dir = tempfile::tempdir().unwrap();
    let root = create_project(dir.path());
    fs::write(dir.path().join("outside.sh"), "").unwrap();
    let absolute = format!("{}/check.sh --fast", root.display());
    let through = format!("sh {}/way/hooks/guard.sh", dir.path().canonicalize().unwrap().display());
    let many =
        format!("ls {}; cd hooks && ./guard.sh", (0..20).map(|number| format!("d{number} ")).collect::<String>());
    let cases = [
        ("./check.sh", "check.sh"),
        ("sh check.sh>/dev/null 2>&1", "check.sh"),
        (&absolute, "check.sh"),
        ("$CLAUDE_PROJECT_DIR/hooks/guard.sh", "hooks/guard.sh"),
        ("\"${CLAUDE_PROJECT_DIR}\"/hooks/guard.sh", "hooks/guard.sh"),
        ("\"${CLAUDE_PROJECT_DIR:-.}\"/hooks/guard.sh", "hooks/guard.sh"),
        ("sh \"$(git rev-parse --show-toplevel)/hooks/guard.sh\"", "hooks/guard.sh"),
        ("bash -c '. lib/a.py; x=$(hooks/guard.sh)'", "hooks/guard.sh lib/a.py"),
        ("cd hooks && ./guard.sh", "hooks/guard.sh"),
        ("cd hooks && cd .. && ./check.sh", "check.sh"),
        ("cd hooks/lib && cd .. && sh guard.sh", "hooks/guard.sh"),
        ("grep -f 'hooks/my rules.txt'", "hooks/my rules.txt"),
        ("grep -f hooks/my\\ rules.txt", "hooks/my rules.txt"),
        ("node --check < .claude/x.js", ".claude/x.js"),
        ("hooks/../check.sh", "check.sh"),
        ("/bin/true", ""),
        ("jq .", ""),
        ("", ""),
        // Patterns, braces, and loops over them.
        ("sh hooks/g*.sh", "hooks/guard.sh"),
        ("sh hooks/guar?.sh", "hooks/guard.sh"),
        ("sh hooks/guar[d].sh", "hooks/guard.sh"),
        ("sh h*/guard.sh", "hooks/guard.sh"),
        ("bash hooks/{guard,nothing}.sh", "hooks/guard.sh"),
        ("for f in hooks/gu*.sh; do sh $f; done", "hooks/guard.sh"),
        ("for f in guard inner; do sh \"hooks/$f.sh\" || exit 2; done", "hooks/guard.sh hooks/inner.sh"),
        // Quotes and escapes inside words.
        ("sh hooks/gu''ard.sh", "hooks/guard.sh"),
        ("sh hooks/gu\"a\"rd.s\\h", "hooks/guard.sh"),
        ("sh $'hooks/\\x67uard.sh'", "hooks/guard.sh"),
        ("sh $'hooks/\\147\\u0075ard.sh'", "hooks/guard.sh"),
        ("sh hooks/gua\\\nrd.sh", "hooks/guard.sh"),
        // Variables that the text sets.
        ("X=guard; sh hooks/$X.sh", "hooks/guard.sh"),
        ("D=hooks F=guard.sh; sh ${D}/${F}", "hooks/guard.sh"),
        ("export G=hooks/guard.sh && exec sh \"$G\"", "hooks/guard.sh"),
        // Names with special characters.
        ("sh hooks/a,b.sh", "hooks/a,b.sh"),
        ("sh hooks/a:b.sh", "hooks/a:b.sh"),
        ("sh hooks/a@b.sh", "hooks/a@b.sh"),
        ("sh hooks/n\u{e4}me.sh", "hooks/n\u{e4}me.sh"),
        (&through, &format!("{}/way/hooks/guard.sh", dir.path().canonicalize().unwrap().display())),
        (&many, "hooks/guard.sh"),
        // Files that a program includes.
        ("awk -fhooks/guard.awk", "hooks/guard.awk"),
        ("awk -f hooks/guard.awk", "hooks/guard.awk"),
        ("python3 hooks/guard.py", "hooks/guard.py hooks/lib/words.py"),
        ("cd hooks && python3 -c 'import guard'", "hooks/guard.py hooks/lib/words.py"),
        ("perl hooks/guard.pl", "hooks/guard.pl hooks/words.pl"),
        ("node hooks/index.js", "hooks/index.js hooks/rules.js"),
        ("sh hooks/outer.sh", "check.sh hooks/inner.sh hooks/outer.sh"),
        ("sh -ec 'sh \"hooks/guard.sh\"'", "hooks/guard.sh"),
        ("timeout 5 env A=b sh hooks/guard.sh", "hooks/guard.sh"),
        ("eval 'sh hooks/guard.sh'", "hooks/guard.sh"),
        ("eval sh hooks/gu\"\"ard.sh", "hooks/guard.sh"),
        ("sh < hooks/guard.sh", "hooks/guard.sh"),
        ("sh <<'END'\nsh hooks/gu''ard.sh\nEND\n", "hooks/guard.sh"),
        ("bash <<< 'sh hooks/guar?.sh'", "hooks/guard.sh"),
        ("zsh -c 'sh **/guard.sh'", "hooks/guard.sh"),
        ("if [ -t 0 ]; then sh hooks/guard.sh; else ./check.sh; fi", "check.sh hooks/guard.sh"),
        ("case \"$1\" in a|b) sh hooks/guard.sh ;; *) ./check.sh ;; esac", "check.sh hooks/guard.sh"),
        ("f() { sh hooks/guard.sh; }; f", "hooks/guard.sh"),
        ("bash -euo pipefail -c 'sh hooks/g*.sh'", "hooks/guard.sh"),
        ("curl -Khooks/log.txt x", "hooks/log.txt"),
        ("hooks/reads.sh", "hooks/my rules.txt hooks/reads.sh"),
        // What the line itself says, though not in one place.
        ("cd \"$(dirname hooks/guard.sh)\" && ./guard.sh", "hooks/guard.sh"),
        ("F=$(printf hooks/guard.sh); sh $F", "hooks/guard.sh"),
        ("F=$(printf hooks/guard.sh); . \"$F\"", "hooks/guard.sh"),
        ("$(printf sh) hooks/guard.sh", "hooks/guard.sh"),
        ("`printf sh` hooks/guard.sh", "hooks/guard.sh"),
        ("sh hooks/guard.{s..s}h", "hooks/guard.sh"),
        ("env -S 'sh hooks/guard.sh'", "hooks/guard.sh"),
        ("bash <<< $'sh hooks/guar?.sh'", "hooks/guard.sh"),
        ("printf 'sh hooks/guar?.sh' | bash -s", "hooks/guard.sh"),
        ("/opt/python/bin/python3 hooks/guard.py", "hooks/guard.py hooks/lib/words.py"),
    ];
    let wrong = cases
        .iter()
        .filter(|(text, wanted)| list_references(&shell_command(text), &root) != ((*wanted).to_owned(), Vec::new()));
    let wrong: Vec<String> =
        wrong.map(|(text, _)| format!("{text} -> {:?}", list_references(&shell_command(text), &root))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(list_references(&shell_command("sh ../outside.sh"), &root).0, "");
    let exec = |arguments: &[&str]| CommandSpec {
        command: String::from("/usr/bin/python3"),
        arguments: Some(arguments.iter().map(|text| (*text).to_owned()).collect()),
        ..CommandSpec::default()
    };
    assert_eq!(
        list_references(&exec(&["lib/a.py", "hooks/my rules.txt"]), &root),
        (String::from("hooks/my rules.txt lib/a.py"), vec![])
    );
    let environment = vec![(String::from("GUARD"), String::from("hooks/guard.sh"))];
    let by_variable = CommandSpec { environment, ..shell_command("sh $GUARD") };
    assert_eq!(list_references(&by_variable, &root), (String::from("hooks/guard.sh"), vec![]));
    let below = CommandSpec { directory: Some(String::from("${ROOT}/hooks")), ..shell_command("./guard.sh") };
    assert_eq!(list_references(&below, &root).0, "hooks/guard.sh");
    let own = root.join(".claude/settings.json");
    let beside = referenced_files(&shell_command("./x.js"), Some(&own), &root).files;
    assert_eq!(beside.into_iter().collect::<Vec<_>>(), [root.join(".claude/x.js")]);
}

#[test]
fn what_cannot_be_found_from_the_text_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let root = create_project(dir.path());
    let cases = [
        ("make guard", "the command does not say which files it runs"),
        ("npm run guard", "the command does not say which files it runs"),
        ("run-parts hooks", "the command does not say which files it runs"),
        ("find hooks -name '*.sh' -exec sh {} \\;", "the command does not say which files it runs"),
        ("ls hooks/*.sh | xargs -n1 sh", "the command does not say which files it runs"),
        ("timeout 5 make -s guard", "the command does not say which files it runs"),
        ("sh -c 'make guard'", "the command does not say which files it runs"),
        ("cat x | sh -c \"$(printf 'make guard')\"", "the command does not say which files it runs"),
        ("python3 -m guard", "it loads files that the command does not name"),
        ("python3.12 -m guard", "it loads files that the command does not name"),
        ("python3 hooks", "it runs files from a directory"),
        ("node ./hooks", "it runs files from a directory"),
        ("node -r ./hooks/rules.js -e 1", "it loads files that the command does not name"),
        ("perl -Ihooks -MGuard -e 1", "it loads files that the command does not name"),
        ("python3 -c 'exec(open(\"hooks/guard.py\").read())'", "it may run or include other files"),
        ("awk '@include \"x\"'", "it may run or include other files"),
        ("PYTHONPATH=hooks python3 lib/a.py", "programs load files from there"),
        ("PATH=hooks:$PATH guard.sh", "programs load files from there"),
        ("export BASH_ENV=hooks/guard.sh; bash check.sh", "programs load files from there"),
        ("sh hooks/$X.sh", "known only when it runs"),
        ("sh \"$X/guard.sh\"", "known only when it runs"),
        ("sh ${X:-hooks}/guard.sh", "known only when it runs"),
        ("eval \"sh $X\"", "known only when it runs"),
        ("cat hooks/guard.sh | sh", "it runs code from its standard input"),
        ("cat hooks/guard.py | python3 -", "it runs code from its standard input"),
        ("mytool check", "the program may read or run other files"),
        ("bash -euo pipefail -c 'make guard'", "the command does not say which files it runs"),
        ("python3 -Im guard", "it loads files that the command does not name"),
        ("perl -ne 'system $ENV{X}' x", "it may run or include other files"),
        (". <(cat hooks/guard.sh)", "it runs code from its standard input"),
        ("bash <(cat hooks/guard.sh)", "it runs code from its standard input"),
        ("jq 'include \"rules\"; .' -L hooks", "it loads files that the command does not name"),
        ("/opt/tools/guard --strict", "the program may read or run other files"),
        ("echo 'sh check.sh' > /tmp/x; sh /tmp/x", "it is outside the project"),
        ("while read f; do sh $f; done < list", "`sh $f`: known only when it runs"),
        ("git diff --check", "the command does not say which files it runs"),
    ];
    let of = |text: &str| list_references(&shell_command(text), &root).1;
    let wrong = cases.iter().filter(|(text, wanted)| !of(text).iter().any(|line| line.ends_with(wanted)));
    let wrong: Vec<String> = wrong.map(|(text, _)| format!("{text} -> {:?}", of(text))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (inner, wanted) in [
        (". \"$LIB\"\n", "in `hooks/inner.sh`: `. \"$LIB\"`: known only when it runs"),
        (
            "x() {\n  make guard\n}\nx\n",
            "in `hooks/inner.sh`: `make guard`: the command does not say which files it runs",
        ),
    ] {
        fs::write(root.join("hooks/inner.sh"), inner).unwrap();
        assert_eq!(of("sh hooks/outer.sh"), [wanted]);
    }
}

#[test]
fn what_a_command_only_writes_it_does_not_run() {
    let dir = tempfile::tempdir().unwrap();
    let root = create_project(dir.path());
    let cases = [
        "cat >> audit.log; exit 0",
        "cat >>audit.log",
        "jq -c . > audit.log",
        "cat >| \"audit.log\"",
        "cat >> \"$CLAUDE_PROJECT_DIR\"/audit.log",
        "cat >> \"$CLAUDE_PROJECT_DIR/audit.log\"",
        "exec >>audit.log 2>&1; cat",
        "echo x 2>audit.log",
        "echo x &> audit.log",
        "jq . | tee -a audit.log",
        "jq . | tee -a 'audit.log' >/dev/null",
        "sh -c 'cat >> audit.log'",
        "sh -c \"cat >> audit.log\"",
        "{ date; cat; } >> audit.log",
        "if true; then cat >> audit.log; fi",
        "touch audit.log; cat >> audit.log",
        "flock audit.log sh -c 'cat >> audit.log'",
        "x=$(cat); printf '%s\\n' \"$x\" >> audit.log",
        "sqlite3 audit.log 'insert into t values (1)'",
        "[[ -s audit.log ]] || true > audit.log",
        "cat <<END >> audit.log\n$(date) said\nEND\n",
    ];
    let wrong = cases.iter().filter(|text| list_references(&shell_command(text), &root) != (String::new(), vec![]));
    let wrong: Vec<String> =
        wrong.map(|text| format!("{text} -> {:?}", list_references(&shell_command(text), &root))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // A file that is read and written is data, which is reported.
    let (files, not_covered) = list_references(&shell_command("n=$(cat count); echo $((n+1)) > count"), &root);
    assert_eq!((files.as_str(), not_covered), ("", vec![String::from("`count`: it also writes to that file")]));
    // A missing program must not be created.
    assert_eq!(
        referenced_files(&shell_command("sh hooks/gone.sh"), None, &root).missing_programs,
        BTreeSet::from([root.join("hooks/gone.sh")])
    );
    // A file that runs is bound, even if the command writes it.
    for text in ["cat > check.sh; sh check.sh", "cat >> check.sh; . ./check.sh", "cp x check.sh; ./check.sh"] {
        assert_eq!(list_references(&shell_command(text), &root).0, "check.sh", "{text}");
    }
}

#[test]
fn files_that_an_author_lists_are_bound() {
    let dir = tempfile::tempdir().unwrap();
    let root = create_project(dir.path());
    let listed = |globs: &[&str]| {
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        let files = listed_files(&globs, None, &root).files;
        files.iter().map(|file| file.strip_prefix(&root).unwrap().display().to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(listed(&["Makefile", "lib"]), "Makefile lib/a.py");
    assert_eq!(listed(&["hooks/*.py", "hooks/lib/*"]), "hooks/guard.py hooks/lib/words.py");
    assert_eq!(listed(&["nothing", "../outside"]), "");
}

#[test]
fn each_command_of_the_list_names_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let root = create_project(dir.path());
    let rows = include_str!("commands.txt").lines().filter(|row| !row.starts_with('#'));
    let mut wrong = Vec::new();
    for (wanted, line) in rows.map(|row| row.split_once("| ").expect(row)) {
        let (files, not_covered) = list_references(&shell_command(&line.replace('⏎', "\n")), &root);
        let found = if not_covered.is_empty() { files } else { format!("{files} ?") };
        if found.trim() != wanted.trim() {
            wrong.push(format!("{found} | {line} {not_covered:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
