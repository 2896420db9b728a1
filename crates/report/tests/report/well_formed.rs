//! A checker for well-formed XML, as far as this crate writes it: no comments, no processing
//! instructions. The content of scripts is not XML; it must not end its element.

/// Fails with the reason if the text is not well-formed.
#[track_caller]
pub fn assert_well_formed(text: &str) {
    if let Err(reason) = check(text) {
        panic!("{reason}\n{text}");
    }
}

pub fn check(text: &str) -> Result<(), String> {
    let mut open = Vec::new();
    let mut rest = text.strip_prefix("<!DOCTYPE html>").unwrap_or(text);
    while let Some(start) = rest.find('<') {
        check_references(&rest[..start])?;
        let end = tag_end(&rest[start..])?;
        step(&rest[start + 1..start + end], &mut open)?;
        rest = &rest[start + end + 1..];
        if open.last() == Some(&"script") {
            rest = &rest[rest.find("</script>").ok_or("a script without an end")?..];
        }
    }
    check_references(rest)?;
    if open.is_empty() { Ok(()) } else { Err(format!("not closed: {open:?}")) }
}

/// Returns the end of the tag at the beginning of `text`: the first `>` outside quotes.
fn tag_end(text: &str) -> Result<usize, String> {
    let mut quoted = false;
    let end = text.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == '>' && !quoted
    });
    end.map(|(index, _)| index).ok_or_else(|| format!("no end of tag: {text:.40}"))
}

fn step<'a>(tag: &'a str, open: &mut Vec<&'a str>) -> Result<(), String> {
    if let Some(name) = tag.strip_prefix('/') {
        return if open.pop() == Some(name) { Ok(()) } else { Err(format!("</{name}> closes nothing")) };
    }
    let inner = tag.strip_suffix('/').unwrap_or(tag);
    let (name, attributes) = inner.split_once(' ').unwrap_or((inner, ""));
    check_attributes(attributes)?;
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(format!("bad name: <{tag}>"));
    }
    if inner == tag {
        open.push(name);
    }
    Ok(())
}

fn check_attributes(mut rest: &str) -> Result<(), String> {
    let mut seen = Vec::new();
    while !rest.trim().is_empty() {
        let (name, value) = rest.split_once("=\"").ok_or_else(|| format!("no value: {rest}"))?;
        let (value, after) = value.split_once('"').ok_or_else(|| format!("not quoted: {rest}"))?;
        if value.contains('<') || seen.contains(&name.trim()) {
            return Err(format!("bad attribute: {rest}"));
        }
        check_references(value)?;
        seen.push(name.trim());
        rest = after;
    }
    Ok(())
}

fn check_references(text: &str) -> Result<(), String> {
    const KNOWN: [&str; 5] = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    let bad = text.split('&').skip(1).find(|after| !KNOWN.iter().any(|known| after.starts_with(known)));
    if let Some(after) = bad {
        return Err(format!("bad reference: &{after:.20}"));
    }
    match text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r' | '\u{7f}'..='\u{9f}')) {
        Some(c) => Err(format!("control character {c:?}")),
        None => Ok(()),
    }
}

#[test]
fn the_checker_finds_mistakes() {
    for good in ["<a b=\"c>d\"><e/>&amp;</a>", "", "<a></a><b></b>"] {
        assert_eq!(check(good), Ok(()));
    }
    for bad in
        ["<a>", "</a>", "<a></b>", "<a b=c/>", "<a b=\"<\"/>", "&", "<a", "<a b=\"\" b=\"\"/>", "\u{1}"]
    {
        assert!(check(bad).is_err(), "{bad}");
    }
}
