//! `panto calibrate` between hosts: the model has the rate of the link between them.

use panto_machine::{Machine, Sharing, Switching};

use super::{Network, RATE, complete};
use crate::alone;
use crate::mpis::{self, Mpi};

/// The largest message, in bytes: large enough to show the rate of the link, small enough for a
/// slow one.
const LARGEST: u64 = 256 << 10;

fn calibrated_across_hosts(mpi: &Mpi) {
    let Some(network) = Network::new(2).filter(|_| mpi.is_installed()) else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("cables.toml");
    let line = format!("calibrate --quick -t 4s --force --largest {LARGEST} -o");
    let ended = network.job(mpi, 1).words(&line).arg(&path).run();
    let text = complete(&ended).to_owned();
    assert!(text.contains("Calibrated mpi"), "{}: {text}", mpi.name);
    let model = std::fs::read_to_string(&path).expect("written");
    let machine = Machine::load(path.to_str().expect("text"), &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(machine.network.topology.name(), "star", "{model}");
    assert!(
        matches!(machine.network.switching, Switching::Flow { .. }) && machine.sharing == Sharing::Links,
        "{model}"
    );
    assert!(model.contains("frame = \"1500B\""), "{model}");
    let shared = machine.network.occupancy.as_ref().unwrap_or_else(|| panic!("no occupancy in {model}"));
    // A message occupies the link for as long as its transfer takes: the rate limit admits no byte
    // earlier.
    let rates = [
        ("occupancy", per_second(|bytes| shared.of(bytes).as_secs())),
        ("one way", per_second(|bytes| one_way(&machine, bytes))),
    ];
    for (what, rate) in rates {
        let off = rate / RATE as f64;
        assert!((0.5..2.0).contains(&off), "{}: {what} has {off} of the cable's rate\n{model}", mpi.name);
    }
    let shown = alone(&format!("machines show {}", path.display()));
    assert_eq!(shown.status.code(), Some(0), "{}", String::from_utf8_lossy(&shown.stderr));
    let echo = alone(&format!("bench echo --on {} --ranks 2 --sizes 0,64K", path.display()));
    assert_eq!(echo.status.code(), Some(0), "{}", String::from_utf8_lossy(&echo.stderr));
}

fn one_way(machine: &Machine, bytes: u64) -> f64 {
    panto_machine::one_way(&machine.network, machine.protocol, bytes, 2).as_secs()
}

/// Returns the bytes per second of a long message, without the latency.
fn per_second(seconds: impl Fn(u64) -> f64) -> f64 {
    let (short, long) = (LARGEST / 4, LARGEST);
    (long - short) as f64 / (seconds(long) - seconds(short)).max(1e-12)
}

#[test]
fn mpich_is_calibrated_across_hosts() {
    calibrated_across_hosts(&mpis::MPICH);
}

#[test]
fn open_mpi_is_calibrated_across_hosts() {
    calibrated_across_hosts(&mpis::OPEN_MPI);
}
