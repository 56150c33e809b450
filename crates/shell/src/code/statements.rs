//! Statements of code that give names a meaning: loops, imports and destructured values.

use super::functions::effect_of;
use super::reader::CallReader;
use super::tokens::CodeToken;
use super::value::{CodeValue, module_name};

/// The most tokens of a list in which a `for` is looked for.
const MAX_COMPREHENSION: usize = 200;

impl CallReader<'_> {
    /// `for NAME in EXPRESSION`, `for (const NAME of EXPRESSION)`: the names stand for what is listed.
    pub(super) fn read_loop(&mut self, index: usize, depth: usize) -> Option<usize> {
        let mut names: Vec<String> = Vec::new();
        let mut next = index + 1;
        loop {
            match self.token_at(next)? {
                CodeToken::Name(name) if matches!(name.as_str(), "in" | "of") => break,
                CodeToken::Name(name) => names.push(name.clone()),
                CodeToken::Mark(',' | '(' | ')') => {}
                _ => return None,
            }
            next += 1;
            if names.len() > 6 {
                return None;
            }
        }
        let (value, after) = self.read_expression(next + 1, depth + 1);
        for (position, name) in
            names.iter().filter(|name| !matches!(name.as_str(), "const" | "let" | "var")).enumerate()
        {
            // The names that `os.walk` lists are below its directory.
            let bound = if position == 0 { value.clone() } else { CodeValue::text("*") };
            self.variables.insert(name.clone(), bound);
        }
        Some(after)
    }

    /// `import a as b`, `from a import b as c`.
    pub(super) fn read_import(&mut self, index: usize) -> Option<usize> {
        let mut module = module_name(self.name_at(index + 1)?);
        let mut next = index + 2;
        if self.name_at(index) == Some("import") {
            loop {
                if self.name_at(next) == Some("as") {
                    let alias = self.name_at(next + 1)?.to_owned();
                    self.aliases.insert(alias, module);
                    next += 2;
                }
                let Some(name) = self.name_at(next + 1).filter(|_| self.is_mark(next, ',')) else { return Some(next) };
                module = module_name(name);
                next += 2;
            }
        }
        if self.name_at(next) != Some("import") {
            return None;
        }
        next += 1;
        next += usize::from(self.is_mark(next, '('));
        while let Some(name) = self.name_at(next).map(str::to_owned) {
            let full = format!("{module}.{name}");
            next += 1;
            let mut alias = name;
            if self.name_at(next) == Some("as") {
                alias = self.name_at(next + 1)?.to_owned();
                next += 2;
            }
            self.aliases.insert(alias, full);
            if !self.is_mark(next, ',') {
                break;
            }
            next += 1;
        }
        Some(next)
    }

    /// Where the `for` of `[… for NAME in …]` is.
    pub(super) fn comprehension(&self, open: usize) -> Option<usize> {
        if !self.joins_with_slash {
            return None;
        }
        let mut depth = 0_usize;
        for (offset, token) in self.tokens.get(open..)?.iter().enumerate().take(MAX_COMPREHENSION) {
            match token {
                CodeToken::Mark('(' | '[' | '{') => depth += 1,
                CodeToken::Mark(')' | ']' | '}') if depth <= 1 => return None,
                CodeToken::Mark(')' | ']' | '}') => depth -= 1,
                CodeToken::Name(name) if depth == 1 && offset > 1 && name == "for" => return Some(open + offset),
                _ => {}
            }
        }
        None
    }

    /// `{execSync: run} = …`: another name for a function.
    pub(super) fn note_destructured(&mut self, name: &str, index: usize) {
        if self.is_mark(index + 1, ':')
            && (self.is_mark(index + 3, '}') || self.is_mark(index + 3, ','))
            && let Some(alias) = self.name_at(index + 2).map(str::to_owned)
            && effect_of("", name).is_some()
        {
            self.aliases.insert(alias, name.to_owned());
        }
    }
}
