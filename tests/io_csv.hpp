// CSV texts to tables, and to errors.
#pragma once
#include "io_files.hpp"

namespace rung::io_test {

inline const Folder& folder() {
  static const Folder folder;
  return folder;
}

struct Table {
  Shape shape;
  std::vector<double> values;
  bool operator==(const Table&) const = default;
};

inline Table load(std::string_view text, const io::ReadOptions& options = {}) {
  const HostArray array = io::read_array(folder().write("a.csv", text), options, {});
  return {array.shape, values<double>(array)};
}

/// The error without the folder: "a.csv:3: field 2: ...".
inline Thrown refusal(std::string_view text, const io::ReadOptions& options = {}) {
  Thrown error = thrown([&] { load(text, options); });
  const std::string start = folder().path("");
  if (error.what.starts_with(start)) error.what.erase(0, start.size());
  return error;
}

}  // namespace rung::io_test
