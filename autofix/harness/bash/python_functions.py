"""Which functions of Python's library act, by their dotted names; what `python_code` judges calls by."""

import re

from autofix.harness.bash.tables import listed

NETWORK = listed(
    "socket socketserver ssl urllib.request urllib2 urllib3 http.client http.server httplib requests httpx httpx2 "
    "aiohttp ftplib smtplib poplib imaplib nntplib telnetlib xmlrpc paramiko fabric scapy websocket websockets "
    "grpc pycurl boto3 botocore dns tornado twisted asyncio.open_connection asyncio.start_server "
    "asyncio.create_server webbrowser github gitlab git.Repo dulwich pip huggingface_hub google.cloud azure "
    "psycopg2 pymysql redis pymongo anthropic openai zmq nats wget treq niquests ensurepip pygit2"
)
"""Modules (and single functions) that connect."""
LOCAL = frozenset(
    listed("socket.gethostname socket.getdefaulttimeout socket.setdefaulttimeout socket.htons socket.inet_aton")
)
"""What of them stays on the machine."""
CREDENTIALS = listed("netrc keyring secretstorage")
RIGHTS = re.compile(
    r"os\.(set(e|re|res)?[ug]id|setgroups|initgroups|chroot|chown|lchown|fchown|mknod|unshare|setns)|docker\..*"
)
OPAQUE = re.compile(
    r"((__)?builtins(__)?\.)?(exec|eval|compile|__import__|breakpoint)|operator\.(attrgetter|methodcaller)|importlib\.(import_module|(util|machinery)\..*)|"
    r"ctypes\..*|cffi\..*|pickle\.loads?|marshal\.loads?|dill\..*|yaml\.unsafe_load|code\..*|codeop\..*|"
    r"types\.(FunctionType|CodeType)|_posixsubprocess\..*|pty\.spawn|os\.(posix_spawn\w*|fork\w*)|pexpect\..*|sh\..*|"
    r"plumbum\..*|sys\.(settrace|setprofile)|runpy\.run_module|gc\.get_objects"
)
"""They run code that the text does not show, or reach what it does not name."""
TEXT_RUNNERS = frozenset(
    listed(
        "timeit.timeit timeit.repeat timeit.Timer profile.run cProfile.run cProfile.runctx profile.runctx pdb.run "
        "trace.run"
    )
)
"""They run code given as text."""
SHELL = frozenset(
    listed(
        "os.system os.popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput "
        "asyncio.create_subprocess_shell"
    )
)
RUN = frozenset(
    listed(
        "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen "
        "asyncio.create_subprocess_exec"
    )
)
EXEC = re.compile(r"os\.(exec|spawn)([lv])p?e?")
DELETE = frozenset(listed("os.remove os.unlink os.rmdir os.removedirs"))
DELETE_TREE = frozenset(listed("shutil.rmtree distutils.dir_util.remove_tree send2trash.send2trash"))
MOVE = frozenset(listed("os.rename os.replace os.renames shutil.move"))
LINK = frozenset(listed("os.symlink os.link"))
COPY = frozenset(listed("shutil.copy shutil.copy2 shutil.copyfile shutil.copytree shutil.copymode shutil.copystat"))
CHANGE_MODE = frozenset(listed("os.chmod os.fchmod os.lchmod"))
WRITE = frozenset(
    listed(
        "os.truncate os.utime os.mkfifo logging.FileHandler shutil.make_archive sqlite3.connect dbm.open shelve.open "
        "numpy.save numpy.savetxt"
    )
)
"""They write their first argument."""
MAKE_DIRECTORY = frozenset(listed("os.mkdir os.makedirs"))
OPEN = frozenset(
    listed(
        "open builtins.open io.open codecs.open gzip.open bz2.open lzma.open zipfile.ZipFile tarfile.open "
        "tarfile.TarFile io.FileIO os.open"
    )
)
KILL = frozenset(listed("os.kill os.killpg signal.pidfd_send_signal"))
ENVIRONMENT = frozenset(listed("os.environ os.environb posix.environ"))
ENVIRONMENT_ATTRIBUTES = frozenset({"environ", "environb"})
"""Of anything that has no name."""
ONE_VARIABLE = frozenset(listed("os.getenv os.getenvb"))
SET_VARIABLE = frozenset(listed("os.putenv os.unsetenv"))

WRITING_METHODS = frozenset(listed("write_text write_bytes touch symlink_to hardlink_to link_to"))
"""Of a path, by any name: they write the path they are called on."""
SAVING_METHODS = frozenset(listed("savefig to_csv to_json to_excel to_parquet to_pickle tofile"))
"""They write their first argument, where they have one."""
EXTRACTING_METHODS = frozenset(listed("extractall extract unpack_archive"))
INNARDS_IN_FORMAT = re.compile(r"\{[^{}]*__(globals|builtins|subclasses|init|class|dict)__")
INNARDS = re.compile(
    r"__(subclasses|globals|builtins|getattribute|bases|base|mro|code|closure|loader|reduce|reduce_ex|self)__"
)
"""Attributes by which code reaches what it does not name."""


_MODULES = frozenset(
    listed(
        "os posix subprocess shutil sys socket builtins importlib io pty signal ctypes pathlib pickle marshal runpy "
        "code"
    )
)


def canonical(name: str) -> str:
    """The name by which a function is known here: `tempfile._os.system` and `posix.system` are `os.system`."""
    parts = name.split(".")
    for place in range(len(parts) - 2, -1, -1):
        module = parts[place].lstrip("_") or parts[place]
        if module in _MODULES and (place or module != parts[place]):
            return ".".join(("os" if module == "posix" else module, *parts[place + 1 :]))
    return f"os{name[5:]}" if name.startswith("posix.") else name


def acts(name: str) -> bool:
    """Whether a function of this name runs, deletes, moves or copies something."""
    return (
        name in SHELL | RUN | DELETE | DELETE_TREE | MOVE | COPY | LINK
        or EXEC.fullmatch(name) is not None
        or (OPAQUE.fullmatch(name) is not None and not name.endswith("compile"))
    )
