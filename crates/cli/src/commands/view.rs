//! `panto view`

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Args;
use panto_timeline::Timeline;
use panto_view::{Options, Server};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure::Failure;
use crate::trace::amount;
use crate::{files, out};

/// Look at timelines in the browser
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct View {
    /// What `panto simulate --timeline` wrote
    file: PathBuf,

    /// Another one, shown below the first at the same zoom
    other: Option<PathBuf>,

    /// Write one page that needs no other file and no network, and show nothing
    #[arg(long, value_name = "OUT", conflicts_with_all = ["port", "no_browser"])]
    html: Option<PathBuf>,

    /// The port to serve at, on this machine only [default: any that is free]
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Only print where the page is
    #[arg(long)]
    no_browser: bool,
}

const AFTER_HELP: &str = "\
The page is served on loopback alone, for as long as the command runs; Ctrl-C ends it. A page of --html holds
all events if they are not too many, else as much of the overview as fits, and says so.

Examples:
  panto view app.ptl                          opens the browser
  panto view on-ethernet.ptl on-torus.ptl     one above the other, with linked zoom
  panto view app.ptl --html app.html          one file to send to a colleague
  panto view app.ptl --port 8080 --no-browser

docs/viewer.md explains what is seen; in the page, ? lists the keys.";

impl View {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let paths: Vec<PathBuf> = [Some(self.file), self.other].into_iter().flatten().collect();
        for path in &paths {
            // What is sound is worth looking at; the page says the same.
            if let Some(flaw) = Timeline::open(path)?.flaw() {
                out::note(format_args!("panto: {flaw}\nwhat is sound is shown"));
            }
        }
        match &self.html {
            Some(html) => write(&paths, html),
            None => serve(&paths, self.port.unwrap_or(0), self.no_browser),
        }
    }
}

fn write(paths: &[PathBuf], html: &Path) -> Result<ExitCode, Failure> {
    for path in paths {
        files::keep(path, html)?;
    }
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let page = panto_view::page(&paths, &Options::default())?;
    std::fs::write(html, &page).map_err(|error| Failure::write(html, &error))?;
    out::note(format_args!("panto: wrote {}, {}", html.display(), amount(page.len() as u64)));
    Ok(ExitCode::SUCCESS)
}

fn serve(paths: &[PathBuf], port: u16, no_browser: bool) -> Result<ExitCode, Failure> {
    let failed = |error| Failure::Run(format!("cannot listen to Ctrl-C: {error}"));
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    let server: Server = panto_view::serve(paths, port)?;
    out::line(server.url());
    out::note(format_args!("panto: Ctrl-C ends it"));
    if !no_browser && !open(&server.url()) {
        out::note(format_args!("panto: no browser could be opened; open this address in one"));
    }
    std::thread::spawn(move || server.run());
    signals.forever().next();
    Ok(ExitCode::SUCCESS)
}

/// Asks the desktop to open the page.
fn open(url: &str) -> bool {
    let mut command = Command::new("xdg-open");
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
