//! Where the names of a function get their values.

use std::collections::BTreeMap;

use starlark::syntax::ast::{AssignTargetP, AstAssignTarget, AstExpr, AstStmt, Expr, Stmt};

use crate::analysis::{FunctionNode, comprehension_loops, target_name};

/// Where a name gets its value.
#[derive(Debug, Clone, Copy)]
pub(super) enum NameSource<'a> {
    Value(&'a AstExpr),
    ItemOf(&'a AstExpr),
    Unclear,
}

/// The values of each name.
pub(super) type NameSources<'a> = BTreeMap<&'a str, Vec<NameSource<'a>>>;

pub(super) fn collect_statement_sources<'a>(stmt: &'a AstStmt, sources: &mut NameSources<'a>) {
    let mut add = |name: &'a str, source| sources.entry(name).or_default().push(source);
    match &stmt.node {
        Stmt::Assign(assign) => add_target(&assign.lhs, Some(&assign.rhs), &mut add, NameSource::Value),
        Stmt::AssignModify(target, _, _) => add_target(target, None, &mut add, NameSource::Value),
        Stmt::For(each) => add_target(&each.var, Some(&each.over), &mut add, NameSource::ItemOf),
        Stmt::Def(def) => {
            add(&def.name.ident, NameSource::Unclear);
            FunctionNode::from_def(def).parameter_names().for_each(|name| add(name, NameSource::Unclear));
        }
        _ => {}
    }
}

pub(super) fn collect_expression_sources<'a>(expr: &'a AstExpr, sources: &mut NameSources<'a>) {
    let mut add = |name: &'a str, source| sources.entry(name).or_default().push(source);
    if let Expr::Lambda(lambda) = &expr.node {
        lambda.params.iter().filter_map(|parameter| parameter.ident()).for_each(|name| {
            add(&name.ident, NameSource::Unclear);
        });
    }
    for each in comprehension_loops(expr) {
        add_target(&each.var, Some(&each.over), &mut add, NameSource::ItemOf);
    }
}

fn add_target<'a>(
    target: &'a AstAssignTarget,
    value: Option<&'a AstExpr>,
    add: &mut impl FnMut(&'a str, NameSource<'a>),
    make: fn(&'a AstExpr) -> NameSource<'a>,
) {
    if let Some(name) = target_name(target) {
        return add(name, value.map_or(NameSource::Unclear, make));
    }
    if let AssignTargetP::Tuple(parts) = &target.node {
        parts.iter().for_each(|part| add_target(part, None, add, make));
    }
}
