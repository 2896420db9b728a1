//! Export of traces as time-independent traces.

use std::path::Path;

use panto_convert::{ExportSummary, ti};
use panto_trace::{
    Action, Builder, CallForm, Comm, CompletionKind, Metadata, Peer, Recorder, SendMode, Slot, Times, Trace,
    Type,
};

use crate::support::{calls, folder, from_ti};

/// Returns a trace of one rank that makes the recorded calls.
fn alone(folder: &Path, record: &dyn Fn(&mut Recorder)) -> Trace {
    let mut builder = Builder::new(0, 1, 1);
    record(builder.recorder());
    let out = builder.finish(&Metadata::default());
    let path = folder.join("0.rank");
    std::fs::write(&path, out).expect("a file");
    Trace::open(&path).expect("a trace")
}

fn lines(trace: &Trace, folder: &Path) -> Result<(Vec<String>, ExportSummary), String> {
    let target = folder.join("out.ti");
    let exported = ti::write(trace, 1e9, &target).map_err(|error| error.to_string())?;
    let list = std::fs::read_to_string(&target).expect("a list");
    let text: String = list.lines().map(|file| std::fs::read_to_string(file).expect("a file")).collect();
    Ok((text.lines().map(str::to_owned).collect(), exported))
}

fn call(recorder: &mut Recorder, name: &str, action: &Action<'_>) {
    let name = recorder.name(name);
    recorder.record(name, action, Times::default());
}

fn receive(form: CallForm, from: Peer, tag: i64, request: Option<Slot>) -> Action<'static> {
    let (comm, datatype) = (Comm(0), Type(0));
    Action::Receive {
        form,
        comm,
        from,
        datatype,
        bytes: 9,
        tag,
        request,
        source: -1,
        got_tag: -1,
        got_bytes: -1,
    }
}

fn send(form: CallForm, mode: SendMode, request: Option<Slot>) -> Action<'static> {
    Action::Send {
        mode,
        form,
        comm: Comm(0),
        to: Peer::Relative(0),
        datatype: Type(0),
        bytes: 4,
        tag: 7,
        request,
    }
}

fn wait<'a>(requests: &'a [i64], completed: &'a [i64], outcomes: &'a [i64]) -> Action<'a> {
    Action::Complete { until: CompletionKind::WaitAll, requests, completed, outcomes }
}

#[test]
fn export_and_import_round_trip() {
    let folder = folder();
    let of = |rank: u32| {
        let other = 1 - rank;
        let lines = [
            "init".into(),
            "compute 1500000".into(),
            format!("isend {other} 5 100"),
            format!("irecv {other} 5 100"),
            format!("wait {rank} {other} 5"),
            format!("wait {other} {rank} 5"),
            format!("send {rank} 1 0"),
            format!("recv {rank} 1 8"),
            "bcast 5 1".into(),
            "reduce 10 0 1".into(),
            "allreduce 10 0".into(),
            "alltoall 3 4".into(),
            "alltoallv 3 1 2 7 3 4".into(),
            "gather 7 7 1".into(),
            "scatter 6 6 0".into(),
            "allgather 2 2".into(),
            "allgatherv 2 2 3".into(),
            "reducescatter 4 5 0".into(),
            "scan 8 0".into(),
            "exscan 8 0".into(),
            "barrier".into(),
            "finalize".into(),
        ];
        lines.map(|line: String| format!("{rank} {line}")).to_vec()
    };
    let text = [of(0), of(1)].concat();
    let (path, _) = from_ti(folder.path(), &text.join("\n"));
    let (again, exported) = lines(&Trace::open(&path).unwrap(), folder.path()).unwrap();
    assert_eq!(again, text);
    assert_eq!((exported.ranks, exported.operations), (2, text.len() as u64));
    let back = folder.path().join("back.panto");
    ti::read(&folder.path().join("out.ti"), 1e9, &back).unwrap();
    assert_eq!(calls(&back), calls(&path));
}

#[test]
fn counts_of_the_root_alone_are_padded_to_all_ranks() {
    let folder = folder();
    let text = "0 init\n0 gatherv 7 7 8 1\n0 scatterv 5 6 5 0\n0 finalize\n1 init\n1 gatherv 8 7 8 1\n1 scatterv 0 0 6 0\n1 finalize";
    let (path, _) = from_ti(folder.path(), text);
    let (again, _) = lines(&Trace::open(&path).unwrap(), folder.path()).unwrap();
    let text = text.replace("0 gatherv 7 7 8 1", "0 gatherv 7 0 0 1");
    assert_eq!(again.join("\n"), text);
}

#[test]
fn wildcard_matches_are_filled_in() {
    let folder = folder();
    let trace = alone(folder.path(), &|recorder| {
        call(recorder, "MPI_Irecv", &receive(CallForm::Immediate, Peer::Any, -1, Some(Slot(0))));
        call(recorder, "MPI_Issend", &send(CallForm::Immediate, SendMode::Synchronous, Some(Slot(1))));
        call(recorder, "MPI_Waitall", &wait(&[1, 0], &[0, 1], &[1, 0, 7, 4]));
    });
    let (lines, exported) = lines(&trace, folder.path()).unwrap();
    assert_eq!(
        lines,
        ["0 init", "0 irecv 0 7 4", "0 isend 0 7 4", "0 wait 0 0 7", "0 wait 0 0 7", "0 finalize"]
    );
    assert_eq!(exported.notes, ["1 buffered, synchronous or ready sends written as standard sends"]);
}

#[test]
fn persistent_operations_are_started_each_time() {
    let folder = folder();
    let trace = alone(folder.path(), &|recorder| {
        call(recorder, "MPI_Recv_init", &receive(CallForm::Persistent, Peer::Relative(0), 7, Some(Slot(0))));
        for _ in 0..2 {
            call(recorder, "MPI_Start", &Action::Start { requests: &[0] });
            call(recorder, "MPI_Send", &send(CallForm::Blocking, SendMode::Standard, None));
            call(recorder, "MPI_Wait", &wait(&[0], &[0], &[]));
        }
        call(recorder, "MPI_Request_free", &Action::Free { request: Some(Slot(0)) });
    });
    let round = ["0 irecv 0 7 9", "0 send 0 7 4", "0 wait 0 0 7"];
    let expected = [&["0 init"][..], &round, &round, &["0 finalize"]].concat();
    assert_eq!(lines(&trace, folder.path()).unwrap().0, expected);
}

#[test]
fn unsupported_calls_are_errors_with_positions() {
    let folder = folder();
    let refused = |action: &dyn Fn(&mut Recorder)| {
        let trace = alone(folder.path(), &|recorder| {
            call(recorder, "MPI_Init", &Action::Initialise { threads: 0 });
            action(recorder);
        });
        lines(&trace, folder.path()).unwrap_err()
    };
    let cancel = refused(&|recorder| call(recorder, "MPI_Cancel", &Action::Cancel { request: None }));
    assert!(cancel.starts_with("rank 0, call 1 (MPI_Cancel): an operation was cancelled"), "{cancel}");
    let put = refused(&|recorder| {
        let action = Action::OneSided { window: None, target: Peer::Relative(0), bytes: 1, request: None };
        call(recorder, "MPI_Put", &action);
    });
    assert!(put.starts_with("rank 0, call 1 (MPI_Put): one-sided communication"), "{put}");
    let unknown = refused(&|recorder| {
        call(recorder, "MPI_Irecv", &receive(CallForm::Immediate, Peer::Any, 7, Some(Slot(0))));
    });
    assert!(unknown.contains("does not record what a wildcard receive matched"), "{unknown}");
    let left = std::fs::read_dir(folder.path()).expect("a folder").filter_map(Result::ok);
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["0.rank"], "nothing is left that looks like a trace");
}
