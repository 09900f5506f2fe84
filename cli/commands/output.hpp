// Results on their way out: in which format, and never binary on a terminal.
#pragma once
#include "../../kernels/array.hpp"
#include "../io/io.hpp"

#include <optional>
#include <string>

namespace rung::cli {

/// -t, else the extension of the output file, else `fallback`: the input's format.
io::Format output_format(std::optional<io::Format> to, const std::string& path, io::Format fallback);

/// What a file name says: .npy; .csv, .tsv, .txt; .raw, .bin.
std::optional<io::Format> format_of_extension(const std::string& path);

/// The character that separates fields in CSV output: --delimiter, else a tab in FILE.tsv, else a comma. Where the
/// input is CSV too, --delimiter is first of all the input's: FILE.tsv has tabs all the same.
char output_delimiter(const std::optional<std::string>& delimiter, const std::string& path, io::Format input);

/// In the format; on a terminal as text, unless it is text anyway. Finishes the sink; the caller commits.
void write_result(io::Sink& sink, const HostArray& array, io::Format format, char delimiter,
                  const io::Progress& progress);

/// Finishes the sink; the caller commits.
void write_text(io::Sink& sink, const std::string& text);

/// Nested brackets, as NumPy prints an array; of more than 1000 elements three at either end of each axis.
std::string array_text(const HostArray& array);

}  // namespace rung::cli
