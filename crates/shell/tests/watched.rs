//! What a caller that watches files learns of a command line.

use std::path::{Path, PathBuf};

use pintle_shell::{CallSite, CommandReading, OperationKind, WatchedFile, WatchedFiles, read_shell_call};
use serde_json::json;

const PROJECT: &str = "/home/ana/shop";
/// What is watched, with the directories on the way.
const FILES: [(&str, bool); 6] =
    [("", true), (".h", true), (".h/hooks", true), (".h/hooks/a.md", false), ("src", true), ("src/B.sh", false)];

struct FewFiles;

impl WatchedFiles for FewFiles {
    fn concerns(&self, path: &Path) -> bool {
        FILES.iter().any(|(file, _)| Path::new(PROJECT).join(file).starts_with(path))
    }

    fn find_below(&self, dir: &Path) -> Vec<WatchedFile> {
        let dir: PathBuf = dir.components().collect();
        let all = FILES.iter().map(|(file, is_dir)| (Path::new(PROJECT).join(file), *is_dir));
        all.filter_map(|(path, is_dir)| {
            let within = path.strip_prefix(&dir).ok()?.to_owned();
            Some(WatchedFile { path, within, is_dir, is_empty: false })
        })
        .collect()
    }
}

fn read(command: &str) -> CommandReading {
    let project = Path::new(PROJECT);
    let site = CallSite::new(project, project).with_home(Some(Path::new("/home/ana")));
    read_shell_call("Bash", &json!({"command": command}), &site, &FewFiles)
}

/// The watched files that a line deletes, by their last names.
fn deleted(command: &str) -> Vec<String> {
    let deletes = read(command).operations.into_iter().filter(|operation| operation.kind == OperationKind::Delete);
    let paths = deletes.filter_map(|operation| operation.path);
    let names = paths.filter_map(|path| Some(Path::new(&path).file_name()?.to_str()?.to_owned()));
    names.collect()
}

#[test]
fn a_search_finds_what_its_expression_selects() {
    let rows: &[(&str, &[&str])] = &[
        ("find . -delete", &["shop", ".h", "hooks", "a.md", "src", "B.sh"]),
        ("find -type f -delete", &["a.md", "B.sh"]),
        ("find . -type d -exec rm -r {} +", &["shop", ".h", "hooks", "src"]),
        ("find src -name '*.sh' -delete", &["B.sh"]),
        ("find . -name '*.md' | xargs rm", &["a.md"]),
        // Case may count or not.
        ("find . -name 'b.sh' -delete", &["B.sh"]),
        ("find . -not -name 'b.sh' -type f -delete", &["a.md", "B.sh"]),
        ("find . -not -iname 'b.sh' -type f -delete", &["a.md"]),
        ("find . -name '*.[mt]d' -delete", &["a.md"]),
        ("find . ! -name '*.[mt]d' -type f -delete", &["a.md", "B.sh"]),
        ("find . -path './.h/*' -type f -delete", &["a.md"]),
        ("find \"$PWD\" -path '*/src/*' -delete", &["B.sh"]),
        ("find . \\( -name x -o -name '*.sh' \\) -delete", &["B.sh"]),
        ("find . -name x -o -name '*.sh' -delete", &["B.sh"]),
        ("find . -name x , -name '*.sh' -delete", &["B.sh"]),
        ("find . \\( -name x -o -name y \\) -delete", &[]),
        ("find . ! \\( -name '*.sh' -o -type d \\) -delete", &["a.md"]),
        ("find . -maxdepth 2 -type f -delete", &["B.sh"]),
        ("find . -mindepth 3 -delete", &["a.md"]),
        ("find . -empty -delete", &[]),
        ("find . -newer x -type f -delete", &["a.md", "B.sh"]),
        ("find . ! -mtime +3 -type f -delete", &["a.md", "B.sh"]),
        ("find . -path ./.h -prune -o -type f -exec rm {} \\;", &["B.sh"]),
        ("find . -newer x -prune -o -type f -exec rm {} \\;", &["a.md", "B.sh"]),
        ("find . -depth -path ./.h -prune -o -type f -delete", &["a.md", "B.sh"]),
        ("find . -name .h -prune -o -name '*.md' -print | xargs rm", &[]),
        ("find . -name '*.sh' -exec test -x {} \\; -delete", &["B.sh"]),
        ("find . -type f -print -name x -delete", &[]),
        ("find . -regex '.*md' -delete", &["shop", ".h", "hooks", "a.md", "src", "B.sh"]),
        ("fd -e sh -x rm", &["B.sh"]),
        ("fd -e md -x rm", &[]),
        ("fd -H -e md -x rm", &["a.md"]),
        ("fd -u a.m . .h src -X rm -f", &[".h", "hooks", "a.md", "src", "B.sh"]),
        ("fd b -d 2 -x rm", &["B.sh"]),
    ];
    for (command, wanted) in rows {
        let mut found = deleted(command);
        found.dedup();
        assert_eq!(found, *wanted, "{command}");
    }
}

#[test]
fn directories_and_texts_are_told() {
    let reading = read("cd src && python3 -c 'print(1)'; cd ~/x; awk '{ print $1 }' a; awk '{ print > \"b\" }' a");
    let directories: Vec<&str> = reading.directories.iter().filter_map(|dir| dir.to_str()).collect();
    let wanted = ["/home/ana/shop", "/home/ana/shop/src", "/home/ana/x"];
    assert!(wanted.iter().all(|dir| directories.contains(dir)), "{directories:?}");
    assert_eq!(reading.texts, ["print(1)", "{ print > \"b\" }"]);
    assert!(!reading.is_cut);
    let line = format!("{}rm -rf .", "true; ".repeat(2000));
    assert!(read(&line).is_cut);
    let fault = read("rm -rf .; fi");
    assert!(!fault.is_cut && fault.texts == ["rm -rf .; fi"], "{fault:?}");
}
