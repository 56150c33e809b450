//! Lists the processes that this process was started from, so that a program can tell who runs it.

use std::io;
#[cfg(target_os = "linux")]
use std::{fs, path::Path};

/// The most ancestors that are followed.
const MOST_ANCESTORS: usize = 256;

/// A process that this process was started from, directly or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AncestorProcess {
    /// Its ID.
    pub id: u32,
    /// The ID of its parent; 0 if it has none here.
    pub parent_id: u32,
    /// The name that the system shows, which may be cut.
    pub name: String,
    /// Its command line.
    pub arguments: Vec<String>,
    /// The names of its environment variables, if the system shows them.
    pub variables: Vec<String>,
}

/// The ancestors of this process, the nearest first, up to the first process of the system, or up to one that cannot be
/// examined; then with the error.
pub fn list_ancestors() -> (Vec<AncestorProcess>, io::Result<()>) {
    #[cfg(unix)]
    let parent = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let parent = std::process::id();
    #[cfg(target_os = "linux")]
    let read = |id| read_process(Path::new("/proc"), id);
    #[cfg(not(target_os = "linux"))]
    let read = {
        let table = match list_processes() {
            Ok(table) => table,
            Err(error) => return (Vec::new(), Err(error)),
        };
        move |id: u32| {
            table.iter().find(|process| process.id == id).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
        }
    };
    follow_parents(parent, read)
}

/// Follows the parents from a process on.
fn follow_parents(
    first: u32,
    read: impl Fn(u32) -> io::Result<AncestorProcess>,
) -> (Vec<AncestorProcess>, io::Result<()>) {
    let mut found: Vec<AncestorProcess> = Vec::new();
    let mut next = first;
    while next != 0 {
        match read(next) {
            Ok(process) => {
                next = process.parent_id;
                found.push(process);
            }
            // The first process belongs to the system, which may hide it.
            Err(_) if next == 1 => break,
            Err(error) => return (found, Err(io::Error::new(error.kind(), format!("process {next}: {error}")))),
        }
        if found.len() > MOST_ANCESTORS {
            return (found, Err(io::Error::other("too many ancestors")));
        }
    }
    (found, Ok(()))
}

#[cfg(target_os = "linux")]
fn read_process(proc: &Path, id: u32) -> io::Result<AncestorProcess> {
    let dir = proc.join(id.to_string());
    let stat = String::from_utf8_lossy(&fs::read(dir.join("stat"))?).into_owned();
    let invalid = || io::Error::new(io::ErrorKind::InvalidData, "its status is invalid");
    // The name is in parentheses, and may contain some itself.
    let (before, after) = stat.rsplit_once(')').ok_or_else(invalid)?;
    let (_, name) = before.split_once('(').ok_or_else(invalid)?;
    let parent = after.split_whitespace().nth(1).and_then(|word| word.parse().ok()).ok_or_else(invalid)?;
    let words = |file: &str| -> io::Result<Vec<String>> {
        let bytes = fs::read(dir.join(file))?;
        let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        Ok(words.map(|word| String::from_utf8_lossy(word).into_owned()).collect())
    };
    // Only the user's own processes show their environment.
    let variables = words("environ").unwrap_or_default();
    let variables = variables.iter().filter_map(|word| Some(word.split_once('=')?.0.to_owned())).collect();
    Ok(AncestorProcess { id, parent_id: parent, name: name.to_owned(), arguments: words("cmdline")?, variables })
}

/// All processes of a system without `/proc`.
#[cfg(not(target_os = "linux"))]
fn list_processes() -> io::Result<Vec<AncestorProcess>> {
    let run = |last: &str| -> io::Result<String> {
        let output = std::process::Command::new("/bin/ps")
            .args(["-axww", "-o", "pid=", "-o", "ppid=", "-o", last])
            .env_clear()
            .output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    Ok(parse_processes(&run("comm=")?, &run("args=")?))
}

/// Reads two lists of `ps`: the names, and the command lines. Both have the ID and the parent's ID first.
#[cfg(any(not(target_os = "linux"), test))]
fn parse_processes(names: &str, command_lines: &str) -> Vec<AncestorProcess> {
    fn split_line(line: &str) -> Option<(u32, u32, &str)> {
        let (id, rest) = line.trim_start().split_once(' ')?;
        let (parent, last) = rest.trim_start().split_once(' ')?;
        Some((id.parse().ok()?, parent.parse().ok()?, last.trim()))
    }
    let lines: Vec<(u32, u32, &str)> = command_lines.lines().filter_map(split_line).collect();
    let to_process = |(id, parent_id, name): (u32, u32, &str)| {
        let line = lines.iter().find(|(other, ..)| *other == id).map_or("", |(.., line)| line);
        // The name is the path of the program.
        let name = name.rsplit('/').next().unwrap_or(name).to_owned();
        let arguments = line.split_whitespace().map(str::to_owned).collect();
        AncestorProcess { id, parent_id, name, arguments, variables: Vec::new() }
    };
    names.lines().filter_map(split_line).map(to_process).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_of_a_process_are_listed_up_to_the_first() {
        let (found, end) = list_ancestors();
        end.unwrap();
        assert_eq!(found[0].id, std::os::unix::process::parent_id());
        assert!(found.windows(2).all(|pair| pair[0].parent_id == pair[1].id), "{found:?}");
        assert!(!found[0].name.is_empty() && !found[0].arguments.is_empty());
    }

    #[test]
    fn unreadable_ancestor_is_an_error_unless_it_is_the_first_process() {
        let read = |id: u32| match id {
            7 => Ok(AncestorProcess { id, parent_id: 1, ..AncestorProcess::default() }),
            9 => Ok(AncestorProcess { id, parent_id: 8, ..AncestorProcess::default() }),
            6 => Ok(AncestorProcess { id, parent_id: 6, ..AncestorProcess::default() }),
            _ => Err(io::ErrorKind::PermissionDenied.into()),
        };
        let follow = |first| {
            let (found, end) = follow_parents(first, read);
            (found.len(), end.map_err(|error| error.to_string()))
        };
        assert_eq!(follow(7), (1, Ok(())));
        let (count, end) = follow(9);
        assert!(count == 1 && end.unwrap_err().starts_with("process 8: "));
        assert!(follow(6).1.is_err(), "a circle ends");
    }

    #[test]
    fn lists_of_ps_are_read_with_spaces_in_names() {
        let names = "    1     0 /sbin/launchd\n  431     1 /Applications/My Agent.app/Contents/MacOS/My Agent\n  9   431 -zsh\n";
        let lines = "    1     0 /sbin/launchd\n  431     1 /Applications/My Agent.app/Contents/MacOS/My Agent --flag\n  9   431 -zsh\n";
        let found = parse_processes(names, lines);
        let told: Vec<_> = found.iter().map(|one| (one.id, one.parent_id, one.name.as_str())).collect();
        assert_eq!(told, [(1, 0, "launchd"), (431, 1, "My Agent"), (9, 431, "-zsh")]);
        assert_eq!(found[1].arguments.last().unwrap(), "--flag");
    }
}
