//! Tools.

use super::*;

#[test]
fn a_tool_file_is_a_schema_a_script_and_its_body() {
    let text = "---\nparameters:\n  command: {type: string, description: What to run., required: true}\n  mode: {type: string, enum: [fast, slow], default: fast}\n  tags: {type: array, items: {type: string}}\ntimeout_ms: 1500\nscript: |\n  def run(args):\n      return 1\nverify: |\n  def run(result):\n      return True\n---\n\nRuns a command.\n";
    let project = read(&[(ArtifactKind::Tool, "run_command", text)]);
    assert_eq!(findings(&project, Severity::Note), NO_FINDINGS);
    let tool = project.agent.unwrap().tools.remove(0);
    assert_eq!(
        (tool.name.as_str(), tool.description.as_str(), tool.timeout_ms),
        ("run_command", "Runs a command.", 1500)
    );
    assert_eq!(
        tool.parameters,
        json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "What to run."},
                "mode": {"type": "string", "enum": ["fast", "slow"], "default": "fast"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "additionalProperties": false,
            "required": ["command"],
        })
    );
    assert_eq!((tool.script.unwrap().first_line, tool.verify.unwrap().first_line), (8, 11));
}

#[test]
fn faults_of_tools_are_all_reported() {
    let text = "---\nparameters:\n  a: {type: strin, required: yes}\n  b: {description: x}\n  c: string\ntimeout_ms: -1\nasync: true\nname: x\n---\n";
    let list = "---\ntools:\n  - {script: x}\n  - just text\n---\nHi.\n";
    let project = read(&[(ArtifactKind::Harness, "harness", list), (ArtifactKind::Tool, "t", text)]);
    assert_eq!(
        findings(&project, Severity::Warning),
        [
            "harness.md:3:5: error: parse harness.md: tools[0].name cannot be empty | add `name:`",
            "harness.md:4:5: error: parse harness.md: yaml: line 4: tools[1] must be a mapping, not a string | write lines such as `field: value`",
            "tools/t.md:8:1: warning: unknown key `name` in tool `t`, which has no effect | the tool is named after its file, `t`; rename the file to rename the tool",
            "tools/t.md:3:13: error: parse tool t.md: yaml: line 3: type must be `string` or `number` or `integer` or `boolean` or `object` or `array` or `int` or `bool`, not `strin` | did you mean `string`?",
            "tools/t.md:3:30: error: parse tool t.md: yaml: line 3: required must be true or false, not a string | write `required: true` or `required: false`",
            "tools/t.md:4:3: error: parse tool t.md: yaml: line 4: the parameter has no type | one of string, number, integer, boolean, object, array",
            "tools/t.md:5:6: error: parse tool t.md: yaml: line 5: parameter `c` must be a mapping, not a string | write lines such as `field: value`",
            "tools/t.md:5:3: error: parse tool t.md: yaml: line 5: the parameter has no type | one of string, number, integer, boolean, object, array",
            "tools/t.md:7:8: warning: `async` is not supported yet | the tool finishes before the model continues",
            "tools/t.md:2:1: warning: tool \"t\" is configured but no handler has been registered | add `script: |` with a function `run(args)`",
            "tools/t.md:6:13: error: parse tool t.md: tool \"t\" timeout_ms must be >= 0",
        ]
    );
}
