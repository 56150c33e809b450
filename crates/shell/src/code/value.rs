//! What is known of the values in code.

use super::words::CodeWords;
use crate::paths::UNKNOWN;

/// What is known of an expression.
#[derive(Debug, Default, Clone)]
pub(super) struct CodeValue {
    pub(super) texts: Vec<String>,
    pub(super) has_unknown: bool,
    pub(super) is_list: bool,
    /// Whether a `/` behind it joins it with a name.
    pub(super) is_path: bool,
    /// Whether a decoder had to do with it.
    pub(super) is_decoded: bool,
    /// The module or function that it is.
    pub(super) module: Option<String>,
}

/// The longest text that is put together.
const MAX_TEXT: usize = 4096;

impl CodeValue {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { texts: vec![text.into()], ..Self::default() }
    }

    pub(super) fn unknown() -> Self {
        Self { has_unknown: true, ..Self::default() }
    }

    /// Adds a part of an expression: joined to the text before with `between`, or beside it.
    pub(super) fn join(&mut self, part: Self, between: Option<&str>) {
        self.is_list |= part.is_list;
        self.is_path |= part.is_path;
        self.is_decoded |= part.is_decoded;
        if self.module.is_none() {
            self.module = part.module;
        }
        let was_unknown = self.has_unknown;
        self.has_unknown |= part.has_unknown;
        match (between, self.texts.last_mut()) {
            (Some(between), Some(last)) => {
                match part.texts.first() {
                    Some(text) if last.len() + text.len() < MAX_TEXT => {
                        if !between.is_empty() && text.starts_with('/') {
                            last.clear();
                        } else if !between.is_empty() && !last.ends_with('/') {
                            last.push_str(between);
                        }
                        last.push_str(text);
                    }
                    Some(_) | None => {
                        last.push_str(between);
                        last.push(UNKNOWN);
                    }
                }
                self.texts.extend(part.texts.into_iter().skip(1));
            }
            (Some(between), None) if was_unknown && !part.texts.is_empty() => {
                let mut texts = part.texts.into_iter();
                self.texts.extend(texts.next().map(|text| format!("{UNKNOWN}{between}{text}")));
                self.texts.extend(texts);
            }
            _ => self.texts.extend(part.texts),
        }
    }
}

/// The last part of a name.
pub(super) fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '>']).next().unwrap_or_default()
}

/// The name of a module as the table of functions has it.
pub(super) fn module_name(text: &str) -> String {
    text.strip_prefix("node:").unwrap_or(text).replace('/', ".")
}

/// What a function gives for the texts that it gets, of which the first may be what it is a method of.
pub(super) fn result_of(name: &str, texts: &[String], has_unknown: bool) -> CodeValue {
    let first = || texts.first().cloned().unwrap_or_else(|| UNKNOWN.to_string());
    let below = |text: &str| format!("{}/*", text.trim_end_matches('/'));
    let path = |text: String| CodeValue { is_path: true, ..CodeValue::text(text) };
    let is_pathname = |text: &&String| text.contains('/') || text.starts_with('~');
    match last_part(name) {
        "homedir" | "home" if texts.iter().filter(is_pathname).count() == 0 => path(String::from("~")),
        "cwd" | "getcwd" | "pwd" => path(String::from(".")),
        "gettempdir" | "mkdtemp" | "mkdtempSync" | "TemporaryDirectory" | "mkstemp" | "NamedTemporaryFile"
        | "mktmpdir" | "tmpdir" | "tempfile" | "mktemp" => path(String::from("/tmp/tmp.code")),
        "iterdir" | "scandir" | "children" | "each_child" | "fwalk" => path(below(&first())),
        "listdir" | "readdirSync" | "readdir" | "entries" => CodeValue::text("*"),
        // The directory itself; what is in it is joined to it.
        "walk" | "Find.find" => path(first()),
        "glob" | "rglob" | "globSync" | "iglob" => match texts {
            [pattern] => path(pattern.clone()),
            [root, pattern, ..] => path(format!("{}/{pattern}", root.trim_end_matches('/'))),
            [] => CodeValue::unknown(),
        },
        "join" | "resolve" | "joinpath" | "expand_path" | "normalize" if texts.len() > 1 => {
            let texts: Vec<&String> = texts.iter().filter(|text| !is_module_word(text)).collect();
            let joined = texts.iter().fold(String::new(), |path, text| {
                if path.is_empty() || text.starts_with('/') {
                    (*text).clone()
                } else {
                    format!("{}/{text}", path.trim_end_matches('/'))
                }
            });
            path(joined)
        }
        "split" => CodeValue {
            texts: texts.first().map(|text| text.split_whitespace().map(str::to_owned).collect()).unwrap_or_default(),
            has_unknown,
            is_list: true,
            ..CodeValue::default()
        },
        "Path" | "File" | "PosixPath" | "PurePath" | "Pathname" | "expanduser" | "resolve" | "abspath" | "realpath"
        | "normpath" | "fspath" | "expand_path" | "absolute" | "realpathSync" | "dirname" | "Dir" => {
            CodeValue { texts: texts.to_vec(), has_unknown, is_path: true, ..CodeValue::default() }
        }
        "str" | "String" | "expandvars" | "bytes" | "join" | "strip" | "trim" | "encode" | "toString" | "list"
        | "sorted" | "set" | "tuple" | "enumerate" | "filter" | "iter" | "as_posix" => {
            CodeValue { texts: texts.to_vec(), has_unknown, ..CodeValue::default() }
        }
        "new" | "URL" | "open" | "getattr" => {
            CodeValue { texts: texts.to_vec(), has_unknown: true, ..CodeValue::default() }
        }
        _ => CodeValue::unknown(),
    }
}

/// Names of modules that come among the texts of a method.
fn is_module_word(text: &str) -> bool {
    matches!(text, "path" | "node:path" | "os" | "fs")
}

/// Words that say that code does something for some files only.
pub(super) fn is_condition(name: &str) -> bool {
    CodeWords::Conditions.has(last_part(name))
}

/// Functions whose result has the methods of a module.
pub(super) fn gives_process_or_module(name: &str) -> bool {
    matches!(last_part(name), "getRuntime" | "globals" | "mainModule")
}
