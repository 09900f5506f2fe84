#include "io_files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace rung;
using namespace rung::io_test;

namespace {

void put(io::Sink& sink, std::string_view text) { sink.write(std::as_bytes(std::span(text))); }

void replace(const std::string& path, std::string_view text) {
  const auto sink = io::open_sink(path);
  put(*sink, text);
  sink->commit();
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("sink: the old file stays until commit, and nothing else is left") {
  const Folder folder;
  const std::string path = folder.write("a", "old");
  {
    const auto sink = io::open_sink(path);
    CHECK(sink->name() == path);
    CHECK_FALSE(sink->is_terminal());
    put(*sink, "ne");
    CHECK(folder.read("a") == "old");
    put(*sink, "w");
    sink->finish();
    CHECK(folder.read("a") == "old");
    CHECK(folder.entries() == 2);
    sink->commit();
    CHECK(folder.read("a") == "new");
    sink->commit();
  }
  CHECK(folder.read("a") == "new");
  CHECK(folder.entries() == 1);
}

TEST_CASE("sink: without commit nothing changes") {
  const Folder folder;
  const std::string path = folder.write("a", "old");
  put(*io::open_sink(path), "new");
  CHECK(folder.read("a") == "old");
  put(*io::open_sink(folder.path("b")), "new");
  CHECK(folder.entries() == 1);
}

TEST_CASE("sink: modes of the umask or of the old file") {
  const Folder folder;
  const mode_t old = ::umask(027);
  replace(folder.path("a"), "x");
  CHECK(mode_of(folder.path("a")) == 0640);
  const std::string path = folder.write("b", "old");
  ::chmod(path.c_str(), 0604);
  replace(path, "x");
  CHECK(mode_of(path) == 0604);
  ::umask(old);
}

TEST_CASE("sink: symlinks are followed, dangling ones too") {
  const Folder folder;
  std::filesystem::create_directory(folder.path("d"));
  folder.write("d/target", "old");
  std::filesystem::create_symlink("d/target", folder.path("one"));
  std::filesystem::create_symlink("one", folder.path("two"));
  replace(folder.path("two"), "new");
  CHECK(folder.read("d/target") == "new");
  CHECK(std::filesystem::is_symlink(folder.path("one")));
  CHECK(std::filesystem::is_symlink(folder.path("two")));
  std::filesystem::create_symlink(folder.path("d/fresh"), folder.path("dangling"));
  replace(folder.path("dangling"), "made");
  CHECK(folder.read("d/fresh") == "made");
  std::filesystem::create_symlink("loop", folder.path("loop"));
  CHECK(contains(thrown([&] { replace(folder.path("loop"), "x"); }).what, "symbolic links"));
}

TEST_CASE("sink: output may be the input") {
  const Folder folder;
  const std::string path = folder.write("a.csv", "1,2\n3,4\n");
  const auto source = io::open_source(path);
  const Bytes input = source->take_mapped(8);
  replace(path, "9\n");
  CHECK(std::string(reinterpret_cast<const char*>(input.get()), 8) == "1,2\n3,4\n");
  CHECK(folder.read("a.csv") == "9\n");
}

TEST_CASE("sink: what cannot be written") {
  const Folder folder;
  const auto error = [](const std::string& path) { return thrown([&] { replace(path, "x"); }); };
  CHECK(error(folder.path("none/a")).status == 3);
  CHECK(contains(error(folder.path("none/a")).what, "none/a: cannot create: No such file or directory"));
  CHECK(contains(error(folder.path("")).what, "Is a directory"));
  CHECK(error("").status == 3);
  if (::geteuid() != 0) {  // root may write anywhere
    const std::string path = folder.write("read-only", "old");
    ::chmod(path.c_str(), 0444);
    CHECK(contains(error(path).what, "Permission denied"));
    CHECK(folder.read("read-only") == "old");
  }
  CHECK(error("/dev/full").status == 3);
  CHECK(error("/dev/full").what == "/dev/full: cannot write: No space left on device");
  CHECK(error("/dev/null").status == 0);
}

TEST_CASE("sink: a file size limit is an error, and the old file stays") {
  const Folder folder;
  const std::string path = folder.write("a", "old");
  // In a process of its own: limits are for good.
  char self[4096];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  REQUIRE(length > 0);
  ::setenv("RUNG_TEST_SINK", path.c_str(), 1);
  const std::string command = std::string("bash -c 'ulimit -f 1; trap \"\" XFSZ; exec ") +
                              std::string(self, static_cast<std::size_t>(length)) +
                              " \"--test-case=sink: (child) writes 64 KiB\"' > /dev/null";
  CHECK(std::system(command.c_str()) == 0);
  ::unsetenv("RUNG_TEST_SINK");
  CHECK(folder.read("a") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("sink: (child) writes 64 KiB") {
  const char* const path = std::getenv("RUNG_TEST_SINK");
  if (!path) return;
  const Thrown error = thrown([&] { replace(path, std::string(65'536, 'x')); });
  CHECK(error.status == 3);
  CHECK(contains(error.what, "File too large"));
}

TEST_CASE("sink: a reader that has gone is Closed") {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto sink = io::open_sink("/dev/fd/" + std::to_string(ends[1]));
  ::close(ends[1]);
  put(*sink, "heard");
  ::close(ends[0]);
  CHECK_THROWS_AS(put(*sink, "unheard"), io::Closed);
}

TEST_CASE("sink: pipes that refuse to wait get every byte") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_NONBLOCK) == 0);
  const std::string text(1 << 20, 'x');
  std::size_t got = 0;
  std::thread reader([&] {
    const auto source = io::open_source("/dev/fd/" + std::to_string(ends[0]));
    std::string all(text.size() + 1, '\0');
    got = source->read(std::as_writable_bytes(std::span(all)));
  });
  const auto sink = io::open_sink("/dev/fd/" + std::to_string(ends[1]));
  ::close(ends[1]);
  put(*sink, text);
  sink->commit();
  reader.join();
  ::close(ends[0]);
  CHECK(got == text.size());
}

TEST_CASE("sink: descriptors are written in place") {
  const Folder folder;
  const int file = ::open(folder.path("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  REQUIRE(::write(file, "head\n", 5) == 5);
  replace("/dev/fd/" + std::to_string(file), "body\n");
  ::close(file);
  CHECK(folder.read("log") == "head\nbody\n");
  CHECK(folder.entries() == 1);

  for (const char* name : {"-", "/dev/stdout"}) {
    const int out = ::open(folder.path("out").c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    const int saved = ::dup(1);
    ::dup2(out, 1);
    const Thrown error = thrown([&] { replace(name, "to stdout"); });
    ::dup2(saved, 1);
    ::close(saved);
    ::close(out);
    CHECK(error.status == 0);
    CHECK(folder.read("out") == "to stdout");
  }
}

TEST_CASE("sink: signals remove the file that was begun") {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2}) {
    const Folder folder;
    const std::string path = folder.write("a", "old");
    const pid_t child = ::fork();
    if (child == 0) {
      std::signal(signal_number, SIG_DFL);
      const rlimit none{0, 0};
      ::setrlimit(RLIMIT_CORE, &none);
      const auto sink = io::open_sink(path);
      put(*sink, "half");
      ::raise(signal_number);
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal_number);
    CHECK(folder.read("a") == "old");
    CHECK(folder.entries() == 1);
  }
}
