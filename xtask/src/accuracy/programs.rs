//! The programs whose time is predicted: those of P17, and a stencil.

/// A program with its arguments.
pub struct Program {
    pub name: &'static str,
    /// The file in `target/apps/MPI`, and the arguments.
    pub words: &'static [&'static str],
}

/// Programs that run for some tenths of a second, so that start-up and noise matter little.
pub const PROGRAMS: &[Program] = &[
    Program { name: "mergesort", words: &["mergesort", "-n", "3000000", "--no-check"] },
    Program { name: "fanin", words: &["cholesky_fanin", "-n", "900", "--no-check"] },
    Program { name: "fanout", words: &["cholesky_fanout", "-n", "900", "--no-check"] },
    Program { name: "gemm", words: &["summa", "gemm", "-n", "640", "--no-check"] },
    Program { name: "symm", words: &["summa", "symm", "-n", "640", "--no-check"] },
    Program { name: "trmm", words: &["summa", "trmm", "-n", "640", "--no-check"] },
    Program { name: "syrk", words: &["summa", "syrk", "-n", "640", "--no-check"] },
    Program { name: "syr2k", words: &["summa", "syr2k", "-n", "640", "--no-check"] },
    Program { name: "trsm", words: &["summa", "trsm", "-n", "640", "--no-check"] },
    Program { name: "stencil", words: &["stencil", "-n", "1024", "-i", "400", "--no-check"] },
];

/// Smaller problems, for a slow network.
pub const SHORT: &[Program] = &[
    Program { name: "mergesort", words: &["mergesort", "-n", "200000", "--no-check"] },
    Program { name: "fanin", words: &["cholesky_fanin", "-n", "200", "--no-check"] },
    Program { name: "fanout", words: &["cholesky_fanout", "-n", "200", "--no-check"] },
    Program { name: "gemm", words: &["summa", "gemm", "-n", "256", "--no-check"] },
    Program { name: "trsm", words: &["summa", "trsm", "-n", "256", "--no-check"] },
    Program { name: "stencil", words: &["stencil", "-n", "256", "-i", "100", "--no-check"] },
];
