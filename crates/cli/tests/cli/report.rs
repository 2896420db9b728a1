//! `panto report`, and charts for papers.

use std::path::Path;
use std::process::Output;

use super::{command, measured, quiet, stderr, stencil, succeeds};

fn run(folder: &Path, line: &str) -> Output {
    command().args(line.split_whitespace()).current_dir(folder).output().expect("the binary starts")
}

fn page(folder: &Path, line: &str) -> String {
    succeeds(&run(folder, &format!("report {line} -o page.html")));
    let page = std::fs::read_to_string(folder.join("page.html")).expect("written");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert_asks_for_nothing(&page);
    page
}

/// Asserts that a page refers to no address and no file. SVG's namespace is neither, and the empty
/// icon keeps browsers from requesting one.
pub fn assert_asks_for_nothing(page: &str) {
    let rest = page.replace("http://www.w3.org/", "").replace("<link rel=\"icon\" href=\"data:,\"/>", "");
    for outside in ["http://", "https://", "<script src", "<link ", "@import", "<img src=\"/", "<iframe"] {
        assert!(!rest.contains(outside), "the page asks for something outside: {outside}");
    }
}

fn contains(page: &str, words: &[&str]) {
    for word in words {
        assert!(page.contains(word), "no `{word}` in the page");
    }
}

#[test]
fn results_alone_compared_and_beside_a_model() {
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path();
    quiet(folder);
    std::fs::copy(folder.join("run.jsonl"), folder.join("it's <b>.jsonl")).expect("copied");
    let alone = page(folder, "run.jsonl");
    contains(
        &alone,
        &["Summary", "comet/echo", "Raw samples", "All points", "How it was measured", "Fitted machine"],
    );
    contains(&alone, &["Residuals", "id=\"raw\"", "data-raw=\"0\"", "--sizes"]);
    assert!(alone.len() < 2_000_000, "{}", alone.len());
    let model = page(folder, "run.jsonl infiniband --title A&B");
    contains(
        &model,
        &["<h1>A&amp;B</h1>", "Machine infiniband", "Comet/echo against infiniband: median residual"],
    );
    let output = command()
        .args(["report", "run.jsonl", "it's <b>.jsonl", "-o", "page.html"])
        .current_dir(folder)
        .output()
        .expect("the binary starts");
    succeeds(&output);
    let both = std::fs::read_to_string(folder.join("page.html")).expect("written");
    contains(&both, &["new against old", "comet/echo: it&#39;s &lt;b&gt;.jsonl", "verdict"]);
    contains(&both, &["Overlaid: run.jsonl, it&#39;s &lt;b&gt;.jsonl", "comet/echo: all ratios"]);
    assert!(!both.contains("<b>.jsonl") && !both.contains("\"it's"), "names are text");
    std::fs::rename(folder.join("it's <b>.jsonl"), folder.join("again.jsonl")).expect("renamed");
    let named = page(folder, "run.jsonl again.jsonl --label before,after");
    contains(
        &named,
        &["<h2>Overlaid: before, after</h2>", ">before</text>", "comet/echo: after takes 1.000 times"],
    );
    assert!(named.find("id=\"overlaid\"") < named.find("id=\"comparison\""), "pictures come first");
}

#[test]
fn a_timeline_has_its_viewer() {
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path();
    stencil::write(folder, 2, 5);
    succeeds(&run(folder, "simulate stencil.panto -m infiniband --timeline a.ptl"));
    succeeds(&run(folder, "simulate stencil.panto -m ethernet10 --timeline b.ptl"));
    let one = page(folder, "a.ptl");
    contains(&one, &["Timeline: a.ptl", "Ranks of a.ptl", "machine: infiniband"]);
    let two = page(folder, "a.ptl b.ptl cm5");
    contains(&two, &["Timeline: a.ptl and b.ptl", "Machine cm5"]);
    contains(&page(folder, "stencil.panto"), &["<h2>Trace: stencil.panto</h2>", "MPI_"]);
}

#[test]
fn traces_predictions_sweeps_and_comparisons_share_a_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path();
    stencil::write(folder, 2, 10);
    quiet(folder);
    let saved = |line: &str, file: &str| {
        std::fs::write(folder.join(file), succeeds(&run(folder, line))).expect("writable");
    };
    saved("simulate stencil.panto -m cm5 --format json", "cm5.json");
    std::fs::copy(folder.join("run.jsonl"), folder.join("again.jsonl")).expect("copied");
    saved("compare run.jsonl again.jsonl --format json", "same.json");
    succeeds(&run(folder, "sweep stencil.panto -m cm5,infiniband --speed 1,2 -o rows.jsonl"));
    succeeds(&run(folder, "simulate stencil.panto -m infiniband --timeline stencil.ptl"));
    let all = "run.jsonl stencil.panto stencil.ptl cm5.json rows.jsonl same.json";
    let page = page(folder, all);
    contains(
        &page,
        &["Trace: stencil.panto", "Prediction: cm5.json", "Sweep: rows.jsonl", "Comparison: same.json"],
    );
    // The contents list has a line for each file.
    for file in all.split(' ').filter(|file| *file != "stencil.ptl") {
        assert!(page.contains(&format!("<span>{file}</span>")), "{file}");
    }
    assert!(page.len() < 2 << 20, "{} bytes", page.len());
}

#[test]
fn files_that_cannot_be_reported_are_rejected() {
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path();
    measured(folder);
    let text = std::fs::read_to_string(folder.join("run.jsonl")).expect("text");
    std::fs::write(folder.join("half.jsonl"), &text[..text.len() / 2]).expect("written");
    let manifest = text.lines().next().expect("a manifest");
    std::fs::write(folder.join("none.jsonl"), format!("{manifest}\n")).expect("written");
    std::fs::write(folder.join("empty.jsonl"), "").expect("written");
    for (line, words) in [
        ("report half.jsonl", "half.jsonl"),
        ("report nowhere.jsonl", "nowhere.jsonl"),
        ("report empty.jsonl", "the file is empty"),
        ("report run.jsonl -o run.jsonl", "would be overwritten"),
        ("report run.jsonl -o .", "directory"),
        ("report run.jsonl --label a,b", "--label a,b: expected up to 1 distinct names"),
        ("report", "FILE"),
    ] {
        let output = run(folder, line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{line}: {}", stderr(&output));
    }
    contains(&page(folder, "half.jsonl --salvage"), &["comet/"]);
    contains(&page(folder, "none.jsonl"), &["There are no measured points"]);
}

#[test]
fn pictures_have_the_form_of_their_ending() {
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path();
    measured(folder);
    succeeds(&run(folder, "report run.jsonl --plot out/fig.svg"));
    for name in ["fig-comet-echo.svg", "fig-comet-barrier.svg"] {
        let svg = std::fs::read_to_string(folder.join("out").join(name)).expect("written");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
    }
    let echo = "bench comet/echo --ranks 2 --hops 1 --sizes 8,1K -t 300ms --plot";
    succeeds(&run(folder, &format!("{echo} echo.svg")));
    assert!(folder.join("echo.svg").is_file(), "one picture has the name that was given");
    succeeds(&run(folder, "info run.jsonl --plot out/data.dat"));
    let data = std::fs::read_to_string(folder.join("out/data-comet-echo.dat")).expect("written");
    let script = std::fs::read_to_string(folder.join("out/data-comet-echo.gp")).expect("written");
    let blocks = data.split("\n\n\n").count() - 1;
    assert!(blocks >= 2 && script.contains(&format!("index {}", blocks - 1)), "{script}");
    let rows = data.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for row in rows {
        let numbers: Vec<f64> = row.split(' ').filter_map(|word| word.parse().ok()).collect();
        assert_eq!(numbers.len(), 4, "{row}");
    }
    draws(folder);
    let png = run(folder, "info run.jsonl --plot fig.png");
    if png.status.success() {
        let bytes = std::fs::read(folder.join("fig-comet-echo.png")).expect("written");
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(u32::from_be_bytes([bytes[16], bytes[17], bytes[18], bytes[19]]), 2280, "three times 760");
    } else {
        assert!(stderr(&png).contains("font"), "{}", stderr(&png));
    }
}

/// Runs gnuplot, where it is installed, on the script that was written.
fn draws(folder: &Path) {
    let mut gnuplot = std::process::Command::new("gnuplot");
    gnuplot.args(["-e", "set terminal svg; set output 'drawn.svg'", "data-comet-echo.gp"]);
    let Ok(output) = gnuplot.current_dir(folder.join("out")).output() else { return };
    assert!(output.status.success(), "{}", stderr(&output));
    let drawn = std::fs::read_to_string(folder.join("out/drawn.svg")).expect("drawn");
    assert!(drawn.contains("</svg>") && drawn.matches("<path").count() > 10, "{drawn}");
}
