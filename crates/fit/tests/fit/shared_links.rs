//! Hosts on a switch whose messages share links: the occupancy of a message is recovered.

use panto_fit::{FitOptions, fit};
use panto_machine::{Machine, Model, Sharing};
use panto_units::Time;

use crate::support::{CALIBRATION, manifest, measure, quick};

/// A message alone takes longer than it occupies the link, as with a store-and-forward switch.
const ETHERNET: &str = r#"
name = "ethernet"
traffic = true
[network]
topology = "star"
processors = 4
switching = "flow"
frame = "1500B"
occupancy = { latency = "9us", per-byte = "85ns" }
link = { latency = "60us", per-byte = "180ns" }
[network.overhead]
send = "3us"
receive = { latency = "2us", per-byte = "0.5ns" }
[send]
standard = "eager"
limit = "65535B"
"#;

#[test]
fn occupancy_is_recovered() {
    let real = Model::parse(ETHERNET, "ethernet.toml", &[]).unwrap();
    let records = measure(real.machine(), &CALIBRATION, 2, quick);
    let manifest = manifest(real.machine(), 2);
    let request = FitOptions { name: Some("mine".into()), like: Some(real.clone()) };
    let fitted = fit(&records, &[manifest], &request).unwrap();
    let machine = Machine::parse(&fitted.model, "mine.toml").unwrap();
    assert_eq!(machine.sharing, Sharing::Links);
    let shared = |machine: &Machine, bytes| machine.network.occupancy.as_ref().unwrap().of(bytes).as_secs();
    for bytes in [0, 100, 1_024, 20_000, 65_535, 1 << 20] {
        let (found, wanted) = (shared(&machine, bytes), shared(real.machine(), bytes));
        assert!((found / wanted - 1.0).abs() < 0.02, "{bytes} B: {found} instead of {wanted}");
    }
    // Machines without flows, or with synchronous sends, have no occupancy, and are fitted still.
    for change in [&["switching=packet", "traffic=true"][..], &["send.standard=synchronous"]] {
        let changes: Vec<String> = change.iter().map(ToString::to_string).collect();
        let other = Model::parse(ETHERNET, "ethernet.toml", &changes).unwrap();
        let records = measure(other.machine(), &CALIBRATION, 2, quick);
        let request = FitOptions { name: Some("mine".into()), like: Some(other.clone()) };
        let manifest = crate::support::manifest(other.machine(), 2);
        let fitted = fit(&records, &[manifest], &request).unwrap();
        assert_eq!(Machine::parse(&fitted.model, "mine.toml").unwrap().network.occupancy, None);
    }
    // The time of bytes above the eager limit belongs to the link, not to the receiver.
    assert!(machine.network.overheads.receive.of(1 << 20) < Time::from_nanos(600_000));
}
