use pintle_contract::HandlerSpec;

use super::{FakeProgramLookup, findings, load_settings};

/// The command of a script, as words, and the codes and help of the diagnostics.
fn start_command(path: &str, text: &str, is_executable: bool, programs: &[&'static str]) -> (String, Vec<String>) {
    let machine = FakeProgramLookup::with_programs(programs).file(path, text, is_executable);
    let project = load_settings(&format!("{{\"hooks\": {{\"Stop\": [{{\"path\": \"{path}\"}}]}}}}"), Some(&machine));
    let HandlerSpec::Command(spec) = &project.hooks[0].handler else { panic!("no command") };
    let words: Vec<&str> =
        spec.arguments.iter().flatten().map(String::as_str).filter(|word| !word.contains('\n')).collect();
    let found = project.diagnostics.iter().filter(|diagnostic| diagnostic.code != "header");
    let told = found.map(|diagnostic| {
        format!("{}: {} -> {}", diagnostic.code, diagnostic.message, diagnostic.help.as_deref().unwrap_or_default())
    });
    let told = told.map(|line| line.replace("/framework/", "")).collect();
    (format!("{} {}", spec.command, words.join(" ")).trim_end().replace("/framework/", ""), told)
}

const BUN: &str = "#!/usr/bin/env bun\nconst x = 1;\n";

#[test]
fn executable_runs_directly_and_script_runs_with_its_interpreter() {
    let nothing: [&str; 0] = [];
    assert_eq!(start_command("a.ts", BUN, true, &["bun"]), (String::from("a.ts"), nothing.map(String::from).to_vec()));
    assert_eq!(start_command("a.sh", "#!/bin/sh\n", true, &[]), (String::from("a.sh"), Vec::new()));
    assert_eq!(start_command("a.bin", "\u{7f}ELF\0\0", true, &[]), (String::from("a.bin"), Vec::new()));
}

#[test]
fn non_executable_script_still_runs_and_the_fix_is_reported() {
    let mend = |path: &str| vec![format!("not_executable: `{path}` is not executable -> run `chmod +x {path}`")];
    assert_eq!(start_command("a.ts", BUN, false, &["bun"]), (String::from("bun a.ts"), mend("a.ts")));
    assert_eq!(start_command("a.sh", "#!/bin/sh -eu\n", false, &[]), (String::from("/bin/sh -eu a.sh"), mend("a.sh")));
    assert_eq!(
        start_command("a.py", "#!/usr/bin/env -S python3 -I\n", false, &["python3"]),
        (String::from("python3 -I a.py"), mend("a.py"))
    );
    assert_eq!(start_command("a.bin", "\0", false, &[]), (String::from("a.bin"), mend("a.bin")));
}

#[test]
fn node_serves_for_bun_and_without_either_it_is_said_what_to_install() {
    let install = "install bun (`npm install -g bun`, or https://bun.sh), or node 22.18 or newer";
    let (words, told) = start_command("a.ts", BUN, true, &["node"]);
    assert_eq!(words, "node --no-warnings --input-type=module --eval a.ts");
    assert_eq!(
        told,
        [format!(
            "node_instead: `bun`, which runs `a.ts`, is not installed; `node` runs it, which below version 22.13 reads \
             plain JavaScript only -> {install}"
        )]
    );
    let (words, told) = start_command("a.ts", BUN, true, &[]);
    assert_eq!(words, "a.ts");
    assert_eq!(
        told,
        [format!(
            "no_interpreter: `bun`, which runs `a.ts`, is not installed; the hook fails without blocking the event -> {install}"
        )]
    );
    let (words, told) = start_command("a.rb", "#!/usr/bin/env ruby\n", true, &["node"]);
    assert_eq!(words, "a.rb");
    assert_eq!(
        told,
        ["no_interpreter: `ruby`, which runs `a.rb`, is not installed; the hook fails without blocking the event -> \
          install `ruby`, or name another program in the first line"]
    );
}

#[test]
fn a_script_without_a_first_line_is_run_by_its_ending() {
    let runs = |path: &str, program: &str| {
        format!(
            "no_first_line: `{path}` does not name its interpreter in the first line; it is run with `{program}` -> start it with a line such as `#!/usr/bin/env bun`"
        )
    };
    for (path, programs, wanted, program) in [
        ("a.ts", &["bun", "node"][..], "bun a.ts", "bun"),
        ("a.ts", &["node"][..], "node --no-warnings --input-type=module --eval a.ts", "node"),
        ("a.sh", &[][..], "/bin/sh a.sh", "/bin/sh"),
        ("a.py", &[][..], "python3 a.py", "python3"),
    ] {
        assert_eq!(
            start_command(path, "text", true, programs),
            (wanted.to_owned(), vec![runs(path, program)]),
            "{path}"
        );
    }
    let (words, told) = start_command("a.txt", "text", true, &[]);
    assert_eq!((words.as_str(), told.len()), ("a.txt", 1));
}

#[test]
fn a_script_that_is_not_there_is_a_warning_at_its_place() {
    let text = r#"{"hooks": {"Stop": [{"path": "hooks/Gone.ts"}, {"path": "hooks/folder"}]}}"#;
    let project = load_settings(text, Some(&FakeProgramLookup::default()));
    assert_eq!(
        findings(&project),
        [
            "settings.json:1:30: warning: cannot find the file `hooks/Gone.ts`; the hook fails without blocking the event \
             (the path is relative to the directory of this file, which is `/framework`)",
            "settings.json:1:57: warning: not a file: `hooks/folder`; the hook fails without blocking the event \
             (the path is relative to the directory of this file, which is `/framework`)",
        ]
    );
    assert_eq!(project.hooks.len(), 2);
}
