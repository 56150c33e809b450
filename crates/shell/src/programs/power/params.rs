//! The parameters of cmdlets.

use crate::syntax::power::LIST;
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, power_flow, power_items};

/// What a cmdlet does.
#[derive(Clone, Copy)]
pub(super) enum CmdletUse {
    Function(fn(&mut CommandWalk<'_>, &CmdletCall<'_>) -> TextFlow),
    /// Only prints a text.
    Prints(&'static str),
}

/// What a cmdlet is called, takes and does.
pub(super) struct CmdletDef {
    /// Its name and its aliases.
    pub(super) names: Vec<&'static str>,
    /// Its parameters, the more usual ones first; a `*` behind a name takes a value.
    pub(super) params: Vec<&'static str>,
    pub(super) used: CmdletUse,
}

/// Parameters of every cmdlet; a `*` behind a name takes a value.
const COMMON: &str = "whatif confirm verbose debug erroraction* ea* warningaction* wa* informationaction* infa* \
    errorvariable* ev* outvariable* ov* outbuffer* pipelinevariable* pv* progressaction*";
/// Names of cmdlets that are also programs of Unix: options that no parameter has are for the program.
const PROGRAM_NAMES: &str = "rm cat cp mv ls rmdir mkdir md sleep sort tee diff kill ps curl wget echo man mount \
    where find type start del copy move clear pwd cd sc date which";

/// A cmdlet with its arguments.
pub(super) struct CmdletCall<'a> {
    pub(super) def: &'static CmdletDef,
    /// The name as given, in lower case; of a method that a row gives to a cmdlet, its own.
    pub(super) alias: &'a str,
    pub(super) is_method: bool,
    named: Vec<(&'static str, Vec<ShellArg>)>,
    /// The arguments without a name, each a list.
    pub(super) operands: Vec<Vec<ShellArg>>,
    /// Whether there are options that no parameter has.
    has_unbound: bool,
    pub(super) stdin: &'a TextFlow,
    /// What the blocks among the arguments print.
    pub(super) printed: Option<TextFlow>,
}

impl<'a> CmdletCall<'a> {
    fn new(def: &'static CmdletDef, alias: &'a str, stdin: &'a TextFlow) -> Self {
        let (named, operands) = (Vec::new(), Vec::new());
        Self { def, alias, is_method: false, named, operands, has_unbound: false, stdin, printed: None }
    }

    /// A method of a value or a type: its parameters have their places, and the last one takes what is left.
    pub(super) fn of_method(def: &'static CmdletDef, name: &'a str, args: &[ShellArg], stdin: &'a TextFlow) -> Self {
        let mut call = Self { is_method: true, ..Self::new(def, name.trim_end_matches('('), stdin) };
        let mut args = args.iter().cloned();
        for (index, param) in def.params.iter().enumerate() {
            let is_last = index + 1 == def.params.len();
            let values: Vec<ShellArg> = args.by_ref().take(if is_last { usize::MAX } else { 1 }).collect();
            if !values.is_empty() || param.ends_with('!') {
                call.named.push((param.trim_end_matches(['*', '!']), values));
            }
        }
        call.operands.extend(args.map(|arg| vec![arg]));
        call
    }

    pub(super) fn bind(def: &'static CmdletDef, alias: &'a str, args: &[ShellArg], stdin: &'a TextFlow) -> Self {
        let mut call = Self::new(def, alias, stdin);
        let mut args = args.iter().peekable();
        let mut is_behind_end = false;
        while let Some(arg) = args.next() {
            let option = arg.text.strip_prefix('-').filter(|_| !is_behind_end).filter(|name| {
                name.starts_with(|letter: char| letter.is_ascii_alphabetic()) && !name.contains([' ', '\n'])
            });
            if arg.text == "--" {
                is_behind_end = true;
                continue;
            }
            call.has_unbound |= arg.text.starts_with("--") && !is_behind_end;
            let Some(option) = option else {
                let mut list = vec![arg.clone()];
                take_list(&mut args, &mut list);
                call.operands.push(list);
                continue;
            };
            let (name, glued) = option.split_once(':').map_or((option, None), |(name, value)| (name, Some(value)));
            let Some((name, takes_value)) = def.parameter(name) else {
                call.has_unbound = true;
                continue;
            };
            let mut list = Vec::new();
            match glued {
                Some(value) if !takes_value && matches!(value.to_ascii_lowercase().as_str(), "false" | "0" | "") => {
                    continue;
                }
                Some(value) if !value.is_empty() => list.push(ShellArg { text: value.to_owned(), ..arg.clone() }),
                _ if takes_value => list.extend(args.next().cloned()),
                _ => {}
            }
            if takes_value {
                take_list(&mut args, &mut list);
            }
            call.named.push((name, list));
        }
        call
    }

    /// Whether the options are those of a program with the same name.
    pub(super) fn is_for_program(&self) -> bool {
        let is_program = PROGRAM_NAMES.split_whitespace().any(|name| name == self.alias);
        match self.alias {
            // Windows has `curl` and `sc` as programs too.
            "curl" | "wget" => !self.named.iter().any(|(name, _)| name.len() > 1) || self.has_unbound,
            "sc" => self.operands.first().and_then(|list| list.first()).is_some_and(|verb| {
                matches!(
                    verb.text.to_ascii_lowercase().as_str(),
                    "stop" | "start" | "delete" | "config" | "create" | "query" | "failure" | "sdset"
                )
            }),
            _ => is_program && self.has_unbound,
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.named.iter().any(|(given, _)| *given == name)
    }

    /// The values of a parameter.
    pub(super) fn values(&self, name: &str) -> impl Iterator<Item = &ShellArg> {
        self.named.iter().filter(move |(given, _)| *given == name).flat_map(|(_, list)| list)
    }

    /// The first value of a parameter, or the operand at a position.
    pub(super) fn value(&self, name: &str, position: usize) -> Option<&ShellArg> {
        self.values(name).next().or_else(|| self.operands.get(position)?.first())
    }

    pub(super) fn text(&self, name: &str, position: usize) -> String {
        self.value(name, position).map(|value| value.text.to_ascii_lowercase()).unwrap_or_default()
    }

    /// The arguments of what it runs.
    pub(super) fn passed_args(&self) -> impl Iterator<Item = &ShellArg> {
        self.values("argumentlist").chain(self.values("args")).chain(self.operands.iter().skip(1).flatten())
    }

    /// What it names, with a parameter or without.
    pub(super) fn names(&self) -> impl Iterator<Item = &ShellArg> {
        self.values("name").chain(self.all_operands()).chain(self.values("id"))
    }

    /// All operands, without their lists.
    pub(super) fn all_operands(&self) -> impl Iterator<Item = &ShellArg> {
        self.operands.iter().flatten()
    }

    /// The paths behind a parameter.
    pub(super) fn named_paths(&self) -> Vec<ShellArg> {
        let patterns = self.values("path").chain(self.values("filepath")).map(pattern_path);
        patterns.chain(self.values("literalpath").map(literal_path)).collect()
    }

    /// The paths that the cmdlet works on: named, or the first operand, or the input.
    pub(super) fn paths(&self) -> Vec<ShellArg> {
        let mut paths = self.named_paths();
        if paths.is_empty() {
            paths.extend(self.operands.first().into_iter().flatten().map(pattern_path));
        }
        if paths.is_empty() && !super::shared::is_nothing(self.stdin) {
            paths.extend(power_items(self.stdin).iter().map(pattern_path));
        }
        paths
    }

    /// All values, named or not.
    pub(super) fn words(&self) -> impl Iterator<Item = &ShellArg> {
        self.named.iter().flat_map(|(_, list)| list).chain(self.all_operands())
    }

    /// Its values as a command prints them.
    pub(super) fn print_words(&self) -> TextFlow {
        power_flow(&self.words().cloned().collect::<Vec<_>>())
    }

    pub(super) fn taint(&self) -> TextTaint {
        self.words().fold(TextTaint::NONE, |taint, arg| taint | arg.taint)
    }

    pub(super) fn run(&self, walk: &mut CommandWalk<'_>) -> TextFlow {
        match self.def.used {
            CmdletUse::Function(run) => run(walk, self),
            CmdletUse::Prints(text) => TextFlow::known(text.replace("\\n", "\n")),
        }
    }

    pub(super) fn cmdlet(&self) -> &'static str {
        self.def.names.first().copied().unwrap_or_default()
    }

    /// What its operations call it.
    pub(super) fn name(&self) -> &'a str {
        if self.is_method { self.alias } else { self.cmdlet() }
    }
}

/// The rest of a list, behind its marks.
fn take_list<'a>(args: &mut std::iter::Peekable<impl Iterator<Item = &'a ShellArg>>, list: &mut Vec<ShellArg>) {
    while args.next_if(|arg| arg.text == LIST).is_some() {
        list.extend(args.next().cloned());
    }
}

/// A path with slashes, without the name of its provider.
pub(super) fn literal_path(arg: &ShellArg) -> ShellArg {
    let text = arg.text.rsplit_once("FileSystem::").map_or(arg.text.as_str(), |(_, path)| path);
    ShellArg { text: text.replace('\\', "/"), ..arg.clone() }
}

/// A path in which `*`, `?` and `[ ]` are patterns, quoted or not.
pub(super) fn pattern_path(arg: &ShellArg) -> ShellArg {
    let path = literal_path(arg);
    ShellArg { is_pattern: path.is_pattern || path.text.contains(['*', '?', '[']), ..path }
}

impl CmdletDef {
    /// A parameter by its name or the beginning of it, and whether it takes a value.
    fn parameter(&self, written: &str) -> Option<(&'static str, bool)> {
        let lower = written.to_ascii_lowercase();
        let all = || self.params.iter().copied().chain(COMMON.split_whitespace());
        let exact = all().find(|name| name.trim_end_matches('*') == lower);
        let found = exact.or_else(|| all().find(|name| name.starts_with(&lower)))?;
        Some((found.trim_end_matches('*'), found.ends_with('*')))
    }
}
