//! What a call would do, found before it is done.

use serde::{Deserialize, Serialize};

/// One thing that a call would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Operation {
    /// What it is.
    pub kind: OperationKind,
    /// Its meaning within the kind, such as `force_push` for git or `drop_table` for a database; empty if there is one
    /// meaning only.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// The program or tool that does it, without its directory.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// What it is done to, as written: a path, a host, a branch.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub written: String,
    /// The absolute path, with symbolic links resolved as far as it exists; `*` where a part is a pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where the path is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PathPlace>,
    /// What else is known, in alphabetical order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<OperationTag>,
    /// Why it cannot be known; only for the kinds `unknown` and `run_code`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The file whose code does it, such as a script that the call runs; absent if it is in the call. Of a file, only
    /// what is certain is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of that file, counted from 1, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The part of the call that does it, counted from 1; absent for a call of one part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
}

/// A command that a call runs, found before it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CallCommand {
    /// The program and its arguments, quotes taken off. A part that cannot be known is `…`, or what is written for it,
    /// such as `$DIR`.
    pub words: Vec<String>,
    /// Whether a word has a part that cannot be known.
    #[serde(skip_serializing_if = "is_false")]
    pub unknown: bool,
    /// Whether it may run or not: words of a program that Pintle does not know.
    #[serde(skip_serializing_if = "is_false")]
    pub possible: bool,
    /// The file whose code runs it, such as a script; absent if it is in the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of that file, counted from 1, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The part of the call that runs it, counted from 1; absent for a call of one part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn is_false(value: &bool) -> bool {
    !value
}

/// What an operation is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
    /// Reads a file.
    Read,
    /// Creates or changes a file.
    Write,
    /// Deletes a file or a directory.
    Delete,
    /// Moves a file away from its place.
    Move,
    /// Changes permissions or the owner.
    Permission,
    /// Prints a secret that is not a file, such as a token of a login.
    Secret,
    /// Gets data from the network.
    Download,
    /// Sends data to the network.
    Upload,
    /// Runs code that does not stand in the call: from the network, a decoder, or a text that cannot be known.
    RunCode,
    /// Gets the rights of another user.
    Privilege,
    /// Changes what git keeps, by meaning.
    Git,
    /// Ends processes.
    Kill,
    /// Changes the system: services, disks, users, the firewall, what starts by itself.
    System,
    /// Changes the guard: Pintle itself, or an agent that is started without its checks.
    Guard,
    /// Changes containers, images or volumes.
    Container,
    /// Changes a Kubernetes cluster.
    Kubernetes,
    /// Changes resources of a cloud.
    Cloud,
    /// Changes a database.
    Database,
    /// Changes infrastructure by Terraform and its kin.
    Terraform,
    /// Installs or publishes packages.
    Package,
    /// Changes what continuous integration does.
    Ci,
    /// Cannot be known.
    #[default]
    Unknown,
}

/// Where a path is. A path in several of these is in the first that applies, from the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PathPlace {
    /// A part of the path cannot be known.
    Unknown,
    /// The root directory.
    Root,
    /// A device.
    Device,
    /// The project's directory itself, or everything in it.
    ProjectRoot,
    /// The home directory itself, or everything in it.
    Home,
    /// Inside the project.
    Project,
    /// Below a directory of temporary files or caches.
    Temporary,
    /// A directory of the operating system, or below it.
    System,
    /// Below the home directory.
    InHome,
    /// Anywhere else.
    Outside,
}

/// What else is known of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OperationTag {
    /// Hook settings of an agent.
    AgentSettings,
    /// A file that makes other programs run code, such as the tasks of an editor.
    Autorun,
    /// Code or data came out of a decoder, or was put together so that it cannot be known.
    Decoded,
    /// A file or its content.
    File,
    /// Only what a condition selects, such as `find -name`.
    Filtered,
    /// A repository's `.git` directory.
    GitDirectory,
    /// Local only: the host is this machine.
    Local,
    /// A network address that gives credentials of a cloud machine.
    Metadata,
    /// From the network, or to it.
    Network,
    /// The output of a command.
    Output,
    /// Pintle's program, configuration or state.
    Pintle,
    /// The path is a pattern.
    Pattern,
    /// A file that says what continuous integration does, or who has to agree.
    Pipeline,
    /// A file that may hold a secret, by its name or because it is among many.
    ProbableSecret,
    /// With everything below.
    Recursive,
    /// A file that says where packages come from.
    Registry,
    /// A secret: a key, a token, a file with passwords.
    Secret,
    /// A file that runs commands at login, at boot, or at a time.
    Startup,
    /// Permissions for everybody, or a set-user-ID bit.
    TooOpen,
}

impl Operation {
    /// An operation of a kind by a program.
    #[must_use]
    pub fn new(kind: OperationKind, program: &str) -> Self {
        Self { kind, program: program.to_owned(), ..Self::default() }
    }

    /// With its meaning.
    #[must_use]
    pub fn action(mut self, action: &str) -> Self {
        action.clone_into(&mut self.action);
        self
    }

    /// With what it is done to.
    #[must_use]
    pub fn written(mut self, written: impl Into<String>) -> Self {
        self.written = written.into();
        self
    }

    /// With a tag.
    #[must_use]
    pub fn tag(mut self, tag: OperationTag) -> Self {
        if let Err(index) = self.tags.binary_search(&tag) {
            self.tags.insert(index, tag);
        }
        self
    }

    /// With a tag if a condition holds.
    #[must_use]
    pub fn tag_if(self, condition: bool, tag: OperationTag) -> Self {
        if condition { self.tag(tag) } else { self }
    }

    /// Whether it has a tag.
    #[must_use]
    pub fn has(&self, tag: OperationTag) -> bool {
        self.tags.contains(&tag)
    }

    /// Something that cannot be known, with the reason.
    #[must_use]
    pub fn unknown(program: &str, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::new(OperationKind::Unknown, program) }
    }
}
