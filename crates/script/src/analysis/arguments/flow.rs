//! Following values through a script, until nothing new is learnt.
//!
//! Names are followed in the order of the statements; what a function is given and gives back is gathered over all calls of
//! it. Whatever is done with a value that may be `payload["arguments"]` is noted.

use std::collections::BTreeMap;

use starlark::syntax::ast::{AstExpr, AstParameter, AstStmt};

use super::uses::Uses;
use super::value::{Abstract, Things};
use crate::analysis::reads::Body;
use crate::analysis::walk::identifier;

/// How many expressions and names are looked at, all rounds together.
const MAX_STEPS: usize = 1_000_000;
/// What names stand for.
type Names<'a> = BTreeMap<&'a str, Abstract>;
/// Methods that dictionaries have and texts do not.
const DICT_METHODS: &[&str] = &["get", "items", "keys", "values", "pop", "popitem", "setdefault", "update", "clear"];

/// A function of the script, or its top level.
pub(super) struct Function<'a> {
    pub(super) parameters: &'a [AstParameter],
    body: Body<'a>,
    /// The function that it stands in.
    parent: Option<usize>,
    /// What its names ever stood for, and its parameters when it is called.
    pub(super) names: Names<'a>,
    pub(super) returned: Abstract,
    pub(super) is_called: bool,
}

impl<'a> Function<'a> {
    /// The top level.
    fn new(body: Body<'a>) -> Self {
        Self {
            parameters: &[],
            body,
            parent: None,
            names: Names::new(),
            returned: Abstract::default(),
            is_called: true,
        }
    }
}

/// What is known of a script.
pub(super) struct Flow<'a> {
    pub(super) functions: Vec<Function<'a>>,
    /// The functions by the places of their bodies.
    places: BTreeMap<(usize, usize), usize>,
    pub(super) uses: Uses,
    /// Whether this round found something new.
    pub(super) changed: bool,
    /// Whether the script puts something else into `payload["arguments"]`.
    is_replaced: bool,
    steps: usize,
}

impl<'a> Flow<'a> {
    pub(super) fn new(root: &'a AstStmt) -> Self {
        Self {
            functions: vec![Function::new(Body::Block(root))],
            places: BTreeMap::new(),
            uses: Uses::default(),
            changed: true,
            is_replaced: false,
            steps: 0,
        }
    }

    /// What the function `entry` does with the arguments of its payload.
    pub(super) fn follow(mut self, entry: &str, position: usize) -> Uses {
        while self.changed {
            self.changed = false;
            self.uses = Uses::default();
            let mut number = 0;
            while let Some(function) = self.functions.get(number) {
                if function.is_called {
                    self.run(number, function.body);
                }
                number += 1;
            }
            let entries = self.functions.first().and_then(|module| module.names.get(entry)).cloned();
            for number in entries.unwrap_or_default().own.functions {
                self.enter(number, position);
            }
            if self.steps_end(0) {
                return Uses::give_up(self.functions.first().map_or((0, 0), |module| module.body.span()));
            }
        }
        self.uses
    }

    /// Counts steps; whether there were too many.
    pub(super) fn steps_end(&mut self, more: usize) -> bool {
        self.steps += more;
        self.steps > MAX_STEPS
    }

    /// Takes note that the script puts something else into `payload["arguments"]`.
    pub(super) fn replace(&mut self) {
        self.changed |= !std::mem::replace(&mut self.is_replaced, true);
    }

    /// The number of a function that is made in another one.
    pub(super) fn number_of(&mut self, parent: usize, parameters: &'a [AstParameter], body: Body<'a>) -> usize {
        let next = self.functions.len();
        let number = *self.places.entry(body.span()).or_insert(next);
        if number == next {
            self.changed = true;
            self.functions.push(Function { parameters, parent: Some(parent), is_called: false, ..Function::new(body) });
        }
        number
    }

    /// Calls the entry point.
    fn enter(&mut self, number: usize, position: usize) {
        let Some(function) = self.functions.get(number) else { return };
        let parameters = function.parameters;
        for (index, name) in parameters.iter().filter_map(|parameter| parameter.ident()).enumerate() {
            let value = if index == position { Abstract::payload() } else { Abstract::plain() };
            self.give(number, &name.ident, &value);
        }
    }

    /// Joins what a name of a function stands for.
    pub(super) fn give(&mut self, number: usize, name: &'a str, value: &Abstract) {
        if let Some(function) = self.functions.get_mut(number) {
            self.changed |= !function.is_called;
            function.is_called = true;
            self.changed |= function.names.entry(name).or_default().join(value);
        }
    }

    /// Follows a function from its beginning.
    fn run(&mut self, number: usize, body: Body<'a>) {
        let names = match self.functions.get(number) {
            Some(function) => {
                let parameters = function.parameters.iter().filter_map(|parameter| parameter.ident());
                let given = parameters.filter_map(|name| function.names.get_key_value(name.ident.as_str()));
                given.map(|(name, value)| (*name, value.clone())).collect()
            }
            None => return,
        };
        let mut walk = Walk { flow: self, number, names };
        match body {
            Body::Block(block) => {
                walk.statement(block);
            }
            Body::Value(value) => {
                let value = walk.value(value);
                walk.give_back(&value);
            }
        }
    }

    /// What a name stands for that a function does not bind itself.
    fn outer(&self, number: usize, name: &str) -> Abstract {
        let mut at = self.functions.get(number).and_then(|function| function.parent);
        while let Some(function) = at.and_then(|number| self.functions.get(number)) {
            if let Some(value) = function.names.get(name) {
                return value.clone();
            }
            at = function.parent;
        }
        Abstract::plain()
    }

    /// Notes what is done by the name of a method or an attribute.
    pub(super) fn method(&mut self, base: &Abstract, name: &str, at: (usize, usize)) -> Abstract {
        let what = format!(".{name}(..)");
        if DICT_METHODS.contains(&name) {
            self.uses.dict(&base.own, what, at);
        } else {
            self.uses.text(&base.own, what, at);
        }
        let all = base.own.payload && matches!(name, "items" | "values");
        let getter = base.own.payload && matches!(name, "get" | "pop" | "setdefault");
        let other = !(getter && *base == Abstract::payload());
        let mut method = Abstract { own: base.inside.clone(), inside: base.inside.clone() };
        method.own.join(&Things { other, getter, ..Things::default() });
        method.inside.join(&Things { arguments: all, other: all, ..Things::default() });
        method
    }

    /// What the payload holds under a key.
    pub(super) fn field(&self, key: &Abstract, is_literal: bool) -> Abstract {
        if key.own.field { Abstract::arguments(is_literal && !self.is_replaced) } else { Abstract::plain() }
    }
}

/// Following one function.
pub(super) struct Walk<'f, 'a> {
    pub(super) flow: &'f mut Flow<'a>,
    pub(super) number: usize,
    /// What its names stand for here.
    pub(super) names: Names<'a>,
}

impl<'a> Walk<'_, 'a> {
    /// Binds a name.
    pub(super) fn bind(&mut self, name: &'a str, value: Abstract) {
        if let Some(function) = self.flow.functions.get_mut(self.number) {
            self.flow.changed |= function.names.entry(name).or_default().join(&value);
        }
        self.names.insert(name, value);
    }

    /// Puts a value into what a name stands for.
    pub(super) fn grow(&mut self, base: &'a AstExpr, value: &Abstract) {
        if let Some(name) = identifier(base) {
            let mut grown = self.name(name);
            grown.hold(value);
            self.bind(name, grown);
        }
    }

    pub(super) fn name(&self, name: &str) -> Abstract {
        self.names.get(name).cloned().unwrap_or_else(|| self.flow.outer(self.number, name))
    }

    /// Whether a name is the script's own, and no built-in.
    pub(super) fn is_bound(&self, name: &str) -> bool {
        let mut at = Some(self.number);
        while let Some(function) = at.and_then(|number| self.flow.functions.get(number)) {
            if function.names.contains_key(name) {
                return true;
            }
            at = function.parent;
        }
        false
    }

    pub(super) fn give_back(&mut self, value: &Abstract) {
        if let Some(function) = self.flow.functions.get_mut(self.number) {
            self.flow.changed |= function.returned.join(value);
        }
    }

    /// The names as they were at another place too, from where one may come as well.
    pub(super) fn join(&mut self, other: Names<'a>) {
        self.flow.steps_end(other.len());
        for (name, value) in other {
            self.names.entry(name).or_default().join(&value);
        }
    }
}
