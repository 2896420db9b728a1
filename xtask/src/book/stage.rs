//! The pages as mdBook reads them: in the folders of the repository, so that links between them
//! hold, with what they link to beside them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::dist::{copy, files, write};
use crate::failure::Result;

/// The order of the pages.
const CONTENTS: &str = "docs/SUMMARY.md";

/// Copies the pages, the pictures and the linked files of a repository, and writes the contents
/// with the lines of the reference after them.
pub fn stage(root: &Path, to: &Path, reference: &str) -> Result<()> {
    let contents = read(&root.join(CONTENTS))?;
    let pages = pages(&contents);
    let mut linked = BTreeSet::new();
    for page in &pages {
        let text = rewritten(root, page, &pages, &read(&root.join(page))?, &mut linked);
        write(&to.join(renamed(page)), text)?;
    }
    for path in files(&root.join("docs"))? {
        let name = path.strip_prefix(root).expect("a file of the repository").to_path_buf();
        if name.extension().is_some_and(|extension| extension == "svg" || extension == "webp") {
            linked.insert(name);
        }
    }
    for name in linked {
        copy(&root.join(&name), &to.join(&name))?;
    }
    let contents = rewritten(root, Path::new(CONTENTS), &pages, &contents, &mut BTreeSet::new());
    write(&to.join("SUMMARY.md"), from_root(&contents) + reference)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| super::failed(path, &error))
}

/// Returns the pages that the contents list, relative to the root of the repository.
fn pages(contents: &str) -> BTreeSet<PathBuf> {
    let targets = contents.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| resolved(Path::new(CONTENTS), target)).collect()
}

/// Returns the path that a link on a page leads to. Both are relative to the root of all pages.
pub fn resolved(page: &Path, target: &str) -> PathBuf {
    let mut path = page.parent().map(Path::to_path_buf).unwrap_or_default();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// Returns the name of a page in the book: the first page of a folder is its index.
fn renamed(page: &Path) -> PathBuf {
    if page.ends_with("README.md") { page.with_file_name("index.md") } else { page.to_path_buf() }
}

/// Returns a page with links to folders led to their first pages. Linked files that are no
/// pages are collected.
fn rewritten(
    root: &Path,
    page: &Path,
    pages: &BTreeSet<PathBuf>,
    text: &str,
    linked: &mut BTreeSet<PathBuf>,
) -> String {
    let mut pieces = text.split("](");
    let mut done = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let Some((target, rest)) = piece.split_once(')') else {
            done.extend(["](", piece]);
            continue;
        };
        let (path, anchor) = target.split_at(target.find('#').unwrap_or(target.len()));
        let path = new_target(root, page, pages, path, linked);
        done.extend(["](", path.as_str(), anchor, ")", rest]);
    }
    done
}

/// Returns the path of a link in the book.
fn new_target(
    root: &Path,
    page: &Path,
    pages: &BTreeSet<PathBuf>,
    target: &str,
    linked: &mut BTreeSet<PathBuf>,
) -> String {
    if target.is_empty() || target.contains("://") {
        return target.to_owned();
    }
    let path = resolved(page, target);
    if pages.contains(&path) {
        return target
            .strip_suffix("README.md")
            .map_or(target.to_owned(), |folder| format!("{folder}index.md"));
    }
    if pages.contains(&path.join("README.md")) {
        return format!("{}/index.md", target.trim_end_matches('/'));
    }
    if root.join(&path).is_file() {
        linked.insert(path);
    }
    target.to_owned()
}

/// Returns the contents with links that begin at the root instead of `docs/`.
fn from_root(contents: &str) -> String {
    contents.replace("](", "](docs/").replace("](docs/../", "](")
}

/// Returns the lines of the contents for the pages of commands in a folder.
pub fn reference(folder: &Path) -> Result<String> {
    let names = files(folder)?;
    let names = names.iter().filter_map(|path| path.file_stem()?.to_str());
    Ok(reference_of(names))
}

fn reference_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    let mut lines = "\n# Command line\n\n".to_owned();
    for name in names {
        let indent = "  ".repeat(name.matches('-').count());
        let _ = writeln!(lines, "{indent}- [{}](docs/cli/{name}.md)", name.replace('-', " "));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    /// Pages for those who change Panto are at the root; the rest is in `docs/`.
    #[test]
    fn every_page_is_in_the_contents_once() {
        let contents = read(&shell::root().join(CONTENTS)).unwrap();
        let listed = pages(&contents);
        assert_eq!(listed.len(), contents.matches("](").count(), "a page twice");
        for path in files(&shell::root().join("docs")).unwrap() {
            let name = path.strip_prefix(shell::root()).unwrap().to_path_buf();
            let is_page = name.extension().is_some_and(|extension| extension == "md");
            assert!(!is_page || name == Path::new(CONTENTS) || listed.contains(&name), "{}", name.display());
        }
        for page in listed {
            assert!(shell::root().join(&page).is_file(), "{}", page.display());
        }
    }

    #[test]
    fn links_to_folders_lead_to_their_first_pages() {
        let pages: BTreeSet<PathBuf> = ["docs/a.md", "b/README.md"].map(PathBuf::from).into();
        let mut linked = BTreeSet::new();
        let text = "[x](../b) [y](../b/README.md#z) [w](https://w) [a](#a) ![p](../Cargo.toml) a](b";
        let new = rewritten(&shell::root(), Path::new("docs/a.md"), &pages, text, &mut linked);
        assert_eq!(
            new,
            "[x](../b/index.md) [y](../b/index.md#z) [w](https://w) [a](#a) ![p](../Cargo.toml) a](b"
        );
        assert_eq!(linked.into_iter().collect::<Vec<_>>(), [PathBuf::from("Cargo.toml")]);
    }

    #[test]
    fn the_reference_is_nested_like_the_commands() {
        let text = reference_of(["panto-run", "panto", "panto-trace-merge"].into_iter());
        assert_eq!(
            text,
            "\n# Command line\n\n- [panto](docs/cli/panto.md)\n  - [panto run](docs/cli/panto-run.md)\n    - [panto trace merge](docs/cli/panto-trace-merge.md)\n"
        );
    }

    #[test]
    fn contents_begin_at_the_root() {
        assert_eq!(from_root("[a](../A.md) [b](b.md)"), "[a](A.md) [b](docs/b.md)");
    }
}
