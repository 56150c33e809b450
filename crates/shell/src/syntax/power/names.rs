//! Names of variables, and letters that PowerShell reads as others.

use std::borrow::Cow;

use crate::syntax::ast::{BashWord, VariableExpansion, WordPiece};

/// The value of a variable that is always the same; `~` is the home directory.
fn known_value(name: &str) -> Option<&'static str> {
    Some(match name {
        "home" | "env:userprofile" | "env:homepath" => "~",
        "env:appdata" => "~/AppData/Roaming",
        "env:localappdata" => "~/AppData/Local",
        "env:onedrive" => "~/OneDrive",
        "env:windir" | "env:systemroot" => "C:/Windows",
        "env:systemdrive" => "C:",
        "env:programfiles" => "C:/Program Files",
        "env:programfiles(x86)" => "C:/Program Files (x86)",
        "env:programdata" | "env:allusersprofile" => "C:/ProgramData",
        "env:public" => "C:/Users/Public",
        "env:comspec" => "cmd.exe",
        "profile" => "~/.config/powershell/profile.ps1",
        "pshome" => "/opt/microsoft/powershell",
        "shellid" => "Microsoft.PowerShell",
        "true" => "True",
        "false" => "False",
        "null" | "env:homedrive" => "",
        _ => return None,
    })
}

/// The name under which the walk keeps a variable: small for PowerShell's own, capital for the environment.
pub(crate) fn power_variable(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let (scope, name) = lower.split_once(':').unwrap_or(("", &lower));
    match (scope, name) {
        ("env", "userprofile" | "homepath") => String::from("HOME"),
        ("env", "temp" | "tmp") => String::from("TMPDIR"),
        ("env", "username") => String::from("USER"),
        ("env", name) => name.to_ascii_uppercase(),
        (_, "pwd" | "psscriptroot") => String::from("PWD"),
        (_, "home") => String::from("HOME"),
        (_, "psitem" | "_") => String::from("_"),
        (_, name) => name.to_owned(),
    }
}

/// The pieces of a variable.
pub(super) fn variable_pieces(name: &str) -> Vec<WordPiece> {
    let variable = |name: String| {
        let subscript = Some(BashWord::literal("@"));
        WordPiece::Variable(Box::new(VariableExpansion {
            name,
            subscript,
            quoted: true,
            ..VariableExpansion::default()
        }))
    };
    match known_value(&name.to_ascii_lowercase()) {
        Some(value) => match value.strip_prefix('~') {
            Some(rest) => vec![variable(String::from("HOME")), WordPiece::Quoted(rest.to_owned())],
            None => vec![WordPiece::Quoted(value.to_owned())],
        },
        None if name.is_empty() => vec![WordPiece::Quoted(String::from("$"))],
        None => vec![variable(power_variable(name))],
    }
}

/// Typographic quotes and dashes are quotes and dashes to PowerShell.
pub(super) fn plain_letters(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let plain = |letter: char| match letter {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201e}' => '"',
        '\u{2013}'..='\u{2015}' => '-',
        letter => letter,
    };
    Cow::Owned(text.chars().map(plain).collect())
}
