//! Methods of .NET types.

use super::network::push_request;
use super::params::{CmdletCall, literal_path};
use super::table::run_method_row;
use super::values::{changed, run_operator};
use crate::secret_name::is_secret_name;
use crate::syntax::power::{BLOCK, power_variable};
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, power_flow};
use crate::{Operation, OperationKind};

/// A method or property of a type: `type::method(`; of the type in the input if there is none in front.
pub(super) fn run_type(walk: &mut CommandWalk<'_>, path: &ShellArg, args: &[ShellArg], left: &TextFlow) -> TextFlow {
    let given = power_flow(args);
    let mut name = path.text.to_ascii_lowercase();
    if name.starts_with("::") {
        let Some(text) = left.text.as_deref() else {
            walk.push_code(left.taint, "", "which type a method belongs to is not known");
            return changed(left.taint | given.taint);
        };
        let text = text.to_ascii_lowercase();
        name = format!("{}{name}", text.strip_prefix("system.").unwrap_or(&text));
    }
    if !path.is_known() {
        walk.push_code(path.taint | TextTaint::DECODED, "", "which method is called is not known");
        return changed(given.taint);
    }
    let plain = name.trim_end_matches('(');
    match (run_method_row(walk, plain, args, &TextFlow::default()), plain.strip_suffix("::new")) {
        (Some(flow), _) => flow,
        (None, Some(of_type)) => new_object(walk, of_type, args),
        (None, None) if plain.contains("amsi") => {
            walk.push(Operation::new(OperationKind::System, plain).action("policy"));
            TextFlow::from_taint(TextTaint::NONE)
        }
        // A property such as `[Text.Encoding]::UTF8`, or a method without a meaning of its own.
        (None, None) => {
            TextFlow { taint: given.taint | left.taint, text: args.is_empty().then(String::new), ..TextFlow::default() }
        }
    }
}

pub(super) fn run_decode(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let given = call.print_words();
    let text = given.text.as_deref().filter(|_| call.alias.contains("base64")).and_then(decode_base64);
    TextFlow { taint: given.taint | TextTaint::DECODED, text, ..TextFlow::default() }
}

/// Gives its arguments in another form.
pub(super) fn run_convert(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    changed(call.taint())
}

/// Gives its arguments.
pub(super) fn run_given(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let args: Vec<ShellArg> = call.all_operands().cloned().collect();
    let (head, rest) = args.split_at(args.len().min(1));
    match call.alias {
        "string::join" => run_operator("join", head, &power_flow(rest)),
        "string::format" => run_operator("f", rest, &power_flow(head)),
        "string::concat" => {
            TextFlow { text: call.print_words().text.map(|text| text.replace('\n', "")), ..call.print_words() }
        }
        _ => call.print_words(),
    }
}

pub(super) fn run_get_environment(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let name = call.value("name", 0).filter(|_| !call.alias.ends_with("variables"));
    let Some(name) = name else { return TextFlow::from_taint(TextTaint::ENVIRONMENT) };
    let name = power_variable(&format!("env:{}", literal_path(name).text));
    let taint = if is_secret_name(&name) { TextTaint::SECRET } else { TextTaint::NONE };
    power_flow(&walk.variable(&name).unwrap_or_else(|| vec![ShellArg::unknown(taint)]))
}

pub(super) fn run_load(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let written = call.value("path", 0).and_then(|file| walk.written_before(&literal_path(file)));
    let taint = call.taint() | written.map_or(TextTaint::NONE, |flow| flow.taint);
    walk.push_code(taint, call.alias, "it loads code that may do anything");
    TextFlow::known("")
}

pub(super) fn run_block(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let given = call.print_words();
    TextFlow { text: given.text.map(|text| format!("{BLOCK}{text}")), ..given }
}

/// A new object of a class, by the class's name.
pub(super) fn new_object(walk: &mut CommandWalk<'_>, name: &str, args: &[ShellArg]) -> TextFlow {
    let name = name.strip_prefix("system.").unwrap_or(name);
    let given = power_flow(args);
    if let Some(flow) = run_method_row(walk, &format!("{name}::new"), args, &TextFlow::default()) {
        return flow;
    }
    match name {
        name if name.contains("compression") => changed(given.taint),
        "net.sockets.udpclient" => push_request(walk, name, args.first().unwrap_or(&ShellArg::default()), None),
        name if name.ends_with("process") || name.contains("shell") => TextFlow::known(name),
        _ if args.is_empty() => TextFlow::known(name),
        _ => given,
    }
}

/// `SetEnvironmentVariable(name, value, target)`.
pub(super) fn run_set_environment(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let args: Vec<ShellArg> = call.all_operands().cloned().collect();
    let [name, value, rest @ ..] = args.as_slice() else { return TextFlow::known("") };
    walk.set_variable(&power_variable(&format!("env:{}", name.text)), vec![value.clone()]);
    if rest.iter().any(|target| !target.text.eq_ignore_ascii_case("process") && !target.text.is_empty()) {
        walk.push(
            Operation::new(OperationKind::System, "SetEnvironmentVariable").action("settings").written(name.shown()),
        );
    }
    TextFlow::known("")
}

/// A folder by the name that Windows has for it.
pub(super) fn run_folder(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let below = match call.text("name", 0).as_str() {
        "userprofile" => "",
        "desktop" | "desktopdirectory" => "/Desktop",
        "mydocuments" | "personal" => "/Documents",
        "applicationdata" => "/AppData/Roaming",
        "localapplicationdata" => "/AppData/Local",
        "startup" => "/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup",
        "system" | "windows" => return TextFlow::known("C:/Windows"),
        _ => "/Documents",
    };
    match walk.site.home {
        Some(home) => TextFlow::known(format!("{}{below}", home.to_string_lossy())),
        None => TextFlow::from_taint(TextTaint::NONE),
    }
}

/// The letters of a Base64 text of bytes; `None` if it is none.
fn decode_base64(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for letter in text.bytes().filter(|letter| !letter.is_ascii_whitespace() && *letter != b'=') {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    // Every second byte of UTF-16 is zero.
    bytes.retain(|byte| *byte != 0);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
