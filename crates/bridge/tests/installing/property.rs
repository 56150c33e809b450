//! For any settings file, installing twice and uninstalling restores its bytes.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pintle_bridge::install::{EntryFormat, InstallScope, installed_entries};
use pintle_bridge::{HOSTS, HostDef};
use proptest::prelude::*;

use crate::documents::{ByteChoices, settings_document};
use crate::fixture::{InstallFixture, default_options, write_file};

/// One of the host's scopes.
fn pick_scope(host: &HostDef, bytes: &[u8]) -> InstallScope {
    let scopes: Vec<_> = host.install.locations().map(|(scope, _)| scope).collect();
    let index = usize::from(*bytes.first().unwrap_or(&0)) % scopes.len();
    scopes.get(index).copied().unwrap_or(InstallScope::User)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn installing_twice_and_uninstalling_leaves_every_byte(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for host in HOSTS {
            let Some(handler) = host.install.form.handler_format() else { continue };
            let scope = pick_scope(host, &bytes);
            let events: Vec<&str> = host.host_events().map(|row| row.name).collect();
            let groups = matches!(host.install.form, EntryFormat::Groups(_));
            let before = settings_document(&mut ByteChoices(&bytes), &events, handler.command, groups);
            let stage = InstallFixture::new();
            let path = stage.settings(host, scope);
            write_file(&path, &before);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            let untouched = stage.list_all_files();

            stage.plan_install(host, scope).apply().unwrap();
            let present = installed_entries(host, &stage.environment, scope).unwrap();
            let wanted = host.host_events().filter(|row| !row.high_volume).count();
            prop_assert_eq!(present.len(), wanted);
            let after = fs::read_to_string(&path).unwrap();
            prop_assert_eq!(after.matches("kept").count(), before.matches("kept").count());
            prop_assert_eq!(after.matches("guard.sh").count(), before.matches("guard.sh").count());

            let again = stage.plan_install(host, scope);
            prop_assert_eq!(again.changes, Vec::new());

            // An update replaces only Pintle's entries.
            let newer = default_options("/opt/newer/pintle");
            pintle_bridge::install::InstallPlan::install(host, &stage.environment, scope, &newer).unwrap().apply().unwrap();
            let updated = fs::read_to_string(&path).unwrap();
            prop_assert_eq!(updated.replace("/opt/newer/pintle", "/opt/pintle"), after);

            stage.plan_uninstall(host, scope).apply().unwrap();
            prop_assert_eq!(fs::read_to_string(&path).unwrap(), before);
            prop_assert_eq!(stage.list_all_files(), untouched);
        }
    }

    #[test]
    fn what_happened_to_a_file_in_between_stays(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for host in HOSTS {
            let Some(handler) = host.install.form.handler_format() else { continue };
            let events: Vec<&str> = host.host_events().map(|row| row.name).collect();
            let groups = matches!(host.install.form, EntryFormat::Groups(_));
            let before = settings_document(&mut ByteChoices(&bytes), &events, handler.command, groups);
            let stage = InstallFixture::new();
            let path = stage.settings(host, InstallScope::User);
            write_file(&path, &before);
            stage.plan_install(host, InstallScope::User).apply().unwrap();

            let after = fs::read_to_string(&path).unwrap();
            let edited = format!("{after}\n// somebody was here\n");
            fs::write(&path, &edited).unwrap();
            stage.plan_uninstall(host, InstallScope::User).apply().unwrap();

            let left = fs::read_to_string(&path).unwrap();
            prop_assert!(left.ends_with("\n// somebody was here\n"));
            prop_assert_eq!(left.matches("kept").count(), before.matches("kept").count());
            prop_assert_eq!(left.matches("guard.sh").count(), before.matches("guard.sh").count());
            prop_assert_eq!(installed_entries(host, &stage.environment, InstallScope::User).unwrap(), Vec::new());
        }
    }
}
