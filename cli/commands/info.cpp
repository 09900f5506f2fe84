#include "../help.hpp"
#include "../report/json.hpp"
#include "../text.hpp"
#include "commands.hpp"
#include "json_file.hpp"

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

std::string names_text(const io::Header& h) {
  return h.needs_header_option ? "  the first line is names: --header yes reads what is below\n" : "";
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
  std::string text = printable(shown_name(file)) + ": " + std::string(name_of(h.dtype)) + " " + to_string(h.shape) +
                     ", " + (h.fortran_order ? "Fortran" : "C") + " order, " + size_text(h, file_bytes) + ", " +
                     (h.note.empty() ? std::string(io::name_of(h.format)) : h.note);
  if (h.format != io::Format::csv) {
    if (h.endian == io::Endian::big) text += ", big-endian";
    text += ", data at byte " + std::to_string(h.data_offset);
  }
  return text + "\n" + columns_text(h) + names_text(h) + missing_text(h, missing_nan);
}

Json optional_text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

/// Of --columns nothing is known but the numbers.
Json columns_json(const io::Header& h) {
  if (h.numeric.empty()) return nullptr;
  Json columns = Json::array();
  for (std::size_t k = 0; k < h.numeric.size(); ++k)
    columns.push_back({{"name", optional_text(k < h.columns.size() ? h.columns[k] : std::string())},
                       {"numeric", static_cast<bool>(h.numeric[k])}});
  return columns;
}

/// Columns from 1, as --columns counts them.
Json missing_json(const io::Header::Missing& m) {
  if (m.count == 0) return nullptr;
  Json columns = Json::array();
  for (std::size_t k = 0; k < m.columns.size(); ++k)
    if (m.columns[k]) columns.push_back(k + 1);
  return {{"count", m.count}, {"line", m.line}, {"field", m.field}, {"columns", columns}};
}

/// What a format does not have is null.
Json file_json(const std::string& file, const io::Header& h, std::optional<std::uint64_t> file_bytes) {
  const bool csv = h.format == io::Format::csv;
  const auto of_csv = [&](Json value) { return csv ? std::move(value) : Json(nullptr); };
  const auto of_binary = [&](Json value) { return csv ? Json(nullptr) : std::move(value); };
  return {{"input", file},
          {"format", io::name_of(h.format)},
          {"version", optional_text(h.version)},
          {"dtype", name_of(h.dtype)},
          {"shape", h.shape},
          {"order", h.fortran_order ? "Fortran" : "C"},
          {"bytes", byte_count(h.shape, h.dtype)},
          {"file_bytes", file_bytes ? Json(*file_bytes) : Json(nullptr)},
          {"endian", of_binary(h.endian == io::Endian::big ? "big" : "little")},
          {"data_offset", of_binary(h.data_offset)},
          {"delimiter", optional_text(h.delimiter)},
          {"header", of_csv(h.has_names)},
          {"columns", of_csv(columns_json(h))},
          {"missing", missing_json(h.missing)}};
}

}  // namespace

int info_command(const InfoOptions& o, const std::vector<std::string>& args) {
  io::check_options(o.read);
  for (const auto& file : o.files)
    if (reads_terminal(file)) {
      print_help(help_text("info"));
      return 2;
    }
  const Console console(o.console);
  const bool several = o.files.size() > 1;
  const io::Formats formats = several ? io::formats_of(o.files, o.read) : io::Formats{};
  JsonFile json(o.json, o.files, true);
  Json files = Json::array();
  std::vector<Failure> failures;
  const auto look = [&](const std::string& file) {
    const auto source = io::open_source(file);
    const auto file_bytes = source->remaining();
    const io::ReadOptions read = several ? io::options_among(*source, o.read, formats) : o.read;
    const io::Header header = io::inspect(*source, read, console.warner());
    if (json.asked()) files.push_back(file_json(file, header, file_bytes));
    json.tell(describe(file, header, file_bytes, read.missing_nan));
    return 0;
  };
  const int status = for_each_file(o.files, look, [&failures](const Failure& failure) { failures.push_back(failure); });
  if (json.asked())
    json.write(json_text({{"schema", "rung-info-1"},
                          {"environment", json_object(read_environment(args))},
                          {"files", files},
                          {"failures", json_array(failures)}}));
  return status;
}

}  // namespace rung::cli
