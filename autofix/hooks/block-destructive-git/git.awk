# git. What is not known to be harmless is an objection.

function git(c, i,    j, w) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if (index(w, U) || index(w, PIPEFILE)) block("git with an action that is not known before it runs")
        if (w == "-C") {
            j++
            HERE_DIR = normal(WORD[c, j], HERE_DIR)
            if (HERE_DIR == ".") HERE_DIR = ""
            continue
        }
        if (w ~ /^(-P|--no-pager|--no-replace-objects|--literal-pathspecs|--glob-pathspecs|--noglob-pathspecs|--icase-pathspecs|--no-optional-locks|--no-lazy-fetch|--no-advice|-p|--paginate)$/) continue
        if (w ~ /^(--version|--help|-h|-v|--man-path|--info-path|--html-path)$/) return
        if (w ~ /^-/) block("git " w " changes what git runs or where it works")
        git_subcommand(c, j)
        return
    }
}

function git_subcommand(c, i,    s, j, w, n, m, option, operand, count, dashes, o) {
    s = WORD[c, i]
    n = WORDS[c]
    m = 0
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w == "--" && !dashes) { dashes = j; continue }
        if (!dashes && w ~ /^-./) option[++m] = w
        else operand[++count] = w
    }
    if (("gitread", s) in IS) { git_read(c, i, s, m, option); return }
    if (s == "add" || s == "stage") {
        for (j = 1; j <= m; j++) if (option[j] !~ /^(-A|--all|-u|--update|-v|--verbose|-n|--dry-run|-N|--intent-to-add|--ignore-errors|--no-all|-f|--force|--refresh|--sparse)$/) block("git add " option[j])
        for (j = 1; j <= count; j++) if (tolower(normal(operand[j], HERE_DIR)) ~ /(^|\/)\.(git[a-z]*|github|husky)(\/|$)/) block("git add of what steers git or CI")
        return
    }
    if (s == "commit") {
        for (j = i + 1; j <= n && !(dashes && j >= dashes); j++) {
            w = WORD[c, j]
            if (w ~ /^(-m|--message|-F|--file|--author|--date|--trailer|--cleanup|-[aqvs]*m)$/) { j++; continue }
            if (w ~ /^-[aqvsn]*m./ || w ~ /^--(message|author|date|trailer|cleanup|file)=/) continue
            if (w ~ /^-/ && w !~ /^(-a|--all|-q|--quiet|-v|--verbose|-s|--signoff|--no-signoff|-aq|-qa|--allow-empty|--dry-run|--short|--porcelain|--long|-n|--no-verify|--no-edit|--status|--no-status|--no-gpg-sign|-o|--only|-i|--include|-z|--no-post-rewrite)$/) block("git commit " w ": only a plain commit with -m is made here")
        }
        return
    }
    if (s == "checkout" || s == "switch") {
        o = (s == "checkout") ? "^-b$" : "^(-c|--create)$"
        for (j = 1; j <= m; j++) if (option[j] !~ o && option[j] !~ /^(-q|--quiet|--no-track|--no-guess|--progress|--no-progress|--create=.*)$/) block("git " s " " option[j] " discards work or moves a branch")
        for (j = 1; j <= m; j++) if (option[j] ~ o || option[j] ~ /^--create=/) {
            if (dashes || count > 2 || (count == 2 && operand[2] !~ /^(HEAD|@)$/) || index(operand[1], U))
                block("git " s " to another commit leaves the head of the pull request")
            return
        }
        block("git " s " discards work or leaves the head of the pull request; only a new branch can be made")
    }
    if (s == "reset") {
        for (j = 1; j <= m; j++) if (option[j] !~ /^(-q|--quiet|-N|--intent-to-add|--mixed|--no-refresh|--refresh)$/) block("git reset " option[j] " discards work or moves the branch")
        for (j = i + 1; j <= n; j++) {
            w = WORD[c, j]
            if (dashes && j >= dashes) return
            if (w ~ /^-/) continue
            if (w ~ /^(HEAD|@)$/ && !o) { o = "seen"; continue }
            if (index(w, U) || w ~ /[~^@{}:]/ || (w !~ /\.[A-Za-z][A-Za-z0-9]*$/ && w !~ /^\.$/ && w !~ /\/$/) ||
                    w ~ /^(origin|upstream|refs|heads|tags)\//)
                block("git reset " w " may move the branch; unstage with: git reset -- PATH")
            o = "seen"
        }
        return
    }
    if (s == "clean") {
        for (j = 1; j <= m; j++) if (option[j] == "--dry-run" || option[j] ~ /^-[dxXqf]*n[dxXqf]*$/) return
        block("git clean removes files; only -n is allowed")
    }
    if (s == "stash") {
        if (WORD[c, i + 1] ~ /^(list|show)$/) { git_read(c, i + 1, s, m, option); return }
        block("git stash takes work out of the tree; only list and show are allowed")
    }
    if (s == "branch") {
        for (j = 1; j <= m; j++) if (option[j] !~ /^(-a|--all|-r|--remotes|-v|-vv|-q|--quiet|-l|--list|--show-current|-i|--ignore-case|--no-column|--no-color|--column|--color|--contains|--no-contains|--merged|--no-merged|--points-at|--sort|--format|--abbrev|--no-abbrev|-av|-avv|-va|-rv|-vr|-ra|-ar|(--(sort|format|contains|no-contains|merged|no-merged|points-at|column|color|abbrev)=.*))$/) block("git branch " option[j] " changes branches")
        if (m == 0 && (count > 2 || (count == 2 && operand[2] !~ /^(HEAD|@)$/))) block("git branch from another commit")
        return
    }
    if (s == "tag") {
        if (m == 0 && count == 0) return
        for (j = 1; j <= m; j++) if (option[j] !~ /^(-l|--list|-n[0-9]*|-i|--ignore-case|--contains|--no-contains|--merged|--no-merged|--points-at|--sort|--format|--column|--no-column|(--(sort|format|contains|no-contains|merged|no-merged|points-at|column|color)=.*))$/) block("git tag " option[j] " changes tags")
        if (m == 0) block("git tag makes a ref")
        return
    }
    if (s == "worktree") { if (WORD[c, i + 1] == "list") return; block("git worktree changes the repository") }
    if (s == "reflog") {
        if (WORD[c, i + 1] ~ /^(expire|delete|drop|write)$/ || index(WORD[c, i + 1], U)) block("git reflog " WORD[c, i + 1] " makes commits unrecoverable")
        return
    }
    if (s == "notes") { if (WORD[c, i + 1] ~ /^(list|show)$/) return; block("git notes changes refs") }
    if (s == "submodule") { if (WORD[c, i + 1] ~ /^(status|summary)$/) return; block("git submodule touches remotes or runs commands") }
    if (s == "apply") {
        for (j = 1; j <= m; j++) {
            if (option[j] ~ /^(--check|--stat|--numstat|--summary)$/) o = "report"
            if (option[j] ~ /^(--apply|--index|--cached|-3|--3way|--unsafe-paths|--build-fake-ancestor)/) block("git apply changes files that are not in the command")
        }
        if (o == "report") return
        block("git apply: which files it changes is not in the command; use --check, or the Edit tool")
    }
    if (s == "symbolic-ref" && count == 1) {
        for (j = 1; j <= m && option[j] ~ /^(-q|--quiet|--short|--no-recurse|--recurse)$/; j++) { }
        if (j > m) return
    }
    if (s ~ /^(push|fetch|pull|clone|remote|ls-remote|send-pack|fetch-pack|receive-pack|upload-pack|upload-archive|http-push|http-fetch|request-pull|send-email|lfs|svn|p4|cvsserver|daemon|instaweb|bundle|subtree|fetch-pack)$/) block("git " s " touches a remote; only the harness does that")
    if (s ~ /^(config|credential.*|var|difftool|mergetool|gui|citool|gitk|bisect|init|hook|maintenance|scalar|fsmonitor--daemon|shell|sh-i18n|web--browse|column|verify-commit|verify-tag|interpret-trailers|for-each-repo|rerere|attr)$/) block("git " s " configures git or makes it run other programs")
    if (s ~ /^(rm|mv)$/) block("git " s " takes tracked files away")
    if (s ~ /^(restore|checkout-index|read-tree|am|merge|cherry-pick|revert|update-index|sparse-checkout|merge-file|merge-index|merge-one-file|unpack-file|unpack-objects|mailsplit|mailinfo|apply|stage)$/) block("git " s " overwrites files or discards work")
    if (s ~ /^(rebase|filter-branch|filter-repo|replace|update-ref|symbolic-ref|gc|prune|prune-packed|repack|pack-refs|pack-objects|fast-import|fast-export|commit-tree|write-tree|mktree|mktag|commit-graph|multi-pack-index|index-pack|refs|history|replay|reset|update-server-info|update-shallow|quiltimport|archimport|cvsimport|graft|backfill)$/) block("git " s " rewrites history or refs")
    block("git " s " is not known to be harmless")
}

function git_read(c, i, s, m, option,    j, w, o) {
    for (j = 1; j <= m; j++) {
        w = option[j]
        if (index(w, U) && w ~ /^-[-A-Za-z]*\001/) block("git " s " with an option that is not known")
        if (index(w, "--ext") == 1 && index("--ext-diff", w) == 1 ||
                index(w, "--text") == 1 && w != "--text" && index("--textconv", w) == 1)
            block("git " s " " w " runs other programs")
        if (w ~ /^--(filters|textconv|exec|upload-pack|remote|receive-pack|open-files|write-commit-graph|show-signature|contents)/ ||
                index("--open-files-in-pager", w) == 1 && length(w) > 3)
            block("git " s " " w " runs other programs or reaches out")
        if (s == "grep" && w ~ /^-[a-zA-Z]*O/) block("git grep -O opens files in a program")
        if (w == "--no-index") no_index(c, i, s)
        if (s == "hash-object" && w ~ /^-[a-z]*w/) block("git hash-object -w writes objects")
        if (s == "help" && w ~ /^-[wi]|^--(web|info)/) block("git help opens a program")
        if (s == "rev-parse" && w ~ /^--parseopt|^--sq-quote/) continue
        if (w ~ /^--outp?u?t?=?/ && w !~ /^--output-indicator/) {
            o = w
            sub(/^[^=]*=?/, "", o)
            if (o == "") o = value_after(c, i, w)
            must_write(c, o, "git " s)
        }
        if ((s == "archive" || s == "format-patch") && w ~ /^-o/) must_write(c, (w == "-o") ? value_after(c, i, w) : substr(w, 3), "git " s)
        if (s == "fsck" && w ~ /^--lost/) block("git fsck --lost-found writes files")
    }
    if (s == "format-patch") {
        for (j = 1; j <= m; j++) if (option[j] ~ /^(--stdout|-o|--output-directory|--output)/) return
        block("git format-patch writes files into the tree; use --stdout")
    }
    if (s == "check-attr" || s == "help") return
}

# Outside its index git compares and searches any file.
function no_index(c, i, s,    j, p) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        p = normal(WORD[c, j], HERE_DIR)
        if (tolower(p) ~ /(^|\/)\.git(\/|$)/ || vault(p)) block("git " s " --no-index of " p)
    }
}

function value_after(c, i, option,    j) {
    for (j = i; j < WORDS[c]; j++) if (WORD[c, j] == option) return WORD[c, j + 1]
    return U
}
