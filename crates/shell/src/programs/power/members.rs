//! Methods and properties of values.

use super::network::push_request;
use super::pipeline::run_value;
use super::shared::{push_secret, run_text};
use super::table::run_method_row;
use super::values::{changed, entry_of};
use crate::syntax::power::{BLOCK, ENTRY};
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, power_flow, power_items};
use crate::word_lists::is_listed;
use crate::{Operation, OperationKind};

/// Properties that are the value itself, or name it.
const SAME: &str = "fullname name path pspath value line string innertext providerpath content source psparentpath \
    pschildname basename definition scriptblock inputobject output text result key rawcontent keys values item invokecommand";
/// Properties and methods that say something about a value without giving it.
const ABOUT: &str = "length count exists contains( startswith( endswith( equals( indexof( gettype( statuscode \
    lastwritetime creationtime extension major minor id isreadonly compareto( gethashcode( lastindexof( containskey( \
    haschildren hasexited exitcode success islink";
/// Methods that give the receiver, or what is put into them, as it is or in another form.
const PASSED: &str = "tostring( tochararray( getenumerator( getstring( getbytes( tolist( toarray( clone( readtoend( \
    readline( read( getresponse( getresponsestream( getstream( open( append( add( addrange( appendline( writeline( \
    getawaiter( getresult( result( readasstringasync( readasbytearrayasync( copyto( expandstring( format( \
    getnetworkcredential( flush( close( dispose( wait( item( get( select( invokewithcontext( getelementsbytagname(";

/// A member of the input; its name ends with `(` if it is called.
pub(super) fn run_member(
    walk: &mut CommandWalk<'_>,
    member: &ShellArg,
    args: &[ShellArg],
    left: &TextFlow,
) -> TextFlow {
    let name = member.text.to_ascii_lowercase();
    let taint = args.iter().fold(left.taint, |taint, arg| taint | arg.taint);
    if !member.is_known() {
        walk.push_code(member.taint | TextTaint::DECODED, "", "which method is called is not known");
        return changed(taint);
    }
    let lines: Vec<&str> = left.text.as_deref().unwrap_or_default().split('\n').collect();
    if let Some(value) = entry_of(&lines, &name) {
        return TextFlow { taint: left.taint, text: Some(value.to_owned()), ..TextFlow::default() };
    }
    let entries: Option<Vec<&str>> =
        lines.iter().map(|line| Some(line.strip_prefix(ENTRY)?.split_once(':')?.1)).collect();
    if let Some(values) = entries.filter(|_| name == "values") {
        return TextFlow { taint: left.taint, text: Some(values.join("\n")), ..TextFlow::default() };
    }
    match name.strip_suffix('(') {
        _ if is_listed(ABOUT, &name) => {
            check_type(walk, args, left);
            TextFlow::known("0")
        }
        None if name == "password" && left.taint.has(TextTaint::OUTPUT) => {
            push_secret(walk, "Get-Credential", "decrypt")
        }
        None if name == "historysavepath" => {
            TextFlow::known("~/.local/share/powershell/PSReadLine/ConsoleHost_history.txt")
        }
        None if is_listed(SAME, &name) => left.clone(),
        None => TextFlow { text: None, ..left.clone() },
        Some(method) => match run_text_method(method, args, left) {
            Some(flow) => flow,
            None if is_listed(PASSED, &name) => passed(walk, method, args, left),
            None => run_method(walk, method, args, left),
        },
    }
}

/// Types by their names that only an evasion of the virus scanner asks for.
fn check_type(walk: &mut CommandWalk<'_>, args: &[ShellArg], left: &TextFlow) {
    let texts = args.iter().map(|arg| arg.text.as_str()).chain(left.text.as_deref());
    if texts.map(str::to_ascii_lowercase).any(|text| text.contains("amsi")) {
        walk.push(Operation::new(OperationKind::System, "AmsiUtils").action("policy"));
    }
}

/// The input and the arguments together; what is written to a connection is sent.
fn passed(walk: &mut CommandWalk<'_>, method: &str, args: &[ShellArg], left: &TextFlow) -> TextFlow {
    let more = power_flow(args);
    if method == "writeline" && left.taint.has(TextTaint::NETWORK) && more.taint != TextTaint::NONE {
        walk.push(more.taint.tag(Operation::new(OperationKind::Upload, "stream")));
    }
    let takes_args = matches!(method, "getstring" | "getbytes" | "expandstring") || super::shared::is_nothing(left);
    if takes_args && !args.is_empty() {
        let text = more.text.map(|text| text.replace('\0', ""));
        return TextFlow { taint: left.taint | more.taint, text, ..more };
    }
    let mut flow = left.clone();
    flow.taint |= more.taint;
    if !args.is_empty() && matches!(method, "append" | "add" | "addrange" | "appendline") {
        flow.append(more);
    }
    flow
}

/// Methods of texts.
fn run_text_method(method: &str, args: &[ShellArg], left: &TextFlow) -> Option<TextFlow> {
    let arg = |index: usize| args.get(index).map(|arg| arg.text.as_str());
    let number = |index: usize| arg(index).and_then(|text| text.parse::<usize>().ok());
    let taint = args.iter().fold(left.taint, |taint, arg| taint | arg.taint);
    let text = left.text.as_deref().unwrap_or_default();
    let letters = |from: usize, count: usize| text.chars().skip(from).take(count).collect::<String>();
    let marks: Vec<char> = arg(0).unwrap_or(" \t\n\r").chars().collect();
    let made = match method {
        "replace" => arg(0).filter(|old| !old.is_empty()).map(|old| text.replace(old, arg(1).unwrap_or_default())),
        "tolower" | "tolowerinvariant" => Some(text.to_lowercase()),
        "toupper" | "toupperinvariant" => Some(text.to_uppercase()),
        "trim" => Some(text.trim_matches(marks.as_slice()).to_owned()),
        "trimstart" => Some(text.trim_start_matches(marks.as_slice()).to_owned()),
        "trimend" => Some(text.trim_end_matches(marks.as_slice()).to_owned()),
        "substring" => number(0).map(|from| letters(from, number(1).unwrap_or(usize::MAX))),
        "split" => Some(text.split(marks.as_slice()).collect::<Vec<_>>().join("\n")),
        "insert" => number(0).map(|at| letters(0, at) + arg(1).unwrap_or_default() + &letters(at, usize::MAX)),
        "remove" => number(0).map(|at| {
            letters(0, at) + &number(1).map(|count| letters(at.saturating_add(count), usize::MAX)).unwrap_or_default()
        }),
        "padleft" | "padright" | "normalize" => Some(text.to_owned()),
        _ => return None,
    };
    Some(match made.filter(|made| left.text.is_some() && made.len() <= 256 * 1024) {
        Some(made) => TextFlow { taint, text: Some(made), ..left.clone() },
        None => changed(taint),
    })
}

fn run_method(walk: &mut CommandWalk<'_>, method: &str, args: &[ShellArg], left: &TextFlow) -> TextFlow {
    let given = power_flow(args);
    let first = args.first().cloned().unwrap_or_default();
    let receiver = left.text.as_deref().unwrap_or_default().to_ascii_lowercase();
    let sync = method.strip_suffix("taskasync").or_else(|| method.strip_suffix("async")).unwrap_or(method);
    match sync {
        "foreach" | "where" => return run_block_method(walk, method, args, left),
        "invoke" | "invokereturnasis" | "begininvoke" => {
            return match left.text.as_deref() {
                Some(text) if !text.is_empty() => {
                    let value = ShellArg { taint: left.taint, ..ShellArg::new(text) };
                    run_value(walk, &value, args)
                }
                _ if left.taint.has(TextTaint::NETWORK | TextTaint::DECODED) => run_text(walk, method, left),
                _ => TextFlow::from_taint(TextTaint::OUTPUT),
            };
        }
        "invokescript" | "addscript" | "invokeexpression" | "executestatement" => {
            return run_text(walk, method, &given);
        }
        "addcommand" | "newscriptblock" => {
            return TextFlow { text: given.text.map(|text| format!("{BLOCK}{text}")), ..given };
        }
        "run" | "exec" | "shellexecute" if receiver.contains("shell") || left.text.is_none() => {
            if args.iter().any(|arg| arg.text.eq_ignore_ascii_case("runas")) {
                walk.push(Operation::new(OperationKind::Privilege, method).action("other_user").written(first.shown()));
            }
            let line: Vec<&str> = args.iter().take(2).map(|arg| arg.text.as_str()).collect();
            return run_text(walk, method, &TextFlow { text: Some(line.join(" ")), ..given });
        }
        "delete" | "deleterecursive" if receiver.contains("shadowcopy") => {
            walk.push(Operation::new(OperationKind::System, method).action("backup").written(receiver));
            return TextFlow::known("");
        }
        "setvalue" | "getfield" | "getmethod" => {
            check_type(walk, args, left);
            return left.clone();
        }
        "create" if !receiver.contains("win32_process") => return TextFlow::from_taint(left.taint | given.taint),
        "send" if !first.text.contains("://") && !args.is_empty() => {
            let taint = left.taint.without(TextTaint::NETWORK) | given.taint;
            walk.push(taint.tag(Operation::new(OperationKind::Upload, sync).written(first.shown())));
            return TextFlow::from_taint(TextTaint::NETWORK);
        }
        "write" if left.taint.has(TextTaint::NETWORK) && !args.is_empty() => {
            if given.taint != TextTaint::NONE {
                walk.push(given.taint.tag(Operation::new(OperationKind::Upload, sync)));
            }
            return TextFlow::known("");
        }
        "connect" if !args.is_empty() => {
            push_request(walk, sync, &first, None);
            return TextFlow::from_taint(TextTaint::NETWORK);
        }
        "get" if first.text.contains("://") || !first.is_known() => return push_request(walk, sync, &first, None),
        _ => {}
    }
    // What is not known is something all the same; what the network sent is not sent back.
    let stdin = TextFlow { taint: left.taint.without(TextTaint::NETWORK), ..power_flow(&power_items(left)) };
    // Of another client, it may be the file alone.
    let file = [first.clone(), first];
    let args = if sync == "uploadfile" && args.len() == 1 { &file } else { args };
    run_method_row(walk, &format!("{sync}("), args, &stdin)
        .unwrap_or_else(|| TextFlow::from_taint(left.taint | given.taint))
}

fn run_block_method(walk: &mut CommandWalk<'_>, method: &str, args: &[ShellArg], left: &TextFlow) -> TextFlow {
    let printed = super::shared::run_blocks(walk, args, left);
    if method == "where" {
        let mut flow = left.clone();
        flow.listed.iter_mut().for_each(|files| files.is_filtered = true);
        return flow;
    }
    match (printed, args.split_first()) {
        (Some(printed), _) => printed,
        // `.ForEach('Delete')`.
        (None, Some((name, rest))) if name.text.chars().all(char::is_alphanumeric) => {
            run_method(walk, &name.text.to_ascii_lowercase(), rest, left)
        }
        _ => left.clone(),
    }
}
