#!/usr/bin/env bash
# lint.sh BUILD_FOLDER: every check; tells what each found, and fails when one found something.
# BUILD_FOLDER holds compile_commands.json and the generated files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$1

# What git knows and what it would take: a new file is checked before it is added.
files() { git ls-files --cached --others --exclude-standard -- "$@" | sort -u; }
mapfile -t cpp < <(files '*.cpp' '*.hpp' '*.c' '*.h')
mapfile -t python < <(files '*.py')
mapfile -t scripts < <(files dev .ci/run '*.sh')
# Only what this build compiles; the fuzzers are compiled by clang with warnings of its own.
mapfile -t tidy < <(files '*.cpp' |
  while read -r file; do
    grep -qF "\"file\": \"$PWD/$file\"" "$folder/compile_commands.json" && echo "$file"
  done)

failed=()
check() {
  local name=$1 start=$SECONDS output
  shift
  if output=$("$@" 2>&1); then
    printf 'ok      %-14s %3d s\n' "$name" $((SECONDS - start))
  else
    printf 'FAILED  %-14s %3d s\n%s\n' "$name" $((SECONDS - start)) "$output"
    failed+=("$name")
  fi
}

clang_tidy() {
  # One process a file and core. What it says of suppressed warnings is noise, and what it finds in
  # a header it says again for every file that includes it.
  local output status=0
  output=$(printf '%s\0' "${tidy[@]}" |
    xargs -0 -P "$(nproc)" -n 1 clang-tidy -p "$folder" --quiet 2>&1) || status=$?
  grep -vE '^([0-9]+ warnings? |Suppressed |Use -header-filter)' <<<"$output" |
    awk '!seen[$0]++' || true
  return "$status"
}

check clang-format clang-format --dry-run -Werror "${cpp[@]}"
check includes /usr/bin/python3 tests/check_includes.py
check shellcheck shellcheck "${scripts[@]}"
check flake8 flake8 "${python[@]}"
check black black --quiet --check --diff "${python[@]}"
check clang-tidy clang_tidy

if [[ ${#failed[@]} -gt 0 ]]; then
  echo "lint: ${failed[*]} found something"
  exit 1
fi
echo "lint: nothing found in ${#cpp[@]} C++, ${#python[@]} Python and ${#scripts[@]} shell files"
