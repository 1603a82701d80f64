"""The script for bash (3.2, as macOS has it, and newer)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roofwatch.verbs.completion.words import (
    ANY,
    FILES,
    LAST,
    NONE,
    PROBES,
    SESSIONS,
    WORDS,
    Command,
    Word,
)

HEAD = """\
# bash completion of roofwatch, made by: roofwatch --completion bash

_roofwatch_words() {
    local IFS=$' \\t\\n'
    COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

# Values, a line each: as they are typed, else in whatever case.
_roofwatch_values() {
    local IFS=$'\\n' each quote= typed=${cur//\\\\/} before=$(shopt -p nocasematch)
    case $cur in
        [\\"\\']*) quote=${cur%"${cur#?}"} typed=${cur#?} ;;
    esac
    shopt -u nocasematch
    while :; do
        for each in $1; do
            [[ $each == "$typed"* ]] || continue
            [[ -n $quote ]] || printf -v each %q "$each"
            COMPREPLY+=("$each")
        done
        shopt -q nocasematch || ((${#COMPREPLY[@]})) && break
        shopt -s nocasematch
    done
    eval "$before"
}

# Each line as it is: a name may be a pattern.
_roofwatch_lines() {
    local each
    COMPREPLY=()
    while IFS= read -r each; do COMPREPLY+=("$each"); done
}

_roofwatch_files() {
    _roofwatch_lines < <(compgen -f -- "$cur")
    compopt -o filenames 2>/dev/null
}

# Files here, and the kept ones by their name.
_roofwatch_sessions() {
    local path kept=${XDG_DATA_HOME:-${HOME-}/.local/share}/roofwatch/sessions
    _roofwatch_files
    for path in "$kept"/*.jsonl; do
        case ${path##*/} in
            "$cur"*) [ -e "$path" ] && COMPREPLY+=("$path") ;;
        esac
    done
    for path in @last@; do
        [[ $path == "$cur"* ]] && COMPREPLY+=("$path")
    done
}

# What the session on this line has measured.
_roofwatch_probes() {
    local each file= kept=${XDG_DATA_HOME:-${HOME-}/.local/share}/roofwatch/sessions
    for each in "${COMP_WORDS[@]:2}"; do
        each=${each//\\\\/} each=${each/#\\~/${HOME-}}
        [[ -f $each ]] && file=$each
        if [[ $each == last ]]; then
            for file in "$kept"/*.jsonl; do :; done # the newest, by its name
        fi
    done
    [[ -f $file ]] && _roofwatch_words "$(head -c 8000000 -- "$file" |
        sed -n 's/^{"kind":"span".*"probe":"\\([A-Za-z0-9_.-]*\\)".*/\\1/p' | sort -u)"
}

_roofwatch() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb= at i
    COMPREPLY=()
    if [[ $cur == = ]]; then # --option=, which bash takes for two words
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
"""
CALLS = {
    ANY: "",
    FILES: "_roofwatch_files",
    PROBES: "_roofwatch_probes",
    SESSIONS: "_roofwatch_sessions",
}
BEHIND = """\
    for ((at = 1; at < COMP_CWORD; at++)); do
        [[ ${COMP_WORDS[at]} == -- ]] || continue
        # Behind it stands somebody else's command.
        for i in _comp_command_offset _command_offset; do
            declare -F "$i" >/dev/null && "$i" $((at + 1)) && return
        done
        if ((COMP_CWORD == at + 1)); then
            _roofwatch_lines < <(compgen -c -- "$cur")
        else
            _roofwatch_files
        fi
        return
    done
"""


def script(commands: Sequence[Command]) -> str:
    """The whole of it."""
    verbs = [each.name for each in commands if each.name]
    parts = [
        HEAD.replace("@last@", _list(LAST)),
        BEHIND,
        "    if ((COMP_CWORD > 1)); then\n",
        f"        case ${{COMP_WORDS[1]}} in\n            {'|'.join(verbs)}) ",
        "verb=${COMP_WORDS[1]} ;;\n        esac\n    fi\n",
        '    case "$verb $prev" in\n',
        *(_value(each.name, word) for each in commands for word in each.options),
        "    esac\n",
        '    case "$verb $cur" in\n',
        *(_options(each) for each in commands),
        "    esac\n    case $verb in\n",
        *(_arguments(each, verbs) for each in commands),
        "    esac\n}\n\ncomplete -F _roofwatch roofwatch\n",
    ]
    return "".join(parts)


def _call(word: Word) -> str:
    if word.takes == WORDS:
        lines = "\\n".join(each.replace("\\", "\\\\").replace("'", "\\'") for each in word.words)
        return f"_roofwatch_values $'{lines}'"
    return CALLS[word.takes]


def _value(verb: str, word: Word) -> str:
    if word.takes == NONE:
        return ""
    names = "|".join(f'"{verb} {name}"' for name in word.names)
    then = "; ".join(filter(None, (_call(word), "return")))
    if word.optional:  # another option may follow at once
        then = f"[[ $cur == -* ]] || {{ {then}; }}"
    return f"        {names}) {then} ;;\n"


def _options(command: Command) -> str:
    names = _list(name for word in command.options for name in word.names)
    return f'        "{command.name} -"*) _roofwatch_words "{names}"; return ;;\n'


def _arguments(command: Command, verbs: Iterable[str]) -> str:
    if not command.name:
        return f'        "") ((COMP_CWORD == 1)) && _roofwatch_words "{_list(verbs)}" ;;\n'
    calls = [call for word in command.arguments if (call := _call(word))]
    return f"        {command.name}) {calls[0]} ;;\n" if calls else ""


def _list(words: Iterable[str]) -> str:
    return " ".join(words)
