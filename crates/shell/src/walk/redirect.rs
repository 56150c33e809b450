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
            match redirect.kind {
                RedirectKind::Text => {
                    let text = self.expand_quoted(&redirect.target);
                    // Whoever reads it may find either.
                    let either = std::iter::once(text.text).chain(text.otherwise).collect::<Vec<_>>().join("\n");
                    input = TextFlow { taint: text.taint, text: Some(either), ..TextFlow::default() };
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
                    if matches!(redirect.descriptor.as_str(), "" | "0") {
                        input = read;
                    } else {
                        self.state.inputs.insert(redirect.descriptor.clone(), read);
                    }
                }
                RedirectKind::DuplicateInput => {
                    let target = self.expand_quoted(&redirect.target);
                    if !matches!(redirect.descriptor.as_str(), "" | "0") {
                        continue;
                    }
                    let name = redirect.target.as_literal().map_or(COPROCESS, |_| target.text.trim_end_matches('-'));
                    if self.is_connection(name) {
                        input = TextFlow::from_taint(TextTaint::NETWORK);
                    } else if let Some(known) = self.state.inputs.get(name) {
                        input = known.clone();
                    }
                }
                RedirectKind::Output | RedirectKind::Append | RedirectKind::Duplicate => {}
            }
        }
        input
    }

    /// Whether all redirections are for descriptors of their own.
    pub(super) fn is_descriptor(&self, redirects: &[BashRedirect]) -> bool {
        redirects.iter().all(|redirect| !matches!(redirect.descriptor.as_str(), "" | "0" | "1" | "2"))
    }

    /// The files that a redirection may name.
    fn targets(&mut self, redirect: &BashRedirect) -> Vec<ShellArg> {
        let target = self.expand_quoted(&redirect.target);
        let otherwise = target.otherwise.clone().filter(|text| !text.is_empty());
        let other = otherwise.map(|text| ShellArg { text, otherwise: None, ..target.clone() });
        std::iter::once(target).chain(other).collect()
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
                self.state.connections.insert(redirect.descriptor.clone(), host.to_owned());
                self.push(rest.taint.tag(Operation::new(OperationKind::Upload, "bash").written(host)));
            } else if !matches!(target.text.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty") {
                self.write_file("", &target, action, rest.clone());
            } else if target.text != "/dev/null" {
                continue;
            }
            // What goes to standard error stays apart.
            if redirect.descriptor != "2" {
                rest = TextFlow::known("");
            }
        }
        rest
    }

    /// Whether a command's redirections connect it to the network.
    pub(super) fn is_connected(&mut self, redirects: &[BashRedirect]) -> bool {
        redirects.iter().any(|redirect| {
            matches!(redirect.kind, RedirectKind::Input | RedirectKind::ReadWrite | RedirectKind::Output)
                && network_host(&self.expand_quoted(&redirect.target).text).is_some()
                || matches!(redirect.kind, RedirectKind::Duplicate | RedirectKind::DuplicateInput)
                    && redirect.target.as_literal().is_some_and(|text| self.is_connection(text))
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
