#include "../options.hpp"
#include "../text.hpp"
#include "commit.hpp"
#include "report.hpp"

#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <fstream>
#include <thread>

namespace rung::cli {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  return "unknown";
}

/// The kernel module's version, where the module is loaded; no CUDA call is needed for it.
std::string driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  if (!std::getline(file, line)) return {};
  for (const auto& word : split(line, ' '))
    if (!word.empty() && word.find_first_not_of("0123456789.") == std::string::npos &&
        word.find('.') != std::string::npos)
      return word;
  return {};
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

/// A word as a shell would need it.
std::string shell_word(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,^@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

}  // namespace

Environment read_environment(const std::vector<std::string>& args) {
  std::vector<std::string> command{"rung"};
  for (const auto& arg : args) command.push_back(shell_word(arg));
  utsname system{};
  uname(&system);
  Environment facts{{"rung", version_text().substr(5)}};
  if (!built_from().empty()) facts.emplace_back("commit", built_from());
  facts.emplace_back("compiler", compiler());
#if defined(RUNG_CUDA_VERSION)
  facts.emplace_back("cuda", RUNG_CUDA_VERSION);
#endif
  if (const std::string version = driver(); !version.empty()) facts.emplace_back("driver", version);
  facts.emplace_back("processor", processor());
  facts.emplace_back("threads", std::to_string(std::thread::hardware_concurrency()));
  facts.emplace_back("system", std::string(system.sysname) + " " + system.release + " " + system.machine);
  facts.emplace_back("date", now());
  facts.emplace_back("command", join(command, " "));
  return facts;
}

}  // namespace rung::cli
