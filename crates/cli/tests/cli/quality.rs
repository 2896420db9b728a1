//! The verdict on a run: how far its figures can be believed, and what follows from it.

use std::path::{Path, PathBuf};

use panto_results::{ExistingFile, Line, Manifest, Record, RunSettings, Writer, param};
use serde_json::Value;

use super::{line, stderr, stdout, succeeds};

/// Writes echoes of all sizes to a file; `change` disturbs them.
fn saved(folder: &Path, change: impl Fn(&mut Record)) -> PathBuf {
    let path = folder.join("run.jsonl");
    let mut writer = Writer::create(&path, ExistingFile::Refuse).expect("a file");
    let manifest = Manifest::new("threads", "two threads".into(), 2, RunSettings::default());
    writer.write(&Line::Manifest(Box::new(manifest))).expect("written");
    for power in 0..20 {
        let point = panto_results::Point::new(2).with(param::HOPS, 1).with(param::BYTES, 1 << power);
        let nanos = 200.0 + 0.1 * f64::from(1 << power);
        let mut record = panto_testkit::records::record("comet/echo", point, nanos);
        record.moved = Some(1 << power);
        change(&mut record);
        writer.write(&Line::Point(Box::new(record))).expect("written");
    }
    path
}

fn json(command: &str) -> Value {
    serde_json::from_str(&succeeds(&line(command))).expect("JSON")
}

#[test]
fn a_good_run_says_so_first() {
    let folder = tempfile::tempdir().expect("a directory");
    let run = saved(folder.path(), |record| record.disturbed_ns = vec![9e6]).display().to_string();
    let text = succeeds(&line(&format!("info {run}")));
    assert!(text.starts_with("Quality good: 20 points"), "{text}");
    assert!(
        text.contains("20 more were disturbed and left out") && text.contains("peak bandwidth"),
        "{text}"
    );
    assert!(text.contains("disturbed 1"), "the table counts them:\n{text}");
    let data = json(&format!("info {run} --format json"));
    assert_eq!((&data["quality"]["grade"], &data["points"][0]["grade"]), (&"good".into(), &"good".into()));
}

#[test]
fn nothing_is_derived_from_a_poor_run() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = saved(folder.path(), |record| record.others = Some(0.5));
    let run = path.display().to_string();
    let text = succeeds(&line(&format!("info {run}")));
    assert!(text.starts_with("Quality poor: other processes took 50.0% of the cores' time"), "{text}");
    assert!(text.contains("--quiet-wait") && !text.contains("peak bandwidth"), "{text}");
    let data = json(&format!("info {run} --format json"));
    assert_eq!(
        (&data["quality"]["grade"], data["findings"].as_array().map(Vec::len)),
        (&"poor".into(), Some(0))
    );
    let page = folder.path().join("page.html");
    succeeds(&line(&format!("report {run} -o {}", page.display())));
    let page = std::fs::read_to_string(page).expect("written");
    assert!(page.contains("class=\"banner poor\"") && !page.contains("latency, 8 B"), "no cards");
}

/// A poor model is written only by force, and everything that uses it repeats that it is poor.
#[test]
fn a_poor_model_is_refused_and_marked() {
    let folder = tempfile::tempdir().expect("a directory");
    let run = saved(folder.path(), |record| record.others = Some(0.5)).display().to_string();
    let model = folder.path().join("poor.toml").display().to_string();
    let refused = line(&format!("fit {run} -o {model}"));
    assert!(!refused.status.success() && !Path::new(&model).exists());
    assert!(stdout(&refused).starts_with("Quality of the model poor"), "{}", stdout(&refused));
    assert!(stderr(&refused).contains("--force"), "{}", stderr(&refused));
    succeeds(&line(&format!("fit {run} -o {model} --force")));
    let text = std::fs::read_to_string(&model).expect("written");
    assert!(text.contains("quality = \"poor\""), "{text}");
    let goal = folder.path().join("two.goal");
    std::fs::write(&goal, "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n")
        .expect("written");
    for command in ["simulate", "sweep"] {
        let predicted = line(&format!("{command} {} -m {model}", goal.display()));
        assert!(
            stderr(&predicted).contains("the model of poor is poor: other processes"),
            "{}",
            stderr(&predicted)
        );
    }
    let data = json(&format!("simulate {} -m {model} --format json", goal.display()));
    assert!(data["model_doubt"].as_str().is_some_and(|doubt| doubt.contains("is poor")), "{data:#}");
}

/// A difference is no evidence if one side is poor.
#[test]
fn poor_points_prove_no_change() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    let old = saved(folders[0].path(), |_| {}).display().to_string();
    let slower = |others: Option<f64>| {
        move |record: &mut Record| {
            record.others = others;
            record.samples_ns.iter_mut().for_each(|nanos| *nanos *= 2.0);
        }
    };
    let new = saved(folders[1].path(), slower(None));
    let verdict = |new: &Path| stdout(&line(&format!("compare {old} {}", new.display())));
    assert!(verdict(&new).contains("20 of 20 points are slower"));
    std::fs::remove_file(&new).expect("removed");
    let new = saved(folders[1].path(), slower(Some(0.5)));
    let text = verdict(&new);
    assert!(text.contains("20 are inconclusive") && text.contains("20 of 20 points are poor"), "{text}");
    assert!(!text.contains("geometric mean"), "{text}");
}

/// A real run has a verdict, and the file keeps it.
#[test]
fn every_run_has_a_verdict() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("run.jsonl").display().to_string();
    let text = succeeds(&line(&format!("bench comet/echo -n 2 --sizes 8,1K --hops 1 -t 2s -o {path}")));
    assert!(
        ["Quality good: ", "Quality fair: ", "Quality poor: "].iter().any(|word| text.contains(word)),
        "{text}"
    );
    let file = std::fs::read_to_string(&path).expect("written");
    assert!(file.lines().last().is_some_and(|end| end.contains("\"quality\":{\"grade\":")), "{file}");
    assert!(file.contains("\"passes\":["), "several passes:\n{file}");
}

#[test]
fn this_machine_is_described() {
    let text = succeeds(&line("info machine"));
    for word in ["cores", "others use", "stolen", "Detours", "longest"] {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
    let data = json("info machine --format json");
    assert!(data["detours"].as_array().is_some_and(|cores| !cores.is_empty()), "{data:#}");
}
