// Reading and writing arrays: npy, raw and CSV, from files and pipes, to files, pipes and text (design §3, §5).
// All errors are FileError ("FILE:LINE: field N: reason") or, for options that contradict each other, UsageError.
#pragma once
#include "../../kernels/array.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rung::io {

enum class Format : std::uint8_t { npy, raw, csv };
enum class Endian : std::uint8_t { little, big };
std::string_view name_of(Format f);
std::optional<Format> parse_format(std::string_view name);

struct ReadOptions {
  std::optional<Format> from = std::nullopt;
  std::optional<DType> dtype = std::nullopt;  ///< raw (required), CSV (default f64); an npy that differs is an error
  std::optional<Shape> shape = std::nullopt;  ///< raw
  std::size_t offset = 0;                     ///< raw: bytes to skip
  Endian endian = Endian::little;             ///< raw
  std::optional<std::string> delimiter = std::nullopt;  ///< CSV: a character or its name, as --delimiter
  std::optional<bool> header = std::nullopt;  ///< CSV: skip one line; unset: a first line without numbers is an error
  std::optional<std::string> columns = std::nullopt;  ///< "2,5-7,9-" from 1, or names (with a header)
  bool missing_nan = false;                           ///< CSV: empty fields and NA are NaN
};

/// Called with lines for stderr that are not errors ("big.npy: 12 bytes after the array are ignored").
using Warn = std::function<void(const std::string&)>;

/// Called now and then with bytes done and the total (0: not known).
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Where bytes come from: a file (mapped or read), or standard input for "-". Reads are sequential; a short read
/// is retried, an error is FileError. Data for one array is asked for in chunks; today the whole array is one.
class Source {
 public:
  virtual ~Source() = default;
  /// "-" for standard input.
  virtual const std::string& name() const = 0;
  /// Fills `into` from the current position; returns bytes read, fewer only at the end.
  virtual std::size_t read(std::span<std::byte> into) = 0;
  /// Looks at the next bytes without taking them; fewer than asked only at the end. At most 64 KiB.
  virtual std::span<const std::byte> peek(std::size_t count) = 0;
  /// Bytes that are left, where that can be known (regular files).
  virtual std::optional<std::uint64_t> remaining() const = 0;
  /// The next `count` bytes as shared memory without a copy, where the source is mapped; null otherwise.
  virtual Bytes take_mapped(std::size_t count) = 0;
  /// Whether this memory is the mapped file itself, which is read where it is first touched.
  virtual bool maps(const void* memory) const = 0;
};

/// Ends the waiting of sources that were opened with it, from another thread.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();
  void raise() const;
  int descriptor() const { return descriptor_; }  ///< to poll: readable once raised

 private:
  int descriptor_;
};
struct Interrupted {};  ///< thrown by a read that an Interrupt ended

/// With an interrupt, opening a FIFO does not wait for its writer; reading it does. The interrupt must outlive it.
std::unique_ptr<Source> open_source(const std::string& path, const Interrupt* interrupt = nullptr);

/// Whether bytes of `path` ("-": standard input) come when a writer sends them: a pipe, a terminal, a device.
bool is_stream(const std::string& path);

/// What is known of an array before its data is read.
struct Header {
  Format format = Format::npy;
  DType dtype = DType::f64;
  Shape shape = {};
  bool fortran_order = false;
  Endian endian = Endian::little;
  std::uint64_t data_offset = 0;
  std::string note = {};       ///< for `info`: "npy 1.0", "csv, delimiter ','"
  std::string version = {};    ///< npy: "1.0"
  std::string delimiter = {};  ///< CSV: as --delimiter takes it; empty where lines have one field
  bool has_names = false;      ///< CSV: a line was skipped as the header
  std::vector<std::string> columns =
      {};                            ///< CSV: names, "" of one without; empty where there is nothing to say of them
  std::vector<bool> numeric = {};    ///< CSV: which of the columns are numbers, by their first values
  bool needs_header_option = false;  ///< CSV: the first line is names, and --header was not given
  struct Missing {
    std::size_t count = 0;
    std::size_t line = 0, field = 0;  ///< of the first, from 1
    std::vector<bool> columns = {};   ///< which fields of a line have any
    void add(const Missing& later);
  } missing = {};  ///< CSV: empty fields and NA
};

/// Format by a file's name, for input and output: .npy; .csv .tsv .txt; .raw .bin, in any case.
std::optional<Format> format_of_path(const std::string& path);

/// ".npy" of "a/b.NPY": in small letters; empty where the name has none.
std::string extension_of(const std::string& path);

/// Format by options, magic bytes, then extension.
Format detect_format(Source& source, const ReadOptions& options);

/// Options for two files that are compared: each takes those that are for its format. npy says all of itself, so that
/// --from and --dtype are then the other's. Throws what detect_format throws.
std::pair<ReadOptions, ReadOptions> options_for_each(Source& a, Source& b, const ReadOptions& options);

/// Which formats there are among several files, by Format. Of a stream, which is not looked into, the one that the
/// options or its name say; of what cannot be opened none.
using Formats = std::array<bool, 3>;
Formats formats_of(const std::vector<std::string>& files, const ReadOptions& options);

/// Options for one of several files, as for one of two: without those that are for the format of another.
ReadOptions options_among(Source& source, const ReadOptions& options, const Formats& formats);

/// The same of one of two while nothing is known of the other: its format, and the options that are for it.
std::pair<Format, ReadOptions> options_beside_another(Source& source, const ReadOptions& options);
/// Throws UsageError for what two files that were read so would have been refused with options_for_each.
struct Read {
  std::string name;
  Format format = Format::npy;
  DType dtype = DType::f64;
};
void check_options_of_both(const Read& a, const Read& b, const ReadOptions& options);

/// A column's name as an item of --columns: one with a comma in quotes.
std::string column_word(const std::string& name);

/// Throws UsageError for a --delimiter that separates no fields.
void check_delimiter(const std::string& text);

/// Throws UsageError for options that no file could be read with.
void check_options(const ReadOptions& options);

/// The whole array, C order, native byte order.
HostArray read_array(const std::string& path, const ReadOptions& options, const Warn& warn,
                     const Progress& progress = {});
HostArray read_array(Source& source, const ReadOptions& options, const Warn& warn, const Progress& progress = {});

/// The same in two steps. The header is taken from the source where it says dtype and shape before the data is read: of
/// npy, and of raw whose size is told or known. Of the others nothing is taken, and nothing returned.
std::optional<Header> read_header(Source& source, const ReadOptions& options, const Warn& warn);
HostArray read_data(Source& source, const std::optional<Header>& header, const ReadOptions& options, const Warn& warn,
                    const Progress& progress = {});

/// For `rung info`: reads a header, and of CSV as much as shape and type need. Without --columns those columns of a CSV
/// file that are text are left out, as long as there are others. Missing values are counted, and no error; nor is a
/// first line of names, where --header is not given.
Header inspect(Source& source, const ReadOptions& options, const Warn& warn);

/// Where bytes go. A regular file is written beside, without a name where the file system has such files, and renamed
/// on commit (symlinks followed, the umask's or the old file's mode kept); a sink that is destroyed without commit
/// leaves the old file. Devices, FIFOs and "-" (standard output) are written in place. EPIPE is Closed.
struct Closed {};  ///< thrown when the reader of our output has gone: end quietly
class Sink {
 public:
  virtual ~Sink() = default;
  virtual const std::string& name() const = 0;
  virtual bool is_terminal() const = 0;
  virtual void write(std::span<const std::byte> bytes) = 0;
  /// The end of the bytes: all of them are written, or FileError. A file beside is not renamed yet.
  virtual void finish() = 0;
  /// Finishes; then a file beside takes its place.
  virtual void commit() = 0;
};
std::unique_ptr<Sink> open_sink(const std::string& path);

/// Whether a path stands for standard output: "-", /dev/stdout, /dev/fd/1.
bool is_stdout(const std::string& path);

/// Writes an array in a format. bf16 as npy, and complex, more than two dimensions or no elements as CSV, are
/// UsageError.
/// CSV: 1-D one value a line, 2-D rows; `delimiter` ',' unless told.
void write_array(Sink& sink, const HostArray& array, Format format, char delimiter = ',',
                 const Progress& progress = {});

/// Throws what write_array would throw for that dtype and shape, before any work is done.
void check_writable(DType dtype, const Shape& shape, Format format);

/// One element as text: shortest digits that read back to the same value, no locale; complex as "re+imj";
/// nan, inf, -inf; bool as 0 or 1.
std::string to_text(DType dtype, const void* element);

}  // namespace rung::io
