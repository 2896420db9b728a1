//! A software bill of materials: the crates inside the binary and the tracer, with versions,
//! licences and checksums, in the JSON of `CycloneDX` (ECMA-424).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use super::target::Target;
use super::{VERSION, stage};
use crate::failure::{Failure, Result};
use crate::shell;

/// What the binary is made of: itself, and the library that it carries.
const ROOTS: [&str; 2] = ["panto", "panto-tracer"];

/// Writes the bill of the packages for a target.
pub fn write(path: &Path, target: Target) -> Result<()> {
    let arguments = format!("metadata --locked --format-version 1 --filter-platform {}", target.triple);
    let metadata = parse(&shell::capture(&mut shell::cargo(&arguments))?)?;
    let lock = std::fs::read_to_string(shell::root().join("Cargo.lock"))
        .map_err(|error| Failure::failed(format!("Cargo.lock: {error}")))?;
    let text = serde_json::to_string_pretty(&document(&metadata, &checksums(&lock)))
        .map_err(|error| Failure::failed(format!("the bill of materials: {error}")))?;
    stage::write(path, text + "\n")
}

fn parse(text: &str) -> Result<Value> {
    serde_json::from_str(text)
        .map_err(|error| Failure::failed(format!("`cargo metadata` printed no JSON: {error}")))
}

/// Returns the SHA-256 of each crate from a registry, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(&format!("{key} = \"")))?;
        line.strip_suffix('"').map(str::to_owned)
    };
    let blocks = lock.split("[[package]]").skip(1);
    blocks
        .filter_map(|block| {
            Some(((value(block, "name")?, value(block, "version")?), value(block, "checksum")?))
        })
        .collect()
}

fn document(metadata: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let packages: BTreeMap<&str, &Value> =
        list(metadata, "packages").map(|each| (text(each, "id"), each)).collect();
    let edges = edges(metadata);
    let used = reached(&packages, &edges);
    let reference = |id: &str| packages.get(id).map(|package| purl(package));
    let components: Vec<Value> = used.iter().map(|id| component(packages[id], checksums)).collect();
    let dependencies: Vec<Value> = used
        .iter()
        .map(|id| {
            let on: BTreeSet<_> = edges[id].iter().filter_map(|to| reference(to)).collect();
            json!({ "ref": purl(packages[id]), "dependsOn": on })
        })
        .collect();
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": "panto-binary", "name": "panto", "version": VERSION,
            "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        } },
        "components": components,
        "dependencies": dependencies,
    })
}

/// Returns what each package depends on in the binary: not for tests, and not for building it.
fn edges(metadata: &Value) -> BTreeMap<&str, Vec<&str>> {
    let is_linked = |dependency: &&Value| list(dependency, "dep_kinds").any(|kind| kind["kind"].is_null());
    let node = |node| {
        let on = list(node, "deps").filter(is_linked).map(|dependency| text(dependency, "pkg")).collect();
        (text(node, "id"), on)
    };
    list(&metadata["resolve"], "nodes").map(node).collect()
}

/// Returns the packages that the roots need, in the order of their names.
fn reached<'a>(
    packages: &BTreeMap<&'a str, &Value>,
    edges: &BTreeMap<&'a str, Vec<&'a str>>,
) -> Vec<&'a str> {
    let is_root = |id: &&str| ROOTS.contains(&text(packages[id], "name"));
    let mut pending: Vec<&str> = packages.keys().copied().filter(is_root).collect();
    let mut found = BTreeSet::new();
    while let Some(id) = pending.pop() {
        if found.insert(id) {
            pending.extend(edges.get(id).into_iter().flatten());
        }
    }
    let mut sorted: Vec<&str> = found.into_iter().collect();
    sorted.sort_by_key(|id| (text(packages[id], "name"), text(packages[id], "version")));
    sorted
}

fn component(package: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let (name, version) = (text(package, "name"), text(package, "version"));
    let mut component = json!({
        "type": "library", "bom-ref": purl(package), "name": name, "version": version, "purl": purl(package),
        "licenses": [{ "expression": text(package, "license").replace('/', " OR ") }],
    });
    if let Some(sum) = checksums.get(&(name.to_owned(), version.to_owned())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    component
}

/// Returns the address of a package in the form of package-url.
fn purl(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(package, "name"), text(package, "version"))
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::target::ALL;
    use crate::scratch::Scratch;

    #[test]
    fn the_bill_has_what_is_linked_and_nothing_else() {
        let scratch = Scratch::new("bill").unwrap();
        let path = scratch.path().join("bill.json");
        write(&path, ALL[0]).unwrap();
        let bill = parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        let names: Vec<&str> = list(&bill, "components").map(|each| text(each, "name")).collect();
        assert!(
            ["clap", "serde_json", "panto-sim", "panto-tracer"].iter().all(|name| names.contains(name)),
            "{names:?}"
        );
        assert!(!["insta", "proptest", "panto-testkit", "xtask"].iter().any(|name| names.contains(name)));
        for each in list(&bill, "components") {
            assert_ne!(each["licenses"][0]["expression"], "", "{each}");
            let is_own = text(each, "name").starts_with("panto");
            assert_eq!(each["hashes"][0]["content"].is_string(), !is_own, "{each}");
        }
        let known: BTreeSet<&str> = list(&bill, "components").map(|each| text(each, "bom-ref")).collect();
        let all = list(&bill, "dependencies").flat_map(|each| list(each, "dependsOn"));
        assert!(all.filter_map(Value::as_str).all(|reference| known.contains(reference)));
    }
}
