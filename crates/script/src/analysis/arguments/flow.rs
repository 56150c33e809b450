//! Tracks values through a script until a fixed point.
//!
//! Names are tracked in statement order; the arguments and results of a function are joined over all its calls. Every
//! use of a value that may be `payload["arguments"]` is recorded.

use std::collections::BTreeMap;

use starlark::syntax::ast::{AstExpr, AstStmt};

use super::uses::ArgumentUses;
use super::value::{ARGUMENTS, AbstractValue, FIELD_NAME, GETTER, OTHER, PAYLOAD};
use crate::analysis::ast::{DICT_METHODS, FunctionNode, ScriptFunctionBody, identifier_name};

/// The maximum number of expressions and names that are visited, over all rounds.
const MAX_STEPS: usize = 1_000_000;
/// The possible values of names.
type AbstractNames<'a> = BTreeMap<&'a str, AbstractValue>;
/// A function of the script, or its top level.
pub(super) struct FlowFunction<'a> {
    pub(super) node: FunctionNode<'a>,
    /// The enclosing function.
    parent: Option<usize>,
    /// Every value that its names may have, including its parameters.
    pub(super) names: AbstractNames<'a>,
    pub(super) return_value: AbstractValue,
    pub(super) is_called: bool,
}

impl<'a> FlowFunction<'a> {
    fn new(node: FunctionNode<'a>, parent: Option<usize>) -> Self {
        let (names, return_value) = (AbstractNames::new(), AbstractValue::default());
        Self { node, parent, names, return_value, is_called: parent.is_none() }
    }
}

/// The state of the analysis.
pub(super) struct ArgumentFlow<'a> {
    pub(super) functions: Vec<FlowFunction<'a>>,
    /// The functions by the spans of their bodies.
    function_indices: BTreeMap<(usize, usize), usize>,
    pub(super) uses: ArgumentUses,
    /// Whether this round found something new.
    pub(super) has_changed: bool,
    /// Whether the script assigns `payload["arguments"]`.
    is_replaced: bool,
    step_count: usize,
}

impl<'a> ArgumentFlow<'a> {
    pub(super) fn new(root: &'a AstStmt) -> Self {
        let top_level = FunctionNode { parameters: &[], body: ScriptFunctionBody::Block(root) };
        Self {
            functions: vec![FlowFunction::new(top_level, None)],
            function_indices: BTreeMap::new(),
            uses: ArgumentUses::default(),
            has_changed: true,
            is_replaced: false,
            step_count: 0,
        }
    }

    /// Tracks how the function `entry` uses the arguments of its payload.
    pub(super) fn trace_uses(mut self, entry: &str, position: usize) -> ArgumentUses {
        while self.has_changed {
            self.has_changed = false;
            self.uses = ArgumentUses::default();
            let mut number = 0;
            while let Some(function) = self.functions.get(number) {
                if function.is_called {
                    self.run_function(number, function.node);
                }
                number += 1;
            }
            let entries = self.functions.first().and_then(|module| module.names.get(entry)).cloned();
            for number in entries.unwrap_or_default().values.functions {
                self.enter_entry_point(number, position);
            }
            if self.exceeds_step_limit(0) {
                return ArgumentUses::unanalysable(self.functions.first().map_or((0, 0), |module| module.node.span()));
            }
        }
        self.uses
    }

    /// Counts steps, and returns whether there are too many.
    pub(super) fn exceeds_step_limit(&mut self, more: usize) -> bool {
        self.step_count += more;
        self.step_count > MAX_STEPS
    }

    /// Records that the script assigns `payload["arguments"]`.
    pub(super) fn mark_replaced(&mut self) {
        self.has_changed |= !std::mem::replace(&mut self.is_replaced, true);
    }

    /// The index of a function that another one defines.
    pub(super) fn index_of_function(&mut self, parent: usize, node: FunctionNode<'a>) -> usize {
        let next = self.functions.len();
        let number = *self.function_indices.entry(node.span()).or_insert(next);
        if number == next {
            self.has_changed = true;
            self.functions.push(FlowFunction::new(node, Some(parent)));
        }
        number
    }

    /// Calls the entry point.
    fn enter_entry_point(&mut self, number: usize, position: usize) {
        let Some(function) = self.functions.get(number) else { return };
        for (index, name) in function.node.parameter_names().enumerate() {
            let value =
                if index == position { AbstractValue::from_kinds(PAYLOAD) } else { AbstractValue::uninteresting() };
            self.join_name(number, name, &value);
        }
    }

    /// Joins a value into those of a function's name.
    pub(super) fn join_name(&mut self, number: usize, name: &'a str, value: &AbstractValue) {
        if let Some(function) = self.functions.get_mut(number) {
            self.has_changed |= !function.is_called;
            function.is_called = true;
            self.has_changed |= function.names.entry(name).or_default().join(value);
        }
    }

    /// Visits a function from its beginning.
    fn run_function(&mut self, number: usize, node: FunctionNode<'a>) {
        let Some(function) = self.functions.get(number) else { return };
        let given = node.parameter_names().filter_map(|name| Some((name, function.names.get(name)?.clone())));
        let names = given.collect();
        let mut walk = FunctionWalk { flow: self, function_index: number, names };
        match node.body {
            ScriptFunctionBody::Block(block) => {
                walk.visit_statement(block);
            }
            ScriptFunctionBody::Value(value) => {
                let value = walk.evaluate(value);
                walk.record_return(&value);
            }
        }
    }

    /// Every value that a name of a function or of those around it may have, if one of them binds it.
    fn bound_value(&self, number: usize, name: &str) -> Option<&AbstractValue> {
        let function = self.functions.get(number)?;
        function.names.get(name).or_else(|| self.bound_value(function.parent?, name))
    }

    /// Records a method or attribute access.
    pub(super) fn record_method(&mut self, base: &AbstractValue, name: &str, span: (usize, usize)) -> AbstractValue {
        let what = format!(".{name}(..)");
        if DICT_METHODS.contains(&name) {
            self.uses.record_dict_use(&base.values, what, span);
        } else {
            self.uses.record_text_use(&base.values, what, span);
        }
        let all = base.values.may_be(PAYLOAD) && matches!(name, "items" | "values");
        let getter = base.values.may_be(PAYLOAD) && matches!(name, "get" | "pop" | "setdefault");
        let other = !(getter && *base == AbstractValue::from_kinds(PAYLOAD));
        let mut method = AbstractValue { values: base.contents.clone(), contents: base.contents.clone() };
        method.values.add_if(other, OTHER);
        method.values.add_if(getter, GETTER);
        method.contents.add_if(all, ARGUMENTS | OTHER);
        method
    }

    /// The value of the payload under a key.
    pub(super) fn payload_field(&self, key: &AbstractValue, is_literal: bool) -> AbstractValue {
        if key.values.may_be(FIELD_NAME) {
            AbstractValue::from_arguments(is_literal && !self.is_replaced)
        } else {
            AbstractValue::uninteresting()
        }
    }
}

/// The visit of one function.
pub(super) struct FunctionWalk<'f, 'a> {
    pub(super) flow: &'f mut ArgumentFlow<'a>,
    pub(super) function_index: usize,
    /// The current values of its names.
    pub(super) names: AbstractNames<'a>,
}

impl<'a> FunctionWalk<'_, 'a> {
    pub(super) fn bind_name(&mut self, name: &'a str, value: AbstractValue) {
        if let Some(function) = self.flow.functions.get_mut(self.function_index) {
            self.flow.has_changed |= function.names.entry(name).or_default().join(&value);
        }
        self.names.insert(name, value);
    }

    /// Joins a value into those of a name.
    pub(super) fn extend_name(&mut self, base: &'a AstExpr, value: &AbstractValue) {
        if let Some(name) = identifier_name(base) {
            let mut grown = self.lookup_name(name);
            grown.insert(value);
            self.bind_name(name, grown);
        }
    }

    pub(super) fn lookup_name(&self, name: &str) -> AbstractValue {
        let parent = self.flow.functions.get(self.function_index).and_then(|function| function.parent);
        let outer = || self.flow.bound_value(parent?, name);
        self.names.get(name).or_else(outer).cloned().unwrap_or_else(AbstractValue::uninteresting)
    }

    /// Whether the script binds a name, so that it is not a built-in.
    pub(super) fn is_bound(&self, name: &str) -> bool {
        self.flow.bound_value(self.function_index, name).is_some()
    }

    pub(super) fn record_return(&mut self, value: &AbstractValue) {
        if let Some(function) = self.flow.functions.get_mut(self.function_index) {
            self.flow.has_changed |= function.return_value.join(value);
        }
    }

    /// Joins the names of another control flow path.
    pub(super) fn join_names(&mut self, other: AbstractNames<'a>) {
        self.flow.exceeds_step_limit(other.len());
        for (name, value) in other {
            self.names.entry(name).or_default().join(&value);
        }
    }
}
