//! What a registry of crates asks for: every crate says what it is, and under which licence.

use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::shell;

/// The fields that every crate has.
const FIELDS: [&str; 4] = ["description", "license", "rust_version", "edition"];

/// Fails if a crate of the workspace lacks one of the fields.
pub fn check() -> Result<()> {
    let text = shell::capture(&mut shell::cargo("metadata --no-deps --locked --format-version 1"))?;
    let metadata: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::failed(format!("`cargo metadata` printed no JSON: {error}")))?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let lacking: Vec<String> = packages.iter().flat_map(lacking).collect();
    if lacking.is_empty() && !packages.is_empty() {
        return Ok(());
    }
    Err(Failure::failed(format!("crates without what a registry asks for: {}", lacking.join(", "))))
}

fn lacking(package: &Value) -> Vec<String> {
    let is_absent = |field: &&str| package[*field].as_str().is_none_or(|text| text.trim().is_empty());
    let name = package["name"].as_str().unwrap_or_default();
    FIELDS.iter().filter(|field| is_absent(field)).map(|field| format!("{name} ({field})")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_says_what_it_is() {
        check().unwrap();
    }

    #[test]
    fn a_field_that_is_absent_is_named() {
        let package =
            serde_json::json!({ "name": "a", "description": " ", "license": "MIT", "edition": "2024" });
        assert_eq!(lacking(&package), ["a (description)", "a (rust_version)"]);
    }
}
