//! Redirections of commands.

use super::control::COPROCESS;
use super::{CommandWalk, ShellArg, TextFlow, TextTaint};
use crate::syntax::{BashRedirect, RedirectKind};
use crate::{Operation, OperationKind};

impl CommandWalk<'_> {
    /// Runs a compound command with its redirections.
    pub(super) fn redirected(
        &mut self,
        redirects: &[BashRedirect],
        stdin: &TextFlow,
        run: impl FnOnce(&mut Self, &TextFlow) -> TextFlow,
    ) -> TextFlow {
        let stdin = self.redirect_input(redirects, stdin);
        let flow = run(self, &stdin);
        self.redirect_output(redirects, flow)
    }

    /// The input of a command with its redirections.
    pub(super) fn redirect_input(&mut self, redirects: &[BashRedirect], stdin: &TextFlow) -> TextFlow {
        let mut input = stdin.clone();
        for redirect in redirects {
            let before = if redirect.is_shared { input.clone() } else { TextFlow::known("") };
            match redirect.kind {
                RedirectKind::Text => {
                    let text = self.expand_quoted(&redirect.target);
                    // Whoever reads it may find either.
                    let either = std::iter::once(text.text).chain(text.otherwise).collect::<Vec<_>>().join("\n");
                    let flow = TextFlow { taint: text.taint, text: Some(either), ..TextFlow::default() };
                    self.set_input(redirect, flow, &mut input);
                }
                RedirectKind::Input | RedirectKind::ReadWrite => {
                    let target = self.expand_quoted(&redirect.target);
                    let read = match network_host(&target.text) {
                        Some(host) => {
                            self.state.connections.insert(redirect.descriptor.clone(), host.to_owned());
                            self.push(Operation::new(OperationKind::Download, "bash").written(host));
                            TextFlow::from_taint(TextTaint::NETWORK)
                        }
                        None => self.read_file("", &target, false),
                    };
                    self.set_input(redirect, read, &mut input);
                }
                RedirectKind::DuplicateInput => {
                    let target = self.expand_quoted(&redirect.target);
                    let name = if target.is_known() { target.text.as_str() } else { COPROCESS };
                    let read = match name.trim_end_matches('-') {
                        "" if target.is_known() => TextFlow::default(),
                        "0" => input.clone(),
                        name if self.is_connection(name) => TextFlow::from_taint(TextTaint::NETWORK),
                        name => self.state.inputs.get(name).cloned().unwrap_or_else(TextFlow::from_outside),
                    };
                    self.set_input(redirect, read, &mut input);
                }
                RedirectKind::Output | RedirectKind::Append | RedirectKind::Duplicate => {}
            }
            if redirect.is_shared && before.text.as_deref() != Some("") {
                // What is known of either part is read.
                let texts: Vec<String> = before.text.iter().cloned().chain(input.text.take()).collect();
                input.text = (!texts.is_empty()).then(|| texts.join("\n"));
                input.add_text(TextFlow { text: None, ..before });
            }
        }
        input
    }

    /// What is read from the descriptor of a redirection: the input, or what the state keeps.
    fn set_input(&mut self, redirect: &BashRedirect, read: TextFlow, input: &mut TextFlow) {
        if matches!(redirect.descriptor.as_str(), "" | "0") {
            *input = read;
        } else {
            self.note_descriptor(&redirect.descriptor);
            self.state.inputs.insert(redirect.descriptor.clone(), read);
        }
    }

    /// `{NAME}>FILE` sets a variable: to the name, which stands for the number.
    fn note_descriptor(&mut self, descriptor: &str) {
        if let Some(name) = descriptor.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            self.set_variable(name, vec![ShellArg::new(descriptor)]);
        }
    }

    /// Whether all redirections are for descriptors of their own.
    pub(super) fn is_descriptor(&self, redirects: &[BashRedirect]) -> bool {
        redirects.iter().all(|redirect| !matches!(redirect.descriptor.as_str(), "" | "0" | "1" | "2"))
    }

    /// The files that a redirection may name.
    fn targets(&mut self, redirect: &BashRedirect) -> Vec<ShellArg> {
        let either = |target: ShellArg| {
            let otherwise = target.otherwise.clone().filter(|text| !text.is_empty());
            let other = otherwise.map(|text| ShellArg { text, otherwise: None, ..target.clone() });
            std::iter::once(target).chain(other)
        };
        self.expand_targets(&redirect.target).into_iter().flat_map(either).collect()
    }

    fn is_connection(&self, descriptor: &str) -> bool {
        !self.state.connections.is_empty() && self.state.connections.contains_key(descriptor.trim_end_matches('-'))
    }

    /// The output of a command that its redirections leave.
    pub(super) fn redirect_output(&mut self, redirects: &[BashRedirect], flow: TextFlow) -> TextFlow {
        let mut rest = flow;
        for redirect in redirects {
            let action = match redirect.kind {
                RedirectKind::Output => "replace",
                // `<>` makes the file if there is none, and writes to it through its descriptor.
                RedirectKind::Append | RedirectKind::ReadWrite => "append",
                RedirectKind::Duplicate => {
                    let target = self.expand_quoted(&redirect.target);
                    if let Some(host) = self.state.connections.get(&target.text).cloned() {
                        self.push(rest.taint.tag(Operation::new(OperationKind::Upload, "bash").written(host)));
                        rest = TextFlow::known("");
                    }
                    continue;
                }
                _ => continue,
            };
            let mut targets = self.targets(redirect).into_iter();
            let target = targets.next().unwrap_or_default();
            for other in targets {
                self.write_file("", &other, action, rest.clone());
            }
            if let Some(host) = network_host(&target.text) {
                if redirect.kind == RedirectKind::ReadWrite {
                    // It is a connection already, by its input.
                    continue;
                }
                self.note_descriptor(&redirect.descriptor);
                self.state.connections.insert(redirect.descriptor.clone(), host.to_owned());
                self.push(rest.taint.tag(Operation::new(OperationKind::Upload, "bash").written(host)));
            } else if let Some(host) = self.state.connections.get(&target.text).cloned() {
                self.push(rest.taint.tag(Operation::new(OperationKind::Upload, "bash").written(host)));
            } else if !matches!(target.text.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty") {
                self.write_file("", &target, action, rest.clone());
            } else if target.text != "/dev/null" {
                continue;
            }
            // What goes to standard error stays apart.
            if redirect.descriptor != "2" && !redirect.is_shared {
                rest = TextFlow::known("");
            }
        }
        rest
    }

    /// Whether a command's redirections connect it to the network.
    pub(super) fn is_connected(&mut self, redirects: &[BashRedirect]) -> bool {
        redirects.iter().any(|redirect| {
            let target = self.expand_quoted(&redirect.target).text;
            redirect.kind != RedirectKind::Text && (network_host(&target).is_some() || self.is_connection(&target))
        })
    }
}

/// The host of bash's `/dev/tcp/HOST/PORT`.
fn network_host(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("/dev/tcp/").or_else(|| path.strip_prefix("/dev/udp/"))?;
    rest.split('/').next()
}

/// Whether an argument names a shell.
pub(super) fn is_shell(arg: &ShellArg) -> bool {
    matches!(super::program_name(&arg.text).as_str(), "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish")
}
