#!/bin/bash
# All sources have the layout of .clang-format. Other versions than Debian 12's lay out differently: skipped with those.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if ! clang-format --version 2>/dev/null | grep -q 'version 14\.' || ! git rev-parse --git-dir >/dev/null 2>&1; then
  echo "skipped: this needs clang-format 14 and the repository"
  exit 77
fi
scripts/indent --check || exit 1
# clang-format takes a nested "#pragma omp atomic write" for a declaration and aligns the pragmas and lines around it.
if git grep --untracked -nE '^#pragma omp  |^ +#pragma' -- lib modules apps tests examples; then
  echo "expected pragmas that are not aligned with declarations; base/parallel_for.h has write_atomically" >&2
  exit 1
fi
