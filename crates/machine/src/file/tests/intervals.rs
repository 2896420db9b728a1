//! Confidence intervals of figures.

use super::*;

const BASE: &str = r#"
[network]
topology = "ring"
processors = 4
switching = "packet"
link = { latency = "2us", bandwidth = "10GB/s" }
[processor]
speed = 2
[intervals]
"network.link.latency" = "1.9us..2.2us"
network.link.bandwidth = "9GB/s..11GB/s"
"processor.speed" = "1.8..2.1"
"#;

fn intervals(text: &str, overrides: &[&str]) -> Vec<(String, f64, f64, f64)> {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    let model = Model::parse(text, "my.toml", &overrides).unwrap();
    model.intervals().iter().map(|one| (one.key.clone(), one.low, one.value, one.high)).collect()
}

#[test]
fn figures_have_intervals() {
    let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
    let all = intervals(BASE, &[]);
    let wanted = [
        ("network.link.bandwidth", 9e9, 10e9, 11e9),
        ("network.link.latency", 1.9e-6, 2e-6, 2.2e-6),
        ("processor.speed", 1.8, 2.0, 2.1),
    ];
    assert_eq!(all.len(), wanted.len());
    for ((key, low, value, high), wanted) in all.iter().zip(wanted) {
        assert_eq!(key, wanted.0);
        assert!(close(*low, wanted.1) && close(*value, wanted.2) && close(*high, wanted.3), "{key}");
    }
}

#[test]
fn overrides_have_no_interval() {
    let keys = |overrides: &[&str]| -> Vec<String> {
        intervals(BASE, overrides).into_iter().map(|(key, ..)| key).collect()
    };
    assert_eq!(keys(&["link.latency=5us"]), ["network.link.bandwidth", "processor.speed"]);
    assert_eq!(keys(&["link.per-byte=1ns"]), ["network.link.latency", "processor.speed"]);
}

#[test]
fn a_drawn_figure_can_be_set() {
    let model = Model::parse(BASE, "my.toml", &[]).unwrap();
    let sets: Vec<String> = model.intervals().iter().map(|one| one.set(one.high)).collect();
    let machine = Model::parse(BASE, "my.toml", &sets).unwrap().into_machine();
    let piece = *machine.network.link.piece(0);
    assert_eq!((piece.startup.as_picos(), machine.processor.speed), (2_200_000, crate::Speed::Factor(2.1)));
    assert!((piece.per_byte.as_secs() * 11e9 - 1.0).abs() < 1e-4);
}

#[test]
fn intervals_may_refer_to_figures_of_a_base() {
    let text = "base = \"infiniband\"\n[intervals]\n\"network.link.bandwidth\" = \"1GB/s..900GB/s\"\n";
    assert_eq!(intervals(text, &[]).len(), 1);
    let text = "base = \"infiniband\"\nnetwork.link.bandwidth = \"2GB/s\"\n";
    assert_eq!(intervals(text, &[]).len(), 0);
}

#[test]
fn invalid_intervals_are_errors() {
    let line = "\"network.link.latency\" = \"1.9us..2.2us\"";
    for (instead, says) in [
        ("\"network.link.latncy\" = \"1us..2us\"", "has no figure `network.link.latncy`"),
        ("\"network.link.latency\" = \"3us..1us\"", "3us..1us ends below its beginning"),
        ("\"network.link.latency\" = \"3us..4us\"", "the figure is \"2us\", outside of 3us..4us"),
        ("\"network.link.latency\" = \"0us..4us\"", "the lower end must be above 0"),
        ("\"network.link.latency\" = \"2us\"", "is not an interval such as \"1.9us..2.2us\""),
        ("\"network.link.latency\" = \"1GB/s..2GB/s\"", "is not an interval such as"),
        ("\"network.processors\" = \"1..8\"", "times, rates and processor.speed have intervals"),
        ("\"network.link.latency\" = 2", "expected a string"),
    ] {
        let error = Model::parse(&BASE.replace(line, instead), "my.toml", &[]).unwrap_err().to_string();
        assert!(error.starts_with("my.toml:10: ") && error.contains(says), "{error}");
    }
    let error = Model::parse(BASE, "my.toml", &["intervals.x=1..2".into()]).unwrap_err().to_string();
    assert!(error.contains("a value that is set here is exact"), "{error}");
}
