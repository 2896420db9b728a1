//! The content security policy of a page: the scripts and style sheets that it consists of, each
//! named by its hash, and nothing else. Whatever else got into a page would neither run nor load.

use std::collections::BTreeSet;
use std::fmt;

use crate::base64::base64;
use crate::sha256::sha256;

/// What a page may run, apply and request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    scripts: BTreeSet<String>,
    styles: BTreeSet<String>,
    asks_its_server: bool,
}

impl Policy {
    /// Allows a script with exactly this content.
    #[must_use]
    pub fn script(mut self, text: &str) -> Self {
        self.scripts.insert(source(text));
        self
    }

    /// Allows a style sheet with exactly this content.
    #[must_use]
    pub fn style(mut self, text: &str) -> Self {
        self.styles.insert(source(text));
        self
    }

    /// Allows requests to the server that sent the page.
    #[must_use]
    pub fn own_server(mut self) -> Self {
        self.asks_its_server = true;
        self
    }

    /// Allows what another policy allows, too.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.scripts.extend(other.scripts.iter().cloned());
        self.styles.extend(other.styles.iter().cloned());
        self.asks_its_server |= other.asks_its_server;
        self
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |sources: &BTreeSet<String>| match sources.len() {
            0 => "'none'".to_owned(),
            _ => sources.iter().map(String::as_str).collect::<Vec<_>>().join(" "),
        };
        let connect = if self.asks_its_server { "'self'" } else { "'none'" };
        write!(
            out,
            "default-src 'none'; script-src {}; style-src {}; connect-src {connect}; img-src data:; base-uri 'none'; form-action 'none'",
            list(&self.scripts),
            list(&self.styles)
        )
    }
}

fn source(text: &str) -> String {
    format!("'sha256-{}'", base64(&sha256(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::Policy;

    #[test]
    fn scripts_and_styles_are_named_by_their_hashes() {
        let policy = Policy::default().script("alert(1)").and(&Policy::default().style("p{}"));
        assert_eq!(
            policy.to_string(),
            "default-src 'none'; script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='; \
             style-src 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='; connect-src 'none'; img-src data:; \
             base-uri 'none'; form-action 'none'"
        );
    }
}
