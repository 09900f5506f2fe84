#include "output.hpp"

#include "../../kernels/error.hpp"
#include "commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <utility>

namespace rung::cli {
namespace {

constexpr std::size_t edge = 3, summarise_above = 1000;

/// Prints one axis and those inside it.
class ArrayPrinter {
 public:
  explicit ArrayPrinter(const HostArray& array) : array_(array), short_form_(array.size() > summarise_above) {
    each_shown(0, 0, [&](std::size_t index) { width_ = std::max(width_, element(index).size()); });
  }

  std::string print() {
    axis(0, 0);
    return std::move(out_);
  }

 private:
  std::string element(std::size_t index) const {
    return io::to_text(array_.dtype, array_.data.get() + index * size_of(array_.dtype));
  }
  bool shortened(std::size_t k) const { return short_form_ && array_.shape[k] > 2 * edge; }
  std::size_t inside(std::size_t k) const {
    return element_count(Shape(array_.shape.begin() + static_cast<std::ptrdiff_t>(k) + 1, array_.shape.end()));
  }

  template <class Visit>
  void each_shown(std::size_t k, std::size_t index, Visit&& visit) const {
    if (k == array_.shape.size()) return visit(index);
    for (std::size_t i = 0; i < array_.shape[k]; ++i) {
      if (shortened(k) && i == edge) i = array_.shape[k] - edge;
      each_shown(k + 1, index + i * inside(k), visit);
    }
  }

  void separate(std::size_t k) {
    const std::size_t axes_inside = array_.shape.size() - 1 - k;
    if (axes_inside == 0)
      out_ += ' ';
    else
      out_ += std::string(axes_inside, '\n') + std::string(k + 1, ' ');
  }

  void axis(std::size_t k, std::size_t index) {
    if (k == array_.shape.size()) {
      const std::string text = element(index);
      out_ += (array_.shape.empty() ? "" : std::string(width_ - text.size(), ' ')) + text;
      return;
    }
    out_ += '[';
    for (std::size_t i = 0; i < array_.shape[k]; ++i) {
      if (i > 0) separate(k);
      if (shortened(k) && i == edge) {
        out_ += "...";
        separate(k);
        i = array_.shape[k] - edge;
      }
      axis(k + 1, index + i * inside(k));
    }
    out_ += ']';
  }

  const HostArray& array_;
  bool short_form_;
  std::size_t width_ = 0;
  std::string out_;
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
  io::write_array(sink, array, format, delimiter, progress);
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
