//! The files of the page, which `build.rs` packs.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageFile {
    /// Its path in the address.
    path: &'static str,
    /// Its type.
    pub(super) media_type: &'static str,
    /// What it contains, as gzip.
    pub(super) packed: &'static [u8],
}

macro_rules! page_file {
    ($path:literal, $name:literal, $media_type:literal) => {
        PageFile {
            path: $path,
            media_type: $media_type,
            packed: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".gz")),
        }
    };
}

const FILES: &[PageFile] = &[
    page_file!("/", "index.html", "text/html; charset=utf-8"),
    page_file!("/view.css", "view.css", "text/css; charset=utf-8"),
    page_file!("/view.js", "view.js", "text/javascript; charset=utf-8"),
    page_file!("/entries.js", "entries.js", "text/javascript; charset=utf-8"),
    page_file!("/charts.js", "charts.js", "text/javascript; charset=utf-8"),
    page_file!("/elements.js", "elements.js", "text/javascript; charset=utf-8"),
    page_file!("/requests.js", "requests.js", "text/javascript; charset=utf-8"),
    page_file!("/icon.svg", "icon.svg", "image/svg+xml"),
];

/// The file with a path.
pub(super) fn find_file(path: &str) -> Option<&'static PageFile> {
    FILES.iter().find(|file| file.path == path)
}
