#include "../text.hpp"
#include "commands.hpp"

namespace rung::cli {
namespace {

/// "big.npy: f32 4096x4096, C order, 67108864 bytes, npy 1.0, data at byte 128"
std::string describe(const std::string& file, const io::Header& h) {
  std::string text = printable(file) + ": " + std::string(name_of(h.dtype)) + " " + to_string(h.shape) + ", " +
                     (h.fortran_order ? "Fortran" : "C") + " order, " + std::to_string(byte_count(h.shape, h.dtype)) +
                     " bytes, " + (h.note.empty() ? std::string(io::name_of(h.format)) : h.note);
  if (h.format != io::Format::csv) {
    if (h.endian == io::Endian::big) text += ", big-endian";
    text += ", data at byte " + std::to_string(h.data_offset);
  }
  return text + "\n";
}

}  // namespace

int info_command(const InfoOptions& o) {
  io::check_options(o.read);
  const Console console(o.console);
  return for_each_file(o.files, [&](const std::string& file) {
    if (reads_terminal(file)) {
      print_help(help_text("info"));
      return 2;
    }
    const auto source = io::open_source(file);
    write_stdout(describe(file, io::inspect(*source, o.read, console.warner())));
    return 0;
  });
}

}  // namespace rung::cli
