//! The public parts of the dialect whose hooks are commands, under a neutral name: its versions, its event flags, how
//! its files are recognized, and how the input of its hooks is converted back to a payload.

pub use crate::docker_agent::hooks::{UnknownFlagError, hook_from_flag};
pub use crate::docker_agent::{
    ContextReader, DIALECT, DockerAgentVersion, DockerEventDef, DockerRewrite, KEY_SECTIONS, PermissionWords, ROWS,
    example_payload, payload_from_hook_input, recognise, tools_of,
};
