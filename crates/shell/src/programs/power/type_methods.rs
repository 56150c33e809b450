//! Methods of .NET types.

use std::sync::LazyLock;

use serde::Deserialize;

use super::network::push_request;
use super::params::literal_path;
use super::shared::{push_secret, run_command, run_twin, words_of};
use super::values::{changed, join_parts, run_operator};
use crate::secret_name::is_secret_name;
use crate::syntax::power::{BLOCK, power_variable};
use crate::walk::{CommandWalk, ListedFiles, ShellArg, TextFlow, TextTaint, power_flow};
use crate::word_lists::{WordLists, read_name};
use crate::{Operation, OperationKind, OperationTag};

/// What a method does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TypeEffect {
    Delete,
    Read,
    Write,
    Append,
    CopyFile,
    Move,
    /// Lists a directory.
    List,
    Start,
    Decode,
    /// Gives its arguments in another form.
    Convert,
    /// Gives its arguments.
    Pass,
    Join,
    TemporaryDirectory,
    TemporaryFile,
    LineEnd,
    Folder,
    Variable,
    Variables,
    SetVariable,
    Request,
    Load,
    Block,
    Decrypt,
    Permission,
    Exit,
}
use TypeEffect::{
    Append, Block, Convert, CopyFile, Decode, Decrypt, Delete, Exit, Folder, Join, LineEnd, List, Load, Move, Pass,
    Permission, Read, Request, SetVariable, Start, TemporaryDirectory, TemporaryFile, Variable, Variables, Write,
};

static METHODS: LazyLock<WordLists<TypeEffect>> =
    LazyLock::new(|| WordLists::read(include_str!("types.txt"), read_name));

fn effect_of(path: &str) -> Option<TypeEffect> {
    METHODS.meanings(path).next().copied()
}

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
    match (effect_of(plain), plain.strip_suffix("::new")) {
        (Some(effect), _) => run_effect(walk, plain, effect, args),
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

fn run_effect(walk: &mut CommandWalk<'_>, name: &str, effect: TypeEffect, args: &[ShellArg]) -> TextFlow {
    let given = power_flow(args);
    let first = args.first().map(literal_path).unwrap_or_default();
    let second = args.get(1).map(literal_path).unwrap_or_default();
    let (head, rest) = args.split_at(args.len().min(1));
    // A reader or a writer of something other than a file.
    let is_stream =
        name.ends_with("::new") && (!first.is_known() || first.taint.has(TextTaint::NETWORK | TextTaint::DECODED));
    match effect {
        Read | Write | Append if is_stream => return TextFlow { text: None, ..given },
        Delete => {
            let is_recursive = name.contains("directory") && args.len() > 1;
            let operation = Operation::new(OperationKind::Delete, name).tag_if(is_recursive, OperationTag::Recursive);
            walk.push_path(operation, &first);
        }
        Read => return walk.read_file(name, &first, false),
        Write | Append => {
            let content = power_flow(args.get(1..2).unwrap_or_default());
            walk.write_file(name, &first, if effect == Append { "append" } else { "replace" }, content);
        }
        CopyFile => return run_twin(walk, &["cp", "-r", "--"], vec![first, second], &TextFlow::default()),
        Move => return run_twin(walk, &["mv", "--"], vec![first, second], &TextFlow::default()),
        List => {
            let files = ListedFiles { root: first, is_filtered: args.len() > 1, is_recursive: args.len() > 2 };
            return TextFlow::listing(vec![files]);
        }
        Start => {
            let Some(program) = args.first().filter(|program| !program.text.contains("://")) else {
                return TextFlow::default();
            };
            let words: Vec<ShellArg> = args.iter().skip(1).flat_map(words_of).collect();
            return run_command(walk, program, &words, &TextFlow::default());
        }
        Decode => {
            let text = given.text.as_deref().filter(|_| name.contains("base64")).and_then(decode_base64);
            return TextFlow { taint: given.taint | TextTaint::DECODED, text, ..TextFlow::default() };
        }
        Convert => return changed(given.taint),
        Pass if name == "string::join" => return run_operator("join", head, &power_flow(rest)),
        Pass if name == "string::format" => return run_operator("f", rest, &power_flow(head)),
        Pass if name == "string::concat" => {
            return TextFlow { text: given.text.map(|text| text.replace('\n', "")), ..given };
        }
        Pass => return given,
        Join => return join_parts(args),
        TemporaryDirectory => return TextFlow::known("/tmp"),
        TemporaryFile => return TextFlow::known("/tmp/new.tmp"),
        LineEnd => return TextFlow::known("\n"),
        Folder => return known_folder(walk, &first.text),
        Variable => {
            let name = power_variable(&format!("env:{}", first.text));
            let unknown =
                || vec![ShellArg::unknown(if is_secret_name(&name) { TextTaint::SECRET } else { TextTaint::NONE })];
            return power_flow(&walk.variable(&name).unwrap_or_else(unknown));
        }
        Variables => return TextFlow::from_taint(TextTaint::ENVIRONMENT),
        SetVariable => return set_environment(walk, args),
        Request => return push_request(walk, name, args.first().unwrap_or(&first), None),
        Load => {
            let taint = given.taint | walk.written_before(&first).map_or(TextTaint::NONE, |flow| flow.taint);
            walk.push_code(taint, name, "it loads code that may do anything");
        }
        Block => return TextFlow { text: given.text.map(|text| format!("{BLOCK}{text}")), ..given },
        Decrypt => return push_secret(walk, name, "decrypt"),
        Permission => drop(walk.push_path(Operation::new(OperationKind::Permission, name).action("owner"), &first)),
        Exit => {}
    }
    TextFlow::known("")
}

/// A new object of a class, by the class's name.
pub(super) fn new_object(walk: &mut CommandWalk<'_>, name: &str, args: &[ShellArg]) -> TextFlow {
    let name = name.strip_prefix("system.").unwrap_or(name);
    let given = power_flow(args);
    if let Some(effect) = effect_of(&format!("{name}::new")) {
        return run_effect(walk, &format!("{name}::new"), effect, args);
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
pub(super) fn set_environment(walk: &mut CommandWalk<'_>, args: &[ShellArg]) -> TextFlow {
    let [name, value, rest @ ..] = args else { return TextFlow::known("") };
    walk.set_variable(&power_variable(&format!("env:{}", name.text)), vec![value.clone()]);
    if rest.iter().any(|target| !target.text.eq_ignore_ascii_case("process") && !target.text.is_empty()) {
        walk.push(
            Operation::new(OperationKind::System, "SetEnvironmentVariable").action("settings").written(name.shown()),
        );
    }
    TextFlow::known("")
}

/// A folder by the name that Windows has for it.
fn known_folder(walk: &mut CommandWalk<'_>, name: &str) -> TextFlow {
    let below = match name.to_ascii_lowercase().as_str() {
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
