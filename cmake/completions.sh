#!/usr/bin/env bash
# Shell completions, made from the command itself: completions.sh RUNG bash|zsh
# Options and which of them take a value come from `rung SUBCOMMAND --help`. The values come from what rung answers to
# one that cannot be: its hint ends in "valid: a, b, c". An option without such a list takes a file name. Kernels are
# those of the family, which bench and explain have as a word; they, and the values of -a, may be several, with commas
# between.
set -euo pipefail
export COLUMNS=80  # of the help, whatever the terminal has
rung=$(realpath "$1") shell=$2
# Where a run that does more than complain would leave its files.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

subcommands=$("$rung" --help | sed -n 's/^  rung \([a-z][a-z]*\) .*/\1/p' | sort -u | tr '\n' ' ')

# "--op OP" or "--check": the options of a subcommand, one a line.
options() { "$rung" "$1" --help | sed -nE 's/^ +(-[a-z], )?(--[a-z-]+)( [^ ]+)?.*/\1\2\3/p' | sed 's/,//'; }

offered() { { "$rung" "$@" </dev/null 2>&1 || true; } | sed -n 's/.*valid: //p' | head -1 | sed 's/,//g; s/[^ ]*:N//g'; }
choices() { offered "$@" '?'; }

# Lines "subcommand<TAB>option words<TAB>takes value (0, 1)<TAB>choices".
table() {
  local name line words value list wanted
  for name in $subcommands; do
    # What a subcommand answers to a word that is missing is not a list of an option's values.
    wanted=$(choices "$name")
    while read -r line; do
      words=$(grep -oE -- '--?[a-z][a-z-]*' <<<"$line" | tr '\n' ' ')
      value=0
      [[ $line =~ [[:space:]][^-[:space:]][^[:space:]]*$ ]] && value=1
      list=
      ((value)) && list=$(choices "$name" "$(tr ' ' '\n' <<<"${words% }" | tail -1)")
      [[ $list != "$wanted" ]] || list=
      printf '%s\t%s\t%s\t%s\n' "$name" "${words% }" "$value" "$list"
    done < <(options "$name")
    printf '%s\t\t1\t%s\n' "$name" "$wanted"
  done
  for name in $families; do
    printf 'explain %s\t-k --kernel\t1\t%s\n' "$name" "$(choices explain "$name" -k)"
  done
}

# The branches of `case "$command $previous"`: the values of an option; those with the same values in one branch.
value_cases() {
  awk -F '\t' '$3 == 1 && $2 != "" {
    n = split($2, word, " ")
    for (i = 1; i <= n; i++) pattern[$4] = pattern[$4] (pattern[$4] == "" ? "" : " | ") "\"" $1 " " word[i] "\""
    if (!($4 in seen)) { seen[$4] = 1; order[++count] = $4 }
  }
  END {
    for (k = 1; k <= count; k++)
      printf "    %s)\n      %s\n      return ;;\n", pattern[order[k]], order[k] == "" ? files : sprintf(words, order[k])
  }' files="$1" words="$2"
}

# The branches of `case "$command"`: its options and words.
option_cases() {
  awk -F '\t' '{ if ($2 == "") words[$1] = $4; else all[$1] = all[$1] (all[$1] == "" ? "" : " ") $2 }
    END { for (c in words) printf "    %s)\n      options=\"%s\"\n      words=\"%s\" ;;\n", c, all[c], words[c] }'
}
families=$(choices bench)
rows=$(table)
listed=$(choices list kernels)
sweeps=$(offered bench -a '?=1')
case $shell in
  bash)
    left='COMPREPLY=($(compgen -P "$before" -W "$(_rung_left "$taken" %s)" -- "$current"))'
    cat <<EOT
# bash completion for rung; made by cmake/completions.sh
_rung() {
  # Readline breaks words at = and :, as COMP_WORDBREAKS says: put them together, and take what it holds for the start
  # of the word off the answers.
  local -a typed=()
  local k whole cut=""
  for ((k = 0; k <= COMP_CWORD; ++k)); do
    if ((k > 1)) && [[ \${COMP_WORDS[k]} == [=:]* || \${COMP_WORDS[k - 1]} == *[=:] ]]; then
      typed[\${#typed[@]} - 1]+=\${COMP_WORDS[k]}
    else
      typed+=("\${COMP_WORDS[k]}")
    fi
  done
  whole=\${typed[\${#typed[@]} - 1]}
  for ((k = 0; k < \${#whole}; ++k)); do
    if [[ \${whole:k:1} == [=:] && \$COMP_WORDBREAKS == *"\${whole:k:1}"* ]]; then cut=\${whole:0:k + 1}; fi
  done
  _rung_words "\${typed[@]}"
  COMPREPLY=("\${COMPREPLY[@]#"\$cut"}")
}
# LIST WORD...: the words that are not in the list, which has commas between.
_rung_left() {
  local word
  for word in "\${@:2}"; do [[ ,\$1, == *",\$word,"* ]] || printf '%s\n' "\$word"; done
}
_rung_words() {
  local current=\${!#} command=\${2-} previous="" options="" words="" before="" said="" taken="" word
  local -a typed=("\$@")
  if ((\$# > 1)); then previous=\${typed[\$# - 2]}; fi
  COMPREPLY=()
  if ((\$# == 2)); then
    COMPREPLY=(\$(compgen -W "$subcommands--help --version" -- "\$current"))
    return
  fi
  case "\$command" in
$(option_cases <<<"$rows")
  esac
  # The family of bench and explain, what list lists, what help is of.
  for word in "\${typed[@]:2:\$# - 3}"; do
    if [[ " \$words " == *" \$word "* ]]; then said=\$word words=""; break; fi
  done
  if [[ \$current == --*=* ]]; then
    previous=\${current%%=*}
    before=\$previous=
    current=\${current#*=}
  fi
  case "\$command \$previous \$current" in
    "bench -a "*=* | "bench --sweep "*=*)
      previous=--\${current%%=*}
      before+=\${current%%=*}=
      current=\${current#*=}
      if [[ \$current == *,* ]]; then taken=\${current%,*} before+=\${current%,*},; fi
      current=\${current##*,} ;;
  esac
  if [[ \$previous == -k || \$previous == --kernel ]]; then
    case "\$command" in
      bench) command=\${said:-bench} ;;
      explain) command+=\${said:+ \$said} ;;
    esac
    if [[ \$current == *,* ]]; then taken=\${current%,*} before+=\${current%,*},; fi
    current=\${current##*,}
  fi
  if [[ \$command == list && \$said == kernels && \$previous != --color ]]; then
    previous=kernels
    [[ \$current != -* ]] || previous=
    taken=\$(IFS=,; printf %s "\${typed[*]:2:\$# - 3}")
  fi
  case "\$command \$previous" in
    "bench -a" | "bench --sweep")
      compopt -o nospace 2>/dev/null
      COMPREPLY=(\$(compgen -P "\$before" -S = -W "$sweeps" -- "\$current"))
      return ;;
    "list kernels")
      COMPREPLY=(\$(compgen -W "\$(_rung_left "\$taken" $listed)" -- "\$current"))
      return ;;
$(value_cases 'COMPREPLY=()' "$left" <<<"$rows")
  esac
  if [[ -n \$before ]]; then return; fi
  # These have no files.
  if [[ \$command == list || \$command == help ]]; then compopt +o default +o bashdefault 2>/dev/null; fi
  if [[ \$current == -* ]]; then words=\$options; fi
  COMPREPLY=(\$(compgen -W "\$words" -- "\$current"))
}
complete -o bashdefault -o default -F _rung rung
EOT
    ;;
  zsh)
    cat <<EOT
#compdef rung
# zsh completion for rung; made by cmake/completions.sh
_rung() {
  local current=\$words[CURRENT] previous=\$words[CURRENT-1] command=\$words[2]
  local options="" choices="" valued="" said="" word
  local -a taken
  if ((CURRENT == 2)); then
    compadd -- $subcommands--help --version
    return
  fi
  case "\$command" in
$(option_cases <<<"$rows" | sed 's/^      words=/      choices=/')
  esac
  # The family of bench and explain, what list lists, what help is of.
  for word in \$words[3,CURRENT-1]; do
    [[ " \$choices " != *" \$word "* ]] || { said=\$word choices=; break }
  done
  if [[ \$current == --*=* ]]; then
    valued=1 previous=\${current%%=*}
    compset -P "\$previous="
    current=\${current#\$previous=}
  fi
  if [[ "\$command \$previous \$current" == "bench "(-a|--sweep)" "*=* ]]; then
    valued=1 previous=--\${current%%=*}
    [[ \$current != *,* ]] || taken=(\${(s:,:)\${\${current%,*}#*=}})
    compset -P '*='
    compset -P '*,'
  fi
  if [[ \$previous == (-k|--kernel) ]]; then
    [[ \$current != *,* ]] || taken=(\${(s:,:)\${current%,*}})
    compset -P '*,'
    case "\$command" in
      bench) command=\${said:-bench} ;;
      explain) command+=\${said:+ \$said} ;;
    esac
  fi
  if [[ \$command == list && \$said == kernels && \$previous != --color ]]; then
    previous=kernels taken=(\$words[3,CURRENT-1])
    [[ \$current != -* ]] || previous=
  fi
  case "\$command \$previous" in
    "bench -a" | "bench --sweep")
      compadd -S = -- $sweeps
      return ;;
    "list kernels")
      compadd -F taken -- $listed
      return ;;
$(value_cases '_files' 'compadd -F taken -- %s' <<<"$rows")
  esac
  [[ -z \$valued ]] || return
  if [[ \$current == -* ]]; then
    compadd -- \${=options}
  else
    [[ -z \$choices ]] || compadd -- \${=choices}
    [[ \$command == (list|help) ]] || _files
  fi
}
_rung "\$@"
EOT
    ;;
esac
