# awk, sed and jq: readers that can also write files and run programs.

# awk: what it prints into, pipes to and runs.
function awk_call(c, i,    j, w, n, code) {
    n = WORDS[c]
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w ~ /^(-i|--include|-l|--load|-e|--source|-E|--exec|-D|--debug|-o|-p|-d)/) block("awk with an option that loads or writes")
        if (w ~ /^(-f|--fi)/) {
            w = (w ~ /^(-f|--file)$/) ? WORD[c, j + 1] : substr(w, (w ~ /^-f/) ? 3 : index(w, "=") + 1)
            if (index(w, U) || streamed(w)) block("awk with a program that is not known")
            decoded_run(c)
            return
        }
        if (w ~ /^(-v|-F|--assign|--field-separator)$/) { j++; continue }
        if (w == "--") { j++; break }
        if (w ~ /^-./) continue
        break
    }
    if (j > n) return
    code = WORD[c, j]
    if (index(code, U)) block("awk with a program that is computed")
    awk_code(code)
}

function awk_code(code,    n, i, out, ch, body, last, k) {
    n = length(code)
    LITERALS = 0
    for (i = 1; i <= n; i++) {
        ch = substr(code, i, 1)
        if (ch == "\"" || (ch == "/" && (last == "" || last ~ /[(,{;~!&|\n=?:]/))) {
            body = ""
            for (k = i + 1; k <= n && substr(code, k, 1) != ch; k++) {
                if (substr(code, k, 1) == "\\") k++
                else if (ch == "/" && substr(code, k, 1) == "[") { while (k < n && substr(code, k + 1, 1) != "]") k++ }
                body = body substr(code, k, 1)
            }
            if (ch == "\"") { LITERAL[++LITERALS] = body; out = out "S" LITERALS "S" } else out = out "R"
            i = k
            last = "S"
            continue
        }
        if (ch == "#") { k = index(substr(code, i), "\n"); if (!k) break; i += k - 1; ch = "\n" }
        if (ch !~ /[ \t]/) last = ch
        if (ch ~ /[ \t]/ && out ~ /return$/) last = ";"
        out = out ch
    }
    if (out ~ /(^|[^A-Za-z0-9_])system[ \t]*\(/) block("awk that runs a program")
    if (out ~ /ENVIRON/) block("awk that reads the environment")
    if (out ~ /@[a-z]/) block("awk that loads or calls by name")
    gsub(/\|\|/, " ", out)
    if (out ~ /\|/) block("awk that pipes into or from a program")
    for (i = 1; i <= LITERALS; i++) {
        body = secret(normal(LITERAL[i], HERE_DIR))
        if (body != "" && length(LITERAL[i]) > 1) block("awk with " body)
        if (LITERAL[i] ~ /^\/inet/) block("awk that uses the network")
    }
    while (match(out, /print(f)?[^;}\n]*>/)) {
        body = substr(out, RSTART + RLENGTH)
        if (body !~ /^=/) {
            sub(/^[> \t]*/, "", body)
            if (match(body, /^S[0-9]+S/)) { body = LITERAL[substr(body, 2, RLENGTH - 2) + 0]; body = guarded(normal(body, HERE_DIR)) }
            else body = "a path that is not known"
            if (body != "" && out !~ /print(f)?[ \t]*\([^)]*>[^)]*\)/) block("awk that would write " body)
        }
        sub(/print(f)?[^;}\n]*>/, " ", out)
    }
}

# sed: -i on what, and the commands of its script that run programs or write files.
function sed_call(c, i,    j, w, n, script, inplace, first, k) {
    n = WORDS[c]
    first = 1
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w ~ /^(-i|--in?-?p?l?a?c?e?$|--in-p)/ || w ~ /^-[nErsuz]+i/) { inplace = 1; continue }
        if (w == "-e" || w == "--expression" || w ~ /^-[nErsuz]+e$/) { first = 0; sed_script(WORD[c, ++j]); continue }
        if (w ~ /^--expression=/) { first = 0; sed_script(substr(w, 14)); continue }
        if (w ~ /^-e./) { first = 0; sed_script(substr(w, 3)); continue }
        if (w ~ /^-[nErsuz]*f|^--fi/) {
            first = 0
            if (w ~ /^-[nErsuz]*f$|^--file$/) w = WORD[c, ++j]
            else sub(/^-[nErsuz]*f|^--fi[a-z]*=/, "", w)
            if (index(w, U) || index(w, PIPEFILE)) block("sed with a program that is not known")
            if (streamed(w)) {
                w = stdin_text(c)
                if (index(w, U) || w == "") block("sed with a program that is not known")
                sed_script(w)
            } else decoded_run(c)
            continue
        }
        if (w == "-l") { j++; continue }
        if (w ~ /^-./) continue
        if (first) { first = 0; sed_script(w); continue }
        FILES_[++k] = w
    }
    if (!inplace) return
    for (j = 1; j <= k; j++) must_write(c, FILES_[j], "sed -i")
}

function sed_script(s,    i, n, ch, d, part, flags, rest) {
    if (index(s, U)) {
        if (s ~ /^[0-9,$\001]+[pd]$|^s(.)[^\001]*\001[^\001]*[\/|#,][gip0-9]*$|^\001,\001p$/) return
        block("sed with a script that is computed")
    }
    n = length(s)
    i = 1
    while (i <= n) {
        ch = substr(s, i, 1)
        if (ch ~ /[ \t\n;{}]/) { i++; continue }
        if (ch == "#") { d = index(substr(s, i), "\n"); if (!d) return; i += d; continue }
        if (ch ~ /[0-9$,!~+]/) { i++; continue }
        if (ch == "/" || ch == "\\") {
            if (ch == "\\") { i++; ch = substr(s, i, 1) }
            i = delimited(s, i + 1, ch)
            while (substr(s, i, 1) ~ /^[IM]$/) i++
            continue
        }
        if (ch == "s" || ch == "y") {
            d = substr(s, i + 1, 1)
            i = delimited(s, delimited(s, i + 2, d), d)
            if (ch == "y") continue
            match(substr(s, i), /^[gpiImMe0-9]*/)
            flags = substr(s, i, RLENGTH)
            i += RLENGTH
            if (flags ~ /e/) block("sed that runs a program")
            if (substr(s, i, 1) != "w") continue
            ch = "w"
        }
        if (ch == "e") block("sed that runs a program")
        if (ch ~ /[wWrR]/) {
            rest = substr(s, i + 1)
            d = index(rest, "\n")
            if (d) rest = substr(rest, 1, d - 1)
            i += 1 + length(rest)
            sub(/^[ \t]+/, "", rest)
            d = (ch ~ /[wW]/) ? guarded(normal(rest, HERE_DIR)) : secret(normal(rest, HERE_DIR))
            if (d != "") block("sed with " d)
            continue
        }
        if (ch ~ /[aic]/) { d = index(substr(s, i), "\n"); if (!d) return; i += d; continue }
        if (ch ~ /[btT:]/) { while (i <= n && substr(s, i, 1) !~ /[;\n}]/) i++; continue }
        if (ch ~ /[=dDgGhHlLnNpPqQxvzF]/) { i++; continue }
        block("sed with a script that cannot be read")
    }
}

function delimited(s, i, d,    ch, bracket) {
    for (; i <= length(s); i++) {
        ch = substr(s, i, 1)
        if (ch == "\\") { i++; continue }
        if (ch == d) return i + 1
        if (ch == "\n" && d == "\n") return i + 1
    }
    block("sed with a script that cannot be read")
}

function jq_call(c, i, name,    j, w) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if ((w ~ /^(-[a-zA-Z]*f|--from-file|--rawfile|--slurpfile|-L)$/ && (streamed(WORD[c, j + 1]) ||
                streamed(WORD[c, j + 2]))) || w ~ /^-f[-\/\002]/)
            block(name " with a program that is not known")
        if (w ~ /load|\$__loc__|input_filename/ && name != "jq") listed(w)
        if (name != "jq" && w ~ /^(-i|--inplace|--in-place|-[a-zA-Z]*i)$/) must_write(c, WORD[c, WORDS[c]], name)
        if (w ~ /(^|[^A-Za-z0-9_."])(\$ENV|env|\$__prog_args|strenv|envsubst)([^A-Za-z0-9_:]|$)/ && w !~ /(\$ENV|env)\.[A-Z_]+/) block(name " of the whole environment")
        if (w ~ /(\$ENV|[^.]env|^env)\.[A-Za-z_]*/ && secret_name(w)) block(name " of a secret")
    }
}
