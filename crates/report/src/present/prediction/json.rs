//! A prediction as JSON.

use panto_predict::AssumedFigures;
use panto_sim::network::PacketCounts;
use panto_sim::observe::Activity;
use panto_sim::results::TimeBreakdown;
use panto_trace::RegionMark;
use panto_units::Time;
use serde_json::{Value, json};

use super::PredictionReport;

pub(super) fn prediction(report: &PredictionReport) -> Value {
    let prediction = report.prediction;
    json!({
        "trace": report.name.display().to_string(),
        "machine": report.case.machine.name,
        "sharing": report.case.sharing.name(),
        "model_doubt": report.case.machine.doubt(),
        "time_s": prediction.time().as_secs(),
        "last_rank": prediction.last(),
        "computation_s": prediction.spent().compute.as_secs(),
        "scaled_speedup": prediction.scaled_speedup(),
        "mean_utilisation": prediction.mean_utilisation(),
        "packets": packets(prediction.totals.packets()),
        "ranks": ranks(report),
        "processors": processors(report),
        "functions": functions(report),
        "critical_path": path(report),
        "in_words": panto_predict::explain(prediction, &report.replay.program),
        "assumed": report.assumptions(),
        "assumed_figures": report.assumed.map(|assumed| assumed_figures(assumed, prediction.time())),
        "left_out": report.warnings(),
    })
}

fn assumed_figures(assumed: &AssumedFigures, time: Time) -> Value {
    json!({
        "keys": assumed.keys,
        "time_without_s": assumed.time_without.as_secs(),
        "share": assumed.share(time),
    })
}

/// Returns how many packets arrived on random routes; null without them.
fn packets(counts: PacketCounts) -> Value {
    if counts.arrived == 0 {
        return Value::Null;
    }
    json!({ "arrived": counts.arrived, "out_of_order": counts.out_of_order })
}

fn spent(spent: &TimeBreakdown) -> Value {
    json!({
        "computation_s": spent.compute.as_secs(),
        "messages_s": spent.message.as_secs(),
        "combining_s": spent.combine.as_secs(),
        "access_s": spent.access.as_secs(),
        "waiting_s": spent.waited.as_secs(),
        "processor_taken_s": spent.shared.as_secs(),
    })
}

fn ranks(report: &PredictionReport) -> Vec<Value> {
    let totals = report.prediction.totals.ranks().iter();
    let rank = |(rank, totals): (usize, &panto_sim::results::RankTotals)| {
        let mut value = spent(&totals.spent);
        value["rank"] = rank.into();
        value["processor"] = report.case.places[rank].into();
        value["end_s"] = report.prediction.ends[rank].as_secs().into();
        value["idle_s"] = report.prediction.idle(rank).as_secs().into();
        value["messages_received"] = totals.messages.into();
        value["bytes_received"] = totals.bytes.into();
        value
    };
    totals.enumerate().map(rank).collect()
}

fn processors(report: &PredictionReport) -> Vec<Value> {
    let processor = |processor: &panto_predict::Processor| {
        json!({
            "processor": processor.number,
            "ranks": processor.ranks,
            "busy_s": processor.busy.as_secs(),
            "utilisation": report.prediction.utilisation(processor),
        })
    };
    report.prediction.processors.iter().map(processor).collect()
}

fn functions(report: &PredictionReport) -> Vec<Value> {
    let called = report
        .prediction
        .totals
        .by_function(&report.replay.program)
        .into_iter()
        .filter(|(name, totals)| totals.calls > 0 && RegionMark::of(name).is_none());
    let function = |(name, totals): (&str, panto_sim::results::CallTotals)| {
        let mut value = spent(&totals.spent);
        value["function"] = name.into();
        value["calls"] = totals.calls.into();
        value
    };
    called.map(function).collect()
}

fn path(report: &PredictionReport) -> Option<Value> {
    let found = report.prediction.path.as_ref()?;
    let share = |share: &panto_sim::results::PathShare| {
        json!({
            "rank": share.rank,
            "activity": activity(share.activity),
            "function": share.call.and_then(|call| report.replay.program.calls.get(call as usize)),
            "time_s": share.time.as_secs(),
        })
    };
    let seconds = |time: Time| time.as_secs();
    Some(json!({
        "network_s": seconds(found.network),
        "messages": found.hops,
        "shares": found.shares.iter().map(share).collect::<Vec<_>>(),
    }))
}

fn activity(activity: Activity) -> &'static str {
    match activity {
        Activity::Compute => "computation",
        Activity::Message => "messages",
        Activity::Combine => "combining",
        Activity::Access => "access",
    }
}
