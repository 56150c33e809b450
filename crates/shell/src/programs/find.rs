//! The expression of `find`: which files it selects, and what it does with them.

use crate::paths::matches_glob;
use crate::walk::{ParsedOptions, ShellArg};
use crate::watch::WatchedFile;

/// The deepest nesting of brackets and negations.
const MAX_DEPTH: usize = 64;
/// The longest text that is compared with a pattern.
const MAX_TEXT: usize = 250;

/// What a search does with a file.
#[derive(Debug)]
pub(super) enum FindAction {
    Delete,
    /// Runs a command, in which `{}` is the file.
    Run(Vec<ShellArg>),
    /// Writes about it to this file.
    Write(ShellArg),
    /// Prints its name.
    List,
}

/// Whether a file passes a test. What only the disk says may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FindTruth {
    No,
    Maybe,
    Yes,
}
use FindTruth::{Maybe, No, Yes};

#[derive(Debug)]
enum FindTest {
    /// A pattern of the name, and whether its case counts.
    Name(String, bool),
    /// A pattern of the whole path as printed, and whether its case counts.
    Path(String, bool),
    Directory,
    File,
    Empty,
    /// What is not known here.
    Other,
}

#[derive(Debug)]
enum FindNode {
    And(Vec<Self>),
    Or(Vec<Self>),
    Not(Box<Self>),
    Test(FindTest),
    /// The action of this number.
    Action(usize),
    Prune,
}

/// An expression that selects files, and does something with them.
#[derive(Debug)]
pub(super) struct FindExpression {
    pub(super) actions: Vec<FindAction>,
    node: FindNode,
    least_depth: usize,
    most_depth: usize,
    /// Whether what is in a directory comes before it, so that nothing is pruned.
    is_depth_first: bool,
    skips_hidden: bool,
    /// Whether it is nested too deeply to be read.
    is_cut: bool,
}

/// What happens to a file.
#[derive(Debug)]
struct FindVisit {
    actions: Vec<usize>,
    pruned: FindTruth,
}

impl FindExpression {
    fn of_actions(actions: Vec<FindAction>) -> Self {
        Self {
            actions,
            node: FindNode::And(Vec::new()),
            least_depth: 0,
            most_depth: usize::MAX,
            is_depth_first: false,
            skips_hidden: false,
            is_cut: false,
        }
    }

    pub(super) fn parse(args: &[ShellArg]) -> Self {
        let expression = Self::of_actions(Vec::new());
        let mut parser = FindParser { args, index: 0, depth: 0, expression };
        let mut nodes = Vec::new();
        while parser.index < args.len() {
            nodes.push(parser.parse_list());
            // A bracket without another one.
            parser.index += 1;
        }
        let mut expression = parser.expression;
        expression.end(nodes);
        expression
    }

    /// The search of `fd`: a pattern of the name, and its options.
    pub(super) fn of_fd(pattern: Option<&str>, options: &ParsedOptions<'_>, run: &[ShellArg]) -> Self {
        let mut tests: Vec<FindTest> = Vec::new();
        // A pattern with other characters than letters may match any name.
        let is_plain = |text: &&str| text.chars().all(|letter| letter.is_alphanumeric() || "-_".contains(letter));
        tests.extend(pattern.filter(is_plain).map(|text| FindTest::Name(format!("*{text}*"), false)));
        let ends: Vec<&ShellArg> = options.values("e", "extension").collect();
        if let [end] = ends.as_slice() {
            tests.push(FindTest::Name(format!("*.{}", end.text.trim_start_matches('.')), false));
        }
        let depth = options.values("d", "max-depth").next().and_then(|depth| depth.text.parse().ok());
        let actions = if run.is_empty() { Vec::new() } else { vec![FindAction::Run(run.to_vec())] };
        let mut expression = Self {
            least_depth: 1,
            most_depth: depth.unwrap_or(usize::MAX),
            skips_hidden: !options.has("H", "hidden") && !options.has("u", "unrestricted"),
            ..Self::of_actions(actions)
        };
        let action = (!run.is_empty()).then_some(FindNode::Action(0));
        expression.end(tests.into_iter().map(FindNode::Test).chain(action).collect());
        expression
    }

    /// Without an action, it prints.
    fn end(&mut self, mut nodes: Vec<FindNode>) {
        if self.actions.is_empty() {
            self.actions.push(FindAction::List);
            nodes.push(FindNode::Action(0));
        }
        self.node = FindNode::And(nodes);
    }

    /// Whether a file may come to an action. `start` is the directory where the search starts, as written.
    pub(super) fn reaches(&self, action: usize, start: &str, file: &WatchedFile) -> bool {
        let depth = file.within.components().count();
        let is_hidden = || file.within.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
        if depth < self.least_depth || depth > self.most_depth || self.skips_hidden && is_hidden() {
            return false;
        }
        let is_pruned = || {
            file.within.ancestors().skip(1).zip(file.path.ancestors().skip(1)).any(|(within, path)| {
                let (path, within) = (path.to_owned(), within.to_owned());
                self.visit(start, &WatchedFile { path, within, is_dir: true, is_empty: false }).pruned == Yes
            })
        };
        self.is_cut || self.visit(start, file).actions.contains(&action) && (self.is_depth_first || !is_pruned())
    }

    fn visit(&self, start: &str, file: &WatchedFile) -> FindVisit {
        let mut visit = FindVisit { actions: Vec::new(), pruned: No };
        self.check(&self.node, start, file, Yes, &mut visit);
        visit
    }

    /// Whether a part of the expression holds. `reached`: whether the search evaluates it.
    fn check(
        &self,
        node: &FindNode,
        start: &str,
        file: &WatchedFile,
        reached: FindTruth,
        visit: &mut FindVisit,
    ) -> FindTruth {
        match node {
            FindNode::And(nodes) => nodes.iter().fold(Yes, |truth, node| {
                let reached = reached.min(truth);
                if reached == No { truth } else { truth.min(self.check(node, start, file, reached, visit)) }
            }),
            FindNode::Or(nodes) => nodes.iter().fold(No, |truth, node| {
                let reached = reached.min(negate(truth));
                if reached == No { truth } else { truth.max(self.check(node, start, file, reached, visit)) }
            }),
            FindNode::Not(node) => negate(self.check(node, start, file, reached, visit)),
            FindNode::Test(test) => test.check(start, file),
            FindNode::Action(index) => {
                visit.actions.push(*index);
                if matches!(self.actions.get(*index), Some(FindAction::Run(_))) { Maybe } else { Yes }
            }
            FindNode::Prune => {
                visit.pruned = visit.pruned.max(reached);
                Yes
            }
        }
    }
}

fn negate(truth: FindTruth) -> FindTruth {
    match truth {
        No => Yes,
        Maybe => Maybe,
        Yes => No,
    }
}

impl FindTest {
    fn check(&self, start: &str, file: &WatchedFile) -> FindTruth {
        let known = |holds: bool| if holds { Yes } else { No };
        let start = start.trim_end_matches('/');
        let within = file.within.to_string_lossy();
        match self {
            Self::Name(pattern, counts_case) => {
                // The name of the start is as it was written.
                let name = within.rsplit('/').next().filter(|name| !name.is_empty());
                matches_text(pattern, name.or(start.rsplit('/').next()).unwrap_or_default(), *counts_case)
            }
            Self::Path(pattern, counts_case) => {
                let whole = if within.is_empty() { start.to_owned() } else { format!("{start}/{within}") };
                matches_text(pattern, &whole, *counts_case)
            }
            Self::Directory => known(file.is_dir),
            Self::File => known(!file.is_dir),
            Self::Empty => known(file.is_empty),
            Self::Other => Maybe,
        }
    }
}

/// Whether a text matches a pattern. Sets of letters match any letter; case counts on some systems only.
fn matches_text(pattern: &str, text: &str, counts_case: bool) -> FindTruth {
    if pattern.len().max(text.len()) > MAX_TEXT || pattern.contains('\\') {
        return Maybe;
    }
    let mut simple = String::from("/");
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter == '[' {
            letters.by_ref().skip(1).find(|letter| *letter == ']');
        }
        simple.push(if letter == '[' { '?' } else { letter });
    }
    // A `*` also matches a leading dot.
    let text = format!("/{text}");
    let is_same = matches_glob(&simple, &text);
    match is_same || matches_glob(&simple.to_lowercase(), &text.to_lowercase()) {
        false => No,
        true if pattern.contains('[') || counts_case && !is_same => Maybe,
        true => Yes,
    }
}

struct FindParser<'a> {
    args: &'a [ShellArg],
    index: usize,
    depth: usize,
    expression: FindExpression,
}

impl FindParser<'_> {
    fn peek(&self) -> Option<&str> {
        self.args.get(self.index).map(|arg| arg.text.as_str())
    }

    fn next(&mut self) -> Option<ShellArg> {
        self.index += 1;
        self.args.get(self.index - 1).cloned()
    }

    fn next_text(&mut self) -> String {
        self.next().map(|arg| arg.text).unwrap_or_default()
    }

    /// `A , B`: both, whatever the first one says.
    fn parse_list(&mut self) -> FindNode {
        let mut nodes = vec![self.parse_alternatives()];
        while self.peek() == Some(",") {
            self.index += 1;
            let before = nodes.pop().unwrap_or(FindNode::And(Vec::new()));
            nodes.push(FindNode::Or(vec![before, FindNode::And(Vec::new())]));
            nodes.push(self.parse_alternatives());
        }
        FindNode::And(nodes)
    }

    fn parse_alternatives(&mut self) -> FindNode {
        let mut nodes = vec![self.parse_all()];
        while matches!(self.peek(), Some("-o" | "-or")) {
            self.index += 1;
            nodes.push(self.parse_all());
        }
        FindNode::Or(nodes)
    }

    fn parse_all(&mut self) -> FindNode {
        let mut nodes = Vec::new();
        while let Some(text) = self.peek() {
            match text {
                ")" | "," | "-o" | "-or" => break,
                "-a" | "-and" => self.index += 1,
                _ => nodes.extend(self.parse_one()),
            }
        }
        FindNode::And(nodes)
    }

    fn parse_one(&mut self) -> Option<FindNode> {
        if self.depth > MAX_DEPTH {
            self.expression.is_cut = true;
            self.index += 1;
            return None;
        }
        self.depth += 1;
        let node = self.parse_term();
        self.depth -= 1;
        node
    }

    fn parse_term(&mut self) -> Option<FindNode> {
        let text = self.next_text();
        let test = match text.as_str() {
            "!" | "-not" => {
                let inner = if matches!(self.peek(), Some(")" | "-o" | "-or" | ",")) { None } else { self.parse_one() };
                return Some(FindNode::Not(Box::new(inner.unwrap_or(FindNode::Test(FindTest::Other)))));
            }
            "(" => {
                let inner = self.parse_list();
                self.index += 1;
                return Some(inner);
            }
            "-prune" => return Some(FindNode::Prune),
            "-delete" => return Some(self.add_action(FindAction::Delete)),
            "-print" | "-print0" | "-ls" => return Some(self.add_action(FindAction::List)),
            "-printf" => {
                self.index += 1;
                return Some(self.add_action(FindAction::List));
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                let file = self.next().unwrap_or_default();
                self.index += usize::from(text == "-fprintf");
                return Some(self.add_action(FindAction::Write(file)));
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = self.args.get(self.index..).unwrap_or_default();
                let command: Vec<ShellArg> =
                    rest.iter().take_while(|arg| !matches!(arg.text.as_str(), ";" | "+")).cloned().collect();
                self.index += command.len() + 1;
                return Some(self.add_action(FindAction::Run(command)));
            }
            "-depth" | "-d" => {
                self.expression.is_depth_first = true;
                return None;
            }
            "-maxdepth" => {
                self.expression.most_depth = self.next_text().parse().unwrap_or(usize::MAX);
                return None;
            }
            "-mindepth" => {
                self.expression.least_depth = self.next_text().parse().unwrap_or(0);
                return None;
            }
            "-name" => FindTest::Name(self.next_text(), true),
            "-iname" => FindTest::Name(self.next_text(), false),
            "-path" | "-wholename" => FindTest::Path(self.next_text(), true),
            "-ipath" | "-iwholename" => FindTest::Path(self.next_text(), false),
            "-type" => match self.next_text().as_str() {
                "d" => FindTest::Directory,
                "f" => FindTest::File,
                _ => FindTest::Other,
            },
            "-empty" => FindTest::Empty,
            "-xdev" | "-mount" | "-follow" | "-noleaf" | "-daystart" | "-warn" | "-nowarn" | "-true" => return None,
            _ => {
                // Its value.
                while self.peek().is_some_and(|text| !text.starts_with(['-', '(', ')', '!', ','])) {
                    self.index += 1;
                }
                FindTest::Other
            }
        };
        Some(FindNode::Test(test))
    }

    fn add_action(&mut self, action: FindAction) -> FindNode {
        self.expression.actions.push(action);
        FindNode::Action(self.expression.actions.len() - 1)
    }
}
