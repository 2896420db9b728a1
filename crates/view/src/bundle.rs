//! Bundles the modules of `web/` into one script, so that a page can embed them.
//!
//! Each module becomes a function that returns its exports; modules are listed after those they
//! import. The translation works line by line, so modules keep to a form that the tests check: an
//! import is one line with names in braces, and an export is an `export` before a function, a class
//! or a constant.

macro_rules! modules {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../web/", $name, ".js")))),*]
    };
}

/// Modules with their sources, each after those it imports.
const MODULES: &[(&str, &str)] = modules![
    "units",
    "palette",
    "tiles",
    "bins",
    "source",
    "rows",
    "view",
    "shading",
    "raster",
    "canvas",
    "shaders",
    "gl",
    "scene",
    "slices",
    "gather",
    "totals",
    "open",
    "chart",
    "area",
    "neighbours",
    "hover",
    "touch",
    "mouse",
    "names",
    "plot",
    "diagram",
    "occurrences",
    "search",
    "curves",
    "summary",
    "matrix",
    "portrait",
    "shape",
    "topology",
    "statistics",
    "waits",
    "details",
    "pane",
    "scope",
    "bars",
    "profile",
    "durations",
    "concurrency",
    "kiviat",
    "meter",
    "backlog",
    "resize",
    "panels",
    "keys",
    "history",
    "address",
    "look",
    "legend",
    "toolbar",
    "main",
];

/// Style sheet of the viewer, all of it below `.panto-view`.
pub const STYLE: &str = include_str!("../web/view.css");

/// Returns all modules as one script, which renders into the section before it.
pub fn script() -> String {
    let mut script = String::from("\"use strict\";(()=>{\n");
    for (name, text) in MODULES {
        script += &module(name, text);
    }
    script + "main_.start(document.currentScript);\n})();\n"
}

/// Translates a module to a function that is called immediately.
fn module(name: &str, text: &str) -> String {
    let (mut body, mut exports) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some((names, from)) = import(line) {
            body += &["const {", names, "}=", from, "_;\n"].concat();
            continue;
        }
        let inner = line.strip_prefix("export ");
        exports.extend(inner.and_then(exported));
        let kept = inner.unwrap_or(line);
        // Drop comment lines: they are for readers of the sources.
        if !kept.trim_start().starts_with("//") && !kept.trim().is_empty() {
            body += kept;
            body.push('\n');
        }
    }
    format!("const {name}_=(()=>{{\n{body}return{{{}}};\n}})();\n", exports.join(","))
}

/// Parses `import { a, b } from "./module.js";` into names and module.
fn import(line: &str) -> Option<(&str, &str)> {
    let (names, from) = line.strip_prefix("import {")?.split_once("} from \"./")?;
    Some((names.trim(), from.strip_suffix(".js\";")?))
}

/// Returns the name of an exported item.
fn exported(line: &str) -> Option<&str> {
    let rest = ["async function ", "function ", "class ", "const "]
        .into_iter()
        .find_map(|word| line.strip_prefix(word))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_becomes_a_function() {
        let text = "// What it is.\nimport { a, b } from \"./other.js\";\nexport const c = a + b;\nfunction d() {}\n";
        assert_eq!(
            module("mine", text),
            "const mine_=(()=>{\nconst {a, b}=other_;\nconst c = a + b;\nfunction d() {}\nreturn{c};\n})();\n"
        );
    }

    #[test]
    fn modules_stand_after_those_that_they_import() {
        for (place, (name, text)) in MODULES.iter().enumerate() {
            for line in text.lines().filter(|line| line.starts_with("import")) {
                let (_, from) = import(line).unwrap_or_else(|| panic!("{name}: {line}"));
                assert!(
                    MODULES[..place].iter().any(|(before, _)| *before == from),
                    "{name} imports {from} too early"
                );
            }
            for line in text.lines().filter(|line| line.starts_with("export")) {
                assert!(exported(&line["export ".len()..]).is_some(), "{name}: {line}");
            }
        }
    }

    #[test]
    fn nothing_in_the_script_ends_it() {
        assert!(!script().contains("</script"));
        assert!(!STYLE.contains("</style"));
    }

    #[test]
    fn styles_are_of_the_section_alone() {
        let selectors = STYLE.split('}').filter_map(|rule| rule.rsplit_once('{')).map(|(before, _)| before);
        for selector in selectors.flat_map(|list| list.rsplit('{').next().unwrap_or("").split(',')) {
            let selector = selector.rsplit("*/").next().unwrap_or("").trim();
            assert!(selector.starts_with(".panto-view"), "`{selector}`");
        }
    }
}
