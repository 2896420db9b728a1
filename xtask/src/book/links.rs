//! Links of HTML pages: each file and each heading that a page refers to exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::stage::resolved;
use crate::dist::files;
use crate::failure::{Failure, Result};

/// What the check needs of a page.
struct Page {
    ids: BTreeSet<String>,
    targets: Vec<String>,
}

/// Checks the links of all pages under a folder to files under it, and returns their number.
/// Addresses of other hosts are not visited: tests need no network.
pub fn check(folder: &Path) -> Result<usize> {
    let (mut pages, mut others) = (BTreeMap::new(), BTreeSet::new());
    for path in files(folder)? {
        let name = path.strip_prefix(folder).expect("a file below the folder").to_path_buf();
        // The page of missing pages is shown at any address, so its links begin at the host.
        if name.extension().is_some_and(|extension| extension == "html") && name != Path::new("404.html") {
            let text = fs::read_to_string(&path).map_err(|error| super::failed(&path, &error))?;
            pages.insert(name, parse(&text));
        } else {
            others.insert(name);
        }
    }
    let dead: Vec<String> = pages.iter().flat_map(|(name, page)| dead(name, page, &pages, &others)).collect();
    if dead.is_empty() {
        return Ok(pages.values().map(|page| page.targets.len()).sum());
    }
    Err(Failure::failed(format!("{} dead links:\n{}", dead.len(), dead.join("\n"))))
}

/// Returns the lines that name the dead links of a page.
fn dead(
    name: &Path,
    page: &Page,
    pages: &BTreeMap<PathBuf, Page>,
    others: &BTreeSet<PathBuf>,
) -> Vec<String> {
    let is_dead = |target: &&String| {
        let (path, id) = target.split_once('#').unwrap_or((target, ""));
        let path = if path.is_empty() { name.to_path_buf() } else { resolved(name, path) };
        match pages.get(&path) {
            Some(page) => !id.is_empty() && !page.ids.contains(id),
            None => !others.contains(&path),
        }
    };
    page.targets.iter().filter(is_dead).map(|target| format!("  {}: {target}", name.display())).collect()
}

fn parse(html: &str) -> Page {
    let of = |name: &str| attributes(html, name).map(str::to_owned).collect::<Vec<_>>();
    let targets = [of("href"), of("src"), of("srcset")].concat();
    let is_here = |target: &String| !target.contains(':') && !target.is_empty();
    Page { ids: of("id").into_iter().collect(), targets: targets.into_iter().filter(is_here).collect() }
}

/// Returns the values of an attribute. Quotation marks of text are escaped in HTML.
fn attributes<'a>(html: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {name}=\"");
    let mut rest = html;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once(&start)?;
        let (value, after) = after.split_once('"')?;
        rest = after;
        Some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn checked(name: &str, pages: &[(&str, &str)]) -> Result<usize> {
        let scratch = Scratch::new(name).unwrap();
        for (name, text) in pages {
            crate::dist::write(&scratch.path().join(name), text).unwrap();
        }
        check(scratch.path())
    }

    #[test]
    fn files_and_headings_that_exist() {
        let first = r##"<a href="b/two.html#end">x</a> <img src="a.svg"> <a href="#top" id="top">"##;
        let second = r#"<h2 id="end"><a href="../one.html">x</a> <a href="https://example.org">"#;
        let count = checked("links", &[("one.html", first), ("b/two.html", second), ("a.svg", "")]);
        assert_eq!(count.unwrap(), 4);
    }

    #[test]
    fn dead_links_are_listed() {
        let page = r##"<a href="gone.html">x</a> <a href="#gone"> <a href="one.html"> <img src="no.svg">"##;
        let text = checked("dead", &[("one.html", page)]).unwrap_err().to_string();
        assert!(text.starts_with("3 dead links:"), "{text}");
        for target in ["one.html: gone.html", "one.html: #gone", "one.html: no.svg"] {
            assert!(text.contains(target), "{text}");
        }
    }
}
