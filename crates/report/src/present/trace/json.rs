//! A trace's summary as JSON.

use panto_trace::{Metadata, Places, RankSummary, Summary};
use serde_json::{Map, Value, json};

use super::tables::pattern;
use crate::present::ranks::rank_list;

pub(super) fn summary(summary: &Summary, facts: &Metadata) -> Value {
    let facts: Map<String, Value> = facts
        .iter()
        .filter(|(name, _)| !Places::is_entry(name))
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    json!({
        "size": summary.size,
        "complete": summary.is_complete(),
        "missing_ranks": rank_list(&summary.missing),
        "damage": summary.damage,
        "facts": facts,
        "calls": summary.total(|rank| rank.calls),
        "computation_ns": summary.total(|rank| rank.computation),
        "wall_ns": summary.wall(),
        "partners": summary.partners(),
        "ranks": summary.ranks.iter().map(rank).collect::<Vec<_>>(),
        "functions": functions(summary),
        "call_sites": sites(summary),
        "regions": regions(summary),
        "collectives": collectives(summary),
        "blocks": blocks(summary),
        "pairs": pairs(summary),
    })
}

fn rank(rank: &RankSummary) -> Value {
    json!({
        "rank": rank.rank,
        "complete": rank.is_complete,
        "calls": rank.calls,
        "events": rank.events,
        "messages": rank.messages,
        "bytes_sent": rank.bytes_sent,
        "collectives": rank.collectives,
        "collective_bytes": rank.collective_bytes,
        "computation_ns": rank.computation,
        "start_ns": rank.start,
        "polls": rank.polls,
        "poll_loops": rank.poll_loops,
        "spun_ns": rank.spun,
        "threads": rank.threads,
        "wall_ns": rank.wall,
        "cost_ns": rank.cost,
        "other_threads_ns": rank.other_threads,
        "stopped": rank.stopped,
    })
}

fn functions(summary: &Summary) -> Vec<Value> {
    let inside = |inside: u64| summary.has_stamps.then_some(inside);
    let all = summary.functions.iter();
    all.map(|function| {
        json!({
            "name": function.name,
            "calls": function.calls,
            "bytes": function.bytes,
            "inside_ns": inside(function.inside),
        })
    })
    .collect()
}

fn sites(summary: &Summary) -> Vec<Value> {
    let inside = |inside: u64| summary.has_stamps.then_some(inside);
    let all = summary.sites.iter();
    all.map(|site| {
        json!({
            "place": site.place,
            "function": site.function,
            "calls": site.calls,
            "bytes": site.bytes,
            "computation_ns": site.computation,
            "inside_ns": inside(site.inside),
        })
    })
    .collect()
}

fn regions(summary: &Summary) -> Vec<Value> {
    let inside = |inside: u64| summary.has_stamps.then_some(inside);
    let all = summary.regions.iter();
    all.map(|region| {
        json!({
            "region": region.path,
            "times": region.entered,
            "calls": region.calls,
            "computation_ns": region.computation,
            "inside_ns": inside(region.inside),
        })
    })
    .collect()
}

fn collectives(summary: &Summary) -> Vec<Value> {
    let all = summary.collectives.iter();
    all.map(|one| {
        json!({ "pattern": pattern(one.pattern), "ranks": one.size, "calls": one.calls, "bytes_given": one.bytes })
    })
    .collect()
}

fn blocks(summary: &Summary) -> Value {
    let blocks = &summary.blocks;
    let decades = blocks.decades().iter().zip(1..).filter(|(decade, _)| decade.count > 0);
    let decades = decades.map(|(decade, exponent)| {
        json!({ "shorter_than_ns": 10_f64.powi(exponent), "count": decade.count, "total_ns": decade.total })
    });
    json!({
        "count": blocks.count(),
        "median_ns": blocks.quantile(0.5),
        "p95_ns": blocks.quantile(0.95),
        "decades": decades.collect::<Vec<_>>(),
    })
}

fn pairs(summary: &Summary) -> Vec<Value> {
    let all = summary.pairs.iter();
    all.map(
        |pair| json!({ "from": pair.from, "to": pair.to, "messages": pair.messages, "bytes": pair.bytes }),
    )
    .collect()
}
