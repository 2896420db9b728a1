//! Writes sample charts and a sample page into a directory for inspection: `cargo run -p
//! panto-report --example gallery -- /tmp/gallery`. The data are made up.

use panto_testkit::records;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use panto_report::chart::{Axis, Chart, Figure, Point, Scale, Series, Style, Unit};
use panto_report::html::{Block, KeyFigure, Page, Section};
use panto_report::present;
use panto_report::table::{Column, Table};

fn main() -> io::Result<()> {
    let directory: PathBuf = env::args_os().nth(1).unwrap_or_else(|| "gallery".into()).into();
    fs::create_dir_all(&directory)?;
    for (name, figure) in figures() {
        write(&directory.join(name).with_extension("svg"), &figure.to_svg())?;
    }
    for (name, figure) in kernels() {
        write(&directory.join(name).with_extension("svg"), &figure.to_svg())?;
    }
    write(&directory.join("page.html"), &page().to_html())
}

/// Returns the figures of kernels.
fn kernels() -> impl Iterator<Item = (String, Figure)> {
    let measured = [
        records::echo(3, 22),
        records::exchange(),
        records::broadcast(20),
        records::reduction(),
        records::barrier(),
        records::contention(),
        records::overlap(),
        records::transpose(),
        records::handler(),
        records::io(),
    ];
    measured.into_iter().map(|records| {
        let kernel = &records[0].kernel;
        (kernel.replace('/', "-"), present::figure(kernel, &records, Some(&records::manifest())))
    })
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    println!("{}", path.display());
    fs::write(path, text)
}

fn figures() -> Vec<(&'static str, Figure)> {
    vec![
        ("latency", latency().into()),
        ("bandwidth", bandwidth().into()),
        ("stacked", Figure::new([latency(), bandwidth().subtitle("")])),
        ("barrier", barrier().into()),
        ("overlap", overlap().into()),
        ("matrix", matrix().into()),
        ("envelopes", envelopes().into()),
        ("hostile", hostile().into()),
        ("empty", Chart::new("Nothing yet", sizes(), times(Scale::Log10)).into()),
        ("single", single().into()),
    ]
}

fn sizes() -> Axis {
    Axis::new("message size", Scale::Log2, Unit::Bytes)
}

fn times(scale: Scale) -> Axis {
    Axis::new("one-way time (median, 95% confidence interval)", scale, Unit::Seconds)
}

/// A transport: latency, bandwidth, and the size from which a rendezvous costs extra.
struct Model(&'static str, f64, f64, f64);

const MODELS: [Model; 3] = [
    Model("tcp loopback", 8.2e-6, 2.4e9, 65536.0),
    Model("unix socket", 3.1e-6, 3.2e9, 32768.0),
    Model("shared memory", 2.1e-7, 9.8e9, 8192.0),
];

impl Model {
    fn time(&self, size: f64) -> f64 {
        self.1 + size / self.2 + if size >= self.3 { self.1 * 1.5 } else { 0.0 }
    }
}

/// Returns reproducible noise around 1.
fn noise(seed: f64) -> f64 {
    let value = (seed * 12.9898).sin() * 43758.5453;
    1.0 + (value - value.floor() - 0.5) * 0.08
}

fn powers(from: i32, to: i32) -> impl Iterator<Item = f64> {
    (from..=to).map(|exponent| 2_f64.powi(exponent))
}

fn around(x: f64, y: f64, spread: f64) -> Point {
    let width = (noise(x + y) - 0.9).abs() * spread;
    Point::with_interval(x, y, y * (1.0 - width), y * (1.0 + 2.0 * width))
}

fn latency() -> Chart {
    let curve = |model: &Model| {
        let sizes = std::iter::once(0.0).chain(powers(0, 22));
        let points = sizes.map(|size| around(size, model.time(size) * noise(size + model.1), 1.0));
        Series::new(model.0, Style::LineAndDots, points)
    };
    let chart = Chart::new("Ping-pong time against message size", sizes(), times(Scale::Log10))
        .subtitle("2 ranks, 1000 repetitions after 100 warm-ups, buffers warm, Linux 6.1 on 8 cores")
        .mark(8192.0, "eager limit")
        .mark(65536.0, "rendezvous")
        .note("Bands: distribution-free 95% confidence interval of the median.");
    MODELS.iter().map(curve).fold(chart, Chart::series)
}

fn bandwidth() -> Chart {
    let curve = |model: &Model| {
        let points = powers(0, 22).map(|size| around(size, size / model.time(size) / noise(size), 1.0));
        Series::line(model.0, points)
    };
    let y = Axis::new("bandwidth", Scale::Linear, Unit::BytesPerSecond);
    let chart = Chart::new("Bandwidth", sizes(), y).subtitle("the same runs").mark(65536.0, "rendezvous");
    let fit = powers(0, 22).map(|size| Point::new(size, size / (2.1e-7 + size / 9.8e9)));
    MODELS
        .iter()
        .map(curve)
        .fold(chart, Chart::series)
        .series(Series::new("Hockney fit", Style::Dashed, fit).like("shared memory"))
}

fn barrier() -> Chart {
    let curve = |(name, time): (&str, fn(f64) -> f64)| {
        let points = (1..=8).map(|e| 2_f64.powi(e)).map(|p| around(p, time(p) * noise(p), 0.8));
        Series::new(name, Style::LineAndDots, points)
    };
    let x = Axis::new("ranks P", Scale::Log2, Unit::Count);
    let y = Axis::new("time", Scale::Linear, Unit::Seconds);
    let chart = Chart::new("Barrier", x, y).subtitle("growth with the number of ranks");
    [
        curve(("linear", |p| 0.21e-6 * p)),
        curve(("tree", |p| 2.2e-6 * p.log2())),
        curve(("dissemination", |p| 1.3e-6 * p.log2())),
        curve(("butterfly", |p| 1.35e-6 * p.log2())),
        Series::new(
            "bound: log2 P",
            Style::Dashed,
            (1..=8).map(|e| Point::new(2_f64.powi(e), 1e-6 * f64::from(e))),
        ),
    ]
    .into_iter()
    .fold(chart, Chart::series)
}

fn overlap() -> Chart {
    let curve = |index: i32| {
        let onset = f64::from(index) + 5.0;
        let share =
            move |size: f64| -12.0 + (70.0 - f64::from(index) * 4.0) / (1.0 + (onset - size.log2()).exp());
        let points = powers(0, 20).map(move |size| Point::new(size, share(size) * noise(size + onset)));
        Series::line(format!("{} ranks", 1 << (index + 1)), points)
    };
    let y = Axis::new("communication hidden behind computation", Scale::Linear, Unit::Percent);
    let chart = Chart::new("Overlap", sizes(), y)
        .subtitle("hidden share of the communication time; below zero, overlap costs more than it saves");
    (0..10).map(curve).fold(chart, Chart::series)
}

fn matrix() -> Chart {
    let curve = |(name, time): (&str, fn(f64) -> f64)| {
        let points = (1..=32).map(|i| f64::from(i) * 32.0).map(|n| around(n, time(n) * noise(n), 0.5));
        Series::line(name, points)
    };
    let x = Axis::new("matrix dimension N", Scale::Linear, Unit::Count);
    let y = Axis::new("time", Scale::Linear, Unit::Seconds);
    let dots = (1..=20).map(|i| around(f64::from(i) * 48.0, 2.2e-9 * (f64::from(i) * 48.0).powi(2), 1.0));
    let chart = Chart::new("Matrix kernels", x, y);
    [
        curve(("transpose", |n| 3.1e-9 * n * n)),
        curve(("guard exchange", |n| 40e-6 + 0.9e-6 * n)),
        curve(("row broadcast", |n| 60e-6 + 0.7e-6 * n)),
        curve(("column broadcast", |n| 60e-6 + 1.2e-6 * n)),
        Series::new("shift, simulated", Style::Dots, dots),
    ]
    .into_iter()
    .fold(chart, Chart::series)
}

/// A send of every size, as on the CM-5: multiples of 16 bytes are faster.
fn envelopes() -> Chart {
    let time = |size: i32| 80e-6 + f64::from(size) * 0.12e-6 + if size % 16 == 0 { 0.0 } else { 4e-6 };
    let points =
        (0..=400).map(|size| Point::new(f64::from(size), time(size) * noise(f64::from(size)).powf(0.1)));
    let line = |name: &str, size: i32| {
        Series::new(
            name,
            Style::Dashed,
            [0, 400].map(|x| Point::new(f64::from(x), time(size) + f64::from(x) * 0.12e-6)),
        )
    };
    let x = Axis::new("message size", Scale::Linear, Unit::Bytes);
    Chart::new("Simple send, byte by byte", x, Axis::new("time", Scale::Linear, Unit::Seconds))
        .series(Series::new("measured", Style::LineAndDots, points))
        .series(line("multiple of 16", 0))
        .series(line("any other", 1))
}

fn hostile() -> Chart {
    let bad = [
        Point::new(1.0, f64::NAN),
        Point::new(-2.0, 1e-6),
        Point::new(8.0, 0.0),
        Point::new(4.0, f64::INFINITY),
    ];
    let open = Point::with_interval(64.0, 3e-6, f64::NEG_INFINITY, f64::INFINITY);
    let points = [Point::new(0.0, 1e-6), Point::new(2.0, 2e-6), open, Point::new(4096.0, 5e-6)];
    Chart::new("A <b>\"hostile\"</b> & 'strange' title ]]>", sizes(), times(Scale::Log10))
        .series(Series::new("<script>alert(1)</script>", Style::LineAndDots, points.into_iter().chain(bad)))
        .series(Series::line(
            "a name that is much too long to be shown beside the plot",
            [Point::new(16.0, 2e-6)],
        ))
        .mark(1e9, "far away")
        .mark(16.0, "first & foremost")
        .mark(32.0, "a second mark close by")
        .mark(4096.0, "at the very end")
}

fn single() -> Chart {
    Chart::new("One point", sizes(), times(Scale::Log10))
        .series(Series::line("only", [Point::with_interval(1024.0, 4.2e-6, 4.1e-6, 4.4e-6)]))
}

fn results() -> Table {
    let mut table = Table::new([
        Column::text("transport"),
        Column::number("latency").unit("us"),
        Column::number("half-power size").unit("B"),
        Column::right("bandwidth"),
        Column::number("fit error").unit("%"),
    ])
    .caption("Fitted parameters of each transport");
    for (index, Model(name, startup, bandwidth, _)) in MODELS.iter().enumerate() {
        table.row([
            (*name).to_string(),
            format!("{:.*}", index + 1, startup * 1e6),
            format!("{:.0}", startup * bandwidth),
            panto_units::rate(*bandwidth),
            if index == 1 { "n/a".into() } else { format!("{:.1}", 1.4 * (index as f64 + 1.0)) },
        ]);
    }
    table
}

fn page() -> Page {
    let lead = "Shared memory has a 39 times lower latency than TCP over the loopback device; from 64KiB on, all three \
                transports are limited by copying.";
    Page::new("Message passing on one node", lead)
        .section(summary())
        .section(point_to_point())
        .section(collectives())
        .section(Section::new("overlap", "Overlap").block(overlap()))
        .section(environment())
}

fn summary() -> Section {
    Section::new("summary", "Summary").block(Block::KeyFigures(vec![
        KeyFigure::new("Smallest latency", "210ns", "shared memory, 208ns to 214ns"),
        KeyFigure::new("Largest bandwidth", "9.80GB/s", "shared memory, 4MiB"),
        KeyFigure::new("Barrier, 256 ranks", "10.4us", "dissemination"),
        KeyFigure::new("Overlap", "58.0%", "at 1MiB, 2 ranks"),
    ]))
}

fn point_to_point() -> Section {
    Section::new("p2p", "Point to point")
        .block(Block::paragraph(
            "Time is half of a round trip. The step at 64KiB is the change from the eager to the rendezvous protocol: \
             from there on, the receiver must send a clear to send before the data follow.",
        ))
        .block(Figure::new([latency(), bandwidth()]))
        .block(results())
}

fn collectives() -> Section {
    Section::new("collectives", "Collective operations").block(barrier()).block(matrix())
}

fn environment() -> Section {
    let machine = "kernel    6.1.0-21-amd64\ncpu       8 x 3.4 GHz\ngovernor  performance";
    Section::new("environment", "Environment").block(Block::Preformatted(machine.into())).block(
        Block::Details {
            summary: "All fitted parameters".into(),
            blocks: vec![Block::paragraph("One row for each transport."), results().into()],
        },
    )
}
