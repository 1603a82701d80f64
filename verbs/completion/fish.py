"""The script for fish (3.1 and newer)."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.verbs.completion.words import ANY, LAST, NONE, PROBES, SESSIONS, WORDS, Command, Word

HEAD = """\
# fish completion of roofwatch, made by: roofwatch --completion fish

function __roofwatch_verb
    set -l words (commandline -opc)
    test (count $words) -ge 2; and echo $words[2]
end

# In this verb, and not behind --, where somebody else's command stands.
function __roofwatch_in
    set -l words (commandline -opc)
    contains -- -- $words[2..-1]; and return 1
    set -l verb (__roofwatch_verb)
    if test -z "$argv[1]"
        not contains -- "$verb" $__roofwatch_verbs
    else
        test "$verb" = "$argv[1]"
    end
end

function __roofwatch_sessions
    set -l data $XDG_DATA_HOME
    test -n "$data"; or set data $HOME/.local/share
    for path in @last@ $data/roofwatch/sessions/*.jsonl
        echo $path
    end
end

# What the session on this line has measured.
function __roofwatch_probes
    set -l data $XDG_DATA_HOME
    test -n "$data"; or set data $HOME/.local/share
    set -l file
    for each in (commandline -opc)[3..-1]
        test -f "$each"; and set file $each
        if test "$each" = last
            for path in $data/roofwatch/sessions/*.jsonl
                set file $path
            end
        end
    end
    test -f "$file"; or return
    head -c 8000000 -- $file |
        string replace -rf '^\\{"kind":"span".*"probe":"([A-Za-z0-9_.-]*)".*' '$1' | sort -u
end

function __roofwatch_first
    test (count (commandline -opc)) -eq 1
end

# Behind -- the rest of the line is completed as a line of its own.
function __roofwatch_behind
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words); or return 1
    complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-1]) (commandline -ct))
end

complete -c roofwatch -e
complete -c roofwatch -f
complete -c roofwatch -n 'contains -- -- (commandline -opc)' -a '(__roofwatch_behind)'
"""


def script(commands: Sequence[Command]) -> str:
    """The whole of it."""
    verbs = [each for each in commands if each.name]
    lines = [f"set -g __roofwatch_verbs {' '.join(each.name for each in verbs)}\n"]
    for each in verbs:
        lines.append(
            f"complete -c roofwatch -n __roofwatch_first -a {each.name} -d '{each.said}'\n"
        )
    for command in commands:
        test = f"complete -c roofwatch -n '__roofwatch_in {command.name or chr(34) * 2}'"
        lines += [f"{test} {_option(word)}\n" for word in command.options]
        lines += [f"{test}{_value(word)}\n" for word in command.arguments[:1] if word.takes != ANY]
    return HEAD.replace("@last@", " ".join(LAST)) + "".join(lines)


def _option(word: Word) -> str:
    names = [f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in word.names]
    needs = "" if word.takes == NONE or word.optional else " -r"
    return f"{' '.join(names)} -d '{word.said}'{needs}{_value(word)}"


def _value(word: Word) -> str:
    if word.takes == WORDS:
        return f" -f -a '{' '.join(each.replace(' ', chr(92) + ' ') for each in word.words)}'"
    calls = {
        NONE: "",
        ANY: " -f",
        PROBES: " -f -a '(__roofwatch_probes)'",
        SESSIONS: " -F -a '(__roofwatch_sessions)'",
    }
    return calls.get(word.takes, " -F")
