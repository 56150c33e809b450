//! PowerShell on the walk: its lines, its values, and lists of files.

use std::rc::Rc;

use super::expand::FieldBuilder;
use super::{CommandWalk, ListedFiles, ShellArg, TextFlow, TextTaint};
use crate::paths::UNKNOWN;
use crate::syntax::ShellScript;
use crate::syntax::power::{BLOCK, parse_power};

/// The most values of one list.
const MAX_ITEMS: usize = 256;
/// The most bytes of PowerShell that one call parses, with what runs in it again and again.
const MAX_PARSED: usize = 4 * 1024 * 1024;

impl CommandWalk<'_> {
    /// Walks a PowerShell command line.
    pub(crate) fn run_powershell_line(&mut self, text: &str, stdin: &TextFlow) -> TextFlow {
        if text.contains(UNKNOWN) {
            self.push_code(stdin.taint, "", "a part of the command is not known");
        }
        let text = text.trim();
        // `powershell -BashCommand { … }`.
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
        self.run_power_block(inner, stdin)
    }

    /// Walks the text of a script block.
    pub(crate) fn run_power_block(&mut self, text: &str, stdin: &TextFlow) -> TextFlow {
        self.parsed_bytes = self.parsed_bytes.saturating_add(text.len());
        if self.parsed_bytes > MAX_PARSED {
            self.push_unknown("", "it runs more text than can be read");
            return TextFlow::from_taint(TextTaint::OUTPUT);
        }
        let script = parse_power(text.strip_prefix(BLOCK).unwrap_or(text));
        self.called(|walk| walk.run_script(&script, stdin))
    }

    /// Whether the line defines a function.
    pub(crate) fn has_function(&self, name: &str) -> bool {
        self.state.functions.contains_key(name)
    }

    /// Adds the value of an expression to the word that is being expanded.
    pub(super) fn expand_value(&mut self, script: &Rc<ShellScript>, is_alone: bool, built: &mut FieldBuilder) {
        let flow = self.called(|walk| walk.run_script(script, &TextFlow::default()));
        let values = power_items(&flow);
        if is_alone {
            built.done.extend(values);
            return;
        }
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                built.push(" ", TextTaint::NONE);
            }
            built.push(&value.text, value.taint);
        }
    }
}

/// What a command prints, one by one: lines, or files that it lists.
pub(crate) fn power_items(flow: &TextFlow) -> Vec<ShellArg> {
    let listed = flow.listed.iter().map(|files| ShellArg {
        is_pattern: true,
        taint: flow.taint | TextTaint::NAMES,
        ..pattern_of(files)
    });
    let mut items: Vec<ShellArg> = listed.take(MAX_ITEMS).collect();
    let is_listing = !items.is_empty();
    match &flow.text {
        Some(text) if text.is_empty() => {}
        // A block may have several lines.
        Some(text) if text.starts_with(BLOCK) => {
            items.push(ShellArg { taint: flow.taint, ..ShellArg::new(text.as_str()) })
        }
        Some(text) => {
            let text = text.strip_suffix('\n').unwrap_or(text);
            items.extend(
                text.split('\n').take(MAX_ITEMS).map(|line| ShellArg { taint: flow.taint, ..ShellArg::new(line) }),
            );
            if text.split('\n').nth(MAX_ITEMS).is_some() {
                items.push(ShellArg::unknown(flow.taint));
            }
        }
        None if is_listing => {}
        None => items.push(ShellArg::unknown(flow.taint)),
    }
    items
}

impl ListedFiles {
    /// The files of a name in the directory that is listed.
    pub(crate) fn join_name(&self, name: &str) -> ShellArg {
        let root = self.root.text.trim_end_matches(['/', '\\']);
        let root =
            if self.root.is_pattern { root.rsplit_once('/').map_or(".", |(directory, _)| directory) } else { root };
        ShellArg { text: format!("{root}/{name}"), is_pattern: true, ..self.root.clone() }
    }
}

/// The files of a listing as a pattern: everything below its root, or only some of it.
fn pattern_of(files: &ListedFiles) -> ShellArg {
    let root = &files.root;
    if root.is_pattern {
        return root.clone();
    }
    let name = if files.is_filtered { "*_*" } else { "*" };
    ShellArg { text: format!("{}/{name}", root.text.trim_end_matches(['/', '\\'])), is_pattern: true, ..root.clone() }
}

/// The output of a command that prints these values.
pub(crate) fn power_flow(items: &[ShellArg]) -> TextFlow {
    let mut flow =
        TextFlow { taint: items.iter().fold(TextTaint::NONE, |taint, item| taint | item.taint), ..TextFlow::default() };
    let mut lines: Vec<&str> = Vec::new();
    for item in items {
        if item.is_pattern && item.taint.has(TextTaint::NAMES) {
            flow.listed.push(ListedFiles { root: item.clone(), is_filtered: false, is_recursive: true });
        } else {
            lines.push(&item.text);
        }
    }
    if !lines.is_empty() || flow.listed.is_empty() {
        flow.text = Some(lines.join("\n"));
    }
    flow
}
