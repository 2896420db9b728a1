//! Made-up measurements of ranks with known placement.

use panto_results::{Distance, Manifest, MpiInfo, Point, RankPlacement, Record, Separation, param};

use super::records::{echo, manifest};

/// Returns echoes at every distance.
pub fn echo_by_distance(last: u32) -> Vec<Record> {
    let distance = |record: Record| {
        let bytes = record.point.number(param::BYTES).expect("an echo has a size");
        let hops = record.point.number(param::HOPS).expect("and hops") as usize;
        let separation = Separation::Placed(Distance::from_hops(hops).expect("three at most"));
        let point = Point::new(4).apart(separation).with(param::BYTES, bytes);
        Record { point, clock_error_ns: Some(1_200.0 + bytes as f64), ..record }
    };
    echo(3, last).into_iter().map(distance).collect()
}

/// Returns the manifest of those measurements.
pub fn on_two_hosts() -> Manifest {
    let placed = |rank: usize| RankPlacement {
        rank,
        host: ["red", "blue"][rank / 2].into(),
        node: rank / 2,
        cores: ["0", "1", "0-3", "0-3"][rank].into(),
        numa: Some(0),
        cache: Some(0),
        pid: 4_000 + rank as u32,
    };
    let mpi = MpiInfo {
        version: "MPICH Version: 4.0.2".into(),
        standard: "4.0".into(),
        abi: "MPICH".into(),
        path: "/usr/lib/libmpich.so.12".into(),
        found: "beside the launcher".into(),
    };
    Manifest {
        transport: "mpi".into(),
        transport_settings: "each rank is a process".into(),
        clock: "monotonic clocks of 2 hosts, synchronised".into(),
        placement: (0..4).map(placed).collect(),
        mpi: Some(mpi),
        ..manifest()
    }
}
