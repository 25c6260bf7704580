# Programs that remove, write, move or unpack files, end processes or print the environment.

function remove(c, i, name,    j, w, n, recursive, force, bad, operands, dashes) {
    n = WORDS[c]
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (!dashes && w == "--") { dashes = 1; continue }
        if (!dashes && w ~ /^-./) {
            if (index(w, U)) block(name " with options that are not known")
            if (w ~ /^--/) {
                if (length(w) > 3 && index("--recursive", w) == 1) recursive = 1
                else if (length(w) > 3 && index("--force", w) == 1) force = 1
                else if (w ~ /^--no-p/) block("rm without its safety net")
            } else {
                if (w ~ /[rR]/) recursive = 1
                if (w ~ /f/) force = 1
            }
            continue
        }
        operands = operands " " w
        if (w == "" || !removable(normal(w, HERE_DIR), name)) bad = (bad == "") ? w : bad
    }
    if (recursive && force) block("rm with both -r and -f: remove by name, or build output with -r alone")
    if (bad != "") block(name " of " bad ": only build output and files of your own may be removed")
}

# Only the part before the first wildcard or unknown counts.
function removable(p, name) {
    if (name == "rmdir" && p !~ /^[~\/]|^\.\.|(^|\/)\.git(\/|$)|\001/) return 1
    if (p ~ /^(\/tmp|\/var\/tmp|scratch|tmp)\/?$/) return p == "scratch"
    if (p ~ /^[^\/]*[*?[\001]/ && p !~ /\.(py[co]|o|log|tmp|bak|orig|rej)$/) return 0
    return own(p)
}

function copy(c, i, name,    j, w, n, operand, count, target, link, all, keeps) {
    n = WORDS[c]
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w == "-t" || w == "--target-directory") { target = WORD[c, ++j]; continue }
        if (w ~ /^--target-directory=/) { target = substr(w, 20); continue }
        if (name == "install" && w ~ /^-[A-Za-z]*[mogS]$|^--(mode|owner|group|suffix)$/) {
            if (w ~ /m$|^--mode$/ && sets_ids(WORD[c, j + 1])) block("install with a set-uid mode")
            if (w ~ /[og]$|^--(owner|group)$/) block("install for another owner")
            j++
            continue
        }
        if (name == "install" && match(w, /^(-[A-Za-z]*m|--mode=)/) && sets_ids(substr(w, RLENGTH + 1))) block("install with a set-uid mode")
        if (w ~ /^-[A-Za-z]*[ap]|^--(archive|preserve)/) keeps = 1
        if (name == "cp" && (w ~ /^-[A-Za-z]*[sl]/ || w ~ /^--(sym|link)/)) link = 1
        if (w ~ /^-./) continue
        if (w ~ /\/\.$/) all = 1
        operand[++count] = normal(w, HERE_DIR)
    }
    if (target == "" && count > 1) target = operand[count--]
    else if (target != "") target = normal(target, HERE_DIR)
    for (j = 1; keeps && j <= count; j++) if (operand[j] ~ /^\/(usr\/)?(local\/)?s?bin\/|^\/usr\/lib/) block(name " of a program with its mode and owner")
    if (name == "ln" || name == "link" || link) {
        if (target == "") target = operand[1]
        for (j = 1; j <= count; j++) if (!own(operand[j]) && !(operand[j] !~ /^[~\/.]|\// && own(target))) block("a link to " operand[j] ": writing through it would change another file")
        if (!own(target)) block("a link in the tree")
        return
    }
    for (j = 1; j <= count; j++) {
        if (name == "mv" && !own(operand[j])) block("mv of " operand[j] ": it takes a file of the project away")
        if (operand[j] == "/dev/null" && !own(target)) block("a copy of nothing over a file")
    }
    if (target != "") {
        if (all && !own(target "/x")) block(name " of a whole directory over the tree")
        if (target != ".") must_write_normal(target, name)
        for (j = 1; j <= count; j++) { w = operand[j]; sub(/.*\//, "", w); if (!own(target "/x") && target != w) must_write_normal((target == "." ? "" : target "/") w, name) }
    }
}

function write_operands(c, i, name,    j, w) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if (w ~ /^-(s|-size|r|-reference|m|-mode|d|-date|t|l|-length|o|-offset)$/ && name !~ /^(tee|mkdir)$/) { j++; continue }
        if (name == "mkdir" && (w == "-m" || w == "--mode")) { j++; continue }
        if (w ~ /^-./) continue
        if (name ~ /^(truncate|fallocate|mknod)$/ && !own(normal(w, HERE_DIR))) block(name " of " w ": it destroys what is in it")
        if (name == "mkdir" && normal(w, HERE_DIR) ~ /^\./ && normal(w, HERE_DIR) !~ /^\.(git|github|husky|claude|autofix|vscode|\.)/) continue
        must_write(c, w, name)
    }
}

function dd(c, i,    j, p) {
    for (j = i + 1; j <= WORDS[c]; j++) if (WORD[c, j] ~ /^of=/) {
        p = normal(substr(WORD[c, j], 4), HERE_DIR)
        if (!own(p)) block("dd over " p)
    }
}

# A mode with set-user-id or set-group-id, or one that is not known.
function sets_ids(mode) { return index(mode, U) || mode ~ /s/ || mode ~ /(^|=)0*[2-7][0-7][0-7][0-7]$/ }

function chmod_call(c, i,    j, w, mode) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if (w ~ /^--ref/) block("chmod to the mode of another file")
        if (w ~ /^--/ || (w ~ /^-[RvcfhHLP]+$/)) continue
        if (mode == "") {
            mode = w
            if (sets_ids(mode)) block("chmod that sets user or group ids")
            continue
        }
        if (!own(normal(w, HERE_DIR))) block("chmod of " w ": a tracked file keeps its mode")
    }
}

function kill_call(c, i,    j, w, n, signalled) {
    n = WORDS[c]
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w ~ /^-(l|L|-list)/) return
        if (j == i + 1 && w ~ /^-(s|n|-signal)$/) { j++; continue }
        if (j == i + 1 && w ~ /^-[A-Za-z0-9]+$/) continue
        if (w == "--") continue
        if (w ~ /^-?\003$/ || w ~ /^%[0-9%+-]*$/) { signalled = 1; continue }
        block("kill of a process this command did not start")
    }
}

function printenv_call(c, i,    j, seen) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        if (WORD[c, j] ~ /^-/) continue
        seen = 1
        if (secret_name(WORD[c, j]) || index(WORD[c, j], U) || WORD[c, j] ~ /^(ACTIONS_|GITHUB_(ENV|PATH|OUTPUT|STATE))/) block("printenv of a secret")
    }
    if (!seen) block("printenv alone prints the whole environment")
}

function dump(c, i, name,    j, seen, w, p) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if (name == "compgen" && w ~ /^-[A-Za-z]*[veCWF]/) block("compgen lists variables, or runs what it is given")
        if (name != "set" && w ~ /^-[A-Za-z]*p/) { p = 1; continue }
        if (name ~ /^(declare|typeset|local)$/ && w ~ /^-[A-Za-z]*n/) block("a name for a name is not followed")
        if (name == "export" && w ~ /^-[A-Za-z]*f/) block("a function for other shells is not followed")
        if (name == "set" || w !~ /^[-+]/) seen = 1
        if (w !~ /^[-+]/ && name != "set" && name != "compgen") {
            sub(/^[^=]*\[.*$/, "q", w)
            assigned((index(w, "=") ? substr(w, 1, index(w, "=") - 1) : w), index(w, "=") ? substr(w, index(w, "=") + 1) : "")
            if (p && (secret_name(w) || runner_name(w) || index(w, U) || w ~ /[*?[]/)) block(name " -p of a secret")
        }
    }
    if (name == "set" && WORD[c, i + 1] ~ /^[-+]o$/ && WORDS[c] == i + 1) return
    if (!seen && name != "compgen") block(name " alone prints the whole environment")
}

function tar_call(c, i,    j, w, n, extract, create, list_, dir, file) {
    n = WORDS[c]
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w ~ /^--(to-c|use-c|checkpoint-a|rsh|info-s|new-v|rmt)/) block("tar would run another program")
        if (w ~ /^--(to-command|use-compress-program|checkpoint-action|rsh-command|info-script|new-volume-script|rmt-command)|^-[A-Za-z]*[IF]$/) block("tar would run another program")
        if (w ~ /^--(rem|delete|recursive-u|unlink-f|overwrite-d)/) block("tar that removes files")
        if (w == "--extract" || w == "--get") extract = 1
        else if (w == "--create") create = 1
        else if (w == "-C" || w == "--directory") { dir = WORD[c, ++j] }
        else if (w ~ /^--directory=/) dir = substr(w, 13)
        else if (w ~ /^--file=/) file = substr(w, 8)
        else if (w == "--file") file = WORD[c, ++j]
        else if (w ~ /^-[A-Za-z]/ && w !~ /^--/ || (j == i + 1 && w ~ /^[A-Za-z]+$/)) {
            if (w ~ /x/) extract = 1
            if (w ~ /[cru]/ && w !~ /x|t/) create = 1
            if (w ~ /f$/) file = WORD[c, ++j]
            if (w ~ /P/) block("tar with absolute names")
        }
    }
    if (extract && (dir == "" || !own(normal(dir, HERE_DIR)))) block("tar that unpacks over the tree; unpack with -C below scratch/ or /tmp")
    if (create && file != "" && file != "-") must_write(c, file, "tar")
}

function archive(c, i, name,    j, w, keep, dir, bad, moved) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if (name == "zip" && (w ~ /^-[A-Za-z]*m/ || w ~ /^--move|^-TT|^--unzip-command/)) block("zip that moves files or runs programs")
        if (name == "unzip" && w == "-d") { dir = WORD[c, ++j]; continue }
        if (name ~ /^7/ && w ~ /^-o/) dir = substr(w, 3)
        if (w ~ /^--(keep|stdout|to-stdout|list|test|version|help)/ || w ~ /^-[0-9A-Za-z]*[klct]/ || (name == "unzip" && w ~ /^-[A-Za-z]*[lptZv]/)) keep = 1
        if (w !~ /^-/ && !own(normal(w, HERE_DIR))) bad = w
    }
    if (name == "zip") { for (j = i + 1; j <= WORDS[c]; j++) if (WORD[c, j] !~ /^-/) { must_write(c, WORD[c, j], name); return } return }
    if (name ~ /^(unzip|7z|7za|7zz)$/) {
        if (name != "unzip" && WORD[c, i + 1] ~ /^[lth]$/) return
        if (!keep && (dir == "" || !own(normal(dir, HERE_DIR)))) block(name " over the tree; unpack below scratch/ or /tmp")
        return
    }
    if (name ~ /^(cpio|pax|unrar)$/) block(name ": which files it changes is not in the command")
    if (name == "ar") return
    if (!keep && bad != "" && WORDS[c] > i) block(name " replaces " bad "; use -k or -c")
}

function rsync_call(c, i,    j, w, operand, count) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if (w ~ /^--(del|delete|remove-source|force|rsh|rsync-path|daemon|server|files-from=.*:)/ || w ~ /^-[A-Za-z]*e/)
            block("rsync that removes files or starts programs")
        if (w ~ /^-/) continue
        if (w ~ /:/) block("rsync with another host")
        operand[++count] = w
    }
    if (count > 1) {
        w = operand[count]
        sub(/\/+$/, "", w)
        if (!own(normal(w, HERE_DIR))) block("rsync over the tree: which files it changes is not in the command")
    }
}

function patch_call(c, i,    j) {
    for (j = i + 1; j <= WORDS[c]; j++) if (WORD[c, j] ~ /^--(dry-run|check|help|version)$/ || WORD[c, j] == "-C") return
    block("patch: which files it changes is not in the command; use the Edit tool")
}
