"""The script for zsh, for a file ``_roofwatch`` on its fpath, or to be sourced."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.verbs.completion.words import ANY, NONE, SESSIONS, WORDS, Command, Word

HEAD = """\
#compdef roofwatch
# zsh completion of roofwatch, made by: roofwatch --completion zsh

# Files here, and the kept ones by any part of their name.
_roofwatch_sessions() {
    local -a kept=(${XDG_DATA_HOME:-$HOME/.local/share}/roofwatch/sessions/*.jsonl(N))
    _files
    (( $#kept )) && compadd -M 'l:|=* r:|=*' -a kept
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
    return "".join([HEAD, told, *map(_function, commands), TAIL])


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
        return f"({' '.join(word.words)})"
    return {ANY: " ", SESSIONS: "_roofwatch_sessions"}.get(word.takes, "_files")
