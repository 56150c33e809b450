//! Parses `find` and `fd` commands: what they search for, and what they do with it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::programs::base_name;
use crate::matching::matches_text;

/// A file search.
#[derive(Debug, Default)]
pub(super) struct FileSearch {
    /// The directories where it starts, with whether each was quoted.
    pub(super) starts: Vec<(String, bool)>,
    /// Whether it deletes the files it finds.
    pub(super) is_deleting: bool,
    /// The commands that it runs, in which `{}` is the found file.
    pub(super) runs: Vec<Vec<String>>,
    /// The files to which it writes lists.
    pub(super) written_lists: Vec<String>,
    /// The alternatives of the search: a file that passes one group is found.
    groups: Vec<SearchTestGroup>,
    max_depth: Option<usize>,
    should_skip_hidden: bool,
}

/// Tests that must all hold.
#[derive(Debug, Default)]
struct SearchTestGroup {
    tests: Vec<(SearchTest, bool)>,
    /// Whether a path that passes is left out, with everything below it.
    is_pruning: bool,
}

/// The tests of an expression while it is parsed.
#[derive(Debug, Default)]
struct SearchTestBuilder {
    groups: Vec<SearchTestGroup>,
    /// The first of the groups that the next test belongs to.
    first: usize,
    /// For each open bracket: the first group in it, and the tests before it.
    open_brackets: Vec<(usize, Vec<(SearchTest, bool)>)>,
}

#[derive(Debug, Clone)]
enum SearchTest {
    /// Tests the name.
    Name(String),
    /// Tests the whole path as printed.
    Path(String),
    Folder,
    File,
    Empty,
}

impl FileSearch {
    pub(super) fn parse(program: &str, operands: &[(String, bool)]) -> Self {
        let mut search = if program == "find" { Self::parse_find(operands) } else { Self::parse_fd(operands) };
        if search.starts.is_empty() {
            search.starts.push((String::from("."), false));
        }
        search
    }

    fn parse_find(operands: &[(String, bool)]) -> Self {
        let is_start = |(word, _): &&(String, bool)| !word.starts_with(['-', '(', '!']);
        let options = operands.iter().take_while(|(word, _)| ["-H", "-L", "-P"].contains(&word.as_str())).count();
        let starts: Vec<(String, bool)> = operands.iter().skip(options).take_while(is_start).cloned().collect();
        let mut words = operands.iter().skip(options + starts.len()).map(|(word, _)| word.as_str());
        let mut search = Self { starts, ..Self::default() };
        let mut tests = SearchTestBuilder { groups: vec![SearchTestGroup::default()], ..SearchTestBuilder::default() };
        let mut is_negated = false;
        while let Some(word) = words.next() {
            let negated = std::mem::take(&mut is_negated);
            let mut next = || words.next().unwrap_or_default().to_owned();
            match word {
                "!" | "-not" => is_negated = !negated,
                "(" if negated => tests.skip_bracket(&mut words),
                "(" => tests.open_bracket(),
                ")" => tests.close_bracket(),
                "-o" | "-or" | "," => tests.begin_group(),
                "-name" | "-iname" => tests.add(SearchTest::Name(next().to_lowercase()), negated),
                "-path" | "-ipath" | "-wholename" | "-iwholename" => {
                    tests.add(SearchTest::Path(next().to_lowercase()), negated);
                }
                "-type" => match next().as_str() {
                    "d" => tests.add(SearchTest::Folder, negated),
                    "f" => tests.add(SearchTest::File, negated),
                    _ => {}
                },
                "-empty" => tests.add(SearchTest::Empty, negated),
                "-prune" => tests.current_groups().iter_mut().for_each(|group| group.is_pruning = true),
                "-maxdepth" => search.max_depth = next().parse().ok(),
                "-delete" => search.is_deleting = true,
                "-fprint" | "-fprint0" | "-fprintf" | "-fls" => search.written_lists.push(next()),
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let run = words.by_ref().take_while(|word| ![";", "+"].contains(word));
                    search.runs.push(run.map(str::to_owned).collect());
                }
                _ => {}
            }
        }
        search.groups = tests.groups;
        search
    }

    fn parse_fd(operands: &[(String, bool)]) -> Self {
        let mut search = Self { should_skip_hidden: true, ..Self::default() };
        let mut group = SearchTestGroup::default();
        let mut words = operands.iter();
        let mut has_pattern = false;
        while let Some((word, quoted)) = words.next() {
            match word.as_str() {
                "-H" | "--hidden" | "-u" | "--unrestricted" => search.should_skip_hidden = false,
                "-e" | "--extension" => {
                    let ending = words.next().map(|(word, _)| word.to_lowercase()).unwrap_or_default();
                    group.tests.push((SearchTest::Name(format!("*.{}", ending.trim_start_matches('.'))), false));
                }
                "-x" | "-X" | "--exec" | "--exec-batch" => {
                    let mut run: Vec<String> = words.by_ref().map(|(word, _)| word.clone()).collect();
                    if run.iter().all(|word| !word.contains("{}")) {
                        run.push(String::from("{}"));
                    }
                    search.runs.push(run);
                }
                option if option.starts_with('-') => {
                    // Letters can be combined: `-HI`.
                    search.should_skip_hidden &= option.starts_with("--") || !option.contains(['H', 'u']);
                }
                // A pattern with other characters than letters may match any name.
                pattern if !has_pattern => {
                    has_pattern = true;
                    if pattern.chars().all(|letter| letter.is_alphanumeric() || "-_".contains(letter)) {
                        group.tests.push((SearchTest::Name(format!("*{}*", pattern.to_lowercase())), false));
                    }
                }
                start => search.starts.push((start.to_owned(), *quoted)),
            }
        }
        search.groups.push(group);
        search
    }

    /// The files among these that the search finds below one of its start directories. `start` is that directory as
    /// written.
    pub(super) fn select_found(&self, start: &str, below: BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let Some(root) = below.first().cloned() else { return Vec::new() };
        let finds = |path: &PathBuf| {
            let Ok(within) = path.strip_prefix(&root) else { return false };
            let is_dotted = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
            let is_hidden = self.should_skip_hidden && within.components().any(is_dotted);
            let depth = within.components().count();
            let is_deep = self.max_depth.is_some_and(|deepest| depth > deepest);
            let is_pruned = || {
                let above = path.ancestors().take(depth + 1);
                above.into_iter().any(|above| self.passes_tests(start, &root, above, true))
            };
            !is_deep && !is_hidden && self.passes_tests(start, &root, path, false) && !is_pruned()
        };
        below.iter().filter(|path| finds(path)).cloned().collect()
    }

    fn passes_tests(&self, start: &str, root: &Path, path: &Path, prunes: bool) -> bool {
        let mut groups = self.groups.iter().filter(|group| group.is_pruning == prunes);
        groups.any(|group| {
            group.tests.iter().all(|(test, negated)| test.is_met_by(start, root, path, *negated) != *negated)
        })
    }
}

impl SearchTestBuilder {
    fn current_groups(&mut self) -> &mut [SearchTestGroup] {
        self.groups.get_mut(self.first..).unwrap_or_default()
    }

    fn add(&mut self, test: SearchTest, negated: bool) {
        self.current_groups().iter_mut().for_each(|group| group.tests.push((test.clone(), negated)));
    }

    fn begin_group(&mut self) {
        let tests = self.open_brackets.last().map(|(_, before)| before.clone()).unwrap_or_default();
        self.groups.push(SearchTestGroup { tests, is_pruning: false });
        self.first = self.groups.len() - 1;
    }

    fn open_bracket(&mut self) {
        let before = self.groups.get(self.first).map(|group| group.tests.clone()).unwrap_or_default();
        self.open_brackets.push((self.first, before));
    }

    /// The following tests apply to every alternative in the brackets.
    fn close_bracket(&mut self) {
        if let Some((first, _)) = self.open_brackets.pop() {
            self.first = first;
        }
    }

    /// Skips an expression in brackets: a negated expression may match anything.
    fn skip_bracket<'w>(&self, words: &mut impl Iterator<Item = &'w str>) {
        let mut depth = 1_usize;
        while depth > 0
            && let Some(word) = words.next()
        {
            match word {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
        }
    }
}

impl SearchTest {
    /// Whether the test holds for a path. If unknown, the result is the one that finds the path.
    fn is_met_by(&self, start: &str, root: &Path, path: &Path, negated: bool) -> bool {
        // Brackets may match less than [`matches_text`] does.
        let fits = |pattern: &str, text: &str| matches_text(pattern, text) && !(negated && pattern.contains('['));
        match self {
            Self::Name(pattern) => {
                // The name of the start directory is as it was written.
                let name = path.strip_prefix(root).ok().and_then(Path::file_name).map(|name| name.to_string_lossy());
                let name = name.unwrap_or_else(|| base_name(start).into());
                fits(pattern, &name.to_lowercase())
            }
            Self::Path(pattern) => {
                let within = path.strip_prefix(root).unwrap_or(path).to_string_lossy().to_lowercase();
                let start = start.trim_end_matches('/').to_lowercase();
                let whole = if within.is_empty() { start } else { format!("{start}/{within}") };
                fits(pattern, &whole)
            }
            Self::Folder => path.is_dir(),
            Self::File => path.is_file(),
            Self::Empty => match path.read_dir() {
                Ok(mut entries) => entries.next().is_none(),
                Err(_) => path.metadata().is_ok_and(|found| found.len() == 0),
            },
        }
    }
}

/// Whether a program is a search that this module parses.
pub(super) fn is_search(program: &str) -> bool {
    ["find", "fd", "fdfind"].contains(&program)
}
