//! `add_prompt_files`: adds instructions from files.

use std::path::{Path, PathBuf};

use pintle_contract::{Effect, Verdict};

use super::excerpt::first_bytes;
use super::{BuiltinCall, BuiltinHook, BuiltinResult};

/// The most bytes of one file that are added; docker-agent has no limit.
const MOST_FILE_BYTES: usize = 256 << 10;
/// The most directories that are searched for deeper files.
const MOST_DIRECTORIES: usize = 2_000;

/// Adds the content of the named files to the context: the nearest in or above the working directory and the one in the
/// home directory.
#[derive(Debug)]
struct AddPromptFiles {
    names: Vec<String>,
    /// The number of levels below the working directory that are searched for more files, which are only listed.
    depth: usize,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    let mut found = AddPromptFiles { names: Vec::new(), depth: 0 };
    for argument in arguments {
        match argument.strip_prefix("--depth=") {
            None => found.names.push(argument.clone()),
            Some(depth) => match depth.parse() {
                Ok(depth) => found.depth = depth,
                Err(_) => doubts.push(format!("`{argument}` is ignored because it does not contain an integer")),
            },
        }
    }
    if found.names.is_empty() {
        doubts.push(String::from("no file is named, so nothing is added to the context"));
    }
    Ok(Box::new(found))
}

impl BuiltinHook for AddPromptFiles {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        match call.working_dir() {
            Some(directory) => self.read_prompt_files(&directory, std::env::home_dir().as_deref()),
            None => Verdict::pass(),
        }
    }
}

impl AddPromptFiles {
    fn read_prompt_files(&self, directory: &Path, home: Option<&Path>) -> Verdict {
        let mut verdict = Verdict::pass();
        let mut told: Vec<PathBuf> = Vec::new();
        for name in &self.names {
            for path in find_prompt_files(directory, home, name) {
                match pintle_files::read_head(&path, MOST_FILE_BYTES as u64 + 4) {
                    Ok(bytes) => {
                        let text = String::from_utf8_lossy(&bytes);
                        let part = first_bytes(&text, MOST_FILE_BYTES);
                        if part.len() < text.len() {
                            let shown = path.display();
                            verdict =
                                verdict.with_warning(format!("`{shown}` is truncated after {MOST_FILE_BYTES} bytes"));
                        }
                        let text = format!("Instructions from: {}\n{part}", path.display());
                        verdict = verdict.with_effect(Effect::Context(text));
                    }
                    Err(error) => verdict = verdict.with_warning(format!("cannot read `{}`: {error}", path.display())),
                }
                told.push(path);
            }
        }
        let deeper = self.find_deeper_files(directory, &told);
        if !deeper.is_empty() {
            let paths: Vec<String> = deeper.iter().map(|path| format!("- {}", path.display())).collect();
            let text = format!(
                "More instructions for parts of {}; read the file before working in its directory or below:\n{}",
                directory.display(),
                paths.join("\n")
            );
            verdict = verdict.with_effect(Effect::Context(text));
        }
        verdict
    }

    /// Files of the same names below the directory that were not added, in order.
    fn find_deeper_files(&self, directory: &Path, known: &[PathBuf]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = vec![(directory.to_owned(), 0)];
        let mut seen = 0;
        while let Some((directory, level)) = open.pop() {
            seen += 1;
            if level >= self.depth || seen > MOST_DIRECTORIES {
                continue;
            }
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                let name = entry.file_name();
                // Links are not followed, so that the search ends.
                let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if !is_directory || name.to_string_lossy().starts_with('.') || name == "node_modules" {
                    continue;
                }
                let below = self.names.iter().map(|name| entry.path().join(name));
                found.extend(below.filter(|path| path.is_file() && !known.contains(path)));
                open.push((entry.path(), level + 1));
            }
        }
        found.sort_unstable();
        found
    }
}

/// The nearest file of this name in the directory or above it, then the one in the home directory if it is another
/// file.
fn find_prompt_files(directory: &Path, home: Option<&Path>, name: &str) -> Vec<PathBuf> {
    let nearest = directory.ancestors().map(|above| above.join(name)).find(|path| path.is_file());
    let at_home = home.map(|home| home.join(name)).filter(|path| path.is_file() && nearest.as_ref() != Some(path));
    nearest.into_iter().chain(at_home).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, write};

    use super::*;

    #[test]
    fn the_nearest_file_and_the_one_at_home_are_told_and_deeper_ones_listed() {
        let root = tempfile::tempdir().unwrap();
        let (home, work) = (root.path().join("home"), root.path().join("a/b"));
        create_dir_all(&home).unwrap();
        create_dir_all(work.join("sub/deep")).unwrap();
        for (path, text) in [("home/P.md", "home"), ("a/P.md", "above"), ("P.md", "far"), ("a/b/sub/deep/P.md", "deep")]
        {
            write(root.path().join(path), text).unwrap();
        }
        let told = |names: &[&str], depth: usize| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            AddPromptFiles { names, depth }.read_prompt_files(&work, Some(&home))
        };
        let file = |path: &str, text: &str| {
            Effect::Context(format!("Instructions from: {}\n{text}", root.path().join(path).display()))
        };
        let both = vec![file("a/P.md", "above"), file("home/P.md", "home")];
        assert_eq!(told(&["P.md"], 0).effects, both);
        assert_eq!(told(&["P.md"], 1).effects, both);
        assert_eq!(told(&["nope.md"], 0), Verdict::pass());
        let listed = told(&["P.md"], 2).effects;
        let [_, _, Effect::Context(list)] = listed.as_slice() else { panic!("{listed:?}") };
        assert!(list.ends_with(&format!(":\n- {}", work.join("sub/deep/P.md").display())), "{list}");
    }

    #[test]
    fn a_large_file_is_cut_between_characters_and_says_so() {
        let root = tempfile::tempdir().unwrap();
        write(root.path().join("P.md"), "é".repeat(MOST_FILE_BYTES)).unwrap();
        let file = AddPromptFiles { names: vec![String::from("P.md")], depth: 0 };
        let verdict = file.read_prompt_files(root.path(), None);
        let [Effect::Context(text)] = verdict.effects.as_slice() else { panic!("{verdict:?}") };
        assert!(text.ends_with("éé") && text.len() < MOST_FILE_BYTES + 500);
        assert_eq!(verdict.warnings.len(), 1);
    }
}
