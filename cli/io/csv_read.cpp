// The numbers of a CSV file. The text is cut into line-aligned pieces: one pass counts lines and rows, so that every
// piece knows its line number and its place in the result, a second parses; both run on all cores.
#include "csv_row.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace rung::io {
namespace csv {
namespace {

constexpr std::size_t piece_size = std::size_t{2} << 20;

struct Piece {
  const char* first;
  const char* last;
  std::size_t lines = 0, rows = 0;  ///< in this piece
  std::size_t lines_before = 0, rows_before = 0;
  std::optional<Fault> fault = std::nullopt;
  std::optional<Rounded> rounded = std::nullopt;
  Header::Missing missing = {};
  IntegerFit fit = {};
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
  std::size_t number = layout.first_line + piece.lines_before, first_missing = 0;
  for (std::string_view line; scanner.next(line); ++number) {
    if (nul && scanner.at > nul) {
      piece.fault = Fault{number, 0, {std::string(nul_reason), std::string(nul_hint)}};
      return;
    }
    if (!holds_data(line, layout.delimiter)) continue;
    piece.fault = parser.parse(line, out);
    if (!piece.rounded && parser.rounded()) {
      piece.rounded = parser.rounded();
      piece.rounded->line = number;
    }
    piece.fit = parser.fit();
    if (first_missing == 0 && parser.missing().count > 0) first_missing = number;
    if (piece.fault) {
      piece.fault->line = number;
      return;
    }
    out += stride;
  }
  piece.missing = parser.missing();
  piece.missing.line = first_missing;
}

/// "1:2" where nothing else separates: no delimiter that is looked for, but one that can be named.
bool splits_at_colons(std::string_view quoted_text) {
  const std::string_view text = quoted_text.substr(1, quoted_text.find('\'', 1) - 1);
  bool several = false;
  FieldScanner fields(text, ':');
  for (Field field; fields.next(field);) {
    if (!has_number_syntax(field.text)) return false;
    several = several || field.text.size() < text.size();
  }
  return several;
}

/// A first line of words is likely a header, one with a date likely has columns to leave out.
std::string first_line_hint(const Layout& layout, const Fault& fault) {
  if (fault.line == layout.first_line && !layout.delimiter_hint.empty()) return layout.delimiter_hint;
  if (!fault.complaint.hint.empty() || fault.field == 0 || !fault.complaint.reason.ends_with(" is not a number"))
    return fault.complaint.hint;
  if (layout.delimiter == no_delimiter && splits_at_colons(fault.complaint.reason))
    return "--delimiter : splits it at the colons";
  const char start = fault.complaint.reason[1];  // after the quote that the reason starts with
  const bool word = (start >= 'a' && start <= 'z') || (start >= 'A' && start <= 'Z') || start == '_' || start < 0;
  std::string columns =
      layout.columns.empty() && layout.fields > 1 ? "--columns picks the columns that are numbers" : "";
  if (!word || !layout.header_hint || fault.line != layout.first_line) return columns;
  return "--header yes skips a line of names" + (columns.empty() ? "" : "; " + columns);
}

/// "temps.csv:3: field 2: "
std::string place(const std::string& file, std::size_t line, std::size_t field) {
  return file + ":" + std::to_string(line) + ": " + (field > 0 ? "field " + std::to_string(field) + ": " : "");
}

/// Of the first piece that has one: later ones have nothing new to say.
void warn_of_rounding(const std::vector<Piece>& pieces, bool advise, const std::string& file, const Warn& warn) {
  IntegerFit fit{advise, advise};
  for (const Piece& piece : pieces) {
    fit.add(piece.fit);
    if (const auto& found = piece.rounded)
      return warn(place(file, found->line, found->field) + quoted(found->text) + " is not exact in f64" +
                  integer_advice(found->text, fit));
  }
}

/// Parses into `out`, or, when that is null, only checks.
template <class T>
void parse_pieces(std::vector<Piece>& pieces, const Layout& layout, T* out, const std::string& file, const Warn& warn,
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
    if (const auto& fault = piece.fault)
      throw FileError(place(file, fault->line, fault->field) + fault->complaint.reason,
                      first_line_hint(layout, *fault));
  const bool any_missing =
      std::any_of(pieces.begin(), pieces.end(), [](const Piece& p) { return p.missing.count > 0; });
  warn_of_rounding(pieces, !layout.missing_nan && !any_missing, file, warn);
}

struct Table {
  Layout layout;
  Shape shape;
  std::vector<Piece> pieces;
  std::size_t rows = 0;
};

Shape shape_of(const Table& table) {
  return table.layout.width() == 1 ? Shape{table.rows} : Shape{table.rows, table.layout.width()};
}

Table find_table(std::string_view text, const Source& source, const ReadOptions& options, const Warn& warn) {
  Table table{find_layout(text, shown(source), options, warn), {}, {}, 0};
  table.layout.watch_integers = warn && !options.dtype;
  table.pieces = cut(table.layout.data, text.data() + text.size());
  for_each_piece(table.pieces, [&](Piece& piece) { count_lines(piece, table.layout.delimiter); });
  std::size_t rows = 0, lines = 0;
  for (Piece& piece : table.pieces) {
    piece.rows_before = rows;
    piece.lines_before = lines;
    rows += piece.rows;
    lines += piece.lines;
  }
  table.rows = rows;
  table.shape = shape_of(table);
  return table;
}

/// Each column by its first value that is there, in the first lines; one without any is numbers that are missing.
std::vector<bool> numeric_columns(const Table& table) {
  constexpr int enough = 1000;
  const std::size_t count = table.layout.fields;
  std::vector<bool> numeric(count, true), known(count, false);
  LineScanner scanner{table.layout.data, table.pieces.back().last};
  std::string_view line;
  for (int k = 0; k < enough && scanner.next(line) && std::find(known.begin(), known.end(), false) != known.end();
       ++k) {
    if (!holds_data(line, table.layout.delimiter)) continue;
    FieldScanner fields(line, table.layout.delimiter);
    Field field;
    for (std::size_t column = 0; column < count && fields.next(field); ++column) {
      if (known[column] || field.text.empty() || field.text == "NA") continue;
      numeric[column] = has_number_syntax(field.text);
      known[column] = true;
    }
  }
  return numeric;
}

/// What `info` says of columns, where they have names or some are text; those of text are then left out of `table`.
void describe_columns(Table& table, Header& header) {
  Layout& layout = table.layout;
  if (!layout.columns.empty()) return;
  header.numeric = numeric_columns(table);
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < layout.fields; ++k)
    if (header.numeric[k]) numbers.push_back(k);
  // All of them text is a header, of which the reader has a better word.
  if (!numbers.empty() && numbers.size() < layout.fields) layout.columns = numbers;
  if (layout.columns.empty() && !layout.has_header) return;
  header.columns = layout.names;
  header.columns.resize(layout.fields);
  table.shape = shape_of(table);
}

DType csv_dtype(const Source& source, const ReadOptions& options) {
  const DType dtype = options.dtype.value_or(DType::f64);
  if (info(dtype).kind == Kind::complex)
    throw UsageError(shown(source) + ": complex numbers are not read from CSV", "npy and raw hold them");
  if (options.missing_nan && is_integer(dtype))
    throw UsageError(shown(source) + ": --missing nan needs a floating-point type, not " + std::string(name_of(dtype)),
                     no_nan_hint);
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

void refuse_empty(const Source& source, std::size_t bytes) {
  if (bytes == 0) throw FileError(shown(source) + ": " + empty_reason, empty_hint(source));
}

}  // namespace
}  // namespace csv

void Header::Missing::add(const Missing& later) {
  if (later.count == 0) return;
  if (count == 0) {
    *this = later;
    return;
  }
  count += later.count;
  for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = columns[k] || later.columns[k];
}

HostArray read_csv(Source& source, const ReadOptions& options, const Warn& warn, const Progress& progress) {
  const DType dtype = csv::csv_dtype(source, options);
  const Held held = read_up_to(source, SIZE_MAX, progress);
  csv::refuse_empty(source, held.size);
  const std::string_view text(reinterpret_cast<const char*>(held.data.get()), held.size);
  csv::Table table = csv::find_table(text, source, options, warn);
  HostArray array{dtype, table.shape, allocate_bytes(byte_count(table.shape, dtype))};
  csv::visit_readable(dtype, [&]<class T>() {
    csv::parse_pieces(table.pieces, table.layout, reinterpret_cast<T*>(array.data.get()), shown(source), warn,
                      progress);
  });
  return array;
}

namespace {

Header inspect_text(std::string_view text, const Source& source, const ReadOptions& options, const Warn& warn) {
  const DType dtype = csv::csv_dtype(source, options);
  ReadOptions with_gaps = options;
  with_gaps.missing_nan = true;
  csv::Table table = csv::find_table(text, source, with_gaps, warn);
  table.layout.missing_nan = options.missing_nan;
  Header header;
  csv::describe_columns(table, header);
  table.layout.count_missing = true;
  csv::visit_readable(dtype, [&]<class T>() {
    csv::parse_pieces(table.pieces, table.layout, static_cast<T*>(nullptr), shown(source), warn, {});
  });
  for (const csv::Piece& piece : table.pieces) header.missing.add(piece.missing);
  header.format = Format::csv;
  header.dtype = dtype;
  header.shape = table.shape;
  header.data_offset = static_cast<std::uint64_t>(table.layout.data - text.data());
  header.has_names = table.layout.has_header;
  if (table.layout.delimiter != csv::no_delimiter) header.delimiter = csv::delimiter_word(table.layout.delimiter);
  header.note =
      "csv, delimiter " + csv::delimiter_name(table.layout.delimiter) + (table.layout.has_header ? ", header" : "");
  return header;
}

/// Neither numbers, nor missing, nor a date.
bool are_words(const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return !name.empty() && name != "NA" && !has_number_syntax(name) && name.find_first_of("0123456789+-.") != 0;
  });
}

/// What there is below a first line of words, if that can be read.
std::optional<Header> inspect_below_names(std::string_view text, const Source& source, ReadOptions options,
                                          const Warn& warn) {
  options.header = true;
  try {
    if (!are_words(csv::find_layout(text, shown(source), options, {}).names)) return std::nullopt;
    Header header = inspect_text(text, source, options, warn);
    header.needs_header_option = true;
    return header;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Header inspect_csv(Source& source, const ReadOptions& options, const Warn& warn) {
  const Held held = read_up_to(source, SIZE_MAX);
  csv::refuse_empty(source, held.size);
  const std::string_view text(reinterpret_cast<const char*>(held.data.get()), held.size);
  try {
    return inspect_text(text, source, options, warn);
  } catch (const FileError&) {
    if (options.header) throw;
    if (auto below = inspect_below_names(text, source, options, warn)) return *below;
    throw;
  }
}

}  // namespace rung::io
