//! Fetching, checking and switching the bundle of a machine. Whatever fails leaves the one that is in force.

use super::content::BundleContent;
use super::home::{BundleHome, InstalledBundle, SignedBundle};
use super::pintle::PintleProgram;
use super::signature::BundleKey;
use super::source::BundleSource;
use super::state::{BundleStage, BundleState, NewestBundle, UpdateFailure};
use crate::FleetError;

/// Changes to the bundles of a machine.
#[derive(Debug)]
pub struct BundleTask {
    /// Where the bundles are.
    pub home: BundleHome,
    /// The program that checks whether a bundle loads.
    pub pintle: PintleProgram,
    /// The time, in milliseconds since the Unix epoch.
    pub now_ms: u64,
}

/// What a change of bundles led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateResult {
    /// The bundle of this name and version is now at this stage.
    Switched(String, u64, BundleStage),
    /// The source has what is at this stage already.
    Unchanged(String, u64, BundleStage),
    /// The source has a version that was rolled back here.
    RolledBack(String, u64),
}

impl BundleTask {
    /// Sets the source, and looks at it.
    ///
    /// # Errors
    /// When the source or the key is invalid, or as [`BundleTask::update`]. The source is kept then, too, if an agent did not
    /// ask for it.
    pub async fn add(&self, source: &str, key: &BundleKey, stage: BundleStage) -> Result<UpdateResult, FleetError> {
        BundleSource::parse(source)?;
        let lock = self.home.lock()?;
        self.pintle.check_user(self.home.dir())?;
        // Without the old state, nothing is known that could be kept.
        let old = self.home.load_state().ok().flatten();
        let state = BundleState::new(source, key, stage);
        let state = match old {
            Some(BundleState { public_key, name, newest, history, .. }) => {
                // The name is that of a key's bundles.
                let name = name.filter(|_| public_key == key.as_str());
                BundleState { name, newest, history, ..state }
            }
            None => state,
        };
        self.home.save_state(&state)?;
        drop(lock);
        self.update().await
    }

    /// Fetches the bundle of the source, and switches to it if it is newer.
    ///
    /// # Errors
    /// When it cannot be fetched, is not signed by the key, is not the one that is pinned, is older than the last one, or does
    /// not load. What is in force stays, and the failure is noted.
    pub async fn update(&self) -> Result<UpdateResult, FleetError> {
        // Fetching may take long, and changes nothing.
        let source = BundleSource::parse(&self.home.require_state()?.source)?;
        let fetched = source.fetch().await;
        let _lock = self.home.lock()?;
        let mut state = self.home.require_state()?;
        if state.source != source.to_string() {
            return Err(FleetError::failure("the source was changed meanwhile").help("run the update again"));
        }
        let result = fetched.and_then(|(bytes, signature)| self.accept(&mut state, bytes, signature));
        state.looked_ms = Some(self.now_ms);
        let failure = result.as_ref().err();
        state.failure = failure.map(|error| UpdateFailure { at_ms: self.now_ms, message: error.message.clone() });
        self.home.remove_unused(&mut state);
        let saved = self.home.save_state(&state);
        result.and_then(|result| saved.map(|()| result))
    }

    fn accept(&self, state: &mut BundleState, bytes: Vec<u8>, signature: String) -> Result<UpdateResult, FleetError> {
        let key = state.key()?;
        key.verify(&bytes, &signature)?;
        let signed = SignedBundle { content: BundleContent::parse(&bytes)?, bytes, signature };
        let digest = signed.digest();
        let BundleContent { name, version, requires, .. } = &signed.content;
        let refused = |why: String| FleetError::failure(format!("`{name}` version {version} is refused: {why}"));
        if let Some(known) = state.name.as_ref().filter(|known| *known != name) {
            return Err(refused(format!("the bundle of this machine is `{known}`"))
                .help("`pintle-fleet policy add` with another key sets another bundle"));
        }
        if let Some(newest) = state.newest.as_ref().filter(|newest| newest.name == *name) {
            if *version < newest.version {
                return Err(refused(format!("version {} was accepted before", newest.version))
                    .help("only `pintle-fleet policy rollback` goes back; make a bundle with a larger version"));
            }
            if *version == newest.version && digest != newest.digest {
                return Err(refused(String::from("it has other content than this version had before"))
                    .help("make a bundle with a larger version"));
            }
        }
        if state.rolled_back.is_some_and(|rolled_back| *version <= rolled_back) {
            return Ok(UpdateResult::RolledBack(name.clone(), *version));
        }
        let installed = self.home.install(&signed, &key, |files| self.pintle.check(files, requires.as_deref()))?;
        // A link that is damaged is made again.
        let linked = |stage| self.home.find_linked(stage).ok().flatten();
        let is_enforced = linked(BundleStage::Enforce).is_some_and(|held| held.is_copy_of(&signed));
        let stage = if is_enforced { BundleStage::Enforce } else { state.stage };
        if linked(stage).is_some_and(|held| held.dir_name == installed.dir_name) {
            return Ok(UpdateResult::Unchanged(name.clone(), *version, stage));
        }
        state.name = Some(name.clone());
        state.newest = Some(NewestBundle { name: name.clone(), version: *version, digest });
        self.switch_to(state, &installed, stage)?;
        Ok(UpdateResult::Switched(name.clone(), *version, stage))
    }

    /// Notes a bundle, and then switches to it: if this is killed between the two, the old one is in force, and is found among
    /// those that were enforced.
    fn switch_to(
        &self,
        state: &mut BundleState,
        bundle: &InstalledBundle,
        stage: BundleStage,
    ) -> Result<(), FleetError> {
        if stage == BundleStage::Enforce && state.history.last() != Some(&bundle.dir_name) {
            state.history.push(bundle.dir_name.clone());
        }
        self.home.save_state(state)?;
        self.home.switch(stage, bundle)?;
        match stage {
            // What was tried is enforced now, or is older than that.
            BundleStage::Enforce => self.home.unlink(BundleStage::Shadow),
            BundleStage::Shadow => Ok(()),
        }
    }

    /// Enforces the bundle that is in shadow mode.
    ///
    /// # Errors
    /// When there is none, or it is not as it was signed, or does not load.
    pub fn enforce(&self) -> Result<UpdateResult, FleetError> {
        let _lock = self.home.lock()?;
        let mut state = self.home.require_state()?;
        let shadowed = self.home.find_linked(BundleStage::Shadow)?.ok_or_else(|| {
            FleetError::invalid_input("no bundle is in shadow mode")
                .help("`pintle-fleet policy update` fetches one; `pintle-fleet policy status` shows what is in force")
        })?;
        let content = self.check_installed(&state, &shadowed)?;
        self.switch_to(&mut state, &shadowed, BundleStage::Enforce)?;
        self.home.remove_unused(&mut state);
        self.home.save_state(&state)?;
        Ok(UpdateResult::Switched(content.name, content.version, BundleStage::Enforce))
    }

    /// Goes back to the bundle that was enforced before the present one, and accepts only later versions than that. With
    /// `of_shadow`, the bundle that is in shadow mode is given up instead, and what is enforced stays.
    ///
    /// # Errors
    /// When no other bundle was enforced, or it is not as it was signed, or does not load any more.
    pub fn roll_back(&self, of_shadow: bool) -> Result<UpdateResult, FleetError> {
        let _lock = self.home.lock()?;
        let mut state = self.home.require_state()?;
        let stage = if of_shadow { BundleStage::Shadow } else { BundleStage::Enforce };
        let held = self.home.find_linked(stage)?.ok_or_else(|| {
            FleetError::invalid_input(format!("no bundle is in the stage `{}`", stage.as_str()))
                .help("`pintle-fleet policy status` shows what is in force")
        })?;
        let given_up = held.version().or(state.newest.as_ref().map(|newest| newest.version));
        state.rolled_back = state.rolled_back.max(given_up);
        if of_shadow {
            self.pintle.check_user(self.home.dir())?;
            self.home.save_state(&state)?;
            self.home.unlink(BundleStage::Shadow)?;
            let name = state.name.clone().unwrap_or_default();
            return Ok(UpdateResult::RolledBack(name, given_up.unwrap_or_default()));
        }
        let place = state.history.iter().rposition(|name| *name == held.dir_name);
        let before =
            state.history.iter().take(place.unwrap_or(state.history.len())).rfind(|name| **name != held.dir_name);
        let before = before.map(|name| self.home.installed(name)).ok_or_else(|| {
            FleetError::invalid_input("no bundle was enforced before this one")
                .help("`pintle-fleet policy remove` enforces none")
        })?;
        let content = self.check_installed(&state, &before)?;
        // A newer one in shadow mode may still be tried.
        self.home.save_state(&state)?;
        self.home.switch(BundleStage::Enforce, &before)?;
        let place = state.history.iter().rposition(|name| *name == before.dir_name);
        state.history.truncate(place.map_or(0, |place| place + 1));
        self.home.remove_unused(&mut state);
        self.home.save_state(&state)?;
        Ok(UpdateResult::Switched(content.name, content.version, BundleStage::Enforce))
    }

    /// Removes the bundles and the source.
    ///
    /// # Errors
    /// When an agent asks for it, or a file cannot be removed.
    pub fn remove(&self) -> Result<(), FleetError> {
        let _lock = self.home.lock()?;
        self.pintle.check_user(self.home.dir())?;
        self.home.unlink(BundleStage::Enforce)?;
        self.home.unlink(BundleStage::Shadow)?;
        self.home.remove_all()
    }

    /// Checks that an installed bundle is as it was signed, and that it loads.
    fn check_installed(&self, state: &BundleState, bundle: &InstalledBundle) -> Result<BundleContent, FleetError> {
        let signed = self.home.read_installed(bundle, &state.key()?)?;
        self.pintle.check(&bundle.files, signed.content.requires.as_deref())?;
        Ok(signed.content)
    }
}
