#!/usr/bin/env bash
# Every check of make lint; goes on after a failure, so that one run shows all there is.
# clang-tidy takes minutes; --quick leaves it out.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=.env/lint/bin
failures=0

check() {
  local title=$1
  shift
  echo "lint: $title"
  "$@" || failures=$((failures + 1))
}

tidy() {
  local sources
  mapfile -t sources < <(find src -name '*.cpp' | sort)
  printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -n 4 "$bin/clang-tidy" -p build/mpich --quiet 2>/dev/null
}

check clang-format bash -c "find src bench tests -name '*.cpp' -o -name '*.hpp' | xargs $bin/clang-format --dry-run -Werror"
check rooms .env/pario/bin/python scripts/check_rooms.py
check ruff "$bin/ruff" check --config python/pyproject.toml python scripts tests examples
check 'ruff format' "$bin/ruff" format --check --config python/pyproject.toml python scripts tests examples
check mypy "$bin/mypy" --config-file python/pyproject.toml --python-executable .env/pario/bin/python python/pario scripts
[[ ${1:-} == --quick ]] || check clang-tidy tidy

echo "lint: $failures checks failed"
exit $((failures > 0))
