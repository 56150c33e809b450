//! Checks whether the cost of a script is bounded by its input, so that it may run in this process.
//!
//! The interpreter counts steps, so loops end. It does not count what one operation allocates or computes: `s * n`,
//! `",".join(..)`, `s + s` fed back into itself, a long needle in a long text, huge integers. This analysis accepts only
//! scripts in which every single operation costs a small multiple of the size of the input. It is an allowlist: a script
//! with an unknown construct belongs in a worker process.
//!
//! It evaluates the script on *sizes*. The size of a value is a multiple of the input; a literal has size zero. In a loop
//! over a part of the input, the items together are as large as the whole, so operations on the loop's own item cost one
//! input in total (the value is *shared out*). Operations on any other value would cost one input for each iteration,
//! which is rejected.
//!
//! | rule | in process | in a worker |
//! | --- | --- | --- |
//! | calls | of functions of the script that are not recursive, of known built-ins and methods | recursion, calls of functions that are values, such as `sorted(key = ..)`, or that have the name of a built-in |
//! | functions as values, `lambda`, nested `def` | stored in names, tables and lists, passed to functions of the script and to registration functions; each body as if it were called with the input | passed to anything else |
//! | values that grow in a loop, or in a function that the script calls | lists and dicts created there that have one name; a string or a number under a fixed key of anything | parameters, values with a second name, or values that another value contains; any in a comprehension |
//! | loops | over literals, up to 10,000 iterations in total; over the input, nested twice | deeper; `range` of unknown size |
//! | `+`, `%`, f-strings, `format` | outside loops, or on a loop's own item, up to 64 inputs in total | fed back in a loop |
//! | constants put together from constants | longer by a literal; doubled up to 12 times in the script | doubled more often |
//! | `*` | numbers by a literal or `len(..)`, strings by a small literal | anything else; `*=` |
//! | `<<` | by a literal up to 64 | anything else |
//! | `in`, `find`, `count`, `==`, `<` | of values that are read once | of lists that contain the input again and again |
//! | `replace` | literal by literal | anything else |
//! | `join` | with a literal, of a list that is not built from the input repeatedly | anything else |
//! | `re.*` | literal patterns | patterns from the input |
//! | `int(..)` | of numbers | of strings, which takes quadratic time |

mod aliases;
mod calls;
mod feedback;
mod functions;
mod loops;
mod operators;
mod size;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use starlark::syntax::ast::{AssignOp, AssignTargetP, AstAssignTarget, AstExpr, AstLiteral, AstStmt, Expr, Stmt};

use super::ast::{
    FunctionNode, ScriptFunctionBody, block_statements, identifier_name, is_constant_name, nested_expressions,
    statements_in,
};
use super::resolved::ResolvedScript;
use size::{LoopCount, ValueSize};

/// The maximum total allocation of a script, in inputs.
const MAX_ALLOCATED: u64 = 64;
/// The maximum number of operations that double a constant.
const MAX_CONSTANT_DOUBLINGS: u32 = 12;
/// The maximum number of iterations of loops over literals, multiplied if they are nested.
const MAX_LITERAL_TURNS: u64 = 10_000;
/// The maximum nesting depth of loops over the input.
const MAX_INPUT_LOOPS: usize = 2;
/// The maximum number of function bodies that are analysed.
const MAX_CALLS: usize = 500;

/// The maximum memory of a call, in inputs, if the whole script may be loaded and run in this process.
pub(super) fn input_bound(script: &ResolvedScript<'_>) -> Option<u64> {
    aliases::has_no_hidden_growth(script).then(|| run_on_sizes(script)).flatten()
}

/// Evaluates all functions on sizes; `None` if something is not bounded.
fn run_on_sizes(script: &ResolvedScript<'_>) -> Option<u64> {
    let mut machine = SizeMachine { functions: script.top_level_functions()?, ..SizeMachine::default() };
    for stmt in block_statements(script.root()) {
        // A function that a condition or a loop of the top level defines cannot be analysed.
        let hides = |inner: &&AstStmt| matches!(inner.node, Stmt::Def(_));
        if !hides(&stmt) && statements_in(stmt).iter().any(hides) {
            return None;
        }
        // Functions that the top level calls can access the names bound before the call; names that a loop is changing
        // are not known yet.
        let changing = feedback::changed_names(stmt);
        machine.globals = machine.names.clone();
        machine.globals.retain(|name, _| !changing.contains(name));
        machine.visit_statement(stmt)?;
    }
    machine.globals = std::mem::take(&mut machine.names);
    // Includes functions that are never called, because loading evaluates their constants.
    let functions: Vec<&str> = machine.functions.keys().copied().collect();
    let mut most = 0;
    for name in functions {
        (machine.allocated, machine.extra_units) = (0, 0);
        machine.call_function(name, &[])?;
        most = most.max(machine.allocated.saturating_add(machine.extra_units));
    }
    Some(most)
}

type SizeNames<'a> = BTreeMap<&'a str, ValueSize>;

/// The state of the analysis.
#[derive(Default)]
struct SizeMachine<'a> {
    functions: BTreeMap<&'a str, FunctionNode<'a>>,
    globals: SizeNames<'a>,
    /// The names of the running function, or of the top level.
    names: SizeNames<'a>,
    /// The functions being analysed, the outermost first.
    active_functions: Vec<&'a str>,
    calls: usize,
    /// The inputs allocated so far.
    allocated: u64,
    /// The operations that doubled a constant.
    constant_doublings: u32,
    /// Additional memory in inputs: the overhead of many small values, and temporary values of built-ins.
    extra_units: u64,
    /// The enclosing loops.
    enclosing_loops: EnclosingLoops,
    /// The loops around the running function, in which a `return` has the cost of a call.
    loops_around_function: EnclosingLoops,
    return_size: Option<ValueSize>,
}

/// The loops around an expression.
#[derive(Clone, Copy)]
struct EnclosingLoops {
    /// How often it is evaluated for each iteration of the loops over the input.
    turn_count: u64,
    /// The number of loops over the input.
    input_loop_count: usize,
}

impl Default for EnclosingLoops {
    fn default() -> Self {
        Self { turn_count: 1, input_loop_count: 0 }
    }
}

impl<'a> SizeMachine<'a> {
    /// Analyses a function; missing arguments have the size of the input.
    fn call_function(&mut self, name: &str, arguments: &[ValueSize]) -> Option<ValueSize> {
        let (name, function) = self.functions.get_key_value(name).map(|(name, function)| (*name, *function))?;
        self.calls += 1;
        if self.active_functions.contains(&name) || self.calls > MAX_CALLS {
            return None;
        }
        let mut names = SizeNames::new();
        for (position, parameter) in function.parameters.iter().enumerate() {
            if let Some(ident) = parameter.ident() {
                names.insert(&ident.ident, arguments.get(position).copied().unwrap_or(ValueSize::INPUT));
            }
        }
        let outside = std::mem::replace(&mut self.loops_around_function, self.enclosing_loops);
        let answer = self.visit_body(name, function, names)?;
        self.loops_around_function = outside;
        Some(answer.unwrap_or(ValueSize::NUMBER))
    }

    /// Analyses the body of a function with names of its own. Returns the size of what it returns.
    fn visit_body(
        &mut self,
        name: &'a str,
        function: FunctionNode<'a>,
        names: SizeNames<'a>,
    ) -> Option<Option<ValueSize>> {
        let outer = std::mem::replace(&mut self.names, names);
        let returned = self.return_size.take();
        self.active_functions.push(name);
        match function.body {
            ScriptFunctionBody::Block(stmt) => self.visit_statement(stmt)?,
            ScriptFunctionBody::Value(expr) => self.return_size = Some(self.size_of_expression(expr)?),
        }
        self.active_functions.pop();
        self.names = outer;
        Some(std::mem::replace(&mut self.return_size, returned))
    }

    fn visit_statement(&mut self, stmt: &'a AstStmt) -> Option<()> {
        match &stmt.node {
            Stmt::Break | Stmt::Continue | Stmt::Pass => {}
            Stmt::Expression(expr) => {
                self.size_of_expression(expr)?;
            }
            Stmt::Return(expr) => {
                // A return leaves the loops of its function.
                let context = std::mem::replace(&mut self.enclosing_loops, self.loops_around_function);
                let size = match expr {
                    Some(expr) => self.size_of_expression(expr)?,
                    None => ValueSize::NUMBER,
                };
                self.enclosing_loops = context;
                self.return_size = Some(self.return_size.map_or(size, |known| known.larger(size)));
            }
            Stmt::Assign(assign) => {
                let size = self.size_of_expression(&assign.rhs)?;
                self.bind_target(&assign.lhs, size)?;
            }
            Stmt::AssignModify(target, op, value) => self.visit_augmented_assignment(target, *op, value)?,
            Stmt::Statements(inner) => inner.iter().try_for_each(|stmt| self.visit_statement(stmt))?,
            Stmt::If(condition, body) => self.visit_branches(condition, &[body])?,
            Stmt::IfElse(condition, bodies) => self.visit_branches(condition, &[&bodies.0, &bodies.1])?,
            Stmt::For(each) => {
                if feedback::has_feedback(&each.body) {
                    return None;
                }
                let over = self.size_of_expression(&each.over)?;
                let changed = feedback::changed_names(&each.body);
                self.visit_loop(over, &each.var, &changed, |machine| machine.visit_statement(&each.body))?;
            }
            Stmt::Def(def) => self.visit_definition(def)?,
            Stmt::Load(_) => return None,
        }
        Some(())
    }

    /// Keeps the larger size of each name, whichever branch is taken.
    fn visit_branches(&mut self, condition: &'a AstExpr, branches: &[&'a AstStmt]) -> Option<()> {
        self.size_of_expression(condition)?;
        let before = self.names.clone();
        let mut merged = before.clone();
        for branch in branches {
            self.names = before.clone();
            self.visit_statement(branch)?;
            for (name, size) in &self.names {
                merged.entry(name).and_modify(|known| *known = known.larger(*size)).or_insert(*size);
            }
        }
        self.names = merged;
        Some(())
    }

    fn visit_augmented_assignment(
        &mut self,
        target: &'a AstAssignTarget,
        op: AssignOp,
        value: &'a AstExpr,
    ) -> Option<()> {
        let added = self.size_of_expression(value)?;
        let name = match &target.node {
            AssignTargetP::Identifier(name) => name.ident.as_str(),
            AssignTargetP::Index(parts) => {
                self.size_of_expression(&parts.1)?;
                return (added.is_number && !matches!(op, AssignOp::Multiply | AssignOp::LeftShift)).then_some(());
            }
            AssignTargetP::Tuple(_) | AssignTargetP::Dot(..) => return None,
        };
        let known = self.lookup_name(name)?;
        let changed = match op {
            AssignOp::Add if matches!(value.node, Expr::List(_)) => self.size_after_insert(known, added)?,
            AssignOp::Add => self.size_of_sum(known, added)?,
            AssignOp::Subtract | AssignOp::Divide | AssignOp::FloorDivide => ValueSize::NUMBER,
            AssignOp::BitOr => self.size_after_insert(known, added)?,
            _ => return None,
        };
        self.names.insert(name, changed);
        Some(())
    }

    /// Binds a target to a size.
    fn bind_target(&mut self, target: &'a AstAssignTarget, size: ValueSize) -> Option<()> {
        match &target.node {
            AssignTargetP::Identifier(name) => {
                self.names.insert(&name.ident, size);
            }
            AssignTargetP::Tuple(parts) => {
                parts.iter().try_for_each(|target| self.bind_target(target, size.part()))?;
            }
            AssignTargetP::Index(parts) => {
                self.size_of_expression(&parts.1)?;
                match identifier_name(&parts.0) {
                    Some(name) => {
                        let grown = self.size_after_insert(self.lookup_name(name)?, size)?;
                        if let Some(known) = self.names.get_mut(name) {
                            *known = grown;
                        }
                    }
                    None => {
                        self.size_of_expression(&parts.0)?;
                    }
                }
            }
            AssignTargetP::Dot(..) => return None,
        }
        Some(())
    }

    fn lookup_name(&self, name: &str) -> Option<ValueSize> {
        // A global is the same in every iteration.
        let is_shared_out = self.enclosing_loops.input_loop_count == 0;
        let global = || self.globals.get(name).map(|size| ValueSize { is_shared_out, ..*size });
        self.names.get(name).copied().or_else(global)
    }

    fn size_of_expression(&mut self, expr: &'a AstExpr) -> Option<ValueSize> {
        match &expr.node {
            Expr::Literal(literal) => Some(match literal {
                AstLiteral::Int(int) => ValueSize { integer: int.node.to_string().parse().ok(), ..ValueSize::NUMBER },
                AstLiteral::Float(_) | AstLiteral::Ellipsis => ValueSize::NUMBER,
                AstLiteral::String(text) => ValueSize::from_literal_text(text.node.len()),
                AstLiteral::Bytes(bytes) => ValueSize::from_literal_text(bytes.node.len()),
            }),
            Expr::Identifier(_) if is_constant_name(expr) => Some(ValueSize::NUMBER),
            Expr::Identifier(name) => match name.ident.as_str() {
                name if self.functions.contains_key(name) && !self.names.contains_key(name) => {
                    Some(ValueSize::FUNCTION)
                }
                name => self.lookup_name(name),
            },
            Expr::List(items) | Expr::Tuple(items) => self.size_of_display(items.iter(), items.len()),
            Expr::Dict(entries) => {
                self.size_of_display(entries.iter().flat_map(|(key, value)| [key, value]), entries.len())
            }
            // The names of a comprehension end with it, and so would the growth of another value.
            Expr::ListComprehension(..) | Expr::DictComprehension(..)
                if feedback::growing_calls(nested_expressions(expr)).next().is_some() =>
            {
                None
            }
            Expr::ListComprehension(made, first, rest) => self.visit_comprehension(&[made], first, rest),
            Expr::DictComprehension(made, first, rest) => self.visit_comprehension(&[&made.0, &made.1], first, rest),
            Expr::Index(parts) => {
                self.size_of_expression(&parts.1)?;
                Some(self.size_of_expression(&parts.0)?.part())
            }
            Expr::Slice(base, from, to, step) => {
                for bound in [from, to, step].into_iter().flatten() {
                    self.size_of_expression(bound)?;
                }
                let base = self.size_of_expression(base)?;
                let made = self.allocate(base.units, base.is_shared_out)?;
                Some(ValueSize { is_function: base.is_function, ..made })
            }
            Expr::Not(inner) | Expr::Minus(inner) | Expr::Plus(inner) | Expr::BitNot(inner) => {
                self.size_of_expression(inner)?;
                Some(ValueSize::NUMBER)
            }
            Expr::If(parts) => {
                self.size_of_expression(&parts.0)?;
                let yes = self.size_of_expression(&parts.1)?;
                Some(yes.larger(self.size_of_expression(&parts.2)?))
            }
            Expr::Op(left, op, right) => self.size_of_operator(left, *op, right),
            Expr::FString(parts) => {
                let mut total = ValueSize::from_literal_text(parts.format.node.len());
                for part in &parts.expressions {
                    let size = self.size_of_expression(part)?;
                    total = self.size_of_text_sum(total, size)?;
                }
                Some(total)
            }
            Expr::Call(callee, call) => self.size_of_call(callee, &call.args),
            Expr::Lambda(lambda) => self.visit_function(FunctionNode::from_lambda(lambda)),
            Expr::Dot(..) | Expr::Index2(_) => None,
        }
    }

    fn size_of_display(&mut self, items: impl Iterator<Item = &'a AstExpr>, count: usize) -> Option<ValueSize> {
        let mut total = ValueSize { loop_count: LoopCount::Literal(u32::try_from(count).ok()?), ..ValueSize::NOTHING };
        let mut numbers = count > 0;
        let mut composed = 0_u64;
        for item in items {
            let size = self.size_of_expression(item)?;
            composed += u64::from(size.is_composed_constant());
            total.is_composed |=
                size.is_composed || !matches!(item.node, Expr::Literal(_) | Expr::List(_) | Expr::Tuple(_));
            numbers &= size.is_number;
            total.units = total.units.saturating_add(size.units);
            total.is_shared_out &= size.is_shared_out || size.units == 0;
            total.is_function |= size.is_function;
        }
        self.count_growth(composed)?;
        Some(ValueSize { items_are_numbers: numbers, ..total })
    }
}
