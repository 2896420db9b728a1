//! `panto simulate`, and the conversion of other tools' traces (P3-P6, P12-P14).

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{panto, stderr, stdout, stencil, succeeds};

/// Runs `panto` with the words of a line in a folder.
fn run(folder: &Path, line: &str) -> std::process::Output {
    crate::command().args(line.split_whitespace()).current_dir(folder).output().expect("the binary starts")
}

/// Returns a folder with `stencil.panto`: four ranks, ten rounds.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    stencil::write(folder.path(), 2, 10);
    folder
}

/// Converts a GOAL schedule to a trace.
fn from_goal(folder: &Path, text: &str) -> PathBuf {
    std::fs::write(folder.join("in.goal"), text).expect("writable");
    succeeds(&run(folder, "convert in.goal -o in.panto"));
    folder.join("in.panto")
}

fn simulated(folder: &Path, line: &str) -> Value {
    let text = succeeds(&run(folder, &format!("simulate {line} --format json")));
    serde_json::from_str(&text).expect("JSON")
}

fn seconds(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("no {name} in {value:#}"))
}

/// A schedule in which rank 1 waits for a message of 1,000 bytes that is sent after 5 us of
/// computation.
const LATE: &str = "num_ranks 2\nrank 0 {\nl1: calc 5000\nl2: send 1000b to 1 tag 7\nl2 requires l1\n}\n\
                    rank 1 {\nl1: recv 1000b from 0 tag 7\nl2: calc 1000\nl2 requires l1\n}\n";

/// A machine on which a message takes 2 us plus 1 ns per byte.
const PLAIN: &str = "[network]\ntopology = \"complete\"\nprocessors = 2\nswitching = \"packet\"\n\
                     link = { latency = \"2us\", bandwidth = \"1GB/s\" }\n";

#[test]
fn a_message_takes_what_the_machine_says() {
    let folder = tempfile::tempdir().expect("a folder");
    from_goal(folder.path(), LATE);
    std::fs::write(folder.path().join("plain.toml"), PLAIN).expect("writable");
    let found = simulated(folder.path(), "in.panto --machine plain.toml");
    // 5 us of computation, 2 us + 1 us for the message, 1 us of computation.
    assert!((seconds(&found, "time_s") - 9e-6).abs() < 1e-12, "{found:#}");
    assert!((seconds(&found["ranks"][1], "waiting_s") - 8e-6).abs() < 1e-12, "{found:#}");
    assert!((seconds(&found["critical_path"], "network_s") - 3e-6).abs() < 1e-12, "{found:#}");
    assert_eq!(found["critical_path"]["messages"], 1);
    let faster = simulated(folder.path(), "in.panto --machine plain.toml --speed 2 --set link.latency=1us");
    assert!((seconds(&faster, "time_s") - 5e-6).abs() < 1e-12, "{faster:#}");
}

/// How slow an old machine is cannot be known without the speed of the traced computer: that is the
/// first assumption.
#[test]
fn the_speed_of_an_old_machine_is_not_guessed() {
    let folder = tempfile::tempdir().expect("a folder");
    from_goal(folder.path(), LATE);
    let found = simulated(folder.path(), "in.panto --machine cm5");
    let first = found["assumed"][0].as_str().expect("text");
    assert!(first.contains("although cm5 is slower: the speed of the traced computer is not in"), "{first}");
    assert!((seconds(&found, "computation_s") - 6e-6).abs() < 1e-12, "{found:#}");
    let given = simulated(folder.path(), "in.panto --machine cm5 --speed 0.001");
    assert!((seconds(&given, "computation_s") - 6e-3).abs() < 1e-9, "{given:#}");
    assert_eq!(given["assumed"][0], "computation is 0.00100 times as fast as on the traced computer");
}

/// The parts of each rank's time add up to its end, and those of the critical path to the makespan.
#[test]
fn all_time_is_accounted_for() {
    let folder = folder();
    for how in
        ["", "--network traffic", "--processors 2", "--processors 3 --network traffic", "--rules puppet"]
    {
        let found = simulated(folder.path(), &format!("stencil.panto --machine infiniband {how}"));
        let time = seconds(&found, "time_s");
        for rank in found["ranks"].as_array().expect("ranks") {
            let parts =
                ["computation_s", "messages_s", "combining_s", "access_s", "waiting_s", "processor_taken_s"];
            let sum: f64 = parts.iter().map(|part| seconds(rank, part)).sum();
            assert!((sum - seconds(rank, "end_s")).abs() < 1e-9 * sum, "{how}: {rank:#}");
        }
        let shares = found["critical_path"]["shares"].as_array().expect("shares");
        let path: f64 = shares.iter().map(|share| seconds(share, "time_s")).sum();
        let path = path + seconds(&found["critical_path"], "network_s");
        assert!((path - time).abs() < 1e-9 * time, "{how}: {path} of {time}");
        for processor in found["processors"].as_array().expect("processors") {
            assert!(seconds(processor, "utilisation") <= 1.0 + 1e-9, "{how}: {processor:#}");
        }
    }
}

/// What rests on assumed figures is the time that their cost adds.
#[test]
fn assumed_figures_are_named_with_their_share() {
    let folder = folder();
    let found = simulated(folder.path(), "stencil.panto --machine frontier");
    let assumed = &found["assumed_figures"];
    assert!(assumed["keys"].to_string().contains("network.overhead.send"), "{assumed}");
    let without = simulated(
        folder.path(),
        "stencil.panto --machine frontier --set overhead.send=0us --set overhead.receive=0us --set \
         overhead.control=0us --set processor.copy=0ns --set processor.reduce=0ns",
    );
    let (time, rest) = (seconds(&found, "time_s"), seconds(&without, "time_s"));
    assert!((seconds(assumed, "time_without_s") - rest).abs() < 1e-9 * time, "{assumed} and {rest}");
    assert!((seconds(assumed, "share") - (1.0 - rest / time)).abs() < 1e-6, "{assumed}");
    let text = succeeds(&run(folder.path(), "simulate stencil.panto --machine frontier"));
    assert!(text.contains("of the time rests on assumed figures of the machine: "), "{text}");
    let plain = folder.path().join("plain.toml");
    let model = "[network]\ntopology = \"star\"\nprocessors = 4\nswitching = \"flow\"\nlink = \"1GB/s\"\n";
    std::fs::write(plain, model).expect("a file");
    assert!(simulated(folder.path(), "stencil.panto --machine plain.toml")["assumed_figures"].is_null());
}

/// Ranks that share a processor take turns (P13).
#[test]
fn two_ranks_on_one_processor_take_twice_as_long() {
    let folder = tempfile::tempdir().expect("a folder");
    from_goal(folder.path(), "num_ranks 2\nrank 0 {\nl1: calc 1000000\n}\nrank 1 {\nl1: calc 1000000\n}\n");
    let alone = simulated(folder.path(), "in.panto --machine infiniband");
    let shared = simulated(folder.path(), "in.panto --machine infiniband --processors 1");
    assert!((seconds(&alone, "time_s") - 1e-3).abs() < 1e-12, "{alone:#}");
    assert!((seconds(&shared, "time_s") - 2e-3).abs() < 1e-9, "{shared:#}");
    assert!((seconds(&shared, "computation_s") - 2e-3).abs() < 1e-9, "{shared:#}");
    assert!((seconds(&shared, "scaled_speedup") - 1.0).abs() < 1e-6, "{shared:#}");
    let assumed = shared["assumed"].to_string();
    assert!(assumed.contains("ranks share processors in turns: up to 2 on one"), "{assumed}");
}

#[test]
fn people_get_tables_and_sentences() {
    let folder = folder();
    let text = succeeds(&run(folder.path(), "simulate stencil.panto --machine infiniband"));
    assert!(text.starts_with("stencil.panto on infiniband: 4 ranks on 4 processors\ntime "), "{text}");
    for part in [
        "scaled speed-up",
        "MPI_Waitall",
        "critical path",
        "Where the time went:\n- the critical path is ",
        "Assumptions:\n- computation takes as long as on the traced computer (--speed changes that)\n- messages share the \
         ports of their sender and receiver",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let csv = succeeds(&run(folder.path(), "simulate stencil.panto --machine infiniband --format csv"));
    assert!(csv.starts_with("rank,processor,end_s,computation_s,"), "{csv}");
    let end: Option<f64> = csv.lines().nth(1).and_then(|line| line.split(',').nth(2)?.parse().ok());
    assert!(csv.lines().count() == 5 && end > Some(0.0), "{csv}");
}

#[test]
fn noise_makes_it_longer_and_a_seed_makes_it_the_same() {
    let folder = folder();
    let with = |more: &str| {
        seconds(&simulated(folder.path(), &format!("stencil.panto -m infiniband {more}")), "time_s")
    };
    let (quiet, noisy) = (with(""), with("--noise random:10us,5us --seed 3"));
    assert!(noisy > quiet, "{noisy} {quiet}");
    assert_eq!(noisy.to_bits(), with("--noise random:10us,5us --seed 3").to_bits());
    assert_ne!(noisy.to_bits(), with("--noise random:10us,5us --seed 4").to_bits());
}

#[test]
fn a_timeline_keeps_everything() {
    let folder = folder();
    let found = simulated(folder.path(), "stencil.panto -m infiniband --timeline out.ptl");
    let text = succeeds(&run(folder.path(), "info out.ptl --format json"));
    let info: Value = serde_json::from_str(&text).expect("JSON");
    for (rank, kept) in
        found["ranks"].as_array().expect("ranks").iter().zip(info["ranks"].as_array().expect("ranks"))
    {
        for name in ["end_s", "computation_s", "waiting_s"] {
            assert!((seconds(rank, name) - seconds(kept, name)).abs() < 1e-15, "{name}: {rank:#} {kept:#}");
        }
        assert_eq!(rank["messages_received"], kept["messages_received"]);
    }
    let text = succeeds(&run(folder.path(), "info out.ptl"));
    assert!(text.starts_with("out.ptl: timeline of 4 ranks, ") && text.contains("infiniband"), "{text}");
    let bytes = std::fs::read(folder.path().join("out.ptl")).expect("there");
    std::fs::write(folder.path().join("cut.ptl"), &bytes[..bytes.len() - 9]).expect("writable");
    let output = run(folder.path(), "info cut.ptl");
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("--salvage"), "{}", stderr(&output));
    succeeds(&run(folder.path(), "info cut.ptl --salvage"));
}

/// A program that is converted and converted back takes the same time.
#[test]
fn traces_of_others_come_and_go() {
    let folder = folder();
    let time = |trace: &str| seconds(&simulated(folder.path(), &format!("{trace} -m loggops")), "time_s");
    let first = time("stencil.panto");
    let told = succeeds(&run(folder.path(), "convert stencil.panto -o there.goal"));
    assert!(told.starts_with("wrote there.goal: 4 ranks, "), "{told}");
    succeeds(&run(folder.path(), "convert there.goal -o back.panto"));
    assert_eq!(time("back.panto").to_bits(), first.to_bits());
    let told = succeeds(&run(folder.path(), "convert stencil.panto -o there.ti"));
    assert!(told.starts_with("wrote there.ti: 4 ranks, "), "{told}");
    succeeds(&run(folder.path(), "convert there.ti -o again.panto"));
    let again = time("again.panto");
    assert!((again / first - 1.0).abs() < 1e-6, "{again} {first}");
}

/// A schedule of `LogGOPSim`, in both forms, and a time-independent trace are simulated, swept and
/// shown like the trace they are converted to.
#[test]
fn programs_of_other_simulators_are_read_directly() {
    let folder = folder();
    let path = folder.path();
    succeeds(&run(path, "convert stencil.panto -o there.goal"));
    succeeds(&run(path, "convert stencil.panto -o there.ti"));
    succeeds(&run(path, "convert there.goal -o goal.panto"));
    succeeds(&run(path, "convert there.ti -o ti.panto"));
    std::fs::copy(path.join("there.goal"), path.join("unnamed")).expect("a copy");
    for (direct, converted) in
        [("there.goal", "goal.panto"), ("unnamed", "goal.panto"), ("there.ti", "ti.panto")]
    {
        let mut found = simulated(path, &format!("{direct} -m loggops"));
        assert_eq!(found["trace"].take(), direct);
        let mut expected = simulated(path, &format!("{converted} -m loggops"));
        expected["trace"].take();
        assert_eq!(found, expected, "{direct}");
    }
    std::fs::write(path.join("late.goal"), LATE).expect("writable");
    std::fs::write(path.join("late.bin"), late_binary()).expect("writable");
    let time = |program: &str| seconds(&simulated(path, &format!("{program} -m loggops")), "time_s");
    assert_eq!(time("late.bin").to_bits(), time("late.goal").to_bits());
    let shown = succeeds(&run(path, "info late.bin"));
    assert!(shown.starts_with("late.bin: ") && shown.contains("MPI_Irecv"), "{shown}");
    succeeds(&run(path, "sweep late.bin -m loggops --vary link.latency=1us,2us"));
    std::fs::write(path.join("cut.bin"), &late_binary()[..60]).expect("writable");
    std::fs::write(path.join("wrong.bin"), [200; 40]).expect("writable");
    for (program, said) in [
        ("cut.bin", "cut.bin: byte 60: the file ends before the schedule of rank 0 does"),
        ("wrong.bin", "wrong.bin:1:1: not UTF-8 text; give a GOAL schedule"),
    ] {
        let output = run(path, &format!("simulate {program} -m loggops"));
        assert_eq!(output.status.code(), Some(2), "{program}");
        assert!(stderr(&output).contains(said), "{program}: {}", stderr(&output));
    }
}

/// Returns [`LATE`] in the binary form of `LogGOPSim`.
fn late_binary() -> Vec<u8> {
    // Dependencies, type, peer, size, tag; then CPU and NIC, and the operations that require it.
    let operation = |numbers: (u32, u8, u32, u64, u32), required_by: (u32, u32)| {
        let (dependencies, kind, peer, size, tag) = numbers;
        let mut bytes = dependencies.to_le_bytes().to_vec();
        bytes.push(kind);
        bytes.extend(peer.to_le_bytes());
        bytes.extend(size.to_le_bytes());
        bytes.extend(tag.to_le_bytes());
        bytes.extend([0, 0]);
        for number in [required_by.0, required_by.1, 0, 1] {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    };
    // Two operations; the first has no dependencies and the second requires it.
    let rank = |first, second| {
        let counts = [2_u32, 1, 0].into_iter().flat_map(u32::to_le_bytes);
        let operations = [operation(first, (1, 0)), operation(second, (0, 1))];
        counts.chain(operations.concat()).chain(1_u32.to_le_bytes()).collect::<Vec<u8>>()
    };
    let ranks =
        [rank((0, 3, 0, 5_000, 0), (1, 1, 1, 1_000, 7)), rank((0, 2, 0, 1_000, 7), (1, 3, 0, 1_000, 0))];
    let length = ranks[0].len() as u64;
    let places = [38, 38 + length, 38 + length, 38 + 2 * length];
    let mut bytes = 4_223_u64.to_le_bytes().to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend(places.into_iter().flat_map(u64::to_le_bytes));
    bytes.extend(ranks.concat());
    bytes
}

/// Errors name a position and a remedy; nothing is printed to standard output.
#[test]
fn wrong_input_is_refused() {
    let folder = folder();
    let path = folder.path();
    std::fs::write(path.join("three.map"), "0 1 2\n").expect("writable");
    std::fs::write(path.join("plain.toml"), PLAIN).expect("writable");
    let bytes = std::fs::read(path.join("stencil.panto")).expect("there");
    std::fs::write(path.join("cut.panto"), &bytes[..bytes.len() * 2 / 3]).expect("writable");
    let lonely = "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 7\n}\nrank 1 {\nl1: calc 5\n}\n";
    std::fs::write(path.join("lonely.goal"), lonely).expect("writable");
    succeeds(&run(path, "convert lonely.goal -o lonely.panto"));
    for (line, said) in [
        ("simulate stencil.panto -m nowhere", "unknown machine `nowhere`"),
        (
            "simulate stencil.panto -m infiniband --map three.map",
            "three.map maps 3 ranks, but the program has 4",
        ),
        ("simulate stencil.panto -m infiniband --map 0,99999", "the map puts rank 1 on processor 99999"),
        ("simulate stencil.panto -m infiniband --speed 0", "invalid speed `0`"),
        ("simulate stencil.panto -m infiniband --noise often", "invalid noise `often`"),
        ("simulate stencil.panto -m infiniband --processors 0", "at least 1 processor"),
        ("simulate nothing.panto -m infiniband", "nothing.panto"),
        ("simulate three.map -m infiniband", "three.map"),
        ("simulate cut.panto -m infiniband", "cut.panto"),
        ("simulate lonely.panto -m infiniband", "lonely.panto: "),
        ("simulate stencil.panto -m infiniband --timeline stencil.panto", "would be overwritten"),
        ("convert stencil.panto --to goal -o stencil.panto", "would be overwritten"),
        ("balance stencil.panto -m infiniband -p 2 -o stencil.panto", "would be overwritten"),
        ("simulate stencil.panto -m plain.toml -p 3", "has 2 processors, 3 were requested"),
        (
            "simulate stencil.panto -m infiniband --speed 1000000 --set processor.speed=100000",
            "--speed times processor.speed",
        ),
        ("convert lonely.goal -o lonely.ti", "use the extension .panto"),
        ("convert stencil.panto -o what", "--to goal or --to ti"),
        ("convert three.map --from goal -o x.panto", "three.map"),
    ] {
        let output = run(path, line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}{}", stdout(&output), stderr(&output));
        assert!(stderr(&output).contains(said), "{line}: no `{said}` in {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{line}");
    }
}

#[test]
fn each_command_has_examples() {
    for command in ["simulate", "sweep", "balance", "convert"] {
        let text = succeeds(&panto([command, "--help"]));
        assert!(text.contains("Examples:"), "{text}");
    }
}

/// The ranks' files of a killed run are simulated as they are, up to the last consistent cut, and
/// the first line says how much is left out.
#[test]
fn a_killed_program_is_simulated_as_far_as_its_ranks_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    stencil::write(folder.path(), 2, 3_000);
    // The end of one rank is missing: a block of a thousand rounds, and the end of the file.
    let rank = folder.path().join("ranks/1.rank");
    let bytes = std::fs::read(&rank).expect("written");
    std::fs::write(&rank, &bytes[..bytes.len() - 200]).expect("writable");
    for line in ["simulate ranks -m infiniband", "sweep ranks -m infiniband"] {
        let output = run(folder.path(), line);
        succeeds(&output);
        let said = stderr(&output);
        let first = said.lines().next().unwrap_or_default();
        assert!(first.starts_with("panto: ranks: rank 1 ends before MPI_Finalize; "), "{line}: {said}");
        assert!(first.contains(" recorded calls (") && first.contains(" are left out"), "{line}: {said}");
    }
    let whole = seconds(&simulated(folder.path(), "stencil.panto -m infiniband"), "time_s");
    let killed = simulated(folder.path(), "ranks -m infiniband");
    let share = seconds(&killed, "time_s") / whole;
    assert!((0.6..0.7).contains(&share), "two of three blocks, not {share}");
    assert!(killed["left_out"][0].as_str().is_some_and(|text| text.contains("rank 1")), "{killed:#}");
}
