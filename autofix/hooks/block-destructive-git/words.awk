# Words: quotes, escapes, expansions. What only a running shell knows becomes a marker (see input.awk, BEGIN).

# One word from i on, with markers for what only a running shell knows. POS is behind it.
function read_word(k, i, scope,    n, c, out, p, seen) {
    n = LEN[k]
    out = ""
    while (i <= n) {
        c = substr(TXT[k], i, 1)
        if (c ~ /[ \t\n;&|()]/) break
        if (c == "<" || c == ">") {
            if (out != "" || substr(TXT[k], i + 1, 1) != "(") break
            list(k, i + 2, ")", new_scope(scope))
            i = POS
            out = out PIPEFILE
            continue
        }
        if (c == "\\") {
            if (substr(TXT[k], i + 1, 1) != "\n") out = out substr(TXT[k], i + 1, 1)
            if (i == n) block("a backslash at the end")
            i += 2
        } else if (c == "\047") {
            p = index(substr(TXT[k], i + 1), "\047")
            if (!p) block("a quote without its end")
            out = out substr(TXT[k], i + 1, p - 1)
            i += p + 1
        } else if (c == "\"") {
            out = out double_quoted(k, i + 1, scope)
            i = POS
        } else if (c == "$") {
            out = out dollar(k, i, 0, scope)
            i = POS
        } else if (c == "`") {
            out = out backtick(k, i, 0, scope)
            i = POS
        } else {
            out = out ((c == "{") ? OPEN : (c == "}") ? CLOSE : (c == ",") ? COMMA : c)
            i++
        }
    }
    POS = i
    return out
}

function double_quoted(k, i, scope,    n, c, out) {
    n = LEN[k]
    while (i <= n) {
        c = substr(TXT[k], i, 1)
        if (c == "\"") { POS = i + 1; return out }
        if (c == "\\") {
            c = substr(TXT[k], i + 1, 1)
            out = out ((c ~ /["$`\\]/) ? c : (c == "\n" ? "" : "\\" c))
            i += 2
        } else if (c == "$") { out = out dollar(k, i, 1, scope); i = POS }
        else if (c == "`") { out = out backtick(k, i, 1, scope); i = POS }
        else { out = out c; i++ }
    }
    block("a quote without its end")
}

function backtick(k, i, quoted, scope,    c, inner) {
    for (i++; i <= LEN[k]; i++) {
        c = substr(TXT[k], i, 1)
        if (c == "`") {
            shell(inner, new_scope(scope), LEVEL[k] + 1)
            POS = i + 1
            return result_of(inner)
        }
        if (c == "\\") {
            c = substr(TXT[k], ++i, 1)
            inner = inner ((c ~ /[$`\\]/ || (quoted && c == "\"")) ? c : "\\" c)
        } else inner = inner c
    }
    block("a backquote without its end")
}

# What a few well-known substitutions give; of others nothing is known.
function result_of(inner) {
    gsub(/^[ \t\n]+|[ \t\n]+$/, "", inner)
    if (inner ~ /^mktemp( -d| -q| -t [A-Za-z0-9.]+)*$/) return "/tmp/mktemp"
    if (inner ~ /^(pwd|git rev-parse --show-toplevel)$/) return (CWD == "") ? "." : CWD
    if (inner ~ /^jobs -p( %[0-9%+-]*)?$/) return OWNPID
    if (index(inner, "\\")) return U      # which awks do not agree on in brackets
    if (inner ~ /^git (-C [A-Za-z0-9_.\/~-]+ )?rev-parse .*--(git-path|git-dir|git-common-dir|absolute-git-dir|resolve-git-dir)( |$)/) {
        sub(/.*--(git-path|git-dir|git-common-dir|absolute-git-dir|resolve-git-dir) */, "", inner)
        gsub(/["\047]/, "", inner)
        return ".git" (inner ~ /^[A-Za-z0-9_.\/-]+$/ ? "/" inner : (inner == "" ? "" : "/" U))
    }
    if (inner ~ /^(echo|printf|realpath|readlink -[fem]|printf %s|printf "%s"|printf \047%s\047)( -[ne]+| --)? ["\047]?[A-Za-z0-9_.\/~-]+["\047]?$/) {
        sub(/.* /, "", inner)
        gsub(/["\047]/, "", inner)
        return inner
    }
    return U
}

# From a dollar sign on.
function dollar(k, i, quoted, scope,    c, p, name) {
    c = substr(TXT[k], i + 1, 1)
    if (c == "(") {
        if (substr(TXT[k], i + 2, 1) == "(") { POS = arithmetic(k, i + 3, scope); return "0" }
        p = i + 2
        list(k, p, ")", new_scope(scope))
        return result_of(substr(TXT[k], p, POS - p - 1))
    }
    if (c == "[") block("old-style arithmetic")
    if (c == "{") return braced(k, i + 2, quoted, scope)
    if (c == "\047" && !quoted) return ansi(k, i + 2)
    if (c == "\"" && !quoted) return double_quoted(k, i + 2, scope)
    if (match(substr(TXT[k], i + 1, 80), /^([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/)) {
        name = substr(TXT[k], i + 1, RLENGTH)
        POS = i + 1 + RLENGTH
        return variable(name, quoted, 0)
    }
    POS = i + 1
    return "$"
}

# ${...} from behind its brace on.
function braced(k, i, quoted, scope,    c, name, start, rest, all, size) {
    if (substr(TXT[k], i, 1) == "!") block("an indirect expansion")
    size = (substr(TXT[k], i, 1) == "#" && substr(TXT[k], i + 1, 1) != "}")
    if (size) i++
    if (!match(substr(TXT[k], i, 80), /^([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])/)) block("an expansion that cannot be read")
    name = substr(TXT[k], i, RLENGTH)
    i += RLENGTH
    all = (substr(TXT[k], i, 4) ~ /^\[[@*]\][}]/)
    if (all) i += 3
    start = i
    while (i <= LEN[k]) {
        c = substr(TXT[k], i, 1)
        if (c == "}") break
        if (c == "\\") i += 2
        else if (c == "\"") { double_quoted(k, i + 1, scope); i = POS }
        else if (c == "\047" && !quoted) { c = index(substr(TXT[k], i + 1), "\047"); if (!c) block("a quote without its end"); i += c + 1 }
        else if (c == "$") { dollar(k, i, quoted, scope); i = POS }
        else if (c == "`") { backtick(k, i, quoted, scope); i = POS }
        else i++
    }
    if (i > LEN[k]) block("an expansion without its end")
    rest = substr(TXT[k], start, i - start)
    POS = i + 1
    if (rest ~ /^@[PEAKa]/) block("an expansion that evaluates its value")
    if (rest ~ /^\[[^@*]/ || rest ~ /^(\[.*\])?:[^-+=?]/) evaluates(rest)
    c = variable(name, quoted, all)
    if (size) return "0"
    return (rest == "") ? c : U
}

function ansi(k, i,    c, out, v, d) {
    while (i <= LEN[k]) {
        c = substr(TXT[k], i, 1)
        if (c == "\047") { POS = i + 1; return out }
        if (c != "\\") { out = out c; i++; continue }
        c = substr(TXT[k], i + 1, 1)
        i += 2
        if (c == "n") out = out "\n"
        else if (c == "t") out = out "\t"
        else if (c ~ /[\\\047"?]/) out = out c
        else if (c ~ /[0-7]/) {
            v = c + 0
            for (d = 0; d < 2 && substr(TXT[k], i, 1) ~ /^[0-7]$/; d++) v = v * 8 + substr(TXT[k], i++, 1)
            out = out visible(v % 256)
        } else if (c ~ /[xuU]/) {
            v = 0
            for (d = 0; d < (c == "x" ? 2 : c == "u" ? 4 : 8) && substr(TXT[k], i, 1) ~ /^[0-9a-fA-F]$/; d++)
                v = v * 16 + index("0123456789abcdef", tolower(substr(TXT[k], i++, 1))) - 1
            out = out ((c == "x") ? visible(v % 256) : (v < 128 ? visible(v) : (v < 1114112 ? utf8(v) : U)))
        } else if (c == "c") { out = out U; i++ }
        else out = out U
    }
    block("a quote without its end")
}

function visible(code) {
    return (code < 32 && code != 9 && code != 10 || code == 127) ? U : BYTE[code]
}

# The value of a name as far as this text tells it.
function variable(name, quoted, all,    value) {
    if (!(name in KNOWN)) {
        if (runner_name(name)) block("$" name ": a channel of the runner")
        if (secret_name(name)) block("$" name ": the name of a secret")
    }
    if (name == "!") return OWNPID
    if (name ~ /^([#?]|RANDOM|SECONDS|LINENO|EPOCHSECONDS|UID|EUID|PPID|BASHPID|[$])$/) return "0"
    if (name == "IFS" && !ODD_IFS) return quoted ? " " : SPLIT
    if (name in KNOWN) value = VAR[name]
    else if (name == "PWD" || name == "GITHUB_WORKSPACE") value = (CWD == "") ? "." : CWD
    else if (name == "HOME") value = "~"
    else if (name == "TMPDIR") value = "/tmp"
    else return U
    if (LISTED[name] && index(value, SPLIT)) {
        if (name in LOOPED) { gsub(SPLIT, OR, value); return EACH value DONE }
        if (!all) return U
    }
    if (quoted) return value
    if (ODD_IFS) return (value ~ /^[A-Za-z0-9]*$/) ? value : U
    gsub(/[ \t\n]+/, SPLIT, value)
    return value
}

function secret_name(name) {
    name = toupper(name)
    return name ~ /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SSH_AUTH_SOCK|(^|_)PAT$|(^|_)AUTH$|DOCKER_HOST/
}

# Words after brace expansion and splitting, appended to a command.
function add_words(cmd, raw,    n, part, i, text) {
    text = expanded(each(raw, WORDS[cmd] > 0 ? WORD[cmd, 1] : ""))
    n = split(text, part, "[" SPLIT "]")
    if (n == 0) { WORD[cmd, ++WORDS[cmd]] = ""; return }
    for (i = 1; i <= n; i++) if (part[i] != "" || n == 1) WORD[cmd, ++WORDS[cmd]] = part[i]
    if (WORDS[cmd] > 4000) block("too many words")
}

# The values of a loop variable become alternatives where all are plain operands of a program that takes any number of
# them; elsewhere it matters which comes first, and the word is not known.
function each(raw, name,    values, rest) {
    if (!index(raw, EACH)) return raw
    sub(/.*\//, "", name)
    rest = raw
    while (match(rest, /\020[^\022]*\022/)) {
        values = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        if (!(("operands", name) in IS) || values ~ /[^A-Za-z0-9_.\/~*?@%+:\021-]|(^|\021)-/) return unloop(raw)
    }
    gsub(EACH, OPEN, raw); gsub(OR, COMMA, raw); gsub(DONE, CLOSE, raw)
    return raw
}

function unloop(text) {
    gsub(/\020[^\022]*\022/, U, text)
    return text
}

# Brace expansion: words separated by SPLIT.
function expanded(raw,    i, n, c, depth, from, comma, alternative, out, count, p) {
    raw = unloop(raw)
    if (!index(raw, OPEN)) return plain_braces(raw)
    if (++EXPANSIONS > 400) block("braces that expand to too much")
    n = length(raw)
    for (i = 1; i <= n; i++) {
        if (substr(raw, i, 1) != OPEN) continue
        depth = 1; from = i + 1; count = 0; comma = 0
        for (p = i + 1; p <= n && depth > 0; p++) {
            if (++BRACE_STEPS > 40000) block("braces that expand to too much")
            c = substr(raw, p, 1)
            if (c == OPEN) depth++
            else if (c == CLOSE) depth--
            if ((c == COMMA && depth == 1) || depth == 0) {
                alternative[++count] = substr(raw, from, p - from)
                from = p + 1
                if (c == COMMA) comma = 1
            }
        }
        if (depth > 0) continue
        if (!comma && index(alternative[1], "..")) { alternative[1] = U; comma = 1 }
        if (!comma) continue
        out = ""
        for (c = 1; c <= count; c++) out = out (c > 1 ? SPLIT : "") expanded(substr(raw, 1, i - 1) alternative[c] substr(raw, p))
        if (length(out) > 20000) block("braces that expand to too much")
        return out
    }
    return plain_braces(raw)
}

function plain_braces(text) {
    if (index(text, EACH)) text = unloop(text)
    gsub(OPEN, "{", text); gsub(COMMA, ",", text); gsub(CLOSE, "}", text)
    return text
}
