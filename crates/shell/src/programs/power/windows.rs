//! Programs of Windows that fetch or run something.

use super::network::push_request;
use super::shared::{native_args, push_fetched_file, run_text};
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint};
use crate::{Operation, OperationKind};

/// Programs that run a file or an address in their arguments.
const RUNS_FILE: &str = "mshta regsvr32 rundll32 msiexec installutil regasm regsvcs wscript cscript msbuild odbcconf";

/// What `certutil` does with a file: it writes its content in another form.
const CODES: &str = "decode decodehex encode encodehex";

/// Runs such a program; `None` if it is another one.
pub(super) fn run_windows_program(
    walk: &mut CommandWalk<'_>,
    name: &str,
    args: &[ShellArg],
    stdin: &TextFlow,
) -> Option<TextFlow> {
    let args = native_args(args);
    let has = |word: &str| args.iter().any(|arg| arg.text.trim_start_matches(['-', '/']).eq_ignore_ascii_case(word));
    match name {
        "certutil" | "bitsadmin" => {
            let is_switch = |arg: &&ShellArg| {
                let name = arg.text.trim_start_matches(['-', '/']);
                name.len() < arg.text.len() && name.chars().all(|letter| letter.is_ascii_alphanumeric())
            };
            let plain: Vec<&ShellArg> = args.iter().filter(|arg| !is_switch(arg)).collect();
            let address = plain.iter().position(|arg| arg.text.contains("://"));
            if let Some(index) = address {
                let flow = plain.get(index).map(|address| push_request(walk, name, address, None)).unwrap_or_default();
                let target = plain.get(index + 1).map_or_else(|| ShellArg::new("./download"), |arg| (*arg).clone());
                walk.write_file(name, &target, "download", flow);
            } else if CODES.split(' ').any(has) {
                let mut files = plain.into_iter();
                let mut flow = files.next().map(|file| walk.read_file(name, file, false)).unwrap_or_default();
                if has("decode") || has("decodehex") {
                    flow.taint |= TextTaint::DECODED;
                }
                let target = files.next().cloned().unwrap_or_default();
                walk.write_file(name, &target, "replace", TextFlow::from_taint(flow.taint));
            } else if has("dump") {
                plain.into_iter().for_each(|file| drop(walk.read_file(name, file, false)));
            } else if has("addstore") || has("delstore") || has("importpfx") {
                walk.push(Operation::new(OperationKind::System, name).action("settings"));
            }
        }
        "findstr" => {
            let is_option = |arg: &&ShellArg| arg.text.starts_with('/') && arg.text.len() <= 3;
            let words = args.iter().filter(|arg| !is_option(arg)).cloned().collect();
            return Some(super::shared::run_twin(walk, &["grep", "--"], words, stdin));
        }
        "cipher" if args.iter().any(|arg| arg.text.to_ascii_lowercase().starts_with("/w")) => {
            walk.push(Operation::new(OperationKind::System, name).action("disk"));
        }
        "wmic" if has("create") => {
            walk.push_code(TextTaint::NONE, name, "it starts a program through the management service");
            let line = args.last().map(|arg| arg.text.clone());
            run_text(walk, name, &TextFlow { text: line, ..TextFlow::default() });
        }
        "wmic" if ["delete", "set", "call", "terminate", "uninstall"].iter().any(|word| has(word)) => {
            let action = if has("shadowcopy") { "backup" } else { "settings" };
            walk.push(Operation::new(OperationKind::System, name).action(action));
        }
        name if RUNS_FILE.split_whitespace().any(|known| known == name) => {
            for arg in &args {
                if arg.text.contains("://") || arg.text.contains("javascript:") || arg.text.contains("vbscript:") {
                    walk.push_code(TextTaint::NETWORK | arg.taint, name, "it runs a script in its arguments");
                }
                push_fetched_file(walk, name, arg);
            }
        }
        _ => return None,
    }
    Some(TextFlow::from_taint(TextTaint::OUTPUT))
}
