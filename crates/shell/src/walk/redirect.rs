//! Redirections of commands.

use super::{CommandWalk, ShellArg, Taint, TextFlow};
use crate::syntax::{Redirect, RedirectKind};
use crate::{Operation, OperationKind};

impl CommandWalk<'_> {
    /// The input of a command with its redirections.
    pub(super) fn redirect_input(&mut self, redirects: &[Redirect], stdin: &TextFlow) -> TextFlow {
        let mut input = stdin.clone();
        for redirect in redirects {
            match redirect.kind {
                RedirectKind::Text => {
                    let text = self.expand_quoted(&redirect.target);
                    input = TextFlow {
                        taint: text.taint,
                        text: text.is_known().then(|| text.text.clone()),
                        listed: Vec::new(),
                    };
                }
                RedirectKind::Input | RedirectKind::ReadWrite => {
                    let target = self.expand_quoted(&redirect.target);
                    input = match network_host(&target.text) {
                        Some(host) => {
                            self.push(Operation::new(OperationKind::Download, "bash").written(host));
                            TextFlow::of(Taint::NETWORK)
                        }
                        None => self.read_file("", &target, false),
                    };
                }
                RedirectKind::Output | RedirectKind::Append | RedirectKind::Duplicate => {}
            }
        }
        input
    }

    /// The output of a command that its redirections leave.
    pub(super) fn redirect_output(&mut self, redirects: &[Redirect], flow: TextFlow) -> TextFlow {
        let mut rest = flow;
        for redirect in redirects {
            let action = match redirect.kind {
                RedirectKind::Output => "replace",
                RedirectKind::Append => "append",
                _ => continue,
            };
            let target = self.expand_quoted(&redirect.target);
            if let Some(host) = network_host(&target.text) {
                self.push(rest.taint.tag(Operation::new(OperationKind::Upload, "bash").written(host)));
            } else if !matches!(target.text.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty") {
                self.write_file("", &target, action, rest.clone());
            } else if target.text != "/dev/null" {
                continue;
            }
            rest = TextFlow::known("");
        }
        rest
    }
}

/// The host of bash's `/dev/tcp/HOST/PORT`.
pub(super) fn network_host(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("/dev/tcp/").or_else(|| path.strip_prefix("/dev/udp/"))?;
    rest.split('/').next()
}

/// Whether a command's redirections connect it to the network.
pub(super) fn is_connected(walk: &mut CommandWalk<'_>, redirects: &[Redirect]) -> bool {
    redirects.iter().any(|redirect| {
        let target: ShellArg = walk.expand_quoted(&redirect.target);
        network_host(&target.text).is_some()
    })
}
