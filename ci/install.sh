#!/usr/bin/env bash
# Builds Kleene from the sources of the action, unless it is there already.
set -euo pipefail

if command -v cargo-kleene >/dev/null; then
    exit 0
fi
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cargo install --locked --path "$root/analyzer"
