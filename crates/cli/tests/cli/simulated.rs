//! Kernels on simulated machines.

use std::fs;

use serde_json::Value;

use super::{line, panto, stderr, succeeds};

fn refused(command: &str, words: &[&str]) {
    let output = line(command);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{command}: {message}");
    for word in words {
        assert!(message.contains(word), "{command}: no `{word}` in: {message}");
    }
}

fn json(command: &str) -> Value {
    serde_json::from_str(&succeeds(&line(command))).expect("JSON")
}

/// The suite runs as in the thesis, and a second run gives identical output.
#[test]
fn the_suite_runs_on_the_ipsc860_and_is_the_same_each_time() {
    let sizes = "--dims 16,64,128 --sizes 0..4K --lengths 1,100,1000";
    let run = || json(&format!("bench comet --on ipsc860 --ranks 16 {sizes} --format json"));
    let (first, second) = (run(), run());
    let [points, again] = [&first, &second].map(|run| run["points"].as_array().expect("a list"));
    let different = points.iter().zip(again).find(|(one, other)| one != other);
    assert!(different.is_none() && points.len() == again.len(), "{different:?}");
    assert!(first["findings"] == second["findings"]);
    for kernel in
        ["echo", "exchange", "broadcast", "reduction", "barrier", "contention", "overlap", "handler"]
    {
        let name = format!("comet/{kernel}");
        assert!(points.iter().any(|point| point["kernel"] == name.as_str()), "{name} is missing");
    }
    assert!(points.iter().all(|point| point["machine"] == "ipsc860" && point["steal"].is_null()));
    assert_eq!(first["manifest"]["machine"]["network"], "links");
    assert_eq!(first["end"]["complete"], true);
}

/// Distances follow the machine: a hypercube of 16 processors has five.
#[test]
fn the_machine_brings_its_shape() {
    let echo = json("bench echo --on ipsc860 --sizes 8 --format json");
    let hops: Vec<u64> = echo["points"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|p| p["params"]["hops"].as_u64())
        .collect();
    assert_eq!(hops, [0, 1, 2, 3, 4]);
}

fn hops(run: &Value) -> Vec<u64> {
    let points = run["points"].as_array().expect("a list");
    points.iter().filter_map(|point| point["params"]["hops"].as_u64()).collect()
}

/// Distances follow the model also where ranks are mapped, behind switches, and on topologies that
/// kernels have no shape for.
#[test]
fn distances_are_those_of_the_model() {
    assert_eq!(
        hops(&json("bench echo --on ipsc860 --ranks 4 --map 0,15,7,3 --sizes 8 --format json")),
        [0, 2, 3, 4]
    );
    assert_eq!(hops(&json("bench echo --on cm5 --ranks 64 --sizes 8 --format json")), [0, 2, 4, 6]);
}

/// Idle ranks reply to the measuring loop while an echo is timed, which must not cause contention.
#[test]
fn measuring_causes_no_contention() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("row.toml");
    let model = "[network]\ntopology = \"linear\"\nprocessors = 6\nswitching = \"packet\"\n\
                 link = { latency = \"10us\", bandwidth = \"1MB/s\" }\n";
    fs::write(&path, model).expect("it can be written");
    let times = |network: &str| {
        let path = path.to_str().expect("a plain name");
        let command =
            ["bench", "echo", "--sizes", "0,100", "--format", "json", "--network", network, "--on", path];
        let output = panto(command);
        let run: Value = serde_json::from_str(&succeeds(&output)).expect("JSON");
        let points = run["points"].as_array().expect("a list").clone();
        points
            .iter()
            .map(|point| point["summary"]["median_ns"].as_f64().expect("a number"))
            .collect::<Vec<f64>>()
    };
    let (fast, traffic) = (times("fast"), times("traffic"));
    assert_eq!(fast, traffic);
    // Five links, each 10 us plus 100 bytes at 1 us.
    assert!((fast.last().expect("points") - 5.0 * 110_000.0).abs() < 1e-3, "{fast:?}");
}

/// With more ranks than coroutine stacks the collective runs as a schedule; its time equals the
/// closed form of the dissemination algorithm.
#[test]
fn many_ranks_run_as_a_schedule() {
    let run =
        json("bench barrier --on sp2 --ranks 20000 --network fast --set processor.poll=1us --format json");
    let points = run["points"].as_array().expect("a list");
    let last = points.iter().find(|point| point["ranks"] == 20_000).expect("the largest");
    assert!(
        (last["summary"]["median_ns"].as_f64().expect("a number") - 15.0 * 39_000.0).abs() < 1.0,
        "{last}"
    );
    assert_eq!(last["verified"], false);
    refused("bench echo --on sp2 --ranks 200000", &["131072", "comet/echo"]);
}

#[test]
fn everything_says_that_nothing_was_measured() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.jsonl");
    let command =
        "bench echo --on cm5 --ranks 4 --sizes 0,16,100,1K --network fast --set link.latency=1us -o";
    let words = command.split_whitespace().map(Into::into).chain([path.clone().into_os_string()]);
    let printed = succeeds(&panto(words));
    assert!(printed.contains("simulated: cm5") && printed.contains("(simulated cm5)"), "{printed}");
    let info = succeeds(&line(&format!("info {}", path.display())));
    for word in ["were not measured", "sharing none", "link.latency=1us", "virtual clock"] {
        assert!(info.contains(word), "no `{word}` in: {info}");
    }
}

#[test]
fn built_in_machines_grow_and_say_so() {
    let output = line("bench barrier --on ipsc860 --ranks 32");
    assert!(succeeds(&output).contains("32"));
    assert!(stderr(&output).contains("instead of 16"), "{}", stderr(&output));
}

#[test]
fn a_model_file_is_a_machine() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("my-idea.toml");
    fs::write(&path, "base = \"ipsc860\"\n[network]\nhop = \"0us\"\n").expect("writable");
    let on = |options: &str| {
        json(&format!("bench echo --on {} --hops 1,4 --sizes 8 --format json {options}", path.display()))
    };
    let median = |run: &Value, at: usize| run["points"][at]["summary"]["median_ns"].as_f64().expect("a time");
    let plain = on("");
    assert_eq!(median(&plain, 0).to_bits(), median(&plain, 1).to_bits(), "hops cost nothing here");
    assert_eq!(plain["manifest"]["transport"], "my-idea");
    let slow = on("--set hop=1ms");
    assert!(median(&slow, 1) > median(&slow, 0) + 2.9e6);
}

/// Ranks 1 and 3 are neighbours on the hypercube; placed on processors 1 and 2 they are not.
#[test]
fn a_map_places_ranks() {
    let at = |map: &str| {
        let run = json(&format!(
            "bench echo --on ipsc860 --ranks 2 --hops 1 --shape linear --sizes 8 --format json --map {map}"
        ));
        run["points"][0]["summary"]["median_ns"].as_f64().expect("a time")
    };
    assert!(at("0,15") > at("0,1"));
}

#[test]
fn options_of_another_world_are_refused() {
    refused("bench echo --on ipsc860 --pin", &["--pin", "threads"]);
    refused("bench echo --on ipsc860 --eager 1K", &["--eager", "threads"]);
    refused("bench echo --set link.latency=2us", &["--set", "--on"]);
    refused("bench echo --sharing none", &["--sharing", "--on"]);
    refused("bench echo --map 0,1", &["--map", "--on"]);
}

#[test]
fn worlds_and_models_that_are_not_there() {
    refused("bench echo --on moon", &["moon", "threads", "ipsc860", "cm5", "file"]);
    refused("bench echo --on ipsc860 --sharing some", &["some", "links"]);
    refused("bench echo --on ipsc860 --set link.latncy=2us", &["latncy", "link.latncy=2us"]);
    refused("bench echo --on ipsc860 --set link.latency", &["KEY=VALUE"]);
    refused("bench echo --on ipsc860 --map 0,x", &["--map", "`x`"]);
    refused("bench echo --on ipsc860 --map 0,99", &["99"]);
    refused("bench echo --on ipsc860 --ranks 1000000", &["1000000"]);
    refused("bench io --on ipsc860 --io-dir .", &["storage", "ipsc860"]);
}

#[test]
fn contention_needs_four_ranks_whose_routes_share_a_link() {
    for (machine, ranks) in [("cm5", 16), ("infiniband", 16), ("sp2", 16), ("ethernet10g", 16)] {
        let output = line(&format!("bench comet/contention --on {machine} --ranks {ranks} --sizes 1K"));
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{machine}: {message}");
        assert!(message.contains(&format!("of the {ranks} ranks share a link of {machine}")), "{message}");
    }
    let output = line("bench comet/contention --on ipsc860 --ranks 8 --sizes 1K --sharing none");
    assert!(stderr(&output).contains("share no links with `--sharing none`"), "{}", stderr(&output));
    // The hosts of two routers share the link between them.
    let text = succeeds(&line("bench comet/contention --on dragonfly --ranks 8 --sizes 64K --loads 90"));
    assert!(text.contains("slowdown under 90% load") && !text.contains(" 0.0%"), "{text}");
    let named = "bench comet/contention --on ipsc860 --ranks 8 --sizes 1K --contend";
    assert!(succeeds(&line(&format!("{named} 0-7,1-3"))).contains("between 0-7,1-3"));
    let output = line(&format!("{named} 0-7,1-8"));
    assert!(stderr(&output).contains("no rank 8 among 8"), "{}", stderr(&output));
}

#[test]
fn a_mesh_in_another_order_has_longer_ways() {
    let shift = |mesh: &str| {
        let command = format!("bench comet/shift --on ipsc860 --ranks 4 {mesh} --dims 16 --format json");
        let value: Value = serde_json::from_str(&succeeds(&line(&command))).expect("JSON");
        let north = |point: &&Value| point["params"]["variant"] == "north";
        let points = value["points"].as_array().expect("points");
        let point = points.iter().find(north).expect("a shift to the north").clone();
        (point["summary"]["median_ns"].as_f64().expect("a time"), point["params"]["grid"].clone())
    };
    let (near, (far, grid)) = (shift("").0, shift("--mesh 2x2:0,1,3,2"));
    // Ranks 0 and 3 are two hops apart on the hypercube, 25 us farther than neighbours.
    assert!((far - near - 25e3).abs() < 1.0, "{near} and {far}");
    assert_eq!(grid, "2x2:0,1,3,2");
}

#[test]
fn files_take_the_time_of_the_storage() {
    let io = "bench comet/io --on sp2 --ranks 2 --io-size 64KiB";
    refused(io, &["the model of sp2 lacks", "--set storage.latency=1ms"]);
    let run = json(&format!("{io} --set storage.latency=1ms --set storage.bandwidth=100MB/s --format json"));
    let points = run["points"].as_array().expect("a list");
    let small = |point: &&Value| point["params"]["block"] == 4096 && point["ranks"] == 2;
    let times: Vec<f64> =
        points.iter().filter(small).filter_map(|point| point["summary"]["median_ns"].as_f64()).collect();
    // Sixteen blocks of 1 ms and 4096 bytes each, in every variant.
    assert_eq!(times.len(), 4);
    assert!(times.iter().all(|time| (time - 16.0 * (1e6 + 40_960.0)).abs() < 1.0), "{times:?}");
    assert!(points.iter().all(|point| point["verified"] == false));
}

#[test]
fn a_node_has_a_rate_and_a_half_length() {
    let text = succeeds(&line("bench comet/daxpy --on ipsc860 --ranks 1"));
    assert!(text.contains("r-infinity, 1 to 200000 elements") && text.contains("9.52Mflop/s"), "{text}");
}
