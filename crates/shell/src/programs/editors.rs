//! Programs that edit files: editors, `sed` and `patch`.

use super::program::read_operands;
use crate::walk::ProgramCall;
use crate::walk::{CommandWalk, ParsedOptions, ShellArg, TextFlow, TextTaint};
use crate::{Operation, OperationKind, OperationTag};

pub(super) fn run_sed(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let scripts: Vec<&ShellArg> = parsed.values("e", "expression").collect();
    let has_script = !scripts.is_empty() || parsed.has("f", "file");
    let operands = parsed.operands.as_slice();
    let (script, files) = match operands.split_first() {
        Some((script, files)) if !has_script => (Some(*script), files),
        _ => (None, operands),
    };
    for script in scripts.into_iter().chain(script) {
        check_sed_script(walk, call, &script.text);
    }
    // `-i`, `-i.bak`, `-Ei`, `--in-place=.bak`.
    let in_place = call.args.iter().any(|arg| {
        let text = arg.text.as_str();
        text.starts_with("--in-p")
            || text.starts_with('-')
                && !text.starts_with("--")
                && text.chars().skip(1).take_while(|letter| *letter != 'e').any(|letter| letter == 'i')
    });
    if in_place {
        for file in files {
            walk.write_file(call.name, file, "edit", TextFlow::from_taint(TextTaint::DECODED));
        }
        return TextFlow::known("");
    }
    let mut flow = read_operands(walk, call, files.iter().copied(), false);
    if flow.text.is_some() {
        flow.taint |= TextTaint::DECODED;
    }
    flow.text = None;
    flow
}

/// The commands of a script that run programs or write files: `e`, `w`, and the flags of `s`.
fn check_sed_script(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, script: &str) {
    for line in script.split(['\n', ';']) {
        let line = line.trim().trim_start_matches(|letter: char| letter.is_ascii_digit() || "$,! ".contains(letter));
        if let Some(command) = line.strip_prefix('e').filter(|rest| rest.starts_with(' ') || rest.is_empty()) {
            walk.run_line(command.trim(), &TextFlow::default());
            if command.trim().is_empty() {
                walk.push_code(TextTaint::DECODED, call.name, "sed runs its input");
            }
        } else if let Some(rest) = line.strip_prefix('s') {
            let Some(separator) = rest.chars().next().filter(|letter| !letter.is_alphanumeric()) else { continue };
            let parts: Vec<&str> = rest.split(separator).collect();
            let flags = parts.get(3).copied().unwrap_or_default();
            let is_flags = flags
                .split_whitespace()
                .next()
                .is_some_and(|flags| flags.chars().all(|letter| letter.is_ascii_alphanumeric()));
            if is_flags && flags.split_whitespace().next().is_some_and(|flags| flags.contains('e')) {
                walk.run_line(parts.get(2).copied().unwrap_or_default(), &TextFlow::default());
                walk.push_code(TextTaint::DECODED, call.name, "sed runs what it substitutes");
            }
            if let Some((_, file)) = flags.split_once("w ") {
                walk.write_file(
                    call.name,
                    &ShellArg::new(file.trim()),
                    "replace",
                    TextFlow::from_taint(TextTaint::DECODED),
                );
            }
        } else if let Some(file) = line.strip_prefix("w ").or_else(|| line.strip_prefix("W ")) {
            walk.write_file(
                call.name,
                &ShellArg::new(file.trim()),
                "replace",
                TextFlow::from_taint(TextTaint::DECODED),
            );
        } else if let Some(file) = line.strip_prefix("r ") {
            walk.read_file(call.name, &ShellArg::new(file.trim()), false);
        }
    }
}

pub(super) fn run_editor(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, parsed: &ParsedOptions<'_>) -> TextFlow {
    let is_vi = matches!(call.name, "vi" | "vim" | "nvim" | "ex" | "vimx" | "rvim");
    if is_vi {
        let given = call.args.iter().filter_map(|arg| arg.text.strip_prefix('+')).map(str::to_owned);
        let commands: Vec<String> =
            parsed.values("c", "").map(|arg| arg.text.clone()).chain(given).chain(call.stdin.text.clone()).collect();
        for command in commands.iter().flat_map(|text| text.split(['|', '\n'])) {
            let command = command.trim().trim_start_matches([':', '%', '\'', '"']);
            if let Some(shell) =
                command.strip_prefix('!').or_else(|| command.strip_prefix("r !")).or_else(|| command.strip_prefix("r!"))
            {
                walk.run_line(shell, &TextFlow::default());
            } else if let Some(code) = ["py3 ", "py ", "python3 ", "lua ", "call ", "perl ", "ruby "]
                .iter()
                .find_map(|prefix| command.strip_prefix(prefix))
            {
                // vim's own `delete()` takes a whole directory, too.
                let code = code.replace("delete(", "shutil.rmtree(");
                crate::code::read_code(walk, "python", &code, &TextFlow::default());
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
                super::program::run_written_script(walk, call, flow);
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
    if matches!(call.name, "ed" | "red")
        && let Some(text) = &call.stdin.text
    {
        for line in text.lines() {
            if let Some(shell) = line.trim().strip_prefix('!') {
                walk.run_line(shell, &TextFlow::default());
            }
        }
    }
    if call.name.starts_with("emacs") && call.has_arg(&["--eval", "-f", "--batch", "-l"]) {
        let text: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
        crate::code::read_code(walk, "elisp", &text.join(" "), &TextFlow::default());
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

/// Writes the files that a patch names.
pub(super) fn patch_files(walk: &mut CommandWalk<'_>, program: &str, patch: &TextFlow, strips: Option<usize>) {
    let Some(text) = &patch.text else {
        // Which files it changes is not known.
        walk.push_watched(Operation::new(OperationKind::Write, program).action("edit"), &ShellArg::new("."));
        return;
    };
    for line in text.lines() {
        let named = [
            "+++ ",
            "--- ",
            "rename to ",
            "rename from ",
            "*** Update File: ",
            "*** Add File: ",
            "*** Delete File: ",
            "*** Move to: ",
        ]
        .iter()
        .find_map(|prefix| line.strip_prefix(prefix));
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
