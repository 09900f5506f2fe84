// What the readers and writers of this folder share: names for messages, and getting a source's bytes into memory.
#pragma once
#include "io.hpp"

#include "../../kernels/error.hpp"

#include <string>
#include <string_view>

namespace rung::io {

/// A source's name for messages: "<stdin>" for "-".
std::string shown(const Source& source);
std::string shown(const std::string& name);

/// What is wrong with an input of no bytes, and what to do about it.
inline constexpr const char* empty_reason = "the input is empty: not one byte came";
std::string empty_hint(const Source& source);

/// Beside --missing nan for a type that has no NaN.
inline constexpr const char* no_nan_hint = "--dtype f64, the default of CSV, has NaN";

/// Text of a file in a message: in single quotes, shortened, with control and undecodable bytes as \xNN.
std::string quoted(std::string_view text);

/// "No such file or directory" for an errno.
std::string error_text(int error);

/// The descriptor that a path stands for (/dev/stdin, /dev/fd/3), -1 where it is none. Opening it anew would read a
/// file from its start and not from where the shell or a command before has come to, truncate or rename what is to be
/// written, and fail for sockets and after a change of user.
int standing_descriptor(const std::string& path);

/// Opens or duplicates above the standard three: with standard output closed, an input must not become it.
int away_from_stdio(int fd);

/// Bytes of a source, in memory.
struct Held {
  Bytes data;
  std::size_t size = 0;
  bool mapped = false;  ///< a file mapping: not to be written to, at any alignment
};

/// The next `limit` bytes, or fewer at the end of the data. Of a pipe, memory is taken as the bytes arrive, so a
/// header that declares terabytes costs nothing. Grows by remapping: nothing is ever held twice.
Held read_up_to(Source& source, std::size_t limit, const Progress& progress = {});

/// Raw of which the end of the data says the size.
HostArray read_raw_to_end(Source& source, const ReadOptions& options, const Warn& warn, const Progress& progress);
HostArray read_csv(Source& source, const ReadOptions& options, const Warn& warn, const Progress& progress);
/// Throws UsageError where --dtype says another type than the npy file `name`.
void check_npy_dtype(const std::string& name, DType dtype, const ReadOptions& options);
Header inspect_npy(Source& source, const ReadOptions& options, const Warn& warn);
Header inspect_raw(Source& source, const ReadOptions& options, const Warn& warn);
Header inspect_csv(Source& source, const ReadOptions& options, const Warn& warn);

/// The data that follows a npy or raw header, whose size was checked, as C order and native byte order; no copy where
/// the mapping serves. Throws FileError when bytes are missing; of a pipe, warns of bytes that follow.
HostArray read_elements(Source& source, const Header& header, const Warn& warn, const Progress& progress);

/// Checks the declared size against what is there, where that is known; warns of bytes that follow.
void check_size(const Source& source, const Header& header, const Warn& warn);

/// The npy preamble for an array in C order: magic, version, dictionary, padded to 64 bytes.
std::string npy_preamble(DType dtype, const Shape& shape);

void write_csv(Sink& sink, const HostArray& array, char delimiter, const Progress& progress);

/// In pieces that a progress line and a signal can come between.
void write_bytes(Sink& sink, const std::byte* data, std::size_t count, const Progress& progress);

/// Reverses the bytes of each element (of each half of a complex one), in place.
void swap_bytes(std::byte* data, std::size_t count, DType dtype);

/// From Fortran to C order: to[i0, …, ik] = from[ik, …, i0] read in C order. `from` may be at any alignment.
void fortran_to_c(const std::byte* from, std::byte* to, const Shape& shape, std::size_t element_size);

/// memcpy by all cores: a mapped file is paged in as it is read.
void copy_bytes(const std::byte* from, std::byte* to, std::size_t count);

}  // namespace rung::io
