//! The HTML page: markup, styles, script, and the data if it stands alone.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::json;

use crate::base64::base64;
use crate::bundle::{STYLE, script};
use crate::data::{View, pack};
use crate::error::Result;
use crate::policy::Policy;
use crate::{Fragment, Options};

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
pub fn section(views: &[View], options: &Options) -> Result<Fragment> {
    let data = inside(views, options)?;
    Ok(Fragment { markup: markup(&title(views, options), &data, ""), policy: policy() })
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

/// The style sheet of a page that is nothing but the viewer.
const PAGE_STYLE: &str = "html,body{margin:0;height:100%}";

/// Returns what the viewer runs and applies.
fn policy() -> Policy {
    Policy::default().script(&script()).style(STYLE)
}

fn document(title: &str, data: &Data) -> String {
    let policy = policy().style(PAGE_STYLE);
    let policy = if matches!(data, Data::Served { .. }) { policy.own_server() } else { policy };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{} - Panto</title>\n<style>{PAGE_STYLE}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        escape(title),
        markup(title, data, " panto-page"),
    )
}

/// Returns the section of the viewer, with a further class.
fn markup(title: &str, data: &Data, class: &str) -> String {
    let (list, packed) = match data {
        Data::Served { list } => (list, ""),
        Data::Inside { list, packed } => (list, packed.as_str()),
    };
    format!(
        "<section class=\"panto-view{class}\" aria-label=\"Timeline {title}\">\n<style>{STYLE}</style>\n\
         <script type=\"application/json\" class=\"panto-list\">{}</script>\n\
         <script type=\"application/octet-stream\" class=\"panto-pieces\">{packed}</script>\n\
         <noscript>This timeline needs JavaScript, which is disabled.</noscript>\n\
         <script>{}</script>\n</section>\n",
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

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("memory takes what is written to it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_stays_text() {
        let page = served(&["</script><script>alert(1)</script>\"".to_owned()]);
        assert!(!page.contains("<script>alert"));
        assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
        assert!(page.contains("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
    }

    /// Returns the contents of the elements of a name that have no attributes.
    fn contents<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
        let (start, end) = (format!("<{name}>"), format!("</{name}>"));
        page.split(&start).skip(1).map(|rest| rest.split(&end).next().unwrap_or_default()).collect()
    }

    #[test]
    fn a_page_runs_its_own_script_and_nothing_else() {
        let page = served(&["a.ptl".to_owned()]);
        let (scripts, styles) = (contents(&page, "script"), contents(&page, "style"));
        assert_eq!((scripts.len(), styles.len()), (1, 2));
        let policy =
            styles.iter().fold(Policy::default().script(scripts[0]), |policy, text| policy.style(text));
        assert!(page.contains(&format!("content=\"{}\"", policy.own_server())));
        assert!(!page.contains("unsafe") && !page.contains(" style=\"") && !page.contains(" onclick="));
    }
}
