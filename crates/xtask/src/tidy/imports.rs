//! The imports between the files of a crate, read from their text.
//!
//! An arrow leads to the file that declares a name, not to the one that re-exports it. A module that is imported as a whole
//! gets arrows for the names that are used from it.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::code::{has_word, shipped_lines};

/// The files that each file imports from.
pub(super) type ImportGraph<'w> = BTreeMap<&'w str, BTreeSet<&'w str>>;

/// A path as segments, from the root of the crate.
type ModulePath = Vec<String>;

/// The modules of one crate that have a file.
struct CrateModules<'w>(BTreeMap<ModulePath, SourceModule<'w>>);

struct SourceModule<'w> {
    file: &'w str,
    /// Its shipped text, without its imports.
    code: String,
    /// The imported names, with their paths as written.
    names: BTreeMap<String, ModulePath>,
    /// The paths of which everything is imported, as written.
    globs: Vec<ModulePath>,
}

/// How many re-exports of a name are followed.
const MAX_REEXPORTS: usize = 8;

/// The imports between the files of one crate. A file's name starts at the root of the crate's sources.
pub(super) fn read_imports<'w>(files: impl IntoIterator<Item = (&'w str, &'w str, &'w str)>) -> ImportGraph<'w> {
    let modules = files.into_iter().map(|(file, name, text)| (module_path(name), parse_module(file, text)));
    let modules = CrateModules(modules.collect());
    let mut graph = ImportGraph::new();
    for (path, module) in &modules.0 {
        let imported = module.names.values().chain(&module.globs).cloned();
        let used = qualified_paths(&module.code).map(|used| module.expand(used));
        let targets = imported.chain(used).filter_map(|used| modules.find_file(path, &used, 0));
        graph.entry(module.file).or_default().extend(targets.filter(|target| *target != module.file));
    }
    graph
}

/// The path of the module in a file such as `a/b.rs` or `a/mod.rs`.
fn module_path(name: &str) -> ModulePath {
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let mut path: ModulePath = stem.split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        path.pop();
    }
    path
}

fn parse_module<'w>(file: &'w str, text: &str) -> SourceModule<'w> {
    let mut module = SourceModule { file, code: String::new(), names: BTreeMap::new(), globs: Vec::new() };
    let mut import: Option<String> = None;
    for (_, line) in shipped_lines(text) {
        let starts = ["use ", "pub use ", "pub(crate) use ", "pub(super) use "];
        let begun = starts.iter().find_map(|start| line.trim_start().strip_prefix(start));
        match (&mut import, begun) {
            (Some(import), _) => import.push_str(line),
            (None, Some(begun)) => import = Some(begun.to_owned()),
            (None, None) => {
                module.code.push_str(line);
                module.code.push('\n');
            }
        }
        if let Some(tree) = import.as_ref().and_then(|import| import.trim_end().strip_suffix(';')) {
            module.add_import(&[], tree);
            import = None;
        }
    }
    module
}

impl SourceModule<'_> {
    /// Adds the leaves of a `use` tree below a path.
    fn add_import(&mut self, prefix: &[String], tree: &str) {
        let tree = tree.trim();
        if let Some((head, group)) = tree.split_once('{') {
            let prefix: ModulePath = prefix.iter().cloned().chain(segments(head)).collect();
            for branch in split_group(group.trim_end().strip_suffix('}').unwrap_or(group)) {
                self.add_import(&prefix, branch);
            }
            return;
        }
        let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
        let mut path: ModulePath = prefix.iter().cloned().chain(segments(path)).collect();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        match path.last().map(String::as_str) {
            Some("*") => {
                path.pop();
                self.globs.push(path);
            }
            Some(last) => drop(self.names.insert(alias.unwrap_or(last).to_owned(), path)),
            None => {}
        }
    }

    /// A path with its first segment replaced by what was imported under that name.
    fn expand(&self, path: ModulePath) -> ModulePath {
        match path.first().and_then(|first| self.names.get(first)) {
            Some(imported) => imported.iter().cloned().chain(path.into_iter().skip(1)).collect(),
            None => path,
        }
    }

    fn declares(&self, name: &str) -> bool {
        let kinds = ["struct", "enum", "trait", "fn", "type", "const", "static", "macro_rules!", "union"];
        kinds.iter().any(|kind| has_word(&self.code, &format!("{kind} {name}")))
    }
}

impl<'w> CrateModules<'w> {
    /// The file that declares what a path in a module refers to; `None` for a whole module or another crate.
    fn find_file(&self, from: &[String], path: &[String], depth: usize) -> Option<&'w str> {
        let path = self.to_absolute(from, path)?;
        let length =
            (0..=path.len()).rev().find(|length| self.0.contains_key(path.get(..*length).unwrap_or_default()))?;
        let (module_path, rest) = path.split_at(length);
        let (module, name) = (self.0.get(module_path)?, rest.first()?);
        if depth == MAX_REEXPORTS || module.declares(name) {
            return Some(module.file);
        }
        if let Some(path) = module.names.get(name) {
            return self.find_file(module_path, path, depth + 1);
        }
        let below = |glob: &ModulePath| glob.iter().chain([name]).cloned().collect::<ModulePath>();
        let found = module.globs.iter().find_map(|glob| self.find_file(module_path, &below(glob), depth + 1));
        found.or(Some(module.file))
    }

    /// A path from the root of the crate; `None` if it leads to another crate.
    fn to_absolute(&self, from: &[String], path: &[String]) -> Option<ModulePath> {
        let first = path.first()?.as_str();
        let rest = || path.iter().skip(1).cloned();
        match first {
            "crate" => Some(rest().collect()),
            "self" => Some(from.iter().cloned().chain(rest()).collect()),
            "super" => {
                let levels = path.iter().take_while(|segment| *segment == "super").count();
                let parent = from.get(..from.len().checked_sub(levels)?)?;
                Some(parent.iter().chain(path.iter().skip(levels)).cloned().collect())
            }
            _ => {
                let child: ModulePath = from.iter().chain(path.first()).cloned().collect();
                self.0.contains_key(&child).then(|| child.into_iter().chain(rest()).collect())
            }
        }
    }
}

fn segments(path: &str) -> impl Iterator<Item = String> {
    path.split("::").map(|segment| segment.trim().to_owned()).filter(|segment| !segment.is_empty())
}

/// The branches of a group, which may contain groups.
fn split_group(group: &str) -> Vec<&str> {
    let (mut branches, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (index, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                branches.extend(group.get(start..index));
                start = index + 1;
            }
            _ => {}
        }
    }
    branches.extend(group.get(start..));
    branches.retain(|branch| !branch.trim().is_empty());
    branches
}

/// The paths of more than one segment in a text.
fn qualified_paths(code: &str) -> impl Iterator<Item = ModulePath> {
    let words = code.split(|character: char| !(character.is_alphanumeric() || character == '_' || character == ':'));
    words
        .filter(|word| word.contains("::"))
        .map(|word| segments(word).collect())
        .filter(|path: &ModulePath| path.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports_of(files: &[(&'static str, &'static str)]) -> Vec<String> {
        let graph = read_imports(files.iter().map(|(name, text)| (*name, *name, *text)));
        graph
            .into_iter()
            .flat_map(|(file, targets)| targets.into_iter().map(move |to| format!("{file} -> {to}")))
            .collect()
    }

    #[test]
    fn arrows_lead_to_the_file_that_declares_a_name() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\npub use a::*;\nuse std::fmt;\n"),
            ("a/mod.rs", "mod deep;\npub(crate) use deep::{Deep as Low, dig};\npub struct Top;\n"),
            ("a/deep.rs", "use super::Top;\npub struct Deep;\npub fn dig() {}\n"),
            (
                "b.rs",
                "use crate::{\n    Top,\n    a::{self, Low},\n};\nfn b() { a::dig(); }\n#[cfg(test)]\nmod tests { use crate::c::C; }\n",
            ),
            ("c.rs", "use crate::b;\nfn c() { crate::a::Top; }\n"),
        ];
        let expected = [
            "a/deep.rs -> a/mod.rs",
            "a/mod.rs -> a/deep.rs",
            "b.rs -> a/deep.rs",
            "b.rs -> a/mod.rs",
            "c.rs -> a/mod.rs",
        ];
        let found: Vec<String> = imports_of(&files).into_iter().filter(|arrow| !arrow.starts_with("lib.rs")).collect();
        assert_eq!(found, expected);
    }
}
