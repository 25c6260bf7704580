# Paths: what is nobody's loss, what must not be written, what must not be read.

# Relative to the root of the tree where that can be told; "~/..." and "/..." elsewhere; "../..." leaves the tree.
function normal(path, here,    part, n, i, out, m, stack, root) {
    if (CWD != "" && (path == CWD || index(path, CWD "/") == 1)) { path = substr(path, length(CWD) + 2); here = "" }
    if (index(path, "/proc/self/cwd/") == 1) { path = substr(path, 16); here = "" }
    while (match(path, /^\/proc\/(self|thread-self|[0-9]+)\/root\//)) path = substr(path, RLENGTH)
    if (path ~ /^[~\/]/) root = (path ~ /^\//) ? "/" : ""
    else if (here != "") path = here "/" path
    if (path ~ /^\//) root = "/"
    n = split(path, part, "[/]")
    for (i = 1; i <= n; i++) {
        if (part[i] == "" || part[i] == ".") continue
        if (part[i] == ".." && m > 0 && stack[m] != ".." && !index(stack[m], U)) { m--; continue }
        if (part[i] == ".." && root == "/") continue
        stack[++m] = part[i]
    }
    for (i = 1; i <= m; i++) out = out (i > 1 ? "/" : "") stack[i]
    if (root == "/" && CWD != "" && index("/" out "/", CWD "/") == 1) return substr("/" out, length(CWD) + 2)
    return (root == "/") ? "/" out : (out == "" ? "." : out)
}

# Files and directories nobody would miss: what tests and builds make, and what an agent keeps for itself.
function own(p) {
    p = tolower(p)
    if (p ~ /(^|\/)\.\.(\/|$)/ || p ~ /(^|\/)\.git(\/|$)/) return 0
    if (p ~ /^(\/tmp|\/var\/tmp|\/dev\/shm)\/./ || p ~ /^\/dev\/(null|stdout|stderr|tty|fd\/[0-9]+)$/) return 1
    if (p ~ /^[~\/]/ || substr(p, 1, 1) == U) return 0
    if (p ~ /^(scratch|tmp|build|dist|htmlcov|target|out|coverage|\.cache|\.tox|\.nox|\.venv|venv|\.hypothesis|\.eggs)(\/|$)/) return 1
    if (p ~ /(^|\/)(__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.nyc_output|[^\/]*\.egg-info)(\/|$)/) return 1
    if (p ~ /(^|\/)[^\/]*\.(py[co]|o|obj|log|tmp|bak|orig|rej|swp|gcda|gcno|profraw)$/ || p ~ /(^|\/)\.coverage(\.[^\/]*)?$/) return 1
    return p ~ /^(notes|repro|debug|scratch|tmp|temp|output|result|report|junit)[a-z0-9_.-]*\.?(txt|md|py|js|json|xml|sh|html|out)$/ || p ~ /^coverage\.(xml|json|lcov)$|^lcov\.info$|^nosetests\.xml$/
}

# Why a path must not be written, "" where nothing speaks against it. `p` is normal.
function guarded(p,    base) {
    p = tolower(p)
    if (p ~ /(^|\/)\.git(\/|$)/) return "a path in .git"
    if (own(p)) return ""
    if (p ~ /^\.\.(\/|$)/ || p ~ /^[~\/]/) return "a path outside the work tree and /tmp"
    if (index(p, PIPEFILE)) return ""
    if (index(p, U) || p ~ /[*?[]/) return "a path that is not known"
    base = p
    sub(/.*\//, "", base)
    if (p ~ /(^|\/)(\.github|\.gitlab|\.circleci|\.husky|\.claude|\.autofix|\.vscode|\.idea|\.devcontainer|node_modules)(\/|$)/) return "a path that configures tools"
    if (base ~ /^\.git/ || (base ~ /^\./ && base != "." && base !~ /^\.(keep|env\.example|coveragerc)$/)) return "a file that configures tools"
    if (base ~ /^(conftest|sitecustomize|usercustomize|setup|noxfile|tasks|fabfile)\.py$|^(pyproject|cargo|poetry|pipfile|uv|autofix|bunfig|deno|rust-toolchain)[a-z.-]*\.(toml|lock|json)$|^pipfile$|\.lock$|\.pth$/) return "a file that decides how tests run"
    if (base ~ /^(setup|tox|pytest|mypy|alembic)\.(cfg|ini)$|^(constraints|requirements)[a-z0-9_.-]*\.(txt|in)$|^(package|package-lock|composer|tsconfig|lerna|nx|turbo)[a-z.-]*\.json$|^pnpm-[a-z]*\.yaml$/) return "a file that decides how tests run"
    if (base ~ /^(jest|vitest|vite|webpack|babel|rollup|karma|playwright|cypress|eslint|mocha)\.[a-z.]*(js|ts|cjs|mjs|json)$|^go\.(mod|sum|work)$|^gemfile|\.gemspec$|^pom\.xml$|^(build|settings)\.gradle|^gradlew|^rakefile$/) return "a file that decides how tests run"
    if (base ~ /^(gnu)?makefile$|^justfile$|\.mk$|^cmakelists\.txt$|^(dockerfile|containerfile|jenkinsfile|codeowners|vagrantfile|procfile)|^(docker-)?compose[a-z.]*\.ya?ml$|^action\.ya?ml$|^azure-pipelines/) return "a file that decides what is built"
    if (p ~ /^(readme|license|licence|changelog|changes|contributing|security|claude|agents|gemini|notice|authors|copying|history|news)[a-z.]*$/ ||
            base ~ /^(claude|agents|gemini)[a-z.]*\.md$/) return "a document of the project"
    return ""
}

# Why a path must not be read, "" where nothing speaks against it. `p` is normal.
function secret(p,    pattern, i) {
    if (p ~ /^(\/|~|\.\.|[^\/]*$)/ || index(p, ".git") || index(p, U) || p ~ /[*?[]|[A-Z]|proc|docker|secrets|ssh|netrc/) p = tolower(p)
    else return ""
    if (p ~ /^(\/proc|\/proc\/[^\/]+\/(task\/[^\/]+\/)?(environ|mem|maps|auxv|fd|cwd|root|cmdline|map_files|stack|pagemap)(\/.*)?|\/proc\/(kcore|kmem|keys|kallsyms)|\/proc\/\*.*)$/ && p !~ /^\/proc$/) return "what /proc tells of a process"
    if (p ~ /(^|\/)\.(netrc|git-credentials|pgpass|pypirc|npmrc|my\.cnf|vault-token|boto|s3cfg|htpasswd|rediscli_auth)$/ ||
            p ~ /(^|\/)_netrc$/) return "a credential file"
    if (p ~ /(^|\/)\.(ssh|gnupg|aws|azure|kube|docker|password-store|config\/(gh|gcloud|hub|git|containers|doctl)|cargo\/credentials|gem\/credentials|terraform\.d|oci)(\/|$)/) return "a directory of credentials"
    if (p ~ /(^|\/)(id_(rsa|dsa|ecdsa|ed25519)(\.[a-z]+)?|credentials\.json|application_default_credentials\.json|service[-_]account[a-z0-9_-]*\.json)$/ && p ~ /^[~\/.]/) return "a key file"
    if (p ~ /^(\/var)?\/run\/(secrets|user|docker|containerd|podman)(\/|$)|docker\.sock$|containerd\.sock$/) return "a secret or a socket of the machine"
    if (p ~ /^\/github\/(home|file_commands|workflow|runner_temp)(\/|$)|^\/home\/runner\/(work\/_temp|\.credentials|runners?|actions)/) return "a channel of the runner"
    if (p ~ /(^|\/)_temp\/_(runner_file_commands|github_home|github_workflow)/) return "a channel of the runner"
    if (p ~ /^\/etc\/(shadow|gshadow|sudoers|ssl\/private|ssh|docker|kubernetes|security)|^\/root(\/|$)|^\/dev\/(mem|kmem|sd|nvme|vd|disk|mapper|tcp|udp)|^\/var\/lib\/(docker|kubelet)|^\/sys\/(firmware|kernel)/) return "a protected part of the system"
    if (p ~ /(^|\/)\.git\/(config|config\.worktree|credentials|modules\/.*config|worktrees\/.*config)$/) return "the configuration of git"
    if (p ~ /(^|~\/|\/root\/)\.gitconfig$/) return "the configuration of git"
    if (p ~ /^(~|\/root|\/home\/[^\/]+)\/\.?[^\/.]*[*?[]/) return "a pattern in the home directory"
    if ((p ~ /[*?[]/ || index(p, U)) && literal(p) >= 3) {
        pattern = as_pattern(p)
        for (i = 1; i <= BAITS; i++) if (BAIT[i] ~ pattern) return "a pattern that fits " BAIT[i]
    }
    return ""
}

function literal(p) {
    gsub(/[*?\/]|\[[^]]*\]|\001|\./, "", p)
    return length(p)
}

# A glob as a regular expression, unknown text as a star; a leading dot needs a dot, as in a shell.
function as_pattern(p,    i, c, out, j) {
    for (i = 1; i <= length(p); i++) {
        c = substr(p, i, 1)
        if (c == U) out = out ".*"
        else if (c == "*") out = out ((i == 1 || substr(p, i - 1, 1) == "/") ? "([^./][^/]*)?" : "[^/]*")
        else if (c == "?") out = out "[^/]"
        else if (c == "[" && (j = index(substr(p, i + 2), "]")) > 0) { out = out "[^/]"; i += j + 1 }
        else if (c ~ /[A-Za-z0-9_\/~-]/) out = out c
        else out = out "[" ((c == "^" || c == "\\") ? "\\" : "") c "]"
    }
    return "^" out "$"
}
