//! Packs the pages of `docs`, for `pintle docs`, and the page of `pintle view`.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

/// The directories of the pages; those of contributors are left out. A topic is the name of a page, after its directory if
/// a directory before it has a page of that name.
const DIRECTORIES: [&str; 5] = ["", "guide", "reference", "specs", "promises"];

/// The directory with the files of the page.
const PAGE: &str = "src/commands/view/page";

fn main() -> Result<(), Box<dyn Error>> {
    let package = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    // A package has the pages in itself. The link to them is a text file in a checkout for Windows.
    let linked = package.join("docs");
    let docs = if linked.is_dir() { linked } else { package.join("../../docs") };
    println!("cargo::rerun-if-changed={}", docs.display());
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    let mut topics = BTreeSet::new();
    for directory in DIRECTORIES {
        for (name, text) in read_pages(&docs.join(directory))? {
            let path = [directory, &name].join("/");
            let path = path.trim_start_matches('/');
            // A page with this character would end there.
            if text.contains('\0') {
                return Err(format!("`{path}` contains U+0000").into());
            }
            let topic = match (directory, name.as_str()) {
                ("", "README") => "index",
                (_, "README") => directory,
                _ if topics.contains(&name) => path,
                (_, name) => name,
            };
            write!(packed, "{topic}\0{path}\0{text}\0")?;
            topics.insert(topic.to_owned());
        }
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("docs.deflate"), packed.finish()?)?;
    fs::write(out.join("topics.rs"), format!("&{topics:?}").replace('{', "[").replace('}', "]"))?;
    pack_page(&package.join(PAGE), &out)
}

/// Packs each file of the page as browsers are sent it.
fn pack_page(page: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", page.display());
    for entry in fs::read_dir(page)? {
        let entry = entry?;
        // The program is the same wherever it is built.
        let text = fs::read_to_string(entry.path())?.replace("\r\n", "\n");
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(text.as_bytes())?;
        fs::write(out.join(format!("{}.gz", entry.file_name().to_string_lossy())), packed.finish()?)?;
    }
    Ok(())
}

/// The pages of a directory by their names without the ending, in order.
fn read_pages(directory: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if let (true, Some(name)) = (path.extension().is_some_and(|end| end == "md"), path.file_stem()) {
            pages.push((name.to_string_lossy().into_owned(), fs::read_to_string(&path)?));
        }
    }
    pages.sort();
    Ok(pages)
}
