# The input of the hook: one JSON object, read strictly. Records are what stands between two quotation marks, so that no
# step is quadratic anywhere. An objection leaves through block(), the absence of one through the end of END.

BEGIN {
    RS = "\""
    COMMAND_LIMIT = 8192   # bytes; longer commands are nothing a reviewer would read either
    for (n = 1; n < 256; n++) { BYTE[n] = sprintf("%c", n) }
    NUL = sprintf("%c", 0) # empty in an awk that cannot hold one: there a NUL ends the line, and the JSON with it
    U = "\001"             # in words: text that is not known
    PIPEFILE = "\002"      # a process substitution
    OWNPID = "\003"        # the process this command started ($!)
    SPLIT = "\016"         # where an unquoted expansion splits a word
    OPEN = "\004"; COMMA = "\005"; CLOSE = "\006"   # unquoted braces
    EACH = "\020"; OR = "\021"; DONE = "\022"     # the values a loop variable takes in turn
    REST = "value"         # what the JSON grammar wants next
    DEPTH = 0
}

{
    if (length(NUL) == 1 && index($0, NUL)) block("a NUL in the input")
    if (INSIDE) string_piece($0); else structure($0)
}

END {
    if (BLOCKED) exit
    if (INSIDE || DEPTH != 0 || REST != "end") block("the input is not one JSON object")
    decide()
    print "ok"
}

# An objection: printed once, and awk ends.
function block(reason) {
    if (!BLOCKED) {
        gsub(/[\001-\037\177]/, " ", reason)
        print "no " substr(reason, 1, 300)
    }
    BLOCKED = 1
    exit
}

# What follows a quotation mark, up to the next one. An escaped quotation mark continues the string.
function string_piece(piece) {
    if (piece ~ /[\001-\037]/) block("the input is not JSON: a control character in a string")
    if (KEEP) {
        if (++PIECES > COMMAND_LIMIT) block("the command is longer than " COMMAND_LIMIT " bytes")
        if (length(TEXT) + length(piece) > COMMAND_LIMIT * 6) block("the command is longer than " COMMAND_LIMIT " bytes")
        TEXT = TEXT piece
    }
    if (escapes_next(piece)) { if (KEEP) TEXT = TEXT "\""; return }
    INSIDE = 0
    if (REST == "key") { KEY[DEPTH] = unescape(TEXT); REST = "colon"; return }
    if (KEEP) value_seen(unescape(TEXT))
    REST = "next"
}

# Whether an odd number of backslashes ends a text. Only its tail is looked at: every step over all of it would count.
function escapes_next(piece,    tail, n) {
    if (piece !~ /\\$/) return 0
    tail = substr(piece, length(piece) > 1000 ? length(piece) - 999 : 1)
    for (n = length(tail); n > 0 && substr(tail, n, 1) == "\\"; n--) { }
    if (n == 0 && length(tail) == 1000) block("too many backslashes in the input")
    return (length(tail) - n) % 2
}

# What stands outside strings.
function structure(piece,    i, c, word, n) {
    n = length(piece)
    for (i = 1; i <= n; i++) {
        c = substr(piece, i, 1)
        if (c == " " || c == "\t" || c == "\n" || c == "\r") continue
        if (c == "{" || c == "[") {
            if (REST != "value" && !(REST == "first" && KIND[DEPTH] == "[")) break
            if (DEPTH == 0 && c != "{") break
            if (DEPTH >= 64) break
            DEPTH++; KIND[DEPTH] = c; KEY[DEPTH] = ""
            REST = (c == "{") ? "firstkey" : "first"
        } else if (c == "}" || c == "]") {
            if (DEPTH == 0 || KIND[DEPTH] != (c == "}" ? "{" : "[")) break
            if (REST != "next" && REST != "firstkey" && REST != "first") break
            DEPTH--
            REST = (DEPTH == 0) ? "end" : "next"
        } else if (c == ",") {
            if (REST != "next") break
            REST = (KIND[DEPTH] == "{") ? "wantkey" : "value"
        } else if (c == ":") {
            if (REST != "colon") break
            REST = "value"
        } else {
            if (REST != "value" && REST != "first") break
            if (DEPTH == 0 || !match(substr(piece, i, 40), /^(true|false|null|-?[0-9][0-9.eE+-]*)/)) break
            if (wanted()) once(KEY[DEPTH])
            i += RLENGTH - 1
            REST = "next"
        }
    }
    if (i <= n) block("the input is not JSON")
    if (REST == "end") return
    INSIDE = 1
    if (REST == "firstkey" || REST == "wantkey") { REST = "key"; KEEP = 1; TEXT = ""; PIECES = 0; return }
    if ((REST != "value" && REST != "first") || DEPTH == 0) block("the input is not JSON")
    KEEP = wanted()
    TEXT = ""; PIECES = 0
}

# Which strings are read: the name of the tool, the directory, and of its input what a rule looks at.
function wanted() {
    if (DEPTH == 1) return KEY[1] == "tool_name" || KEY[1] == "cwd"
    return DEPTH == 2 && KIND[2] == "{" && KEY[1] == "tool_input" && KEY[2] ~ /^(command|file_path|notebook_path|path)$/
}

function value_seen(text,    name) {
    name = KEY[DEPTH]
    once(name)
    FIELD[name] = text
}

# Two readers must not see two calls in one text.
function once(name) {
    if (name in NAMED) block("the input names " name " twice")
    NAMED[name] = 1
}

# JSON escapes to bytes.
function unescape(text,    part, n, i, out, c, code, low) {
    if (index(text, "\\") == 0) return text
    n = split(text, part, "\\")
    out = part[1]
    for (i = 2; i <= n; i++) {
        if (part[i] == "") {           # an escaped backslash; what follows is literal
            out = out "\\" part[++i]
            continue
        }
        c = substr(part[i], 1, 1)
        if (c == "n") out = out "\n" substr(part[i], 2)
        else if (c == "t") out = out "\t" substr(part[i], 2)
        else if (c == "\"" || c == "/") out = out part[i]
        else if (c == "b") out = out "\b" substr(part[i], 2)
        else if (c == "f") out = out "\f" substr(part[i], 2)
        else if (c == "r") out = out "\r" substr(part[i], 2)
        else if (c == "u") {
            code = hexadecimal(substr(part[i], 2, 4), 4)
            if (code == 0) block("a NUL in the input")
            if (code >= 56320 && code < 57344) block("half of a surrogate pair in the input")
            if (code >= 55296 && code < 56320) {
                low = (length(part[i]) == 5 && substr(part[i + 1], 1, 1) == "u") ? hexadecimal(substr(part[i + 1], 2, 4), 4) : 0
                if (low < 56320 || low >= 57344) block("half of a surrogate pair in the input")
                out = out utf8(65536 + (code - 55296) * 1024 + low - 56320) substr(part[++i], 6)
            } else out = out utf8(code) substr(part[i], 6)
        } else block("the input is not JSON: an unknown escape")
    }
    return out
}

function hexadecimal(text, digits,    i, value, d) {
    if (length(text) < digits) block("the input is not JSON: a short escape")
    for (i = 1; i <= digits; i++) {
        d = index("0123456789abcdef", tolower(substr(text, i, 1)))
        if (d == 0) block("the input is not JSON: a bad escape")
        value = value * 16 + d - 1
    }
    return value
}

function utf8(code) {
    if (code < 128) return BYTE[code]
    if (code < 2048) return BYTE[192 + int(code / 64)] BYTE[128 + code % 64]
    if (code < 65536) return BYTE[224 + int(code / 4096)] BYTE[128 + int(code / 64) % 64] BYTE[128 + code % 64]
    return BYTE[240 + int(code / 262144)] BYTE[128 + int(code / 4096) % 64] BYTE[128 + int(code / 64) % 64] BYTE[128 + code % 64]
}
