//! The digest of a project covers every relevant byte.

use pintle_host::loader::TrustState;
use proptest::prelude::*;

use crate::trust::fixture::{PROJECT, TrustFixture};

/// The files that are loaded or named by a hook.
const COUNT: [&str; 8] = [
    "agent.yaml",
    "hooks/guard.sh",
    "hooks/lib.sh",
    "words/hello.txt",
    "harn.toml",
    "policy.star",
    "teller.star",
    "src/extra.star",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_other_byte_of_any_file_changes_the_digest(
        file in 0..COUNT.len(),
        at in any::<prop::sample::Index>(),
        edit in prop_oneof![Just(ByteEdit::Drop), any::<u8>().prop_map(ByteEdit::Replace), any::<u8>().prop_map(ByteEdit::Insert)],
    ) {
        let file = COUNT[file];
        let text = PROJECT.iter().find(|(name, _)| *name == file).map(|(_, text)| text.as_bytes()).unwrap();
        let mut bytes = text.to_vec();
        let at = at.index(bytes.len());
        match edit {
            ByteEdit::Drop => drop(bytes.remove(at)),
            ByteEdit::Replace(byte) => bytes[at] = byte,
            ByteEdit::Insert(byte) => bytes.insert(at, byte),
        }
        prop_assume!(bytes != text);
        let stage = TrustFixture::new_trusted();
        let before = stage.consent().manifest.digest();
        stage.write(file, &bytes);
        // It must build even if the file no longer loads.
        let built = pintle_host::Runtime::builder().layers(stage.layers()).trust(stage.trust()).load();
        let consent = built.projects.first().unwrap();
        prop_assert_ne!(&consent.manifest.digest(), &before);
        prop_assert_eq!(consent.state, TrustState::Changed);
    }
}

/// How a byte is changed.
#[derive(Debug, Clone, Copy)]
enum ByteEdit {
    Drop,
    Replace(u8),
    Insert(u8),
}
