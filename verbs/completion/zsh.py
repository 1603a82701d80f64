"""The script for zsh, for a file ``_roofwatch`` on its fpath, or to be sourced."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.verbs.completion.words import ANY, LAST, NONE, PROBES, SESSIONS, WORDS, Command, Word

HEAD = """\
#compdef roofwatch
# zsh completion of roofwatch, made by: roofwatch --completion zsh

# Files here, and the kept ones by any part of their name.
_roofwatch_sessions() {
    local -a kept=(${XDG_DATA_HOME:-$HOME/.local/share}/roofwatch/sessions/*.jsonl(N))
    local -a last=(@last@)
    _files
    compadd -a last
    (( $#kept )) && compadd -M 'l:|=* r:|=*' -a kept
}

# Values in whatever case they are typed.
_roofwatch_values() {
    compadd -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' "$@"
}

# What the session on this line has measured.
_roofwatch_probes() {
    local each file
    local -a kept=(${XDG_DATA_HOME:-$HOME/.local/share}/roofwatch/sessions/*.jsonl(N)) found
    for each in ${(Q)words}; do
        [[ -f ${~each} ]] && file=${~each}
        [[ $each == last ]] && file=${kept[-1]}
    done
    [[ -f $file ]] || return
    found=($(head -c 8000000 -- $file |
        sed -n 's/^{"kind":"span".*"probe":"\\([A-Za-z0-9_.-]*\\)".*/\\1/p' | sort -u))
    compadd -a found
}
"""
TAIL = """
_roofwatch() {
    local at=${words[(ie)--]}
    if (( at < CURRENT )); then # behind it stands somebody else's command
        shift $at words
        (( CURRENT -= at ))
        _normal
        return
    fi
    if (( CURRENT > 2 && $+functions[_roofwatch_${words[2]}] )); then
        local verb=_roofwatch_${words[2]}
        shift words
        (( CURRENT-- ))
        $verb
        return
    fi
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _describe verb _roofwatch_verbs
    else
        _roofwatch_
    fi
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _roofwatch "$@"
else
    compdef _roofwatch roofwatch
fi
"""


def script(commands: Sequence[Command]) -> str:
    """The whole of it."""
    verbs = [f"    '{each.name}:{each.said}'\n" for each in commands if each.name]
    told = f"\ntypeset -ga _roofwatch_verbs=(\n{''.join(verbs)})\n"
    head = HEAD.replace("@last@", " ".join(LAST))
    return "".join([head, told, *map(_function, commands), TAIL])


def _function(command: Command) -> str:
    specs = [spec for word in command.options for spec in _specs(word)]
    specs += [f"'*: :{_value(word)}'" for word in command.arguments[:1]]
    lines = " \\\n        ".join(specs)
    return f"\n_roofwatch_{command.name}() {{\n    _arguments \\\n        {lines}\n}}\n"


def _specs(word: Word) -> list[str]:
    more = "" if word.takes == NONE else f":{':' if word.optional else ''} :{_value(word)}"
    sign = "" if word.takes == NONE else "="
    return [
        f"'{name}{sign if name.startswith('--') else ''}[{word.said}]{more}'" for name in word.names
    ]


def _value(word: Word) -> str:
    if word.takes == WORDS:
        return (
            f"_roofwatch_values {' '.join(each.replace(' ', chr(92) + ' ') for each in word.words)}"
        )
    calls = {ANY: " ", PROBES: "_roofwatch_probes", SESSIONS: "_roofwatch_sessions"}
    return calls.get(word.takes, "_files")
