#!/usr/bin/env bash
# The man page: manual.sh RUNG HELP2MAN. The overview, and a section for each subcommand's --help.
# help2man takes the usage, of several commands in columns, for a list of terms, and fills examples into one paragraph:
# the synopsis and the examples are made here instead.
set -euo pipefail
export COLUMNS=80  # of the help, whatever the terminal has
rung=$1 help2man=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sections=$scratch/sections

# A line that starts with a dot or a quote would be a request; a dash is a hyphen unless escaped.
verbatim() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"; }

# What help2man calls: a command whose help is the overview without its usage and examples.
{
  printf '#!/usr/bin/env bash\ncat <<"END"\n'
  "$rung" --help | sed -e '/^Usage:$/,/^$/d' -e '/^Examples:$/,/^$/d'
  echo END
} >"$scratch/rung"
chmod +x "$scratch/rung"

{
  printf '[SYNOPSIS]\n.nf\n'
  "$rung" --help | sed -n '/^Usage:$/,/^$/s/^  //p' | verbatim
  printf '.fi\n\n[EXAMPLES]\n.nf\n'
  "$rung" --help | sed -n '/^Examples:$/,/^$/s/^  //p' | verbatim
  printf '.fi\n\n'
} >"$sections"
for name in $("$rung" --help | sed -n 's/^  rung \([a-z][a-z]*\) .*/\1/p' | sort -u); do
  printf '[RUNG %s]\n.nf\n' "${name^^}"
  "$rung" "$name" --help | verbatim
  printf '.fi\n\n'
done >>"$sections"
# A fixed date keeps builds reproducible.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600} "$help2man" --no-info --include "$sections" \
  --version-string "$("$rung" --version | head -n 1)" \
  --name 'run, check and time hand-written array kernels' "$scratch/rung"
