//! Finds the files that a program's text includes: Python modules, and quoted names after `require` and the like.

use std::path::{Path, PathBuf};

/// Words of a line that includes another file.
const READS: [&str; 12] = [
    "require",
    "require_relative",
    "import",
    "include",
    "include_once",
    "require_once",
    "load",
    "dofile",
    "do",
    "use",
    "from",
    "source",
];
/// Words of a program that may run or include files that its text does not name.
const DYNAMIC: [&str; 18] = [
    "exec",
    "eval",
    "execfile",
    "importlib",
    "__import__",
    "runpy",
    "subprocess",
    "system",
    "popen",
    "spawn",
    "execSync",
    "child_process",
    "execvp",
    "spec_from_file_location",
    "open",
    "read_text",
    "readFileSync",
    "readFile",
];
/// How a Python program says from where modules are loaded.
const MODULE_PATHS: [&str; 3] = ["sys.path", "addsitedir", "__path__"];
/// The suffixes of a module's file after its name.
const ENDINGS: [&str; 14] = [
    "",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".json",
    ".rb",
    ".pl",
    ".pm",
    ".php",
    ".lua",
    "/index.js",
    "/index.mjs",
    "/index.ts",
];

/// The files that a text includes.
#[derive(Debug, Default)]
pub(super) struct IncludedFiles {
    /// Files that exist.
    pub(super) files: Vec<PathBuf>,
    /// Lines whose included files are unknown.
    pub(super) unknown_lines: Vec<String>,
}

/// The modules that a Python text imports and that exist as files. Modules of the standard library are not included.
pub(super) fn find_python_includes(text: &str, folders: &[PathBuf]) -> IncludedFiles {
    let mut found = IncludedFiles::default();
    let mut folders = folders.to_vec();
    for line in lines_of_python(text).filter(|line| MODULE_PATHS.iter().any(|word| line.contains(word))) {
        let quoted = line.split(['"', '\'']).skip(1).step_by(2);
        let named: Vec<PathBuf> = quoted
            .flat_map(|name| folders.iter().map(move |dir| dir.join(name)))
            .filter(|dir| pintle_files::is_dir(dir))
            .collect();
        // The directory of the program itself is known.
        if named.is_empty() && !line.contains("__file__") {
            found.unknown_lines.push(line.to_owned());
        }
        folders.extend(named);
    }
    let folders = &*folders;
    for line in lines_of_python(text) {
        if let Some(rest) = line.strip_prefix("import ") {
            for module in rest.split(',').filter_map(|module| module.split_whitespace().next()) {
                add_module_files(module, &[], folders, &mut found.files);
            }
        } else if let Some((module, names)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import")) {
            let names: Vec<&str> =
                names.split([',', '(', ')']).filter_map(|name| name.split_whitespace().next()).collect();
            add_module_files(module.trim(), &names, folders, &mut found.files);
        }
        if is_dynamic_line(line) {
            found.unknown_lines.push(line.to_owned());
        }
    }
    found
}

fn lines_of_python(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ';']).map(str::trim)
}

fn add_module_files(module: &str, names: &[&str], folders: &[PathBuf], files: &mut Vec<PathBuf>) {
    let ups = module.chars().take_while(|letter| *letter == '.').count();
    let below = module.trim_start_matches('.').replace('.', "/");
    for dir in folders {
        let dir = dir.ancestors().nth(ups.saturating_sub(1)).unwrap_or(dir);
        // Python also loads every parent package.
        for package in Path::new(&below).ancestors().filter(|package| !package.as_os_str().is_empty()) {
            let base = dir.join(package);
            files.extend(
                [base.with_extension("py"), base.join("__init__.py")]
                    .into_iter()
                    .filter(|file| pintle_files::is_file(file)),
            );
        }
        let names = names.iter().map(|name| dir.join(&below).join(name));
        files.extend(
            names
                .flat_map(|base| [base.with_extension("py"), base.join("__init__.py")])
                .filter(|file| pintle_files::is_file(file)),
        );
    }
}

/// The quoted files in the include lines of any other program.
pub(super) fn find_quoted_includes(text: &str, folders: &[PathBuf]) -> IncludedFiles {
    let mut found = IncludedFiles::default();
    for line in text.lines().map(str::trim) {
        let words = || line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        if is_dynamic_line(line) {
            found.unknown_lines.push(line.to_owned());
        }
        if !words().any(|word| READS.contains(&word)) {
            continue;
        }
        let quoted: Vec<&str> = line.split(['"', '\'', '`']).skip(1).step_by(2).collect();
        let modules = words().filter(|_| line.starts_with("use ")).map(str::to_owned);
        // `Foo::Bar` is `Foo/Bar.pm`.
        let modules = modules.chain(
            line.strip_prefix("use ").map(|rest| rest.split([' ', ';']).next().unwrap_or_default().replace("::", "/")),
        );
        for name in quoted.iter().map(|name| (*name).to_owned()).chain(modules).filter(|name| !name.is_empty()) {
            let named = folders.iter().flat_map(|dir| ENDINGS.iter().map(|ending| dir.join(format!("{name}{ending}"))));
            found.files.extend(named.filter(|file| pintle_files::is_file(file)));
            if folders.iter().any(|dir| pintle_files::exists(dir.join("node_modules").join(&name))) {
                found.unknown_lines.push(line.to_owned());
            }
        }
        if quoted.is_empty() && (line.contains("require(") || line.contains("import(")) {
            found.unknown_lines.push(line.to_owned());
        }
    }
    found
}

/// The words of an awk program by which it runs or includes something else.
pub(super) fn find_awk_includes(text: &str) -> IncludedFiles {
    let is_dynamic = ["getline", "system", "@include", "@load", "| "].iter().any(|word| text.contains(word));
    IncludedFiles {
        unknown_lines: is_dynamic.then(|| text.to_owned()).into_iter().collect(),
        ..IncludedFiles::default()
    }
}

fn is_dynamic_line(line: &str) -> bool {
    // The standard input of the hook.
    if line.contains("readFileSync(0") || line.contains("/dev/stdin") || line.contains("open(0") {
        return false;
    }
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| DYNAMIC.contains(&word))
}
