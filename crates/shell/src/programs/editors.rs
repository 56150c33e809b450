//! Programs that edit files: editors and `patch`.

use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, ShellArg, TextFlow, TextTaint, joined};
use crate::{Operation, OperationKind, OperationTag};

pub(super) fn run_editor(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_vi = matches!(call.name, "vi" | "vim" | "nvim" | "ex" | "vimx" | "rvim");
    if is_vi {
        let given = call.args.iter().filter_map(|arg| arg.text.strip_prefix('+')).map(str::to_owned);
        let commands: Vec<String> =
            parsed.values("c", "cmd").map(|arg| arg.text.clone()).chain(given).chain(call.stdin.text.clone()).collect();
        for line in commands.iter().flat_map(|text| text.lines()) {
            // What follows a `!` is a command line, whatever is in front of it.
            if let Some((_, shell)) = line.split_once('!') {
                let shell = shell.trim_start_matches([' ', '!']);
                walk.run_line(shell.strip_suffix(['"', '\'']).unwrap_or(shell), &TextFlow::default());
            }
            if let Some((_, shell)) = line.split_once("term").and_then(|(_, rest)| rest.split_once(' ')) {
                walk.run_line(shell, &TextFlow::default());
            }
        }
        for command in commands.iter().flat_map(|text| text.split(['|', '\n'])) {
            let command = command.trim().trim_start_matches([':', '%', '\'', '"']);
            let command =
                command.strip_prefix("silent").map_or(command, |rest| rest.trim_start_matches(['!', ' ', ':']));
            // Code of another language, or functions of vim, of which `delete()` takes a whole directory, too.
            let languages = ["py3", "py", "python3", "lua", "perl", "ruby"];
            let (first, rest) = command.split_once(' ').unwrap_or((command, ""));
            let (language, code) = if languages.contains(&first) { (first, rest) } else { ("vim", command) };
            if code.contains('(') {
                let code = code.replace("delete(", "shutil.rmtree(").replace("systemlist(", "system(");
                let home = "os.path.expanduser('~')";
                let code = code
                    .replace("expand(", "os.path.expanduser(")
                    .replace("$HOME", home)
                    .replace("vim.env.HOME", home)
                    .replace("vim.fn.", "");
                crate::code::read_code(walk, language, &code, &TextFlow::default());
            }
            if let Some(file) = command
                .strip_prefix("w ")
                .or_else(|| command.strip_prefix("w! "))
                .or_else(|| command.strip_prefix("saveas "))
            {
                walk.write_file(
                    call.name,
                    &ShellArg::new(file.trim()),
                    "replace",
                    TextFlow::from_taint(TextTaint::DECODED),
                );
            }
            let sourced = ["so ", "so! ", "source ", "source! ", "ru ", "runtime ", "luafile ", "pyfile ", "py3file "];
            if let Some(file) = sourced.iter().find_map(|prefix| command.strip_prefix(prefix))
                && let Some(flow) = walk.written_before(&ShellArg::new(file.trim()))
            {
                super::shells::run_written_script(walk, call, flow);
            }
            if let Some(file) = command
                .strip_prefix("r ")
                .or_else(|| command.strip_prefix("e "))
                .filter(|file| !file.trim_start().starts_with('!'))
            {
                walk.read_file(call.name, &ShellArg::new(file.trim()), false);
            }
        }
    }
    // One dash or two, and any beginning of a long name.
    let runs_code = |arg: &ShellArg| {
        let name = arg.text.trim_start_matches('-').split('=').next().unwrap_or_default();
        let names = ["batch", "e", "eval", "execute", "f", "funcall", "l", "load", "script", "x"];
        arg.text.starts_with('-') && !name.is_empty() && names.iter().any(|known| known.starts_with(name))
    };
    if call.name.starts_with("emacs") && call.args.iter().any(runs_code) {
        crate::code::read_code(walk, "elisp", &joined(call.args), &TextFlow::default());
    }
    // A window of its own shows a file to the user.
    let action = if matches!(call.name, "code" | "cursor" | "subl" | "gedit" | "kate") { "open" } else { "edit" };
    for file in parsed.operands.iter().filter(|file| !file.text.starts_with('+')) {
        walk.write_file(call.name, file, action, TextFlow::from_taint(TextTaint::DECODED));
        if walk.place(file).tags.contains(&OperationTag::Secret) {
            walk.read_file(call.name, file, false);
        }
    }
    TextFlow::from_taint(TextTaint::OUTPUT)
}

pub(super) fn run_patch(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let cwd = walk.state.cwd.clone();
    if let Some(directory) = parsed.values("d", "directory").next() {
        walk.enter_directory(directory);
    }
    let given = parsed.values("i", "input").next().or_else(|| parsed.operands.get(1).copied());
    let flow = match given {
        Some(file) => walk.read_file(call.name, file, false),
        None => call.stdin.clone(),
    };
    let strips = parsed.values("p", "strip").next().and_then(|count| count.text.parse::<usize>().ok());
    patch_files(walk, call.name, &flow, strips);
    for file in parsed.operands.iter().take(1).copied().chain(parsed.values("o", "output")) {
        walk.write_file(call.name, file, "edit", TextFlow::from_taint(TextTaint::DECODED));
    }
    walk.state.cwd = cwd;
    TextFlow::known("")
}

/// What is in front of the name of a file in a patch.
const NAME_PREFIXES: &str =
    "+++ |--- |rename to |rename from |*** Update File: |*** Add File: |*** Delete File: |*** Move to: ";

/// Writes the files that a patch names.
pub(super) fn patch_files(walk: &mut CommandWalk<'_>, program: &str, patch: &TextFlow, strips: Option<usize>) {
    let Some(text) = &patch.text else {
        // Which files it changes is not known.
        if patch.taint.has(TextTaint::NETWORK) {
            walk.note_unpacked(&ShellArg::new("."), TextTaint::NETWORK);
        }
        walk.push_path(Operation::new(OperationKind::Write, program).action("unpack"), &ShellArg::new("."));
        return;
    };
    for line in text.lines() {
        let named = NAME_PREFIXES.split('|').find_map(|prefix| line.strip_prefix(prefix));
        let Some(name) =
            named.map(|name| name.split('\t').next().unwrap_or(name).trim()).filter(|name| *name != "/dev/null")
        else {
            continue;
        };
        let is_prefixed = name.starts_with("a/") || name.starts_with("b/");
        let count = strips.unwrap_or(usize::from(is_prefixed));
        let path = name.splitn(count + 1, '/').last().unwrap_or(name);
        walk.write_file(program, &ShellArg::new(path), "edit", TextFlow::from_taint(TextTaint::DECODED));
    }
}
