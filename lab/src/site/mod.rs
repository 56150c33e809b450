//! `cargo lab site`: looks at the documentation's site in a browser, at two widths, on a light and on a dark ground.

use std::fs;
use std::path::Path;
use std::process::Command;

use xtask::{ChoreReport, SourceWorkspace, capture_output};

/// The site, which `cargo xtask site` builds, and the pictures of it.
const SITE: &str = "target/site";
const PICTURES: &str = "target/site/pictures";
/// The widths of a telephone and of a screen, in pixels.
const WIDTHS: [usize; 2] = [360, 1280];
/// A window of the browser is not narrower.
const NARROWEST: usize = 600;
/// The grounds, and how the browser names them.
const GROUNDS: [(&str, u8); 2] = [("dark", 0), ("light", 1)];
/// The pages that are drawn: of prose, of wide tables, of long lines, of many headings.
const DRAWN: [&str; 4] = ["index.html", "guide/clients.html", "guide/log.html", "reference/events.html"];
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Builds the site, measures whether a page is wider than the window, and draws some.
pub(crate) fn run(workspace: &SourceWorkspace, _: &[String]) -> Result<ChoreReport, String> {
    capture_output(Command::new("cargo").args(["xtask", "site"]).current_dir(&workspace.root))?;
    let site = workspace.root.join(SITE);
    let pictures = workspace.root.join(PICTURES);
    let written =
        fs::create_dir_all(&pictures).and_then(|()| fs::write(site.join("frame.html"), include_str!("frame.html")));
    written.map_err(|error| format!("cannot write below `{SITE}`: {error}"))?;
    let mut pages = Vec::new();
    list_pages(&site.join("book"), "", &mut pages).map_err(|error| format!("cannot read `{SITE}`: {error}"))?;
    let browser = find_browser()?;
    let mut lines = Vec::new();
    for width in WIDTHS {
        let mut command = start(browser, &site, &format!("{width},{}", pages.join(",")));
        let shown = capture_output(command.args(["--virtual-time-budget=600000", "--dump-dom"]))?;
        let result = shown.split_once(">measured\n").and_then(|(_, rest)| rest.split_once("end<"));
        let (wider, _) = result.ok_or_else(|| format!("the browser did not measure the pages at {width} pixels"))?;
        lines.extend(wider.lines().map(str::to_owned));
        for (ground, scheme) in GROUNDS {
            for page in DRAWN {
                let name = page.replace('/', "-").replace(".html", "");
                let picture = pictures.join(format!("{name}-{width}-{ground}.png"));
                let mut command = start(browser, &site, &format!("{width},{page}"));
                command.arg(format!("--blink-settings=preferredColorScheme={scheme}"));
                command.arg(format!("--window-size={},1600", width.max(NARROWEST)));
                command.args(["--hide-scrollbars", "--virtual-time-budget=5000"]);
                capture_output(command.arg(format!("--screenshot={}", picture.display())))?;
            }
        }
    }
    let passed = lines.is_empty();
    lines.push(format!("{} pages measured, {} drawn in {PICTURES}", pages.len(), DRAWN.len()));
    Ok(ChoreReport { lines, passed })
}

/// The name of an installed browser.
pub(crate) fn find_browser() -> Result<&'static str, String> {
    let found = BROWSERS.iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    found.copied().ok_or_else(|| String::from("no browser; `apt-get install chromium` installs one"))
}

/// A browser that shows the frame with these pages. It reads only files of the site.
fn start(browser: &str, site: &Path, pages: &str) -> Command {
    let mut command = Command::new(browser);
    let address = format!("file://{}#{pages}", site.join("frame.html").display());
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--allow-file-access-from-files",
        "--disable-web-security",
    ]);
    command.arg(address);
    command
}

/// The paths of the pages below a directory.
fn list_pages(dir: &Path, prefix: &str, pages: &mut Vec<String>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list_pages(&entry.path(), &format!("{name}/"), pages)?;
        } else if name.ends_with(".html") && name != "toc.html" {
            pages.push(name);
        }
    }
    pages.sort();
    Ok(())
}
