//! `pintle rule`: rules of a user's own, without an editor.

mod policy_text;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use pintle_host::contract::suggest_or_list;
use pintle_host::files::home_dir;
use pintle_host::packs::{OperationSubject, PolicyRuleSpec, RuleSubject};
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use serde_json::{Value, json};

use crate::error::{CliError, CliStatus};
use crate::options::trust::require_no_agent;
use crate::options::{GlobalOptions, PolicyPlace, PolicySource};
use crate::render::{path_text, table};
use crate::terminal::Terminal;

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Add, list and remove rules of your own. A rule denies, asks about, warns of or \
allows a command, what a call does to files, or a tool: `pintle rule add deny 'npm publish'`. The rules are in \
`policy.yaml`, which stays as it is otherwise";

/// Most characters of a cell.
const CUT: usize = 40;

#[derive(Debug, Args)]
pub(crate) struct RuleArgs {
    #[command(subcommand)]
    action: Option<RuleAction>,
}

#[derive(Debug, Subcommand)]
enum RuleAction {
    /// Add a rule.
    Add(Box<AddedRule>),
    /// Let the packs and your rules allow what is done to a file or directory.
    AllowPath {
        /// The path, such as `~/scratch` or `build/**`.
        path: String,
        #[command(flatten)]
        place: RulePlace,
    },
    /// List the rules, as without an action.
    List(RulePlace),
    /// Remove a rule.
    Remove {
        /// The rule's name, as `pintle rule list` shows it.
        name: String,
        #[command(flatten)]
        place: RulePlace,
    },
}

#[derive(Debug, Default, Args)]
struct RulePlace {
    /// The rules of this project, in `.harness/policy.yaml` [default: your own, in every project].
    #[arg(long)]
    project: bool,
    /// Directory of your own rules and hooks [default: `PINTLE_CONFIG_DIR`, otherwise `~/.config/pintle`].
    #[arg(long, value_name = "DIR")]
    config_dir: Option<PathBuf>,
}

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleWord {
    /// Deny the call.
    Deny,
    /// Ask the user.
    Ask,
    /// Only notify the user.
    Warn,
    /// Let it through the packs and rules of the same place.
    Allow,
}

impl RuleWord {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Warn => "warn",
            Self::Allow => "allow",
        }
    }
}

#[derive(Debug, Args)]
struct AddedRule {
    /// What the rule does.
    word: RuleWord,
    /// A command: the program, and words that it has. More words may follow, except for `allow`.
    #[arg(required_unless_present_any = ["read", "write", "delete", "change", "path", "network", "tool"])]
    command: Option<String>,
    #[command(flatten)]
    subject: RuleSubjects,
    /// Why, for the model.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// What to do instead, for the model.
    #[arg(long, value_name = "TEXT")]
    instead: Option<String>,
    /// The rule's name [default: made of what it is about].
    #[arg(long)]
    name: Option<String>,
    /// Only for calls of this agent, such as `claude`.
    #[arg(long, value_name = "AGENT")]
    agent: Vec<String>,
    #[command(flatten)]
    place: RulePlace,
}

/// What a rule is about, other than a command.
#[derive(Debug, Args)]
#[group(multiple = false, conflicts_with = "command")]
struct RuleSubjects {
    /// Reading a path: `secrets/**` of the project, `*.pem` of any directory, `~/x`, `/etc`, or `any`.
    #[arg(long, value_name = "PATH")]
    read: Option<String>,
    /// Writing to a path.
    #[arg(long, value_name = "PATH")]
    write: Option<String>,
    /// Deleting a path.
    #[arg(long, value_name = "PATH")]
    delete: Option<String>,
    /// Writing, deleting and moving a path, and changing its permissions.
    #[arg(long, value_name = "PATH")]
    change: Option<String>,
    /// All of this and reading.
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Getting data from a host or sending it there, such as `*.example.com`, or `any`.
    #[arg(long, value_name = "HOST")]
    network: Option<String>,
    /// Every call of a tool, such as `mcp__github__*`.
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
}

impl RuleSubjects {
    fn find(self) -> Option<(&'static str, String)> {
        let all = [
            ("read", self.read),
            ("write", self.write),
            ("delete", self.delete),
            ("change", self.change),
            ("path", self.path),
            ("network", self.network),
            ("tool", self.tool),
        ];
        all.into_iter().find_map(|(key, value)| Some((key, value?)))
    }
}

impl RuleArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        match self.action.unwrap_or_else(|| RuleAction::List(RulePlace::default())) {
            RuleAction::Add(added) => added.execute(terminal, global),
            RuleAction::AllowPath { path, place } => {
                let mut item = vec![format!("path: {}", policy_text::quoted(&path))];
                item.extend(short_name("path", &path).map(|name| format!("name: {}", policy_text::quoted(&name))));
                place.add("allow", &item, terminal, global)
            }
            RuleAction::List(place) => place.list(terminal, global),
            RuleAction::Remove { name, place } => place.remove(&name, terminal, global),
        }
    }
}

impl AddedRule {
    fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let quoted = policy_text::quoted;
        let (key, value) = self.subject.find().or_else(|| Some(("run", self.command?))).unwrap_or_default();
        let is_path = !["run", "network", "tool"].contains(&key);
        let name = self.name.or_else(|| short_name(key, &value).filter(|_| is_path));
        let mut item = vec![format!("{key}: {}", quoted(&value))];
        let texts = [("name", name), ("reason", self.reason), ("instead", self.instead)];
        item.extend(texts.into_iter().filter_map(|(key, text)| Some(format!("{key}: {}", quoted(&text?)))));
        if !self.agent.is_empty() {
            let agents: Vec<String> = self.agent.iter().map(|agent| quoted(agent)).collect();
            item.push(format!("agents: [{}]", agents.join(", ")));
        }
        self.place.add(self.word.as_str(), &item, terminal, global)
    }
}

/// The name of a rule about a path below the home directory, which a shell has written in full: without the directories
/// above. The path itself stays as it was typed, since `~` follows the variable `HOME` of the agent, which a project may set.
fn short_name(key: &str, path: &str) -> Option<String> {
    let relative = Path::new(path).strip_prefix(home_dir()?).ok()?.to_str()?;
    Some(format!("{key}-{}", if relative.is_empty() { "home" } else { relative }).replace('/', "-"))
}

impl RulePlace {
    fn place(&self) -> Result<PolicyPlace, CliError> {
        PolicyPlace::find(self.project, self.config_dir.as_deref())
    }

    fn add(
        &self,
        key: &str,
        item: &[String],
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        require_no_agent("no rule was added")?;
        let source = self.place()?.own_file()?;
        let edited = policy_text::add_rule(source.text(), key, item).ok_or_else(|| source.hand_error(key, item))?;
        let added = source.save(edited, 1)?;
        print_change("added", &added, &source, terminal, global);
        Ok(CliStatus::Done)
    }

    fn remove(&self, name: &str, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        require_no_agent("no rule was removed")?;
        let sources = self.place()?.files()?;
        let find = |source: &PolicySource| {
            let rule = source
                .rules()
                .iter()
                .find(|rule| rule.name == name || rule.name.split_once('.').is_some_and(|(_, short)| short == name));
            rule.cloned()
        };
        let Some((source, rule)) = sources.iter().find_map(|source| Some((source, find(source)?))) else {
            let names: Vec<&str> =
                sources.iter().flat_map(PolicySource::rules).map(|rule| rule.name.as_str()).collect();
            let help = match names.is_empty() {
                true => String::from("`pintle rule list` shows the rules"),
                false => suggest_or_list(name, names.iter().copied(), "the rules are"),
            };
            return Err(CliError::invalid_input(format!("there is no rule `{name}` here")).help(help));
        };
        let edited = policy_text::remove_rule(source.text(), rule.line).ok_or_else(|| {
            let place = format!("{}:{}", path_text(source.path()), rule.line);
            let error = CliError::invalid_input(format!(
                "the rule `{}` shares its line with other parts of the file",
                rule.name
            ));
            error.help(format!("remove it by hand: {place}"))
        })?;
        source.save(edited, -1)?;
        print_change("removed", &rule, source, terminal, global);
        Ok(CliStatus::Done)
    }

    fn list(&self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let places = match self.project {
            true => vec![self.place()?],
            false => PolicyPlace::find_all(self.config_dir.as_deref())?,
        };
        let files = places.iter().map(PolicyPlace::files_with_bases).collect::<Result<Vec<_>, CliError>>()?;
        let sources: Vec<PolicySource> = files.into_iter().flatten().collect();
        let rules = || sources.iter().flat_map(|source| source.rules().iter().map(move |rule| (source, rule)));
        if global.json {
            terminal.print_json(&rules().map(|(source, rule)| rule_to_json(rule, source.path())).collect::<Vec<_>>());
            return Ok(CliStatus::Done);
        }
        let rows: Vec<[String; 4]> = rules().map(|(source, rule)| row_of(rule, source.path())).collect();
        if rows.is_empty() {
            terminal.print_note("there are no rules of your own; add one: pintle rule add deny 'npm publish'");
            return Ok(CliStatus::Done);
        }
        terminal.print_lines(&table::render_table(["RULE", "DOES", "WHAT", "SOURCE"], &rows));
        Ok(CliStatus::Done)
    }
}

fn print_change(done: &str, rule: &PolicyRuleSpec, source: &PolicySource, terminal: &Terminal, global: &GlobalOptions) {
    if global.json {
        return terminal.print_json(&json!({done: rule_to_json(rule, source.path())}));
    }
    let (name, path) = (&rule.name, path_text(source.path()));
    let mut line = StyledLine::new(Tone::Good, done);
    line.push(
        Tone::Plain,
        match done {
            "removed" => format!(" {name} from {path}"),
            _ => format!(" {name} to {path}: {}", what_text(rule)),
        },
    );
    terminal.print_lines(&[line]);
}

fn rule_to_json(rule: &PolicyRuleSpec, path: &Path) -> Value {
    let mut value = json!(rule);
    if let Some(fields) = value.as_object_mut() {
        fields.insert(String::from("path"), Value::from(path_text(path)));
    }
    value
}

fn row_of(rule: &PolicyRuleSpec, path: &Path) -> [String; 4] {
    let what = single_line(&what_text(rule), CUT);
    [rule.name.clone(), severity_text(rule).to_owned(), what, format!("{}:{}", path_text(path), rule.line)]
}

fn severity_text(rule: &PolicyRuleSpec) -> &'static str {
    rule.severity.map_or("allow", pintle_host::packs::RuleSeverity::as_str)
}

/// What a rule is about, in one line.
fn what_text(rule: &PolicyRuleSpec) -> String {
    let what = match &rule.subject {
        RuleSubject::Run(patterns) => format!("run {}", patterns.join(", ")),
        RuleSubject::Call => format!("tool {}", rule.tools.join(", ")),
        RuleSubject::Operation(subject) => operation_text(subject),
    };
    let agents = if rule.agents.is_empty() { String::new() } else { format!(" by {}", rule.agents.join(", ")) };
    format!("{what}{agents}")
}

fn operation_text(subject: &OperationSubject) -> String {
    let mut text = subject.word().to_owned();
    let lists = [
        ("", &subject.actions),
        ("", &subject.targets),
        ("inside ", &subject.inside),
        ("outside ", &subject.outside),
        ("except ", &subject.except),
    ];
    for (word, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
        text.push_str(&format!(" {word}{}", list.join(", ")));
    }
    text
}
