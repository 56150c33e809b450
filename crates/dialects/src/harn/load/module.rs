//! Resolves the function that a manifest names: `module::function`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{
    ByteSpan, CommandSpec, FunctionRef, FunctionSpec, HandlerSpec, Location, ScriptSource, suggest_or_list,
};

use crate::Artifact;
use crate::harn::fault::HarnFault;

/// The directories of a package in which its modules are searched, in order.
const FOLDERS: [&str; 3] = ["", "src", "lib"];

/// The package in which handlers are resolved.
pub(super) struct PackageContext<'a> {
    pub(super) folder: &'a Path,
    pub(super) package: Option<&'a str>,
    /// The exported modules and their paths.
    pub(super) exports: &'a [(String, String)],
    pub(super) modules: &'a [&'a Artifact],
    pub(super) has_harn: bool,
}

/// The module that a package's own name means.
const LIBRARY: &str = "lib";

/// Resolves the handler that a manifest names.
pub(super) fn resolve(handler: &str, home: &PackageContext<'_>) -> Result<HandlerSpec, HarnFault> {
    let Some((module, function)) =
        handler.rsplit_once("::").filter(|(module, function)| !module.is_empty() && !function.is_empty())
    else {
        return Err(HarnFault::new(
            "bad_handler",
            format!("`{handler}` is not a module function"),
            "write `module::function`, such as `policy::reject_secrets`",
        ));
    };
    if function.starts_with('_') {
        return Err(HarnFault::new(
            "bad_handler",
            format!("`{function}` of module `{module}` is private: its name starts with an underscore"),
            "name a function that is exported, or rename it",
        ));
    }
    if !function.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
        return Err(HarnFault::new(
            "bad_handler",
            format!("`{function}` is not a function name"),
            "write `module::function`",
        ));
    }
    let artifact = find_module(module, home)?;
    if artifact.file.path.extension().is_some_and(|ending| ending == "harn") {
        return harn_worker(artifact, module, function, home);
    }
    let span = ByteSpan { start: 0, end: artifact.file.text.len() };
    let text = ScriptSource {
        location: Location::new(Arc::clone(&artifact.file), span),
        ..ScriptSource::without_file(artifact.file.text.as_str())
    };
    let name = artifact.file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(HandlerSpec::Function(FunctionSpec {
        name: Arc::from(name),
        module: text,
        function: FunctionRef::Exported(Arc::from(function)),
        defined_name: Some(Arc::from(function)),
    }))
}

/// Finds the file of a module: the exported one of this name, otherwise one of this name in the package.
fn find_module<'a>(module: &str, home: &PackageContext<'a>) -> Result<&'a Artifact, HarnFault> {
    let own = home.package.and_then(|package| module.strip_prefix(package)?.strip_prefix("::")).unwrap_or(module);
    let has_path = |path: &Path| home.modules.iter().find(|artifact| artifact.file.path == *path).copied();
    if let Some((_, path)) = home.exports.iter().find(|(name, _)| name == own) {
        return has_path(&home.folder.join(path)).ok_or_else(|| {
            let message = format!("module `{module}` is exported as `{path}`, which does not exist or cannot be read");
            HarnFault::new("bad_handler", message, "fix the path under `[exports]`; it is relative to the manifest")
        });
    }
    let stem: PathBuf = own.split("::").collect();
    for ending in ["star", "harn"] {
        let found = FOLDERS
            .iter()
            .find_map(|dir| has_path(&home.folder.join(dir).join(format!("{}.{ending}", stem.display()))));
        if let Some(artifact) = found {
            return Ok(artifact);
        }
    }
    // Functions of a package are also named by the package alone; they are those of its library.
    if home.package == Some(own) && own != LIBRARY {
        return find_module(LIBRARY, home);
    }
    let known: Vec<&str> = known_modules(home);
    let help = match known.is_empty() {
        true => format!("write it as `{}.star` next to the manifest, in `src/` or in `lib/`", stem.display()),
        false => suggest_or_list(own, known.iter().copied(), "the package has"),
    };
    Err(HarnFault::new("bad_handler", format!("the package has no module `{module}`"), help))
}

/// The names of the existing modules.
fn known_modules<'a>(home: &PackageContext<'a>) -> Vec<&'a str> {
    let is_own = |artifact: &&&Artifact| artifact.file.path.starts_with(home.folder);
    let mut names: Vec<&str> = home.modules.iter().filter(is_own).map(|artifact| artifact.name.as_str()).collect();
    names.extend(home.exports.iter().map(|(name, _)| name.as_str()));
    names.sort_unstable();
    names.dedup();
    names
}

/// A function written in Harn, which `harn run -e` runs as a persistent command: it reads events, one line of JSON
/// each, and prints what the function returns.
fn harn_worker(
    artifact: &Artifact,
    module: &str,
    function: &str,
    home: &PackageContext<'_>,
) -> Result<HandlerSpec, HarnFault> {
    let path = artifact.file.path.display();
    if !home.has_harn {
        return Err(HarnFault::new(
            "bad_handler",
            format!(
                "cannot run `{path}`: module `{module}` is written in Harn, and the program `harn` is not installed"
            ),
            format!("install `harn` on the PATH, or write the module in Starlark as `{module}.star`"),
        ));
    }
    let dir = artifact.file.path.parent().unwrap_or(Path::new(""));
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let program = format!(
        "import {{ {function} }} from \"./{}\"\nvar line = harness.stdio.read_line()\nwhile line != nil {{\n  \
         harness.stdio.println(json_stringify({function}(json_parse(line))))\n  line = harness.stdio.read_line()\n}}\n",
        artifact.name
    );
    Ok(HandlerSpec::Command(CommandSpec {
        command: format!("exec harn run -e {}", shell_quote(&program)),
        directory: Some(dir.display().to_string()),
        keep: true,
        ..CommandSpec::default()
    }))
}

/// Quotes a string as one shell word.
fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
