# Formatters, and programs that install packages but also build and test.

function formatter(c, i, name,    j, w, n, check, writes, wide, files, sub_) {
    n = WORDS[c]
    output_options(c, i, name)
    for (j = i + 1; j <= n; j++) {
        w = WORD[c, j]
        if (w ~ /^--?(check|check-only|diff|dry-run|list-different|version|help|no-fix|show-files|show-settings|check-formatted|lint|print-config|verify|fix-dry-run|output-format=.*-check)$/ ||
                (w == "-l" && name ~ /^(prettier|gofmt|shfmt|goimports)$/) || w == "-d" || w == "-n" ||
                (w == "-c" && name ~ /^(prettier|isort)$/) || w == "-V") check = 1
        if (w ~ /^(--fix|--fix-only|--write|--apply|--in-place|--inplace|-i|-w|-a|-A|--auto-correct|--autocorrect|--autocorrect-all|--unsafe-fixes|--add-noqa|--apply-unsafe)$/ ||
                (name ~ /^(autopep8|autoflake|yapf|docformatter)$/ && w ~ /^-[a-z]*i/)) writes = 1
        if (w ~ /^-/) { if (w ~ /^(--config|-c|--select|--ignore|--line-length|--target-version|-m|--extend-select|--exclude|--include|-k|--ext|--rule|--output-format|--format|-f|--profile)$/) j++; continue }
        if (j == i + 1 && name == "ruff") { sub_ = w; continue }
        if (j == i + 1 && name ~ /^(biome|rome|taplo|dprint)$/) { sub_ = w; continue }
        files = 1
        if (normal(w, HERE_DIR) !~ /\.[A-Za-z0-9]+$/ || w ~ /[*?]/ || index(w, U)) wide = 1
        else if (writes || name !~ /^(ruff|eslint|rubocop|stylelint|biome)$/) FORMATTED[j] = w
    }
    if (name == "ruff") {
        if (sub_ == "format" ||
                sub_ ~ /^[.\/]|^[a-z_]+\/?$/ && sub_ !~ /^(check|rule|config|linter|clean|server|version|help|analyze|format)$/) writes = (sub_ == "format") ? 1 : writes
        if (sub_ !~ /^(check|format|rule|config|linter|clean|server|version|help|analyze)$/ && sub_ != "") { files = 1; wide = 1 }
        if (!writes) return
    } else if (name ~ /^(eslint|stylelint|standard|biome|rubocop|standardrb|tslint|xo|rome|shfmt|gofmt|goimports|gofumpt|prettier|clang-format|autopep8|yapf|autoflake|djlint|buildifier|taplo|ktlint|google-java-format)$/) {
        if (name ~ /^(taplo|biome|rome)$/ && sub_ == "format" && name == "taplo") writes = 1
        if (!writes) return
    }
    if (check && name !~ /^(gofmt|goimports|shfmt)$/) return
    if (check && !writes) return
    if (!files || wide) block(name " rewrites files nobody named; name the ones you changed, or only check")
    for (j = i + 1; j <= n; j++) if (WORD[c, j] !~ /^-/ && WORD[c, j] ~ /\.[A-Za-z0-9]+$/) must_write(c, WORD[c, j], name)
}

function installer(c, i, name,    j, w, n, s, t) {
    n = WORDS[c]
    for (j = i + 1; j <= n; j++) if (WORD[c, j] !~ /^-/ && WORD[c, j] !~ /^\+/) break
    s = (j <= n) ? WORD[c, j] : ""
    t = (j < n) ? WORD[c, j + 1] : ""
    if (index(s, U)) block(name " with an action that is not known")
    if (name ~ /^(npm|pnpm|yarn|bun)$/ && (s == "env" || s ~ /^(run|run-script)$/ && t == "env")) block(name " prints the whole environment")
    if (s == "version" && t != "" && t !~ /^-/ && name ~ /^(poetry|uv|npm|pnpm|yarn|bun|hatch)$/) block(name " version writes the version")
    if (name ~ /^pip/ && name != "pipx" && name != "pipenv") {
        if (s ~ /^(list|show|freeze|check|help|inspect|debug|hash|cache)?$/) { if (s == "list" && (WORD[c, i + 2] ~ /^(-o|--outdated|-u)/ ||
                WORD[c, i + 3] ~ /^(-o|--outdated)/)) block("pip asks the network"); return }
        block("pip " s " uses the network, reads configuration or changes packages")
    }
    if (name ~ /^(npm|pnpm|yarn|bun)$/) {
        if (name == "bun" && s ~ /\.[cm]?[jt]sx?$/) return
        if (s ~ /^(test|t|run|run-script|start|ls|list|ll|why|explain|root|prefix|bin|help|version|pack|build|lint|typecheck|check|stop)?$/) { if (name == "bun" && s == "") inline_call(c, i, "node"); return }
        if (s == "exec" || s == "x" || s == "dlx") { if (s != "dlx" && t ~ /^(-c|--call)/) block(name " would compute what it runs"); if (s == "dlx") block(name " dlx uses the network"); program(c, (t == "--") ? j + 2 : j + 1); return }
        if (name == "yarn" && s !~ /^(add|install|up|upgrade|remove|import|link|unlink|login|logout|publish|npm|config|cache|create|dlx|set|plugin|global|init|policies|info|audit|outdated|owner|team|tag|rebuild|dedupe|node|pack)$/) return
        if (name == "pnpm" && s ~ /^(vitest|jest|mocha|ava|tap|c8|nyc|tsc|eslint|prettier|biome|stylelint|playwright|cypress|vite|webpack|turbo|nx|tsx)$/) { program(c, j); return }
        block(name " " s " uses the network or changes packages")
    }
    if (name == "cargo") {
        if (s ~ /^(test|t|build|b|check|c|run|r|bench|doc|clippy|nextest|tree|metadata|version|help|clean|fmt|expand|llvm-cov|miri|verify-project|locate-project|pkgid)?$/) {
            if (s == "clippy") for (; j <= n; j++) if (WORD[c, j] == "--fix") block("cargo clippy --fix rewrites files nobody named")
            if (s != "fmt") return
            for (; j <= n; j++) if (WORD[c, j] ~ /^(--check|--version)$/) return
            block("cargo fmt rewrites files nobody named; use --check")
        }
        block("cargo " s " uses the network or rewrites files")
    }
    if (name == "go") {
        if (s ~ /^(test|build|vet|run|list|env|version|doc|help|tool|clean)?$/) {
            for (; j <= n; j++) {
                if (WORD[c, j] ~ /^--?(exec|toolexec|vettool|overlay|modfile)(=|$)/) block("go would run another program")
                if (s == "env" && WORD[c, j] ~ /^-[wu]/) block("go env that is written")
                if (s == "build" && WORD[c, j] == "-o") must_write(c, WORD[c, j + 1], "go")
                if (s == "run" && WORD[c, j] ~ /@/) block("go run of a package from the network")
            }
            return
        }
        if (s == "mod" && t ~ /^(graph|verify|why)$/) return
        block("go " s " uses the network or rewrites files")
    }
    if (name ~ /^(poetry|uv|pipenv|bundle|bundler|conda|mamba|micromamba|mix|dotnet|pipx|rustup|stack|cabal|composer|mise|asdf|nix)$/) {
        if (s ~ /^(show|list|info|env|version|check|help|test|build|tree|ls|licenses|platform|outdated-|compile)?$/ && !(s == "env" && t !~ /^(list|info)?$/)) return
        if ((s == "run" || s == "exec") && name != "pipx") {
            for (j++; j <= n && WORD[c, j] ~ /^-/; j++) if (WORD[c, j] ~ /^--(with|from)/) block(name " would install " WORD[c, j + 1]); else if (WORD[c, j] ~ /^--(with|from|python|project|directory|with-editable|with-requirements|extra|group|index-url|env-file|name|prefix)$|^-[pn]$/) j++
            if (name == "composer" || name == "mix") return
            program(c, j)
            return
        }
        if (name == "uv" && s == "pip" && t ~ /^(list|show|freeze|check|tree)$/) return
        block(name " " s " uses the network or changes packages")
    }
    if (name == "gem" && s ~ /^(list|env|environment|contents|which|help)?$/) return
    if (name ~ /^(apt|dpkg|apk|brew|dnf|yum|pacman)$/ && (s ~ /^(list|show|policy|info)$/ ||
            WORD[c, i + 1] ~ /^(-l|-L|-s|-S|--list|-Q[a-z]*|--version)$/)) return
    if (s == "" && WORD[c, i + 1] ~ /^(--version|-V|--help)$/) return
    block(name " installs or publishes packages")
}
