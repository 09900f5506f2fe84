// Which format, and the entry points that hand over to its reader or writer.
#include "csv.hpp"

#include <algorithm>

namespace rung::io {
namespace {

constexpr std::array<std::string_view, 3> format_names{"npy", "raw", "csv"};

struct OwnedOption {
  std::string_view name;
  Format owner;
  bool (*given)(const ReadOptions&);
  void (*drop)(ReadOptions&);
};

/// Options that one format alone has a use for.
constexpr std::array<OwnedOption, 7> owned_options{
    {{"--shape", Format::raw, [](const ReadOptions& o) { return o.shape.has_value(); },
      [](ReadOptions& o) { o.shape.reset(); }},
     {"--offset", Format::raw, [](const ReadOptions& o) { return o.offset > 0; }, [](ReadOptions& o) { o.offset = 0; }},
     {"--endian", Format::raw, [](const ReadOptions& o) { return o.endian == Endian::big; },
      [](ReadOptions& o) { o.endian = Endian::little; }},
     {"--delimiter", Format::csv, [](const ReadOptions& o) { return o.delimiter.has_value(); },
      [](ReadOptions& o) { o.delimiter.reset(); }},
     {"--header", Format::csv, [](const ReadOptions& o) { return o.header.has_value(); },
      [](ReadOptions& o) { o.header.reset(); }},
     {"--columns", Format::csv, [](const ReadOptions& o) { return o.columns.has_value(); },
      [](ReadOptions& o) { o.columns.reset(); }},
     {"--missing", Format::csv, [](const ReadOptions& o) { return o.missing_nan; },
      [](ReadOptions& o) { o.missing_nan = false; }}}};

/// An option that neither format has a use for would otherwise be ignored in silence.
void refuse_foreign_options(const std::string& name, Format format, Format other, const ReadOptions& options) {
  for (const OwnedOption& option : owned_options)
    if (option.owner != format && option.owner != other && option.given(options))
      throw UsageError(shown(name) + ": " + std::string(option.name) + " is for " + std::string(name_of(option.owner)) +
                       " input, this is read as " + std::string(name_of(format)));
}

bool is_npy(Source& source) {
  constexpr std::string_view magic = "\x93NUMPY";
  const std::span<const std::byte> start = source.peek(magic.size());
  return std::string_view(reinterpret_cast<const char*>(start.data()), start.size()) == magic;
}

Format checked_format(Source& source, const ReadOptions& options) {
  const Format format = detect_format(source, options);
  refuse_foreign_options(source.name(), format, format, options);
  return format;
}

}  // namespace

std::string_view name_of(Format f) { return format_names[static_cast<std::size_t>(f)]; }

std::optional<Format> parse_format(std::string_view name) {
  for (std::size_t i = 0; i < format_names.size(); ++i)
    if (format_names[i] == name) return static_cast<Format>(i);
  return std::nullopt;
}

std::string extension_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = file.rfind('.');
  std::string extension = dot == std::string::npos ? "" : file.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return extension;
}

std::optional<Format> format_of_path(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension == ".npy") return Format::npy;
  if (extension == ".csv" || extension == ".tsv" || extension == ".txt") return Format::csv;
  if (extension == ".raw" || extension == ".bin") return Format::raw;
  return std::nullopt;
}

Format detect_format(Source& source, const ReadOptions& options) {
  if (options.from) return *options.from;
  if (is_npy(source)) return Format::npy;
  const std::span<const std::byte> start = source.peek(4);
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  const std::optional<Format> by_name = format_of_path(source.name());
  if (by_name != Format::raw) {
    if (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06"))
      throw FileError(shown(source) + ": npz, not npy", "unzip it: each member is one npy file");
    if (text.starts_with("\x1f\x8b"))
      throw FileError(shown(source) + ": compressed by gzip", "gunzip -c FILE | rung ... --from FORMAT");
  }
  if (by_name) return *by_name;
  if (start.empty()) throw FileError(shown(source) + ": " + empty_reason, empty_hint(source));
  throw FileError(
      shown(source) + ": its format is not known by its first bytes" + (source.name() == "-" ? "" : " or its name"),
      "say which with --from npy, --from raw or --from csv");
}

std::pair<ReadOptions, ReadOptions> options_for_each(Source& a, Source& b, const ReadOptions& options) {
  auto [format_a, for_a] = options_beside_another(a, options);
  auto [format_b, for_b] = options_beside_another(b, options);
  refuse_foreign_options(a.name(), format_a, format_b, options);
  if (format_a == Format::npy && format_b == Format::npy) for_a.dtype = for_b.dtype = options.dtype;
  return {std::move(for_a), std::move(for_b)};
}

std::pair<Format, ReadOptions> options_beside_another(Source& source, const ReadOptions& options) {
  ReadOptions own = options_among(source, options, {true, true, true});
  return {*own.from, std::move(own)};
}

Formats formats_of(const std::vector<std::string>& files, const ReadOptions& options) {
  Formats formats{};
  const auto add = [&](Format format) { formats[static_cast<std::size_t>(format)] = true; };
  for (const std::string& file : files) {
    if (file == "-" || standing_descriptor(file) >= 0 || is_stream(file)) {
      if (const auto said = options.from ? options.from : format_of_path(file)) add(*said);
      continue;
    }
    try {
      const std::unique_ptr<Source> source = open_source(file);
      add(is_npy(*source) ? Format::npy : detect_format(*source, options));
    } catch (const Error&) {
      // Told when it is its turn.
    }
  }
  return formats;
}

ReadOptions options_among(Source& source, const ReadOptions& options, const Formats& formats) {
  const auto present = [&](Format format) { return formats[static_cast<std::size_t>(format)]; };
  const bool beside_others = present(Format::raw) || present(Format::csv);
  ReadOptions own = options;
  own.from = beside_others && is_npy(source) ? Format::npy : detect_format(source, options);
  for (const OwnedOption& option : owned_options)
    if (option.owner != *own.from && present(option.owner)) option.drop(own);
  if (own.from == Format::npy && beside_others) own.dtype.reset();
  return own;
}

void check_options_of_both(const Read& a, const Read& b, const ReadOptions& options) {
  refuse_foreign_options(a.name, a.format, b.format, options);
  if (a.format != Format::npy || b.format != Format::npy) return;
  for (const Read& read : {a, b}) check_npy_dtype(read.name, read.dtype, options);
}

void check_delimiter(const std::string& text) { csv::parse_delimiter(text); }

void check_options(const ReadOptions& options) {
  if (options.delimiter) check_delimiter(*options.delimiter);
  if (options.columns) csv::check_columns(*options.columns, options.header.value_or(false));
  if (options.missing_nan && options.dtype && is_integer(*options.dtype))
    throw UsageError("--missing nan needs a floating-point type, not " + std::string(name_of(*options.dtype)),
                     no_nan_hint);
  if (!options.from) return;
  for (const OwnedOption& option : owned_options)
    if (option.owner != *options.from && option.given(options))
      throw UsageError(std::string(option.name) + " is for " + std::string(name_of(option.owner)) +
                       " input, and --from says " + std::string(name_of(*options.from)));
  if (options.from == Format::raw && !options.dtype)
    throw UsageError("raw input needs --dtype", "rung list dtypes shows them");
}

std::optional<Header> read_header(Source& source, const ReadOptions& options, const Warn& warn) {
  switch (checked_format(source, options)) {
    case Format::npy:
      return inspect_npy(source, options, warn);
    case Format::raw:
      if (options.shape || source.remaining()) return inspect_raw(source, options, warn);
      break;
    case Format::csv:
      break;
  }
  return std::nullopt;
}

HostArray read_data(Source& source, const std::optional<Header>& header, const ReadOptions& options, const Warn& warn,
                    const Progress& progress) {
  if (header) return read_elements(source, *header, warn, progress);
  if (detect_format(source, options) == Format::raw) return read_raw_to_end(source, options, warn, progress);
  return read_csv(source, options, warn, progress);
}

HostArray read_array(Source& source, const ReadOptions& options, const Warn& warn, const Progress& progress) {
  return read_data(source, read_header(source, options, warn), options, warn, progress);
}

HostArray read_array(const std::string& path, const ReadOptions& options, const Warn& warn, const Progress& progress) {
  const std::unique_ptr<Source> source = open_source(path);
  return read_array(*source, options, warn, progress);
}

Header inspect(Source& source, const ReadOptions& options, const Warn& warn) {
  switch (checked_format(source, options)) {
    case Format::npy:
      return inspect_npy(source, options, warn);
    case Format::raw:
      return inspect_raw(source, options, warn);
    case Format::csv:
      break;
  }
  return inspect_csv(source, options, warn);
}

void check_writable(DType dtype, const Shape& shape, Format format) {
  if (format == Format::npy && dtype == DType::bf16)
    throw UsageError("npy has no name for bf16", "write raw or csv (--to)");
  if (format != Format::csv) return;
  if (element_count(shape) == 0)
    throw UsageError("CSV has no text for an array without elements, shape " + to_string(shape),
                     "write npy or raw (--to)");
  if (info(dtype).kind == Kind::complex)
    throw UsageError("complex numbers are not written as CSV", "write npy or raw (--to)");
  if (shape.size() > 2)
    throw UsageError("CSV holds one or two dimensions, not " + std::to_string(shape.size()), "write npy or raw (--to)");
}

void write_bytes(Sink& sink, const std::byte* data, std::size_t count, const Progress& progress) {
  constexpr std::size_t step = std::size_t{16} << 20;
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min(step, count - done);
    sink.write({data + done, part});
    done += part;
    if (progress) progress(done, count);
  }
}

void write_array(Sink& sink, const HostArray& array, Format format, char delimiter, const Progress& progress) {
  check_writable(array.dtype, array.shape, format);
  if (format == Format::csv) return write_csv(sink, array, delimiter, progress);
  if (format == Format::npy) {
    const std::string preamble = npy_preamble(array.dtype, array.shape);
    sink.write(std::as_bytes(std::span(preamble)));
  }
  write_bytes(sink, array.data.get(), array.bytes(), progress);
}

}  // namespace rung::io
