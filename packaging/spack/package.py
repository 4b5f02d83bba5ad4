# A recipe for Spack, written after its documentation and not tried: there was no Spack at hand.
# Put it as packages/adamant/package.py into a repository of your own (spack repo create) and install adamant@main.
from spack.package import *


class Adamant(CMakePackage, CudaPackage):
    """Adaptive finite elements (deal.II) and global-coarsening multigrid on host threads or a GPU."""

    # The address of the repository that this file came with:
    # git = "https://.../adamant.git"

    license("Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later")

    version("main", branch="main")

    variant("native", default=True, description="Compile for this machine's instruction set")
    variant("tests", default=False, description="Build the tests")

    depends_on("cxx", type="build")
    depends_on("cmake@3.18:", type="build")
    depends_on("ninja", type="build")
    depends_on("dealii@9.4: +mpi+p4est+muparser+zlib")
    depends_on("mpi")
    depends_on("lapack")
    depends_on("boost+program_options+serialization")
    depends_on("nlohmann-json@3.9:")
    depends_on("googletest", when="+tests")
    depends_on("cuda@12:", when="+cuda")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("ADAMANT_NATIVE", "native"),
            self.define_from_variant("ADAMANT_WITH_CUDA", "cuda"),
            self.define_from_variant("ADAMANT_BUILD_TESTS", "tests"),
            self.define("ADAMANT_BUILD_BENCHMARKS", False),
        ]
        if self.spec.satisfies("+cuda"):
            archs = self.spec.variants["cuda_arch"].value
            if archs != ("none",):
                args.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(archs)))
        return args
