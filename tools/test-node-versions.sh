#!/usr/bin/env bash
# Runs the tests that need no Pulumi CLI on the oldest and on the newest Node.js that the package
# supports. npm installs those below node_modules/.cache. The package must be built.
set -euo pipefail
cd "$(dirname "$0")/.."

for version in 22.19.0 26; do
  directory=node_modules/.cache/node-$version
  npm install --no-save --no-audit --no-fund --loglevel=error --prefix "$directory" "node@$version"
  # Without npm, which would put the Node.js of the dev dependency first on PATH.
  PATH="$PWD/$directory/node_modules/.bin:$PATH" bash -euc '
    echo "Node.js $(node --version)"
    [[ "$(node --version)" == "v$0"* ]] || { echo "This is not Node.js $0." >&2; exit 1; }
    node tools/pulumi-cli/run.mts version
    node node_modules/vitest/vitest.mjs run --project unit --project process' "$version"
done
