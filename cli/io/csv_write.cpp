#include "common.hpp"
#include "number.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace rung::io {
namespace {

template <class T>
void format_elements(const std::byte* data, std::size_t first, std::size_t last, std::size_t width, char delimiter,
                     std::string& text) {
  char number[2 * number_width];
  text.clear();
  for (std::size_t i = first; i < last; ++i) {
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof(T));
    char* const end = write_number(number, value);
    *end = (i + 1) % width == 0 ? '\n' : delimiter;
    text.append(number, end + 1);
  }
}

}  // namespace

void write_csv(Sink& sink, const HostArray& array, char delimiter, const Progress& progress) {
  const std::size_t width = array.shape.size() == 2 ? array.shape[1] : 1;
  // A few pieces at a time are formatted by all cores and then written in order: memory stays small.
  constexpr std::size_t piece = std::size_t{1} << 16, batch = 16;
  const std::size_t count = array.size();
  std::vector<std::string> texts(batch);
  for (std::size_t start = 0; start < count; start += piece * batch) {
    const std::size_t pieces = std::min(batch, (count - start + piece - 1) / piece);
    visit_dtype(array.dtype, [&]<class T>() {
      const auto format = [&](std::size_t i) {
        const std::size_t first = start + i * piece;
        format_elements<T>(array.data.get(), first, std::min(first + piece, count), width, delimiter, texts[i]);
      };
      if (pieces == 1)
        format(0);
      else
        tbb::parallel_for(std::size_t{0}, pieces, format);
    });
    for (std::size_t i = 0; i < pieces; ++i) sink.write(std::as_bytes(std::span(texts[i])));
    if (progress) progress(std::min(start + piece * batch, count) * size_of(array.dtype), array.bytes());
  }
}

}  // namespace rung::io
