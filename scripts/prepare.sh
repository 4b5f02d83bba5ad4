# shellcheck shell=bash
# Sourced by scripts/run and scripts/test: installs what is missing and builds. Debian's packages are taken where dpkg is;
# elsewhere the compiler, CMake, Ninja, deal.II with Trilinos, Boost and nlohmann_json have to be there already.

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=$source_dir/build

packages=(g++ git cmake ninja-build libboost-program-options-dev nlohmann-json3-dev libgtest-dev libbenchmark-dev python3)
[ -n "${DEAL_II_DIR:-}" ] || packages+=(libdeal.ii-dev)
debian() { grep -qs "^VERSION_ID=\"$1\"" /etc/os-release; } # of this version
# Debian 13's deal.II makes programs link with mold, which it only recommends.
! debian 13 || packages+=(mold)

say() { printf '== %s\n' "$*"; }
fail() { printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Installs those of the packages that are missing. Asks nothing; without anything to do it needs no network.
install_packages() {
  command -v dpkg-query >/dev/null || { say "not a Debian system: taking compiler and libraries as they are"; return; }
  local package missing=()
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "installing packages needs root or sudo; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 -o Dpkg::Use-Pty=0)
  apt-cache show "${missing[@]}" >/dev/null 2>&1 || "${apt[@]}" update
  # Package lists that are there may be too old to fetch from.
  "${apt[@]}" install --no-install-recommends "${missing[@]}" ||
    { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "${missing[@]}"; } ||
    fail "apt-get could not install: ${missing[*]}"
}

# What a build directory depends on.
toolchain() {
  local nvcc cxx=${CXX:-c++} deal_ii=${DEAL_II_DIR:-/usr}/include/deal.II/base/config.h
  nvcc=$(command -v "${CUDACXX:-nvcc}" || command -v /usr/local/cuda/bin/nvcc || true)
  printf '%s %s, deal.II %s, CUDA %s\n' "$cxx" "$("$cxx" -dumpfullversion 2>/dev/null || "$cxx" -dumpversion)" \
    "$(sed -n 's/^#define DEAL_II_PACKAGE_VERSION "\(.*\)"/\1/p' "$deal_ii" 2>/dev/null)" \
    "$([ -z "$nvcc" ] || "$nvcc" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')"
}

# A build directory of another source folder, generator, compiler or deal.II is no use.
stale() {
  [ -f "$build_dir/CMakeCache.txt" ] || return 1
  ! grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$source_dir" "$build_dir/CMakeCache.txt" ||
    ! grep -qx "CMAKE_GENERATOR:INTERNAL=Ninja" "$build_dir/CMakeCache.txt" ||
    { [ -f "$build_dir/toolchain.txt" ] && [ "$(cat "$build_dir/toolchain.txt")" != "$(toolchain)" ]; }
}

# As many compilers as there are cores, but 2 GB of memory for each.
build_jobs() {
  local cores limit kilobytes by_memory
  cores=$(nproc)
  kilobytes=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo 2>/dev/null || true)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
  [[ $limit =~ ^[0-9]+$ ]] && [ $((limit / 1024)) -lt "${kilobytes:-0}" ] && kilobytes=$((limit / 1024))
  by_memory=$((${kilobytes:-0} / 2000000))
  echo $((by_memory < 1 ? 1 : by_memory < cores ? by_memory : cores))
}

has_gpu() { compgen -G "/dev/nvidia[0-9]*" >/dev/null || nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

# Sources are compiled together, more of them on fewer cores, and deal.II's headers once, which spares a quarter of the
# compilers' time.
# Whoever edits the sources takes a preset of CMakePresets.json, which compiles them one by one.
compiled_together() {
  local batch
  batch=$(sed -n 's/^CMAKE_UNITY_BUILD_BATCH_SIZE:[A-Z]*=//p' "$build_dir/CMakeCache.txt" 2>/dev/null || true)
  [ -n "$batch" ] || batch=$((80 / $(nproc)))
  batch=$((batch < 4 ? 4 : batch > 40 ? 40 : batch))
  echo "-DADAMANT_PRECOMPILE=ON -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=$batch"
}

# How long a first build takes, from the seconds of compilers that were measured.
first_build_takes() { # TARGET JOBS
  local seconds=500
  [ -n "$1" ] || seconds=2150
  ! grep -q 'CMAKE_CUDA_COMPILER:.*nvcc' "$build_dir/CMakeCache.txt" || seconds=$((seconds + 1020))
  echo "about $(((seconds / $2 + 59) / 60)) min where the machine is idle"
}

# build [TARGET [CMAKE OPTION]...]: configures build/ (Release) and builds one target or all.
build() {
  local target=${1:-} jobs clean=() expected="" log=$build_dir/configure.log together=-DADAMANT_PRECOMPILE=ON
  shift || true
  [ "${1:-}" = --preset ] || together=$(compiled_together) # a preset says the rest
  if stale; then
    say "build/ was made elsewhere or with another compiler or deal.II: making it anew"
    rm -rf "$build_dir/CMakeCache.txt" "$build_dir/CMakeFiles"
    clean=(--clean-first)
  fi
  mkdir -p "$build_dir"
  say "configuring $build_dir"
  # shellcheck disable=SC2086 # each word is an option
  cmake -S "$source_dir" -B "$build_dir" -G Ninja -DCMAKE_BUILD_TYPE=Release $together "$@" >"$log" 2>&1 ||
    { cat "$log" >&2; fail "cmake failed; its output stands above and in $log"; }
  grep -- '-- adamant:' "$log" || true
  toolchain >"$build_dir/toolchain.txt"
  jobs=$(build_jobs)
  [ -f "$build_dir/lib/libadamant.a" ] && [ ${#clean[@]} -eq 0 ] || expected="; the first time takes $(first_build_takes "$target" "$jobs")"
  say "building ${target:-everything} ($jobs at a time)$expected"
  cmake --build "$build_dir" -j "$jobs" "${clean[@]}" ${target:+--target "$target"} || fail "the build failed; see above"
}
