//! Times of messages in the output of the OSU and Intel MPI benchmarks, as results from which a
//! machine model can be fitted.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use panto_results::{
    Error, Manifest, Metric, Point, Record, Result, Results, RunSettings, Samples, StopReason, SyncMethod,
    kernel, param,
};

use crate::key::Key;
use crate::read;
use crate::run::Launches;

/// The benchmarks that print the one-way time of a message.
const ONE_WAY: [&str; 2] = [kernel::osu::LATENCY, kernel::imb::PINGPONG];

/// Bytes at the beginning of a file in which a table begins, after what a job prints.
const START: u64 = 64 << 10;

/// Returns whether a file has a table of these benchmarks.
pub fn recognises(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = |start: &mut Vec<u8>| File::open(path)?.take(START).read_to_end(start);
    read(&mut start).is_ok() && String::from_utf8_lossy(&start).lines().any(read::is_title)
}

/// Reads the one-way times of a file, as records of `comet/echo` between two neighbours. Each table
/// is a launch, and each row a point with one sample: these benchmarks print a mean.
pub fn read(path: &Path) -> Result<Results> {
    let run = read::file(path, false)?;
    let points: Vec<(u64, &Launches)> = run.points.iter().filter_map(one_way).collect();
    if points.is_empty() {
        let found: Vec<&str> = run.kernels().into_iter().collect();
        return Err(Error::BadFile {
            path: path.into(),
            line: 1,
            reason: format!(
                "no one-way times of messages, which osu_latency and IMB-MPI1 PingPong print; found {}",
                found.join(", ")
            ),
        });
    }
    let benchmark = run.facts.values("benchmark").join(", ");
    let launches = points.iter().map(|(_, launches)| launches.len()).max().unwrap_or(0);
    let mut results = Results::default();
    for launch in 0..launches {
        results.starts.push(results.records.len());
        results.manifests.push(manifest(&benchmark, path));
        let there = points.iter().filter_map(|(bytes, launches)| Some((*bytes, launches.get(launch)?)));
        results.records.extend(there.map(|(bytes, samples)| record(bytes, samples)));
    }
    Ok(results)
}

fn one_way<'a>((key, launches): (&'a Key, &'a Launches)) -> Option<(u64, &'a Launches)> {
    let is_one_way = ONE_WAY.contains(&key.kernel.as_str()) && key.ranks.is_none_or(|ranks| ranks == 2);
    is_one_way.then(|| Some((key.number(param::BYTES)?, launches)))?
}

/// Describes a run that another program made, on a host that it does not name.
fn manifest(benchmark: &str, path: &Path) -> Manifest {
    let benchmark = if benchmark.is_empty() { "a benchmark" } else { benchmark };
    let settings = RunSettings { ranks: vec![2], ..RunSettings::default() };
    let unknown = || "unknown".to_owned();
    Manifest {
        host: format!("the host of {}", path.file_name().unwrap_or_default().to_string_lossy()),
        cpu: unknown(),
        system: unknown(),
        clock: unknown(),
        ..Manifest::new(benchmark, "output of another program".into(), 1, settings)
    }
}

fn record(bytes: u64, samples: &[f64]) -> Record {
    let point = Point::new(2).with(param::BYTES, bytes).with(param::HOPS, 1);
    let samples = Samples {
        nanos: samples.to_vec(),
        disturbed: Vec::new(),
        all_disturbed: false,
        first_to_last: Vec::new(),
        batch: 1,
        late: 0,
        stop: StopReason::Count,
        start: SyncMethod::Barrier,
        metric: Metric::one_way(0),
        empty_nanos: 0.0,
        clock_error: None,
    };
    Record::new(kernel::comet::ECHO, &point, samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OSU: &str = "\
# OSU MPI Latency Test v7.4
# Size          Latency (us)
0                       1.59
1024                    2.61
65536                  18.11
# OSU MPI Latency Test v7.4
# Size          Latency (us)
0                       1.61
1024                    2.63
65536                  18.15
";

    fn read_text(text: &str) -> Result<Results> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        read(file.path())
    }

    #[test]
    fn tables_are_launches_of_echoes() {
        let results = read_text(OSU).unwrap();
        let launches: Vec<usize> = results.launches().map(|(_, records)| records.len()).collect();
        assert_eq!(launches, [3, 3]);
        let first = &results.records[1];
        assert_eq!((first.kernel.as_str(), first.point.number(param::BYTES)), ("comet/echo", Some(1024)));
        assert_eq!(first.samples_ns, [2610.0]);
        assert_eq!(results.manifests[0].transport, "OSU 7.4");
    }

    #[test]
    fn pingpong_of_intel_is_read() {
        let imb = "# Benchmarking PingPong \n# #processes = 2 \n       #bytes #repetitions      t[usec]   Mbytes/sec\n            \
                   0         1000         1.59         0.00\n            8         1000         1.60         4.77\n";
        assert_eq!(read_text(imb).unwrap().records.len(), 2);
    }

    #[test]
    fn other_tables_are_refused_with_their_names() {
        let bandwidth = "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n1        2.5\n";
        let error = read_text(bandwidth).unwrap_err().to_string();
        assert!(error.contains("osu_latency") && error.contains("found osu/bandwidth"), "{error}");
    }
}
