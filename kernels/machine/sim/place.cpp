#include "place.hpp"

#include <backtrace.h>

#include <mutex>
#include <string_view>

namespace rung::sim {
namespace {

std::string file_and_line(std::string_view file, int line) {
  return std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line);
}

/// Frames arrive innermost first. The first that is neither ours nor the library's is what the author wrote.
int pick_frame(void* found, std::uintptr_t, const char* file, int line, const char*) {
  if (!file) return 0;
  const std::string_view path = file;
  auto& text = *static_cast<std::string*>(found);
  const bool inside = path.find("/machine/sim/") != path.npos || path.starts_with("/usr/");
  if (inside && !text.empty()) return 0;
  text = file_and_line(path, line);
  return inside ? 0 : 1;
}
void ignore_error(void*, const char*, int) {}

struct SourceLocation {  // the record behind __builtin_source_location(), as libstdc++ lays it out
  const char* file;
  const char* function;
  unsigned line, column;
};

}  // namespace

std::string text_of_place(Place place) {
  if (place == nowhere) return {};
  const char* address = __executable_start + (place & 0x7fffffffu);
  if (place & 0x80000000u) {
    const auto* record = reinterpret_cast<const SourceLocation*>(address);
    return file_and_line(record->file, static_cast<int>(record->line));
  }
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  static backtrace_state* state = backtrace_create_state(nullptr, 0, ignore_error, nullptr);
  std::string text;
  backtrace_pcinfo(state, reinterpret_cast<std::uintptr_t>(address) - 1, pick_frame, ignore_error, &text);
  return text.empty() ? "an unknown place" : text;
}

}  // namespace rung::sim
