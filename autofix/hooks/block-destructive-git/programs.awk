# Which programs there are, and who judges a call of each.

function set(table, names,    n, part, i) {
    n = split(names, part, " ")
    for (i = 1; i <= n; i++) IS[table, part[i]] = 1
}

function tables() {
    BAITS = split(".git/config ~/.netrc ~/.git-credentials ~/.ssh/id_rsa ~/.aws/credentials ~/.docker/config.json ~/.npmrc ~/.pypirc ~/.config/gh/hosts.yml /proc/1/environ /proc/self/environ /proc/self/mem /run/secrets/q8z /github/home/q8z /github/file_commands/set_output_q8z /var/run/docker.sock /etc/shadow", BAIT, " ")
    set("shell", "sh bash dash zsh ksh ksh93 mksh ash fish csh tcsh rbash yash posh")
    set("python", "python python2 python3 pypy pypy3 ipython ipython3")
    set("wrapper", "command builtin exec nohup nice ionice time timeout stdbuf setsid chrt taskset unbuffer setarch")
    set("wrapper", "linux32 linux64 i386 x86_64 catchsegv valgrind faketime xvfb-run strace ltrace npx bunx dotenv")
    set("wrapper", "dbus-run-session prlimit catchsegv eatmydata chronic rlwrap ccache cross-env cross-env-shell")
    set("lines", "concurrently hyperfine nodemon watchexec npm-run-all")
    set("wrapper", "coverage pdm hatch")
    set("network", "easy_install logger ssh-copy-id gsutil s3cmd curl wget nc ncat netcat socat telnet ssh scp sftp ftp")
    set("network", "lftp tftp ping ping6 nslookup dig host drill traceroute tracepath mtr whois nmap aria2c axel lynx")
    set("network", "links elinks w3m http https xh httpie rsh rlogin mosh autossh ssh-keyscan smbclient mail mailx")
    set("network", "sendmail msmtp swaks wscat websocat grpcurl rclone restic mosquitto_pub mosquitto_sub redis-cli psql")
    set("network", "mysql mongosh mongo hping3 arp arping ngrok cloudflared tailscale uvx yt-dlp youtube-dl dog")
    set("network", "resolvectl systemd-resolve tor torsocks proxychains ldapsearch snmpwalk")
    set("remote", "scalar dulwich gh hub glab tea bb svn hg bzr fossil")
    set("privilege", "sudoedit gosu su-exec setuidgid s6-setuidgid chpst run0 dzdo pfexec fakeroot proot setfacl setfattr")
    set("privilege", "chattr docker-compose podman-compose sudo doas su runuser setpriv unshare nsenter chroot capsh")
    set("privilege", "newgrp sg pkexec mount umount losetup setcap insmod modprobe rmmod docker dockerd podman nerdctl ctr")
    set("privilege", "crictl runc buildah kubectl helm minikube kind lxc lxc-attach bwrap firejail machinectl chown chgrp")
    set("privilege", "useradd usermod passwd visudo sysctl iptables nft ip ifconfig aws gcloud az doctl terraform ansible")
    set("privilege", "ansible-playbook vault op pass gpg gpg2 ssh-add ssh-agent ssh-keygen security secret-tool keyctl")
    set("privilege", "polkit dbus-send busctl gdb lldb gcore")
    set("kill", "pkill killall killall5 skill snice xkill reboot shutdown halt poweroff init telinit systemctl")
    set("kill", "service initctl rc-service loginctl")
    set("destroy", "trash-put trash-empty trash-rm gvfs-trash shred srm wipe mkfs mke2fs fdisk parted sfdisk mkswap")
    set("destroy", "wipefs blkdiscard trash gio rename prename perl-rename mmv rimraf del-cli unlinkat debugfs")
    set("editor", "vi vim nvim view ex ed red nano pico emacs emacsclient joe mcedit code subl micro helix hx kak")
    set("later", "at batch crontab systemd-run screen tmux dtach abduco start-stop-daemon daemonize daemon incron")
    set("later", "watchman entr inotifywait watch script expect logrotate run-parts")
    set("opaque", "envsubst husky lefthook overcommit simple-git-hooks tclsh wish julia groovy scala kotlin jshell")
    set("opaque", "osascript pwsh powershell guile racket clisp sbcl ghci erl elixir iex octave gnuplot m4 dc")
    set("opaque", "mysqlsh wasmtime wine pry irb")
    set("operands", "> rm rmdir unlink cat head tail wc grep sed awk python python3 node perl ruby pytest cp mv touch")
    set("operands", "mkdir tee chmod echo printf test [ ls stat diff sort black ruff mypy isort flake8 pylint eslint")
    set("operands", "prettier file md5sum sha256sum")
    set("readers", "cat head tail less more grep egrep fgrep rg ag ack zgrep ls stat wc file find gfind fd fdfind bfs")
    set("readers", "diff cmp comm cut sort uniq nl tac od xxd hexdump strings md5sum sha1sum sha256sum cksum du tree")
    set("readers", "realpath readlink basename dirname test [ cd pushd git git-diff jq awk gawk mawk sed gsed tr xargs")
    set("readers", "bat tee cp mv ln rm rmdir mkdir touch chmod install dd")
    set("text", "echo printf true false : test [ seq basename dirname yes expr date sleep cal")
    set("searcher", "grep egrep fgrep rg ag ack zgrep pcregrep")
    set("gitread", "status log show diff blame annotate ls-files ls-tree cat-file grep rev-parse rev-list merge-base")
    set("gitread", "describe shortlog name-rev whatchanged diff-tree diff-index diff-files check-ignore check-attr")
    set("gitread", "show-ref for-each-ref count-objects cherry range-diff show-branch version help archive format-patch")
    set("gitread", "fsck hash-object check-ref-format check-mailmap patch-id stripspace merge-tree verify-pack")
    set("formatter", "black isort autopep8 yapf prettier gofmt goimports rustfmt clang-format pyupgrade autoflake")
    set("formatter", "docformatter add-trailing-comma ruff eslint stylelint standard biome rubocop standardrb dprint shfmt")
    set("formatter", "swiftformat ktlint scalafmt terraform-fmt rome tslint xo google-java-format unify pycln ssort")
    set("formatter", "reorder-python-imports black-primer blue djlint stylua taplo buildifier cmake-format nixfmt")
    set("formatter", "php-cs-fixer phpcbf mdformat gofumpt")
    set("installer", "pip pip2 pip3 npm pnpm yarn bun gem bundle bundler cargo go apt apt-get aptitude dpkg apk yum dnf")
    set("installer", "microdnf zypper pacman brew port snap flatpak conda mamba micromamba poetry uv pipx pipenv composer")
    set("installer", "easy_install cpan cpanm luarocks opam cabal stack nix nix-env nix-shell corepack volta nvm fnm")
    set("installer", "rustup sdk asdf mise dotnet nuget mix rebar3 pre-commit twine flit")
}

function program(c, i,    word, name, n, j, k) {
    n = WORDS[c]
    if (++DEEP[c] > 30) block("wrappers nested too deeply")
    while (i <= n && WORD[c, i] == "" ) block("an empty command word")
    if (i > n) return
    word = WORD[c, i]
    if (index(word, U) || index(word, PIPEFILE) || index(word, OWNPID)) block("what runs is not known before it runs; write the command out")
    if (word ~ /[ \t\n*?$`"{}]/ || word ~ /[\200-\377]/) block("a command word that cannot be read: " word)
    if (word ~ /\[/ && word !~ /^\[\[?$/) block("a command word that cannot be read: " word)
    name = word
    sub(/.*\//, "", name)
    if (name ~ /^(ld-linux|ld-musl|ld\.so|ld-[0-9])/) { program(c, i + 1); return }
    if (tolower(name) != name && (tolower(name) ~ /^(rm|git|sh|bash|curl|sudo)$/)) block("an odd spelling of " tolower(name))
    if (name ~ /^python[0-9.]+$|^pypy[0-9.]+$/) name = "python3"
    sub(/^(perl|ruby|node|lua|php)[0-9.]+$/, "&", name)
    if (name ~ /^(perl|ruby|lua|php|node|nodejs)[0-9.]*$/) { sub(/[0-9.]+$/, "", name); if (name == "nodejs") name = "node" }
    if (name ~ /^(pip|gcc|g\+\+|clang)[0-9.-]+$/) sub(/[0-9.-]+$/, "", name)
    if (name ~ /^(read|mapfile|readarray|test|\[|printf|wait|let|unset|getopts|declare|typeset|local|export|readonly)$/) names_of_variables(c, i, name)
    word_paths(c, i, name)
    if (takes_list(c, i, name)) listed_files()
    if (("network", name) in IS) { if (!loopback(c, i)) block(name " uses the network"); return }
    if (("remote", name) in IS) block(name " works on a remote")
    if (("privilege", name) in IS || name ~ /^git-(remote|credential|shell|daemon)/) block(name " changes privileges, or holds keys")
    if (("kill", name) in IS) block(name " ends processes this command did not start")
    if (("destroy", name) in IS || name ~ /^mkfs/) block(name " destroys data")
    if (("editor", name) in IS) block(name " is an interactive editor; use the Edit tool")
    if (("later", name) in IS) block(name " runs commands at another time or place")
    if (name == "envsubst") block("envsubst prints variables of the environment")
    if (name == "swift" && WORD[c, i + 1] !~ /^(test|build|--version)$/) block("swift runs code that is not judged here")
    if (("lines", name) in IS) { for (j = i + 1; j <= n; j++) if (WORD[c, j] ~ /[ ]/) code_of_shell(c, WORD[c, j], name) }
    if (name == "direnv" && WORD[c, i + 1] == "exec") { program(c, i + 3); return }
    if (name ~ /^(less|more|most)$/) { for (j = i + 1; j <= n; j++) if (WORD[c, j] ~ /^[+].*[!|]/) block(name " would run another program") }
    if (name == "man") { for (j = i + 1; j <= n; j++) if (WORD[c, j] ~ /^(-P|-H|--pager|--html)/) block("man would run another program") }
    if (("opaque", name) in IS) block(name " runs code that is not judged here")
    if (("shell", name) in IS) { shell_call(c, i); return }
    if (("python", name) in IS) { python_call(c, i); return }
    if (("wrapper", name) in IS) { wrapper(c, i, name); return }
    if (("installer", name) in IS) { installer(c, i, name); return }
    if (("formatter", name) in IS) { formatter(c, i, name); return }
    if (name ~ /^git-/) { WORD[c, i] = substr(name, 5); git_subcommand(c, i); return }
    if (name == "git") git(c, i)
    else if (name == "rm" || name == "unlink" || name == "rmdir") remove(c, i, name)
    else if (name == "busybox" || name == "toybox") program(c, i + 1)
    else if (name == "env") env_call(c, i)
    else if (name == "xargs" || name == "parallel") xargs(c, i, name)
    else if (name == "find" || name == "gfind" || name == "bfs" || name == "fd" || name == "fdfind") find_call(c, i, name)
    else if (name == "eval") evaluate(c, i)
    else if (name == "source" || name == ".") source_call(c, i)
    else if (name == "trap") { if (n > i) code_of_shell(c, WORD[c, i + 1], "trap") }
    else if (name == "alias") block("aliases are not followed; write the command out")
    else if (name == "cd" || name == "pushd" || name == "popd") change_directory(c, i, name)
    else if (name == "kill") kill_call(c, i)
    else if (name == "ps") { for (j = i + 1; j <= n; j++) if ((WORD[c, j] ~ /^[A-Za-z]*e/ && WORD[c, j - 1] !~ /^-.*[opCuGgtUq]$/) || WORD[c, j] ~ /environ/ || WORD[c, j] ~ /^-[A-Za-z]*E/) block("ps with e shows environments") }
    else if (name == "printenv") printenv_call(c, i)
    else if (name ~ /^(set|export|declare|typeset|readonly|compgen|local)$/) dump(c, i, name)
    else if (name == "cmake") cmake_call(c, i)
    else if (name ~ /^(mvn|mvnw|gradle|gradlew)$/) { for (j = i + 1; j <= n; j++) if (WORD[c, j] ~ /^(dependency:(get|copy|unpack|purge)|deploy|release:|scm:|wagon:|help:system|exec:|publish|antrun:)/ || WORD[c, j] ~ /^deploy$/) block(name " " WORD[c, j] " uses the network, or shows the environment") }
    else if (name == "enable" || name == "shopt" || name == "hash" || name == "bind" || name == "complete") { for (j = i + 1; j <= n; j++) if (WORD[c, j] ~ /^(-[fpr]|expand_aliases|extglob)$/) block(name " changes what a word means") }
    else if (name == "chmod") chmod_call(c, i)
    else if (name ~ /^(cp|mv|install|ln|link)$/) copy(c, i, name)
    else if (name ~ /^(tee|touch|mkdir|mkfifo|mknod|truncate|fallocate|sponge)$/) write_operands(c, i, name)
    else if (name == "dd") dd(c, i)
    else if (name == "sed" || name == "gsed") sed_call(c, i)
    else if (name ~ /^(awk|gawk|mawk|nawk|original-awk)$/) awk_call(c, i)
    else if (name ~ /^(perl|ruby|node|deno|bun|php|lua|luajit|ts-node|tsx|Rscript|R)$/) inline_call(c, i, name)
    else if (name == "tar" || name == "bsdtar") tar_call(c, i)
    else if (name ~ /^(unzip|7z|7za|7zz|unrar|cpio|pax|ar|zip|gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd|unzstd|lzma|compress|uncompress)$/) archive(c, i, name)
    else if (name == "rsync") rsync_call(c, i)
    else if (name == "patch") patch_call(c, i)
    else if (name == "make" || name == "gmake") make_call(c, i)
    else if (name ~ /^(jq|yq|gojq|dasel)$/) jq_call(c, i, name)
    else if (name == "sqlite3") { for (j = i + 1; j <= n; j++) sqlite_text(WORD[c, j]); sqlite_stdin(c) }
    else if (name == "openssl") { for (j = i + 1; j <= n; j++) if (WORD[c, j] ~ /^(s_client|s_server|s_time|ocsp)$/) block("openssl uses the network") }
    else if (name == "getent") { if (WORD[c, i + 1] ~ /host|shadow/ || index(WORD[c, i + 1], U)) block("getent looks names up") }
    else if (name == "fuser") { for (j = i + 1; j <= n; j++) if (WORD[c, j] ~ /^-[a-zA-Z]*k|--kill/) block("fuser -k ends processes") }
    else if (name == "flock") flock_call(c, i)
    else if (name == "sort" || name ~ /^(gcc|cc|c\+\+|g\+\+|clang|clang\+\+|ld|as|rustc|pandoc|tree|dot|protoc|split|csplit|shuf)$/) {
        for (j = i + 1; j <= n; j++) {
            if (WORD[c, j] ~ /^--compress-prog|^--filter|^-(wrapper|fplugin|plugin|specs|load)|^-Wl,-+plugin/) block(name " would run another program")
            if (match(WORD[c, j], /^--o[a-z]*=/) && index("--output", substr(WORD[c, j], 1, RLENGTH - 1)) == 1) must_write(c, substr(WORD[c, j], RLENGTH + 1), name)
            if (name == "csplit" && WORD[c, j] ~ /^(-f|--prefix)/) must_write(c, (WORD[c, j] ~ /^(-f|--prefix)$/) ? WORD[c, j + 1] : substr(WORD[c, j], index(WORD[c, j], "=") ? index(WORD[c, j], "=") + 1 : 3), name)
            if (WORD[c, j] == "-o" || length(WORD[c, j]) > 4 && index("--output", WORD[c, j]) == 1) must_write(c, WORD[c, j + 1], name)
            else if (WORD[c, j] ~ /^-o./) must_write(c, substr(WORD[c, j], 3), name)
        }
    }
    else if (("searcher", name) in IS) { for (j = i + 1; j <= n; j++) if (WORD[c, j] ~ /^--(pre|hostname-bin|pager|search-zip-with|decompress)($|=)/) block(name " would run another program") }
    output_options(c, i, name)
}

# Every word that is a path of a secret, except in what only prints and in patterns to search for.
function word_paths(c, i, name,    j, w, m, part, k, skipped) {
    if (("text", name) in IS) return
    skipped = !((("searcher", name) in IS) || name ~ /^(sed|gsed|awk|gawk|mawk)$/)
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if (name ~ /awk$/ && w ~ /^(-v|--assign)/) {
            m = split(w "=" ((w ~ /^(-v|--assign)$/) ? WORD[c, ++j] : ""), part, /=/)
            for (k = 2; k <= m; k++) word_path(part[k], name)
            continue
        }
        if (!skipped && w !~ /^-/) { skipped = 1; continue }
        if (!skipped && w ~ /^(-e|-f|--regexp|--file)/) { skipped = 1; if (w == "-e" || w == "--regexp") j++; continue }
        if (w ~ /^--exclude(-dir)?$/ || name == "zip" && w == "-x") { j++; continue }
        if (name == "find" && w ~ /^-i?(path|wholename|name|regex)$/ && (WORD[c, j - 1] ~ /^(!|-not)$/ || WORD[c, j + 2] == "-prune")) { j++; continue }
        word_path(w, name)
    }
}

# One word, and the parts of it that may be paths.
function word_path(w, name,    part, m, k, why, p) {
    if (w == "" || length(w) > 400 || w ~ /[ \t\n]/) return
    p = normal(w, HERE_DIR)
    why = secret(p)
    if (why == "" && w ~ /[=@:,()"\047<>;]/) {
        m = split(w, part, /[=@:,()"\047<>;]/)
        for (k = 1; k <= m && why == ""; k++) if (part[k] != "") why = secret(normal(part[k], HERE_DIR))
    }
    if (why == "" && match(w, /^-[A-Za-z][~\/.]/)) why = secret(normal(substr(w, 3), HERE_DIR))
    if (why == "" && name !~ /^(ls|stat|du|file|cd|rm|git|realpath|readlink|tree|find|mkdir|touch)$/ && p ~ /^(\.git|\.git\/(\*|\.\*|modules|worktrees))$/) why = "the directory of git with its configuration"
    if (why == "" && name ~ /^(grep|egrep|fgrep|rg|ag|ack|cp|mv|tar|rsync|zip|7z|cat|scp|diff|cpio|wc|head|tail|strings)$/ && p ~ /^(~|\/|\/root|\/home|\/home\/[^\/]+|\/run|\/github)$/) why = p " as a whole"
    if (why == "" && tolower(p) ~ /(^|\/)\.git\/./ && !(("readers", name) in IS) && w !~ /^-/) why = "a path in .git"
    if (why != "") block(name " of " why)
}

function sqlite_text(text,    part, n, i) {
    if (text ~ /\.(shell|system|output|once|import|save|clone|backup|load|dump>|read|log|open|cd|excel|edit)/ || index(text, U) ||
            text ~ /load_extension|edit[ ]*\(|writefile/)
        block("sqlite3 with commands that reach out")
    listed(text)
}

function sqlite_stdin(c,    text) {
    if (!(c in HAS_HERE) && FEED[c] <= 0) return
    text = stdin_text(c)
    if (!index(text, U)) sqlite_text(text)
    else if (WORD[FEED[c], 1] != "cat") block("sqlite3 reads commands that are not known before it runs")
}

# cmake as a shell of its own, and as one that prints.
function cmake_call(c, i,    j, w) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if (w == "-E") {
            w = WORD[c, j + 1]
            if (w == "environment") block("cmake prints the whole environment")
            if (w ~ /^(rm|remove|remove_directory|rename|tar|create_symlink|create_hardlink)$/) block("cmake -E " w " removes or replaces files")
            if (w ~ /^copy|^touch|^make_directory/) must_write(c, WORD[c, WORDS[c]], "cmake")
            if (w == "env") { WORD[c, j + 1] = "env"; env_call(c, j + 1) }
            else if (w == "time") program(c, j + 2)
            return
        }
        if (w == "--system-information") block("cmake prints the environment")
        if (w == "-P" && streamed(WORD[c, j + 1])) block("cmake with a program that is not known")
    }
}

function output_options(c, i, name,    j, w) {
    for (j = i + 1; j <= WORDS[c]; j++) {
        w = WORD[c, j]
        if (match(w, /^--?(out|output|outfile|out-file|output-file|output-path|outputFile|junit-?xml|xml|html|json|report|report-file|report-log|log-file|logfile|result-log|target|dest|export|save|write|file|cov-report|resultlog)=/)) {
            w = substr(w, RLENGTH + 1)
            sub(/^(xml|html|json|lcov|annotate|term):/, "", w)
            if (w ~ /[.\/]/ && w !~ /[ \t\n,]/) must_write(c, w, name)
        }
        if (w ~ /^--?(o|out|output|outFile|outfile|output-file|log-file|junit-?xml|junitxml|report|report-file)$/ && j < WORDS[c] && !(("searcher", name) in IS) && name !~ /^(find|ls|ps|test|\[|git)$/) must_not_guarded(c, WORD[c, j + 1], name)
        if (w == "--basetemp" || w ~ /^--basetemp=/) {
            sub(/^--basetemp=?/, "", w)
            if (w == "") w = WORD[c, j + 1]
            if (!own(normal(w, HERE_DIR))) block("--basetemp empties its directory")
        }
    }
}

function must_write(c, path, name,    why) {
    why = guarded(normal(path, HERE_DIR))
    if (why != "") block(name " would write " why ": " path)
}

# Where a word may be a target: only what is surely guarded.
function must_not_guarded(c, path, name) {
    if (path ~ /^-/ || path ~ /[ \t\n]/ || index(path, U) || path ~ /=/) return
    must_write(c, path, name)
}

function must_write_normal(p, name,    why) {
    why = guarded(p)
    if (why != "") block(name " would write " why ": " p)
}

function loopback(c, i,    j, seen) {
    if (WORD[c, i] !~ /(^|\/)(curl|wget|http|nc|ncat)$/) return 0
    for (j = i + 1; j <= WORDS[c]; j++) {
        if (WORD[c, j] ~ /^-/) { if (WORD[c, j] ~ /^(-x|--proxy|--resolve|--connect-to|-K|--config|-e|-c|-T|-o|-O|-P|--output|--unix-socket)/) return 0; continue }
        if (WORD[c, j] ~ /^(https?:\/\/)?(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?(\/|\?|$)/) { seen = 1; continue }
        if (WORD[c, j] ~ /[.:@$]|\001/) return 0
    }
    return seen
}
