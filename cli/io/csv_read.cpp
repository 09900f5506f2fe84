// The numbers of a CSV file. The text is cut into line-aligned pieces: one pass counts lines and rows, so that every
// piece knows its line number and its place in the result, a second parses; both run on all cores.
#include "csv.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

namespace rung::io {
namespace csv {
namespace {

constexpr std::size_t piece_size = std::size_t{2} << 20;

struct Fault {
  std::size_t line = 0;   ///< from 1
  std::size_t field = 0;  ///< from 1; 0: the line as a whole
  Complaint complaint;
};

struct Piece {
  const char* first;
  const char* last;
  std::size_t lines = 0, rows = 0;  ///< in this piece
  std::size_t lines_before = 0, rows_before = 0;
  std::optional<Fault> fault = std::nullopt;
};

std::vector<Piece> cut(const char* first, const char* last) {
  std::vector<Piece> pieces;
  while (first != last) {
    const char* stop = last;
    if (static_cast<std::size_t>(last - first) > piece_size) {
      const char* const target = first + piece_size;
      const auto* newline =
          static_cast<const char*>(std::memchr(target, '\n', static_cast<std::size_t>(last - target)));
      if (newline) stop = newline + 1;
    }
    pieces.push_back({first, stop});
    first = stop;
  }
  return pieces;
}

template <class Work>
void for_each_piece(std::vector<Piece>& pieces, const Work& work) {
  if (pieces.size() == 1) return work(pieces.front());
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) { work(pieces[i]); });
}

template <class T>
T not_a_number() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  if constexpr (std::is_same_v<T, F16>) return {0x7e00};
  if constexpr (std::is_same_v<T, BF16>) return {0x7fc0};
  return {};
}

template <class T>
class RowParser {
 public:
  explicit RowParser(const Layout& layout) : layout_(layout), row_(layout.columns.empty() ? 0 : layout.fields) {
    wanted_.assign(layout.fields, layout.columns.empty());
    for (const std::size_t column : layout.columns) wanted_[column] = true;
  }

  std::optional<Fault> parse(std::string_view line, T* out) {
    if (layout_.columns.empty()) {
      if (parse_plain(line, out)) return std::nullopt;
      return parse_any(line, out);
    }
    std::optional<Fault> fault = parse_any(line, row_.data());
    for (const std::size_t column : layout_.columns) *out++ = row_[column];
    return fault;
  }

 private:
  /// Bare numbers between delimiters, the usual case, in one pass. False: look again, with care.
  bool parse_plain(std::string_view line, T* out) const {
    const char delimiter = layout_.delimiter;
    const char* at = line.data();
    const char* const last = at + line.size();
    const auto skip_blanks = [&] {
      while (at != last && is_blank(*at, delimiter)) ++at;
    };
    for (std::size_t field = 0; field < layout_.fields; ++field) {
      if (field > 0) {
        if (at == last || (delimiter == white_space ? !is_blank(*at, delimiter) : *at != delimiter)) return false;
        ++at;
      }
      skip_blanks();
      at = parse_number(at, last, out[field]);
      if (!at) return false;
      if (delimiter != white_space) skip_blanks();
    }
    skip_blanks();
    return at == last;
  }

  /// Quotes, missing values, columns that are skipped, and the exact fault.
  std::optional<Fault> parse_any(std::string_view line, T* out) const {
    FieldScanner scanner(line, layout_.delimiter);
    std::optional<Fault> fault;
    std::size_t count = 0;
    for (Field field; scanner.next(field); ++count) {
      if (field.fault != Field::Fault::none) {
        const char* const reason = field.fault == Field::Fault::open_quote
                                       ? " has a quote that does not end on its line"
                                       : " has text after its closing quote";
        return Fault{0, count + 1, {quoted(field.text) + reason, ""}};
      }
      if (count >= layout_.fields || !wanted_[count] || fault) continue;
      if (!parse_field(field.text, out[count])) fault = Fault{0, count + 1, explain_number(dtype_of<T>, field.text)};
    }
    if (count == layout_.fields) return fault;
    return Fault{0,
                 0,
                 {std::to_string(count) + (count == 1 ? " field, line " : " fields, line ") +
                      std::to_string(layout_.first_line) + " has " + std::to_string(layout_.fields),
                  ""}};
  }

  bool parse_field(std::string_view text, T& value) const {
    if (layout_.missing_nan && (text.empty() || text == "NA")) {
      value = not_a_number<T>();
      return true;
    }
    const char* const end = text.data() + text.size();
    return !text.empty() && parse_number(text.data(), end, value) == end;
  }

  const Layout& layout_;
  std::vector<char> wanted_;
  std::vector<T> row_;
};

void count_lines(Piece& piece, char delimiter) {
  LineScanner scanner{piece.first, piece.last};
  for (std::string_view line; scanner.next(line);) {
    ++piece.lines;
    piece.rows += holds_data(line, delimiter);
  }
}

/// `stride` 0 checks without keeping the numbers: each row overwrites the last.
template <class T>
void parse_piece(Piece& piece, const Layout& layout, T* out, std::size_t stride) {
  RowParser<T> parser(layout);
  const auto* nul =
      static_cast<const char*>(std::memchr(piece.first, '\0', static_cast<std::size_t>(piece.last - piece.first)));
  LineScanner scanner{piece.first, piece.last};
  std::size_t number = layout.first_line + piece.lines_before;
  for (std::string_view line; scanner.next(line); ++number) {
    if (nul && scanner.at > nul) {
      piece.fault = Fault{number, 0, {std::string(nul_reason), std::string(nul_hint)}};
      return;
    }
    if (!holds_data(line, layout.delimiter)) continue;
    piece.fault = parser.parse(line, out);
    if (piece.fault) {
      piece.fault->line = number;
      return;
    }
    out += stride;
  }
}

/// A first line of words is likely a header, one with a date likely has columns to leave out.
std::string first_line_hint(const Layout& layout, const Fault& fault) {
  const bool first = fault.line == layout.first_line && fault.field > 0;
  if (!fault.complaint.hint.empty() || !first || !fault.complaint.reason.ends_with(" is not a number"))
    return fault.complaint.hint;
  const char start = fault.complaint.reason[1];  // after the quote that the reason starts with
  const bool word = (start >= 'a' && start <= 'z') || (start >= 'A' && start <= 'Z') || start == '_' || start < 0;
  std::string columns =
      layout.columns.empty() && layout.fields > 1 ? "--columns picks the columns that are numbers" : "";
  if (!word || !layout.header_hint) return columns;
  return "--header yes skips a line of names" + (columns.empty() ? "" : "; " + columns);
}

[[noreturn]] void report(const Fault& fault, const Layout& layout, const std::string& file) {
  throw FileError(file + ":" + std::to_string(fault.line) + ": " +
                      (fault.field > 0 ? "field " + std::to_string(fault.field) + ": " : "") + fault.complaint.reason,
                  first_line_hint(layout, fault));
}

/// Parses into `out`, or, when that is null, only checks.
template <class T>
void parse_pieces(std::vector<Piece>& pieces, const Layout& layout, T* out, const std::string& file,
                  const Progress& progress) {
  const auto total = static_cast<std::uint64_t>(pieces.back().last - pieces.front().first);
  std::atomic<const char*> first_fault = pieces.back().last;
  std::atomic<std::uint64_t> done = 0;
  const auto main_thread = std::this_thread::get_id();
  for_each_piece(pieces, [&](Piece& piece) {
    if (piece.first > first_fault) return;
    std::vector<T> scratch(out ? 0 : layout.width());
    const std::size_t stride = out ? layout.width() : 0;
    parse_piece(piece, layout, out ? out + piece.rows_before * stride : scratch.data(), stride);
    const char* earliest = first_fault;
    while (piece.fault && piece.first < earliest && !first_fault.compare_exchange_weak(earliest, piece.first)) {
    }
    done += static_cast<std::uint64_t>(piece.last - piece.first);
    if (progress && std::this_thread::get_id() == main_thread) progress(done, total);
  });
  for (const Piece& piece : pieces)
    if (piece.fault) report(*piece.fault, layout, file);
}

struct Table {
  Layout layout;
  Shape shape;
  std::vector<Piece> pieces;
};

Table find_table(std::string_view text, const Source& source, const ReadOptions& options, const Warn& warn) {
  Table table{find_layout(text, shown(source), options, warn), {}, {}};
  table.pieces = cut(table.layout.data, text.data() + text.size());
  for_each_piece(table.pieces, [&](Piece& piece) { count_lines(piece, table.layout.delimiter); });
  std::size_t rows = 0, lines = 0;
  for (Piece& piece : table.pieces) {
    piece.rows_before = rows;
    piece.lines_before = lines;
    rows += piece.rows;
    lines += piece.lines;
  }
  table.shape = table.layout.width() == 1 ? Shape{rows} : Shape{rows, table.layout.width()};
  return table;
}

DType csv_dtype(const Source& source, const ReadOptions& options) {
  const DType dtype = options.dtype.value_or(DType::f64);
  if (info(dtype).kind == Kind::complex)
    throw UsageError(shown(source) + ": complex numbers are not read from CSV", "npy and raw hold them");
  if (options.missing_nan && is_integer(dtype))
    throw UsageError(shown(source) + ": --missing nan needs a floating-point type, not " + std::string(name_of(dtype)));
  return dtype;
}

template <class T>
concept Readable = info(dtype_of<T>)
.kind != Kind::complex;

template <class Visit>
void visit_readable(DType dtype, const Visit& visit) {
  visit_dtype(dtype, [&]<class T>() {
    if constexpr (Readable<T>) visit.template operator()<T>();
  });
}

}  // namespace
}  // namespace csv

HostArray read_csv(Source& source, const ReadOptions& options, const Warn& warn, const Progress& progress) {
  const DType dtype = csv::csv_dtype(source, options);
  const Held held = read_up_to(source, SIZE_MAX, progress);
  const std::string_view text(reinterpret_cast<const char*>(held.data.get()), held.size);
  csv::Table table = csv::find_table(text, source, options, warn);
  HostArray array{dtype, table.shape, allocate_bytes(byte_count(table.shape, dtype))};
  csv::visit_readable(dtype, [&]<class T>() {
    csv::parse_pieces(table.pieces, table.layout, reinterpret_cast<T*>(array.data.get()), shown(source), progress);
  });
  return array;
}

Header inspect_csv(Source& source, const ReadOptions& options, const Warn& warn) {
  const DType dtype = csv::csv_dtype(source, options);
  const Held held = read_up_to(source, SIZE_MAX);
  const std::string_view text(reinterpret_cast<const char*>(held.data.get()), held.size);
  csv::Table table = csv::find_table(text, source, options, warn);
  csv::visit_readable(dtype, [&]<class T>() {
    csv::parse_pieces(table.pieces, table.layout, static_cast<T*>(nullptr), shown(source), {});
  });
  Header header;
  header.format = Format::csv;
  header.dtype = dtype;
  header.shape = table.shape;
  header.data_offset = static_cast<std::uint64_t>(table.layout.data - text.data());
  header.note =
      "csv, delimiter " + csv::delimiter_name(table.layout.delimiter) + (table.layout.has_header ? ", header" : "");
  return header;
}

}  // namespace rung::io
