//! Names in code: assignments, calls, variables and methods.

use super::functions::{CodeEffect, effect_of};
use super::reader::{CallReader, CodeCall, MAX_DEPTH};
use super::tokens::CodeToken;
use super::value::{CodeValue, gives_process_or_module, is_condition, last_part, result_of};
use super::words::CodeWords::{Environment, EnvironmentMethods, Listers, Modules, PlainWords, Statements};
use crate::paths::UNKNOWN;

/// Stands for a function whose name is put together.
const DYNAMIC: &str = "__dynamic__";

impl CallReader<'_> {
    /// A name: an assignment, a call, a variable.
    pub(super) fn read_name(&mut self, name: &str, index: usize, depth: usize) -> (CodeValue, usize) {
        let next = index + 1;
        // Whether something is a file at all selects nothing.
        let is_about_files = self.name_at(next).is_some_and(|name| {
            let last = last_part(name);
            matches!(last, "isfile" | "is_file" | "isFile" | "exists" | "existsSync" | "file_exists")
                // `File.file?` of Ruby.
                || matches!(last, "file" | "exist") && self.is_mark(next + 1, '?')
        });
        self.has_condition |= is_condition(name) && !is_about_files;
        match name {
            "for" | "foreach" => {
                if let Some(after) = self.read_loop(next - 1, depth) {
                    return (CodeValue::default(), after);
                }
            }
            "import" | "from" => {
                if let Some(after) = self.read_import(index) {
                    return (CodeValue::default(), after);
                }
            }
            _ => {}
        }
        if self.is_mark(next, '=') && !self.is_mark(next + 1, '=') && !self.is_mark(next + 1, '>') {
            return self.read_assignment(name, next + 1, depth);
        }
        if self.is_mark(next, '+') && self.is_mark(next + 1, '=') && depth < MAX_DEPTH {
            let (added, after) = self.read_expression(next + 2, depth + 1);
            let value = self.variables.entry(name.to_owned()).or_default();
            let between = if value.is_list { None } else { Some("") };
            value.join(added, between);
            return (value.clone(), after);
        }
        let sends = |name| matches!(name, "send" | "public_send" | "__send__");
        if let Some((module, _)) = name.rsplit_once('.').filter(|(_, last)| self.can_omit_brackets && sends(*last)) {
            // `File.send(:unlink, …)`, `File.public_send :unlink, …`
            let has_brackets = self.is_mark(next, '(');
            let mark = next + usize::from(has_brackets);
            if let Some(method) = self.name_at(mark + 1).filter(|_| self.is_mark(mark, ':') && depth < MAX_DEPTH) {
                let called = format!("{module}.{method}");
                return match has_brackets {
                    true => self.read_call(&called.clone(), &called, next, depth),
                    false => self.read_call_without_brackets(called, mark + 3, depth),
                };
            }
        }
        let called = self.aliases.get(name).cloned().unwrap_or_else(|| self.expand_name(name));
        if self.is_mark(next, '(') && depth < MAX_DEPTH {
            return self.read_call(name, &called, next, depth);
        }
        if self.is_mark(next, '[') && depth < MAX_DEPTH {
            return self.read_element(name, next, depth);
        }
        if name == "Dir.home" {
            return (CodeValue { is_path: true, ..CodeValue::text("~") }, next);
        }
        if Environment.has(name) || name.starts_with("process.env.") || is_environment_method(name) {
            return self.read_variable_of_environment(name.strip_prefix("process.env."), next);
        }
        let has_argument = matches!(self.token_at(next), Some(CodeToken::Text(_) | CodeToken::Name(_)))
            // `awk '{ system $0 }'`, `perl -e 'print $x'` have a `$`; `<` is a pattern of file names.
            || self.is_mark(next, '$') && self.can_omit_brackets;
        if self.can_omit_brackets
            && has_argument
            && depth < MAX_DEPTH
            && !name.starts_with(['$', '@', '%'])
            && !Statements.has(name)
        {
            return self.read_call_without_brackets(called, next, depth);
        }
        if let Some(value) = self.variables.get(name) {
            return (value.clone(), next);
        }
        if name == "$_" {
            return (self.listed.clone().unwrap_or_else(CodeValue::unknown), next);
        }
        // A word of the language, or an option.
        if PlainWords.has(name) {
            return (CodeValue::default(), next);
        }
        let module = self.aliases.get(name).cloned();
        (CodeValue { module, ..CodeValue::unknown() }, next)
    }

    fn read_assignment(&mut self, name: &str, begin: usize, depth: usize) -> (CodeValue, usize) {
        // `a = b = c = …`
        if self.assignment_depth > MAX_DEPTH {
            self.is_cut = true;
            return (CodeValue::unknown(), self.tokens.len());
        }
        self.assignment_depth += 1;
        let (value, after) = self.read_expression(begin, depth);
        self.assignment_depth -= 1;
        if depth > 0 && !matches!(self.token_at(begin.saturating_sub(3)), Some(CodeToken::Mark('{' | ';'))) {
            // An option of a call: `shell=True`.
            return (value, after);
        }
        if let (Some(target), Some(CodeToken::Mark(';' | ')')) | None) =
            (self.name_at(begin).map(str::to_owned), self.token_at(begin + 1))
        {
            let target = self.aliases.get(&target).cloned().unwrap_or(target);
            self.aliases.insert(name.to_owned(), target);
        }
        if let Some(module) = &value.module {
            self.aliases.insert(name.to_owned(), module.clone());
        }
        self.variables.insert(name.to_owned(), value.clone());
        (value, after)
    }

    fn read_call(&mut self, name: &str, called: &str, open: usize, depth: usize) -> (CodeValue, usize) {
        self.bind_parameter(last_part(name), open);
        let (inner, call, after) = self.read_list(open, depth + 1);
        if let Some((object, "append" | "extend" | "push" | "insert" | "concat" | "unshift")) = name.rsplit_once('.')
            && let Some(list) = self.variables.get_mut(object).filter(|value| value.is_list)
        {
            list.join(inner.clone(), None);
        }
        let receiver = self.receiver(name);
        let mut texts = receiver.texts;
        texts.extend(inner.texts);
        let has_unknown = inner.has_unknown || receiver.has_unknown && texts.is_empty();
        let is_decoded = inner.is_decoded || receiver.is_decoded;
        let mut value = match self.module_of(called, &texts) {
            Some(module) => CodeValue { module: Some(module), ..CodeValue::unknown() },
            None => result_of(called, &texts, has_unknown),
        };
        if is_home_variable(called, &texts) {
            value = CodeValue { is_path: true, ..CodeValue::text("~") };
        }
        value.is_decoded |= is_decoded || is_decoder(called);
        if last_part(called) == "getattr" {
            value.module = match (inner.module.as_deref().or(call.names.first().map(String::as_str)), texts.first()) {
                (Some(module), Some(name)) => Some(format!("{module}.{name}")),
                (Some(module), None) if Modules.has(module) => Some(String::from(DYNAMIC)),
                _ => None,
            };
        }
        self.note_listed(called, &value);
        if is_environment_method(called) {
            self.calls.push(CodeCall { name: String::from("process.env"), ..CodeCall::default() });
        }
        // `array_map("unlink", glob("*"))` calls the function that it names.
        if matches!(called, "array_map" | "array_walk" | "call_user_func" | "call_user_func_array")
            && let Some((function, rest)) = texts.split_first()
        {
            let (name, texts) = (function.clone(), rest.to_vec());
            self.calls.push(CodeCall { name, texts, has_unknown, ..CodeCall::default() });
        }
        self.calls.push(CodeCall {
            name: called.to_owned(),
            texts,
            has_unknown,
            is_decoded,
            is_list: inner.is_list,
            ..call
        });
        let after = self.read_methods(after, &mut value, depth);
        (value, after)
    }

    /// Remembers what a function lists, for the names that stand for one of it.
    fn note_listed(&mut self, called: &str, value: &CodeValue) {
        if Listers.has(last_part(called)) && !value.texts.is_empty() {
            self.listed = Some(value.clone());
        }
    }

    /// `NAME[…]`: an element, a variable of the environment, or a method whose name is a text.
    fn read_element(&mut self, name: &str, open: usize, depth: usize) -> (CodeValue, usize) {
        let (inner, _, after) = self.read_list(open, depth + 1);
        if Environment.has(name) {
            return self.read_variable_of_environment(inner.texts.first().map(String::as_str), after);
        }
        if name == "Dir" {
            let value = CodeValue { is_path: true, ..inner };
            self.listed = Some(value.clone());
            return (value, after);
        }
        let module = self.aliases.get(name).cloned().unwrap_or_else(|| name.to_owned());
        let mut value = self.variables.get(name).cloned().unwrap_or_default();
        value.has_unknown = true;
        value.module = match inner.texts.first() {
            Some(method) if !inner.has_unknown && !method.contains(UNKNOWN) => Some(format!("{module}.{method}")),
            _ if self.is_mark(after, '(') && (self.aliases.contains_key(name) || Modules.has(name)) => {
                Some(String::from(DYNAMIC))
            }
            _ => None,
        };
        let after = self.read_methods(after, &mut value, depth);
        (value, after)
    }

    /// Whether of what is read between two tokens only counts whether it is there, or how long it is.
    pub(super) fn is_tested(&self, begin: usize, end: usize) -> bool {
        let before = |count: usize| begin.checked_sub(count).and_then(|index| self.name_at(index));
        let is_in_call = self.is_mark(begin.saturating_sub(1), '(') && self.is_mark(end, ')');
        let is_choice = self.is_mark(end, '?') && !self.is_mark(end + 1, '?') && !self.is_mark(end + 1, '.');
        let is_compared = [('=', '='), ('!', '=')]
            .iter()
            .any(|(first, second)| self.is_mark(end, *first) && self.is_mark(end + 1, *second));
        is_choice
            || is_compared
            || begin > 0 && self.is_mark(begin - 1, '!')
            || matches!(before(1), Some("if" | "elif" | "unless" | "while" | "not"))
            // Not `for name in os.environ`.
            || before(1) == Some("in") && matches!(self.token_at(begin.saturating_sub(2)), Some(CodeToken::Text(_)))
            || matches!(self.name_at(end), Some("is" | "else"))
            || is_in_call && matches!(before(2), Some("bool" | "Boolean" | "len" | "if" | "while"))
    }

    /// A variable of the environment; the home directory is known.
    fn read_variable_of_environment(&mut self, variable: Option<&str>, next: usize) -> (CodeValue, usize) {
        if matches!(variable, Some("HOME" | "USERPROFILE")) {
            return (CodeValue { is_path: true, ..CodeValue::text("~") }, next);
        }
        let texts = variable.map(str::to_owned).into_iter().collect();
        self.calls.push(CodeCall { name: String::from("process.env"), texts, ..CodeCall::default() });
        (CodeValue::unknown(), next)
    }

    /// A call without brackets: `unlink "x"`, `system 'rm'`.
    fn read_call_without_brackets(&mut self, called: String, first: usize, depth: usize) -> (CodeValue, usize) {
        let mut call = CodeCall { name: called, ..CodeCall::default() };
        let mut index = first;
        let mut module = None;
        loop {
            let is_field = self.is_mark(index, '$');
            let (value, after) = self.read_expression(index, depth + 1);
            call.has_unknown |= value.has_unknown || is_field;
            call.is_decoded |= value.is_decoded;
            call.texts.extend(value.texts);
            module = module.or(value.module);
            index = after.max(index + 1);
            if !self.is_mark(after, ',') {
                index = after;
                break;
            }
            index += usize::from(after == index);
        }
        let mut value = match self.module_of(&call.name, &call.texts) {
            Some(module) => CodeValue { module: Some(module), ..CodeValue::unknown() },
            None => result_of(&call.name, &call.texts, call.has_unknown),
        };
        value.is_decoded |= call.is_decoded || is_decoder(&call.name);
        self.note_listed(&call.name, &value);
        self.calls.push(call);
        (value, index)
    }

    /// The full name of a function that was imported under another one.
    fn expand_name(&self, name: &str) -> String {
        match name.split_once('.') {
            Some((first, rest)) => match self.aliases.get(first) {
                Some(module) if module != name => format!("{module}.{rest}"),
                _ => name.to_owned(),
            },
            None => name.to_owned(),
        }
    }

    /// What a method is called on: `p.unlink()` after `p = Path("x")`.
    fn receiver(&self, name: &str) -> CodeValue {
        let Some((object, _)) = name.rsplit_once('.') else { return CodeValue::default() };
        match self.variables.get(object) {
            Some(value) if value.module.is_none() => value.clone(),
            Some(_) => CodeValue::default(),
            None => CodeValue { has_unknown: !PlainWords.has(object), ..CodeValue::default() },
        }
    }

    /// `.forEach(file => …)`: the parameter stands for what is listed.
    fn bind_parameter(&mut self, method: &str, open: usize) {
        if !matches!(method, "forEach" | "map" | "each" | "filter" | "some") {
            return;
        }
        let name = self.name_at(open + 1).or_else(|| self.name_at(open + 2)).map(str::to_owned);
        if let (Some(name), Some(listed)) = (name, self.listed.clone()) {
            self.variables.insert(name, listed);
        }
    }

    /// The methods that are called on a value: `.unlink()`, `.read_text()`, `['x']()`.
    pub(super) fn read_methods(&mut self, mut index: usize, value: &mut CodeValue, depth: usize) -> usize {
        loop {
            // `?.` and `.` in front of a name; the reader joins a name with dots inside.
            let name = match (self.token_at(index), self.token_at(index + 1)) {
                (Some(CodeToken::Mark('.')), Some(CodeToken::Name(name))) => Some((name.clone(), index + 2)),
                (Some(CodeToken::Mark('-')), Some(CodeToken::Mark('>'))) => {
                    self.name_at(index + 2).map(|name| (name.to_owned(), index + 3))
                }
                _ => None,
            };
            if let Some((name, after)) = name {
                if self.is_mark(after, '(') && depth < MAX_DEPTH {
                    index = self.read_method(&name, after, value, depth);
                } else {
                    if let Some(module) = &mut value.module {
                        *module = format!("{module}.{name}");
                    }
                    index = after;
                }
                continue;
            }
            if self.is_mark(index, '[')
                && matches!(self.token_at(index + 1), Some(CodeToken::Text(_) | CodeToken::Name(_)))
                && depth < MAX_DEPTH
            {
                let (inner, _, end) = self.read_list(index, depth + 1);
                let module = value.module.take();
                value.module = match (inner.texts.first(), module) {
                    (Some(method), module) if !inner.has_unknown && !method.contains(UNKNOWN) => {
                        Some(format!("{}.{method}", module.as_deref().unwrap_or(")")))
                    }
                    (_, Some(_)) => Some(String::from(DYNAMIC)),
                    (_, None) => None,
                };
                value.has_unknown = true;
                index = end;
                continue;
            }
            // The result of a call is called: `getattr(os, "system")("…")`.
            if self.is_mark(index, '(') && depth < MAX_DEPTH && (value.module.is_some() || value.has_unknown) {
                let (args, call, after) = self.read_list(index, depth + 1);
                let method = value.texts.last().filter(|name| !name.contains([' ', UNKNOWN, '/']));
                let name = value.module.take().or_else(|| method.map(|method| format!(").{method}")));
                self.calls.push(CodeCall {
                    name: name.unwrap_or_else(|| String::from(if value.is_decoded { DYNAMIC } else { ")" })),
                    texts: args.texts,
                    has_unknown: args.has_unknown,
                    is_decoded: args.is_decoded || value.is_decoded,
                    is_list: args.is_list,
                    ..call
                });
                *value = CodeValue { is_decoded: value.is_decoded, ..CodeValue::unknown() };
                index = after;
                continue;
            }
            return index;
        }
    }

    fn read_method(&mut self, name: &str, open: usize, value: &mut CodeValue, depth: usize) -> usize {
        self.bind_parameter(name, open);
        let (inner, call, end) = self.read_list(open, depth + 1);
        let is_decoded = value.is_decoded || inner.is_decoded;
        let known_text = value.texts.iter().chain(&inner.texts).all(|text| !text.contains(UNKNOWN));
        // `'-'.join([...])` and `[...].join('-')` put a text together.
        if name == "join" && known_text && !value.has_unknown && !inner.has_unknown {
            let (separator, parts) =
                if value.is_list { (inner.texts.first(), &value.texts) } else { (value.texts.first(), &inner.texts) };
            let joined = parts.join(separator.map_or(",", String::as_str));
            *value = CodeValue { is_decoded, ..CodeValue::text(joined) };
            return end;
        }
        if matches!(name, "format" | "replace" | "replaceAll" | "join" | "reverse" | "map" | "translate")
            && value.module.is_none()
            && !value.is_path
        {
            *value = CodeValue { is_decoded, ..CodeValue::text(UNKNOWN.to_string()) };
            return end;
        }
        let called = match value.module.take() {
            Some(module) => format!("{module}.{name}"),
            None => format!(").{name}"),
        };
        let mut texts = std::mem::take(&mut value.texts);
        texts.extend(inner.texts);
        let has_unknown = inner.has_unknown || value.has_unknown && texts.is_empty();
        let is_list = inner.is_list;
        let mut result = result_of(&called, &texts, has_unknown);
        if !called.starts_with(").") && gives_process_or_module(&called) {
            result.module = Some(called.clone());
        }
        result.is_decoded |= is_decoded || is_decoder(&called);
        self.note_listed(&called, &result);
        self.calls.push(CodeCall { name: called, texts, has_unknown, is_decoded, is_list, ..call });
        *value = result;
        end
    }
}

/// `getenv("HOME")`, `os.environ.get("HOME")`.
fn is_home_variable(called: &str, texts: &[String]) -> bool {
    let reads = matches!(last_part(called), "getenv" | "Getenv" | "get" | "fetch");
    let is_variable = effect_of("", called) == Some(CodeEffect::Environment)
        || called.rsplit_once('.').is_some_and(|(object, _)| Environment.has(object));
    reads && is_variable && texts.first().is_some_and(|name| matches!(name.as_str(), "HOME" | "USERPROFILE"))
}

/// Methods that give the whole environment.
fn is_environment_method(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(object, method)| Environment.has(object) && EnvironmentMethods.has(method))
}

fn is_decoder(name: &str) -> bool {
    effect_of("", name) == Some(CodeEffect::Decode)
}
