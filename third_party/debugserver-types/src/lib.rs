//! Stand-in for the types of the debug adapter protocol: the fields that an adapter is compiled with.
#![allow(missing_docs)]

#[derive(Debug, Clone, Default)]
pub struct Source {
    pub path: Option<String>,
}

#[derive(Debug, Clone)]
pub struct StackFrame {
    pub id: i64,
    pub name: String,
    pub line: i64,
    pub column: i64,
    pub end_line: Option<i64>,
    pub end_column: Option<i64>,
    pub module_id: Option<String>,
    pub presentation_hint: Option<String>,
    pub source: Option<Source>,
}

#[derive(Debug, Clone)]
pub struct StackTraceArguments;

#[derive(Debug, Clone)]
pub struct StackTraceResponseBody {
    pub stack_frames: Vec<StackFrame>,
    pub total_frames: Option<i64>,
}

#[derive(Debug, Clone)]
pub struct SourceBreakpoint {
    pub line: i64,
    pub condition: Option<String>,
}

#[derive(Debug, Clone)]
pub struct SetBreakpointsArguments {
    pub breakpoints: Option<Vec<SourceBreakpoint>>,
}

#[derive(Debug, Clone)]
pub struct Breakpoint {
    pub id: Option<i64>,
    pub line: Option<i64>,
    pub column: Option<i64>,
    pub end_line: Option<i64>,
    pub end_column: Option<i64>,
    pub message: Option<String>,
    pub source: Option<Source>,
    pub verified: bool,
}

#[derive(Debug, Clone)]
pub struct SetBreakpointsResponseBody {
    pub breakpoints: Vec<Breakpoint>,
}

#[derive(Debug, Clone)]
pub struct Variable {
    pub name: String,
    pub value: String,
    pub type_: Option<String>,
    pub evaluate_name: Option<String>,
    pub indexed_variables: Option<i64>,
    pub named_variables: Option<i64>,
    pub presentation_hint: Option<String>,
    pub variables_reference: i64,
}

#[derive(Debug, Clone, Default)]
pub struct Capabilities {
    pub supports_configuration_done_request: Option<bool>,
    pub supports_evaluate_for_hovers: Option<bool>,
    pub supports_set_variable: Option<bool>,
    pub supports_step_in_targets_request: Option<bool>,
    pub supports_conditional_breakpoints: Option<bool>,
}
