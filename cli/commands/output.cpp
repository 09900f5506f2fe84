#include "output.hpp"

#include "../../kernels/error.hpp"
#include "commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

namespace rung::cli {
namespace {

constexpr std::size_t edge = 3, summarise_above = 1000;

/// Brackets around each axis; of a large array, the edges of each. An array may have more axes than there is stack.
class ArrayPrinter {
 public:
  explicit ArrayPrinter(const HostArray& array)
      : array_(array), axes_(array.shape.size()), stride_(axes_), short_form_(array.size() > summarise_above) {
    for (std::size_t k = axes_, inside = 1; k-- > 0; inside *= array.shape[k]) stride_[k] = inside;
  }

  std::string print() {
    struct Measurer {
      const ArrayPrinter& printer;
      std::size_t width = 0;
      void open() {}
      void close() {}
      void separate(std::size_t) {}
      void omit() {}
      void element(std::size_t index) { width = std::max(width, printer.element(index).size()); }
    } measurer{*this};
    walk(measurer);
    struct Writer {
      const ArrayPrinter& printer;
      std::size_t width;
      std::string out;
      void open() { out += '['; }
      void close() { out += ']'; }
      void separate(std::size_t k) {
        const std::size_t axes_inside = printer.axes_ - 1 - k;
        out += axes_inside == 0 ? " " : std::string(axes_inside, '\n') + std::string(k + 1, ' ');
      }
      void omit() { out += "..."; }
      void element(std::size_t index) {
        const std::string text = printer.element(index);
        out += (printer.axes_ == 0 ? "" : std::string(width - text.size(), ' ')) + text;
      }
    } writer{*this, measurer.width, {}};
    walk(writer);
    return std::move(writer.out);
  }

 private:
  std::string element(std::size_t index) const {
    return io::to_text(array_.dtype, array_.data.get() + index * size_of(array_.dtype));
  }
  bool shortened(std::size_t k) const { return short_form_ && array_.shape[k] > 2 * edge; }

  /// In the order of printing: open and close an axis, separate two places of axis k, omit some of them, element.
  template <class Visitor>
  void walk(Visitor& visitor) const {
    std::vector<std::size_t> at;  // on each open axis
    std::size_t index = 0;
    do {
      while (at.size() < axes_ && (at.empty() || array_.shape[at.size() - 1] > 0)) {
        visitor.open();
        at.push_back(0);
      }
      if (at.empty() || array_.shape[at.size() - 1] > 0) visitor.element(index);
      while (!at.empty()) {
        const std::size_t k = at.size() - 1, extent = array_.shape[k];
        ++at[k];
        index += stride_[k];
        if (at[k] < extent) {
          visitor.separate(k);
          if (!shortened(k) || at[k] != edge) break;
          visitor.omit();
          visitor.separate(k);
          index += (extent - edge - at[k]) * stride_[k];
          at[k] = extent - edge;
          break;
        }
        visitor.close();
        index -= at[k] * stride_[k];
        at.pop_back();
      }
    } while (!at.empty());
  }

  const HostArray& array_;
  std::size_t axes_;
  std::vector<std::size_t> stride_;  ///< of each axis, in elements
  bool short_form_;
};

}  // namespace

std::optional<io::Format> format_of_output(const std::string& path) {
  // A name that is nothing but an extension has none.
  return path.size() > io::extension_of(path).size() ? io::format_of_path(path) : std::nullopt;
}

io::Format output_format(std::optional<io::Format> to, const std::string& path, io::Format fallback) {
  if (to) return *to;
  return format_of_output(path).value_or(fallback);
}

std::string unknown_extension(std::optional<io::Format> to, const std::string& path, io::Format format) {
  const std::string extension = io::extension_of(path);
  const bool none = extension.size() < 2 || extension.size() == path.size();
  if (to || none || format_of_output(path) || io::is_stdout(path)) return {};
  return path + " is written as " + std::string(io::name_of(format)) + ": " + extension +
         " names none of npy, raw and csv; -t says which";
}

char output_delimiter(const std::optional<std::string>& delimiter, const std::string& path, io::Format input) {
  static constexpr std::array<std::pair<std::string_view, char>, 6> names{
      {{"tab", '\t'}, {"space", ' '}, {"whitespace", ' '}, {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'}}};
  const bool tabs = io::extension_of(path) == ".tsv";
  if (tabs && (!delimiter || input == io::Format::csv)) return '\t';
  if (!delimiter) return ',';
  for (const auto& [name, character] : names)
    if (*delimiter == name) return character;
  return delimiter->size() == 1 ? delimiter->front() : ',';
}

std::string array_text(const HostArray& array) { return ArrayPrinter(array).print(); }

void write_text(io::Sink& sink, const std::string& text) {
  sink.write(std::as_bytes(std::span(text)));
  sink.finish();
}

void write_result(io::Sink& sink, const HostArray& array, io::Format format, char delimiter,
                  const io::Progress& progress) {
  if (sink.is_terminal() && format != io::Format::csv) return write_text(sink, array_text(array) + "\n");
  // A line of progress would be drawn into the data, and wipe what is on its line.
  io::write_array(sink, array, format, delimiter, sink.is_terminal() ? io::Progress() : progress);
  sink.finish();
}

void write_stdout(const std::string& text) {
  const auto sink = io::open_sink("-");
  write_text(*sink, text);
  sink->commit();
}

void tell_stdout(const std::string& text) {
  try {
    write_stdout(text);
  } catch (const io::Closed&) {
  }
}

void print_help(const std::string& text) { std::fputs(text.c_str(), stderr); }

bool reads_terminal(const std::string& file) { return file == "-" && ::isatty(STDIN_FILENO) != 0; }

}  // namespace rung::cli
