//! Whether the cost of a script is bounded by its input, so that it may run in this process.
//!
//! The interpreter counts steps, so loops end. What it does not count is what one operation allocates or computes:
//! `s * n`, `",".join(..)`, `s + s` fed back into itself, a long needle in a long text, huge integers. This analysis
//! admits only scripts in which every single operation costs a small multiple of the size of the input. It is a
//! whitelist: whatever it does not know belongs in a worker process.
//!
//! It runs the script on *sizes*. A value is so many times the input; a literal is nothing. In a loop over something of
//! the input, the parts together are as large as the whole, so work on the loop's own item costs one input in all
//! (the value is *shared out*), while work on anything else would cost one input a turn, which is refused.
//!
//! | rule | in process | in a worker |
//! | --- | --- | --- |
//! | calls | of functions of the script that do not call themselves, of known built-ins and methods | recursion, calls of functions that are values, such as `sorted(key = ..)` |
//! | functions as values, `lambda`, nested `def` | kept in names, tables and lists, handed to functions of the script and to registration functions; each body as if it were called with the input | handed to anything else |
//! | what grows in a loop, or in a function that the script calls | lists and dictionaries made there that have one name; a text or a number under a fixed key of anything | what was given, or has a second name, or is held by something else |
//! | loops | over literals, up to 10,000 turns in all; over the input, nested twice | deeper; `range` of unknown size |
//! | `+`, `%`, f-strings, `format` | outside loops, or on a loop's own item, up to 64 inputs in all | fed back in a loop |
//! | `*` | numbers by a literal or `len(..)`, text by a small literal | anything else; `*=` |
//! | `<<` | by a literal up to 64 | anything else |
//! | `in`, `find`, `count` | short literal needles, or a literal list to search | needles from the input |
//! | `replace` | literal by literal | anything else |
//! | `join` | with a literal, of a list that is not built from the input again and again | anything else |
//! | `re.*` | literal patterns | patterns from the input |
//! | `int(..)` | of numbers | of text, which takes quadratic time |

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

use starlark::syntax::AstModule;
use starlark::syntax::ast::{AssignOp, AssignTargetP, AstAssignTarget, AstExpr, AstLiteral, AstStmt, Expr, Stmt};

use super::walk::{block, identifier, statements};
use size::{Size, Turns};

/// Inputs that a script may allocate in all.
const MAX_ALLOCATED: u64 = 64;
/// Turns of loops over literals, multiplied where they are nested.
const MAX_LITERAL_TURNS: u64 = 10_000;
/// Loops over the input inside one another.
const MAX_INPUT_LOOPS: usize = 2;
/// Function bodies that are looked at.
const MAX_CALLS: usize = 500;

/// How many inputs of memory a call takes at the most, when all of a script may be loaded and run in this process.
pub(super) fn bounded(ast: &AstModule) -> Option<u64> {
    aliases::no_hidden_growth(ast.statement()).then(|| run(ast.statement())).flatten()
}

/// Runs all functions on sizes; `None` when something is not bounded.
fn run(root: &AstStmt) -> Option<u64> {
    let mut machine = Machine::default();
    for stmt in block(root) {
        if let Stmt::Def(def) = &stmt.node
            && machine.functions.insert(&def.name.ident, def).is_some()
        {
            return None;
        }
    }
    let mut globals = Names::new();
    for stmt in block(root) {
        // A function that a condition or a loop of the top level makes is none that can be followed.
        let mut hidden = false;
        statements(stmt, &mut |inner| hidden |= matches!(inner.node, Stmt::Def(_)));
        if hidden && !matches!(stmt.node, Stmt::Def(_)) {
            return None;
        }
        // Functions that the top level calls see what stands before the call; what a loop is changing is not known yet.
        let changing = feedback::changed_names(stmt);
        machine.globals = globals.clone();
        machine.globals.retain(|name, _| !changing.contains(name));
        machine.statement(stmt, &mut globals)?;
    }
    if machine.functions.keys().any(|name| globals.contains_key(*name)) {
        return None;
    }
    machine.globals = globals;
    // Also functions that nobody calls: loading computes what is constant in them.
    let functions: Vec<&str> = machine.functions.keys().copied().collect();
    let mut most = 0;
    for name in functions {
        (machine.allocated, machine.beside) = (0, 0);
        machine.call(name, &[])?;
        most = most.max(machine.allocated.saturating_add(machine.beside));
    }
    Some(most)
}

type Names<'a> = BTreeMap<&'a str, Size>;
type Def<'a> = &'a starlark::syntax::ast::DefP<starlark::syntax::ast::AstNoPayload>;

/// The state of a run on sizes.
#[derive(Default)]
struct Machine<'a> {
    functions: BTreeMap<&'a str, Def<'a>>,
    globals: Names<'a>,
    /// Functions being looked at, the outermost first.
    calling: Vec<&'a str>,
    calls: usize,
    /// Inputs allocated so far.
    allocated: u64,
    /// Inputs of memory beside those: what stands around many small values, and what a built-in makes on its way.
    beside: u64,
    /// The loops around.
    around: Around,
    /// The loops around the running function: where a `return` is worth as much as a call.
    outside: Around,
    returned: Option<Size>,
}

/// The loops around a place.
#[derive(Clone, Copy)]
struct Around {
    /// How often it is reached for each turn of the loops over the input.
    turns: u64,
    /// Loops over the input.
    input_loops: usize,
}

impl Default for Around {
    fn default() -> Self {
        Self { turns: 1, input_loops: 0 }
    }
}

impl<'a> Machine<'a> {
    /// Looks at a function; arguments that are not given have the size of the input.
    fn call(&mut self, name: &str, arguments: &[Size]) -> Option<Size> {
        let (name, def) = self.functions.get_key_value(name).map(|(name, def)| (*name, *def))?;
        self.calls += 1;
        if self.calling.contains(&name) || self.calls > MAX_CALLS {
            return None;
        }
        let mut names = Names::new();
        for (position, parameter) in def.params.iter().enumerate() {
            if let Some(ident) = parameter.ident() {
                names.insert(&ident.ident, arguments.get(position).copied().unwrap_or(Size::INPUT));
            }
        }
        self.calling.push(name);
        let outside = std::mem::replace(&mut self.outside, self.around);
        let returned = self.returned.take();
        self.statement(&def.body, &mut names)?;
        self.calling.pop();
        self.outside = outside;
        let answer = std::mem::replace(&mut self.returned, returned);
        Some(answer.unwrap_or(Size::NUMBER))
    }

    fn statement(&mut self, stmt: &'a AstStmt, names: &mut Names<'a>) -> Option<()> {
        match &stmt.node {
            Stmt::Break | Stmt::Continue | Stmt::Pass => {}
            Stmt::Expression(expr) => {
                self.expression(expr, names)?;
            }
            Stmt::Return(expr) => {
                // A return leaves the loops of its function.
                let around = std::mem::replace(&mut self.around, self.outside);
                let size = match expr {
                    Some(expr) => self.expression(expr, names)?,
                    None => Size::NUMBER,
                };
                self.around = around;
                self.returned = Some(self.returned.map_or(size, |known| known.either(size)));
            }
            Stmt::Assign(assign) => {
                let size = self.expression(&assign.rhs, names)?;
                self.bind(&assign.lhs, size, names)?;
            }
            Stmt::AssignModify(target, op, value) => self.modify(target, *op, value, names)?,
            Stmt::Statements(inner) => inner.iter().try_for_each(|stmt| self.statement(stmt, names))?,
            Stmt::If(condition, body) => {
                self.expression(condition, names)?;
                let mut taken = names.clone();
                self.statement(body, &mut taken)?;
                merge(names, taken);
            }
            Stmt::IfElse(condition, bodies) => {
                self.expression(condition, names)?;
                let (mut yes, mut no) = (names.clone(), names.clone());
                self.statement(&bodies.0, &mut yes)?;
                self.statement(&bodies.1, &mut no)?;
                merge(names, yes);
                merge(names, no);
            }
            Stmt::For(each) => {
                if feedback::feeds_back(&each.body) {
                    return None;
                }
                let over = self.expression(&each.over, names)?;
                let changed = feedback::changed_names(&each.body);
                self.repeat(over, &each.var, &changed, names, |machine, names| machine.statement(&each.body, names))?;
            }
            Stmt::Def(def) => self.definition(def, names)?,
            Stmt::Load(_) => return None,
        }
        Some(())
    }

    fn modify(
        &mut self,
        target: &'a AstAssignTarget,
        op: AssignOp,
        value: &'a AstExpr,
        names: &mut Names<'a>,
    ) -> Option<()> {
        let added = self.expression(value, names)?;
        let name = match &target.node {
            AssignTargetP::Identifier(name) => name.ident.as_str(),
            AssignTargetP::Index(parts) => {
                self.expression(&parts.1, names)?;
                return (added.number && !matches!(op, AssignOp::Multiply | AssignOp::LeftShift)).then_some(());
            }
            AssignTargetP::Tuple(_) | AssignTargetP::Dot(..) => return None,
        };
        let known = self.lookup(name, names)?;
        let changed = match op {
            AssignOp::Add if matches!(value.node, Expr::List(_)) => self.grown(known, added),
            AssignOp::Add => self.sum(known, added)?,
            AssignOp::Subtract | AssignOp::Divide | AssignOp::FloorDivide => Size::NUMBER,
            AssignOp::BitOr => self.grown(known, added),
            _ => return None,
        };
        names.insert(name, changed);
        Some(())
    }

    /// Binds a target to a size.
    fn bind(&mut self, target: &'a AstAssignTarget, size: Size, names: &mut Names<'a>) -> Option<()> {
        match &target.node {
            AssignTargetP::Identifier(name) => {
                names.insert(&name.ident, size);
            }
            AssignTargetP::Tuple(parts) => {
                let part = Size { turns: Turns::Input, number: false, integer: None, ..size };
                parts.iter().try_for_each(|target| self.bind(target, part, names))?;
            }
            AssignTargetP::Index(parts) => {
                self.expression(&parts.1, names)?;
                match identifier(&parts.0) {
                    Some(name) => {
                        let grown = self.grown(self.lookup(name, names)?, size);
                        if let Some(known) = names.get_mut(name) {
                            *known = grown;
                        }
                    }
                    None => {
                        self.expression(&parts.0, names)?;
                    }
                }
            }
            AssignTargetP::Dot(..) => return None,
        }
        Some(())
    }

    fn lookup(&self, name: &str, names: &Names<'a>) -> Option<Size> {
        let known = names.get(name).copied();
        let global = || {
            // A global is the same in every turn of every loop.
            self.globals.get(name).map(|size| Size { shared_out: self.around.input_loops == 0, ..*size })
        };
        known.or_else(global)
    }

    fn expression(&mut self, expr: &'a AstExpr, names: &mut Names<'a>) -> Option<Size> {
        match &expr.node {
            Expr::Literal(literal) => Some(match literal {
                AstLiteral::Int(int) => Size { integer: int.node.to_string().parse().ok(), ..Size::NUMBER },
                AstLiteral::Float(_) | AstLiteral::Ellipsis => Size::NUMBER,
                AstLiteral::String(text) => Size::text(text.node.len()),
                AstLiteral::Bytes(bytes) => Size::text(bytes.node.len()),
            }),
            Expr::Identifier(name) => match name.ident.as_str() {
                "True" | "False" | "None" => Some(Size::NUMBER),
                name if self.functions.contains_key(name) && !names.contains_key(name) => Some(Size::FUNCTION),
                name => self.lookup(name, names),
            },
            Expr::List(items) | Expr::Tuple(items) => self.display(items.iter(), items.len(), names),
            Expr::Dict(entries) => {
                self.display(entries.iter().flat_map(|(key, value)| [key, value]), entries.len(), names)
            }
            Expr::ListComprehension(made, first, rest) => self.comprehension(&[made], first, rest, names),
            Expr::DictComprehension(made, first, rest) => self.comprehension(&[&made.0, &made.1], first, rest, names),
            Expr::Index(parts) => {
                self.expression(&parts.1, names)?;
                let base = self.expression(&parts.0, names)?;
                Some(Size { turns: Turns::Input, number: false, integer: None, ..base })
            }
            Expr::Slice(base, from, to, step) => {
                for bound in [from, to, step].into_iter().flatten() {
                    self.expression(bound, names)?;
                }
                let base = self.expression(base, names)?;
                let made = self.allocate(base.units, base.shared_out)?;
                Some(Size { function: base.function, ..made })
            }
            Expr::Not(inner) | Expr::Minus(inner) | Expr::Plus(inner) | Expr::BitNot(inner) => {
                self.expression(inner, names)?;
                Some(Size::NUMBER)
            }
            Expr::If(parts) => {
                self.expression(&parts.0, names)?;
                let yes = self.expression(&parts.1, names)?;
                Some(yes.either(self.expression(&parts.2, names)?))
            }
            Expr::Op(left, op, right) => self.operator(left, *op, right, names),
            Expr::FString(parts) => {
                let mut total = Size::text(parts.format.node.len());
                for part in &parts.expressions {
                    let size = self.expression(part, names)?;
                    total = self.sum_text(total, size)?;
                }
                Some(total)
            }
            Expr::Call(callee, call) => self.call_expression(callee, &call.args, names),
            Expr::Lambda(lambda) => self.lambda(lambda, names),
            Expr::Dot(..) | Expr::Index2(_) => None,
        }
    }

    fn display(
        &mut self,
        items: impl Iterator<Item = &'a AstExpr>,
        count: usize,
        names: &mut Names<'a>,
    ) -> Option<Size> {
        let mut total = Size { turns: Turns::Literal(u32::try_from(count).ok()?), ..Size::NOTHING };
        let mut numbers = count > 0;
        for item in items {
            let size = self.expression(item, names)?;
            numbers &= size.number;
            total.units = total.units.saturating_add(size.units);
            total.shared_out &= size.shared_out || size.units == 0;
            total.function |= size.function;
        }
        Some(Size { items_are_numbers: numbers, ..total })
    }
}

/// Keeps the larger of two sizes of each name.
fn merge<'a>(names: &mut Names<'a>, others: Names<'a>) {
    for (name, size) in others {
        names.entry(name).and_modify(|known| *known = known.either(size)).or_insert(size);
    }
}
