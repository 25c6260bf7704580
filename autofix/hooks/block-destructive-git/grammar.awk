# Where a command may stand. A text that a shell refuses is refused here too: what one reader takes for nonsense another
# may run. Per list of commands L: BLOCKS holds a letter for each open compound command (i: if, t: then, e: else,
# w: while, f: for, d: do, c: case, {: braces), GOT says that a command was read since the last separator, CLOSED that
# it was a compound one, NEED that an operator still wants one, FUNC that a function wants its body, BODY that the
# innermost block is not empty.

# A command begins; `simple` if it is no compound one.
function begins(L, simple) {
    if (CLOSED[L]) block("a word behind the end of a compound command")
    if (FUNC[L] && simple) block("a function without its body")
    if (BLOCKS[L] ~ /f$/) block("a loop without its do")
    GOT[L] = BODY[L] = 1
    NEED[L] = FUNC[L] = 0
}

# A whole compound command ends: only redirections and separators may follow.
function ends(L) {
    GOT[L] = BODY[L] = CLOSED[L] = 1
}

function separated(L, operator) {
    if (operator == "\n") {
        if (!NEED[L] || GOT[L]) GOT[L] = CLOSED[L] = 0
        return
    }
    if (!GOT[L] && operator !~ /^;[;&]/) block("nothing stands before " operator)
    if (operator ~ /^;[;&]/ && (BLOCKS[L] !~ /c$/ || NEED[L])) block("a " operator " outside a case")
    GOT[L] = CLOSED[L] = 0
    NEED[L] = operator ~ /^(\|\|?|\|&|&&)$/
}

# Reserved words with which nothing else is to be read. 1 if `word` is one.
function reserved(L, word) {
    if (word == "!" || word == "coproc") {
        if (CLOSED[L] || FUNC[L]) block("a " word " in an odd place")
        NEED[L] = 1
    } else if (word == "if") opened(L, "i")
    else if (word == "while" || word == "until") opened(L, "w")
    else if (word == "{") opened(L, "{")
    else if (word == "then") turned(L, word, "i", "t")
    else if (word == "elif") turned(L, word, "t", "i")
    else if (word == "else") turned(L, word, "t", "e")
    else if (word == "do") turned(L, word, "[wf]", "d")
    else if (word == "fi") turned(L, word, "[te]", "")
    else if (word == "done") turned(L, word, "d", "")
    else if (word == "}") turned(L, word, "[{]", "")
    else if (word == "esac") turned(L, word, "c", "")
    else return 0
    return 1
}

function opened(L, letter) {
    begins(L, 0)
    BLOCKS[L] = BLOCKS[L] letter
    GOT[L] = BODY[L] = 0
}

# One part of a compound command gives way to the next, or to its end.
function turned(L, word, from, to) {
    if (BLOCKS[L] !~ (from "$") || NEED[L] || FUNC[L] || (GOT[L] && !CLOSED[L] && from != "[wf]")) block("a " word " in an odd place")
    if (!BODY[L]) block("nothing stands before " word)
    BLOCKS[L] = substr(BLOCKS[L], 1, length(BLOCKS[L]) - 1) to
    if (to == "") { ends(L); return }
    GOT[L] = CLOSED[L] = BODY[L] = 0
}

# The end of the list itself.
function complete(L) {
    if (BLOCKS[L] != "") block("a compound command without its end")
    if (NEED[L] || FUNC[L]) block("a command is missing at the end")
}
