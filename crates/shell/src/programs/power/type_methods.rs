//! Methods of .NET types.

use super::network::push_request;
use super::params::literal_path;
use super::shared::{push_secret, run_twin};
use super::values::{changed, join_parts};
use crate::secret_name::is_secret_name;
use crate::syntax::power::{BLOCK, power_variable};
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, power_flow};
use crate::{Operation, OperationKind, OperationTag};

/// What a method does.
#[derive(Debug, Clone, Copy)]
enum TypeEffect {
    Delete,
    Read,
    Write(&'static str),
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
    /// A directory or file of the machine.
    Known(&'static str),
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
    Block, Convert, CopyFile, Decode, Decrypt, Delete, Exit, Folder, Join, Known, List, Load, Move, Pass, Permission,
    Read, Request, SetVariable, Start, Variable, Variables, Write,
};

/// Methods as `type::method` in small letters, without `System.`.
static METHODS: &[(&str, TypeEffect)] = &[
    (
        "io.file::delete io.directory::delete microsoft.visualbasic.fileio.filesystem::deletefile \
      microsoft.visualbasic.fileio.filesystem::deletedirectory",
        Delete,
    ),
    (
        "io.file::readalltext io.file::readalllines io.file::readallbytes io.file::readlines io.file::openread \
      io.file::opentext io.streamreader::new",
        Read,
    ),
    (
        "io.file::writealltext io.file::writeallbytes io.file::writealllines io.file::create io.file::createtext \
      io.file::openwrite io.file::open io.streamwriter::new io.file::setattributes",
        Write("replace"),
    ),
    ("io.file::appendalltext io.file::appendalllines io.file::appendtext", Write("append")),
    ("io.file::copy io.file::replace", CopyFile),
    ("io.file::move io.directory::move", Move),
    (
        "io.directory::getfiles io.directory::enumeratefiles io.directory::getfilesystementries \
      io.directory::getdirectories io.directory::enumeratedirectories io.directory::enumeratefilesystementries",
        List,
    ),
    ("io.compression.zipfile::createfromdirectory", CopyFile),
    ("io.compression.zipfile::extracttodirectory", CopyFile),
    ("diagnostics.process::start", Start),
    (
        "convert::frombase64string convert::fromhexstring text.encoding::getstring io.compression.gzipstream::new \
      io.compression.deflatestream::new convert::frombase64chararray runtime.interopservices.marshal::copy",
        Decode,
    ),
    (
        "convert::tobase64string convert::tostring convert::tohexstring bitconverter::tostring uri::escapedatastring \
      uri::unescapedatastring net.webutility::urlencode web.httputility::urlencode net.webutility::urldecode \
      regex::replace text.regularexpressions.regex::replace regex::unescape array::reverse regex::matches",
        Convert,
    ),
    (
        "string::join string::concat string::format text.encoding::getbytes io.path::getfullpath convert::tochar \
      convert::toint32 io.memorystream::new io.fileinfo::new io.directoryinfo::new uri::new string::new \
      text.stringbuilder::new environment::expandenvironmentvariables char::convertfromutf32 array::copy \
      net.http.stringcontent::new net.http.bytearraycontent::new io.path::changeextension",
        Pass,
    ),
    ("io.path::combine io.path::join", Join),
    ("io.path::gettemppath", Known("/tmp")),
    ("io.path::gettempfilename io.path::getrandomfilename", Known("/tmp/new.tmp")),
    ("environment::newline", Known("\n")),
    ("environment::getfolderpath", Folder),
    ("environment::getenvironmentvariable", Variable),
    ("environment::getenvironmentvariables", Variables),
    ("environment::setenvironmentvariable", SetVariable),
    (
        "net.webrequest::create net.httpwebrequest::create net.sockets.tcpclient::new net.dns::gethostaddresses \
      net.dns::gethostentry net.dns::resolve net.webrequest::createhttp",
        Request,
    ),
    (
        "reflection.assembly::load reflection.assembly::loadfile reflection.assembly::loadfrom \
      reflection.assembly::unsafeloadfrom appdomain::load runtime.interopservices.marshal::getdelegateforfunctionpointer",
        Load,
    ),
    ("scriptblock::create management.automation.scriptblock::create", Block),
    (
        "security.cryptography.protecteddata::unprotect runtime.interopservices.marshal::ptrtostringauto \
      runtime.interopservices.marshal::ptrtostringbstr runtime.interopservices.marshal::ptrtostringuni \
      windows.security.credentials.passwordvault::new",
        Decrypt,
    ),
    ("io.file::setaccesscontrol io.directory::setaccesscontrol io.file::setunixfilemode", Permission),
    ("environment::exit", Exit),
];

fn effect_of(path: &str) -> Option<TypeEffect> {
    METHODS.iter().find(|(names, _)| names.split_whitespace().any(|name| name == path)).map(|(_, effect)| *effect)
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
    if let Some(of_type) = plain.strip_suffix("::new") {
        return match effect_of(plain) {
            Some(effect) => run_effect(walk, plain, effect, args),
            None => new_object(walk, of_type, args),
        };
    }
    match effect_of(plain) {
        Some(effect) => run_effect(walk, plain, effect, args),
        None if plain.contains("amsi") => {
            walk.push(Operation::new(OperationKind::System, plain).action("policy"));
            TextFlow::from_taint(TextTaint::NONE)
        }
        // A property such as `[Text.Encoding]::UTF8`, or a method without a meaning of its own.
        None => TextFlow {
            taint: given.taint | left.taint,
            text: if args.is_empty() { Some(String::new()) } else { None },
            ..TextFlow::default()
        },
    }
}

fn run_effect(walk: &mut CommandWalk<'_>, name: &str, effect: TypeEffect, args: &[ShellArg]) -> TextFlow {
    let given = power_flow(args);
    let first = args.first().map(literal_path).unwrap_or_default();
    let second = args.get(1).map(literal_path).unwrap_or_default();
    // A reader or a writer of something other than a file.
    let is_stream =
        name.ends_with("::new") && (!first.is_known() || first.taint.has(TextTaint::NETWORK | TextTaint::DECODED));
    match effect {
        Read | Write(_) if is_stream => return TextFlow { text: None, ..given },
        Delete => {
            let is_recursive = name.contains("directory") && args.len() > 1;
            let operation = Operation::new(OperationKind::Delete, name).tag_if(is_recursive, OperationTag::Recursive);
            walk.push_path(operation, &first);
        }
        Read => return walk.read_file(name, &first, false),
        Write(action) => {
            let content = power_flow(args.get(1..2).unwrap_or_default());
            walk.write_file(name, &first, action, content);
        }
        CopyFile => return run_twin(walk, &["cp", "-r", "--"], vec![first, second], &TextFlow::default()),
        Move => return run_twin(walk, &["mv", "--"], vec![first, second], &TextFlow::default()),
        List => {
            let files =
                crate::walk::ListedFiles { root: first, is_filtered: args.len() > 1, is_recursive: args.len() > 2 };
            return TextFlow::listing(vec![files]);
        }
        Start => {
            let Some(program) = args.first().filter(|program| !program.text.contains("://")) else {
                return TextFlow::default();
            };
            let words: Vec<ShellArg> = args
                .iter()
                .skip(1)
                .flat_map(|arg| {
                    arg.text
                        .split_whitespace()
                        .map(|word| ShellArg { text: word.to_owned(), ..arg.clone() })
                        .collect::<Vec<_>>()
                })
                .collect();
            return super::shared::run_command(walk, program, &words, &TextFlow::default());
        }
        Decode => {
            let text = given.text.as_deref().filter(|_| name.contains("base64")).and_then(decode_base64);
            return TextFlow { taint: given.taint | TextTaint::DECODED, text, ..TextFlow::default() };
        }
        Convert => return changed(given.taint),
        Pass if name == "string::join" || name == "string::format" => {
            let rest = power_flow(args.get(1..).unwrap_or_default());
            let operator = if name == "string::join" { "join" } else { "f" };
            return match operator {
                "join" => super::values::run_operator("join", args.get(..1).unwrap_or_default(), &rest),
                _ => super::values::run_operator(
                    "f",
                    args.get(1..).unwrap_or_default(),
                    &power_flow(args.get(..1).unwrap_or_default()),
                ),
            };
        }
        Pass if name == "string::concat" => {
            return TextFlow { text: given.text.map(|text| text.replace('\n', "")), ..given };
        }
        Pass => return given,
        Join => return join_parts(args),
        Known(text) => return TextFlow::known(text),
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
