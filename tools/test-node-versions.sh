#!/usr/bin/env bash
# Runs the tests that need no Pulumi CLI on the oldest and on the newest Node.js that the package
# supports. npm installs those below node_modules/.cache. The package must be built.
set -euo pipefail
cd "$(dirname "$0")/.."

# npm puts the Node of the dev dependency first on PATH, so it is moved away.
own=node_modules/.bin/node
restore() { [ ! -e "$own.moved" ] || mv "$own.moved" "$own"; }
trap restore EXIT

# Other tools still need the Node of the dev dependency, which is therefore moved only for the
# tests.
run_on() {
  mv "$own" "$own.moved"
  PATH="$PWD/$1/node_modules/.bin:$PATH" bash -euc '
    echo "Node.js $(node --version)"
    npm run --silent pulumi -- version
    npx vitest run --project unit --project process'
  restore
}

for version in 22.19.0 26; do
  directory=node_modules/.cache/node-$version
  npm install --no-save --no-audit --no-fund --loglevel=error --prefix "$directory" "node@$version"
  run_on "$directory"
done
