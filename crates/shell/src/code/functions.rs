//! The functions of interpreters that do something outside them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeEffect {
    Delete,
    DeleteTree,
    /// Writes its first argument.
    Write,
    Move,
    Duplicate,
    Link,
    Permission,
    Read,
    /// Reads or writes, by its mode.
    Open,
    /// Runs a command line, or a program with arguments.
    Command,
    /// Evaluates a text as code.
    Code,
    /// Runs a cell of a notebook, or a magic with its arguments.
    Cell,
    /// Makes code or objects of what it gets, which matters if that comes from elsewhere.
    Unpack,
    /// Calls the system by a number.
    SystemCall,
    /// Finds a function by a name that is put together.
    Dynamic,
    Request,
    Transmit,
    /// Opens a connection.
    Socket,
    /// Makes a connection the input and output of a program.
    Redirect,
    Decode,
    Environment,
    Print,
    Kill,
    Privilege,
    /// Options of a request, for a function that otherwise reads.
    Options,
}
use CodeEffect::{
    Cell, Code, Command, Decode, Delete, DeleteTree, Duplicate, Dynamic, Environment, Kill, Link, Move, Open, Options,
    Permission, Print, Privilege, Read, Redirect, Request, Socket, SystemCall, Transmit, Unpack, Write,
};

/// The last parts of names, with what they do; a name with a dot has to be preceded by what is in front of it.
static FUNCTIONS: &[(CodeEffect, &str)] = &[
    (
        Delete,
        "os.remove os.unlink unlink unlinkSync os.rmdir rmdir rmdirSync File.delete File.unlink FileUtils.rm \
         FileUtils.rm_f removeSync Deno.remove Deno.removeSync delete_file Files.delete Files.deleteIfExists \
         file.remove os.Remove delete-file Dir.rmdir FileUtils.remove send2trash \
         File.rm! File.rm",
    ),
    (
        DeleteTree,
        "shutil.rmtree rmtree rm_rf rm_r remove_tree remove_dir_all rmSync fs.rm fsp.rm promises.rm fs.remove \
         rimraf rimrafSync emptyDirSync emptyDir remove_entry_secure os.removedirs FileUtils.rm_rf \
         File::Path::remove_tree delete-directory os.RemoveAll remove_entry del trash deltree \
         File.rm_rf! File.rm_rf deleteDir",
    ),
    (
        Write,
        "writeFile writeFileSync appendFile appendFileSync write_text write_bytes createWriteStream \
         file_put_contents File.write IO.write File.binwrite outputFile outputFileSync outputJsonSync \
         writefile truncate truncateSync ftruncate os.truncate Deno.writeTextFile Deno.writeTextFileSync Bun.write \
         write-region write-file spurt touch os.mknod writeJsonSync writeTextFile writelines_to",
    ),
    (
        Move,
        "os.rename os.replace os.renames shutil.move rename renameSync moveSync FileUtils.mv FileUtils.move \
         File.rename rename-file move_uploaded_file File::Copy::move File::Copy::mv",
    ),
    (
        Duplicate,
        "shutil.copy shutil.copy2 shutil.copyfile shutil.copytree copyFile copyFileSync cpSync copySync \
         FileUtils.cp FileUtils.cp_r FileUtils.copy File::Copy::copy File::Copy::cp copyfile copytree copy-file copy2",
    ),
    (
        Link,
        "os.symlink symlink symlinkSync symlink_to os.link linkSync FileUtils.ln_s FileUtils.ln_sf \
         File.symlink",
    ),
    (Options, "stream_context_create"),
    (Permission, "os.chmod chmod chmodSync os.chown chown chownSync FileUtils.chmod FileUtils.chmod_R File.chmod"),
    (
        Read,
        "readFile readFileSync read_text read_bytes file_get_contents File.read IO.read File.readlines \
         IO.readlines createReadStream slurp readJsonSync File.binread readfile fopen_r Deno.readTextFile \
         Deno.readTextFileSync Bun.file linecache.getlines fileinput.input np.loadtxt insert-file-contents \
         dotenv_values parse_ini_file IO.foreach File.foreach readJSON fs.read highlight_file show_source \
         file os.read Files.readAllLines Files.readString readLines read.csv IO.binread",
    ),
    (
        Open,
        "open fopen File.open File.new io.open os.open openSync codecs.open gzip.open Path.open sysopen \
         SplFileObject fdopen",
    ),
    (
        Command,
        "os.system system os.popen popen popen2 subprocess.run subprocess.call subprocess.check_call \
         subprocess.check_output subprocess.Popen Popen check_output check_call getoutput getstatusoutput \
         subprocess.getoutput exec execSync execFile execFileSync spawn spawnSync execa execaSync \
         execaCommand execaCommandSync shell_exec passthru proc_open pcntl_exec os.execv os.execvp os.execl \
         os.execlp os.execve os.execvpe os.execle os.spawnl os.spawnlp os.spawnv os.spawnvp os.posix_spawn \
         posix_spawn pty.spawn pexpect.spawn pexpect.run Open3.capture2 Open3.capture2e Open3.capture3 \
         Open3.popen3 IO.popen Kernel.system Kernel.exec Process.spawn os.execute io.popen shell-command \
         call-process start-process shell-command-to-string Runtime.exec Runtime.getRuntime.exec \
         ProcessBuilder Bun.spawn Bun.spawnSync Deno.Command Deno.run qx readpipe create_subprocess_shell \
         create_subprocess_exec asyncio.create_subprocess_shell sh.rm commands.getoutput run call startfile \
         os.startfile execvp execv execl execlp systemf uv.spawn system2 sys.shell popen3 os.spawnve \
         spawnve shelljs.exec Open3.pipeline ProcessBuilder.start os.fork_exec System.cmd System.shell os.cmd system* \
         process.system process.getoutput",
    ),
    (
        Code,
        "eval compile execfile Function runInThisContext runInNewContext runInContext instance_eval \
         class_eval module_eval loadstring load assert create_function pickle.loads marshal.loads pickle.load \
         runpy.run_path runpy.run_module dofile setTimeout_text literal_run importScripts exec_module \
         Marshal.load",
    ),
    (Cell, "run_cell run_cell_async run_line_magic run_cell_magic magic ex"),
    (
        Unpack,
        "unsafe_load full_load unsafe_load_all dill.loads dill.load cloudpickle.loads cloudpickle.load joblib.load \
         torch.load jsonpickle.decode unserialize _compile constructor shelve.open instance_exec uplevel \
         YAML.load yaml.load Psych.load readResolve readObject",
    ),
    (SystemCall, "syscall Kernel.syscall libc.syscall libc.reboot"),
    (
        Dynamic,
        "__dynamic__ __getattribute__ __builtins__ Reflect.get Reflect.apply send public_send __send__ const_get \
         call_user_func call_user_func_array",
    ),
    (
        Request,
        "urlopen urlretrieve requests.get requests.head requests.request httpx.get httpx.request axios \
         axios.get fetch http.get https.get http.request https.request got Net::HTTP.get HTTP.get URI.open \
         LWP::Simple.get getstore HTTP::Tiny curl_exec curl_init urllib.request.Request Request client.get \
         session.get aiohttp.ClientSession HTTPConnection HTTPSConnection url-retrieve url-copy-file \
         download.file needle superagent.get urllib3.request PoolManager URI.parse socket.gethostbyname \
         gethostbyname dns.lookup dns.resolve dns.resolve4 Resolv.getaddress getaddrinfo",
    ),
    (
        Transmit,
        "requests.post requests.put requests.patch httpx.post httpx.put axios.post axios.put http.post \
         https.post got.post Net::HTTP.post Net::HTTP.post_form HTTP.post session.post client.post sendall \
         sendto sendmail SMTP smtplib.SMTP UDPSocket.new storbinary put_object upload_file upload_fileobj \
         put_file superagent.post request.post mail ws.send WebSocket gist sendBeacon",
    ),
    (
        Decode,
        "b64decode fromhex unhexlify atob codecs.decode decompress chr fromCharCode fromCodePoint unpack \
         decode64 strict_decode64 urlsafe_b64decode base64_decode str_rot13 gzinflate gzuncompress hex2bin \
         pack b32decode b85decode a85decode decode_base64 MIME::Base64::decode inflateSync gunzipSync \
         Buffer.from bytes.fromhex bytearray.fromhex reverse unescape decodeURIComponent convert_uudecode \
         rot13 translate reversed lzma.decompress brotliDecompressSync Base64.decode64 decodebytes \
         from_base64",
    ),
    (
        Environment,
        "os.environ os.getenv getenv process.env ENV ENV.fetch os.environ.get environ Deno.env.get Bun.env \
         $ENV %ENV _ENV Sys.getenv System.getenv ENV.to_h $_ENV $_SERVER ENVIRON",
    ),
    (
        Print,
        "print console.log console.error puts echo sys.stdout.write process.stdout.write pprint say printf \
         var_dump print_r console.table p console.info json.dumps stdout.write JSON.stringify",
    ),
    (Kill, "os.kill process.kill Process.kill os.killpg posix_kill"),
    (Privilege, "os.setuid os.setgid os.setresuid process.setuid Process.setuid posix_setuid setuid"),
    (
        Socket,
        "TCPSocket TCPSocket.new TCPSocket.open fsockopen pfsockopen net.connect net.createConnection \
         net.Socket IO::Socket::INET IO::Socket::INET.new create_connection stream_socket_client \
         UNIXSocket.new Socket.tcp socket.connect tls.connect socket_create socket.socket s.connect \
         sock.connect",
    ),
    (Redirect, "os.dup2 dup2 pty.spawn STDIN.reopen $stdin.reopen reopen"),
];

/// Names that mean something else in one language.
fn special_effect(language: &str, name: &str) -> Option<Option<CodeEffect>> {
    let is_python = language.starts_with("py") || language == "ipython";
    Some(match (name, language) {
        ("exec", _) if is_python => Some(Code),
        (
            "run" | "call" | "system" | "load" | "file" | "send" | "del" | "assert" | "reverse" | "mail" | "got"
            | "trash" | "touch" | "translate",
            _,
        ) if is_python => None,
        (
            "load" | "file" | "run" | "call" | "system" | "assert" | "open" | "link" | "del" | "mail" | "send"
            | "print" | "compile" | "rename" | "pack" | "fork" | "p" | "say" | "echo" | "reverse",
            "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node",
        ) => None,
        ("rm", "julia") => Some(DeleteTree),
        ("cmd", "erl") => Some(Command),
        ("del_dir_r", "erl") => Some(DeleteTree),
        ("copy", "php" | "perl") | ("cp", "perl") => Some(Duplicate),
        ("move" | "mv", "perl") => Some(Move),
        ("socket" | "connect", "perl") => Some(Socket),
        ("mail", "php") => Some(Transmit),
        ("file", "php") => Some(Read),
        (
            "spawn" | "got" | "fetch" | "file" | "compile" | "del" | "run" | "touch" | "load",
            "ruby" | "perl" | "php",
        ) => None,
        ("assert" | "call" | "send", "perl" | "php" | "awk" | "gawk" | "mawk") => None,
        ("reverse" | "pack" | "unpack" | "chr", "ruby") => Some(Decode),
        (
            "open" | "exec" | "fork" | "load" | "file" | "run" | "call" | "mail" | "send" | "rename" | "p" | "del"
            | "link",
            "awk" | "gawk" | "mawk" | "nawk",
        ) => None,
        ("p" | "say", language) if !matches!(language, "ruby" | "perl") => None,
        _ => return None,
    })
}

/// Functions by the last part of their names.
static FUNCTION_INDEX: LazyLock<HashMap<&str, Vec<(CodeEffect, &str)>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<(CodeEffect, &str)>> = HashMap::new();
    for (effect, names) in FUNCTIONS {
        for name in names.split_whitespace() {
            index.entry(name.rsplit('.').next().unwrap_or(name)).or_default().push((*effect, name));
        }
    }
    index
});

/// Methods that are harmless on anything but a module: `re.compile`, `json.load`, `list.reverse`, `df.eval`.
const HARMLESS_METHODS: &str = " compile load eval call run reverse translate print assert del file send mail p rename \
                                pack unpack touch system echo trash open get replace Function Request exec ";

/// Modules whose methods mean what the table says.
const MODULES: &str = " subprocess os child_process cp fs fsp shutil Kernel pathlib sh shell shelljs vm process asyncio \
                       builtins __builtins__ io posix nt vim ";

fn is_listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

/// Whether a name is a module whose methods mean what the table says.
pub(super) fn is_module(name: &str) -> bool {
    is_listed(MODULES, name)
}

/// What a function does; `None` if it does nothing outside the code that is known.
pub(super) fn effect_of(language: &str, name: &str) -> Option<CodeEffect> {
    let plain = if name.contains("->") { Cow::Owned(name.replace("->", ".")) } else { Cow::Borrowed(name) };
    let last = plain.rsplit('.').next().unwrap_or_default();
    if plain == ").execute" && language == "groovy" {
        return Some(Command);
    }
    if !plain.contains('.')
        && let Some(special) = special_effect(language, &plain)
    {
        return special;
    }
    let matches_name = |known: &str| {
        if known.contains(['.', ':']) {
            *plain == *known || plain.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'))
        } else {
            last == known
        }
    };
    let found = FUNCTION_INDEX.get(last)?.iter().filter(|(_, known)| matches_name(known));
    let (effect, known) = found.max_by_key(|(_, known)| known.len())?;
    let is_method = plain.contains('.') && known.len() == last.len();
    let module = plain.split('.').next().unwrap_or_default();
    if last == "send" && matches!(module, "File" | "FileUtils" | "Dir" | "IO" | "Kernel" | "Process") {
        return Some(Dynamic);
    }
    if is_method && is_listed(HARMLESS_METHODS, last) && !is_module(module) {
        // A method of something that the reader could not follow.
        let is_telling = matches!(last, "exec" | "system" | "run" | "call" | "open" | "eval" | "rename" | "touch");
        return (plain.starts_with(").") && is_telling).then_some(*effect);
    }
    Some(*effect)
}
