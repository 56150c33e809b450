//! `pintle-fleet bundle`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use pintle_fleet::{BUNDLE_FILE, BundleContent, BundleKey, FleetError, hex_digest, sign_file, signature_path};

use crate::output::{print_line, print_note};

#[derive(Debug, Subcommand)]
pub(super) enum BundleCommand {
    /// Make a bundle of a directory with a policy, and sign it.
    Make(MakeArgs),
    /// Show what is in a bundle.
    Show(ShowArgs),
}

#[derive(Debug, Args)]
pub(super) struct MakeArgs {
    /// Directory with `policy.yaml`, `hooks/`, `rules/` and what else `/etc/pintle` may have.
    dir: PathBuf,
    /// Name of the bundle, which all its versions have.
    #[arg(long)]
    name: String,
    /// Version of the bundle: a number that is larger than all before. Machines accept no smaller one.
    #[arg(long, value_name = "NUMBER")]
    version: u64,
    /// Range of versions of Pintle that it is for, such as `>=0.1, <0.2` [default: all, or what `policy.yaml` requires].
    #[arg(long, value_name = "RANGE")]
    requires: Option<String>,
    /// Secret key of minisign, with which the program `minisign` signs. Without it, the bundle is not signed.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// File to write. The signature is written beside it, with `.minisig` behind the name.
    #[arg(long, short = 'o', value_name = "FILE", default_value = BUNDLE_FILE)]
    output: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The bundle.
    file: PathBuf,
    /// Public key that must have signed it: as minisign prints it, or a file with it.
    #[arg(long, value_name = "KEY")]
    public_key: Option<String>,
}

impl BundleCommand {
    pub(super) fn execute(self) -> Result<bool, FleetError> {
        match self {
            Self::Make(args) => args.execute(),
            Self::Show(args) => args.execute(),
        }
    }
}

impl MakeArgs {
    fn execute(self) -> Result<bool, FleetError> {
        let (content, hidden) = BundleContent::read_dir(&self.dir, &self.name, self.version, self.requires)?;
        let bytes = content.to_bytes()?;
        let output = self.output.display().to_string();
        let signature = signature_path(&self.output);
        // A signature of another bundle would only be misleading.
        let _ = std::fs::remove_file(&signature);
        pintle_files::replace_file(&self.output, &bytes)
            .map_err(|error| FleetError::failure(format!("cannot write `{output}`: {error}")))?;
        if !hidden.is_empty() {
            print_note(&format!("hidden files are left out: {}", hidden.join(", ")));
        }
        match &self.key {
            Some(key) => {
                let comment = format!("{} version {}", content.name, content.version);
                sign_file(&self.output, key, &comment)?;
            }
            None => print_note(&format!("sign it with `minisign -S -s KEY -m {output}`")),
        }
        print_line(&describe(&content, &bytes))?;
        Ok(true)
    }
}

impl ShowArgs {
    fn execute(self) -> Result<bool, FleetError> {
        let unreadable = |path: &PathBuf, error: std::io::Error| {
            FleetError::invalid_input(format!("cannot read `{}`: {error}", path.display()))
        };
        let bytes = pintle_files::read(&self.file).map_err(|error| unreadable(&self.file, error))?;
        if let Some(key) = &self.public_key {
            let path = signature_path(&self.file);
            let signature = pintle_files::read_text(&path).map_err(|error| unreadable(&path, error))?;
            BundleKey::load(key)?.verify(&bytes, &signature)?;
        }
        let content = BundleContent::parse(&bytes)?;
        print_line(&describe(&content, &bytes))?;
        if let Some(requires) = &content.requires {
            print_line(&format!("for Pintle {requires}"))?;
        }
        for (path, file) in &content.files {
            let is_program = if file.is_executable { "  program" } else { "" };
            print_line(&format!("{:>9}  {path}{is_program}", file.bytes.len()))?;
        }
        if self.public_key.is_none() {
            print_note("the signature was not checked: `--public-key` does");
        }
        Ok(true)
    }
}

fn describe(content: &BundleContent, bytes: &[u8]) -> String {
    let BundleContent { name, version, files, .. } = content;
    format!("{name} version {version}, {} files, sha256:{}", files.len(), hex_digest(bytes))
}
