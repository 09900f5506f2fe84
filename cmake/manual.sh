#!/usr/bin/env bash
# The man page: manual.sh RUNG HELP2MAN. The overview, and a section for each subcommand's --help.
set -euo pipefail
rung=$1 help2man=$2
sections=$(mktemp)
trap 'rm -f "$sections"' EXIT
for name in $("$rung" --help | sed -n 's/^  rung \([a-z][a-z]*\) .*/\1/p' | sort -u); do
  printf '[RUNG %s]\n.nf\n' "${name^^}"
  # A line that starts with a dot or a quote would be a request; a dash is a hyphen unless escaped.
  "$rung" "$name" --help | sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"
  printf '.fi\n\n'
done >"$sections"
# A fixed date keeps builds reproducible.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600} "$help2man" --no-info --include "$sections" \
  --version-string "$("$rung" --version | head -n 1)" \
  --name 'run, check and time hand-written array kernels' "$rung"
