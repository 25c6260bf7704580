"""What acts in a language that is not parsed: patterns to be searched for in its code, one language a table."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """What acts in a language: patterns searched in code. `writes` and `deletes` end where the target stands."""

    runs: str
    connects: str
    environment: str
    one_variable: str
    writes: Sequence[str]
    deletes: str
    trees: str
    rights: str


def _any(*patterns: str) -> str:
    """One pattern out of several."""
    return "|".join(patterns)


PERL = Language(
    runs=_any(
        r"\b(?:system|exec|qx|syscall|fork|require\s+\$|do\s+['\"$])|`|\beval\b\s*[^{\s]|\bIPC::|&\s*[${]",
        r"\b-\|\b|open\b[^;]*['\"]\s*\|?-?\||\|\s*['\"]|/e[gimsx]*\b",
        r"\bunpack\b|pack\s*\(|decode_base64",
    ),
    connects=r"\b(LWP|IO::Socket|HTTP::|Net::|socket|connect|gethostbyname|Socket)\b",
    environment=r"%ENV|\bENV\b(?!\s*\{)|@ENV",
    one_variable=r"\$ENV\{\s*['\"]?(\w*)",
    writes=(
        r"\bopen\b[^;]*?,\s*['\"]\+?>{1,2}[^'\"]*['\"]\s*,",
        r"\brename\s*\(?[^,]+,",
        r"\bsymlink\b[^,]*,",
        r"\blink\b[^,]*,",
        r"\btruncate\b",
        r"\bchmod\b[^,]*,",
        r"\b(?:copy|move)\b[^,]*,",
        r"\bwrite_file\b",
        r"\bspew\b",
        r"\bmkdir\b",
        r"\bopen\b[^;]*?,\s*(?=['\"]\s*\+?>)",
    ),
    deletes=r"\b(unlink|rmdir)\b",
    trees=r"\b(rmtree|remove_tree)\b|File::Find|finddepth|\bglob\b[^;]*unlink|unlink[^;]*(glob|<)",
    rights=r"\$[<>]\s*=|\$[()]\s*=|setuid|POSIX::set",
)
RUBY = Language(
    runs=_any(
        r"\b(?:open|read|readlines|foreach|binread)\b\s*\(?\s*['\"]\s*\||\b(?:system|exec|spawn|popen\w*|fork|eval)\b",
        r"\b(?:instance_eval|class_eval|load|binding|public_send|__send__|send|Open3|PTY|const_get|to_proc)\b|`|%x",
        r"\bmethod\s*\(\s*[^:\s]|Marshal|unpack|Base64|Kernel\b",
    ),
    connects=r"\b(Net::|open-uri|URI\.open|Socket|TCPSocket|UDPSocket|Faraday|HTTParty|Resolv|OpenURI|net/)",
    environment=r"\bENV\b(?!\s*(\[|\.fetch|\.key))",
    one_variable=r"\bENV(?:\[|\.fetch\(|\.key\?\()\s*['\"](\w+)",
    writes=(
        r"\b(?:File|IO|Pathname)\.(?:write|binwrite|truncate)",
        r"\bFile\.(?:open|new)(?=[^)]*,\s*['\"][wa+r]*[wa+])",
        r"\bFile\.(?:rename|symlink|link|chmod)\s*\(?[^,]+,",
        r"\bFileUtils\.(?:cp|mv|ln|ln_s|copy|move|install)\w*\s*\(?[^,]+,",
        r"\bFileUtils\.(?:touch|mkdir\w*|chmod\s*\(?[^,]+,)",
        r"\bDir\.mkdir",
        r"\bFile\.(?:open|new)(?=[^)]*(?:WRONLY|RDWR|CREAT))",
    ),
    deletes=r"\b(?:File\.(?:delete|unlink)|Dir\.(?:rmdir|delete|unlink)|FileUtils\.rm(?:_f)?\b|FileUtils\.rmdir|\.(?:delete|unlink)\b(?=\s*$))",
    trees=r"\b(rm_rf|rm_r|rmtree|remove_dir|remove_entry\w*|rm_r\w*)\b|Dir(\.glob|\[)[^;]*(delete|unlink|rm)",
    rights=r"Process::(UID|GID|Sys)|Process\.(uid|gid|euid|egid)\s*=|setuid|Process\.daemon",
)
NODE = Language(
    runs=_any(
        r"child_process|mainModule|\bconstructor\b|\bvm\b|worker_threads|Reflect|new\s+Function|\bFunction\s*\(|\beval\b",
        r"\b(?:exec|execSync|spawn|spawnSync|execFile\w*|fork)\s*\(|Deno\.(?:Command|run)|Bun\.(?:spawn|\$)",
        r"\bimport\s*\(\s*[^'\"\s]|require\s*\(\s*(?:[^'\"\s]|['\"][^'\"\n]*['\"]\s*[^)\s])",
        r"atob|['\"]base64['\"]|['\"]hex['\"]|fromCharCode|global(?:This)?\s*\[|process\s*[,)\[;]",
        r"process\s*\.\s*(?:binding|report|dlopen|_\w+|kill|umask|abort)\b",
        r"\[[^\]\n]*['\"`][^\]\n]*[+$][^\]\n]*\]\s*\(",  # a method by a computed name
    ),
    connects=_any(
        r"\b(?:https?|net|dgram|dns|tls|http2)\b['\"]?\s*\)|node:(?:https?|net|dns|tls|dgram)|\bfetch\s*\(",
        r"XMLHttpRequest|WebSocket|axios|undici|Deno\.(?:connect|resolveDns|listen)",
    ),
    environment=r"\benv\b(?!\s*(\.\s*\w|\[\s*['\"]|['\"]))|Deno\.env\.toObject",
    one_variable=r"(?:\benv(?:\s*\.\s*|\[\s*['\"])|Deno\.env\.get\(\s*['\"])(\w+)",
    writes=(
        r"\b(?:writeFile|appendFile|truncate|mkdir|chmod|utimes|createWriteStream|writeTextFile|mkdtemp)(?:Sync)?",
        r"\b(?:copyFile|rename|symlink|link|cp)(?:Sync)?\s*\([^,]+,",
        r"\bopen(?:Sync)?(?=\s*\([^)]*,\s*['\"][wa+r]*[wa+])",
        r"\bBun\.write",
    ),
    deletes=r"\b(?:unlink|rmdir)(?:Sync)?\b|Deno\.remove(?:Sync)?",
    trees=r"\brm(Sync)?\s*\(|rimraf|removeSync|emptyDir|\brmdir(Sync)?\s*\([^)]*recursive",
    rights=r"process\.set(e?[ug]id|groups)|setuid",
)
PHP = Language(
    runs=_any(
        r"\b(?:exec|shell_exec|system|passthru|popen|proc_open|pcntl_\w+|eval|assert|create_function|dl|putenv)\s*\(|`",
        r"['\"](?:exec|shell_exec|system|passthru|popen|proc_open|assert)['\"]|call_user_func|ReflectionFunction|\bFFI\b",
        r"\$\w+(?:\[[^\]\n]*\])*\s*\(|\)\s*\(|\$\{|\$\$|new\s+\$|::\s*\$|->\s*[\${]",  # a function by a computed name
        r"base64_decode|hex2bin|str_rot13|gzinflate|gzuncompress|\bunserialize\b|\bunpack\b|\bchr\s*\(",
        r"\b(?:include|require)(?:_once)?\b\s*\(?\s*[^'\"\s(]|preg_replace[^;]*/e",
    ),
    connects=_any(
        r"curl_|fsockopen|stream_socket|gethostby|socket_|dns_get_record|\bmail\s*\(",
        r"\b(?:file_get_contents|readfile|fopen|copy|file|get_headers|getimagesize)\s*\(\s*['\"](?:https?|ftps?):",
    ),
    environment=r"\$_ENV(?!\s*\[\s*['\"])|\$_SERVER(?!\s*\[\s*['\"])|\$GLOBALS|getenv\s*\(\s*\)|phpinfo",
    one_variable=r"(?:getenv\s*\(\s*['\"]|\$_(?:ENV|SERVER)\[\s*['\"])(\w+)",
    writes=(
        r"\b(?:file_put_contents|touch|mkdir|chmod|fopen(?=[^)]*,\s*['\"][waxc+r]*[waxc+]))",
        r"\b(?:copy|rename|symlink|link)\s*\([^,]+,",
    ),
    deletes=r"\b(?:unlink|rmdir)\b",
    trees=r"RecursiveDirectoryIterator|RecursiveIteratorIterator",
    rights=r"posix_set|setuid",
)
LUA = Language(
    runs=r"os\.execute|io\.popen|loadstring|loadfile|dofile|\bload\s*\(|loadlib|string\.char|\b(?:os|io|_G|_ENV)\s*\[|\bdebug\.",
    connects=r"require\s*\(?\s*['\"]socket|luasocket",
    environment=r"\bgetenv\s*\(?\s*[^'\"\s(]",
    one_variable=r"getenv\s*\(?\s*['\"](\w+)",
    writes=(r"\bio\.open(?=[^)]*,\s*['\"][wa+r]*[wa+])", r"\bos\.rename\s*\([^,]+,", r"\bio\.output"),
    deletes=r"\bos\.remove\b",
    trees=r"\blfs\.rmdir",
    rights=r"setuid",
)
