// What the io tests share: a folder for files, a pipe that gives its bytes in small pieces, and what was thrown.
#pragma once
#include "../cli/io/io.hpp"
#include "../kernels/error.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rung::io_test {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rung-test-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

/// The reading end of a pipe, as a path; a thread feeds it `step` bytes at a time.
class Pipe {
 public:
  explicit Pipe(std::string bytes, std::size_t step = 7) {
    std::signal(SIGPIPE, SIG_IGN);
    REQUIRE(::pipe(ends_) == 0);
    feeder_ = std::thread([this, step, bytes = std::move(bytes)] {
      for (std::size_t at = 0; at < bytes.size(); at += step)
        if (::write(ends_[1], bytes.data() + at, std::min(step, bytes.size() - at)) < 0) break;
      ::close(ends_[1]);
    });
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(ends_[0]);
    feeder_.join();
  }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2];
  std::thread feeder_;
};

struct Thrown {
  int status = 0;  ///< 0: nothing was thrown
  std::string what, hint;
};

template <class Work>
Thrown thrown(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return {error.exit_status(), error.what(), error.hint()};
  }
  return {};
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template <class T>
std::vector<T> values(const HostArray& array) {
  REQUIRE(array.dtype == dtype_of<T>);
  std::vector<T> list(array.size());
  if (!list.empty()) std::memcpy(list.data(), array.data.get(), array.bytes());
  return list;
}

template <class T>
HostArray make_array(const Shape& shape, const std::vector<T>& list) {
  HostArray array{dtype_of<T>, shape, allocate_bytes(list.size() * sizeof(T))};
  if (!list.empty()) std::memcpy(array.data.get(), list.data(), list.size() * sizeof(T));
  return array;
}

/// A npy file by the specification: magic, version, length, dictionary, data.
inline std::string npy(std::string_view dictionary, std::string_view data, int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
  return file.append(dictionary).append(data);
}

template <class T>
std::string bytes_of(const std::vector<T>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)};
}

}  // namespace rung::io_test
