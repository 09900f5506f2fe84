// Results on their way out: in which format, and never binary on a terminal.
#pragma once
#include "../../kernels/array.hpp"
#include "../io/io.hpp"

#include <optional>
#include <string>

namespace rung::cli {

/// -t, else the extension of the output file, else `fallback`: the input's format.
io::Format output_format(std::optional<io::Format> to, const std::string& path, io::Format fallback);

/// What the name of an output says: .npy; .csv, .tsv, .txt; .raw, .bin, in any case.
std::optional<io::Format> format_of_output(const std::string& path);

/// A warning where the name of the output says another format than the one it has, or none that is known: m.parquet.
/// Empty where there is none: with -t, and for a name without an extension.
std::string unknown_extension(std::optional<io::Format> to, const std::string& path, io::Format format);

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
