#!/bin/sh
# Runs as root while the dev container is built. The options of the feature are environment variables.
set -eu

# The feature for Node installs Node in a folder that only later shells have in PATH.
if ! command -v npm >/dev/null && [ -d /usr/local/share/nvm/current/bin ]; then
  PATH="/usr/local/share/nvm/current/bin:$PATH"
fi
if ! command -v npm >/dev/null; then
  echo "petstore-sandbox needs Node 20.19, 22.12 or newer: add the feature ghcr.io/devcontainers/features/node." >&2
  exit 1
fi
npm install --global --no-audit --no-fund "petstore-sandbox@${VERSION:-latest}"
