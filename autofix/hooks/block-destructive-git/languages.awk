# Inline code in JavaScript, Perl, Ruby, PHP and Lua.

function node_code(    j, writes, rest) {
    for (j = 1; j <= LITERALS; j++) {
        rest = LITERAL[j]
        sub(/^node:/, "", rest)
        if (rest == "constructor") block("JavaScript that reaches for its own insides")
        if (rest ~ /^(child_process|net|dgram|dns|tls|http|https|http2|cluster|worker_threads|vm|inspector|repl|module|process|axios|node-fetch|got|undici|ws|execa|shelljs|simple-git|rimraf|fs-extra|del)(\/.*)?$/) block("JavaScript that needs " rest)
        if (LITERAL[j] ~ /^https?:|^wss?:/ && uses("fetch|import")) block("JavaScript that uses the network")
    }
    if (uses("eval|Function|fetch|WebSocket|XMLHttpRequest|EventSource|globalThis|Reflect|Proxy|WebAssembly|Bun|Deno|navigator")) block("JavaScript that runs code it makes, or uses the network")
    if (CODE ~ /[.]constructor|process[ ]*\[|process[.](binding|dlopen|kill|set[a-z]*id|mainModule|_|chdir)|require[ ]*\([ ]*[^S \n)]|import[ ]*\([ ]*[^S \n)]|require[.](cache|main)|=[ ]*(require|process)([ ;,\n)]|$)/) block("JavaScript that reaches for its own insides")
    if (CODE ~ /[.](rm|rmSync|rmdir|rmdirSync|unlink|unlinkSync|rename|renameSync|truncate|truncateSync|ftruncate|chmod|chmodSync|chown|chownSync|symlink|symlinkSync|link|linkSync|cp|cpSync)[ ]*\(/ ||
            uses("rmSync|unlinkSync|rmdirSync|renameSync") || CODE ~ /(require[ ]*\([ ]*S[ ]*\)|fs)[ ]*\[/ ||
            CODE ~ /[{][^}]*(rm|unlink|rmdir|rename|truncate|chmod|symlink)[^}]*[}][ ]*=/)
        block("JavaScript that removes or moves files")
    rest = CODE
    gsub(/process[.](argv|exit|exitCode|std(in|out|err)|cwd|env|versions?|platform|arch|memoryUsage|hrtime|uptime|nextTick|on|once|off|emit|p?pid|title|release|execPath|execArgv|cpuUsage|resourceUsage|emitWarning|features)/, " ", rest)
    if (rest ~ /(^|[^A-Za-z0-9_$])process([^A-Za-z0-9_]|$)/ || uses("global|self|window")) block("JavaScript that hands the process on, or reads it whole")
    if (CODE ~ /process[.]env/) {
        rest = CODE
        while (match(rest, /process[.]env[.][A-Za-z_0-9]+/)) {
            if (secret_name(substr(rest, RSTART + 12, RLENGTH - 12)) ||
                    substr(rest, RSTART + 12, RLENGTH - 12) ~ /^(ACTIONS_|GITHUB_(ENV|PATH|OUTPUT|STATE))/)
                block("JavaScript that reads a secret")
            rest = substr(rest, 1, RSTART - 1) " " substr(rest, RSTART + RLENGTH)
        }
        gsub(/process[.]env[ ]*\[[ ]*S[ ]*\]/, "", rest)
        if (rest ~ /process[.]env/) block("JavaScript that reads the whole environment")
        judge_environment("node")
    }
    writes = CODE ~ /(write|append)File|createWriteStream|copyFile|writev|[.]write[ ]*\(|mkdir|openSync/
    judge_literals("node", writes)
}

function perl_code(    j, writes) {
    if (index(CODE, "`") ||
            uses("system|exec|fork|kill|unlink|rmdir|rename|truncate|chmod|chown|symlink|link|syscall|socket|connect|eval|do|qx|readpipe|glob|require|setuid|opendir|utime|dbmopen") && !(uses("do") && !uses("system|exec|fork|kill|unlink|rmdir|rename|truncate|chmod|chown|symlink|link|syscall|socket|connect|eval|qx|readpipe|glob|require|setuid|opendir|utime|dbmopen") && CODE ~ /do[ ]*[{]/))
        block("Perl that runs, removes or moves something")
    if (CODE ~ /\$[<>][ ]*=[^=~]/) block("Perl that changes privileges")
    if (CODE ~ /File::(Path|Copy|Remove|Temp|Find)|rmtree|remove_tree|IO::|IPC::|LWP|HTTP::|Net::|Socket|POSIX|Inline|DynaLoader|Symbol|->can|&[$]|&[{]|CORE::|\*[{]/) block("Perl that reaches out")
    if (CODE ~ /(%|@)ENV|ENV[ ]*[}]|\$ENV[ ]*[{][ ]*\$|keys[ ]+%?ENV|\$ENV[{][^}]*(TOKEN|SECRET|KEY|PASS|ACTIONS_|GITHUB_(ENV|PATH|OUTPUT))/) block("Perl that reads the environment")
    if (CODE ~ /ENV/) judge_environment("perl")
    for (j = 1; j <= LITERALS; j++) if (CODE ~ /open/ && (LITERAL[j] ~ /^[ ]*(\+?[<>]|\|)/ && LITERAL[j] !~ /^[ ]*<[ ]*[A-Za-z0-9_.\/:()-]*$/ || LITERAL[j] ~ /\|[ ]*$/)) writes = (LITERAL[j] ~ /\|/) ? 2 : 1
    if (writes == 2) block("Perl that opens a pipe")
    judge_literals("perl", writes)
}

function ruby_code() {
    if (index(CODE, "`") || CODE ~ /%x/ ||
            uses("system|exec|spawn|fork|eval|instance_eval|class_eval|module_eval|binding|send|__send__|public_send|syscall|Open3|PTY|Kernel|ObjectSpace|fiddle|Fiddle|DRb|popen|method|load|trap|const_get") ||
            CODE ~ /[.](popen|system|exec|spawn|eval|send|__send__|public_send|instance_eval|const_get|kill|fork)/)
        block("Ruby that runs code or programs")
    if (CODE ~ /FileUtils|Net::|Socket|TCP|UDP|URI[.]open|OpenURI|Dir[.](rmdir|delete|unlink|chdir)|[.](rmtree|unlink|delete|rmdir|rename|truncate|chmod|chown|symlink|link)([^A-Za-z0-9_]|$)/) block("Ruby that removes files or uses the network")
    if (CODE ~ /ENV/ && CODE !~ /ENV[ ]*\[[ ]*S[ ]*\]|ENV[.]fetch[ ]*\([ ]*S/ ||
            CODE ~ /ENV[.](to_|each|keys|values|select|map|inspect|sort|filter|find)|p[ ]+ENV[ ]*$/)
        block("Ruby that reads the whole environment")
    if (CODE ~ /ENV/) judge_environment("ruby")
    if (CODE ~ /Process::(Sys|UID|GID)|[.]e?[ug]id[ ]*=|setres?[ug]id|sete?[ug]id|initgroups/) block("Ruby that changes privileges")
    if (literal_in("socket net/http open-uri open3 fileutils pty net/ftp net/smtp resolv fiddle drb rinda httparty faraday git rugged")) block("Ruby that runs programs or uses the network")
    for (J = 1; J <= LITERALS; J++) if (LITERAL[J] ~ /^\|/) block("Ruby that opens a pipe")
    judge_literals("ruby", CODE ~ /[.](write|binwrite|puts|print|syswrite)|File[.](open|new)|IO[.]/)
}

function php_code(    j) {
    if (CODE ~ /posix_(set|kill|initgroups)|phpinfo|get_defined_vars|GLOBALS|ini_set|proc_/) block("PHP that changes privileges or shows the environment")
    for (j = 1; j <= LITERALS; j++) if (LITERAL[j] ~ /^(https?|ftps?|ssh2[.a-z]*|expect|phar|data|php|zlib|compress[.a-z0-9]*):/ && LITERAL[j] !~ /^php:\/\/(stdin|stdout|stderr|memory|temp)/) block("PHP that opens a stream")
    if (index(CODE, "`") ||
            uses("system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec|eval|assert|create_function|call_user_func|call_user_func_array|unlink|rmdir|rename|chmod|chown|symlink|link|fsockopen|stream_socket_client|curl_init|curl_exec|mail|dl|putenv|posix_kill|include|require|base64_decode|copy|ReflectionFunction|array_map|preg_replace_callback|socket_create|gethostbyname|dns_get_record") ||
            CODE ~ /\$[A-Za-z_]+[ ]*\(|\$_(ENV|SERVER)|\$\$/)
        block("PHP that runs, removes or reaches out")
    if (CODE ~ /getenv[ ]*\([ ]*[^S]/ ) block("PHP that reads the whole environment")
    judge_environment("php")
    judge_literals("php", CODE ~ /file_put_contents|fopen|fwrite|touch|ftruncate/)
}

function lua_code() {
    if (CODE ~ /os[ ]*[.\[]|io[ ]*[.\[]|load|dofile|require|package|debug|_G|_ENV/ && CODE !~ /^[^oi]*$/ && CODE ~ /os[ ]*[.\[][ ]*(execute|remove|rename|getenv|exit|tmpname|S)|io[ ]*[.\[][ ]*(popen|open|output|S)|load|dofile|require|package|debug|_G|_ENV/) block("Lua that runs, removes or reaches out")
    judge_literals("lua", 0)
}

function literal_in(names,    n, part, i, j) {
    n = split(names, part, " ")
    for (j = 1; j <= LITERALS; j++) for (i = 1; i <= n; i++) if (LITERAL[j] == part[i]) return 1
    return 0
}

function inline_call(c, i, name,    j, w, n, lang, seen, inplace) {
    n = WORDS[c]
    lang = (name ~ /^(node|deno|bun|ts-node|tsx)$/) ? "node" : (name ~ /^lua/ ? "lua" : (name ~ /^R/ ? "r" : name))
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (name == "deno" && j == i + 1) {
            if (w == "eval") { judge_code("node", WORD[c, n]); return }
            if (w ~ /^(install|add|publish|upgrade|compile|remove|jupyter|repl)$/) block("deno " w " uses the network")
            return
        }
        if (w == "-") { j = n + 1; break }
        if (w !~ /^-/) break
        if (name == "perl" && w ~ /^-[A-Za-z0-9.]*i/) inplace = 1
        if (name == "ruby" && w ~ /^-[A-Za-z]*i/) inplace = 1
        if (lang == "node" && w ~ /^(-r|--require|--import|--loader|--experimental-loader|--inspect.*|-i|--interactive|--env-file.*)$/) {
            if (w ~ /inspect/) block("node with a debugger")
            if (streamed(WORD[c, ++j])) block("node runs what is not known before it runs")
            continue
        }
        if (lang == "node" && w ~ /^(-e|-p|-pe|--eval|--print|--eval=.*|--print=.*)$/) {
            if (w ~ /=/) { sub(/^[^=]*=/, "", w) } else w = (j < n) ? WORD[c, ++j] : U
            judge_code("node", w)
            seen = 1
            continue
        }
        if (lang == "perl" && w ~ /^-[MmIV]/) { if (w ~ /^-[Mm]/ && w !~ /^-[Mm](strict|warnings|List::Util|Data::Dumper|JSON::PP|utf8|Time::|POSIX|feature|integer)/) block("perl with a module that is not judged"); continue }
        if (lang == "ruby" && w ~ /^-r/) { if (w ~ /socket|net|open|fileutils|pty|fiddle/ ||
                w == "-r") block("ruby with a library that reaches out"); continue }
        if (lang == "ruby" && w ~ /^-[ICEKWT]/) continue
        if ((lang == "perl" || lang == "ruby") && w ~ /^-[A-Za-z0-9]*[eE]/) {
            if (w ~ /[eE]$/) w = (j < n) ? WORD[c, ++j] : U
            else sub(/^-[A-Za-z0-9]*[eE]/, "", w)
            judge_code(lang, w)
            seen = 1
            continue
        }
        if (lang == "php" && w ~ /^-(r|B|R|E)$/ || lang == "lua" && w ~ /^-e/ || lang == "r" && w ~ /^-e/) { judge_code(lang, (length(w) > 2) ? substr(w, 3) : ((j < n) ? WORD[c, ++j] : U)); seen = 1; continue }
        if (w ~ /^(-v|--version|-h|--help)$/) return
    }
    if (seen) {
        if (inplace) for (; j <= n; j++) if (WORD[c, j] !~ /^-/) must_write(c, WORD[c, j], name)
        return
    }
    if (j <= n) {
        if (index(w, PIPEFILE) || index(w, U) || w ~ /^\/dev\/(stdin|fd)|^\/proc\//) block(name " runs what is not known before it runs")
        decoded_run(c)
        return
    }
    from_stdin(c, lang)
}
