#!/usr/bin/env bash
# Looks at the workspace in the current folder. Annotations come by themselves under GitHub's runner; SARIF is written
# beside them where KLEENE_SARIF names a file. The exit status is that of `cargo kleene lint`.
set -euo pipefail

call=(cargo kleene lint)
if [[ -n "${KLEENE_BASELINE:-}" ]]; then
    call+=(--baseline "$KLEENE_BASELINE")
fi
if [[ -n "${KLEENE_SINCE:-}" ]]; then
    call+=(--since "$KLEENE_SINCE")
fi
# Options are words: nothing in them is expanded.
read -r -a more <<<"${KLEENE_ARGUMENTS:-}"
call+=("${more[@]}")

if [[ -n "${KLEENE_SARIF:-}" ]]; then
    # Findings are no reason to stop before people have seen them.
    "${call[@]}" --format sarif >"$KLEENE_SARIF" || true
fi
"${call[@]}"
