//! Import of the binary form of `LogGOPSim` schedules. The writer here follows the description of
//! the format only, as plainly as possible.

use std::fmt::Write as _;

use panto_convert::goal;
use panto_random::SplitMix64;

use crate::support::folder;

const ANY: u32 = u32::MAX;

#[derive(Clone)]
struct Operation {
    /// 1 send, 2 receive, 3 computation.
    kind: u8,
    peer: u32,
    size: u64,
    tag: u32,
    cpu: u8,
    /// Operations that this one requires to be complete.
    requires: Vec<u32>,
    /// Operations that this one requires to be started.
    irequires: Vec<u32>,
}

type Schedule = Vec<Vec<Operation>>;

fn binary(schedule: &Schedule) -> Vec<u8> {
    let (mut table, mut body) = (Vec::new(), Vec::new());
    // Places are counted from the number of ranks on.
    let first = 4 + 2 + 16 * schedule.len() as u64;
    for operations in schedule {
        table.extend((first + body.len() as u64).to_le_bytes());
        let is_root = |op: &&Operation| op.requires.is_empty() && op.irequires.is_empty();
        let roots: Vec<u32> =
            (0..).zip(operations).filter(|(_, op)| is_root(op)).map(|(number, _)| number).collect();
        body.extend((operations.len() as u32).to_le_bytes());
        body.extend((roots.len() as u32).to_le_bytes());
        body.extend(roots.iter().flat_map(|root| root.to_le_bytes()));
        let mut dependents: Vec<u32> = Vec::new();
        for (number, op) in (0..).zip(operations) {
            body.extend(((op.requires.len() + op.irequires.len()) as u32).to_le_bytes());
            body.push(op.kind);
            body.extend(op.peer.to_le_bytes());
            body.extend(op.size.to_le_bytes());
            body.extend(op.tag.to_le_bytes());
            body.extend([op.cpu, 0]);
            for is_start in [false, true] {
                let place = dependents.len() as u32;
                for (other, later) in (0..).zip(operations) {
                    let list = if is_start { &later.irequires } else { &later.requires };
                    dependents.extend(list.iter().filter(|on| **on == number).map(|_| other));
                }
                body.extend((dependents.len() as u32 - place).to_le_bytes());
                body.extend(place.to_le_bytes());
            }
        }
        body.extend(dependents.iter().flat_map(|dependent| dependent.to_le_bytes()));
        table.extend((first + body.len() as u64).to_le_bytes());
    }
    let cpus = schedule.iter().flatten().map(|op| op.cpu).max().unwrap_or(0);
    let mut file = 4223_u64.to_le_bytes().to_vec();
    file.extend((schedule.len() as u32).to_le_bytes());
    file.extend([cpus, 0]);
    file.extend(table);
    file.extend(body);
    file
}

fn text(schedule: &Schedule) -> String {
    let any = |value: u32| if value == ANY { "-1".to_owned() } else { value.to_string() };
    let mut text = format!("num_ranks {}\n", schedule.len());
    for (rank, operations) in schedule.iter().enumerate() {
        let _ = writeln!(text, "rank {rank} {{");
        for (number, op) in operations.iter().enumerate() {
            let Operation { peer, size, tag, cpu, .. } = op;
            let _ = match op.kind {
                1 => writeln!(text, "l{number}: send {size}b to {peer} tag {tag} cpu {cpu}"),
                2 => {
                    writeln!(text, "l{number}: recv {size}b from {} tag {} cpu {cpu}", any(*peer), any(*tag))
                }
                _ => writeln!(text, "l{number}: calc {size} cpu {cpu}"),
            };
            let requires = op.requires.iter().map(|on| ("requires", on));
            for (word, on) in requires.chain(op.irequires.iter().map(|on| ("irequires", on))) {
                let _ = writeln!(text, "l{number} {word} l{on}");
            }
        }
        text += "}\n";
    }
    text
}

fn random(seed: u64) -> Schedule {
    let mut random = SplitMix64::new(seed);
    let ranks = 1 + random.index(6);
    let mut schedule: Schedule = vec![Vec::new(); ranks];
    let add = |random: &mut SplitMix64, operations: &mut Vec<Operation>, kind, peer, tag| {
        let last = operations.len() as u64;
        let mut earlier = |most: u64| -> Vec<u32> {
            let count = if last == 0 { 0 } else { random.below(most) };
            (0..count).map(|_| random.below(last) as u32).collect()
        };
        let (requires, irequires) = (earlier(3), earlier(2));
        let (size, cpu) = (random.below(1 << 40), u8::from(random.below(8) == 0));
        operations.push(Operation { kind, peer, size, tag, cpu, requires, irequires });
    };
    for _ in 0..random.index(60) {
        let (from, to, tag) = (random.index(ranks), random.index(ranks), random.below(3) as u32);
        let wild = |random: &mut SplitMix64, value| if random.below(10) == 0 { ANY } else { value };
        let (source, received) = (wild(&mut random, from as u32), wild(&mut random, tag));
        add(&mut random, &mut schedule[from], 1, to as u32, tag);
        add(&mut random, &mut schedule[to], 2, source, received);
        let rank = random.index(ranks);
        add(&mut random, &mut schedule[rank], 3, 0, 0);
    }
    schedule
}

#[test]
fn both_forms_become_the_same_trace() {
    let folder = folder();
    for seed in 0..60 {
        let schedule = random(seed);
        let import = |bytes: &[u8], name: &str| {
            let target = folder.path().join(name);
            let summary = goal::read(&mut &*bytes, "schedule", &target);
            let summary = summary.unwrap_or_else(|error| panic!("{seed}: {error}"));
            (summary, std::fs::read(&target).expect("a trace"))
        };
        let binary = import(&binary(&schedule), "binary.panto");
        assert!(binary == import(text(&schedule).as_bytes(), "text.panto"), "schedule {seed} differs");
    }
}

#[test]
fn both_forms_are_recognised() {
    let schedule = random(3);
    assert!(goal::recognises(&binary(&schedule)) && goal::recognises(text(&schedule).as_bytes()));
    assert!(goal::recognises(b"// Made by hand.\n/* num_ranks\n3 */ num_ranks 2"));
    assert!(!goal::recognises(b"// num_ranks 2\n{\"num_ranks\": 2}"));
    assert!(!goal::recognises(b"0 init\n0 compute 1e6\n") && !goal::recognises(b"\x7f\x10"));
}

#[test]
fn errors_name_the_byte_and_the_operation() {
    let folder = folder();
    let target = folder.path().join("t.panto");
    let operation = |kind, peer, tag, requires: &[u32]| Operation {
        kind,
        peer,
        size: 8,
        tag,
        cpu: 0,
        requires: requires.to_vec(),
        irequires: Vec::new(),
    };
    let schedule = vec![
        vec![operation(1, 1, 5, &[]), operation(3, 0, 0, &[0])],
        vec![operation(2, 0, 5, &[]), operation(3, 0, 0, &[0])],
    ];
    let good = binary(&schedule);
    goal::read(&mut &good[..], "s.bin", &target).expect("a valid schedule");
    std::fs::remove_file(&target).expect("a trace");
    // The table ends at byte 46; the schedule of rank 0 has its operations from byte 58 on.
    for (at, patch, expected) in [
        (0, &[0x26, 0x09][..], "s.bin: byte 0: LogGOPSim --save-mem has used up this schedule; write"),
        (8, &[0, 0, 0, 0], "s.bin: byte 8: found 0 ranks, expected 1 to"),
        (8, &[255, 255, 255, 255], "s.bin: byte 8: found 4294967295 ranks"),
        (8, &[0, 0, 16, 0], "s.bin: byte 234: the file ends inside the table of its 1048576 ranks"),
        (14, &[0, 0], "s.bin: byte 14: impossible place of the schedule of rank 0"),
        (38, &[255, 255], "s.bin: byte 234: the file ends before the schedule of rank 1 does"),
        (46, &[99], "s.bin: byte 46: the schedule of rank 0 is longer than its 94 bytes"),
        (46, &[255, 255, 255, 255], "s.bin: byte 46: rank 0 has 4294967295 operations"),
        (50, &[255, 255, 255, 255], "s.bin: byte 46: the schedule of rank 0 is longer"),
        (58, &[7], "s.bin: byte 58: operation 0 of rank 0 has another number of dependencies"),
        (62, &[4], "s.bin: byte 58: operation 0 of rank 0 has the type 4"),
        (63, &[2], "s.bin: byte 58: operation 0 of rank 0 names rank 2, expected 0 to 1"),
        (63, &[255, 255, 255, 255], "s.bin: byte 58: operation 0 of rank 0 names rank 4294967295"),
        (74, &[255], "s.bin: byte 58: operation 0 of rank 0 has a message of"),
        (75, &[255, 255, 255, 255], "s.bin: byte 58: operation 0 of rank 0 sends with a wildcard"),
        (81, &[2], "s.bin: byte 58: operation 0 of rank 0 has more dependents than the file lists"),
        (85, &[1], "s.bin: byte 58: operation 0 of rank 0 has more dependents than the file lists"),
        (136, &[2], "s.bin: byte 58: operation 0 of rank 0 is required by operation 2, which does not exist"),
    ] {
        let mut bytes = good.clone();
        bytes[at..at + patch.len()].copy_from_slice(patch);
        let error = goal::read(&mut &bytes[..], "s.bin", &target).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
        assert!(!target.exists(), "no partial result");
    }
    let cycle = vec![vec![operation(3, 0, 0, &[1]), operation(3, 0, 0, &[0])]];
    let error = goal::read(&mut &binary(&cycle)[..], "s.bin", &target).unwrap_err().to_string();
    assert!(error.starts_with("s.bin: byte 38: this operation depends on itself"), "{error}");
}

/// Whatever is cut off or changed: the file is read or refused, without a panic.
#[test]
fn damaged_files_are_refused() {
    let folder = folder();
    let target = folder.path().join("t.panto");
    let good = binary(&random(7));
    for length in 8..good.len() {
        let error = goal::read(&mut &good[..length], "s.bin", &target).unwrap_err().to_string();
        assert!(error.starts_with("s.bin: byte "), "{error}");
    }
    for at in 8..good.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            let _ = goal::read(&mut &bytes[..], "s.bin", &target);
        }
    }
}
