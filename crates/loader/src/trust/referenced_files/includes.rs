//! What the text of a program reads in besides: modules of Python, and what stands in quotes behind `require` and its like.

use std::path::{Path, PathBuf};

/// Words of a line that reads another file in.
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
/// Words of a program that may run or read in what its text does not name.
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
/// What stands behind the name of a module in that of its file.
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

/// What a text reads in.
#[derive(Debug, Default)]
pub(super) struct IncludedFiles {
    /// Files that are there.
    pub(super) files: Vec<PathBuf>,
    /// Lines of which that cannot be told.
    pub(super) unknown_lines: Vec<String>,
}

/// The modules that a text of Python imports and that are files here. Those of its library are not.
pub(super) fn find_python_includes(text: &str, folders: &[PathBuf]) -> IncludedFiles {
    let mut found = IncludedFiles::default();
    for line in text.split(['\n', ';']).map(str::trim) {
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

fn add_module_files(module: &str, names: &[&str], folders: &[PathBuf], files: &mut Vec<PathBuf>) {
    let ups = module.chars().take_while(|letter| *letter == '.').count();
    let below = module.trim_start_matches('.').replace('.', "/");
    for folder in folders {
        let folder = folder.ancestors().nth(ups.saturating_sub(1)).unwrap_or(folder);
        // Every package on the way is read in as well.
        for package in Path::new(&below).ancestors().filter(|package| !package.as_os_str().is_empty()) {
            let base = folder.join(package);
            files.extend(
                [base.with_extension("py"), base.join("__init__.py")].into_iter().filter(|file| file.is_file()),
            );
        }
        let names = names.iter().map(|name| folder.join(&below).join(name));
        files.extend(
            names.flat_map(|base| [base.with_extension("py"), base.join("__init__.py")]).filter(|file| file.is_file()),
        );
    }
}

/// The files that stand in quotes in the lines of any other program that read something in.
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
        // `Foo::BenchBound` is `Foo/Bar.pm`.
        let modules = modules.chain(
            line.strip_prefix("use ").map(|rest| rest.split([' ', ';']).next().unwrap_or_default().replace("::", "/")),
        );
        for name in quoted.iter().map(|name| (*name).to_owned()).chain(modules).filter(|name| !name.is_empty()) {
            let named =
                folders.iter().flat_map(|folder| ENDINGS.iter().map(|ending| folder.join(format!("{name}{ending}"))));
            found.files.extend(named.filter(|file| file.is_file()));
            if folders.iter().any(|folder| folder.join("node_modules").join(&name).exists()) {
                found.unknown_lines.push(line.to_owned());
            }
        }
        if quoted.is_empty() && (line.contains("require(") || line.contains("import(")) {
            found.unknown_lines.push(line.to_owned());
        }
    }
    found
}

fn is_dynamic_line(line: &str) -> bool {
    // A hook's own input.
    if line.contains("readFileSync(0") || line.contains("/dev/stdin") || line.contains("open(0") {
        return false;
    }
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| DYNAMIC.contains(&word))
}
