#!/bin/sh
# Prints a checksum of everything that goes into dist/. Used by the build, which stores it, and by bin/mogenius-operator, which compares it:
# one recipe for both, of tools that every POSIX system has. Contents, not times: a checkout changes times.
cd "$(dirname "$0")/.." || exit 1
find adapters cli commands crds domain projections package-lock.json package.json scripts/build.ts -type f ! -name '*.spec.ts' -print |
  LC_ALL=C sort | xargs cksum | cksum
