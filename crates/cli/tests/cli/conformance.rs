//! `docs/conformance.md` is true: every command of a finished row prints what the row says, and
//! every test it names exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use panto_testkit::jobs::compiled::Compiled;

use super::shell::Shell;
use super::{stderr, stdout};

/// The letter of each source document, and the number of its requirements.
const IDS: [(char, usize); 5] = [('C', 20), ('M', 8), ('P', 24), ('S', 10), ('T', 9)];

struct Row {
    id: String,
    state: String,
    commands: Vec<String>,
    /// Text that each of the commands prints only if the feature works.
    prints: Vec<String>,
    tests: Vec<String>,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(repository().join("docs/conformance.md")).expect("the page is there");
    text.lines().filter_map(row).collect()
}

/// Parses `| id | what | state | commands | prints | tests |`; the last three are in backquotes.
fn row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.trim().trim_matches('|').split(" | ").map(str::trim).collect();
    let [id, _what, state, commands, prints, tests] = cells[..] else { return None };
    let letter = id.chars().next()?;
    let known = IDS.iter().any(|(known, _)| *known == letter) && id[1..].parse::<usize>().is_ok();
    known.then(|| Row {
        id: id.into(),
        state: state.into(),
        commands: quoted(commands),
        prints: quoted(prints),
        tests: quoted(tests),
    })
}

fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_requirement_has_its_row() {
    let found: Vec<String> = rows().into_iter().map(|row| row.id).collect();
    let wanted = IDS.iter().flat_map(|(letter, count)| (1..=*count).map(move |n| format!("{letter}{n}")));
    let wanted: BTreeSet<String> = wanted.collect();
    assert_eq!(found.iter().cloned().collect::<BTreeSet<_>>(), wanted);
    assert_eq!(found.len(), wanted.len(), "a row twice");
}

#[test]
fn states_are_known_and_done_means_command_and_test() {
    for row in rows() {
        match row.state.as_str() {
            "done" | "partly" => {
                assert!(!row.commands.is_empty() && !row.tests.is_empty(), "{} names no proof", row.id);
                assert_eq!(row.commands.len(), row.prints.len(), "{}: what each command prints", row.id);
            }
            "not yet" => assert!(row.commands.is_empty(), "{} is not there yet", row.id),
            other => panic!("{}: what is `{other}`?", row.id),
        }
    }
}

/// Rows that need an MPI, or the programs of `apps/`, are skipped where these are not installed.
/// Later rows may read files of earlier ones, and the libraries of `examples/implementation-c`.
#[test]
fn the_commands_of_the_page_run() {
    let shell = Shell::new();
    for (library, name) in [(Compiled::tree(), "libtree.so"), (Compiled::matrix(), "libmatrix.so")] {
        fs::copy(library.path(), shell.folder().join(name)).expect("a library");
    }
    let mut printed: BTreeMap<String, String> = BTreeMap::new();
    for row in rows() {
        let needs = |program: &str| row.commands.iter().any(|line| line.contains(program));
        if needs("mpirun") && !(shell.has_mpi && (shell.has_apps || !needs("target/apps/"))) {
            eprintln!("{}: skipped, it needs an MPI and the programs of `cargo xtask apps`", row.id);
            continue;
        }
        for (line, text) in row.commands.iter().zip(&row.prints) {
            let output = printed.entry(line.clone()).or_insert_with(|| {
                let output = shell.run(line);
                assert!(output.status.success(), "{}: {line}: {}", row.id, stderr(&output));
                format!("{}\n{}", stdout(&output), stderr(&output))
            });
            assert!(prints(output, text), "{}: {line} does not print `{text}`:\n{output}", row.id);
        }
    }
}

/// Returns whether a line of the output contains the text; `...` stands for anything, and runs of
/// spaces are one.
fn prints(output: &str, text: &str) -> bool {
    let parts: Vec<&str> = text.split("...").map(str::trim).collect();
    output.lines().any(|line| {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = parts.iter().try_fold(line.as_str(), |rest, part| Some(rest.split_once(part)?.1));
        found.is_some()
    })
}

#[test]
fn text_is_found_within_a_line() {
    let output = "rank   0  ends\nfour   of\t4 points, 3.2us";
    assert!(prints(output, "four of 4 points, ...us") && prints(output, "rank ... ends"));
    assert!(!prints(output, "rank ... points") && !prints(output, "points ... four"));
}

#[test]
fn commands_show_the_thing_and_not_its_help() {
    for row in rows() {
        for line in row.commands {
            let starts_panto = line.starts_with("panto ") || line.starts_with("mpirun ");
            assert!(starts_panto && !line.contains("--help"), "{}: {line}", row.id);
        }
    }
}

#[test]
fn the_tests_of_the_page_exist() {
    let sources = sources(&repository().join("crates"));
    for row in rows() {
        for test in row.tests {
            let (krate, name) = test.split_once("::").unwrap_or_else(|| panic!("{}: {test}", row.id));
            let folder = repository().join("crates").join(krate);
            let is_there =
                sources.iter().any(|(path, text)| path.starts_with(&folder) && has_test(text, name));
            assert!(is_there, "{}: there is no test {test}", row.id);
        }
    }
}

/// Returns whether the text has a function of this name right below `#[test]`.
fn has_test(text: &str, name: &str) -> bool {
    let function = format!("fn {name}(");
    let lines: Vec<&str> = text.lines().collect();
    let is_test = |at: usize| lines[at.saturating_sub(3)..at].iter().any(|line| line.contains("#[test]"));
    (0..lines.len()).any(|at| lines[at].contains(&function) && is_test(at))
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((path.clone(), fs::read_to_string(&path).expect("text")));
        }
    }
    found
}
