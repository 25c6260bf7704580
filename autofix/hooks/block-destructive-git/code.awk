# Inline code. String literals are taken out first (a printed danger is none) and judged as paths and names only.

# CODE becomes the code with each literal replaced by S; LITERAL[1..LITERALS] holds them. Literals that hold code of
# their own (f-strings, templates, #{...}) stay in CODE as well.
function take_literals(code, lang,    n, i, c, quote, body, j, live, out, before) {
    LITERALS = 0
    n = length(code)
    out = ""
    for (i = 1; i <= n; i++) {
        c = substr(code, i, 1)
        if (c == "#" && (lang == "python" || ((lang == "perl" || lang == "ruby") && (i == 1 || substr(code, i - 1, 1) ~ /[ \t\n;]/)))) {
            j = index(substr(code, i), "\n")
            if (!j) break
            i += j - 2
            continue
        }
        if (c == "\"" || c == "\047" || (c == "`" && lang == "node")) {
            quote = c
            if (lang == "python" && substr(code, i, 3) == c c c) quote = c c c
            before = ""
            if (match(out, /[A-Za-z]+$/)) before = tolower(substr(out, RSTART))
            body = ""
            for (j = i + length(quote); j <= n; j++) {
                c = substr(code, j, 1)
                if (substr(code, j, length(quote)) == quote) break
                if (c == "\\" && j < n) { body = body c substr(code, ++j, 1); continue }
                body = body c
            }
            if (j > n) block("inline code with a string without its end")
            i = j + length(quote) - 1
            if (body ~ /\\(x|u|U|N|[0-7])/ && before !~ /r/) block("inline code with letters that are spelled by number")
            live = (lang == "python" && before ~ /^(f|rf|fr)$/ && body ~ /[{]/) || (quote == "`" && index(body, "${")) || (quote == "\"" && (lang == "ruby" && index(body, "#{") || lang == "perl" && body ~ /@[{]|\$[{]|\$ENV|@ENV/ || lang == "php" && body ~ /\$|[{]/))
            LITERAL[++LITERALS] = body
            AT[LITERALS] = length(out) + (live ? 2 : 1)
            out = out (live ? " S " body " " : "S")
            continue
        }
        out = out c
    }
    CODE = out
}

function uses(names) { return CODE ~ ("(^|[^A-Za-z0-9_.])(" names ")([^A-Za-z0-9_]|$)") }

function imports(modules) { return CODE ~ ("(import|from)[ ]+([A-Za-z0-9_., ]*[ ,])?(" modules ")([^A-Za-z0-9_]|$)") }

# Literals as paths and names. `writes`: the code writes files, so each path in it may be a target.
function judge_literals(lang, writes,    j, w, why, p) {
    for (j = 1; j <= LITERALS; j++) {
        w = LITERAL[j]
        if (w == "" || w ~ /[ \t\n]/ || length(w) > 300) continue
        why = secret(normal(w, HERE_DIR))
        if (why == "" && w ~ /^\/proc\/?([a-z0-9-]*\/?)?$/ && w !~ /^\/proc\/(cpuinfo|meminfo|version|loadavg|uptime|stat|filesystems)$/) why = "what /proc tells of a process"
        if (why == "" && tolower(w) ~ /(^|\/)\.git$/ && CODE ~ /open|join|Path|read|glob|walk/) why = "the directory of git"
        if (why != "") block("inline code with " why)
        if (writes && !index(w, "\\") && w ~ /^[A-Za-z0-9_.~\/*-]+$/ && (w ~ /[.\/]/ ||
                w ~ /^[A-Z]+(file)?$|^[A-Z][a-z]+file$/) && (w !~ /^\.+$|^\.[a-z]+$/ ||
                w ~ /^\.(git|npm|pypi|husky|env|pre-|pylint|flake|eslint|docker)/)) {
            p = guarded(normal(w, HERE_DIR))
            if (p != "") block("inline code that would write " p ": " w)
        }
    }
}

# Names of variables the code asks for.
function judge_environment(lang,    j) {
    for (j = 1; j <= LITERALS; j++)
        if (LITERAL[j] ~ /^[A-Za-z_][A-Za-z0-9_]*$/ && (secret_name(LITERAL[j]) && LITERAL[j] ~ /^[A-Z_0-9]+$/ ||
                LITERAL[j] ~ /^(ACTIONS_|GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY))/))
            block("inline code that reads a secret")
}

function judge_code(lang, code,    writes) {
    if (index(code, U)) block("inline code that is computed before it runs")
    take_literals(code, lang)
    if (lang == "python") python_code()
    else if (lang == "node") node_code()
    else if (lang == "perl") perl_code()
    else if (lang == "ruby") ruby_code()
    else if (lang == "php") php_code()
    else if (lang == "lua") lua_code()
    else block("inline code in a language that is not judged here")
}

# Where a call removes a file nobody would miss, named in the code, the call is blanked out.
function forgive_own_removals(    from, p, j, text) {
    from = 1
    while (match(substr(CODE, from), /(^|[^A-Za-z0-9_.])(os[.](remove|unlink)[ ]*\([ ]*S[ ]*\)|(pathlib[.])?Path[ ]*\([ ]*S[ ]*\)[.]unlink[ ]*\([A-Za-z_= ]*\))/)) {
        p = from + RSTART - 1
        from = p + RLENGTH
        text = substr(CODE, p, RLENGTH)
        match(text, /\([ ]*S/)
        for (j = 1; j <= LITERALS && AT[j] != p + RSTART + RLENGTH - 2; j++) { }
        if (j <= LITERALS && LITERAL[j] !~ /[*?[\\{]/ && own(normal(LITERAL[j], HERE_DIR)))
            CODE = substr(CODE, 1, p) sprintf("%" (from - p - 1) "s", "") substr(CODE, from)
    }
}

# Text that Python itself runs as code: of timers and profilers.
function python_texts(    j, n, text) {
    if (!imports("timeit|cProfile|profile|trace|bdb|doctest") || CODE !~ /(timeit|repeat|Timer|run|runctx|runeval|globs|examples)[ ]*\(/) return
    if (CODE ~ /S[ ]*[+]|[+][ ]*S|S[ \n]+S|chr[ ]*\(|[.](join|format|replace|decode|translate)[ ]*\(/) block("Python that times code it computes")
    for (n = j = 1; j <= LITERALS; j++) if (LITERAL[j] ~ /[.(]|import/) text[n++] = LITERAL[j]
    for (j = 1; j < n; j++) {
        gsub(/\\n/, "\n", text[j])
        gsub(/\\/, "", text[j])
        judge_code("python", text[j])
    }
}

# Ways to a module or its functions that do not name it at its start.
function python_detours(    j, modules) {
    modules = "(os|sys|subprocess|shutil|posix|builtins|importlib|socket|ctypes)"
    if (CODE ~ ("[.]_?" modules "([^A-Za-z0-9_]|$)")) block("Python that takes a module out of another")
    if (CODE ~ ("from[ ]+[A-Za-z0-9_.]+[ ]+import[ (]+([A-Za-z0-9_, ]*[ ,(])?_?" modules "([ ,;)\n]|$)")) block("Python that takes a module out of another")
    if (CODE ~ /attrgetter|methodcaller|getattr_static|getmembers|__dict__/ && CODE ~ ("(^|[^A-Za-z0-9_.])(io|pathlib|Path|" modules ")([^A-Za-z0-9_]|$)")) block("Python that looks functions up by name")
    for (j = 1; j <= LITERALS; j++) {
        if (LITERAL[j] ~ /[{][^}]*[.](__|environ)/ && CODE ~ /format/) block("Python that reaches for its own insides")
        if (LITERAL[j] ~ /^(system|popen|environb?|rmtree|__[a-z]+__)$/ && CODE ~ /attrgetter|methodcaller|getattr/) block("Python that looks functions up by name")
    }
    if (imports("code|pdb|_socket|_ssl|pip|docker|podman|psutil|sarge|kubernetes|xonsh") ||
            CODE ~ /create_subprocess|subprocess_(exec|shell)|remove_tree|distutils[.](spawn|dir_util|file_util)/)
        block("Python that starts programs, uses the network or removes trees")
    if (CODE ~ /(pickle|dill|shelve|joblib|marshal|yaml)[.](loads?|Unpickler|unsafe_load|full_load|open)[ ]*\(/ && CODE !~ /pickle[.]loads?[ ]*\([ ]*pickle[.]dumps|yaml[.]loads?[ ]*\([^)]*(Safe|Base)Loader/) block("Python that runs what a file holds")
    if (CODE ~ /[.]eval[ ]*\([ ]*[^ )]/) block("Python that evaluates text")
    if (CODE ~ /setres?[ug]id|sete[ug]id|setgroups|copymode|copystat/) block("Python that changes privileges or modes")
}

function python_code(    rest, writes, j, module) {
    forgive_own_removals()
    gsub(/platform[.]system/, "platform", CODE)
    gsub(/re[.]compile/, "re", CODE)
    if (uses("exec|eval|compile|__import__|importlib|builtins|__builtins__|runpy|marshal|imp|zipimport|pkgutil|codeop")) block("Python that runs code it makes")
    if (CODE ~ /__(builtins|globals|subclasses|base|bases|mro|getattribute|loader|code|closure|self)__|(os|sys|shutil|io)[.]__dict__/) block("Python that reaches for its own insides")
    if (uses("subprocess|_posixsubprocess|ctypes|cffi") ||
            imports("pty|commands|posix|nt|sh|plumbum|fabric|invoke|pexpect|multiprocessing|signal|_ctypes|_thread"))
        block("Python that starts or signals processes; run the command itself")
    if (imports("socket|socketserver|ssl|requests|httpx|aiohttp|urllib3|urllib2|ftplib|smtplib|poplib|imaplib|telnetlib|nntplib|xmlrpc|paramiko|websocket|websockets|webbrowser|pycurl|http|urllib[.]request|grpc|boto3|botocore|dns|httplib2|treq|tornado|twisted") ||
            uses("urllib[.]request|http[.]client") ||
            CODE ~ /urlopen|urlretrieve|from[ ]+urllib[ ]+import[^;\n]*request|open_connection|create_connection/)
        block("Python that uses the network")
    if (imports("git|pygit2|dulwich|github|gitlab|keyring")) block("Python that works on git")
    if (CODE ~ /import[ ]+[^\n;]*(os|shutil|sys|pathlib|io)[ ]+as[ ]/ || CODE ~ /=[ ]*(os|shutil|sys|io)([ ;\n,)]|$)/) block("Python that renames a module")
    if (CODE ~ /from[ ]+(os|shutil|sys|io|nt|posix)[ ]+import/) {
        rest = CODE
        while (match(rest, /from[ ]+(os|shutil|sys|io)[ ]+import[^;\n]*/)) {
            module = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            sub(/^.*import/, "", module)
            gsub(/[ (),]+/, " ", module)
            gsub(/(^| )(path|getcwd|listdir|walk|getenv|environ|sep|linesep|cpu_count|name|stat|scandir|fspath|makedirs|mkdir|argv|exit|version|version_info|platform|executable|path|stdout|stderr|stdin|maxsize|which|disk_usage|get_terminal_size|StringIO|BytesIO|as)/, " ", module)
            if (module ~ /[A-Za-z*]/) block("Python that imports " module " by name")
        }
    }
    if (uses("getattr|vars|globals|locals|setattr|delattr") && CODE ~ /(^|[^A-Za-z0-9_])(os|shutil|sys|io|globals|locals)([^A-Za-z0-9_]|$)/) block("Python that looks functions up by name")
    if (CODE ~ /sys[.](modules|_getframe|settrace|meta_path|path_hooks)|gc[.]get_|inspect[.](stack|currentframe)|from[ ]+os[.]/) block("Python that reaches for its own insides")
    if (CODE ~ /os[.](system|popen|exec|spawn|posix_spawn|fork|kill|remove|unlink|rmdir|removedirs|rename|replace|truncate|ftruncate|chmod|lchmod|fchmod|chown|lchown|symlink|link|set[a-z]*id|setgroups|putenv|unsetenv|chroot|mkfifo|mknod|startfile|write|open|pidfd|abort|nice)/ ||
            CODE ~ /[.](rmtree|unlink|rmdir|removedirs|rename|symlink_to|hardlink_to|link_to|lchmod|chmod|popen|system|copytree)[ ]*\(/ ||
            CODE ~ /shutil[.](move|rmtree|chown|unpack_archive)/ || uses("rmtree|popen|unlink|rmdir"))
        block("Python that removes, moves or starts something")
    python_detours()
    if (CODE ~ /environ/) {
        rest = CODE
        gsub(/environ[ ]*\[[ ]*S[ ]*\]|environ[.](get|setdefault|pop)[ ]*\([ ]*S|S[ ]+(not[ ]+)?in[ ]+os[.]environ|S[ ]+(not[ ]+)?in[ ]+environ|import[^;\n]*environ/, "", rest)
        if (rest ~ /environ/) block("Python that reads the whole environment")
    }
    if (CODE ~ /getenvb?[ ]*\(/ && CODE ~ /getenvb?[ ]*\([ ]*[^S \n]/) block("Python that reads a variable it computes")
    if (CODE ~ /environ|getenv/) judge_environment("python")
    writes = CODE ~ /[.](write_text|write_bytes|writelines|touch|extractall|extract|to_csv|dump)[ ]*\(|shutil[.](copy|make_archive)|fileinput|FileHandler|basicConfig|connect|(shelve|dbm)[.]open|py_compile|cfile|to_(json|excel|pickle|parquet)|save(txt|fig|z)?[ ]*\(|ZipFile|TarFile/
    if (CODE ~ /open[ ]*\(/) for (j = 1; j <= LITERALS; j++) if (LITERAL[j] ~ /^[rwaxbt+U]+$/ && LITERAL[j] ~ /[wax+]/) writes = 1
    judge_literals("python", writes)
    python_texts()
}

function python_call(c, i,    j, w, n, k, letter) {
    n = WORDS[c]
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w == "-") { j = n + 1; break }
        if (w ~ /^--(version|help|help-[a-z]+)$/) return
        if (w ~ /^--/) { if (w == "--check-hash-based-pycs") j++; continue }
        if (w !~ /^-/) break
        for (k = 2; k <= length(w); k++) {
            letter = substr(w, k, 1)
            if (letter == "c") {
                w = (k < length(w)) ? substr(w, k + 1) : ((j < n) ? WORD[c, j + 1] : U)
                if (index(w, "{}")) w = w ""
                judge_code("python", w)
                return
            }
            if (letter == "m") {
                if (k < length(w)) { WORD[c, j] = substr(w, k + 1); python_module(c, j) } else python_module(c, j + 1)
                return
            }
            if (letter ~ /[WXQ]/) { if (k == length(w)) j++; break }
        }
        if (w ~ /^-(V|VV|h)$/) return
    }
    if (j <= n) {
        if (index(w, PIPEFILE) || w ~ /^\/dev\/(stdin|fd)|^\/proc\// || index(w, U)) block("Python runs what is not known before it runs")
        decoded_run(c)
        return
    }
    from_stdin(c, "python")
}

# Modules that run another module, or a script.
function python_runner(c, j, m,    w, n) {
    n = WORDS[c]
    for (j++; j <= n && WORD[c, j] ~ /^-./; j++) {
        w = WORD[c, j]
        if (w ~ /^(-m|--module)$/) { python_module(c, j + 1); return }
        if (w ~ /^(-o|--outfile)$/) must_write(c, WORD[c, j + 1], m)
        if (w ~ /^-o./) must_write(c, substr(w, 3), m)
        if (w ~ /^(-s|--sort|-C|--coverdir|-f|--file|-o|--outfile|--ignore-module|--ignore-dir)$/) j++
    }
    if (j <= n && (streamed(WORD[c, j]) || index(WORD[c, j], U))) block("Python runs what is not known before it runs")
    if (j <= n) decoded_run(c)
}

function python_module(c, j,    m) {
    m = WORD[c, j]
    if (m ~ /^(cProfile|profile|trace)$/) { python_runner(c, j, m); return }
    if (m == "runpy") { python_module(c, j + 1); return }
    if (m ~ /^(http\.server|webbrowser|ftplib|telnetlib|smtplib|smtpd|xmlrpc.*|pdb|code|idlelib|pydoc|antigravity|asyncio|ensurepip|nntplib|poplib|imaplib|urllib.*|site)$/) block("python -m " m " uses the network or is interactive")
    if (m == "timeit") { for (j++; j <= WORDS[c]; j++) if (WORD[c, j] !~ /^-[a-z]$/ && WORD[c, j] ~ /[^0-9]/) judge_code("python", WORD[c, j]); return }
    if (m ~ /^(zipfile|tarfile)$/ && WORD[c, j + 1] ~ /^(-c|--create)$/) must_write(c, WORD[c, j + 2], m)
    if (m ~ /^(zipfile|tarfile)$/) { for (; j <= WORDS[c]; j++) if (WORD[c, j] ~ /^(-e|--extract)/ && !own(normal(WORD[c, WORDS[c]], HERE_DIR))) block("python -m " m " unpacks over the tree"); return }
    if (m ~ /^(cProfile|profile|trace|coverage|pytest|unittest|doctest|tokenize|ast|dis|json\.tool|compileall|py_compile|venv|base64|calendar|this|tabnanny|pyclbr|sysconfig|platform|timeit|gzip|py\.test|nose2?|django|flask|build|setuptools)$/) {
        if (m == "base64" && WORD[c, j + 1] ~ /^-[du]/) DECODED = 1
        if (m == "json.tool" && WORDS[c] > j + 1 && WORD[c, WORDS[c]] !~ /^-/ && WORD[c, WORDS[c] - 1] !~ /^-|^json\.tool$/) must_write(c, WORD[c, WORDS[c]], m)
        if (m == "pytest" || m == "coverage" || m == "unittest") output_options(c, j, m)
        return
    }
    if (index(m, U) || m == "") block("python -m of what is not known")
    program(c, j)
}

function from_stdin(c, lang,    text) {
    text = stdin_text(c)
    if (index(text, U) || (text == "" && !(c in HAS_HERE))) {
        if (REDIRS[c] > 0 && REDIR[c, 1] ~ /^[A-Za-z0-9_.\/-]+$/ && !WRITES[c, 1] && REDIR[c, 1] !~ /^\/dev/) { decoded_run(c); return }
        block("an interpreter reads code that is not known before it runs")
    }
    judge_code(lang, text)
}
