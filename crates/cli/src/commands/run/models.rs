//! The models of a team, in which agents can share a script.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use pintle_agent::ModelOpener;
use pintle_agent::model::{self, Model, ModelError, ScriptModel};
use pintle_host::contract::ModelSpec;

use crate::options::read_model_script;

/// Opens the models of a team, each script once, so that agents that share a script continue it. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct ScriptedModels(Arc<ScriptedModelsInner>);

#[derive(Debug)]
struct ScriptedModelsInner {
    /// The directory that scripts are relative to.
    folder: PathBuf,
    scripts: Mutex<HashMap<PathBuf, Arc<ScriptModel>>>,
}

impl ScriptedModels {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self(Arc::new(ScriptedModelsInner { folder: dir, scripts: Mutex::default() }))
    }

    pub(super) fn open(&self, spec: &ModelSpec) -> Result<Arc<dyn Model>, ModelError> {
        if spec.provider == "script" {
            let script: Arc<dyn Model> = self.open_script(&spec.name)?;
            return Ok(script);
        }
        model::open(spec, &|file| read_model_script(&self.0.folder, file))
    }

    /// Opens the model that plays a script.
    pub(super) fn open_script(&self, file: &str) -> Result<Arc<ScriptModel>, ModelError> {
        let path = self.0.folder.join(file);
        let mut scripts = self.0.scripts.lock();
        if let Some(script) = scripts.get(&path) {
            return Ok(Arc::clone(script));
        }
        let text = read_model_script(&self.0.folder, file)?;
        let script = Arc::new(ScriptModel::parse(file, &text)?);
        scripts.insert(path, Arc::clone(&script));
        Ok(script)
    }

    /// Returns an opener for models that are needed later.
    pub(super) fn model_opener(&self) -> Box<ModelOpener> {
        let models = self.clone();
        Box::new(move |spec: &ModelSpec| models.open(spec))
    }
}
