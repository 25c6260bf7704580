# What programs take from a stream: lists of files, and whole programs.

function streamed(w) { return w ~ /^(-|\/dev\/(stdin|fd\/?.*)|\/proc\/(self|thread-self)\/fd.*)$/ || index(w, PIPEFILE) }

# Whether a command reads the names of files from elsewhere.
function takes_list(c, i, name,    j, w) {
    if (name ~ /^(xargs|parallel|read|mapfile|readarray|cpio|pax|afio)$/) return 1
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if (w ~ /^--(files?0?-from|stdin-paths|files-from|file-list|filelist|input-list|include-from|pathspec-from)/) return 1
        if (name ~ /tar$/ && w ~ /^-?[A-Za-z]*T/ && (w ~ /^-/ || j == i + 1)) return 1
        if (name == "zip" && w ~ /^-[A-Za-z]*@|^-i@/) return 1
        if (name ~ /^(gcc|cc|c\+\+|g\+\+|clang|clang\+\+|cpp|as|nasm|sqlite3|duckdb|7z|7za|7zz|pandoc|tex|latex|pdflatex|xmllint|xsltproc|bc)$/ && (streamed(w) ||
                (c in HAS_HERE) || FEED[c] > 0)) return 1
    }
    return 0
}

# Such a list must not name a secret: everything this text prints or holds for reading is looked at.
function listed_files(    c, j, name, text) {
    for (c = 1; c <= COMMANDS; c++) {
        if ((c in HAS_HERE) && !(HERE[c] in JUDGED)) listed(HERE[c])
        name = WORD[c, 1]
        sub(/.*\//, "", name)
        if (name == "echo") for (j = 2; j <= WORDS[c]; j++) listed(WORD[c, j])
        else if (name == "printf") listed(formatted(c))
        else if (name ~ /^(find|fd|fdfind|bfs|ls)$/) {
            for (j = 2; j <= WORDS[c] && WORD[c, j] !~ /^[-!(]./; j++) if (vault(normal(WORD[c, j], ""))) block("a list of the files below " WORD[c, j])
        } else if (name == "git") {
            for (j = 2; j <= WORDS[c]; j++) if (WORD[c, j] ~ /^--(git-path|git-dir|git-common-dir|absolute-git-dir|resolve-git-dir|shared-index-path)$/) block("a list of files with the directory of git")
        }
    }
}

# printf's text, as far as it can be told.
function formatted(c,    j, text, p) {
    text = WORD[c, 2]
    for (j = 3; j <= WORDS[c]; j++) {
        p = index(text, "%s")
        text = p ? substr(text, 1, p - 1) WORD[c, j] substr(text, p + 2) : text " " WORD[c, j]
    }
    gsub(/\\0*0|\\n|\\t|\\x00/, " ", text)
    return text
}

function listed(text,    part, n, i, p) {
    gsub(/\\0|\\n|\\x00/, " ", text)
    n = split(text, part, /[ \t\n"\047(),;<>=]+/)
    for (i = 1; i <= n && i <= 2000; i++) {
        if (part[i] == "") continue
        p = normal(part[i], HERE_DIR)
        if (secret(p) != "" || tolower(p) ~ /(^|\/)\.git$/) block("a list of files with " part[i])
    }
}

# Directories of the machine that hold what must not be read as a whole.
function vault(p) {
    return p ~ /^(~|\/|\/root|\/home|\/home\/[^\/]+|\/proc|\/proc\/.*|\/run|\/var\/run|\/github|\/etc|\/var|\/dev|\/sys)$/
}
