//! Cmdlets for files, and for what else has a path: variables of the environment and the registry.

use super::params::{CmdletCall, literal_path, pattern_path};
use super::shared::{is_nothing, run_twin};
use super::system::{change_space, read_space};
use crate::syntax::power::ENTRY;
use crate::walk::{CommandWalk, ListedFiles, ShellArg, TextFlow, TextTaint, power_flow, power_items};
use crate::{Operation, OperationKind, OperationTag};

fn has_condition(call: &CmdletCall<'_>) -> bool {
    ["filter", "include", "exclude"].iter().any(|name| call.has(name))
}

/// A path with the pattern that `-Filter` or `-Include` adds.
fn filtered(call: &CmdletCall<'_>, path: &ShellArg) -> Vec<ShellArg> {
    let patterns: Vec<&ShellArg> = call.values("filter").chain(call.values("include")).collect();
    let name = path.text.rsplit('/').next().unwrap_or_default();
    let root = if name.contains('*') { path.text.strip_suffix(name).unwrap_or_default() } else { &path.text };
    let root = if root.is_empty() { "." } else { root };
    let below = |pattern: &&ShellArg| ShellArg {
        text: format!("{}/{}", root.trim_end_matches('/'), pattern.text),
        is_pattern: true,
        ..path.clone()
    };
    if patterns.is_empty() { vec![path.clone()] } else { patterns.iter().map(below).collect() }
}

pub(super) fn run_remove(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let is_switch = |path: &ShellArg| {
        matches!(call.alias, "rd" | "rmdir" | "del" | "erase") && path.text.len() == 2 && path.text.starts_with('/')
    };
    let mut paths = call.paths();
    // `rd /s /q x` of the other Windows shell, and lists without commas.
    paths.extend(call.operands.iter().skip(1).flatten().map(pattern_path));
    let is_recursive =
        call.has("recurse") || paths.iter().any(|path| is_switch(path) && path.text.ends_with(['s', 'S']));
    for path in paths.iter().filter(|path| !is_switch(path)) {
        if change_space(walk, call, path) {
            continue;
        }
        for target in filtered(call, path) {
            let operation = Operation::new(OperationKind::Delete, call.name())
                .tag_if(is_recursive, OperationTag::Recursive)
                .tag_if(has_condition(call), OperationTag::Filtered);
            walk.push_path(operation, &target);
        }
    }
    TextFlow::known("")
}

/// What a cmdlet writes: its `-Value` or `-InputObject`, or its input.
fn written_flow(call: &CmdletCall<'_>) -> TextFlow {
    let is_setting = call.has("value") || call.cmdlet().ends_with("-Content") || call.cmdlet() == "New-Item";
    let values: Vec<ShellArg> = match call.values("value").chain(call.values("inputobject")).next() {
        Some(_) => call.values("value").chain(call.values("inputobject")).cloned().collect(),
        None => call.operands.get(1).filter(|_| is_setting).cloned().unwrap_or_default(),
    };
    let flow = if values.is_empty() { call.stdin.clone() } else { power_flow(&values) };
    // `Export-Csv` writes another form of its input.
    if call.cmdlet().starts_with("Export-") { TextFlow { text: None, ..flow } } else { flow }
}

pub(super) fn run_write(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut paths = call.named_paths();
    paths.extend(call.values("outputdirectory").map(pattern_path));
    if paths.is_empty() {
        paths.extend(call.operands.first().into_iter().flatten().map(pattern_path));
    }
    let action = if call.has("append") || call.cmdlet().starts_with("Add-") { "append" } else { "replace" };
    for path in &paths {
        if !change_space(walk, call, path) {
            walk.write_file(call.name(), path, action, written_flow(call));
        }
    }
    TextFlow::known("")
}

pub(super) fn run_clear(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    for path in call.paths() {
        walk.write_file(call.name(), &path, "truncate", TextFlow::known(""));
    }
    TextFlow::known("")
}

pub(super) fn run_tee(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    match call.value("variable", 9) {
        Some(name) => walk.set_variable(&name.text.to_ascii_lowercase(), power_items(call.stdin)),
        None => drop(run_write(walk, call)),
    }
    call.stdin.clone()
}

pub(super) fn run_new(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let kind = call.text("itemtype", 9) + &call.text("type", 9);
    let mut paths = call.paths();
    if let Some(name) = call.values("name").next() {
        let parent = paths.first().map_or(".", |path| path.text.as_str()).trim_end_matches('/');
        paths = vec![literal_path(&ShellArg { text: format!("{parent}/{}", name.text), ..name.clone() })];
    }
    let printed = power_flow(&paths);
    for path in &paths {
        if change_space(walk, call, path) {
            continue;
        }
        if kind.starts_with('d') {
            run_twin(walk, &["mkdir", "--"], vec![path.clone()], &TextFlow::default());
            continue;
        }
        let target = call.values("target").chain(call.values("value")).next().map(literal_path);
        match target.filter(|_| kind.contains("link") || kind.starts_with('j')) {
            Some(target) => drop(run_twin(walk, &["ln", "--"], vec![target, path.clone()], &TextFlow::default())),
            None => walk.write_file(call.name(), path, "replace", written_flow(call)),
        }
    }
    printed
}

pub(super) fn run_make_directory(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    run_twin(walk, &["mkdir", "--"], call.paths(), &TextFlow::default());
    power_flow(&call.paths())
}

/// The sources and the target of a cmdlet that moves or copies.
fn sources_and_target(call: &CmdletCall<'_>) -> (Vec<ShellArg>, Option<ShellArg>) {
    let mut sources = call.named_paths();
    let mut operands: Vec<ShellArg> = call.all_operands().map(pattern_path).collect();
    let mut target = call.values("destination").chain(call.values("newname")).next().map(literal_path);
    if target.is_none()
        && (operands.len() > 1 || !operands.is_empty() && (!sources.is_empty() || !is_nothing(call.stdin)))
    {
        target = operands.pop();
    }
    sources.extend(operands);
    if sources.is_empty() && !is_nothing(call.stdin) {
        sources.extend(power_items(call.stdin).iter().map(pattern_path));
    }
    (sources.iter().flat_map(|source| filtered(call, source)).collect(), target)
}

pub(super) fn run_copy(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let (mut operands, target) = sources_and_target(call);
    if let Some(session) = call.values("tosession").next() {
        for source in &operands {
            let flow = walk.read_file(call.name(), source, true);
            let operation = Operation::new(OperationKind::Upload, call.name()).action("copy").written(session.shown());
            walk.push((flow.taint | TextTaint::FILE).tag(operation));
        }
        return TextFlow::known("");
    }
    operands.push(target.unwrap_or_else(|| ShellArg::new(".")));
    let words: &[&str] = if call.has("recurse") { &["cp", "-r", "--"] } else { &["cp", "--"] };
    run_twin(walk, words, operands, &TextFlow::default())
}

pub(super) fn run_move(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let (mut operands, target) = sources_and_target(call);
    operands.push(target.unwrap_or_else(|| ShellArg::new(".")));
    run_twin(walk, &["mv", "--"], operands, &TextFlow::default())
}

pub(super) fn run_rename(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let (sources, target) = sources_and_target(call);
    for source in sources {
        let directory = source.text.rsplit_once('/').map_or(".", |(directory, _)| directory);
        let name = target.clone().unwrap_or_else(|| ShellArg::unknown(TextTaint::NONE));
        let name = ShellArg { text: format!("{directory}/{}", name.text.trim_start_matches("./")), ..name };
        run_twin(walk, &["mv", "--"], vec![source, name], &TextFlow::default());
    }
    TextFlow::known("")
}

pub(super) fn run_read(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut paths = call.paths();
    paths.extend(call.operands.iter().skip(1).flatten().map(pattern_path));
    let mut flow = TextFlow::known("");
    for path in paths {
        match read_space(call, &path) {
            Some(held) => flow.append(held),
            None => filtered(call, &path).iter().for_each(|path| flow.append(walk.read_file(call.name(), path, false))),
        }
    }
    flow
}

pub(super) fn run_list(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut roots = call.paths();
    if roots.is_empty() {
        roots.push(ShellArg::new("."));
    }
    let is_recursive = call.has("recurse") || call.has("depth");
    let mut flow = TextFlow { taint: TextTaint::NAMES, ..TextFlow::default() };
    for root in roots {
        if let Some(held) = read_space(call, &root) {
            return held;
        }
        let second = call.operands.get(1).into_iter().flatten().map(pattern_path);
        let paths: Vec<ShellArg> = match call.has("path") || call.has("filter") || call.operands.len() < 2 {
            true => filtered(call, &root),
            false => second
                .map(|name| ShellArg { text: format!("{}/{}", root.text, name.text), is_pattern: true, ..root.clone() })
                .collect(),
        };
        let is_filtered = call.has("exclude");
        flow.listed.extend(paths.into_iter().map(|root| ListedFiles { root, is_filtered, is_recursive }));
    }
    flow
}

pub(super) fn run_get(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let paths = call.paths();
    match paths.first().and_then(|path| read_space(call, path)) {
        Some(held) => held,
        None if !call.cmdlet().starts_with("Get-ItemProperty") && paths.iter().any(|path| path.is_pattern) => {
            let listed = |root: &ShellArg| ListedFiles { root: root.clone(), is_filtered: false, is_recursive: false };
            TextFlow::listing(paths.iter().map(listed).collect())
        }
        None => power_flow(&paths),
    }
}

pub(super) fn run_search(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut paths = call.named_paths();
    paths.extend(call.operands.iter().skip(usize::from(!call.has("pattern"))).flatten().map(pattern_path));
    let is_listing = !call.stdin.listed.is_empty();
    if is_listing {
        paths.extend(power_items(call.stdin).iter().filter(|item| item.is_pattern).map(pattern_path));
    }
    if paths.is_empty() {
        return choose(walk, call.value("pattern", 0), call.stdin);
    }
    let mut flow = TextFlow::default();
    for path in paths {
        flow.append(walk.read_file(call.name(), &path, is_listing));
    }
    flow
}

/// What a pattern chooses from a text, as `grep` does.
pub(super) fn choose(walk: &mut CommandWalk<'_>, pattern: Option<&ShellArg>, stdin: &TextFlow) -> TextFlow {
    let mut flow = TextFlow { text: None, ..stdin.clone() };
    if stdin.taint.has(TextTaint::ENVIRONMENT) {
        flow.taint = run_twin(walk, &["grep", "--"], pattern.into_iter().cloned().collect(), stdin).taint;
    }
    flow
}

pub(super) fn run_pack(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut flow = TextFlow::from_taint(TextTaint::FILE);
    for source in call.paths() {
        flow.append(walk.read_file(call.name(), &source, true));
    }
    flow.text = None;
    if let Some(target) = call.value("destinationpath", 1) {
        walk.write_file(call.name(), &literal_path(target), "replace", TextFlow::from_taint(flow.taint));
    }
    TextFlow::known("")
}

pub(super) fn run_unpack(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let source = call.paths().first().and_then(|path| walk.written_before(path)).unwrap_or_default();
    let target = call.value("destinationpath", 1).map_or_else(|| ShellArg::new("./archive"), literal_path);
    walk.write_file(call.name(), &target, "unpack", TextFlow::from_taint(source.taint));
    TextFlow::known("")
}

pub(super) fn run_enter(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let mut paths = call.paths();
    paths.truncate(1);
    if let Some(path) = paths.first_mut() {
        path.text = path.text.trim_start_matches(ENTRY).to_owned();
    }
    let program = match call.alias {
        alias if alias.starts_with("push") => "pushd",
        alias if alias.starts_with("pop") => return run_twin(walk, &["popd"], Vec::new(), &TextFlow::default()),
        _ => "cd",
    };
    if program == "pushd" && paths.is_empty() {
        paths.push(ShellArg::new("."));
    }
    run_twin(walk, &[program], paths, &TextFlow::default())
}
