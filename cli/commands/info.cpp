#include "../help.hpp"
#include "../text.hpp"
#include "commands.hpp"

namespace rung::cli {
namespace {

/// As --columns takes them: "1,3-5".
std::string ranges(const std::vector<bool>& chosen) {
  std::vector<std::string> parts;
  for (std::size_t first = 0, last = 0; first < chosen.size(); first = last + 1) {
    last = first;
    if (!chosen[first]) continue;
    while (last + 1 < chosen.size() && chosen[last + 1]) ++last;
    parts.push_back(std::to_string(first + 1) + (last > first ? "-" + std::to_string(last + 1) : ""));
  }
  return join(parts, ",");
}

/// Items after a title; where a terminal's width is known, on as many lines as they take, broken between items. What
/// reads a pipe has them on one.
std::string listed(const std::string& title, const std::vector<std::string>& items, std::size_t width) {
  std::string text = title;
  std::size_t column = display_width(title);
  for (std::size_t k = 0; k < items.size(); ++k) {
    const std::string item = items[k] + (k + 1 < items.size() ? "," : "");
    const std::string indent = "   ";
    if (width != 0 && k > 0 && column + 1 + display_width(item) > width) {
      text += "\n" + indent;
      column = indent.size();
    }
    text += " " + item;
    column += 1 + display_width(item);
  }
  return text + "\n";
}

/// "  columns: 1 date (text), 2 low, 3 high", and which are numbers where not all are.
std::string columns_text(const io::Header& h) {
  if (h.columns.empty()) return {};
  std::vector<std::string> words;
  bool all = true;
  for (std::size_t k = 0; k < h.columns.size(); ++k) {
    all = all && h.numeric[k];
    words.push_back(std::to_string(k + 1) +
                    (h.columns[k].empty() ? "" : " " + printable(io::column_word(h.columns[k]))) +
                    (h.numeric[k] ? "" : " (text)"));
  }
  return listed("  columns:", words, terminal_width()) +
         (all ? "" : "  the numbers, of which this is: --columns " + ranges(h.numeric) + "\n");
}

/// "  missing: 3 values, of columns 1,4-5, the first in line 7, field 4: ...", and what to do about them.
std::string missing_text(const io::Header& h, bool as_nan) {
  const auto& m = h.missing;
  if (m.count == 0) return {};
  const bool one = std::count(m.columns.begin(), m.columns.end(), true) == 1;
  const std::string columns =
      h.shape.size() < 2 ? "" : (one ? " of column " : " of columns ") + ranges(m.columns) + ",";
  const std::string text = "  missing: " + std::to_string(m.count) + (m.count == 1 ? " value," : " values,") + columns +
                           " the first in line " + std::to_string(m.line) + ", field " + std::to_string(m.field) + ": ";
  if (as_nan) return text + "NaN\n";
  if (is_integer(h.dtype)) return text + "an error; of floats, such as --dtype f64, --missing nan makes NaN\n";
  return text + "an error, or NaN with --missing nan" + (h.shape.size() < 2 ? "" : "; --columns leaves columns out") +
         "\n";
}

/// Of text the bytes in memory are not those of the file, which a pipe does not tell.
std::string size_text(const io::Header& h, std::optional<std::uint64_t> file_bytes) {
  const std::string bytes = std::to_string(byte_count(h.shape, h.dtype)) + " bytes";
  if (h.format != io::Format::csv) return bytes;
  return bytes + " in memory" + (file_bytes ? ", " + std::to_string(*file_bytes) + " in the file" : "");
}

/// "big.npy: f32 4096x4096, C order, 67108864 bytes, npy 1.0, data at byte 128"
std::string describe(const std::string& file, const io::Header& h, std::optional<std::uint64_t> file_bytes,
                     bool missing_nan) {
  std::string text = printable(file) + ": " + std::string(name_of(h.dtype)) + " " + to_string(h.shape) + ", " +
                     (h.fortran_order ? "Fortran" : "C") + " order, " + size_text(h, file_bytes) + ", " +
                     (h.note.empty() ? std::string(io::name_of(h.format)) : h.note);
  if (h.format != io::Format::csv) {
    if (h.endian == io::Endian::big) text += ", big-endian";
    text += ", data at byte " + std::to_string(h.data_offset);
  }
  return text + "\n" + columns_text(h) + missing_text(h, missing_nan);
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
    const auto file_bytes = source->remaining();
    write_stdout(describe(file, io::inspect(*source, o.read, console.warner()), file_bytes, o.read.missing_nan));
    return 0;
  });
}

}  // namespace rung::cli
