//! A prediction for machines.

use panto_sim::observe::Activity;
use panto_sim::results::Spent;
use panto_units::Time;
use serde_json::{Value, json};

use super::Shown;
use crate::simulated::Network;

/// All that is known of a prediction; times in seconds.
pub fn prediction(shown: &Shown) -> Value {
    let prediction = shown.prediction;
    json!({
        "trace": shown.trace.path().display().to_string(),
        "machine": shown.case.machine.name,
        "network": Network::of(shown.case.network).name(),
        "time_s": prediction.time().as_secs(),
        "last_rank": prediction.last(),
        "computation_s": prediction.spent().compute.as_secs(),
        "scaled_speedup": prediction.scaled_speedup(),
        "mean_utilisation": prediction.mean_utilisation(),
        "ranks": ranks(shown),
        "processors": processors(shown),
        "functions": functions(shown),
        "critical_path": path(shown),
        "in_words": panto_predict::in_words(prediction, &shown.replay.program),
        "assumed": shown.assumptions(),
        "left_out": shown.warnings(),
    })
}

fn spent(spent: &Spent) -> Value {
    json!({
        "computation_s": spent.compute.as_secs(),
        "messages_s": spent.message.as_secs(),
        "combining_s": spent.combine.as_secs(),
        "access_s": spent.access.as_secs(),
        "waiting_s": spent.waited.as_secs(),
        "processor_taken_s": spent.shared.as_secs(),
    })
}

fn ranks(shown: &Shown) -> Vec<Value> {
    let totals = shown.prediction.totals.ranks().iter();
    let rank = |(rank, totals): (usize, &panto_sim::results::RankTotals)| {
        let mut value = spent(&totals.spent);
        value["rank"] = rank.into();
        value["processor"] = shown.case.places[rank].into();
        value["end_s"] = shown.prediction.ends[rank].as_secs().into();
        value["idle_s"] = shown.prediction.idle(rank).as_secs().into();
        value["messages_received"] = totals.messages.into();
        value["bytes_received"] = totals.bytes.into();
        value
    };
    totals.enumerate().map(rank).collect()
}

fn processors(shown: &Shown) -> Vec<Value> {
    let processor = |processor: &panto_predict::Processor| {
        json!({
            "processor": processor.number,
            "ranks": processor.ranks,
            "busy_s": processor.busy.as_secs(),
            "utilisation": shown.prediction.utilisation(processor),
        })
    };
    shown.prediction.processors.iter().map(processor).collect()
}

fn functions(shown: &Shown) -> Vec<Value> {
    let names = shown.replay.program.calls.iter();
    let called = names.zip(shown.prediction.totals.calls()).filter(|(_, totals)| totals.calls > 0);
    let function = |(name, totals): (&String, &panto_sim::results::CallTotals)| {
        let mut value = spent(&totals.spent);
        value["function"] = name.as_str().into();
        value["calls"] = totals.calls.into();
        value
    };
    called.map(function).collect()
}

fn path(shown: &Shown) -> Option<Value> {
    let found = shown.prediction.path.as_ref()?;
    let share = |share: &panto_sim::results::Share| {
        json!({
            "rank": share.rank,
            "activity": activity(share.activity),
            "function": share.call.and_then(|call| shown.replay.program.calls.get(call as usize)),
            "time_s": share.time.as_secs(),
        })
    };
    let seconds = |time: Time| time.as_secs();
    Some(json!({
        "network_s": seconds(found.path.network()),
        "messages": found.path.hops(&shown.replay.program),
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
