//! Coverage: which statements and conditions of scripts were reached.
//!
//! A covered script is run by the interpreter with probes: calls before each statement and around each condition, put into
//! the parsed module. Plain scripts are not evaluated natively then, which gives the same answers. A probe is not a step.
//!
//! The points of a script are in the order of its text, so they are the same in every process that reads it.

use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::Location;
use starlark::codemap::Spanned;
use starlark::environment::Module;
use starlark::syntax::AstModule;
use starlark::syntax::ast::{
    ArgumentP, AstExpr, AstLiteral, AstStmt, BinOp, CallArgsP, ClauseP, Expr, IdentP, Stmt, TokenInt,
};

use crate::analysis::{is_constant_name, span_of};
use crate::source::PreparedSource;
use crate::starlark_values::CoverageProbe;

/// The name of the probe, which no script can write.
const PROBE: &str = "probe;";

/// What is to be reached at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoverageKind {
    /// A statement begins here.
    Statement,
    /// A condition is true.
    ConditionTrue,
    /// A condition is false.
    ConditionFalse,
}

/// A statement, or a way that a condition can come out.
#[derive(Debug, Clone)]
pub struct CoveragePoint {
    /// What is to be reached.
    pub kind: CoverageKind,
    /// Where it is in the script's file.
    pub location: Location,
}

/// The points of a script, and which of them were reached.
#[derive(Debug)]
pub struct CoveredScript {
    points: Vec<CoveragePoint>,
    hits: Arc<PointHits>,
}

impl CoveredScript {
    /// Its points, each with whether it was reached.
    pub fn points(&self) -> impl Iterator<Item = (&CoveragePoint, bool)> {
        self.points.iter().enumerate().map(|(index, point)| (point, self.hits.is_reached(index)))
    }

    /// The file that the script is written in.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        self.points.first().and_then(|point| point.location.path()).map(Path::to_owned)
    }
}

/// Whether each point of a script was reached: at all, and since this was last asked.
#[derive(Debug)]
pub struct PointHits(Vec<AtomicU8>);

/// A point was reached.
const REACHED: u8 = 1;
/// A point was reached since this was last asked.
const NEW: u8 = 2;

impl PointHits {
    /// Notes that a point was reached.
    pub fn note(&self, index: usize) {
        if let Some(hit) = self.0.get(index) {
            hit.store(REACHED | NEW, Ordering::Relaxed);
        }
    }

    fn is_reached(&self, index: usize) -> bool {
        self.0.get(index).is_some_and(|hit| hit.load(Ordering::Relaxed) & REACHED != 0)
    }

    /// The points that were reached since this was last asked.
    fn take(&self) -> Vec<usize> {
        let is_new = |hit: &AtomicU8| hit.fetch_and(!NEW, Ordering::Relaxed) & NEW != 0;
        let taken = self.0.iter().enumerate().filter(|(_, hit)| is_new(hit));
        taken.map(|(index, _)| index).collect()
    }
}

/// The scripts that were compiled to be covered.
#[derive(Debug, Default)]
pub struct CoverageRecorder(Mutex<Vec<Arc<CoveredScript>>>);

impl CoverageRecorder {
    /// The scripts, in the order in which they were compiled. A script that was compiled twice is there twice.
    #[must_use]
    pub fn scripts(&self) -> Vec<Arc<CoveredScript>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The places of the points that were reached since this was last asked, in the order of the scripts.
    #[must_use]
    pub fn take_reached(&self) -> Vec<CoveragePoint> {
        let taken = |script: &Arc<CoveredScript>| {
            script.hits.take().into_iter().filter_map(|index| script.points.get(index).cloned()).collect::<Vec<_>>()
        };
        self.scripts().iter().flat_map(taken).collect()
    }

    /// The indices of the points that were reached since this was last asked, of the script that was compiled last.
    pub(crate) fn take_indices(&self) -> Vec<usize> {
        self.scripts().last().map(|script| script.hits.take()).unwrap_or_default()
    }

    /// Puts probes into a module.
    pub(crate) fn cover_module(&self, source: &PreparedSource, ast: AstModule) -> CoveredModule {
        self.cover(ast, |prober, stmt| prober.block(stmt), |span| source.location(Some(span)))
    }

    /// Puts probes into the last expression of a module, which is that of a `when`, and into the functions before it, which
    /// are those of the hook's script that it calls.
    pub(crate) fn cover_when(&self, ast: AstModule, locate: impl Fn((usize, usize)) -> Location) -> CoveredModule {
        self.cover(ast, ProbeWriter::when, locate)
    }

    fn cover(
        &self,
        ast: AstModule,
        write: impl FnOnce(&mut ProbeWriter, &mut AstStmt),
        locate: impl Fn((usize, usize)) -> Location,
    ) -> CoveredModule {
        let mut prober = ProbeWriter { points: Vec::new() };
        let ast = ast.map_statement(|stmt| write(&mut prober, stmt));
        let points = prober.points.into_iter().map(|(kind, span)| CoveragePoint { kind, location: locate(span) });
        let points: Vec<CoveragePoint> = points.collect();
        let hits = Arc::new(PointHits(points.iter().map(|_| AtomicU8::new(0)).collect()));
        let script = Arc::new(CoveredScript { points, hits: Arc::clone(&hits) });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(script);
        CoveredModule { ast, hits }
    }
}

/// A module with probes.
pub(crate) struct CoveredModule {
    pub(crate) ast: AstModule,
    pub(crate) hits: Arc<PointHits>,
}

/// Defines the probe in a module that is to be evaluated.
pub(crate) fn set_probe(module: &Module<'_>, hits: Option<&Arc<PointHits>>) {
    if let Some(hits) = hits {
        module.set(PROBE, module.heap().alloc(CoverageProbe(Arc::clone(hits))));
    }
}

/// Puts probes into a parsed module.
struct ProbeWriter {
    points: Vec<(CoverageKind, (usize, usize))>,
}

impl ProbeWriter {
    /// Puts a probe before each statement of a block.
    fn block(&mut self, stmt: &mut AstStmt) {
        let span = stmt.span;
        let inner = match &mut stmt.node {
            Stmt::Statements(inner) => mem::take(inner),
            node => vec![Spanned { span, node: mem::replace(node, Stmt::Pass) }],
        };
        let mut probed = Vec::new();
        for mut stmt in inner {
            if is_counted(&stmt) {
                probed.push(self.statement_probe(&stmt));
            }
            self.statement(&mut stmt);
            probed.push(stmt);
        }
        stmt.node = Stmt::Statements(probed);
    }

    /// Puts probes into a statement.
    fn statement(&mut self, stmt: &mut AstStmt) {
        match &mut stmt.node {
            Stmt::Statements(_) => self.block(stmt),
            Stmt::If(condition, body) => {
                self.condition(condition);
                self.block(body);
            }
            Stmt::IfElse(condition, bodies) => {
                self.condition(condition);
                self.block(&mut bodies.0);
                self.block(&mut bodies.1);
            }
            Stmt::For(each) => {
                self.expression(&mut each.over);
                self.block(&mut each.body);
            }
            Stmt::Def(def) => {
                def.params.iter_mut().for_each(|parameter| parameter.visit_expr_mut(|expr| self.expression(expr)));
                self.block(&mut def.body);
            }
            other => other.visit_expr_mut(|expr| self.expression(expr)),
        }
    }

    /// Puts probes into the expression of a `when`, which the last function of the module returns.
    fn when(&mut self, stmt: &mut AstStmt) {
        match &mut stmt.node {
            Stmt::Statements(inner) => {
                if let Some((last, called)) = inner.split_last_mut() {
                    // The other definitions are evaluated when the script is loaded.
                    let functions = called.iter_mut().filter(|stmt| matches!(stmt.node, Stmt::Def(_)));
                    functions.for_each(|function| self.statement(function));
                    self.when(last);
                }
            }
            Stmt::Def(def) => self.when(&mut def.body),
            Stmt::Return(Some(expr)) => {
                let span = expr.span;
                self.points.push((CoverageKind::Statement, span_of(expr)));
                let point = self.points.len() - 1;
                self.condition(expr);
                let returned = Spanned { span: stmt.span, node: mem::replace(&mut stmt.node, Stmt::Pass) };
                let probe = Spanned { span, node: Stmt::Expression(call_probe(span, point, None)) };
                stmt.node = Stmt::Statements(vec![probe, returned]);
            }
            _ => {}
        }
    }

    fn statement_probe(&mut self, stmt: &AstStmt) -> AstStmt {
        self.points.push((CoverageKind::Statement, span_of(stmt)));
        Spanned { span: stmt.span, node: Stmt::Expression(call_probe(stmt.span, self.points.len() - 1, None)) }
    }

    /// Puts probes into an expression whose value is not a condition.
    fn expression(&mut self, expr: &mut AstExpr) {
        match &mut expr.node {
            Expr::Op(left, BinOp::And | BinOp::Or, right) => {
                self.condition(left);
                self.expression(right);
            }
            Expr::If(parts) => {
                let (condition, yes, no) = &mut **parts;
                self.condition(condition);
                self.expression(yes);
                self.expression(no);
            }
            Expr::ListComprehension(item, each, clauses) => {
                self.expression(item);
                self.expression(&mut each.over);
                self.clauses(clauses);
            }
            Expr::DictComprehension(entry, each, clauses) => {
                self.expression(&mut entry.0);
                self.expression(&mut entry.1);
                self.expression(&mut each.over);
                self.clauses(clauses);
            }
            other => other.visit_expr_mut(|inner| self.expression(inner)),
        }
    }

    fn clauses(&mut self, clauses: &mut [crate::analysis::ClauseNode]) {
        for clause in clauses {
            match clause {
                ClauseP::For(each) => self.expression(&mut each.over),
                ClauseP::If(condition) => self.condition(condition),
            }
        }
    }

    /// Puts probes around the parts of a condition that are true or false.
    fn condition(&mut self, expr: &mut AstExpr) {
        if is_constant_name(expr) {
            return;
        }
        match &mut expr.node {
            Expr::Op(left, BinOp::And | BinOp::Or, right) => {
                self.condition(left);
                self.condition(right);
            }
            Expr::Not(inner) => self.condition(inner),
            Expr::Literal(_) => {}
            _ => {
                let span = span_of(expr);
                let point = self.points.len();
                self.points.extend([(CoverageKind::ConditionTrue, span), (CoverageKind::ConditionFalse, span)]);
                self.expression(expr);
                let span = expr.span;
                let inner = Spanned { span, node: mem::replace(&mut expr.node, Expr::Tuple(Vec::new())) };
                *expr = call_probe(span, point, Some(inner));
            }
        }
    }
}

/// Whether a statement counts: not a definition, and not the text that documents one.
fn is_counted(stmt: &AstStmt) -> bool {
    match &stmt.node {
        Stmt::Def(_) | Stmt::Load(_) | Stmt::Statements(_) => false,
        Stmt::Expression(expr) => !matches!(expr.node, Expr::Literal(_)),
        _ => true,
    }
}

fn call_probe(span: starlark::codemap::Span, point: usize, condition: Option<AstExpr>) -> AstExpr {
    let at = |node| Spanned { span, node };
    let index = TokenInt::I32(i32::try_from(point).unwrap_or(i32::MAX));
    let index = at(Expr::Literal(AstLiteral::Int(Spanned { span, node: index })));
    let name = Spanned { span, node: IdentP { ident: PROBE.to_owned(), payload: () } };
    let arguments = [Some(index), condition].into_iter().flatten();
    let args = arguments.map(|argument| Spanned { span, node: ArgumentP::Positional(argument) }).collect();
    at(Expr::Call(Box::new(at(Expr::Identifier(name))), CallArgsP { args }))
}
