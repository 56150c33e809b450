//! Which dialect reads a file. Adding a dialect takes a directory and a name in `dialects!`; the tests iterate over all.

use pintle_clients::ClientFile;

use crate::{ArtifactKind, CLIENT_DIALECTS, Dialect, ai_harness, docker_agent, harn, harness_framework};

/// The dialect of Pintle's own hooks, including those that are registered at run time.
pub static NATIVE: &Dialect = &ai_harness::DIALECT;

impl ArtifactKind {
    /// The dialect that reads files of this kind.
    #[must_use]
    pub fn dialect(self) -> &'static Dialect {
        match self {
            Self::Team | Self::UserSettings | Self::HooksBlock => &docker_agent::DIALECT,
            Self::FrameworkSettings => &harness_framework::DIALECT,
            Self::Plugin | Self::Package | Self::Module => &harn::DIALECT,
            Self::Client(file) => find_client_dialect(file),
            Self::Harness
            | Self::HarnessYaml
            | Self::Tool
            | Self::Hook
            | Self::Bundle(_)
            | Self::Agent
            | Self::Policy
            | Self::PolicyBase => NATIVE,
        }
    }
}

fn find_client_dialect(file: ClientFile) -> &'static Dialect {
    let name = file.client.dialect.unwrap_or(file.client.name);
    CLIENT_DIALECTS.iter().find(|dialect| dialect.name == name).copied().unwrap_or(NATIVE)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use pintle_contract::event::CATALOGUE;

    use super::*;
    use crate::{DIALECTS, EventSupport};

    #[test]
    fn no_name_stands_twice() {
        let mut dialects = HashSet::new();
        for dialect in DIALECTS {
            assert!(dialects.insert(dialect.name), "{}", dialect.name);
            assert_eq!((dialect.codec)().dialect(), dialect.name);
            let mut names = HashSet::new();
            for name in dialect.events.names() {
                assert!(names.insert(name), "{}: {name}", dialect.name);
            }
            let canonical: HashSet<_> = dialect.events.mappings.iter().map(|mapping| mapping.canonical).collect();
            assert_eq!(canonical.len(), dialect.events.mappings.len(), "{}", dialect.name);
        }
    }

    #[test]
    fn every_client_with_hook_files_is_a_dialect() {
        let named: Vec<_> = pintle_clients::CLIENTS.iter().filter_map(|client| client.dialect).collect();
        let dialects: Vec<_> = CLIENT_DIALECTS.iter().map(|dialect| dialect.name).collect();
        assert_eq!(dialects, named);
    }

    #[test]
    fn every_mapping_and_alias_leads_to_the_catalogue() {
        for dialect in DIALECTS {
            for alias in dialect.events.aliases {
                assert_eq!(
                    dialect.events.find(alias.name).map(|name| name.as_str().to_owned()),
                    Ok(alias.canonical.to_owned())
                );
            }
        }
    }

    #[test]
    fn every_event_of_the_catalogue_is_mapped_or_unsupported() {
        for dialect in DIALECTS {
            for def in CATALOGUE {
                let name = def.family().map_or(def.name.to_owned(), |prefix| format!("{prefix}x"));
                match dialect.events.support(def) {
                    EventSupport::Native(_) | EventSupport::Addition => assert!(
                        dialect.events.names().any(|known| known == def.name
                            || dialect.events.find(known).is_ok_and(|event| event.as_str() == def.name)),
                        "{name}"
                    ),
                    EventSupport::Unsupported => assert!(dialect.events.find(&name).is_err(), "{name}"),
                }
            }
        }
    }
}
