//! Prepares a text for the parser.
//!
//! The parser is recursive: a deeply nested source overflows its stack, which ends the process. So the depth of
//! everything that nests or chains is limited here, in one linear pass that needs no stack.
//!
//! The same pass expands tabs (which the parser rejects), drops a byte order mark and carriage returns, and replaces
//! the name `assert`, which the crate's lexer reserves although Starlark does not, with a name of the same length.

use crate::ScriptFinding;
use crate::finding::FindingCode;

/// The maximum length of a source. A policy script is a page; 64 KiB is a book.
pub(crate) const MAX_SOURCE_BYTES: usize = 64 << 10;
/// The maximum number of nested brackets.
const MAX_BRACKETS: usize = 100;
/// The maximum number of nested blocks.
const MAX_BLOCKS: usize = 100;
/// The maximum number of chained operators, calls and attribute accesses.
const MAX_CHAIN: usize = 2_000;
/// The maximum number of `elif` branches in one source.
const MAX_ELIF: usize = 1_000;
/// The same of a text that is shallow: to parse and to analyse it needs a small part of an ordinary stack. Most are.
const SHALLOW_BRACKETS: usize = 12;
const SHALLOW_BLOCKS: usize = 12;
const SHALLOW_CHAIN: usize = 60;
const SHALLOW_ELIF: usize = 20;
/// A tab expands to the next multiple of this.
const TAB: usize = 8;

/// The replacement for the name `assert`, with the same length so that columns stay valid.
pub(crate) const ASSERT_ALIAS: &str = "_asrt_";

pub(super) struct PreparedText {
    pub(super) text: String,
    pub(super) widened: Vec<(usize, usize, usize)>,
    pub(super) limit_finding: Option<ScriptFinding>,
    /// Whether nothing in the text nests or chains far.
    pub(super) is_shallow: bool,
}

pub(super) fn prepare(written: &str) -> PreparedText {
    let written = written.strip_prefix('\u{feff}').unwrap_or(written);
    let mut pass =
        PreparePass { text: String::with_capacity(written.len() + 16), chains: vec![0], ..PreparePass::default() };
    if written.len() > MAX_SOURCE_BYTES {
        let message = format!("the script is {} bytes long; the limit is {MAX_SOURCE_BYTES}", written.len());
        pass.limit_finding =
            Some(ScriptFinding::error(FindingCode::Limit, message, None).help("split it into several hooks"));
        return pass.finish();
    }
    let mut open = None;
    for (number, line) in written.split('\n').enumerate() {
        if number > 0 {
            pass.text.push('\n');
        }
        open = pass.copy_line(number, line.strip_suffix('\r').unwrap_or(line), open);
        if pass.limit_finding.is_some() {
            break;
        }
    }
    pass.finish()
}

type CharStream<'a> = std::iter::Peekable<std::str::CharIndices<'a>>;

#[derive(Clone, Copy)]
struct OpenString {
    quote_char: char,
    is_triple: bool,
    /// Open braces of an f-string, which contain code; `None` for other strings.
    open_braces: Option<usize>,
}

#[derive(Default)]
struct PreparePass {
    text: String,
    widened: Vec<(usize, usize, usize)>,
    limit_finding: Option<ScriptFinding>,
    /// The chain length at each open bracket; the first is outside brackets.
    chains: Vec<usize>,
    /// The sum of `chains`.
    link_count: usize,
    /// The indentation of each open block.
    blocks: Vec<usize>,
    elif_count: usize,
    /// Whether something nests or chains further than in a shallow text.
    is_deep: bool,
    /// Whether the last line ended in a backslash.
    is_continued: bool,
}

impl PreparePass {
    fn finish(self) -> PreparedText {
        let is_shallow = !self.is_deep && self.limit_finding.is_none();
        PreparedText { text: self.text, widened: self.widened, limit_finding: self.limit_finding, is_shallow }
    }

    /// Copies one line and returns the string that is still open at its end.
    fn copy_line(&mut self, number: usize, line: &str, open: Option<OpenString>) -> Option<OpenString> {
        if open.is_some() {
            return self.copy_tokens(line, open);
        }
        let rest = line.trim_start_matches([' ', '\t']);
        let indent = line.get(..line.len() - rest.len()).unwrap_or_default();
        let mut width = 0;
        for blank in indent.chars() {
            width = if blank == '\t' { (width / TAB + 1) * TAB } else { width + 1 };
        }
        if width != indent.len() {
            self.widened.push((number, indent.len(), width));
        }
        self.text.extend(std::iter::repeat_n(' ', width));
        if self.chains.len() == 1 && !self.is_continued {
            self.reset_chain();
            if !rest.is_empty() && !rest.starts_with('#') {
                self.enter_block(width);
            }
        }
        self.is_continued = false;
        self.copy_tokens(rest, None)
    }

    /// Copies the rest of a line, token by token, and returns the string that is still open.
    fn copy_tokens(&mut self, rest: &str, mut open: Option<OpenString>) -> Option<OpenString> {
        let mut chars = rest.char_indices().peekable();
        while let Some((index, char)) = chars.next() {
            if self.limit_finding.is_some() {
                return None;
            }
            if let Some(quote) = open {
                open = self.copy_string_char(quote, rest, index, char, &mut chars);
                continue;
            }
            match char {
                '#' => {
                    self.text.push_str(rest.get(index..).unwrap_or_default());
                    return None;
                }
                '\t' => self.text.push(' '),
                '"' | '\'' => open = Some(self.open_string(rest, index, char, &mut chars)),
                '(' | '[' | '{' => self.copy_open_bracket(char),
                ')' | ']' | '}' => {
                    self.text.push(char);
                    if self.chains.len() > 1 {
                        self.reset_chain();
                        self.chains.pop();
                    }
                }
                ',' => {
                    self.text.push(char);
                    self.reset_chain();
                }
                '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '~' | '<' | '>' | '=' | '!' | '.' => {
                    self.text.push(char);
                    self.add_link();
                }
                _ if char == '_' || char.is_alphanumeric() => {
                    let tail = rest.get(index..).unwrap_or_default();
                    let length = tail.find(|next: char| next != '_' && !next.is_alphanumeric()).unwrap_or(tail.len());
                    while chars.peek().is_some_and(|(next, _)| *next < index + length) {
                        chars.next();
                    }
                    self.copy_word(tail.get(..length).unwrap_or_default());
                }
                _ => self.text.push(char),
            }
        }
        self.is_continued = open.is_none() && rest.ends_with('\\');
        // A plain string continues on the next line only after an escaped newline; the parser reports other cases.
        open.filter(|quote| quote.is_triple)
    }

    /// Copies one character of a string and returns the string if it is still open.
    fn copy_string_char(
        &mut self,
        mut quote: OpenString,
        rest: &str,
        index: usize,
        char: char,
        chars: &mut CharStream<'_>,
    ) -> Option<OpenString> {
        self.text.push(char);
        if char == '\\' {
            self.text.extend(chars.next().map(|(_, escaped)| escaped));
            return Some(quote);
        }
        if char == quote.quote_char {
            let following = rest.get(index + 1..).unwrap_or_default();
            if !quote.is_triple {
                return None;
            }
            if following.starts_with([quote.quote_char, quote.quote_char].iter().collect::<String>().as_str()) {
                self.text.push(quote.quote_char);
                self.text.push(quote.quote_char);
                chars.next();
                chars.next();
                return None;
            }
        }
        if let Some(braces) = &mut quote.open_braces {
            match char {
                '{' => *braces += 1,
                '}' => *braces = braces.saturating_sub(1),
                _ => {}
            }
            if *braces > 0 && !char.is_alphanumeric() {
                self.add_link();
            }
        }
        Some(quote)
    }

    /// Copies the opening of a string.
    fn open_string(&mut self, rest: &str, index: usize, mark: char, chars: &mut CharStream<'_>) -> OpenString {
        let before = rest.get(..index).unwrap_or_default();
        let formatted = ["f", "fr", "rf", "F"].iter().any(|prefix| before.ends_with(prefix));
        let triple = rest.get(index..).unwrap_or_default().chars().take_while(|next| *next == mark).count() >= 3;
        self.text.push(mark);
        if triple {
            self.text.push(mark);
            self.text.push(mark);
            chars.next();
            chars.next();
        }
        OpenString { quote_char: mark, is_triple: triple, open_braces: formatted.then_some(0) }
    }

    fn copy_open_bracket(&mut self, bracket: char) {
        self.add_link();
        self.text.push(bracket);
        self.chains.push(0);
        self.is_deep |= self.chains.len() > SHALLOW_BRACKETS + 1;
        if self.chains.len() > MAX_BRACKETS + 1 {
            self.refuse(format!("more than {MAX_BRACKETS} nested brackets"));
        }
    }

    /// Copies a name, a keyword or a number.
    fn copy_word(&mut self, word: &str) {
        match word {
            "assert" => {
                self.text.push_str(ASSERT_ALIAS);
                return;
            }
            "elif" => {
                self.elif_count += 1;
                self.is_deep |= self.elif_count > SHALLOW_ELIF;
                if self.elif_count > MAX_ELIF {
                    self.refuse(format!("more than {MAX_ELIF} `elif` branches"));
                }
            }
            "not" | "and" | "or" | "in" | "if" | "else" | "lambda" | "for" => self.add_link(),
            _ => {}
        }
        self.text.push_str(word);
    }

    /// Records a logical line of a block.
    fn enter_block(&mut self, width: usize) {
        while self.blocks.last().is_some_and(|outer| *outer >= width) {
            self.blocks.pop();
        }
        self.blocks.push(width);
        self.is_deep |= self.blocks.len() > SHALLOW_BLOCKS;
        if self.blocks.len() > MAX_BLOCKS {
            self.refuse(format!("more than {MAX_BLOCKS} nested blocks"));
        }
    }

    /// Records a chained element.
    fn add_link(&mut self) {
        if let Some(top) = self.chains.last_mut() {
            *top += 1;
            self.link_count += 1;
        }
        self.is_deep |= self.link_count > SHALLOW_CHAIN;
        if self.link_count > MAX_CHAIN {
            self.refuse(format!("more than {MAX_CHAIN} chained operators"));
        }
    }

    /// Starts a new element, which ends the chain at this bracket.
    fn reset_chain(&mut self) {
        if let Some(top) = self.chains.last_mut() {
            self.link_count = self.link_count.saturating_sub(*top);
            *top = 0;
        }
    }

    fn refuse(&mut self, message: String) {
        if self.limit_finding.is_none() {
            let index = self.text.len();
            let finding = ScriptFinding::error(FindingCode::Limit, message, Some((index.saturating_sub(1), index)));
            self.limit_finding = Some(finding.help("split it: assign the parts to names, or use a list and a loop"));
        }
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::{EventKind, EventName, ScriptSource};

    use super::*;
    use crate::ScriptKind;

    /// A part of the stack that a thread usually has: its callers need some, too.
    const SMALL_STACK_BYTES: usize = 512 << 10;

    #[test]
    fn the_parser_gets_what_it_takes() {
        let cases = [
            ("a\tb", "a b"),
            ("\u{feff}a\r\nb\r\n", "a\nb\n"),
            ("if x:\n\ty()\n \tz()", "if x:\n        y()\n        z()"),
            ("assert(x, \"assert\") # assert", "_asrt_(x, \"assert\") # assert"),
            ("asserted = x.assert", "asserted = x._asrt_"),
            ("s = '''\n\tassert'''\nassert", "s = '''\n\tassert'''\n_asrt_"),
            ("s = \"a\\\"assert\" + assert", "s = \"a\\\"assert\" + _asrt_"),
        ];
        for (written, expected) in cases {
            let prepared = prepare(written);
            assert_eq!(prepared.text, expected, "{written:?}");
            assert!(prepared.limit_finding.is_none(), "{written:?}");
        }
    }

    #[test]
    fn sources_that_overflow_the_parser_are_refused() {
        let deep = [
            format!("x = {}1{}", "(".repeat(5_000), ")".repeat(5_000)),
            format!("x = {}", "[".repeat(20_000)),
            format!("x = 1{}", "+1".repeat(30_000)),
            format!("x = {}1", "-".repeat(60_000)),
            format!("x = {}y", "not ".repeat(10_000)),
            format!("def f(x):\n if x: pass\n{}", " elif x: pass\n".repeat(4_000)),
            format!("x = y{}", ".a".repeat(10_000)),
            format!("x = y{}", "()".repeat(10_000)),
            format!("x = f\"{{{}}}\"", "(".repeat(10_000)),
            (0..200).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect(),
            "x".repeat(MAX_SOURCE_BYTES + 1),
        ];
        for source in deep {
            assert!(prepare(&source).limit_finding.is_some(), "{}", source.get(..40).unwrap());
        }
    }

    /// Each part of a text that is as deep as a shallow one may be, and whether one level more is deep.
    #[test]
    fn shallow_texts_compile_on_a_small_stack() {
        type Nest = fn(usize) -> String;
        let nests: [(Nest, usize); 7] = [
            (|count| format!("    x = {}1{}\n", "[".repeat(count), "]".repeat(count)), SHALLOW_BRACKETS),
            (|count| format!("    x = {}1{}\n", "max(1, ".repeat(count), ")".repeat(count)), SHALLOW_BRACKETS),
            (|count| format!("    x = 1{}\n", " + 1".repeat(count - 1)), SHALLOW_CHAIN),
            (|count| format!("    x = {}1\n", "not ".repeat(count - 1)), SHALLOW_CHAIN),
            (|count| format!("    x = payload{}\n", ".a".repeat(count - 1)), SHALLOW_CHAIN),
            (|count| format!("    if event: pass\n{}", "    elif event: pass\n".repeat(count)), SHALLOW_ELIF),
            (
                |count| {
                    let blocks = (1..count).map(|depth| format!("{}if event:\n", "    ".repeat(depth)));
                    blocks.collect::<String>() + &format!("{}pass\n", "    ".repeat(count))
                },
                SHALLOW_BLOCKS - 1,
            ),
        ];
        let mut all = String::from("def handle(event, payload):\n");
        for (nest, most) in nests {
            let script = |count| format!("def handle(event, payload):\n{}", nest(count));
            assert!(prepare(&script(most)).is_shallow, "{}", script(most));
            assert!(!prepare(&script(most + 1)).is_shallow, "{}", script(most + 1));
            all.push_str(&nest(most));
        }
        let combined = format!(
            "{}    x = {}1{}{}\n",
            all,
            "max(not 1 + 2, [".repeat(SHALLOW_BRACKETS / 2),
            "])".repeat(SHALLOW_BRACKETS / 2),
            " or event".repeat(9)
        );
        assert!(prepare(&combined).is_shallow, "{combined}");
        let compile = move || {
            let text = ScriptSource::without_file(combined);
            let compiled = crate::compile("x", &text, ScriptKind::Hook);
            let when = ScriptSource::without_file(format!("{}event{}", "(".repeat(12), ")".repeat(12)));
            let matcher = crate::compile_when("x", &when, Some(&text), &EventName::from(EventKind::ToolPre));
            (compiled.findings.len(), matcher.when.is_some())
        };
        let thread = std::thread::Builder::new().stack_size(SMALL_STACK_BYTES).spawn(compile).unwrap();
        assert!(thread.join().unwrap().1);
    }

    #[test]
    fn long_lists_are_no_chains() {
        let long = format!("x = [{}]", "a.b(c), ".repeat(5_000));
        assert!(prepare(&long).limit_finding.is_none());
        let lines = "x = a.b\n".repeat(5_000);
        assert!(prepare(&lines).limit_finding.is_none());
    }
}
