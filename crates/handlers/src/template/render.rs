//! Renders a template.

use serde_json::Value;

use super::MOST_OUTPUT_BYTES;
use super::ast::{ConditionalNode, OperandBase, PipelineCommand, PipelineNode, TemplateNode, TemplateOperand};
use super::field_lookup::{FieldLookup, look_up_field};
use super::format::display_value;
use super::functions::FunctionBody;
use super::value::TemplateValue;

/// The most nodes and commands of one rendering.
const MOST_STEPS: u32 = 1_000_000;
/// The most bytes of text that its functions may process in total.
const MOST_HANDLED_BYTES: usize = 64 << 20;

/// Renders the nodes with `input`.
pub(super) fn render_nodes(nodes: &[TemplateNode], input: &Value) -> Result<String, String> {
    let dot = TemplateValue::Known(input);
    let variables = vec![("", dot.clone())];
    let mut run = Renderer { input, output: String::new(), step_count: 0, handled_bytes: 0, variables };
    run.render_list(nodes, &dot)?;
    Ok(run.output)
}

struct Renderer<'a> {
    input: &'a Value,
    output: String,
    step_count: u32,
    handled_bytes: usize,
    variables: Vec<(&'a str, TemplateValue<'a>)>,
}

/// The control flow after some nodes.
#[derive(PartialEq)]
enum ControlFlow {
    Next,
    Break,
    Continue,
}

impl<'a> Renderer<'a> {
    fn render_list(&mut self, nodes: &'a [TemplateNode], dot: &TemplateValue<'a>) -> Result<ControlFlow, String> {
        for node in nodes {
            self.count_step()?;
            let flow = match node {
                TemplateNode::Text(text) => {
                    self.print_text(text)?;
                    ControlFlow::Next
                }
                TemplateNode::Print(pipeline) => {
                    let value = self.evaluate_pipeline(pipeline, dot)?;
                    if pipeline.variables.is_empty() {
                        let text = display_value(&value);
                        self.print_text(&text)?;
                    }
                    ControlFlow::Next
                }
                TemplateNode::If(branch) => self.render_branch(branch, dot, false)?,
                TemplateNode::With(branch) => self.render_branch(branch, dot, true)?,
                TemplateNode::Range(branch) => self.render_range(branch, dot)?,
                TemplateNode::Break => ControlFlow::Break,
                TemplateNode::Continue => ControlFlow::Continue,
            };
            if flow != ControlFlow::Next {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Next)
    }

    fn render_branch(
        &mut self,
        branch: &'a ConditionalNode,
        dot: &TemplateValue<'a>,
        moves: bool,
    ) -> Result<ControlFlow, String> {
        let scope = self.variables.len();
        let value = self.evaluate_pipeline(&branch.condition, dot)?;
        let flow = match value.is_truthy() {
            true if moves => self.render_list(&branch.then_nodes, &value),
            true => self.render_list(&branch.then_nodes, dot),
            false => self.render_list(&branch.else_nodes, dot),
        };
        self.variables.truncate(scope);
        flow
    }

    fn render_range(&mut self, branch: &'a ConditionalNode, dot: &TemplateValue<'a>) -> Result<ControlFlow, String> {
        let scope = self.variables.len();
        let value = self.evaluate_commands(&branch.condition, dot)?;
        let parts = range_items(&value)?;
        self.step_count = self.step_count.saturating_add(u32::try_from(parts.len()).unwrap_or(u32::MAX));
        let mut ended = ControlFlow::Next;
        for (key, item) in &parts {
            self.count_step()?;
            let set: &[&TemplateValue<'a>] = match branch.condition.variables.len() {
                0 => &[],
                1 => &[item],
                _ => &[key, item],
            };
            for (name, value) in branch.condition.variables.iter().zip(set) {
                self.set_variable(name, (*value).clone(), branch.condition.is_assignment);
            }
            let flow = self.render_list(&branch.then_nodes, item);
            self.variables.truncate(scope);
            if flow? == ControlFlow::Break {
                break;
            }
        }
        if parts.is_empty() {
            ended = self.render_list(&branch.else_nodes, dot)?;
            self.variables.truncate(scope);
        }
        Ok(ended)
    }

    fn evaluate_pipeline(
        &mut self,
        pipeline: &'a PipelineNode,
        dot: &TemplateValue<'a>,
    ) -> Result<TemplateValue<'a>, String> {
        let value = self.evaluate_commands(pipeline, dot)?;
        if let Some(name) = pipeline.variables.first() {
            self.set_variable(name, value.clone(), pipeline.is_assignment);
        }
        Ok(value)
    }

    fn set_variable(&mut self, name: &'a str, value: TemplateValue<'a>, assigns: bool) {
        match self.variables.iter_mut().rev().find(|(known, _)| assigns && *known == name) {
            Some((_, known)) => *known = value,
            None => self.variables.push((name, value)),
        }
    }

    fn evaluate_commands(
        &mut self,
        pipeline: &'a PipelineNode,
        dot: &TemplateValue<'a>,
    ) -> Result<TemplateValue<'a>, String> {
        let mut value = None;
        for command in &pipeline.commands {
            self.count_step()?;
            value = Some(match command {
                PipelineCommand::Value(operand) => self.evaluate_operand(operand, dot)?,
                PipelineCommand::Call(function, arguments) => match function.body {
                    FunctionBody::Eager(act) => {
                        let mut cells = Vec::with_capacity(arguments.len() + 1);
                        for argument in arguments {
                            cells.push(self.evaluate_operand(argument, dot)?);
                        }
                        cells.extend(value.take());
                        cells.iter().try_for_each(|cell| self.count_handled_bytes(cell))?;
                        let made = act(&cells)?;
                        self.count_handled_bytes(&made)?;
                        made
                    }
                    FunctionBody::ShortCircuit(wanted) => {
                        self.evaluate_short_circuit(wanted, arguments, value.take(), dot)?
                    }
                },
            });
        }
        Ok(value.unwrap_or(TemplateValue::Absent))
    }

    /// The first value with the wanted truth, otherwise the last one; later arguments are not evaluated.
    fn evaluate_short_circuit(
        &mut self,
        wanted: bool,
        arguments: &'a [TemplateOperand],
        piped: Option<TemplateValue<'a>>,
        dot: &TemplateValue<'a>,
    ) -> Result<TemplateValue<'a>, String> {
        let mut last = TemplateValue::Absent;
        for argument in arguments {
            last = self.evaluate_operand(argument, dot)?;
            if last.is_truthy() == wanted {
                return Ok(last);
            }
        }
        Ok(piped.unwrap_or(last))
    }

    fn evaluate_operand(
        &mut self,
        operand: &'a TemplateOperand,
        dot: &TemplateValue<'a>,
    ) -> Result<TemplateValue<'a>, String> {
        let mut cell = match &operand.base {
            OperandBase::Dot => dot.clone(),
            OperandBase::Literal(value) => TemplateValue::Known(value),
            OperandBase::Pipeline(pipeline) => {
                self.count_step()?;
                self.evaluate_pipeline(pipeline, dot)?
            }
            OperandBase::Variable(name) => {
                let known = self.variables.iter().rev().find(|(known, _)| *known == name);
                known.map_or(TemplateValue::Absent, |(_, value)| value.clone())
            }
        };
        for name in &operand.fields {
            cell = self.evaluate_field(&cell, name)?;
        }
        Ok(cell)
    }

    fn evaluate_field(&self, cell: &TemplateValue<'a>, name: &str) -> Result<TemplateValue<'a>, String> {
        let TemplateValue::Known(value @ Value::Object(_)) = cell else {
            return Err(format!("cannot read `.{name}`: {} has no fields", cell.kind_name()));
        };
        match look_up_field(value, name, std::ptr::eq(*value, self.input)) {
            FieldLookup::Present(found) => Ok(TemplateValue::Known(found)),
            FieldLookup::Omitted => Ok(TemplateValue::Absent),
            FieldLookup::Unknown => {
                Err(format!("`.{name}` does not exist; `index . \"{name}\"` evaluates to nothing instead"))
            }
        }
    }

    fn print_text(&mut self, text: &str) -> Result<(), String> {
        if self.output.len() + text.len() > MOST_OUTPUT_BYTES {
            return Err(format!(
                "the output is larger than {MOST_OUTPUT_BYTES} bytes; shorten its parts with `truncate`"
            ));
        }
        self.output.push_str(text);
        Ok(())
    }

    fn count_step(&mut self) -> Result<(), String> {
        self.step_count += 1;
        if self.step_count > MOST_STEPS {
            return Err(format!("the template takes more than {MOST_STEPS} steps"));
        }
        Ok(())
    }

    /// Counts a text that a function gets or returns.
    fn count_handled_bytes(&mut self, cell: &TemplateValue<'a>) -> Result<(), String> {
        self.handled_bytes += cell.value().as_str().map_or(0, str::len);
        if self.handled_bytes > MOST_HANDLED_BYTES {
            return Err(format!("the functions of the template process more than {MOST_HANDLED_BYTES} bytes"));
        }
        Ok(())
    }
}

/// The items of a `range`, with indexes or keys; the keys of an object are sorted.
fn range_items<'a>(cell: &TemplateValue<'a>) -> Result<Vec<(TemplateValue<'a>, TemplateValue<'a>)>, String> {
    match cell {
        TemplateValue::Absent => Ok(Vec::new()),
        TemplateValue::Known(Value::Null) => Ok(Vec::new()),
        TemplateValue::Known(Value::Array(items)) => Ok(items
            .iter()
            .enumerate()
            .map(|(index, item)| (TemplateValue::from_count(index), TemplateValue::Known(item)))
            .collect()),
        TemplateValue::Known(Value::Object(fields)) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            Ok(sorted
                .into_iter()
                .map(|(key, item)| (TemplateValue::from_text(key.clone()), TemplateValue::Known(item)))
                .collect())
        }
        _ => match cell.as_count() {
            Some(count) if count <= MOST_STEPS as usize => Ok((0..count)
                .map(|index| (TemplateValue::from_count(index), TemplateValue::from_count(index)))
                .collect()),
            Some(_) => Err(format!("range: more than {MOST_STEPS} steps")),
            None => Err(format!("range: cannot iterate over {}", cell.kind_name())),
        },
    }
}
