# What bash evaluates a second time: in arithmetic, in subscripts, and where a builtin takes the name of a variable, the
# text of a value is expanded again, so that a[$(command)] in it runs the command, however it was quoted.

# Arithmetic in the text of a command, or a subscript.
function evaluates(text,    name) {
    if (text ~ /[A-Za-z_$`\001]/) EVALUATES = 1
    if (text ~ /[$`]/ && text ~ /\047[^\047]*([$]\(|`)|\\[$`]/) block("arithmetic with quoted commands")
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (name in KNOWN) continue
        if (runner_name(name) || (name !~ /[a-z]/ && secret_name(name))) block("arithmetic reads " name)
    }
}

function runner_name(name) {
    return name ~ /^GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY|EVENT_PATH)$|^ACTIONS_|^RUNNER_TRACKING/
}

# A subscript with a command in it, or (broadly) anything that would become one in a subscript.
function subscripted(text) { return text ~ /[A-Za-z0-9_]\[.*([$]\(|`)/ }

function substituting(text) { return text ~ /[$]\(|`|[$][{][^}]*@P|\\(x24|0*44|u0*24|x60|0*140|u0*60)/ }

# Text whose later way is not followed: the value of a variable, an operand of [[.
function note(text) { NOTE[++NOTES] = text }

# Builtins that take the name of a variable, or evaluate their operands.
function names_of_variables(c, i, name,    j, w, n, declares) {
    n = WORDS[c]
    if (name ~ /^(read|mapfile|readarray)$/) READS = 1
    declares = name ~ /^(declare|typeset|local|export|readonly)$/
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (name == "let") {
            if (substituting(w)) block("let evaluates a command in quotes")
            evaluates(w)
        } else if (declares && WORD[c, i + 1] ~ /^-[A-Za-z]*i/) evaluates(w)
        if (name ~ /^(mapfile|readarray)$/ && w ~ /^-[A-Za-z]*C/) block(name " runs a command")
        if (name ~ /^(test|\[|wait)$/ && WORD[c, j - 1] !~ /^-[vRp]$/) continue
        if (name == "printf" && !(j == i + 2 && WORD[c, i + 1] == "-v") && !(j == i + 1 && w ~ /^-v./)) continue
        if (declares) sub(/=.*/, "", w)
        if (subscripted(w)) block(name " evaluates the subscript of " w)
    }
}

# At the end: no text that arithmetic could come upon may hold a command.
function evaluated_texts(    c, j, name, fed) {
    if (!EVALUATES) return
    if (decodes()) block("arithmetic over what was decoded")
    for (j = 1; j <= NOTES; j++) if (substituting(NOTE[j])) block("arithmetic may evaluate a command in: " NOTE[j])
    for (c = 1; c <= COMMANDS; c++) if (FEED[c] > 0) fed[FEED[c]] = 1
    for (c = 1; c <= COMMANDS; c++) {
        if ((c in HAS_HERE) && !(HERE[c] in JUDGED) && substituting(HERE[c])) block("arithmetic may evaluate what is read")
        name = WORD[c, 1]
        sub(/.*\//, "", name)
        if (name ~ /awk$/) continue
        fed[c] = name ~ /^(echo|printf)$/ && (READS || SCOPE[c] > 0 || (c in fed))
        for (j = 1; j <= WORDS[c]; j++) {
            if (WORD[c, j] in JUDGED || WORD[c, j] !~ /[$`\\]/) continue
            if (fed[c] ? substituting(WORD[c, j]) : subscripted(WORD[c, j])) block("arithmetic may evaluate a command in: " WORD[c, j])
        }
    }
}
