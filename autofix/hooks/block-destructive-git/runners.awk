# Programs that run others: shells, wrappers, env, xargs, find, eval.

# Code handed to a shell as text.
function code_of_shell(c, code, name) {
    if (index(code, U) || index(code, PIPEFILE)) block(name " runs code that is not known before it runs")
    code_text(c, code)
}

function code_text(c, code,    scope) {
    if (DEEP[c] > 30) block("code nested too deeply to judge")
    JUDGED[code] = 1
    scope = new_scope(SCOPE[c])
    DIRECTORY[scope] = HERE_DIR
    NEST = 0
    shell(code, scope, DEEP[c] + 1)
}

# Words i..m of a command as one of its own, `more` appended.
function sub_command(c, i, m, more,    d, j) {
    if (i > m) return
    if (++COMMANDS > 100) block("more than 100 simple commands")
    d = COMMANDS
    WORDS[d] = ASSIGNS[d] = REDIRS[d] = 0
    SCOPE[d] = SCOPE[c]; FEED[d] = -1; DEEP[d] = DEEP[c] + 1
    if (DEEP[d] > 30) block("commands nested too deeply")
    for (j = i; j <= m; j++) WORD[d, ++WORDS[d]] = WORD[c, j]
    if (more != "") WORD[d, ++WORDS[d]] = more
}

# Text that reaches a program on its stdin, if it can be read off; UNKNOWN otherwise.
function stdin_text(c,    f, j, text, name) {
    if (c in HAS_HERE) return HERE[c]
    f = FEED[c]
    if (f < 1 || WORDS[f] == 0) return U
    name = WORD[f, 1]
    sub(/.*\//, "", name)
    if (name == "cat" && WORDS[f] == 1 && (f in HAS_HERE)) return HERE[f]
    if (name != "echo" && name != "printf") return U
    for (j = 2; j <= WORDS[f]; j++) {
        if (name == "echo" && WORD[f, j] ~ /^-[neE]+$/) continue
        if (WORD[f, j] ~ /\\[0-7xuUcebfr]/ || WORD[f, j] ~ /%[^s%]/) return U
        text = text (text == "" ? "" : (name == "echo" ? " " : "\n")) WORD[f, j]
    }
    if (name == "printf") { gsub(/\\n/, "\n", text); gsub(/%s/, "", text) }
    return text
}

function shell_call(c, i,    j, w, k, letters, n, text) {
    n = WORDS[c]
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w == "--") { j++; break }
        if (w == "-" || w == "-s") { j = n + 1; break }
        if (w ~ /^--?(init-file|rcfile|debugger)|^-[a-z]*i[a-z]*$/) block("an interactive shell")
        if (w ~ /^--/) { if (w ~ /^--(version|help)$/) return; continue }
        if (w !~ /^[-+]/) break
        if (w ~ /^-[A-Za-z]*c/) {
            for (j++; j <= n && WORD[c, j] ~ /^[-+]./; j++) if (WORD[c, j] ~ /o$/) j++
            if (j > n) block("a shell without its code")
            if (index(WORD[c, j], "{}")) block("a shell with code that is computed")
            code_of_shell(c, WORD[c, j], "a shell")
            return
        }
        if (w ~ /[oO]$/) j++
    }
    if (j <= n) {
        w = WORD[c, j]
        if (index(w, U) || index(w, PIPEFILE) || w ~ /^\/dev\/(stdin|fd|tcp)|^\/proc\//) block("a shell runs what is not known before it runs")
        decoded_run(c)
        return
    }
    text = stdin_text(c)
    if (index(text, U) || (text == "" && !(c in HAS_HERE))) {
        if (REDIRS[c] > 0 && REDIR[c, 1] ~ /^[A-Za-z0-9_.\/-]+$/ && !WRITES[c, 1] && REDIR[c, 1] !~ /^\/dev/) { decoded_run(c); return }
        block("a shell reads code that is not known before it runs")
    }
    code_text(c, text)
}

# A script that this very command decoded first is code nobody can read.
function decoded_run(c) {
    if (DECODED || decodes()) block("decodes something and runs a script: that hides what runs")
}

function decodes(    d, j, name) {
    for (d = 1; d <= COMMANDS; d++) for (j = 1; j <= WORDS[d]; j++) {
        name = WORD[d, j]
        sub(/.*\//, "", name)
        if (name ~ /^(base64|base32|basenc|uudecode|xxd|openssl)$/ && (name == "uudecode" ||
                WORD[d, j + 1] ~ /^(-d|-D|--decode|-r|enc|-di|-id|--base)/ || WORD[d, j + 2] ~ /^(-d|-D|--decode|-r)/)) return 1
    }
    return 0
}

function evaluate(c, i,    j, text) {
    for (j = i + 1; j <= WORDS[c]; j++) text = text (text == "" ? "" : " ") WORD[c, j]
    code_of_shell(c, text, "eval")
}

function source_call(c, i,    w) {
    w = WORD[c, i + 1]
    if (w == "" || index(w, U) || index(w, PIPEFILE) || w ~ /^\/dev\/|^\/proc\//) block("source of what is not known before it runs")
    decoded_run(c)
}

function change_directory(c, i, name,    j, w, p, why) {
    for (j = i + 1; j <= WORDS[c] && WORD[c, j] ~ /^-[LPen@]+$/; j++) { }
    w = (j <= WORDS[c]) ? WORD[c, j] : "~"
    if (name == "popd" || (name == "pushd" && j > WORDS[c])) w = U
    p = (w == "-") ? U : normal(w, HERE_DIR)
    if (tolower(p) ~ /(^|\/)\.git(\/|$)/ || secret(p "/config") != "" || secret(p) != "" || tolower(p) ~ /^\/proc/)
        block("cd into a directory that holds secrets")
    DIRECTORY[SCOPE[c]] = (p == ".") ? "" : p
}

function wrapper(c, i, name,    j, w, n) {
    n = WORDS[c]
    if (name == "command" && WORD[c, i + 1] ~ /^-[vV]/) return
    if (name == "coverage" && WORD[c, i + 1] != "run") { output_options(c, i, name); for (j = i + 1; j < n; j++) if (WORD[c, j] == "-o") must_write(c, WORD[c, j + 1], name); return }
    if (name == "coverage") {
        i++
        for (j = i + 1; j <= n && WORD[c, j] ~ /^-./; j++) {
            if (WORD[c, j] ~ /^(-m|--module)$/) { python_module(c, j + 1); return }
            if (WORD[c, j] ~ /^--(source|rcfile|include|omit|data-file|context|concurrency)$/) j++
        }
        if (j <= n && streamed(WORD[c, j])) block("coverage runs what is not known before it runs")
        return
    }
    if (name == "pdm" ||
            name == "hatch") { if (WORD[c, i + 1] != "run") { if (WORD[c, i + 1] ~ /^(add|install|update|sync|publish|lock|remove|self|cache|env|config|build|-?-?[a-z]*)$/ && WORD[c, i + 1] !~ /^(--version|--help|test|version|list|show|info)$/) block(name " changes packages or uses the network"); return } i++ }
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w == "--") { j++; break }
        if (name ~ /^(strace|ltrace)$/ && w ~ /^(-p|--attach|-[A-Za-z]*v|--no-abbrev)/) block(name " of another process, or with its environment")
        if (name == "time" && w ~ /^(-o|--output)/) must_write(c, (w ~ /^(-o|--output)$/) ? WORD[c, j + 1] : substr(w, (w ~ /=/) ? index(w, "=") + 1 : 3), name)
        if (name == "npx" && w ~ /^(-y|--yes|-p|--package|-c|--call)/) block("npx would install or compute what it runs")
        if (w ~ /^-/) { if (takes_value(name, w)) j++; continue }
        if (name == "timeout" || name == "chrt" || name == "taskset" || name == "faketime") { j++; break }
        if (name ~ /^setarch$/ && w ~ /^(linux|x86|i[3-6]86|arm|aarch)/) { j++; break }
        break
    }
    if (name == "timeout" && WORD[c, j] ~ /^-/) while (j <= n && WORD[c, j] ~ /^-/) j++
    program(c, j)
}

function takes_value(name, w) {
    if (name == "timeout") return w ~ /^(-k|-s|--signal|--kill-after)$/
    if (name == "nice") return w ~ /^(-n|--adjustment)$/
    if (name == "ionice") return w ~ /^(-c|-n|--class|--classdata)$/
    if (name == "stdbuf") return w ~ /^-[ioe]$/
    if (name == "exec") return w ~ /^-[a-z]*a$/
    if (name == "time") return w ~ /^(-f|-o|--format|--output)$/
    if (name ~ /^(strace|ltrace)$/) return w ~ /^-[eosSPIabXuOE]$/
    if (name == "taskset" || name == "chrt") return 0
    if (name == "dotenv") return w ~ /^(-f|--file|-e)$/
    if (name == "xvfb-run") return w ~ /^(-s|-n|-e|-f|-p|-w|--server-args)$/
    return 0
}

function env_call(c, i,    j, w, n) {
    n = WORDS[c]
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w ~ /^(-S|--split-string|-[a-z]*S)/) {
            sub(/^(-[a-z]*S|--split-string=?)/, "", w)
            for (j++; j <= n; j++) w = w " " WORD[c, j]
            code_of_shell(c, w, "env")
            return
        }
        if (w == "-u" || w == "--unset" || w == "-C" || w == "--chdir") { j++; continue }
        if (w == "--") continue
        if (w ~ /^-/) continue
        if (w ~ /^[A-Za-z_][A-Za-z0-9_]*=/) {
            assigned(substr(w, 1, index(w, "=") - 1), substr(w, index(w, "=") + 1))
            continue
        }
        if (index(w, "=") && w !~ /^\//) block("env with a name that cannot be read")
        program(c, j)
        return
    }
    block("env alone prints the whole environment")
}

function xargs(c, i, name,    j, w, n, text) {
    n = WORDS[c]
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w ~ /^(-I|-n|-P|-L|-d|-a|-s|-E|-j|-N|--replace|--max-args|--max-procs|--delimiter|--arg-file|--jobs|--colsep|--joblog|--results|--tmpdir)$/) { j++; continue }
        if (w ~ /^-/) continue
        break
    }
    if (name == "parallel") {
        if (j > n || WORD[c, j] ~ /^:::/) block("parallel runs what it reads")
        for (; j <= n && WORD[c, j] !~ /^:::/; j++) text = text (text == "" ? "" : " ") WORD[c, j]
        if (index(text, U)) block("parallel with code that is computed")
        code_text(c, text " \"$@\"")
        return
    }
    if (j > n) return              # echo
    sub_command(c, j, n, U)
}

function find_call(c, i, name,    j, w, n, from, k, git_dir, outside) {
    n = WORDS[c]
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (index(w, U) && name !~ /^fd/ && w ~ /^\001/ && j > i + 1 && WORD[c, j - 1] !~ /^-/) block("find with an expression that is not known")
        if (tolower(normal(w, HERE_DIR)) ~ /(^|\/)\.git$/) git_dir = 1
        if (j == i + 1 && vault(normal(w, HERE_DIR))) outside = 1
        if (w == "-delete") block("find -delete removes trees; list the files and remove yours by name")
        if (w ~ /^-(fprint|fprint0|fprintf|fls)$/) must_write(c, WORD[c, j + 1], "find")
        if (w ~ /^-(exec|execdir|ok|okdir)$/ || (name ~ /^fd/ && w ~ /^(-x|-X|--exec|--exec-batch)$/)) {
            from = j + 1
            if (git_dir) block("find -exec in the directory of git")
            if (outside && name == "find") block("find -exec in a directory of the machine")
            for (k = from; k <= n && WORD[c, k] != ";" && !(WORD[c, k] == "+" && WORD[c, k - 1] == "{}"); k++) if (WORD[c, k] == "{}") WORD[c, k] = U
            if (WORD[c, from] ~ /(^|\/)(rm|unlink|shred|mv)$/) block("find that removes what it finds")
            sub_command(c, from, k - 1, "")
            j = k
        }
    }
}

function flock_call(c, i,    j) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        if (WORD[c, j] ~ /^(-w|-E|--timeout|--wait)$/) { j++; continue }
        if (WORD[c, j] ~ /^-/ && WORD[c, j] !~ /^(-c|--command)$/) continue
        if (WORD[c, j + 1] ~ /^(-c|--command)$/) { code_of_shell(c, WORD[c, j + 2], "flock"); return }
        program(c, j + 1)
        return
    }
}

function make_call(c, i,    j, w) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if (w ~ /^(-[a-zA-Z]*p[a-zA-Z]*|--print-d.*)$/ && w !~ /^-[fCIo]/) block("make prints the whole environment")
        if (w ~ /^--eval/ || w ~ /^-E/ || w ~ /^(SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKEFILES)[:+?]?=/) block("make with rules or a shell from the command line")
        if ((w ~ /^(-f|--file|--makefile)$/ && (streamed(WORD[c, j + 1]) || WORD[c, j + 1] == U)) ||
                w ~ /^(-f-|--(make)?file=-|-f\/dev)/)
            block("make with rules that are not in a file")
        if (w ~ /^[A-Za-z_]+[:+?]?=.*[`]|=.*\$\(shell/) block("make with a variable that runs a command")
    }
}
