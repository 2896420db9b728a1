//! Tests of whole reports: their content and their size.

use crate::present::records::{echo, manifest, record};
use crate::well_formed::assert_well_formed;
use panto_fit::{Curve, Fitted, FittedPoint, Parameter, Unit};
use panto_report::html::{Page, Section};
use panto_report::present::{self, ReportedRun};
use panto_results::{Point, Record, param};

fn page(records: &[Record]) -> String {
    let manifests = [manifest()];
    present::report(&[ReportedRun { name: None, manifests: &manifests, records }]).to_html()
}

#[test]
fn points_lead_to_their_raw_samples() {
    let records = echo(2, 8);
    let html = page(&records);
    assert_well_formed(&html);
    let json = html
        .split("<script type=\"application/json\" id=\"raw\">")
        .nth(1)
        .and_then(|rest| rest.split("</script>").next());
    let raw: Vec<(usize, f64, f64, u8, String)> = serde_json::from_str(json.expect("samples")).expect("JSON");
    assert_eq!(raw.len(), records.len());
    let numbers: Vec<usize> =
        html.split("data-raw=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse().ok()).collect();
    assert!(
        numbers.len() >= records.len() && numbers.iter().all(|&number| number < raw.len()),
        "{numbers:?}"
    );
    // The first point of the drawing is that of its tooltip.
    let first = html.split("data-raw=\"").nth(1).expect("a point");
    let (number, rest) = first.split_once('"').expect("quoted");
    let (all, least, most, is_log, steps) = &raw[number.parse::<usize>().expect("a number")];
    let place = |record: &&Record| (record.point.number(param::HOPS), record.point.number(param::BYTES));
    let samples = &records.iter().min_by_key(place).expect("a record").samples_ns;
    let ends =
        [samples.iter().copied().fold(f64::MAX, f64::min), samples.iter().copied().fold(0.0, f64::max)];
    assert!(rest.starts_with("><title>0 hops\n"), "{rest:.60}");
    for (kept, nanos) in [least, most].into_iter().zip(ends) {
        assert!((kept * 1e9 / nanos - 1.0).abs() < 1e-3, "{kept} for {nanos} ns");
    }
    assert_eq!((*all, *is_log, steps.len()), (40, 0, 80), "two characters per sample");
    assert!(steps.contains("AA") && steps.contains("//"), "the smallest and the largest: {steps}");
    for word in ["Raw samples", "Distribution of samples", "Summary", "How it was measured", "Example CPU"] {
        assert!(html.contains(word), "{word}");
    }
}

#[test]
fn an_ordinary_result_is_small() {
    // As many points as the whole suite has, each with a thousand samples.
    let sizes = (0..20).map(|power| 1_u64 << power);
    let point = |size| Point::new(2).with(param::HOPS, 1_u64).with(param::BYTES, size);
    let many = |kernel: usize| {
        sizes.clone().map(move |size| {
            let mut record = record(&format!("comet/kernel{kernel}"), point(size), 1000.0 + size as f64);
            record.samples_ns = record.samples_ns.iter().cycle().take(1000).copied().collect();
            record
        })
    };
    let records: Vec<Record> = (0..20).flat_map(many).collect();
    let html = page(&records);
    assert_eq!(records.len(), 400);
    // A page of a whole suite with its fitted machine and a viewer should stay below 1.5 MB.
    let each = html.len() / records.len();
    assert!(each < 2000, "{each} bytes per point");
    assert!(html.contains("This page embeds a subset of the samples"));
}

#[test]
fn overlaid_runs_refer_to_their_samples() {
    let (old, manifests) = (echo(1, 6), [manifest()]);
    let longer = |record: &Record| Record {
        samples_ns: record.samples_ns.iter().map(|nanos| nanos * 1.5).collect(),
        ..record.clone()
    };
    let new: Vec<Record> =
        old.iter().map(longer).chain([record("comet/other", Point::new(2), 5.0)]).collect();
    let of = |name, records| ReportedRun { name: Some(name), manifests: &manifests, records };
    let runs = [of("old <1>", &old), of("new", &new)];
    let section = present::overlay_section(&runs, &[None]).expect("they have a kernel in common");
    let page = present::report(&runs);
    let alone = page.to_html();
    let html = Page { sections: vec![section], ..page }.to_html();
    assert_well_formed(&html);
    for text in
        ["Overlaid: old &lt;1&gt;, new", "Echo: one-way time against message size, 0 hops", ", 1 hop</text>"]
    {
        assert!(html.contains(text), "{text}");
    }
    assert!(
        !html.contains("comet/other") && html.matches("class=\"name\"").count() == 8,
        "2 charts, 2 scales, 2 runs"
    );
    // The same values refer to the same samples as in the sections of the runs.
    let raw = |html: &str, value: &str| {
        let before = html.split(&format!("{value}</title>")).next().expect("a part");
        before.rsplit("data-raw=\"").next().and_then(|rest| rest.split('"').next()).map(str::to_owned)
    };
    for value in values(&html).into_iter().take(12) {
        assert_eq!(raw(&html, value), raw(&alone, value), "{value}");
    }
    assert_eq!(present::overlay_section(&runs[..1], &[]), None, "one run has nothing to be overlaid with");
}

/// Returns the tooltips of a drawing's points, without their names.
fn values(html: &str) -> Vec<&str> {
    let titles = html.split("><title>").skip(1).filter_map(|rest| rest.split("</title>").next());
    titles.filter_map(|title| title.split_once('\n')).map(|(_, value)| value).collect()
}

#[test]
fn a_report_without_records_says_so() {
    for manifests in [vec![manifest()], vec![]] {
        let html =
            present::report(&[ReportedRun { name: None, manifests: &manifests, records: &[] }]).to_html();
        assert_well_formed(&html);
        assert!(html.contains("no measured points"), "{html}");
    }
    assert_well_formed(&present::report(&[]).to_html());
}

#[test]
fn several_runs_have_their_names() {
    let (records, manifests) = (echo(1, 4), [manifest()]);
    let run = |name| ReportedRun { name: Some(name), manifests: &manifests, records: &records };
    let html = present::report(&[run("old <1>"), run("new")]).to_html();
    assert_well_formed(&html);
    for heading in ["comet/echo: old &lt;1&gt;", "comet/echo: new", "How it was measured: new"] {
        assert!(html.contains(heading), "{heading}");
    }
}

#[test]
fn a_fit_has_its_residuals_and_marks() {
    let point = |bytes, measured, fitted| FittedPoint { bytes, measured, fitted };
    let fitted = Fitted {
        quality: None,
        model: "name = \"<x>\"".into(),
        rules: None,
        parameters: vec![Parameter {
            key: "network.link.latency".into(),
            value: 2e-6,
            unit: Unit::Seconds,
            interval: None,
            method: "by hand".into(),
        }],
        curves: vec![Curve {
            label: "one way".into(),
            points: vec![point(8, 2e-6, 2e-6), point(4096, 4e-6, 5e-6), point(8192, 9e-6, 9e-6)],
            breaks: vec![4096],
        }],
        notes: vec!["something is assumed".into()],
    };
    let html =
        Page::new("t", "").section(present::fit_section(&fitted)).section(Section::new("b", "B")).to_html();
    assert_well_formed(&html);
    for word in ["Residuals", ">4KiB</text>", "Something is assumed.", "name = &quot;&lt;x&gt;&quot;"] {
        assert!(html.contains(word), "{word}");
    }
}

#[test]
fn a_machine_is_described() {
    let model = panto_machine::Model::load("ipsc860", &[]).expect("built in");
    let html = Page::new("t", "").section(present::machine_section(&model)).to_html();
    assert_well_formed(&html);
    for word in [
        "Machine ipsc860",
        "Time of a message without contention",
        "All parameters, with their sources",
        "longest route",
    ] {
        assert!(html.contains(word), "{word}");
    }
}
