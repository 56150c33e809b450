//! Plain scripts, evaluated without the interpreter.
//!
//! Most hooks are guards: they read fields of the payload, compare them, and decide. [`NativeScript`] is such a script,
//! or such a `when`, compiled to a tree that is evaluated directly. The interpreter's globals, its compiler and its heap
//! cost a process that answers one event more than anything else would.
//!
//! The meaning is exactly Starlark's. A script is native only if all of it is: then loading it finds no error either, and
//! the interpreter loads it when it is first needed. An evaluation that meets an error, or comes near a limit, has no
//! answer, and the interpreter runs the call. That is possible because effects are kept until the script has decided.
//! Tests compare both on thousands of scripts and payloads.

mod compile;
mod expression;
mod value;

use std::cell::{Cell, OnceCell, RefCell};

use bumpalo::Bump;
use pintle_contract::{CallLimits, LogLevel, ScriptOutput};
use serde_json::{Map, Value as Json};

use expression::{NativeExpression, NativeFrame};
use value::NativeValue;

/// How deep an evaluation may nest; the stack of the caller may be small.
const MAX_DEPTH: u32 = 250;
/// What a call counts as in [`MAX_DEPTH`]: the statements of a function nest, too.
const CALL_DEPTH: u32 = 25;
/// The names of a function that are kept on the stack.
const STACK_SLOTS: usize = 8;
/// An evaluation may make this part of the memory that the call may use.
const MEMORY_SHARE: u64 = 8;
/// The memory that a value takes in addition to its text.
const VALUE_BYTES: u64 = 64;

/// A plain script.
#[derive(Debug)]
pub(crate) struct NativeScript {
    functions: Vec<NativeFunction>,
    entry: usize,
    /// What the entry point returns, if it takes the event and the payload and does nothing else, as most conditions. It
    /// is here because each step on the way to it costs about as much as the comparison in it.
    expression: Option<NativeExpression>,
}

#[derive(Debug)]
struct NativeFunction {
    slot_count: usize,
    body: Vec<NativeStatement>,
}

#[derive(Debug)]
enum NativeStatement {
    Assign(usize, NativeExpression),
    If(NativeExpression, Vec<NativeStatement>, Vec<NativeStatement>),
    For(usize, NativeExpression, Vec<NativeStatement>),
    Effect(NativeEffect),
    Return(NativeReturn),
    Break,
    Continue,
}

/// An effect whose reply the script does not use.
#[derive(Debug)]
struct NativeEffect {
    kind: EffectKind,
    text: NativeExpression,
    span: (usize, usize),
}

#[derive(Debug, Clone, Copy)]
enum EffectKind {
    Increment(i64),
    Log(LogLevel),
}

/// An effect that the script asked for.
#[derive(Debug)]
pub(crate) enum KeptEffect {
    /// `metrics.incr(name, amount)`.
    Increment(String, i64),
    /// `log(message)`.
    Log(LogLevel, String),
}

/// What a function returns.
#[derive(Debug)]
enum NativeReturn {
    Value(NativeExpression),
    /// The result of another function of the script.
    Call(usize, Vec<NativeExpression>),
    /// One of two, by a condition.
    If(NativeExpression, Box<[NativeReturn; 2]>),
    Allow,
    Block(NativeExpression),
    Ask(NativeExpression),
    Modify(NativeTemplate),
    Dict(NativeTemplate),
}

/// A value that leaves the script.
#[derive(Debug)]
enum NativeTemplate {
    Value(NativeExpression),
    List(Vec<NativeTemplate>),
    Dict(Vec<(String, NativeTemplate)>),
}

/// What a function returned.
#[derive(Debug)]
enum NativeOutcome<'a> {
    Value(NativeValue<'a>),
    Decision(ScriptOutput),
}

/// How a statement ended.
enum StatementEnd<'a> {
    Next,
    Break,
    Continue,
    Return(NativeOutcome<'a>),
}

/// What a script decided, and the effects to perform before that holds, each with the span of its call.
pub(crate) struct NativeDecision {
    pub(crate) output: ScriptOutput,
    pub(crate) effects: Vec<(KeptEffect, (usize, usize))>,
}

impl NativeScript {
    /// Whether the script, which is a `when`, holds; `None` if only the interpreter can tell.
    pub(crate) fn test(&self, event: &str, payload: &Json) -> Option<bool> {
        let arena = OnceCell::new();
        let run = NativeRun::new(&arena, &self.functions, &CallLimits::default());
        if let Some(value) = &self.expression {
            run.enter(CALL_DEPTH)?;
            let frame = [Some(NativeValue::Text(event)), Some(NativeValue::from_json(payload)?)].map(Cell::new);
            return value.evaluate(&run, &frame).map(NativeValue::is_truthy);
        }
        match run.call_entry(self.entry, event, payload)? {
            NativeOutcome::Value(value) => Some(value.is_truthy()),
            NativeOutcome::Decision(_) => None,
        }
    }

    /// What the script, which is a hook, decides; `None` if only the interpreter can tell.
    pub(crate) fn decide(&self, event: &str, payload: &Json, limits: &CallLimits) -> Option<NativeDecision> {
        let arena = OnceCell::new();
        let run = NativeRun::new(&arena, &self.functions, limits);
        match run.call_entry(self.entry, event, payload)? {
            NativeOutcome::Value(_) => None,
            NativeOutcome::Decision(output) => Some(NativeDecision { output, effects: run.effects.into_inner() }),
        }
    }
}

/// One evaluation.
struct NativeRun<'a> {
    /// Made by the first value that needs it: most conditions make none.
    arena: &'a OnceCell<Bump>,
    functions: &'a [NativeFunction],
    steps_left: Cell<u64>,
    bytes_left: Cell<u64>,
    depth: Cell<u32>,
    effects: RefCell<Vec<(KeptEffect, (usize, usize))>>,
}

impl<'a> NativeRun<'a> {
    fn new(arena: &'a OnceCell<Bump>, functions: &'a [NativeFunction], limits: &CallLimits) -> Self {
        Self {
            arena,
            functions,
            steps_left: Cell::new(limits.steps),
            bytes_left: Cell::new(limits.memory_bytes / MEMORY_SHARE),
            depth: Cell::new(0),
            effects: RefCell::default(),
        }
    }

    fn arena(&self) -> &'a Bump {
        self.arena.get_or_init(Bump::new)
    }

    /// Counts a step, which is never more than one of the interpreter's, and goes deeper.
    fn enter(&self, depth: u32) -> Option<()> {
        self.steps_left.set(self.steps_left.get().checked_sub(1)?);
        self.depth.set(self.depth.get() + depth);
        (self.depth.get() <= MAX_DEPTH).then_some(())
    }

    fn leave(&self, depth: u32) {
        self.depth.set(self.depth.get() - depth);
    }

    fn take_bytes(&self, length: usize) -> Option<()> {
        let bytes = u64::try_from(length).ok()?.checked_add(VALUE_BYTES)?;
        self.bytes_left.set(self.bytes_left.get().checked_sub(bytes)?);
        Some(())
    }

    fn make_text(&self, text: &str) -> Option<NativeValue<'a>> {
        self.take_bytes(text.len())?;
        Some(NativeValue::Text(self.arena().alloc_str(text)))
    }

    fn make_list(&self, items: &[NativeValue<'a>]) -> Option<NativeValue<'a>> {
        self.take_bytes(items.len().checked_mul(2 * size_of::<NativeValue<'_>>())?)?;
        Some(NativeValue::List(self.arena().alloc_slice_copy(items)))
    }

    fn call_entry(&self, entry: usize, event: &'a str, payload: &'a Json) -> Option<NativeOutcome<'a>> {
        let arguments = [Some(NativeValue::Text(event)), NativeValue::from_json(payload)];
        self.call_function(entry, arguments.into_iter())
    }

    /// Calls a function whose first names are its parameters.
    fn call_function(
        &self,
        function: usize,
        arguments: impl Iterator<Item = Option<NativeValue<'a>>>,
    ) -> Option<NativeOutcome<'a>> {
        let function = self.functions.get(function)?;
        let on_stack = [const { Cell::new(None) }; STACK_SLOTS];
        let frame: &NativeFrame<'a> = match on_stack.get(..function.slot_count) {
            Some(frame) => frame,
            None => self.arena().alloc_slice_fill_with(function.slot_count, |_| Cell::new(None)),
        };
        for (position, argument) in arguments.enumerate() {
            frame.get(position)?.set(Some(argument?));
        }
        self.enter(CALL_DEPTH)?;
        let end = self.run_block(&function.body, frame)?;
        self.leave(CALL_DEPTH);
        Some(match end {
            StatementEnd::Return(outcome) => outcome,
            _ => NativeOutcome::Value(NativeValue::None),
        })
    }

    fn run_block(&self, body: &'a [NativeStatement], frame: &NativeFrame<'a>) -> Option<StatementEnd<'a>> {
        for statement in body {
            match self.run_statement(statement, frame)? {
                StatementEnd::Next => {}
                end => return Some(end),
            }
        }
        Some(StatementEnd::Next)
    }

    fn run_statement(&self, statement: &'a NativeStatement, frame: &NativeFrame<'a>) -> Option<StatementEnd<'a>> {
        match statement {
            NativeStatement::Assign(slot, value) => {
                frame.get(*slot)?.set(Some(value.evaluate(self, frame)?));
                Some(StatementEnd::Next)
            }
            NativeStatement::If(condition, yes, no) => {
                let body = if condition.evaluate(self, frame)?.is_truthy() { yes } else { no };
                self.run_block(body, frame)
            }
            NativeStatement::For(slot, over, body) => {
                for item in over.evaluate(self, frame)?.items()? {
                    self.enter(0)?;
                    frame.get(*slot)?.set(Some(item?));
                    match self.run_block(body, frame)? {
                        StatementEnd::Next | StatementEnd::Continue => {}
                        StatementEnd::Break => break,
                        end @ StatementEnd::Return(_) => return Some(end),
                    }
                }
                Some(StatementEnd::Next)
            }
            NativeStatement::Effect(effect) => {
                self.keep_effect(effect, frame)?;
                Some(StatementEnd::Next)
            }
            NativeStatement::Return(value) => self.return_value(value, frame).map(StatementEnd::Return),
            NativeStatement::Break => Some(StatementEnd::Break),
            NativeStatement::Continue => Some(StatementEnd::Continue),
        }
    }

    fn keep_effect(&self, effect: &'a NativeEffect, frame: &NativeFrame<'a>) -> Option<()> {
        let value = effect.text.evaluate(self, frame)?;
        let kept = match effect.kind {
            EffectKind::Increment(amount) => KeptEffect::Increment(value.as_text()?.to_owned(), amount),
            EffectKind::Log(level) => {
                let mut text = String::new();
                value.write_str(&mut text)?;
                KeptEffect::Log(level, text)
            }
        };
        self.effects.borrow_mut().push((kept, effect.span));
        Some(())
    }

    fn return_value(&self, returned: &'a NativeReturn, frame: &NativeFrame<'a>) -> Option<NativeOutcome<'a>> {
        let text = |reason: &'a NativeExpression| Some(reason.evaluate(self, frame)?.as_text()?.to_owned());
        Some(NativeOutcome::Decision(match returned {
            NativeReturn::Value(value) => return value.evaluate(self, frame).map(NativeOutcome::Value),
            NativeReturn::Call(function, arguments) => {
                return self.call_function(*function, arguments.iter().map(|value| value.evaluate(self, frame)));
            }
            NativeReturn::If(condition, returns) => {
                let [yes, no] = &**returns;
                let taken = if condition.evaluate(self, frame)?.is_truthy() { yes } else { no };
                return self.return_value(taken, frame);
            }
            NativeReturn::Allow => ScriptOutput::Allow,
            NativeReturn::Block(reason) => ScriptOutput::Block(text(reason)?),
            NativeReturn::Ask(reason) => ScriptOutput::Ask(text(reason)?),
            NativeReturn::Modify(template) => ScriptOutput::Modify(self.fill_template(template, frame)?),
            NativeReturn::Dict(template) => match self.fill_template(template, frame)? {
                Json::Object(fields) => ScriptOutput::Dict(fields),
                _ => return None,
            },
        }))
    }

    fn fill_template(&self, template: &'a NativeTemplate, frame: &NativeFrame<'a>) -> Option<Json> {
        match template {
            NativeTemplate::Value(value) => value.evaluate(self, frame)?.to_json(),
            NativeTemplate::List(items) => {
                items.iter().map(|item| self.fill_template(item, frame)).collect::<Option<_>>().map(Json::Array)
            }
            NativeTemplate::Dict(entries) => {
                let entries = entries.iter().map(|(key, item)| Some((key.clone(), self.fill_template(item, frame)?)));
                entries.collect::<Option<Map<_, _>>>().map(Json::Object)
            }
        }
    }
}

impl<'a> NativeOutcome<'a> {
    fn into_value(self) -> Option<NativeValue<'a>> {
        match self {
            Self::Value(value) => Some(value),
            Self::Decision(_) => None,
        }
    }
}
