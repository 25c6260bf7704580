#!/bin/sh
# block-destructive-git.sh: a second opinion on what an agent is about to do, independent of every other one.
#
# A PreToolUse hook in the protocol of Claude Code: one JSON object on stdin; exit 0 and silence for "no objection",
# exit 2 and one line on stderr for "no". It needs a POSIX sh and any awk, nothing else. Its parts lie in the folder of its
# name beside it.
#
# It objects to a Bash command that deletes trees or files it cannot tell for build output, discards work, rewrites
# history, touches a remote, configures git or plants programs in it, overwrites what steers a project, uses the
# network, reads secrets, reaches the runner, changes privileges, signals foreign processes, or hides what it runs.
# Of the file tools it objects to writing into git or workflows and to opening secrets. It does not know which files
# a pull request changes: that is the gate's to judge.
#
# How it works: the JSON is read strictly; the command is split as a shell would do it (quotes, escapes, expansions,
# substitutions, here-documents, compound commands) into simple commands, and each is judged by program and flags,
# through wrappers and inline code. Text is not an action: what stands in quotes of a harmless command is left alone.
# What cannot be known from the text is an objection.
#
# It fails closed by construction: only the word "ok" from awk, which it prints last, leads to exit 0.
set -eu
LC_ALL=C
PATH=/usr/local/bin:/usr/bin:/bin
export LC_ALL PATH
unset ENV BASH_ENV CDPATH 2>/dev/null || :

# shellcheck disable=SC2317,SC2329 # run by the trap
closed() {
    status=$?
    trap - EXIT
    case $status in
        0 | 2) exit "$status" ;;
        *)
            echo "the hook failed (status $status), and so it blocks" >&2
            exit 2
            ;;
    esac
}
trap closed EXIT
trap 'exit 2' HUP INT PIPE TERM

# Every part, by name: a missing one is a failure, and a failure is a no.
case $0 in
    */*) parts=${0%/*}/block-destructive-git ;;
    *) parts=./block-destructive-git ;;
esac
answer=$(
    awk -f "$parts/input.awk" -f "$parts/call.awk" -f "$parts/commands.awk" -f "$parts/grammar.awk" \
        -f "$parts/words.awk" -f "$parts/evaluation.awk" -f "$parts/streams.awk" \
        -f "$parts/paths.awk" -f "$parts/programs.awk" -f "$parts/runners.awk" -f "$parts/files.awk" \
        -f "$parts/packages.awk" -f "$parts/git.awk" -f "$parts/code.awk" -f "$parts/languages.awk" \
        -f "$parts/texttools.awk" 2>/dev/null
) || answer="no the command could not be analysed"

# Only the one word "ok" is consent.
case $answer in
    ok) exit 0 ;;
    "no "*) echo "${answer#no }" >&2 ;;
    *) echo "the command could not be analysed" >&2 ;;
esac
exit 2
