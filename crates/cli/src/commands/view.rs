//! `panto view`: shows timelines in the browser.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use panto_timeline::Timeline;
use panto_units::rounded_bytes;
use panto_view::{Options, Server};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::commands::redirect::Redirect;
use crate::failure::Failure;
use crate::timeline::TimelineFile;
use crate::{files, interrupt, print};

/// View timelines, predicted or measured, in the browser.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct View {
    /// Timeline from `panto simulate --timeline`, or trace from `panto trace --stamps`: the run as
    /// it was measured.
    file: PathBuf,

    /// A second timeline or trace, shown below the first at the same zoom.
    other: Option<PathBuf>,

    /// Write a self-contained HTML page instead of serving one.
    #[arg(long, value_name = "OUT", conflicts_with_all = ["port", "no_browser"])]
    html: Option<PathBuf>,

    /// Port on the loopback interface [default: any free one].
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// Print the address without opening a browser.
    #[arg(long)]
    no_browser: bool,
}

const AFTER_HELP: &str = "\
The page is served on the loopback interface until Ctrl-C. A page of --html contains all events if they fit, otherwise a coarser overview, with a note.

Examples:
  panto view app.ptl                          open it in the browser
  panto view app.panto                        the measured run of a trace
  panto view app.panto app.ptl                measured above, predicted below
  panto view on-ethernet.ptl on-torus.ptl     two timelines with linked zoom
  panto view app.ptl --html app.html          write a self-contained page
  panto view app.ptl --port 8080 --no-browser

docs/viewer.md describes the viewer; in the page, ? lists the keys.";

impl View {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let sources: Vec<PathBuf> = [Some(self.file), self.other].into_iter().flatten().collect();
        if let Some(html) = &self.html {
            sources.iter().try_for_each(|path| files::refuse_overwrite(path, html))?;
            interrupt::end_without_leftovers()?;
        }
        let timelines: Vec<TimelineFile> =
            sources.iter().map(|path| TimelineFile::of(path)).collect::<Result<_, _>>()?;
        let paths: Vec<PathBuf> = timelines.iter().map(|timeline| timeline.path().to_owned()).collect();
        for path in &paths {
            // The page shows the part before the damage, with a note.
            if let Some(damage) = Timeline::open(path)?.damage() {
                print::note(format_args!("panto: {damage}\nthe part before the damage is shown"));
            }
        }
        match &self.html {
            Some(html) => write(&paths, html),
            None => serve(&paths, self.port.unwrap_or(0), self.no_browser),
        }
    }
}

fn write(paths: &[PathBuf], html: &Path) -> Result<ExitCode, Failure> {
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let page = panto_view::page(&paths, &Options::default())?;
    files::replace(html, &page)?;
    print::note(format_args!("panto: wrote {}, {}", html.display(), rounded_bytes(page.len() as u64)));
    Ok(ExitCode::SUCCESS)
}

fn serve(paths: &[PathBuf], port: u16, no_browser: bool) -> Result<ExitCode, Failure> {
    let failed = |error| Failure::Run(format!("cannot install a handler for Ctrl-C: {error}"));
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    let server: Server = panto_view::serve(paths, port)?;
    print::line(server.url());
    print::note(format_args!("panto: press Ctrl-C to stop"));
    let opened = (!no_browser).then(|| Redirect::open(&server.url()));
    if let Some(Err(_)) = opened {
        print::note(format_args!("panto: cannot open a browser; open the address above in one"));
    }
    std::thread::spawn(move || server.run());
    signals.forever().next();
    Ok(ExitCode::SUCCESS)
}
