//! What must be there, row by row. What a row relies on stands above it.

use super::pypi::{INTEL, MPI4PY, MPICH_5, OPEN_MPI_5};
use super::{Detect, Get, Need};

pub const NEEDS: &[Need] = &[
    Need {
        name: "rustfmt",
        detect: Detect::Cargo("fmt"),
        get: Get::Rustup("rustfmt"),
        purpose: "checks the layout of the code",
        required: true,
    },
    Need {
        name: "clippy",
        detect: Detect::Cargo("clippy"),
        get: Get::Rustup("clippy"),
        purpose: "checks the code",
        required: true,
    },
    Need {
        name: "cargo-nextest",
        detect: Detect::Program("cargo-nextest"),
        get: Get::ByHand("cargo install cargo-nextest --locked"),
        purpose: "runs the tests in groups (without it `cargo test` runs them)",
        required: false,
    },
    Need {
        name: "gcc",
        detect: Detect::Program("gcc"),
        get: Get::Apt(&["gcc", "libc6-dev"]),
        purpose: "compiles the programs that Panto is held to",
        required: true,
    },
    Need {
        name: "gfortran",
        detect: Detect::Program("gfortran"),
        get: Get::Apt(&["gfortran"]),
        purpose: "compiles programs that speak to MPI in Fortran",
        required: true,
    },
    Need {
        name: "Open MPI",
        detect: Detect::Program("mpicc.openmpi"),
        get: Get::Apt(&["openmpi-bin", "libopenmpi-dev"]),
        purpose: "a message layer that Panto runs on and is compared with",
        required: true,
    },
    Need {
        name: "MPICH",
        detect: Detect::Program("mpicc.mpich"),
        get: Get::Apt(&["mpich", "libmpich-dev"]),
        purpose: "another message layer that Panto runs on and is compared with",
        required: true,
    },
    Need {
        name: "SimGrid",
        detect: Detect::Program("smpirun"),
        get: Get::Apt(&["libsimgrid-dev"]),
        purpose: "another simulator, which replays converted traces",
        required: false,
    },
    Need {
        name: "iproute2",
        detect: Detect::Program("ip"),
        get: Get::Apt(&["iproute2"]),
        purpose: "makes the hosts of the tests that need more than one",
        required: false,
    },
    Need {
        name: "Python's venv",
        detect: Detect::Python("ensurepip, venv"),
        get: Get::Apt(&["python3", "python3-venv"]),
        purpose: "holds message layers from PyPI, beside the system's",
        required: true,
    },
    Need {
        name: "MPICH 5",
        detect: Detect::Environment(&MPICH_5),
        get: Get::Pypi(&MPICH_5),
        purpose: "has MPICH's ABI and the standard one",
        required: true,
    },
    Need {
        name: "mpi4py",
        detect: Detect::Environment(&MPI4PY),
        get: Get::Pypi(&MPI4PY),
        purpose: "runs programs that speak to MPI in Python",
        required: true,
    },
    Need {
        name: "Open MPI 5",
        detect: Detect::Environment(&OPEN_MPI_5),
        get: Get::Pypi(&OPEN_MPI_5),
        purpose: "has another launcher than Open MPI 4",
        required: false,
    },
    Need {
        name: "Intel MPI",
        detect: Detect::Environment(&INTEL),
        get: Get::Pypi(&INTEL),
        purpose: "has MPICH's ABI and the standard one (a download of 130 MB)",
        required: false,
    },
];
