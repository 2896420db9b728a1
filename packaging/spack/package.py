"""Spack's recipe. Put it into a repository as packages/panto/package.py; in a checkout of Panto,
`spack dev-build panto@main` then builds and installs that checkout.
"""

from spack.package import CargoPackage, depends_on, license, mkdirp, run_after, version, which


class Panto(CargoPackage):
    """A laboratory for message-passing performance: measures how a machine passes messages, records
    MPI programs without recompiling them, and predicts them on other machines."""

    maintainers = []

    license("MIT OR Apache-2.0")

    # A release adds its version here, with the address and the checksum of its source archive.
    version("main")

    depends_on("rust@1.88:", type="build")
    # The binary loads the MPI of the launcher that starts it; it is not linked against any.

    @property
    def install_args(self):
        return ["--path", "crates/cli", "--locked"]

    @run_after("install")
    def pages_and_completions(self):
        panto = which(self.prefix.bin.panto)
        panto("man", "--dir", self.prefix.share.man.man1)
        scripts = {
            "bash": self.prefix.share.join("bash-completion", "completions", "panto"),
            "zsh": self.prefix.share.zsh.join("site-functions", "_panto"),
            "fish": self.prefix.share.fish.join("vendor_completions.d", "panto.fish"),
        }
        for shell, path in scripts.items():
            mkdirp(path.rsplit("/", 1)[0])
            with open(path, "w") as file:
                panto("completions", shell, output=file)
