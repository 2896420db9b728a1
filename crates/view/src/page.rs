//! The HTML page: markup, styles, script, and the data if it stands alone.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::json;

use crate::Options;
use crate::bundle::{STYLE, script};
use crate::data::{View, pack};
use crate::error::Result;

/// Where the page gets its data, which decides the permissions it needs.
enum Data {
    /// From the server that sent the page.
    Served { list: String },
    /// Embedded in the page.
    Inside { list: String, packed: String },
}

/// Returns a page with everything embedded.
pub fn standalone(views: &[View], options: &Options) -> Result<String> {
    let data = inside(views, options)?;
    Ok(document(&title(views, options), &data))
}

/// Returns a section with everything embedded, for another page.
pub fn section(views: &[View], options: &Options) -> Result<String> {
    let data = inside(views, options)?;
    Ok(markup(&title(views, options), &data, None))
}

/// Returns a page that requests everything from its server.
pub fn served(names: &[String]) -> String {
    let list = json!({"served": names}).to_string();
    document(&names.join(" and "), &Data::Served { list })
}

fn title(views: &[View], options: &Options) -> String {
    if !options.title.is_empty() {
        return options.title.clone();
    }
    views.iter().map(View::name).collect::<Vec<_>>().join(" and ")
}

fn inside(views: &[View], options: &Options) -> Result<Data> {
    let packed = pack(views, options.budget)?;
    Ok(Data::Inside { list: packed.list, packed: base64(&deflate(&packed.bytes)) })
}

fn document(title: &str, data: &Data) -> String {
    let body = script();
    // Only this script may run, whatever else gets into the page.
    let nonce = nonce(&[&body, title]);
    let connect = if matches!(data, Data::Served { .. }) { "'self'" } else { "'none'" };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-{nonce}'; \
         style-src 'unsafe-inline'; connect-src {connect}; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{} - Panto</title>\n<style>html,body{{margin:0;height:100%}}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        escape(title),
        markup(title, data, Some(&nonce)),
    )
}

fn markup(title: &str, data: &Data, nonce: Option<&str>) -> String {
    let (list, packed) = match data {
        Data::Served { list } => (list, ""),
        Data::Inside { list, packed } => (list, packed.as_str()),
    };
    let whole = if nonce.is_some() { " panto-page" } else { "" };
    let nonce = nonce.map(|nonce| format!(" nonce=\"{nonce}\"")).unwrap_or_default();
    format!(
        "<section class=\"panto-view{whole}\" aria-label=\"Timeline {title}\">\n<style>{STYLE}</style>\n\
         <script type=\"application/json\" class=\"panto-list\">{}</script>\n\
         <script type=\"application/octet-stream\" class=\"panto-pieces\">{packed}</script>\n\
         <noscript>This timeline needs JavaScript, which is disabled.</noscript>\n\
         <script{nonce}>{}</script>\n</section>\n",
        escape_json(list),
        script(),
        title = escape(title),
    )
}

/// Escapes text for HTML.
fn escape(text: &str) -> String {
    let replace = |text: String, (from, to): (char, &str)| text.replace(from, to);
    [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;")].into_iter().fold(text.to_owned(), replace)
}

/// Escapes JSON so that it cannot contain markup. These characters occur only in its strings.
fn escape_json(json: &str) -> String {
    let replace = |text: String, (from, to): (char, &str)| text.replace(from, to);
    let signs = [('<', "\\u003c"), ('>', "\\u003e"), ('&', "\\u0026")];
    signs.into_iter().fold(json.to_owned(), replace)
}

/// Returns a nonce that is the same for the same page, so that pages can be compared.
fn nonce(parts: &[&str]) -> String {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("memory takes what is written to it")
}

/// Encodes as `atob` decodes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * place)) as usize & 63];
            text.push(if place > chunk.len() { '=' } else { digit.into() });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_text() {
        assert_eq!(
            [&b""[..], b"f", b"fo", b"foo", b"foob"].map(base64),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
    }

    #[test]
    fn markup_in_names_stays_text() {
        let page = served(&["</script><script>alert(1)</script>\"".to_owned()]);
        assert!(!page.contains("<script>alert"));
        assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
        assert!(page.contains("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
    }
}
