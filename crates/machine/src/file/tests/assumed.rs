//! The list of assumed figures.

use crate::Model;

const TEXT: &str = "assumed = [\"network.hop\", \"processor\", \"send.limit\"]
[network]
topology = \"star\"
processors = 4
switching = \"flow\"
hop = \"1us\"
link = \"1GB/s\"
[send]
standard = \"eager\"
limit = \"1KiB\"
[processor]
copy = \"2GB/s\"
poll = \"1us\"
";

fn assumed(model: &Model) -> Vec<String> {
    model.figures().into_iter().filter(|figure| figure.assumed).map(|figure| figure.key).collect()
}

#[test]
fn figures_and_tables_are_covered() {
    let model = Model::parse(TEXT, "m.toml", &[]).unwrap();
    assert_eq!(assumed(&model), ["network.hop", "send.limit", "processor.copy", "processor.poll"]);
    // What costs time is free then; a limit has no cost, and polls must take time.
    let free: Vec<String> = model.free_of_assumed().into_iter().map(|(_, set)| set).collect();
    assert_eq!(free, ["network.hop=0us", "processor.copy=1000000000000GB/s"]);
    assert!(Model::parse(TEXT, "m.toml", &free).is_ok());
}

#[test]
fn a_figure_that_is_replaced_is_not_assumed() {
    let model = Model::parse(TEXT, "m.toml", &["hop=2us".into()]).unwrap();
    assert_eq!(assumed(&model), ["send.limit", "processor.copy", "processor.poll"]);
    let based = Model::parse("base = \"hdr\"\n[processor]\ncopy = \"20GB/s\"\n", "m.toml", &[]).unwrap();
    let keys = assumed(&based);
    assert!(
        !keys.contains(&"processor.copy".into()) && keys.contains(&"processor.reduce".into()),
        "{keys:?}"
    );
}

#[test]
fn all_illustrative_machines_can_be_made_free() {
    for name in crate::builtin::all().iter().map(|machine| machine.name) {
        let free: Vec<String> =
            Model::load(name, &[]).unwrap().free_of_assumed().into_iter().map(|(_, set)| set).collect();
        Model::load(name, &free).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn costs_of_a_kind_can_be_removed() {
    use crate::CostKind::{Bandwidth, Latency};
    let model = Model::parse(TEXT, "m.toml", &[]).unwrap();
    assert_eq!(model.free_of(Latency), ["network.hop=0us"]);
    assert_eq!(model.free_of(Bandwidth), ["network.link=1000000000000GB/s"]);
    for name in crate::builtin::all().iter().map(|machine| machine.name) {
        let model = Model::load(name, &[]).unwrap();
        let machine = |sets: &[String]| Model::load(name, sets).unwrap().into_machine();
        let (slow, fast) =
            (machine(&[]), machine(&[model.free_of(Latency), model.free_of(Bandwidth)].concat()));
        let one_way = |machine: &crate::Machine| {
            crate::one_way(&machine.network, machine.protocol, 1 << 20, 2).as_secs()
        };
        assert!(one_way(&fast) < 1e-3 * one_way(&slow), "{name}: {} of {}", one_way(&fast), one_way(&slow));
    }
}

#[test]
fn errors_name_the_entry() {
    for (text, says) in [
        ("assumed = 3", "`assumed` is 3, expected a list of keys"),
        ("assumed = [3]", "expected the key of a figure in quotes"),
        (
            "assumed = [\"network.hopp\"]",
            "the file has no figure `network.hopp`, did you mean `network.hop`?",
        ),
        ("year = 12", "`year` is 12, expected a year such as 2024"),
        ("groups = \"modern\"", "expected a list of lower-case words"),
    ] {
        let whole = TEXT.replacen("assumed = [\"network.hop\", \"processor\", \"send.limit\"]", text, 1);
        let error = Model::parse(&whole, "m.toml", &[]).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("m.toml:1"), "{error}");
    }
}
