//! Whatever a settings file looks like, installing twice and uninstalling leaves its bytes.

use std::fs;

use pintle_bridge::HOSTS;
use pintle_bridge::install::{Form, Scope, installed};
use proptest::prelude::*;

use crate::documents::{Choices, document};
use crate::stage::{Stage, options, write};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn installing_twice_and_uninstalling_leaves_every_byte(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for host in HOSTS {
            let Some(handler) = host.install.form.handler() else { continue };
            let events: Vec<&str> = host.rows.iter().map(|row| row.name).collect();
            let groups = matches!(host.install.form, Form::Groups(_));
            let before = document(&mut Choices(&bytes), &events, handler.command, groups);
            let stage = Stage::new();
            let path = stage.settings(host, Scope::User);
            write(&path, &before);
            let untouched = stage.everything();

            stage.install(host, Scope::User).apply().unwrap();
            let present = installed(host, &stage.site, Scope::User).unwrap();
            let wanted = host.rows.iter().filter(|row| !row.noisy && !row.fires.is_empty()).count();
            prop_assert_eq!(present.len(), wanted);
            let after = fs::read_to_string(&path).unwrap();
            prop_assert_eq!(after.matches("kept").count(), before.matches("kept").count());
            prop_assert_eq!(after.matches("guard.sh").count(), before.matches("guard.sh").count());

            let again = stage.install(host, Scope::User);
            prop_assert_eq!(again.changes, Vec::new());

            // An update replaces our own entries and nothing else.
            let newer = options("/opt/newer/pintle");
            pintle_bridge::install::Plan::install(host, &stage.site, Scope::User, &newer).unwrap().apply().unwrap();
            let updated = fs::read_to_string(&path).unwrap();
            prop_assert_eq!(updated.replace("/opt/newer/pintle", "/opt/pintle"), after);

            stage.uninstall(host, Scope::User).apply().unwrap();
            prop_assert_eq!(fs::read_to_string(&path).unwrap(), before);
            prop_assert_eq!(stage.everything(), untouched);
        }
    }

    #[test]
    fn what_happened_to_a_file_in_between_stays(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for host in HOSTS {
            let Some(handler) = host.install.form.handler() else { continue };
            let events: Vec<&str> = host.rows.iter().map(|row| row.name).collect();
            let groups = matches!(host.install.form, Form::Groups(_));
            let before = document(&mut Choices(&bytes), &events, handler.command, groups);
            let stage = Stage::new();
            let path = stage.settings(host, Scope::User);
            write(&path, &before);
            stage.install(host, Scope::User).apply().unwrap();

            let after = fs::read_to_string(&path).unwrap();
            let edited = format!("{after}\n// somebody was here\n");
            fs::write(&path, &edited).unwrap();
            stage.uninstall(host, Scope::User).apply().unwrap();

            let left = fs::read_to_string(&path).unwrap();
            prop_assert!(left.ends_with("\n// somebody was here\n"));
            prop_assert_eq!(left.matches("kept").count(), before.matches("kept").count());
            prop_assert_eq!(left.matches("guard.sh").count(), before.matches("guard.sh").count());
            prop_assert_eq!(installed(host, &stage.site, Scope::User).unwrap(), Vec::new());
        }
    }
}
