#!/usr/bin/env bash
# Installs what Pario needs to build, test and run on Debian 12: system packages where they are
# missing, and Python environments under .env/. Says nothing and takes well under a second where
# all is there. Usage: scripts/setup.sh [lint]   (lint adds the environment of make lint)
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  ninja-build pkg-config libgtest-dev         # build and unit tests
  mpich libmpich-dev                          # Debian's MPICH
  openmpi-bin libopenmpi-dev                  # Debian's Open MPI
  gfortran                                    # Fortran clients
  libhdf5-mpich-dev libhdf5-openmpi-dev       # parallel HDF5 clients
  python3-h5py-mpi python3-mpi4py             # parallel HDF5 from Python
  libcli11-dev nlohmann-json3-dev             # the benchmark program
  python3-venv                                # the environments below
)

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  [[ ${#missing[@]} -eq 0 ]] && return
  if [[ $(id -u) -ne 0 ]]; then
    echo "setup: these system packages are missing; install them as root, then try again:" >&2
    echo "  sudo apt-get install ${missing[*]}" >&2
    exit 1
  fi
  echo "setup: installing system packages: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  mkdir -p build/setup-logs
  { apt-get update && apt-get install -y --no-install-recommends "${missing[@]}"; } \
    >build/setup-logs/apt.log 2>&1 || { tail -20 build/setup-logs/apt.log >&2; exit 1; }
}

# The pinned packages need Python 3.11, which Debian 12 has.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  echo "setup: no Python 3.11 or newer with venv and ensurepip was found" >&2
  exit 1
}

# make_environment NAME: .env/NAME holds exactly what requirements/NAME.txt says.
make_environment() {
  local name=$1 wanted stamp=.env/$1/requirements.sha256
  wanted=$(sha256sum "requirements/$name.txt")
  [[ -f $stamp && $(cat "$stamp") == "$wanted" ]] && return
  echo "setup: making the Python environment .env/$name"
  "$(find_python)" -m venv --clear ".env/$name"
  ".env/$name/bin/python" -m pip install --quiet --disable-pip-version-check -r "requirements/$name.txt"
  if [[ $name == pario ]]; then
    .env/pario/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e python
  fi
  echo "$wanted" >"$stamp"
}

# The command lives in one environment; the others, and .env/bin for the PATH, point at it.
link_command() {
  local folder
  mkdir -p .env/bin
  for folder in .env/bin .env/mpich/bin .env/openmpi/bin; do
    ln -sfn "$PWD/.env/pario/bin/pario" "$folder/pario"
  done
  printf 'export PATH="%s:$PATH"\n' "$PWD/.env/bin" >.env/activate
}

install_packages
for name in pario mpich openmpi "$@"; do
  make_environment "$name"
done
link_command
