//! Indexes of the tables in texts, so that a process which judges one command line reads the rows of its programs only.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// The texts of `src/programs/rows` with a row of programs in each line: `NAMES | ROW`.
const ROW_TEXTS: [&str; 6] = ["programs", "wrappers", "options", "statements", "loads", "words"];

/// The texts of `src/programs/commands`, which have sections of programs.
const COMMAND_TEXTS: [&str; 13] = [
    "agents",
    "ci",
    "cloud",
    "containers",
    "credentials",
    "databases",
    "git",
    "hosting",
    "kubernetes",
    "machine",
    "packages",
    "remote_code",
    "terraform",
];

/// What begins with a name, by the name: numbers in the order of the texts.
type NumbersByName = BTreeMap<String, Vec<usize>>;

/// A part of a text: the number of the text, and the first byte and the end.
type PartPosition = (usize, usize, usize);

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src/programs/rows");
    println!("cargo::rerun-if-changed=src/programs/commands");
    println!("cargo::rerun-if-changed=src/paths/secrets.txt");
    println!("cargo::rerun-if-changed=src/paths/guarded.txt");
    let mut source = String::new();
    index_programs(&mut source)?;
    index_tails(&mut source)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("indexes.rs"), source)?;
    Ok(())
}

/// The rows and the sections of each program: numbers of rows, then those of sections, which go on behind the rows.
fn index_programs(source: &mut String) -> Result<(), Box<dyn Error>> {
    let mut texts = Vec::new();
    let (mut rows, mut by_name) = (Vec::new(), NumbersByName::new());
    for name in ROW_TEXTS {
        let text = fs::read_to_string(format!("src/programs/rows/{name}.txt"))?;
        for (start, line) in lines_of(&text).filter(|(_, line)| !line.starts_with('#')) {
            let Some((names, _)) = line.split_once(" | ") else { continue };
            names.split(' ').for_each(|name| add_number(&mut by_name, name, rows.len()));
            rows.push((texts.len(), start + names.len() + 3, start + line.len()));
        }
        texts.push(format!("rows/{name}.txt"));
    }
    write_texts(source, "ROW_TEXTS", "programs", &texts)?;
    write_parts(source, "ROWS", &rows)?;

    texts.clear();
    let mut sections = Vec::<PartPosition>::new();
    for (number, name) in COMMAND_TEXTS.iter().enumerate() {
        let text = fs::read_to_string(format!("src/programs/commands/{name}.txt"))?;
        let mut names = BTreeMap::new();
        for (start, line) in lines_of(&text) {
            if let Some(programs) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                let programs = names.get(programs).copied().unwrap_or(programs);
                programs.split(' ').for_each(|name| add_number(&mut by_name, name, rows.len() + sections.len()));
                sections.push((number, start + line.len(), start + line.len()));
            } else if let Some((name, value)) = line.split_once(" = ").filter(|_| line.starts_with('$')) {
                names.insert(name, value);
            } else if let Some(section) = sections.last_mut().filter(|section| section.0 == number) {
                section.2 = start + line.len();
            }
        }
        texts.push(format!("commands/{name}.txt"));
    }
    write_texts(source, "COMMAND_TEXTS", "programs", &texts)?;
    write_parts(source, "SECTIONS", &sections)?;
    write_names(source, "PROGRAMS", &by_name)?;
    Ok(())
}

/// The paths that need care, by their first names.
fn index_tails(source: &mut String) -> Result<(), Box<dyn Error>> {
    let (mut tails, mut by_name) = (Vec::<PartPosition>::new(), NumbersByName::new());
    let mut patterns = Vec::new();
    let texts = ["secrets.txt", "guarded.txt"];
    for (number, name) in texts.iter().enumerate() {
        let text = fs::read_to_string(format!("src/paths/{name}"))?;
        for (start, line) in lines_of(&text).filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '['])) {
            let path = line.split_once(" | ").map_or(line, |(path, _)| path);
            let whole = path.trim_start_matches(['?', '!']);
            let whole = ["~/", "/", "@/"].iter().find_map(|root| whole.strip_prefix(root)).unwrap_or(whole);
            let tail = whole.strip_suffix("/**").unwrap_or(whole);
            let first = tail.split('/').next().unwrap_or_default().to_ascii_lowercase();
            if first.contains('*') {
                let letter = |letter: Option<&u8>| letter.copied().filter(|letter| *letter != b'*');
                patterns.push((tails.len(), [letter(first.as_bytes().first()), letter(first.as_bytes().last())]));
            } else {
                add_number(&mut by_name, &first, tails.len());
            }
            tails.push((number, start, start + path.len()));
        }
    }
    // A row of the first text is before all rows of the second: the last one of a name is looked at first.
    by_name.values_mut().for_each(|numbers| numbers.reverse());
    write_texts(source, "TAIL_TEXTS", "paths", &texts.map(str::to_owned))?;
    write_parts(source, "TAILS", &tails)?;
    write_names(source, "TAIL_NAMES", &by_name)?;
    writeln!(source, "pub(crate) static TAIL_PATTERNS: [(u16, [Option<u8>; 2]); {}] = {patterns:?};", patterns.len())?;
    Ok(())
}

fn add_number(by_name: &mut NumbersByName, name: &str, number: usize) {
    by_name.entry(name.to_owned()).or_default().push(number);
}

/// The lines of a text with the positions of their first bytes.
fn lines_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |position, line| {
        let start = *position;
        *position += line.len();
        Some((start, line.trim_end_matches(['\n', '\r'])))
    })
}

/// Writes a list of texts of a directory.
fn write_texts(source: &mut String, list: &str, directory: &str, texts: &[String]) -> std::fmt::Result {
    writeln!(source, "pub(crate) static {list}: [&str; {}] = [", texts.len())?;
    for text in texts {
        writeln!(source, "include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/src/{directory}/{text}\")),")?;
    }
    writeln!(source, "];")
}

/// Writes a list of parts of texts.
fn write_parts(source: &mut String, list: &str, parts: &[PartPosition]) -> std::fmt::Result {
    writeln!(source, "pub(crate) const {list}_COUNT: usize = {};", parts.len())?;
    writeln!(source, "pub(crate) static {list}: [TextPart; {list}_COUNT] = [")?;
    for (text, start, end) in parts {
        writeln!(source, "TextPart {{ text: {text}, start: {start}, end: {end} }},")?;
    }
    writeln!(source, "];")
}

/// Writes an index of numbers by names.
fn write_names(source: &mut String, list: &str, by_name: &NumbersByName) -> std::fmt::Result {
    let (mut names, mut name_ends) = (String::new(), Vec::new());
    let (mut numbers, mut number_ends) = (Vec::<usize>::new(), Vec::new());
    for (name, its) in by_name {
        names.push_str(name);
        name_ends.push(names.len());
        numbers.extend(its);
        number_ends.push(numbers.len());
    }
    writeln!(source, "pub(crate) const {list}_COUNT: usize = {};", by_name.len())?;
    writeln!(source, "pub(crate) static {list}: NameIndex<{list}_COUNT> = NameIndex {{")?;
    writeln!(source, "names: {names:?}, name_ends: {name_ends:?},")?;
    writeln!(source, "numbers: &{numbers:?}, number_ends: {number_ends:?} }};")
}
