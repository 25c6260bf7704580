# The shell's grammar: from a text to simple commands. TXT[k] is a text; positions count from 1; POS is where a reader
# stopped. A command c has WORD[c, 1..WORDS[c]], ASSIGN, REDIR, HERE (what it reads on stdin) and FEED (whose pipe it
# reads). Scopes are subshells: a directory changed in one is not changed outside.

function shell(text, scope, depth,    k) {
    if (depth > 10) block("code nested too deeply to judge")
    k = ++TEXTS
    TXT[k] = text; LEN[k] = length(text); LEVEL[k] = depth
    if (text ~ /(^|[^A-Za-z0-9_])IFS\+?=/) ODD_IFS = 1
    list(k, 1, "", scope)
}

function new_scope(parent) {
    PARENT[++SCOPES] = parent
    return SCOPES
}

function fresh(k, scope, feed) {
    if (++COMMANDS > 100) block("more than 100 simple commands")
    WORDS[COMMANDS] = ASSIGNS[COMMANDS] = REDIRS[COMMANDS] = 0
    SCOPE[COMMANDS] = scope; FEED[COMMANDS] = feed; DEEP[COMMANDS] = LEVEL[k]
    return COMMANDS
}

# Commands from i up to `closer` (")" or the end of the text). Sets POS behind it, and HELD to whether there were any.
function list(k, i, closer, scope,    n, c, two, cmd, feed, start, raw, pattern, j, inner, L) {
    if (++NEST > 12) block("nested too deeply to judge")
    L = ++LISTS
    n = LEN[k]; cmd = 0; feed = 0; pattern = 0
    while (1) {
        if (i > n) {
            if (closer != "") block("unbalanced parentheses or quotes")
            if (HEREDOCS[k] > 0) block("a here-document without its end")
            break
        }
        c = substr(TXT[k], i, 1)
        if (c == " " || c == "\t") { i++; continue }
        two = substr(TXT[k], i, 2)
        if (two == "\\\n") { i += 2; continue }
        if (c == "#") {
            j = index(substr(TXT[k], i), "\n")
            i = j ? i + j - 1 : n + 1
            continue
        }
        if (c == "\n") {
            i = heredoc_bodies(k, i + 1)
            separated(L, c)
            cmd = 0
            if (!NEED[L]) feed = 0
            continue
        }
        if (pattern) {                 # of a case: up to its parenthesis
            if (substr(TXT[k], i, 4) == "esac" && substr(TXT[k], i + 4, 1) !~ /[A-Za-z0-9_]/) {
                pattern = 0
                BODY[L] = 1
                reserved(L, "esac")
                i += 4
                continue
            }
            if (c == "(" || c == "|") { i++; continue }
            if (c == ")") { pattern = 0; BODY[L] = 1; i++; continue }
            read_word(k, i, scope)
            if (POS == i) block("a case that cannot be read")
            i = POS
            continue
        }
        if (c == ";") {
            separated(L, (two == ";;" || two == ";&") ? two : c)
            if (two == ";;" || two == ";&") {
                i += 2 + (substr(TXT[k], i, 3) == ";;&")
                pattern = 1
            } else i++
            cmd = 0; feed = 0
            continue
        }
        if (c == "|") {
            separated(L, (two == "||" || two == "|&") ? two : c)
            if (two == "||") { i += 2; feed = 0 }
            else { i += 1 + (two == "|&"); feed = cmd ? cmd : -1 }
            cmd = 0
            continue
        }
        if (c == "&" && two != "&>") {
            separated(L, (two == "&&") ? two : c)
            i += 1 + (two == "&&")
            cmd = 0; feed = 0
            continue
        }
        if (c == ")") {
            if (closer != ")") block("unbalanced parentheses")
            i++
            closer = ""
            break
        }
        if (c == "(") {
            if (two == "((" && !cmd) { begins(L, 0); i = arithmetic(k, i + 2, scope); ends(L); continue }
            if (cmd && WORDS[cmd] == 1 && match(substr(TXT[k], i), /^\([ \t]*\)/)) {   # a function: its body follows
                WORDS[cmd] = 0
                cmd = 0
                GOT[L] = 0; FUNC[L] = 1
                i += RLENGTH
                continue
            }
            if (cmd && (WORDS[cmd] || ASSIGNS[cmd])) block("a parenthesis in an odd place")
            begins(L, 0)
            list(k, i + 1, ")", new_scope(scope))
            if (!HELD) block("parentheses around nothing")
            ends(L)
            i = POS
            continue
        }
        if (two != "<(" && two != ">(" && match(substr(TXT[k], i, 12), /^([0-9]*[<>]|&>)/) && substr(TXT[k], i + RLENGTH - 1, 2) !~ /^[<>]\(/) {
            if (!cmd) {
                if (!CLOSED[L]) begins(L, 1)
                cmd = fresh(k, scope, feed)
            }
            i = redirect(k, i, cmd, scope)
            continue
        }
        start = i
        raw = read_word(k, i, scope)
        if (POS == start) block("the command cannot be read at: " substr(TXT[k], start, 20))
        i = POS
        if (!cmd || (WORDS[cmd] == 0 && ASSIGNS[cmd] == 0)) {
            inner = substr(TXT[k], start, POS - start)
            if (inner ~ /^(if|then|elif|else|while|until|do|done|fi|esac|!|[{]|[}]|coproc)$/) { reserved(L, inner); continue }
            if (inner == "time" && substr(TXT[k], i, 80) ~ /^[ \t]+(-p[ \t]+)?([({]|(for|while|until|if|case|\[\[)[ \t])/) {
                match(substr(TXT[k], i, 80), /^[ \t]+(-p[ \t]+)?/)
                i += RLENGTH
                continue
            }
            if (inner == "for" || inner == "select") {
                if (inner == "select") READS = 1
                opened(L, "f")
                i = for_header(k, i, scope)
                GOT[L] = BODY[L] = 1
                continue
            }
            if (inner == "case") {
                opened(L, "c")
                read_word(k, skip_blank(k, i), scope)
                i = skip_blank(k, POS)
                if (substr(TXT[k], i, 2) != "in") block("a case that cannot be read")
                i += 2; pattern = 1
                continue
            }
            if (inner == "function") {
                begins(L, 1)
                read_word(k, skip_blank(k, i), scope)
                i = skip_blank(k, POS)
                if (match(substr(TXT[k], i), /^\([ \t]*\)/)) i += RLENGTH
                GOT[L] = 0; FUNC[L] = 1
                continue
            }
            if (inner == "[[") { begins(L, 0); i = condition(k, i, scope); ends(L); continue }
            if (!cmd || CLOSED[L]) begins(L, 1)
        }
        if (!cmd) cmd = fresh(k, scope, feed)
        if (WORDS[cmd] == 0 && match(substr(TXT[k], start, POS - start), /^[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?\+?=/)) {
            i = assignment(k, start, RLENGTH, raw, cmd, scope)
            continue
        }
        add_words(cmd, raw)
        if (WORDS[cmd] > 1 && WORD[cmd, 1] ~ /^(export|declare|typeset|local|readonly)$/ && match(substr(TXT[k], start, POS - start), /^[A-Za-z_][A-Za-z0-9_]*=/)) {
            WORD[cmd, WORDS[cmd]] = raw
            i = assignment(k, start, RLENGTH, raw, cmd, scope)
        }
    }
    complete(L)
    HELD = BODY[L]
    POS = i
    NEST--
}

function skip_blank(k, i) {
    while (substr(TXT[k], i, 1) ~ /^[ \t\n]$/ || substr(TXT[k], i, 2) == "\\\n") i++
    return i
}

# name=value, name+=value, name=(a list). `length_` is that of the part up to and with the equals sign.
function assignment(k, start, length_, raw, cmd, scope,    head, name, value, i, append) {
    head = substr(TXT[k], start, length_)
    name = head
    sub(/[[+=].*/, "", name)
    append = head ~ /\+=$/
    if (match(head, /\[.*\]/)) evaluates(substr(head, RSTART + 1, RLENGTH - 2))
    if (name ~ /^(RANDOM|SRANDOM|SECONDS|LINENO|HISTCMD|OPTIND|EPOCHSECONDS|UID|EUID|PPID|BASHPID)$/) EVALUATES = 1
    if (POS == start + length_ && substr(TXT[k], POS, 1) == "(") {
        i = POS + 1
        value = ""
        while (1) {
            i = skip_blank(k, i)
            if (substr(TXT[k], i, 1) == ")") break
            raw = read_word(k, i, scope)
            if (POS == i) block("a list that cannot be read")
            note(raw)
            if (raw ~ /^\[/) evaluates(raw)
            value = value (value == "" ? "" : SPLIT) expanded(raw)
            i = POS
        }
        POS = i + 1
        remember(k, name, value, 1)
    } else {
        value = raw
        sub(/^[^=]*=/, "", value)
        value = plain_braces(value)
        note(value)
        if (name == "IFS" || append || head ~ /\[/) value = U
        remember(k, name, value, 0)
    }
    ASSIGN[cmd, ++ASSIGNS[cmd]] = name
    VALUE[cmd, ASSIGNS[cmd]] = value
    return POS
}

# A value is trusted where the text assigns the name once; elsewhere the order of things decides, which we do not follow.
function remember(k, name, value, is_list,    part, n, i) {
    if (!((k, name) in ASSIGNED)) {
        n = split(TXT[k], part, name "[+]?=")
        for (i = 1; i < n; i++) if (part[i] !~ /[A-Za-z0-9_]$/) ASSIGNED[k, name]++
        if (TXT[k] ~ ("(read|mapfile|readarray|getopts|printf|let|declare|local|unset)[^;|&\n]*[ \t]" name "([ \t;|&\n<]|$)")) ASSIGNED[k, name] = 2
    }
    n = ASSIGNED[k, name]
    KNOWN[name] = 1
    VAR[name] = (n > 1 || (name in LOOPED)) ? U : value
    LISTED[name] = is_list
}

function for_header(k, i, scope,    name, value, c) {
    i = skip_blank(k, i)
    if (substr(TXT[k], i, 2) == "((") return arithmetic(k, i + 2, scope, 1)
    if (!match(substr(TXT[k], i), /^[A-Za-z_][A-Za-z0-9_]*/)) block("a for that cannot be read")
    name = substr(TXT[k], i, RLENGTH)
    i = skip_blank(k, i + RLENGTH)
    value = U
    if (substr(TXT[k], i, 2) == "in" && substr(TXT[k], i + 2, 1) ~ /^[ \t\n;]?$/) {
        i += 2
        value = ""
        while (1) {
            while (substr(TXT[k], i, 1) ~ /^[ \t]$/ || substr(TXT[k], i, 2) == "\\\n") i += (substr(TXT[k], i, 1) == "\\") ? 2 : 1
            c = substr(TXT[k], i, 1)
            if (c == "" || c == ";" || c == "\n") break
            c = read_word(k, i, scope)
            if (POS == i) block("a for that cannot be read")
            note(c)
            value = value (value == "" ? "" : SPLIT) expanded(c)
            i = POS
        }
    }
    if (name in KNOWN) value = U
    KNOWN[name] = 1; VAR[name] = value; LISTED[name] = 1; LOOPED[name] = 1
    return i
}

# [[ ... ]]: operators are plain there; substitutions still run, and operands of arithmetic operators are evaluated.
function condition(k, i, scope,    c, word, words, numbers, j) {
    while (i <= LEN[k]) {
        if (substr(TXT[k], i, 2) == "]]") break
        c = substr(TXT[k], i, 1)
        if (c ~ /[ \t\n<>|&();]/ && substr(TXT[k], i, 2) !~ /^[<>]\($/) { i++; continue }
        c = read_word(k, i, scope)
        if (c ~ /^-(eq|ne|lt|le|gt|ge)$/ && substr(TXT[k], i, 1) == "-") numbers = 1
        else word[++words] = c
        if (words > 1 && word[words - 1] ~ /^-[vR]$/ && subscripted(c)) block("a condition evaluates the subscript of " c)
        i = (POS > i) ? POS : i + 1
    }
    if (i > LEN[k]) block("a condition without its end")
    if (words == 0) block("an empty condition")
    for (j = 1; numbers && j <= words; j++) {
        note(word[j])
        evaluates(word[j])
    }
    return i + 2
}

# ((...)) and $((...)): skipped, but what it substitutes is read. Returns the place behind it.
function arithmetic(k, i, scope, three,    depth, c, first) {
    first = i
    depth = 2
    while (i <= LEN[k]) {
        c = substr(TXT[k], i, 1)
        if (c == "$" || c == "`") { read_word(k, i, scope); i = (POS > i) ? POS : i + 1; continue }
        if (c == "(") depth++
        if (c == ")" && --depth == 0) {
            if (substr(TXT[k], i - 1, 1) != ")" ||
                    substr(TXT[k], first, i - first) ~ /^[ \t\n]*[A-Za-z_\/.-]+[ \t]+[A-Za-z_\/.-]/ ||
                    substr(TXT[k], first, i - first) ~ (three ? "[\047\"\\\\]" : "[;\047\"\\\\]"))
                block("arithmetic that may be a command")
            evaluates(substr(TXT[k], first, i - first))
            return i + 1
        }
        i++
    }
    block("arithmetic without its end")
}

# One redirection; here-documents are noted and read at the end of their line.
function redirect(k, i, cmd, scope,    op, target, j, raw, quoted, targets) {
    match(substr(TXT[k], i), /^[0-9]*/)
    i += RLENGTH
    match(substr(TXT[k], i), /^(&>>|&>|<<<|<<-|<<|<&|<>|<|>>|>\||>&|>)/)
    op = substr(TXT[k], i, RLENGTH)
    i += RLENGTH
    while (substr(TXT[k], i, 1) ~ /^[ \t]$/ || substr(TXT[k], i, 2) == "\\\n") i += (substr(TXT[k], i, 1) == "\\") ? 2 : 1
    target = read_word(k, i, scope)
    if (POS == i) block("a redirection without a target")
    raw = substr(TXT[k], i, POS - i)
    if (op == "<<" || op == "<<-") {
        j = ++HEREDOCS[k]
        quoted = raw ~ /["\047\\]/
        HEREDOC[k, j] = plain_braces(target)
        if (index(HEREDOC[k, j], U) || raw ~ /[$`]/) block("a here-document whose end is computed")
        HEREDOC_QUOTED[k, j] = quoted; HEREDOC_TABS[k, j] = (op == "<<-"); HEREDOC_FOR[k, j] = cmd; HEREDOC_SCOPE[k, j] = scope
        return POS
    }
    if (op == "<<<") { HERE[cmd] = plain_braces(target); HAS_HERE[cmd] = 1; return POS }
    if ((op == ">&" || op == "<&") && target ~ /^([0-9]+-?|-)$/) return POS
    quoted = split(expanded(each(target, ">")), targets, "[" SPLIT "]")
    for (j = 1; j <= quoted; j++) {
        REDIR[cmd, ++REDIRS[cmd]] = targets[j]
        WRITES[cmd, REDIRS[cmd]] = (op != "<" && op != "<&")
    }
    if (REDIRS[cmd] > 400) block("too many redirections")
    return POS
}

function heredoc_bodies(k, i,    j, line, body, p, found) {
    for (j = 1; j <= HEREDOCS[k]; j++) {
        body = ""
        found = 0
        while (i <= LEN[k]) {
            p = index(substr(TXT[k], i), "\n")
            line = p ? substr(TXT[k], i, p - 1) : substr(TXT[k], i)
            i = p ? i + p : LEN[k] + 1
            if (HEREDOC_TABS[k, j]) sub(/^\t+/, "", line)
            if (line == HEREDOC[k, j]) { found = 1; break }
            body = body line "\n"
        }
        if (!found) block("a here-document without its end")
        if (!HEREDOC_QUOTED[k, j]) body = substituted(body, HEREDOC_SCOPE[k, j], LEVEL[k])
        HERE[HEREDOC_FOR[k, j]] = body
        HAS_HERE[HEREDOC_FOR[k, j]] = 1
    }
    HEREDOCS[k] = 0
    return i
}

# The text of an unquoted here-document with what it expands to.
function substituted(body, scope, depth,    k, i, c, out) {
    k = ++TEXTS
    TXT[k] = body; LEN[k] = length(body); LEVEL[k] = depth
    for (i = 1; i <= LEN[k]; i++) {
        c = substr(body, i, 1)
        if (c == "\\") { i++; c = substr(body, i, 1); out = out ((c ~ /[$`\\]/) ? c : (c == "\n" ? "" : "\\" c)) }
        else if (c == "$") { out = out dollar(k, i, 1, scope); i = POS - 1 }
        else if (c == "`") { out = out backtick(k, i, 1, scope); i = POS - 1 }
        else out = out c
    }
    return out
}
