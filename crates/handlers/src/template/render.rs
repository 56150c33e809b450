//! Fills a template in.

use serde_json::Value;

use super::MOST_OUTPUT_BYTES;
use super::cell::Cell;
use super::format::shown;
use super::functions::Act;
use super::names::{Field, field};
use super::tree::{Base, Branch, Command, Node, Operand, Pipeline};

/// How many nodes and commands one rendering may go through.
const MOST_STEPS: u32 = 1_000_000;
/// How many bytes of text its functions may get and give together.
const MOST_HANDLED_BYTES: usize = 64 << 20;

/// Fills the nodes in from `input`.
pub(super) fn render(nodes: &[Node], input: &Value) -> Result<String, String> {
    let dot = Cell::Known(input);
    let variables = vec![("", dot.clone())];
    let mut run = Run { input, output: String::new(), steps: 0, handled_bytes: 0, variables };
    run.nodes(nodes, &dot)?;
    Ok(run.output)
}

struct Run<'a> {
    input: &'a Value,
    output: String,
    steps: u32,
    handled_bytes: usize,
    variables: Vec<(&'a str, Cell<'a>)>,
}

/// What follows after some nodes.
#[derive(PartialEq)]
enum Flow {
    On,
    Break,
    Continue,
}

impl<'a> Run<'a> {
    fn nodes(&mut self, nodes: &'a [Node], dot: &Cell<'a>) -> Result<Flow, String> {
        for node in nodes {
            self.step()?;
            let flow = match node {
                Node::Text(text) => {
                    self.print(text)?;
                    Flow::On
                }
                Node::Print(pipeline) => {
                    let value = self.pipeline(pipeline, dot)?;
                    if pipeline.variables.is_empty() {
                        let text = shown(&value);
                        self.print(&text)?;
                    }
                    Flow::On
                }
                Node::If(branch) => self.branch(branch, dot, false)?,
                Node::With(branch) => self.branch(branch, dot, true)?,
                Node::Range(branch) => self.range(branch, dot)?,
                Node::Break => Flow::Break,
                Node::Continue => Flow::Continue,
            };
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn branch(&mut self, branch: &'a Branch, dot: &Cell<'a>, moves: bool) -> Result<Flow, String> {
        let scope = self.variables.len();
        let value = self.pipeline(&branch.condition, dot)?;
        let flow = match value.is_true() {
            true if moves => self.nodes(&branch.then, &value),
            true => self.nodes(&branch.then, dot),
            false => self.nodes(&branch.otherwise, dot),
        };
        self.variables.truncate(scope);
        flow
    }

    fn range(&mut self, branch: &'a Branch, dot: &Cell<'a>) -> Result<Flow, String> {
        let scope = self.variables.len();
        let value = self.commands(&branch.condition, dot)?;
        let parts = parts(&value)?;
        self.steps = self.steps.saturating_add(u32::try_from(parts.len()).unwrap_or(u32::MAX));
        let mut ended = Flow::On;
        for (key, item) in &parts {
            self.step()?;
            let set: &[&Cell<'a>] = match branch.condition.variables.len() {
                0 => &[],
                1 => &[item],
                _ => &[key, item],
            };
            for (name, value) in branch.condition.variables.iter().zip(set) {
                self.set(name, (*value).clone(), branch.condition.assigns);
            }
            let flow = self.nodes(&branch.then, item);
            self.variables.truncate(scope);
            if flow? == Flow::Break {
                break;
            }
        }
        if parts.is_empty() {
            ended = self.nodes(&branch.otherwise, dot)?;
            self.variables.truncate(scope);
        }
        Ok(ended)
    }

    fn pipeline(&mut self, pipeline: &'a Pipeline, dot: &Cell<'a>) -> Result<Cell<'a>, String> {
        let value = self.commands(pipeline, dot)?;
        if let Some(name) = pipeline.variables.first() {
            self.set(name, value.clone(), pipeline.assigns);
        }
        Ok(value)
    }

    fn set(&mut self, name: &'a str, value: Cell<'a>, assigns: bool) {
        match self.variables.iter_mut().rev().find(|(known, _)| assigns && *known == name) {
            Some((_, known)) => *known = value,
            None => self.variables.push((name, value)),
        }
    }

    fn commands(&mut self, pipeline: &'a Pipeline, dot: &Cell<'a>) -> Result<Cell<'a>, String> {
        let mut value = None;
        for command in &pipeline.commands {
            self.step()?;
            value = Some(match command {
                Command::Value(operand) => self.operand(operand, dot)?,
                Command::Call(function, arguments) => match function.act {
                    Act::All(act) => {
                        let mut cells = Vec::with_capacity(arguments.len() + 1);
                        for argument in arguments {
                            cells.push(self.operand(argument, dot)?);
                        }
                        cells.extend(value.take());
                        cells.iter().try_for_each(|cell| self.handled(cell))?;
                        let made = act(&cells)?;
                        self.handled(&made)?;
                        made
                    }
                    Act::Until(wanted) => self.until(wanted, arguments, value.take(), dot)?,
                },
            });
        }
        Ok(value.unwrap_or(Cell::Absent))
    }

    /// The first value that is as wanted, else the last; nothing after it is looked at.
    fn until(
        &mut self,
        wanted: bool,
        arguments: &'a [Operand],
        piped: Option<Cell<'a>>,
        dot: &Cell<'a>,
    ) -> Result<Cell<'a>, String> {
        let mut last = Cell::Absent;
        for argument in arguments {
            last = self.operand(argument, dot)?;
            if last.is_true() == wanted {
                return Ok(last);
            }
        }
        Ok(piped.unwrap_or(last))
    }

    fn operand(&mut self, operand: &'a Operand, dot: &Cell<'a>) -> Result<Cell<'a>, String> {
        let mut cell = match &operand.base {
            Base::Dot => dot.clone(),
            Base::Literal(value) => Cell::Known(value),
            Base::Pipeline(pipeline) => {
                self.step()?;
                self.pipeline(pipeline, dot)?
            }
            Base::Variable(name) => {
                let known = self.variables.iter().rev().find(|(known, _)| *known == name);
                known.map_or(Cell::Absent, |(_, value)| value.clone())
            }
        };
        for name in &operand.fields {
            cell = self.field(&cell, name)?;
        }
        Ok(cell)
    }

    fn field(&self, cell: &Cell<'a>, name: &str) -> Result<Cell<'a>, String> {
        let Cell::Known(value @ Value::Object(_)) = cell else {
            return Err(format!("`.{name}` is not there: {} has no fields", cell.kind()));
        };
        match field(value, name, std::ptr::eq(*value, self.input)) {
            Field::Here(found) => Ok(Cell::Known(found)),
            Field::Empty => Ok(Cell::Absent),
            Field::Missing => Err(format!("`.{name}` is not there; `index . \"{name}\"` gives nothing instead")),
        }
    }

    fn print(&mut self, text: &str) -> Result<(), String> {
        if self.output.len() + text.len() > MOST_OUTPUT_BYTES {
            return Err(format!("the text is larger than {MOST_OUTPUT_BYTES} bytes; cut its parts with `truncate`"));
        }
        self.output.push_str(text);
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(format!("the template takes more than {MOST_STEPS} steps"));
        }
        Ok(())
    }

    /// Counts a text that a function gets or gives.
    fn handled(&mut self, cell: &Cell<'a>) -> Result<(), String> {
        self.handled_bytes += cell.value().as_str().map_or(0, str::len);
        if self.handled_bytes > MOST_HANDLED_BYTES {
            return Err(format!("the functions of the template go through more than {MOST_HANDLED_BYTES} bytes"));
        }
        Ok(())
    }
}

/// What a `range` goes through, with places or keys; the keys of an object in order.
fn parts<'a>(cell: &Cell<'a>) -> Result<Vec<(Cell<'a>, Cell<'a>)>, String> {
    match cell {
        Cell::Absent => Ok(Vec::new()),
        Cell::Known(Value::Null) => Ok(Vec::new()),
        Cell::Known(Value::Array(items)) => {
            Ok(items.iter().enumerate().map(|(at, item)| (Cell::count(at), Cell::Known(item))).collect())
        }
        Cell::Known(Value::Object(fields)) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            Ok(sorted.into_iter().map(|(key, item)| (Cell::text(key.clone()), Cell::Known(item))).collect())
        }
        _ => match cell.as_count() {
            Some(count) if count <= MOST_STEPS as usize => {
                Ok((0..count).map(|at| (Cell::count(at), Cell::count(at))).collect())
            }
            Some(_) => Err(format!("range: more than {MOST_STEPS} steps")),
            None => Err(format!("range: {} has no parts", cell.kind())),
        },
    }
}
