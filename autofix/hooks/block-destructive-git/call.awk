# Which tool is called, and what is judged of it.

function decide(    tool, command, path) {
    if (!("tool_name" in FIELD) || FIELD["tool_name"] == "") block("the input names no tool")
    tool = FIELD["tool_name"]
    CWD = ("cwd" in FIELD) ? FIELD["cwd"] : ""
    sub(/\/+$/, "", CWD)
    tables()
    if (tool != "Bash") {
        path = ("file_path" in FIELD) ? FIELD["file_path"] : (("notebook_path" in FIELD) ? FIELD["notebook_path"] : FIELD["path"])
        if (tool ~ /^(Read|Edit|Write|MultiEdit|NotebookEdit|Grep|Glob)$/) file_tool(tool, path)
        return
    }
    if (!("command" in FIELD)) block("a Bash call without a command")
    command = FIELD["command"]
    if (command !~ /[^ \t\n]/) block("an empty command")
    if (length(command) > COMMAND_LIMIT) block("the command is longer than " COMMAND_LIMIT " bytes")
    if (command ~ /[\001-\010\013-\037\177]/) block("a control character in the command")
    if (command ~ /\342\200[\213-\217\252-\256]|\342\201[\240-\257]|\357\273\277|\302\255/) block("an invisible character in the command")
    shell(command, 0, 0)
    for (CMD = 1; CMD <= COMMANDS; CMD++) judge(CMD)
    evaluated_texts()
}

function file_tool(tool, path,    p, why) {
    p = tolower(normal(path, ""))
    why = secret(p)
    if (why != "") block(tool " of " why)
    if (tool ~ /^(Edit|Write|MultiEdit|NotebookEdit)$/ && p ~ /(^|\/)(\.git|\.husky)(\/|$)|(^|\/)\.git(attributes|modules)$|^\.github\/(workflows|actions)(\/|$)/)
        block(tool " below " path ": it would change what git or CI runs")
}

function judge(c,    i, p, why) {
    HERE_DIR = here_of(SCOPE[c])
    for (i = 1; i <= ASSIGNS[c]; i++) assigned(ASSIGN[c, i], VALUE[c, i])
    for (i = 1; i <= REDIRS[c]; i++) {
        p = normal(REDIR[c, i], HERE_DIR)
        why = WRITES[c, i] ? guarded(p) : ""
        if (why != "") block("a redirection to " why ": " REDIR[c, i])
        why = secret(p)
        if (why != "") block("a redirection from " why)
    }
    if (WORDS[c] == 0) return
    program(c, 1)
}

function here_of(scope) {
    while (!(scope in DIRECTORY) && scope > 0) scope = PARENT[scope]
    return (scope in DIRECTORY) ? DIRECTORY[scope] : ""
}

function assigned(name, value) {
    if (name ~ /^GIT_/) block("the variable " name " steers git")
    if (name ~ /^(LD_|DYLD_)|^(BASH_ENV|BASH_FUNC|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|LESSOPEN|LESSCLOSE|MANPAGER|BROWSER|PERL5OPT|PERL5LIB|RUBYOPT|PYTHONSTARTUP|PYTHONHOME|GCONV_PATH|LESSKEY|MAKEFILES|RIPGREP_CONFIG_PATH|PYTHONINSPECT|PYTHONBREAKPOINT|TAR_OPTIONS|RSYNC_RSH|FPATH|CDPATH|HOME|XDG_CONFIG_HOME|SSH_ASKPASS|SUDO_ASKPASS|DOCKER_HOST|HTTPS?_PROXY|https?_proxy)/) block("the variable " name " makes programs run others")
    if (name ~ /^(EDITOR|VISUAL|PAGER|LESS)$/ && value !~ /^(cat|true|:|less|more|-?[A-Za-z]*)$/) block("the variable " name " names a program")
    if (name == "ENV" && value ~ /[^A-Za-z0-9_.-]/) block("the variable " name " names a file that shells run")
    if (name == "NODE_OPTIONS" && value ~ /(^|[ ])(-r|--require|--import|--loader|--experimental-loader)/) block("the variable " name " makes node load code")
    if (name ~ /^(JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS)$/ && value ~ /-(javaagent|agentlib|agentpath)|OnError|OnOutOfMemory/) block("the variable " name " makes Java load code")
}
