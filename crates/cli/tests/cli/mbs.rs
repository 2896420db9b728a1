//! CRESTA's command line and table, and rules that select the fastest algorithm (S8).

use super::{line, stderr, succeeds};

#[test]
fn the_command_line_of_cresta_prints_its_table() {
    let output = line("mbs broadcast 2 20 8 32 50 1 --on sp2 --ranks 8");
    let text = succeeds(&output);
    let tables: Vec<&str> = text.split("\n\n").filter(|table| !table.trim().is_empty()).collect();
    assert_eq!(tables.len(), 2, "{text}");
    for (table, title) in tables.iter().zip(["Broadcast:", "Broadcast, delay 50us, participant first late:"])
    {
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], title);
        assert_eq!(lines[1], "Data  ranks  average (us)  min (us)  max (us)  stdDev (us)");
        let places: Vec<(u64, u64)> = lines[2..].iter().map(|line| place(line)).collect();
        assert_eq!(places, [8, 16, 32].map(|size| [2, 4, 8].map(|ranks| (size, ranks))).concat());
    }
    let said = stderr(&output);
    assert!(said.contains("running `panto bench scenario/only scenario/delay --collective bcast"), "{said}");
}

/// Returns the size and the participants of a row, all six columns of which must be numbers.
fn place(line: &str) -> (u64, u64) {
    let numbers: Vec<f64> = line.split_whitespace().map(|word| word.parse().expect(line)).collect();
    let [size, ranks, mean, least, most, _] = numbers[..] else { panic!("six columns: {line}") };
    assert!(least <= mean && mean <= most, "{line}");
    (size as u64, ranks as u64)
}

#[test]
fn what_cresta_could_not_mean_is_refused() {
    for (words, remedy) in [
        ("mbs broadcasting 2 10 8 8", "bcast"),
        ("mbs broadcast 2 10 64 8", "m_min"),
        ("mbs broadcast 2 0 8 8", "at least 1"),
        ("mbs broadcast 9 10 8 8 --ranks 4", "--from"),
        ("mbs broadcast 2 10 8 8 50 9 --ranks 4", "delay_P is 9, but there are 4 participants"),
        ("mbs broadcast 2 10 8 8 99999999999999 1", "86400000000"),
    ] {
        let output = line(words);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(stderr(&output).contains(remedy), "{words}: {}", stderr(&output));
    }
}

#[test]
fn the_fastest_algorithms_become_rules_that_a_machine_follows() {
    let directory = tempfile::tempdir().expect("a directory");
    let rules = directory.path().join("mine.rules");
    let bench = "bench scenario/only --on sp2 --ranks 2,16 --collective bcast --impl linear,binomial,scatter-allgather --sizes 8,1M";
    let output = line(&format!("{bench} --rules {}", rules.display()));
    let text = succeeds(&output);
    assert!(text.contains("the fastest bcast"), "{text}");
    let written = std::fs::read_to_string(&rules).expect("written");
    assert!(written.starts_with("# broadcast: the fastest measured algorithms"), "{written}");
    let chosen: Vec<&str> = written.lines().filter(|line| line.starts_with("broadcast ")).collect();
    let Some(last) = chosen.last().and_then(|line| line.split_whitespace().nth(1)) else {
        panic!("no rule in {written}")
    };
    // The simulator applies the rules: the last one is for the most ranks and the longest messages.
    let on = format!("--on sp2 --set collectives.rules={} --ranks 16 --sizes 1M", rules.display());
    let ours = succeeds(&line(&format!("bench comet/broadcast {on} --format json")));
    let document: serde_json::Value = serde_json::from_str(&ours).expect("JSON");
    let points = document["points"].as_array().expect("points");
    let largest = points.iter().find(|point| point["ranks"] == 16).expect("16 ranks");
    assert_eq!(largest["algorithm"], last, "{written}");
}
